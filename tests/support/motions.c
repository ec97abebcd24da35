// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/motions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "motion/blend.h"
#include "support/motion_def.h"

state_kind random_state_kind(test_random* random) {
    const double kind = random_unit(random);
    return kind < 0.45  ? STATE_NEAR
           : kind < 0.7 ? STATE_ORDINARY
           : kind < 0.8 ? STATE_REST
           : kind < 0.9 ? STATE_EXTREME
                        : STATE_DEGENERATE;
}

// changes all numbers, or a few of them, by very little
static void nudge(test_random* random, double* numbers, size_t count) {
    const bool all = random_chance(random, 0.7);
    for (size_t i = 0; i < count; ++i) {
        if (all || random_chance(random, 0.1)) {
            numbers[i] += random_double(random, -1e-3, 1e-3);
        }
    }
}

// flattens to a plane, sometimes to a line or a point, where all triangles touch
static void flatten(test_random* random, double* xyz, size_t vertices) {
    const uint32_t kept = random_chance(random, 0.8) ? 2 : random_below(random, 2);
    for (size_t v = 0; v < vertices; ++v) {
        for (size_t d = kept; d < 3; ++d) {
            xyz[3 * v + d] = 0.25;
        }
    }
}

// ---- free: a state is all positions

static void free_make(mover* m, test_random* random) {
    (void)random;
    m->xyz = test_alloc(3 * (size_t)m->surface.vertex_count, sizeof(double));
}

static motion_def free_def(const mover* m) {
    (void)m;
    return motion_def_default();
}

static void free_draw(mover* m, test_random* random, state_kind kind) {
    const size_t count = 3 * (size_t)m->surface.vertex_count;
    if (kind == STATE_NEAR) {
        nudge(random, m->xyz, count);
        return;
    }
    memcpy(m->xyz, m->surface.xyz, count * sizeof(double));
    const double scale = ldexp(1, random_between(random, -60, 60));
    for (size_t i = 0; i < count && kind != STATE_REST; ++i) {
        m->xyz[i] += random_dyadic(random, 0.125, 0.0625);
        m->xyz[i] *= kind == STATE_EXTREME ? scale : 1;
    }
    if (kind == STATE_DEGENERATE) {
        flatten(random, m->xyz, count / 3);
    }
}

static abut_status free_set(mover* m, abut_scene* scene, abut_body_id body) {
    return abut_body_set_positions(scene, body, abut_positions_f64(m->xyz, m->surface.vertex_count),
                                   NULL);
}

static void free_vertex(const mover* m, uint32_t vertex, double out[3]) {
    memcpy(out, m->xyz + 3 * (size_t)vertex, 3 * sizeof(double));
}

const motion_row motion_free = {
    .name = "free",
    .motion = ABUT_MOTION_FREE,
    .bounds = {MOTION_BOUND_AUTO},
    .bound_count = 1,
    .variants = 3,
    .make = free_make,
    .def = free_def,
    .draw = free_draw,
    .set = free_set,
    .vertex = free_vertex,
};

// ---- modal: a state is coordinates of fields

static void add_fields(mover* m, test_random* random, uint32_t count, double size,
                       abut_scalar type) {
    m->fields = make_fields(random, &m->surface, count, size, type, m->variant != 0);
    m->q = test_alloc(count + 1, sizeof(double));
}

// the last field flattens the surface to the plane z = 0, unless it is the only one
static void add_press(mover* m) {
    const field_set* f = &m->fields;
    for (uint32_t v = 0; v < f->vertex_count; ++v) {
        double* u = field_at(f, f->count - 1, v);
        const double down[3] = {0, 0, -m->surface.xyz[3 * (size_t)v + 2]};
        for (int d = 0; d < 3; ++d) {
            float* narrow = f->narrow + (&u[d] - f->u);
            *narrow = (float)down[d];
            u[d] = f->type == ABUT_SCALAR_F32 ? (double)*narrow : down[d];
        }
    }
}

static void modal_make(mover* m, test_random* random) {
    // 40 fields are enough to widen boxes
    static const uint32_t counts[] = {40, 5, 3, 0, 10};
    static const abut_scalar types[] = {ABUT_SCALAR_F32, ABUT_SCALAR_F64, ABUT_SCALAR_F32,
                                        ABUT_SCALAR_F64, ABUT_SCALAR_F32};
    add_fields(m, random, counts[m->variant], m->variant == 0 ? 0.05 : 0.3, types[m->variant]);
    if (counts[m->variant] > 0) {
        add_press(m);
    }
}

static motion_def modal_shape_def(const mover* m) {
    motion_def def = modal_def(&m->fields);
    def.proxy_level = m->variant + 2;
    def.bound = m->bound;
    return def;
}

static void coordinates_draw(mover* m, test_random* random, state_kind kind) {
    const uint32_t count = m->fields.count;
    const bool all = random_chance(random, 0.7);
    if (kind == STATE_NEAR) {
        nudge(random, m->q, count);
        return;
    }
    if (kind != STATE_ORDINARY) {
        memset(m->q, 0, count * sizeof(double));
    }
    const double scale = ldexp(1, random_between(random, -40, 40));
    for (uint32_t j = 0; j < count && (kind == STATE_ORDINARY || kind == STATE_EXTREME); ++j) {
        if (all || random_chance(random, 0.1)) {
            m->q[j] = (double)random_between(random, -4, 4) / 4;
            m->q[j] *= kind == STATE_EXTREME ? scale : 1;
        }
    }
    if (kind == STATE_DEGENERATE && count > 0) {
        m->q[count - 1] = 1;
    }
}

static abut_status modal_set(mover* m, abut_scene* scene, abut_body_id body) {
    return abut_body_set_coordinates(scene, body, m->q, m->fields.count, NULL);
}

static void modal_vertex(const mover* m, uint32_t vertex, double out[3]) {
    formula(&m->surface, &m->fields, m->q, vertex, out);
}

// a frame and the coordinates, with those of the state before, because sweeps need them
static size_t modal_bytes(const mover* m, bool moved) {
    return 96 + 256 + (moved ? 16 : 8) * (size_t)m->fields.count;
}

const motion_row motion_modal = {
    .name = "modal",
    .motion = ABUT_MOTION_MODAL,
    .bounds = {MOTION_BOUND_AUTO, ABUT_MODAL_BOUND_SPHERES, ABUT_MODAL_BOUND_SPHERES_MEAN},
    .bound_count = 3,
    .variants = 5,
    .body_bytes = modal_bytes,
    .make = modal_make,
    .def = modal_shape_def,
    .draw = coordinates_draw,
    .set = modal_set,
    .vertex = modal_vertex,
};

// ---- blend: a state is transforms of nodes, and coordinates

static void blend_make(mover* m, test_random* random) {
    static const uint32_t nodes[] = {20, 40, 3, 10};
    static const uint32_t influences[] = {4, 9, 1, 4};
    static const uint32_t counts[] = {0, 3, 1, 0};
    const abut_scalar type = m->variant % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64;
    add_fields(m, random, counts[m->variant], 0.2, type);
    m->skin = skin_make(random, &m->surface, nodes[m->variant], influences[m->variant], type);
    m->t = test_alloc(nodes[m->variant], sizeof *m->t);
}

static motion_def blend_shape_def(const mover* m) {
    motion_def def = blend_def(&m->skin, &m->fields);
    def.bound = m->bound;
    return def;
}

// all nodes lose the same rows, and so does the surface
static void collapse(test_random* random, double (*t)[12], uint32_t count) {
    const int rows = 1 + (int)random_below(random, 2) + (random_chance(random, 0.1) ? 1 : 0);
    for (uint32_t j = 0; j < count; ++j) {
        for (int e = 0; e < 4 * rows; ++e) {
            t[j][e] = 0;
        }
    }
}

static void blend_draw(mover* m, test_random* random, state_kind kind) {
    const uint32_t count = m->skin.node_count;
    coordinates_draw(m, random, kind == STATE_EXTREME ? STATE_ORDINARY : kind);
    if (kind == STATE_NEAR) {
        nudge(random, m->t[0], (size_t)12 * count);
    } else if (kind == STATE_EXTREME) {
        wild_transforms(random, m->t, count, random_chance(random, 0.5) ? 0 : 1e3);
    } else {
        gentle_transforms(random, m->t, count, kind == STATE_REST ? 0 : 0.3);
    }
    if (kind == STATE_DEGENERATE) {
        collapse(random, m->t, count);
    }
}

static abut_status blend_set(mover* m, abut_scene* scene, abut_body_id body) {
    return abut_body_set_transforms(scene, body, abut_transforms_f64(m->t[0], m->skin.node_count),
                                    m->q, m->fields.count, NULL);
}

static void blend_vertex(const mover* m, uint32_t vertex, double out[3]) {
    blend_formula(&m->surface, &m->skin, &m->fields, m->q, m->t, vertex, out);
}

// a frame and the transforms, in double and as columns of float, with those of the state before
static size_t blend_bytes(const mover* m, bool moved) {
    const size_t state = (size_t)(96 + 128) * m->skin.node_count + 8 * (size_t)m->fields.count;
    return 96 + 512 + (moved ? 2 : 1) * state;
}

const motion_row motion_blend = {
    .name = "blend",
    .motion = ABUT_MOTION_BLEND,
    .bounds = {MOTION_BOUND_AUTO, ABUT__BLEND_BOUND_EXACT, ABUT__BLEND_BOUND_PLAIN},
    .bound_count = 3,
    .variants = 4,
    .body_bytes = blend_bytes,
    .make = blend_make,
    .def = blend_shape_def,
    .draw = blend_draw,
    .set = blend_set,
    .vertex = blend_vertex,
};

// ---- flight: a state is a time, or plans

static void flight_row_make(mover* m, test_random* random) {
    static const uint32_t keys[] = {4, 3, 0};
    m->flight = flight_make(random, m->surface, 1, keys[m->variant]);
    if (m->variant < 2) {  // one key is flat
        flatten(random, m->flight.key_xyz[1], m->surface.vertex_count);
    }
    if (m->variant == 1) {
        flight_narrow(&m->flight);
    }
}

static motion_def flight_shape_def(const mover* m) {
    return flight_def(&m->flight, m->bound, 48);
}

// plans for all vertices or for some, of this kind
static void plans_draw(mover* m, test_random* random, state_kind kind) {
    flight* f = &m->flight;
    m->change = flight_change_make(random, f,
                                   random_chance(random, kind == STATE_ORDINARY ? 0.3 : 1));
    m->has_change = true;
    flight_change* c = &m->change;
    const size_t count = c->plans.vertices != NULL ? c->plans.vertex_count : f->s.vertex_count;
    if (kind == STATE_EXTREME) {
        flight_change_date_far(random, f, c);
    }
    if (kind == STATE_DEGENERATE) {
        flatten(random, c->xyz, count);
        c->plans = (abut_plans_def){.time = f->time,
                                    .positions = abut_positions_f64(c->xyz, count)};
    }
    flight_change_apply(c, f);
}

// at rest by plans, at any time
static void rest_by_plans(mover* m) {
    flight* f = &m->flight;
    const uint32_t count = f->s.vertex_count;
    m->change = (flight_change){.xyz = test_alloc(3 * (size_t)count, sizeof(double))};
    memcpy(m->change.xyz, f->s.xyz, 3 * sizeof(double) * count);
    m->change.plans.time = f->time;
    m->change.plans.positions = abut_positions_f64(m->change.xyz, count);
    m->has_change = true;
    flight_change_apply(&m->change, f);
}

static void flight_draw(mover* m, test_random* random, state_kind kind) {
    flight* f = &m->flight;
    if (m->has_change) {
        flight_change_free(&m->change);
    }
    m->has_change = false;
    const bool plans = m->variant == 2 || (m->variant == 1 && random_chance(random, 0.2));
    if (kind == STATE_REST && m->steady && m->variant > 0) {
        rest_by_plans(m);
    } else if (kind == STATE_REST) {
        flight_rest(f);
        m->no_plans = true;
    } else if (kind == STATE_NEAR) {
        f->time += 1e-3;
    } else if (plans && random_chance(random, kind == STATE_ORDINARY ? 0.5 : 1)) {
        plans_draw(m, random, kind);
    } else if (kind == STATE_ORDINARY || f->key_count == 0) {
        flight_step(random, f, 3);
    } else {
        f->time = f->keys[kind == STATE_DEGENERATE ? 1 : random_below(random, f->key_count)].time;
        f->time = kind == STATE_EXTREME ? nextafter(f->time, random_double(random, -9, 9))
                                        : f->time;
    }
}

static abut_status flight_set(mover* m, abut_scene* scene, abut_body_id body) {
    abut_status status = ABUT_OK;
    if (m->no_plans) {
        status = plans_set(scene, body, NULL, NULL);
        m->no_plans = status != ABUT_OK;
    }
    if (status == ABUT_OK) {
        status = m->has_change ? plans_set(scene, body, &m->change.plans, NULL)
                               : abut_body_set_time(scene, body, m->flight.time, NULL);
    }
    return status;
}

static void flight_row_vertex(const mover* m, uint32_t vertex, double out[3]) {
    flight_vertex(&m->flight, m->flight.time, vertex, out);
}

const motion_row motion_flight = {
    .name = "flight",
    .motion = ABUT_MOTION_FLIGHT,
    .bounds = {MOTION_BOUND_AUTO, ABUT_FLIGHT_BOUND_KINETIC, ABUT_FLIGHT_BOUND_BOXTREE,
               ABUT_FLIGHT_BOUND_LINEAR},
    .bound_count = 4,
    .variants = 3,
    .make = flight_row_make,
    .def = flight_shape_def,
    .draw = flight_draw,
    .set = flight_set,
    .vertex = flight_row_vertex,
};

// ---- all motions

mover mover_make(const motion_row* row, uint32_t variant, surface s, test_random* random) {
    mover m = {.row = row, .variant = variant, .surface = s};
    m.bound = row->bounds[variant % row->bound_count];
    row->make(&m, random);
    mover_draw(&m, random, STATE_REST);
    return m;
}

void mover_free(mover* m) {
    if (m->has_change) {
        flight_change_free(&m->change);
    }
    if (m->row->motion == ABUT_MOTION_FLIGHT) {
        flight_free(&m->flight);  // frees the surface, too
    } else {
        surface_free(&m->surface);
    }
    free_fields(&m->fields);
    skin_free(&m->skin);
    free(m->xyz);
    free(m->q);
    free(m->t);
}

motion_def mover_def(const mover* m) {
    return m->row->def(m);
}

void mover_draw(mover* m, test_random* random, state_kind kind) {
    m->row->draw(m, random, kind);
}

abut_status mover_set(mover* m, abut_scene* scene, abut_body_id body) {
    return m->row->set(m, scene, body);
}

// All vertices at once are those one by one, in the shape's coordinates and in the world.
static void check_all_vertices(const mover* m, const abut_scene* scene, abut_body_id body) {
    const uint32_t count = m->surface.vertex_count;
    double* all = test_alloc(6 * (size_t)count, sizeof *all);
    double* in_world = all + 3 * (size_t)count;
    REQUIRE_OK(abut_body_vertices(scene, body, 0, count, all, NULL));
    REQUIRE_OK(abut_body_world_vertices(scene, body, 0, count, in_world, NULL));
    for (uint32_t v = 0; v < count; ++v) {
        double p[3];
        REQUIRE_OK(abut_body_vertex(scene, body, v, p, NULL));
        REQUIRE(memcmp(p, all + 3 * (size_t)v, sizeof p) == 0);
        REQUIRE_OK(abut_body_world_vertex(scene, body, v, p, NULL));
        REQUIRE(memcmp(p, in_world + 3 * (size_t)v, sizeof p) == 0);
    }
    free(all);
}

void mover_check(const mover* m, const abut_scene* scene, abut_body_id body) {
    check_all_vertices(m, scene, body);
    for (uint32_t v = 0; v < m->surface.vertex_count; ++v) {
        double wanted[3];
        double got[3];
        m->row->vertex(m, v, wanted);
        REQUIRE_OK(abut_body_vertex(scene, body, v, got, NULL));
        REQUIRE(got[0] == wanted[0] && got[1] == wanted[1] && got[2] == wanted[2]);
    }
}
