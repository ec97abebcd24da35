# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Objects end in any order, on any thread and at exit, without a crash or a leak."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import threading
import textwrap
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import effort, soup, wavy_sheet

import abut

V, F = wavy_sheet(10)


def test_closed_objects_say_so() -> None:
    context = abut.Context(threads=1)
    shape = abut.Shape(V, F, context=context)
    scene = abut.Scene(context=context)
    body = scene.add(shape)
    context.close()
    assert len(scene.collide_self(body)) == 0  # the scene keeps what it needs
    with pytest.raises(abut.StateError, match="this Context is closed"):
        abut.Shape(V, F, context=context)
    shape.close()
    assert len(scene.collide_self(body)) == 0
    body.remove()
    assert not body.is_valid and "removed" in repr(body)
    for call in (body.remove, lambda: body.positions, lambda: scene.collide_self(body), body.end_step):
        with pytest.raises(abut.ArgumentError):
            call()
    scene.close()
    scene.close()
    for call in (lambda: scene.collide_all(), lambda: scene.add(shape), lambda: body.box, shape.save):
        with pytest.raises(abut.StateError, match="is closed"):
            call()
    assert [repr(x) for x in (context, shape, scene)] == [f"<abut.{n}, closed>" for n in ("Context", "Shape", "Scene")]


def test_with_frees() -> None:
    with abut.Context(threads=2) as context, abut.Scene(context=context) as scene, \
            abut.Shape(V, F, context=context) as shape:
        scene.add(shape)
    with pytest.raises(abut.StateError):
        scene.collide_all()


def test_wrong_objects(scene: abut.Scene) -> None:
    body = scene.add(abut.Shape(V, F))
    other = abut.Scene().add(abut.Shape(V, F))
    for wrong in (None, 3, "body", scene, body.shape):
        with pytest.raises(TypeError, match="abut.Body"):
            scene.collide(body, wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="abut.Shape"):
            scene.add(wrong if wrong is not body.shape else None)  # type: ignore[arg-type]
    with pytest.raises(abut.ArgumentError, match="another scene"):
        scene.collide(body, other)
    with pytest.raises(abut.ArgumentError):
        scene.collide(body, body)
    with pytest.raises(abut.ArgumentError, match="no body 7"):
        scene.body(7)
    half_made = abut.Scene.__new__(abut.Scene)
    with pytest.raises((abut.StateError, AttributeError)):
        half_made.collide_all()
    for threads in (-1, 2000, "many", 1.5):
        with pytest.raises(abut.ArgumentError):
            abut.Context(threads=threads)  # type: ignore[arg-type]
    with pytest.raises(abut.ArgumentError, match="isa must be"):
        abut.Context(isa="mmx")


def test_garbage_in_cycles_is_freed_in_order() -> None:
    for _ in range(12):
        context = abut.Context(threads=2)
        scene = abut.Scene(context=context)
        body = scene.add(abut.Shape(V, F, context=context))
        rows = scene.collide_self(body, margin=0.1)
        cycle: list[Any] = [context, scene, body, rows]
        cycle.append(cycle)
        del context, scene, body, rows, cycle
        gc.collect()


def test_rows_in_garbage_leave_their_scene_alone(scene: abut.Scene) -> None:
    body = scene.add(abut.Shape(V, F))
    expected = len(scene.collide_self(body, margin=0.1))
    for _ in range(12):
        cycle: list[Any] = [scene.collide_self(body, margin=0.1) for _ in range(12)]
        cycle.append(cycle)
        del cycle
        gc.collect()
        assert len(scene.collide_self(body, margin=0.1)) == expected


def memory() -> int:
    """Returns the resident bytes of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_nothing_leaks(scene: abut.Scene) -> None:
    body = scene.add(abut.Shape(V, F))
    rounds = effort(1500, 20000, 100000)

    def work(n: int) -> None:
        for _ in range(n):
            body.positions = V
            scene.collide_self(body, margin=0.05)
            with pytest.raises(ValueError):
                body.positions = V[:-1]
        for _ in range(n // 40):
            with abut.Scene() as passing:
                passing.nearest(passing.add(abut.Shape(V, F)), passing.add(abut.Shape(V + 1, F)))

    work(rounds // 4)
    gc.collect()
    before = memory()
    work(rounds)
    gc.collect()
    assert memory() - before < 2_000_000


def test_many_threads_ask_at_once(scene: abut.Scene) -> None:
    random = np.random.default_rng(3)
    bodies = [scene.add(abut.Shape(*soup(random, 30))) for _ in range(4)]
    expected = scene.collide_all().tolist()
    assert expected

    def ask(_: int) -> None:
        for _ in range(effort(20, 100, 1000)):
            assert scene.collide_all().tolist() == expected
            assert len(scene.nearest_all()) == len(bodies)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))


def test_changes_wait_for_queries(scene: abut.Scene) -> None:
    random = np.random.default_rng(4)
    vertices, faces = soup(random, 30)
    body = scene.add(abut.Shape(vertices, faces))
    still = scene.add(abut.Shape(*soup(random, 30)))
    answers = []
    for shift in (0.0, 0.5):
        body.positions = vertices + shift
        answers.append(scene.collide(body, still).tolist())
    ended = threading.Event()

    def move() -> None:
        step = 0
        while not ended.is_set():
            step += 1
            body.positions = vertices + (step % 2) * 0.5
            if step % 50 == 0:
                scene.add(body.shape).remove()

    mover = threading.Thread(target=move)
    mover.start()
    try:
        for _ in range(effort(300, 2000, 20000)):
            assert scene.collide(body, still).tolist() in answers
    finally:
        ended.set()
        mover.join()


EXITS = {
    "with objects alive": "scene.collide_self(body)",
    "with rows in a global": "rows = scene.collide_self(body, margin=1)",
    "with a cycle": "x = [scene, body]; x.append(x)",
    "in a thread": "threading.Thread(target=lambda: scene.collide_self(body)).start()",
    "with a busy thread": """
        threading.Thread(target=lambda: [scene.collide_self(body, margin=1) for _ in iter(int, 1)], daemon=True).start()
        time.sleep(0.05)""",
    "after a fork": """
        scene.collide_self(body, margin=1)
        child = os.fork()
        if child == 0:
            scene.collide_self(body, margin=1)
            abut.Scene()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0""",
    "after an exception": "assert scene.collide_self(body, margin=1) is None",
}


@pytest.mark.parametrize("how", EXITS)
def test_exit(how: str) -> None:
    program = textwrap.dedent("""
        import os, sys, threading, time
        sys.path.insert(0, "python/tests")
        import abut, conftest
        scene = abut.Scene()
        body = scene.add(abut.Shape(*conftest.wavy_sheet(30)))
    """) + textwrap.dedent(EXITS[how])
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60,
                           cwd=str(__import__("pathlib").Path(__file__).parents[2]))
    if how == "after an exception":
        assert ended.returncode == 1 and "AssertionError" in ended.stderr
    else:
        assert (ended.returncode, ended.stderr) == (0, "")
