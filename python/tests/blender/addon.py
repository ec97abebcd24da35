# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Tests of the add-on inside Blender: blender -b --factory-startup --python-exit-code 3 -P addon.py -- ZIP [GLB...]

Each function that begins with test_ runs in an empty file. Prints lines that scripts/count.awk counts.
"""

import sys
import traceback
from pathlib import Path

import bpy
import numpy as np

np.bool = bool  # Blender's importer of glTF needs it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
ARGUMENTS = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.preferences.addon_install(filepath=ARGUMENTS[0], overwrite=True)
bpy.ops.preferences.addon_enable(module="abut_contact")

import abut  # noqa: E402
from abut_contact import gather, operators  # noqa: E402
from abut_contact.overlay import corners_now  # noqa: E402
from exact_touch import pairs_between  # noqa: E402


def cube(name, location=(0, 0, 0), size=2.0):
    bpy.ops.mesh.primitive_cube_add(size=size, location=location)
    thing = bpy.context.object
    thing.name = name
    return thing


def crossing_cubes():
    """A cube that moves through another one: they touch while its centre is from 2 to -2, frames 6 to 16 of 21."""
    still, moving = cube("still"), cube("moving", (4, 0.1, 0.2))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 21
    for frame, x in ((1, 4.05), (21, -3.95)):
        moving.location.x = x
        moving.keyframe_insert("location", frame=frame)
    for curve in moving.animation_data.action.fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    return still, moving


def frames_by_formula():
    return [f for f in range(1, 22) if abs(4.05 - 0.4 * (f - 1)) <= 2]


def test_range_finds_the_interval():
    crossing_cubes()
    assert bpy.ops.abut.check_range() == {"FINISHED"}
    settings = bpy.context.scene.abut
    expected = frames_by_formula()
    assert [f for f, c in sorted(operators.State.checker.frames.items()) if c] == expected
    assert len(settings.events) == 1
    event = settings.events[0]
    assert (event.first, event.last) == (expected[0], expected[-1]) and event.worst > 0
    assert settings.summary == f"{len(expected)} of 21 frames with contact"
    marks = [(m.name, m.frame) for m in bpy.context.scene.timeline_markers]
    assert marks == [(f"abut: {event.title}", expected[0])]
    settings.event = 0
    assert bpy.context.scene.frame_current == event.worst_frame


def test_frame_agrees_with_integers():
    still, moving = crossing_cubes()
    bpy.context.scene.frame_set(9)
    assert bpy.ops.abut.check_frame() == {"FINISHED"}
    (contact,) = operators.State.checker.frames[9]
    meshes = []
    for name in contact.names:
        points, faces, _ = gather.Evaluated(bpy.data.objects[name], bpy.context.evaluated_depsgraph_get()).read(
            bpy.context.evaluated_depsgraph_get())
        meshes += [points.tolist(), faces.tolist()]
    assert [tuple(pair) for pair in contact.pairs.tolist()] == pairs_between(*meshes)
    assert len(corners_now(bpy.context)) % 3 == 0 and len(corners_now(bpy.context)) > 0
    bpy.context.scene.frame_set(10)
    assert len(corners_now(bpy.context)) > 0  # a frame that was not checked yet


def test_faces_are_selected():
    still, _ = crossing_cubes()
    bpy.context.scene.frame_set(8)  # the other cube cuts the faces towards +x, +y and +z
    bpy.ops.abut.check_frame()
    assert bpy.ops.abut.select_faces() == {"FINISHED"}
    chosen = {p.index for p in still.data.polygons if p.select}
    assert chosen == set(operators.State.checker.touching_polygons(8)["still"].tolist())
    assert {tuple(round(x) for x in still.data.polygons[p].normal) for p in chosen} == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}
    bpy.context.scene.frame_set(1)
    bpy.ops.abut.check_frame()
    bpy.ops.abut.select_faces()
    assert not any(p.select for p in still.data.polygons)


def test_push_outs_separate():
    still, moving = crossing_cubes()
    bpy.context.scene.frame_set(7)
    moving.animation_data_clear()
    moving.location = (1.5, 0.1, 0.2)
    bpy.context.view_layer.update()
    assert bpy.ops.abut.push_out() == {"FINISHED"}
    arrows = [thing for thing in bpy.data.objects if thing.name.startswith("abut push")]
    assert len(arrows) == 1 and abs(arrows[0].empty_display_size - 0.5) < 1e-6
    direction = arrows[0].rotation_quaternion @ __import__("mathutils").Vector((0, 0, 1))
    assert abs(abs(direction.x) - 1) < 1e-5


def tube_with_bones():
    """A tube of 24 rings on a chain of two bones, the second of which bends by 150 degrees, with a shape key."""
    rings, around = 24, 12
    height = np.repeat(np.linspace(0, 2, rings), around)
    angle = np.tile(np.linspace(0, 2 * np.pi, around, endpoint=False), rings)
    points = np.stack([0.2 * np.cos(angle), 0.2 * np.sin(angle), height], 1)
    i = np.arange(rings * around).reshape(rings, around)
    quads = np.stack([i[:-1], np.roll(i, -1, 1)[:-1], np.roll(i, -1, 1)[1:], i[1:]], -1).reshape(-1, 4)
    mesh = bpy.data.meshes.new("tube")
    mesh.from_pydata(points.tolist(), [], quads.tolist())
    tube = bpy.data.objects.new("tube", mesh)
    bpy.context.collection.objects.link(tube)
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bones[0].name, bones[0].head, bones[0].tail = "lower", (0, 0, 0), (0, 0, 1)
    upper = bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 1), (0, 0, 2), bones[0]
    bpy.ops.object.mode_set(mode="OBJECT")
    blend = 1 / (1 + np.exp(-9 * (height - 1)))
    for name, weights in (("lower", 1 - blend), ("upper", blend)):
        group = tube.vertex_groups.new(name=name)
        for vertex, weight in enumerate(weights):
            group.add([vertex], float(weight), "REPLACE")
    tube.modifiers.new("armature", "ARMATURE").object = rig
    tube.shape_key_add(name="Basis")
    thick = tube.shape_key_add(name="thick")
    for vertex, point in enumerate(points):
        thick.data[vertex].co = (1.5 * point[0], 1.5 * point[1], point[2])
    thick.value = 0.5
    tube.location, tube.scale = (0.3, -0.2, 0.1), (1.0, 1.1, 0.9)
    rig.rotation_euler = (0.1, 0.2, 0.3)
    pose = rig.pose.bones["upper"]
    pose.rotation_mode = "XYZ"
    for frame, bend in ((1, 0.0), (11, np.radians(150))):
        pose.rotation_euler.x = bend
        pose.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 11
    return tube


def largest_difference(thing, frames):
    """Returns how far the skinned body is from Blender's own mesh, relative to the size of the mesh."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    source = gather.source_of(thing, depsgraph)
    assert isinstance(source, gather.Skinned), thing.name
    body = abut.Scene().add(source.shape)
    worst = 0.0
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        source.update(body, depsgraph)
        expected, _, _ = gather.Evaluated(thing, depsgraph).read(depsgraph)
        worst = max(worst, float(np.abs(body.positions - expected).max() / np.ptp(expected)))
    return worst


def test_skinned_bodies_are_where_blender_has_them():
    assert largest_difference(tube_with_bones(), (1, 4, 8, 11)) < 1e-5


def test_a_bent_tube_touches_itself_and_rest_does_not_count():
    tube_with_bones()
    settings = bpy.context.scene.abut
    assert bpy.ops.abut.check_range() == {"FINISHED"}
    assert len(settings.events) == 1 and settings.events[0].title == "tube with itself"
    assert settings.events[0].first > 1 and settings.events[0].last == 11
    both = cube("a", (9, 0, 0)), cube("b", (10, 0.1, 0.2))
    for thing in both:
        thing.shape_key_add(name="Basis")
    settings.only_new = True
    assert bpy.ops.abut.check_range() == {"FINISHED"}
    assert [event.title for event in settings.events] == ["tube with itself"]


def test_objects_that_cannot_be_skinned_are_evaluated():
    thing = cube("bevelled")
    thing.modifiers.new("bevel", "BEVEL")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    assert isinstance(gather.source_of(thing, depsgraph), gather.Evaluated)
    thing = tube_with_bones()
    for name in ("use_deform_preserve_volume", "use_bone_envelopes"):
        setattr(thing.modifiers[0], name, True)
        assert not gather.can_be_skinned(thing), name
        setattr(thing.modifiers[0], name, False)
    assert gather.can_be_skinned(thing)


def test_a_topology_that_changes():
    thing = cube("growing")
    cube("other", (1.5, 0.1, 0.2))
    array = thing.modifiers.new("array", "ARRAY")
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 3
    for frame, count in ((1, 1), (2, 3), (3, 2)):
        array.count = count
        array.keyframe_insert("count", frame=frame)
    assert bpy.ops.abut.check_range() == {"FINISHED"}
    assert all(operators.State.checker.frames.values())


def test_installing_again_does_not_harm_what_runs():
    tube_with_bones()
    assert bpy.ops.abut.check_frame() == {"FINISHED"}
    bpy.ops.preferences.addon_install(filepath=ARGUMENTS[0], overwrite=True)
    bpy.ops.preferences.addon_enable(module="abut_contact")
    assert bpy.ops.abut.check_frame() == {"FINISHED"}


def test_nothing_to_check_is_an_error():
    for operator in (bpy.ops.abut.check_frame, bpy.ops.abut.check_range):
        try:
            operator()
        except RuntimeError as error:
            assert "no mesh to check" in str(error)
        else:
            raise AssertionError("no error")


def test_characters_from_files():
    for path in ARGUMENTS[1:]:
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.ops.import_scene.gltf(filepath=path)
        found = 0
        for thing in list(bpy.context.scene.objects):
            if thing.type == "MESH" and gather.can_be_skinned(thing):
                assert largest_difference(thing, (1, 7, 19)) < 1e-5, f"{path}: {thing.name}"
                found += 1
        assert found, path
        bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 10
        assert bpy.ops.abut.check_range() == {"FINISHED"}


def main():
    tests = [(name, function) for name, function in globals().items() if name.startswith("test_")]
    print(f"[==========] Running {len(tests)} test(s).")
    failed = skipped = 0
    for name, function in tests:
        if name == "test_characters_from_files" and len(ARGUMENTS) < 2:
            skipped += 1
            print(f"[  SKIPPED ] {name}: no files")
            continue
        bpy.ops.wm.read_homefile(use_empty=True)
        operators.State.checker = None
        try:
            function()
            print(f"[       OK ] {name}")
        except Exception:
            failed += 1
            traceback.print_exc()
            print(f"[  FAILED  ] {name}")
    print(f"[==========] {len(tests)} test(s) run.")
    if skipped:
        print(f"[  SKIPPED ] {skipped} test(s)")
    if failed:
        print(f"[  FAILED  ] {failed} test(s)")
    sys.stdout.flush()
    return 1 if failed else 0


if main():
    raise SystemExit("tests failed")
