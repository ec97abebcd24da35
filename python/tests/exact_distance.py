# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Oracles in fractions: squares of distances between points, segments and triangles, and triangles in volumes.

They are written from the definitions, share nothing with the library and round nothing. Segments and triangles may be
degenerate.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Optional, Sequence

from exact_touch import integers, touch

Point = tuple[Fraction, Fraction, Fraction]


def exact(point: Sequence[float]) -> Point:
    """Returns the point that doubles are."""
    x, y, z = (Fraction(float(c)) for c in point)
    return x, y, z


def minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def dot(a: Point, b: Point) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def along(a: Point, t: Fraction, b: Point) -> Point:
    """Returns a + t (b - a)."""
    d = minus(b, a)
    return a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]


def point_segment(p: Point, a: Point, b: Point) -> Fraction:
    """Returns the square of the distance of a point and a segment."""
    d = minus(b, a)
    length = dot(d, d)
    t = min(max(dot(minus(p, a), d) / length, Fraction(0)), Fraction(1)) if length else Fraction(0)
    w = minus(p, along(a, t, b))
    return dot(w, w)


def segments(a: Point, b: Point, c: Point, d: Point) -> Fraction:
    """Returns the square of the distance of two segments."""
    least = min(point_segment(a, c, d), point_segment(b, c, d), point_segment(c, a, b), point_segment(d, a, b))
    u, v, w = minus(b, a), minus(d, c), minus(c, a)
    n = cross(u, v)
    if dot(n, n):
        s, t = dot(cross(w, v), n) / dot(n, n), dot(cross(w, u), n) / dot(n, n)
        if 0 <= s <= 1 and 0 <= t <= 1:
            least = min(least, dot(w, n) ** 2 / dot(n, n))
    return least


def point_triangle(p: Point, corners: Sequence[Point]) -> Fraction:
    """Returns the square of the distance of a point and a triangle."""
    a, b, c = corners
    least = min(point_segment(p, a, b), point_segment(p, b, c), point_segment(p, c, a))
    n = cross(minus(b, a), minus(c, a))
    inside = [dot(cross(minus(y, x), minus(p, x)), n) for x, y in ((a, b), (b, c), (c, a))]
    if dot(n, n) and min(inside) >= 0:
        least = min(least, dot(minus(p, a), n) ** 2 / dot(n, n))
    return least


def segment_triangle(a: Sequence[float], b: Sequence[float], corners: Sequence[Sequence[float]]) -> Fraction:
    """Returns the square of the distance of a segment and a triangle."""
    whole = integers([a, b, b, *corners])
    if touch(whole[:3], whole[3:]):
        return Fraction(0)
    p, q = exact(a), exact(b)
    x, y, z = (exact(corner) for corner in corners)
    edges = min(segments(p, q, x, y), segments(p, q, y, z), segments(p, q, z, x))
    return min(edges, point_triangle(p, (x, y, z)), point_triangle(q, (x, y, z)))


def reaches(corners: Sequence[Sequence[float]], planes: Sequence[Sequence[float]]) -> tuple[bool, bool]:
    """Returns whether a triangle has a point in all half-spaces normal . p <= offset, and whether all of it is there."""
    polygon = [exact(corner) for corner in corners]
    whole = True
    for x, y, z, offset in planes:
        normal, limit = exact((x, y, z)), Fraction(float(offset))
        over = [dot(normal, p) - limit for p in polygon]
        whole = whole and all(o <= 0 for o in over)
        kept = []
        for i, p in enumerate(polygon):
            if over[i - 1] * over[i] < 0:
                kept.append(along(polygon[i - 1], over[i - 1] / (over[i - 1] - over[i]), p))
            if over[i] <= 0:
                kept.append(p)
        polygon = kept
    return bool(polygon), bool(polygon) and whole


def crossing(p: Sequence[Point], q: Sequence[Point]) -> Optional[set[Point]]:
    """Returns the ends of the segment that two triangles share, of triangles in general position; None without one."""
    ends = set()
    for first, second in ((p, q), (q, p)):
        a, b, c = second
        n = cross(minus(b, a), minus(c, a))
        for i in range(3):
            u, v = first[i], first[(i + 1) % 3]
            f, g = dot(minus(u, a), n), dot(minus(v, a), n)
            if f * g < 0:
                x = along(u, f / (f - g), v)
                if all(dot(cross(minus(r, s), minus(x, s)), n) >= 0 for s, r in ((a, b), (b, c), (c, a))):
                    ends.add(x)
    return ends if len(ends) == 2 else None
