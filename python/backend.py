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
import shutil
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
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DABUT_BUILD_PYTHON=ON", "-DABUT_STATIC_DEPENDENCIES=ON",
               *(f"-DABUT_BUILD_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCH"))]
    has_command = toolchain is None and has_packages("jansson", "zlib")
    options.append(f"-DABUT_BUILD_COMMAND={'ON' if has_command else 'OFF'}")
    if toolchain is not None:
        options.append(f"-DCMAKE_TOOLCHAIN_FILE={toolchain.resolve()}")
    if not has_command:
        print("The wheel has no command, so abut.check() needs one on PATH; it is built only for this platform, with "
              "jansson and zlib.", file=sys.stderr)
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(directory), *options], check=True, stdout=sys.stderr)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", str(directory), "--target", "python_package", "--parallel", jobs], check=True,
                   stdout=sys.stderr)
    package = directory / "python" / "abut"
    if has_command:
        subprocess.run(["cmake", "--build", str(directory), "--target", "abut_command", "--parallel", jobs], check=True,
                       stdout=sys.stderr)
        shutil.copy(directory / "abut", package / "abut")
    return package


def has_packages(*names: str) -> bool:
    """Returns whether pkg-config knows all of these."""
    try:
        return subprocess.run(["pkg-config", "--exists", *names]).returncode == 0
    except OSError:
        return False


def platform_tag(binaries: list[Path]) -> str:
    """Returns the platform of the wheel, read from the library and the command themselves."""
    data = b"".join(path.read_bytes() for path in binaries)
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
        info.external_attr = (0o100755 if name.endswith((".so", ".dll", "/abut")) else 0o100644) << 16  # regular files
        info.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(info, data)

    def finish(self, information: str) -> None:
        name = f"{information}/RECORD"
        self._write(name, ("\n".join([*self.record, f"{name},,"]) + "\n").encode())
        self.archive.close()


def strip(path: Path) -> None:
    """Removes symbols that nothing needs, if the tool for it is there."""
    if path.suffix == ".so" or path.name == "abut":
        tool = "aarch64-linux-gnu-strip" if path.read_bytes()[18:20] == b"\xb7\0" else "strip"
        if shutil.which(tool):
            subprocess.run([tool, "--strip-unneeded", str(path)], check=True)


def write_wheel(package: Path, directory: Path) -> str:
    """Packs the folder of a built package. Returns the name of the wheel."""
    binaries = [path for path in package.iterdir() if path.suffix in (".so", ".dll", ".dylib") or path.name == "abut"]
    tag = f"py3-none-{platform_tag(binaries)}"
    information = f"abut-{version()}.dist-info"
    name = f"abut-{version()}-{tag}.whl"
    directory.mkdir(parents=True, exist_ok=True)
    part = directory / f"{name}.part"
    wheel = Wheel(part)
    for path in sorted(package.iterdir()):
        if path.is_file():
            strip(path)
            wheel.add(f"abut/{path.name}", path.read_bytes())
    wheel.add(f"{information}/METADATA", metadata().encode())
    wheel.add(f"{information}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: abut {version()}\nRoot-Is-Purelib: false\n"
                                       f"Tag: {tag}\n").encode())
    wheel.add(f"{information}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.finish(information)
    for old in directory.glob(f"abut-*{tag.split('_', 3)[-1]}.whl"):
        old.unlink()
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
