# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""abut: exact contact between deforming triangle surfaces.

In one call, for meshes that stand still: self_intersections(), collide(), contours(), distance(), depth(), contains(),
winding_numbers(). For files: load() and check(). For what moves: make a Scene, add bodies of Shapes, set their states,
ask. Answers are exact for the doubles of body.world_positions, complete, sorted, and the same for any number of threads.
"""

from ._check import Check, CheckError, check
from ._context import Context
from ._contours import Contour, Contours
from ._files import Model, Part, load
from ._native import (ArgumentError, DataError, Error, LimitError, OutOfMemory, StateError, VersionError,
                      abi as _abi)
from ._body import Body
from ._scene import INSIDE, OUTSIDE, PARTLY, SURFACE, UNDEFINED, Counters, Depth, Scene, Sides
from ._shape import MeshInfo, Shape
from ._static import Distance, collide, contains, contours, depth, distance, self_intersections, winding_numbers

__version__: str = _abi.ABUT_VERSION_STRING

__all__ = [
    "ArgumentError", "Body", "Check", "CheckError", "Context", "Contour", "Contours", "Counters", "DataError", "Depth",
    "Distance", "Error", "INSIDE", "LimitError", "MeshInfo", "Model", "OUTSIDE", "OutOfMemory", "PARTLY", "Part",
    "SURFACE", "Scene", "Shape", "Sides", "StateError", "UNDEFINED", "VersionError", "check", "collide", "contains",
    "contours", "depth", "distance", "load", "self_intersections", "winding_numbers",
]
