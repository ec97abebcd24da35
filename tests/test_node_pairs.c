// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of pairs of nodes of modal shapes. Triangles under two nodes that are proven apart
// keep their distance: plain arithmetic in double measures all of them, from vertices that it
// computes itself. Queries with such proofs find the same and look at less.
#include "test_certificate_support.h"

enum { FIELDS = 6 };

// ---- plain geometry

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void minus(const double a[3], const double b[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = a[d] - b[d];
    }
}

static double limit(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// the distance of two points a + s (b - a) and c + t (d - c)
static double distance_at(const double* a, const double* b, const double* c, const double* d,
                          double s, double t) {
    double way[3];
    for (int i = 0; i < 3; ++i) {
        way[i] = a[i] + s * (b[i] - a[i]) - c[i] - t * (d[i] - c[i]);
    }
    return sqrt(dot(way, way));
}

// the distance of two segments: at the ends of one, or where the derivatives vanish
static double segment_distance(const double* a, const double* b, const double* c, const double* d) {
    double u[3];
    double v[3];
    double w[3];
    minus(b, a, u);
    minus(d, c, v);
    minus(a, c, w);
    const double uu = dot(u, u);
    const double vv = dot(v, v);
    const double uv = dot(u, v);
    const double determinant = uu * vv - uv * uv;
    double least = INFINITY;
    for (int end = 0; end < 2; ++end) {
        const double t = uu > 0 ? limit((end * uv - dot(u, w)) / uu) : 0;
        const double s = vv > 0 ? limit((end * uv + dot(v, w)) / vv) : 0;
        least = fmin(least, fmin(distance_at(a, b, c, d, t, end), distance_at(a, b, c, d, end, s)));
    }
    if (determinant > 1e-12 * uu * vv) {
        const double s = (uv * dot(v, w) - vv * dot(u, w)) / determinant;
        const double t = (uu * dot(v, w) - uv * dot(u, w)) / determinant;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
            least = fmin(least, distance_at(a, b, c, d, s, t));
        }
    }
    return least;
}

// Writes the barycentric coordinates of the foot of p on the triangle's plane; false: no plane.
static bool foot(const double p[3], const double t[3][3], double weight[3]) {
    double u[3];
    double v[3];
    double w[3];
    minus(t[1], t[0], u);
    minus(t[2], t[0], v);
    minus(p, t[0], w);
    const double determinant = dot(u, u) * dot(v, v) - dot(u, v) * dot(u, v);
    if (!(determinant > 1e-12 * dot(u, u) * dot(v, v))) {
        return false;
    }
    weight[1] = (dot(v, v) * dot(u, w) - dot(u, v) * dot(v, w)) / determinant;
    weight[2] = (dot(u, u) * dot(v, w) - dot(u, v) * dot(u, w)) / determinant;
    weight[0] = 1 - weight[1] - weight[2];
    return true;
}

static bool is_inside(const double weight[3]) {
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
}

static double signed_height(const double p[3], const double t[3][3]) {
    double u[3];
    double v[3];
    double w[3];
    minus(t[1], t[0], u);
    minus(t[2], t[0], v);
    minus(p, t[0], w);
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                         u[0] * v[1] - u[1] * v[0]};
    const double length = sqrt(dot(n, n));
    return length > 0 ? dot(n, w) / length : 0;
}

// 0 if the segment passes through the triangle, else the distance of an end over its inside
static double face_distance(const double a[3], const double b[3], const double t[3][3]) {
    double weight[3];
    double least = INFINITY;
    const double high = signed_height(a, t);
    const double low = signed_height(b, t);
    if (foot(a, t, weight) && is_inside(weight)) {
        least = fmin(least, fabs(high));
    }
    if (foot(b, t, weight) && is_inside(weight)) {
        least = fmin(least, fabs(low));
    }
    if (high * low < 0) {
        double p[3];
        for (int d = 0; d < 3; ++d) {
            p[d] = a[d] + high / (high - low) * (b[d] - a[d]);
        }
        least = foot(p, t, weight) && is_inside(weight) ? 0 : least;
    }
    return least;
}

static double triangle_distance(const double s[3][3], const double t[3][3]) {
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            least = fmin(least, segment_distance(s[i], s[(i + 1) % 3], t[k], t[(k + 1) % 3]));
        }
        least = fmin(least, face_distance(s[i], s[(i + 1) % 3], t));
        least = fmin(least, face_distance(t[i], t[(i + 1) % 3], s));
    }
    return least;
}

// ---- what is claimed

typedef struct trial {
    world w;
    surface s;
    field_set f;
    abut_body_id body;
    double q[FIELDS];
    double* now;  // all vertices
} trial;

static void open_trial(trial* t, test_random* random, uint32_t which, uint32_t block) {
    *t = (trial){.w = world_make(NULL, NULL)};
    t->s = which % 3 == 0   ? surface_ball(12, 20, 1)
           : which % 3 == 1 ? surface_sheet(20, 12, 2)
                            : two_sheets(11, ldexp(1, -random_between(random, 3, 8)));
    t->f = make_fields(random, &t->s, FIELDS, (kind)random_below(random, KINDS));
    t->body = add_modal(&t->w, &t->s, &t->f, block);
    t->now = test_alloc(3 * (size_t)t->s.vertex_count, sizeof *t->now);
}

static void close_trial(trial* t) {
    free(t->now);
    free_fields(&t->f);
    surface_free(&t->s);
    world_free(&t->w);
}

static void set_state(trial* t, test_random* random, double size) {
    for (int j = 0; j < FIELDS; ++j) {
        t->q[j] = random_chance(random, 0.3) ? 0 : random_double(random, -size, size);
    }
    for (uint32_t v = 0; v < t->s.vertex_count; ++v) {
        for (int d = 0; d < 3; ++d) {
            double sum = t->s.xyz[3 * (size_t)v + (size_t)d];
            for (uint32_t j = 0; j < FIELDS; ++j) {
                sum += t->q[j] * field_at(&t->f, j, v)[d];
            }
            t->now[3 * (size_t)v + (size_t)d] = sum;
        }
    }
    set_coordinates(&t->w, t->body, t->q, FIELDS);
}

static void corners_of(const trial* t, uint32_t triangle, double out[3][3]) {
    for (int c = 0; c < 3; ++c) {
        const uint32_t v = t->s.triangles[3 * (size_t)triangle + (size_t)c];
        memcpy(out[c], t->now + 3 * (size_t)v, sizeof out[c]);
    }
}

static bool share_vertex(const trial* t, uint32_t a, uint32_t b) {
    for (size_t k = 0; k < 9; ++k) {
        const uint32_t v = t->s.triangles[3 * (size_t)a + k / 3];
        const uint32_t w = t->s.triangles[3 * (size_t)b + k % 3];
        if (memcmp(t->s.xyz + 3 * (size_t)v, t->s.xyz + 3 * (size_t)w, 3 * sizeof *t->s.xyz) == 0) {
            return true;
        }
    }
    return false;
}

// All triangles under one node against all under the other. Returns the number of pairs.
static size_t check_apart(const trial* t, uint32_t a, uint32_t b, const uint32_t* block_of) {
    const abut_shape* shape = abut_body_shape(t->w.scene, t->body);
    size_t pairs = 0;
    for (uint32_t x = 0; x < t->s.triangle_count; ++x) {
        if (!is_above(&shape->tree, a, block_of[x])) {
            continue;
        }
        double p[3][3];
        corners_of(t, x, p);
        for (uint32_t y = 0; y < t->s.triangle_count; ++y) {
            if (!is_above(&shape->tree, b, block_of[y]) || share_vertex(t, x, y)) {
                continue;
            }
            double r[3][3];
            corners_of(t, y, r);
            ++pairs;
            REQUIRE(triangle_distance((const double(*)[3])p, (const double(*)[3])r) > 1e-14);
        }
    }
    return pairs;
}

typedef struct tally {
    size_t claims;
    size_t beyond;  // claims about nodes under one that is not proven apart itself
    size_t pairs;
} tally;

static abut__certificate_index* index_of(const trial* t) {
    const abut_shape* shape = abut_body_shape(t->w.scene, t->body);
    REQUIRE(abut__certified_prepare(shape));
    abut__certificate_index* index = abut__certified_made(shape);
    assert_non_null(index);
    return index;
}

static void check_state(const trial* t, tally* sum) {
    const abut_shape* shape = abut_body_shape(t->w.scene, t->body);
    const abut__certificate_index* index = index_of(t);
    uint32_t* block_of = blocks_of_triangles(shape);
    for (uint32_t a = 0; a < index->node_count && index->node_pair_count > 0; ++a) {
        for (uint32_t i = index->node_pair_first[a]; i < index->node_pair_first[a + 1]; ++i) {
            const uint32_t b = index->node_pair_other[i];
            REQUIRE(a < b && shape->tree.nodes[a].depth == shape->tree.nodes[b].depth);
            const bool claimed = nodes_certified(&t->w, t->body, a, b);
            REQUIRE(claimed == nodes_certified(&t->w, t->body, b, a));
            if (claimed) {
                ++sum->claims;
                sum->beyond += !apart(&t->w, t->body, shape->tree.nodes[a].parent);
                sum->pairs += check_apart(t, a, b, block_of);
            }
        }
    }
    free(block_of);
}

// sizes from tiny to far beyond any that a certificate covers
static void test_claims_are_true(void** state) {
    (void)state;
    tally sum = {0, 0, 0};
    for (uint32_t seed = 1; seed <= effort(9, 60, 1500); ++seed) {
        test_random random = random_seed(7000 + seed);
        trial t;
        open_trial(&t, &random, seed, 1 + random_below(&random, 6));
        double size = ldexp(1, -random_between(&random, 3, 9));
        for (int step = 0; step < 6; ++step, size *= 2.5) {
            where("seed %u, step %d", 7000 + seed, step);
            set_state(&t, &random, size);
            check_state(&t, &sum);
        }
        close_trial(&t);
    }
    print_message("%zu claims, %zu where a node above has none, %zu pairs of triangles\n",
                  sum.claims, sum.beyond, sum.pairs);
    assert_true(sum.claims > 500 && sum.beyond > 50 && sum.pairs > 10000);
}

// ---- what is gained

typedef struct found {
    abut_pair* pairs;
    size_t count;
    abut_counters work;
} found;

static found ask(const trial* t) {
    found out = {0};
    abut_collide_def def = abut_collide_def_default();
    abut_collide_result* result;
    def.head.counters = &out.work;
    REQUIRE_OK(abut_collide_result_create(t->w.context, &result, NULL));
    REQUIRE_OK(abut_collide_self(t->w.scene, t->body, &def, result, NULL));
    const abut_pair* pairs = abut_collide_result_pairs(result, &out.count);
    out.pairs = test_alloc(out.count + 1, sizeof *out.pairs);
    if (out.count > 0) {
        memcpy(out.pairs, pairs, out.count * sizeof *pairs);
    }
    abut_collide_result_destroy(result);
    return out;
}

static void test_answers_are_the_same_for_less(void** state) {
    (void)state;
    abut_counters with = {0};
    abut_counters without = {0};
    size_t hits = 0;
    for (uint32_t seed = 1; seed <= effort(12, 100, 1000); ++seed) {
        test_random random = random_seed(8000 + seed);
        trial t;
        open_trial(&t, &random, seed, 1 + random_below(&random, 12));
        abut__certificate_index* index = index_of(&t);
        const uint32_t count = index->node_pair_count;
        for (int step = 0; step < 6; ++step) {
            where("seed %u, step %d", 8000 + seed, step);
            set_state(&t, &random, ldexp(1, step - 6));
            found a = ask(&t);
            index->node_pair_count = 0;
            found b = ask(&t);
            index->node_pair_count = count;
            REQUIRE(a.count == b.count);
            REQUIRE(memcmp(a.pairs, b.pairs, a.count * sizeof *a.pairs) == 0);
            REQUIRE(b.work.node_pairs_certified == 0);
            with.boxes_tested += a.work.boxes_tested;
            with.node_pairs_certified += a.work.node_pairs_certified;
            without.boxes_tested += b.work.boxes_tested;
            hits += a.count;
            free(a.pairs);
            free(b.pairs);
        }
        close_trial(&t);
    }
    print_message(
        "%llu boxes tested with %llu pairs of nodes proven apart, %llu without; %zu hits\n",
        (unsigned long long)with.boxes_tested, (unsigned long long)with.node_pairs_certified,
        (unsigned long long)without.boxes_tested, hits);
    assert_true(hits > 100 && with.node_pairs_certified > 100);
    assert_true(with.boxes_tested < without.boxes_tested);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_are_true),
        cmocka_unit_test(test_answers_are_the_same_for_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
