# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""The tutorial notebook runs, and its cells give what it shows; with Jupyter, too, where it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EFFORT
from test_check import command

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs/python-tutorial.ipynb"
assert command  # the fixture: skips without the command


def test_cells_give_what_is_shown() -> None:
    subprocess.run([sys.executable, str(ROOT / "scripts/notebook"), "--check", str(NOTEBOOK)], check=True)


def test_a_wrong_output_is_seen(tmp_path: Path) -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    notebook["cells"] = cells[:1]
    cells[0]["outputs"][0]["data"]["text/plain"] = ["((1601, 3), (3042, 3))"]
    path = tmp_path / "wrong.ipynb"
    path.write_text(json.dumps(notebook))
    ended = subprocess.run([sys.executable, str(ROOT / "scripts/notebook"), "--check", str(path)], capture_output=True,
                           text=True)
    assert ended.returncode == 1 and "cell 1" in ended.stderr and "1601" in ended.stderr


@pytest.mark.skipif(EFFORT != "long", reason="starts a kernel of Jupyter")
def test_jupyter_runs_it() -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
