// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Budgets of casts and of closest points: portions together give the rows of one call, each is at
// least a few rays or points long, and where they end depends on neither threads nor instruction set.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/world.h"

enum { MANY = 3000 };

static double from[MANY][3];
static double to[MANY][3];

typedef struct tally {
    uint64_t hash;
    size_t calls;
    size_t rows;
    uint64_t ends;  // a hash of where the portions end
} tally;

static tally tally_start(void) {
    return (tally){.hash = 1469598103934665603u, .ends = 1469598103934665603u};
}

static tally cast_in_portions(const abut_scene* scene, uint64_t budget, abut_cast_mode mode,
                              abut_cast_result* result) {
    tally sum = tally_start();
    abut_cast_def def = abut_cast_def_default();
    def.mode = mode;
    def.budget = budget;
    for (size_t done = 0; done < MANY;) {
        const abut_rays rays = abut_rays_segments(from[done], to[done], MANY - done);
        const abut_status status = abut_cast_all(scene, rays, &def, result, NULL);
        size_t met;
        size_t count;
        (void)abut_cast_result_met(result, &met);
        const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
        for (size_t i = 0; i < count; ++i) {
            abut_ray_hit hit = hits[i];
            hit.ray += (uint32_t)done;
            hash_bytes(&sum.hash, &hit, sizeof hit);
        }
        REQUIRE(met > 0 && status == (done + met < MANY ? ABUT_INCOMPLETE : ABUT_OK));
        done += met;
        hash_bytes(&sum.ends, &done, sizeof done);
        sum.rows += count;
        ++sum.calls;
    }
    return sum;
}

static tally ask_in_portions(const abut_scene* scene, uint64_t budget, uint32_t most,
                             abut_closest_result* result) {
    tally sum = tally_start();
    abut_closest_def def = abut_closest_def_default();
    def.most = most;
    def.budget = budget;
    abut_closest_result_clear(result);
    for (size_t done = 0; done < MANY;) {
        const abut_status status = abut_closest_all(
            scene, abut_positions_f64(from[done], MANY - done), &def, result, NULL);
        const size_t answered = abut_closest_result_answered(result);
        size_t count;
        const abut_closest_point* rows = abut_closest_result_points(result, &count);
        for (size_t i = 0; i < count; ++i) {
            const uint32_t point = rows[i].point + (uint32_t)done;
            REQUIRE(rows[i].point < answered);
            hash_bytes(&sum.hash, &point, sizeof point);
            hash_bytes(&sum.hash, &rows[i].triangle, sizeof rows[i].triangle);
            hash_bytes(&sum.hash, &rows[i].distance, sizeof rows[i].distance);
        }
        REQUIRE(answered > 0 && status == (done + answered < MANY ? ABUT_INCOMPLETE : ABUT_OK));
        done += answered;
        hash_bytes(&sum.ends, &done, sizeof done);
        sum.rows += count;
        ++sum.calls;
    }
    return sum;
}

static void test_portions_give_all_rows(void** state) {
    (void)state;
    tally wanted[4] = {{0}};
    test_random random = random_seed(7);
    for (int i = 0; i < 3 * MANY; ++i) {
        from[i / 3][i % 3] = random_double(&random, -2, 2);
        to[i / 3][i % 3] = random_double(&random, -2, 2);
    }
    everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, 1);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        world w = world_make(&at.def, NULL);
        abut_cast_result* cast = NULL;
        abut_closest_result* closest = NULL;
        surface s = surface_ball(20, 30, 1);
        world_add(&w, &s, NULL, NULL);
        surface_shift(&s, 1.5, 0.5, 0);
        world_add(&w, &s, NULL, NULL);
        REQUIRE_OK(abut_cast_result_create(w.context, &cast, NULL));
        REQUIRE_OK(abut_closest_result_create(w.context, &closest, NULL));
        const tally got[4] = {cast_in_portions(w.scene, 5000, ABUT_CAST_FIRST, cast),
                              cast_in_portions(w.scene, 1, ABUT_CAST_ALL, cast),
                              ask_in_portions(w.scene, 5000, 1, closest),
                              ask_in_portions(w.scene, 1, 3, closest)};
        const tally whole[4] = {cast_in_portions(w.scene, 0, ABUT_CAST_FIRST, cast),
                                cast_in_portions(w.scene, UINT64_MAX, ABUT_CAST_ALL, cast),
                                ask_in_portions(w.scene, 0, 1, closest),
                                ask_in_portions(w.scene, UINT64_MAX, 3, closest)};
        for (int i = 0; i < 4; ++i) {
            REQUIRE(got[i].hash == whole[i].hash && got[i].rows == whole[i].rows);
            REQUIRE(got[i].calls > 1 && whole[i].calls == 1 && got[i].rows > 0);
            REQUIRE(at.first || got[i].ends == wanted[i].ends);
            wanted[i] = at.first ? got[i] : wanted[i];
        }
        abut_cast_result_destroy(cast);
        abut_closest_result_destroy(closest);
        surface_free(&s);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portions_give_all_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
