# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Builds the wheel: compiles the library with CMake, and packs it with the Python files.

pip calls build_wheel() (PEP 517). By hand:

    python/backend.py DIRECTORY [TOOLCHAIN]

leaves the wheel in DIRECTORY; TOOLCHAIN is a CMake file for another platform, such as cmake/aarch64.cmake. Nothing is
needed but CMake, a C compiler and Python's own library, so wheels are built offline.

The library uses no interface of Python, so one wheel serves all versions from 3.9 on: its tag is py3-none-PLATFORM. The
platform of Linux is manylinux_2_N with the N of the newest symbol of glibc that the library needs.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Optional

ROOT = Path(__file__).resolve().parent.parent
SUMMARY = "Exact collision and self-collision of deforming triangle surfaces"


def version() -> str:
    """Returns the version, which stands in base.h alone."""
    found = re.search(r'#define ABUT_VERSION_STRING "(.*)"', (ROOT / "include/abut/base.h").read_text())
    assert found
    return found[1]


def compile_package(directory: Path, toolchain: Optional[Path]) -> Path:
    """Builds the package in `directory` and returns its folder."""
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DABUT_BUILD_PYTHON=ON",
               *(f"-DABUT_BUILD_{part}=OFF" for part in ("COMMAND", "TESTS", "EXAMPLES", "BENCH"))]
    if toolchain is not None:
        options.append(f"-DCMAKE_TOOLCHAIN_FILE={toolchain.resolve()}")
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(directory), *options], check=True, stdout=sys.stderr)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", str(directory), "--target", "python_package", "--parallel", jobs], check=True,
                   stdout=sys.stderr)
    return directory / "python" / "abut"


def platform_tag(library: Path) -> str:
    """Returns the platform of the wheel, read from the library itself."""
    data = library.read_bytes()
    if data[:2] == b"MZ":
        return "win_amd64"
    if data[:4] != b"\x7fELF":
        return re.sub(r"[-. ]", "_", f"{platform.system()}_{platform.machine()}".lower())
    machine = {62: "x86_64", 183: "aarch64"}[int.from_bytes(data[18:20], "little")]
    needed = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", data)]
    return f"manylinux_2_{max(needed)}_{machine}"


def metadata() -> str:
    readme = (ROOT / "python/README.md").read_text()
    return (f"Metadata-Version: 2.1\nName: abut\nVersion: {version()}\nSummary: {SUMMARY}\nLicense: MIT\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy>=1.20\n"
            "Classifier: License :: OSI Approved :: MIT License\nClassifier: Topic :: Scientific/Engineering\n"
            "Classifier: Typing :: Typed\nDescription-Content-Type: text/markdown\n\n" + readme)


class Wheel:
    """A wheel that is written file by file. Its bytes depend on the contents alone."""

    def __init__(self, path: Path) -> None:
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record: list[str] = []

    def add(self, name: str, data: bytes) -> None:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")
        self._write(name, data)

    def _write(self, name: str, data: bytes) -> None:
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.external_attr = (0o755 if name.endswith((".so", ".dll")) else 0o644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(info, data)

    def finish(self, information: str) -> None:
        name = f"{information}/RECORD"
        self._write(name, ("\n".join([*self.record, f"{name},,"]) + "\n").encode())
        self.archive.close()


def write_wheel(package: Path, directory: Path) -> str:
    """Packs the folder of a built package. Returns the name of the wheel."""
    library = next(path for path in package.iterdir() if path.suffix in (".so", ".dll", ".dylib"))
    tag = f"py3-none-{platform_tag(library)}"
    information = f"abut-{version()}.dist-info"
    name = f"abut-{version()}-{tag}.whl"
    directory.mkdir(parents=True, exist_ok=True)
    part = directory / f"{name}.part"
    wheel = Wheel(part)
    for path in sorted(package.iterdir()):
        if path.is_file():
            wheel.add(f"abut/{path.name}", path.read_bytes())
    wheel.add(f"{information}/METADATA", metadata().encode())
    wheel.add(f"{information}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: abut {version()}\nRoot-Is-Purelib: false\n"
                                       f"Tag: {tag}\n").encode())
    wheel.add(f"{information}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.finish(information)
    part.replace(directory / name)
    return name


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """Called by pip."""
    with tempfile.TemporaryDirectory() as build:
        return write_wheel(compile_package(Path(build), None), Path(wheel_directory))


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Called by tools that pack sources."""
    raise RuntimeError("abut has no source distribution for Python: build a wheel")


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    toolchain = Path(sys.argv[2]) if len(sys.argv) == 3 else None
    build = Path(sys.argv[1]) / f"build-{toolchain.stem if toolchain else 'native'}"
    name = write_wheel(compile_package(build, toolchain), Path(sys.argv[1]))
    print(Path(sys.argv[1]) / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
