// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The decoder of compressed buffer views: on streams that an encoder of the test drew, on streams of
// the library that the format comes from, and on damaged ones.
#define _GNU_SOURCE
#include "io/meshopt.h"
#include "support/meshopt_maker.h"
#include "test_command_support.h"

#include <dlfcn.h>
#include <math.h>

typedef const char* decoder(const meshopt_stream* stream, unsigned char* out);

// decodes a copy of exactly this size, so that a sanitizer reports each byte read beyond the end
static const char* decode(decoder* call, const unsigned char* bytes, size_t size, size_t count,
                          size_t stride, unsigned char* out) {
    unsigned char* copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const meshopt_stream stream = {copy, size, count, stride};
    const char* problem = call(&stream, out);
    free(copy);
    return problem;
}

static void assert_decodes(decoder* call, const made_stream* s, const unsigned char* wanted,
                           size_t count, size_t stride, uint64_t seed) {
    unsigned char* out = calloc(count, stride);
    assert_non_null(out);
    const char* problem = decode(call, s->bytes, s->size, count, stride, out);
    if (problem != NULL || memcmp(out, wanted, count * stride) != 0) {
        fail_msg("seed %llu, %zu elements of %zu bytes: %s", (unsigned long long)seed, count,
                 stride, problem == NULL ? "other bytes" : problem);
    }
    free(out);
}

// elements whose bytes are constant, slow, fast or random
static void fill(test_random* random, unsigned char* data, size_t count, size_t stride) {
    for (size_t k = 0; k < stride; ++k) {
        const uint32_t kind = random_below(random, 4);
        const uint32_t pace = random_below(random, 12);
        for (size_t i = 0; i < count; ++i) {
            const uint32_t value = kind == 0   ? 7
                                   : kind == 1 ? (uint32_t)i * pace / 8
                                   : kind == 2 ? random_below(random, pace + 1)
                                               : random_below(random, 256);
            data[i * stride + k] = (unsigned char)value;
        }
    }
}

static void test_drawn_attributes(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        test_random random = random_seed(seed);
        const size_t stride = 4 * (1 + random_below(&random, seed % 5 == 0 ? 64 : 6));
        const size_t count = 1 + random_below(&random, 700);
        unsigned char* data = malloc(count * stride);
        assert_non_null(data);
        fill(&random, data, count, stride);
        made_stream s = make_attributes(&random, (int)(seed % 2), data, count, stride);
        assert_decodes(meshopt_attributes, &s, data, count, stride, seed);
        free(s.bytes);
        free(data);
    }
}

// as bytes in the order of the file, of two or four bytes each
static unsigned char* stored(const uint32_t* indices, size_t count, size_t stride) {
    unsigned char* bytes = malloc(count * stride);
    assert_non_null(bytes);
    for (size_t i = 0; i < count * stride; ++i) {
        bytes[i] = (unsigned char)(indices[i / stride] >> 8 * (i % stride));
    }
    return bytes;
}

static void test_drawn_indices(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        test_random random = random_seed(seed);
        uint32_t indices[1200];
        const size_t stride = seed % 2 == 0 ? 2 : 4;
        const size_t triangles = 1 + random_below(&random, 400);
        const bool list = seed % 4 < 2;
        for (size_t i = 0; i < 3 * triangles; ++i) {
            indices[i] = random_below(&random, i % 2 == 0 ? 100 : 70000);
        }
        made_stream s = list ? make_triangles(&random, triangles, indices)
                             : make_indices(&random, indices, 3 * triangles);
        unsigned char* wanted = stored(indices, 3 * triangles, stride);
        assert_decodes(list ? meshopt_triangles : meshopt_indices, &s, wanted, 3 * triangles,
                       stride, seed);
        free(wanted);
        free(s.bytes);
    }
}

// ---- streams of meshoptimizer 1.3: its encoder chose the codes

static const unsigned char new_stream[] = {
    0xa1, 0xb7, 0x68, 0x76, 0x00, 0x4a, 0xde, 0x72, 0x06, 0x9a, 0x2e, 0xc2, 0x56, 0xea, 0x7e, 0x12,
    0xa6, 0x3a, 0xce, 0x62, 0xf6, 0x8a, 0x1e, 0xb2, 0x46, 0xda, 0x6e, 0x02, 0x96, 0x2a, 0xbe, 0x52,
    0xe6, 0x7a, 0x0e, 0xa2, 0x36, 0xca, 0x5e, 0xf2, 0x86, 0x1a, 0xae, 0x42, 0x0a, 0x00, 0x01, 0x22,
    0x33, 0x44, 0x56, 0x67, 0x78, 0x89, 0xaa, 0xbb, 0xcd, 0xde, 0xef, 0xff, 0xff, 0x0f, 0x0f, 0x10,
    0x11, 0x11, 0xff, 0x00, 0x12, 0x12, 0x13, 0x13, 0x14, 0x15, 0x15, 0x16, 0x00, 0x15, 0x15, 0x15,
    0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15,
    0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15, 0x15,
    0x15, 0x15, 0x15, 0x15, 0x01, 0xc8, 0x04, 0x1f, 0x2f, 0x0f, 0x1f, 0x1b, 0x00, 0x18, 0x08, 0xf0,
    0x10, 0x20, 0xc0, 0xc0, 0x20, 0x10, 0xf0, 0x08, 0x18, 0x08, 0x38, 0x04, 0xc4, 0xf4, 0xc4, 0xf2,
    0x62, 0xe2, 0x62, 0xf2, 0x1c, 0x7c, 0x1e, 0xee, 0xed, 0x00, 0x00, 0x06, 0x0e, 0x06, 0x3e, 0x15,
    0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0x00, 0x00, 0x00, 0xaa, 0xaa, 0xaa,
    0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa,
    0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa,
    0xaa, 0xaa, 0xaa, 0xaa, 0x00, 0x18, 0x00, 0x02, 0x01, 0x18, 0x00, 0x02, 0x01, 0x18, 0x00, 0x02,
    0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0x00, 0x00,
    0x40, 0xc0, 0x07, 0x00, 0x00, 0x00, 0x01, 0x62, 0x00,
};
static const unsigned char triangle_stream[] = {
    0xe1, 0xfe, 0x1e, 0x10, 0x0e, 0x10, 0x0e, 0x8e, 0x1e, 0x14, 0x0e, 0x13, 0x0e, 0x8e,
    0x1e, 0x13, 0x0e, 0x13, 0x0e, 0xff, 0x0f, 0x08, 0xc7, 0x00, 0x00, 0x76, 0x87, 0x56,
    0x67, 0x78, 0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
};

static void test_streams_of_the_newer_library(void** unused) {
    (void)unused;
    unsigned char wanted[40 * 12];
    unsigned char out[sizeof wanted];
    for (unsigned i = 0; i < 40; ++i) {
        unsigned char* e = wanted + 12 * i;
        const float number = 0.5F * (float)i - 3;
        const uint32_t pair = (37 * i * i & 65535) | (65535 - 11 * i) << 16;
        memcpy(e, &pair, 4);
        memcpy(e + 4, &number, 4);
        e[8] = 7;
        e[9] = (unsigned char)i;
        e[10] = (unsigned char)(85 * i);
        e[11] = i % 16 == 3;
    }
    assert_null(decode(meshopt_attributes, new_stream, sizeof new_stream, 40, 12, out));
    assert_memory_equal(out, wanted, sizeof wanted);

    static const uint16_t corners[57] = {0,  1,  4,  4,  1,  5,  5,  1,  2,  5,  2, 6,  6,  2, 3,
                                         6,  3,  7,  4,  5,  8,  8,  5,  9,  9,  5, 6,  9,  6, 10,
                                         10, 6,  7,  10, 7,  11, 8,  9,  12, 12, 9, 13, 13, 9, 10,
                                         13, 10, 14, 14, 10, 11, 14, 11, 15, 15, 2, 9};
    uint16_t read[57];
    assert_null(decode(meshopt_triangles, triangle_stream, sizeof triangle_stream, 57, 2,
                       (unsigned char*)read));
    assert_memory_equal(read, corners, sizeof corners);
}

// ---- the library, where it is installed

typedef size_t bound_call(size_t count, size_t size);
typedef size_t encode_call(unsigned char* to, size_t room, const void* data, size_t count,
                           size_t size);
typedef size_t encode_indices_call(unsigned char* to, size_t room, const unsigned* indices,
                                   size_t count);
typedef void version_call(int version);

// a function of the library; dlsym() gives an object's address
static void (*find(void* library, const char* name))(void) {
    void (*call)(void) = NULL;
    void* address = dlsym(library, name);
    assert_non_null(address);
    memcpy(&call, &address, sizeof call);
    return call;
}

static void check_library_attributes(void* library, uint64_t seed) {
    test_random random = random_seed(seed);
    const size_t stride = 4 * (1 + random_below(&random, 20));
    const size_t count = 1 + random_below(&random, 700);
    unsigned char* data = malloc(count * stride);
    bound_call* bound = (bound_call*)find(library, "meshopt_encodeVertexBufferBound");
    encode_call* encode = (encode_call*)find(library, "meshopt_encodeVertexBuffer");
    made_stream s = {malloc(bound(count, stride)), 0};
    assert_true(data != NULL && s.bytes != NULL);
    fill(&random, data, count, stride);
    s.size = encode(s.bytes, bound(count, stride), data, count, stride);
    assert_decodes(meshopt_attributes, &s, data, count, stride, seed);
    free(s.bytes);
    free(data);
}

static void check_library_indices(void* library, uint64_t seed) {
    enum { MOST = 3 * 400, ROOM = 1 << 16 };
    test_random random = random_seed(seed);
    uint32_t indices[MOST];
    const size_t count = 3 * (1 + random_below(&random, 400));
    made_stream s = {malloc(ROOM), 0};
    assert_non_null(s.bytes);
    for (size_t i = 0; i < count; ++i) {  // a strip with jumps
        indices[i] = (uint32_t)(i / 3 + i % 3) + (random_below(&random, 9) == 0 ? 40 : 0);
    }
    encode_indices_call* encode = (encode_indices_call*)find(library,
                                                             "meshopt_encodeIndexSequence");
    s.size = encode(s.bytes, ROOM, indices, count);
    unsigned char* wanted = stored(indices, count, 4);
    assert_decodes(meshopt_indices, &s, wanted, count, 4, seed);
    // triangles may come back with their corners turned
    encode = (encode_indices_call*)find(library, "meshopt_encodeIndexBuffer");
    s.size = encode(s.bytes, ROOM, indices, count);
    uint32_t* out = malloc(count * sizeof *out);
    assert_non_null(out);
    assert_null(decode(meshopt_triangles, s.bytes, s.size, count, 4, (unsigned char*)out));
    for (size_t i = 0; i < count; i += 3) {
        size_t turn = 0;
        while (turn < 3 &&
               (out[i] != indices[i + turn] || out[i + 1] != indices[i + (turn + 1) % 3] ||
                out[i + 2] != indices[i + (turn + 2) % 3])) {
            ++turn;
        }
        if (turn == 3) {
            fail_msg("seed %llu: triangle %zu differs", (unsigned long long)seed, i / 3);
        }
    }
    free(out);
    free(wanted);
    free(s.bytes);
}

static void test_streams_of_the_installed_library(void** unused) {
    (void)unused;
    void* library = dlopen("libmeshoptimizer.so", RTLD_NOW);
    library = library == NULL ? dlopen("libmeshoptimizer.so.2d", RTLD_NOW) : library;
    if (library == NULL) {
        skip();  // libmeshoptimizer-dev is not installed
    }
    ((version_call*)find(library, "meshopt_encodeIndexVersion"))(1);
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        check_library_attributes(library, seed);
        check_library_indices(library, seed);
    }
    dlclose(library);
}

// ---- filters, by their formulas in double

static void test_filters(void** unused) {
    (void)unused;
    test_random random = random_seed(5);
    for (int round = 0; round < 2000; ++round) {
        const int bits = 4 + (int)random_below(&random, 13);
        const int one = (1 << (bits - 1)) - 1;
        int16_t q[4];
        double parts[3];
        double sum = 0;
        const int largest = (int)random_below(&random, 4);
        for (int k = 0; k < 3; ++k) {
            q[k] = (int16_t)random_between(&random, -one / 2, one / 2);
            parts[k] = q[k] / (double)one / sqrt(2);
            sum += parts[k] * parts[k];
        }
        q[3] = (int16_t)((one & ~3) | largest);
        meshopt_filter_apply(MESHOPT_QUATERNION, (unsigned char*)q, 1, 8);
        assert_true(fabs(q[largest] - 32767 * sqrt(1 - sum)) <= 1);
        for (int k = 0; k < 3; ++k) {
            assert_true(fabs(q[(largest + 1 + k) % 4] - 32767 * parts[k]) <= 1);
        }
        const int32_t mantissa = random_between(&random, -(1 << 23), (1 << 23) - 1);
        const int32_t exponent = random_between(&random, -100, 100);
        const uint32_t code = (uint32_t)exponent << 24 | ((uint32_t)mantissa & 0xffffff);
        float number;
        memcpy(&number, &code, sizeof number);
        meshopt_filter_apply(MESHOPT_EXPONENTIAL, (unsigned char*)&number, 1, 4);
        assert_true(number == (float)ldexp(mantissa, exponent));
    }
    int8_t normal[4] = {0, 0, 127, 5};
    meshopt_filter_apply(MESHOPT_OCTAHEDRAL, (unsigned char*)normal, 1, 4);
    assert_true(normal[0] == 0 && normal[1] == 0 && normal[2] == 127 && normal[3] == 5);
}

// ---- damage

static void test_damage_is_survived(void** unused) {
    (void)unused;
    size_t refused = 0;
    for (uint64_t seed = 1; seed <= 600; ++seed) {
        test_random random = random_seed(seed);
        static unsigned char data[300 * 16];
        static unsigned char out[300 * 16];
        uint32_t corners[300];
        const uint32_t kind = random_below(&random, 4);
        const size_t count = 3 * (1 + random_below(&random, 100));
        fill(&random, data, count, 16);
        for (size_t i = 0; i < count; ++i) {
            corners[i] = random_below(&random, 1000);
        }
        made_stream s = kind < 2    ? make_attributes(&random, (int)kind, data, count, 16)
                        : kind == 2 ? make_triangles(&random, count / 3, corners)
                                    : make_indices(&random, corners, count);
        decoder* call = kind < 2    ? meshopt_attributes
                        : kind == 2 ? meshopt_triangles
                                    : meshopt_indices;
        for (uint32_t k = random_below(&random, 4); k > 0; --k) {
            s.bytes[random_below(&random, (uint32_t)s.size)] = (unsigned char)random_below(&random,
                                                                                           256);
        }
        const size_t cut = random_below(&random, 2) == 0 ? s.size
                                                         : random_below(&random, (uint32_t)s.size);
        refused += decode(call, s.bytes, cut, count, kind < 2 ? 16 : 4, out) != NULL;
        meshopt_filter_apply((meshopt_filter)(1 + seed % 4), out, count, 8);
        free(s.bytes);
    }
    assert_true(refused > 100);
}

static void test_defects_are_named(void** unused) {
    (void)unused;
    static const struct {
        decoder* call;
        const char* bytes;
        size_t size;
        const char* says;
    } cases[] = {
        {meshopt_attributes, "", 0, "unknown version"},
        {meshopt_attributes, "\xa2", 1, "unknown version"},
        {meshopt_attributes, "\xa0", 1, "cut off"},
        {meshopt_triangles, "\xe0", 1, "unknown version"},
        {meshopt_triangles, "\xe1", 1, "cut off"},
        {meshopt_triangles, "\xe1\xf0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0", 18, "table"},
        {meshopt_triangles, "\xe1\xf0\xf0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 18, "table"},
        {meshopt_triangles, "\xe1\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 18, "before there is one"},
        {meshopt_triangles, "\xe1\xf0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 19, "nothing uses"},
        {meshopt_indices, "\xd0", 1, "unknown version"},
        {meshopt_indices, "\xd1\0\0\0\0", 5, "ends early"},
        {meshopt_indices, "\xd1\0\0\0\0\0\0\0\0", 9, "nothing uses"},
        {meshopt_indices, "\xd1\x80\x80\x80\x80\x80\x80\0\0\0\0", 11, "ends early"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        unsigned char out[64];
        const char* problem = decode(cases[i].call, (const unsigned char*)cases[i].bytes,
                                     cases[i].size, 3, 4, out);
        if (problem == NULL || strstr(problem, cases[i].says) == NULL) {
            fail_msg("case %zu: '%s' instead of '%s'", i, problem == NULL ? "" : problem,
                     cases[i].says);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_attributes),
        cmocka_unit_test(test_drawn_indices),
        cmocka_unit_test(test_streams_of_the_newer_library),
        cmocka_unit_test(test_streams_of_the_installed_library),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_damage_is_survived),
        cmocka_unit_test(test_defects_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
