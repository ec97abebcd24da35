// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut demo: the same pairs as the all-pairs oracle finds in the scene's positions, however the
// bodies move, and what it tells about the work.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

#include "scenes/scenes.h"
#include "support/world.h"

typedef struct demo_case {
    const char* name;
    uint32_t triangles;
    uint32_t frames;
    uint32_t seed;
    bool lazy;
} demo_case;

static const demo_case cases[] = {
    {"curtain", 1500, 12, 1, true}, {"chair", 300, 16, 2, true},  {"bridge", 1200, 30, 1, true},
    {"fish", 1500, 15, 1, true},    {"blobs", 1200, 6, 1, false}, {"walk", 1500, 12, 1, false},
};
enum { CASES = sizeof cases / sizeof *cases };

// every case runs twice, for all tests
static scene* scenes[CASES];
static outcome as_json[CASES];
static outcome as_text[CASES];

static outcome run_case(const demo_case* c, const char* options) {
    char text[128];
    snprintf(text, sizeof text, "demo %s --triangles %u --frames %u --seed %u %s", c->name,
             c->triangles, c->frames, c->seed, options);
    return run_expecting(text, 0);
}

static int run_cases(void** state) {
    if (enter_folder(state) != 0) {
        return 1;
    }
    for (size_t k = 0; k < CASES; ++k) {
        const demo_case* c = &cases[k];
        scenes[k] = scene_create(c->name, c->triangles, c->frames, c->seed);
        assert_non_null(scenes[k]);
        as_json[k] = run_case(c, "--json -");
        as_text[k] = run_case(c, "");
    }
    return 0;
}

static int free_cases(void** state) {
    for (size_t k = 0; k < CASES; ++k) {
        scene_destroy(scenes[k]);
        free_outcome(&as_json[k]);
        free_outcome(&as_text[k]);
    }
    return leave_folder(state);
}

// all bodies as free ones, which are given their positions
static world make_world(const scene* s, abut_body_id* ids) {
    world w = world_make(NULL, NULL);
    for (uint32_t i = 0; i < scene_body_count(s); ++i) {
        const scene_body* b = scene_get_body(s, i);
        surface copy = surface_make(b->vertex_count, b->triangle_count);
        memcpy(copy.xyz, b->rest, 3 * sizeof(double) * b->vertex_count);
        memcpy(copy.triangles, b->triangles, 3 * sizeof(uint32_t) * b->triangle_count);
        abut_body_def def = abut_body_def_default();
        def.is_static = !b->moves;
        ids[i] = world_add(&w, &copy, NULL, &def);
        surface_free(&copy);
    }
    return w;
}

static void move_all(world* w, const scene* s, const abut_body_id* ids, uint32_t frame) {
    for (uint32_t i = 0; i < scene_body_count(s); ++i) {
        double* xyz = test_alloc(3 * (size_t)scene_get_body(s, i)->vertex_count, sizeof *xyz);
        scene_positions(s, i, frame, xyz);
        world_move(w, ids[i], xyz);
        free(xyz);
    }
}

static size_t count_of(const pair_list* list, uint32_t a, uint32_t b) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; ++i) {
        count += list->pairs[i].body_a == a && list->pairs[i].body_b == b;
    }
    return count;
}

// one list of a frame ("between" or "self") against the oracle's pairs
static void compare_list(const char* list, bool within, const abut_body_id* ids,
                         const pair_list* wanted) {
    size_t total = 0;
    const char* entry;
    for (size_t i = 0; (entry = json_entry(list, i, NULL)) != NULL; ++i) {
        const uint32_t a = ids[(size_t)json_number(entry, "a")].index;
        const uint32_t b = within ? a : ids[(size_t)json_number(entry, "b")].index;
        const size_t count = (size_t)json_number(entry, "pairs");
        REQUIRE(count == count_of(wanted, a, b));
        total += count;
    }
    REQUIRE(total == wanted->count);
}

static void test_pairs_are_those_of_the_positions(void** state) {
    (void)state;
    for (size_t k = 0; k < CASES; ++k) {
        abut_body_id ids[8];
        assert_in_range(scene_body_count(scenes[k]), 1, 8);
        world w = make_world(scenes[k], ids);
        const char* frames = json_at(json_root(as_json[k].out), "frames");
        size_t found = 0;
        assert_int_equal(json_size(frames), cases[k].frames);
        for (uint32_t f = 0; f < cases[k].frames; ++f) {
            where("scene %s, frame %u", cases[k].name, f);
            const char* frame = json_entry(frames, f, NULL);
            move_all(&w, scenes[k], ids, f);
            pair_list between = oracle_collide_all(w.scene, NULL);
            pair_list self = oracle_self_all(w.scene, NULL);
            compare_list(json_at(frame, "between"), false, ids, &between);
            compare_list(json_at(frame, "self"), true, ids, &self);
            found += between.count;
            pairs_free(&between);
            pairs_free(&self);
        }
        REQUIRE(found > 0);  // or nothing was compared
        world_free(&w);
    }
}

static void test_objects_tell_their_motion(void** state) {
    (void)state;
    for (size_t k = 0; k < CASES; ++k) {
        const char* objects = json_at(json_root(as_json[k].out), "objects");
        assert_int_equal(json_size(objects), scene_body_count(scenes[k]));
        for (uint32_t i = 0; i < scene_body_count(scenes[k]); ++i) {
            const scene_body* b = scene_get_body(scenes[k], i);
            const char* object = json_entry(objects, i, NULL);
            where("scene %s, body %u", cases[k].name, i);
            assert_json_text(object, "name", b->name);
            const bool modal = b->reduced && b->node_count == 0;
            assert_json_text(object, "motion", modal ? "modal" : "free");
            REQUIRE((json_find(object, "fields") != NULL) == modal);
            REQUIRE(!modal || json_number(object, "fields") == b->field_count);
            REQUIRE(json_number(object, "vertices") == b->vertex_count);
            REQUIRE(json_number(object, "triangles") == b->triangle_count);
        }
    }
}

// 1234567 as "1,234,567"
static void put_grouped(double number, char text[32]) {
    const unsigned whole = (unsigned)number;
    if (whole < 1000) {
        snprintf(text, 32, "%u", whole);
    } else {
        snprintf(text, 32, "%u,%03u", whole / 1000, whole % 1000);
    }
}

static double sum_over_frames(size_t k, const char* counter) {
    const char* frames = json_at(json_root(as_json[k].out), "frames");
    double sum = 0;
    for (size_t f = 0; f < cases[k].frames; ++f) {
        sum += json_number(json_at(json_entry(frames, f, NULL), "work"), counter);
    }
    return sum;
}

// what the report says was left alone is what the counters in the JSON come to
static void test_report_of_laziness(void** state) {
    (void)state;
    for (size_t k = 0; k < CASES; ++k) {
        char number[3][32];
        char says[256];
        double vertices = 0;
        for (uint32_t i = 0; i < scene_body_count(scenes[k]); ++i) {
            const scene_body* b = scene_get_body(scenes[k], i);
            vertices += b->moves ? (double)b->vertex_count * cases[k].frames : 0;
        }
        const double left = vertices - sum_over_frames(k, "vertices");
        put_grouped(left > 0 ? left : 0, number[0]);
        put_grouped(sum_over_frames(k, "nodes_apart"), number[1]);
        put_grouped(sum_over_frames(k, "blocks_apart"), number[2]);
        snprintf(says, sizeof says,
                 "Nobody had to move %s vertices|blocks opened|Within surfaces, %s nodes and %s "
                 "more|vertices moved",
                 number[0], number[1], number[2]);
        if (cases[k].lazy) {
            const bool all_moved = left <= 0;
            assert_true((strstr(as_text[k].out, "Nobody had to move") == NULL) == all_moved);
            assert_says(cases[k].name, as_text[k].out, all_moved ? strchr(says, '|') + 1 : says);
        } else {
            assert_null(strstr(as_text[k].out, "Nobody had to move"));
            assert_null(strstr(as_text[k].out, "blocks opened"));
        }
    }
    assert_true(sum_over_frames(0, "vertices") > 0);
    assert_non_null(strstr(as_text[0].out, "Nobody had to move"));
}

static void test_bodies_and_list_tell_fields(void** state) {
    (void)state;
    outcome o = run_expecting("demo --list", 0);
    assert_says("demo --list", o.out, "fields|  12  ");
    free_outcome(&o);
    assert_says("demo curtain", as_text[0].out,
                "deforms by 12 fields|moves as a rigid body|Updates and queries took");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_are_those_of_the_positions),
        cmocka_unit_test(test_objects_tell_their_motion),
        cmocka_unit_test(test_report_of_laziness),
        cmocka_unit_test(test_bodies_and_list_tell_fields),
    };
    return cmocka_run_group_tests(tests, run_cases, free_cases);
}
