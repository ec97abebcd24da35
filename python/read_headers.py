# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Writes abut/_abi.py, the ctypes declarations of all structs, enums and calls, from the public headers.

    read_headers.py INCLUDE_DIRECTORY OUTPUT

The headers are the only place where the interface is written. They keep to a small part of C, which this file
reads: enums, structs, function pointers, calls, and `#define` of numbers. A line that it cannot read is an error.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# openmp.h and mpi.h belong to other libraries
LEFT_OUT = {"abut.h", "openmp.h", "mpi.h"}

SCALARS = {
    "void": "None",
    "bool": "C.c_bool",
    "char": "C.c_char",
    "int32_t": "C.c_int32",
    "uint32_t": "C.c_uint32",
    "uint64_t": "C.c_uint64",
    "size_t": "C.c_size_t",
    "float": "C.c_float",
    "double": "C.c_double",
}

IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"


class HeaderError(Exception):
    """A declaration that this file cannot read."""


def ordered_headers(directory: Path) -> list[Path]:
    """Returns the headers, each after those that it includes."""
    order: list[Path] = []

    def visit(path: Path) -> None:
        if path in order:
            return
        for name in re.findall(r'^#include "([a-z_]+\.h)"', path.read_text(), re.M):
            visit(directory / name)
        order.append(path)

    for path in sorted(directory.glob("*.h")):
        if path.name not in LEFT_OUT:
            visit(path)
    return order


def stripped(text: str) -> str:
    """Returns the declarations: no comments, no preprocessor lines, no marks."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"^\s*#[^\n]*(\\\n[^\n]*)*", "", text, flags=re.M)
    return re.sub(r"ABUT_EXTERN_C_(BEGIN|END)|ABUT_EXPERIMENTAL", "", text)


def constants(text: str) -> list[str]:
    """Returns an assignment for each #define of a number or string."""
    found = re.findall(rf'^#define ({IDENTIFIER}) ([-+0-9.eE]+|"[^"]*")\s*$', text, re.M)
    return [f"{name} = {value}" for name, value in found]


def statements(text: str) -> list[str]:
    """Splits declarations at the semicolons outside braces."""
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            parts.append(" ".join(text[begin:at].split()))
            begin = at + 1
    if text[begin:].strip():
        raise HeaderError(f"no end: {text[begin:].strip()[:60]}")
    return parts


class Reader:
    """Turns declarations into lines of Python."""

    def __init__(self) -> None:
        self.types = dict(SCALARS)
        self.lines: list[str] = []
        self.calls: list[str] = []

    def type_of(self, text: str) -> str:
        """Returns the ctypes name of a type without a declarator. Every pointer is a c_void_p."""
        text = re.sub(r"\b(const|struct)\b", "", text).strip()
        if text.endswith("*"):
            return "C.c_void_p"
        if text not in self.types:
            raise HeaderError(f"unknown type '{text}'")
        return self.types[text]

    def member(self, text: str) -> tuple[str, str]:
        """Returns name and type of a struct's member."""
        pointer = re.fullmatch(rf".*\(\*({IDENTIFIER})\)\(.*\)", text)
        if pointer:
            return pointer[1], "C.c_void_p"
        match = re.fullmatch(rf"(.*?[\s*])({IDENTIFIER})((?:\[\d+\])*)", text)
        if not match:
            raise HeaderError(f"member '{text}'")
        kind = self.type_of(match[1])
        for size in reversed(re.findall(r"\d+", match[3])):
            kind = f"({kind} * {size})"
        return match[2], kind

    def argument(self, text: str) -> str:
        if re.search(r"\[|\(\*", text):  # arrays and pointers to arrays are pointers
            return "C.c_void_p"
        return self.type_of(re.sub(rf"{IDENTIFIER}$", "", text.strip()))

    def enum(self, name: str, body: str) -> None:
        self.types[name] = "C.c_int"
        value = -1
        for entry in filter(None, (part.strip() for part in body.split(","))):
            match = re.fullmatch(rf"({IDENTIFIER})(?: = (-?\d+))?", entry)
            if not match:
                raise HeaderError(f"enum value '{entry}'")
            value = int(match[2]) if match[2] else value + 1
            self.lines.append(f"{match[1]} = {value}")

    def struct(self, name: str, body: str) -> None:
        members = [self.member(part.strip()) for part in body.split(";") if part.strip()]
        fields = "".join(f'\n        ("{member}", {kind}),' for member, kind in members)
        self.lines += ["", "", f"class {name}(C.Structure):", f"    _fields_ = [{fields}\n    ]", ""]
        self.types[name] = name

    def call(self, text: str) -> None:
        match = re.fullmatch(rf"(.*?[\s*])({IDENTIFIER})\((.*)\)", text)
        if not match:
            raise HeaderError(f"call '{text}'")
        arguments = [] if match[3].strip() == "void" else match[3].split(",")
        kinds = ", ".join(self.argument(part) for part in arguments)
        self.calls.append(f'    "{match[2]}": ({self.type_of(match[1])}, [{kinds}]),')

    def statement(self, text: str) -> None:
        if match := re.fullmatch(rf"typedef enum {IDENTIFIER} {{(.*)}} ({IDENTIFIER})", text):
            self.enum(match[2], match[1])
        elif match := re.fullmatch(rf"typedef struct {IDENTIFIER} {{(.*)}} ({IDENTIFIER})", text):
            self.struct(match[2], match[1])
        elif match := re.fullmatch(rf"typedef struct {IDENTIFIER} ({IDENTIFIER})", text):
            pass  # opaque: only pointers to it occur
        elif match := re.fullmatch(rf"typedef .*\(\*({IDENTIFIER})\)\(.*\)", text):
            self.types[match[1]] = "C.c_void_p"
        elif text.startswith("ABUT_API "):
            self.call(text[len("ABUT_API "):])
        else:
            raise HeaderError(f"declaration '{text}'")


def declarations(directory: Path) -> str:
    """Returns the text of _abi.py."""
    reader = Reader()
    for path in ordered_headers(directory):
        text = path.read_text()
        reader.lines += constants(text)
        for part in statements(stripped(text)):
            try:
                reader.statement(part)
            except HeaderError as error:
                raise HeaderError(f"{path.name}: {error}") from None
    head = '"""Declarations of the C interface. Written by read_headers.py; do not edit."""\n\nimport ctypes as C\n\n'
    body = re.sub(r"\n{3,}", "\n\n\n", "\n".join(reader.lines))
    return f"{head}{body}\n\n# name: (type of the value, types of the arguments)\nCALLS = {{\n" + "\n".join(reader.calls) + "\n}\n"


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        text = declarations(Path(sys.argv[1]))
    except (HeaderError, OSError) as error:
        print(f"read_headers: {error}", file=sys.stderr)
        return 1
    Path(sys.argv[2]).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
