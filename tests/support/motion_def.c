// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shapes of a motion that a test chooses as it runs.
#include "support/motion_def.h"

#include <string.h>

#include "shape/shape.h"

motion_def motion_def_default(void) {
    const abut_shape_def common = abut_shape_def_default();
    motion_def def;
    memset(&def, 0, sizeof def);
    def.fan_out = common.fan_out;
    def.block_triangles = common.block_triangles;
    def.cookie = common.cookie;
    return def;
}

static abut_status create_modal(abut_context* context, const abut_mesh* mesh, const motion_def* def,
                                const abut_shape_def* common, abut_shape** shape,
                                abut_error* error) {
    abut_modal_def modal = abut_modal_def_default();
    modal.shape = *common;
    modal.fields = def->fields;
    modal.field_count = def->field_count;
    modal.bound = (abut_modal_bound)def->bound;
    modal.proxy_level = def->proxy_level;
    return abut_shape_create_modal(context, mesh, &modal, shape, error);
}

static abut_status create_blend(abut_context* context, const abut_mesh* mesh, const motion_def* def,
                                const abut_shape_def* common, abut_shape** shape,
                                abut_error* error) {
    abut_blend_def blend = abut_blend_def_default();
    blend.shape = *common;
    blend.weights = def->weights;
    blend.fields = def->fields;
    blend.field_count = def->field_count;
    return def->bound == MOTION_BOUND_AUTO
               ? abut_shape_create_blend(context, mesh, &blend, shape, error)
               : abut__shape_create_blend(context, mesh, &blend, (abut__blend_bound)def->bound,
                                          shape, error);
}

static abut_status create_flight(abut_context* context, const abut_mesh* mesh,
                                 const motion_def* def, const abut_shape_def* common,
                                 abut_shape** shape, abut_error* error) {
    abut_flight_def flight = abut_flight_def_default();
    flight.shape = *common;
    flight.keyframes = def->keyframes;
    flight.keyframe_count = def->keyframe_count;
    flight.bound = (abut_flight_bound)def->bound;
    abut_status status = abut_shape_create_flight(context, mesh, &flight, shape, error);
    if (status == ABUT_OK && !def->late_tree) {
        status = abut_shape_build_tree(*shape, error);
        if (status != ABUT_OK) {
            abut_shape_destroy(*shape);
        }
    }
    return status;
}

abut_status motion_create(abut_context* context, const abut_mesh* mesh, const motion_def* def,
                          abut_shape** shape, abut_error* error) {
    if (def == NULL) {
        return abut_shape_create(context, mesh, NULL, shape, error);
    }
    abut_shape_def common = abut_shape_def_default();
    common.fan_out = def->fan_out;
    common.block_triangles = def->block_triangles;
    common.certify_on_request = def->certify_on_request;
    common.ignored_tags = def->ignored_tags;
    common.ignored_tag_pair_count = def->ignored_tag_pair_count;
    common.cookie = def->cookie;
    switch (def->motion) {
        case ABUT_MOTION_FREE: return abut_shape_create(context, mesh, &common, shape, error);
        case ABUT_MOTION_MODAL: return create_modal(context, mesh, def, &common, shape, error);
        case ABUT_MOTION_BLEND: return create_blend(context, mesh, def, &common, shape, error);
        case ABUT_MOTION_FLIGHT: return create_flight(context, mesh, def, &common, shape, error);
    }
    return ABUT_ERR_INVALID_ARGUMENT;
}

motion_edit_def motion_edit_def_default(void) {
    motion_edit_def def;
    memset(&def, 0, sizeof def);
    def.cookie = abut_shape_edit_def_default().cookie;
    return def;
}

static abut_shape_edit_def common_edit(const motion_edit_def* edit) {
    abut_shape_edit_def common = abut_shape_edit_def_default();
    common.removed_triangles = edit->removed_triangles;
    common.removed_triangle_count = edit->removed_triangle_count;
    common.added_triangles = edit->added_triangles;
    common.added_triangle_count = edit->added_triangle_count;
    common.added_tags = edit->added_tags;
    common.added_vertices = edit->added_vertices;
    common.added_classes = edit->added_classes;
    common.rebuild = edit->rebuild;
    common.rebuild_positions = edit->rebuild_positions;
    common.cookie = edit->cookie;
    return common;
}

static abut_status edit_blend(const abut_shape* shape, const motion_edit_def* edit,
                              abut_shape** edited, abut_edit_work* work, abut_error* error) {
    abut_blend_edit_def blend = abut_blend_edit_def_default();
    blend.edit = common_edit(edit);
    blend.added_weights = edit->added_weights;
    blend.added_fields = edit->added_fields;
    blend.changed_vertices = edit->changed_vertices;
    blend.changed_vertex_count = edit->changed_vertex_count;
    blend.changed_weights = edit->changed_weights;
    blend.node_count = edit->node_count;
    return abut_shape_edit_blend(shape, &blend, edited, work, error);
}

abut_status motion_edit(const abut_shape* shape, const motion_edit_def* edit, abut_shape** edited,
                        abut_edit_work* work, abut_error* error) {
    if (shape == NULL || edit == NULL) {
        return abut_shape_edit(shape, NULL, edited, work, error);
    }
    if (abut_shape_motion(shape) == ABUT_MOTION_BLEND) {
        return edit_blend(shape, edit, edited, work, error);
    }
    if (abut_shape_motion(shape) == ABUT_MOTION_MODAL) {
        abut_modal_edit_def modal = abut_modal_edit_def_default();
        modal.edit = common_edit(edit);
        modal.added_fields = edit->added_fields;
        return abut_shape_edit_modal(shape, &modal, edited, work, error);
    }
    if (abut_shape_motion(shape) == ABUT_MOTION_FLIGHT) {
        abut_flight_edit_def flight = abut_flight_edit_def_default();
        flight.edit = common_edit(edit);
        flight.keyframes = edit->keyframes;
        flight.keyframe_count = edit->keyframe_count;
        return abut_shape_edit_flight(shape, &flight, edited, work, error);
    }
    const abut_shape_edit_def common = common_edit(edit);
    return abut_shape_edit(shape, &common, edited, work, error);
}

abut_status plans_set(abut_scene* scene, abut_body_id body, const abut_plans_def* plans,
                      abut_error* error) {
    if (plans == NULL) {
        return abut_body_set_plans(scene, body, NULL, error);
    }
    abut_plans_def copy = *plans;
    copy.cookie = abut_plans_def_default().cookie;
    return abut_body_set_plans(scene, body, &copy, error);
}

abut_scene_info scene_info(const abut_scene* scene) {
    abut_scene_info info = {0};
    (void)abut_scene_inspect(scene, &info, NULL);
    return info;
}
