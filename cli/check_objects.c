// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Describes the objects of abut check: see check_objects.h.
#include "cli/check_objects.h"

#include "cli/json.h"
#include "cli/message.h"

// warns of properties of a mesh that affect the answer
static void warn_about(const object* o, const question* ask, const abut_mesh_info* health) {
    if (health->degenerate_triangles != 0) {
        warn("%s: %u triangle%s without area; each counts as the segment or point that it spans",
             o->name, health->degenerate_triangles,
             health->degenerate_triangles == 1 ? " is" : "s are");
    }
    if (health->duplicate_triangles != 0 && ask->self && !ask->neighbours) {
        warn(
            "%s: %u triangle%s the same corners as an earlier one; such pairs share vertices, "
            "so only --neighbours reports them",
            o->name, health->duplicate_triangles,
            health->duplicate_triangles == 1 ? " has" : "s have");
    }
}

json_t* object_describe(const object* o, const world* w, const question* ask,
                        const abut_mesh_info* known) {
    abut_mesh_info health;
    if (known != NULL) {
        health = *known;
    } else if (!world_inspect(w, o->body, o->name, &health, NULL)) {
        return NULL;
    }
    warn_about(o, ask, &health);
    const abut_shape* shape = abut_body_shape(w->scene, w->bodies[o->body]);
    json_t* json = json_object();
    json_object_set_new(json, "name", json_text(o->name));
    json_object_set_new(json, "motion", json_text(motion_name(abut_shape_motion(shape))));
    json_object_set_new(json, "vertices", json_count(health.vertices));
    json_object_set_new(json, "triangles", json_count(health.triangles));
    json_object_set_new(json, "classes", json_count(health.classes));
    if (abut_shape_field_count(shape) != 0) {
        json_object_set_new(json, "fields", json_count(abut_shape_field_count(shape)));
    }
    if (abut_shape_node_count(shape) != 0) {
        json_object_set_new(json, "nodes", json_count(abut_shape_node_count(shape)));
    }
    return json;
}
