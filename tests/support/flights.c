// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/flights.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rounded.h"
#include "support/motion_def.h"

flight flight_make(test_random* random, surface s, double size, uint32_t key_count) {
    flight m = {.s = s, .key_count = key_count, .size = size};
    const size_t n = s.vertex_count;
    m.planned = test_alloc(n, sizeof *m.planned);
    m.p = test_alloc(n, sizeof *m.p);
    m.u = test_alloc(n, sizeof *m.u);
    m.since = test_alloc(n, sizeof *m.since);
    double time = random_double(random, -3, 3);
    for (uint32_t k = 0; k < key_count; ++k) {
        m.key_xyz[k] = test_alloc(3 * n, sizeof(double));
        for (size_t i = 0; i < 3 * n; ++i) {
            m.key_xyz[k][i] = s.xyz[i] + random_double(random, -0.3, 0.3) * size;
        }
        m.keys[k] = (abut_keyframe){time, abut_positions_f64(m.key_xyz[k], n)};
        time += random_double(random, 0.1, 3);
    }
    flight_rest(&m);
    return m;
}

void flight_narrow(flight* m) {
    const size_t numbers = 3 * (size_t)m->s.vertex_count;
    for (uint32_t k = 0; k < m->key_count; ++k) {
        m->key_narrow[k] = test_alloc(numbers, sizeof(float));
        for (size_t i = 0; i < numbers; ++i) {
            m->key_narrow[k][i] = (float)m->key_xyz[k][i];
            m->key_xyz[k][i] = (double)m->key_narrow[k][i];
        }
        m->keys[k].positions = abut_positions_f32(m->key_narrow[k], m->s.vertex_count);
    }
}

void flight_free(flight* m) {
    for (uint32_t k = 0; k < m->key_count; ++k) {
        free(m->key_xyz[k]);
        free(m->key_narrow[k]);
    }
    free(m->planned);
    free(m->p);
    free(m->u);
    free(m->since);
    surface_free(&m->s);
}

void flight_rest(flight* m) {
    memset(m->planned, 0, m->s.vertex_count * sizeof *m->planned);
    m->accelerated = false;
    m->time = m->key_count > 0 ? m->keys[0].time : 0;
}

motion_def flight_def(const flight* m, int bound, uint32_t block_triangles) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = m->key_count > 0 ? m->keys : NULL;
    def.keyframe_count = m->key_count;
    def.block_triangles = block_triangles;
    def.bound = bound;
    return def;
}

// ---- the formula

static double key_value(const flight* m, double time, size_t at) {
    if (m->key_count == 0) {
        return m->s.xyz[at];
    }
    uint32_t k = 0;
    while (k + 1 < m->key_count && m->keys[k + 1].time <= time) {
        ++k;
    }
    if (!(time > m->keys[k].time) || k + 1 == m->key_count) {
        return m->key_xyz[k][at];
    }
    const double begin = m->keys[k].time;
    const double part = rounded_quotient(rounded_difference(time, begin),
                                         rounded_difference(m->keys[k + 1].time, begin));
    return rounded_sum(rounded_product(rounded_difference(1, part), m->key_xyz[k][at]),
                       rounded_product(part, m->key_xyz[k + 1][at]));
}

static double common_shift(const flight* m, double time, size_t d) {
    const double past = rounded_difference(time, m->origin);
    return rounded_product(rounded_product(0.5, rounded_product(past, past)), m->a[d]);
}

void flight_vertex(const flight* m, double time, uint32_t vertex, double out[3]) {
    for (size_t d = 0; d < 3; ++d) {
        double x;
        if (m->planned[vertex]) {
            const double past = rounded_difference(time, m->since[vertex]);
            x = rounded_sum(m->p[vertex][d], rounded_product(past, m->u[vertex][d]));
        } else {
            x = key_value(m, time, 3 * (size_t)vertex + d);
        }
        out[d] = m->accelerated ? rounded_sum(x, common_shift(m, time, d)) : x;
    }
}

void flight_check(const world* w, abut_body_id body, const flight* m) {
    for (uint32_t v = 0; v < m->s.vertex_count; ++v) {
        double wanted[3];
        double got[3];
        flight_vertex(m, m->time, v, wanted);
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, got, NULL));
        REQUIRE(got[0] == wanted[0] && got[1] == wanted[1] && got[2] == wanted[2]);
    }
}

// ---- plans

flight_change flight_change_make(test_random* random, const flight* m, bool all) {
    const uint32_t n = m->s.vertex_count;
    flight_change c = {.vertices = test_alloc(n, sizeof(uint32_t)),
                       .xyz = test_alloc(3 * (size_t)n, sizeof(double)),
                       .narrow = test_alloc(3 * (size_t)n, sizeof(float)),
                       .uvw = test_alloc(3 * (size_t)n, sizeof(double)),
                       .wide = test_alloc(4 * (size_t)n, sizeof(double))};
    const double part = random_chance(random, 0.5) ? 0.05 : 0.5;
    const bool narrow = m->size < 1e30 && random_chance(random, 0.3);
    uint32_t count = 0;
    for (uint32_t v = 0; v < n; ++v) {
        if (!all && !random_chance(random, part)) {
            continue;
        }
        double now[3];
        flight_vertex(m, m->time, v, now);
        for (size_t d = 0; d < 3; ++d) {
            const double moved = now[d] + random_double(random, -0.1, 0.1) * m->size;
            const double x = narrow ? fmin(fmax(moved, -FLT_MAX), FLT_MAX) : moved;
            c.narrow[3 * (size_t)count + d] = (float)x;
            c.xyz[3 * (size_t)count + d] = narrow ? (double)(float)x : x;
            c.uvw[3 * (size_t)count + d] = random_double(random, -0.3, 0.3) * m->size;
            c.wide[4 * (size_t)count + d] = c.uvw[3 * (size_t)count + d];
        }
        c.wide[4 * (size_t)count + 3] = NAN;
        c.vertices[count++] = v;
    }
    c.plans.time = random_chance(random, 0.7) ? m->time : m->time + random_double(random, -2, 2);
    c.plans.vertices = all ? NULL : c.vertices;
    c.plans.vertex_count = all ? 0 : count;
    if (random_chance(random, 0.7)) {
        c.plans.positions = narrow ? abut_positions_f32(c.narrow, count)
                                   : abut_positions_f64(c.xyz, count);
    }
    if (random_chance(random, 0.9)) {
        c.plans.velocities = abut_positions_f64(c.uvw, count);
    }
    if (c.plans.velocities.count > 0 && random_chance(random, 0.3)) {
        c.plans.velocities = (abut_positions){c.wide, count, 4 * sizeof(double), ABUT_SCALAR_F64};
    }
    for (int d = 0; all && d < 3 && random_chance(random, 0.6); ++d) {
        c.plans.acceleration[d] = random_double(random, -0.5, 0.5) * m->size;
    }
    return c;
}

// terms of the formula are then much greater than their sum
void flight_change_date_far(test_random* random, const flight* m, flight_change* c) {
    const uint32_t count = c->plans.vertices != NULL ? (uint32_t)c->plans.vertex_count
                                                     : m->s.vertex_count;
    const double past = random_double(random, -1, 1) * pow(10, random_double(random, 3, 12));
    c->plans.time = m->time - past;
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        c->xyz[i] -= past * c->uvw[i];
    }
    c->plans.positions = abut_positions_f64(c->xyz, count);
    c->plans.velocities = abut_positions_f64(c->uvw, count);
    memset(c->plans.acceleration, 0, sizeof c->plans.acceleration);
}

void flight_change_free(flight_change* c) {
    free(c->vertices);
    free(c->xyz);
    free(c->narrow);
    free(c->uvw);
    free(c->wide);
}

void flight_change_apply(const flight_change* c, flight* m) {
    const bool all = c->plans.vertices == NULL;
    const uint32_t count = all ? m->s.vertex_count : (uint32_t)c->plans.vertex_count;
    const double t0 = c->plans.time;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t v = all ? i : c->vertices[i];
        double x[3];
        flight_vertex(m, t0, v, x);
        for (size_t d = 0; d < 3; ++d) {
            double p = c->plans.positions.count > 0 ? c->xyz[3 * (size_t)i + d] : x[d];
            double u = c->plans.velocities.count > 0 ? c->uvw[3 * (size_t)i + d] : 0;
            if (!all && m->accelerated) {
                const double past = rounded_difference(t0, m->origin);
                p = rounded_difference(p, common_shift(m, t0, d));
                u = rounded_difference(u, rounded_product(past, m->a[d]));
            }
            m->p[v][d] = p;
            m->u[v][d] = u;
        }
        m->planned[v] = true;
        m->since[v] = t0;
    }
    if (all) {
        memcpy(m->a, c->plans.acceleration, sizeof m->a);
        m->accelerated = m->a[0] != 0 || m->a[1] != 0 || m->a[2] != 0;
        m->origin = t0;
    }
}

void flight_update(test_random* random, const world* w, abut_body_id body, flight* m) {
    flight_change c = flight_change_make(random, m, random_chance(random, 0.3));
    if (m->size < 1e30 && random_chance(random, 0.1)) {
        flight_change_date_far(random, m, &c);
    }
    REQUIRE_OK(plans_set(w->scene, body, &c.plans, NULL));
    flight_change_apply(&c, m);
    flight_change_free(&c);
}

void flight_step(test_random* random, flight* m, double far) {
    const double kind = random_unit(random);
    if (kind < 0.15) {
        m->time = random_double(random, -far, far);
    } else if (kind < 0.25 && m->key_count > 0) {
        m->time = m->keys[random_below(random, m->key_count)].time;
    } else if (kind < 0.35) {
        m->time -= random_double(random, 0, 0.2);
    } else {
        m->time += kind < 0.5 ? random_double(random, 0, 3) : 0.03;
    }
}
