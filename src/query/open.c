// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The preamble of all queries, which checks what the caller passed, and their end, which says in
// words why a query failed.
#include <math.h>

#include "query/query.h"
#include "voronoi/voronoi_grid.h"

const abut__settings abut__settings_default = {.tolerance = ABUT_TOLERANCE_DEFAULT};

static abut_status refuse(abut_error* error, const char* reason) {
    return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "%s", reason);
}

abut_status abut__query_open(const abut_scene* scene, abut__workspace* work,
                             const abut_query_head* head, uint32_t kind, const char* name,
                             abut_error* error) {
    if (work != NULL) {
        abut__workspace_empty(work);
    }
    if (scene == NULL || work == NULL) {
        return refuse(error, scene == NULL ? "the scene is NULL" : "the result is NULL");
    }
    if (work->context != scene->context) {
        return refuse(error, "the result belongs to another context than the scene");
    }
    return abut__check_kind(head->cookie, kind, name, error);
}

abut_status abut__query_find(const abut_scene* scene, abut_body_id id, abut__body** body,
                             abut_error* error) {
    *body = abut__scene_body(scene, id);
    if (*body == NULL) {
        return abut__no_body(scene, id, error);
    }
    return ABUT_OK;
}

abut_status abut__query_find_two(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                 abut__body* bodies[2], abut_error* error) {
    abut_status status = abut__query_find(scene, a, &bodies[0], error);
    status = status == ABUT_OK ? abut__query_find(scene, b, &bodies[1], error) : status;
    if (status == ABUT_OK && bodies[0] == bodies[1]) {
        return abut__blame_body(error, a,
                                refuse(error,
                                       "both bodies are the same: name two, or use the call "
                                       "that ends in _self, if there is one"));
    }
    return status;
}

abut_status abut__query_ready(abut_body_id id, const abut__body* body, abut_error* error) {
    return abut__body_ready(body) ? ABUT_OK : abut__blame_body(error, id, abut__fail_memory(error));
}

abut_status abut__query_body(const abut_scene* scene, abut_body_id id, abut__body** body,
                             abut_error* error) {
    const abut_status status = abut__query_find(scene, id, body, error);
    return status == ABUT_OK ? abut__query_ready(id, *body, error) : status;
}

abut_status abut__query_bodies(const abut_scene* scene, abut_body_id a, abut_body_id b,
                               abut__body* bodies[2], abut_error* error) {
    abut_status status = abut__query_find_two(scene, a, b, bodies, error);
    status = status == ABUT_OK ? abut__query_ready(a, bodies[0], error) : status;
    return status == ABUT_OK ? abut__query_ready(b, bodies[1], error) : status;
}

abut_status abut__query_all_ready(const abut_scene* scene, abut_error* error) {
    return abut__scene_ready(scene) ? ABUT_OK : abut__fail_memory(error);
}

abut_status abut__check_length(double length, const char* name, abut_error* error) {
    if (length >= 0 && isfinite(length)) {
        return ABUT_OK;
    }
    return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                      "the %s is %g, but must be finite and at least 0", name, length);
}

abut_status abut__check_tolerance(double tolerance, abut_error* error) {
    if (tolerance >= ABUT_TOLERANCE_MIN && tolerance <= 1) {
        return ABUT_OK;
    }
    return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                      "the tolerance is %.17g, but must be at least %g and at most 1", tolerance,
                      ABUT_TOLERANCE_MIN);
}

abut_status abut__check_culling(abut_culling culling, abut_error* error) {
    if (culling.kind != ABUT_CULLING_TREE && culling.kind != ABUT_CULLING_VORONOI) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there is no kind of culling %d", (int)culling.kind);
    }
    if (culling.grid_cells > ABUT__GRID_SIDE) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%u grid cells are more than %d", culling.grid_cells, ABUT__GRID_SIDE);
    }
    return ABUT_OK;
}

// returns a sentence for failures that say nothing more
static const char* reason_of(const abut__blame* blame, abut_status status) {
    return blame->reason != NULL          ? blame->reason
           : status == ABUT_ERR_LIMIT     ? "there are more pairs than a query can number"
           : status == ABUT_ERR_NO_MEMORY ? "the allocator has no memory"
                                          : abut_status_text(status);
}

abut_status abut__query_report(const abut__blame* blame, abut_status status, abut_error* error) {
    if (status == ABUT_OK || status == ABUT_INCOMPLETE) {
        return status;
    }
    if (status == ABUT_ERR_NO_MEMORY) {
        return abut__fail_memory(error);
    }
    if (status == ABUT_ERR_INVALID_DATA && blame->vertex != ABUT__NONE) {
        abut__fail(error, status, ABUT_ELEMENT_VERTEX, blame->vertex,
                   "vertex %u of body %u is not finite", blame->vertex, blame->body.index);
    } else if (blame->body.generation != 0) {
        abut__fail(error, status, ABUT_ELEMENT_BODY, blame->body.index, "body %u: %s",
                   blame->body.index, reason_of(blame, status));
    } else {
        abut__fail(error, status, ABUT_ELEMENT_NONE, 0, "%s", reason_of(blame, status));
    }
    return abut__blame_body(error, blame->body, status);
}

abut_status abut__query_close(abut__workspace* work, abut_status status, abut_error* error) {
    if (status != ABUT_OK && status != ABUT_INCOMPLETE) {
        abut__workspace_empty(work);
    }
    return abut__query_report(&work->blame, status, error);
}
