# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Vertices and triangles of other libraries' mesh objects, which are known by their members."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import Array


def triangles_of(vertices: Array, faces: Optional[Array]) -> tuple[Array, Array]:
    """Returns vertices and faces of either two arrays or a mesh object and None."""
    if faces is not None:
        return np.asarray(vertices), faces
    for reader in (_points_and_cells, _vtk, _vertices_and_faces):
        found = reader(vertices)
        if found is not None:
            return np.asarray(found[0]), np.asarray(found[1])
    raise TypeError(f"faces are missing, and {type(vertices).__name__} is no mesh: it has neither vertices and faces "
                    "nor points and cells")


def _points_and_cells(mesh: Any) -> Optional[tuple[Array, Array]]:
    """PyVista (points, regular_faces) and meshio (points, cells_dict)."""
    if not hasattr(mesh, "points"):
        return None
    if hasattr(mesh, "cells_dict"):
        cells = mesh.cells_dict.get("triangle")
        if cells is None:
            raise ValueError("the mesh has no triangles")
        return mesh.points, cells
    if hasattr(mesh, "regular_faces"):
        return mesh.points, mesh.regular_faces
    return None


def _vtk(mesh: Any) -> Optional[tuple[Array, Array]]:
    """vtkPolyData: polygons are read by their offsets, and all must be triangles."""
    if not (hasattr(mesh, "GetPoints") and hasattr(mesh, "GetPolys")):
        return None
    from vtkmodules.util.numpy_support import vtk_to_numpy  # type: ignore[import]

    polygons = mesh.GetPolys()
    offsets = vtk_to_numpy(polygons.GetOffsetsArray())
    if (np.diff(offsets) != 3).any():
        raise ValueError("the mesh has polygons that are no triangles: use vtkTriangleFilter")
    faces = vtk_to_numpy(polygons.GetConnectivityArray()).reshape(-1, 3)
    return vtk_to_numpy(mesh.GetPoints().GetData()), faces


def _vertices_and_faces(mesh: Any) -> Optional[tuple[Array, Array]]:
    """trimesh (vertices, faces) and Open3D (vertices, triangles)."""
    faces = getattr(mesh, "faces", getattr(mesh, "triangles", None))
    if faces is None or not hasattr(mesh, "vertices"):
        return None
    return mesh.vertices, faces
