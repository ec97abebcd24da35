// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Surfaces of solids: see solid.h. The function is sampled on a grid. Between every two neighbours
// of which one is inside there is a quad, which joins the vertices of the four cells around that
// edge of the grid. A vertex is the mean of the points where the cell's edges leave the solid.
// Where inside points meet only diagonally, edges would have four faces or vertices two fans. Such
// gaps are filled first, so that the surface is a closed manifold. Based on: Gibson, "Constrained
// Elastic Surface Nets" (1998); Latecki, Eckhardt, Rosenfeld, "Well-Composed Sets" (1995).

#include "scenes/solid.h"

#include <math.h>
#include <string.h>

// ---- parts of solids

double solid_bar(const double p[3], const double a[3], const double b[3], double ra, double rb) {
    double along = 0.0;
    double length_sq = 0.0;
    for (int d = 0; d < 3; ++d) {
        along += (p[d] - a[d]) * (b[d] - a[d]);
        length_sq += (b[d] - a[d]) * (b[d] - a[d]);
    }
    const double t = fmin(fmax(along / length_sq, 0.0), 1.0);
    double distance_sq = 0.0;
    for (int d = 0; d < 3; ++d) {
        const double off = p[d] - a[d] - t * (b[d] - a[d]);
        distance_sq += off * off;
    }
    return sqrt(distance_sq) - (ra + t * (rb - ra));
}

double solid_box(const double p[3], const double centre[3], const double half[3], double round) {
    double outside_sq = 0.0;
    double inside = -1e30;
    for (int d = 0; d < 3; ++d) {
        const double r = fmin(round, half[d]);
        const double off = fabs(p[d] - centre[d]) - half[d] + r;
        outside_sq += off > 0.0 ? off * off : 0.0;
        inside = fmax(inside, off);
    }
    const double least = fmin(fmin(half[0], half[1]), fmin(half[2], round));
    return sqrt(outside_sq) + fmin(inside, 0.0) - least;
}

double solid_join(double a, double b, double fillet) {
    const double mix = fmax(fillet - fabs(a - b), 0.0) / fillet;
    return fmin(a, b) - 0.25 * mix * mix * fillet;
}

// ---- samples

typedef struct samples {
    uint32_t n[3];
    size_t step[3];
    double origin[3];
    double fine;
    float* value;
    size_t count;
} samples;

static void lay_grid(samples* g, const solid* body, double fine) {
    g->fine = fine;
    g->count = 1;
    for (int d = 0; d < 3; ++d) {
        const double size = body->high[d] - body->low[d];
        g->n[d] = (uint32_t)ceil(size / fine) + 5;  // at least two empty layers on every side
        g->step[d] = g->count;
        g->count *= g->n[d];
        g->origin[d] = 0.5 * (body->low[d] + body->high[d] - (double)(g->n[d] - 1) * fine);
    }
}

static void coordinates(const samples* g, size_t at, uint32_t c[3]) {
    for (int d = 0; d < 3; ++d) {
        c[d] = (uint32_t)(at / g->step[d] % g->n[d]);
    }
}

// Points are sampled in cubes. Where the middle of a cube is too far from the surface for it to
// reach the cube or its neighbours, that value is used for the whole cube.
#define CUBE 4
#define CUBE_REACH (0.5 * 1.7320508 * (CUBE - 1) + 1.0)  // in units of the spacing

static double value_at(const samples* g, const solid* body, double i, double j, double k) {
    const double p[3] = {g->origin[0] + i * g->fine, g->origin[1] + j * g->fine,
                         g->origin[2] + k * g->fine};
    return body->value(p, g->fine);
}

static void sample_cube(samples* g, const solid* body, const uint32_t c[3]) {
    const double half = 0.5 * (CUBE - 1);
    const double middle = value_at(g, body, c[0] + half, c[1] + half, c[2] + half);
    const bool far = fabs(middle) > SOLID_STEEPEST * CUBE_REACH * g->fine;
    for (uint32_t k = c[2]; k < c[2] + CUBE && k < g->n[2]; ++k) {
        for (uint32_t j = c[1]; j < c[1] + CUBE && j < g->n[1]; ++j) {
            for (uint32_t i = c[0]; i < c[0] + CUBE && i < g->n[0]; ++i) {
                const size_t at = i + j * g->step[1] + k * g->step[2];
                g->value[at] = (float)(far ? middle : value_at(g, body, i, j, k));
            }
        }
    }
}

static void sample_solid(samples* g, const solid* body) {
    uint32_t c[3];
    for (c[2] = 0; c[2] < g->n[2]; c[2] += CUBE) {
        for (c[1] = 0; c[1] < g->n[1]; c[1] += CUBE) {
            for (c[0] = 0; c[0] < g->n[0]; c[0] += CUBE) {
                sample_cube(g, body, c);
            }
        }
    }
}

static bool inside(const samples* g, size_t at) {
    return g->value[at] < 0.0f;
}

// Fills the point that is nearer to the solid.
static void fill(samples* g, size_t x, size_t y) {
    g->value[g->value[x] <= g->value[y] ? x : y] = (float)(-0.2 * g->fine);
}

// Repairs the square at `at` along axes of these steps; returns true if that was necessary.
static bool repair_square(samples* g, size_t at, size_t u, size_t v) {
    const bool a = inside(g, at);
    const bool b = inside(g, at + u);
    if (a != inside(g, at + u + v) || b != inside(g, at + v) || a == b) {
        return false;
    }
    fill(g, a ? at + u : at, a ? at + v : at + u + v);
    return true;
}

// Repairs the cube at `at` if two opposite corners are alone, inside or outside.
static bool repair_cube(samples* g, size_t at) {
    size_t corner[8];
    uint32_t mask = 0;
    for (uint32_t c = 0; c < 8; ++c) {
        corner[c] = at + (c & 1) * g->step[0] + (c >> 1 & 1) * g->step[1] + (c >> 2) * g->step[2];
        mask |= (inside(g, corner[c]) ? 1u : 0u) << c;
    }
    for (uint32_t c = 0; c < 4; ++c) {
        const uint32_t pair = 1u << c | 1u << (7 - c);
        if (mask == pair) {  // joined through a neighbour; its squares are repaired next
            fill(g, corner[c ^ 1], corner[c ^ 2]);
            return true;
        }
        if (mask == (~pair & 255u)) {
            fill(g, corner[c], corner[7 - c]);
            return true;
        }
    }
    return false;
}

static bool repair_at(samples* g, size_t at) {
    bool repaired = repair_square(g, at, g->step[0], g->step[1]);
    repaired = repair_square(g, at, g->step[1], g->step[2]) || repaired;
    repaired = repair_square(g, at, g->step[2], g->step[0]) || repaired;
    return repair_cube(g, at) || repaired;
}

static void repair(samples* g) {
    bool repaired = true;
    while (repaired) {  // every pass fills points, so it terminates
        repaired = false;
        for (uint32_t k = 0; k + 1 < g->n[2]; ++k) {
            for (uint32_t j = 0; j + 1 < g->n[1]; ++j) {
                const size_t row = j * g->step[1] + k * g->step[2];
                for (size_t at = row; at + 1 < row + g->n[0]; ++at) {
                    repaired = repair_at(g, at) || repaired;
                }
            }
        }
    }
}

static uint32_t count_quads(const samples* g) {
    uint32_t count = 0;
    for (int d = 0; d < 3; ++d) {
        for (size_t at = 0; at + g->step[d] < g->count; ++at) {
            count += inside(g, at) != inside(g, at + g->step[d]) ? 1 : 0;
        }
    }
    return count;
}

// ---- surface

// Computes the mean of the points where the edges of a cell leave the solid; returns their number.
static uint32_t cell_vertex(const samples* g, size_t at, double out[3]) {
    uint32_t crossings = 0;
    double sum[3] = {0.0, 0.0, 0.0};
    for (uint32_t c = 0; c < 8; ++c) {
        const double corner[3] = {(double)(c & 1), (double)(c >> 1 & 1), (double)(c >> 2)};
        const size_t from = at + (c & 1) * g->step[0] + (c >> 1 & 1) * g->step[1] +
                            (c >> 2) * g->step[2];
        for (uint32_t d = 0; d < 3; ++d) {
            if ((c >> d & 1) != 0 || inside(g, from) == inside(g, from + g->step[d])) {
                continue;
            }
            const double x = (double)g->value[from];
            const double t = x / (x - (double)g->value[from + g->step[d]]);
            for (uint32_t k = 0; k < 3; ++k) {
                // Away from the corner; otherwise vertices of several cells might coincide there.
                sum[k] += corner[k] + (k == d ? fmin(fmax(t, 0.02), 0.98) : 0.0);
            }
            crossings += 1;
        }
    }
    uint32_t place[3];
    coordinates(g, at, place);
    for (int d = 0; d < 3 && crossings > 0; ++d) {
        out[d] = g->origin[d] + g->fine * ((double)place[d] + sum[d] / (double)crossings);
    }
    return crossings;
}

static bool make_vertices(scene* scratch, const samples* g, double** xyz, uint32_t** vertex_of,
                          uint32_t* count) {
    const size_t last = g->count - g->step[0] - g->step[1] - g->step[2];
    *xyz = scene__alloc(scratch, 3 * (size_t)*count, sizeof **xyz);
    *vertex_of = scene__alloc(scratch, g->count, sizeof **vertex_of);
    if (scratch->failed) {
        return false;
    }
    uint32_t made = 0;
    for (size_t at = 0; at < last; ++at) {
        // Cells that wrap around the grid lie in its empty layers.
        if (cell_vertex(g, at, *xyz + 3 * (size_t)made) > 0) {
            (*vertex_of)[at] = made++;
        }
    }
    *count = made;
    return true;
}

static double distance_sq(const double* p, const double* q) {
    double sum = 0.0;
    for (int d = 0; d < 3; ++d) {
        sum += (p[d] - q[d]) * (p[d] - q[d]);
    }
    return sum;
}

// Cuts along the shorter diagonal.
static uint32_t* put_quad(uint32_t* out, const double* xyz, const uint32_t q[4]) {
    const bool other = distance_sq(xyz + 3 * (size_t)q[1], xyz + 3 * (size_t)q[3]) <
                       distance_sq(xyz + 3 * (size_t)q[0], xyz + 3 * (size_t)q[2]);
    const uint32_t first = other ? 1 : 0;
    for (uint32_t k = 0; k < 2; ++k) {
        *out++ = q[(first + 2 * k) % 4];
        *out++ = q[(first + 2 * k + 1) % 4];
        *out++ = q[(first + 2 * k + 2) % 4];
    }
    return out;
}

static void make_quads(const samples* g, const uint32_t* vertex_of, scene_mesh* mesh) {
    uint32_t* out = mesh->triangles;
    for (int d = 0; d < 3; ++d) {
        const size_t u = g->step[(d + 1) % 3];
        const size_t v = g->step[(d + 2) % 3];
        for (size_t at = 0; at + g->step[d] < g->count; ++at) {
            const bool here = inside(g, at);
            if (here == inside(g, at + g->step[d])) {
                continue;
            }
            // Counter-clockwise as seen from the end of the edge that is outside.
            const uint32_t b = vertex_of[here ? at - v : at - u];
            const uint32_t e = vertex_of[here ? at - u : at - v];
            out = put_quad(out, mesh->rest,
                           (const uint32_t[4]){vertex_of[at - u - v], b, vertex_of[at], e});
        }
    }
}

static bool make_mesh(scene* s, scene* scratch, const samples* g, uint32_t quads,
                      scene_mesh* mesh) {
    double* xyz = NULL;
    uint32_t* vertex_of = NULL;
    uint32_t vertices = quads + quads / 3 +
                        2;  // by Euler's formula: a component has 6 quads or more
    if (!make_vertices(scratch, g, &xyz, &vertex_of, &vertices) ||
        !scene__mesh_alloc(s, mesh, vertices, 2 * quads)) {
        return false;
    }
    memcpy(mesh->rest, xyz, 3 * (size_t)vertices * sizeof *xyz);
    make_quads(g, vertex_of, mesh);
    return true;
}

// The number of quads is inversely proportional to the square of the spacing, except for thin
// parts.
#define TRIES 5

bool scene__solid_surface(scene* s, const solid* body, uint32_t triangles, scene_mesh* mesh,
                          double* fine) {
    double widest = 0.0;
    for (int d = 0; d < 3; ++d) {
        widest = fmax(widest, body->high[d] - body->low[d]);
    }
    double spacing = widest / 64.0;
    for (uint32_t attempt = 1;; ++attempt) {
        scene scratch = {0};
        samples g;
        lay_grid(&g, body, spacing);
        g.value = scene__alloc(&scratch, g.count, sizeof *g.value);
        if (g.value == NULL) {
            s->failed = true;
            return false;
        }
        sample_solid(&g, body);
        const double ratio = 2.0 * (double)count_quads(&g) / (double)triangles;
        const double next = fmin(spacing * sqrt(ratio), widest / 10.0);
        if (attempt == TRIES || next == spacing || fabs(ratio - 1.0) < 0.01) {
            *fine = spacing;
            repair(&g);
            const bool done = make_mesh(s, &scratch, &g, count_quads(&g), mesh);
            scene__free_all(&scratch);
            s->failed = s->failed || !done;
            return done;
        }
        scene__free_all(&scratch);
        spacing = next;
    }
}
