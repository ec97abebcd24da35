// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of blend bodies. Brute force finds no contact where a certificate proves separation,
// for any transforms. Some certificates do hold.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motion/blend.h"
#include "motion/certified.h"
#include "support/claims.h"
#include "support/everywhere.h"
#include "support/inside.h"
#include "support/memory.h"
#include "support/skin.h"

#define NODES_MOST 64

typedef double transform[12];

static const transform identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// ---- claims

static const abut__blend_certificates* certificates_of(const world* w, abut_body_id body) {
    const abut_shape* shape = inside_shape(abut_body_shape(w->scene, body));
    REQUIRE(abut__certified_prepare(shape));
    const abut__blend_certificates* c = abut__certified_made(shape);
    assert_non_null(c);
    return c;
}

typedef struct claims {
    size_t nodes;
    size_t blocks;
    size_t pairs;
} claims;

static void count_claims(const world* w, abut_body_id id, claims* sum) {
    const abut__blend_certificates* c = certificates_of(w, id);
    for (uint32_t n = 0; n < c->index.node_count; ++n) {
        sum->nodes += apart(w, id, n);
    }
    for (uint32_t b = 0; b < c->index.block_count; ++b) {
        sum->blocks += apart(w, id, b | ABUT__REF_BLOCK);
        for (uint32_t p = c->index.pair_first[b]; p < c->index.pair_first[b + 1]; ++p) {
            sum->pairs += blocks_certified(w, id, c->index.pair_other[p], b);
        }
    }
}

// the same in double, one certificate at a time, after the state is set again
static void count_claims_alone(world* w, abut_body_id id, transform* t, uint32_t count,
                               claims* sum) {
    const abut__blend_certificates* c = certificates_of(w, id);
    for (uint32_t g = 0; g < c->index.group_count; ++g) {
        assert_false(c->groups.list[g].loose);
        c->groups.list[g].loose = true;
    }
    set_transforms(w, id, t, count, NULL, 0);
    count_claims(w, id, sum);
    for (uint32_t g = 0; g < c->index.group_count; ++g) {
        c->groups.list[g].loose = false;
    }
    set_transforms(w, id, t, count, NULL, 0);
}

// ---- transforms

// rotates about an axis through `centre`
static void turn_about(const double centre[3], int axis, double angle, transform t) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    memcpy(t, identity, sizeof identity);
    t[4 * u + u] = t[4 * v + v] = cos(angle);
    t[4 * u + v] = -sin(angle);
    t[4 * v + u] = sin(angle);
    for (int d = 0; d < 3; ++d) {
        t[4 * d + 3] = centre[d] -
                       (t[4 * d] * centre[0] + t[4 * d + 1] * centre[1] + t[4 * d + 2] * centre[2]);
    }
}

// first `a`, then `b`
static void combine(const transform a, const transform b, transform out) {
    transform made;
    for (int e = 0; e < 12; ++e) {
        const double* row = b + e / 4 * 4;
        made[e] = row[0] * a[e % 4] + row[1] * a[4 + e % 4] + row[2] * a[8 + e % 4] +
                  (e % 4 == 3 ? row[3] : 0);
    }
    memcpy(out, made, sizeof made);
}

typedef enum kind { GENTLE, TURNED, SHIFTED, WILD, ALIKE, MIRRORED, KINDS } kind;

static void random_transforms(test_random* random, kind k, transform* t, uint32_t count,
                              double size) {
    transform common;
    gentle_transforms(random, t, count, size);
    wild_transforms(random, &common, 1, 0);
    for (uint32_t j = 0; j < count; ++j) {
        const double centre[3] = {random_double(random, -1, 1), random_double(random, -1, 1), 0};
        switch (k) {
            case TURNED:
                turn_about(centre, (int)random_below(random, 3), random_double(random, -size, size),
                           t[j]);
                break;
            case SHIFTED:
                memcpy(t[j], identity, sizeof identity);
                t[j][4 * random_below(random, 3) + 3] = random_double(random, -size, size);
                break;
            case WILD: wild_transforms(random, &t[j], 1, size); break;
            case ALIKE: memcpy(t[j], common, sizeof common); break;
            default: break;
        }
    }
    for (uint32_t j = 0; j < count && k == MIRRORED; ++j) {
        const transform mirror = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        combine(t[j], mirror, t[j]);
    }
}

// gives all of them a common transform: near or far, tiny or huge
static void place_all(test_random* random, transform* t, uint32_t count) {
    static const double scales[] = {1, 1, 1, 1e-6, 1e6, 1e-3};
    static const double offsets[] = {0, 0, 0, 1, 1e3, 1e6};
    const double scale = scales[random_below(random, 6)];
    const double offset = offsets[random_below(random, 6)];
    const transform common = {scale, 0, 0, offset, 0, scale, 0, -offset, 0, 0, scale, offset / 3};
    for (uint32_t j = 0; j < count; ++j) {
        combine(t[j], common, t[j]);
    }
}

// ---- any state

static void test_claims_are_true(void** state) {
    (void)state;
    size_t hits = 0;
    claims sum = {0, 0, 0};
    for (uint32_t seed = 1; seed <= effort(24, 240, 6000); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random, seed);
        if (random_chance(&random, 0.2)) {
            surface_shift(&s, 1e4, -3e3, 7e2);
        }
        const uint32_t nodes = 1 + random_below(&random, seed % 3 == 0 ? 60 : 6);
        skin k = skin_make(&random, &s, nodes, 1 + random_below(&random, nodes),
                           random_chance(&random, 0.5) ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64);
        const uint32_t fields = random_chance(&random, 0.3) ? 1 + random_below(&random, 5) : 0;
        field_set f = make_fields(&random, &s, fields, 0.3, ABUT_SCALAR_F32, seed % 2 == 0);
        motion_def def = blend_def(&k, &f);
        def.block_triangles = 1 + random_below(&random, 48);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        hits += check_claims(&w, body);
        double size = ldexp(1, -random_between(&random, 2, 14));
        for (int step = 0; step < 12; ++step, size *= 2.2) {
            where("seed %u, step %d", seed, step);
            transform t[NODES_MOST];
            double q[8];
            random_transforms(&random, (kind)random_below(&random, KINDS), t, nodes, size);
            place_all(&random, t, nodes);
            random_coordinates(&random, q, fields, random_chance(&random, 0.3) ? 0 : size);
            set_transforms(&w, body, t, nodes, q, fields);
            hits += check_claims(&w, body);
            count_claims(&w, body, &sum);
        }
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 1000);
    assert_true(sum.nodes > 100 && sum.blocks > 1000 && sum.pairs > 1000);
}

// ---- a limb

// A tube along x of `rings` circles, closed at its ends, with `bones` bones along it. Weights
// change from bone to bone over a third of their length.
typedef struct limb {
    surface s;
    skin k;
    double length;
} limb;

static void limb_weights(limb* l, uint32_t bones) {
    const uint32_t vertices = l->s.vertex_count;
    l->k = (skin){.node_count = bones, .vertex_count = vertices, .type = ABUT_SCALAR_F64};
    l->k.first = test_alloc((size_t)vertices + 1, sizeof *l->k.first);
    l->k.nodes = test_alloc((size_t)2 * vertices, sizeof *l->k.nodes);
    l->k.values = test_alloc((size_t)2 * vertices, sizeof *l->k.values);
    l->k.narrow = test_alloc((size_t)2 * vertices, sizeof *l->k.narrow);
    l->k.first[0] = 0;
    for (uint32_t v = 0; v < vertices; ++v) {
        const double x = l->s.xyz[3 * (size_t)v] / l->length * bones;  // bone j from j to j + 1
        const double joint = fmin(fmax(rint(x), 1), bones - 1);
        const double part = fmin(fmax((x - joint) * 3 + 0.5, 0), 1);
        const double upper = part * part * (3 - 2 * part);
        uint32_t at = l->k.first[v];
        const double both[2] = {1 - upper, upper};
        for (uint32_t i = 0; i < 2; ++i) {
            if (both[i] > 0) {
                l->k.nodes[at] = (uint32_t)joint - 1 + i;
                l->k.narrow[at] = (float)both[i];
                l->k.values[at++] = both[i];
            }
        }
        l->k.first[v + 1] = at;
    }
}

static limb limb_make(uint32_t rings, uint32_t sectors, uint32_t bones) {
    limb l = {.s = surface_ball(rings, sectors, 1), .length = bones};
    for (uint32_t v = 0; v < l.s.vertex_count;
         ++v) {  // the ball's axis is z: maps height to a tube
        double* p = l.s.xyz + 3 * (size_t)v;
        const double height = acos(fmin(fmax(p[2], -1), 1)) / 3.14159265358979;
        const double round = fmin(1, 6 * fmin(height, 1 - height) + 0.02);
        const double across = hypot(p[0], p[1]);
        const double scale = across > 1e-9 ? 0.18 * round / across : 0;
        const double y = p[0] * scale;
        const double z = p[1] * scale;
        p[0] = height * l.length;
        p[1] = y;
        p[2] = z;
    }
    limb_weights(&l, bones);
    return l;
}

static void limb_free(limb* l) {
    skin_free(&l->k);
    surface_free(&l->s);
}

// bends every joint by the same angle about z
static void bend_joints(const limb* l, double angle, transform* t) {
    memcpy(t[0], identity, sizeof identity);
    for (uint32_t j = 1; j < l->k.node_count; ++j) {
        const double joint[3] = {l->length * j / l->k.node_count, 0, 0};
        transform turn;
        turn_about(joint, 2, angle, turn);
        combine(turn, t[j - 1], t[j]);
    }
}

// The limb bends until it folds and cuts itself: at first all is proven, at the end hardly
// anything.
static void test_bending_limb(void** state) {
    (void)state;
    limb l = limb_make(80, 24, 4);
    world w = world_make(NULL, NULL);
    motion_def def = blend_def(&l.k, NULL);
    const abut_body_id body = world_add(&w, &l.s, &def, NULL);
    const abut__blend_certificates* c = certificates_of(&w, body);
    size_t hits = 0;
    for (int step = 0; step <= 40; ++step) {
        const double angle = 0.06 * step;
        where("angle %g", angle);
        transform t[4];
        claims sum = {0, 0, 0};
        bend_joints(&l, angle, t);
        set_transforms(&w, body, t, 4, NULL, 0);
        const size_t found = check_claims(&w, body);
        hits += found;
        count_claims(&w, body, &sum);
        claims alone = {0, 0, 0};
        count_claims_alone(&w, body, t, 4, &alone);
        REQUIRE(sum.nodes <= alone.nodes && sum.nodes + 1 >= alone.nodes);
        REQUIRE(sum.blocks <= alone.blocks && sum.blocks + 1 >= alone.blocks);
        REQUIRE(sum.pairs <= alone.pairs && sum.pairs + 3 >= alone.pairs);
        REQUIRE(step > 1 || apart(&w, body, 0));
        REQUIRE(step > 5 || (sum.blocks == c->index.block_count && found == 0));
        REQUIRE(step > 12 || sum.blocks > c->index.block_count / 2);
    }
    assert_true(hits > 100);
    limb_free(&l);
    world_free(&w);
}

// ---- where claims must end

// Two sheets, each of which follows one node. A motion brings the second one to the first, or
// collapses it. Claims end before that. Steps go up to that point and beyond it.
typedef void mover(double step, double gap, transform t);

static void approach(double step, double gap, transform t) {
    memcpy(t, identity, sizeof identity);
    t[11] = -step * gap;
}
static void collapse(double step, double gap, transform t) {
    (void)gap;
    memset(t, 0, sizeof(transform));
    t[0] = t[5] = t[10] = 1 - step;
    t[3] = t[7] = 0.5 * step;
}
static void shrink(double step, double gap, transform t) {  // to the middle between the sheets
    memset(t, 0, sizeof(transform));
    t[0] = t[5] = t[10] = 1 - step;
    t[3] = 0.5065 * step;
    t[7] = 0.5035 * step;
    t[11] = 0.5 * gap * step;
}
static void flatten(double step, double gap, transform t) {
    memcpy(t, identity, sizeof identity);
    t[10] = 1 - step;
    t[11] = 0 * gap;
}
static void lean(double step, double gap, transform t) {  // one edge comes down to the other sheet
    memcpy(t, identity, sizeof identity);
    t[8] = -step * gap;
}

static void test_claims_end_in_time(void** state) {
    (void)state;
    static mover* const movers[] = {approach, collapse, shrink, flatten, lean};
    static const double steps[] = {0.1,      0.3,       0.45, 0.55,     0.7, 0.9, 0.97, 1 - 1e-3,
                                   1 - 1e-6, 1 - 1e-12, 1,    1 + 1e-9, 1.1, 1.5, 2,    3};
    for (size_t m = 0; m < sizeof movers / sizeof *movers; ++m) {
        for (uint32_t part = 0; part < 3; ++part) {
            world w = world_make(NULL, NULL);
            const double gap = 0.25;
            surface s = two_sheets(part == 0 ? 2 : 6, gap);
            test_random random = random_seed(1);
            skin k = skin_make(&random, &s, 2, 1, ABUT_SCALAR_F64);
            for (uint32_t v = 0; v < s.vertex_count; ++v) {
                k.nodes[v] = s.xyz[3 * (size_t)v + 2] > gap / 2;
                k.values[v] = 1;
            }
            motion_def def = blend_def(&k, NULL);
            def.block_triangles = part == 1 ? 8 : 48;
            const abut_body_id body = world_add(&w, &s, &def, NULL);
            size_t hits = 0;
            for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
                where("mover %zu, part %u, step %.15g", m, part, steps[i]);
                transform t[2];
                memcpy(t[0], identity, sizeof identity);
                movers[m](steps[i], gap, t[1]);
                set_transforms(&w, body, t, 2, NULL, 0);
                hits += check_claims(&w, body);
                REQUIRE(i > 0 || apart(&w, body, 0));
            }
            assert_true(hits > 0);
            skin_free(&k);
            surface_free(&s);
            world_free(&w);
        }
    }
}

// A flat strip around the origin follows a second node more and more from x = -half to x = half.
// Where that node is pushed back or rotated about the origin, the strip folds. If it is rotated,
// its edge folds at once, hardly after claims must end.
static void test_folding_strips(void** state) {
    (void)state;
    static const uint32_t blocks[] = {48, 12, 4};
    for (uint32_t i = 0; i < 6; ++i) {
        world w = world_make(NULL, NULL);
        const bool turned = i < 3;
        const double half = turned ? 0.1 : 0.5;
        surface s = surface_sheet(16, 16, 1);
        surface_shift(&s, -0.5, -0.5, 0);
        test_random random = random_seed(1);
        skin k = skin_make(&random, &s, 2, 2, ABUT_SCALAR_F64);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            double* x = &s.xyz[3 * (size_t)v];
            *x *= turned ? 0.4 : 1;
            k.nodes[2 * (size_t)v] = 0;
            k.nodes[2 * (size_t)v + 1] = 1;
            k.values[2 * (size_t)v + 1] = fmin(fmax(0.5 + 0.5 * *x / half, 0), 1);
            k.values[2 * (size_t)v] = 1 - k.values[2 * (size_t)v + 1];
        }
        motion_def def = blend_def(&k, NULL);
        def.block_triangles = blocks[i % 3];
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        claims first = {0, 0, 0};
        size_t hits = 0;
        for (int step = 1; step <= 40; ++step) {
            where("case %u, step %d", i, step);
            static const double origin[3] = {0, 0, 0};
            transform t[2];
            memcpy(t,
                   (const transform[2]){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                                        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                   sizeof t);
            if (turned) {
                turn_about(origin, 2, 0.03 * step, t[1]);
            } else {
                t[1][0] = 1 - 0.03 * step;
                t[1][3] = -0.5 * 0.03 * step;
            }
            set_transforms(&w, body, t, 2, NULL, 0);
            hits += check_claims(&w, body);
            if (step == 3) {
                count_claims(&w, body, &first);
            }
        }
        assert_true(hits > 0 && first.blocks == certificates_of(&w, body)->index.block_count);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// the same by a field under the weights, alone or together with transforms
static void test_fields_under_weights(void** state) {
    (void)state;
    size_t hits = 0;
    claims sum = {0, 0, 0};
    for (uint32_t seed = 1; seed <= effort(6, 30, 600); ++seed) {
        test_random random = random_seed(500 + seed);
        world w = world_make(NULL, NULL);
        const double gap = 0.25;
        surface s = two_sheets(6, gap);
        skin k = skin_make(&random, &s, 3, 2, ABUT_SCALAR_F64);
        field_set f = make_fields(&random, &s, 2, 0.3, ABUT_SCALAR_F64, false);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            double* u = field_at(&f, 0, v);
            u[0] = u[1] = 0;
            u[2] = s.xyz[3 * (size_t)v + 2] > gap / 2 ? -gap : 0;
        }
        motion_def def = blend_def(&k, &f);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (double step = 0.05; step < 1.2; step += 0.05) {
            where("seed %u, step %g", seed, step);
            transform t[3];
            const double q[2] = {step, seed % 2 == 0 ? 0 : random_double(&random, -0.1, 0.1)};
            random_transforms(&random, seed % 3 == 0 ? ALIKE : GENTLE, t, 3, 0.05);
            set_transforms(&w, body, t, 3, q, 2);
            hits += check_claims(&w, body);
            count_claims(&w, body, &sum);
        }
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 0 && sum.nodes > 0 && sum.blocks > 20);
}

// ---- at rest

// triangles with too many nodes for the rows of a certificate, moved by fields alone
static void test_fields_under_many_nodes(void** state) {
    (void)state;
    size_t hits = 0;
    claims sum = {0, 0, 0};
    for (uint32_t seed = 1; seed <= effort(8, 60, 600); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface s = surface_soup(&random, 100, 2, 0.5, 0.25);
        skin k = skin_make(&random, &s, 60, 60, ABUT_SCALAR_F64);
        field_set f = make_fields(&random, &s, 3, 0.3, ABUT_SCALAR_F32, false);
        motion_def def = blend_def(&k, &f);
        def.block_triangles = 20;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = 0; step < 4; ++step) {
            where("seed %u, step %d", seed, step);
            transform t[60];
            double q[3];
            random_transforms(&random, ALIKE, t, 60, 1);
            random_coordinates(&random, q, 3, 2.0 * step);
            set_transforms(&w, body, t, 60, q, 3);
            hits += check_claims(&w, body);
            count_claims(&w, body, &sum);
            assert_true(step == 0 || sum.pairs > 0);
        }
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 100);
}

// A body at rest, or one that all nodes move alike, evaluates a single certificate and no vertex.
static void test_rest_evaluates_nothing(void** state) {
    (void)state;
    test_random random = random_seed(3);
    for (uint32_t i = 0; i < 6; ++i) {
        where("case %u", i);
        world w = world_make(NULL, NULL);
        surface s = i % 2 == 0 ? surface_ball(effort(16, 24, 24), effort(24, 40, 40), 1)
                               : two_sheets(effort(12, 20, 20), 0.01);
        const uint32_t nodes = i < 4 ? 12 : NODES_MOST;  // more than a certificate has rows for
        skin k = skin_make(&random, &s, nodes, i < 4 ? 4 : 40, ABUT_SCALAR_F64);
        motion_def def = blend_def(&k, NULL);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = 0; step < 6; ++step) {
            if (step > 0) {
                transform t[NODES_MOST];
                random_transforms(&random, step == 1 ? GENTLE : ALIKE, t, nodes,
                                  i < 4 && step == 1 ? 1e-5 : 0);
                set_transforms(&w, body, t, nodes, NULL, 0);
            }
            const abut_counters counters = counters_of(&w, body);
            REQUIRE(counters.pairs_found > 0 ||
                    (counters.blocks_evaluated == 0 && counters.nodes_certified == 1) || step > 1);
        }
        abut_collide_def margin =
            abut_collide_def_default();  // certificates prove nothing about distances
        abut_counters counters = {0};
        margin.margin = 1e-3;
        margin.head.counters = &counters;
        (void)check_self(&w, body, &margin);
        assert_int_equal(counters.nodes_certified + counters.blocks_certified, 0);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// the body collapses into a plane, a line or a point, and then turns inside out
static void test_collapse(void** state) {
    (void)state;
    static const double steps[] = {0.5, 0.99, 1 - 1e-6, 1 - 1e-9, 1 - 1e-14, 1, 1.01, 2, -0.5, -2};
    for (int axes = 1; axes <= 3; ++axes) {
        test_random random = random_seed(4);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(8, 12, 1);
        skin k = skin_make(&random, &s, 5, 3, ABUT_SCALAR_F64);
        motion_def def = blend_def(&k, NULL);
        def.block_triangles = 16;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
            for (int common = 0; common < 2; ++common) {
                where("%d axes, step %.17g, %d", axes, steps[i], common);
                transform t[5];
                for (int j = 0; j < 5; ++j) {
                    memcpy(t[j], identity, sizeof identity);
                    for (int d = 0; d < axes && (common == 0 || j < 4); ++d) {
                        t[j][5 * d] = 1 - steps[i];
                    }
                }
                set_transforms(&w, body, t, 5, NULL, 0);
                const size_t hits = check_claims(&w, body);
                REQUIRE(common > 0 || (steps[i] == 1) == (hits > 0) || fabs(steps[i] - 1) < 1e-8);
                REQUIRE(common > 0 || fabs(steps[i] - 1) < 0.3 || apart(&w, body, 0));
            }
        }
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// Values beyond the range of certificates: either no certificate holds, or its claim is true.
static void test_extreme_values(void** state) {
    (void)state;
    test_random random = random_seed(5);
    static const double sizes[][2] = {{1, 1e-300}, {1, 1e300},    {1e-200, 1}, {1e-160, 1e-160},
                                      {1e70, 1},   {1e-40, 1e40}, {1, 1e-160}, {1e30, 1e-30}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        world w = world_make(NULL, NULL);
        surface s = i % 2 == 0 ? surface_ball(6, 9, 1) : two_sheets(5, 0.1);
        skin k = skin_make(&random, &s, 4, 2, ABUT_SCALAR_F64);
        surface_scale(&s, sizes[i][0]);
        motion_def def = blend_def(&k, NULL);
        def.block_triangles = 8;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = -4; step <= 8; ++step) {
            where("sizes %zu, step %d", i, step);
            transform t[4];
            gentle_transforms(&random, t, 4, pow(10, 0.5 * step - 3));
            for (int e = 0; e < 48; ++e) {
                t[e / 12][e % 12] *= sizes[i][1] * (e % 4 == 3 ? sizes[i][0] : 1);
            }
            if (abut_body_set_transforms(w.scene, body, abut_transforms_f64(t[0], 4), NULL, 0,
                                         NULL) == ABUT_OK) {
                (void)check_claims(&w, body);
            }
        }
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// ---- how certificates are made

// the same bits and the same work for any instruction set and number of threads
static void test_made_the_same_everywhere(void** state) {
    (void)state;
    reference rows = {0};
    reference work = {0};
    everywhere at = everywhere_each((const uint32_t[]){2, 4, 0}, 4);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        world w = world_make(&at.def, NULL);
        limb l = limb_make(80, 24, 4);
        motion_def shape = blend_def(&l.k, NULL);
        const abut_body_id body = world_add(&w, &l.s, &shape, NULL);
        const abut__blend_certificates* c = certificates_of(&w, body);
        abut_counters counters[4];
        for (int step = 0; step < 4; ++step) {
            transform t[4];
            bend_joints(&l, 0.5 * step, t);
            set_transforms(&w, body, t, 4, NULL, 0);
            counters[step] = counters_of(&w, body);
        }
        REQUIRE(counters[1].nodes_certified > 0 && counters[2].blocks_certified > 0);
        REQUIRE(reference_same(&work, counters, sizeof counters));
        REQUIRE(reference_same(&rows, c->rows, c->row_count * sizeof *c->rows));
        limb_free(&l);
        world_free(&w);
    }
    reference_free(&rows);
    reference_free(&work);
}

// without memory for certificates answers are the same, and nothing leaks
static void test_without_memory(void** state) {
    (void)state;
    for (size_t call = 1; call < 80; ++call) {
        where("call %zu", call);
        test_random random = random_seed(8);
        test_memory memory;
        abut_context_def def = memory_context_def(&memory);
        world w = world_make(&def, NULL);
        surface s = surface_ball(8, 12, 1);
        skin k = skin_make(&random, &s, 4, 3, ABUT_SCALAR_F64);
        motion_def shape_def = blend_def(&k, NULL);
        shape_def.block_triangles = 16;
        const abut_body_id body = world_add(&w, &s, &shape_def, NULL);
        const bool refused = certificates_lack_memory(&w, body, &memory, call);
        transform t[4];
        gentle_transforms(&random, t, 4, 0.1);
        set_transforms(&w, body, t, 4, NULL, 0);
        (void)check_claims(&w, body);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
        memory_require_clean(&memory);
        if (!refused) {
            assert_true(call > 10);
            return;
        }
    }
    fail();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_are_true),
        cmocka_unit_test(test_bending_limb),
        cmocka_unit_test(test_claims_end_in_time),
        cmocka_unit_test(test_folding_strips),
        cmocka_unit_test(test_fields_under_weights),
        cmocka_unit_test(test_fields_under_many_nodes),
        cmocka_unit_test(test_rest_evaluates_nothing),
        cmocka_unit_test(test_collapse),
        cmocka_unit_test(test_extreme_values),
        cmocka_unit_test(test_made_the_same_everywhere),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
