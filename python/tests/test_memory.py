# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""An allocation that fails is a MemoryError, wherever it happens; objects stay usable, and nothing is lost."""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import Any, Callable

import numpy as np
import pytest
from conftest import cube, effort

import abut
from abut import _context

if sys.platform == "win32":
    pytest.skip("the memory of this test comes from aligned_alloc()", allow_module_level=True)

C = ctypes.CDLL(None)
C.aligned_alloc.restype, C.aligned_alloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]
C.free.restype, C.free.argtypes = None, [ctypes.c_void_p]
ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)


class Refusing:
    """Memory of which allocation number `refused` fails, and with `forever` all after it."""

    def __init__(self, refused: int, forever: bool) -> None:
        self.refused, self.forever = refused, forever
        self.asked = self.held = 0
        self.alloc, self.free = ALLOC(self._alloc), FREE(self._free)

    def _alloc(self, _: Any, size: int, alignment: int) -> Any:
        self.asked += 1
        if self.asked - 1 == self.refused or (self.forever and self.asked > self.refused):
            return None
        self.held += 1
        return C.aligned_alloc(alignment, -(-max(size, 1) // alignment) * alignment)

    def _free(self, _: Any, memory: Any, size: int, alignment: int) -> None:
        self.held -= bool(memory)
        C.free(memory)


def context_with(memory: Refusing, monkeypatch: Any) -> abut.Context:
    """Returns a context whose memory comes from `memory`."""
    default = _context.lib.abut_context_def_default

    def settings() -> Any:
        made = default()
        made.allocator.alloc = ctypes.cast(memory.alloc, ctypes.c_void_p)
        made.allocator.free = ctypes.cast(memory.free, ctypes.c_void_p)
        return made

    with monkeypatch.context() as patched:
        patched.setattr(_context.lib, "abut_context_def_default", settings)
        return abut.Context(threads=1)


def ask_everything(context: abut.Context) -> list[Any]:
    """Makes bodies of all motions and asks all queries. Returns the answers."""
    vertices, faces = cube()
    options: list[dict[str, Any]] = [{}, {"fields": np.ones((1, 8, 3))}, {"weights": np.ones((8, 1))},
                                     {"keys": ([0, 1], [vertices, vertices + 1])}]
    scene = abut.Scene(context=context)
    bodies = [scene.add(abut.Shape(vertices, faces, context=context, **given)) for given in options]
    a, b, c, d = bodies
    a.positions = vertices + 0.125
    b.coordinates = [0.25]
    c.transforms = [np.eye(3, 4)]
    d.time = 0.75
    a.frame = np.eye(4)
    a.thickness = 0.125
    points = [[0, 0, 0], [2, 2, 2.0]]
    pairs = scene.collide_all()
    answers: list[Any] = [
        pairs, scene.collide_self(a, include_neighbours=True), scene.sweep_all(), scene.nearest(a, d),
        scene.within(a, b, 0.5), scene.features(a, b, 0.25), scene.contours(pairs).points, scene.contains_points(a, points),
        scene.winding_numbers(a, points), scene.cast(points, [[1, 1, 1], [-1, -1, -1.0]], all=True), scene.closest(points),
        scene.select_ball([0, 0, 0], 1), scene.depth(a, b).regions, scene.intervals(d, a, 0, 1)]
    return [repr(np.array(answer).tolist()) for answer in answers]


@pytest.mark.parametrize("forever", [False, True])
def test_refused_memory(forever: bool, monkeypatch: Any) -> None:
    plain = Refusing(-1, False)
    expected = ask_everything(context_with(plain, monkeypatch))
    gc.collect()
    assert plain.held == 0 and plain.asked > 100
    refused = 0
    for number in range(0, plain.asked, effort(131, 7, 1)):
        memory = Refusing(number, forever)
        try:
            answers = ask_everything(context_with(memory, monkeypatch))  # not within assert, which would keep the context
            assert answers == expected
        except abut.OutOfMemory as error:
            assert isinstance(error, MemoryError)
            refused += 1
        gc.collect()
        assert memory.held == 0, f"allocation {number}"
    assert refused > 3


def test_a_body_lives_on(monkeypatch: Any) -> None:
    """After a failure the same objects give the right answer."""
    memory = Refusing(-1, False)
    context = context_with(memory, monkeypatch)
    vertices, faces = cube()
    scene = abut.Scene(context=context)
    body = scene.add(abut.Shape(vertices, faces, context=context))
    other = scene.add(abut.Shape(vertices + 0.25, faces, context=context))
    calls: list[Callable[[], Any]] = [lambda: scene.collide(body, other), lambda: scene.nearest(body, other),
                                      lambda: scene.cast([[9, 0, 0]], [[-1, 0, 0]])]
    for call in calls:
        memory.refused = memory.asked
        with pytest.raises(MemoryError):
            call()
        again = call()
        assert len(again) > 0 and (again == call()).all()
