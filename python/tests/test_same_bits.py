# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Python gives the answers of C, bit for bit: answers.c asks the same questions in its own process."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest
from conftest import effort, soup, wavy_sheet

import abut
from abut import _abi

HERE = Path(__file__).resolve().parent
OTHER = os.environ.get("ABUT_ANSWERS")  # the program, built for another platform
MOTIONS = ["free", "modal", "blend", "flight"]
ROWS = [_abi.abut_pair, _abi.abut_pair, _abi.abut_sweep_pair, _abi.abut_distance_pair, _abi.abut_distance_pair,
        _abi.abut_feature_pair, _abi.abut_selected, _abi.abut_contour, _abi.abut_contour_segment,
        _abi.abut_contour_point, np.float64, _abi.abut_ray_hit, _abi.abut_ray_hit, _abi.abut_closest_point]
FROM = np.array([[0.1, 0.2, 2], [0.6, 0.3, -1], [0.5, 0.9, 0.1]])
TO = np.array([[0.3, 0.1, -2], [0.2, 0.7, 1], [-0.5, 0.1, 0.2]])


@pytest.fixture(scope="module")
def program(tmp_path_factory: Any) -> Path:
    if OTHER is not None:
        return Path(OTHER)
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    made: Path = tmp_path_factory.mktemp("answers") / "answers"
    library = Path(abut.__file__).parent
    subprocess.run([compiler, "-std=c17", f"-I{HERE.parents[1]}/include", str(HERE / "answers.c"), "-o", str(made),
                    f"-L{library}", "-labut_python", f"-Wl,-rpath,{library}"], check=True)
    return made


def rows_of_c(program: Path, path: Path) -> Iterator[Any]:
    told = subprocess.run([str(program), str(path)], capture_output=True, check=True).stdout
    at = 0
    while at < len(told):
        for row in ROWS:
            count = int.from_bytes(told[at:at + 8], "little")
            kind = np.dtype(row)
            yield np.frombuffer(told, kind, count, at + 8)
            at += 8 + count * kind.itemsize


@pytest.mark.parametrize("motion", MOTIONS)
def test_same_bits(motion: str, program: Path, tmp_path: Path) -> None:
    for seed in range(effort(3, 10, 50)):
        random = np.random.default_rng(seed)
        vertices, faces = soup(random, 60) if seed % 2 else wavy_sheet(12)
        n = len(vertices)
        fields, weights = random.normal(size=(2, n, 3)) / 8, random.random((n, 4))
        keys = vertices + random.normal(size=(3, n, 3)) / 8
        states = {"free": lambda: vertices + random.normal(size=(n, 3)) / 8, "modal": lambda: random.normal(size=2),
                  "blend": lambda: np.eye(3, 4) + random.normal(size=(4, 3, 4)) / 4, "flight": lambda: random.random(1) * 2}
        given = [states[motion]() for _ in range(4)]
        if motion == "flight":
            given.sort(key=lambda time: float(time[0]))
        head = np.array([MOTIONS.index(motion), n, len(faces), len(given), given[0].size], np.uint32)
        path = tmp_path / "input"
        path.write_bytes(b"".join(np.ascontiguousarray(a).tobytes() for a in
                                  (head, vertices, faces.astype(np.uint32), fields, weights, keys, *given)))
        options = {"free": {}, "modal": {"fields": fields}, "blend": {"weights": weights, "normalise": True},
                   "flight": {"keys": ([0, 1, 2], keys)}}[motion]
        name = {"free": "positions", "modal": "coordinates", "blend": "transforms", "flight": "time"}[motion]
        scene = abut.Scene()
        body = scene.add(abut.Shape(vertices, faces, **options))  # type: ignore[arg-type]
        still = scene.add(abut.Shape(vertices, faces))
        expected = rows_of_c(program, path)
        found = 0
        for state in given:
            setattr(body, name, state if motion != "flight" else state[0])
            lines = scene.contours(scene.collide(body, still))
            for rows in (scene.collide_self(body), scene.collide(body, still), scene.sweep(body, still),
                         scene.nearest(body, still), scene.within(body, still, 0.25),
                         scene.features(body, still, 0.0625), scene.select_ball([0.25, 0.5, 0.125], 0.5),
                         lines.contours, lines.segments, lines.points, scene.winding_numbers(body, FROM),
                         scene.cast(FROM, TO, all=True, segments=True),
                         scene.cast(FROM, TO, all=True, segments=True, radius=0.0625), scene.closest(FROM)):
                wanted = next(expected)
                assert len(rows) == len(wanted), f"seed {seed}"
                if OTHER is not None and wanted.dtype == np.float64:  # angles: other C libraries round them differently
                    assert np.abs(rows - wanted).max() < 1e-13, f"seed {seed}"
                else:
                    assert (rows == wanted).all(), f"seed {seed}"
                found += len(rows)
        assert next(expected, None) is None and found > 100
