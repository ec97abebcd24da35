# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""The filter of VTK marks what the library finds, and the command reads what VTK writes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import wavy_sheet

import abut

pytest.importorskip("vtkmodules.vtkCommonDataModel")


def poly_data(points: Any, faces: Any) -> Any:
    from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData

    made, coordinates, cells = vtkPolyData(), vtkPoints(), vtkCellArray()
    coordinates.SetData(numpy_to_vtk(points, deep=True))
    legacy = np.c_[np.full(len(faces), faces.shape[1]), faces].astype(np.int64).ravel()
    cells.ImportLegacyFormat(numpy_to_vtkIdTypeArray(legacy, deep=True))
    made.SetPoints(coordinates)
    made.SetPolys(cells)
    return made


def test_marks() -> None:
    from vtkmodules.util.numpy_support import vtk_to_numpy

    from abut.vtk import Contact

    a, faces = wavy_sheet(12)
    b, _ = wavy_sheet(12, phase=2.0)
    contact = Contact()
    contact.SetInputDataObject(0, poly_data(a, faces))
    contact.SetInputDataObject(1, poly_data(b, faces))
    contact.Update()
    pairs = abut.collide(a, faces, b, faces)
    marks = vtk_to_numpy(contact.GetOutput().GetCellData().GetArray("touching"))
    assert len(pairs) and (marks == np.bincount(pairs[:, 0], minlength=len(faces))).all()
    both = poly_data(np.concatenate([a, b]), np.concatenate([faces, faces + len(a)]))
    within = Contact()
    within.SetInputDataObject(0, both)
    within.SetMargin(0.01)
    within.Update()
    marks = vtk_to_numpy(within.GetOutput().GetCellData().GetArray("touching"))
    expected = abut.self_intersections(np.concatenate([a, b]), np.concatenate([faces, faces + len(a)]), margin=0.01)
    assert (marks == np.bincount(expected.ravel(), minlength=2 * len(faces))).all()


def test_polygons_that_are_no_triangles() -> None:
    square = poly_data(np.eye(4, 3), np.array([[0, 1, 2, 3]]))
    with pytest.raises(ValueError, match="no triangles"):
        abut.Shape(square)


@pytest.mark.parametrize("mode", ["Ascii", "Binary", "Appended", "AppendedRaw"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_the_command_reads_what_vtk_writes(tmp_path: Path, mode: str, packed: bool, wide: bool) -> None:
    from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter

    from abut import _check

    try:
        _check.command()
    except abut.CheckError as error:
        pytest.skip(str(error))
    a, faces = wavy_sheet(30)
    b, _ = wavy_sheet(30, phase=2.0)
    for name, points in (("a.vtp", a), ("b.vtp", b)):
        writer = vtkXMLPolyDataWriter()
        writer.SetInputData(poly_data(np.asarray(points, np.float64), faces))
        writer.SetFileName(str(tmp_path / name))
        getattr(writer, "SetDataModeTo" + mode.removesuffix("Raw"))()
        writer.SetEncodeAppendedData(mode != "AppendedRaw")
        writer.SetCompressorTypeToZLib() if packed else writer.SetCompressorTypeToNone()
        writer.SetBlockSize(1024)
        writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
        writer.SetByteOrderToBigEndian() if wide else writer.SetByteOrderToLittleEndian()
        assert writer.Write() == 1
    found = abut.check(tmp_path / "a.vtp", tmp_path / "b.vtp", between=True)
    if mode == "Ascii":  # the text has fewer digits
        assert found
    else:
        assert found.frames[0]["between"][0]["pairs"] == len(abut.collide(a, faces, b, faces))


def test_surfaces_of_solids_are_those_of_vtk(tmp_path: Path) -> None:
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkPolyData
    from vtkmodules.vtkFiltersCore import vtkDelaunay3D
    from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter

    from abut import _check

    try:
        command = _check.command()
    except abut.CheckError as error:
        pytest.skip(str(error))
    points = vtkPoints()
    points.SetData(numpy_to_vtk(np.random.default_rng(3).random((200, 3)), deep=True))
    cloud = vtkPolyData()
    cloud.SetPoints(points)
    solid = vtkDelaunay3D()
    solid.SetInputData(cloud)
    surface = vtkGeometryFilter()
    surface.SetInputConnection(solid.GetOutputPort())
    surface.Update()
    writer = vtkXMLUnstructuredGridWriter()
    writer.SetInputConnection(solid.GetOutputPort())
    writer.SetFileName(str(tmp_path / "solid.vtu"))
    assert writer.Write() == 1
    told = subprocess.run([command, "info", str(tmp_path / "solid.vtu")], capture_output=True, text=True, check=True)
    assert str(surface.GetOutput().GetNumberOfCells()) in told.stdout and "closed" in told.stdout
