# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""The shared library: found, loaded and declared; statuses become exceptions.

The binding is ctypes. It needs no compiler and no binary interface of Python, so one wheel serves all versions of
Python, free-threaded ones and Blender's. Every call releases the GIL.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path
from typing import Any, Optional

from . import _abi

abi: Any = _abi


class Error(Exception):
    """A call of abut failed. The text says why.

    `element` ("vertex", "triangle", "body", "node" or "entry") and `index` name what is to blame, `body` is the
    number of the body; each is None if nothing is named.
    """

    element: Optional[str] = None
    index: Optional[int] = None
    body: Optional[int] = None


class ArgumentError(Error, ValueError):
    """An argument or an option is outside its contract."""


class DataError(Error, ValueError):
    """An array holds NaN, an infinity or an index that does not exist."""


class OutOfMemory(Error, MemoryError):
    """Memory ran out."""


class LimitError(Error, OverflowError):
    """There are more elements than a 32-bit index can number."""


class StateError(Error, RuntimeError):
    """The call does not fit the state of the object, such as a sweep without a previous state."""


class VersionError(Error, ValueError):
    """Saved bytes have a version of their format that is not known."""


_ERRORS: dict[int, type[Error]] = {
    abi.ABUT_ERR_INVALID_ARGUMENT: ArgumentError,
    abi.ABUT_ERR_INVALID_DATA: DataError,
    abi.ABUT_ERR_NO_MEMORY: OutOfMemory,
    abi.ABUT_ERR_LIMIT: LimitError,
    abi.ABUT_ERR_STATE: StateError,
    abi.ABUT_ERR_VERSION: VersionError,
}
_ELEMENTS = [None, "vertex", "triangle", "body", "node", "entry"]


def _library_names() -> list[str]:
    if sys.platform == "win32":
        return ["abut_python.dll", "libabut_python.dll"]
    if sys.platform == "darwin":
        return ["libabut_python.dylib"]
    return ["libabut_python.so"]


def _load() -> Any:
    """Loads the library beside this file, or the one that the environment variable ABUT_LIBRARY names."""
    given = os.environ.get("ABUT_LIBRARY")
    paths = [Path(given)] if given else [Path(__file__).parent / name for name in _library_names()]
    for path in paths:
        if given or path.exists():
            library = ctypes.CDLL(str(path))
            break
    else:
        raise ImportError(f"abut's shared library is missing: {paths[0]}. Install the wheel, or set ABUT_LIBRARY.")
    for name, (result, arguments) in abi.CALLS.items():
        call = getattr(library, name, None)
        if call is None:
            raise ImportError(f"{paths[0]} is another version of abut: it lacks {name}")
        call.restype = result
        call.argtypes = arguments
    return library


lib = _load()


class _Place(threading.local):
    """Where a thread's calls write why they failed."""

    def __init__(self) -> None:
        self.error = abi.abut_error()
        self.reference = ctypes.byref(self.error)
        self.count = ctypes.c_size_t()
        self.count_reference = ctypes.byref(self.count)


place = _Place()


def failure(status: int) -> Error:
    """Returns the exception for the last failed call of this thread."""
    told = place.error
    error = _ERRORS.get(status, Error)(told.message.decode("utf-8", "replace"))
    if told.element:
        error.element = _ELEMENTS[told.element]
        error.index = told.index
    if told.body.generation:
        error.body = told.body.index
    return error


def call(function: Any, *arguments: Any) -> int:
    """Calls a function whose last argument is an abut_error*. Raises if it fails."""
    status: int = function(*arguments, place.reference)
    if status > abi.ABUT_INCOMPLETE:
        raise failure(status)
    return status


def create(function: Any, *arguments: Any) -> int:
    """Calls a maker, whose last arguments are the place of the object and an abut_error*. Returns the handle."""
    handle = ctypes.c_void_p()
    call(function, *arguments, ctypes.byref(handle))
    assert handle.value
    return handle.value
