// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration depth of bodies with several pieces: each piece that is wholly inside the other body
// has a region, whatever else touches. Pieces are axis-aligned boxes, some of them inside out, so
// that comparisons of coordinates decide exactly which ones touch and which are inside.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

#define PIECES 5
#define BOX_TRIANGLES 12u

typedef struct piece {
    double lo[3];
    double hi[3];
    int sign;  // 1, or -1: inside out
} piece;

typedef struct pieces {
    piece piece[PIECES];
    int count;
} pieces;

// ---- the oracle

static bool is_apart(const piece* p, const piece* q) {
    bool apart = false;
    for (int d = 0; d < 3; ++d) {
        apart = apart || p->hi[d] < q->lo[d] || q->hi[d] < p->lo[d];
    }
    return apart;
}

static bool is_within(const piece* p, const piece* q) {
    bool within = true;
    for (int d = 0; d < 3; ++d) {
        within = within && q->lo[d] < p->lo[d] && p->hi[d] < q->hi[d];
    }
    return within;
}

static bool surfaces_touch(const piece* p, const piece* q) {
    return !is_apart(p, q) && !is_within(p, q) && !is_within(q, p);
}

static bool touches_any(const piece* p, const pieces* others) {
    bool touches = false;
    for (int i = 0; i < others->count; ++i) {
        touches = touches || surfaces_touch(p, &others->piece[i]);
    }
    return touches;
}

// the winding number of the others about a piece that touches none of them
static int winding_around(const piece* p, const pieces* others) {
    int winding = 0;
    for (int i = 0; i < others->count; ++i) {
        winding += is_within(p, &others->piece[i]) ? others->piece[i].sign : 0;
    }
    return winding;
}

static bool is_whole(const piece* p, const pieces* others) {
    return !touches_any(p, others) && winding_around(p, others) != 0;
}

// ---- bodies

static void put_triangle(surface* s, uint32_t t, const piece* p, const uint32_t corner[3]) {
    for (uint32_t c = 0; c < 3; ++c) {
        const uint32_t from = p->sign > 0 ? corner[c] : corner[2 - c];
        for (uint32_t d = 0; d < 3; ++d) {
            s->xyz[9 * (size_t)t + 3 * c + d] = (from >> d & 1u) != 0 ? p->hi[d] : p->lo[d];
        }
        s->triangles[3 * t + c] = 3 * t + c;
    }
}

// each triangle has its own corners; equal corners are connected
static surface surface_of(const pieces* all) {
    static const uint32_t corner[BOX_TRIANGLES][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                                      {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                                      {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    const uint32_t triangles = BOX_TRIANGLES * (uint32_t)all->count;
    surface s = surface_make(3 * triangles, triangles);
    for (uint32_t t = 0; t < triangles; ++t) {
        put_triangle(&s, t, &all->piece[t / BOX_TRIANGLES], corner[t % BOX_TRIANGLES]);
    }
    return s;
}

static pieces pieces_moved(const pieces* all, const double translation[3]) {
    pieces moved = *all;
    for (int i = 0; i < all->count; ++i) {
        for (int d = 0; d < 3; ++d) {
            moved.piece[i].lo[d] += translation[d];
            moved.piece[i].hi[d] += translation[d];
        }
    }
    return moved;
}

typedef struct trial {
    world w;
    abut_depth_result* depths;
    abut_body_id body[2];
    pieces of[2];
} trial;

static trial trial_make(const pieces* a, const pieces* b) {
    trial t = {.w = world_make(NULL, NULL), .of = {*a, *b}};
    for (int s = 0; s < 2; ++s) {
        surface made = surface_of(&t.of[s]);
        t.body[s] = world_add(&t.w, &made, NULL, NULL);
        surface_free(&made);
    }
    REQUIRE_OK(abut_depth_result_create(t.w.context, &t.depths, NULL));
    return t;
}

static void trial_free(trial* t) {
    abut_depth_result_destroy(t->depths);
    world_free(&t->w);
}

static void trial_set(trial* t, const pieces* a, const pieces* b) {
    t->of[0] = *a;
    t->of[1] = *b;
    for (int s = 0; s < 2; ++s) {
        surface made = surface_of(&t->of[s]);
        world_move(&t->w, t->body[s], made.xyz);
        surface_free(&made);
    }
}

static const abut_region* solve(trial* t, const abut_depth_def* def, size_t* count) {
    REQUIRE_OK(abut_depth(t->w.scene, t->body[0], t->body[1], def, t->depths, NULL));
    REQUIRE(abut_depth_result_defined(t->depths));
    return abut_depth_result_regions(t->depths, count);
}

// ---- checks

// the piece of a region that is wholly inside; the region has only its triangles
static int piece_of(const trial* t, const abut_region* r) {
    const bool first = r->kind == ABUT_REGION_INSIDE_B;
    const uint32_t* inside = abut_depth_result_inside(t->depths, NULL) + r->first_inside;
    REQUIRE(r->pair_count == 0);
    REQUIRE(r->inside_a_count == (first ? BOX_TRIANGLES : 0));
    REQUIRE(r->inside_b_count == (first ? 0 : BOX_TRIANGLES));
    REQUIRE(inside[0] % BOX_TRIANGLES == 0);
    for (uint32_t k = 0; k < BOX_TRIANGLES; ++k) {
        REQUIRE(inside[k] == inside[0] + k);
    }
    return (int)(inside[0] / BOX_TRIANGLES);
}

// after a was moved by the region's translation, the piece touches nothing and is outside
static void require_piece_free(const trial* t, const abut_region* r, int number) {
    const int s = r->kind == ABUT_REGION_INSIDE_B ? 0 : 1;
    double translation[3];
    for (int d = 0; d < 3; ++d) {
        translation[d] = r->depth * r->direction[d];
    }
    const pieces moved = pieces_moved(&t->of[0], translation);
    const pieces* sides[2] = {&moved, &t->of[1]};
    REQUIRE(!touches_any(&sides[s]->piece[number], sides[1 - s]));
    REQUIRE(winding_around(&sides[s]->piece[number], sides[1 - s]) == 0);
    REQUIRE(r->depth > 0 && isfinite(r->depth) && r->lower <= r->depth && r->upper <= r->depth);
    REQUIRE(r->lower <= r->upper);
}

// the shortest translation that takes a piece out of a box around it
static double shortest_out(const piece* p, const piece* around) {
    double shortest = INFINITY;
    for (int d = 0; d < 3; ++d) {
        shortest = fmin(shortest, fmin(around->hi[d] - p->lo[d], p->hi[d] - around->lo[d]));
    }
    return shortest;
}

// A piece inside one box and no other: no translation is shorter than the one out of that box.
static void require_bounds(const trial* t, const abut_region* r, int number) {
    const int s = r->kind == ABUT_REGION_INSIDE_B ? 0 : 1;
    const pieces* others = &t->of[1 - s];
    if (others->count == 1) {
        const double least = shortest_out(&t->of[s].piece[number], &others->piece[0]);
        REQUIRE(r->lower <= least && r->depth >= least * (1 - 1e-12));
        REQUIRE(r->lower > 0);
    }
}

// Regions of pieces that are inside come last, those of a first, each piece once. The other regions
// have all pairs.
static uint32_t require_regions(trial* t, const abut_region* regions, size_t count) {
    bool seen[2][PIECES] = {{false}};
    bool contact = true;
    size_t pairs = 0;
    uint32_t whole = 0;
    for (size_t i = 0; i < count; ++i) {
        const abut_region* r = &regions[i];
        const int s = r->kind == ABUT_REGION_INSIDE_B ? 0 : 1;
        pairs += r->pair_count;
        REQUIRE(contact || r->kind != ABUT_REGION_CONTACT);
        contact = r->kind == ABUT_REGION_CONTACT;
        if (contact) {
            REQUIRE(r->pair_count > 0);
            continue;
        }
        const int number = piece_of(t, r);
        REQUIRE(is_whole(&t->of[s].piece[number], &t->of[1 - s]) && !seen[s][number]);
        seen[s][number] = true;
        ++whole;
        require_piece_free(t, r, number);
        require_bounds(t, r, number);
    }
    for (int s = 0; s < 2; ++s) {
        for (int k = 0; k < t->of[s].count; ++k) {
            REQUIRE(seen[s][k] == is_whole(&t->of[s].piece[k], &t->of[1 - s]));
        }
    }
    REQUIRE_OK(abut_collide(t->w.scene, t->body[0], t->body[1], NULL, t->w.result, NULL));
    size_t touching = 0;
    (void)abut_collide_result_pairs(t->w.result, &touching);
    REQUIRE(pairs == touching);
    return whole;
}

static piece box_at(double x, double y, double z, double half) {
    return (piece){{x - half, y - half, z - half}, {x + half, y + half, z + half}, 1};
}

// ---- tests

// one piece is inside while another one cuts: the simplest case, in both orders
static void test_a_piece_inside_while_another_cuts(void** state) {
    (void)state;
    const pieces big = {{box_at(0, 0, 0, 4)}, 1};
    const pieces two = {{box_at(4, 0.25, 0.5, 1), box_at(-1, 0.5, -0.25, 0.5)}, 2};
    for (int turned = 0; turned < 2; ++turned) {
        trial t = turned == 0 ? trial_make(&two, &big) : trial_make(&big, &two);
        size_t count = 0;
        where("turned %d", turned);
        const abut_region* r = solve(&t, NULL, &count);
        REQUIRE(count == 2);
        REQUIRE(r[0].kind == ABUT_REGION_CONTACT);
        REQUIRE(r[1].kind == (turned == 0 ? ABUT_REGION_INSIDE_B : ABUT_REGION_INSIDE_A));
        REQUIRE(require_regions(&t, r, count) == 1);
        // through the side x = -4: half a box and the distance to that side
        REQUIRE(fabs(r[1].depth - 3.5) < 0.01 && r[1].direction[0] * (turned == 0 ? -1 : 1) > 0.99);
        trial_free(&t);
    }
}

// a shell in a shell in a shell: a piece in the hollow is outside
static void test_nested_shells(void** state) {
    (void)state;
    pieces shells = {{box_at(0, 0, 0, 8), box_at(0, 0, 0, 6), box_at(0, 0, 0, 4)}, 3};
    shells.piece[1].sign = -1;
    // in the outer wall, in the hollow, in the core, and one that cuts the core
    const pieces balls = {{box_at(7, 0, 0, 0.5), box_at(0, 5, 0, 0.5), box_at(0, 0, 1, 0.5),
                           box_at(0, -4, 0, 0.5)},
                          4};
    for (int turned = 0; turned < 2; ++turned) {
        trial t = turned == 0 ? trial_make(&balls, &shells) : trial_make(&shells, &balls);
        size_t count = 0;
        where("shells, turned %d", turned);
        const abut_region* r = solve(&t, NULL, &count);
        REQUIRE(count == 3);
        REQUIRE(require_regions(&t, r, count) == 2);
        trial_free(&t);
    }
}

static pieces random_pieces(test_random* random) {
    pieces all = {.count = 1 + (int)random_below(random, PIECES)};
    for (int i = 0; i < all.count; ++i) {
        const double size = exp2(random_double(random, -2, 3));
        for (int d = 0; d < 3; ++d) {
            const double centre = random_double(random, -4, 4);
            const double half = 0.5 * size * random_double(random, 0.7, 1.4);
            all.piece[i].lo[d] = centre - half;
            all.piece[i].hi[d] = centre + half;
        }
        all.piece[i].sign = random_chance(random, 0.2) ? -1 : 1;
    }
    return all;
}

static void test_random_pieces(void** state) {
    (void)state;
    const uint64_t rounds = effort(600, 1200, 12000);
    uint32_t whole = 0;
    uint32_t beside_contact = 0;
    for (uint64_t seed = 1; seed <= rounds; ++seed) {
        test_random random = random_seed(seed);
        const pieces a = random_pieces(&random);
        const pieces b = random_pieces(&random);
        trial t = trial_make(&a, &b);
        size_t count = 0;
        where("seed %llu", (unsigned long long)seed);
        const abut_region* r = solve(&t, NULL, &count);
        const bool contact = count > 0 && r[0].kind == ABUT_REGION_CONTACT;
        const uint32_t found = require_regions(&t, r, count);
        whole += found;
        beside_contact += contact ? found : 0;
        trial_free(&t);
    }
    print_message("%u pieces inside, %u of them beside contact\n", whole, beside_contact);
    REQUIRE(beside_contact > rounds / 6 && whole > beside_contact + rounds / 20);
}

// one translation for all pieces: afterwards nothing touches and nothing is inside
static void test_together(void** state) {
    (void)state;
    const uint64_t rounds = effort(60, 300, 3000);
    uint32_t asked = 0;
    for (uint64_t seed = 1; seed <= rounds; ++seed) {
        test_random random = random_seed(1000 + seed);
        const pieces a = random_pieces(&random);
        const pieces b = random_pieces(&random);
        trial t = trial_make(&a, &b);
        abut_depth_def def = abut_depth_def_default();
        def.one_region = true;
        size_t count = 0;
        where("together, seed %llu", (unsigned long long)seed);
        const abut_region* r = solve(&t, &def, &count);
        REQUIRE(count <= 1);
        if (count == 1 && !r->interlocked) {
            double translation[3];
            for (int d = 0; d < 3; ++d) {
                translation[d] = r->depth * r->direction[d];
            }
            const pieces moved = pieces_moved(&a, translation);
            for (int k = 0; k < a.count; ++k) {
                REQUIRE(!touches_any(&moved.piece[k], &b) &&
                        winding_around(&moved.piece[k], &b) == 0);
            }
            for (int k = 0; k < b.count; ++k) {
                REQUIRE(winding_around(&b.piece[k], &moved) == 0);
            }
            ++asked;
        }
        trial_free(&t);
    }
    REQUIRE(asked > rounds / 2);
}

// regions of pieces keep their ids while the bodies move, and their translations do not jump
static void test_pieces_go_on(void** state) {
    (void)state;
    const pieces big = {{box_at(0, 0, 0, 4)}, 1};
    const pieces start = {
        {box_at(4, 0, 0.5, 1), box_at(-1, 0.5, -0.25, 0.5), box_at(1, 1, 2, 0.25)}, 3};
    uint32_t id[PIECES] = {0};
    trial t = trial_make(&start, &big);
    for (int step = 0; step < 40; ++step) {
        // the first piece leaves and comes back
        const double translation[3] = {0.06 * (step < 20 ? step : 40 - step), 0.01 * step,
                                       -0.02 * step};
        const pieces now = pieces_moved(&start, translation);
        trial_set(&t, &now, &big);
        size_t count = 0;
        where("step %d", step);
        const abut_region* r = solve(&t, NULL, &count);
        REQUIRE(require_regions(&t, r, count) == 2);
        for (size_t i = 0; i < count; ++i) {
            if (r[i].kind != ABUT_REGION_INSIDE_B) {
                continue;
            }
            const int number = piece_of(&t, &r[i]);
            REQUIRE(step == 0 || (r[i].id == id[number] && !r[i].is_new));
            REQUIRE(step == 0 || r[i].jump < 2 * 0.0642 + 1e-6);
            id[number] = r[i].id;
        }
    }
    trial_free(&t);
}

// Puts a piece inside the big box (0), outside (1) or through its side (2).
static piece placed(test_random* random, int where_to) {
    const double x = where_to == 0 ? 0 : where_to == 1 ? 9 : 4;
    const double y = random_double(random, -2, 2);
    const double z = random_double(random, -2, 2);
    return box_at(x + random_double(random, -0.5, 0.5), y, z, random_double(random, 0.6, 1.4));
}

// The lists of regions are kept while nothing touches and the same pieces stay inside. Pieces stay,
// leave, come back and touch; there may be only one.
static void test_pieces_stay_or_leave(void** state) {
    (void)state;
    const pieces big = {{box_at(0, 0, 0, 4)}, 1};
    uint32_t kept = 0;
    for (uint64_t seed = 1; seed <= effort(6, 60, 600); ++seed) {
        test_random random = random_seed(9300 + seed);
        pieces now = {.count = 1 + (int)(seed % 3)};
        int at[PIECES] = {0};
        uint32_t id[PIECES] = {0};
        for (int k = 0; k < now.count; ++k) {
            now.piece[k] = placed(&random, 0);
        }
        const bool turned = seed % 2 == 0;
        trial t = turned ? trial_make(&now, &big) : trial_make(&big, &now);
        for (int step = 0; step < 24; ++step) {
            bool stays[PIECES];
            for (int k = 0; k < now.count; ++k) {
                const int before = at[k];
                const bool same = random_chance(&random, 0.75);
                at[k] = same ? before : (int)random_below(&random, 3);
                stays[k] = step > 0 && before == 0 && at[k] == 0;
                now.piece[k] = placed(&random, at[k]);
            }
            trial_set(&t, turned ? &now : &big, turned ? &big : &now);
            size_t count = 0;
            where("seed %llu, step %d", (unsigned long long)seed, step);
            const abut_region* r = solve(&t, NULL, &count);
            require_regions(&t, r, count);
            for (size_t i = 0; i < count; ++i) {
                if (r[i].kind == ABUT_REGION_CONTACT) {
                    continue;
                }
                const int number = piece_of(&t, &r[i]);
                REQUIRE(!stays[number] || (r[i].id == id[number] && !r[i].is_new));
                kept += stays[number];
                id[number] = r[i].id;
            }
        }
        trial_free(&t);
    }
    REQUIRE(kept > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_piece_inside_while_another_cuts),
        cmocka_unit_test(test_nested_shells),
        cmocka_unit_test(test_random_pieces),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_pieces_go_on),
        cmocka_unit_test(test_pieces_stay_or_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
