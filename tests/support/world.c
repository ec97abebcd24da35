// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Surfaces, worlds and the expected answers of queries.

#include "support/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/judge.h"
#include "support/rational_triangles.h"

uint32_t effort(uint32_t quick, uint32_t normal, uint32_t most) {
    const char* wish = getenv("ABUT_TEST_EFFORT");
    if (wish != NULL && strcmp(wish, "quick") == 0) {
        return quick;
    }
    return wish != NULL && strcmp(wish, "long") == 0 ? most : normal;
}

static char place[256] = "";

void where(const char* format, ...) {
    va_list list;
    va_start(list, format);
    (void)vsnprintf(place, sizeof place, format, list);
    va_end(list);
}

const char* where_text(void) {
    return place;
}

void require_status(abut_status got, abut_status wanted, const char* call, const char* file,
                    int line) {
    if (got != wanted) {
        print_error("%s:%d: %s: \"%s\", wanted \"%s\"; %s\n", file, line, call,
                    abut_status_text(got), abut_status_text(wanted), place);
        fail();
    }
}

void require_true(bool condition, const char* text, const char* file, int line) {
    if (!condition) {
        print_error("%s:%d: not true: %s; %s\n", file, line, text, place);
        fail();
    }
}

void* test_alloc(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    if (memory == NULL) {
        fputs("world: out of memory\n", stderr);
        abort();
    }
    return memory;
}

// ---- surfaces

surface surface_make(uint32_t vertex_count, uint32_t triangle_count) {
    return (surface){vertex_count, triangle_count,
                     test_alloc(3 * (size_t)vertex_count, sizeof(double)),
                     test_alloc(3 * (size_t)triangle_count, sizeof(uint32_t))};
}

surface surface_copy(const surface* s) {
    surface copy = surface_make(s->vertex_count, s->triangle_count);
    memcpy(copy.xyz, s->xyz, 3 * sizeof(double) * (size_t)s->vertex_count);
    memcpy(copy.triangles, s->triangles, 3 * sizeof(uint32_t) * (size_t)s->triangle_count);
    return copy;
}

void surface_free(surface* s) {
    free(s->xyz);
    free(s->triangles);
    memset(s, 0, sizeof *s);
}

static void set_triangle(surface* s, uint32_t* next, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t* triangle = s->triangles + 3 * (size_t)(*next)++;
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

static void set_vertex(surface* s, uint32_t vertex, double x, double y, double z) {
    double* p = s->xyz + 3 * (size_t)vertex;
    p[0] = x;
    p[1] = y;
    p[2] = z;
}

surface surface_sheet(uint32_t nx, uint32_t ny, double width) {
    surface s = surface_make((nx + 1) * (ny + 1), 2 * nx * ny);
    uint32_t next = 0;
    for (uint32_t y = 0; y <= ny; ++y) {
        for (uint32_t x = 0; x <= nx; ++x) {
            set_vertex(&s, y * (nx + 1) + x, width * x / nx, width * y / ny, 0);
        }
    }
    for (uint32_t y = 0; y < ny; ++y) {
        for (uint32_t x = 0; x < nx; ++x) {
            const uint32_t v = y * (nx + 1) + x;
            set_triangle(&s, &next, v, v + 1, v + nx + 2);
            set_triangle(&s, &next, v, v + nx + 2, v + nx + 1);
        }
    }
    return s;
}

surface surface_ball(uint32_t rings, uint32_t sectors, double radius) {
    surface s = surface_make((rings - 1) * sectors + 2, 2 * (rings - 1) * sectors);
    const uint32_t south = (rings - 1) * sectors;
    const double pi = acos(-1.0);
    uint32_t next = 0;
    for (uint32_t r = 1; r < rings; ++r) {
        for (uint32_t k = 0; k < sectors; ++k) {
            const double polar = pi * r / rings;
            const double turn = 2 * pi * k / sectors;
            set_vertex(&s, (r - 1) * sectors + k, radius * sin(polar) * cos(turn),
                       radius * sin(polar) * sin(turn), -radius * cos(polar));
        }
    }
    set_vertex(&s, south, 0, 0, -radius);
    set_vertex(&s, south + 1, 0, 0, radius);
    for (uint32_t k = 0; k < sectors; ++k) {
        const uint32_t after = (k + 1) % sectors;
        set_triangle(&s, &next, south, after, k);
        for (uint32_t r = 0; r + 2 < rings; ++r) {
            const uint32_t low = r * sectors;
            set_triangle(&s, &next, low + k, low + after, low + sectors + after);
            set_triangle(&s, &next, low + k, low + sectors + after, low + sectors + k);
        }
        set_triangle(&s, &next, south + 1, (rings - 2) * sectors + k,
                     (rings - 2) * sectors + after);
    }
    return s;
}

surface surface_any_ball(test_random* random, uint32_t rings, uint32_t sectors, int32_t exponent,
                         double* size) {
    surface s = surface_ball(rings, sectors, 1);
    *size = ldexp(1, random_between(random, -exponent, exponent));
    surface_scale(&s, random_chance(random, 0.3) ? 1 : *size);
    if (random_chance(random, 0.3)) {
        surface_shift(&s, 1e6 * *size, -3e5 * *size, 7e4 * *size);
    }
    return s;
}

surface surface_soup(test_random* random, uint32_t triangles, double range, double size,
                     double step) {
    surface s = surface_make(3 * triangles, triangles);
    for (uint32_t t = 0; t < triangles; ++t) {
        double first[3];
        for (uint32_t c = 0; c < 3; ++c) {
            for (int d = 0; d < 3; ++d) {
                first[d] = c == 0 ? random_dyadic(random, range, step) : first[d];
                s.xyz[9 * (size_t)t + 3 * (size_t)c + (size_t)d] =
                    first[d] + (c == 0 ? 0 : random_dyadic(random, size, step));
            }
            s.triangles[3 * (size_t)t + c] = 3 * t + c;
        }
    }
    return s;
}

void surface_shake(surface* s, test_random* random, double range, double step) {
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
        s->xyz[i] += random_dyadic(random, range, step);
    }
}

void surface_shift(surface* s, double x, double y, double z) {
    const double by[3] = {x, y, z};
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
        s->xyz[i] += by[i % 3];
    }
}

void surface_scale(surface* s, double factor) {
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
        s->xyz[i] *= factor;
    }
}

surface surface_join(const surface* a, const surface* b) {
    surface s = surface_make(a->vertex_count + b->vertex_count,
                             a->triangle_count + b->triangle_count);
    memcpy(s.xyz, a->xyz, 3 * sizeof(double) * (size_t)a->vertex_count);
    memcpy(s.xyz + 3 * (size_t)a->vertex_count, b->xyz,
           3 * sizeof(double) * (size_t)b->vertex_count);
    memcpy(s.triangles, a->triangles, 3 * sizeof(uint32_t) * (size_t)a->triangle_count);
    for (size_t i = 0; i < 3 * (size_t)b->triangle_count; ++i) {
        s.triangles[3 * (size_t)a->triangle_count + i] = a->vertex_count + b->triangles[i];
    }
    return s;
}

surface surface_shuffle(const surface* s, test_random* random, uint32_t* triangle_of) {
    surface mixed = surface_make(s->vertex_count, s->triangle_count);
    uint32_t* vertex_to = test_alloc(s->vertex_count, sizeof(uint32_t));
    random_permutation(random, vertex_to, s->vertex_count);
    random_permutation(random, triangle_of, s->triangle_count);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        memcpy(mixed.xyz + 3 * (size_t)vertex_to[v], s->xyz + 3 * (size_t)v, 3 * sizeof(double));
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t turn = random_below(random, 3);
        for (uint32_t c = 0; c < 3; ++c) {
            mixed.triangles[3 * (size_t)t + c] =
                vertex_to[s->triangles[3 * (size_t)triangle_of[t] + (c + turn) % 3]];
        }
    }
    free(vertex_to);
    return mixed;
}

abut_frame frame_random(test_random* random, double reach) {
    double q[4];
    double length = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = random_double(random, -1, 1);
        length += q[i] * q[i];
    }
    length = sqrt(length > 0.01 ? length : 1);
    q[0] = length == 1 ? 1 : q[0];
    for (int i = 0; i < 4; ++i) {
        q[i] = length == 1 && i > 0 ? 0 : q[i] / length;
    }
    const double w = q[0];
    const double x = q[1];
    const double y = q[2];
    const double z = q[3];
    return (abut_frame){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                         {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                         {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}},
                        {random_double(random, -reach, reach), random_double(random, -reach, reach),
                         random_double(random, -reach, reach)}};
}

// ---- pairs

void pairs_push(pair_list* list, abut_pair pair) {
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
        abut_pair* grown = test_alloc(capacity, sizeof *grown);
        if (list->count > 0) {
            memcpy(grown, list->pairs, list->count * sizeof *grown);
        }
        free(list->pairs);
        list->pairs = grown;
        list->capacity = capacity;
    }
    list->pairs[list->count++] = pair;
}

int pairs_compare(const abut_pair* x, const abut_pair* y) {
    const uint32_t l[4] = {x->body_a, x->body_b, x->triangle_a, x->triangle_b};
    const uint32_t r[4] = {y->body_a, y->body_b, y->triangle_a, y->triangle_b};
    for (int i = 0; i < 4; ++i) {
        if (l[i] != r[i]) {
            return l[i] < r[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_pairs(const void* x, const void* y) {
    return pairs_compare(x, y);
}

void pairs_sort(pair_list* list) {
    if (list->count > 0) {
        qsort(list->pairs, list->count, sizeof *list->pairs, compare_pairs);
    }
}

void pairs_free(pair_list* list) {
    free(list->pairs);
    memset(list, 0, sizeof *list);
}

static void compare_lists(const abut_pair* got, size_t got_count, const pair_list* wanted,
                          const char* what) {
    const size_t least = got_count < wanted->count ? got_count : wanted->count;
    size_t i = 0;
    while (i < least && pairs_compare(&got[i], &wanted->pairs[i]) == 0) {
        ++i;
    }
    if (i == got_count && i == wanted->count) {
        return;
    }
    print_error("%s: %zu pairs, wanted %zu; the first difference is at %zu; %s\n", what, got_count,
                wanted->count, i, place);
    if (i < got_count) {
        print_error("  got    (%u %u) (%u %u)\n", got[i].body_a, got[i].body_b, got[i].triangle_a,
                    got[i].triangle_b);
    }
    if (i < wanted->count) {
        const abut_pair* w = &wanted->pairs[i];
        print_error("  wanted (%u %u) (%u %u)\n", w->body_a, w->body_b, w->triangle_a,
                    w->triangle_b);
    }
    fail();
}

void require_pairs(const abut_collide_result* result, const pair_list* wanted, const char* what) {
    size_t count = 0;
    const abut_pair* got = abut_collide_result_pairs(result, &count);
    compare_lists(got, count, wanted, what);
    if (abut_collide_result_found(result) != (wanted->count > 0)) {
        print_error("%s: abut_collide_result_found disagrees with the pairs; %s\n", what, place);
        fail();
    }
}

void require_same_pairs(const pair_list* got, const pair_list* wanted, const char* what) {
    compare_lists(got->pairs, got->count, wanted, what);
}

void pairs_append(pair_list* list, const abut_collide_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    for (size_t i = 0; i < count; ++i) {
        pairs_push(list, pairs[i]);
    }
}

uint64_t pairs_hash(const abut_pair* pairs, size_t count) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) + count;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t words[2] = {(uint64_t)pairs[i].body_a << 32 | pairs[i].body_b,
                                   (uint64_t)pairs[i].triangle_a << 32 | pairs[i].triangle_b};
        for (int k = 0; k < 2; ++k) {
            hash = (hash ^ words[k]) * UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 32;
        }
    }
    return hash;
}

uint64_t result_hash(const abut_collide_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    return pairs_hash(pairs, count);
}

void hash_bytes(uint64_t* hash, const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        *hash = (*hash ^ ((const uint8_t*)data)[i]) * UINT64_C(0x100000001b3);
    }
}

// ---- the world

world world_make(const abut_context_def* context_def, const abut_scene_def* scene_def) {
    world w = {0};
    REQUIRE_OK(abut_context_create(context_def, &w.context, NULL));
    REQUIRE_OK(abut_scene_create(w.context, scene_def, &w.scene, NULL));
    REQUIRE_OK(abut_collide_result_create(w.context, &w.result, NULL));
    REQUIRE_OK(abut_sweep_result_create(w.context, &w.swept, NULL));
    REQUIRE_OK(abut_intervals_result_create(w.context, &w.intervals, NULL));
    REQUIRE_OK(abut_proxies_result_create(w.context, &w.proxies, NULL));
    REQUIRE_OK(abut_contains_result_create(w.context, &w.sides, NULL));
    return w;
}

void world_free(world* w) {
    abut_collide_result_destroy(w->result);
    abut_sweep_result_destroy(w->swept);
    abut_intervals_result_destroy(w->intervals);
    abut_proxies_result_destroy(w->proxies);
    abut_contains_result_destroy(w->sides);
    abut_scene_destroy(w->scene);
    abut_context_destroy(w->context);
    memset(w, 0, sizeof *w);
}

abut_side world_point_side(const world* w, abut_body_id body, const double point[3],
                           int32_t* winding) {
    const abut_positions one = abut_positions_f64(point, 1);
    REQUIRE_OK(abut_contains_points(w->scene, body, one, NULL, w->sides, NULL));
    if (winding != NULL) {
        *winding = abut_contains_result_windings(w->sides, NULL)[0];
    }
    return abut_contains_result_sides(w->sides, NULL)[0];
}

abut_side world_body_side(const world* w, abut_body_id outer, abut_body_id inner) {
    REQUIRE_OK(abut_contains_body(w->scene, outer, inner, NULL, w->sides, NULL));
    return abut_contains_result_sides(w->sides, NULL)[0];
}

abut_mesh_def surface_mesh_def(const surface* s) {
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(s->xyz, s->vertex_count);
    def.triangles = s->triangles;
    def.triangle_count = s->triangle_count;
    return def;
}

abut_mesh* world_mesh(const world* w, const surface* s) {
    const abut_mesh_def def = surface_mesh_def(s);
    abut_mesh* mesh = NULL;
    REQUIRE_OK(abut_mesh_create(w->context, &def, &mesh, NULL));
    return mesh;
}

static abut_status try_shape(const world* w, const abut_mesh_def* mesh_def, const motion_def* def,
                             abut_shape** shape, abut_error* error) {
    abut_mesh* mesh = NULL;
    abut_status status = abut_mesh_create(w->context, mesh_def, &mesh, error);
    if (status == ABUT_OK) {
        status = motion_create(w->context, mesh, def, shape, error);
        abut_mesh_destroy(mesh);
    }
    return status;
}

abut_status world_try_shape(const world* w, const surface* s, const motion_def* def,
                            abut_shape** shape, abut_error* error) {
    const abut_mesh_def mesh_def = surface_mesh_def(s);
    return try_shape(w, &mesh_def, def, shape, error);
}

abut_shape* world_shape(const world* w, const surface* s, const motion_def* def) {
    abut_shape* shape = NULL;
    REQUIRE_OK(world_try_shape(w, s, def, &shape, NULL));
    return shape;
}

abut_shape* world_edit(const abut_shape* shape, const motion_edit_def* def, abut_edit_work* work) {
    abut_shape* edited = NULL;
    abut_error error = {0};
    if (motion_edit(shape, def, &edited, work, &error) != ABUT_OK) {
        print_error("edit: %s; %s\n", error.message, place);
        fail();
    }
    REQUIRE_OK(abut_shape_validate(edited, NULL));
    return edited;
}

static abut_body_id add_shape(world* w, abut_shape* shape, const abut_body_def* body_def) {
    abut_body_id body;
    REQUIRE_OK(abut_body_create(w->scene, shape, body_def, &body, NULL));
    abut_shape_destroy(shape);
    world_validate(w, body);
    return body;
}

abut_body_id world_add(world* w, const surface* s, const motion_def* shape_def,
                       const abut_body_def* body_def) {
    return add_shape(w, world_shape(w, s, shape_def), body_def);
}

abut_body_id world_add_mesh(world* w, const abut_mesh_def* mesh_def, const motion_def* shape_def) {
    abut_shape* shape = NULL;
    REQUIRE_OK(try_shape(w, mesh_def, shape_def, &shape, NULL));
    return add_shape(w, shape, NULL);
}

void world_move(world* w, abut_body_id body, const double* xyz) {
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(w->scene, body));
    const abut_positions positions = abut_positions_f64(xyz, abut_mesh_vertex_count(mesh));
    REQUIRE_OK(abut_body_set_positions(w->scene, body, positions, NULL));
    world_validate(w, body);
}

void world_validate(const world* w, abut_body_id body) {
    abut_error error = {0};
    abut_status status = abut_shape_validate(abut_body_shape(w->scene, body), &error);
    if (status == ABUT_OK) {
        status = abut_body_validate(w->scene, body, &error);
    }
    if (status != ABUT_OK) {
        print_error("body %u: %s; %s\n", body.index, error.message, place);
        fail();
    }
}

void world_frame(world* w, abut_body_id body, abut_frame frame) {
    REQUIRE_OK(abut_body_set_frame(w->scene, body, &frame, NULL));
    world_validate(w, body);
}

// ---- expected answers

// a body as the oracle sees it: its live triangles without holes, with their ids
typedef struct view {
    uint32_t triangle_count;
    double* xyz;
    uint32_t* triangles;
    uint32_t* id;
    const uint32_t* classes;
} view;

static view view_make(const abut_scene* scene, abut_body_id body, bool world_coordinates) {
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(scene, body));
    const uint32_t vertices = abut_mesh_vertex_count(mesh);
    const uint32_t triangles = abut_mesh_triangle_count(mesh);
    const uint32_t* all = abut_mesh_triangles(mesh);
    view v = {0, test_alloc(3 * (size_t)vertices, sizeof(double)),
              test_alloc(3 * (size_t)triangles, sizeof(uint32_t)),
              test_alloc(triangles, sizeof(uint32_t)), abut_mesh_classes(mesh)};
    for (uint32_t i = 0; i < vertices; ++i) {
        REQUIRE_OK(world_coordinates
                       ? abut_body_world_vertex(scene, body, i, v.xyz + 3 * (size_t)i, NULL)
                       : abut_body_vertex(scene, body, i, v.xyz + 3 * (size_t)i, NULL));
    }
    for (uint32_t t = 0; t < triangles; ++t) {
        if (all[3 * (size_t)t] != UINT32_MAX) {
            memcpy(v.triangles + 3 * (size_t)v.triangle_count, all + 3 * (size_t)t,
                   3 * sizeof(uint32_t));
            v.id[v.triangle_count++] = t;
        }
    }
    return v;
}

static void view_free(view* v) {
    free(v->xyz);
    free(v->triangles);
    free(v->id);
}

static void corners_of(const view* v, uint32_t triangle, double out[3][3]) {
    for (uint32_t c = 0; c < 3; ++c) {
        memcpy(out[c], v->xyz + 3 * (size_t)v->triangles[3 * (size_t)triangle + c],
               3 * sizeof(double));
    }
}

static judge_side side_of(const view* v) {
    return (judge_side){v->xyz, v->triangles, v->triangle_count, v->classes};
}

static const oracle plain = {0};

static void add_pairs(pair_list* list, abut_body_id a, abut_body_id b, const view* va,
                      const view* vb, const brute_pair* found, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        pairs_push(list, (abut_pair){a.index, b.index, va->id[found[i].a], vb->id[found[i].b]});
    }
}

static bool same_frame(const abut_frame* a, const abut_frame* b) {
    bool same = true;
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            same = same && a->r[d][e] == b->r[d][e];
        }
        same = same && a->t[d] == b->t[d];
    }
    return same;
}

pair_list oracle_between(const abut_scene* scene, abut_body_id a, abut_body_id b, const oracle* o) {
    o = o != NULL ? o : &plain;
    const abut_frame frame_a = abut_body_frame(scene, a);
    const abut_frame frame_b = abut_body_frame(scene, b);
    const bool apart = !same_frame(&frame_a, &frame_b);
    view va = view_make(scene, a, apart);
    view vb = view_make(scene, b, apart);
    brute_pair* found = NULL;
    const judge_side sides[2] = {side_of(&va), side_of(&vb)};
    const size_t count = judge_pairs(&sides[0], &sides[1], o->margin, o->rational, &found);
    pair_list list = {0};
    add_pairs(&list, a, b, &va, &vb, found, count);
    free(found);
    view_free(&va);
    view_free(&vb);
    pairs_sort(&list);
    return list;
}

// the corners of triangle i of the view whose vertex class triangle k has too
static uint32_t common_corners(const view* v, uint32_t i, uint32_t k) {
    uint32_t mask = 0;
    for (uint32_t c = 0; c < 3; ++c) {
        for (uint32_t e = 0; e < 3; ++e) {
            if (v->classes[v->triangles[3 * (size_t)i + c]] ==
                v->classes[v->triangles[3 * (size_t)k + e]]) {
                mask |= 1u << c;
            }
        }
    }
    return mask;
}

// true if two triangles have the same corners at the same positions
static bool coincide(const view* v, uint32_t i, uint32_t k) {
    bool same = common_corners(v, i, k) == 7 && common_corners(v, k, i) == 7;
    for (uint32_t c = 0; c < 9; ++c) {
        const uint32_t a = v->triangles[3 * (size_t)i + c / 3];
        const uint32_t b = v->triangles[3 * (size_t)k + c % 3];
        for (size_t d = 0; d < 3; ++d) {
            same = same && (v->classes[a] != v->classes[b] ||
                            v->xyz[3 * (size_t)a + d] == v->xyz[3 * (size_t)b + d]);
        }
    }
    return same;
}

static void add_neighbours(pair_list* list, abut_body_id a, const view* v) {
    rational_set shared;
    rational_set_init(&shared);
    for (uint32_t i = 0; i < v->triangle_count; ++i) {
        for (uint32_t k = i + 1; k < v->triangle_count; ++k) {
            const uint32_t mask = common_corners(v, i, k);
            if (mask == 0) {
                continue;
            }
            double p[3][3];
            double q[3][3];
            corners_of(v, i, p);
            corners_of(v, k, q);
            rational_intersection((const double(*)[3])p, (const double(*)[3])q, &shared);
            if (coincide(v, i, k) || rational_beyond((const double(*)[3])p, &shared, mask)) {
                pairs_push(list, (abut_pair){a.index, a.index, v->id[i], v->id[k]});
            }
        }
    }
    rational_set_clear(&shared);
}

pair_list oracle_self(const abut_scene* scene, abut_body_id a, const oracle* o) {
    o = o != NULL ? o : &plain;
    view v = view_make(scene, a, false);
    brute_pair* found = NULL;
    const judge_side side = side_of(&v);
    const size_t count = judge_pairs(&side, NULL, o->margin, o->rational, &found);
    pair_list list = {0};
    add_pairs(&list, a, a, &v, &v, found, count);
    free(found);
    if (o->neighbours) {
        add_neighbours(&list, a, &v);
    }
    view_free(&v);
    pairs_sort(&list);
    return list;
}

static void move_into(pair_list* all, pair_list* part) {
    for (size_t i = 0; i < part->count; ++i) {
        pairs_push(all, part->pairs[i]);
    }
    pairs_free(part);
}

pair_list oracle_collide_all(const abut_scene* scene, const oracle* o) {
    o = o != NULL ? o : &plain;
    pair_list all = {0};
    const uint32_t limit = abut_scene_body_limit(scene);
    for (uint32_t i = 0; i < limit; ++i) {
        for (uint32_t k = i + 1; k < limit; ++k) {
            const abut_body_id a = abut_scene_body_at(scene, i);
            const abut_body_id b = abut_scene_body_at(scene, k);
            if (a.generation != 0 && b.generation != 0 &&
                (o->meet == NULL || o->meet(o->user, i, k))) {
                pair_list part = oracle_between(scene, a, b, o);
                move_into(&all, &part);
            }
        }
    }
    return all;
}

pair_list oracle_self_all(const abut_scene* scene, const oracle* o) {
    o = o != NULL ? o : &plain;
    pair_list all = {0};
    for (uint32_t i = 0; i < abut_scene_body_limit(scene); ++i) {
        const abut_body_id a = abut_scene_body_at(scene, i);
        if (a.generation != 0 && (o->meet == NULL || o->meet(o->user, i, i))) {
            pair_list part = oracle_self(scene, a, o);
            move_into(&all, &part);
        }
    }
    return all;
}

abut_status run_query_with_error(const abut_scene* scene, query_kind kind, abut_body_id a,
                                 abut_body_id b, const abut_collide_def* def,
                                 abut_collide_result* result, abut_error* error) {
    abut_collide_def between = def != NULL ? *def : abut_collide_def_default();
    between.include_neighbours = false;  // triangles of two bodies are never neighbours
    switch (kind) {
        case QUERY_COLLIDE: return abut_collide(scene, a, b, &between, result, error);
        case QUERY_SELF: return abut_collide_self(scene, a, def, result, error);
        case QUERY_COLLIDE_ALL: return abut_collide_all(scene, &between, result, error);
        case QUERY_SELF_ALL: return abut_collide_self_all(scene, def, result, error);
    }
    return ABUT_ERR_INVALID_ARGUMENT;
}

abut_status run_query(const abut_scene* scene, query_kind kind, abut_body_id a, abut_body_id b,
                      const abut_collide_def* def, abut_collide_result* result) {
    return run_query_with_error(scene, kind, a, b, def, result, NULL);
}

pair_list oracle_query(const abut_scene* scene, query_kind kind, abut_body_id a, abut_body_id b,
                       const oracle* o) {
    switch (kind) {
        case QUERY_COLLIDE: return oracle_between(scene, a, b, o);
        case QUERY_SELF: return oracle_self(scene, a, o);
        case QUERY_COLLIDE_ALL: return oracle_collide_all(scene, o);
        case QUERY_SELF_ALL: return oracle_self_all(scene, o);
    }
    return (pair_list){0};
}

static size_t check(const world* w, query_kind kind, abut_body_id a, abut_body_id b,
                    const abut_collide_def* def, const char* what) {
    oracle o = plain;
    if (def != NULL) {
        o.margin = def->margin;
        o.neighbours = def->include_neighbours;
    }
    pair_list wanted = oracle_query(w->scene, kind, a, b, &o);
    REQUIRE_OK(run_query(w->scene, kind, a, b, def, w->result));
    require_pairs(w->result, &wanted, what);
    const size_t count = wanted.count;
    pairs_free(&wanted);
    return count;
}

size_t check_between(const world* w, abut_body_id a, abut_body_id b, const abut_collide_def* def) {
    return check(w, QUERY_COLLIDE, a, b, def, "collide");
}

size_t check_self(const world* w, abut_body_id a, const abut_collide_def* def) {
    return check(w, QUERY_SELF, a, a, def, "self");
}

size_t check_collide_all(const world* w, const abut_collide_def* def) {
    const abut_body_id none = {0, 0};
    return check(w, QUERY_COLLIDE_ALL, none, none, def, "collide_all");
}

size_t check_self_all(const world* w, const abut_collide_def* def) {
    const abut_body_id none = {0, 0};
    return check(w, QUERY_SELF_ALL, none, none, def, "self_all");
}
