# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Bodies: shapes in a scene, each with a state and a frame."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _arrays
from ._arrays import Array
from ._native import ArgumentError, StateError, abi, call, lib
from ._shape import Shape

if TYPE_CHECKING:
    from ._scene import Scene

Doubles = np.ndarray[Any, np.dtype[np.float64]]


class Body:
    """A shape in a scene. Assign its state: positions, coordinates, transforms or time, and its frame.

    A state that is refused changes nothing: the exception names the vertex. Scene.add() makes bodies.
    """

    __slots__ = ("scene", "shape", "index", "name", "_id", "_coordinates", "_transforms", "_time", "_kept")

    def __init__(self, scene: Scene, shape: Shape, identifier: Any, name: str) -> None:
        self.scene = scene
        self.shape = shape
        self.index: int = identifier.index
        self.name = name
        self._id = identifier
        self._coordinates = np.zeros(shape.field_count)
        self._transforms: Optional[Doubles] = None
        self._time: Optional[float] = None
        self._kept: Any = None

    def _set(self, function: Any, *arguments: Any) -> None:
        """Makes a call that changes the body, alone on the scene."""
        with self.scene._gate.writing_alone:
            call(function, self.scene._owned().handle, self._id, *arguments)

    def _need(self, *motions: str) -> None:
        if self.shape.motion not in motions:
            raise ArgumentError(f"body {self.index} has {self.shape.motion} motion, not {' or '.join(motions)}")

    @property
    def positions(self) -> Doubles:
        """The vertices in this state, in the shape's coordinates: an (n, 3) array of the doubles that queries use.

        Assigning an (n, 3) array sets the state of a free body; the array is copied.
        """
        return self._vertices(lib.abut_body_vertices)

    @positions.setter
    def positions(self, value: Array) -> None:
        self._need("free")
        view, kept = _arrays.positions(value, "positions", self.shape.vertex_count)
        self._set(lib.abut_body_set_positions, view)
        self._kept = None
        del kept

    @property
    def world_positions(self) -> Doubles:
        """The vertices in this state with the frame applied."""
        return self._vertices(lib.abut_body_world_vertices)

    def _vertices(self, function: Any) -> Doubles:
        count = self.shape.vertex_count
        array = np.empty((count, 3))
        with self.scene._gate.reading:
            call(function, self.scene._owned().handle, self._id, 0, count, _arrays.address(array))
        return array

    def borrow(self, positions: Array, previous: Optional[Array] = None) -> None:
        """Sets the state of a free body without a copy. The array must not change until the next state is set.

        `previous`, if given, is the state before the step, for sweeps. An array whose layout does not allow it is
        copied nevertheless. Positions that are not finite are found by the first query that reads them.
        """
        self._need("free")
        view, kept = _arrays.positions(positions, "positions", self.shape.vertex_count)
        if previous is None:
            self._set(lib.abut_body_borrow_positions, view)
            self._kept = kept
        else:
            before, kept_before = _arrays.positions(previous, "previous", self.shape.vertex_count)
            self._set(lib.abut_body_borrow_step, before, view)
            self._kept = (kept, kept_before)

    @property
    def coordinates(self) -> Doubles:
        """The coordinates of the fields. Assigning sets them; a skinned body keeps its transforms."""
        return self._coordinates.copy()

    @coordinates.setter
    def coordinates(self, value: Array) -> None:
        self._need("modal", "blend")
        if self.shape.motion == "blend":
            self.pose(self.transforms, value)
            return
        array = _arrays.doubles(value, "coordinates")
        self._set(lib.abut_body_set_coordinates, _arrays.address(array), len(array))
        self._coordinates = array.copy()

    @property
    def transforms(self) -> Doubles:
        """The transforms of the nodes, (nodes, 3, 4). Assigning sets them, as (nodes, 3, 4) or (nodes, 4, 4)."""
        self._need("blend")
        if self._transforms is None:
            return np.broadcast_to(np.eye(3, 4), (self.shape.node_count, 3, 4)).copy()
        return self._transforms.copy()

    @transforms.setter
    def transforms(self, value: Array) -> None:
        self.pose(value)

    def pose(self, transforms: Array, coordinates: Optional[Array] = None) -> None:
        """Sets the transforms of a skinned body and, if given, the coordinates of its fields in one state."""
        self._need("blend")
        view, kept = _arrays.transforms(transforms, "transforms")
        fields = self._coordinates if coordinates is None else _arrays.doubles(coordinates, "coordinates")
        self._set(lib.abut_body_set_transforms, view, _arrays.address(fields), len(fields))
        self._transforms = np.array(kept, dtype=np.float64)
        self._coordinates = fields.copy()

    @property
    def time(self) -> Optional[float]:
        """The time of an animated body. Assigning sets it. None: never set, which means its first keyframe."""
        return self._time

    @time.setter
    def time(self, value: float) -> None:
        self._need("flight")
        self._set(lib.abut_body_set_time, float(value))
        self._time = float(value)

    def plan(self, time: float, positions: Optional[Array] = None, velocities: Optional[Array] = None,
             vertices: Optional[Array] = None) -> None:
        """Sets where vertices of an animated body are at `time` and how fast they move, instead of keyframes.

        None: the positions that they have, velocities of zero, all vertices.
        """
        self._need("flight")
        plans = lib.abut_plans_def_default()
        plans.time = float(time)
        count, kept = self.shape.vertex_count, []
        if vertices is not None:
            chosen = _arrays.indices(vertices, "vertices", "entry")
            plans.vertices, plans.vertex_count, count = _arrays.address(chosen), len(chosen), len(chosen)
            kept.append(chosen)
        for name, value in (("positions", positions), ("velocities", velocities)):
            if value is not None:
                view, array = _arrays.positions(value, name, count)
                setattr(plans, name, view)
                kept.append(array)
        self._set(lib.abut_body_set_plans, ctypes.byref(plans))

    @property
    def frame(self) -> Doubles:
        """The rigid frame as a 4 x 4 matrix. Assigning a 3 x 4 or 4 x 4 matrix sets it."""
        found = lib.abut_body_frame(self.scene._owned().handle, self._id)
        matrix = np.eye(4)
        matrix[:3, :3] = np.ctypeslib.as_array(found.r)
        matrix[:3, 3] = np.ctypeslib.as_array(found.t)
        return matrix

    @frame.setter
    def frame(self, value: Array) -> None:
        self._set(lib.abut_body_set_frame, ctypes.byref(_arrays.frame(value)))

    def move_frame(self, before: Array, after: Array) -> None:
        """Sets the frame before a step and the one after it, for sweeps."""
        self._set(lib.abut_body_set_frame_step, ctypes.byref(_arrays.frame(before)),
                  ctypes.byref(_arrays.frame(after)))

    def end_step(self) -> None:
        """Makes the current state and frame the previous ones, too: sweeps see the body at rest."""
        self._set(lib.abut_body_end_step)

    def set_groups(self, groups: int, mask: int) -> None:
        """Sets the bits of the groups that the body is in, and of those that it meets."""
        self._set(lib.abut_body_set_groups, groups, mask)

    @property
    def thickness(self) -> float:
        """How thick the body is: it adds to the distance of within() and features(). Assigning sets it [0]."""
        thickness: float = lib.abut_body_thickness(self.scene._owned().handle, self._id)
        return thickness

    @thickness.setter
    def thickness(self, value: float) -> None:
        self._set(lib.abut_body_set_thickness, float(value))

    @property
    def box(self) -> Doubles:
        """A box in world axes that holds the body: its lower and its upper corner."""
        found = abi.abut_box()
        with self.scene._gate.reading:
            call(lib.abut_body_box, self.scene._owned().handle, self._id, ctypes.byref(found))
        return np.array([found.lo[:], found.hi[:]])

    def remove(self) -> None:
        """Takes the body out of its scene. Further calls raise ArgumentError."""
        self.scene._forget(self)

    @property
    def is_valid(self) -> bool:
        """Whether the body is in its scene."""
        try:
            return bool(lib.abut_body_is_valid(self.scene._owned().handle, self._id))
        except StateError:
            return False

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        gone = "" if self.is_valid else ", removed"
        return f"<abut.Body {self.index}{name}, {self.shape.motion}, {self.shape.triangle_count} triangles{gone}>"
