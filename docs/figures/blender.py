# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Renders the picture of docs/python.md with the add-on: blender -b --factory-startup -P blender.py -- ZIP OUTPUT.png

A tube on two bones bends until it touches itself; faces that touch are red.
"""

import sys
from pathlib import Path

import bpy
from mathutils import Vector

ARGUMENTS = sys.argv[sys.argv.index("--") + 1:]
path = Path(__file__).resolve().parents[2] / "python/tests/blender/addon.py"
text = path.read_text().split("\nif main():")[0]
shared = {"__file__": str(path), "__name__": "addon"}
exec(compile(text, str(path), "exec"), shared)  # installs the add-on; the tube is that of its tests
bpy.ops.wm.read_homefile(use_empty=True)
tube = shared["tube_with_bones"]()
operators = shared["operators"]


def material(name, colour):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1)
    shader.inputs["Roughness"].default_value = 0.6
    return made


bpy.context.scene.frame_set(10)
bpy.ops.abut.check_frame()
found = operators.State.checker.touching_polygons(10)["tube"]
tube.data.materials.append(material("skin", (0.55, 0.6, 0.68)))
tube.data.materials.append(material("touching", (0.9, 0.02, 0.02)))
for polygon in found:
    tube.data.polygons[polygon].material_index = 1
bpy.ops.mesh.primitive_plane_add(size=40, location=(0, 0, -0.4))
bpy.context.object.data.materials.append(material("floor", (0.9, 0.9, 0.9)))
for place, power in (((4, -3, 5), 250), ((-4, -2, 3), 80)):
    light = bpy.data.objects.new("light", bpy.data.lights.new("light", "AREA"))
    light.data.energy, light.data.size, light.location = power, 3, place
    light.rotation_euler = (Vector((0.2, -0.4, 0.6)) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(light)
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
camera.location = (2.6, -2.2, 1.2)
camera.rotation_euler = (Vector((0.3, -0.6, 0.55)) - camera.location).to_track_quat("-Z", "Y").to_euler()
camera.data.lens = 60
bpy.context.collection.objects.link(camera)
scene = bpy.context.scene
scene.camera = camera
scene.render.engine = "CYCLES"
scene.cycles.samples, scene.cycles.use_denoising = 128, False
scene.render.film_transparent = False
scene.world = bpy.data.worlds.new("sky")
scene.world.use_nodes = True
scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.8, 0.84, 0.9, 1)
scene.world.node_tree.nodes["Background"].inputs[1].default_value = 0.5
scene.render.resolution_x, scene.render.resolution_y = 480, 320
scene.view_settings.view_transform = "Standard"
scene.render.filepath = ARGUMENTS[1]
bpy.ops.render.render(write_still=True)
print(f"{len(found)} faces touch")
