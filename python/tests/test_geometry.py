# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Feature pairs, selections, contours, winding numbers and thick rays, against oracles of fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from conftest import cube, effort, soup
from exact_distance import crossing, exact, point_triangle, reaches, segment_triangle, segments
from hypothesis import given, settings
from hypothesis import strategies as st

import abut

SEEDS = st.integers(0, 2**32 - 1)
CASES = settings(max_examples=effort(10, 150, 1500), deadline=None, derandomize=True)


def body_of(scene: abut.Scene, random: np.random.Generator, count: int) -> abut.Body:
    """Adds loose triangles on a coarse grid, whose vertices are all different ones."""
    vertices, faces = soup(random, count)
    return scene.add(abut.Shape(vertices, faces, classes=False))


# ---- features


def edges_of(faces: Any) -> list[tuple[int, int]]:
    """Returns the edges: pairs of different vertices of a triangle."""
    return sorted({(min(f[i], f[i - 1]), max(f[i], f[i - 1])) for f in faces for i in range(3) if f[i] != f[i - 1]})


def features_of(a: abut.Body, b: abut.Body, limit: Fraction) -> dict[tuple[Any, ...], Fraction]:
    """Returns all pairs of features whose squared distance is at most `limit`."""
    p, q = ([exact(x) for x in body.world_positions] for body in (a, b))
    f, g = (body.shape.faces.tolist() for body in (a, b))
    found: dict[tuple[Any, ...], Fraction] = {}
    for v, j in product(sorted({v for t in f for v in t}), range(len(g))):
        found[0, (v,), tuple(g[j])] = point_triangle(p[v], [q[w] for w in g[j]])
    for i, w in product(range(len(f)), sorted({v for t in g for v in t})):
        found[1, tuple(f[i]), (w,)] = point_triangle(q[w], [p[v] for v in f[i]])
    for e, h in product(edges_of(f), edges_of(g)):
        found[2, e, h] = segments(p[e[0]], p[e[1]], q[h[0]], q[h[1]])
    return {key: square for key, square in found.items() if square <= limit}


def named(vertices: Any) -> tuple[int, ...]:
    return tuple(int(v) for v in vertices if v != 0xFFFFFFFF)


@CASES
@given(seed=SEEDS, eighths=st.integers(0, 8), thick=st.integers(0, 2))
def test_features(seed: int, eighths: int, thick: int) -> None:
    random = np.random.default_rng(seed)
    scene = abut.Scene()
    a, b = body_of(scene, random, 4), body_of(scene, random, 3)
    a.thickness = thick / 8
    assert a.thickness == thick / 8 and b.thickness == 0
    expected = features_of(a, b, Fraction(eighths + thick, 8) ** 2)
    rows = scene.features(a, b, eighths / 8)
    found = [(int(row["kind"]), named(row["vertices_a"]), named(row["vertices_b"])) for row in rows]
    assert len(set(found)) == len(found) and set(found) == set(expected)
    for key, row in zip(found, rows):
        square = expected[key]
        assert abs(Fraction(float(row["distance_sq"])) - square) <= square / 2**40
        assert (row["distance_sq"] == 0) == (square == 0)
        p, q = a.world_positions[list(key[1])], b.world_positions[list(key[2])]
        apart = row["weights_a"][:len(p)] @ p - row["weights_b"][:len(q)] @ q
        assert np.abs(apart @ apart - row["distance_sq"]) < 1e-12
    assert scene.features(a, b, eighths / 8, any=True) == bool(expected)
    assert (scene.features_all(eighths / 8) == rows).all()


def test_features_within_a_body(scene: abut.Scene) -> None:
    fold = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0.125], [0.2, 0.2, 2.0]])
    body = scene.add(abut.Shape(fold, [[0, 1, 2], [1, 3, 4]]))
    rows = scene.features_self(body, 0.125)
    assert [(int(r["kind"]), named(r["vertices_a"]), named(r["vertices_b"])) for r in rows] == [(0, (3,), (0, 1, 2))]
    assert rows["distance_sq"].tolist() == [0.125**2] and rows["normal"].tolist() == [[0, 0, 1]]
    assert (scene.features_self_all(0.125) == rows).all()
    assert not len(scene.features_self(body, np.nextafter(0.125, 0)))
    with pytest.raises(abut.ArgumentError):
        scene.features_self(body, -1)
    with pytest.raises(abut.ArgumentError):
        body.thickness = float("nan")


# ---- selection


def planes_of_box(low: Any, high: Any) -> list[list[float]]:
    return [[*row, x] for row, x in zip(np.eye(3).tolist(), high)] + [[*row, -x] for row, x in zip((-np.eye(3)).tolist(), low)]


@CASES
@given(seed=SEEDS)
def test_selection(seed: int) -> None:
    random = np.random.default_rng(seed)
    scene = abut.Scene()
    bodies = [body_of(scene, random, 12), body_of(scene, random, 5)]
    low = random.integers(-3, 2, 3) / 4.0
    high = low + random.integers(0, 4, 3) / 4.0
    planes = np.concatenate([random.integers(-3, 4, (4, 3)), random.integers(0, 3, (4, 1))], axis=1) / 2.0
    centre, radius = random.integers(-2, 3, 3) / 4.0, random.integers(0, 5) / 4.0
    wanted: dict[str, list[Any]] = {"box": [], "planes": [], "ball": []}
    for body in bodies:
        for t, face in enumerate(body.shape.faces):
            corners = body.world_positions[face].tolist()
            for name, sides in (("box", planes_of_box(low, high)), ("planes", planes.tolist())):
                some, whole = reaches(corners, sides)
                wanted[name] += [(body.index, t, whole)] * some
            square = Fraction(radius) ** 2
            if point_triangle(exact(centre), [exact(c) for c in corners]) <= square:
                whole = all(sum((x - y) ** 2 for x, y in zip(exact(c), exact(centre))) <= square for c in corners)
                wanted["ball"].append((body.index, t, whole))
    assert scene.select_box(low, high).tolist() == wanted["box"]
    assert scene.select_planes(planes).tolist() == wanted["planes"]
    assert scene.select_ball(centre, radius).tolist() == wanted["ball"]
    first = [row for row in wanted["box"] if row[0] == bodies[0].index]
    assert scene.select_box(low, high, bodies[0]).tolist() == first


def test_frustum(scene: abut.Scene) -> None:
    # a camera at the origin that looks along -z: from 1 to 3, a right angle wide
    matrix = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -2, -3], [0, 0, -1, 0.0]])
    points = np.array([[0, 0, -1], [0, 0, -3], [0, 0, -0.5], [0, 0, -3.5], [1.5, 0, -1.5], [1.75, 0, -1.5], [0, 0, 2.0]])
    scene.add(abut.Shape(points, points=np.arange(len(points))))
    assert scene.select_frustum(matrix)["triangle"].tolist() == [0, 1, 4]


def test_selection_refuses(scene: abut.Scene) -> None:
    body = scene.add(abut.Shape(*cube()))
    other = abut.Scene().add(body.shape)
    for wrong in (lambda: scene.select_box([0, 0], [1, 1, 1]), lambda: scene.select_ball([0, 0, 0], -1),
                  lambda: scene.select_ball([0, 0, np.nan], 1), lambda: scene.select_planes(np.zeros((17, 4))),
                  lambda: scene.select_planes([[1, 2, 3]]), lambda: scene.select_frustum(np.eye(3)),
                  lambda: scene.select_box([0, 0, 0], [1, 1, 1], other), lambda: scene.select_box("abc", [1, 1, 1]),
                  lambda: scene.select_ball([0, 0, 0], 1, speed=3)):
        with pytest.raises((abut.Error, ValueError, TypeError)):
            wrong()
    assert len(scene.select_planes(np.zeros((0, 4)))) == 12  # no plane: everything


# ---- contours


@CASES
@given(seed=SEEDS)
def test_contours(seed: int) -> None:
    random = np.random.default_rng(seed)
    scene = abut.Scene()
    vertices, faces = cube()
    turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
    a = scene.add(abut.Shape(vertices + random.normal(size=vertices.shape) / 16, faces))
    b = scene.add(abut.Shape(vertices @ turned.T + random.normal(size=3) / 3, faces))
    p, q = ([exact(x) for x in body.world_positions] for body in (a, b))
    wanted = {}
    for (i, f), (j, g) in product(enumerate(faces), enumerate(faces)):
        ends = crossing([p[v] for v in f], [q[v] for v in g])
        if ends:
            wanted[i, j] = ends
    lines = scene.contours(scene.collide(a, b))
    seen = []
    for line in lines:
        assert line.closed and line.ends == ("none", "none") and line.bodies == (a.index, b.index)
        assert len(line.points) == len(line.triangles)
        for k, (i, j) in enumerate(line.triangles.tolist()):
            seen.append((i, j))
            got = [line.points[k], line.points[(k + 1) % len(line.points)]]
            for end in wanted[i, j]:
                assert min(np.abs(np.array([float(x) for x in end]) - at).max() for at in got) < 1e-9
    assert sorted(seen) == sorted(wanted)
    assert repr(lines).startswith(f"<abut.Contours, {len(lines)} closed, 0 open")


def test_contours_that_end(scene: abut.Scene) -> None:
    tip = np.array([[0, 0, -1], [1, 0, 1], [0, 1, 1.0]])
    floor = np.array([[-9, -9, 0], [9, -9, 0], [0, 9, 0.0]])
    [line] = abut.contours(tip, [[0, 1, 2]], floor, [[0, 1, 2]])
    assert not line.closed and line.ends == ("border_a", "border_a") and line.triangles.tolist() == [[0, 0]]
    assert sorted(line.points.tolist()) == [[0, 0.5, 0], [0.5, 0, 0]]
    body = scene.add(abut.Shape(np.concatenate([tip, floor]), [[0, 1, 2], [3, 4, 5]]))
    pairs = scene.collide_self(body)
    counters = abut.Counters()
    assert len(scene.contours(pairs, counters=counters)) == 1 and counters.pairs_found == 1
    assert len(scene.contours(pairs[:0])) == 0
    strange = np.array(pairs)
    strange["triangle_b"] = 77
    for wrong, error in (([[0, 1]], TypeError), (strange, abut.ArgumentError), (np.repeat(pairs, 2), abut.ArgumentError)):
        with pytest.raises(error):
            scene.contours(wrong)


# ---- winding numbers


def solid_angles(corners: Any, point: Any) -> float:
    """Returns the sum of the solid angles over 4 pi, by the formula of Van Oosterom and Strackee."""
    a, b, c = (corners[:, k] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    above = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = (la * lb * lc + np.einsum("ij,ij->i", a, b) * lc + np.einsum("ij,ij->i", b, c) * la
             + np.einsum("ij,ij->i", c, a) * lb)
    return float(np.arctan2(above, below).sum() / (2 * np.pi))


@CASES
@given(seed=SEEDS, count=st.integers(1, 12))
def test_winding_numbers(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    vertices, faces = cube(2.0)
    points = random.normal(size=(20, 3)) * 1.5
    open_faces = faces[:count]
    found = abut.winding_numbers(vertices, open_faces, points)
    assert np.abs(found - [solid_angles(vertices[open_faces], p) for p in points]).max() < 1e-9
    closed = abut.winding_numbers(vertices, faces, points)
    assert ((closed > 0.5) == abut.contains(vertices, faces, points)).all()


# ---- thick rays


@CASES
@given(seed=SEEDS, eighths=st.integers(1, 6))
def test_thick_rays(seed: int, eighths: int) -> None:
    random = np.random.default_rng(seed)
    scene = abut.Scene()
    body = body_of(scene, random, 10)
    ends = random.integers(-8, 9, (2, 3, 3)) / 8.0
    radius = eighths / 8
    wanted = set()
    squares = {}
    for ray, (t, face) in product(range(3), enumerate(body.shape.faces)):
        square = segment_triangle(ends[0, ray], ends[1, ray], body.world_positions[face].tolist())
        squares[ray, t] = square
        if square <= Fraction(radius) ** 2:
            wanted.add((ray, t))
    rows = scene.cast(ends[0], ends[1], all=True, segments=True, radius=radius)
    assert {(int(row["ray"]), int(row["triangle"])) for row in rows} == wanted and len(rows) == len(wanted)
    for row in rows:
        start, stop = ends[0, row["ray"]], ends[1, row["ray"]]
        centre = start + row["t"] * (stop - start)
        corners = body.world_positions[body.shape.faces[row["triangle"]]]
        near = point_triangle(exact(start), [exact(c) for c in corners])
        assert (row["t"] == 0) == (near <= Fraction(radius) ** 2)
        if row["t"] > 0:
            away = point_triangle(exact(centre), [exact(c) for c in corners])
            assert abs(float(away) ** 0.5 - radius) < 1e-6
    first = scene.cast(ends[0], ends[1], body, segments=True, radius=radius)
    assert first["ray"].tolist() == sorted({ray for ray, _ in wanted})
    with pytest.raises(abut.ArgumentError):
        scene.cast(ends[0], ends[1], radius=radius)  # a sphere needs an end
