# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Checks files by the abut command, in a process of its own: hostile files cannot harm the interpreter."""

from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Optional, Sequence, Union

from ._native import Error

PathLike = Union[str, "os.PathLike[str]"]


class CheckError(Error):
    """The files could not be checked. The text is the command's."""


def command() -> str:
    """Returns the path of the abut command: the one that ABUT_COMMAND names, the one of this package, or that on PATH."""
    given = os.environ.get("ABUT_COMMAND")
    if given:
        return given
    own = Path(__file__).parent / ("abut.exe" if sys.platform == "win32" else "abut")
    found = str(own) if own.exists() else shutil.which("abut")
    if found is None:
        raise CheckError("the abut command is missing: install it, or name it by the environment variable ABUT_COMMAND")
    return found


def _arguments(options: dict[str, Any]) -> list[str]:
    """Returns options of the command: within=2 becomes --within 2, sweep=True becomes --sweep."""
    arguments = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        arguments.append(f"--{name.replace('_', '-')}")
        if value is not True:
            arguments.append(str(value))
    return arguments


def _run(files: Sequence[str], arguments: list[str], task: str = "check") -> bytes:
    # files that look like options stay files
    named = [name if not name.startswith("-") else os.path.join(".", name) for name in files]
    ended = subprocess.run([command(), task, *named, *arguments], stdin=subprocess.DEVNULL, capture_output=True)
    if ended.returncode not in (0, 1):
        text = ended.stderr.decode("utf-8", "replace").strip()
        raise CheckError(text or f"the command ended with code {ended.returncode}")
    return ended.stdout


def convert(source: str, target: Path, options: dict[str, Any]) -> None:
    """Converts an object to a file of another kind."""
    _run([source, str(target)], ["--quiet", *_arguments(options)], "convert")


class Check:
    """What the command found. `json` is its JSON as Python objects; `text` is the same as text."""

    __slots__ = ("files", "json", "text", "_arguments")

    def __init__(self, files: Sequence[str], arguments: list[str]) -> None:
        self.files = list(files)
        self._arguments = arguments
        self.text = _run(self.files, [*arguments, "--quiet", "--json", "-"]).decode()
        self.json: dict[str, Any] = json.loads(self.text)

    @property
    def frames(self) -> list[dict[str, Any]]:
        """What was found in each frame."""
        frames: list[dict[str, Any]] = self.json["frames"]
        return frames

    @property
    def touching(self) -> list[int]:
        """The numbers of the frames with contact."""
        return [frame["number"] for frame in self.frames if frame["contact"]]

    def to_html(self, path: Optional[PathLike] = None) -> Optional[str]:
        """Writes the report: a page that shows the objects in motion and where they touch. Without a path it returns it."""
        if path is not None:
            _run(self.files, [*self._arguments, "--quiet", "--html", os.fspath(path)])
            return None
        with tempfile.TemporaryDirectory() as folder:
            self.to_html(Path(folder) / "report.html")
            return (Path(folder) / "report.html").read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html() or "")
        return f'<iframe style="width: 100%; height: 600px; border: 0" srcdoc="{page}"></iframe>'

    def __bool__(self) -> bool:
        return bool(self.touching)

    def __repr__(self) -> str:
        return f"<abut.Check, {len(self.touching)} of {len(self.frames)} frames with contact>"


def check(*files: PathLike, **options: Any) -> Check:
    """Checks files as `abut check` does: meshes, sequences, point caches, animated models.

    Options are those of the command: check("fox.glb", animation="all"), check("a.obj", "b.obj", within=0.01),
    check("cloth_*.ply", sweep=True). The object that is returned is true if anything touches.
    """
    if not files:
        raise CheckError("there is no file to check")
    return Check([os.fspath(file) for file in files], _arguments(options))
