# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""One call for meshes that stand still."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from ._arrays import Array
from ._contours import Contours
from ._results import Rows
from ._scene import INSIDE, UNDEFINED, Depth, Scene
from ._shape import Shape


def self_intersections(vertices: Array, faces: Optional[Array] = None, *, margin: float = 0.0,
                       include_neighbours: bool = False) -> Rows:
    """Returns all pairs of triangles that touch and share no vertex, as an (n, 2) array of triangle numbers.

    The answer is exact. `margin`: triangles at most this far apart count, too. `include_neighbours`: also pairs that
    share a vertex and overlap beyond it.

    >>> import abut
    >>> abut.self_intersections([[0, 0, -1.], [1, 0, 1], [0, 1, 1], [-9., -9, 0], [9, -9, 0], [0, 9, 0]],
    ...                         [[0, 1, 2], [3, 4, 5]])
    array([[0, 1]], dtype=uint32)
    """
    scene = Scene()
    body = scene.add(Shape(vertices, faces))
    return _numbers(scene.collide_self(body, margin=margin, include_neighbours=include_neighbours))


def collide(vertices_a: Array, faces_a: Array, vertices_b: Array, faces_b: Array, *, margin: float = 0.0) -> Rows:
    """Returns all pairs of triangles of two meshes that touch, as an (n, 2) array of triangle numbers."""
    scene = Scene()
    a, b = scene.add(Shape(vertices_a, faces_a)), scene.add(Shape(vertices_b, faces_b))
    return _numbers(scene.collide(a, b, margin=margin))


def contours(vertices_a: Array, faces_a: Array, vertices_b: Array, faces_b: Array) -> Contours:
    """Returns the lines along which two meshes cut each other."""
    scene = Scene()
    a, b = scene.add(Shape(vertices_a, faces_a)), scene.add(Shape(vertices_b, faces_b))
    return scene.contours(scene.collide(a, b))


def _numbers(pairs: Rows) -> Rows:
    return np.stack([pairs["triangle_a"], pairs["triangle_b"]], axis=1)


class Distance(NamedTuple):
    """How far two meshes are apart, and where."""

    distance: float
    points: Rows  #: the closest points, one of each mesh: (2, 3)
    triangles: tuple[int, int]  #: on which they lie


def distance(vertices_a: Array, faces_a: Array, vertices_b: Array, faces_b: Array) -> Distance:
    """Returns the distance of two meshes, which is 0 if and only if they touch."""
    scene = Scene()
    a, b = scene.add(Shape(vertices_a, faces_a)), scene.add(Shape(vertices_b, faces_b))
    row = scene.nearest(a, b)[0]
    return Distance(float(row["distance"]), np.array([row["a"]["point"], row["b"]["point"]]),
                    (int(row["triangle_a"]), int(row["triangle_b"])))


def depth(vertices_a: Array, faces_a: Array, vertices_b: Array, faces_b: Array) -> Depth:
    """Returns how deep two closed meshes penetrate each other, and the translations that separate them."""
    scene = Scene()
    a, b = scene.add(Shape(vertices_a, faces_a)), scene.add(Shape(vertices_b, faces_b))
    return scene.depth(a, b)


def contains(vertices: Array, faces: Array, points: Array) -> Any:
    """Returns whether each point is inside a closed mesh, as an array of bool. A point on the surface is not inside.

    Raises ValueError if the mesh is open, because it has no inside.
    """
    scene = Scene()
    sides = scene.contains_points(scene.add(Shape(vertices, faces)), points).side
    if (sides == UNDEFINED).any():
        raise ValueError("the mesh is open or of mixed orientation: it has no inside")
    return sides == INSIDE


def winding_numbers(vertices: Array, faces: Array, points: Array) -> Rows:
    """Returns the generalized winding number of a mesh around each point. The mesh may be open."""
    scene = Scene()
    return scene.winding_numbers(scene.add(Shape(vertices, faces)), points)
