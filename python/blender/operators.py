# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Operators: check a frame, check the range, go to an event, select faces, show how to separate objects."""

import abut
import bpy
from bpy.props import BoolProperty, CollectionProperty, IntProperty, PointerProperty, StringProperty

from .checker import Checker

MARKER = "abut: "


class State:
    """What the last check found. It lives as long as the session of Blender."""

    checker = None


class EventItem(bpy.types.PropertyGroup):
    title: StringProperty()
    first: IntProperty()
    last: IntProperty()
    worst: IntProperty()
    worst_frame: IntProperty()


class Settings(bpy.types.PropertyGroup):
    only_selected: BoolProperty(name="Only selected", description="Check selected objects only", default=False)
    only_new: BoolProperty(name="Only new since rest", default=False,
                           description="Leave out faces that touch in the rest pose already")
    markers: BoolProperty(name="Markers", default=True, description="Mark the beginnings of contact on the timeline")
    events: CollectionProperty(type=EventItem)
    event: IntProperty(update=lambda self, context: go_to_event(self, context))
    summary: StringProperty()


def go_to_event(settings, context):
    if 0 <= settings.event < len(settings.events):
        context.scene.frame_set(settings.events[settings.event].worst_frame)


def meshes(context):
    """Returns the objects to check."""
    things = context.selected_objects if context.scene.abut.only_selected else context.visible_objects
    return [thing for thing in things if thing.type == "MESH" and len(thing.data.polygons)]


def make_checker(context):
    depsgraph = context.evaluated_depsgraph_get()
    return Checker(meshes(context), depsgraph, context.scene.abut.only_new)


def show(context):
    """Writes the events into the list and onto the timeline."""
    settings = context.scene.abut
    settings.events.clear()
    events = State.checker.events()
    for event in events:
        item = settings.events.add()
        item.title, item.first, item.last = event.title, event.first, event.last
        item.worst, item.worst_frame = event.worst, event.worst_frame
    frames = State.checker.frames
    touching = sum(bool(contacts) for contacts in frames.values())
    settings.summary = f"{touching} of {len(frames)} frame{'s' * (len(frames) != 1)} with contact"
    markers = context.scene.timeline_markers
    for marker in [marker for marker in markers if marker.name.startswith(MARKER)]:
        markers.remove(marker)
    if settings.markers and len(frames) > 1:
        for event in events:
            markers.new(f"{MARKER}{event.title}", frame=event.first)


class ABUT_OT_check_frame(bpy.types.Operator):
    """Find every face that touches another one in this frame"""

    bl_idname = "abut.check_frame"
    bl_label = "Check frame"

    def execute(self, context):
        if not meshes(context):
            self.report({"ERROR"}, "There is no mesh to check: show or select one")
            return {"CANCELLED"}
        try:
            State.checker = make_checker(context)
            State.checker.check(context.scene.frame_current, context.evaluated_depsgraph_get())
        except (abut.Error, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        show(context)
        self.report({"INFO"}, context.scene.abut.summary)
        return {"FINISHED"}


class ABUT_OT_check_range(bpy.types.Operator):
    """Check all frames of the range; Escape cancels and keeps what was found"""

    bl_idname = "abut.check_range"
    bl_label = "Check range"

    def begin(self, context):
        self.back_to = context.scene.frame_current
        self.frames = list(range(context.scene.frame_start, context.scene.frame_end + 1, max(1, context.scene.frame_step)))
        self.done = 0
        State.checker = make_checker(context)

    def step(self, context):
        frame = self.frames[self.done]
        context.scene.frame_set(frame)
        State.checker.check(frame, context.evaluated_depsgraph_get())
        self.done += 1

    def finish(self, context):
        context.scene.frame_set(self.back_to)
        show(context)
        self.report({"INFO"}, context.scene.abut.summary)

    def execute(self, context):
        if not meshes(context):
            self.report({"ERROR"}, "There is no mesh to check: show or select one")
            return {"CANCELLED"}
        try:
            self.begin(context)
            while self.done < len(self.frames):
                self.step(context)
        except (abut.Error, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.finish(context)
        return {"FINISHED"}

    def invoke(self, context, event):
        if not meshes(context):
            self.report({"ERROR"}, "There is no mesh to check: show or select one")
            return {"CANCELLED"}
        self.begin(context)
        manager = context.window_manager
        manager.progress_begin(0, len(self.frames))
        self.timer = manager.event_timer_add(0.0, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" or self.done == len(self.frames):
            context.window_manager.event_timer_remove(self.timer)
            context.window_manager.progress_end()
            self.finish(context)
            return {"CANCELLED" if event.type == "ESC" else "FINISHED"}
        if event.type == "TIMER":
            try:
                self.step(context)
            except (abut.Error, ValueError) as error:
                self.frames = self.frames[:self.done]
                self.report({"ERROR"}, str(error))
            context.window_manager.progress_update(self.done)
        return {"PASS_THROUGH"}


class ABUT_OT_select_faces(bpy.types.Operator):
    """Select the faces that touch something in this frame"""

    bl_idname = "abut.select_faces"
    bl_label = "Select touching faces"

    def execute(self, context):
        if State.checker is None:
            self.report({"ERROR"}, "Check the frame first")
            return {"CANCELLED"}
        found = State.checker.touching_polygons(context.scene.frame_current)
        for thing in context.visible_objects:
            if thing.type == "MESH" and thing.mode == "OBJECT" and len(thing.data.polygons):
                chosen = [False] * len(thing.data.polygons)
                for polygon in found.get(thing.name, []):
                    if polygon < len(chosen):
                        chosen[polygon] = True
                thing.data.vertices.foreach_set("select", [False] * len(thing.data.vertices))
                thing.data.edges.foreach_set("select", [False] * len(thing.data.edges))
                thing.data.polygons.foreach_set("select", chosen)
        return {"FINISHED"}


class ABUT_OT_push_out(bpy.types.Operator):
    """Add an arrow for each translation that would separate two closed objects in this frame"""

    bl_idname = "abut.push_out"
    bl_label = "Show push-out vectors"
    bl_options = {"UNDO"}

    def execute(self, context):
        from mathutils import Vector

        try:
            checker = make_checker(context)
            checker.update(context.evaluated_depsgraph_get())
            found = checker.push_outs()
        except (abut.Error, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for name, point, translation in found:
            empty = bpy.data.objects.new(f"abut push {name}", None)
            direction = Vector(translation)
            empty.empty_display_type = "SINGLE_ARROW"
            empty.empty_display_size = max(direction.length, 1e-6)
            empty.rotation_mode = "QUATERNION"
            empty.rotation_quaternion = direction.to_track_quat("Z", "Y")
            empty.location = Vector(point)
            context.scene.collection.objects.link(empty)
        self.report({"INFO"}, f"{len(found)} translations; open surfaces have none")
        return {"FINISHED"}


CLASSES = (EventItem, Settings, ABUT_OT_check_frame, ABUT_OT_check_range, ABUT_OT_select_faces, ABUT_OT_push_out)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.Scene.abut = PointerProperty(type=Settings)


def unregister():
    State.checker = None
    del bpy.types.Scene.abut
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
