// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Blend bodies in practice: the poses of a skinned cylinder with published meshes, a chain of bones
// bent by hand, and every frame of the scenes that follow nodes, against free bodies with the same
// positions.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "io/mesh_file.h"
#include "scenes/scenes.h"
#include "support/skin.h"

// ---- a cylinder with four bones

#define CYLINDER ABUT_SHARED_DATA "/skinned/cylinder"
#define BONES 4u

static double* read_numbers(const char* path, size_t count) {
    FILE* file = fopen(path, "r");
    double* numbers = test_alloc(count, sizeof *numbers);
    assert_non_null(file);
    for (size_t i = 0; i < count; ++i) {
        char text[64];
        char* end = text;
        assert_int_equal(fscanf(file, "%63s", text), 1);
        numbers[i] = strtod(text, &end);
        assert_true(end > text && *end == '\0');
    }
    (void)fclose(file);
    return numbers;
}

// T_j in the file has four rows of three, for row vectors [x y z 1]
static void read_bones(const char* path, double (*t)[12]) {
    double* numbers = read_numbers(path, (size_t)12 * BONES);
    for (uint32_t j = 0; j < BONES; ++j) {
        for (uint32_t e = 0; e < 12; ++e) {
            t[j][e] = numbers[12 * j + 3 * (e % 4) + e / 4];
        }
    }
    free(numbers);
}

static void check_pose(const world* w, abut_body_id body, const char* path) {
    io_mesh posed;
    assert_true(io_read_mesh(path, &posed, NULL));
    double worst = 0;
    for (uint32_t v = 0; v < posed.vertex_count; ++v) {
        double p[3];
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, p, NULL));
        for (size_t d = 0; d < 3; ++d) {
            worst = fmax(worst, fabs(p[d] - posed.positions[3 * (size_t)v + d]));
        }
    }
    REQUIRE(worst < 1e-5);
    io_mesh_free(&posed);
}

static void test_cylinder(void** state) {
    (void)state;
    struct stat info;
    if (stat(CYLINDER, &info) != 0) {
        print_message("skipped: there is no folder %s\n", CYLINDER);
        skip();
    }
    io_mesh rest;
    assert_true(io_read_mesh(CYLINDER "/rest.obj", &rest, NULL));
    const uint32_t vertices = (uint32_t)rest.vertex_count;
    const surface s = {vertices, (uint32_t)rest.triangle_count, rest.positions, rest.triangles};
    double* numbers = read_numbers(CYLINDER "/weights.DMAT", 2 + (size_t)BONES * vertices);
    assert_true(numbers[0] == BONES && numbers[1] == vertices);
    uint32_t* nodes = test_alloc((size_t)BONES * vertices, sizeof *nodes);
    double* values = test_alloc((size_t)BONES * vertices, sizeof *values);
    for (uint32_t v = 0; v < vertices; ++v) {
        for (uint32_t j = 0; j < BONES; ++j) {
            nodes[BONES * v + j] = j;
            values[BONES * v + j] = numbers[2 + (size_t)j * vertices + v];
        }
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_BLEND;
    def.weights = (abut_weights){BONES, NULL, BONES, nodes, values, ABUT_SCALAR_F64, false};
    world w = world_make(NULL, NULL);
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    for (int pose = 0; pose < 8; ++pose) {
        char path[512];
        double t[BONES][12];
        where("pose %d", pose);
        (void)snprintf(path, sizeof path, CYLINDER "/poses/poses-%d_cylinder-%d.Tmat", 1 + pose / 4,
                       1 + pose % 4);
        read_bones(path, t);
        set_transforms(&w, body, t, BONES, NULL, 0);
        memcpy(strrchr(path, '.'), ".obj", 5);
        check_pose(&w, body, path);
        world_validate(&w, body);
        (void)check_self(&w, body, NULL);
    }
    world_free(&w);
    free(values);
    free(nodes);
    free(numbers);
    io_mesh_free(&rest);
}

// ---- a chain bent by hand

// A tube along x of unit bones, each vertex between two of them. Bone j turns by j times an angle
// about z, at the end of the bone before. Vertices with the whole weight on one bone are on circles
// with a closed form.
static void test_bent_chain(void** state) {
    (void)state;
    enum { LINKS = 6 };
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(LINKS * 4, 6, LINKS);
    uint32_t* nodes = test_alloc(2 * (size_t)s.vertex_count, sizeof *nodes);
    float* values = test_alloc(2 * (size_t)s.vertex_count, sizeof *values);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        double* p = s.xyz + 3 * (size_t)v;
        const double turn = p[1] * (2 * 3.14159265358979 / LINKS);
        const uint32_t link = (uint32_t)fmin(LINKS - 1, p[0]);
        const double along = p[0] - link;
        p[1] = 0.2 * cos(turn);
        p[2] = 0.2 * sin(turn);
        nodes[2 * v] = link;
        nodes[2 * v + 1] = link + 1 < LINKS ? link + 1 : link;
        values[2 * v] = along <= 0.5 ? 1 : (float)(1.5 - along);
        values[2 * v + 1] = 1 - values[2 * v];
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_BLEND;
    def.weights = (abut_weights){LINKS, NULL, 2, nodes, values, ABUT_SCALAR_F32, false};
    def.block_triangles = 12;
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    size_t hits = 0;
    for (int step = 0; step <= 12; ++step) {
        where("step %d", step);
        const double angle = 0.15 * step;
        double t[LINKS][12];
        double start[2] = {0, 0};
        for (uint32_t j = 0; j < LINKS; ++j) {
            const double c = cos(j * angle);
            const double n = sin(j * angle);
            const double rows[12] = {c, -n, 0, start[0] - c * j, n, c, 0, start[1] - n * j, 0,
                                     0, 1,  0};
            memcpy(t[j], rows, sizeof rows);
            start[0] += c;
            start[1] += n;
        }
        set_transforms(&w, body, t, LINKS, NULL, 0);
        world_validate(&w, body);
        hits += check_self(&w, body, NULL);
        start[0] = start[1] = 0;
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            const double* p = s.xyz + 3 * (size_t)v;
            const uint32_t link = (uint32_t)fmin(LINKS - 1, p[0]);
            double got[3];
            REQUIRE_OK(abut_body_vertex(w.scene, body, v, got, NULL));
            double x = 0;
            double y = 0;
            for (uint32_t j = 0; j < link; ++j) {
                x += cos(j * angle);
                y += sin(j * angle);
            }
            x += (p[0] - link) * cos(link * angle) - p[1] * sin(link * angle);
            y += (p[0] - link) * sin(link * angle) + p[1] * cos(link * angle);
            REQUIRE(values[2 * v] < 1 ||
                    fabs(got[0] - x) + fabs(got[1] - y) + fabs(got[2] - p[2]) < 1e-12);
        }
    }
    assert_true(hits > 0);
    free(values);
    free(nodes);
    surface_free(&s);
    world_free(&w);
}

// ---- scenes

#define BODIES_MOST 64

typedef struct play {
    scene* source;
    world blended;
    world fed;
    uint32_t count;
    abut_body_id a[BODIES_MOST];
    abut_body_id b[BODIES_MOST];
} play;

static play play_open(const char* name, uint32_t triangles, uint32_t frames, uint32_t nodes) {
    play p = {.source = scene_create_with(name, &(scene_options){.triangles = triangles,
                                                                 .frames = frames,
                                                                 .nodes = nodes})};
    assert_non_null(p.source);
    p.blended = world_make(NULL, NULL);
    p.fed = world_make(NULL, NULL);
    p.count = scene_body_count(p.source);
    assert_true(p.count <= BODIES_MOST);
    for (uint32_t i = 0; i < p.count; ++i) {
        const scene_body* from = scene_get_body(p.source, i);
        const surface rest = {from->vertex_count, from->triangle_count, (double*)from->rest,
                              (uint32_t*)from->triangles};
        motion_def def = motion_def_default();
        field_set fields = {.count = from->field_count};
        fields.fields = test_alloc(fields.count + 1, sizeof *fields.fields);
        for (uint32_t j = 0; j < fields.count; ++j) {
            const float* values = from->fields + 3 * (size_t)j * from->vertex_count;
            fields.fields[j] = (abut_field){abut_positions_f32(values, from->vertex_count), NULL};
        }
        if (from->node_count > 0) {
            def.motion = ABUT_MOTION_BLEND;
            def.weights = (abut_weights){
                from->node_count, from->weight_first, 0,    from->weight_nodes,
                from->weights,    ABUT_SCALAR_F32,    false};
            def.fields = fields.fields;
            def.field_count = fields.count;
        }
        p.a[i] = world_add(&p.blended, &rest, from->node_count > 0 ? &def : NULL, NULL);
        p.b[i] = world_add(&p.fed, &rest, NULL, NULL);
        free(fields.fields);
    }
    return p;
}

static void play_close(play* p) {
    world_free(&p->blended);
    world_free(&p->fed);
    scene_destroy(p->source);
}

static void set_body(play* p, uint32_t i, uint32_t frame) {
    const scene_body* from = scene_get_body(p->source, i);
    double* xyz = test_alloc(3 * (size_t)from->vertex_count, sizeof *xyz);
    scene_positions(p->source, i, frame, xyz);
    const abut_positions positions = abut_positions_f64(xyz, from->vertex_count);
    REQUIRE_OK(abut_body_set_positions(p->fed.scene, p->b[i], positions, NULL));
    if (from->node_count == 0) {
        REQUIRE_OK(abut_body_set_positions(p->blended.scene, p->a[i], positions, NULL));
        free(xyz);
        return;
    }
    double(*t)[12] = test_alloc(from->node_count, sizeof *t);
    double* q = test_alloc(from->field_count + 1, sizeof *q);
    abut_frame place;
    scene_transforms(p->source, i, frame, t[0]);
    scene_coordinates(p->source, i, frame, q);
    scene_frame(p->source, i, frame, place.r, place.t);
    set_transforms(&p->blended, p->a[i], t, from->node_count, q, from->field_count);
    world_frame(&p->blended, p->a[i], place);
    world_validate(&p->blended, p->a[i]);
    for (uint32_t v = 0; v < from->vertex_count; ++v) {
        double got[3];
        REQUIRE_OK(abut_body_world_vertex(p->blended.scene, p->a[i], v, got, NULL));
        REQUIRE(memcmp(got, xyz + 3 * (size_t)v, sizeof got) == 0);
    }
    free(t);
    free(q);
    free(xyz);
}

static bool are_numbered_alike(const play* p) {
    bool alike = true;
    for (uint32_t i = 0; i < p->count; ++i) {
        alike &= p->a[i].index == p->b[i].index;
    }
    return alike;
}

// compares the results of both worlds
static size_t compare(const play* p, query_kind kind) {
    REQUIRE_OK(run_query(p->blended.scene, kind, p->a[0], p->a[0], NULL, p->blended.result));
    REQUIRE_OK(run_query(p->fed.scene, kind, p->b[0], p->b[0], NULL, p->fed.result));
    pair_list got = {0};
    pair_list wanted = {0};
    pairs_append(&got, p->blended.result);
    pairs_append(&wanted, p->fed.result);
    require_same_pairs(&got, &wanted, kind == QUERY_SELF_ALL ? "self" : "collide");
    const size_t count = got.count;
    pairs_free(&got);
    pairs_free(&wanted);
    return count;
}

// Self-contact is compared only where no vertices rest in one place: elsewhere a blend body
// distinguishes vertices that are one for the free body.
static bool has_seams(const play* p) {
    bool seams = false;
    for (uint32_t i = 0; i < p->count; ++i) {
        const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(p->blended.scene, p->a[i]));
        const uint32_t* mine = abut_mesh_classes(mesh);
        const uint32_t* other = abut_mesh_classes(
            abut_shape_mesh(abut_body_shape(p->fed.scene, p->b[i])));
        seams |= memcmp(mine, other, abut_mesh_vertex_count(mesh) * sizeof *mine) != 0;
    }
    return seams;
}

static void test_every_frame_of_blended_scenes(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t triangles;
        uint32_t frames;
        uint32_t nodes;
        bool contact;
    } scenes[] = {{"ring", 600, 10, 0, true},      {"walk", 1500, 14, 0, true},
                  {"brain", 900, 14, 0, true},     {"brain", 700, 6, 65, false},
                  {"brain", 20, 3, 1, false},      {"fishes", 700, 14, 0, true},
                  {"fishes", 1200, 4, 550, false}, {"soft_ring", 800, 8, 0, true},
                  {"soft_fishes", 400, 8, 0, true}};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        play p = play_open(scenes[i].name, scenes[i].triangles, scenes[i].frames, scenes[i].nodes);
        REQUIRE(are_numbered_alike(&p));
        REQUIRE(scene_get_body(p.source, 0)->node_count > 0 || p.count > 1);
        size_t found = 0;
        for (uint32_t f = 0; f < scene_frame_count(p.source); ++f) {
            where("scene %s of %u triangles, frame %u", scenes[i].name, scenes[i].triangles, f);
            for (uint32_t b = 0; b < p.count; ++b) {
                set_body(&p, b, f);
            }
            found += compare(&p, QUERY_COLLIDE_ALL);
            found += has_seams(&p) ? check_self_all(&p.blended, NULL) : compare(&p, QUERY_SELF_ALL);
        }
        REQUIRE(found > 0 || !scenes[i].contact);
        play_close(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cylinder),
        cmocka_unit_test(test_bent_chain),
        cmocka_unit_test(test_every_frame_of_blended_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
