// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contours against an exact graph of what pairs of triangles share: surfaces in general position, on
// coarse grids where vertices, edges and faces of both coincide, with borders, within one body;
// numbers of loops that are known; ends and their reasons; triangles without area; all motions.
#include "test_contour_support.h"

#include <math.h>

#include "exact/contact.h"
#include "exact/orient.h"
#include "support/memory.h"
#include "support/queries.h"
#include "support/solids.h"

// ---- scenes

typedef struct stage {
    world w;
    abut_contour_result* result;
} stage;

static stage stage_make(const abut_context_def* def) {
    stage s = {.w = world_make(def, NULL)};
    REQUIRE_OK(abut_contour_result_create(s.w.context, &s.result, NULL));
    return s;
}

static void stage_free(stage* s) {
    abut_contour_result_destroy(s->result);
    world_free(&s->w);
}

// traces the pairs of the world's result
static size_t trace(const stage* s, const abut_contour** contours) {
    size_t pair_count;
    size_t count;
    const abut_pair* pairs = abut_collide_result_pairs(s->w.result, &pair_count);
    REQUIRE_OK(abut_contour_trace(s->w.scene, pairs, pair_count, NULL, s->result, NULL));
    *contours = abut_contour_result_contours(s->result, &count);
    return count;
}

// the same of two bodies, or of one with itself
static size_t trace_bodies(const stage* s, abut_body_id a, abut_body_id b,
                           const abut_contour** contours) {
    abut_collide_def def = abut_collide_def_default();
    def.include_neighbours = a.index == b.index;
    REQUIRE_OK(a.index == b.index ? abut_collide_self(s->w.scene, a, &def, s->w.result, NULL)
                                  : abut_collide(s->w.scene, a, b, &def, s->w.result, NULL));
    return trace(s, contours);
}

// a torus about the z axis
static surface torus(uint32_t n, uint32_t m, double large, double small) {
    surface s = surface_make(n * m, 2 * n * m);
    const double turn = 2 * 3.14159265358979323846;
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t k = 0; k < m; ++k) {
            const uint32_t v = i * m + k;
            const double u = turn * i / n;
            const double r = large + small * cos(turn * k / m);
            s.xyz[3 * v] = r * cos(u);
            s.xyz[3 * v + 1] = r * sin(u);
            s.xyz[3 * v + 2] = small * sin(turn * k / m);
            const uint32_t w[4] = {v, (i + 1) % n * m + k, (i + 1) % n * m + (k + 1) % m,
                                   i * m + (k + 1) % m};
            const uint32_t t[6] = {w[0], w[1], w[2], w[0], w[2], w[3]};
            memcpy(s.triangles + 6 * (size_t)v, t, sizeof t);
        }
    }
    return s;
}

// a height field on a grid, on coarse heights
static surface hills(test_random* random, uint32_t n, double range, double step) {
    surface s = surface_sheet(n, n, n);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        s.xyz[3 * v + 2] = random_dyadic(random, range, step);
    }
    return s;
}

// ---- the comparison with the graph

static uint32_t piece_of(const stage* s, exact_graph* g, const abut_contour* c,
                         const abut_contour_segment* segment, double direction[2]) {
    double p[3][3];
    double q[3][3];
    rational_set set;
    rational_set_init(&set);
    read_triangle(s->w.scene, c->body_a, segment->triangle_a, c->body_a == c->body_b, p);
    read_triangle(s->w.scene, c->body_b, segment->triangle_b, c->body_a == c->body_b, q);
    rational_intersection((const double(*)[3])p, (const double(*)[3])q, &set);
    REQUIRE(set.count == 2);
    const uint32_t a = find_point(g, set.point[0]);
    const uint32_t b = find_point(g, set.point[1]);
    rational_set_clear(&set);
    // from the first end of the piece to the second, along the cross product of normals
    double n[2][3];
    for (int t = 0; t < 2; ++t) {
        const double(*x)[3] = t == 0 ? (const double(*)[3])p : (const double(*)[3])q;
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3;
            const int j = (k + 2) % 3;
            n[t][k] = (x[1][i] - x[0][i]) * (x[2][j] - x[0][j]) -
                      (x[1][j] - x[0][j]) * (x[2][i] - x[0][i]);
        }
    }
    direction[0] = direction[1] = 0;
    const uint32_t piece = find_piece(g, a, b, false);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        const double along = n[0][i] * n[1][j] - n[0][j] * n[1][i];
        const double step = mpq_get_d(g->points[g->pieces[piece].end[1]].x[k]) -
                            mpq_get_d(g->points[g->pieces[piece].end[0]].x[k]);
        direction[0] += along * step;
        direction[1] += fabs(along) * fabs(step);
    }
    return piece;
}

static void check_position(const exact_point* x, const double position[3], double size) {
    mpq_t difference;
    mpq_init(difference);
    for (int k = 0; k < 3; ++k) {
        mpq_set_d(difference, position[k]);
        mpq_sub(difference, difference, x->x[k]);
        REQUIRE(fabs(mpq_get_d(difference)) <= 0x1p-50 * size + 0x1p-52 * fabs(position[k]));
    }
    mpq_clear(difference);
}

static bool share_corner(const stage* s, uint32_t body, uint32_t x, uint32_t y) {
    const abut_mesh* mesh = abut_shape_mesh(
        abut_body_shape(s->w.scene, abut_scene_body_at(s->w.scene, body)));
    const uint32_t* t = abut_mesh_triangles(mesh);
    for (uint32_t i = 0; i < 9; ++i) {
        if (t[3 * (size_t)x + i / 3] == t[3 * (size_t)y + i % 3]) {
            return true;
        }
    }
    return false;
}

// walks one contour through the graph; returns whether all directions agree
static bool follow(const stage* s, exact_graph* g, const abut_contour* c, bool oriented,
                   double size) {
    const abut_contour_segment* segments = abut_contour_result_segments(s->result, NULL) +
                                           c->first_segment;
    const abut_contour_point* points = abut_contour_result_points(s->result, NULL) + c->first_point;
    const bool closed = c->ends[0] == ABUT_CONTOUR_END_NONE;
    REQUIRE(closed == (c->ends[1] == ABUT_CONTOUR_END_NONE));
    REQUIRE(c->point_count == c->segment_count + !closed && c->segment_count > 0);
    double direction[2];
    uint32_t piece = piece_of(s, g, c, &segments[0], direction);
    uint32_t at = g->pieces[piece].end[0];
    if (c->segment_count > 1) {  // begin at the end that the second piece does not have
        double unused[2];
        const exact_piece* second = &g->pieces[piece_of(s, g, c, &segments[1], unused)];
        if (at == second->end[0] || at == second->end[1]) {
            at = g->pieces[piece].end[1];
        }
    }
    const uint32_t first = at;
    for (uint32_t i = 0; i < c->segment_count; ++i) {
        piece = piece_of(s, g, c, &segments[i], direction);
        exact_piece* p = &g->pieces[piece];
        if (c->segment_count == 1) {  // either end, as the coordinates say
            at = fabs(mpq_get_d(g->points[p->end[0]].x[0]) - points[0].position[0]) +
                             fabs(mpq_get_d(g->points[p->end[0]].x[1]) - points[0].position[1]) +
                             fabs(mpq_get_d(g->points[p->end[0]].x[2]) - points[0].position[2]) <=
                         0x1p-40 * size
                     ? p->end[0]
                     : p->end[1];
        }
        REQUIRE(p->end[0] == at || p->end[1] == at);
        REQUIRE(i == 0 || g->points[at].degree == 2);
        check_position(&g->points[at], points[i].position, size);
        const double along = p->end[0] == at ? direction[0] : -direction[0];
        REQUIRE(!oriented || along > -1e-9 * direction[1]);
        if (i > 0) {
            REQUIRE(share_corner(s, c->body_a, segments[i - 1].triangle_a, segments[i].triangle_a));
            REQUIRE(share_corner(s, c->body_b, segments[i - 1].triangle_b, segments[i].triangle_b));
        }
        REQUIRE(p->used++ == 0);
        at = p->end[0] == at ? p->end[1] : p->end[0];
    }
    if (closed) {
        REQUIRE(at == first && g->points[at].degree == 2);
    } else {
        check_position(&g->points[at], points[c->segment_count].position, size);
        const uint32_t end[2] = {c->segment_count == 1
                                     ? (g->pieces[piece].end[0] == at ? g->pieces[piece].end[1]
                                                                      : g->pieces[piece].end[0])
                                     : first,
                                 at};
        for (int e = 0; e < 2; ++e) {
            const exact_point* x = &g->points[end[e]];
            if (c->ends[e] == ABUT_CONTOUR_END_VERTEX) {
                const abut_contour_point* point = &points[e == 0 ? 0 : c->segment_count];
                REQUIRE(c->body_a == c->body_b && point->feature_a == ABUT_FEATURE_VERTEX &&
                        point->feature_b == ABUT_FEATURE_VERTEX);
                continue;
            }
            REQUIRE(x->degree != 2);
            REQUIRE((x->degree > 2) == (c->ends[e] == ABUT_CONTOUR_END_BRANCH));
            REQUIRE(x->degree > 2 || x->in_area == (c->ends[e] == ABUT_CONTOUR_END_AREA));
        }
    }
    return closed;
}

// compares all contours with the graph; returns how many are closed
static size_t check_graph(const stage* s, bool oriented, double size) {
    size_t pair_count;
    size_t closed = 0;
    const abut_pair* pairs = abut_collide_result_pairs(s->w.result, &pair_count);
    exact_graph g = graph_make(s->w.scene, pairs, pair_count,
                               pair_count > 0 && pairs[0].body_a == pairs[0].body_b);
    size_t count;
    const abut_contour* contours = abut_contour_result_contours(s->result, &count);
    for (size_t i = 0; i < count; ++i) {
        closed += follow(s, &g, &contours[i], oriented, size);
    }
    for (uint32_t i = 0; i < g.piece_count; ++i) {
        REQUIRE(g.pieces[i].used == 1);
    }
    graph_free(&g);
    return closed;
}

// ---- carriers

// the carrier of an exact point of a triangle with area
static uint8_t exact_carrier(const double t[3][3], mpq_t x[3]) {
    uint32_t lines = 0;
    mpq_t u[2][3];
    mpq_t product[2];
    mpq_inits(u[0][0], u[0][1], u[0][2], u[1][0], u[1][1], u[1][2], product[0], product[1], NULL);
    for (int e = 0; e < 3; ++e) {
        bool on_line = true;
        for (int k = 0; k < 3; ++k) {
            mpq_set_d(u[0][k], t[e][k]);
            mpq_set_d(u[1][k], t[(e + 1) % 3][k]);
            mpq_sub(u[1][k], u[1][k], u[0][k]);
            mpq_sub(u[0][k], x[k], u[0][k]);
        }
        for (int k = 0; k < 3; ++k) {
            mpq_mul(product[0], u[0][k], u[1][(k + 1) % 3]);
            mpq_mul(product[1], u[0][(k + 1) % 3], u[1][k]);
            on_line = on_line && mpq_equal(product[0], product[1]);
        }
        lines |= on_line ? 1U << e : 0;
    }
    mpq_clears(u[0][0], u[0][1], u[0][2], u[1][0], u[1][1], u[1][2], product[0], product[1], NULL);
    uint32_t corners = 7;  // an edge lacks the corner that it is opposite to
    for (uint32_t e = 0; e < 3; ++e) {
        corners &= (lines >> e & 1) != 0 ? 7U & ~(1U << (e + 2) % 3) : 7U;
    }
    return (uint8_t)corners;
}

static void test_carriers_of_shared_points(void** state) {
    (void)state;
    rational_set set;
    rational_set_init(&set);
    size_t seen[7] = {0};
    for (uint64_t seed = 1; seed <= effort(20000, 100000, 2000000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        double t[2][3][3];
        for (int i = 0; i < 18; ++i) {
            t[i / 9][i / 3 % 3][i % 3] = random_dyadic(&random, 2, 1);
        }
        const double(*p)[3] = (const double(*)[3])t[0];
        const double(*q)[3] = (const double(*)[3])t[1];
        abut__contact contact;
        abut__triangles_contact(p, q, &contact);
        ++seen[contact.count];
        if (contact.count == 0) {
            continue;
        }
        const bool area[2] = {abut__triangle_axis(p) >= 0, abut__triangle_axis(q) >= 0};
        rational_intersection(p, q, &set);
        REQUIRE(set.count == contact.count);
        bool used[6] = {false};
        for (uint32_t i = 0; i < set.count; ++i) {
            const uint8_t wanted[2] = {exact_carrier(p, set.point[i]),
                                       exact_carrier(q, set.point[i])};
            bool found = false;
            for (uint32_t k = 0; k < set.count && !found; ++k) {
                const uint8_t* got = contact.point[k].carrier;
                found = !used[k] && got[0] == (area[0] ? wanted[0] : 0) &&
                        got[1] == (area[1] ? wanted[1] : 0);
                used[k] = used[k] || found;
            }
            REQUIRE(found);
        }
    }
    where("numbers of points");
    REQUIRE(seen[1] > 0 && seen[2] > 0 && seen[3] > 0 && seen[4] > 0);
    rational_set_clear(&set);
}

// ---- tests

static void test_closed_surfaces_have_closed_contours(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(6, 20, 200); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        stage s = stage_make(NULL);
        surface a = surface_ball(6, 9, 1);
        surface b = seed % 2 != 0 ? torus(9, 6, 1, 0.4) : surface_ball(7, 8, 0.8);
        const abut_body_id ids[2] = {world_add(&s.w, &a, NULL, NULL),
                                     world_add(&s.w, &b, NULL, NULL)};
        world_frame(&s.w, ids[0], frame_random(&random, 0.5));
        world_frame(&s.w, ids[1], frame_random(&random, 0.5));
        const abut_contour* contours;
        const size_t count = trace_bodies(&s, ids[0], ids[1], &contours);
        REQUIRE(check_graph(&s, true, 8) == count);
        surface_free(&a);
        surface_free(&b);
        stage_free(&s);
    }
}

static void test_known_numbers_of_loops(void** state) {
    (void)state;
    stage s = stage_make(NULL);
    surface ball = surface_ball(16, 24, 1);
    surface ring = torus(24, 16, 2, 0.5);
    surface sheet = surface_sheet(5, 5, 8);
    surface_shift(&sheet, -4.1, -3.9, 0.05);
    const abut_body_id one = world_add(&s.w, &ball, NULL, NULL);
    const abut_body_id two = world_add(&s.w, &ball, NULL, NULL);
    const abut_body_id donut = world_add(&s.w, &ring, NULL, NULL);
    const abut_body_id plane = world_add(&s.w, &sheet, NULL, NULL);
    const abut_contour* contours;
    abut_frame frame = abut_frame_identity();
    frame.t[0] = 0.713;
    frame.t[1] = 0.217;
    world_frame(&s.w, two, frame);
    REQUIRE(trace_bodies(&s, one, two, &contours) == 1 && contours->ends[0] == 0);
    // the plane of the ring cuts it in an inner and an outer circle
    REQUIRE(trace_bodies(&s, donut, plane, &contours) == 2);
    REQUIRE(contours[0].ends[0] == 0 && contours[1].ends[0] == 0);
    REQUIRE(check_graph(&s, true, 16) == 2);
    // a plane across the ring cuts two circles, too, and one along its side a single one
    abut_frame across = abut_frame_identity();
    const double turned[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
    memcpy(across.r, turned, sizeof turned);
    world_frame(&s.w, donut, across);
    REQUIRE(trace_bodies(&s, donut, plane, &contours) == 2 && contours[1].ends[0] == 0);
    across.t[2] = 2.3;
    world_frame(&s.w, donut, across);
    REQUIRE(trace_bodies(&s, donut, plane, &contours) == 1 && contours->ends[0] == 0);
    // a ball over the border of a sheet
    frame = abut_frame_identity();
    frame.t[0] = 3.9;
    world_frame(&s.w, two, frame);
    REQUIRE(trace_bodies(&s, two, plane, &contours) == 1);
    REQUIRE(contours->ends[0] == ABUT_CONTOUR_END_BORDER_B &&
            contours->ends[1] == ABUT_CONTOUR_END_BORDER_B);
    surface_free(&ball);
    surface_free(&ring);
    surface_free(&sheet);
    stage_free(&s);
}

// Whether a point of a height field over [0, n] x [0, n] is on its border.
static bool at_rim(const double x[3], double n) {
    return x[0] == 0 || x[1] == 0 || x[0] == n || x[1] == n;
}

static void test_coarse_surfaces_follow_the_exact_graph(void** state) {
    (void)state;
    size_t reasons[ABUT_CONTOUR_END_MISSING + 1] = {0};
    for (uint64_t seed = 1; seed <= effort(60, 300, 4000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        stage s = stage_make(NULL);
        const uint32_t n = 1 + random_below(&random, 4);
        surface a = hills(&random, n, 1, seed % 3 == 0 ? 0.5 : 1);
        surface b = hills(&random, n, 1, 1);
        if (seed % 4 == 0) {
            surface_free(&b);
            b = cube_surface(random_dyadic(&random, 1, 0.5), random_dyadic(&random, 1, 0.5), -1,
                             1 + random_below(&random, 3));
        }
        const abut_body_id ids[2] = {world_add(&s.w, &a, NULL, NULL),
                                     world_add(&s.w, &b, NULL, NULL)};
        const abut_contour* contours;
        const size_t count = trace_bodies(&s, ids[0], ids[1], &contours);
        check_graph(&s, false, 16);
        for (size_t i = 0; i < count; ++i) {
            const abut_contour_point* points = abut_contour_result_points(s.result, NULL) +
                                               contours[i].first_point;
            for (int e = 0; e < 2; ++e) {
                const abut_contour_end why = contours[i].ends[e];
                const double* x = points[e == 0 ? 0 : contours[i].point_count - 1].position;
                ++reasons[why];
                REQUIRE(why <= ABUT_CONTOUR_END_AREA || why == ABUT_CONTOUR_END_TOUCH);
                REQUIRE(why != ABUT_CONTOUR_END_BORDER_A || at_rim(x, n));
                REQUIRE(why != ABUT_CONTOUR_END_BORDER_B || (seed % 4 != 0 && at_rim(x, n)));
                REQUIRE(why != ABUT_CONTOUR_END_TOUCH || !at_rim(x, n));
            }
        }
        surface_free(&a);
        surface_free(&b);
        stage_free(&s);
    }
    where("ends");
    REQUIRE(reasons[ABUT_CONTOUR_END_NONE] > 0 && reasons[ABUT_CONTOUR_END_BORDER_A] > 0 &&
            reasons[ABUT_CONTOUR_END_BRANCH] > 0 && reasons[ABUT_CONTOUR_END_AREA] > 0 &&
            reasons[ABUT_CONTOUR_END_TOUCH] > 0);
}

static void test_a_body_with_itself(void** state) {
    (void)state;
    size_t open = 0;
    size_t loops = 0;
    for (uint64_t seed = 1; seed <= effort(12, 60, 600); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        stage s = stage_make(NULL);
        surface a = seed % 2 != 0 ? surface_sheet(5, 5, 5) : surface_ball(5, 7, 2);
        surface_shake(&a, &random, seed % 3 == 0 ? 0.5 : 1.2, 0x1p-40);
        if (seed % 4 == 0) {  // two sheets of one body
            surface other = torus(8, 6, 1.5, 0.4);
            surface joined = surface_join(&a, &other);
            surface_free(&a);
            surface_free(&other);
            a = joined;
        }
        const abut_body_id id = world_add(&s.w, &a, NULL, NULL);
        const abut_contour* contours;
        const size_t count = trace_bodies(&s, id, id, &contours);
        loops += check_graph(&s, false, 16);
        for (size_t i = 0; i < count; ++i) {
            for (int e = 0; e < 2; ++e) {
                const abut_contour_end why = contours[i].ends[e];
                const bool border = why == ABUT_CONTOUR_END_BORDER_A ||
                                    why == ABUT_CONTOUR_END_BORDER_B;
                REQUIRE(why == ABUT_CONTOUR_END_NONE || why == ABUT_CONTOUR_END_VERTEX ||
                        why == ABUT_CONTOUR_END_BRANCH || (border && seed % 2 != 0));
                open += why != ABUT_CONTOUR_END_NONE;
            }
        }
        // without neighbours contours break where these would go on, and say so
        abut_collide_def def = abut_collide_def_default();
        REQUIRE_OK(abut_collide_self(s.w.scene, id, &def, s.w.result, NULL));
        const size_t fewer = trace(&s, &contours);
        check_graph(&s, false, 16);
        for (size_t i = 0; i < fewer; ++i) {
            REQUIRE(contours[i].ends[0] <= ABUT_CONTOUR_END_BORDER_B ||
                    contours[i].ends[0] == ABUT_CONTOUR_END_NEIGHBOURS ||
                    contours[i].ends[0] == ABUT_CONTOUR_END_BRANCH);
        }
        surface_free(&a);
        stage_free(&s);
    }
    where("ends");
    REQUIRE(open > 0 && loops > 0);
}

static bool not_the_first(void* user, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    (void)body_a;
    (void)body_b;
    (void)b;
    return a != *(const uint32_t*)user;
}

static void test_missing_pairs_are_said(void** state) {
    (void)state;
    stage s = stage_make(NULL);
    surface a = surface_ball(8, 12, 1);
    const abut_body_id one = world_add(&s.w, &a, NULL, NULL);
    surface_shift(&a, 0.51, 0.37, 0.11);
    const abut_body_id two = world_add(&s.w, &a, NULL, NULL);
    const abut_contour* contours;
    REQUIRE(trace_bodies(&s, one, two, &contours) == 1);
    uint32_t first = abut_contour_result_segments(s.result, NULL)[0].triangle_a;
    abut_collide_def def = abut_collide_def_default();
    def.filter = (abut_filter){not_the_first, &first};
    REQUIRE_OK(abut_collide(s.w.scene, one, two, &def, s.w.result, NULL));
    REQUIRE(trace(&s, &contours) == 1);
    REQUIRE(contours->ends[0] == ABUT_CONTOUR_END_MISSING &&
            contours->ends[1] == ABUT_CONTOUR_END_MISSING);
    surface_free(&a);
    stage_free(&s);
}

// A box whose vertical edge is split on one side only: a triangle without area closes the gap.
static void test_contours_pass_triangles_without_area(void** state) {
    (void)state;
    for (int variant = 0; variant < 4; ++variant) {
        where("variant %d", variant);
        stage s = stage_make(NULL);
        surface box = cube_surface(0, 0, 0, 1);
        // split edge p q of triangle 0 at r; (p, r, q) closes the surface
        surface split = surface_make(box.vertex_count + 1, box.triangle_count + 2);
        memcpy(split.xyz, box.xyz, 3 * box.vertex_count * sizeof *box.xyz);
        memcpy(split.triangles, box.triangles, 3 * box.triangle_count * sizeof *box.triangles);
        uint32_t first = 0;
        uint32_t t[3] = {0, 0, 0};
        for (; first < 3 * box.triangle_count; ++first) {  // an edge that a level plane crosses
            for (uint32_t i = 0; i < 3; ++i) {
                t[i] = box.triangles[first / 3 * 3 + (first + i) % 3];
            }
            if (box.xyz[3 * t[0] + 2] != box.xyz[3 * t[1] + 2]) {
                break;
            }
        }
        const uint32_t r = box.vertex_count;
        const double at[4] = {0.5, 0.25, 0.75, 0};  // the last one: a corner twice
        for (uint32_t d = 0; d < 3; ++d) {
            split.xyz[3 * r + d] = box.xyz[3 * t[0] + d] +
                                   at[variant] * (box.xyz[3 * t[1] + d] - box.xyz[3 * t[0] + d]);
        }
        const uint32_t parts[9] = {t[0], r, t[2], r, t[1], t[2], t[0], t[1], r};
        memcpy(split.triangles + first / 3 * 3, parts, 3 * sizeof *parts);
        memcpy(split.triangles + 3 * box.triangle_count, parts + 3, 6 * sizeof *parts);
        surface sheet = surface_sheet(3, 3, 4);
        surface_shift(&sheet, -1.3, -1.4, 0.5);
        abut_mesh_def mesh = surface_mesh_def(&split);
        mesh.class_rule = ABUT_CLASS_RULE_NONE;
        const abut_body_id a = world_add_mesh(&s.w, &mesh, NULL);
        const abut_body_id b = world_add(&s.w, &sheet, NULL, NULL);
        const abut_contour* contours;
        REQUIRE(trace_bodies(&s, a, b, &contours) == 1);
        REQUIRE(contours->ends[0] == ABUT_CONTOUR_END_NONE);
        surface_free(&box);
        surface_free(&split);
        surface_free(&sheet);
        stage_free(&s);
    }
}

static void test_all_motions(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 6, 30); ++seed) {
        zoo z;
        zoo_open(&z, seed, 8, NULL, NULL);
        abut_contour_result* result;
        REQUIRE_OK(abut_contour_result_create(z.world.context, &result, NULL));
        for (int step = 0; step < 3; ++step) {
            where("seed %llu step %d", (unsigned long long)seed, step);
            zoo_move(&z, 0.3 + 0.5 * step);
            abut_counters counters = {0};
            abut_contour_def def = abut_contour_def_default();
            def.head.counters = &counters;
            size_t pair_count;
            size_t count;
            REQUIRE_OK(abut_collide_all(z.world.scene, NULL, z.world.result, NULL));
            const abut_pair* pairs = abut_collide_result_pairs(z.world.result, &pair_count);
            REQUIRE_OK(abut_contour_trace(z.world.scene, pairs, pair_count, &def, result, NULL));
            const abut_contour* contours = abut_contour_result_contours(result, &count);
            size_t segments = 0;
            for (size_t i = 0; i < count; ++i) {
                REQUIRE(contours[i].ends[0] == ABUT_CONTOUR_END_NONE);
                segments += contours[i].segment_count;
            }
            REQUIRE(segments == pair_count && counters.pairs_found == segments);
        }
        abut_contour_result_destroy(result);
        zoo_close(&z);
    }
}

static void test_refused_arguments(void** state) {
    (void)state;
    stage s = stage_make(NULL);
    surface ball = surface_ball(4, 6, 1);
    world_add(&s.w, &ball, NULL, NULL);
    world_add(&s.w, &ball, NULL, NULL);
    const abut_pair wrong[][2] = {{{0, 1, 1, 0}, {0, 1, 0, 0}},
                                  {{0, 1, 0, 0}, {0, 1, 0, 0}},
                                  {{0, 0, 1, 0}, {0, 1, 0, 0}},
                                  {{0, 1, 0, 0}, {0, 1, 999, 0}},
                                  {{0, 1, 0, 0}, {0, 7, 0, 0}}};
    abut_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        REQUIRE_STATUS(abut_contour_trace(s.w.scene, wrong[i], 2, NULL, s.result, &error),
                       ABUT_ERR_INVALID_ARGUMENT);
    }
    abut_contour_def def = abut_contour_def_default();
    REQUIRE_OK(abut_contour_trace(s.w.scene, NULL, 0, &def, s.result, NULL));
    REQUIRE(abut_contour_result_contours(s.result, NULL) == NULL);
    def.head.cookie = 0;
    REQUIRE_STATUS(abut_contour_trace(s.w.scene, NULL, 0, &def, s.result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_contour_trace(NULL, NULL, 0, NULL, s.result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_contour_trace(s.w.scene, NULL, 0, NULL, NULL, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_contour_trace(s.w.scene, NULL, 1, NULL, s.result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    abut_contour_result_destroy(NULL);
    surface_free(&ball);
    stage_free(&s);
}

// every allocation fails once; then nothing more is allocated
static void test_memory_may_fail(void** state) {
    (void)state;
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    stage s = stage_make(&def);
    surface ball = surface_ball(8, 12, 1);
    surface sheet = surface_sheet(4, 4, 2);
    surface_shift(&sheet, -0.1, -0.2, 0.03);
    const abut_body_id a = world_add(&s.w, &ball, NULL, NULL);
    const abut_body_id b = world_add(&s.w, &sheet, NULL, NULL);
    REQUIRE_OK(abut_collide(s.w.scene, a, b, NULL, s.w.result, NULL));
    size_t pair_count;
    const abut_pair* pairs = abut_collide_result_pairs(s.w.result, &pair_count);
    abut_status status = ABUT_ERR_NO_MEMORY;
    for (size_t call = 1; status != ABUT_OK; ++call) {
        where("call %zu", call);
        abut_contour_result* fresh = NULL;
        memory_fail(&memory, call, false);
        status = abut_contour_result_create(s.w.context, &fresh, NULL);
        if (status == ABUT_OK) {
            status = abut_contour_trace(s.w.scene, pairs, pair_count, NULL, fresh, NULL);
        }
        memory_fail(&memory, 0, false);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
        if (fresh != NULL) {
            REQUIRE((status == ABUT_OK) == (abut_contour_result_contours(fresh, NULL) != NULL));
        }
        abut_contour_result_destroy(fresh);
    }
    const abut_contour* contours;
    REQUIRE(trace(&s, &contours) == 1);
    REQUIRE(contours->ends[0] == ABUT_CONTOUR_END_BORDER_B);
    const size_t calls = memory.calls;
    REQUIRE(trace(&s, &contours) == 1);
    REQUIRE(memory.calls == calls);
    surface_free(&ball);
    surface_free(&sheet);
    stage_free(&s);
    memory_require_clean(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_carriers_of_shared_points),
        cmocka_unit_test(test_closed_surfaces_have_closed_contours),
        cmocka_unit_test(test_known_numbers_of_loops),
        cmocka_unit_test(test_coarse_surfaces_follow_the_exact_graph),
        cmocka_unit_test(test_a_body_with_itself),
        cmocka_unit_test(test_missing_pairs_are_said),
        cmocka_unit_test(test_contours_pass_triangles_without_area),
        cmocka_unit_test(test_all_motions),
        cmocka_unit_test(test_refused_arguments),
        cmocka_unit_test(test_memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
