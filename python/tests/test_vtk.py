# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""The filter of VTK marks what the library finds."""

from __future__ import annotations

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
