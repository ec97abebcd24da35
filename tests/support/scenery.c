// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/scenery.h"

#include <stdlib.h>
#include <string.h>

surface scenery_surface(const scene* source, uint32_t body, uint32_t frame) {
    const scene_body* b = scene_get_body(source, body);
    surface made = surface_make(b->vertex_count, b->triangle_count);
    memcpy(made.triangles, b->triangles, 3 * (size_t)b->triangle_count * sizeof *b->triangles);
    scene_positions(source, body, frame, made.xyz);
    return made;
}

// the arrays are only read, though `surface` has no const
surface scenery_rest(const scene* source, uint32_t body) {
    const scene_body* b = scene_get_body(source, body);
    return (surface){b->vertex_count, b->triangle_count, (double*)b->rest, (uint32_t*)b->triangles};
}

void scenery_add(world* w, const scene* source, uint32_t frame, abut_body_id* ids) {
    for (uint32_t i = 0; i < scene_body_count(source); ++i) {
        if (ids != NULL && abut_body_is_valid(w->scene, ids[i])) {
            REQUIRE_OK(abut_body_destroy(w->scene, ids[i], NULL));
        }
        if (scene_present(source, i, frame)) {
            surface now = scenery_surface(source, i, frame);
            abut_body_def def = abut_body_def_default();
            def.is_static = !scene_get_body(source, i)->moves;
            const abut_body_id id = world_add(w, &now, NULL, &def);
            if (ids != NULL) {
                ids[i] = id;
            }
            surface_free(&now);
        }
    }
}

void scenery_follow(world* w, const scene* source, uint32_t body, uint32_t frame, double scale,
                    abut_body_id* id) {
    const bool is_there = abut_body_is_valid(w->scene, *id);
    if (!scene_present(source, body, frame)) {
        if (is_there) {
            REQUIRE_OK(abut_body_destroy(w->scene, *id, NULL));
        }
        return;
    }
    surface now = scenery_surface(source, body, frame);
    surface_scale(&now, scale);
    if (is_there) {
        world_move(w, *id, now.xyz);
    } else {
        *id = world_add(w, &now, NULL, NULL);
    }
    surface_free(&now);
}

scenery scenery_make(scene* source, const abut_context_def* context_def) {
    REQUIRE(source != NULL);
    scenery s = {.source = source, .world = world_make(context_def, NULL)};
    s.count = scene_body_count(source);
    REQUIRE(s.count <= SCENERY_BODIES_MOST);
    for (uint32_t b = 0; b < s.count; ++b) {
        const surface rest = scenery_rest(source, b);
        s.body[b] = world_add(&s.world, &rest, NULL, NULL);
    }
    return s;
}

void scenery_free(scenery* s) {
    world_free(&s->world);
    scene_destroy(s->source);
}

void scenery_set_frame(scenery* s, uint32_t frame) {
    for (uint32_t b = 0; b < s->count; ++b) {
        surface now = scenery_surface(s->source, b, frame);
        REQUIRE_OK(abut_body_set_positions(s->world.scene, s->body[b],
                                           abut_positions_f64(now.xyz, now.vertex_count), NULL));
        surface_free(&now);
    }
}

void scenery_validate(const scenery* s) {
    for (uint32_t b = 0; b < s->count; ++b) {
        world_validate(&s->world, s->body[b]);
    }
}
