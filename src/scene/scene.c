// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Creates scenes and reads their contents.
#include "scene/scene.h"

#include "abut/body.h"

abut_scene_def abut_scene_def_default(void) {
    return (abut_scene_def){.pool_bytes = (size_t)64 << 20, .cookie = ABUT__COOKIE};
}

abut_status abut_scene_create(abut_context* context, const abut_scene_def* def, abut_scene** scene,
                              abut_error* error) {
    const abut_scene_def defaults = abut_scene_def_default();
    def = def != NULL ? def : &defaults;
    if (context == NULL || scene == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context and the place for the scene must not be NULL");
    }
    const abut_status status = abut__check_cookie(def->cookie, "scene", error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_scene* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = context;
    made->serial = atomic_fetch_add(&context->serial, 1) + 1;
    made->pool = abut__pool_create(context, def->pool_bytes);
    if (made->pool == NULL) {
        abut__free(context, made, 1, sizeof *made);
        return abut__fail_memory(error);
    }
    *scene = made;
    return ABUT_OK;
}

void abut_scene_destroy(abut_scene* scene) {
    if (scene == NULL) {
        return;
    }
    for (uint32_t i = 0; i < scene->bodies.count; ++i) {
        const abut__body* body = abut__scene_at(scene, i);
        if (body != NULL) {
            (void)abut_body_destroy(scene, (abut_body_id){i, body->generation}, NULL);
        }
    }
    const abut_context* context = scene->context;
    abut__drop(context, &scene->bodies);
    abut__drop(context, &scene->generations);
    abut__thickness_free(scene);
    abut__drop(scene->context, &scene->orders);
    abut__drop(context, &scene->vacant);
    abut__pool_destroy(scene->pool);
    abut__free(context, scene, 1, sizeof *scene);
}

abut_status abut_scene_inspect(const abut_scene* scene, abut_scene_info* out, abut_error* error) {
    if (scene == NULL || out == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the scene and the place for the answer must not be NULL");
    }
    abut_scene_info info = {0};
    info.bodies = scene->body_count;
    for (size_t i = 0; i < scene->bodies.count; ++i) {
        const abut__body* body = abut__scene_at(scene, i);
        info.triangles += body != NULL ? body->shape->mesh->alive_count : 0;
    }
    info.pool_capacity = scene->pool->capacity;
    info.pool_used = atomic_load(&scene->pool->next);
    info.pool_overflows = atomic_load(&scene->pool->overflows);
    *out = info;
    return ABUT_OK;
}

abut_body_id abut_scene_body_at(const abut_scene* scene, uint32_t index) {
    const abut__body* body = abut__scene_at(scene, index);
    return body != NULL ? (abut_body_id){index, body->generation} : (abut_body_id){0, 0};
}

uint32_t abut_scene_body_limit(const abut_scene* scene) {
    return (uint32_t)scene->bodies.count;
}
