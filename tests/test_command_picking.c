// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut demo picking: in every frame the picked triangle is that of an exact test of all triangles, the
// report of the work is right, and the page shows the ray and the figures.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

#include <math.h>

#include "scenes/parade.h"
#include "support/folder.h"
#include "support/rays.h"

// the crowd of the demo, made by public calls
typedef struct crowd {
    parade p;
    abut_context* context;
    abut_scene* scene;
    abut_body_id* id;
} crowd;

static void crowd_make(crowd* c, const parade_def* def) {
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    REQUIRE(parade_begin(&c->p, def));
    const scene_body* b = c->p.figure;
    abut_mesh_def meshing = abut_mesh_def_default();
    meshing.positions = abut_positions_f64(b->rest, b->vertex_count);
    meshing.triangles = b->triangles;
    meshing.triangle_count = b->triangle_count;
    abut_field fields[8];
    for (uint32_t j = 0; j < b->field_count; ++j) {
        const float* values = b->fields + 3 * (size_t)b->vertex_count * j;
        fields[j] = (abut_field){.values = abut_positions_f32(values, b->vertex_count)};
    }
    abut_blend_def blend = abut_blend_def_default();
    blend.weights = (abut_weights){.node_count = b->node_count,
                                   .first = b->weight_first,
                                   .nodes = b->weight_nodes,
                                   .values = b->weights,
                                   .type = ABUT_SCALAR_F32};
    blend.fields = fields;
    blend.field_count = b->field_count;
    REQUIRE_OK(abut_context_create(NULL, &c->context, NULL));
    REQUIRE_OK(abut_mesh_create(c->context, &meshing, &mesh, NULL));
    REQUIRE_OK(abut_shape_create_blend(c->context, mesh, &blend, &shape, NULL));
    REQUIRE_OK(abut_scene_create(c->context, NULL, &c->scene, NULL));
    c->id = test_alloc(c->p.def.figures, sizeof *c->id);
    for (uint32_t i = 0; i < c->p.def.figures; ++i) {
        REQUIRE_OK(abut_body_create(c->scene, shape, NULL, &c->id[i], NULL));
    }
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
}

static void crowd_free(crowd* c) {
    abut_scene_destroy(c->scene);
    abut_context_destroy(c->context);
    parade_end(&c->p);
    free(c->id);
}

static void crowd_pose(const crowd* c, uint32_t frame) {
    double q[8];
    double transforms[12 * PARADE_NODES];
    const scene_body* b = c->p.figure;
    assert_int_equal(b->node_count, PARADE_NODES);
    for (uint32_t i = 0; i < c->p.def.figures; ++i) {
        abut_frame place = abut_frame_identity();
        parade_pose(&c->p, i, frame, q, transforms, place.t);
        REQUIRE_OK(abut_body_set_frame(c->scene, c->id[i], &place, NULL));
        REQUIRE_OK(abut_body_set_transforms(c->scene, c->id[i],
                                            abut_transforms_f64(transforms, PARADE_NODES), q,
                                            b->field_count, NULL));
    }
}

// compares one frame of the JSON with the exact answer; returns whether there is a hit
static bool check_frame(const crowd* c, uint32_t frame, const char* row) {
    ray_case ray = {.tmax = (double)INFINITY};
    double through[3];
    parade_ray(&c->p, frame, ray.o, through);
    for (int d = 0; d < 3; ++d) {
        ray.d[d] = through[d] - ray.o[d];
    }
    ray_list all = rays_all(c->scene, NULL, &ray, NULL);
    const char* hit = json_at(row, "hit");
    REQUIRE((all.count > 0) == (*hit == '{'));
    const bool met = all.count > 0;
    if (met) {
        const double t = mpq_get_d(all.all[0].t);
        REQUIRE(c->id[(size_t)json_number(hit, "figure")].index == all.all[0].body);
        REQUIRE(json_number(hit, "triangle") == all.all[0].triangle);
        REQUIRE(fabs(json_number(hit, "t") - t) <= 0x1p-39 * fabs(t));
        for (int d = 0; d < 3; ++d) {
            char path[16];
            snprintf(path, sizeof path, "point %d", d);
            REQUIRE(fabs(json_number(hit, path) - (ray.o[d] + t * ray.d[d])) < 1e-6);
        }
        REQUIRE(json_number(row, "figures") >= 1);
        REQUIRE(json_number(row, "blocks") >= 1);
    }
    rays_free(&all);
    return met;
}

static void test_picks_are_the_first_triangles(void** state) {
    (void)state;
    uint32_t met = 0;
    for (uint32_t seed = 1; seed <= effort(1, 2, 6); ++seed) {
        const parade_def def = {.figures = 9, .triangles = 700, .frames = 8, .seed = seed};
        char line[160];
        crowd c = {0};
        crowd_make(&c, &def);
        snprintf(line, sizeof line,
                 "demo picking --bodies 9 --triangles 700 --frames 8 --seed %u --json -", seed);
        outcome o = run_expecting(line, 0);
        const char* frames = json_at(json_root(o.out), "frames");
        assert_int_equal(json_size(frames), 8);
        for (uint32_t f = 0; f < 8; ++f) {
            where("seed %u, frame %u", seed, f);
            crowd_pose(&c, f);
            met += check_frame(&c, f, json_entry(frames, f, NULL));
        }
        const char* summary = json_at(json_root(o.out), "summary");
        REQUIRE(json_number(summary, "compared") >= 4 && json_number(summary, "wrong") == 0);
        free_outcome(&o);
        crowd_free(&c);
    }
    assert_true(met > 3);  // otherwise little was compared
}

// how much was evaluated, of how much
static void test_work_is_small(void** state) {
    (void)state;
    const char* line = "demo picking --bodies 60 --triangles 1500 --frames 12 --json -";
    outcome o = run_expecting(line, 0);
    const char* root = json_root(o.out);
    const double vertices = json_number(root, "vertices");
    const double blocks = json_number(root, "blocks");
    double moved = 0;
    double opened = 0;
    for (size_t f = 0; f < 12; ++f) {
        const char* row = json_entry(json_at(root, "frames"), f, NULL);
        REQUIRE(json_number(row, "figures") <= 60);
        // a block that was opened has vertices that were moved
        REQUIRE((json_number(row, "blocks") > 0) == (json_number(row, "vertices") > 0));
        moved += json_number(row, "vertices") / 12;
        opened += json_number(row, "blocks") / 12;
    }
    REQUIRE(moved > 0 && moved < vertices / 100);
    REQUIRE(opened > 0 && opened < blocks / 100);
    free_outcome(&o);
}

static void test_text_and_page(void** state) {
    (void)state;
    assert_prints("demo picking --bodies 6 --triangles 700 --frames 4", 0,
                  "6 figures of |picked figure|A pick tested triangles of |the same triangle came "
                  "first");
    assert_prints("demo picking --bodies 6 --triangles 700 --frames 4 --html page.html", 0,
                  "page.html");
    char* page = read_whole("page.html");
    assert_true(strlen(page) > 10000);
    assert_non_null(strstr(page, "figure 5"));
    assert_non_null(strstr(page, "\"ray\""));
    free(page);
    assert_prints("demo --list", 0, "picking  |A ray moves over a crowd");
}

static void test_wrong_options(void** state) {
    (void)state;
    assert_refuses("demo picking --self", "--self is not for the scene 'picking'");
    assert_refuses("demo picking --snapshot x.ply", "--snapshot is not for the scene 'picking'");
    assert_refuses("demo pickin", "did you mean 'picking'?");
    assert_refuses("demo fish --bodies 3", "--bodies is only for the scenes 'chairs', 'shoal' and");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picks_are_the_first_triangles),
        cmocka_unit_test(test_work_is_small),
        cmocka_unit_test(test_text_and_page),
        cmocka_unit_test(test_wrong_options),
    };
    return cmocka_run_group_tests(tests, enter_current_folder, leave_current_folder);
}
