# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Shapes: triangles and the way they move."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from . import _arrays
from ._arrays import Array
from ._context import Context, Handle, Owner, default_context
from ._meshes import triangles_of
from ._native import ArgumentError, abi, call, create, lib, place

_MOTIONS = ["free", "modal", "blend", "flight"]


class MeshInfo(NamedTuple):
    """Counts about a mesh; vertices with equal rest positions count as one."""

    vertices: int
    triangles: int
    classes: int
    unreferenced_vertices: int
    degenerate_triangles: int
    duplicate_triangles: int
    components: int
    boundary_edges: int
    nonmanifold_edges: int
    inconsistent_edges: int
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


class Shape(Handle):
    """Triangles over rest positions, and the way they move. It does not change, and many bodies may share it.

    Shape(V, F) is moved by positions: `body.positions = ...`.
    Shape(V, F, fields=U) is moved by coordinates: V + sum of q[m] * U[m]; `body.coordinates = q`.
    Shape(V, F, weights=W) is skinned: `body.transforms = T`. Fields, if given, move V first.
    Shape(V, F, keys=(times, P)) is animated on straight lines between keyframes: `body.time = t`.

    V: an (n, 3) array of float32 or float64. F: an (m, 3) array of integers. A mesh object of trimesh, PyVista,
    Open3D, meshio or VTK may stand for V if F is None.
    segments: an (s, 2) array; points: a (p,) array. Curves and particles, in all queries; their ids follow those of F.

    fields: an (f, n, 3) array, or a list whose entries are (n, 3) arrays or pairs (vertices, displacements).
    weights: an (n, nodes) array; or (nodes, values) or (nodes, values, number of nodes), the first two of
    shape (n, k); or a sparse matrix of SciPy in CSR form. `normalise` divides the weights of each vertex by their sum, which otherwise must be 1 within 1e-5.
    keys: a pair of k ascending times and a (k, n, 3) array, which must not change while the shape is in use.
    classes: an integer for each vertex; triangles with a vertex of one class in common are neighbours. None: equal
    rest positions are one class; False: each vertex is its own.
    tags: an integer for each triangle. ignored_tags: pairs of tags whose triangles never meet.

    >>> import abut, numpy as np
    >>> V = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    >>> abut.Shape(V, [[0, 1, 2]])
    <abut.Shape, free, 3 vertices, 1 triangle>
    >>> abut.Shape(V, segments=[[0, 1], [1, 2]]).faces
    array([[0, 1, 1],
           [1, 2, 2]], dtype=uint32)
    """

    __slots__ = ("context", "motion", "field_count", "node_count", "vertex_count", "triangle_count", "_kept")

    def __init__(self, vertices: Array, faces: Optional[Array] = None, *, segments: Optional[Array] = None,
                 points: Optional[Array] = None, fields: Optional[Array] = None,
                 weights: Optional[Array] = None, keys: Optional[tuple[Array, Array]] = None,
                 normalise: bool = False, classes: Optional[Array] = None, tags: Optional[Array] = None,
                 ignored_tags: Optional[Sequence[tuple[int, int]]] = None,
                 context: Optional[Context] = None) -> None:
        if keys is not None and (fields is not None or weights is not None):
            raise ArgumentError("a shape with keys has neither fields nor weights")
        if faces is None and (segments is not None or points is not None):
            faces = np.zeros((0, 3), np.uint32)
        vertices, faces = triangles_of(vertices, faces)
        self.context = context or default_context()
        mesh = _mesh(self.context, vertices, (faces, segments, points), classes, tags)
        count = len(vertices)
        self._kept: Any = None  # arrays that the library reads in place
        settings, kept = _settings(count, fields, weights, keys, normalise, ignored_tags)
        if keys is not None:
            self._kept = kept
            maker = lib.abut_shape_create_flight
        elif weights is not None:
            maker = lib.abut_shape_create_blend
        elif fields is not None:
            maker = lib.abut_shape_create_modal
        else:
            maker = lib.abut_shape_create
        self._take(create(maker, self.context._owned().handle, mesh.handle, ctypes.byref(settings)))

    def _take(self, handle: int) -> None:
        """Makes this the object of a shape of the library."""
        self._owner = Owner(handle, lib.abut_shape_destroy, self.context._owned())
        mesh = lib.abut_shape_mesh(handle)
        self.motion = _MOTIONS[lib.abut_shape_motion(handle)]
        self.field_count: int = lib.abut_shape_field_count(handle)
        self.node_count: int = lib.abut_shape_node_count(handle)
        self.vertex_count: int = lib.abut_mesh_vertex_count(mesh)
        self.triangle_count: int = lib.abut_mesh_triangle_count(mesh)

    @classmethod
    def load(cls, data: bytes, context: Optional[Context] = None) -> Shape:
        """Makes a shape of the bytes that save() returned. Damaged bytes raise DataError."""
        shape = cls.__new__(cls)
        shape.context = context or default_context()
        shape._kept = None
        data = bytes(data)
        shape._take(create(lib.abut_shape_load, shape.context._owned().handle, data, len(data)))
        return shape

    def save(self, self_queries: bool = False) -> bytes:
        """Returns the shape as bytes, with its tree. `self_queries` also prepares queries within a body."""
        settings = lib.abut_shape_save_def_default()
        settings.self_queries = self_queries
        saved = Owner(create(lib.abut_shape_save, self._owned().handle, ctypes.byref(settings)),
                      lib.abut_shape_bytes_destroy)
        data = lib.abut_shape_bytes_data(saved.handle, place.count_reference)
        return ctypes.string_at(data, place.count.value)

    def _array(self, data: int, shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
        """Returns a read-only view of memory that lives as long as the shape."""
        return np.asarray(Memory(self._owned(), data, shape, np.dtype(dtype)))

    @property
    def faces(self) -> np.ndarray[Any, Any]:
        """The triangles: three vertices each."""
        mesh = lib.abut_shape_mesh(self._owned().handle)
        return self._array(lib.abut_mesh_triangles(mesh), (self.triangle_count, 3), np.uint32)

    @property
    def vertices(self) -> np.ndarray[Any, Any]:
        """The rest positions."""
        rest = lib.abut_mesh_rest_positions(lib.abut_shape_mesh(self._owned().handle))
        kind = np.float32 if rest.type == abi.ABUT_SCALAR_F32 else np.float64
        return self._array(rest.data, (rest.count, 3), kind)

    def inspect(self) -> MeshInfo:
        """Counts what the mesh has: components, open edges, degenerate triangles and more."""
        info = abi.abut_mesh_info()
        call(lib.abut_mesh_inspect, lib.abut_shape_mesh(self._owned().handle), ctypes.byref(info))
        counts = {name: getattr(info, name) for name in MeshInfo._fields[:-2]}
        lower, upper = ((corner[0], corner[1], corner[2]) for corner in (info.box.lo, info.box.hi))
        return MeshInfo(**counts, lower=lower, upper=upper)

    def __repr__(self) -> str:
        if self._owner is None:
            return "<abut.Shape, closed>"
        parts = [self.motion, f"{self.vertex_count} vertices",
                 f"{self.triangle_count} triangle{'s' * (self.triangle_count != 1)}"]
        if self.field_count:
            parts.append(f"{self.field_count} field{'s' * (self.field_count != 1)}")
        if self.node_count:
            parts.append(f"{self.node_count} node{'s' * (self.node_count != 1)}")
        return f"<abut.Shape, {', '.join(parts)}>"


class Memory:
    """Memory of the library as numpy sees it. It keeps the owner alive."""

    __slots__ = ("_owner", "__array_interface__")

    def __init__(self, owner: object, data: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._owner = owner
        self.__array_interface__ = {"data": (data, True), "shape": shape, "typestr": dtype.str, "version": 3}


def _mesh(context: Context, vertices: Array, elements: tuple[Array, Optional[Array], Optional[Array]],
          classes: Optional[Array], tags: Optional[Array]) -> Owner:
    """Makes a mesh of the library, which copies all arrays."""
    settings = lib.abut_mesh_def_default()
    settings.positions, kept = _arrays.positions(vertices, "vertices")
    triangles = _arrays.indices(elements[0], "faces", "triangle", 3)
    segments = _arrays.indices([] if elements[1] is None else elements[1], "segments", "triangle",
                               0 if elements[1] is None else 2)
    points = _arrays.indices([] if elements[2] is None else elements[2], "points", "triangle")
    settings.triangles, settings.triangle_count = _arrays.address(triangles), len(triangles)
    settings.segments, settings.segment_count = _arrays.address(segments), len(segments)
    settings.points, settings.point_count = _arrays.address(points), len(points)
    classes_array = None
    if classes is False:
        settings.class_rule = abi.ABUT_CLASS_RULE_NONE
    elif classes is not None:
        classes_array = _one_each(classes, "classes", "vertex", len(kept))
        settings.class_rule, settings.classes = abi.ABUT_CLASS_RULE_GIVEN, _arrays.address(classes_array)
    tags_array = None
    if tags is not None:
        tags_array = _one_each(tags, "tags", "triangle", len(triangles) + len(segments) + len(points))
        settings.tags = _arrays.address(tags_array)
    handle = create(lib.abut_mesh_create, context._owned().handle, ctypes.byref(settings))
    return Owner(handle, lib.abut_mesh_destroy, context._owned())


def _one_each(value: Array, name: str, element: str, count: int) -> np.ndarray[Any, Any]:
    array = _arrays.indices(value, name, element)
    if len(array) != count:
        raise ValueError(f"{name} must have one entry for each {element}, {count} in all, not {len(array)}")
    return array


def _settings(count: int, fields: Optional[Array], weights: Optional[Array], keys: Any, normalise: bool,
              ignored_tags: Any) -> tuple[Any, list[Any]]:
    """Returns the settings of the shape's maker, and the arrays that they point to."""
    kept: list[Any] = []
    if keys is not None:
        settings = lib.abut_flight_def_default()
        shape = settings.shape
        _set_keys(settings, keys, count, kept)
    elif weights is not None:
        settings = lib.abut_blend_def_default()
        shape = settings.shape
        _set_weights(settings.weights, weights, count, normalise, kept)
    elif fields is not None:
        settings = lib.abut_modal_def_default()
        shape = settings.shape
    else:
        settings = shape = lib.abut_shape_def_default()
    if fields is not None:
        _set_fields(settings, fields, count, kept)
    if ignored_tags is not None:
        pairs = _arrays.indices(np.asarray(ignored_tags).reshape(-1, 2), "ignored_tags", "entry", 2)
        shape.ignored_tags, shape.ignored_tag_pair_count = _arrays.address(pairs), len(pairs)
        kept.append(pairs)
    return settings, kept


def _set_fields(settings: Any, fields: Array, count: int, kept: list[Any]) -> None:
    if isinstance(fields, np.ndarray) and fields.ndim != 3:
        raise ValueError(f"fields must be an array of shape (f, {count}, 3), not {fields.shape}")
    views = (abi.abut_field * len(fields))()
    for number, field in enumerate(fields):
        view = views[number]
        if isinstance(field, tuple):
            moved = _arrays.indices(field[0], f"the vertices of field {number}", "entry")
            view.values, values = _arrays.positions(field[1], f"field {number}", len(moved))
            view.vertices = _arrays.address(moved)
            kept.append(moved)
        else:
            view.values, values = _arrays.positions(field, f"field {number}", count)
        kept.append(values)
    settings.fields, settings.field_count = ctypes.addressof(views), len(views)
    kept.append(views)


def _set_weights(view: Any, weights: Array, count: int, normalise: bool, kept: list[Any]) -> None:
    if hasattr(weights, "indptr"):  # a sparse matrix
        first, nodes, values = weights.indptr, weights.indices, weights.data
        rows, node_count = weights.shape
    elif isinstance(weights, tuple):
        nodes, values = np.asarray(weights[0]), np.asarray(weights[1])
        if nodes.ndim != 2 or nodes.shape != values.shape:
            raise ValueError(f"weights must be two arrays of one shape (n, k), not {nodes.shape} and {values.shape}")
        rows, node_count = len(nodes), int(weights[2] if len(weights) > 2 else nodes.max(initial=0) + 1)
        first = np.arange(rows + 1) * nodes.shape[1]
    else:
        dense = np.asarray(weights)
        if dense.ndim != 2:
            raise ValueError(f"weights must be an array of shape ({count}, nodes), not {dense.shape}")
        rows, node_count = dense.shape
        at, nodes = np.nonzero(dense)
        values = dense[at, nodes]
        first = np.searchsorted(at, np.arange(rows + 1))
    if rows != count:
        raise ValueError(f"weights must have {count} rows, one for each vertex, not {rows}")
    first_array = _arrays.indices(first, "the first influences", "vertex")
    nodes_array = _arrays.indices(np.ravel(nodes), "the nodes of weights", "entry")
    values_array = np.require(np.ravel(_arrays.numbers(values, "weights")), requirements=["C", "A"])
    view.node_count, view.first = node_count, _arrays.address(first_array)
    view.nodes, view.values = _arrays.address(nodes_array), _arrays.address(values_array)
    view.type, view.normalise = _arrays.type_of(values_array), normalise
    kept += [first_array, nodes_array, values_array]


def _set_keys(settings: Any, keys: Any, count: int, kept: list[Any]) -> None:
    times = _arrays.doubles(keys[0], "the times of keys")
    if len(keys[1]) != len(times):
        raise ValueError(f"keys must have as many positions as times: {len(times)}, not {len(keys[1])}")
    views = (abi.abut_keyframe * len(times))()
    for number, time in enumerate(times):
        views[number].time = time
        views[number].positions, array = _arrays.positions(keys[1][number], f"key {number}", count)
        kept.append(array)
    settings.keyframes, settings.keyframe_count = ctypes.addressof(views), len(views)
    kept.append(views)
