# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Draws touching faces in red over the 3D view, for each frame that was checked."""

import abut
import bpy
import numpy as np

from .operators import State

COLOUR = (1.0, 0.05, 0.05, 0.6)
_handler = None


def triangles_to_draw(frame):
    """Returns the corners of all touching triangles in world coordinates, as the checker last moved them."""
    checker = State.checker
    found = []
    for contact in checker.frames.get(frame, []):
        for name, column in zip(contact.names, (0, 1)):
            number = next(i for i, body in enumerate(checker.bodies) if body.name == name)
            faces = checker.sources[number].faces[np.unique(contact.pairs[:, column])]
            found.append(checker.bodies[number].world_positions[faces].reshape(-1, 3))
    return np.concatenate(found) if found else np.empty((0, 3))


def corners_now(context):
    """Returns the corners to draw in the current frame, which is checked if it was not."""
    frame, depsgraph = context.scene.frame_current, context.evaluated_depsgraph_get()
    if frame in State.checker.frames:
        State.checker.update(depsgraph)
    else:
        State.checker.check(frame, depsgraph)
    return triangles_to_draw(frame)


def draw():
    context = bpy.context
    if State.checker is None:
        return
    import gpu
    from gpu_extras.batch import batch_for_shader

    try:
        corners = corners_now(context)
    except (abut.Error, ValueError, ReferenceError):  # an object is gone or not finite: the next check says so
        return
    if not len(corners):
        return
    # the built-in shader has another name since Blender 4
    shader = gpu.shader.from_builtin("UNIFORM_COLOR" if bpy.app.version >= (4, 0, 0) else "3D_UNIFORM_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": corners.astype(np.float32).tolist()})
    gpu.state.blend_set("ALPHA")
    shader.bind()
    shader.uniform_float("color", COLOUR)
    batch.draw(shader)
    gpu.state.blend_set("NONE")


def register():
    global _handler
    if not bpy.app.background:
        _handler = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")


def unregister():
    global _handler
    if _handler is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handler, "WINDOW")
        _handler = None
