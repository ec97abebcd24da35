# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""The declarations agree with the compiler, all calls are there, types and examples are right."""

from __future__ import annotations

import ctypes
import doctest
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abut
from abut import _abi

ROOT = Path(__file__).resolve().parents[2]
STRUCTS = {name: value for name, value in vars(_abi).items()
           if isinstance(value, type) and issubclass(value, ctypes.Structure)}


def test_layouts_are_those_of_the_compiler(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    lines = []
    for name, struct in STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field[0]} %zu %zu\\n", offsetof({name}, {field[0]}), '
                  f"sizeof((({name}*)0)->{field[0]}));" for field in struct._fields_]
    source = tmp_path / "layout.c"
    source.write_text("#include <stdio.h>\n#include <abut/abut.h>\n#include <abut/threads.h>\nint main(void) {\n"
                      + "\n".join(lines) + "\nreturn 0;\n}\n")
    program = tmp_path / "layout"
    subprocess.run([compiler, "-std=c17", f"-I{ROOT}/include", str(source), "-o", str(program)], check=True)
    told = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines()
    expected = []
    for name, struct in STRUCTS.items():
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        for field in struct._fields_:
            place = getattr(struct, field[0])
            expected.append(f"{name}.{field[0]} {place.offset} {place.size}")
    assert len(told) > 200 and told == expected


def test_all_calls_are_declared() -> None:
    exported = re.findall(r"^abut_\w+", (ROOT / "cmake/abut.symbols").read_text(), re.M)
    assert set(exported) <= set(_abi.CALLS)


def test_numbers_of_enums_are_those_of_the_compiler(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    names = [name for name, value in vars(_abi).items() if name.startswith("ABUT_") and isinstance(value, int)]
    source = tmp_path / "numbers.c"
    source.write_text("#include <stdio.h>\n#include <abut/abut.h>\nint main(void) {\n"
                      + "\n".join(f'printf("%lld\\n", (long long){name});' for name in names) + "\nreturn 0;\n}\n")
    program = tmp_path / "numbers"
    subprocess.run([compiler, "-std=c17", f"-I{ROOT}/include", str(source), "-o", str(program)], check=True)
    told = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split()
    assert len(told) > 40 and [int(number) for number in told] == [getattr(_abi, name) for name in names]


def test_a_header_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "python"))
    reader = importlib.import_module("read_headers")
    for text in ("typedef union u { int a; } u;", "ABUT_API unknown_t f(void);", "typedef struct s { int a : 3; } s;"):
        (tmp_path / "wrong.h").write_text(text + "\n")
        with pytest.raises(reader.HeaderError):
            reader.declarations(tmp_path)


def test_documentation_is_right() -> None:
    attempted = 0
    for module in pkgutil.iter_modules(abut.__path__):
        if module.name not in ("_abi", "libabut_python", "vtk"):
            ended = doctest.testmod(importlib.import_module(f"abut.{module.name}"))
            assert ended.failed == 0
            attempted += ended.attempted
    assert attempted > 10
    for name in abut.__all__:
        value = getattr(abut, name)
        if callable(value):
            assert value.__doc__, name
            for inner, member in vars(value).items() if isinstance(value, type) else []:
                if not inner.startswith("_") and (callable(member) or isinstance(member, property)):
                    assert member.__doc__, f"{name}.{inner}"


def snippets(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.S)


@pytest.mark.parametrize("page", ["python/README.md", "docs/python.md", "README.md"])
def test_programs_in_documents_run(page: str) -> None:
    shared: dict[str, Any] = {}
    found = snippets(ROOT / page)
    assert found
    for text in found:
        exec(compile(text, page, "exec"), shared)


@pytest.mark.parametrize("example", sorted(path.name for path in (ROOT / "python/examples").glob("*.py")))
def test_examples_run(example: str) -> None:
    ended = subprocess.run([sys.executable, str(ROOT / "python/examples" / example)], capture_output=True, text=True,
                           timeout=120)
    assert ended.returncode == 0 and ended.stdout and not ended.stderr, ended.stderr


def test_types() -> None:
    pytest.importorskip("mypy")
    package = Path(abut.__file__).parent
    files = [str(package), *map(str, sorted((ROOT / "python/examples").glob("*.py"))),
             str(ROOT / "python/backend.py"), str(ROOT / "python/read_headers.py")]
    environment = {**os.environ, "MYPYPATH": str(package.parent), "PYTHONPATH": ""}
    ended = subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--config-file={ROOT}/pyproject.toml",
                            f"--cache-dir={package.parent}/mypy", *files], capture_output=True, text=True,
                           env=environment)
    assert ended.returncode == 0, ended.stdout


def test_segments_and_points_are_bodies():
    vertices = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, 0.5]], float)
    triangle = np.array([[-1, -1, 0.5], [1, -1, 0.5], [0, 1, 0.5]], float)
    scene = abut.Scene()
    rods = scene.add(abut.Shape(vertices, segments=[[0, 1], [2, 3]], points=[4]))
    plate = scene.add(abut.Shape(triangle, [[0, 1, 2]]))
    assert [tuple(pair) for pair in scene.collide_self(rods)[["triangle_a", "triangle_b"]]] == [(0, 1)]
    assert [tuple(pair) for pair in scene.collide(rods, plate)[["triangle_a", "triangle_b"]]] == [(2, 0)]
    with pytest.raises(abut.DataError, match="segment 0 uses vertex 9"):
        abut.Shape(vertices, segments=[[0, 9]])


def test_the_reference_is_what_the_package_says():
    root = Path(__file__).parents[2]
    script = root / "scripts" / "python-reference"
    if not script.exists():
        pytest.skip("the sources are not here")
    folder = str(Path(abut.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": folder}
    subprocess.run([sys.executable, str(script), "--check", str(root / "docs" / "python-reference.md")],
                   env=environment, check=True)
