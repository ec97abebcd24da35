# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""check() is the command: the same JSON, the same report, its words where it cannot check."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import wavy_sheet

import abut
from abut import _check


@pytest.fixture(autouse=True)
def command() -> str:
    try:
        return _check.command()
    except abut.CheckError as error:
        pytest.skip(str(error))


def write_obj(path: Path, vertices: Any, faces: Any) -> Path:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, float).tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in np.asarray(faces).tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_answers_are_those_of_the_command_and_of_the_library(tmp_path: Path, command: str) -> None:
    a, faces = wavy_sheet(12)
    b, _ = wavy_sheet(12, phase=2.0)
    files = [write_obj(tmp_path / "a.obj", a, faces), write_obj(tmp_path / "b.obj", b, faces)]
    found = abut.check(*files, between=True, pairs=True)
    told = subprocess.run([command, "check", *map(str, files), "--between", "--pairs", "--quiet", "--json", "-"],
                          capture_output=True, text=True)
    assert found.text == told.stdout and told.returncode == 1
    assert bool(found) and found.touching == [0] and repr(found) == "<abut.Check, 1 of 1 frames with contact>"
    pairs = found.frames[0]["between"][0]
    assert pairs["pairs"] == len(abut.collide(a, faces, b, faces))
    apart = abut.check(files[0], write_obj(tmp_path / "far.obj", b + 9, faces))
    assert not apart and apart.touching == []


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_numpy(tmp_path: Path, save: Any, order: Any) -> None:
    a, faces = wavy_sheet(12)
    b, _ = wavy_sheet(12, phase=2.0)
    files = [write_obj(tmp_path / "a.obj", a, faces), write_obj(tmp_path / "b.obj", b, faces)]
    wanted = abut.check(*files, between=True, pairs=True)
    save(tmp_path / "a.npz", vertices=np.asarray(a, order=order), faces=np.asarray(faces, order=order))
    save(tmp_path / "b.npz", v=np.asarray(b, np.float64)[None], f=np.asarray(faces, np.int16), extra=np.zeros(3))
    found = abut.check(tmp_path / "a.npz", tmp_path / "b.npz", between=True, pairs=True)
    assert found.frames[0]["between"][0]["pairs"] == wanted.frames[0]["between"][0]["pairs"] > 0
    np.save(tmp_path / "a.npy", np.stack([np.asarray(a), np.asarray(a) + 1]).astype(">f8"))
    frames = abut.check(f"{tmp_path}/a.obj+{tmp_path}/a.npy", self=True)
    assert len(frames.frames) == 2
    np.save(tmp_path / "soup.npy", np.asarray(a)[faces])
    soup = abut.check(tmp_path / "soup.npy", tmp_path / "b.npz", between=True)
    assert soup.frames[0]["between"][0]["pairs"] == wanted.frames[0]["between"][0]["pairs"]


def test_reports(tmp_path: Path) -> None:
    found = abut.check(write_obj(tmp_path / "a.obj", *wavy_sheet(6)))
    found.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().lower().startswith("<!doctype html>")
    assert found.to_html() == (tmp_path / "report.html").read_text()
    shown = found._repr_html_()
    assert shown.startswith("<iframe") and "&lt;script" in shown and "<script" not in shown


def test_what_cannot_be_checked(tmp_path: Path) -> None:
    broken = tmp_path / "broken.obj"
    broken.write_text("v 1 2\n")
    for files in ([tmp_path / "nothing.obj"], [broken], ["--help"], []):
        with pytest.raises(abut.CheckError) as told:
            abut.check(*files)
        assert len(str(told.value)) > 10
    with pytest.raises(abut.CheckError, match="speed"):
        abut.check(write_obj(tmp_path / "a.obj", *wavy_sheet(4)), speed=3)
