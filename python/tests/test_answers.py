# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Answers for random meshes and states of all motions, against an oracle of integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import effort, soup
from exact_touch import classes_at, pairs_between, pairs_within
from hypothesis import given, settings
from hypothesis import strategies as st

import abut


def numbers(rows: Any) -> list[tuple[int, int]]:
    return [(int(r["triangle_a"]), int(r["triangle_b"])) for r in rows]


@settings(max_examples=effort(40, 200, 2000), deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 12))
def test_meshes_that_stand_still(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    a, faces_a = soup(random, count)
    b, faces_b = soup(random, 5)
    assert abut.collide(a, faces_a, b, faces_b).tolist() == [list(p) for p in pairs_between(a, faces_a, b, faces_b)]
    assert abut.self_intersections(a, faces_a).tolist() == [list(p) for p in pairs_within(a, faces_a, classes_at(a))]


@settings(max_examples=effort(40, 200, 2000), deadline=None, derandomize=True)
@given(st.lists(st.tuples(*[st.floats(-1e300, 1e300)] * 3), min_size=6, max_size=9))
def test_any_doubles(points: list[tuple[float, float, float]]) -> None:
    count = len(points) // 3
    faces = np.arange(3 * count).reshape(-1, 3)
    vertices = np.array(points[:3 * count])
    found = abut.self_intersections(vertices, faces)
    assert found.tolist() == [list(p) for p in pairs_within(vertices, faces, classes_at(vertices))]


def moving_body(scene: abut.Scene, motion: str, random: np.random.Generator) -> tuple[abut.Body, Any]:
    """Returns a body of the motion and a function that gives it a random state."""
    vertices, faces = soup(random, 10)
    n = len(vertices)

    def grid(*shape: int) -> np.ndarray[Any, Any]:
        return random.integers(-4, 5, shape) / 8.0

    if motion == "free":
        body = scene.add(abut.Shape(vertices, faces, classes=False))
        return body, lambda: setattr(body, "positions", vertices + grid(n, 3))
    if motion == "modal":
        body = scene.add(abut.Shape(vertices, faces, fields=grid(3, n, 3), classes=False))
        return body, lambda: setattr(body, "coordinates", grid(3))
    if motion == "blend":
        weights = random.integers(0, 3, (n, 4)) + np.eye(4)[np.arange(n) % 4]
        body = scene.add(abut.Shape(vertices, faces, weights=weights, fields=grid(2, n, 3), normalise=True,
                                    classes=False))
        return body, lambda: body.pose(np.eye(3, 4) + grid(4, 3, 4), grid(2))
    body = scene.add(abut.Shape(vertices, faces, keys=(np.arange(3.0), vertices + grid(3, n, 3)), classes=False))
    return body, lambda: setattr(body, "time", float(random.integers(0, 17)) / 8)


@pytest.mark.parametrize("motion", ["free", "modal", "blend", "flight"])
def test_bodies_that_move(motion: str) -> None:
    for seed in range(effort(3, 20, 200)):
        random = np.random.default_rng(seed)
        scene = abut.Scene()
        body, move = moving_body(scene, motion, random)
        other, faces = soup(random, 6)
        still = scene.add(abut.Shape(other, faces))
        for step in range(3):
            move()
            at = body.positions
            about = f"seed {seed}, step {step}"
            within = pairs_within(at, body.shape.faces.tolist(), range(len(at)))
            assert numbers(scene.collide_self(body)) == within, about
            between = pairs_between(at, body.shape.faces.tolist(), other, faces.tolist())
            assert numbers(scene.collide(body, still)) == between, about
            assert scene.collide(body, still, any=True) == bool(between), about
            nearest = scene.nearest(body, still)
            assert (nearest["distance"][0] == 0) == bool(between), about
            assert numbers(scene.within(body, still, 0.0)) == between, about


def test_a_sweep_sees_what_a_step_passes(scene: abut.Scene) -> None:
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    a, b = (scene.add(abut.Shape(triangle, [[0, 1, 2]])) for _ in range(2))
    a.positions = triangle + [0.1, 0.1, 1]
    with pytest.raises(abut.StateError, match="previous"):
        b.borrow(triangle)
        b.borrow(triangle)
        scene.sweep(a, b)
    b.positions = triangle
    b.end_step()
    a.positions = triangle + [0.1, 0.1, 1]
    a.positions = triangle + [0.1, 0.1, -1]
    rows = scene.sweep(a, b)
    assert len(rows) > 0
    assert rows["time"].min() == pytest.approx(0.5, abs=1e-5)
    assert not len(scene.collide(a, b))
    assert scene.sweep(a, b, any=True) is True


def test_depth_and_containment(scene: abut.Scene) -> None:
    from conftest import cube
    shape = abut.Shape(*cube(2.0))
    a, b = scene.add(shape), scene.add(shape, frame=np.array([[1, 0, 0, 1.5], [0, 1, 0, 0], [0, 0, 1, 0.25]]))
    first = scene.depth(a, b)
    assert first.defined and len(first.regions) == 1
    assert first.depth == pytest.approx(0.5, abs=1e-9)
    assert first.regions["direction"][0] == pytest.approx([-1, 0, 0], abs=1e-9)
    second = scene.depth(a, b, last=first)
    assert second.regions["id"][0] == first.regions["id"][0] and not second.regions["is_new"][0]
    with pytest.raises(abut.ArgumentError, match="continued already"):
        scene.depth(a, b, last=first)
    sides = scene.contains_points(a, [[0, 0, 0], [1, 0, 0], [2, 0, 0.0]])
    assert sides.side.tolist() == [abut.INSIDE, abut.SURFACE, abut.OUTSIDE]
    assert sides.winding.tolist() == [1, 0, 0]
    small = scene.add(abut.Shape(*cube(0.5)))
    assert scene.contains_body(a, small) == abut.INSIDE
    assert abut.contains(*cube(2.0), [[0.5, 0.5, 0.5], [3, 0, 0]]).tolist() == [True, False]
    with pytest.raises(ValueError, match="no inside"):
        abut.contains(shape.vertices, shape.faces[1:], [[0.0, 0, 0]])


def test_rays_and_closest_points(scene: abut.Scene) -> None:
    from conftest import cube
    near, far = scene.add(abut.Shape(*cube(2.0))), scene.add(abut.Shape(*cube(2.0)), frame=np.eye(4) + np.eye(4, k=3) * 5)
    assert far.frame[0, 3] == 5
    origins, directions = [[-9, 0.25, 0.5], [0, 9, 9]], [[1, 0, 0], [0, 1, 0.0]]
    hits = scene.cast(origins, directions)
    assert hits["ray"].tolist() == [0] and hits["body"].tolist() == [near.index] and hits["t"].tolist() == [8.0]
    corners = near.world_positions[near.shape.faces[hits["triangle"][0]]]
    assert np.abs(hits["weights"][0] @ corners - [-1, 0.25, 0.5]).max() < 1e-9
    assert scene.cast(origins, directions, all=True)["t"].tolist() == [8, 10, 13, 15]
    assert scene.cast(origins, directions, far)["t"].tolist() == [13]
    assert len(scene.cast(origins, [[-2, 0.25, 0.5], [0, 0, 0]], near, segments=True)) == 1  # the first ends before it
    rows = scene.closest([[3, 0, 0], [0, 0, 0.5]], sign=True)
    assert rows["distance"].tolist() == [1.0, -0.5] and rows["body"].tolist() == [far.index, near.index]
    assert rows["nearest"]["point"][1].tolist() == [0, 0, 1]
    assert len(scene.closest([[3, 0, 0]], max_distance=0.5)) == 0
    assert len(scene.closest([[3, 0.1, 0.2]], near, most=3)) == 3
    for wrong in (lambda: scene.cast(origins, directions[:1]), lambda: scene.closest([[np.nan, 0, 0]]),
                  lambda: scene.closest([[0, 0, 0]], filter=print), lambda: scene.cast([[0, 0, 0]], [[0, np.inf, 0]])):
        with pytest.raises((abut.Error, ValueError, TypeError)):
            wrong()


def test_intervals_of_an_animation(scene: abut.Scene) -> None:
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    moving = scene.add(abut.Shape(triangle, [[0, 1, 2]], keys=([0, 1], [triangle + [0, 0, 1], triangle - [0, 0, 1]])))
    still = scene.add(abut.Shape(triangle + [0.1, 0.1, 0], [[0, 1, 2]]))
    rows = scene.intervals(moving, still, 0, 1)
    assert len(rows) == 1 and rows["start"][0] <= 0.5 <= rows["stop"][0]


def test_options(scene: abut.Scene) -> None:
    random = np.random.default_rng(5)
    a, b = (scene.add(abut.Shape(*soup(random, 20))) for _ in range(2))
    every = numbers(scene.collide(a, b))
    counters = abut.Counters()
    odd = scene.collide(a, b, filter=lambda _a, t, _b, u: (t + u) % 2 == 1, counters=counters)
    assert numbers(odd) == [p for p in every if sum(p) % 2]
    assert counters.pairs_found == len(odd) and counters.pairs_filtered > 0
    assert "pairs_found" in repr(counters)
    assert numbers(scene.collide(a, b, culling="voronoi")) == every
    pairs, shared = scene.collide(a, b, intersections=True)
    assert numbers(pairs) == every and len(shared) == len(every) and (shared["count"] > 0).all()
    assert len(scene.collide(a, b, margin=0.5)) > len(every)
    assert numbers(scene.collide_all()) == every

    def broken(*_: int) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        scene.collide(a, b, filter=broken)
    for wrong in ({"margin": -1.0}, {"margin": float("nan")}, {"culling": "magic"}):
        with pytest.raises(abut.ArgumentError):
            scene.collide(a, b, **wrong)
    with pytest.raises(TypeError, match="no option 'speed'"):
        scene.collide(a, b, speed=3)
