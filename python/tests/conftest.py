# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""What the tests share: effort, seeds, meshes; and a summary in the form that scripts/count.awk counts."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

EFFORT = os.environ.get("ABUT_TEST_EFFORT", "quick")


def effort(quick: int, normal: int, long: int) -> int:
    """Returns the number of random cases for the effort that the environment asks for."""
    return {"quick": quick, "normal": normal, "long": long}[EFFORT]


def wavy_sheet(n: int, height: float = 0.2, phase: float = 0.0) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Returns a sheet of n x n vertices with waves."""
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    z = height * np.sin(9 * x + phase) * np.cos(7 * y)
    i = np.arange(n * n).reshape(n, n)
    corners = [i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]]
    faces = [np.stack([corners[0], corners[k], corners[k + 1]], -1).reshape(-1, 3) for k in (1, 2)]
    return np.stack([x, y, z], -1).reshape(-1, 3), np.concatenate(faces)


def soup(random: np.random.Generator, triangles: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Returns loose triangles on a coarse grid, so that many touch, coincide or are degenerate."""
    vertices = random.integers(-3, 4, (3 * triangles, 3)) / 4.0
    return vertices, np.arange(3 * triangles).reshape(-1, 3)


def cube(size: float = 1.0) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Returns a closed cube about the origin with its normals outwards."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (size / 2)
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return corners, np.array(faces)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    stats = {name: terminalreporter.stats.get(name, []) for name in ("passed", "failed", "error", "skipped")}
    failed = len(stats["failed"]) + len(stats["error"])
    count = len(stats["passed"]) + failed + len(stats["skipped"])
    write = terminalreporter.write_line
    write(f"[==========] Running {count} test(s).")
    for report in stats["passed"]:
        write(f"[       OK ] {report.nodeid}")
    for report in stats["skipped"]:
        write(f"[  SKIPPED ] {report.nodeid}")
    write(f"[==========] {count} test(s) run.")
    if stats["skipped"]:
        write(f"[  SKIPPED ] {len(stats['skipped'])} test(s)")
    if failed:
        write(f"[  FAILED  ] {failed} test(s)")


@pytest.fixture
def scene() -> Any:
    import abut
    with abut.Scene() as made:
        yield made
