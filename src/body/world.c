// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Looks up bodies of a scene.
#include "body/world.h"

abut__body* abut__scene_body(const abut_scene* scene, abut_body_id id) {
    abut__body* body = scene != NULL ? abut__scene_at(scene, id.index) : NULL;
    return body != NULL && body->generation == id.generation ? body : NULL;
}

abut_status abut__no_body(const abut_scene* scene, abut_body_id body, abut_error* error) {
    if (scene == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the scene is NULL");
    }
    return abut__blame_body(error, body,
                            abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_BODY,
                                       body.index, "the scene has no body %u of generation %u",
                                       body.index, body.generation));
}
