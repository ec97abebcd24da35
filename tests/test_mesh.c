// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Meshes: vertex classes by each rule, health against counts made by hand, and refused input.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/brute.h"
#include "support/world.h"

static abut_context* context_make(void) {
    abut_context* context = NULL;
    REQUIRE_OK(abut_context_create(NULL, &context, NULL));
    return context;
}

static abut_mesh* mesh_of(abut_context* context, const abut_mesh_def* def) {
    abut_mesh* mesh = NULL;
    abut_error error = {0};
    if (abut_mesh_create(context, def, &mesh, &error) != ABUT_OK) {
        print_error("%s; %s\n", error.message, where_text());
        fail();
    }
    return mesh;
}

// ---- classes

static void test_computed_classes(void** state) {
    (void)state;
    abut_context* context = context_make();
    for (uint64_t seed = 1; seed <= effort(10, 50, 500); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        surface s = surface_soup(&random, 1 + random_below(&random, 400), 1, 1, 0.5);
        for (size_t i = 0; i < 3 * (size_t)s.vertex_count; ++i) {  // as many -0 as +0
            s.xyz[i] = s.xyz[i] == 0 && random_chance(&random, 0.5) ? -0.0 : s.xyz[i];
        }
        uint32_t* wanted = test_alloc(s.vertex_count, sizeof *wanted);
        float* floats = test_alloc(3 * (size_t)s.vertex_count, sizeof *floats);
        brute_classes(s.xyz, s.vertex_count, wanted);
        for (size_t i = 0; i < 3 * (size_t)s.vertex_count; ++i) {
            floats[i] = (float)s.xyz[i];
        }
        for (int is_float = 0; is_float < 2; ++is_float) {
            abut_mesh_def def = surface_mesh_def(&s);
            if (is_float != 0) {
                def.positions = abut_positions_f32(floats, s.vertex_count);
            }
            abut_mesh* mesh = mesh_of(context, &def);
            REQUIRE(memcmp(abut_mesh_classes(mesh), wanted, s.vertex_count * sizeof *wanted) == 0);
            abut_mesh_destroy(mesh);
        }
        free(wanted);
        free(floats);
        surface_free(&s);
    }
    abut_context_destroy(context);
}

// almost equal is different
static void test_computed_classes_are_exact(void** state) {
    (void)state;
    where("nearly equal");
    abut_context* context = context_make();
    surface s = surface_make(6, 2);
    for (uint32_t v = 0; v < 6; ++v) {
        s.xyz[3 * v] = v % 3 == 0 ? 1 : 0;
        s.xyz[3 * v + 1] = v % 3 == 1 ? 1 : 0;
        s.triangles[v] = v;
    }
    s.xyz[9] = nextafter(1, 2);
    s.xyz[12] = 5e-324;
    abut_mesh_def def = surface_mesh_def(&s);
    abut_mesh* mesh = mesh_of(context, &def);
    static const uint32_t wanted[6] = {0, 1, 2, 3, 4, 2};
    REQUIRE(memcmp(abut_mesh_classes(mesh), wanted, sizeof wanted) == 0);
    abut_mesh_destroy(mesh);
    surface_free(&s);
    abut_context_destroy(context);
}

static void test_given_classes_and_none(void** state) {
    (void)state;
    where("given");
    abut_context* context = context_make();
    surface s = surface_sheet(1, 1, 1);
    memset(s.xyz, 0, 12 * sizeof(double));  // all in one place: only the rule decides
    static const uint32_t given[4] = {UINT32_MAX, 7, UINT32_MAX, 0};
    static const uint32_t wanted[3][4] = {{0, 0, 0, 0}, {0, 1, 0, 3}, {0, 1, 2, 3}};
    for (int rule = 0; rule < 3; ++rule) {
        abut_mesh_def def = surface_mesh_def(&s);
        def.class_rule = (abut_class_rule)rule;
        def.classes = given;
        abut_mesh* mesh = mesh_of(context, &def);
        REQUIRE(memcmp(abut_mesh_classes(mesh), wanted[rule], sizeof wanted[rule]) == 0);
        abut_mesh_destroy(mesh);
    }
    surface_free(&s);
    abut_context_destroy(context);
}

// the mesh has the given data in the given type
static void test_copies(void** state) {
    (void)state;
    where("copies");
    abut_context* context = context_make();
    const float padded[16] = {0, 0, 0, 9, 1, 0, 0, 9, 0, 1, 0, 9, -0.0f, 0, 1, 9};
    uint32_t triangles[6] = {0, 1, 2, 3, 2, 1};
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = (abut_positions){padded, 4, 4 * sizeof(float), ABUT_SCALAR_F32};
    def.triangles = triangles;
    def.triangle_count = 2;
    abut_mesh* mesh = mesh_of(context, &def);
    memset(triangles, 0, sizeof triangles);
    static const uint32_t wanted[6] = {0, 1, 2, 3, 2, 1};
    REQUIRE(abut_mesh_vertex_count(mesh) == 4 && abut_mesh_triangle_count(mesh) == 2);
    REQUIRE(memcmp(abut_mesh_triangles(mesh), wanted, sizeof wanted) == 0);
    const abut_positions rest = abut_mesh_rest_positions(mesh);
    REQUIRE(rest.type == ABUT_SCALAR_F32 && rest.count == 4);
    for (int v = 0; v < 4; ++v) {
        REQUIRE(memcmp((const float*)rest.data + 3 * v, padded + 4 * v, 3 * sizeof(float)) == 0);
    }
    abut_mesh_destroy(mesh);
    abut_context_destroy(context);
}

// ---- health

static abut_mesh_info health_of(abut_context* context, const surface* s) {
    abut_mesh_def def = surface_mesh_def(s);
    abut_mesh* mesh = mesh_of(context, &def);
    abut_mesh_info health;
    REQUIRE_OK(abut_mesh_inspect(mesh, &health, NULL));
    abut_mesh_destroy(mesh);
    return health;
}

static void check_health(const abut_mesh_info* got, const abut_mesh_info* wanted) {
    REQUIRE(got->vertices == wanted->vertices);
    REQUIRE(got->triangles == wanted->triangles);
    REQUIRE(got->classes == wanted->classes);
    REQUIRE(got->unreferenced_vertices == wanted->unreferenced_vertices);
    REQUIRE(got->degenerate_triangles == wanted->degenerate_triangles);
    REQUIRE(got->duplicate_triangles == wanted->duplicate_triangles);
    REQUIRE(got->components == wanted->components);
    REQUIRE(got->boundary_edges == wanted->boundary_edges);
    REQUIRE(got->nonmanifold_edges == wanted->nonmanifold_edges);
    REQUIRE(got->inconsistent_edges == wanted->inconsistent_edges);
}

static void check_surface(const surface* s, abut_mesh_info wanted, const char* name) {
    where("%s", name);
    abut_context* context = context_make();
    wanted.vertices = s->vertex_count;
    wanted.triangles = s->triangle_count;
    const abut_mesh_info got = health_of(context, s);
    check_health(&got, &wanted);
    abut_context_destroy(context);
}

// a strip of n quads that closes on itself; half a twist turns it into a Moebius strip
static surface closed_strip(uint32_t n, bool twisted) {
    surface s = surface_make(2 * n, 2 * n);
    const double pi = acos(-1.0);
    for (uint32_t i = 0; i < n; ++i) {
        const double turn = 2 * pi * i / n;
        const double lean = twisted ? pi * i / n : 0;
        for (uint32_t side = 0; side < 2; ++side) {
            const double out = (side == 0 ? -0.3 : 0.3) * cos(lean);
            double* p = s.xyz + 3 * (size_t)(2 * i + side);
            p[0] = (1 + out) * cos(turn);
            p[1] = (1 + out) * sin(turn);
            p[2] = (side == 0 ? -0.3 : 0.3) * sin(lean);
        }
        const uint32_t a = 2 * i;
        const bool last = i + 1 == n;
        const uint32_t c = last ? (twisted ? 1 : 0) : a + 2;
        const uint32_t d = last ? (twisted ? 0 : 1) : a + 3;
        const uint32_t t[6] = {a, a + 1, d, a, d, c};
        memcpy(s.triangles + 6 * (size_t)i, t, sizeof t);
    }
    return s;
}

// n x m quads, closed in both directions
static surface torus(uint32_t n, uint32_t m) {
    surface s = surface_make(n * m, 2 * n * m);
    const double pi = acos(-1.0);
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t k = 0; k < m; ++k) {
            const double u = 2 * pi * i / n;
            const double v = 2 * pi * k / m;
            double* p = s.xyz + 3 * (size_t)(i * m + k);
            p[0] = (2 + cos(v)) * cos(u);
            p[1] = (2 + cos(v)) * sin(u);
            p[2] = sin(v);
            const uint32_t a = i * m + k;
            const uint32_t b = (i + 1) % n * m + k;
            const uint32_t c = i * m + (k + 1) % m;
            const uint32_t d = (i + 1) % n * m + (k + 1) % m;
            const uint32_t t[6] = {a, b, d, a, d, c};
            memcpy(s.triangles + 6 * (size_t)(i * m + k), t, sizeof t);
        }
    }
    return s;
}

static void test_health_of_known_surfaces(void** state) {
    (void)state;
    surface s = surface_sheet(5, 3, 1);
    check_surface(&s, (abut_mesh_info){.classes = 24, .components = 1, .boundary_edges = 16},
                  "an open sheet");
    surface far = surface_sheet(2, 2, 1);
    surface_shift(&far, 5, 5, 5);
    surface two = surface_join(&s, &far);
    check_surface(&two, (abut_mesh_info){.classes = 33, .components = 2, .boundary_edges = 24},
                  "two sheets");
    surface_free(&s);
    surface_free(&far);
    surface_free(&two);

    s = torus(9, 7);
    check_surface(&s, (abut_mesh_info){.classes = 63, .components = 1}, "a torus");
    surface_free(&s);
    s = surface_ball(7, 9, 1);
    check_surface(&s, (abut_mesh_info){.classes = 56, .components = 1}, "a ball");
    // one triangle with the wrong orientation disagrees with its three neighbours
    const uint32_t swapped = s.triangles[0];
    s.triangles[0] = s.triangles[1];
    s.triangles[1] = swapped;
    check_surface(&s, (abut_mesh_info){.classes = 56, .components = 1, .inconsistent_edges = 3},
                  "a ball with one triangle inverted");
    surface_free(&s);

    s = closed_strip(12, false);
    check_surface(&s, (abut_mesh_info){.classes = 24, .components = 1, .boundary_edges = 24},
                  "a ring");
    surface_free(&s);
    s = closed_strip(12, true);
    check_surface(&s,
                  (abut_mesh_info){.classes = 24,
                                   .components = 1,
                                   .boundary_edges = 24,
                                   .inconsistent_edges = 1},
                  "a Moebius strip");
    surface_free(&s);
}

// the same ball as a soup: seams count as joined
static void test_health_of_a_soup(void** state) {
    (void)state;
    surface ball = surface_ball(7, 9, 1);
    surface s = surface_make(3 * ball.triangle_count, ball.triangle_count);
    for (uint32_t i = 0; i < 3 * ball.triangle_count; ++i) {
        memcpy(s.xyz + 3 * (size_t)i, ball.xyz + 3 * (size_t)ball.triangles[i], 3 * sizeof(double));
        s.triangles[i] = i;
    }
    check_surface(&s, (abut_mesh_info){.classes = 56, .components = 1}, "a ball of seams");
    surface_free(&ball);
    surface_free(&s);
}

// `s` must have as many triangles as `list` has triples
static void check_list(uint32_t vertices, const uint32_t* list, uint32_t count,
                       abut_mesh_info wanted, const char* name) {
    surface s = surface_make(vertices, count);
    test_random random = random_seed(vertices);
    for (size_t i = 0; i < 3 * (size_t)vertices; ++i) {
        s.xyz[i] = random_unit(&random);  // no three on a line
    }
    memcpy(s.triangles, list, 3 * sizeof(uint32_t) * (size_t)count);
    check_surface(&s, wanted, name);
    surface_free(&s);
}

static void test_health_of_defective_meshes(void** state) {
    (void)state;
    static const uint32_t book[] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    check_list(5, book, 3,
               (abut_mesh_info){
                   .classes = 5, .components = 1, .boundary_edges = 6, .nonmanifold_edges = 1},
               "three pages at one edge");
    static const uint32_t twice[] = {0, 1, 2, 2, 0, 1, 1, 0, 2, 3, 4, 5};
    check_list(6, twice, 4,
               (abut_mesh_info){.classes = 6,
                                .duplicate_triangles = 2,
                                .components = 2,
                                .boundary_edges = 3,
                                .nonmanifold_edges = 3},
               "one triangle three times");
    // triangles that share some of their classes, and one duplicate that shares all
    static const uint32_t alike[] = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3, 3, 1, 0};
    check_list(4, alike, 5,
               (abut_mesh_info){.classes = 4,
                                .duplicate_triangles = 1,
                                .components = 1,
                                .nonmanifold_edges = 3,
                                .inconsistent_edges = 2},
               "a tetrahedron and one face more");
    static const uint32_t unused[] = {1, 3, 5};
    check_list(8, unused, 1,
               (abut_mesh_info){
                   .classes = 3, .unreferenced_vertices = 5, .components = 1, .boundary_edges = 3},
               "unused vertices");
    static const uint32_t corner[] = {0, 1, 2, 2, 3, 4};
    check_list(5, corner, 2, (abut_mesh_info){.classes = 5, .components = 1, .boundary_edges = 6},
               "joined at a corner");
}

// how often triangles use the edge between two vertices, from the first to the second; a triangle that
// has it in both directions has two distinct corners, and uses it in the first of them
static uint32_t uses_of(const surface* s, uint32_t from, uint32_t to) {
    uint32_t uses = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        for (uint32_t c = 0; c < 3; ++c) {
            const uint32_t x = s->triangles[3 * t + c];
            const uint32_t y = s->triangles[3 * t + (c + 1) % 3];
            if ((x == from && y == to) || (x == to && y == from)) {
                uses += x == from;
                break;
            }
        }
    }
    return uses;
}

static int count_corners(const uint32_t t[3], uint32_t v) {
    return (t[0] == v) + (t[1] == v) + (t[2] == v);
}

static bool has_same_corners(const uint32_t a[3], const uint32_t b[3]) {
    return count_corners(a, a[0]) == count_corners(b, a[0]) &&
           count_corners(a, a[1]) == count_corners(b, a[1]) &&
           count_corners(a, a[2]) == count_corners(b, a[2]);
}

// few vertices and many triangles, so that all kinds of edges, duplicates and collapsed triangles occur: edges counted
// pair by pair, duplicates as triangles that have an equal one before them
static void test_health_of_random_meshes(void** state) {
    (void)state;
    abut_context* context = context_make();
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        const uint32_t vertices = 3 + random_below(&random, 40);
        surface s = surface_make(vertices, 1 + random_below(&random, 120));
        for (uint32_t i = 0; i < 3 * vertices; ++i) {
            s.xyz[i] = random_unit(&random);
        }
        for (uint32_t t = 0; t < s.triangle_count; ++t) {
            uint32_t* k = s.triangles + 3 * t;
            k[0] = random_below(&random, vertices);
            k[1] = random_below(&random, vertices);
            k[2] = random_below(&random, vertices);
        }
        abut_mesh_info wanted = {0};
        for (uint32_t v = 0; v < vertices; ++v) {
            for (uint32_t w = v + 1; w < vertices; ++w) {
                const uint32_t forward = uses_of(&s, v, w);
                const uint32_t both = forward + uses_of(&s, w, v);
                wanted.boundary_edges += both == 1;
                wanted.nonmanifold_edges += both > 2;
                wanted.inconsistent_edges += both == 2 && forward != 1;
            }
        }
        for (uint32_t t = 1; t < s.triangle_count; ++t) {
            bool again = false;
            for (uint32_t u = 0; u < t; ++u) {
                again = again || has_same_corners(s.triangles + 3 * t, s.triangles + 3 * u);
            }
            wanted.duplicate_triangles += again;
        }
        const abut_mesh_info got = health_of(context, &s);
        REQUIRE(got.boundary_edges == wanted.boundary_edges);
        REQUIRE(got.nonmanifold_edges == wanted.nonmanifold_edges);
        REQUIRE(got.inconsistent_edges == wanted.inconsistent_edges);
        REQUIRE(got.duplicate_triangles == wanted.duplicate_triangles);
        surface_free(&s);
    }
    abut_context_destroy(context);
}

// triangles with an area of exactly zero at any scale, and others with almost none
static void test_degenerate_triangles(void** state) {
    (void)state;
    abut_context* context = context_make();
    static const struct {
        double p[9];
        uint32_t wanted;
    } cases[] = {
        {{0, 0, 0, 1, 1, 1, 2, 2, 2}, 1},
        {{0, 0, 0, 1, 1, 1, 2, 2, 2.0000000000000004}, 0},
        {{0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.3, 0.3, 0.3}, 1},
        {{1, 2, 3, 1, 2, 3, 4, 5, 6}, 1},
        {{1, 2, 3, 1, 2, 3, 1, 2, 3}, 1},
        {{0, 0, 0, 5e-324, 0, 0, 0, 5e-324, 0}, 0},
        {{0, 0, 0, 1e308, 0, 0, -1e308, 0, 0}, 1},
        {{0, 0, 0, 1e308, 0, 0, -1e308, 5e-324, 0}, 0},
        {{1e-300, 0, 0, 0, 1e-300, 0, 0, 0, 1e-300}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        where("case %zu", i);
        surface s = surface_make(3, 1);
        memcpy(s.xyz, cases[i].p, sizeof cases[i].p);
        s.triangles[1] = 1;
        s.triangles[2] = 2;
        const abut_mesh_info got = health_of(context, &s);
        REQUIRE(got.degenerate_triangles == cases[i].wanted);
        for (int d = 0; d < 3; ++d) {
            const double* p = cases[i].p + d;
            REQUIRE(got.box.lo[d] == fmin(fmin(p[0], p[3]), p[6]));
            REQUIRE(got.box.hi[d] == fmax(fmax(p[0], p[3]), p[6]));
        }
        surface_free(&s);
    }
    abut_context_destroy(context);
}

// a triangle that uses a vertex twice has one edge and is its only user
static void test_collapsed_triangle(void** state) {
    (void)state;
    static const uint32_t collapsed[] = {0, 0, 1};
    check_list(2, collapsed, 1,
               (abut_mesh_info){
                   .classes = 2, .degenerate_triangles = 1, .components = 1, .boundary_edges = 1},
               "a triangle of two corners");
}

// the box contains the used vertices, and health counts the living triangles only
static void test_health_after_edits(void** state) {
    (void)state;
    where("after edits");
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(4, 4, 4);
    abut_shape* shape = world_shape(&w, &s, NULL);
    const uint32_t gone[2] = {30, 31};  // the last quad, at the far corner
    motion_edit_def edit = motion_edit_def_default();
    edit.removed_triangles = gone;
    edit.removed_triangle_count = 2;
    abut_shape* edited = NULL;
    REQUIRE_OK(motion_edit(shape, &edit, &edited, NULL, NULL));
    abut_mesh_info got;
    REQUIRE_OK(abut_mesh_inspect(abut_shape_mesh(edited), &got, NULL));
    const abut_mesh_info wanted = {.vertices = 25,
                                   .triangles = 30,
                                   .classes = 24,
                                   .unreferenced_vertices = 1,
                                   .components = 1,
                                   .boundary_edges = 16};
    check_health(&got, &wanted);
    REQUIRE(got.box.hi[0] == 4 && got.box.hi[1] == 4 && got.box.lo[0] == 0);
    abut_shape_destroy(edited);
    abut_shape_destroy(shape);
    surface_free(&s);
    world_free(&w);
}

// ---- refused input

static void refuse(abut_context* context, const abut_mesh_def* def, abut_status status,
                   abut_element element, uint64_t index, const char* what) {
    where("%s", what);
    abut_mesh* mesh = NULL;
    abut_error error = {0};
    REQUIRE_STATUS(abut_mesh_create(context, def, &mesh, &error), status);
    assert_null(mesh);
    REQUIRE(error.status == status && error.element == element && error.message[0] != '\0');
    REQUIRE(element == ABUT_ELEMENT_NONE || error.index == index);
    REQUIRE_STATUS(abut_mesh_create(context, def, &mesh, NULL), status);
}

static void test_refused_meshes(void** state) {
    (void)state;
    abut_context* context = context_make();
    surface s = surface_sheet(3, 3, 3);
    const abut_mesh_def fine = surface_mesh_def(&s);
    const abut_status argument = ABUT_ERR_INVALID_ARGUMENT;
    abut_mesh_def def = fine;
    def.triangle_count = 0;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "no triangles");
    def = fine;
    def.triangles = NULL;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "NULL triangles");
    def = fine;
    def.positions.count = 0;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "no vertices");
    def = fine;
    def.positions.data = NULL;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "NULL positions");
    def = fine;
    def.positions.stride = 23;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "an odd stride");
    def.positions.stride = 16;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "a short stride");
    def = fine;
    def.positions.data = (const char*)s.xyz + 4;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "positions that are not aligned");
    def = fine;
    def.positions.type = (abut_scalar)9;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "an unknown type");
    def = fine;
    def.class_rule = ABUT_CLASS_RULE_GIVEN;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "classes that are not given");
    def.class_rule = (abut_class_rule)-1;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "an unknown class rule");
    def = fine;
    def.cookie = 0;
    refuse(context, &def, argument, ABUT_ELEMENT_NONE, 0, "no cookie");
    def = fine;
    def.triangle_count = (size_t)1 << 30;
    refuse(context, &def, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0, "too many triangles");
    def = fine;
    def.positions.count = (size_t)1 << 30;
    refuse(context, &def, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0, "too many vertices");
    s.triangles[3 * 7 + 1] = 16;
    refuse(context, &fine, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, 7, "no such vertex");
    s.triangles[3 * 7 + 1] = UINT32_MAX;
    refuse(context, &fine, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, 7, "no such vertex");
    s.triangles[3 * 7 + 1] = 0;
    static const double strange[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; ++i) {
        s.xyz[3 * 11 + i] = strange[i];
        refuse(context, &fine, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 11, "not finite");
        s.xyz[3 * 11 + i] = 0;
    }
    s.xyz[3] = DBL_MAX;
    abut_mesh* mesh = mesh_of(context, &fine);  // finite coordinates are fine
    REQUIRE_STATUS(abut_mesh_inspect(mesh, NULL, NULL), argument);
    REQUIRE_STATUS(abut_mesh_create(NULL, &fine, &mesh, NULL), argument);
    REQUIRE_STATUS(abut_mesh_create(context, NULL, &mesh, NULL), argument);
    REQUIRE_STATUS(abut_mesh_create(context, &fine, NULL, NULL), argument);
    abut_mesh_destroy(mesh);
    abut_mesh_destroy(NULL);
    surface_free(&s);
    abut_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_computed_classes),
        cmocka_unit_test(test_computed_classes_are_exact),
        cmocka_unit_test(test_given_classes_and_none),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_health_of_known_surfaces),
        cmocka_unit_test(test_health_of_a_soup),
        cmocka_unit_test(test_health_of_defective_meshes),
        cmocka_unit_test(test_health_of_random_meshes),
        cmocka_unit_test(test_degenerate_triangles),
        cmocka_unit_test(test_collapsed_triangle),
        cmocka_unit_test(test_health_after_edits),
        cmocka_unit_test(test_refused_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
