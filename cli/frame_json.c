// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The answers of a frame as JSON.
#include "cli/json.h"
#include "cli/world.h"

// With few bodies a pair of them that does not touch is listed too, with 0 pairs: a reader finds
// every pair in every frame. With many that would be mostly zeros.
enum { MOST_BODIES_WITH_ZEROS = 32 };

typedef struct writer {
    json_t* list;
    bool within;
    bool zeros;
    bool lists;
    uint32_t body_count;
    uint32_t a;  // the next entry, when zeros are listed
    uint32_t b;
} writer;

static json_t* pair_list(const contact* c) {
    json_t* list = json_array();
    for (size_t i = 0; i < c->count; ++i) {
        json_array_append_new(list, json_pack("[I, I]", (json_int_t)c->pairs[i].triangle_a,
                                              (json_int_t)c->pairs[i].triangle_b));
    }
    return list;
}

static void append(writer* out, const contact* c) {
    json_t* entry = json_object();
    json_object_set_new(entry, "a", json_count(c->a));
    if (!out->within) {
        json_object_set_new(entry, "b", json_count(c->b));
    }
    json_object_set_new(entry, "pairs", json_count(c->count));
    if (out->lists) {
        json_object_set_new(entry, "list", pair_list(c));
    }
    json_array_append_new(out->list, entry);
}

// appends entries of 0 pairs up to, but not including, (a, b)
static void append_zeros(writer* out, uint32_t a, uint32_t b) {
    while (out->zeros && out->a < out->body_count && (out->a < a || (out->a == a && out->b < b))) {
        const contact none = {out->a, out->b, 0, NULL};
        if (out->within || out->b < out->body_count) {
            append(out, &none);
        }
        if (out->within || ++out->b >= out->body_count) {
            ++out->a;
            out->b = out->within ? out->a : out->a + 1;
        }
    }
}

static void write_contact(void* user, const contact* c) {
    writer* out = user;
    append_zeros(out, c->a, c->b);
    append(out, c);
    if (out->within || c->b + 1 >= out->body_count) {
        out->a = c->a + 1;
        out->b = out->within ? out->a : out->a + 1;
    } else {
        out->a = c->a;
        out->b = c->b + 1;
    }
}

static json_t* contacts_json(const world* w, const abut_result* answer, bool within, bool lists) {
    writer out = {.list = json_array(), .within = within, .lists = lists};
    out.body_count = w->body_count;
    out.zeros = w->body_count <= MOST_BODIES_WITH_ZEROS;
    out.b = within ? 0 : 1;
    world_each_contact(w, answer, write_contact, &out);
    append_zeros(&out, w->body_count, 0);
    return out.list;
}

json_t* world_work_json(const abut_counters* work) {
    json_t* done = json_object();
    json_object_set_new(done, "boxes_bounded", json_count(work->boxes_bounded));
    json_object_set_new(done, "boxes_tested", json_count(work->boxes_tested));
    json_object_set_new(done, "nodes_apart", json_count(work->nodes_apart));
    json_object_set_new(done, "blocks_apart", json_count(work->blocks_apart));
    json_object_set_new(done, "blocks", json_count(work->blocks_evaluated));
    json_object_set_new(done, "vertices", json_count(work->vertices_moved));
    json_object_set_new(done, "exact", json_count(work->exact_tests));
    return done;
}

json_t* world_frame_json(const world* w, const question* q, uint32_t frame, double time,
                         const abut_counters* work, bool lists) {
    json_t* json = json_object();
    json_object_set_new(json, "frame", json_count(frame));
    json_object_set_new(json, "time", json_real(time));
    if (q->between) {
        json_object_set_new(json, "between", contacts_json(w, w->between, false, lists));
    }
    if (q->self) {
        json_object_set_new(json, "self", contacts_json(w, w->self, true, lists));
    }
    if (q->nearest) {
        json_object_set_new(json, "nearest", world_nearest_json(w));
    }
    json_object_set_new(json, "work", world_work_json(work));
    return json;
}
