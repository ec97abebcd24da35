# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""load() gives the bodies that the command checks: the same pairs and contours in every frame, for all kinds of files."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import cube, wavy_sheet
from test_check import command, write_obj

import abut

DATA = Path(os.environ.get("ABUT_SHARED_DATA", "/nowhere")) / "gltf"
assert command  # the fixture: skips without the command


def compare_with_check(path: Any, **options: Any) -> int:
    """Compares pairs and contours of all frames with those of the command. Returns how many pairs there are."""
    model = abut.load(path, **options)
    told = abut.check(path, pairs=True, between=len(model) > 1, self=True, **options)
    scene = abut.Scene()
    bodies = model.add_to(scene)
    assert [body.name for body in bodies] == [entry["name"] for entry in told.json["objects"]]
    assert len(told.frames) == model.frame_count
    assert [frame["time"] for frame in told.frames] == model.times.tolist()
    total = 0
    for number, frame in enumerate(told.frames):
        model.show(bodies, number)
        rows = [*scene.collide_all(), *scene.collide_self_all()]
        found = [[[int(r["body_a"]), int(r["body_b"])], [int(r["triangle_a"]), int(r["triangle_b"])]] for r in rows]
        wanted = [[[entry["a"], entry.get("b", entry["a"])], pair] for kind in ("between", "self")
                  for entry in frame.get(kind, []) for pair in entry["list"]]
        assert found == wanted, f"{path}, frame {number}"
        total += len(found)
        lines = [*scene.contours(scene.collide_all()), *scene.contours(scene.collide_self_all())]
        assert sorted(line.points.tolist() for line in lines) == sorted(line["points"] for line in frame["contours"])
    return total


# ---- meshes and sequences


def test_a_mesh(tmp_path: Path) -> None:
    vertices, faces = wavy_sheet(9)
    path = write_obj(tmp_path / "a.obj", vertices, faces)
    model = abut.load(path)
    assert (model.vertices == vertices).all() and (model.faces == faces).all() and model.frame_count == len(model) == 1
    assert repr(model) == "<abut.Model, 1 part, 1 frame>" and "128 triangles" in repr(model.parts[0])
    assert abut.self_intersections(model).tolist() == abut.self_intersections(vertices, faces).tolist()
    assert compare_with_check(path) == 0


def test_a_sequence(tmp_path: Path) -> None:
    for frame in range(4):
        first, faces = wavy_sheet(10, phase=frame)
        second, _ = wavy_sheet(10, 0.1, phase=9 - frame)
        write_obj(tmp_path / f"both_{frame:03d}.obj", np.concatenate([first, second]),
                  np.concatenate([faces, faces + 100]))
    assert compare_with_check(tmp_path / "both_*.obj") > 20
    assert abut.load(tmp_path / "both_*.obj", frames="1:2").frame_count == 2
    write_obj(tmp_path / "both_004.obj", first, faces)
    with pytest.raises(abut.CheckError, match="triangles change in frame 4"):
        abut.load(tmp_path / "both_*.obj")


def test_a_cache(tmp_path: Path) -> None:
    vertices, faces = wavy_sheet(8)
    path = write_obj(tmp_path / "a.obj", vertices, faces)
    frames = np.stack([vertices, vertices * [1, 1, -9], vertices @ np.diag([0.1, 1, 4])])
    np.save(tmp_path / "a.npy", frames)
    model = abut.load(f"{path}+{tmp_path}/a.npy")
    assert model.parts[0].positions is not None and (model.parts[0].positions == frames).all()
    assert compare_with_check(f"{path}+{tmp_path}/a.npy") >= 0
    # what convert writes, the command reads: arrays of one mesh are a mesh
    assert len(abut.check(path, self=True).frames) == 1


# ---- models


def make_gltf(path: Path) -> Path:
    """Writes a model: a skinned tube with a morph target, a cube that turns, and one that is scaled."""
    tube, faces = wavy_sheet(6, 0.3)
    box, box_faces = cube(0.5)
    random = np.random.default_rng(4)
    target = random.normal(size=tube.shape) / 10
    joints = np.zeros((len(tube), 4))
    joints[:, 1] = 1
    weights = np.stack([1 - tube[:, 0], tube[:, 0], 0 * tube[:, 0], 0 * tube[:, 0]], axis=1)
    bent = np.array([[0, 0, 0, 1], [0, np.sin(1.2), 0, np.cos(1.2)], [0, 0, 0, 1]])
    blob, views, accessors = b"", [], []

    def add(array: Any, dtype: Any, kind: str, code: int) -> int:
        nonlocal blob
        data = np.ascontiguousarray(array, dtype)
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": data.nbytes})
        entry: dict[str, Any] = {"bufferView": len(views) - 1, "componentType": code, "type": kind,
                                 "count": data.size if kind == "SCALAR" else len(data)}
        if kind == "VEC3" or kind == "SCALAR":
            flat = data.reshape(entry["count"], -1)
            entry.update(min=flat.min(axis=0).tolist(), max=flat.max(axis=0).tolist())
        accessors.append(entry)
        blob += data.tobytes() + bytes(-data.nbytes % 4)
        return len(accessors) - 1

    f32 = (np.float32, 5126)
    skinned = {"attributes": {"POSITION": add(tube, f32[0], "VEC3", f32[1]), "JOINTS_0": add(joints, np.uint8, "VEC4", 5121),
                              "WEIGHTS_0": add(weights, f32[0], "VEC4", f32[1])},
               "indices": add(faces, np.uint16, "SCALAR", 5123), "targets": [{"POSITION": add(target, f32[0], "VEC3", f32[1])}]}
    solid = {"attributes": {"POSITION": add(box, f32[0], "VEC3", f32[1])}, "indices": add(box_faces, np.uint16, "SCALAR", 5123)}
    times = add([0, 0.2, 0.4], f32[0], "SCALAR", f32[1])
    turns = add(bent, f32[0], "VEC4", f32[1])
    morphs = add([0, 1, 0.5], f32[0], "SCALAR", f32[1])
    samplers = [{"input": times, "output": output} for output in (turns, morphs)]
    channels = [{"sampler": 0, "target": {"node": 1, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "weights"}},
                {"sampler": 0, "target": {"node": 2, "path": "rotation"}}]
    nodes = [{"name": "tube", "mesh": 0, "skin": 0}, {"name": "bone", "translation": [0.5, 0, 0]},
             {"name": "turning", "mesh": 1, "translation": [0.5, 0.25, 0.125]},
             {"name": "wide", "mesh": 1, "translation": [0.1, 0.5, 0], "scale": [2, 1, 0.5]}]
    inverse = np.stack([np.eye(4), np.eye(4)])
    inverse[1, 3, 0] = -0.5  # columns of glTF
    binds = add(inverse, np.float32, "MAT4", 5126)
    document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1, 2, 3]}], "nodes": nodes,
                "meshes": [{"primitives": [skinned]}, {"primitives": [solid]}],
                "skins": [{"joints": [0, 1], "inverseBindMatrices": binds}],
                "animations": [{"name": "bend", "samplers": samplers, "channels": channels}],
                "buffers": [{"byteLength": len(blob),
                             "uri": "data:application/octet-stream;base64," + base64.b64encode(blob).decode()}],
                "bufferViews": views, "accessors": accessors}
    path.write_text(json.dumps(document))
    return path


def test_a_model(tmp_path: Path) -> None:
    path = make_gltf(tmp_path / "model.gltf")
    model = abut.load(path, fps=20)
    tube, turning, wide = model
    assert tube.weights is not None and tube.fields is not None and tube.fields.shape == (1, 36, 3)
    assert turning.frames is not None and turning.transforms is None
    assert wide.transforms is not None and wide.transforms.shape == (9, 1, 3, 4)
    assert [part.name.rsplit(":")[-1] for part in model] == ["tube", "turning", "wide"]
    assert compare_with_check(path, fps=20) > 50
    with pytest.raises(AttributeError, match="3 parts"):
        model.vertices
    bodies = model.add_to(abut.Scene())
    for wrong in (lambda: model.show(bodies, 9), lambda: model.show(bodies[:2], 0)):
        with pytest.raises(abut.ArgumentError):
            wrong()


@pytest.mark.parametrize("name", ["Fox.glb", "RiggedFigure.glb", "AnimatedMorphCube.glb", "BoxAnimated.glb"])
def test_real_models(name: str) -> None:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is missing")
    compare_with_check(path, fps=10)


# ---- what cannot be read


def test_hostile_files(tmp_path: Path) -> None:
    path = make_gltf(tmp_path / "model.gltf")
    text = path.read_bytes()
    random = np.random.default_rng(7)
    refused = 0
    for _ in range(6):
        broken = bytearray(text)
        for at in random.integers(0, len(broken), 12):
            broken[at] = random.integers(32, 127)
        path.write_bytes(bytes(broken))
        try:
            abut.load(path)
        except abut.CheckError as error:
            assert "model.gltf" in str(error)
            refused += 1
    assert refused > 0
    for wrong in (tmp_path / "nothing.obj", "-x.obj"):
        with pytest.raises(abut.CheckError):
            abut.load(wrong)
    with pytest.raises(TypeError):
        abut.load(3)  # type: ignore[arg-type]
