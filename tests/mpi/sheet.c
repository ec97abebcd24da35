// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Random surfaces: see sheet.h.
#include "sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(abut_status status, const abut_error* error, const char* what) {
    if (status != ABUT_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, abut_status_text(status), error->message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void* take(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

uint32_t sheet_draw(sheet* s, uint32_t below) {
    s->random += 0x9E3779B97F4A7C15u;
    uint64_t x = s->random;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((x ^ x >> 31) >> 32) % below;
}

double sheet_number(sheet* s, double from, double to) {
    return from + (to - from) * (double)sheet_draw(s, 1u << 30) * 0x1p-30;
}

// ---- meshes

static double rounded(const sheet* s, double x) {
    return s->floats ? (double)(float)x : x;
}

// a square cloth of n x n vertices, with a seam if classes join what two columns of vertices part
static void make_cloth(sheet* s, uint32_t n, bool seam) {
    const uint32_t extra = seam ? n : 0;
    s->vertices = n * n + extra;
    s->rest = take(s->vertices, sizeof *s->rest);
    s->corners = take(6 * (size_t)n * n, sizeof *s->corners);
    for (uint32_t i = 0; i < n * n; ++i) {
        s->rest[i][0] = rounded(s, i % n * s->size);
        s->rest[i][1] = rounded(s, i / n * s->size);
    }
    for (uint32_t i = 0; i < extra; ++i) {
        memcpy(s->rest[n * n + i], s->rest[i * n + n / 2], sizeof *s->rest);
    }
    for (uint32_t y = 0; y + 1 < n; ++y) {
        for (uint32_t x = 0; x + 1 < n; ++x) {
            const bool after = seam && x == n / 2;
            const uint32_t a = after ? n * n + y : y * n + x;
            const uint32_t c = after ? n * n + y + 1 : (y + 1) * n + x;
            const uint32_t quad[6] = {a, y * n + x + 1, c, c, y * n + x + 1, (y + 1) * n + x + 1};
            memcpy(s->corners + 3 * (size_t)s->triangles, quad, sizeof quad);
            s->triangles += 2;
        }
    }
}

// triangles, segments and points over vertices at random places, which they share at random
static void make_soup(sheet* s, uint32_t count) {
    s->vertices = count;
    s->triangles = count;
    s->rest = take(count, sizeof *s->rest);
    s->corners = take(3 * (size_t)count, sizeof *s->corners);
    const double room = s->size * cbrt((double)count) * 1.5;
    for (uint32_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            s->rest[i][d] = rounded(s, sheet_number(s, 0, room));
        }
        if (i > 10 && sheet_draw(s, 20) == 0) {
            memcpy(s->rest[i], s->rest[i - 7], sizeof *s->rest);
        }
    }
    // a corner is one of the nearest of some vertices, so that triangles stay small
    for (uint32_t t = 0; t < count; ++t) {
        uint32_t* corner = s->corners + 3 * (size_t)t;
        corner[0] = sheet_draw(s, count);
        for (int c = 1; c < 3; ++c) {
            double best = INFINITY;
            for (int k = 0; k < 40; ++k) {
                const uint32_t v = sheet_draw(s, count);
                double distance = 0;
                for (int d = 0; d < 3; ++d) {
                    const double x = s->rest[v][d] - s->rest[corner[0]][d];
                    distance += x * x;
                }
                if (distance < best && v != corner[0]) {
                    best = distance;
                    corner[c] = v;
                }
            }
        }
        const uint32_t kind = sheet_draw(s, 12);
        corner[2] = kind == 0 || kind == 1 ? corner[1] : corner[2];
        corner[1] = corner[2] = kind == 1 ? corner[0] : corner[1];
        corner[2] = kind > 1 && corner[2] == corner[0] ? corner[1] : corner[2];
    }
}

// flat sheets, one close above the other: boxes of their blocks are apart
static void make_layers(sheet* s, uint32_t triangles) {
    const uint32_t layers = 8;
    make_cloth(s, 3 + (uint32_t)sqrt((double)triangles / 2 / layers), false);
    const uint32_t n = s->vertices;
    const uint32_t m = s->triangles;
    s->rest = realloc(s->rest, layers * n * sizeof *s->rest);
    s->corners = realloc(s->corners, (size_t)3 * layers * m * sizeof *s->corners);
    for (uint32_t i = n; i < layers * n; ++i) {
        memcpy(s->rest[i], s->rest[i - n], sizeof *s->rest);
        s->rest[i][2] = rounded(s, i / n * 0.15 * s->size);
    }
    for (uint32_t i = 3 * m; i < 3 * layers * m; ++i) {
        s->corners[i] = s->corners[i - 3 * m] + n;
    }
    s->vertices = layers * n;
    s->triangles = layers * m;
}

// numbers vertices and triangles anew
static void shuffle(sheet* s) {
    uint32_t* number = take(s->vertices, sizeof *number);
    double(*rest)[3] = take(s->vertices, sizeof *rest);
    for (uint32_t i = 0; i < s->vertices; ++i) {
        const uint32_t k = sheet_draw(s, i + 1);
        number[i] = number[k];
        number[k] = i;
    }
    for (uint32_t i = 0; i < s->vertices; ++i) {
        memcpy(rest[number[i]], s->rest[i], sizeof *rest);
    }
    for (size_t i = 0; i < 3 * (size_t)s->triangles; ++i) {
        s->corners[i] = number[s->corners[i]];
    }
    for (uint32_t t = s->triangles; t-- > 1;) {
        const uint32_t k = sheet_draw(s, t + 1);
        uint32_t swap[3];
        memcpy(swap, s->corners + 3 * (size_t)t, sizeof swap);
        memcpy(s->corners + 3 * (size_t)t, s->corners + 3 * (size_t)k, sizeof swap);
        memcpy(s->corners + 3 * (size_t)k, swap, sizeof swap);
    }
    free(s->rest);
    free(number);
    s->rest = rest;
}

static void make_mesh(sheet* s, uint32_t triangles) {
    s->size = sheet_draw(s, 2) == 0 ? 1 : 0.037;
    s->floats = sheet_draw(s, 2) == 0;
    s->rule = (abut_class_rule)sheet_draw(s, 3);
    const uint32_t kind = sheet_draw(s, 4);
    if (kind == 3) {
        make_layers(s, triangles);
    } else if (kind < 2) {
        make_cloth(s, 3 + (uint32_t)sqrt((double)triangles / 2), kind == 1);
    } else {
        make_soup(s, triangles / 2 + 1);
    }
    if (sheet_draw(s, 3) != 0 && kind < 3) {
        shuffle(s);
    }
    s->classes = take(s->vertices, sizeof *s->classes);
    for (uint32_t i = 0; i < s->vertices; ++i) {
        s->classes[i] = sheet_draw(s, 50) == 0 ? sheet_draw(s, 9) : 1000 + i;
    }
    s->at = take(s->vertices, sizeof *s->at);
    memcpy(s->at, s->rest, s->vertices * sizeof *s->at);
}

// ---- cuts

static void cut(sheet* s) {
    const uint32_t ranks = (uint32_t)s->ranks;
    const uint32_t kind = sheet_draw(s, 5);
    const uint32_t lone = sheet_draw(s, ranks);
    const uint32_t run = 1 + sheet_draw(s, 100);
    s->owner = take(s->triangles, sizeof *s->owner);
    double lo = INFINITY;
    double hi = -INFINITY;
    for (uint32_t i = 0; i < s->vertices; ++i) {
        lo = fmin(lo, s->rest[i][0]);
        hi = fmax(hi, s->rest[i][0]);
    }
    for (uint32_t t = 0; t < s->triangles; ++t) {
        const double x = (s->rest[s->corners[3 * (size_t)t]][0] - lo) / (hi - lo + 1e-9);
        const uint32_t owner = kind == 0   ? sheet_draw(s, ranks)
                               : kind == 1 ? (uint32_t)((uint64_t)t * ranks / s->triangles)
                               : kind == 2 ? lone
                               : kind == 3 ? t / run % ranks
                                           : (uint32_t)(x * ranks);
        s->owner[t] = (int)(owner < ranks ? owner : ranks - 1);
    }
}

// lists the vertices of this rank's piece, not in the order of their ids, with some that are not used
static void list_own(sheet* s) {
    bool* used = take(s->vertices, sizeof *used);
    for (uint32_t t = 0; t < s->triangles; ++t) {
        for (size_t c = 0; c < 3; ++c) {
            const uint32_t v = s->corners[3 * (size_t)t + c];
            used[v] = used[v] || s->owner[t] == s->rank || v % 97 == (uint32_t)s->rank;
        }
    }
    s->own = take(s->vertices, sizeof *s->own);
    for (uint32_t i = s->vertices; i-- > 0;) {
        if (used[i]) {
            s->own[s->count++] = i;
        }
    }
    free(used);
    s->packed = take(3 * (size_t)s->vertices, sizeof(double));
}

// packs positions of some vertices, or of all
static abut_positions pack(sheet* s, double (*from)[3], const uint32_t* which, uint32_t count) {
    for (size_t i = 0; i < count; ++i) {
        const double* at = from[which != NULL ? which[i] : i];
        for (size_t d = 0; d < 3; ++d) {
            if (s->floats) {
                ((float*)s->packed)[3 * i + d] = (float)at[d];
            } else {
                ((double*)s->packed)[3 * i + d] = at[d];
            }
        }
    }
    return s->floats ? abut_positions_f32(s->packed, count) : abut_positions_f64(s->packed, count);
}

abut_status sheet_add(sheet* s, abut_error* error) {
    abut_surface_def def = abut_surface_def_default();
    uint32_t* places = take(s->vertices, sizeof *places);
    uint32_t* corners = take(3 * (size_t)s->triangles, sizeof *corners);
    uint32_t* ids = take(s->triangles, sizeof *ids);
    uint32_t* classes = take(s->count, sizeof *classes);
    for (uint32_t i = 0; i < s->count; ++i) {
        places[s->own[i]] = i;
        classes[i] = s->classes[s->own[i]];
    }
    for (uint32_t t = 0; t < s->triangles; ++t) {
        const uint32_t from = s->seed % 2 == 0 ? t : s->triangles - 1 - t;
        if (s->owner[from] == s->rank) {
            for (size_t c = 0; c < 3; ++c) {
                corners[3 * def.triangle_count + c] = places[s->corners[3 * (size_t)from + c]];
            }
            ids[def.triangle_count++] = from;
        }
    }
    def.positions = pack(s, s->rest, s->own, s->count);
    def.vertex_ids = s->own;
    def.triangles = corners;
    def.triangle_ids = ids;
    def.class_rule = s->rule;
    def.classes = classes;
    const abut_status status = abut_world_add_surface(s->world, SHEET_ID, &def, error);
    free(places);
    free(corners);
    free(ids);
    free(classes);
    return status;
}

// ---- the whole

static void make_plain(sheet* s) {
    abut_error error;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = pack(s, s->rest, NULL, s->vertices);
    def.triangles = s->corners;
    def.triangle_count = s->triangles;
    def.class_rule = s->rule;
    def.classes = s->classes;
    must(abut_scene_create(s->context, NULL, &s->scene, &error), &error, "scene");
    must(abut_mesh_create(s->context, &def, &mesh, &error), &error, "mesh");
    must(abut_shape_create(s->context, mesh, NULL, &shape, &error), &error, "shape");
    must(abut_body_create(s->scene, shape, NULL, &s->body, &error), &error, "body");
    abut_mesh_destroy(mesh);
    abut_shape_destroy(shape);
}

void sheet_open(sheet* s, MPI_Comm comm, uint64_t seed, uint32_t triangles,
                const abut_world_def* def, const abut_allocator* memory, bool add) {
    abut_error error;
    memset(s, 0, sizeof *s);
    s->seed = s->random = seed;
    MPI_Comm_rank(comm, &s->rank);
    MPI_Comm_size(comm, &s->ranks);
    make_mesh(s, triangles);
    cut(s);
    list_own(s);
    abut_context_def context = abut_context_def_default();
    if (memory != NULL) {
        context.allocator = *memory;
    }
    must(abut_context_create(&context, &s->context, &error), &error, "context");
    must(abut_world_create(comm, s->context, def, &s->world, &error), &error, "world");
    make_plain(s);
    if (add) {
        must(sheet_add(s, &error), &error, "surface");
    }
}

void sheet_close(sheet* s) {
    abut_world_destroy(s->world);
    abut_scene_destroy(s->scene);
    abut_context_destroy(s->context);
    free(s->corners);
    free(s->rest);
    free(s->at);
    free(s->classes);
    free(s->owner);
    free(s->own);
    free(s->packed);
}

abut_status sheet_set(sheet* s, abut_error* error) {
    return abut_world_set_surface_positions(s->world, SHEET_ID, pack(s, s->at, s->own, s->count),
                                            error);
}

// moves vertices by a wave that folds the surface, and a little at random
static void move(sheet* s) {
    const bool still = sheet_draw(s, 4) == 0;
    const double height = still ? 0 : s->size * sheet_number(s, 0, 6);
    const double length = s->size * sheet_number(s, 2, 12);
    const double noise = still ? 0 : s->size * (sheet_draw(s, 2) == 0 ? 0.02 : 0.4);
    const double phase = sheet_number(s, 0, 6);
    const bool drops = sheet_draw(s, 2) == 0;
    for (uint32_t i = 0; i < s->vertices; ++i) {
        const double* rest = s->rest[i];
        const double angle = (rest[0] + 0.3 * rest[1]) / length + phase;
        s->at[i][0] = rest[0] + 0.7 * height * cos(2 * angle);
        s->at[i][1] = rest[1];
        s->at[i][2] = rest[2] + height * sin(angle);
        for (int d = 0; d < 3; ++d) {
            s->at[i][d] = rounded(s, s->at[i][d] + sheet_number(s, -noise, noise));
        }
        if (drops && !still && i % 5 == 0) {
            s->at[i][2] = 0;
        }
    }
}

void sheet_step(sheet* s) {
    abut_error error;
    if (sheet_draw(s, 6) != 0) {
        move(s);
    }
    must(sheet_set(s, &error), &error, "positions");
    must(abut_body_set_positions(s->scene, s->body, pack(s, s->at, NULL, s->vertices), &error),
         &error, "positions");
}
