# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""The oracle: decides by integers whether two triangles touch. It shares nothing with the library.

Two convex sets are apart if and only if a plane parts them. If they are, one normal of such a plane is the direction
between their closest points, which lies among few candidates: between two corners, from a corner square to an edge,
along the normal of a face, square to two edges. All of these are tried. Doubles become integers by a common power
of two, so that nothing is rounded. Triangles without area need no case of their own.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Hashable, Iterator, Sequence

Vector = tuple[int, int, int]


def integers(points: Sequence[Sequence[float]]) -> list[Vector]:
    """Returns the points times one power of two that makes all of them integers."""
    exact = [[Fraction(float(x)) for x in point] for point in points]
    scale = max(x.denominator for point in exact for x in point)
    return [tuple(int(x * scale) for x in point) for point in exact]  # type: ignore[misc]


def difference(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def dot(a: Vector, b: Vector) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def directions(p: Sequence[Vector], q: Sequence[Vector]) -> Iterator[Vector]:
    edges = [difference(b, a) for t in (p, q) for a, b in combinations(t, 2)]
    between = [difference(b, a) for a in p for b in q]
    yield from between
    for a, b in combinations(edges, 2):
        yield cross(a, b)
    for edge in edges:
        for d in between:
            yield cross(edge, cross(d, edge))


def touch(p: Sequence[Vector], q: Sequence[Vector]) -> bool:
    """Returns whether two closed triangles share a point."""
    for axis in directions(p, q):
        along_p = [dot(axis, x) for x in p]
        along_q = [dot(axis, x) for x in q]
        if max(along_p) < min(along_q) or max(along_q) < min(along_p):
            return False
    return True


def pairs_between(a: Sequence[Sequence[float]], faces_a: Sequence[Sequence[int]], b: Sequence[Sequence[float]],
                  faces_b: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Returns all pairs of triangles of two meshes that touch."""
    points = integers([*a, *b])
    first, second = points[:len(a)], points[len(a):]
    return [(i, j) for i, f in enumerate(faces_a) for j, g in enumerate(faces_b)
            if touch([first[v] for v in f], [second[v] for v in g])]


def pairs_within(points: Sequence[Sequence[float]], faces: Sequence[Sequence[int]],
                 classes: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Returns all pairs of triangles of one mesh that touch and share no class of vertices."""
    whole = integers(points)
    found = []
    for i, j in combinations(range(len(faces)), 2):
        if not {classes[v] for v in faces[i]} & {classes[v] for v in faces[j]}:
            if touch([whole[v] for v in faces[i]], [whole[v] for v in faces[j]]):
                found.append((i, j))
    return found


def classes_at(points: Sequence[Sequence[float]]) -> list[tuple[float, ...]]:
    """Returns a class for each vertex, so that those at one place have one; 0 and -0 are one number."""
    return [tuple(float(x) + 0.0 for x in p) for p in points]
