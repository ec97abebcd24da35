// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of modal shapes. Pairs that they prove apart are apart: brute force finds no contact
// there, and triangles keep the promised distance. And some certificates do hold.

#include "test_certificate_support.h"

#include "support/inside.h"

#define FIELDS_MOST 24u

// ---- what is claimed

static const abut__certificates* certificates_of(const world* w, abut_body_id body) {
    const abut_shape* shape = inside_shape(abut_body_shape(w->scene, body));
    REQUIRE(abut__certified_prepare(shape));
    const abut__certificates* c = abut__certified_made(shape);
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
    for (uint32_t n = 0; n < c->index.node_count; ++n) {
        made.nodes += apart(w, id, n);
    }
    for (uint32_t b = 0; b < c->index.block_count; ++b) {
        made.blocks += apart(w, id, b | ABUT__REF_BLOCK);
        for (uint32_t p = c->index.pair_first[b]; p < c->index.pair_first[b + 1]; ++p) {
            made.pairs += blocks_certified(w, id, c->index.pair_other[p], b);
        }
    }
    return made;
}

// ---- random ones

// sizes from tiny to far beyond any that a certificate covers
static void test_claims_are_true(void** state) {
    (void)state;
    size_t hits = 0;
    claims sum = {0, 0, 0};
    for (uint32_t seed = 1; seed <= effort(30, 240, 2400); ++seed) {
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

// the least eigenvalue of a symmetric matrix, by Jacobi rotations
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

// the remainder of 1 by the numbers of a certificate: [0] in full, [1] by strain
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

// The limit of a claim about the whole body, or one of its blocks. A claim is made only if its
// numbers, summed in long double, leave more than the rounding error. Answers beyond the limit are
// right, too.
static void test_claims_end_in_time(void** state) {
    (void)state;
    size_t ended = 0;
    for (uint32_t seed = 1; seed <= effort(30, 120, 1200); ++seed) {
        test_random random = random_seed(1000 + seed);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random, seed);
        const uint32_t count = 1 + random_below(&random, seed % 2 == 0 ? 3 : FIELDS_MOST);
        field_set f = make_fields(&random, &s, count, (kind)random_below(&random, KINDS));
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        const abut__certificates* c = certificates_of(&w, body);
        const uint32_t block = random_below(&random, c->index.block_count);
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
        REQUIRE_OK(abut_body_vertex(w->scene, body, corners[c], out[c], NULL));
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

// Requires that all pairs which `covers` selects are farther apart than `distance`. Returns their
// number.
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
    const abut__certificates* c = abut__certified_made(shape);
    const uint32_t lower = a < b ? a : b;
    for (uint32_t i = c->index.pair_first[lower]; i < c->index.pair_first[lower + 1] && a != b;
         ++i) {
        if (c->index.pair_number[i] == pair) {
            return c->index.pair_other[i] == (a < b ? b : a);
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
    for (uint32_t n = 0; n < c->index.node_count; ++n) {
        pairs += check_promise(w, body, promised(c, &c->nodes[n], c->fields.data, q), under_node, n,
                               block_of);
    }
    for (uint32_t b = 0; b < c->index.block_count; ++b) {
        pairs += check_promise(w, body, promised(c, &c->blocks[b], c->fields.data, q), in_block, b,
                               block_of);
    }
    for (uint32_t p = 0; p < c->index.pair_count; ++p) {
        pairs += check_promise(w, body, promised(c, &c->pairs[p], c->fields.data, q), of_pair, p,
                               block_of);
    }
    free(block_of);
    return pairs;
}

// Sixteen certificates at once, in every instruction set, against sums in long double. Certificates
// reported as valid are valid, those reported as failed leave at most 1e-4, and all sets agree. The
// numbers make both occur.
static void test_sixteen_at_once(void** state) {
    (void)state;
    static float one[FIELDS_MOST][ABUT__GROUP];
    static float rows[FIELDS_MOST][ABUT__CERTIFICATE_ROW][ABUT__GROUP];
    size_t told[3] = {0, 0, 0};
    for (uint32_t seed = 1; seed <= effort(300, 3000, 30000); ++seed) {
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
        FOR_EACH_KERNELS(s, kernels) {
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

// Cached results of a state equal results without a cache, for any number and order of calls.
static void test_cached_results_equal_fresh_ones(void** state) {
    (void)state;
    size_t asked[2] = {0, 0};
    for (uint32_t seed = 1; seed <= effort(10, 50, 500); ++seed) {
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
            const abut__body* body = inside_body(w.scene, id);
            const abut__modal_state* own = abut__modal_state_of(abut__body_state(body, 1));
            const abut__certificate_state alone = {own->coordinate, (double)own->lost, NULL};
            for (uint32_t i = 0; i < 3 * (c->index.node_count + c->index.block_count); ++i) {
                const bool node = random_chance(&random, 0.3);
                const abut__ref ref = node ? random_below(&random, c->index.node_count)
                                           : random_below(&random, c->index.block_count) |
                                                 ABUT__REF_BLOCK;
                const bool wanted = abut__certificates_hold(
                                        c, abut__certificate_of_ref(&c->index, ref), &alone) != 0;
                REQUIRE(apart(&w, id, ref) == wanted);
                const uint32_t a = random_below(&random, c->index.block_count);
                const uint32_t b = random_below(&random, c->index.block_count);
                const abut__certificate_range range = abut__certificate_of_pair(&c->index, a, b);
                const bool both = range.lanes != 0 &&
                                  abut__certificates_hold(c, range, &alone) != 0;
                REQUIRE(blocks_certified(&w, id, a, b) == both);
                ++asked[wanted];
            }
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(asked[0] > 100 && asked[1] > 100);
}

// Certificates promise a distance, and not only separation: all pairs are measured against it.
static void test_promised_distances_are_true(void** state) {
    (void)state;
    size_t pairs = 0;
    for (uint32_t seed = 1; seed <= effort(20, 80, 800); ++seed) {
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

// equal bits and equal work for any instruction set and number of threads
static void test_made_the_same_everywhere(void** state) {
    (void)state;
    reference floats = {0};
    reference work = {0};
    everywhere at = everywhere_each((const uint32_t[]){2, 4, 0}, 4);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        test_random random = random_seed(7);
        world w = world_make(&at.def, NULL);
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
        REQUIRE(counters.nodes_certified > 0 && counters.blocks_certified > 0);
        REQUIRE(reference_same(&floats, c->data, c->floats * sizeof *c->data));
        REQUIRE(reference_same(&work, &counters, sizeof counters));
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    reference_free(&floats);
    reference_free(&work);
}

// without memory for certificates answers are the same, and nothing leaks
static void test_without_memory(void** state) {
    (void)state;
    for (size_t call = 1; call < 60; ++call) {
        where("call %zu", call);
        test_random random = random_seed(8);
        test_memory memory;
        abut_context_def def = memory_context_def(&memory);
        world w = world_make(&def, NULL);
        surface s = surface_ball(8, 12, 1);
        field_set f = make_fields(&random, &s, 3, SMOOTH);
        const abut_body_id body = add_modal(&w, &s, &f, 16);
        const bool refused = certificates_lack_memory(&w, body, &memory, call);
        const double q[3] = {0.1, 0.2, -0.3};
        set_coordinates(&w, body, q, 3);
        (void)check_claims(&w, body);
        free_fields(&f);
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
        cmocka_unit_test(test_claims_end_in_time),
        cmocka_unit_test(test_sixteen_at_once),
        cmocka_unit_test(test_cached_results_equal_fresh_ones),
        cmocka_unit_test(test_promised_distances_are_true),
        cmocka_unit_test(test_made_the_same_everywhere),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
