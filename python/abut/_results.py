# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Results of queries as structured arrays.

An array reads the result's memory in place and keeps it alive. When the last array of a result is gone, the scene uses
the result again, so that queries allocate nothing after the first steps.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ._context import Owner
from ._native import abi, create, lib, place

FREE_MOST = 8  # results of a shelf that are kept for later queries
SHELVES_MOST = 1024  # shelves; then all go, so that bodies that come and go leave nothing behind

Rows = np.ndarray[Any, Any]


class Kind:
    """One kind of result: how it is made, and what its rows are."""

    __slots__ = ("create", "destroy", "found", "rows", "dtype", "empty", "_bytes")

    def __init__(self, name: str, rows: str, row: Any) -> None:
        self.create = getattr(lib, f"abut_{name}_result_create")
        self.destroy = getattr(lib, f"abut_{name}_result_destroy")
        self.found: Any = getattr(lib, f"abut_{name}_result_found", None)
        self.rows = getattr(lib, f"abut_{name}_result_{rows}")
        self.dtype = np.dtype(row)
        self.empty = np.empty(0, self.dtype)
        self.empty.flags.writeable = False
        self._bytes = f"|V{self.dtype.itemsize}"

    def array(self, lease: Lease) -> Rows:
        """Returns the rows."""
        return view(lease, self.rows(lease.owner.handle, place.count_reference), self.dtype, self.empty, self._bytes)


COLLIDE = Kind("collide", "pairs", abi.abut_pair)
SWEEP = Kind("sweep", "pairs", abi.abut_sweep_pair)
NEAREST = Kind("nearest", "pairs", abi.abut_distance_pair)
WITHIN = Kind("within", "pairs", abi.abut_distance_pair)
DEPTH = Kind("depth", "regions", abi.abut_region)
CONTAINS = Kind("contains", "sides", ctypes.c_int)
CAST = Kind("cast", "hits", abi.abut_ray_hit)
CLOSEST = Kind("closest", "points", abi.abut_closest_point)
FEATURES = Kind("features", "pairs", abi.abut_feature_pair)
SELECT = Kind("select", "triangles", abi.abut_selected)
CONTOUR = Kind("contour", "contours", abi.abut_contour)
INTERVALS = Kind("intervals", "intervals", abi.abut_contact_interval)
INTERSECTION = np.dtype(abi.abut_intersection)


class Shelf:
    """Results for one question. `free` are those that no array reads."""

    __slots__ = ("free", "_all")

    def __init__(self) -> None:
        self.free: list[Owner] = []
        self._all: set[Owner] = set()  # so that no result is finalized before its lease

    def take(self, kind: Kind, context: Owner) -> Owner:
        """Returns a free result, or a new one."""
        try:
            return self.free.pop()
        except IndexError:
            owner = Owner(create(kind.create, context.handle), kind.destroy, context)
            self._all.add(owner)
            return owner

    def put(self, owner: Owner) -> None:
        """Takes back a result that no array reads any more. A few are kept, the others are freed."""
        if len(self.free) < FREE_MOST:
            self.free.append(owner)
        else:
            self._all.discard(owner)


class Lease:
    """A result that a query writes and its arrays read. It goes back to its shelf when all of them are gone."""

    __slots__ = ("owner", "_shelf", "__array_interface__")
    __array_interface__: dict[str, Any]

    def __init__(self, owner: Owner, shelf: Shelf) -> None:
        self.owner = owner
        self._shelf = shelf

    def __del__(self) -> None:
        self._shelf.put(self.owner)


def view(lease: Lease, data: int, dtype: np.dtype[Any], empty: Rows, raw: str) -> Rows:
    """Returns an array of the place.count rows at `data`."""
    if not data:
        return empty
    lease.__array_interface__ = {"data": (data, True), "shape": (place.count.value,), "typestr": raw, "version": 3}
    return np.asarray(lease).view(dtype)


def copied(rows: Any, handle: int, dtype: np.dtype[Any]) -> Rows:
    """Returns a copy of rows of a result."""
    data = rows(handle, place.count_reference)
    count = place.count.value if data else 0
    return np.frombuffer(ctypes.string_at(data, count * dtype.itemsize) if count else b"", dtype)


class Shelves:
    """The results of a scene, a shelf for each question, so that warm starts fit."""

    __slots__ = ("_context", "_shelves")

    def __init__(self, context: Owner) -> None:
        self._context = context
        self._shelves: dict[Any, Shelf] = {}

    def lease(self, kind: Kind, question: Any) -> Lease:
        """Returns a result for a question, one that was used for it before if there is one."""
        shelf = self._shelves.get((kind, question))
        if shelf is None:
            if len(self._shelves) >= SHELVES_MOST:
                self._shelves = {}
            shelf = self._shelves.setdefault((kind, question), Shelf())
        return Lease(shelf.take(kind, self._context), shelf)
