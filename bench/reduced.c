// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Scenes of reduced deformation: see reduced.h. Coordinates and frames of all frames are computed
// beforehand, so that only the work of the library and of the deformer is measured.
#include "bench/reduced.h"

#include "motion/modal.h"

#include "bench/deform.h"
#include "bench/skinner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct actor {
    const scene_body* from;
    uint32_t number;  // in the scene
    abut_body_id body;
    double* q;           // per frame
    float* narrow;       // transforms per frame, as engines have them: both sides get these
    double* transforms;  // the same numbers, for the reference
    abut_frame* frame;   // per frame
    bool turns;          // a frame is not the identity
    deformer* deformer;
    skinner* skinner;
    double* exact;
} actor;

struct reduced {
    reduced_way way;
    bool late;   // trees are left to the first query
    bool steps;  // the previous state counts, too
    uint32_t frame_count;
    actor* actors;
    uint32_t actor_count;
    double* swung;
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_sweep_result* swept;
    abut_counters counters;
    abut_collide_def query;
};

void reduced_need(abut_status status, const abut_error* error) {
    if (status != ABUT_OK) {
        bench_die("%s", error != NULL ? error->message : abut_status_text(status));
    }
}

reduced_def reduced_def_default(abut_motion motion) {
    return (reduced_def){.motion = motion, .shape = abut_shape_def_default()};
}

static abut_status make_reduced(abut_context* context, const scene_body* b, const abut_mesh* mesh,
                                const abut_field* fields, const reduced_def* def,
                                abut_shape** shape, abut_error* error) {
    if (def->motion == ABUT_MOTION_MODAL) {
        abut_modal_def modal = abut_modal_def_default();
        modal.shape = def->shape;
        modal.fields = fields;
        modal.field_count = b->field_count;
        modal.bound = def->modal_bound;
        return abut_shape_create_modal(context, mesh, &modal, shape, error);
    }
    abut_blend_def blend = abut_blend_def_default();
    blend.shape = def->shape;
    blend.fields = fields;
    blend.field_count = b->field_count;
    blend.weights = (abut_weights){.node_count = b->node_count,
                                   .first = b->weight_first,
                                   .nodes = b->weight_nodes,
                                   .values = b->weights,
                                   .type = ABUT_SCALAR_F32};
    return abut_shape_create_blend(context, mesh, &blend, shape, error);
}

static abut_status make_flight(abut_context* context, const abut_mesh* mesh, const reduced_def* def,
                               abut_shape** shape, abut_error* error) {
    abut_flight_def flight = abut_flight_def_default();
    flight.shape = def->shape;
    flight.keyframes = def->keyframes;
    flight.keyframe_count = def->keyframe_count;
    flight.bound = def->flight_bound;
    return abut_shape_create_flight(context, mesh, &flight, shape, error);
}

abut_shape* reduced_make_shape(abut_context* context, const scene_body* b, const reduced_def* def) {
    abut_error error;
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f64(b->rest, b->vertex_count);
    mesh_def.triangles = b->triangles;
    mesh_def.triangle_count = b->triangle_count;
    abut_mesh* mesh = NULL;
    reduced_need(abut_mesh_create(context, &mesh_def, &mesh, &error), &error);
    abut_field* fields = bench_alloc(b->field_count, sizeof *fields);
    for (uint32_t j = 0; j < b->field_count; ++j) {
        fields[j].values = abut_positions_f32(b->fields + 3 * (size_t)j * b->vertex_count,
                                              b->vertex_count);
    }
    abut_shape* shape = NULL;
    reduced_need(def->motion == ABUT_MOTION_FREE
                     ? abut_shape_create(context, mesh, &def->shape, &shape, &error)
                 : def->motion == ABUT_MOTION_FLIGHT
                     ? make_flight(context, mesh, def, &shape, &error)
                     : make_reduced(context, b, mesh, fields, def, &shape, &error),
                 &error);
    if (!def->late) {
        reduced_need(abut_shape_build_tree(shape, &error), &error);
    }
    abut_mesh_destroy(mesh);
    free(fields);
    return shape;
}

static bool is_lazy(reduced_way way) {
    return way != WAY_DEFORM && way != WAY_EXACT;
}

static abut_shape* make_shape(reduced* r, const scene_body* b) {
    reduced_def def = reduced_def_default(!is_lazy(r->way)    ? ABUT_MOTION_FREE
                                          : b->node_count > 0 ? ABUT_MOTION_BLEND
                                                              : ABUT_MOTION_MODAL);
    def.late = r->late;
    if (b->field_count > 0) {  // a floor bounded by spheres would overlap everything above it
        def.modal_bound = r->way == WAY_SPHERES || r->way == WAY_CUBES ? ABUT_MODAL_BOUND_SPHERES
                          : r->way == WAY_SPHERES_MEAN ? ABUT_MODAL_BOUND_SPHERES_MEAN
                          : r->way == WAY_BOTH || r->way == WAY_BOTH_ALWAYS ? ABUT_MODAL_BOUND_BOTH
                                                                            : ABUT_MODAL_BOUND_AUTO;
    }
    abut_shape* shape = reduced_make_shape(r->context, b, &def);
    if (r->way == WAY_CUBES && def.motion == ABUT_MOTION_MODAL) {
        abut__modal_of(shape)->compare = ABUT__COMPARE_CUBES;
    }
    if (r->way == WAY_BOTH_ALWAYS && def.motion == ABUT_MOTION_MODAL) {
        abut__modal_of(shape)->compare = ABUT__COMPARE_BOTH;
    }
    return shape;
}

static void fill_frames(reduced* r, const scene* s, actor* a) {
    const uint32_t fields = a->from->field_count;
    const size_t numbers = 12 * (size_t)a->from->node_count;
    a->q = bench_alloc((size_t)fields * r->frame_count, sizeof *a->q);
    a->transforms = bench_alloc(numbers * r->frame_count, sizeof *a->transforms);
    a->narrow = bench_alloc_floats(numbers * r->frame_count);
    a->frame = bench_alloc(r->frame_count, sizeof *a->frame);
    for (uint32_t f = 0; f < r->frame_count; ++f) {
        if (fields > 0) {
            scene_coordinates(s, a->number, f, a->q + (size_t)fields * f);
        }
        scene_transforms(s, a->number, f, a->transforms + numbers * f);
        for (size_t i = numbers * f; i < numbers * (f + 1); ++i) {
            a->narrow[i] = (float)a->transforms[i];
            a->transforms[i] = (double)a->narrow[i];
        }
        a->frame[f] = abut_frame_identity();
        const abut_frame identity = a->frame[f];
        if (a->from->reduced) {
            scene_frame(s, a->number, f, a->frame[f].r, a->frame[f].t);
        }
        a->turns = a->turns || memcmp(&identity, &a->frame[f], sizeof identity) != 0;
    }
}

static abut_box rest_box(const scene_body* b) {
    abut_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < 3 * (size_t)b->vertex_count; ++i) {
        box.lo[i % 3] = fmin(box.lo[i % 3], b->rest[i]);
        box.hi[i % 3] = fmax(box.hi[i % 3], b->rest[i]);
    }
    return box;
}

// Copies swing through the first body, each at its own place and with its own phase.
static void spread_copy(reduced* r, actor* a, uint32_t copy, uint32_t copies) {
    const abut_box box = rest_box(r->actors[0].from);
    const uint32_t side = (uint32_t)ceil(sqrt((double)copies));
    const double u = ((double)(copy % side) + 0.5) / side;
    const double v = ((double)(copy / side) + 0.5) / side;
    for (uint32_t f = 0; f < r->frame_count; ++f) {
        const double phase = 6.28318530718 * ((double)f / r->frame_count + 0.618 * copy);
        a->frame[f] = abut_frame_identity();
        a->frame[f].t[0] = box.lo[0] + u * (box.hi[0] - box.lo[0]);
        a->frame[f].t[1] = 0.3 * sin(phase);
        a->frame[f].t[2] = box.lo[2] + v * (box.hi[2] - box.lo[2]);
    }
    a->turns = true;
}

static void add_actor(reduced* r, const scene* s, uint32_t number, const abut_shape* shape,
                      uint64_t group) {
    actor* a = &r->actors[r->actor_count++];
    abut_error error;
    abut_body_def def = abut_body_def_default();
    def.is_static = !scene_get_body(s, number)->moves;
    def.groups = group;
    def.mask = ~(group & 2);
    *a = (actor){.from = scene_get_body(s, number), .number = number};
    reduced_need(abut_body_create(r->scene, shape, &def, &a->body, &error), &error);
    fill_frames(r, s, a);
    if (a->from->node_count > 0) {
        a->skinner = skinner_create(a->from);
    } else if (a->from->field_count > 0) {
        a->deformer = deformer_create(a->from->rest, a->from->fields, a->from->vertex_count,
                                      a->from->field_count);
    }
    a->exact = bench_alloc(3 * (size_t)a->from->vertex_count, sizeof *a->exact);
}

// Makes a copy small enough to leave space for the others.
static scene_body small_body(const scene_body* b, uint32_t copies) {
    scene_body small = *b;
    double* rest = bench_alloc(3 * (size_t)b->vertex_count, sizeof *rest);
    const double factor = fmin(1, 3.6 / sqrt((double)copies));
    for (size_t i = 0; i < 3 * (size_t)b->vertex_count; ++i) {
        rest[i] = factor * b->rest[i];
    }
    small.rest = rest;
    return small;
}

// Makes a body reverse at a frame.
static void fly_back(const reduced* r, actor* a, uint32_t turn_back) {
    for (uint32_t f = turn_back + 1; f < r->frame_count; ++f) {
        a->frame[f] = a->frame[f <= 2 * turn_back ? 2 * turn_back - f : 0];
    }
}

uint32_t reduced_first_contact(const scene* s) {
    reduced* r = reduced_create(s, 1, 0, WAY_LAZY);
    size_t count = 0;
    uint32_t frame = 0;
    while (frame < r->frame_count && count == 0) {
        reduced_update(r, frame++, 1);
        reduced_collide(r);
        (void)reduced_pairs(r, &count);
    }
    reduced_destroy(r);
    return frame - 1;
}

static reduced* create(const scene* s, uint32_t copies, uint32_t turn_back, reduced_way way,
                       bool late) {
    reduced* r = bench_alloc(1, sizeof *r);
    abut_error error;
    const uint32_t bodies = scene_body_count(s);
    r->way = way;
    r->late = late;
    r->frame_count = scene_frame_count(s);
    r->actors = bench_alloc(bodies + (size_t)copies, sizeof *r->actors);
    r->swung = bench_alloc(4096, sizeof *r->swung);
    reduced_need(abut_context_create(bench_context_def(), &r->context, &error), &error);
    reduced_need(abut_scene_create(r->context, NULL, &r->scene, &error), &error);
    reduced_need(abut_collide_result_create(r->context, &r->result, &error), &error);
    reduced_need(abut_sweep_result_create(r->context, &r->swept, &error), &error);
    r->query = abut_collide_def_default();
    r->query.head.counters = &r->counters;
    for (uint32_t i = 0; i < bodies; ++i) {
        const bool many = copies > 1 && i + 1 == bodies;
        const scene_body small = many ? small_body(scene_get_body(s, i), copies)
                                      : *scene_get_body(s, i);
        abut_shape* shape = make_shape(r, &small);
        for (uint32_t k = 0; k < (many ? copies : 1); ++k) {
            add_actor(r, s, i, shape, many ? 2 : 1);
            actor* added = &r->actors[r->actor_count - 1];
            if (many) {
                spread_copy(r, added, k, copies);
            } else if (turn_back > 0 && i + 1 == bodies) {
                fly_back(r, added, turn_back);
            }
        }
        abut_shape_destroy(shape);
        if (many) {
            free((void*)small.rest);
        }
    }
    return r;
}

reduced* reduced_create(const scene* s, uint32_t copies, uint32_t turn_back, reduced_way way) {
    return create(s, copies, turn_back, way, false);
}

reduced* reduced_create_late(const scene* s, reduced_way way) {
    return create(s, 1, 0, way, true);
}

void reduced_certify(const reduced* r) {
    abut_error error;
    for (uint32_t i = 0; i < r->actor_count; ++i) {
        reduced_need(abut_shape_build_certificates(abut_body_shape(r->scene, r->actors[i].body),
                                                   &error),
                     &error);
    }
}

void reduced_destroy(reduced* r) {
    if (r == NULL) {
        return;
    }
    for (uint32_t i = 0; i < r->actor_count; ++i) {
        deformer_destroy(r->actors[i].deformer);
        skinner_destroy(r->actors[i].skinner);
        free(r->actors[i].q);
        free(r->actors[i].transforms);
        free(r->actors[i].narrow);
        free(r->actors[i].frame);
        free(r->actors[i].exact);
    }
    abut_collide_result_destroy(r->result);
    abut_sweep_result_destroy(r->swept);
    abut_scene_destroy(r->scene);
    abut_context_destroy(r->context);
    free(r->actors);
    free(r->swung);
    free(r);
}

static void blend_exactly(const actor* a, const double* transforms) {
    const scene_body* b = a->from;
    for (uint32_t v = 0; v < b->vertex_count; ++v) {
        double m[12];
        const uint32_t first = b->weight_first[v];
        for (uint32_t i = first; i < b->weight_first[v + 1]; ++i) {
            const double* t = transforms + 12 * (size_t)b->weight_nodes[i];
            for (int e = 0; e < 12; ++e) {
                const double product = (double)b->weights[i] * t[e];
                m[e] = i == first ? product : m[e] + product;
            }
        }
        double* p = a->exact + 3 * (size_t)v;
        const double x[3] = {p[0], p[1], p[2]};
        for (size_t d = 0; d < 3; ++d) {
            const double* row = m + 4 * d;
            p[d] = ((row[0] * x[0] + row[1] * x[1]) + row[2] * x[2]) + row[3];
        }
    }
}

static void deform_exactly(actor* a, const double* q) {
    const size_t numbers = 3 * (size_t)a->from->vertex_count;
    for (size_t i = 0; i < numbers; ++i) {
        double p = a->from->rest[i];
        for (uint32_t j = 0; j < a->from->field_count; ++j) {
            p += (double)a->from->fields[j * numbers + i] * q[j];
        }
        a->exact[i] = p;
    }
}

static void set_lazily(reduced* r, const actor* a, const double* q, const float* transforms) {
    abut_error error;
    const uint32_t fields = a->from->field_count;
    const uint32_t nodes = a->from->node_count;
    if (nodes > 0) {
        reduced_need(abut_body_set_transforms(r->scene, a->body,
                                              abut_transforms_f32(transforms, nodes), q, fields,
                                              &error),
                     &error);
    } else {
        reduced_need(abut_body_set_coordinates(r->scene, a->body, q, fields, &error), &error);
    }
}

static void update_state(reduced* r, actor* a, const double* q, uint32_t frame) {
    const size_t first = 12 * (size_t)a->from->node_count * frame;
    const double* transforms = a->transforms + first;
    abut_error error;
    const uint32_t vertices = a->from->vertex_count;
    abut_positions positions;
    if (is_lazy(r->way)) {
        set_lazily(r, a, q, a->narrow + first);
        return;
    }
    if (r->way == WAY_DEFORM) {
        positions = abut_positions_f32(a->skinner != NULL
                                           ? skinner_run(a->skinner, a->narrow + first, q)
                                           : deformer_run(a->deformer, q),
                                       vertices);
    } else {
        deform_exactly(a, q);
        if (a->from->node_count > 0) {
            blend_exactly(a, transforms);
        }
        positions = abut_positions_f64(a->exact, vertices);
    }
    reduced_need((r->steps ? abut_body_set_positions
                           : abut_body_borrow_positions)(r->scene, a->body, positions, &error),
                 &error);
}

void reduced_update(reduced* r, uint32_t frame, double swing) {
    abut_error error;
    for (uint32_t i = 0; i < r->actor_count; ++i) {
        actor* a = &r->actors[i];
        const uint32_t fields = a->from->field_count;
        const uint32_t nodes = a->from->node_count;
        for (uint32_t j = 0; j < fields; ++j) {
            r->swung[j] = (nodes > 0 ? 1 : swing) * a->q[(size_t)fields * frame + j];
        }
        if (fields + nodes > 0) {
            update_state(r, a, r->swung, frame);
        }
        if (a->turns) {
            const abut_frame* before = &a->frame[r->steps && frame > 0 ? frame - 1 : frame];
            reduced_need(abut_body_set_frame_step(r->scene, a->body, before, &a->frame[frame],
                                                  &error),
                         &error);
        }
    }
}

void reduced_step(reduced* r, uint32_t frame, double swing) {
    r->steps = true;
    reduced_update(r, frame, swing);
}

size_t reduced_sweep(reduced* r) {
    size_t count = 0;
    abut_sweep_def query = abut_sweep_def_default();
    query.head.counters = r->query.head.counters;
    reduced_need(abut_sweep_all(r->scene, &query, r->swept, NULL), NULL);
    (void)abut_sweep_result_pairs(r->swept, &count);
    return count;
}

void reduced_collide(reduced* r) {
    reduced_need(abut_collide_all(r->scene, &r->query, r->result, NULL), NULL);
}

void reduced_self(reduced* r) {
    reduced_need(abut_collide_self(r->scene, r->actors[0].body, &r->query, r->result, NULL), NULL);
}

const abut_pair* reduced_pairs(const reduced* r, size_t* count) {
    return abut_collide_result_pairs(r->result, count);
}

abut_counters* reduced_counters(reduced* r) {
    return &r->counters;
}

abut_scene* reduced_scene(const reduced* r) {
    return r->scene;
}

abut_body_id reduced_body(const reduced* r, uint32_t body) {
    return r->actors[body].body;
}
