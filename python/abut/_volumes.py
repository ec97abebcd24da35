# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Volumes that select triangles: boxes, balls, and what half-spaces have in common.

Each function returns an abut_volume and the array that must stay alive meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Array, address, numbers
from ._native import abi, lib


def _doubles(value: Array, name: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    array = np.require(numbers(value, name), np.float64, ["C", "A"])
    if array.ndim != len(shape) or any(want not in (-1, got) for want, got in zip(shape, array.shape)):
        told = ", ".join("n" if want < 0 else str(want) for want in shape)
        raise ValueError(f"{name} must be an array of shape ({told}{',' * (len(shape) == 1)}), not {array.shape}")
    return array


def box(low: Array, high: Array) -> tuple[Any, Any]:
    """Returns a box from its lowest and its highest corner."""
    made = abi.abut_box()
    np.ctypeslib.as_array(made.lo)[:] = _doubles(low, "low", (3,))
    np.ctypeslib.as_array(made.hi)[:] = _doubles(high, "high", (3,))
    return lib.abut_volume_box(made), None


def ball(centre: Array, radius: float) -> tuple[Any, Any]:
    """Returns a ball."""
    at = _doubles(centre, "centre", (3,))
    return lib.abut_volume_ball(address(at), float(radius)), at


def planes(value: Array) -> tuple[Any, Any]:
    """Returns what half-spaces have in common: rows (x, y, z, offset) are the points p with (x, y, z) . p <= offset."""
    rows = _doubles(value, "planes", (-1, 4))
    return lib.abut_volume_planes(address(rows), len(rows)), rows


def frustum(matrix: Array) -> np.ndarray[Any, Any]:
    """Returns the six planes of what a projection matrix sees: -w <= x, y, z <= w, for column vectors."""
    rows = _doubles(matrix, "a projection matrix", (4, 4))
    sides: np.ndarray[Any, Any] = np.concatenate([sign * rows[:3] - rows[3] for sign in (1.0, -1.0)])
    sides[:, 3] *= -1
    return sides
