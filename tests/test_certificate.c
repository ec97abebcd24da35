// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of modal shapes. What they prove apart is apart: brute force finds nothing there,
// and triangles keep the distance that the numbers promise. And they do prove something.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/triangles.h"
#include "motion/modal.h"
#include "support/claims.h"
#include "support/memory.h"
#include "support/threads.h"

#define FIELDS_MOST 24u

typedef enum kind { SMOOTH, ROUGH, AFFINE, TURNING, BENDING, SPARSE, KINDS } kind;

// Fields as the library takes them: u[j][vertex][axis].
typedef struct field_set {
    uint32_t count;
    uint32_t vertex_count;
    double* u;
    abut_field* fields;
} field_set;

static double* field_at(const field_set* f, uint32_t field, uint32_t vertex) {
    return f->u + 3 * ((size_t)field * f->vertex_count + vertex);
}

static void field_value(test_random* random, kind k, const double c[16], const double p[3],
                        double out[3]) {
    const double wave = sin(c[0] * p[0] + c[1] * p[1] + c[2] * p[2] + c[3]);
    for (int d = 0; d < 3; ++d) {
        const double other = sin(c[4 + d] * p[0] + c[7 + d] * p[1] + c[10 + d] * p[2] + c[13]);
        const double affine = c[d] * p[0] + c[4 + d] * p[1] + c[8 + d] * p[2] + c[12 + d];
        switch (k) {
            case SMOOTH: out[d] = other; break;
            case ROUGH: out[d] = random_double(random, -1, 1); break;
            case AFFINE: out[d] = affine; break;
            case TURNING:
                out[d] = c[1 + d] * p[(d + 1) % 3] - c[1 + (d + 1) % 3] * p[(d + 2) % 3];
                break;
            case BENDING: out[d] = c[4 + d] * wave; break;
            default: out[d] = p[0] < c[3] / 4 ? other : 0; break;
        }
    }
}

static field_set make_fields(test_random* random, const surface* s, uint32_t count, kind k) {
    field_set f = {count, s->vertex_count, NULL, NULL};
    f.u = test_alloc(3 * (size_t)count * s->vertex_count + 1, sizeof *f.u);
    f.fields = test_alloc(count + 1, sizeof *f.fields);
    for (uint32_t j = 0; j < count; ++j) {
        double c[16];
        for (int i = 0; i < 16; ++i) {
            c[i] = random_double(random, -3, 3);
        }
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            field_value(random, k, c, s->xyz + 3 * (size_t)v, field_at(&f, j, v));
        }
        f.fields[j] = (abut_field){abut_positions_f64(field_at(&f, j, 0), s->vertex_count), NULL};
    }
    return f;
}

static field_set still_fields(const surface* s, uint32_t count) {
    test_random random = random_seed(1);
    field_set f = make_fields(&random, s, count, SMOOTH);
    memset(f.u, 0, 3 * (size_t)count * s->vertex_count * sizeof *f.u);
    return f;
}

static void free_fields(field_set* f) {
    free(f->u);
    free(f->fields);
}

static abut_body_id add_modal(world* w, const surface* s, const field_set* f, uint32_t block) {
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_MODAL;
    def.fields = f->fields;
    def.field_count = f->count;
    def.block_triangles = block;
    return world_add(w, s, &def, NULL);
}

static void set_coordinates(world* w, abut_body_id body, const double* q, uint32_t count) {
    REQUIRE_OK(abut_body_set_coordinates(w->scene, body, q, count, NULL));
}

// ---- what is claimed

static const abut__certificates* certificates_of(const world* w, abut_body_id body) {
    const abut_shape* shape = abut_body_shape(w->scene, body);
    shape->motion->proofs->expect(shape);
    const abut__certificates* c = atomic_load(&abut__modal_of(shape)->certificates);
    assert_non_null(c);
    return c;
}

typedef struct claims {
    size_t nodes;
    size_t blocks;
    size_t pairs;
} claims;

static claims count_claims(const world* w, abut_body_id id) {
    const abut__certificates* c = certificates_of(w, id);
    claims made = {0, 0, 0};
    for (uint32_t n = 0; n < c->node_count; ++n) {
        made.nodes += apart(w, id, n);
    }
    for (uint32_t b = 0; b < c->block_count; ++b) {
        made.blocks += apart(w, id, b | ABUT__REF_BLOCK);
        for (uint32_t p = c->pair_first[b]; p < c->pair_first[b + 1]; ++p) {
            made.pairs += blocks_apart(w, id, c->pair_other[p], b);
        }
    }
    return made;
}

// ---- random ones

// from tiny to far beyond anything that holds
static void test_claims_are_true(void** state) {
    (void)state;
    size_t hits = 0;
    claims sum = {0, 0, 0};
    for (uint32_t seed = 1; seed <= effort(30, 240, 6000); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random, seed);
        if (random_chance(&random, 0.2)) {
            surface_shift(&s, 1e6, -3e5, 7e4);
        }
        const uint32_t count = 1 + random_below(&random, FIELDS_MOST);
        field_set f = make_fields(&random, &s, count, (kind)random_below(&random, KINDS));
        const abut_body_id body = add_modal(&w, &s, &f, 1 + random_below(&random, 48));
        double q[FIELDS_MOST] = {0};
        hits += check_claims(&w, body);
        double size = ldexp(1, -random_between(&random, 2, 14));
        for (int step = 0; step < 12; ++step, size *= 2.5) {
            where("seed %u, step %d", seed, step);
            for (uint32_t j = 0; j < count; ++j) {
                q[j] = random_chance(&random, 0.3) ? 0 : random_double(&random, -size, size);
            }
            set_coordinates(&w, body, q, count);
            hits += check_claims(&w, body);
            const claims made = count_claims(&w, body);
            sum.nodes += made.nodes;
            sum.blocks += made.blocks;
            sum.pairs += made.pairs;
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 1000);
    assert_true(sum.nodes > 100 && sum.blocks > 1000 && sum.pairs > 1000);
}

// ---- the numbers

// the least eigenvalue of a symmetric matrix, by rotations of Jacobi
static long double least_eigenvalue(long double s[3][3]) {
    for (int sweep = 0; sweep < 60; ++sweep) {
        const int p = sweep % 3 == 2 ? 1 : 0;
        const int r = sweep % 3 == 0 ? 1 : 2;
        if (s[p][r] == 0) {
            continue;
        }
        const long double angle = atan2l(2 * s[p][r], s[p][p] - s[r][r]) / 2;
        const long double c = cosl(angle);
        const long double n = sinl(angle);
        for (int i = 0; i < 3; ++i) {
            const long double x = s[i][p];
            const long double y = s[i][r];
            s[i][p] = c * x + n * y;
            s[i][r] = c * y - n * x;
        }
        for (int i = 0; i < 3; ++i) {
            const long double x = s[p][i];
            const long double y = s[r][i];
            s[p][i] = c * x + n * y;
            s[r][i] = c * y - n * x;
        }
    }
    return fminl(s[0][0], fminl(s[1][1], s[2][2]));
}

// what is left of 1 by the numbers of a certificate: [0] in full, [1] by strain
static void margins_of(const abut__certificates* c, const abut__certificate* own,
                       const uint32_t* fields, const double* q, long double left[2]) {
    long double b[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    long double sum[2] = {0, 0};
    for (uint32_t k = 0; k < own->field_count; ++k) {
        const float* row = c->data + own->data + (size_t)ABUT__CERTIFICATE_ROW * ABUT__GROUP * k;
        const long double x = q[fields[own->first_field + k]];
        for (int i = 0; i < 9; ++i) {
            b[i / 3][i % 3] += x * row[ABUT__GROUP * i];
        }
        sum[0] += fabsl(x) * row[ABUT__GROUP * 9];
        sum[1] += fabsl(x) * row[ABUT__GROUP * 10];
    }
    long double square[3][3];
    long double strain[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) {
            square[r][k] = b[0][r] * b[0][k] + b[1][r] * b[1][k] + b[2][r] * b[2][k];
            strain[r][k] = (b[r][k] + b[k][r]) / 2;
        }
    }
    left[0] = sqrtl(fmaxl(0, least_eigenvalue(square))) - sum[0];
    left[1] = least_eigenvalue(strain) - sum[1];
}

// Where a claim about the whole body, or one of its blocks, ends: it is made only if the numbers,
// summed up in long double, leave more than rounding; and what comes after is right, too.
static void test_claims_end_in_time(void** state) {
    (void)state;
    size_t ended = 0;
    for (uint32_t seed = 1; seed <= effort(30, 120, 3000); ++seed) {
        test_random random = random_seed(1000 + seed);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random, seed);
        const uint32_t count = 1 + random_below(&random, seed % 2 == 0 ? 3 : FIELDS_MOST);
        field_set f = make_fields(&random, &s, count, (kind)random_below(&random, KINDS));
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        const abut__certificates* c = certificates_of(&w, body);
        const uint32_t block = random_below(&random, c->block_count);
        const bool whole = random_chance(&random, 0.5);
        const abut__ref ref = whole ? 0 : block | ABUT__REF_BLOCK;
        double way[FIELDS_MOST];
        double q[FIELDS_MOST];
        for (uint32_t j = 0; j < count; ++j) {
            way[j] = random_double(&random, -1, 1);
        }
        double low = 0;
        double high = 64;
        for (int step = 0; step < 70; ++step) {
            const double size = step < 50 ? low + (high - low) / 2 : low;
            where("seed %u, step %d, size %.17g", seed, step, size);
            for (uint32_t j = 0; j < count; ++j) {
                q[j] = size * way[j] * (step < 50 ? 1 : 1 + 0.1 * (step - 50));
            }
            set_coordinates(&w, body, q, count);
            const bool claimed = apart(&w, body, ref);
            if (claimed) {
                long double left[2];
                margins_of(c, whole ? &c->nodes[0] : &c->blocks[block], c->fields.data, q, left);
                REQUIRE(left[0] > 0 || left[1] > 0);
            }
            if (step < 50) {
                *(claimed ? &low : &high) = size;
            }
            if (step % 5 == 0 || step >= 50) {
                (void)check_claims(&w, body);
            }
        }
        ended += low > 0;
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(ended > 10);
}

static void triangle_at(const world* w, abut_body_id body, uint32_t id, double out[3][3]) {
    const uint32_t* corners = abut_body_shape(w->scene, body)->mesh->triangles + 3 * (size_t)id;
    for (int c = 0; c < 3; ++c) {
        REQUIRE_OK(abut_body_vertex(w->scene, body, corners[c], out[c]));
    }
}

static bool share_class(const abut_mesh* mesh, uint32_t s, uint32_t t) {
    for (size_t k = 0; k < 9; ++k) {
        if (mesh->classes[mesh->triangles[3 * (size_t)s + k / 3]] ==
            mesh->classes[mesh->triangles[3 * (size_t)t + k % 3]]) {
            return true;
        }
    }
    return false;
}

// Every pair of the set, which `under` knows, keeps gap x (what is left) between it.
static size_t check_promise(const world* w, abut_body_id body, double distance,
                            bool (*covers)(const abut_shape*, uint32_t, uint32_t, uint32_t),
                            uint32_t argument, const uint32_t* block_of) {
    const abut_shape* shape = abut_body_shape(w->scene, body);
    const abut_mesh* mesh = shape->mesh;
    size_t pairs = 0;
    for (uint32_t s = 0; s < mesh->triangle_count && distance > 0; ++s) {
        for (uint32_t t = s + 1; t < mesh->triangle_count; ++t) {
            if (covers(shape, argument, block_of[s], block_of[t]) && !share_class(mesh, s, t)) {
                double p[3][3];
                double r[3][3];
                triangle_at(w, body, s, p);
                triangle_at(w, body, t, r);
                ++pairs;
                REQUIRE(!abut__triangles_within((const double(*)[3])p, (const double(*)[3])r,
                                                distance));
            }
        }
    }
    return pairs;
}

static bool under_node(const abut_shape* shape, uint32_t node, uint32_t a, uint32_t b) {
    return is_above(&shape->tree, node, a) && is_above(&shape->tree, node, b);
}
static bool in_block(const abut_shape* shape, uint32_t block, uint32_t a, uint32_t b) {
    (void)shape;
    return a == block && b == block;
}
static bool of_pair(const abut_shape* shape, uint32_t pair, uint32_t a, uint32_t b) {
    const abut__certificates* c = atomic_load(&abut__modal_of(shape)->certificates);
    const uint32_t lower = a < b ? a : b;
    for (uint32_t i = c->pair_first[lower]; i < c->pair_first[lower + 1] && a != b; ++i) {
        if (c->pair_number[i] == pair) {
            return c->pair_other[i] == (a < b ? b : a);
        }
    }
    return false;
}

static double promised(const abut__certificates* c, const abut__certificate* own,
                       const uint32_t* fields, const double* q) {
    long double left[2];
    margins_of(c, own, fields, q, left);
    return own->gap == INFINITY ? 0 : (double)(fmaxl(left[0], left[1]) * own->gap * (1 - 1e-9L));
}

static size_t check_promises(const world* w, abut_body_id body, const double* q) {
    const abut_shape* shape = abut_body_shape(w->scene, body);
    const abut__certificates* c = certificates_of(w, body);
    uint32_t* block_of = blocks_of_triangles(shape);
    size_t pairs = 0;
    for (uint32_t n = 0; n < c->node_count; ++n) {
        pairs += check_promise(w, body, promised(c, &c->nodes[n], c->fields.data, q), under_node, n,
                               block_of);
    }
    for (uint32_t b = 0; b < c->block_count; ++b) {
        pairs += check_promise(w, body, promised(c, &c->blocks[b], c->fields.data, q), in_block, b,
                               block_of);
    }
    for (uint32_t p = 0; p < c->pair_count; ++p) {
        pairs += check_promise(w, body, promised(c, &c->pairs[p], c->fields.data, q), of_pair, p,
                               block_of);
    }
    free(block_of);
    return pairs;
}

// Sixteen at once, in every instruction set, against sums in long double: what is said to hold does,
// what is said not to does not by far; and all sets say the same. Numbers are such that both occur.
static void test_sixteen_at_once(void** state) {
    (void)state;
    static const abut_isa sets[] = {ABUT_ISA_SCALAR, ABUT_ISA_AVX2, ABUT_ISA_AVX512};
    static float one[FIELDS_MOST][ABUT__GROUP];
    static float rows[FIELDS_MOST][ABUT__CERTIFICATE_ROW][ABUT__GROUP];
    size_t told[3] = {0, 0, 0};
    for (uint32_t seed = 1; seed <= effort(300, 3000, 100000); ++seed) {
        where("seed %u", seed);
        test_random random = random_seed(3000 + seed);
        const uint32_t count = random_below(&random, FIELDS_MOST);
        uint32_t fields[FIELDS_MOST];
        double q[FIELDS_MOST];
        const double size = random_double(&random, 0, 12) / (1.0 + count);
        for (uint32_t k = 0; k < count; ++k) {
            fields[k] = count - 1 - k;
            q[k] = random_chance(&random, 0.2) ? 0 : random_double(&random, -size, size);
            for (uint32_t lane = 0; lane < ABUT__GROUP; ++lane) {
                double norm = 0;
                for (int i = 0; i < 9; ++i) {
                    rows[k][i][lane] = (float)random_double(&random, -0.5, 0.5);
                    norm += (double)rows[k][i][lane] * (double)rows[k][i][lane];
                }
                rows[k][9][lane] = (float)random_double(&random, 0, 0.5);
                rows[k][10][lane] = random_chance(&random, 0.01)
                                        ? INFINITY
                                        : (float)random_double(&random, 0, 0.5);
                rows[k][11][lane] = (float)(sqrt(norm) * 1.000001);
                one[k][lane] = rows[k][10][lane] + rows[k][9][lane];
            }
        }
        float inverse_gap[ABUT__GROUP];
        for (uint32_t lane = 0; lane < ABUT__GROUP; ++lane) {
            inverse_gap[lane] = random_chance(&random, 0.1) ? INFINITY
                                                            : (float)random_double(&random, 1, 1e9);
        }
        const double rounding = random_chance(&random, 0.3) ? 0 : random_double(&random, 0, 1e-10);
        float sums[3][ABUT__CERTIFICATE_ROW][ABUT__GROUP];
        abut__certificate_verdict verdict[3];
        uint32_t certified[3];
        for (int s = 0; s < 3; ++s) {
            abut_isa isa = sets[s];
            const abut__kernels* kernels = abut__kernels_choose(&isa);
            if (kernels == NULL) {
                continue;
            }
            const abut__modal_lanes short_lanes = {one[0], fields, count};
            const abut__modal_lanes lanes = {rows[0][0], fields, count};
            certified[s] = kernels->modal_certified(&short_lanes, q, inverse_gap, rounding);
            verdict[s] = kernels->modal_certificates(&lanes, q, inverse_gap, rounding, sums[s]);
            REQUIRE(certified[s] == certified[0]);
            REQUIRE(verdict[s].yes == verdict[0].yes && verdict[s].no == verdict[0].no);
            REQUIRE(memcmp(sums[s], sums[0], sizeof sums[0]) == 0);
        }
        for (uint32_t lane = 0; lane < ABUT__GROUP; ++lane) {
            long double b[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            long double sum[3] = {0, 0, 0};
            for (uint32_t k = 0; k < count; ++k) {
                const long double x = q[fields[k]];
                for (int i = 0; i < 9 && x != 0; ++i) {
                    b[i / 3][i % 3] += x * rows[k][i][lane];
                }
                sum[0] += x != 0 ? fabsl(x) * rows[k][9][lane] : 0;
                sum[1] += x != 0 ? fabsl(x) * rows[k][10][lane] : 0;
                sum[2] += x != 0 ? fabsl(x) * one[k][lane] : 0;
            }
            long double strain[3][3];
            long double square[3][3];
            for (int r = 0; r < 3; ++r) {
                for (int c = 0; c < 3; ++c) {
                    strain[r][c] = (b[r][c] + b[c][r]) / 2;
                    square[r][c] = b[0][r] * b[0][c] + b[1][r] * b[1][c] + b[2][r] * b[2][c];
                }
            }
            const long double lost = rounding != 0 ? rounding * (long double)inverse_gap[lane] : 0;
            const long double left = least_eigenvalue(strain) - sum[1] - lost;
            const long double full = sqrtl(fmaxl(0, least_eigenvalue(square))) - sum[0] - lost;
            const bool yes = (verdict[0].yes >> lane & 1) != 0;
            const bool no = (verdict[0].no >> lane & 1) != 0;
            REQUIRE(!yes || left > 0);
            REQUIRE(!no || !(left > 1e-4 || full > 1e-4));
            REQUIRE((certified[0] >> lane & 1) == 0 || sum[2] + lost < 1);
            told[0] += yes;
            told[1] += no;
            told[2] += certified[0] >> lane & 1;
        }
    }
    assert_true(told[0] > 100 && told[1] > 100 && told[2] > 100);
}

// What is kept of a state is what is found without keeping anything, however often and in whatever
// order it is asked for.
static void test_asked_again(void** state) {
    (void)state;
    size_t asked[2] = {0, 0};
    for (uint32_t seed = 1; seed <= effort(10, 50, 1000); ++seed) {
        test_random random = random_seed(5000 + seed);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random, seed);
        const uint32_t count = 1 + random_below(&random, FIELDS_MOST);
        field_set f = make_fields(&random, &s, count, (kind)random_below(&random, KINDS));
        const abut_body_id id = add_modal(&w, &s, &f, 48);
        const abut__certificates* c = certificates_of(&w, id);
        for (int step = 0; step < 6; ++step) {
            where("seed %u, step %d", seed, step);
            const double size = random_double(&random, 0, 2) / count;
            double q[FIELDS_MOST];
            for (uint32_t j = 0; j < count; ++j) {
                q[j] = random_double(&random, -size, size);
            }
            set_coordinates(&w, id, q, count);
            const abut__body* body = abut__scene_body(w.scene, id);
            const abut__modal_state* own = abut__modal_state_of(abut__body_state(body, 1));
            const abut__certificate_state alone = {own->coordinate, (double)own->lost, NULL, 0};
            for (uint32_t i = 0; i < 3 * (c->node_count + c->block_count); ++i) {
                const bool node = random_chance(&random, 0.3);
                const abut__ref ref = node
                                          ? random_below(&random, c->node_count)
                                          : random_below(&random, c->block_count) | ABUT__REF_BLOCK;
                const bool wanted = abut__certificate_holds_ref(c, ref, &alone);
                REQUIRE(apart(&w, id, ref) == wanted);
                const uint32_t a = random_below(&random, c->block_count);
                const uint32_t b = random_below(&random, c->block_count);
                const bool both = abut__certificate_holds_pair(c, a, b, &alone);
                REQUIRE(blocks_apart(&w, id, a, b) == both);
                ++asked[wanted];
            }
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(asked[0] > 100 && asked[1] > 100);
}

// Certificates promise a distance, not only that there is one: all pairs are measured against it.
static void test_promised_distances_are_kept(void** state) {
    (void)state;
    size_t pairs = 0;
    for (uint32_t seed = 1; seed <= effort(20, 80, 2000); ++seed) {
        test_random random = random_seed(2000 + seed);
        world w = world_make(NULL, NULL);
        surface s = seed % 3 == 0   ? surface_ball(5, 7, 1)
                    : seed % 3 == 1 ? two_sheets(4, 0.25)
                                    : surface_soup(&random, 24, 3, 0.5, 0x1p-20);
        const uint32_t count = 1 + random_below(&random, 3);
        field_set f = make_fields(&random, &s, count, (kind)random_below(&random, KINDS));
        const abut_body_id body = add_modal(&w, &s, &f, 4 + random_below(&random, 20));
        double q[FIELDS_MOST];
        for (int step = 0; step < 6; ++step) {
            where("seed %u, step %d", seed, step);
            const double size = ldexp(1, step - 7);
            for (uint32_t j = 0; j < count; ++j) {
                q[j] = random_double(&random, -size, size);
            }
            set_coordinates(&w, body, q, count);
            pairs += check_promises(&w, body, q);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(pairs > 10000);
}

// ---- cases made by hand

// A sheet between two others comes down on the lower one, tilted, and up to the upper one: it
// touches first when a corner has gone all the way. Bounds that are low by a tenth would be seen.
static void test_claims_are_tight_and_right(void** state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        world w = world_make(NULL, NULL);
        surface middle = surface_sheet(2, 2, 1);
        surface outer = two_sheets(2, 2);
        surface_shift(&outer, 0, 0, -1);
        surface s = surface_join(&outer, &middle);
        field_set f = still_fields(&s, 1);
        for (uint32_t v = outer.vertex_count; v < s.vertex_count; ++v) {
            field_at(&f, 0, v)[2] = 1 - 0.25 * s.xyz[3 * (size_t)v];
        }
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        double last = 0;
        for (double q = 0; q < 2; q += 0x1p-7) {
            const double x = sign * q;
            where("coordinate %g", x);
            set_coordinates(&w, body, &x, 1);
            const size_t hits = check_claims(&w, body);
            if (fabs(q - 1) > 0.01 && fabs(q - 1 / 0.75) > 0.01) {
                assert_true((hits > 0) == (q > 1 && q < 1 / 0.75));
            }
            last = hits == 0 && q < 1 && apart(&w, body, 0) ? q : last;
        }
        assert_true(last > 0.4);
        free_fields(&f);
        surface_free(&middle);
        surface_free(&outer);
        surface_free(&s);
        world_free(&w);
    }
}

// Small pieces far from each other, each with a motion of its own in every field: nothing, an affine
// one that may make it collapse or meet another, or a bent one. That is what nodes are made of.
#define PIECES 9u
static surface pieces_make(test_random* random, uint32_t each[PIECES + 1], double middle[][3]) {
    surface all = surface_make(0, 0);
    for (uint32_t i = 0; i < PIECES; ++i) {
        surface one = random_chance(random, 0.5) ? surface_sheet(1 + random_below(random, 6), 1, 1)
                                                 : surface_soup(random, 3, 0.5, 0.4, 0x1p-20);
        for (int d = 0; d < 3; ++d) {
            middle[i][d] = random_double(random, -3, 3);
        }
        surface_scale(&one, random_chance(random, 0.5) ? 0.3 : 1);
        surface_shift(&one, middle[i][0], middle[i][1], middle[i][2]);
        each[i] = all.vertex_count;
        surface joined = surface_join(&all, &one);
        surface_free(&all);
        surface_free(&one);
        all = joined;
    }
    each[PIECES] = all.vertex_count;
    return all;
}

static void move_piece(test_random* random, const surface* s, const field_set* f, uint32_t field,
                       const uint32_t each[PIECES + 1], const double middle[][3], uint32_t piece) {
    enum { STILL, COLLAPSE, GROW, MEET, BEND, ANY, WAYS };
    const uint32_t how = random_below(random, WAYS);
    const uint32_t other = random_below(random, PIECES);
    double m[3][3];
    for (int i = 0; i < 9; ++i) {
        const double identity = i % 4 == 0;
        m[i / 3][i % 3] = how == STILL || how == MEET ? 0
                          : how == COLLAPSE           ? -identity
                          : how == GROW               ? identity
                                                      : random_double(random, -2, 2);
    }
    for (uint32_t v = each[piece]; v < each[piece + 1]; ++v) {
        double x[3];
        for (int d = 0; d < 3; ++d) {
            x[d] = s->xyz[3 * (size_t)v + (size_t)d] - middle[piece][d];
        }
        const double bend = how == BEND ? x[0] * x[0] : 1;
        for (int d = 0; d < 3; ++d) {
            field_at(f, field, v)[d] = bend * (m[d][0] * x[0] + m[d][1] * x[1] + m[d][2] * x[2]) +
                                       (how == MEET ? middle[other][d] - middle[piece][d] : 0);
        }
    }
}

static void test_pieces_with_motions_of_their_own(void** state) {
    (void)state;
    size_t hits = 0;
    size_t whole = 0;
    for (uint32_t seed = 1; seed <= effort(150, 600, 20000); ++seed) {
        test_random random = random_seed(4000 + seed);
        world w = world_make(NULL, NULL);
        uint32_t each[PIECES + 1];
        double middle[PIECES][3];
        surface s = pieces_make(&random, each, middle);
        const uint32_t count = 1 + random_below(&random, 3);
        field_set f = still_fields(&s, count);
        const double busy = random_chance(&random, 0.5) ? 0.2 : 0.9;
        for (uint32_t k = 0; k < count * PIECES; ++k) {
            if (random_chance(&random, busy)) {
                move_piece(&random, &s, &f, k / PIECES, each, (const double(*)[3])middle,
                           k % PIECES);
            }
        }
        const abut_body_id body = add_modal(&w, &s, &f, 1 + random_below(&random, 12));
        for (int step = 0; step < 24; ++step) {
            where("seed %u, step %d", seed, step);
            double q[3];
            for (uint32_t j = 0; j < count; ++j) {
                const double size = random_chance(&random, 0.3) ? 4 : 1.25;
                q[j] = random_chance(&random, 0.4) ? 1 : random_double(&random, -size, size);
                q[j] = random_chance(&random, 0.2) ? 0 : q[j];
            }
            set_coordinates(&w, body, q, count);
            hits += check_claims(&w, body);
            whole += apart(&w, body, 0);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 1000 && whole > 200);
}

// Three bars side by side that are far for certificates, each of two triangles with a corner in
// common: the middle one turns about its centre, or bends, until its tips meet another.
static void test_bars_that_turn_or_bend(void** state) {
    (void)state;
    static const double tips[5][3] = {
        {0, 0, 0.05}, {1, 0, 0}, {1, 0, 0.1}, {-1, 0, 0}, {-1, 0, 0.1}};
    static const uint32_t corners[6] = {0, 1, 2, 0, 3, 4};
    for (int power = 0; power <= 6; ++power) {
        world w = world_make(NULL, NULL);
        surface bar = surface_make(5, 2);
        memcpy(bar.xyz, tips, sizeof tips);
        memcpy(bar.triangles, corners, sizeof corners);
        surface_scale(&bar, power == 0 ? 0.3 : 1);  // a short one, and all of it moves over
        surface other = surface_copy(&bar);
        surface_shift(&other, 0, 2.5, 0.01);
        surface two = surface_join(&bar, &other);
        surface_shift(&other, 0, -5, 0);
        surface s = surface_join(&two, &other);
        field_set f = still_fields(&s, 1);
        for (uint32_t v = 0; v < bar.vertex_count; ++v) {
            field_at(&f, 0, v)[1] = pow(s.xyz[3 * (size_t)v], power) +
                                    0.3 * s.xyz[3 * (size_t)v + 2];
        }
        if (power > 0 && power % 2 == 0) {
            field_at(&f, 0, 0)[1] = -4;  // so that the mean does not move
        }
        const abut_body_id body = add_modal(&w, &s, &f, 2);
        size_t hits = 0;
        size_t claimed = 0;
        for (double q = -4; q <= 4; q += 0x1p-6) {
            where("power %d, coordinate %g", power, q);
            set_coordinates(&w, body, &q, 1);
            hits += check_claims(&w, body);
            claimed += apart(&w, body, 0);
        }
        assert_true(hits > 0 && claimed > 2);
        free_fields(&f);
        surface_free(&bar);
        surface_free(&other);
        surface_free(&two);
        surface_free(&s);
        world_free(&w);
    }
}

// A crowd of balls grows, and what that does for the map of the whole must not help two sheets inside, which
// that field does not move and which another one brings together.
static void test_fields_that_move_other_parts(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface ball = surface_make(0, 0);
    for (int i = 0; i < 8; ++i) {
        surface one = surface_ball(3, 4, 0.5);
        surface_shift(&one, i % 2 == 0 ? -3 : 3, i / 2 % 2 == 0 ? -3 : 3, i < 4 ? -3 : 3);
        surface joined = surface_join(&ball, &one);
        surface_free(&ball);
        surface_free(&one);
        ball = joined;
    }
    surface sheets = two_sheets(2, 0.2);
    surface_scale(&sheets, 0.2);
    surface s = surface_join(&ball, &sheets);
    field_set f = still_fields(&s, 2);
    memcpy(field_at(&f, 0, 0), ball.xyz, 3 * (size_t)ball.vertex_count * sizeof(double));
    for (uint32_t v = s.vertex_count - sheets.vertex_count / 2; v < s.vertex_count; ++v) {
        field_at(&f, 1, v)[2] = -0.04 - 0.1 * s.xyz[3 * (size_t)v];
    }
    const abut_body_id body = add_modal(&w, &s, &f, 16);
    size_t hits = 0;
    for (double grow = 0; grow < 100; grow = 2 * grow + 1) {
        for (double close = 0; close < 1.5; close += 0x1p-5) {
            where("coordinates %g, %g", grow, close);
            const double q[2] = {grow, close};
            set_coordinates(&w, body, q, 2);
            hits += check_claims(&w, body);
        }
    }
    assert_true(hits > 0);
    free_fields(&f);
    surface_free(&ball);
    surface_free(&sheets);
    surface_free(&s);
    world_free(&w);
}

// So far from the origin that doubles are coarse, a body that shrinks is torn by rounding.
static void test_coarse_doubles(void** state) {
    (void)state;
    test_random random = random_seed(9);
    size_t hits = 0;
    for (int exponent = 30; exponent <= 52; exponent += (int)effort(2, 1, 1)) {
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 8);
        surface_shift(&s, ldexp(1, exponent), ldexp(-0.7, exponent), ldexp(0.3, exponent));
        field_set f = make_fields(&random, &s, 1, SMOOTH);
        for (size_t i = 0; i < 3 * (size_t)s.vertex_count; ++i) {
            f.u[i] = ldexp(i % 3 == 0 ? 1 : i % 3 == 1 ? -0.7 : 0.3, exponent) - s.xyz[i];
        }
        const abut_body_id body = add_modal(&w, &s, &f, 16);
        for (double left = 1; left > 1e-5; left *= 0.8) {
            const double q = 1 - left;
            where("exponent %d, left %g", exponent, left);
            set_coordinates(&w, body, &q, 1);
            hits += check_claims(&w, body);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 0);
}

static void test_rest_evaluates_nothing(void** state) {
    (void)state;
    test_random random = random_seed(3);
    for (uint32_t i = 0; i < 4; ++i) {
        world w = world_make(NULL, NULL);
        surface s = i % 2 == 0 ? surface_ball(24, 40, 1) : two_sheets(20, 0.01);
        field_set f = make_fields(&random, &s, 12, SMOOTH);
        if (i >= 2) {
            surface_shift(&s, 1e6, 1e6, 0);
        }
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        abut_counters counters = counters_of(&w, body);
        assert_int_equal(counters.hits, 0);
        assert_int_equal(counters.blocks_evaluated, 0);
        assert_int_equal(counters.nodes_apart, 1);
        const double q[12] = {1e-4, -2e-4, 0, 1e-5, 1e-4};
        set_coordinates(&w, body, q, 12);
        counters = counters_of(&w, body);
        assert_int_equal(counters.blocks_evaluated, 0);
        abut_query_def def = abut_query_def_default();  // nothing is proven about distances
        def.margin = 1e-3;
        counters = (abut_counters){0};
        def.counters = &counters;
        (void)check_self(&w, body, &def);
        assert_int_equal(counters.nodes_apart + counters.blocks_apart, 0);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// A strip of triangles that touch in single points without sharing a vertex is never certified; one
// ulp of a gap is as good as none. Queries answer as if there were no certificates.
static void test_touching_at_rest(void** state) {
    (void)state;
    test_random random = random_seed(4);
    for (int i = 0; i < 3; ++i) {
        world w = world_make(NULL, NULL);
        surface s = surface_make(6, 2);
        static const double xyz[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                         {1, 0, 0}, {2, 0, 1}, {2, 1, 0}};
        memcpy(s.xyz, xyz, sizeof xyz);
        for (uint32_t k = 0; k < 6; ++k) {
            s.triangles[k] = k;
        }
        s.xyz[9] = i == 0 ? 0.5 : i == 1 ? nextafter(1, 2) : 1 + 0x1p-20;
        s.xyz[10] = i == 0 ? 0.5 : 0;
        field_set f = make_fields(&random, &s, 2, SMOOTH);
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        const size_t hits = check_claims(&w, body);
        assert_int_equal(hits, i == 0);
        assert_true(i != 0 || !apart(&w, body, 0));
        assert_true(i != 2 || apart(&w, body, 0));
        for (double q = 1e-18; q < 10; q *= 3) {
            const double both[2] = {q, -q};
            set_coordinates(&w, body, both, 2);
            (void)check_claims(&w, body);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// A field that takes everything to one plane, or to one point, and through it inside out.
static void test_collapse(void** state) {
    (void)state;
    for (int axes = 1; axes <= 3; ++axes) {
        world w = world_make(NULL, NULL);
        surface s = surface_ball(8, 12, 1);
        field_set f = still_fields(&s, 1);
        for (size_t i = 0; i < 3 * (size_t)s.vertex_count; ++i) {
            f.u[i] = (int)(i % 3) < axes ? -s.xyz[i] : 0;
        }
        const abut_body_id body = add_modal(&w, &s, &f, 16);
        static const double steps[] = {0.5,       0.99, 0.9999,    1 - 1e-6, 1 - 1e-9,
                                       1 - 1e-14, 1,    1 + 1e-14, 1 + 1e-9, 1.01,
                                       2,         -0.5, -2};
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
            where("%d axes, coordinate %.17g", axes, steps[i]);
            set_coordinates(&w, body, &steps[i], 1);
            const size_t hits = check_claims(&w, body);
            assert_true((steps[i] == 1) == (hits > 0) || fabs(steps[i] - 1) < 1e-8);
            const bool easy = fabs(steps[i] - 1) > 0.3;
            assert_true(!easy || apart(&w, body, 0));
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// values beyond what certificates can reckon with: none hold, or they hold rightly
static void test_extreme_values(void** state) {
    (void)state;
    test_random random = random_seed(5);
    static const double sizes[][3] = {{1, 1e-45, 1e38},    {1, 1e-300, 1e300},  {1, 1e300, 1e-300},
                                      {1e-200, 1e-200, 1}, {1e-160, 1, 1e-160}, {1e70, 1e70, 0.1},
                                      {1e30, 1e-30, 1e60}, {1e-40, 1e-40, 0.1}, {1, 1e200, 1e-201},
                                      {1, 1e50, 1e-50}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        world w = world_make(NULL, NULL);
        surface s = i % 2 == 0 ? surface_ball(6, 9, 1) : two_sheets(5, 0.1);
        field_set f = make_fields(&random, &s, 3, SMOOTH);
        surface_scale(&s, sizes[i][0]);
        for (size_t k = 0; k < 9 * (size_t)s.vertex_count; ++k) {
            f.u[k] *= sizes[i][1];
        }
        const abut_body_id body = add_modal(&w, &s, &f, 8);
        for (int step = -6; step <= 6; ++step) {
            where("sizes %zu, step %d", i, step);
            double q[3];
            for (int j = 0; j < 3; ++j) {
                q[j] = random_double(&random, -1, 1) * sizes[i][2] * pow(10, step / 2.0);
            }
            if (abut_body_set_coordinates(w.scene, body, q, 3, NULL) == ABUT_OK) {
                (void)check_claims(&w, body);
            }
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// ---- how they are made

// a fan of so many blocks that their common tip is a hub, and far more near pairs than are kept
static void test_crowded_shapes(void** state) {
    (void)state;
    test_random random = random_seed(6);
    world w = world_make(NULL, NULL);
    surface fan = surface_make(202, 200);
    memset(fan.xyz, 0, 3 * sizeof *fan.xyz);
    for (uint32_t i = 0; i < 201; ++i) {
        fan.xyz[3 * (size_t)i + 3] = cos(0.03 * i);
        fan.xyz[3 * (size_t)i + 4] = sin(0.03 * i);
        fan.xyz[3 * (size_t)i + 5] = 0.001 * i;
    }
    for (uint32_t i = 0; i < 200; ++i) {
        const uint32_t corners[3] = {0, i + 1, i + 2};
        memcpy(fan.triangles + 3 * (size_t)i, corners, sizeof corners);
    }
    surface heap = surface_soup(&random, 300, 0.5, 1, 0.125);
    const surface* all[2] = {&fan, &heap};
    for (int i = 0; i < 2; ++i) {
        field_set f = make_fields(&random, all[i], 4, SMOOTH);
        const abut_body_id body = add_modal(&w, all[i], &f, 2);
        for (double size = 0; size < 1; size = 4 * size + 0.001) {
            const double q[4] = {size, -size, size / 2, 0};
            set_coordinates(&w, body, q, 4);
            (void)check_claims(&w, body);
        }
        free_fields(&f);
    }
    surface_free(&fan);
    surface_free(&heap);
    world_free(&w);
}

// the same bits and the same work whatever the instruction set and the number of threads
static void test_made_the_same_everywhere(void** state) {
    (void)state;
    static const abut_isa sets[] = {ABUT_ISA_BEST, ABUT_ISA_SCALAR, ABUT_ISA_AVX2, ABUT_ISA_AVX512};
    float* first = NULL;
    size_t floats = 0;
    abut_counters wanted = {0};
    for (size_t i = 0; i < 6; ++i) {
        test_random random = random_seed(7);
        test_threads* threads = threads_create(i < 4 ? 1 : (uint32_t)(2 * i - 6), i);
        abut_context_def def = abut_context_def_default();
        def.isa = i < 4 ? sets[i] : ABUT_ISA_BEST;
        def.tasks = i < 4 ? def.tasks : threads_tasks(threads);
        abut_context* probe = NULL;
        if (abut_context_create(&def, &probe, NULL) != ABUT_OK) {
            threads_destroy(threads);
            continue;  // the processor lacks it
        }
        abut_context_destroy(probe);
        world w = world_make(&def, NULL);
        surface s = surface_ball(24, 40, 1);
        field_set f = make_fields(&random, &s, 19, SPARSE);
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        double q[19];
        for (int j = 0; j < 19; ++j) {
            q[j] = random_double(&random, -0.005, 0.005);
        }
        set_coordinates(&w, body, q, 19);
        const abut_counters counters = counters_of(&w, body);
        const abut__certificates* c = certificates_of(&w, body);
        if (first == NULL) {
            wanted = counters;
            floats = c->floats;
            first = test_alloc(floats, sizeof *first);
            memcpy(first, c->data, floats * sizeof *first);
            assert_true(counters.nodes_apart > 0 && counters.blocks_apart > 0);
        }
        assert_int_equal(c->floats, floats);
        assert_memory_equal(c->data, first, floats * sizeof *first);
        assert_memory_equal(&counters, &wanted, sizeof counters);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
        threads_destroy(threads);
    }
    free(first);
}

// without memory for certificates answers are the same, and nothing leaks
static void test_without_memory(void** state) {
    (void)state;
    for (size_t call = 1; call < 60; ++call) {
        where("call %zu", call);
        test_random random = random_seed(8);
        test_memory memory;
        memory_init(&memory);
        abut_context_def def = abut_context_def_default();
        def.allocator = memory_allocator(&memory);
        world w = world_make(&def, NULL);
        surface s = surface_ball(8, 12, 1);
        field_set f = make_fields(&random, &s, 3, SMOOTH);
        const abut_body_id body = add_modal(&w, &s, &f, 16);
        const abut_shape* shape = abut_body_shape(w.scene, body);
        memory_fail(&memory, call, false);
        shape->motion->proofs->expect(shape);
        const bool refused = memory.refused > 0;
        memory_fail(&memory, 0, false);
        assert_true(refused == (atomic_load(&abut__modal_of(shape)->certificates) == NULL));
        const double q[3] = {0.1, 0.2, -0.3};
        set_coordinates(&w, body, q, 3);
        (void)check_claims(&w, body);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
        assert_true(memory_clean(&memory));
        memory_destroy(&memory);
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
        cmocka_unit_test(test_claims_end_in_time),
        cmocka_unit_test(test_sixteen_at_once),
        cmocka_unit_test(test_asked_again),
        cmocka_unit_test(test_promised_distances_are_kept),
        cmocka_unit_test(test_claims_are_tight_and_right),
        cmocka_unit_test(test_pieces_with_motions_of_their_own),
        cmocka_unit_test(test_bars_that_turn_or_bend),
        cmocka_unit_test(test_fields_that_move_other_parts),
        cmocka_unit_test(test_coarse_doubles),
        cmocka_unit_test(test_rest_evaluates_nothing),
        cmocka_unit_test(test_touching_at_rest),
        cmocka_unit_test(test_collapse),
        cmocka_unit_test(test_extreme_values),
        cmocka_unit_test(test_crowded_shapes),
        cmocka_unit_test(test_made_the_same_everywhere),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
