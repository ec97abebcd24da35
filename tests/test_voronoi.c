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
    abut__site_corners(sites, site, 1, &p[0][0]);
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
                        abut__measured* measured) {
    (void)worker;
    for (uint32_t i = 0; i < count; ++i) {
        measured[i] = (abut__measured){.distance = distance_of(user, pairs[i].own, pairs[i].other),
                                       .whole = true};
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

static const abut__voronoi_best nothing = {
    .distance = INFINITY, .own = ABUT__NONE, .other = ABUT__NONE};

static abut__voronoi_best brute_triangle(const abut__sites* sites, uint32_t t, bool within) {
    const abut__site_place* places = sites->places.data;
    abut__voronoi_best best = nothing;
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
        best[t] = nothing;
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
        best[b] = nothing;
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
            check_triangles(&s, 0, false, effort(97, 23, 23));
            check_triangles(&s, 0, true, effort(47, 23, 23));
            if (scenes[i].triangles < 700) {
                check_bodies(&s, 0);
            }
            subject_free(&s);
        }
        scene_destroy(from);
    }
}

// one body alone, as it is searched within itself: small ones in a row, larger ones on a grid
static void check_alone(const surface* from, double scale, double shift, uint32_t step) {
    subject s = subject_make();
    surface moved = surface_copy(from);
    surface_shift(&moved, shift, -shift, 0);
    surface_scale(&moved, scale);
    world_add(&s.w, &moved, NULL, NULL);
    surface_free(&moved);
    check_triangles(&s, 0, true, step);
    check_triangles(&s, 17, true, step);
    subject_free(&s);
}

static void test_bodies_alone_give_what_all_pairs_give(void** state) {
    (void)state;
    static const double scales[] = {1.0, 0x1p-900, 0x1p40, 0x1p960};
    static const double shifts[] = {0.0, 1.0, 1e6, 1e15};
    for (uint32_t seed = 1; seed <= effort(40, 160, 640); ++seed) {
        test_random random = random_seed(seed);
        // around whole runs, of equal and of very different triangles
        const uint32_t count = 16 * (1 + seed % 4) - 1 + seed / 4 % 3;
        surface soup = surface_soup(&random, count, seed % 3 == 0 ? 1.0 : 6.0,
                                    seed % 5 == 0 ? 4.0 : 0.5, seed % 2 ? 0.25 : 0x1p-10);
        surface ball = surface_ball(3 + seed % 5, 4 + seed % 7, 1.0);
        surface_shake(&ball, &random, 0.2, 0x1p-12);
        const double scale = scales[seed % 8 < 4 ? 0 : seed % 4];
        const double shift = shifts[seed % 16 < 8 ? 0 : seed % 4];
        where("seed %u", seed);
        check_alone(&soup, scale, shift, 1);
        check_alone(&ball, scale, shift, 1);
        surface_free(&soup);
        surface_free(&ball);
    }
    // up to the last that is searched in a row, and the first that is not
    for (uint32_t extra = 0; extra < 2; ++extra) {
        test_random random = random_seed(extra + 1);
        surface soup = surface_soup(&random, ABUT__NEAR_SHARING + extra, 12.0, 0.8, 0x1p-10);
        where("%u triangles", ABUT__NEAR_SHARING + extra);
        check_alone(&soup, 1.0, 0.0, effort(41, 11, 3));
        surface_free(&soup);
    }
}

// ---- the parts

// what a search in a row lists is its definition, in all instruction sets
static void test_rows_are_searched_by_definition(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(8, 30, 120); ++seed) {
        test_random random = random_seed(seed);
        subject s = subject_make();
        surface ball = surface_ball(3 + seed % 5, 9 + seed, 1.0);
        surface_shake(&ball, &random, 0.1, 0x1p-12);
        world_add(&s.w, &ball, NULL, NULL);
        surface_free(&ball);
        gather(&s, 0);
        REQUIRE(abut__voronoi_prepare_line(s.w.context, &s.v, &s.ask, false));
        REQUIRE(abut__line_make_corners(s.w.context, &s.v));
        const abut__sites* sites = &s.v.sites;
        const uint32_t count = abut__site_count(sites);
        float* reach = test_alloc(count, sizeof *reach);
        for (uint32_t t = 0; t < count; ++t) {
            reach[t] = (float)(random_unit(&random) * (seed % 2 ? 15.0 : 40.0));
        }
        abut__line_aim(&s.v, reach);
        uint32_t* wanted = test_alloc(count, sizeof *wanted);
        uint32_t* found = test_alloc(count, sizeof *found);
        float* gaps = test_alloc(count, sizeof *gaps);
        uint64_t all = 0;
        for (uint32_t t = 0; t < count; ++t) {
            uint32_t some = 0;
            const abut__site* own = &sites->sites.data[t];
            for (uint32_t k = t + 1; k < count; ++k) {
                const abut__site* other = &sites->sites.data[k];
                const float gap = abut__box_gap(own->lo, own->hi, other->lo, other->hi);
                const float most = reach[t] > reach[k] ? reach[t] : reach[k];
                if (gap <= most && !abut__sites_adjacent(sites, t, k)) {
                    wanted[some++] = k;
                }
            }
            all += some;
            abut__boxes_seen first = {0, 0};
            FOR_EACH_KERNELS(set, kernels) {
                const abut__boxes_seen seen = kernels->later_boxes(&s.v.line.view, t, found, gaps);
                first = set == 0 ? seen : first;
                where("seed %u, triangle %u, set %d", seed, t, set);
                REQUIRE(seen.count == first.count && seen.tested == first.tested);
                uint32_t next = 0;
                for (uint32_t i = 0; i < seen.count; ++i) {
                    const abut__site* other = &sites->sites.data[found[i]];
                    const float gap = abut__box_gap(own->lo, own->hi, other->lo, other->hi);
                    const float most = reach[t] > reach[found[i]] ? reach[t] : reach[found[i]];
                    REQUIRE(found[i] > t && !abut__sites_adjacent(sites, t, found[i]));
                    REQUIRE(gap <= most * 1.001f + 8 * sites->pad);
                    REQUIRE(fabsf(sqrtf(gaps[i]) - gap) <= 1e-5f * (1 + gap));
                    next += next < some && found[i] == wanted[next];
                }
                REQUIRE(next == some);
            }
        }
        assert_true(all > count);
        free(reach);
        free(wanted);
        free(found);
        free(gaps);
        subject_free(&s);
    }
}

// vertices that no triangle has change nothing, wherever they are
static void test_spare_vertices_change_nothing(void** state) {
    (void)state;
    static const double places[] = {0.0, 1e12, -1e300, INFINITY, NAN};
    subject plain = subject_make();
    surface ball = surface_ball(5, 7, 1.0);
    world_add(&plain.w, &ball, NULL, NULL);
    gather(&plain, 0);
    REQUIRE(abut__sites_place(plain.w.context, &plain.v.sites, 0));
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        subject s = subject_make();
        surface more = surface_make(ball.vertex_count + 1, ball.triangle_count);
        memcpy(more.triangles, ball.triangles, 3 * (size_t)ball.triangle_count * sizeof(uint32_t));
        memcpy(more.xyz, ball.xyz, 3 * (size_t)ball.vertex_count * sizeof(double));
        double* spare = more.xyz + 3 * (size_t)ball.vertex_count;
        spare[0] = spare[1] = spare[2] = 0;
        const abut_body_id id = world_add(&s.w, &more, NULL, NULL);
        spare[0] = spare[1] = spare[2] = places[i];
        where("at %g", places[i]);
        REQUIRE_OK(abut_body_borrow_positions(
            s.w.scene, id, abut_positions_f64(more.xyz, more.vertex_count), NULL));
        gather(&s, 0);
        REQUIRE(s.v.sites.bad_vertex == UINT64_MAX);
        REQUIRE(abut__sites_place(s.w.context, &s.v.sites, 0));
        REQUIRE(s.v.sites.scale == plain.v.sites.scale && s.v.sites.pad == plain.v.sites.pad);
        REQUIRE(memcmp(s.v.sites.origin, plain.v.sites.origin, sizeof(double[3])) == 0);
        surface_free(&more);
        subject_free(&s);
    }
    surface_free(&ball);
    subject_free(&plain);
}

// sorting by cells and linking at vertices give the same for any number of threads
static void test_parts_change_nothing(void** state) {
    (void)state;
    surface ball = surface_ball(60, 80, 1.0);
    reference bytes[5] = {0};
    everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, 3);
    while (everywhere_next(&at)) {
        subject s = {.w = world_make(&at.def, NULL)};
        world_add(&s.w, &ball, NULL, NULL);
        gather(&s, 90);
        where("%s", at.text);
        REQUIRE(abut__voronoi_prepare(s.w.context, &s.v, &s.ask, false));
        REQUIRE(abut__rings_make(s.w.context, &s.v));
        const abut__grid_cells* grid = &s.v.grid;
        REQUIRE(grid->pieces.count > 8192 && abut__site_count(&s.v.sites) > 4096);
        const abut__vector* parts[5] = {&grid->cell_first.raw, &grid->site_of.raw, &grid->sides.raw,
                                        &s.v.ring.raw, &s.v.ring_first.raw};
        const size_t sizes[5] = {4, 4, 4, sizeof(abut__ring_entry), 4};
        for (int i = 0; i < 5; ++i) {
            const size_t unset = i == 1 ? 16 : 0;  // at the end, not used
            REQUIRE(
                reference_same(&bytes[i], parts[i]->data, (parts[i]->count - unset) * sizes[i]));
        }
        // each cell has its pieces, in the order of their sites
        for (uint32_t c = 0; c < abut__cell_count(grid); ++c) {
            for (uint32_t i = grid->cell_first.data[c]; i < grid->cell_first.data[c + 1]; ++i) {
                const uint32_t t = grid->site_of.data[i];
                bool in = false;
                for (uint32_t k = grid->site_first.data[t]; k < grid->site_first.data[t + 1]; ++k) {
                    in = in || grid->pieces.data[k].cell == c;
                }
                REQUIRE(in);
                REQUIRE(i == grid->cell_first.data[c] || t > grid->site_of.data[i - 1]);
            }
        }
        REQUIRE(grid->cell_first.data[abut__cell_count(grid)] == grid->pieces.count);
        subject_free(&s);
    }
    for (int i = 0; i < 5; ++i) {
        reference_free(&bytes[i]);
    }
    surface_free(&ball);
}

// a random point of a triangle, in cells
static void random_point(test_random* random, const abut__sites* sites, uint32_t t, double x[3]) {
    double w[3] = {random_unit(random), random_unit(random), 0};
    double p[3][3];
    w[0] = w[0] + w[1] > 1 ? 1 - w[0] : w[0];
    w[1] = w[0] + w[1] > 1 ? 1 - w[1] : w[1];
    w[2] = 1 - w[0] - w[1];
    corners_of(sites, t, p);
    for (int d = 0; d < 3; ++d) {
        const double at = w[0] * p[0][d] + w[1] * p[1][d] + w[2] * p[2][d];
        x[d] = (at - sites->origin[d]) * sites->scale;
    }
}

// every point of a triangle is in one of its pieces, which are no larger than a cell, and searches
// find that piece
static void test_pieces_contain_their_triangles(void** state) {
    (void)state;
    uint32_t split = 0;
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        test_random random = random_seed(seed);
        subject s = subject_make();
        surface soup = surface_soup(&random, 20, 3.0, seed % 2 ? 1.5 : 0.1, 0x1p-20);
        world_add(&s.w, &soup, NULL, NULL);
        surface_free(&soup);
        gather(&s, 5 + 7 * seed);
        REQUIRE(abut__sites_place(s.w.context, &s.v.sites, s.ask.cells));
        REQUIRE(abut__grid_fill(s.w.context, &s.v.sites, &s.v.grid));
        const abut__grid_cells* grid = &s.v.grid;
        const double pad = 2 * (double)s.v.sites.pad;
        split += grid->split;
        for (uint32_t t = 0; t < abut__site_count(&s.v.sites); ++t) {
            for (uint32_t n = 0; n < 200; ++n) {
                double x[3];
                random_point(&random, &s.v.sites, t, x);
                const float point[3] = {(float)x[0], (float)x[1], (float)x[2]};
                uint64_t cells = 0;
                const abut__cell_range range = abut__cells_near(grid, point, point, 0, &cells);
                bool in = false;
                where("seed %u, triangle %u", seed, t);
                for (uint32_t i = grid->site_first.data[t]; i < grid->site_first.data[t + 1]; ++i) {
                    const abut__piece* piece = &grid->pieces.data[i];
                    uint32_t cell = piece->cell;
                    bool inside = true;
                    bool found = true;
                    for (int d = 0; d < 3; ++d) {
                        const uint32_t at = cell % grid->size[d];
                        cell /= grid->size[d];
                        REQUIRE(piece->hi[d] - piece->lo[d] <= 1);
                        inside = inside && x[d] >= (double)piece->lo[d] - pad &&
                                 x[d] <= (double)piece->hi[d] + pad;
                        found = found && at >= range.lo[d] && at <= range.hi[d];
                    }
                    in = in || (inside && found);
                }
                REQUIRE(in);
            }
        }
        subject_free(&s);
    }
    assert_in_range(split, 1, 19);
}

// the distance of a point in cells from a site, in cells
static double sample_distance(const abut__sites* sites, const double x[3], uint32_t site) {
    double p[2][3][3];
    abut_distance out;
    for (int i = 0; i < 9; ++i) {
        p[0][i / 3][i % 3] = x[i % 3] / sites->scale + sites->origin[i % 3];
    }
    corners_of(sites, site, p[1]);
    abut__triangles_distance((const double(*)[3])p[0], (const double(*)[3])p[1], &out);
    return out.distance * sites->scale;
}

// the diagram at the samples of a site, by comparison with all sites: the label is the nearest one
// that counts, up to the error of its distance; and by half a diagonal no pair is bounded too high
static void check_diagram(const subject* s, const abut__voronoi_worker* w, uint32_t t, bool within,
                          float reach) {
    const abut__sites* sites = &s->v.sites;
    const abut__grid_cells* grid = &s->v.grid;
    const abut__site_place* places = sites->places.data;
    const abut__site* own = &sites->sites.data[t];
    uint64_t cells = 0;
    abut__cells_near(grid, own->lo, own->hi, reach + 4 * sites->pad, &cells);
    const bool pieces = cells > 256 && cells <= 4096;
    double nearest = INFINITY;
    for (uint32_t k = 0; k < abut__site_count(sites); ++k) {
        if (k == t || (places[k].body == places[t].body) != within ||
            (within && abut__sites_adjacent(sites, t, k))) {
            continue;
        }
        size_t at = 0;
        while (at < w->found.count && w->found.data[at].other != k) {
            ++at;
        }
        const double exact = distance_of(sites, t, k) * sites->scale;
        REQUIRE(at < w->found.count || exact > (double)reach);
        if (at == w->found.count) {
            continue;
        }
        REQUIRE((double)w->found.data[at].gap <= exact);
        // the samples of a small site, or of one in many cells: its middle, or those of its pieces
        double least = INFINITY;
        const uint32_t first = grid->site_first.data[t];
        const uint32_t end = grid->site_first.data[t + 1];
        for (uint32_t i = pieces ? first : end - 1; i < end; ++i) {
            const float* lo = pieces ? grid->pieces.data[i].lo : sites->sites.data[t].lo;
            const float* hi = pieces ? grid->pieces.data[i].hi : sites->sites.data[t].hi;
            double x[3];
            for (int d = 0; d < 3; ++d) {
                x[d] = 0.5 * ((double)lo[d] + (double)hi[d]);
            }
            least = fmin(least, sample_distance(sites, x, k));
        }
        REQUIRE((double)w->found.data[at].above >= least - 0.01 * (1 + least));
        nearest = fmin(nearest, least);
    }
    if (w->found.count > 0) {
        const size_t label = abut__near_label(w, 0, w->found.count);
        REQUIRE(fabs((double)w->found.data[label].above - nearest) <= 0.01 * (1 + nearest));
    }
    for (size_t i = 0; i < w->found.count; ++i) {  // each once, and only what counts
        REQUIRE(w->found.data[i].own == t);
        for (size_t k = i + 1; k < w->found.count; ++k) {
            REQUIRE(w->found.data[i].other != w->found.data[k].other);
        }
    }
}

static void test_diagram_is_of_second_order(void** state) {
    (void)state;
    everywhere at = everywhere_cross((const uint32_t[]){1, 0}, 0);
    while (everywhere_next(&at)) {
        for (uint32_t seed = 1; seed <= 6; ++seed) {
            test_random random = random_seed(seed);
            subject s = {.w = world_make(&at.def, NULL)};
            for (uint32_t b = 0; b < 1 + seed % 4; ++b) {
                surface soup = surface_soup(&random, 6, 2.0, seed % 3 == 0 ? 0.9 : 0.3, 0x1p-10);
                world_add(&s.w, &soup, NULL, NULL);
                surface_free(&soup);
                surface ball = surface_ball(3, 5, 0.7 + 0.2 * b);
                world_add(&s.w, &ball, NULL, NULL);
                surface_free(&ball);
            }
            gather(&s, seed % 2 ? 0 : 9 + seed);
            REQUIRE(abut__voronoi_prepare(s.w.context, &s.v, &s.ask, false));
            for (uint32_t t = 0; t < abut__site_count(&s.v.sites); ++t) {
                for (int turn = 0; turn < 4; ++turn) {
                    const abut__near_ask ask = {
                        .meet = meet_all, .within = turn % 2 == 0, .sampled = true};
                    const float reach = turn < 2 ? 0.8f : 100.0f;
                    s.v.workers[0].found.count = 0;
                    where("%s, seed %u, triangle %u, turn %d", at.text, seed, t, turn);
                    abut__near_find(s.w.context, &s.v, s.v.workers, &ask, t, reach);
                    check_diagram(&s, s.v.workers, t, ask.within, reach);
                }
            }
            subject_free(&s);
        }
    }
}

// the first bound within a body: no less than the distance to the nearest triangle that counts
static void test_rings_bound_distances(void** state) {
    (void)state;
    uint32_t finite = 0;
    for (uint32_t seed = 0; seed <= 6; ++seed) {  // at first without any that counts
        subject s = subject_make();
        surface ball = surface_ball(2 + seed, 3 + 2 * seed, 1.0);
        test_random random = random_seed(seed);
        for (size_t i = 0; i < 3 * ball.vertex_count; ++i) {
            ball.xyz[i] += 0.1 * random_unit(&random);
        }
        world_add(&s.w, &ball, NULL, NULL);
        surface_free(&ball);
        gather(&s, 0);
        REQUIRE(abut__voronoi_prepare(s.w.context, &s.v, &s.ask, false));
        REQUIRE(abut__rings_make(s.w.context, &s.v));
        float together[1024];
        const uint32_t count = abut__site_count(&s.v.sites);
        assert_true(count <= 1024);
        abut__rings_above(s.w.context, &s.v, s.v.workers, 0, count, together);
        for (uint32_t t = 0; t < count; ++t) {
            const double least = brute_triangle(&s.v.sites, t, true).distance;
            const float above = abut__ring_above(s.w.context, &s.v, s.v.workers, t);
            where("seed %u, triangle %u", seed, t);
            REQUIRE((double)above >= least * s.v.sites.scale);
            REQUIRE((double)together[t] >= least * s.v.sites.scale);
            REQUIRE((above < INFINITY) == (together[t] < INFINITY));
            finite += above < INFINITY;
        }
        subject_free(&s);
    }
    assert_true(finite > 100);
}

// bounds of pairs are valid, mostly tight, and the same bits in all sets; those of stage I are valid
static void test_bounds_are_valid(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(8, 30, 200); ++seed) {
        test_random random = random_seed(seed);
        subject s = subject_make();
        for (uint32_t b = 0; b < 4; ++b) {
            const double size = seed % 4 == 0 ? 8.0 : seed % 2 ? 0.2 : 2.0;
            surface soup = surface_soup(&random, 15, 5.0, size, seed % 5 == 0 ? 0.5 : 0x1p-14);
            world_add(&s.w, &soup, NULL, NULL);
            surface_free(&soup);
        }
        gather(&s, seed % 3 == 0 ? 7 : seed % 3 == 1 ? 64 : 0);
        uint32_t tight = 0;
        uint32_t apart = 0;
        REQUIRE(abut__voronoi_prepare(s.w.context, &s.v, &s.ask, true));
        const abut__sites* sites = &s.v.sites;
        const uint32_t count = abut__site_count(sites);
        double body_least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
        for (uint32_t t = 0; t < count; ++t) {
            const double least = brute_triangle(sites, t, false).distance;
            const uint32_t body = sites->places.data[t].body;
            body_least[body] = least < body_least[body] ? least : body_least[body];
            float bounds[ISA_SETS][2][256] = {0};
            uint32_t pairs[256][2];
            assert_true(count <= 256);
            for (uint32_t k = 0; k < count; ++k) {
                pairs[k][0] = t;
                pairs[k][1] = k;
            }
            where("seed %u, triangle %u", seed, t);
            FOR_EACH_KERNELS(set, kernels) {
                kernels->bound_pairs(sites->sites.data[0].corner[0], sizeof(abut__site) / 4,
                                     (const uint32_t(*)[2])pairs, count, 2 * sites->pad,
                                     bounds[set][0], bounds[set][1]);
                REQUIRE(memcmp(bounds[set], bounds[0], sizeof bounds[0]) == 0);
            }
            for (uint32_t k = 0; k < count; ++k) {
                const double exact = distance_of(sites, t, k) * sites->scale;
                const double below = (double)bounds[0][0][k];
                const double above = (double)bounds[0][1][k];
                REQUIRE(below <= exact && above >= exact);
                apart += exact > 0;
                tight += exact > 0 && below > 0.99 * exact && above < 1.01 * exact;
            }
        }
        REQUIRE(10 * tight > 9 * apart);
        for (int b = 0; b < 4; ++b) {
            REQUIRE((double)s.v.intervals.reach.data[b] >= body_least[b] * sites->scale);
        }
        subject_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_contain_their_triangles),
        cmocka_unit_test(test_diagram_is_of_second_order),
        cmocka_unit_test(test_rings_bound_distances),
        cmocka_unit_test(test_bounds_are_valid),
        cmocka_unit_test(test_soups_give_what_all_pairs_give),
        cmocka_unit_test(test_extents_do_not_matter),
        cmocka_unit_test(test_turned_bodies_are_found),
        cmocka_unit_test(test_scenes_give_what_all_pairs_give),
        cmocka_unit_test(test_bodies_alone_give_what_all_pairs_give),
        cmocka_unit_test(test_rows_are_searched_by_definition),
        cmocka_unit_test(test_parts_change_nothing),
        cmocka_unit_test(test_spare_vertices_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
