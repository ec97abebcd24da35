# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""abut for Blender: which faces touch, in this frame and over an animation. Sidebar of the 3D view, tab "abut".

The package abut lies in the folder `lib` beside this file; pack.py puts it there.
"""

import os
import shutil
import sys
from pathlib import Path

bl_info = {
    "name": "abut: exact contact",
    "description": "Finds every face that touches another one, in a frame and over an animation",
    "author": "The abut authors",
    "version": (0, 9, 0),
    "blender": (3, 4, 0),
    "location": "3D view > Sidebar > abut",
    "category": "Mesh",
}

_LIBRARY = str(Path(__file__).parent / "lib")
if _LIBRARY not in sys.path:
    sys.path.insert(0, _LIBRARY)

if "bpy" in sys.modules:
    import bpy

    # A copy of the library is loaded, because installing the add-on again overwrites the original, which would crash
    # Blender if it were in use. Blender removes its temporary folder at the end.
    if "abut" not in sys.modules:
        for _original in Path(_LIBRARY, "abut").glob("*abut_python.*"):
            _copy = Path(bpy.app.tempdir) / _original.name
            shutil.copyfile(_original, _copy)
            os.environ["ABUT_LIBRARY"] = str(_copy)

    from . import operators, overlay, panel

    def register() -> None:
        operators.register()
        panel.register()
        overlay.register()

    def unregister() -> None:
        overlay.unregister()
        panel.unregister()
        operators.unregister()
