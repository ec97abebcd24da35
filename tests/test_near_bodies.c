// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies near a box, against a pass over all of them, and the work it takes by the number of answers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/near_bodies.h"
#include "support/world.h"

typedef struct crowd {
    world w;
    abut__near_bodies all;
    abut__body* bodies;
    uint32_t count;
} crowd;

// Boxes on a coarse grid have equal distances; some have no end.
static abut_box random_box(test_random* random, bool coarse, bool endless) {
    abut_box box;
    for (int d = 0; d < 3; ++d) {
        box.lo[d] = coarse ? random_dyadic(random, 8, 1) : random_double(random, -8, 8);
        box.hi[d] = box.lo[d] + (coarse ? random_below(random, 3) : random_double(random, 0, 2));
    }
    if (endless && random_chance(random, 0.02)) {
        box.lo[0] = -INFINITY;
        box.hi[2] = INFINITY;
    }
    return box;
}

static crowd crowd_make(test_random* random, uint32_t count, bool coarse, bool endless) {
    crowd c = {.w = world_make(NULL, NULL), .count = count};
    c.bodies = test_alloc(count + 1, sizeof *c.bodies);
    memset(c.bodies, 0, (count + 1) * sizeof *c.bodies);
    abut__near_body* near = abut__push(c.w.context, &c.all.bodies, count);
    for (uint32_t i = 0; i < count; ++i) {
        c.bodies[i].index = i;
        c.bodies[i].group = UINT64_C(1) << random_below(random, 2);
        c.bodies[i].mask = random_chance(random, 0.8) ? UINT64_MAX : 1;
        c.bodies[i].is_static = random_chance(random, 0.2);
        near[i] = (abut__near_body){&c.bodies[i], random_box(random, coarse, endless)};
    }
    REQUIRE(abut__near_bodies_build(c.w.context, &c.all));
    return c;
}

static void crowd_free(crowd* c) {
    abut__near_bodies_free(c->w.context, &c->all);
    free(c->bodies);
    world_free(&c->w);
}

// ---- the oracle

static double distance_sq(const abut_box* a, const abut_box* b) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double gap = fmax(fmax(b->lo[d] - a->hi[d], a->lo[d] - b->hi[d]), 0);
        sum += gap * gap;
    }
    return sum;
}

static double centre_sq(const abut_box* a, const abut_box* b) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double offset = fabs((b->lo[d] + b->hi[d]) - (a->lo[d] + a->hi[d]));
        sum += offset > 0 ? offset * offset : 0;
    }
    return sum;
}

static bool is_wanted(const crowd* c, const abut__near_wish* wish, uint32_t i) {
    return wish->most >= 0 && &c->bodies[i] != wish->asked &&
           abut__bodies_may_meet(wish->asked, &c->bodies[i]) &&
           distance_sq(wish->box, &c->all.bodies.data[i].box) <=
               wish->most * wish->most * (1 + 0x1p-20);
}

static bool has_ends(const abut_box* box) {
    return isfinite(box->lo[0]) && isfinite(box->hi[2]);
}

// The nearest centre matters for the work alone, so boxes without ends may come at any time.
static void check_first(const crowd* c, const abut__near_wish* wish) {
    const uint32_t found = abut__near_bodies_first(&c->all, wish);
    double least = INFINITY;
    uint32_t nearest = ABUT__NONE;
    bool any = false;
    bool endless = !has_ends(wish->box);
    for (uint32_t i = 0; i < c->count; ++i) {
        if (!is_wanted(c, wish, i)) {
            continue;
        }
        const abut_box* box = &c->all.bodies.data[i].box;
        any = true;
        endless = endless || !has_ends(box);
        if (centre_sq(wish->box, box) < least) {
            least = centre_sq(wish->box, box);
            nearest = i;
        }
    }
    REQUIRE(any == (found != ABUT__NONE) && (!any || is_wanted(c, wish, found)));
    REQUIRE(endless || found == nearest);
}

static int by_value(const void* a, const void* b) {
    const abut__keyed* p = a;
    const abut__keyed* q = b;
    return p->value < q->value ? -1 : p->value > q->value;
}

static void check_list(const crowd* c, const abut__near_wish* wish, uint32_t except) {
    abut__keyed* list = test_alloc(c->count + 1, sizeof *list);
    const size_t found = abut__near_bodies_list(&c->all, wish, except, list);
    size_t next = 0;
    qsort(list, found, sizeof *list, by_value);
    for (uint32_t i = 0; i < c->count; ++i) {
        if (i != except && is_wanted(c, wish, i)) {
            const double truth = distance_sq(wish->box, &c->all.bodies.data[i].box);
            REQUIRE(next < found && list[next].value == i &&
                    memcmp(&list[next].key, &truth, sizeof truth) == 0);
            ++next;
        }
    }
    REQUIRE(next == found);
    free(list);
}

// ---- tests

static void test_same_as_a_pass(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(30, 200, 2000); ++seed) {
        test_random random = random_seed(5100 + seed);
        const uint32_t count = seed < 12 ? seed : random_below(&random, 400);
        crowd c = crowd_make(&random, count, seed % 2 == 0, seed % 5 == 0);
        for (uint32_t k = 0; k < 20 && count > 0; ++k) {
            const uint32_t asked = random_below(&random, count);
            const abut_box box = random_chance(&random, 0.5)
                                     ? c.all.bodies.data[asked].box
                                     : random_box(&random, k % 3 == 0, false);
            const double most = random_chance(&random, 0.2) ? INFINITY
                                                            : floor(random_double(&random, -1, 6));
            const abut__near_wish wish = {&c.bodies[asked], &box, most};
            where("seed %u, wish %u", 5100 + seed, k);
            check_first(&c, &wish);
            check_list(&c, &wish, random_below(&random, count));
        }
        crowd_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_a_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
