# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Contexts, and what all objects with a handle of the library share."""

from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable, Optional

from ._native import ArgumentError, StateError, abi, create, lib


class Owner:
    """Frees a handle when nothing uses it any more, and before what it `keeps`.

    The garbage collector may finalize objects of a cycle in any order, so users are counted here.
    """

    __slots__ = ("handle", "_destroy", "_keeps", "_users", "_is_over")

    def __init__(self, handle: int, destroy: Callable[[int], None], *keeps: Optional[Owner]) -> None:
        self.handle = handle
        self._destroy = destroy
        self._keeps = [owner for owner in keeps if owner is not None]
        self._users = 0
        self._is_over = False
        with _counting:
            for owner in self._keeps:
                owner._users += 1

    def __del__(self) -> None:
        self._is_over = True
        self._free_if_unused()

    def _free_if_unused(self) -> None:
        if self._users or not self._is_over:
            return
        self._destroy(self.handle)
        for owner in self._keeps:
            with _counting:
                owner._users -= 1
                last = not owner._users
            if last:
                owner._free_if_unused()


_counting = threading.RLock()  # a finalizer may run while it is held


class Handle:
    """An object of the library. It is freed by close(), at the end of a `with`, or with the last reference."""

    __slots__ = ("_owner", "__weakref__")
    _owner: Optional[Owner]

    def _owned(self) -> Owner:
        """Returns the owner of the handle; raises if this object was closed or never made."""
        owner: Optional[Owner] = getattr(self, "_owner", None)
        if owner is None:
            raise StateError(f"this {type(self).__name__} is closed")
        return owner

    def close(self) -> None:
        """Frees the object as soon as nothing else uses it. Further calls raise StateError. Closing twice is fine."""
        self._owner = None

    def __enter__(self) -> Any:
        self._owned()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Context(Handle):
    """Threads and instruction set of everything that is made in it. Answers do not depend on either.

    `threads`: how many threads a query may use; 0 means one for each processor. `isa`: "best", "scalar", "avx2" or
    "avx512".
    """

    __slots__ = ("threads",)

    def __init__(self, threads: int = 0, isa: str = "best") -> None:
        names = {"best": abi.ABUT_ISA_BEST, "scalar": abi.ABUT_ISA_SCALAR,
                 "avx2": abi.ABUT_ISA_AVX2, "avx512": abi.ABUT_ISA_AVX512}
        if isa not in names:
            raise ArgumentError(f"isa must be one of {', '.join(names)}, not {isa!r}")
        if not isinstance(threads, int) or not 0 <= threads <= 1024:
            raise ArgumentError(f"threads must be an integer from 0 to 1024, not {threads!r}")
        self.threads = threads
        settings = lib.abut_context_def_default()
        settings.isa = names[isa]
        pool = None
        if threads != 1:
            pool = Owner(create(lib.abut_threads_create, threads), lib.abut_threads_destroy)
            settings.tasks = lib.abut_threads_tasks(pool.handle)
        handle = create(lib.abut_context_create, ctypes.byref(settings))
        self._owner = Owner(handle, lib.abut_context_destroy, pool)

    @property
    def isa(self) -> str:
        """The instruction set in use."""
        return ctypes.string_at(lib.abut_isa_name(lib.abut_context_isa(self._owned().handle))).decode()

    def __repr__(self) -> str:
        if self._owner is None:
            return "<abut.Context, closed>"
        return f"<abut.Context, threads={self.threads}, isa={self.isa!r}>"


_default: Optional[Context] = None
_lock = threading.Lock()


def default_context() -> Context:
    """Returns the context that is used where none is given: all processors, best instruction set."""
    global _default
    with _lock:
        if _default is None or _default._owner is None:
            _default = Context()
        return _default
