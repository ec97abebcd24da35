// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Exact vertices of a block: only those requested are computed, once while the block is the current
// one.
#include <math.h>

#include "query/corners.h"
#include "query/nearest.h"

bool abut__corners_placed(bool in_shape, const abut__body* body) {
    const double* t = body->frame.t;
    return !in_shape && (body->turned || t[0] != 0 || t[1] != 0 || t[2] != 0);
}

// copies vertices that the pool stores with the block, if the motion is costly
static uint64_t take_cached(const abut_scene* scene, abut__corners* corners, uint64_t missing) {
    if (!abut__body_state(corners->body, 1)->costly) {
        return missing;
    }
    const abut__block_exact* cached = abut__pool_vertices(scene, corners->body, corners->block,
                                                          missing);
    for (uint64_t left = cached != NULL ? missing : 0; left != 0; left &= left - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(left);
        memcpy(corners->xyz[v], cached->xyz[v], sizeof corners->xyz[v]);
    }
    return cached != NULL ? 0 : missing;
}

static void compute(abut__corners* corners, uint64_t missing) {
    const abut_shape* shape = corners->body->shape;
    const abut__block* fixed = shape->tree.blocks[corners->block];
    uint32_t ids[ABUT__BLOCK_VERTICES] = {0};
    uint8_t places[ABUT__BLOCK_VERTICES];
    double xyz[3][ABUT__BLOCK_VERTICES];
    double* const out[3] = {xyz[0], xyz[1], xyz[2]};
    uint32_t count = 0;
    for (uint64_t left = missing; left != 0; left &= left - 1) {
        places[count] = (uint8_t)__builtin_ctzll(left);
        ids[count] = fixed->vertex[places[count]];
        ++count;
    }
    shape->motion->vertices(shape, abut__body_state(corners->body, 1), ids, count, out);
    for (uint32_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            corners->xyz[places[i]][d] = xyz[d][i];
        }
    }
}

void abut__corners_fetch(const abut_scene* scene, abut__corners* corners, const abut__body* body,
                         uint32_t block, bool placed, bool suspect, uint64_t wanted) {
    if (corners->body != body || corners->block != block || corners->placed != placed) {
        corners->body = body;
        corners->block = block;
        corners->placed = placed;
        corners->here = corners->bad = 0;
    }
    const uint64_t missing = wanted & ~corners->here;
    if (missing == 0) {
        return;
    }
    const uint64_t left = take_cached(scene, corners, missing);
    if (left != 0) {
        compute(corners, left);
    }
    for (uint64_t m = placed || suspect ? missing : 0; m != 0; m &= m - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(m);
        double* p = corners->xyz[v];
        if (placed) {
            abut__frame_apply(&body->frame, p);
        }
        const bool finite = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
        corners->bad |= (uint64_t)!finite << v;
    }
    corners->here |= missing;
}

// Records the lowest vertex of a triangle that is not finite. There may be none.
static bool note_bad(abut__seeker* seeker, const abut__body* body, const uint32_t ids[3],
                     double corner[3][3]) {
    bool finite = true;
    for (int i = 0; i < 3; ++i) {
        if (!isfinite(corner[i][0]) || !isfinite(corner[i][1]) || !isfinite(corner[i][2])) {
            const uint64_t bad = (uint64_t)body->index << 32 | ids[i];
            seeker->bad_vertex = bad < seeker->bad_vertex ? bad : seeker->bad_vertex;
            finite = false;
        }
    }
    return finite;
}

bool abut__corners_of(abut__seeker* seeker, const abut__body* body, uint32_t triangle, bool placed,
                      double out[3][3]) {
    const abut_shape* shape = body->shape;
    const uint32_t* ids = shape->mesh->triangles + 3 * (size_t)triangle;
    double xyz[3][3];
    double* const rows[3] = {xyz[0], xyz[1], xyz[2]};
    double sum = 0;
    shape->motion->vertices(shape, abut__body_state(body, 1), ids, 3, rows);
    for (int i = 0; i < 3; ++i) {
        for (int d = 0; d < 3; ++d) {
            out[i][d] = xyz[d][i];
        }
        if (placed) {
            abut__frame_apply(&body->frame, out[i]);
        }
        sum += 0 * (out[i][0] + out[i][1] + out[i][2]);  // not a number if one is not finite
    }
    return sum == 0 || note_bad(seeker, body, ids, out);
}
