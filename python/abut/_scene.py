# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Scenes: bodies that are queried together, and all queries."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Iterator, NamedTuple, Optional

import numpy as np

from . import _arrays, _contours, _results, _volumes
from ._arrays import Array
from ._body import Body
from ._contours import Contours
from ._context import Context, Handle, Owner, default_context
from ._gate import Gate
from ._native import ArgumentError, abi, call, create, lib
from ._results import Kind, Lease, Rows, Shelves, copied
from ._shape import Shape

Filter = Callable[[int, int, int, int], bool]
_FILTER = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32,
                           ctypes.c_uint32)
_CULLINGS = {"tree": abi.ABUT_CULLING_TREE, "voronoi": abi.ABUT_CULLING_VORONOI}
ALL_GROUPS = 0xFFFFFFFFFFFFFFFF


class Counters:
    """The work of queries. Pass one to queries as `counters`; each adds to it."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts = abi.abut_counters()

    def __getattr__(self, name: str) -> int:
        if name.startswith("_"):
            raise AttributeError(name)
        count: int = getattr(self._counts, name)
        return count

    def __dir__(self) -> list[str]:
        return [name for name, _ in abi.abut_counters._fields_]

    def __repr__(self) -> str:
        counts = ((name, getattr(self._counts, name)) for name in self.__dir__())
        return f"Counters({', '.join(f'{name}={count}' for name, count in counts if count)})"


class Depth:
    """How deep two closed surfaces penetrate each other.

    `regions` has a row for each region of contact: moving body a by depth * direction separates it. `pairs` are the
    triangles that touch and `inside` those wholly inside the other body; a region names its part of both. `defined`
    is False if a surface is open, which has no depth. Pass this object as `last` to the next query of the same bodies:
    regions then keep their ids, and translations do not jump.
    """

    __slots__ = ("regions", "pairs", "inside", "defined", "_lease")

    def __init__(self, lease: Lease) -> None:
        handle = lease.owner.handle
        self._lease: Optional[Lease] = lease
        self.defined: bool = lib.abut_depth_result_defined(handle)
        self.regions = copied(lib.abut_depth_result_regions, handle, _results.DEPTH.dtype)
        self.pairs = copied(lib.abut_depth_result_pairs, handle, _results.COLLIDE.dtype)
        self.inside = copied(lib.abut_depth_result_inside, handle, np.dtype(np.uint32))

    @property
    def depth(self) -> float:
        """The largest depth of all regions; 0 without contact."""
        return float(self.regions["depth"].max(initial=0.0))

    def __repr__(self) -> str:
        if not self.defined:
            return "<abut.Depth, undefined: a surface is open>"
        return f"<abut.Depth, {len(self.regions)} regions, depth {self.depth:g}>"


class Sides(NamedTuple):
    """On which side of a closed surface points are."""

    side: Rows  #: OUTSIDE, INSIDE, SURFACE or UNDEFINED (the surface is open) for each point
    winding: Rows  #: the winding number of the surface around each point


OUTSIDE: int = abi.ABUT_SIDE_OUTSIDE
INSIDE: int = abi.ABUT_SIDE_INSIDE
SURFACE: int = abi.ABUT_SIDE_SURFACE
PARTLY: int = abi.ABUT_SIDE_PARTLY
UNDEFINED: int = abi.ABUT_SIDE_UNDEFINED


def _refuse_filter(options: dict[str, Any]) -> None:
    if options.get("filter") is not None:
        raise TypeError("this query has no option 'filter'")


class _Filter:
    """A filter in Python. It keeps the first exception, which is raised when the query has ended."""

    def __init__(self, function: Filter) -> None:
        self.function = function
        self.error: Optional[BaseException] = None
        self.native = _FILTER(self._ask)

    def _ask(self, _: Any, body_a: int, triangle_a: int, body_b: int, triangle_b: int) -> bool:
        if self.error is None:
            try:
                return bool(self.function(body_a, triangle_a, body_b, triangle_b))
            except BaseException as error:  # raised again by Scene._ask
                self.error = error
        return False


class Scene(Handle):
    """Bodies that are queried together.

    Queries return structured arrays, sorted and complete; bodies in them are numbers, see Scene.body(). Any number of
    threads may ask at once; changes of bodies wait until queries have ended.

    Most queries take these options: `filter`, called as filter(body_a, triangle_a, body_b, triangle_b), excludes pairs
    by returning False; `counters` counts the work; `culling` ("tree" or "voronoi") chooses how pairs are found, which
    changes no answer; `any=True` stops at the first pair and returns whether there is one.

    >>> import abut
    >>> scene = abut.Scene()
    >>> tip = scene.add(abut.Shape([[0, 0, -1.], [1, 0, 1], [0, 1, 1]], [[0, 1, 2]]))
    >>> floor = scene.add(abut.Shape([[-9., -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]]))
    >>> scene.collide(tip, floor)[["triangle_a", "triangle_b"]].tolist()
    [(0, 0)]
    >>> tip.positions = [[0, 0, 1.], [1, 0, 3], [0, 1, 3]]
    >>> len(scene.collide(tip, floor))
    0
    >>> scene.nearest(tip, floor)["distance"].tolist()
    [1.0]
    """

    __slots__ = ("context", "_gate", "_shelves", "_bodies")

    def __init__(self, *, pool_bytes: Optional[int] = None, context: Optional[Context] = None) -> None:
        self.context = context or default_context()
        settings = lib.abut_scene_def_default()
        if pool_bytes is not None:
            settings.pool_bytes = pool_bytes
        owner = self.context._owned()
        self._owner = Owner(create(lib.abut_scene_create, owner.handle, ctypes.byref(settings)),
                            lib.abut_scene_destroy, owner)
        self._gate = Gate()
        self._shelves = Shelves(owner)
        self._bodies: dict[int, Body] = {}

    def close(self) -> None:
        """Frees the scene and its bodies when the queries that run have ended. Closing twice is fine."""
        if getattr(self, "_owner", None) is not None:
            with self._gate.writing_alone:
                self._owner = None
                self._bodies = {}

    # ---- bodies

    def add(self, shape: Shape, *, frame: Optional[Array] = None, static: bool = False, groups: int = 1,
            mask: int = ALL_GROUPS, name: str = "") -> Body:
        """Adds a body at the shape's rest positions.

        Two static bodies are never tested with each other. Bodies meet if each has a bit of the other's groups in its
        mask; queries about two given bodies ignore that.
        """
        if not isinstance(shape, Shape):
            raise TypeError(f"a body needs an abut.Shape, not {type(shape).__name__}")
        settings = lib.abut_body_def_default()
        settings.frame = _arrays.frame(frame)
        settings.is_static = bool(static)
        settings.groups, settings.mask = groups, mask
        identifier = abi.abut_body_id()
        with self._gate.writing_alone:
            call(lib.abut_body_create, self._owned().handle, shape._owned().handle, ctypes.byref(settings),
                 ctypes.byref(identifier))
            body = Body(self, shape, identifier, name)
            self._bodies[body.index] = body
        return body

    def _forget(self, body: Body) -> None:
        with self._gate.writing_alone:
            call(lib.abut_body_destroy, self._owned().handle, body._id)
            self._bodies.pop(body.index, None)

    def body(self, index: int) -> Body:
        """Returns the body that results call `index`."""
        try:
            return self._bodies[int(index)]
        except KeyError:
            raise ArgumentError(f"the scene has no body {index}") from None

    def __iter__(self) -> Iterator[Body]:
        return iter(list(self._bodies.values()))

    def __len__(self) -> int:
        return len(self._bodies)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        if getattr(self, "_owner", None) is None:
            return "<abut.Scene, closed>"
        triangles = sum(body.shape.triangle_count for body in self)
        return f"<abut.Scene, {len(self)} bod{'y' if len(self) == 1 else 'ies'}, {triangles} triangles>"

    def _id(self, body: Body) -> Any:
        if not isinstance(body, Body):
            raise TypeError(f"an abut.Body is needed, not {type(body).__name__}")
        if body.scene is not self:
            raise ArgumentError(f"{body!r} is in another scene")
        return body._id

    # ---- how all queries run

    def _settings(self, default: Any, options: dict[str, Any]) -> tuple[Any, Optional[_Filter]]:
        """Returns a def with the options, or None for the defaults, and the filter among them."""
        if not options:
            return None, None
        settings, asked = default(), None
        for name, value in options.items():
            if value is None:
                continue
            if name == "counters":
                settings.head.counters = ctypes.addressof(value._counts)
            elif name == "filter":
                asked = _Filter(value)
                settings.filter.fn = ctypes.cast(asked.native, ctypes.c_void_p)
            elif name == "culling":
                if value not in _CULLINGS:
                    raise ArgumentError(f"culling must be one of {', '.join(_CULLINGS)}, not {value!r}")
                settings.culling.kind = _CULLINGS[value]
            elif hasattr(settings, name):
                setattr(settings, name, value)
            else:
                raise TypeError(f"this query has no option '{name}'")
        return settings, asked

    def _run(self, function: Any, lease: Lease, default: Any, options: dict[str, Any], *arguments: Any) -> Any:
        """Runs a query into a leased result."""
        settings, asked = self._settings(default, options)
        with self._gate.reading:
            handle = self._owned().handle
            reference = None if settings is None else ctypes.byref(settings)
            call(function, handle, *arguments, reference, lease.owner.handle)
        if asked is not None and asked.error is not None:
            raise asked.error
        return settings

    def _ask(self, kind: Kind, function: Any, default: Any, options: dict[str, Any], *arguments: Any,
             question: Any = None) -> Any:
        """Runs a query and returns its rows, or with `any` whether there is one."""
        lease = self._shelves.lease(kind, question)
        settings = self._run(function, lease, default, options, *arguments)
        if settings is not None and getattr(settings, "any", False):
            return bool(kind.found(lease.owner.handle))
        rows = kind.array(lease)
        if settings is not None and getattr(settings, "intersections", False):
            return rows, self._intersections(lease)
        return rows

    @staticmethod
    def _intersections(lease: Lease) -> Rows:
        return copied(lib.abut_collide_result_intersections, lease.owner.handle, _results.INTERSECTION)

    # ---- collision

    def collide(self, a: Body, b: Body, **options: Any) -> Any:
        """Finds all pairs of triangles of two bodies that touch.

        `margin`: triangles at most this far apart count, decided exactly. `intersections=True` returns two arrays:
        the pairs, and the points that each shares.
        """
        return self._ask(_results.COLLIDE, lib.abut_collide, lib.abut_collide_def_default, options,
                         self._id(a), self._id(b))

    def collide_self(self, body: Body, **options: Any) -> Any:
        """Finds all pairs of triangles within a body that touch and share no vertex.

        Options as in collide(), and `include_neighbours`: also pairs that share a vertex, if they share more than
        that.
        """
        return self._ask(_results.COLLIDE, lib.abut_collide_self, lib.abut_collide_def_default, options,
                         self._id(body))

    def collide_all(self, **options: Any) -> Any:
        """collide() for all pairs of bodies."""
        return self._ask(_results.COLLIDE, lib.abut_collide_all, lib.abut_collide_def_default, options)

    def collide_self_all(self, **options: Any) -> Any:
        """collide_self() for all bodies that are not static."""
        return self._ask(_results.COLLIDE, lib.abut_collide_self_all, lib.abut_collide_def_default, options)

    # ---- sweeps

    def sweep(self, a: Body, b: Body, **options: Any) -> Any:
        """Finds all vertex-face and edge-edge contacts of two bodies in the last step, with their times from 0 to 1.

        A step goes from the state before the current one to the current one. No contact is missed. `margin`: the
        distance that counts as touching; `tolerance`: how close a reported contact comes, in edge lengths;
        `earliest_only`: only contacts at the earliest time.
        """
        return self._ask(_results.SWEEP, lib.abut_sweep, lib.abut_sweep_def_default, options,
                         self._id(a), self._id(b))

    def sweep_self(self, body: Body, **options: Any) -> Any:
        """sweep() within one body, between features that share no vertex."""
        return self._ask(_results.SWEEP, lib.abut_sweep_self, lib.abut_sweep_def_default, options, self._id(body))

    def sweep_all(self, **options: Any) -> Any:
        """sweep() for all pairs of bodies."""
        return self._ask(_results.SWEEP, lib.abut_sweep_all, lib.abut_sweep_def_default, options)

    def sweep_self_all(self, **options: Any) -> Any:
        """sweep_self() for all bodies that are not static."""
        return self._ask(_results.SWEEP, lib.abut_sweep_self_all, lib.abut_sweep_def_default, options)

    # ---- distance

    def nearest(self, a: Body, b: Body, **options: Any) -> Any:
        """Finds the closest pair of triangles of two bodies: one row, or none beyond `max_distance`."""
        return self._ask(_results.NEAREST, lib.abut_nearest, lib.abut_nearest_def_default, options,
                         self._id(a), self._id(b), question=(a.index, b.index))

    def nearest_all(self, **options: Any) -> Any:
        """Finds for every body the closest other one."""
        return self._ask(_results.NEAREST, lib.abut_nearest_all, lib.abut_nearest_def_default, options,
                         question="all")

    def nearest_triangles(self, body: Body, **options: Any) -> Any:
        """Finds for every triangle of a body the closest triangle of any other body."""
        return self._ask(_results.NEAREST, lib.abut_nearest_triangles, lib.abut_nearest_def_default, options,
                         self._id(body), question=body.index)

    def nearest_self(self, body: Body, **options: Any) -> Any:
        """Finds for every triangle of a body the closest one of the same body that shares no vertex with it."""
        return self._ask(_results.NEAREST, lib.abut_nearest_self, lib.abut_nearest_def_default, options,
                         self._id(body), question=(body.index,))

    def within(self, a: Body, b: Body, distance: float, **options: Any) -> Any:
        """Finds all pairs of triangles of two bodies at most `distance` apart, with distances and closest points."""
        return self._ask(_results.WITHIN, lib.abut_within, lib.abut_within_def_default,
                         {"distance": distance, **options}, self._id(a), self._id(b))

    def within_self(self, body: Body, distance: float, **options: Any) -> Any:
        """within() within one body, for triangles that share no vertex."""
        return self._ask(_results.WITHIN, lib.abut_within_self, lib.abut_within_def_default,
                         {"distance": distance, **options}, self._id(body))

    def within_all(self, distance: float, **options: Any) -> Any:
        """within() for all pairs of bodies."""
        return self._ask(_results.WITHIN, lib.abut_within_all, lib.abut_within_def_default,
                         {"distance": distance, **options})

    def features(self, a: Body, b: Body, distance: float, **options: Any) -> Any:
        """Finds all pairs of a vertex and a face, and of two edges, of two bodies at most `distance` apart.

        Each pair is there once, and the list is complete, decided exactly: what barrier and penalty methods need. A row
        has the kind (0 vertex of a and face of b, 1 face of a and vertex of b, 2 two edges), the vertices of both
        features, the weights of the closest points, the normal from b to a, and `distance_sq`. Body.thickness of both
        counts in addition.
        """
        return self._features(lib.abut_features, distance, options, self._id(a), self._id(b))

    def features_self(self, body: Body, distance: float, **options: Any) -> Any:
        """features() within one body, for features that share no vertex."""
        return self._features(lib.abut_features_self, distance, options, self._id(body))

    def features_all(self, distance: float, **options: Any) -> Any:
        """features() for all pairs of bodies."""
        return self._features(lib.abut_features_all, distance, options)

    def features_self_all(self, distance: float, **options: Any) -> Any:
        """features_self() for all bodies that are not static."""
        return self._features(lib.abut_features_self_all, distance, options)

    def _features(self, function: Any, distance: float, options: dict[str, Any], *arguments: Any) -> Any:
        return self._ask(_results.FEATURES, function, lib.abut_features_def_default,
                         {"distance": distance, **options}, *arguments)

    # ---- contours

    def contours(self, pairs: Rows, *, counters: Optional[Counters] = None) -> Contours:
        """Chains what pairs of triangles share to lines along which surfaces cut each other.

        `pairs` are those that a collide query returned; no body may have changed since. The lines are closed where both
        surfaces are, and an open end says why it ends.

        >>> import abut
        >>> scene = abut.Scene()
        >>> peak = [[-1., -1, -1], [1, -1, -1], [0, 1, -1], [0, 0, 1]]
        >>> tip = scene.add(abut.Shape(peak, [[0, 1, 3], [1, 2, 3], [2, 0, 3]]))
        >>> floor = scene.add(abut.Shape([[-9., -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]]))
        >>> [line] = scene.contours(scene.collide(tip, floor))
        >>> line.closed, line.triangles.tolist()
        (True, [[0, 0], [2, 0], [1, 0]])
        """
        at, count, kept = _contours.pairs_of(pairs)
        lease = self._shelves.lease(_results.CONTOUR, None)
        self._run(lib.abut_contour_trace, lease, lib.abut_contour_def_default, {"counters": counters}, at, count)
        del kept
        return Contours(lease)

    # ---- selection

    def select_box(self, low: Array, high: Array, body: Optional[Body] = None, **options: Any) -> Any:
        """Finds the triangles that reach into a box, of one body or of all; decided exactly.

        A row has body, triangle and `whole`: all of it is in the box. Parts of bodies that are wholly inside or outside are
        not evaluated.

        >>> import abut
        >>> scene = abut.Scene()
        >>> body = scene.add(abut.Shape([[0., 0, 0], [1, 0, 0], [0, 1, 0], [5, 0, 0]], [[0, 1, 2], [1, 3, 2]]))
        >>> scene.select_box([-1, -1, -1], [1, 1, 1])[["triangle", "whole"]].tolist()
        [(0, True), (1, False)]
        """
        return self._select(_volumes.box(low, high), body, options)

    def select_ball(self, centre: Array, radius: float, body: Optional[Body] = None, **options: Any) -> Any:
        """select_box() for a ball."""
        return self._select(_volumes.ball(centre, radius), body, options)

    def select_planes(self, planes: Array, body: Optional[Body] = None, **options: Any) -> Any:
        """select_box() for what up to 16 half-spaces have in common, such as a frustum.

        A row of `planes` is x, y, z, offset: the points p with (x, y, z) . p <= offset.
        """
        return self._select(_volumes.planes(planes), body, options)

    def select_frustum(self, matrix: Array, body: Optional[Body] = None, **options: Any) -> Any:
        """select_planes() for what a camera sees: the points that a 4 x 4 projection matrix maps to -w <= x, y, z <= w.

        The matrix is for column vectors and maps world coordinates. The numbers of the planes are rounded sums of its rows.
        """
        return self._select(_volumes.planes(_volumes.frustum(matrix)), body, options)

    def _select(self, volume: tuple[Any, Any], body: Optional[Body], options: dict[str, Any]) -> Any:
        function, about = self._about(body, lib.abut_select, lib.abut_select_all)
        return self._ask(_results.SELECT, function, lib.abut_select_def_default, options, *about,
                         ctypes.byref(volume[0]))

    # ---- rays and points

    def cast(self, origins: Array, directions: Array, body: Optional[Body] = None, *, all: bool = False,
             segments: bool = False, **options: Any) -> Any:
        """Finds the first triangle that each ray meets, of one body or of all: a row for each ray that meets one.

        Which triangles a ray meets, and which one comes first, is decided exactly; a ray never slips through an edge. A row
        has the ray's number, body, triangle, side (0 front, 1 back, 2 edge-on), t and weights of the corners. `all=True`
        gives all hits in their order. `segments=True`: `directions` are end points, and rays end there. `radius=r`, with
        segments: a sphere of this radius moves along each, and `t` is where it first touches a triangle.
        """
        first, kept = _arrays.positions(origins, "origins")
        second, kept_too = _arrays.positions(directions, "directions", len(kept))
        rays = abi.abut_rays(origins=first, directions=second, to_ends=segments)
        _refuse_filter(options)
        options["mode"] = abi.ABUT_CAST_ALL if all else abi.ABUT_CAST_FIRST
        function, about = self._about(body, lib.abut_cast, lib.abut_cast_all)
        found = self._ask(_results.CAST, function, lib.abut_cast_def_default, options, *about, rays)
        del kept, kept_too
        return found

    def closest(self, points: Array, body: Optional[Body] = None, **options: Any) -> Any:
        """Finds the triangle closest to each point, of one body or of all, with the distance and the closest point on it.

        `max_distance`: triangles farther away do not count, decided exactly. `most`: rows a point, nearest first; 0: all
        within `max_distance`. `sign=True`: distances to closed surfaces are negative inside.
        """
        view, kept = _arrays.positions(points, "points")
        _refuse_filter(options)
        function, about = self._about(body, lib.abut_closest, lib.abut_closest_all)
        number = None if body is None else body.index
        found = self._ask(_results.CLOSEST, function, lib.abut_closest_def_default, options, *about, view,
                          question=number)
        del kept
        return found

    def _about(self, body: Optional[Body], one: Any, all_bodies: Any) -> tuple[Any, tuple[Any, ...]]:
        """Returns the call for one body, or for all, and its first arguments."""
        return (all_bodies, ()) if body is None else (one, (self._id(body),))

    # ---- penetration and containment

    def depth(self, a: Body, b: Body, last: Optional[Depth] = None, **options: Any) -> Depth:
        """Finds how deep two closed surfaces penetrate each other, and the translations that separate them.

        `last`: the answer of the last step, which this one continues. `one_region`: one translation for all contact.
        `shortest`: the shortest translations, even if they jump from step to step.
        """
        return self._depth(lib.abut_depth, last, options, self._id(a), self._id(b))

    def depth_self(self, body: Body, last: Optional[Depth] = None, **options: Any) -> Depth:
        """depth() of a body with itself."""
        return self._depth(lib.abut_depth_self, last, options, self._id(body))

    def _depth(self, function: Any, last: Optional[Depth], options: dict[str, Any], *arguments: Any) -> Depth:
        lease = None
        if last is not None:
            if not isinstance(last, Depth):
                raise TypeError(f"last must be an abut.Depth, not {type(last).__name__}")
            lease, last._lease = last._lease, None
            if lease is None:
                raise ArgumentError("this depth was continued already: pass the newest one as `last`")
        if lease is None:
            lease = self._shelves.lease(_results.DEPTH, None)
            lib.abut_depth_result_clear(lease.owner.handle)
        self._run(function, lease, lib.abut_depth_def_default, options, *arguments)
        return Depth(lease)

    def contains_points(self, body: Body, points: Array, **options: Any) -> Sides:
        """Finds on which side of a body's closed surface each point is, exactly."""
        view, kept = _arrays.positions(points, "points")
        lease = self._shelves.lease(_results.CONTAINS, None)
        self._run(lib.abut_contains_points, lease, lib.abut_contains_def_default, options, self._id(body), view)
        del kept
        handle = lease.owner.handle
        return Sides(copied(lib.abut_contains_result_sides, handle, np.dtype(np.int32)),
                     copied(lib.abut_contains_result_windings, handle, np.dtype(np.int32)))

    def winding_numbers(self, body: Body, points: Array, **options: Any) -> Rows:
        """Computes the generalized winding number of a body's surface around each point: how far it surrounds them.

        The surface may be open. Around a closed one the number is an integer up to rounding; at least 1/2 is often taken
        for the inside.

        >>> import abut
        >>> scene = abut.Scene()
        >>> corners = [[-1., -1, -1], [2, 0, 0], [0, 2, 0], [0, 0, 2]]
        >>> body = scene.add(abut.Shape(corners, [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]))
        >>> scene.winding_numbers(body, [[0, 0, 0], [9, 9, 9]]).round(9) + 0
        array([1., 0.])
        """
        view, kept = _arrays.positions(points, "points")
        lease = self._shelves.lease(_results.CONTAINS, None)
        self._run(lib.abut_contains_winding_numbers, lease, lib.abut_contains_def_default, options, self._id(body),
                  view)
        del kept
        return copied(lib.abut_contains_result_winding_numbers, lease.owner.handle, np.dtype(np.float64))

    def contains_body(self, outer: Body, inner: Body, **options: Any) -> int:
        """Finds on which side of `outer` the whole of `inner` is: OUTSIDE, INSIDE, SURFACE, PARTLY or UNDEFINED."""
        lease = self._shelves.lease(_results.CONTAINS, None)
        self._run(lib.abut_contains_body, lease, lib.abut_contains_def_default, options,
                  self._id(outer), self._id(inner))
        return int(copied(lib.abut_contains_result_sides, lease.owner.handle, np.dtype(np.int32))[0])

    # ---- animations

    def intervals(self, a: Body, b: Body, start: float, stop: float, **options: Any) -> Any:
        """Finds when triangles of two bodies touch between two times; at least one is animated by keys."""
        return self._ask(_results.INTERVALS, lib.abut_intervals, lib.abut_intervals_def_default, options,
                         self._id(a), self._id(b), float(start), float(stop))

    def intervals_self(self, body: Body, start: float, stop: float, **options: Any) -> Any:
        """intervals() within one body that is animated by keys."""
        return self._ask(_results.INTERVALS, lib.abut_intervals_self, lib.abut_intervals_def_default, options,
                         self._id(body), float(start), float(stop))
