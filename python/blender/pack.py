# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Packs the add-on with the package inside: pack.py WHEEL OUTPUT.zip"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

NAME = "abut_contact"


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    here, wheel, output = Path(__file__).parent, Path(sys.argv[1]), Path(sys.argv[2])
    part = output.with_name(output.name + ".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as made, zipfile.ZipFile(wheel) as packed:
        for path in sorted(here.glob("*.py")):
            if path.name != "pack.py":
                made.writestr(zipfile.ZipInfo(f"{NAME}/{path.name}"), path.read_bytes())
        for info in packed.infolist():
            if not info.filename.endswith("/abut"):  # the add-on reads no files, so it needs no command
                made.writestr(zipfile.ZipInfo(f"{NAME}/lib/{info.filename}"), packed.read(info))
    part.replace(output)
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
