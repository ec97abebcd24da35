# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""The panel in the sidebar of the 3D view."""

import bpy


class ABUT_UL_events(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flags=0):
        row = layout.row(align=True)
        row.label(text=item.title, icon="MOD_PHYSICS")
        span = f"{item.first}" if item.first == item.last else f"{item.first} to {item.last}"
        row.label(text=span)
        row.label(text=f"{item.worst} pairs")


class ABUT_PT_panel(bpy.types.Panel):
    bl_idname = "ABUT_PT_panel"
    bl_label = "Contact"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "abut"

    def draw(self, context):
        settings, layout = context.scene.abut, self.layout
        layout.prop(settings, "only_selected")
        layout.prop(settings, "only_new")
        layout.prop(settings, "markers")
        row = layout.row(align=True)
        row.operator("abut.check_frame")
        row.operator("abut.check_range")
        if settings.summary:
            layout.label(text=settings.summary)
        layout.template_list("ABUT_UL_events", "", settings, "events", settings, "event", rows=4)
        layout.operator("abut.select_faces")
        layout.operator("abut.push_out")


CLASSES = (ABUT_UL_events, ABUT_PT_panel)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)


def unregister():
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
