// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Voronoi culling by itself: its parts against their definitions, and its results against all
// pairs, on soups and scenes, at all resolutions, for flat, far, tiny and huge surfaces.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/distance.h"
#include "voronoi/grid_gaps.h"
#include "voronoi/voronoi.h"

#include "support/everywhere.h"
#include "support/scenery.h"

static bool meet_all(const abut__body* a, const abut__body* b) {
    (void)a;
    (void)b;
    return true;
}

static void corners_of(const abut__sites* sites, uint32_t site, double p[3][3]) {
    memcpy(p, sites->world.data + site, 9 * sizeof(double));
}

// a fixed order of arguments for a pair, so that rounding does not depend on the caller
static double distance_of(const abut__sites* sites, uint32_t a, uint32_t b) {
    double p[2][3][3];
    abut_distance out;
    corners_of(sites, a < b ? a : b, p[0]);
    corners_of(sites, a < b ? b : a, p[1]);
    abut__triangles_distance((const double(*)[3])p[0], (const double(*)[3])p[1], &out);
    return out.distance;
}

static uint32_t measure(void* user, uint32_t worker, const abut__near* pairs, uint32_t count,
                        double* distances) {
    (void)worker;
    for (uint32_t i = 0; i < count; ++i) {
        distances[i] = distance_of(user, pairs[i].own, pairs[i].other);
    }
    return count;
}

typedef struct subject {
    world w;
    abut__voronoi v;
    abut__voronoi_ask ask;
} subject;

static subject subject_make(void) {
    subject s = {.w = world_make(NULL, NULL)};
    return s;
}

static void subject_free(subject* s) {
    abut__voronoi_free(s->w.context, &s->v);
    world_free(&s->w);
}

// gathers all bodies of the world
static void gather(subject* s, uint32_t cells) {
    REQUIRE(abut__voronoi_begin(s->w.context, &s->v));
    for (uint32_t i = 0; i < abut_scene_body_limit(s->w.scene); ++i) {
        abut__body* body = abut__scene_at(s->w.scene, i);
        REQUIRE(body == NULL || abut__sites_add(s->w.context, &s->v.sites, body));
    }
    s->ask = (abut__voronoi_ask){.meet = meet_all,
                                 .cells = cells,
                                 .only = ABUT__NONE,
                                 .measure = measure,
                                 .user = &s->v.sites};
}

// ---- against all pairs

static abut__voronoi_best brute_triangle(const abut__sites* sites, uint32_t t, bool within) {
    const abut__site_place* places = sites->places.data;
    abut__voronoi_best best = {INFINITY, t, ABUT__NONE};
    for (uint32_t k = 0; k < abut__site_count(sites); ++k) {
        if (k == t || (places[k].body == places[t].body) != within ||
            (within && abut__sites_adjacent(sites, t, k))) {
            continue;
        }
        const double distance = distance_of(sites, t, k);
        if (distance < best.distance) {
            best.distance = distance;
            best.other = k;
        }
    }
    return best;
}

static void check_triangles(subject* s, uint32_t cells, bool within, uint32_t step) {
    gather(s, cells);
    const uint32_t count = (uint32_t)s->v.sites.places.count;
    abut__voronoi_best* best = test_alloc(count, sizeof *best);
    for (uint32_t t = 0; t < count; ++t) {
        best[t] = (abut__voronoi_best){INFINITY, ABUT__NONE, ABUT__NONE};
    }
    REQUIRE(abut__voronoi_triangles(s->w.context, &s->v, &s->ask, within, best));
    for (uint32_t t = 0; t < count; t += step) {
        const abut__voronoi_best wanted = brute_triangle(&s->v.sites, t, within);
        REQUIRE(best[t].distance == wanted.distance);
        REQUIRE((best[t].other == ABUT__NONE) == (wanted.other == ABUT__NONE));
        REQUIRE(best[t].other == ABUT__NONE ||
                distance_of(&s->v.sites, t, best[t].other) == wanted.distance);
    }
    free(best);
}

static void check_bodies(subject* s, uint32_t cells) {
    gather(s, cells);
    const size_t bodies = s->v.sites.bodies.count;
    abut__voronoi_best* best = test_alloc(bodies, sizeof *best);
    for (size_t b = 0; b < bodies; ++b) {
        best[b] = (abut__voronoi_best){INFINITY, ABUT__NONE, ABUT__NONE};
    }
    REQUIRE(abut__voronoi_bodies(s->w.context, &s->v, &s->ask, best));
    for (size_t b = 0; b < bodies; ++b) {
        const abut__site_body* body = &s->v.sites.bodies.data[b];
        double least = INFINITY;
        for (uint32_t t = body->first; t < body->first + body->count; ++t) {
            const double distance = brute_triangle(&s->v.sites, t, false).distance;
            least = distance < least ? distance : least;
        }
        REQUIRE(best[b].distance == least);
        REQUIRE(best[b].other == ABUT__NONE ||
                distance_of(&s->v.sites, best[b].own, best[b].other) == least);
        REQUIRE(best[b].other == ABUT__NONE || s->v.sites.places.data[best[b].own].body == b);
    }
    free(best);
}

typedef struct pair_set {
    abut__near* pairs;
    size_t count;
} pair_set;

static bool keep_pairs(void* user, const abut__near* pairs, size_t count) {
    pair_set* set = user;
    set->pairs = realloc(set->pairs, (set->count + count) * sizeof *pairs);
    assert_non_null(set->pairs);
    memcpy(set->pairs + set->count, pairs, count * sizeof *pairs);
    set->count += count;
    return true;
}

// each pair within the distance is found exactly once
static void check_pairs(subject* s, uint32_t cells, bool within, double distance) {
    gather(s, cells);
    pair_set set = {NULL, 0};
    const abut__voronoi_all all = {.distance = distance, .within = within};
    REQUIRE(abut__voronoi_pairs(s->w.context, &s->v, &s->ask, &all, keep_pairs, &set));
    const uint32_t count = abut__site_count(&s->v.sites);
    uint8_t* found = calloc((size_t)count * count, 1);
    assert_non_null(found);
    for (size_t i = 0; i < set.count; ++i) {
        uint8_t* at = &found[(size_t)set.pairs[i].own * count + set.pairs[i].other];
        REQUIRE(set.pairs[i].own < set.pairs[i].other && *at == 0);
        *at = 1;
    }
    const abut__site_place* places = s->v.sites.places.data;
    for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t b = a + 1; b < count; ++b) {
            if ((places[a].body == places[b].body) == within &&
                !(within && abut__sites_adjacent(&s->v.sites, a, b)) &&
                distance_of(&s->v.sites, a, b) <= distance) {
                REQUIRE(found[(size_t)a * count + b] != 0);
            }
        }
    }
    free(found);
    free(set.pairs);
}

static void check_all(subject* s, uint32_t cells, double distance) {
    check_bodies(s, cells);
    check_triangles(s, cells, false, 1);
    check_triangles(s, cells, true, 1);
    check_pairs(s, cells, false, distance);
    check_pairs(s, cells, true, distance);
    check_pairs(s, cells, false, 0);
    check_pairs(s, cells, true, 0);
}

static void test_soups_give_what_all_pairs_give(void** state) {
    (void)state;
    const uint32_t seeds = effort(4, 30, 120);
    for (uint32_t seed = 1; seed <= seeds; ++seed) {
        test_random random = random_seed(seed);
        subject s = subject_make();
        const uint32_t bodies = 2 + seed % 5;
        const double range = seed % 3 == 0 ? 1.0 : 4.0;
        for (uint32_t b = 0; b < bodies; ++b) {
            surface soup = surface_soup(&random, 12 + 3 * b, range, 1.0, seed % 2 ? 0.25 : 0x1p-10);
            surface_shift(&soup, seed % 4 == 0 ? 3.0 * b : 0.0, 0, 0);
            world_add(&s.w, &soup, NULL, NULL);
            surface_free(&soup);
        }
        for (uint32_t cells = 0; cells <= 30; cells = cells == 0 ? 1 : cells * 3) {
            where("seed %u, %u cells", seed, cells);
            check_all(&s, cells, 0.3);
        }
        subject_free(&s);
    }
}

// flat in one or two axes, a single point, far away, tiny and huge
static void test_extents_do_not_matter(void** state) {
    (void)state;
    static const double scales[] = {1.0, 0x1p-900, 0x1p40, 0x1p960};
    static const double shifts[] = {0.0, 1.0, 1e6, 1e15};
    for (uint32_t kind = 0; kind < 4; ++kind) {
        for (size_t i = 0; i < 4; ++i) {
            for (size_t k = 0; k < 4; ++k) {
                test_random random = random_seed(7 * kind + (uint32_t)i);
                subject s = subject_make();
                for (uint32_t b = 0; b < 3; ++b) {
                    surface soup = surface_soup(&random, 5, 2.0, 1.0, 0.125);
                    for (size_t v = 0; v < soup.vertex_count; ++v) {
                        for (uint32_t d = 0; d < kind; ++d) {
                            soup.xyz[3 * v + d] = 0.5;
                        }
                    }
                    surface_shift(&soup, shifts[k], -shifts[k], 0);
                    surface_scale(&soup, scales[i]);
                    world_add(&s.w, &soup, NULL, NULL);
                    surface_free(&soup);
                }
                where("kind %u, scale %g, shift %g", kind, scales[i], shifts[k]);
                check_all(&s, 0, 0.3 * scales[i]);
                check_all(&s, 17, 0.3 * scales[i]);
                subject_free(&s);
            }
        }
    }
}

static void test_turned_bodies_are_found(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(6, 12, 60); ++seed) {
        test_random random = random_seed(seed);
        subject s = subject_make();
        for (uint32_t b = 0; b < 4; ++b) {
            surface ball = surface_ball(4, 6, 0.5 + 0.1 * b);
            abut_body_id body = world_add(&s.w, &ball, NULL, NULL);
            world_frame(&s.w, body, frame_random(&random, 3.0));
            surface_free(&ball);
        }
        where("seed %u", seed);
        check_all(&s, 0, 0.5);
        subject_free(&s);
    }
}

static void test_scenes_give_what_all_pairs_give(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t triangles;
    } scenes[] = {{"skirt", 700},   {"cloth_ball", 500}, {"bowl", 174},
                  {"letters", 700}, {"breaking", 700},   {"crowd", 800}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        scene* from = scene_create(scenes[i].name, scenes[i].triangles, 4, 1);
        assert_non_null(from);
        for (uint32_t frame = 1; frame < effort(2, 4, 4); frame += 2) {
            subject s = subject_make();
            scenery_add(&s.w, from, frame, NULL);
            where("%s, frame %u", scenes[i].name, frame);
            check_triangles(&s, 0, false, effort(47, 23, 23));
            check_triangles(&s, 0, true, effort(47, 23, 23));
            if (scenes[i].triangles < 700) {
                check_bodies(&s, 0);
            }
            subject_free(&s);
        }
        scene_destroy(from);
    }
}

// ---- the parts

// every point of a triangle is in one of its cells
static void test_cells_contain_their_triangles(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        test_random random = random_seed(seed);
        subject s = subject_make();
        surface soup = surface_soup(&random, 20, 3.0, 1.5, 0x1p-20);
        world_add(&s.w, &soup, NULL, NULL);
        surface_free(&soup);
        gather(&s, 5 + 7 * seed);
        REQUIRE(abut__sites_place(s.w.context, &s.v.sites, s.ask.cells));
        REQUIRE(abut__grid_fill(s.w.context, &s.v.sites, &s.v.grid));
        const uint32_t* first = s.v.grid.site_first.data;
        const uint32_t* cells = s.v.grid.of_site.data;
        for (uint32_t t = 0; t < abut__site_count(&s.v.sites); ++t) {
            for (uint32_t n = 0; n < 200; ++n) {
                double w[3] = {random_unit(&random), random_unit(&random), 0};
                w[0] = w[0] + w[1] > 1 ? 1 - w[0] : w[0];
                w[1] = w[0] + w[1] > 1 ? 1 - w[1] : w[1];
                w[2] = 1 - w[0] - w[1];
                double p[3][3];
                uint32_t at[3];
                corners_of(&s.v.sites, t, p);
                for (int d = 0; d < 3; ++d) {
                    const double x = w[0] * p[0][d] + w[1] * p[1][d] + w[2] * p[2][d];
                    const double place = (x - s.v.sites.origin[d]) * s.v.sites.scale;
                    at[d] = place < 0 ? 0 : (uint32_t)place;
                    at[d] = at[d] < s.v.grid.size[d] ? at[d] : s.v.grid.size[d] - 1;
                }
                const uint32_t cell = (at[2] * s.v.grid.size[1] + at[1]) * s.v.grid.size[0] + at[0];
                bool in = false;
                for (uint32_t i = first[t]; i < first[t + 1]; ++i) {
                    in = in || cells[i] == cell;
                }
                where("seed %u, triangle %u", seed, t);
                REQUIRE(in);
            }
        }
        subject_free(&s);
    }
}

// two labels a cell: the nearest cells of different bodies, by comparison with all cells
static void check_field(const subject* s) {
    const abut__field* field = &s->v.field;
    const uint32_t* size = s->v.grid.size;
    const uint32_t* first = s->v.grid.cell_first.data;
    const uint32_t* in_cell = s->v.grid.in_cell.data;
    const abut__site_place* places = s->v.sites.places.data;
    const uint32_t cells = abut__cell_count(&s->v.grid);
    for (uint32_t c = 0; c < cells; ++c) {
        int64_t least[16];
        for (int b = 0; b < 16; ++b) {
            least[b] = ABUT__LABEL_FAR;
        }
        for (uint32_t k = 0; k < cells; ++k) {
            int64_t square = 0;
            bool reached = true;
            uint32_t x = c;
            uint32_t y = k;
            for (int d = 0; d < 3; ++d) {
                const int64_t step = (int64_t)(x % size[d]) - (int64_t)(y % size[d]);
                square += step * step;
                reached = reached && llabs(step) <= (int64_t)field->band;
                x /= size[d];
                y /= size[d];
            }
            for (uint32_t i = first[k]; i < first[k + 1] && reached; ++i) {
                int64_t* of = &least[places[in_cell[i]].body];
                *of = square < *of ? square : *of;
            }
        }
        abut__label labels[2];
        abut__field_labels(field, c, labels);
        for (int i = 0; i < 2; ++i) {
            int64_t wanted = ABUT__LABEL_FAR;
            for (int b = 0; b < 16; ++b) {
                const bool taken = i == 1 && labels[0].body == b;
                wanted = !taken && least[b] < wanted ? least[b] : wanted;
            }
            REQUIRE(labels[i].distance_sq == wanted);
            REQUIRE(wanted == ABUT__LABEL_FAR ||
                    (least[labels[i].body] == wanted &&
                     places[labels[i].site].body == (uint32_t)labels[i].body));
        }
    }
}

static void test_field_is_the_second_order_diagram(void** state) {
    (void)state;
    everywhere at = everywhere_cross((const uint32_t[]){1, 0}, 0);
    while (everywhere_next(&at)) {
        for (uint32_t seed = 1; seed <= 6; seed += effort(2, 1, 1)) {
            test_random random = random_seed(seed);
            subject s = {.w = world_make(&at.def, NULL)};
            for (uint32_t b = 0; b < 2 + seed; ++b) {
                surface soup = surface_soup(&random, 3, 2.0, 0.3, 0x1p-10);
                world_add(&s.w, &soup, NULL, NULL);
                surface_free(&soup);
            }
            gather(&s, 9 + seed);
            REQUIRE(abut__sites_place(s.w.context, &s.v.sites, s.ask.cells));
            REQUIRE(abut__grid_fill(s.w.context, &s.v.sites, &s.v.grid));
            for (uint32_t band = 1; band <= ABUT__BAND_MOST; band += 3) {
                where("%s, seed %u, band %u", at.text, seed, band);
                REQUIRE(abut__field_make(s.w.context, &s.v.sites, &s.v.grid, band, &s.v.field));
                check_field(&s);
            }
            subject_free(&s);
        }
    }
}

// bounds of pairs are valid and mostly tight, and the diagram's bounds of triangles are valid
static void test_bounds_are_valid(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(8, 30, 200); ++seed) {
        test_random random = random_seed(seed);
        subject s = subject_make();
        for (uint32_t b = 0; b < 4; ++b) {
            const double size = seed % 4 == 0 ? 8.0 : seed % 2 ? 0.2 : 2.0;
            surface soup = surface_soup(&random, 15, 5.0, size, 0x1p-14);
            world_add(&s.w, &soup, NULL, NULL);
            surface_free(&soup);
        }
        where("seed %u", seed);
        gather(&s, seed % 3 == 0 ? 7 : seed % 3 == 1 ? 64 : 0);
        uint32_t tight = 0;
        uint32_t apart = 0;
        REQUIRE(abut__voronoi_prepare(s.w.context, &s.v, &s.ask, ABUT__VORONOI_SAMPLED, 0));
        const abut__sites* sites = &s.v.sites;
        const float* below = s.v.below.data;
        const float* reach = s.v.intervals.reach.data;
        double body_least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
        for (uint32_t t = 0; t < abut__site_count(sites); ++t) {
            const double least = brute_triangle(sites, t, false).distance;
            const uint32_t body = sites->places.data[t].body;
            body_least[body] = least < body_least[body] ? least : body_least[body];
            REQUIRE((double)below[t] <= least * sites->scale);
            for (uint32_t k = 0; k < abut__site_count(sites); ++k) {
                const abut__site* a = &sites->sites.data[t];
                const abut__site* b = &sites->sites.data[k];
                const double exact = distance_of(sites, t, k) * sites->scale;
                const float box = abut__box_gap(a->lo, a->hi, b->lo, b->hi);
                const abut__site_bounds bounds = abut__site_bound(sites, a, b, box, INFINITY);
                REQUIRE((double)bounds.below <= exact);
                REQUIRE((double)bounds.above >= exact);
                // beyond a reach the search may end early, and its result is then beyond the reach
                const float half = 0.5f * (float)exact;
                REQUIRE(exact == 0 ||
                        (double)abut__site_bound(sites, a, b, box, half).below <= exact);
                apart += exact > 0;
                tight += exact > 0 && (double)bounds.below > 0.95 * exact &&
                         (double)bounds.above < 1.05 * exact;
            }
        }
        REQUIRE(10 * tight > 7 * apart);
        for (int b = 0; b < 4; ++b) {
            REQUIRE((double)reach[b] >= body_least[b] * sites->scale);
        }
        subject_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_contain_their_triangles),
        cmocka_unit_test(test_field_is_the_second_order_diagram),
        cmocka_unit_test(test_bounds_are_valid),
        cmocka_unit_test(test_soups_give_what_all_pairs_give),
        cmocka_unit_test(test_extents_do_not_matter),
        cmocka_unit_test(test_turned_bodies_are_found),
        cmocka_unit_test(test_scenes_give_what_all_pairs_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
