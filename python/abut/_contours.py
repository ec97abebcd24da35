# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Contours: the lines along which surfaces cut each other."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple

import numpy as np

from . import _results
from ._arrays import address
from ._native import abi, lib
from ._results import Lease, Rows, copied

_ENDS = ["none", "border_a", "border_b", "branch", "area", "vertex", "neighbours", "degenerate", "touch", "missing"]
_CONTOUR = np.dtype(abi.abut_contour)
_SEGMENT = np.dtype(abi.abut_contour_segment)
_POINT = np.dtype(abi.abut_contour_point)


class Contour(NamedTuple):
    """One line along which two surfaces, or two sheets of one, cut each other."""

    points: Rows  #: (n, 3); of a closed contour the last segment ends at the first point
    triangles: Rows  #: (m, 2): the triangles of a and b that share each segment
    bodies: tuple[int, int]
    closed: bool
    ends: tuple[str, str]  #: why it ends at its first and its last point, such as "border_a"; "none" if it is closed


class Contours:
    """The contours of a query, as a sequence of Contour.

    `contours`, `segments` and `points` are the structured arrays of the library: a row of `contours` names its part of
    the others, and `points` also says which corner, edge or face each point lies on.
    """

    __slots__ = ("contours", "segments", "points")

    def __init__(self, lease: Lease) -> None:
        handle = lease.owner.handle
        self.contours = copied(lib.abut_contour_result_contours, handle, _CONTOUR)
        self.segments = copied(lib.abut_contour_result_segments, handle, _SEGMENT)
        self.points = copied(lib.abut_contour_result_points, handle, _POINT)

    def __len__(self) -> int:
        return len(self.contours)

    def __getitem__(self, index: int) -> Contour:
        row = self.contours[index]
        segments = self.segments[row["first_segment"]:][:row["segment_count"]]
        first, last = (_ENDS[end] for end in row["ends"])
        return Contour(self.points["position"][row["first_point"]:][:row["point_count"]],
                       np.stack([segments["triangle_a"], segments["triangle_b"]], axis=1),
                       (int(row["body_a"]), int(row["body_b"])), first == "none", (first, last))

    def __iter__(self) -> Iterator[Contour]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        closed = int((self.contours["ends"][:, 0] == 0).sum())
        return f"<abut.Contours, {closed} closed, {len(self) - closed} open, {len(self.segments)} segments>"


def pairs_of(value: Any) -> tuple[int, int, Rows]:
    """Returns address and number of the pairs of a collide query, and the array that must stay alive meanwhile."""
    array = np.asarray(value)
    if array.dtype != _results.COLLIDE.dtype or array.ndim != 1:
        raise TypeError("contours need the pairs that collide(), collide_self() or collide_all() returned")
    array = np.ascontiguousarray(array)
    return address(array), len(array), array
