// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The order of rows about features: by bodies, kind, feature of a, feature of b. The keys of all rows
// are listed first, so that sorting reads no rows.
#include "base/sort.h"
#include "query/query.h"

// a face is sorted by its triangle, a vertex or an edge by its vertices
static uint64_t number_of(bool face, uint32_t triangle, const uint32_t vertices[3]) {
    return face ? triangle : (uint64_t)vertices[0] << 32 | vertices[1];
}

#define SET_KEYS(out, pair)                                                                 \
    (out)->row = (pair);                                                                    \
    (out)->key[0] = number_of((pair)->kind == ABUT_CONTACT_VERTEX_FACE, (pair)->triangle_b, \
                              (pair)->vertices_b);                                          \
    (out)->key[1] = number_of((pair)->kind == ABUT_CONTACT_FACE_VERTEX, (pair)->triangle_a, \
                              (pair)->vertices_a);                                          \
    (out)->key[2] = (uint64_t)(pair)->kind;                                                 \
    (out)->key[3] = (uint64_t)(pair)->body_a << 32 | (pair)->body_b

void abut__row_of_sweep(const abut_sweep_pair* pair, abut__row_key* out) {
    SET_KEYS(out, pair);
}

void abut__row_of_features(const abut_feature_pair* pair, abut__row_key* out) {
    SET_KEYS(out, pair);
}

bool abut__rows_alike(const abut__row_key* a, const abut__row_key* b) {
    return memcmp(a->key, b->key, sizeof a->key) == 0;
}

// one stable sort after the other
bool abut__sort_rows(abut__workspace* work, size_t size, void* out) {
    const size_t count = work->row_keys.count;
    const abut__row_key* rows = work->row_keys.data;
    abut__keyed* keys = abut__renew(work->context, &work->keys, 2 * count);
    if (keys == NULL && count > 0) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        keys[i].value = i;
    }
    for (int which = 0; which < ABUT__ROW_KEYS; ++which) {
        for (size_t i = 0; i < count; ++i) {
            keys[i].key = rows[keys[i].value].key[which];
        }
        abut__sort_keyed(keys, keys + count, count);
    }
    for (size_t i = 0; i < count; ++i) {
        memcpy((char*)out + i * size, rows[keys[i].value].row, size);
    }
    return true;
}

void abut__turn_normal(const abut__job* job, double normal[3]) {
    if (job->in_shape && job->view[0].body->turned) {
        abut_frame turn = *job->view[0].frame;
        memset(turn.t, 0, sizeof turn.t);
        abut__frame_apply(&turn, normal);
    }
}
