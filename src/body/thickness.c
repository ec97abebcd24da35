// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The thickness of bodies and of their vertices: storage and calls. Queries read it when they begin.
#include "body/thickness.h"

#include "abut/body.h"
#include "base/context.h"
#include "body/world.h"

// ---- storage

abut__thickness abut__body_thickness(const abut_scene* scene, const abut__body* body) {
    return body->index < scene->thickness.count ? scene->thickness.data[body->index]
                                                : (abut__thickness){0, NULL, 0};
}

double abut__thickest(const abut_scene* scene) {
    double most = 0;
    for (size_t i = 0; i < scene->thickness.count; ++i) {
        const double next = scene->thickness.data[i].most;
        most = next > most ? next : most;
    }
    return most;
}

// replaces what is stored at an index; the array is the scene's from now on
static void replace(abut_scene* scene, uint32_t index, abut__thickness next) {
    abut__thickness* place = &scene->thickness.data[index];
    if (place->vertex != next.vertex) {
        abut__free(scene->context, (void*)place->vertex, place->count, sizeof *place->vertex);
    }
    *place = next;
}

void abut__thickness_end(abut_scene* scene, uint32_t index) {
    if (index < scene->thickness.count) {
        replace(scene, index, (abut__thickness){0, NULL, 0});
    }
}

void abut__thickness_free(abut_scene* scene) {
    for (uint32_t i = 0; i < scene->thickness.count; ++i) {
        abut__thickness_end(scene, i);
    }
    abut__drop(scene->context, &scene->thickness);
}

// Makes room for the thickness of a body; those that are new are 0. False: no memory.
static bool reserve(abut_scene* scene, uint32_t index) {
    const size_t count = scene->thickness.count;
    if (index < count) {
        return true;
    }
    abut__thickness* more = abut__push(scene->context, &scene->thickness,
                                       index + (size_t)1 - count);
    for (size_t i = count; i <= index && more != NULL; ++i) {
        scene->thickness.data[i] = (abut__thickness){0, NULL, 0};
    }
    return more != NULL;
}

// Returns the array of a body with room for `count` numbers, its own if that has as many; NULL: no memory.
static double* array_of(const abut_scene* scene, uint32_t index, uint32_t count) {
    const abut__thickness* own = &scene->thickness.data[index];
    return own->vertex != NULL && own->count == count
               ? (double*)own->vertex
               : abut__alloc(scene->context, count, sizeof(double));
}

// ---- calls

static bool is_length(double x) {
    return x >= 0 && x <= DBL_MAX;
}

// what was pending in a front is no part of the same query any more
static void note_change(abut_scene* scene, abut__body* body) {
    body->change = ++scene->clock;
}

abut_status abut_body_set_thickness(abut_scene* scene, abut_body_id body, double thickness,
                                    abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (!is_length(thickness)) {
        return abut__blame_body(error, body,
                                abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                                           "the thickness is %g, but must be finite and at least 0",
                                           thickness));
    }
    if (!reserve(scene, found->index)) {
        return abut__fail_memory(error);
    }
    replace(scene, found->index, (abut__thickness){thickness, NULL, 0});
    note_change(scene, found);
    return ABUT_OK;
}

static abut_status check_vertices(const abut__body* body, const double* thickness, uint32_t count,
                                  abut_error* error) {
    const uint32_t wanted = body->shape->mesh->vertex_count;
    if (count != wanted || (thickness == NULL && count > 0)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the thickness has %u numbers, but the body %u vertices",
                          thickness == NULL ? 0 : count, wanted);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!is_length(thickness[i])) {
            return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_VERTEX, i,
                              "the thickness of vertex %u is %g, but must be finite and at least 0",
                              i, thickness[i]);
        }
    }
    return ABUT_OK;
}

abut_status abut_body_set_vertex_thickness(abut_scene* scene, abut_body_id body,
                                           const double* thickness, uint32_t count,
                                           abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    const abut_status status = check_vertices(found, thickness, count, error);
    if (status != ABUT_OK) {
        return abut__blame_body(error, body, status);
    }
    if (count == 0) {
        return abut_body_set_thickness(scene, body, 0, error);
    }
    double* array = reserve(scene, found->index) ? array_of(scene, found->index, count) : NULL;
    if (array == NULL) {
        return abut__fail_memory(error);
    }
    double most = 0;
    for (uint32_t i = 0; i < count; ++i) {
        array[i] = thickness[i];
        most = thickness[i] > most ? thickness[i] : most;
    }
    replace(scene, found->index, (abut__thickness){most, array, count});
    note_change(scene, found);
    return ABUT_OK;
}

double abut_body_thickness(const abut_scene* scene, abut_body_id body) {
    const abut__body* found = abut__scene_body(scene, body);
    return found != NULL ? abut__body_thickness(scene, found).most : 0;
}

double abut_body_vertex_thickness(const abut_scene* scene, abut_body_id body, uint32_t vertex) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL || vertex >= found->shape->mesh->vertex_count) {
        return 0;
    }
    const abut__thickness thickness = abut__body_thickness(scene, found);
    return abut__vertex_thickness(&thickness, vertex);
}
