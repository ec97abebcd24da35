# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Arrays of all types and layouts give the same answer, or an error that names what is wrong."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Callable

import numpy as np
import pytest
from conftest import cube, wavy_sheet

import abut

V, F = wavy_sheet(12)
V32 = V.astype(np.float32)
OTHER, OTHER_F = wavy_sheet(12, phase=2.0)


def answer(vertices: Any, faces: Any) -> Any:
    return abut.collide(vertices, faces, OTHER, OTHER_F).tolist()


EXPECTED = answer(V, F)
EXPECTED32 = answer(V32.astype(float), F)


def in_wider_rows(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    wide = np.full((len(array), 5), np.nan, array.dtype)
    wide[:, 1:4] = array
    return wide[:, 1:4]


def unaligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    raw = np.zeros(array.nbytes + 1, np.uint8)
    made = raw[1:].view(array.dtype).reshape(array.shape)
    made[:] = array
    return made


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    made = array.copy()
    made.flags.writeable = False
    return made


LAYOUTS: list[Callable[[Any], Any]] = [
    lambda a: a, in_wider_rows, unaligned, read_only, np.asfortranarray, lambda a: a[::-1].copy()[::-1],
    lambda a: a.astype(a.dtype.newbyteorder()), lambda a: a.tolist(),
]


def test_layouts_of_vertices() -> None:
    assert EXPECTED and EXPECTED32
    for layout in LAYOUTS:
        assert answer(layout(V), F) == EXPECTED
        assert answer(layout(V32), F) == EXPECTED32
    assert answer(V.astype(np.longdouble), F) == EXPECTED


def test_types_of_faces() -> None:
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, ">i4"):
        assert answer(V, F.astype(kind) if np.iinfo(kind).max > F.max() else F) == EXPECTED
    assert answer(V, F.tolist()) == EXPECTED
    assert answer(V, np.asfortranarray(F)) == EXPECTED


def test_states_in_all_layouts(scene: abut.Scene) -> None:
    body = scene.add(abut.Shape(V, F))
    for layout in LAYOUTS:
        body.positions = V + 1
        body.positions = layout(V)
        assert (body.positions == V).all()
        body.borrow(layout(V32))
        assert (body.positions == V32).all()


def test_results_live_on(scene: abut.Scene) -> None:
    a, b = scene.add(abut.Shape(V, F)), scene.add(abut.Shape(OTHER, OTHER_F))
    first = scene.collide(a, b)
    copy = first.copy()
    a.positions = V + [0, 0, 5]
    assert len(scene.collide(a, b)) == 0
    again = [scene.collide_all(margin=m) for m in (5.0, 4.9, 4.8)]
    assert (first == copy).all() and not first.flags.writeable
    assert len({rows.ctypes.data for rows in again} | {first.ctypes.data}) == 4
    scene.close()
    assert (first == copy).all()


def test_wrong_arrays() -> None:
    nan = V.copy()
    nan[17, 1] = np.nan
    far = F.copy()
    far[5, 2] = len(V)
    with pytest.raises(abut.DataError) as told:
        abut.Shape(nan, F)
    assert (told.value.element, told.value.index) == ("vertex", 17)
    with pytest.raises(abut.DataError) as told:
        abut.Shape(V, far)
    assert (told.value.element, told.value.index) == ("triangle", 5)
    with pytest.raises(abut.DataError) as told:
        abut.Shape(V, np.where(F == F[7, 0], -1, F))
    assert told.value.element == "triangle"
    wrong: list[tuple[Any, Any, type[Exception]]] = [
        (V[:, :2], F, ValueError), (V.ravel(), F, ValueError), (V, F[:, :2], ValueError), (V, F.astype(float), TypeError),
        (V.astype(complex), F, TypeError), (V.astype(object), F, TypeError), (np.array(["a"]), F, TypeError),
        (None, F, TypeError), (V, None, TypeError), (V, "faces", (TypeError, ValueError)),  # type: ignore[list-item]
        (V[:0], F, abut.Error), (V, F[:0], abut.Error), ([], [], (abut.Error, ValueError)),  # type: ignore[list-item]
        (V, F + 2**40, abut.DataError), (V.astype("M8[s]"), F, TypeError),
    ]
    for vertices, faces, kind in wrong:
        with pytest.raises(kind):
            abut.Shape(vertices, faces)


def test_wrong_states(scene: abut.Scene) -> None:
    n = len(V)
    free = scene.add(abut.Shape(V, F))
    modal = scene.add(abut.Shape(V, F, fields=np.ones((2, n, 3))))
    blend = scene.add(abut.Shape(V, F, weights=np.ones((n, 1))))
    flight = scene.add(abut.Shape(V, F, keys=([0, 1], [V, V + 1])))
    before = [body.positions for body in scene]
    nan = V.copy()
    nan[3] = np.inf
    wrong: list[tuple[Any, str, Any]] = [
        (free, "positions", V[:-1]), (free, "positions", nan), (free, "positions", None), (free, "coordinates", [1, 2]),
        (free, "time", 1), (free, "transforms", np.eye(4)[None]), (modal, "coordinates", [1]), (modal, "coordinates", 3),
        (modal, "coordinates", [1, np.nan]), (modal, "positions", V), (blend, "transforms", np.eye(4)),
        (blend, "transforms", np.zeros((1, 4, 4))), (blend, "transforms", np.zeros((2, 3, 4))),
        (blend, "transforms", np.full((1, 3, 4), np.nan)), (flight, "time", np.nan), (flight, "time", "now"),
        (free, "frame", np.zeros((4, 4))), (free, "frame", np.eye(3)), (free, "frame", np.full((3, 4), np.nan)),
    ]
    for body, name, value in wrong:
        with pytest.raises((abut.Error, ValueError, TypeError)):
            setattr(body, name, value)
    for body, old in zip(scene, before):
        assert (body.positions == old).all()


def test_wrong_settings() -> None:
    n = len(V)
    wrong: list[dict[str, Any]] = [
        {"fields": np.ones((2, n, 2))}, {"fields": np.ones((n, 3))}, {"fields": [np.ones((n - 1, 3))]},
        {"fields": [([0, n], np.ones((2, 3)))]}, {"fields": [([1, 0], np.ones((2, 3)))]}, {"fields": 3},
        {"weights": np.ones((n, 2))}, {"weights": np.ones(n)}, {"weights": np.ones((n + 1, 1))},
        {"weights": (np.zeros((n, 1)), np.ones((n, 1)))}, {"weights": (np.zeros((n, 2), int), np.ones((n, 1)))},
        {"keys": ([0, 1], [V])}, {"keys": ([1, 0], [V, V])}, {"keys": ([0], [V[:5]])}, {"keys": 7},
        {"keys": ([0, np.nan], [V, V])}, {"keys": ([0, 1], [V, V]), "fields": np.ones((1, n, 3))},
        {"classes": np.zeros(3, int)}, {"tags": np.zeros(len(F) + 1, int)}, {"tags": np.zeros(len(F))},
    ]
    for options in wrong:
        with pytest.raises((abut.Error, ValueError, TypeError)):
            abut.Shape(V, F, **options)


def test_weights_in_all_forms(scene: abut.Scene) -> None:
    n, random = len(V), np.random.default_rng(1)
    dense = random.integers(0, 3, (n, 4)) + np.eye(4)[np.arange(n) % 4]
    dense /= dense.sum(axis=1, keepdims=True)
    nodes = np.broadcast_to(np.arange(4), (n, 4))
    at, columns = np.nonzero(dense)
    sparse = SimpleNamespace(indptr=np.searchsorted(at, np.arange(n + 1)), indices=columns, data=dense[at, columns],
                             shape=(n, 4))
    pose = np.eye(3, 4) + random.normal(size=(4, 3, 4))
    found = []
    for weights in (dense, (nodes, dense), (nodes, dense, 4), sparse):
        body = scene.add(abut.Shape(V, F, weights=weights))
        body.transforms = pose
        found.append(body.positions)
    expected = np.einsum("ij,jab,ib->ia", dense, pose, np.c_[V, np.ones(n)])
    assert np.abs(found[0] - expected).max() < 1e-12
    assert all((f == found[0]).all() for f in found)


def test_sparse_fields(scene: abut.Scene) -> None:
    moved, by = np.array([3, 9]), np.array([[1, 2, 3], [4, 5, 6.0]])
    body = scene.add(abut.Shape(V, F, fields=[(moved, by)]))
    body.coordinates = [2.0]
    expected = V.copy()
    expected[moved] += 2 * by
    assert (body.positions == expected).all()


def test_tags(scene: abut.Scene) -> None:
    vertices = np.concatenate([V, OTHER])
    faces = np.concatenate([F, OTHER_F + len(V)])
    tags = np.repeat([1, 2], [len(F), len(OTHER_F)])
    body = scene.add(abut.Shape(vertices, faces))
    assert len(scene.collide_self(body)) >= len(EXPECTED) > 0
    body = scene.add(abut.Shape(vertices, faces, tags=tags, ignored_tags=[(1, 2)]))
    assert len(scene.collide_self(body)) == 0


def test_objects_of_other_libraries() -> None:
    corners, faces = cube()
    objects = [
        SimpleNamespace(vertices=corners, faces=faces), SimpleNamespace(vertices=corners, triangles=faces),
        SimpleNamespace(points=corners, regular_faces=faces),
        SimpleNamespace(points=corners, cells_dict={"triangle": faces}),
    ]
    for mesh in objects:
        shape = abut.Shape(mesh)
        assert (shape.faces == faces).all() and (shape.vertices == corners).all()
    with pytest.raises(TypeError, match="faces are missing"):
        abut.Shape(corners)
    with pytest.raises(ValueError, match="no triangles"):
        abut.Shape(SimpleNamespace(points=corners, cells_dict={"quad": faces}))


def test_a_mesh_of_vtk() -> None:
    vtk = pytest.importorskip("vtkmodules.vtkFiltersSources")
    ball = vtk.vtkSphereSource()
    ball.Update()
    shape = abut.Shape(ball.GetOutput())
    assert shape.inspect().boundary_edges == 0 and shape.triangle_count == 96


def test_inspection_and_saving() -> None:
    shape = abut.Shape(*cube(2.0))
    info = shape.inspect()
    assert (info.vertices, info.triangles, info.components, info.boundary_edges) == (8, 12, 1, 0)
    assert (info.lower, info.upper) == ((-1, -1, -1), (1, 1, 1))
    saved = shape.save()
    again = abut.Shape.load(saved)
    assert (again.vertices == shape.vertices).all() and again.save() == saved
    for damaged in (b"", saved[:-1], saved[:40] + b"x" + saved[41:], b"0" * 100):
        with pytest.raises(abut.Error):
            abut.Shape.load(damaged)
