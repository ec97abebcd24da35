// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies that vibrate in modes: see modal_body.h.
#include "dynamics/modal_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- small vectors

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void apply(const double m[3][3], const double v[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = dot(m[d], v);
    }
}

// out = m^T v
static void apply_transposed(const double m[3][3], const double v[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = (m[0][d] * v[0] + m[1][d] * v[1]) + m[2][d] * v[2];
    }
}

// out = r m r^T
static void turn_matrix(const double r[3][3], const double m[3][3], double out[3][3]) {
    double half[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            half[i][j] = dot(m[i], r[j]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[i][j] = (r[i][0] * half[0][j] + r[i][1] * half[1][j]) + r[i][2] * half[2][j];
        }
    }
}

static void invert(const double m[3][3], double out[3][3]) {
    double columns[3][3];  // cofactors
    cross(m[1], m[2], columns[0]);
    cross(m[2], m[0], columns[1]);
    cross(m[0], m[1], columns[2]);
    const double determinant = dot(m[0], columns[0]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[i][j] = columns[j][i] / determinant;
        }
    }
}

// ---- the model

static void take_dynamics(modal_model* model, const modal_model_def* def) {
    const scene_dynamics* from = def->from->dynamics;
    const double cube = def->scale * def->scale * def->scale;
    model->mass = cube * from->mass;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            model->inertia[i][j] = cube * def->scale * def->scale * from->inertia[i][j];
        }
    }
    invert(model->inertia, model->inertia_inverse);
    for (uint32_t j = 0; j < model->field_count; ++j) {
        model->frequency_sq[j] = def->pitch * def->pitch * from->frequencies_sq[j];
        model->mode_mass[j] = cube * def->scale * def->scale * from->masses[j];
        // The step is implicit, so it is stable for any frequency.
        const double drag = 2 * def->damping * sqrt(model->frequency_sq[j]);
        const double answer = def->step_seconds *
                              (drag + def->step_seconds * model->frequency_sq[j]);
        model->mode_give[j] = 1 / (model->mode_mass[j] * (1 + answer));
    }
    model->damping = def->damping;
    model->step_seconds = def->step_seconds;
    model->strain_limit = def->strain_limit;
}

// Computes the greatest lengths of vertices and of their displacements.
static void take_reach(modal_model* model) {
    const scene_body* from = model->from;
    for (size_t i = 0; i < from->vertex_count; ++i) {
        model->radius = fmax(model->radius,
                             model->scale * sqrt(dot(from->rest + 3 * i, from->rest + 3 * i)));
    }
    for (uint32_t j = 0; j < model->field_count; ++j) {
        for (size_t i = 0; i < from->vertex_count; ++i) {
            const float* f = from->fields + ((size_t)j * from->vertex_count + i) * 3;
            const double u[3] = {f[0], f[1], f[2]};
            model->reach[j] = fmax(model->reach[j], model->scale * sqrt(dot(u, u)));
        }
    }
}

static abut_status fail_memory(abut_error* error) {
    if (error != NULL) {
        *error = (abut_error){.status = ABUT_ERR_NO_MEMORY, .message = "out of memory"};
    }
    return ABUT_ERR_NO_MEMORY;
}

// Scratch memory: all numbers of the shape, scaled.
typedef struct numbers {
    abut_field* fields;
    double* rest;
    float* u;
} numbers;

static void scale_numbers(const modal_model* model, const numbers* n) {
    const scene_body* from = model->from;
    const size_t count = 3 * (size_t)from->vertex_count;
    for (size_t i = 0; i < count; ++i) {
        n->rest[i] = model->scale * from->rest[i];
    }
    for (size_t i = 0; i < count * model->field_count; ++i) {
        n->u[i] = (float)model->scale * from->fields[i];
    }
    for (uint32_t j = 0; j < model->field_count; ++j) {
        n->fields[j].values = abut_positions_f32(n->u + j * count, from->vertex_count);
    }
}

static abut_status create_shape(modal_model* model, abut_context* context, const numbers* n,
                                uint32_t proxy_level, abut_error* error) {
    abut_mesh_def mesh_def = abut_mesh_def_default();
    abut_modal_def def = abut_modal_def_default();
    mesh_def.positions = abut_positions_f64(n->rest, model->from->vertex_count);
    mesh_def.triangles = model->from->triangles;
    mesh_def.triangle_count = model->from->triangle_count;
    def.fields = n->fields;
    def.field_count = model->field_count;
    def.proxy_level = proxy_level;
    abut_mesh* mesh = NULL;
    abut_status status = abut_mesh_create(context, &mesh_def, &mesh, error);
    if (status == ABUT_OK) {
        status = abut_shape_create_modal(context, mesh, &def, &model->shape, error);
    }
    abut_mesh_destroy(mesh);
    return status;
}

static abut_status make_shape(modal_model* model, abut_context* context, uint32_t proxy_level,
                              abut_error* error) {
    const size_t vertices = model->from->vertex_count;
    const numbers n = {
        .fields = calloc(model->field_count + (size_t)1, sizeof *n.fields),
        .rest = calloc(vertices, 3 * sizeof *n.rest),
        .u = calloc(model->field_count * vertices + 1, 3 * sizeof *n.u),
    };
    abut_status status;
    if (n.fields == NULL || n.rest == NULL || n.u == NULL) {
        status = fail_memory(error);
    } else {
        scale_numbers(model, &n);
        status = create_shape(model, context, &n, proxy_level, error);
    }
    free(n.fields);
    free(n.rest);
    free(n.u);
    return status;
}

// Sets the centre as the library has it at rest, and the radius that covers the vertices there.
static abut_status take_proxy(modal_model* model, const abut_scene* at, abut_body_id body,
                              uint32_t p) {
    modal_proxy* proxy = &model->proxies[p];
    size_t count = 0;
    double grown;
    const uint32_t* triangles = abut_shape_proxy_triangles(model->shape, p, &count);
    const abut_status status = abut_body_proxy(at, body, p, proxy->centre, &grown, NULL);
    proxy->vertex = abut_shape_proxy_vertex(model->shape, p);
    for (size_t i = 0; i < 3 * count && status == ABUT_OK; ++i) {
        const uint32_t v = model->from->triangles[3 * (size_t)triangles[i / 3] + i % 3];
        double out[3];
        for (int d = 0; d < 3; ++d) {
            out[d] = model->scale * model->from->rest[3 * (size_t)v + (size_t)d] - proxy->centre[d];
        }
        proxy->radius = fmax(proxy->radius, sqrt(dot(out, out)));
    }
    for (uint32_t j = 0; j < model->field_count; ++j) {
        const float* f = model->from->fields +
                         ((size_t)j * model->from->vertex_count + proxy->vertex) * 3;
        for (size_t d = 0; d < 3; ++d) {
            model->u[((size_t)p * model->field_count + j) * 3 + d] = (float)model->scale * f[d];
        }
    }
    return status;
}

static abut_status take_proxies(modal_model* model, abut_context* context, abut_error* error) {
    abut_scene* alone = NULL;
    abut_body_id body;
    model->proxy_count = abut_shape_proxy_count(model->shape);
    model->proxies = calloc(model->proxy_count + (size_t)1, sizeof *model->proxies);
    model->u = calloc((size_t)model->proxy_count * model->field_count + 1, 3 * sizeof *model->u);
    if (model->proxies == NULL || model->u == NULL) {
        return fail_memory(error);
    }
    abut_status status = abut_scene_create(context, NULL, &alone, error);
    if (status == ABUT_OK) {
        status = abut_body_create(alone, model->shape, NULL, &body, error);
    }
    for (uint32_t p = 0; p < model->proxy_count && status == ABUT_OK; ++p) {
        status = take_proxy(model, alone, body, p);
    }
    abut_scene_destroy(alone);
    return status;
}

abut_status modal_model_make(modal_model* model, abut_context* context, const modal_model_def* def,
                             abut_error* error) {
    const uint32_t count = def->from->field_count < MODAL_MOST ? def->from->field_count
                                                               : MODAL_MOST;
    *model = (modal_model){.from = def->from, .scale = def->scale};
    model->field_count = def->fields ? count : 0;
    model->mode_count = def->vibrate ? model->field_count : 0;
    take_dynamics(model, def);
    take_reach(model);
    const abut_status status = make_shape(model, context, def->proxy_level, error);
    return status == ABUT_OK ? take_proxies(model, context, error) : status;
}

void modal_model_free(modal_model* model) {
    if (!model->given_away) {
        abut_shape_destroy(model->shape);
    }
    free(model->proxies);
    free(model->u);
    *model = (modal_model){0};
}

// ---- a body

modal_body modal_body_at(const modal_model* model, const abut_frame* frame) {
    modal_body body = {.frame = *frame};
    turn_matrix(frame->r, model->inertia_inverse, body.give);
    return body;
}

static const float* field_at(const modal_model* model, uint32_t proxy) {
    return model->u + (size_t)proxy * model->field_count * 3;
}

// Adds the displacement of a proxy, in the body's axes, for coordinates (or their rates) w.
static void add_flex(const modal_model* model, uint32_t proxy, const double* w, double sum[3]) {
    const float* u = field_at(model, proxy);
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        for (int d = 0; d < 3; ++d) {
            sum[d] += (double)u[3 * j + (uint32_t)d] * w[j];
        }
    }
}

void modal_body_place(const modal_model* model, const modal_body* body, uint32_t proxy,
                      double centre[3]) {
    double own[3];
    memcpy(own, model->proxies[proxy].centre, sizeof own);
    add_flex(model, proxy, body->q, own);
    apply(body->frame.r, own, centre);
    for (int d = 0; d < 3; ++d) {
        centre[d] += body->frame.t[d];
    }
}

void modal_body_velocity(const modal_model* model, const modal_body* body, uint32_t proxy,
                         const double point[3], double velocity[3]) {
    const double arm[3] = {point[0] - body->frame.t[0], point[1] - body->frame.t[1],
                           point[2] - body->frame.t[2]};
    double flex[3] = {0, 0, 0};
    double turned[3];
    add_flex(model, proxy, body->rate, flex);
    cross(body->spin, arm, velocity);
    apply(body->frame.r, flex, turned);
    for (int d = 0; d < 3; ++d) {
        velocity[d] += body->velocity[d] + turned[d];
    }
}

double modal_body_give(const modal_model* model, const modal_body* body, uint32_t proxy,
                       const double point[3], const double direction[3]) {
    const double arm[3] = {point[0] - body->frame.t[0], point[1] - body->frame.t[1],
                           point[2] - body->frame.t[2]};
    const float* u = field_at(model, proxy);
    double lever[3];
    double turned[3];
    double own[3];  // the direction in the body's axes
    cross(arm, direction, lever);
    apply(body->give, lever, turned);
    apply_transposed(body->frame.r, direction, own);
    double sum = 1 / model->mass + dot(lever, turned);
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        const double along[3] = {u[3 * j], u[3 * j + 1], u[3 * j + 2]};
        const double part = dot(along, own);
        sum += part * part * model->mode_give[j];
    }
    return sum;
}

void modal_body_push(const modal_model* model, modal_body* body, uint32_t proxy,
                     const double point[3], const double direction[3], double size) {
    const double arm[3] = {point[0] - body->frame.t[0], point[1] - body->frame.t[1],
                           point[2] - body->frame.t[2]};
    const float* u = field_at(model, proxy);
    double lever[3];
    double turned[3];
    double own[3];
    cross(arm, direction, lever);
    apply(body->give, lever, turned);
    apply_transposed(body->frame.r, direction, own);
    for (int d = 0; d < 3; ++d) {
        body->velocity[d] += size / model->mass * direction[d];
        body->spin[d] += size * turned[d];
    }
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        const double along[3] = {u[3 * j], u[3 * j + 1], u[3 * j + 2]};
        body->rate[j] += size * dot(along, own) * model->mode_give[j];
    }
}

void modal_body_accelerate(const modal_model* model, modal_body* body, double gravity) {
    body->velocity[2] -= gravity * model->step_seconds;
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        const double spring = model->mode_mass[j] * model->frequency_sq[j] * body->q[j];
        body->rate[j] = (model->mode_mass[j] * body->rate[j] - model->step_seconds * spring) *
                        model->mode_give[j];
    }
}

// Rotates the columns by the angle |turn| about `turn`, and orthonormalizes them again.
static void turn_frame(double r[3][3], const double turn[3]) {
    const double angle = sqrt(dot(turn, turn));
    const double s = angle > 1e-12 ? sin(angle) / angle : 1;
    const double c = angle > 1e-12 ? (1 - cos(angle)) / (angle * angle) : 0.5;
    double column[3][3];
    for (int k = 0; k < 3; ++k) {
        const double from[3] = {r[0][k], r[1][k], r[2][k]};
        double once[3];
        double twice[3];
        cross(turn, from, once);
        cross(turn, once, twice);
        for (int d = 0; d < 3; ++d) {
            column[k][d] = from[d] + s * once[d] + c * twice[d];
        }
    }
    const double along = dot(column[0], column[1]) / dot(column[0], column[0]);
    for (int d = 0; d < 3; ++d) {
        column[1][d] -= along * column[0][d];
    }
    for (int k = 0; k < 2; ++k) {
        const double length = sqrt(dot(column[k], column[k]));
        for (int d = 0; d < 3; ++d) {
            column[k][d] /= length;
        }
    }
    cross(column[0], column[1], column[2]);
    for (int k = 0; k < 3; ++k) {
        for (int d = 0; d < 3; ++d) {
            r[d][k] = column[k][d];
        }
    }
}

static void limit_strain(const modal_model* model, modal_body* body) {
    double moved = 0;
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        moved += fabs(body->q[j]) * model->reach[j];
    }
    if (moved > model->strain_limit) {
        const double scale = model->strain_limit / moved;
        for (uint32_t j = 0; j < model->mode_count; ++j) {
            body->q[j] *= scale;
            body->rate[j] *= scale;
        }
    }
}

void modal_body_move(const modal_model* model, modal_body* body) {
    const double seconds = model->step_seconds;
    double inertia[3][3];
    double momentum[3];
    const double turn[3] = {seconds * body->spin[0], seconds * body->spin[1],
                            seconds * body->spin[2]};
    turn_matrix(body->frame.r, model->inertia, inertia);
    apply(inertia, body->spin, momentum);
    turn_frame(body->frame.r, turn);
    turn_matrix(body->frame.r, model->inertia_inverse, body->give);
    apply(body->give, momentum, body->spin);  // angular momentum is conserved, not spin
    for (int d = 0; d < 3; ++d) {
        body->frame.t[d] += seconds * body->velocity[d];
    }
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        body->q[j] += seconds * body->rate[j];
    }
    limit_strain(model, body);
}

double modal_body_kinetic(const modal_model* model, const modal_body* body) {
    double own[3];
    double momentum[3];
    apply_transposed(body->frame.r, body->spin, own);
    apply(model->inertia, own, momentum);
    double sum = model->mass * dot(body->velocity, body->velocity) + dot(own, momentum);
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        sum += model->mode_mass[j] * body->rate[j] * body->rate[j];
    }
    return sum / 2;
}

double modal_body_stored(const modal_model* model, const modal_body* body, double gravity) {
    double sum = model->mass * gravity * body->frame.t[2];
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        sum += model->mode_mass[j] * model->frequency_sq[j] * body->q[j] * body->q[j] / 2;
    }
    return sum;
}
