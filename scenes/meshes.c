// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes the meshes of scenes: grids, geodesic spheres, surfaces of revolution and tori.

#include <math.h>
#include <string.h>

#include "scenes/scenes_internal.h"

bool scene__mesh_alloc(scene* s, scene_mesh* mesh, uint32_t vertices, uint32_t triangles) {
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    mesh->triangles = scene__alloc(s, triangles, 3 * sizeof *mesh->triangles);
    mesh->rest = scene__alloc(s, vertices, 3 * sizeof *mesh->rest);
    return !s->failed;
}

static uint32_t* put_triangle(uint32_t* out, uint32_t a, uint32_t b, uint32_t c) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    return out + 3;
}

// Corners in counter-clockwise order; the diagonal joins a and c, or b and d.
static uint32_t* put_quad(uint32_t* out, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                          bool other_diagonal) {
    if (other_diagonal) {
        return put_triangle(put_triangle(out, a, b, d), b, c, d);
    }
    return put_triangle(put_triangle(out, a, b, c), a, c, d);
}

bool scene__grid(scene* s, scene_mesh* mesh, uint32_t nu, uint32_t nv, grid_diagonals diagonals) {
    if (!scene__mesh_alloc(s, mesh, (nu + 1) * (nv + 1), 2 * nu * nv)) {
        return false;
    }
    double* p = mesh->rest;
    for (uint32_t j = 0; j <= nv; ++j) {
        for (uint32_t i = 0; i <= nu; ++i) {
            *p++ = (double)i / (double)nu;
            *p++ = (double)j / (double)nv;
            *p++ = 0.0;
        }
    }
    uint32_t* out = mesh->triangles;
    for (uint32_t j = 0; j < nv; ++j) {
        for (uint32_t i = 0; i < nu; ++i) {
            const uint32_t at = j * (nu + 1) + i;
            const bool other = diagonals == GRID_ALTERNATE && ((i + j) & 1) != 0;
            out = put_quad(out, at, at + 1, at + nu + 2, at + nu + 1, other);
        }
    }
    return true;
}

// ---- sphere

// The icosahedron: vertex 0 on top, 1..5 the upper ring, 6..10 the lower ring, 11 below.
#define ICO_FACES 20
#define ICO_EDGES 30
static const uint8_t ico_face[ICO_FACES][3] = {
    {0, 1, 2},  {0, 2, 3},  {0, 3, 4},  {0, 4, 5},  {0, 5, 1},   {1, 6, 2},   {2, 7, 3},
    {3, 8, 4},  {4, 9, 5},  {5, 10, 1}, {2, 6, 7},  {3, 7, 8},   {4, 8, 9},   {5, 9, 10},
    {1, 10, 6}, {6, 11, 7}, {7, 11, 8}, {8, 11, 9}, {9, 11, 10}, {10, 11, 6},
};

static void ico_vertex(uint32_t i, double out[3]) {
    const double height = 1.0 / sqrt(5.0);
    if (i == 0 || i == 11) {
        out[0] = 0.0;
        out[1] = 0.0;
        out[2] = i == 0 ? 1.0 : -1.0;
        return;
    }
    const bool upper = i <= 5;
    const double turn = upper ? (double)(i - 1) : (double)(i - 6) + 0.5;
    const double angle = turn * (2.0 * SCENE_PI / 5.0);
    out[0] = 2.0 * height * cos(angle);
    out[1] = 2.0 * height * sin(angle);
    out[2] = upper ? height : -height;
}

// Finds one of the 30 edges, as pairs with the lower vertex first, in order of first use by a face.
static uint32_t ico_edge(uint8_t edges[ICO_EDGES][2], uint32_t* count, uint8_t a, uint8_t b) {
    const uint8_t lo = a < b ? a : b;
    const uint8_t hi = a < b ? b : a;
    for (uint32_t e = 0; e < *count; ++e) {
        if (edges[e][0] == lo && edges[e][1] == hi) {
            return e;
        }
    }
    edges[*count][0] = lo;
    edges[*count][1] = hi;
    return (*count)++;
}

// Computes a point of a face from its integer barycentric weights, projected to the unit sphere. It
// is summed in order of the vertex numbers, so that both faces of an edge yield the same bits.
static void sphere_point(const uint8_t corner[3], const uint32_t weight[3], double out[3]) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (uint32_t v = 0; v < 12; ++v) {
        for (int k = 0; k < 3; ++k) {
            if (corner[k] == v) {
                double p[3];
                ico_vertex(v, p);
                for (int d = 0; d < 3; ++d) {
                    sum[d] += (double)weight[k] * p[d];
                }
            }
        }
    }
    const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (int d = 0; d < 3; ++d) {
        out[d] = sum[d] / length;
    }
}

// Returns the vertex with weights w in face `f`: a corner, on an edge, or inside. Corners come
// first, then the edges' inner points, then the faces'.
static uint32_t sphere_index(uint32_t f, const uint32_t w[3], uint32_t n,
                             uint8_t edges[ICO_EDGES][2], uint32_t* edge_count) {
    const uint8_t* corner = ico_face[f];
    for (int k = 0; k < 3; ++k) {
        if (w[k] == n) {
            return corner[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (w[k] == 0) {
            const int p = (k + 1) % 3;
            const int q = (k + 2) % 3;
            const uint32_t e = ico_edge(edges, edge_count, corner[p], corner[q]);
            const uint32_t along = corner[p] < corner[q] ? w[q] : w[p];
            return 12 + e * (n - 1) + along - 1;
        }
    }
    // Inside: row w[0] = 1 .. n - 2 has n - 1 - w[0] points.
    const uint32_t row = w[0] - 1;
    const uint32_t before = row * (2 * n - 3 - row) / 2;
    const uint32_t inside = (n - 1) * (n - 2) / 2;
    return 12 + ICO_EDGES * (n - 1) + f * inside + before + w[1] - 1;
}

bool scene__sphere(scene* s, scene_mesh* mesh, uint32_t frequency) {
    const uint32_t n = frequency;
    if (!scene__mesh_alloc(s, mesh, 10 * n * n + 2, ICO_FACES * n * n)) {
        return false;
    }
    uint8_t edges[ICO_EDGES][2] = {{0}};
    uint32_t edge_count = 0;
    uint32_t* out = mesh->triangles;
    for (uint32_t f = 0; f < ICO_FACES; ++f) {
        for (uint32_t i = 0; i <= n; ++i) {
            for (uint32_t j = 0; i + j <= n; ++j) {
                const uint32_t w[3] = {n - i - j, i, j};
                const uint32_t at = sphere_index(f, w, n, edges, &edge_count);
                sphere_point(ico_face[f], w, mesh->rest + 3 * (size_t)at);
                if (i + j == n) {
                    continue;
                }
                const uint32_t wi[3] = {n - i - j - 1, i + 1, j};
                const uint32_t wj[3] = {n - i - j - 1, i, j + 1};
                const uint32_t to_i = sphere_index(f, wi, n, edges, &edge_count);
                const uint32_t to_j = sphere_index(f, wj, n, edges, &edge_count);
                out = put_triangle(out, at, to_i, to_j);
                if (i + j + 2 <= n) {
                    const uint32_t wij[3] = {n - i - j - 2, i + 1, j + 1};
                    const uint32_t far = sphere_index(f, wij, n, edges, &edge_count);
                    out = put_triangle(out, to_i, far, to_j);
                }
            }
        }
    }
    return true;
}

// ---- surfaces of revolution and tori

uint32_t scene__turned_triangles(const double (*profile)[2], uint32_t points, uint32_t segments,
                                 bool loop) {
    uint32_t count = 0;
    for (uint32_t i = 0; i + (loop ? 0 : 1) < points; ++i) {
        const uint32_t next = (i + 1) % points;
        count += segments * ((profile[i][0] > 0.0 ? 1u : 0u) + (profile[next][0] > 0.0 ? 1u : 0u));
    }
    return count;
}

bool scene__turned(scene* s, scene_mesh* mesh, const double (*profile)[2], uint32_t points,
                   uint32_t segments, bool loop) {
    uint32_t* first = scene__alloc(s, points, sizeof *first);  // first vertex of each ring
    if (first == NULL) {
        return false;
    }
    uint32_t vertices = 0;
    for (uint32_t i = 0; i < points; ++i) {
        first[i] = vertices;
        vertices += profile[i][0] > 0.0 ? segments : 1;
    }
    if (!scene__mesh_alloc(s, mesh, vertices,
                           scene__turned_triangles(profile, points, segments, loop))) {
        return false;
    }
    double* p = mesh->rest;
    for (uint32_t i = 0; i < points; ++i) {
        const uint32_t ring = profile[i][0] > 0.0 ? segments : 1;
        for (uint32_t k = 0; k < ring; ++k) {
            const double angle = 2.0 * SCENE_PI * (double)k / (double)segments;
            *p++ = profile[i][0] * cos(angle);
            *p++ = profile[i][0] * sin(angle);
            *p++ = profile[i][1];
        }
    }
    uint32_t* out = mesh->triangles;
    for (uint32_t i = 0; i + (loop ? 0 : 1) < points; ++i) {
        const uint32_t j = (i + 1) % points;
        const bool low = profile[i][0] > 0.0;
        const bool high = profile[j][0] > 0.0;
        for (uint32_t k = 0; k < segments; ++k) {
            const uint32_t n = (k + 1) % segments;
            if (low && high) {
                out = put_quad(out, first[i] + k, first[i] + n, first[j] + n, first[j] + k,
                               ((i + k) & 1) != 0);
            } else if (low) {
                out = put_triangle(out, first[i] + k, first[i] + n, first[j]);
            } else if (high) {
                out = put_triangle(out, first[i], first[j] + n, first[j] + k);
            }
        }
    }
    return true;
}

bool scene__torus(scene* s, scene_mesh* mesh, double radius, double tube, uint32_t nu,
                  uint32_t nv) {
    double(*profile)[2] = scene__alloc(s, nv, sizeof *profile);
    if (profile == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < nv; ++i) {
        const double angle = 2.0 * SCENE_PI * (double)i / (double)nv;
        profile[i][0] = radius + tube * cos(angle);
        profile[i][1] = tube * sin(angle);
    }
    return scene__turned(s, mesh, (const double(*)[2])profile, nv, nu, true);
}
