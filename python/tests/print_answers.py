# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Prints a hash of the answers of each query, for each motion: the same lines on every machine.

Input is made of integers and halves, because functions such as sine may be rounded differently elsewhere. Rows are hashed
column by column, without the bytes between columns. Winding numbers are left out: angles come from the C library.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from conftest import soup

import abut


def feed(digest: Any, rows: np.ndarray[Any, Any]) -> None:
    """Adds all numbers of an array to a hash."""
    if rows.dtype.names:
        for name in rows.dtype.names:
            feed(digest, rows[name])
    else:
        digest.update(np.ascontiguousarray(rows).tobytes())


def answers(scene: abut.Scene, body: abut.Body, still: abut.Body) -> dict[str, Any]:
    """Returns the rows of all queries."""
    pairs = scene.collide_all()
    lines = scene.contours(pairs)
    points = still.world_positions[:9] * 1.5
    return {"collide": pairs, "collide_self": scene.collide_self(body), "sweep": scene.sweep(body, still),
            "nearest": scene.nearest(body, still), "within": scene.within(body, still, 0.25),
            "features": scene.features(body, still, 0.125), "contours": lines.contours, "points": lines.points,
            "cast": scene.cast(points, -points, all=True), "thick": scene.cast(points, -points, segments=True, radius=0.25),
            "closest": scene.closest(points), "select": scene.select_ball([0, 0, 0], 0.5),
            "contains": scene.contains_points(still, points).side}


def moving(motion: str, random: np.random.Generator) -> tuple[abut.Shape, Any]:
    """Returns a shape of the motion, and a function that gives a body of it a random state."""
    vertices, faces = soup(random, 40)
    n = len(vertices)

    def grid(*shape: int) -> np.ndarray[Any, Any]:
        return random.integers(-9, 10, shape) / 16.0

    if motion == "free":
        return abut.Shape(vertices, faces), lambda body: setattr(body, "positions", vertices + grid(n, 3))
    if motion == "modal":
        return abut.Shape(vertices, faces, fields=grid(3, n, 3)), lambda body: setattr(body, "coordinates", grid(3))
    if motion == "blend":
        weights = random.integers(0, 3, (n, 4)) + np.eye(4)[np.arange(n) % 4]
        return (abut.Shape(vertices, faces, weights=weights, normalise=True),
                lambda body: setattr(body, "transforms", np.eye(3, 4) + grid(4, 3, 4)))
    times = iter(range(1, 99))
    return (abut.Shape(vertices, faces, keys=(np.arange(3.0), vertices + grid(3, n, 3))),
            lambda body: setattr(body, "time", next(times) / 4))


def main() -> None:
    for motion in ("free", "modal", "blend", "flight"):
        random = np.random.default_rng(11)
        shape, move = moving(motion, random)
        scene = abut.Scene()
        body, still = scene.add(shape), scene.add(abut.Shape(*soup(random, 30)))
        digests: dict[str, Any] = {}
        counts: dict[str, int] = {}
        for _ in range(4):
            move(body)
            for name, rows in answers(scene, body, still).items():
                feed(digests.setdefault(name, hashlib.sha256()), np.asarray(rows))
                counts[name] = counts.get(name, 0) + len(rows)
        for name, digest in digests.items():
            print(motion, name, counts[name], digest.hexdigest()[:16])


if __name__ == "__main__":
    main()
