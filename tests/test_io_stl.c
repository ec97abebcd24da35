// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The reader of STL: binary and text files of random triangles with shared corners, and damaged ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/mesh_file.h"
#include "support/random.h"
#include "support/world.h"

enum { MOST = 40, ROOM = 84 + 50 * MOST + 400 * MOST };

// triangles whose corners are on a coarse grid, so that many are shared; some zeros are negative
typedef struct soup {
    uint32_t count;
    float corner[MOST][3][3];
} soup;

static soup soup_make(test_random* random) {
    soup s = {.count = 1 + random_below(random, MOST)};
    for (uint32_t t = 0; t < s.count; ++t) {
        for (int c = 0; c < 3; ++c) {
            for (int d = 0; d < 3; ++d) {
                const float value = 0.1f * (float)random_below(random, 4);
                s.corner[t][c][d] = value == 0 && random_chance(random, 0.5) ? -0.0f : value;
            }
        }
    }
    return s;
}

static size_t write_binary(const soup* s, const char* header, unsigned char* out) {
    memset(out, 0, 84);
    memcpy(out, header, strlen(header));
    for (int i = 0; i < 4; ++i) {
        out[80 + i] = (unsigned char)(s->count >> 8 * i);
    }
    unsigned char* at = out + 84;
    for (uint32_t t = 0; t < s->count; ++t, at += 50) {
        memset(at, 0xff, 12);               // a normal that is no number
        memcpy(at + 12, s->corner[t], 36);  // tests run on little-endian machines
        at[48] = at[49] = 7;
    }
    return (size_t)(at - out);
}

static size_t write_text(const soup* s, uint32_t solids, char* out) {
    char* at = out;
    for (uint32_t n = 0; n < solids; ++n) {
        at += sprintf(at, "solid facet %u\n", n);
        for (uint32_t t = n; t < s->count; t += solids) {
            at += sprintf(at, "  facet normal 0 0 nan\r\n\touter loop\n");
            for (int c = 0; c < 3; ++c) {
                const float* p = s->corner[t][c];
                at += sprintf(at, "vertex %.9g %.9g %.9g\n", (double)p[0], (double)p[1],
                              (double)p[2]);
            }
            at += sprintf(at, "endloop\n endfacet\n\n");
        }
        at += sprintf(at, "endsolid\n");
    }
    return (size_t)(at - out);
}

static bool same(const float* a, const float* b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static uint32_t count_places(const soup* s) {
    const float(*all)[3] = (const float(*)[3])(const void*)s->corner;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3 * s->count; ++i) {
        uint32_t first = 0;
        while (!same(all[first], all[i])) {
            ++first;
        }
        count += first == i;
    }
    return count;
}

// `as_text`: positions are those that nine digits stand for
static void check_mesh(const io_mesh* mesh, const soup* s, bool as_text) {
    REQUIRE(mesh->format == IO_FORMAT_STL);
    REQUIRE(mesh->triangle_count == s->count && mesh->face_count == s->count);
    REQUIRE(mesh->vertex_count == count_places(s));
    uint32_t next = 0;
    for (uint32_t i = 0; i < 3 * s->count; ++i) {
        const uint32_t vertex = mesh->triangles[i];
        const float* wanted = s->corner[i / 3][i % 3];
        REQUIRE(vertex <= next);  // numbered in the order of the file
        next += vertex == next;
        for (int d = 0; d < 3; ++d) {
            const double got = mesh->positions[3 * (size_t)vertex + (size_t)d];
            REQUIRE(as_text ? (float)got == wanted[d] : got == (double)wanted[d]);
        }
    }
}

static void test_meshes_are_read(void** state) {
    (void)state;
    static unsigned char bytes[ROOM];
    for (uint64_t seed = 1; seed <= effort(100, 1000, 10000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        const soup s = soup_make(&random);
        io_mesh mesh;
        io_error error = {""};
        size_t size = write_binary(&s, seed % 2 == 0 ? "solid" : "made by a test", bytes);
        REQUIRE(io_parse_mesh(seed % 3 == 0 ? "a" : "a.STL", bytes, size, &mesh, &error));
        check_mesh(&mesh, &s, false);
        io_mesh_free(&mesh);
        size = write_text(&s, 1, (char*)bytes);
        REQUIRE(io_parse_mesh(seed % 3 == 0 ? "a" : "a.stl", bytes, size, &mesh, &error));
        check_mesh(&mesh, &s, true);
        io_mesh_free(&mesh);
    }
}

static void test_solids_follow_each_other(void** state) {
    (void)state;
    static char text[ROOM];
    test_random random = random_seed(3);
    soup s = soup_make(&random);
    s.count = 6;
    io_mesh mesh;
    assert_true(io_parse_mesh("a.stl", text, write_text(&s, 3, text), &mesh, NULL));
    assert_int_equal(mesh.triangle_count, 6);
    assert_int_equal(mesh.vertex_count, count_places(&s));
    io_mesh_free(&mesh);
}

// an error with a message, or a valid mesh
static void check_any(const char* name, const void* bytes, size_t size) {
    io_mesh mesh;
    io_error error = {""};
    char* exact = malloc(size == 0 ? 1 : size);  // so that a sanitizer sees reads beyond the end
    memcpy(exact, bytes, size);
    if (io_parse_mesh(name, exact, size, &mesh, &error)) {
        for (size_t i = 0; i < 3 * mesh.triangle_count; ++i) {
            REQUIRE(mesh.triangles[i] < mesh.vertex_count);
        }
        io_mesh_free(&mesh);
    } else {
        REQUIRE(strstr(error.message, name) != NULL && strlen(error.message) > strlen(name) + 10);
    }
    free(exact);
}

static void test_damaged_files_are_refused_or_harmless(void** state) {
    (void)state;
    static unsigned char bytes[ROOM];
    static unsigned char bad[ROOM];
    for (uint64_t seed = 1; seed <= effort(4, 40, 400); ++seed) {
        test_random random = random_seed(seed);
        soup s = soup_make(&random);
        s.count = 1 + (uint32_t)seed % 3;
        const bool as_text = seed % 2 == 0;
        const size_t size = as_text ? write_text(&s, 1, (char*)bytes)
                                    : write_binary(&s, "solid", bytes);
        for (size_t cut = 0; cut + 1 < size; ++cut) {  // the last newline may be missing
            where("seed %llu, cut to %zu", (unsigned long long)seed, cut);
            io_mesh mesh;
            check_any("bad.stl", bytes, cut);
            REQUIRE(!io_parse_mesh("bad.stl", bytes, cut, &mesh, NULL));
        }
        for (uint32_t round = 0; round < 500; ++round) {
            where("seed %llu, round %u", (unsigned long long)seed, round);
            memcpy(bad, bytes, size);
            for (uint32_t i = random_below(&random, 4) + 1; i > 0; --i) {
                bad[random_below(&random, (uint32_t)size)] = (unsigned char)random_below(&random,
                                                                                         256);
            }
            check_any("bad.stl", bad, size);
        }
    }
}

static void test_errors_say_where(void** state) {
    (void)state;
    static const char* const cases[][2] = {
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "line 4"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n", "line 4"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
         "line 6 has 'endloop' where 'vertex' is expected"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e999 0\n",
         "not finite"},
        {"solid\nfacet normal", "cut off"},
        {"solid a\nendsolid\n", "no vertices"},
        {"nothing of the kind", "too few"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        io_mesh mesh;
        io_error error = {""};
        assert_false(io_parse_mesh("bad.stl", cases[i][0], strlen(cases[i][0]), &mesh, &error));
        if (strstr(error.message, cases[i][1]) == NULL) {
            fail_msg("'%s' does not say '%s'", error.message, cases[i][1]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes_are_read),
        cmocka_unit_test(test_solids_follow_each_other),
        cmocka_unit_test(test_damaged_files_are_refused_or_harmless),
        cmocka_unit_test(test_errors_say_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
