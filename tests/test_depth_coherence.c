// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration depth from step to step. While bodies move smoothly, regions keep their ids, and the
// separating translation of each changes by at most twice the motion of the bodies. Exceptions are
// regions that merge and regions that are interlocked. The test measures jumps itself.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "support/scenery.h"

enum { MOST_REGIONS = 16 };
#define ALLOWED 2.01  // most change of a separating translation, in units of the motion

// the regions of the last step
typedef struct followed {
    uint32_t id[MOST_REGIONS];
    double translation[MOST_REGIONS][3];
    bool interlocked[MOST_REGIONS];
    size_t count;
} followed;

typedef struct tally {
    uint32_t regions;
    uint32_t begun;    // regions that begin after the first step with any
    uint32_t jumped;   // changes by more than ALLOWED
    uint32_t excused;  // jumps of regions that merge, or are or were interlocked
    double worst;      // greatest change over motion
    double longest;    // greatest depth over the shortest known translation
} tally;

static double change_of(const abut_region* r, const double last[3]) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double change = r->depth * r->direction[d] - last[d];
        square += change * change;
    }
    return sqrt(square);
}

// true if a region of the last step is gone
static bool has_lost(const followed* last, const abut_region* found, size_t count) {
    bool lost = false;
    for (size_t k = 0; k < last->count; ++k) {
        size_t r = 0;
        while (r < count && found[r].id != last->id[k]) {
            ++r;
        }
        lost = lost || r == count;
    }
    return lost;
}

// compares the regions with those of the last step: ids go on, and `is_new` and `jump` are right
static void compare(const abut_depth_result* depths, followed* last, double motion, tally* t) {
    size_t count = 0;
    const abut_region* found = abut_depth_result_regions(depths, &count);
    const bool first = t->regions == 0;
    followed now = {.count = count};
    REQUIRE(count <= MOST_REGIONS);
    for (size_t r = 0; r < count; ++r) {
        size_t k = 0;
        while (k < last->count && last->id[k] != found[r].id) {
            ++k;
        }
        REQUIRE(found[r].is_new == (k == last->count));
        t->begun += !first && found[r].is_new;
        ++t->regions;
        now.id[r] = found[r].id;
        now.interlocked[r] = found[r].interlocked;
        for (size_t i = 0; i < r; ++i) {
            REQUIRE(now.id[i] != now.id[r]);
        }
        for (int d = 0; d < 3; ++d) {
            now.translation[r][d] = found[r].depth * found[r].direction[d];
        }
        REQUIRE(found[r].lower <= found[r].upper && found[r].upper <= found[r].depth);
        t->longest = fmax(t->longest, found[r].depth / found[r].upper);
        if (k < last->count) {
            const double change = change_of(&found[r], last->translation[k]);
            REQUIRE(fabs(change - found[r].jump) <= 1e-9 * (1 + change));
            const bool jumped = change > ALLOWED * motion;
            t->jumped += jumped;
            t->excused += jumped && (found[r].interlocked || last->interlocked[k] ||
                                     has_lost(last, found, count));
            t->worst = change / motion > t->worst ? change / motion : t->worst;
        } else {
            REQUIRE(found[r].jump == 0);
        }
    }
    *last = now;
}

static double farthest(const double* before, const double* now, uint32_t vertices) {
    double most = 0;
    for (uint32_t v = 0; v < vertices; ++v) {
        double square = 0;
        for (int d = 0; d < 3; ++d) {
            const double change = now[3 * (size_t)v + (size_t)d] -
                                  before[3 * (size_t)v + (size_t)d];
            square += change * change;
        }
        most = sqrt(square) > most ? sqrt(square) : most;
    }
    return most;
}

typedef struct actors {
    world w;
    abut_depth_result* depths;
    abut_body_id body[2];
    surface s[2];
    double* before[2];
    abut_depth_def def;
} actors;

static actors actors_in(world w, const surface* a, const surface* b) {
    actors made = {.w = w, .def = abut_depth_def_default()};
    for (int k = 0; k < 2; ++k) {
        made.s[k] = surface_copy(k == 0 ? a : b);
        made.body[k] = world_add(&made.w, &made.s[k], NULL, NULL);
        made.before[k] = test_alloc(3 * (size_t)made.s[k].vertex_count, sizeof(double));
    }
    REQUIRE_OK(abut_depth_result_create(made.w.context, &made.depths, NULL));
    return made;
}

static actors actors_make(const surface* a, const surface* b) {
    return actors_in(world_make(NULL, NULL), a, b);
}

static void actors_free(actors* a) {
    abut_depth_result_destroy(a->depths);
    world_free(&a->w);
    for (int k = 0; k < 2; ++k) {
        surface_free(&a->s[k]);
        free(a->before[k]);
    }
}

// queries with the present positions; returns how far vertices moved, of both bodies together
static double step(actors* a, bool first) {
    double motion = 0;
    for (int k = 0; k < 2; ++k) {
        motion += first ? 0 : farthest(a->before[k], a->s[k].xyz, a->s[k].vertex_count);
        memcpy(a->before[k], a->s[k].xyz, 3 * (size_t)a->s[k].vertex_count * sizeof(double));
        world_move(&a->w, a->body[k], a->s[k].xyz);
    }
    REQUIRE_OK(abut_depth(a->w.scene, a->body[0], a->body[1], &a->def, a->depths, NULL));
    REQUIRE(abut_depth_result_defined(a->depths));
    return motion;
}

static tally follow_scene(const char* name, uint32_t triangles, uint32_t frames) {
    scene* s = scene_create(name, triangles, frames, 1);
    assert_non_null(s);
    surface a = scenery_surface(s, 0, 0);
    surface b = scenery_surface(s, 1, 0);
    actors both = actors_make(&a, &b);
    followed last = {.count = 0};
    tally t = {0};
    for (uint32_t frame = 0; frame < frames; ++frame) {
        where("%s, frame %u", name, frame);
        for (uint32_t k = 0; k < 2; ++k) {
            scene_positions(s, k, frame, both.s[k].xyz);
        }
        const double motion = step(&both, frame == 0);
        compare(both.depths, &last, motion + 1e-6, &t);
    }
    print_message(
        "%s: %u regions, %u begun later, changes up to %.1f of the motion, %u jumps; up to %.2f of "
        "the shortest translation\n",
        name, t.regions, t.begun, t.worst, t.jumped, t.longest);
    actors_free(&both);
    surface_free(&a);
    surface_free(&b);
    scene_destroy(s);
    return t;
}

// Bodies that are pressed together, or aside: no translation jumps, and no region is lost after the
// first contact.
static void test_scenes(void** state) {
    (void)state;
    const uint32_t frames = effort(15, 100, 600);
    const tally combs = follow_scene("combs", 0, frames);
    assert_true(combs.regions > frames && combs.jumped == 0);
    assert_true(combs.begun <= 4);  // five teeth touch, one after the other
    const tally cushion = follow_scene("cushion", 1000, frames);
    assert_true(cushion.regions > frames / 3 && cushion.begun == 0 && cushion.jumped == 0);
    const tally pressed = follow_scene("pressed", 0, frames);
    assert_true(pressed.regions > frames / 3 && pressed.jumped == 0);
    const tally blobs = follow_scene("blobs", 1000, 2 * frames);
    assert_true(blobs.regions > frames / 3 && blobs.jumped == 0);
    // a peg in a hole: translations are long and many are equally short, but the chosen one is
    // stable
    const tally peg = follow_scene("peg", 0, 3 * frames);
    assert_true(peg.regions > frames && peg.jumped == peg.excused && peg.jumped <= 2);
    // links interlock as a whole: each triangle that joins the region makes the translation longer
    const tally links = follow_scene("links", 0, frames);
    assert_true(links.regions > frames / 4 && links.jumped == links.excused);
}

// a dented ball rolls around another one at constant depth
static void test_rolling_never_jumps(void** state) {
    (void)state;
    tally all = {0};
    const int steps = (int)effort(60, 80, 400);
    for (uint32_t seed = 0; seed < effort(2, 8, 60); ++seed) {
        test_random random = random_seed(seed);
        surface a = surface_ball(20, 30, 1);
        surface b = surface_ball(24, 32, 0.8);
        const double waves = random_double(&random, 2, 4);
        for (uint32_t i = 0; i < 3 * b.vertex_count; i += 3) {
            const double factor = 1 + 0.03 * sin(waves * b.xyz[i]) * cos(waves * b.xyz[i + 1]);
            for (uint32_t d = 0; d < 3; ++d) {
                b.xyz[i + d] *= factor;
            }
        }
        actors both = actors_make(&a, &b);
        followed last = {.count = 0};
        tally t = {0};
        const double away = random_double(&random, 1.45, 1.7);
        for (int k = 0; k < steps; ++k) {
            const double angle = 3.0 * k / steps;
            where("seed %u, step %d", seed, k);
            memcpy(both.s[1].xyz, b.xyz, 3 * (size_t)b.vertex_count * sizeof *b.xyz);
            surface_shift(&both.s[1], away * cos(angle), away * sin(angle), 0.3 * sin(2 * angle));
            const double motion = step(&both, k == 0);
            compare(both.depths, &last, motion + 1e-6, &t);
        }
        REQUIRE(t.regions == (uint32_t)steps && t.begun == 0);
        all.regions += t.regions;
        all.jumped += t.jumped;
        all.worst = fmax(all.worst, t.worst);
        all.longest = fmax(all.longest, t.longest);
        actors_free(&both);
        surface_free(&a);
        surface_free(&b);
    }
    print_message(
        "rolling: %u regions, changes up to %.1f of the motion, %u jumps; up to %.2f of the "
        "shortest translation\n",
        all.regions, all.worst, all.jumped, all.longest);
    // here the shortest translation is never much shorter than the one that is followed
    assert_true(all.jumped == 0 && all.longest < 1.3);
}

// a ball with dents, long or flat or both
static surface odd_ball(test_random* random) {
    surface s = surface_ball(10, 12, 1);
    const double size[3] = {random_double(random, 0.15, 1), random_double(random, 0.15, 1),
                            random_double(random, 0.5, 1)};
    const double waves = random_double(random, 2, 6);
    for (uint32_t i = 0; i < 3 * s.vertex_count; i += 3) {
        double* p = s.xyz + i;
        const double factor = 1 - 0.15 * (1 + sin(waves * p[0]) * cos(waves * p[1]));
        for (int d = 0; d < 3; ++d) {
            p[d] *= factor * size[d];
        }
    }
    return s;
}

// from one place to another, turning about y
static void drift(const surface* rest, const double from[3], const double to[3], double turn,
                  double time, surface* out) {
    for (uint32_t i = 0; i < 3 * rest->vertex_count; i += 3) {
        const double* p = rest->xyz + i;
        const double turned[3] = {cos(turn * time) * p[0] + sin(turn * time) * p[2], p[1],
                                  cos(turn * time) * p[2] - sin(turn * time) * p[0]};
        for (uint32_t d = 0; d < 3; ++d) {
            out->xyz[i + d] = turned[d] + (1 - time) * from[d] + time * to[d];
        }
    }
}

// bodies of any shape drift through each other and turn; all jumps must be excused
static void test_drifting_jumps_are_excused(void** state) {
    (void)state;
    tally all = {0};
    const int steps = 40;
    for (uint32_t seed = 40; seed < 40 + effort(12, 100, 1000); ++seed) {
        test_random random = random_seed(seed);
        surface a = odd_ball(&random);
        surface b = odd_ball(&random);
        actors both = actors_make(&a, &b);
        followed last = {.count = 0};
        tally t = {0};
        const double turn = random_double(&random, -4, 4);
        double ends[2][3];
        for (int k = 0; k < 6; ++k) {
            ends[k / 3][k % 3] = random_double(&random, -1, 1);
        }
        both.def.one_region = seed % 4 == 0;
        for (int k = 0; k <= steps; ++k) {
            where("seed %u, step %d", seed, k);
            drift(&a, ends[0], ends[1], turn, (double)k / steps, &both.s[0]);
            compare(both.depths, &last, step(&both, k == 0) + 1e-6, &t);
            REQUIRE(t.jumped == t.excused);
        }
        all.regions += t.regions;
        all.jumped += t.jumped;
        actors_free(&both);
        surface_free(&a);
        surface_free(&b);
    }
    print_message("drifting: %u regions, %u jumps\n", all.regions, all.jumped);
    assert_true(all.regions > 200 && all.jumped < all.regions / 50);
}

// A ball goes through a plate. It is pushed back to where it came from, even when the translation
// to the other side becomes shorter.
static void test_ball_through_a_plate_is_pushed_back(void** state) {
    (void)state;
    surface ball = surface_ball(14, 20, 0.3);
    surface plate = surface_ball(2, 4, 1);
    const uint32_t steps = effort(40, 100, 1000);
    for (uint32_t v = 0; v < plate.vertex_count; ++v) {
        plate.xyz[3 * (size_t)v + 2] *= 0.15;
    }
    actors both = actors_make(&ball, &plate);
    followed last = {.count = 0};
    tally t = {0};
    double deepest = 0;
    for (uint32_t k = 0; k <= steps; ++k) {
        where("step %u", k);
        memcpy(both.s[0].xyz, ball.xyz, 3 * (size_t)ball.vertex_count * sizeof *ball.xyz);
        surface_shift(&both.s[0], 0.01, 0.02, 0.5 - 0.9 * k / steps);
        compare(both.depths, &last, step(&both, k == 0) + 1e-6, &t);
        size_t count = 0;
        const abut_region* found = abut_depth_result_regions(both.depths, &count);
        if (count > 0) {
            deepest = found->depth;
            REQUIRE(count == 1 && found->direction[2] > 0.9);
        }
    }
    print_message(
        "plate: %u regions, changes up to %.1f of the motion; %.2f deep in the end, %.2f of "
        "the shortest translation\n",
        t.regions, t.worst, deepest, t.longest);
    assert_true(t.regions > steps / 2 && t.jumped == 0 && t.longest > 3 && deepest > 0.7);
    actors_free(&both);
    surface_free(&ball);
    surface_free(&plate);
}

// a prism along y over an outline in x and z that is star-shaped about its first corner
static surface prism(uint32_t corners, const double outline[][2], double half) {
    surface s = surface_make(2 * corners, 4 * corners - 4);
    uint32_t* t = s.triangles;
    for (uint32_t i = 0; i < corners; ++i) {
        const uint32_t next = (i + 1) % corners;
        const uint32_t side[6] = {i, next, corners + next, i, corners + next, corners + i};
        memcpy(t, side, sizeof side);
        t += 6;
        for (uint32_t k = 0; k < 2; ++k) {
            double* p = s.xyz + 3 * (size_t)(k * corners + i);
            p[0] = outline[i][0];
            p[1] = k == 0 ? -half : half;
            p[2] = outline[i][1];
        }
    }
    for (uint32_t i = 1; i + 1 < corners; ++i) {
        const uint32_t caps[6] = {0, i + 1, i, corners, corners + i, corners + i + 1};
        memcpy(t, caps, sizeof caps);
        t += 6;
    }
    return s;
}

// A box in the floor slides into a wall: it is pushed out of both, never along the whole wall.
static void test_box_in_a_corner_leaves_both_walls(void** state) {
    (void)state;
    const double square[4][2] = {{-0.3, -0.3}, {0.3, -0.3}, {0.3, 0.3}, {-0.3, 0.3}};
    const double room[6][2] = {{0.5, -0.2}, {-1, -0.2}, {-1, -0.5}, {1, -0.5}, {1, 1}, {0.5, 1}};
    surface box = prism(4, square, 0.4);
    surface corner = prism(6, room, 1);
    const uint32_t steps = effort(60, 200, 2000);
    for (int together = 0; together < 2; ++together) {
        actors both = actors_make(&box, &corner);
        followed last = {.count = 0};
        tally t = {0};
        double shallow = 0;
        both.def.one_region = together == 1;
        for (uint32_t k = 0; k <= steps; ++k) {
            where("%s, step %u", together == 1 ? "together" : "each", k);
            memcpy(both.s[0].xyz, box.xyz, 3 * (size_t)box.vertex_count * sizeof *box.xyz);
            // penetration of the wall; that of the floor is 0.12
            const double in = -0.1 + 0.2 * k / steps;
            surface_shift(&both.s[0], 0.2 + in, 0, -0.02);
            compare(both.depths, &last, step(&both, k == 0) + 1e-6, &t);
            size_t count = 0;
            const abut_region* found = abut_depth_result_regions(both.depths, &count);
            REQUIRE(count == 1 && !found->interlocked);
            const double least = in > 0 ? sqrt(in * in + 0.12 * 0.12) : 0.12;
            shallow = fmax(shallow, found->depth / least);
        }
        print_message(
            "corner: changes up to %.1f of the motion; up to %.2f of the shortest translation\n",
            t.worst, shallow);
        assert_true(t.jumped == 0 && shallow < 1.3);
        actors_free(&both);
    }
    surface_free(&box);
    surface_free(&corner);
}

// A bar is pushed endwise through a plate. It is pushed back even when it sticks out behind, where
// another translation would free the region sooner.
static void test_bar_pushed_endwise(void** state) {
    (void)state;
    surface bar = surface_ball(16, 8, 1);
    surface plate = surface_ball(6, 8, 1);
    for (uint32_t v = 0; v < bar.vertex_count; ++v) {
        bar.xyz[3 * (size_t)v] *= 0.12;
        bar.xyz[3 * (size_t)v + 1] *= 0.12;
    }
    for (uint32_t v = 0; v < plate.vertex_count; ++v) {
        plate.xyz[3 * (size_t)v + 2] *= 0.3;
    }
    actors both = actors_make(&bar, &plate);
    followed last = {.count = 0};
    tally t = {0};
    const uint32_t steps = effort(60, 200, 2000);
    for (uint32_t k = 0; k <= steps; ++k) {
        where("step %u", k);
        memcpy(both.s[0].xyz, bar.xyz, 3 * (size_t)bar.vertex_count * sizeof *bar.xyz);
        surface_shift(&both.s[0], 0.05, 0.1, 1.6 - 2.4 * k / steps);
        compare(both.depths, &last, step(&both, k == 0) + 1e-6, &t);
        size_t count = 0;
        const abut_region* found = abut_depth_result_regions(both.depths, &count);
        REQUIRE(count == 0 || (!found->interlocked && found->direction[2] > 0.9));
    }
    print_message("endwise: changes up to %.1f of the motion\n", t.worst);
    assert_true(t.jumped == 0 && t.regions > steps / 2);
    actors_free(&both);
    surface_free(&bar);
    surface_free(&plate);
}

// In one step a ball passes from one face of a slab to the other and touches only new triangles. It
// is pushed back all the same.
static void test_ball_from_face_to_face_is_pushed_back(void** state) {
    (void)state;
    const double outline[4][2] = {{-1, -0.2}, {1, -0.2}, {1, 0.2}, {-1, 0.2}};
    surface ball = surface_ball(12, 16, 0.15);
    surface slab = prism(4, outline, 1);
    actors both = actors_make(&ball, &slab);
    followed last = {.count = 0};
    tally t = {0};
    for (int k = 0; k < 3; ++k) {
        where("step %d", k);
        memcpy(both.s[0].xyz, ball.xyz, 3 * (size_t)ball.vertex_count * sizeof *ball.xyz);
        surface_shift(&both.s[0], 0.1, 0.2, -0.18 + 0.12 * k);
        compare(both.depths, &last, step(&both, k == 0) + 1e-6, &t);
    }
    assert_true(t.regions == 3 && t.begun == 0 && t.jumped == 0);
    assert_true(last.translation[0][2] < -0.4);
    actors_free(&both);
    surface_free(&ball);
    surface_free(&slab);
}

// Steps that are tiny against the translation: it follows them, and gets shorter, too.
static void test_translation_follows_small_steps(void** state) {
    (void)state;
    surface a = surface_ball(14, 20, 0.8);
    surface b = surface_ball(14, 20, 1);
    for (int sign = -1; sign < 2; sign += 2) {
        actors both = actors_make(&a, &b);
        followed last = {.count = 0};
        tally t = {0};
        for (int k = 0; k <= 40; ++k) {
            where("step %d, %d", k, sign);
            memcpy(both.s[0].xyz, a.xyz, 3 * (size_t)a.vertex_count * sizeof *a.xyz);
            surface_shift(&both.s[0], 0.1 + 3e-9 * k, 0.2, 1.4 + sign * 3e-9 * k);
            compare(both.depths, &last, step(&both, k == 0) + 1e-11, &t);
        }
        print_message("small steps: changes up to %.2f of the motion\n", t.worst);
        assert_true(t.regions == 41 && t.jumped == 0);
        actors_free(&both);
    }
    surface_free(&a);
    surface_free(&b);
}

// A repeated query changes nothing; `shortest` gives the answer of a query without previous state.
static void test_repeated_queries_change_nothing(void** state) {
    (void)state;
    scene* s = scene_create("blobs", 600, 40, 1);
    assert_non_null(s);
    surface a = scenery_surface(s, 0, 0);
    surface b = scenery_surface(s, 1, 0);
    actors both = actors_make(&a, &b);
    abut_depth_def def = abut_depth_def_default();
    abut_depth_result* short_ones = NULL;
    uint32_t seen = 0;
    def.shortest = true;
    REQUIRE_OK(abut_depth_result_create(both.w.context, &short_ones, NULL));
    for (uint32_t frame = 0; frame < 40; ++frame) {
        where("frame %u", frame);
        for (uint32_t k = 0; k < 2; ++k) {
            scene_positions(s, k, frame, both.s[k].xyz);
        }
        step(&both, frame == 0);
        step(&both, false);
        size_t count = 0;
        const abut_region* again = abut_depth_result_regions(both.depths, &count);
        for (size_t r = 0; r < count; ++r) {
            REQUIRE(again[r].jump <= 1e-9 && !again[r].is_new);
        }
        abut_depth_result* fresh = NULL;
        REQUIRE_OK(abut_depth_result_create(both.w.context, &fresh, NULL));
        REQUIRE_OK(abut_depth(both.w.scene, both.body[0], both.body[1], NULL, fresh, NULL));
        REQUIRE_OK(abut_depth(both.w.scene, both.body[0], both.body[1], &def, short_ones, NULL));
        size_t counts[2];
        const abut_region* f = abut_depth_result_regions(fresh, &counts[0]);
        const abut_region* g = abut_depth_result_regions(short_ones, &counts[1]);
        REQUIRE(counts[0] == count && counts[1] == count);
        for (size_t r = 0; r < count; ++r, ++seen) {
            REQUIRE(f[r].depth == g[r].depth && f[r].lower == g[r].lower);
            REQUIRE(g[r].depth == g[r].upper && g[r].is_new == (seen == 0));
            REQUIRE(memcmp(f[r].direction, g[r].direction, sizeof f[r].direction) == 0);
        }
        abut_depth_result_destroy(fresh);
    }
    assert_true(seen > 5);
    abut_depth_result_destroy(short_ones);
    actors_free(&both);
    surface_free(&a);
    surface_free(&b);
    scene_destroy(s);
}

static void sink_to(actors* a, const surface* ball, double height) {
    memcpy(a->s[0].xyz, ball->xyz, 3 * (size_t)ball->vertex_count * sizeof *ball->xyz);
    surface_shift(&a->s[0], 0.01, 0.02, height);
    world_move(&a->w, a->body[0], a->s[0].xyz);
}

static abut_status query_depth(const actors* a) {
    return abut_depth(a->w.scene, a->body[0], a->body[1], &a->def, a->depths, NULL);
}

// Sinks a ball into a plate and refuses one allocation in the last of some steps. That call reports
// the error, returns no regions and drops the previous state, so the next call answers like a first
// one. Returns whether the allocation was needed.
static bool refuse_one(const surface* ball, const surface* plate, int steps, size_t call) {
    static const double heights[] = {0.3, 0.1, -0.1, -0.15};
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    actors both = actors_in(world_make(&def, NULL), ball, plate);
    size_t count = 0;
    for (int k = 0; k + 1 < steps; ++k) {
        sink_to(&both, ball, heights[k]);
        REQUIRE_OK(query_depth(&both));
    }
    sink_to(&both, ball, heights[steps - 1]);
    memory_fail(&memory, call, false);
    const abut_status status = query_depth(&both);
    const bool refused = memory.refused > 0;
    memory_fail(&memory, 0, false);
    abut_depth_result_regions(both.depths, &count);
    REQUIRE(status == ABUT_OK || (refused && status == ABUT_ERR_NO_MEMORY && count == 0));
    REQUIRE_OK(query_depth(&both));
    const abut_region* found = abut_depth_result_regions(both.depths, &count);
    REQUIRE(count == 1 && found->is_new == (status != ABUT_OK));
    actors_free(&both);
    memory_require_clean(&memory);
    return refused;
}

static void test_refused_memory(void** state) {
    (void)state;
    surface ball = surface_ball(8, 10, 0.3);
    surface plate = surface_ball(3, 5, 1);
    uint32_t refused = 0;
    uint32_t later = 0;
    for (uint32_t v = 0; v < plate.vertex_count; ++v) {
        plate.xyz[3 * (size_t)v + 2] *= 0.15;
    }
    for (int steps = 1; steps <= 4; ++steps) {
        size_t call = 0;
        do {
            ++call;
            where("%d steps, call %zu", steps, call);
        } while (refuse_one(&ball, &plate, steps, call));
        refused += (uint32_t)call - 1;
        later += steps > 1 ? (uint32_t)call - 1 : 0;
    }
    print_message("%u allocations refused, %u of them after the first step\n", refused, later);
    assert_true(refused > 30 && later > 3);
    surface_free(&ball);
    surface_free(&plate);
}

// a region that falls apart: the larger part keeps the id
static void test_larger_part_keeps_the_id(void** state) {
    (void)state;
    surface ball = surface_ball(24, 30, 0.4);
    surface large = surface_ball(24, 30, 0.6);
    surface ground = surface_ball(40, 60, 3);
    surface_shift(&ball, 0.55, 0, 0);
    surface_shift(&large, -0.55, 0, 0);
    surface two = surface_join(&ball, &large);
    actors both = actors_make(&two, &ground);
    uint32_t id = 0;
    for (int k = 0; k < 30; ++k) {
        // deep in the ground first, then rising until only the bottoms touch, and then nothing
        const double up = 2.7 + 0.04 * k;
        memcpy(both.s[0].xyz, two.xyz, 3 * (size_t)two.vertex_count * sizeof *two.xyz);
        surface_shift(&both.s[0], 0, 0, up);
        step(&both, k == 0);
        size_t count = 0;
        const abut_region* found = abut_depth_result_regions(both.depths, &count);
        bool kept = false;
        where("step %d: %zu regions", k, count);
        for (size_t r = 0; r < count; ++r) {
            kept = kept || found[r].id == id;
        }
        REQUIRE(k == 0 || count == 0 || kept);
        // the id belongs to the large ball while there are two regions: the large ball has the
        // triangles above those of the small one
        for (size_t r = 0; r < count; ++r) {
            const abut_pair* pairs = abut_depth_result_pairs(both.depths, NULL) +
                                     found[r].first_pair;
            if (found[r].pair_count > 0 && pairs[0].triangle_a >= ball.triangle_count) {
                REQUIRE(k == 0 || count == 1 || id == found[r].id);
                id = found[r].id;
            }
        }
        id = count == 1 ? found->id : id;
    }
    actors_free(&both);
    surface_free(&two);
    surface_free(&ball);
    surface_free(&large);
    surface_free(&ground);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_rolling_never_jumps),
        cmocka_unit_test(test_drifting_jumps_are_excused),
        cmocka_unit_test(test_box_in_a_corner_leaves_both_walls),
        cmocka_unit_test(test_bar_pushed_endwise),
        cmocka_unit_test(test_ball_from_face_to_face_is_pushed_back),
        cmocka_unit_test(test_translation_follows_small_steps),
        cmocka_unit_test(test_refused_memory),
        cmocka_unit_test(test_ball_through_a_plate_is_pushed_back),
        cmocka_unit_test(test_repeated_queries_change_nothing),
        cmocka_unit_test(test_larger_part_keeps_the_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
