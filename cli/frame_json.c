// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Converts the answers of a frame to JSON.
#include "cli/contours.h"
#include "cli/findings.h"
#include "cli/json.h"

#include <math.h>

// With few bodies every frame lists all pairs of bodies, also those that do not touch, with 0 pairs
// of triangles. With many bodies these would be mostly zeros.
enum { MOST_BODIES_WITH_ZEROS = 32 };

typedef struct writer {
    json_t* list;
    bool within;
    bool zeros;
    bool lists;
    uint32_t body_count;
    uint32_t a;  // a and b of the next entry, if zeros are listed
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

static json_t* contacts_json(const world* w, const abut_collide_result* answer, bool within,
                             bool lists) {
    writer out = {.list = json_array(), .within = within, .lists = lists};
    out.body_count = w->body_count;
    out.zeros = w->body_count <= MOST_BODIES_WITH_ZEROS;
    out.b = within ? 0 : 1;
    world_each_contact(w, answer, write_contact, &out);
    append_zeros(&out, w->body_count, 0);
    return out.list;
}

// vertex and face, face and vertex, or two edges; then the time
static json_t* swept_json(const abut_sweep_pair* p) {
    if (p->kind == ABUT_CONTACT_EDGE_EDGE) {
        return json_pack("[s, I, I, I, I, f]", "ee", (json_int_t)p->vertices_a[0],
                         (json_int_t)p->vertices_a[1], (json_int_t)p->vertices_b[0],
                         (json_int_t)p->vertices_b[1], p->time);
    }
    const bool vertex_first = p->kind == ABUT_CONTACT_VERTEX_FACE;
    return json_pack("[s, I, I, f]", vertex_first ? "vf" : "fv",
                     (json_int_t)(vertex_first ? p->vertices_a[0] : p->triangle_a),
                     (json_int_t)(vertex_first ? p->triangle_b : p->vertices_b[0]), p->time);
}

static void append_swept(json_t* list, const world* w, uint32_t a, uint32_t b, bool lists) {
    size_t count = 0;
    size_t edges = 0;
    double first = 2;
    const abut_sweep_pair* pairs = world_swept(w, a == b ? w->swept_self : w->swept_between, a, b,
                                               &count);
    if (count == 0 && w->body_count > MOST_BODIES_WITH_ZEROS) {
        return;
    }
    json_t* all = json_array();
    for (size_t i = 0; i < count; ++i) {
        first = pairs[i].time < first ? pairs[i].time : first;
        edges += pairs[i].kind == ABUT_CONTACT_EDGE_EDGE;
        if (lists) {
            json_array_append_new(all, swept_json(&pairs[i]));
        }
    }
    json_t* entry = json_object();
    json_object_set_new(entry, "a", json_count(a));
    json_object_set_new(entry, "b", json_count(b));
    if (count > 0) {
        json_object_set_new(entry, "first", json_finite(first));
    }
    json_object_set_new(entry, "vertex_face", json_count(count - edges));
    json_object_set_new(entry, "edge_edge", json_count(edges));
    if (lists) {
        json_object_set(entry, "list", all);
    }
    json_decref(all);
    json_array_append_new(list, entry);
}

static json_t* numbers_json(const uint32_t vertices[3]) {
    json_t* list = json_array();
    for (int i = 0; i < 3 && vertices[i] != UINT32_MAX; ++i) {
        json_array_append_new(list, json_count(vertices[i]));
    }
    return list;
}

static json_t* weights_json(const double weights[3], const uint32_t vertices[3]) {
    json_t* list = json_array();
    for (int i = 0; i < 3 && vertices[i] != UINT32_MAX; ++i) {
        json_array_append_new(list, json_finite(weights[i]));
    }
    return list;
}

static json_t* feature_pair_json(const abut_feature_pair* p) {
    json_t* json = json_object();
    json_object_set_new(json, "kind",
                        json_text(p->kind == ABUT_CONTACT_EDGE_EDGE     ? "ee"
                                  : p->kind == ABUT_CONTACT_VERTEX_FACE ? "vf"
                                                                        : "fv"));
    json_object_set_new(json, "triangle_a", json_count(p->triangle_a));
    json_object_set_new(json, "triangle_b", json_count(p->triangle_b));
    json_object_set_new(json, "vertices_a", numbers_json(p->vertices_a));
    json_object_set_new(json, "vertices_b", numbers_json(p->vertices_b));
    json_object_set_new(json, "weights_a", weights_json(p->weights_a, p->vertices_a));
    json_object_set_new(json, "weights_b", weights_json(p->weights_b, p->vertices_b));
    json_object_set_new(json, "normal", json_vector(p->normal));
    json_object_set_new(json, "distance", json_finite(sqrt(p->distance_sq)));
    return json;
}

typedef struct feature_writer {
    json_t* list;
    bool lists;
} feature_writer;

static void append_features(void* user, const feature_list* f) {
    const feature_writer* out = user;
    size_t edges = 0;
    json_t* all = json_array();
    for (size_t i = 0; i < f->count; ++i) {
        edges += f->rows[i].kind == ABUT_CONTACT_EDGE_EDGE;
        if (out->lists) {
            json_array_append_new(all, feature_pair_json(&f->rows[i]));
        }
    }
    json_t* entry = json_object();
    json_object_set_new(entry, "a", json_count(f->a));
    json_object_set_new(entry, "b", json_count(f->b));
    json_object_set_new(entry, "vertex_face", json_count(f->count - edges));
    json_object_set_new(entry, "edge_edge", json_count(edges));
    if (out->lists) {
        json_object_set(entry, "list", all);
    }
    json_decref(all);
    json_array_append_new(out->list, entry);
}

static json_t* features_json(const world* w, const question* q, bool lists) {
    feature_writer out = {json_array(), lists};
    world_each_feature_list(w, q, append_features, &out);
    return out.list;
}

static json_t* sweeps_json(const world* w, const question* q, bool lists) {
    json_t* list = json_array();
    for (uint32_t a = 0; a < w->body_count; ++a) {
        for (uint32_t b = a; b < w->body_count; ++b) {
            if (a == b ? q->self : q->between) {
                append_swept(list, w, a, b, lists);
            }
        }
    }
    return list;
}

json_t* world_work_json(const abut_counters* work) {
    json_t* done = json_object();
    json_object_set_new(done, "boxes_bounded", json_count(work->boxes_computed));
    json_object_set_new(done, "boxes_tested", json_count(work->boxes_tested));
    json_object_set_new(done, "nodes_apart", json_count(work->nodes_certified));
    json_object_set_new(done, "blocks_apart", json_count(work->blocks_certified));
    json_object_set_new(done, "node_pairs_apart", json_count(work->node_pairs_certified));
    json_object_set_new(done, "blocks", json_count(work->blocks_evaluated));
    json_object_set_new(done, "vertices", json_count(work->vertices_evaluated));
    json_object_set_new(done, "exact", json_count(work->exact_tests));
    return done;
}

static const char* feature_name(abut_feature feature) {
    switch (feature) {
        case ABUT_FEATURE_VERTEX: return "vertex";
        case ABUT_FEATURE_EDGE: return "edge";
        case ABUT_FEATURE_FACE: return "face";
    }
    return "unknown";
}

static void add_witness(json_t* entry, const char* point, const char* feature, const char* index,
                        const abut_witness* w) {
    json_object_set_new(entry, point, json_vector(w->point));
    json_object_set_new(entry, feature, json_text(feature_name(w->feature)));
    json_object_set_new(entry, index, json_count(w->index));
}

static json_t* nearest_json(const world* w) {
    json_t* list = json_array();
    for (size_t i = 0; i < w->gap_count; ++i) {
        const abut_distance_pair* g = &w->gaps[i];
        json_t* entry = json_object();
        json_object_set_new(entry, "a", json_count(w->number_of[g->body_a]));
        json_object_set_new(entry, "b", json_count(w->number_of[g->body_b]));
        json_object_set_new(entry, "distance", json_finite(g->distance));
        if (gap_has_points(g)) {
            json_object_set_new(entry, "triangle_a", json_count(g->triangle_a));
            json_object_set_new(entry, "triangle_b", json_count(g->triangle_b));
            add_witness(entry, "point_a", "feature_a", "index_a", &g->a);
            add_witness(entry, "point_b", "feature_b", "index_b", &g->b);
        }
        json_array_append_new(list, entry);
    }
    return list;
}

static const char* kind_name(abut_region_kind kind) {
    switch (kind) {
        case ABUT_REGION_CONTACT: return "contact";
        case ABUT_REGION_INSIDE_B: return "a inside b";
        case ABUT_REGION_INSIDE_A: return "b inside a";
        case ABUT_REGION_FOLD: return "fold";
    }
    return "unknown";
}

static json_t* region_json(const abut_region* r) {
    json_t* json = json_object();
    // a fold has no separating translation: null
    json_object_set_new(json, "depth", json_finite(r->depth));
    json_object_set_new(json, "direction", json_vector(r->direction));
    json_object_set_new(json, "pairs", json_count(r->pair_count));
    json_object_set_new(json, "lower", json_finite(r->lower));
    json_object_set_new(json, "upper", json_finite(r->upper));
    json_object_set_new(json, "interlocked", json_boolean(r->interlocked));
    json_object_set_new(json, "kind", json_text(kind_name(r->kind)));
    json_object_set_new(json, "id", json_count(r->id));
    json_object_set_new(json, "new", json_boolean(r->is_new));
    json_object_set_new(json, "turn", json_finite(r->turn_angle));
    json_object_set_new(json, "jump", json_finite(r->jump));
    json_object_set_new(json, "point_a", json_vector(r->point_a));
    json_object_set_new(json, "point_b", json_vector(r->point_b));
    return json;
}

static void append_pairs(void* user, const contact* c) {
    json_t* list = pair_list(c);
    json_array_extend(user, list);
    json_decref(list);
}

// Adds why depth is undefined, and the number of touching pairs. They are listed here unless the
// lists between and within bodies have them.
static void add_undefined(json_t* entry, const world* w, const depth_entry* d, const findings* now,
                          bool lists) {
    const finding* f = findings_of(now, d->a, d->b);
    json_object_set_new(entry, "defined", json_false());
    if (f != NULL && f->why_a != NULL) {
        json_object_set_new(entry, "why_a", json_text(f->why_a));
    }
    if (f != NULL && f->why_b != NULL && d->a != d->b) {
        json_object_set_new(entry, "why_b", json_text(f->why_b));
    }
    json_object_set_new(entry, "pairs", json_count(f != NULL ? f->pairs : 0));
    if (lists && d->pairs != NULL) {
        json_t* list = json_array();
        world_each_contact(w, d->pairs, append_pairs, list);
        json_object_set_new(entry, "list", list);
    }
}

// writes "defined" only where it is false: a surface is open or of mixed orientation
static json_t* depths_json(const world* w, const findings* now, bool lists) {
    json_t* list = json_array();
    for (size_t i = 0; i < w->depth_count; ++i) {
        const depth_entry* d = &w->depths[i];
        json_t* regions = json_array();
        for (size_t r = 0; r < d->count; ++r) {
            json_array_append_new(regions, region_json(&w->regions[d->first + r]));
        }
        json_t* entry = json_object();
        json_object_set_new(entry, "a", json_count(d->a));
        json_object_set_new(entry, "b", json_count(d->b));
        if (!d->defined) {
            add_undefined(entry, w, d, now, lists);
        }
        json_object_set_new(entry, "regions", regions);
        json_array_append_new(list, entry);
    }
    return list;
}

// lists the bodies that are wholly inside others without touching them
static json_t* insides_json(const world* w) {
    json_t* list = json_array();
    for (size_t i = 0; i < w->inside_count; ++i) {
        const inside_entry* e = &w->insides[i];
        json_array_append_new(list, json_pack("{s: I, s: I, s: b}", "inner", (json_int_t)e->inner,
                                              "outer", (json_int_t)e->outer, "partly", e->partly));
    }
    return list;
}

// what does not count, by reason
static json_t* aside_json(const findings* now) {
    json_t* json = json_object();
    json_object_set_new(json, "ignored", json_count(now->aside[ASIDE_IGNORED]));
    json_object_set_new(json, "expected", json_count(now->aside[ASIDE_EXPECTED]));
    json_object_set_new(json, "outside", json_count(now->aside[ASIDE_OUTSIDE]));
    json_object_set_new(json, "known", json_count(now->aside[ASIDE_KNOWN]));
    json_object_set_new(json, "missing", json_count(now->missing));
    return json;
}

json_t* world_frame_json(const world* w, const question* q, const findings* now, uint32_t frame,
                         double time, const abut_counters* work, bool lists) {
    json_t* json = json_object();
    char text[FRAME_TEXT_SIZE];
    const char* clip = frame_clip(q->names, frame, text);
    json_object_set_new(json, "frame", json_count(frame));
    json_object_set_new(json, "number", json_count(frame_number(q->names, frame)));
    if (clip != NULL) {
        json_object_set_new(json, "clip", json_text(clip));
    }
    json_object_set_new(json, "time", json_finite(time));
    json_object_set_new(json, "contact", json_boolean(now->contact));
    if (q->between) {
        json_object_set_new(json, "between", contacts_json(w, w->between, false, lists));
    }
    if (q->self) {
        json_object_set_new(json, "self", contacts_json(w, w->self, true, lists));
    }
    if (q->nearest) {
        json_object_set_new(json, "nearest", nearest_json(w));
    }
    if (q->features || q->features_self) {
        json_object_set_new(json, "features", features_json(w, q, lists));
    }
    if (q->depth) {
        json_object_set_new(json, "depth", depths_json(w, now, lists));
    }
    if (q->inside && w->inside_count != 0) {
        json_object_set_new(json, "inside", insides_json(w));
    }
    if (q->sweep && w->stepped) {
        json_object_set_new(json, "sweep", sweeps_json(w, q, lists));
    }
    if (w->aside.used) {
        json_object_set_new(json, "aside", aside_json(now));
    }
    if (lists) {
        json_object_set_new(json, "contours", contours_json(w, q));
    }
    if (work != NULL) {
        json_object_set_new(json, "work", world_work_json(work));
    }
    return json;
}
