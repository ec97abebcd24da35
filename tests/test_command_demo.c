// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut demo: its pairs equal those of the all-pairs oracle on the scene's positions, for every
// motion, and its report of the work is right.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

#include "scenes/scenes.h"
#include "support/world.h"

typedef struct demo_case {
    const char* name;
    scene_options wishes;
    bool lazy;
    uint32_t quick_triangles;  // size at quick effort; 0: the same
} demo_case;

static demo_case cases[] = {
    {"curtain", {.triangles = 1500, .frames = 12, .seed = 1}, true, 0},
    {"chair", {.triangles = 300, .frames = 16, .seed = 2}, true, 0},
    {"bridge", {.triangles = 1200, .frames = 30, .seed = 1}, true, 700},
    {"fish", {.triangles = 1500, .frames = 15, .seed = 1}, true, 800},
    {"blobs", {.triangles = 1200, .frames = 6, .seed = 1}, false, 0},
    {"walk", {.triangles = 6000, .frames = 15, .seed = 1}, true, 0},
    {"ring", {.triangles = 900, .frames = 8, .seed = 1, .nodes = 40}, true, 0},
    {"ring", {.triangles = 900, .frames = 3, .seed = 2, .contact = SCENE_CONTACT_PRESSED}, true, 0},
    {"brain",
     {.triangles = 1500, .frames = 12, .seed = 1, .contact = SCENE_CONTACT_LARGE},
     true,
     0},
    {"fishes", {.triangles = 400, .frames = 4, .seed = 1}, true, 0},
    {"soft_ring", {.triangles = 900, .frames = 5, .seed = 1, .nodes = 30}, true, 0},
    {"soft_fishes",
     {.triangles = 400, .frames = 3, .seed = 1, .contact = SCENE_CONTACT_LARGE},
     true,
     0},
    {"dress", {.triangles = 4000, .frames = 6, .seed = 1}, true, 2000},
    {"breaking", {.triangles = 1400, .frames = 8, .seed = 1}, false, 0},
};
enum { CASES = sizeof cases / sizeof *cases, MOST_BODIES = 40 };

// every case runs twice, for all tests
static scene* scenes[CASES];
static outcome as_json[CASES];
static outcome as_text[CASES];

static outcome run_case(const demo_case* c, const char* options) {
    static const char* const contacts[] = {"", "--contact none", "--contact large",
                                           "--contact pressed"};
    const scene_options* w = &c->wishes;
    char text[160];
    char nodes[32] = "";
    if (w->nodes != 0) {
        snprintf(nodes, sizeof nodes, "--nodes %u", w->nodes);
    }
    snprintf(text, sizeof text, "demo %s --triangles %u --frames %u --seed %u %s %s %s", c->name,
             w->triangles, w->frames, w->seed, nodes, contacts[w->contact], options);
    return run_expecting(text, 0);
}

static int run_cases(void** state) {
    if (enter_current_folder(state) != 0) {
        return 1;
    }
    for (size_t k = 0; k < CASES; ++k) {
        demo_case* c = &cases[k];
        if (c->quick_triangles > 0 && effort(1, 0, 0)) {
            c->wishes.triangles = c->quick_triangles;
        }
        scenes[k] = scene_create_with(c->name, &c->wishes);
        assert_non_null(scenes[k]);
        as_json[k] = run_case(c, "--verbose --json -");
        as_text[k] = run_case(c, "--verbose");
    }
    return 0;
}

static int free_cases(void** state) {
    for (size_t k = 0; k < CASES; ++k) {
        scene_destroy(scenes[k]);
        free_outcome(&as_json[k]);
        free_outcome(&as_text[k]);
    }
    return leave_current_folder(state);
}

// all bodies as free ones, with given positions
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

// removes pairs of bodies that do not exist
static void drop_absent(const scene* s, const abut_body_id* ids, uint32_t frame, pair_list* list) {
    for (uint32_t i = 0; i < scene_body_count(s); ++i) {
        size_t kept = 0;
        for (size_t p = 0; p < list->count && !scene_present(s, i, frame); ++p) {
            const abut_pair pair = list->pairs[p];
            if (pair.body_a != ids[i].index && pair.body_b != ids[i].index) {
                list->pairs[kept++] = pair;
            }
        }
        list->count = scene_present(s, i, frame) ? list->count : kept;
    }
}

// compares one list of a frame ("between" or "self") with the oracle's pairs
static void compare_list(const char* list, bool within, const abut_body_id* ids,
                         const pair_list* wanted) {
    size_t total = 0;
    const char* entry;
    for (size_t i = 0; (entry = json_entry(list, i, NULL)) != NULL; ++i) {
        const uint32_t a = ids[(size_t)json_number(entry, "a")].index;
        const uint32_t b = within ? a : ids[(size_t)json_number(entry, "b")].index;
        const size_t count = (size_t)json_number(entry, "pairs");
        // a body that appears may take the place of one that vanished: the order is not that of
        // numbers
        REQUIRE(count == count_of(wanted, a, b) + (within ? 0 : count_of(wanted, b, a)));
        total += count;
    }
    REQUIRE(total == wanted->count);
}

static void test_pairs_are_those_of_the_positions(void** state) {
    (void)state;
    for (size_t k = 0; k < CASES; ++k) {
        abut_body_id ids[MOST_BODIES];
        assert_in_range(scene_body_count(scenes[k]), 1, MOST_BODIES);
        world w = make_world(scenes[k], ids);
        const char* frames = json_at(json_root(as_json[k].out), "frames");
        size_t found = 0;
        assert_int_equal(json_size(frames), cases[k].wishes.frames);
        for (uint32_t f = 0; f < cases[k].wishes.frames; f += effort(2, 1, 1)) {
            where("scene %s, frame %u", cases[k].name, f);
            const char* frame = json_entry(frames, f, NULL);
            move_all(&w, scenes[k], ids, f);
            pair_list between = oracle_collide_all(w.scene, NULL);
            pair_list self = oracle_self_all(w.scene, NULL);
            drop_absent(scenes[k], ids, f, &between);
            drop_absent(scenes[k], ids, f, &self);
            compare_list(json_at(frame, "between"), false, ids, &between);
            compare_list(json_at(frame, "self"), true, ids, &self);
            found += between.count;
            pairs_free(&between);
            pairs_free(&self);
        }
        REQUIRE(found > 0);  // otherwise nothing was compared
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
            const bool blend = b->node_count > 0;
            assert_json_text(object, "motion", blend ? "blend" : b->reduced ? "modal" : "free");
            REQUIRE((json_find(object, "fields") != NULL) == b->reduced);
            REQUIRE(!b->reduced || json_number(object, "fields") == b->field_count);
            REQUIRE((json_find(object, "nodes") != NULL) == blend);
            REQUIRE(!blend || json_number(object, "nodes") == b->node_count);
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
    for (size_t f = 0; f < cases[k].wishes.frames; ++f) {
        sum += json_number(json_at(json_entry(frames, f, NULL), "work"), counter);
    }
    return sum;
}

static double moving_vertices(size_t k) {
    double vertices = 0;
    for (uint32_t i = 0; i < scene_body_count(scenes[k]); ++i) {
        const scene_body* b = scene_get_body(scenes[k], i);
        vertices += b->moves ? (double)b->vertex_count * cases[k].wishes.frames : 0;
    }
    return vertices;
}

// a sentence is in the report if and only if `shall`
static void assert_says_if(size_t k, bool shall, const char* sentence) {
    where("scene %s: '%s'", cases[k].name, sentence);
    REQUIRE((strstr(as_text[k].out, sentence) != NULL) == shall);
}

// the saved work in the report follows from the counters in the JSON
static void test_report_of_saved_work(void** state) {
    (void)state;
    for (size_t k = 0; k < CASES; ++k) {
        char number[2][32];
        char says[256];
        const bool lazy = cases[k].lazy;
        const double left = moving_vertices(k) - sum_over_frames(k, "vertices");
        const double apart[2] = {sum_over_frames(k, "nodes_apart"),
                                 sum_over_frames(k, "blocks_apart")};
        put_grouped(left > 0 ? left : 0, number[0]);
        snprintf(says, sizeof says, "  %s vertices (", number[0]);
        assert_says_if(k, lazy && left > 0, says);
        assert_says_if(k, lazy && left > 0, "were never moved");
        put_grouped(apart[0], number[0]);
        put_grouped(apart[1], number[1]);
        snprintf(says, sizeof says, "Within surfaces, %s tree nodes and %s more", number[0],
                 number[1]);
        assert_says_if(k, lazy && apart[0] + apart[1] > 0, says);
        assert_says_if(k, lazy, "blocks opened");
        assert_says_if(k, lazy, "vertices moved");
        assert_says_if(k, lazy, "The query between surfaces opened");
    }
    assert_true(sum_over_frames(0, "vertices") > 0);
    assert_non_null(strstr(as_text[0].out, "were never moved"));
}

// each kind of query alone gives the same answers and columns as together with the other
static void test_each_query_alone(void** state) {
    (void)state;
    for (size_t k = 0; k < CASES; k += effort(3, 1, 1)) {
        const char* both = json_at(json_root(as_json[k].out), "frames");
        for (int self = 0; self < 2; ++self) {
            outcome o = run_case(&cases[k], self == 1 ? "--self --json -" : "--between --json -");
            const char* frames = json_at(json_root(o.out), "frames");
            for (uint32_t f = 0; f < cases[k].wishes.frames; ++f) {
                const char* name = self == 1 ? "self" : "between";
                const char* frame = json_entry(frames, f, NULL);
                const char* wanted = json_at(json_entry(both, f, NULL), name);
                const char* got = json_at(frame, name);
                const char* entry;
                where("scene %s, frame %u, %s", cases[k].name, f, name);
                REQUIRE(json_find(frame, self == 1 ? "between" : "self") == NULL);
                REQUIRE(json_size(got) == json_size(wanted));
                for (size_t i = 0; (entry = json_entry(got, i, NULL)) != NULL; ++i) {
                    REQUIRE(json_number(entry, "pairs") ==
                            json_number(json_entry(wanted, i, NULL), "pairs"));
                }
            }
            free_outcome(&o);
        }
    }
    outcome o = run_case(&cases[0], "--between");
    assert_null(strstr(o.out, "within"));
    assert_null(strstr(o.out, "The query between"));
    free_outcome(&o);
}

static void test_wrong_options(void** state) {
    (void)state;
    static const char* const wrong[][2] = {
        {"demo fish --nodes 4", "--nodes is only for the scenes"},
        {"demo walk --contact large", "--contact is only for the scenes"},
        {"demo ring --contact lrge", "--contact is none, small, large or pressed, not 'lrge'"},
        {"demo sheet --between", "'sheet' is one surface"},
        {"demo chairs --self", "--self is not for the scenes 'chairs', 'shoal' and 'tear'"},
        {"demo tear --nodes 9", "--nodes is not for the scenes"},
        {"demo shoal --contact none", "--contact is not for the scenes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_refuses(wrong[i][0], wrong[i][1]);
    }
}

static void test_bodies_and_list_tell_fields(void** state) {
    (void)state;
    outcome o = run_expecting("demo --list", 0);
    assert_says("demo --list", o.out, "fields|nodes|  12  |  550  ");
    const char* tear = strstr(o.out, "\ntear ");
    assert_non_null(tear);
    assert_says("demo --list", tear, "  20,000       -    578     120  ");
    free_outcome(&o);
    assert_prints("demo tear --frames 1", 0, "20,000 triangles that follows 578 nodes");
    assert_says("demo curtain", as_text[0].out,
                "deforms by 12 fields|moves as a rigid body|Updates and queries took");
    assert_says("demo walk", as_text[5].out, "deforms by 2 fields, then follows 22 nodes");
    assert_says("demo ring", as_text[6].out, "follows 40 nodes");
}

// the summary equals that of 'abut check'
static void test_json_has_the_verdict(void** state) {
    (void)state;
    outcome o = run_expecting("demo fish --triangles 200 --frames 2 --json -", 0);
    const char* summary = json_at(json_root(o.out), "summary");
    const size_t frames = (size_t)json_number(summary, "frames");
    const size_t touching = (size_t)json_number(summary, "frames_touching");
    const char* verdict = json_at(summary, "verdict");
    assert_int_equal(frames, 2);
    assert_int_equal(strncmp(verdict, touching > 0 ? "\"Contact" : "\"No", 3), 0);
    free_outcome(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_are_those_of_the_positions),
        cmocka_unit_test(test_objects_tell_their_motion),
        cmocka_unit_test(test_report_of_saved_work),
        cmocka_unit_test(test_each_query_alone),
        cmocka_unit_test(test_wrong_options),
        cmocka_unit_test(test_bodies_and_list_tell_fields),
        cmocka_unit_test(test_json_has_the_verdict),
    };
    return cmocka_run_group_tests(tests, run_cases, free_cases);
}
