# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Reads files: meshes, sequences of meshes, point caches and animated models, as `abut check` reads them.

The abut command reads the file and hands over arrays. It is a process of its own, so that a hostile file can neither
crash the interpreter nor write its memory, and the library itself needs no JSON and no zlib.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Iterator, Optional

import numpy as np

from ._body import Body
from ._check import PathLike, convert
from ._native import ArgumentError
from ._results import Rows
from ._scene import Scene
from ._shape import Shape


class Part:
    """One object of a file: a mesh, or a node of a model that shows a mesh.

    `vertices` are the rest positions, `faces` the triangles. `positions` (frames, n, 3) are those of a sequence or cache,
    else None. Models have `fields` (morph targets) with `coordinates` for each frame, `weights` as a pair of joints and
    weights, and `transforms` (frames, nodes, 3, 4) or, of nodes that only move as a whole, `frames` (frames, 3, 4).
    What a part does not have is None.
    """

    __slots__ = ("name", "vertices", "faces", "classes", "positions", "fields", "coordinates", "weights", "transforms",
                 "frames", "_shape")

    def __init__(self, name: str, arrays: dict[str, Rows]) -> None:
        self.name = name
        self.faces = arrays["faces"]
        self.classes = arrays["classes"]
        given = arrays["vertices"]
        self.positions: Optional[Rows] = given if given.ndim == 3 else None
        self.vertices: Rows = given if given.ndim == 2 else given[0]
        self.fields, self.coordinates = arrays.get("fields"), arrays.get("coordinates")
        self.transforms, self.frames = arrays.get("transforms"), arrays.get("frames")
        self.weights: Optional[tuple[Rows, Rows]] = (arrays["joints"], arrays["weights"]) if "joints" in arrays else None
        self._shape: Optional[Shape] = None

    def shape(self) -> Shape:
        """Returns the shape: free, moved by fields, or skinned."""
        if self._shape is None:
            options: dict[str, Any] = {"classes": self.classes, "fields": self.fields}
            if self.transforms is not None:
                nodes = self.transforms.shape[1]
                joints, values = self.weights or (np.zeros((len(self.vertices), 1), np.uint32),
                                                  np.ones((len(self.vertices), 1), np.float32))
                options.update(weights=(joints, values, nodes), normalise=True)
            self._shape = Shape(self.vertices, self.faces, **options)
        return self._shape

    def show(self, body: Body, frame: int) -> None:
        """Sets a body of this part's shape to its state in a frame."""
        if self.positions is not None:
            body.positions = self.positions[frame]
        if self.transforms is not None:
            body.pose(self.transforms[frame], None if self.coordinates is None else self.coordinates[frame])
        elif self.coordinates is not None:
            body.coordinates = self.coordinates[frame]
        if self.frames is not None:
            body.frame = self.frames[frame]

    def __repr__(self) -> str:
        return f"<abut.Part {self.name!r}, {len(self.vertices)} vertices, {len(self.faces)} triangles>"


class Model:
    """What a file holds: parts, and their states in each frame. load() makes it.

    `parts` has an entry for each object, `times` a time in seconds for each frame. A model of one part is a mesh as well:
    it has `vertices` and `faces`, so that abut.self_intersections(abut.load("shirt.obj")) works.
    """

    __slots__ = ("parts", "times")

    def __init__(self, parts: list[Part], times: Rows) -> None:
        self.parts = parts
        self.times = times

    @property
    def frame_count(self) -> int:
        """The number of frames; 1 if nothing moves."""
        return len(self.times)

    def add_to(self, scene: Scene) -> list[Body]:
        """Adds a body for each part to a scene, in the first frame. Returns them."""
        bodies = [scene.add(part.shape(), name=part.name) for part in self.parts]
        self.show(bodies, 0)
        return bodies

    def show(self, bodies: list[Body], frame: int) -> None:
        """Sets the bodies that add_to() returned to their states in a frame. Negative frames count from the end."""
        if not -self.frame_count <= frame < self.frame_count:
            raise ArgumentError(f"there is no frame {frame}: the model has {self.frame_count}")
        if len(bodies) != len(self.parts):
            raise ArgumentError(f"the model has {len(self.parts)} parts, and there are {len(bodies)} bodies")
        for part, body in zip(self.parts, bodies):
            part.show(body, frame)

    def _only(self) -> Part:
        if len(self.parts) != 1:
            raise AttributeError(f"the model has {len(self.parts)} parts: take vertices and faces of one of them")
        return self.parts[0]

    @property
    def vertices(self) -> Rows:
        """The vertices of a model of one part, at rest."""
        return self._only().vertices

    @property
    def faces(self) -> Rows:
        """The triangles of a model of one part."""
        return self._only().faces

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return f"<abut.Model, {len(self)} part{'s' * (len(self) != 1)}, {self.frame_count} frame{'s' * (self.frame_count != 1)}>"


def load(path: PathLike, *, animation: Optional[Any] = None, fps: Optional[float] = None,
         frames: Optional[str] = None) -> Model:
    """Reads a file, or a sequence of files, as `abut check` does: OBJ, PLY, OFF, STL, VTK, .npz, glTF and others.

    Sequences are folders, lists (.pvd) or patterns ("cloth_*.ply"); a mesh with a point cache is "body.obj+body.pc2".
    `animation`: the name or number of a model's animation, or "all" [the first]. `fps`: frames per second of a model
    [30]. `frames`: those to read, such as "10:20".

    Raises CheckError with the command's text if the file cannot be read.
    """
    options = {"animation": animation, "fps": fps, "frames": frames}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "arrays.npz"
        convert(os.fspath(path), target, options)
        with np.load(target, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    names = [name.decode("utf-8", "replace") for name in arrays["objects"]]
    parts = []
    for number, name in enumerate(names):
        prefix = f"{number}/" if len(names) > 1 else ""
        own = ("vertices", "faces", "classes", "fields", "coordinates", "joints", "weights", "transforms", "frames")
        parts.append(Part(name, {key: arrays[prefix + key] for key in own if prefix + key in arrays}))
    return Model(parts, arrays["times"])
