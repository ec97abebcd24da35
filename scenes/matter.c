// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Soft bodies that fall, pile up and push each other aside: see matter.h.

#include "scenes/matter.h"

#include <math.h>
#include <string.h>

#define ROUNDS 3    // of separating balls and restoring shapes, per step
#define PUSHED 8.0  // weight of a ball that was pushed
#define TURN_ROUNDS 3

bool scene__matter_alloc(scene* s, matter* m, uint32_t bodies, uint32_t balls) {
    m->bin_count = 64;
    while (m->bin_count < 2 * balls) {
        m->bin_count *= 2;
    }
    m->bodies = scene__alloc(s, bodies, sizeof *m->bodies);
    m->owner = scene__alloc(s, balls, sizeof *m->owner);
    m->rest = scene__alloc(s, balls, 3 * sizeof *m->rest);
    m->at = scene__alloc(s, balls, 3 * sizeof *m->at);
    m->before = scene__alloc(s, balls, 3 * sizeof *m->before);
    m->weight = scene__alloc(s, balls, sizeof *m->weight);
    m->speed = scene__alloc(s, balls, 3 * sizeof *m->speed);
    m->bin_first = scene__alloc(s, m->bin_count + 1, sizeof *m->bin_first);
    m->bin_ball = scene__alloc(s, balls, sizeof *m->bin_ball);
    // A ball has at most a dozen others around it, some of its own body.
    m->pair_room = 16 * (size_t)balls;
    m->pairs = scene__alloc(s, m->pair_room, sizeof *m->pairs);
    return !s->failed;
}

static void invert(const double a[3][3], double out[3][3]) {
    double det = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int p = (i + 1) % 3;
            const int q = (i + 2) % 3;
            const int r = (j + 1) % 3;
            const int t = (j + 2) % 3;
            out[j][i] = a[p][r] * a[q][t] - a[p][t] * a[q][r];
        }
    }
    for (int j = 0; j < 3; ++j) {
        det += a[0][j] * out[j][0];
    }
    for (int i = 0; i < 9; ++i) {
        (&out[0][0])[i] /= det;
    }
}

static void quaternion_matrix(const double q[4], double r[3][3]) {
    const double w = q[0];
    const double x = q[1];
    const double y = q[2];
    const double z = q[3];
    const double rows[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    memcpy(r, rows, sizeof rows);
}

static void matrix_quaternion(const double r[3][3], double q[4]) {
    const double trace = r[0][0] + r[1][1] + r[2][2];
    if (trace > 0.0) {
        const double s = 2.0 * sqrt(trace + 1.0);
        q[0] = 0.25 * s;
        q[1] = (r[2][1] - r[1][2]) / s;
        q[2] = (r[0][2] - r[2][0]) / s;
        q[3] = (r[1][0] - r[0][1]) / s;
        return;
    }
    int big = r[1][1] > r[0][0] ? 1 : 0;
    big = r[2][2] > r[big][big] ? 2 : big;
    const int j = (big + 1) % 3;
    const int k = (big + 2) % 3;
    const double s = 2.0 * sqrt(fmax(1.0 + r[big][big] - r[j][j] - r[k][k], 1e-12));
    q[0] = (r[k][j] - r[j][k]) / s;
    q[1 + big] = 0.25 * s;
    q[1 + j] = (r[j][big] + r[big][j]) / s;
    q[1 + k] = (r[k][big] + r[big][k]) / s;
}

// Rotates q towards the rotation nearest to a. Based on: Mueller, Bender, Chentanez, Macklin, "A
// Robust Method to Extract the Rotational Part of Deformations" (2016).
static void follow_rotation(const double a[3][3], double q[4]) {
    for (int round = 0; round < TURN_ROUNDS; ++round) {
        double r[3][3];
        quaternion_matrix(q, r);
        double turn[3] = {0.0, 0.0, 0.0};
        double along = 0.0;
        for (int c = 0; c < 3; ++c) {  // columns
            for (int d = 0; d < 3; ++d) {
                const int e = (d + 1) % 3;
                const int f = (d + 2) % 3;
                turn[d] += r[e][c] * a[f][c] - r[f][c] * a[e][c];
                along += r[d][c] * a[d][c];
            }
        }
        const double scale = 1.0 / (fabs(along) + 1e-12);
        const double w[4] = {1.0, 0.5 * scale * turn[0], 0.5 * scale * turn[1],
                             0.5 * scale * turn[2]};
        const double p[4] = {
            w[0] * q[0] - w[1] * q[1] - w[2] * q[2] - w[3] * q[3],
            w[0] * q[1] + w[1] * q[0] + w[2] * q[3] - w[3] * q[2],
            w[0] * q[2] + w[2] * q[0] + w[3] * q[1] - w[1] * q[3],
            w[0] * q[3] + w[3] * q[0] + w[1] * q[2] - w[2] * q[1],
        };
        const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int i = 0; i < 4; ++i) {
            q[i] = p[i] / length;
        }
    }
}

static void apply(const double m[3][3], const double v[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = m[d][0] * v[0] + m[d][1] * v[1] + m[d][2] * v[2];
    }
}

void scene__matter_move(const matter_pose* pose, const double* rest, size_t count, double* xyz) {
    for (size_t i = 0; i < count; ++i) {
        apply(pose->m, rest + 3 * i, xyz + 3 * i);
        for (size_t d = 0; d < 3; ++d) {
            xyz[3 * i + d] += pose->t[d];
        }
    }
}

// ---- bodies

// Computes the second moments of the rest places.
static void set_spread(const matter* m, matter_body* b) {
    double sum[3][3] = {{0.0}};
    double middle[3] = {0.0, 0.0, 0.0};
    for (uint32_t i = b->first; i < b->first + b->count; ++i) {
        for (int d = 0; d < 3; ++d) {
            middle[d] += m->rest[3 * i + (uint32_t)d] / (double)b->count;
        }
    }
    for (uint32_t i = b->first; i < b->first + b->count; ++i) {
        const double* p = m->rest + 3 * (size_t)i;
        for (int k = 0; k < 9; ++k) {
            (&sum[0][0])[k] += (p[k / 3] - middle[k / 3]) * (p[k % 3] - middle[k % 3]);
        }
    }
    b->own_spread = (double)b->count * m->radius * m->radius / 3.0;
    for (int d = 0; d < 3; ++d) {
        sum[d][d] += b->own_spread;
    }
    invert((const double(*)[3])sum, b->spread);
}

void scene__matter_add(matter* m, const double* places, uint32_t count, const matter_pose* pose,
                       bool present) {
    matter_body* b = &m->bodies[m->body_count];
    *b = (matter_body){.first = m->ball_count, .count = count, .present = present, .pose = *pose};
    memcpy(m->rest + 3 * (size_t)b->first, places, 3 * (size_t)count * sizeof *places);
    scene__matter_move(pose, places, count, m->at + 3 * (size_t)b->first);
    for (uint32_t i = 0; i < count; ++i) {
        m->owner[b->first + i] = m->body_count;
    }
    matrix_quaternion((const double(*)[3])pose->m, b->turn);
    set_spread(m, b);
    m->body_count += 1;
    m->ball_count += count;
}

// Takes over the motion of the vanishing body at a place: the mean velocity of its balls, and its
// rotation from theirs.
void scene__matter_replace(matter* m, uint32_t from, uint32_t to) {
    matter_body* old = &m->bodies[from];
    matter_body* next = &m->bodies[to];
    old->present = false;
    next->present = true;
    next->pose = old->pose;
    memcpy(next->turn, old->turn, sizeof next->turn);
    for (uint32_t i = next->first; i < next->first + next->count; ++i) {
        for (uint32_t k = old->first; k < old->first + old->count; ++k) {
            if (memcmp(m->rest + 3 * (size_t)i, m->rest + 3 * (size_t)k, 3 * sizeof *m->rest) ==
                0) {
                memcpy(m->at + 3 * (size_t)i, m->at + 3 * (size_t)k, 3 * sizeof *m->at);
                memcpy(m->speed + 3 * (size_t)i, m->speed + 3 * (size_t)k, 3 * sizeof *m->speed);
            }
        }
    }
}

// ---- one step

static int64_t bin_coordinate(const matter* m, double x) {
    return (int64_t)floor(x / (2.6 * m->radius));
}

static uint32_t bin_of(const matter* m, int64_t x, int64_t y, int64_t z) {
    const uint64_t hash = (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15) ^
                          (uint64_t)y * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                          (uint64_t)z * UINT64_C(0x165667b19e3779f9);
    return (uint32_t)((hash ^ hash >> 29) & (m->bin_count - 1));
}

static uint32_t ball_bin(const matter* m, uint32_t ball) {
    const double* p = m->at + 3 * (size_t)ball;
    return bin_of(m, bin_coordinate(m, p[0]), bin_coordinate(m, p[1]), bin_coordinate(m, p[2]));
}

static void fill_bins(matter* m) {
    memset(m->bin_first, 0, (m->bin_count + 1) * sizeof *m->bin_first);
    for (uint32_t i = 0; i < m->ball_count; ++i) {
        m->bin_first[ball_bin(m, i) + 1] += m->bodies[m->owner[i]].present ? 1 : 0;
    }
    for (uint32_t b = 0; b < m->bin_count; ++b) {
        m->bin_first[b + 1] += m->bin_first[b];
    }
    const uint32_t total = m->bin_first[m->bin_count];
    for (uint32_t i = m->ball_count; i-- > 0;) {
        if (m->bodies[m->owner[i]].present) {
            m->bin_ball[--m->bin_first[ball_bin(m, i) + 1]] = i;
        }
    }
    // The loop above moved every end to its beginning, so shift the array by one.
    memmove(m->bin_first, m->bin_first + 1, m->bin_count * sizeof *m->bin_first);
    m->bin_first[m->bin_count] = total;
}

static bool near(const matter* m, uint32_t i, uint32_t j) {
    const double* p = m->at + 3 * (size_t)i;
    const double* q = m->at + 3 * (size_t)j;
    const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    const double room = 2.6 * m->radius;
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < room * room;
}

// Finds pairs of balls of different bodies that may come near in this step.
static void find_pairs(matter* m) {
    m->pair_count = 0;
    for (uint32_t i = 0; i < m->ball_count; ++i) {
        if (!m->bodies[m->owner[i]].present) {
            continue;
        }
        const double* p = m->at + 3 * (size_t)i;
        const int64_t at[3] = {bin_coordinate(m, p[0]), bin_coordinate(m, p[1]),
                               bin_coordinate(m, p[2])};
        for (int64_t k = 0; k < 27; ++k) {
            const uint32_t bin = bin_of(m, at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1,
                                        at[2] + k / 9 - 1);
            for (uint32_t e = m->bin_first[bin]; e < m->bin_first[bin + 1]; ++e) {
                const uint32_t j = m->bin_ball[e];
                if (j > i && m->owner[j] != m->owner[i] && near(m, i, j) &&
                    m->pair_count < m->pair_room) {
                    m->pairs[m->pair_count][0] = i;
                    m->pairs[m->pair_count++][1] = j;
                }
            }
        }
    }
}

// Pushes two balls apart, each by half, and only gradually, so that a large overlap does not
// explode.
static void push_balls(matter* m, uint32_t i, uint32_t j) {
    double* p = m->at + 3 * (size_t)i;
    double* q = m->at + 3 * (size_t)j;
    const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double room = 2.0 * m->radius;
    if (square >= room * room || square == 0.0) {
        return;
    }
    const double length = sqrt(square);
    const double push = fmin(0.4 * (room - length), 0.15 * m->radius);
    for (int k = 0; k < 3; ++k) {
        p[k] += push * d[k] / length;
        q[k] -= push * d[k] / length;
    }
    m->weight[i] = m->weight[j] = PUSHED;
    m->bodies[m->owner[i]].impact += push;
    m->bodies[m->owner[j]].impact += push;
}

// Pushes a ball out of the wall, and slows it along the wall.
static void push_from_wall(matter* m, uint32_t i) {
    double away[3];
    double* p = m->at + 3 * (size_t)i;
    const double gap = m->wall(m->wall_user, p, away) - m->radius;
    if (gap >= 0.0) {
        return;
    }
    double along = 0.0;
    for (int d = 0; d < 3; ++d) {
        p[d] -= gap * away[d];
        along += (p[d] - m->before[3 * i + (uint32_t)d]) * away[d];
    }
    for (int d = 0; d < 3; ++d) {
        const double slip = p[d] - m->before[3 * i + (uint32_t)d] - along * away[d];
        p[d] -= 0.01 * slip;
    }
    m->weight[i] = PUSHED;
    m->bodies[m->owner[i]].impact -= gap;
}

// Moments of the balls of a body about their weighted means, now and at rest.
typedef struct matter_fit {
    double now[3];
    double rest[3];
    double sum[3][3];
} matter_fit;

static void add_moments(const matter* m, const matter_body* b, const double* weight,
                        matter_fit* fit) {
    double all = 0.0;
    *fit = (matter_fit){0};
    for (size_t i = b->first; i < b->first + b->count; ++i) {
        const double w = weight != NULL ? weight[i] : 1.0;
        all += w;
        for (size_t d = 0; d < 3; ++d) {
            fit->now[d] += w * m->at[3 * i + d];
            fit->rest[d] += w * m->rest[3 * i + d];
        }
    }
    for (size_t d = 0; d < 3; ++d) {
        fit->now[d] /= all;
        fit->rest[d] /= all;
    }
    for (size_t i = b->first; i < b->first + b->count; ++i) {
        const double w = weight != NULL ? weight[i] : 1.0;
        for (size_t k = 0; k < 9; ++k) {
            fit->sum[k / 3][k % 3] += w * (m->at[3 * i + k / 3] - fit->now[k / 3]) *
                                      (m->rest[3 * i + k % 3] - fit->rest[k % 3]);
        }
    }
}

// Fits the pose to the balls: a rotation, partly mixed with the best linear map. Balls that were
// pushed get more weight; otherwise a body would sink into whatever supports it at a few places.
static void fit_pose(const matter* m, matter_body* b) {
    matter_fit fit;
    matter_fit plain;
    double r[3][3];
    double moved[3];
    add_moments(m, b, m->weight, &fit);
    add_moments(m, b, NULL, &plain);
    quaternion_matrix(b->turn, r);
    for (int k = 0; k < 9; ++k) {
        (&fit.sum[0][0])[k] += b->own_spread * (&r[0][0])[k];
        (&plain.sum[0][0])[k] += b->own_spread * (&r[0][0])[k];
    }
    follow_rotation((const double(*)[3])fit.sum, b->turn);
    quaternion_matrix(b->turn, r);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double linear = plain.sum[i][0] * b->spread[0][j] +
                                  plain.sum[i][1] * b->spread[1][j] +
                                  plain.sum[i][2] * b->spread[2][j];
            const double off = fmin(fmax(linear - r[i][j], -0.25), 0.25);
            b->pose.m[i][j] = r[i][j] + m->softness * off;
        }
    }
    apply((const double(*)[3])b->pose.m, fit.rest, moved);
    for (int d = 0; d < 3; ++d) {
        b->pose.t[d] = fit.now[d] - moved[d];
    }
}

static void restore_shapes(matter* m) {
    for (uint32_t k = 0; k < m->body_count; ++k) {
        matter_body* b = &m->bodies[k];
        if (b->present) {
            fit_pose(m, b);
            scene__matter_move(&b->pose, m->rest + 3 * (size_t)b->first, b->count,
                               m->at + 3 * (size_t)b->first);
        }
    }
}

static void fall(matter* m, double step) {
    // Limits a ball to its radius per step; otherwise it might pass through a wall.
    const double most = m->radius / step;
    for (uint32_t i = 0; i < m->ball_count; ++i) {
        double* v = m->speed + 3 * (size_t)i;
        double* p = m->at + 3 * (size_t)i;
        memcpy(m->before + 3 * (size_t)i, p, 3 * sizeof *p);
        if (!m->bodies[m->owner[i]].present) {
            continue;
        }
        v[2] -= m->gravity * step;
        const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const double scale = length > most ? most / length : 1.0;
        for (int d = 0; d < 3; ++d) {
            v[d] *= scale;
            p[d] += step * v[d];
        }
    }
}

void scene__matter_step(matter* m, double step) {
    fall(m, step);
    fill_bins(m);
    find_pairs(m);
    for (int round = 0; round < ROUNDS; ++round) {
        for (uint32_t i = 0; i < m->ball_count; ++i) {
            m->weight[i] = 1.0;
        }
        for (size_t k = 0; k < m->pair_count; ++k) {
            push_balls(m, m->pairs[k][0], m->pairs[k][1]);
        }
        for (uint32_t i = 0; i < m->ball_count; ++i) {
            if (m->bodies[m->owner[i]].present) {
                push_from_wall(m, i);
            }
        }
        restore_shapes(m);
    }
    for (size_t i = 0; i < 3 * (size_t)m->ball_count; ++i) {
        m->speed[i] = 0.995 * (m->at[i] - m->before[i]) / step;
    }
}
