# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Arrays of the caller as the library reads them: in place if their layout allows it, otherwise copied.

Each function returns what the library takes and the array that must stay alive meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._native import DataError, abi

_DOUBLE, _FLOAT = np.dtype(np.float64), np.dtype(np.float32)
_F64: int = abi.ABUT_SCALAR_F64
_F32: int = abi.ABUT_SCALAR_F32

Array = Any  # what numpy.asarray() takes


def _is_native_float(array: np.ndarray[Any, Any]) -> bool:
    return array.dtype is _DOUBLE or array.dtype is _FLOAT or array.dtype in (_DOUBLE, _FLOAT) and array.dtype.isnative


def numbers(value: Array, name: str) -> np.ndarray[Any, Any]:
    """Returns an array of float32 or float64, which is the caller's own if it is one."""
    array = np.asarray(value)
    if _is_native_float(array):
        return array
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be numbers, not {array.dtype}")
    return array.astype(np.float64)


def type_of(array: np.ndarray[Any, Any]) -> int:
    """Returns how the library calls float32 or float64."""
    return _F64 if array.dtype.itemsize == 8 else _F32


def _rows(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns the array, or a copy if its rows are not packed numbers at a positive distance."""
    flags = array.flags
    if flags.c_contiguous and flags.aligned:
        return array
    size, strides = array.itemsize, array.strides
    packed = strides[1:] == ((size,) if array.ndim == 2 else (size * array.shape[2], size))
    if flags.aligned and packed and (len(array) < 2 or (strides[0] > 0 and strides[0] % size == 0)):
        return array
    return np.array(array, order="C")


def address(array: np.ndarray[Any, Any]) -> int:
    """Returns where the array's numbers are."""
    found: int = array.__array_interface__["data"][0]
    return found


def positions(value: Array, name: str, count: int = -1) -> tuple[Any, np.ndarray[Any, Any]]:
    """Returns an abut_positions of an (n, 3) array. A count that is not negative is the n that it must have."""
    array = numbers(value, name)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name} must be an array of shape (n, 3), not {array.shape}")
    if count >= 0 and len(array) != count:
        raise ValueError(f"{name} must have {count} rows, one for each vertex, not {len(array)}")
    array = _rows(array)
    stride = array.strides[0] if len(array) > 1 else 3 * array.itemsize
    return abi.abut_positions(address(array), len(array), stride, type_of(array)), array


def transforms(value: Array, name: str) -> tuple[Any, np.ndarray[Any, Any]]:
    """Returns an abut_transforms of an (n, 3, 4) or (n, 4, 4) array; the last row of the latter is 0 0 0 1."""
    array = numbers(value, name)
    if array.ndim != 3 or array.shape[1:] not in ((3, 4), (4, 4)):
        raise ValueError(f"{name} must be an array of shape (n, 3, 4) or (n, 4, 4), not {array.shape}")
    if array.shape[1] == 4:
        wrong = np.flatnonzero((array[:, 3] != (0, 0, 0, 1)).any(axis=1))
        if len(wrong):
            raise _blame(f"{name}: the last row of transform {wrong[0]} is not 0 0 0 1", "node", int(wrong[0]))
        array = array[:, :3]
    array = _rows(array)
    stride = array.strides[0] if len(array) > 1 else 12 * array.itemsize
    view = abi.abut_transforms(address(array), len(array), stride, type_of(array), abi.ABUT_LAYOUT_ROWS_3X4)
    return view, array


def doubles(value: Array, name: str) -> np.ndarray[Any, Any]:
    """Returns a packed array of doubles of one dimension."""
    array = np.require(numbers(value, name), np.float64, ["C", "A"])
    if array.ndim != 1:
        raise ValueError(f"{name} must be an array of one dimension, not of shape {array.shape}")
    return array


def _blame(text: str, element: str, index: int) -> DataError:
    error = DataError(text)
    error.element, error.index = element, index
    return error


def indices(value: Array, name: str, element: str, columns: int = 0) -> np.ndarray[Any, Any]:
    """Returns a packed uint32 array of shape (n,), or (n, columns)."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    shape = f"(n, {columns})" if columns else "(n,)"
    if array.ndim != (2 if columns else 1) or (columns and array.shape[1] != columns):
        raise ValueError(f"{name} must be an array of shape {shape}, not {array.shape}")
    if array.dtype != np.uint32 and array.size:
        bad = (array < 0) | (array > 0xFFFFFFFF)
        if bad.any():
            at = int(np.argwhere(bad)[0][0])
            raise _blame(f"{name}: row {at} has {array[bad].flat[0]}, which is no index", element, at)
    return np.require(array, np.uint32, ["C", "A"])


def frame(value: Array) -> Any:
    """Returns an abut_frame of a 3 x 4 or 4 x 4 matrix, or of None for the identity."""
    array = np.eye(4) if value is None else np.asarray(numbers(value, "a frame"), dtype=np.float64)
    if array.shape not in ((3, 4), (4, 4)):
        raise ValueError(f"a frame must be a matrix of shape (3, 4) or (4, 4), not {array.shape}")
    if array.shape == (4, 4) and (array[3] != (0, 0, 0, 1)).any():
        raise ValueError("the last row of a frame must be 0 0 0 1")
    made = abi.abut_frame()
    np.ctypeslib.as_array(made.r)[:] = array[:3, :3]
    np.ctypeslib.as_array(made.t)[:] = array[:3, 3]
    return made
