// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The hash SHA-256 against the examples of FIPS 180-4 and against the tool sha256sum.
#define _POSIX_C_SOURCE 200809L  // popen
#include "cli/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/random.h"
#include "support/world.h"

static void print_sum(sha256 sum, char out[2 * SHA256_BYTES + 1]) {
    unsigned char bytes[SHA256_BYTES];
    sha256_end(sum, bytes);
    for (int i = 0; i < SHA256_BYTES; ++i) {
        sprintf(out + 2 * i, "%02x", bytes[i]);
    }
}

static void assert_sum(const char* text, const char* wanted) {
    char got[2 * SHA256_BYTES + 1];
    sha256 sum = sha256_begin();
    sha256_add(&sum, text, strlen(text));
    print_sum(sum, got);
    assert_string_equal(got, wanted);
}

static void test_published_examples(void** state) {
    (void)state;
    assert_sum("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sum("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

// all sizes around the ends of blocks, added in pieces
static void test_sums_of_the_tool(void** state) {
    (void)state;
    enum { MOST = 300 };
    unsigned char bytes[MOST];
    char name[] = "/tmp/abut_sha256_XXXXXX";
    char command[64];
    const int file = mkstemp(name);
    assert_true(file >= 0);
    snprintf(command, sizeof command, "sha256sum <%s", name);
    test_random random = random_seed(1);
    for (size_t size = 0; size < MOST; size += 1 + random_below(&random, 12)) {
        char wanted[2 * SHA256_BYTES + 1];
        char got[2 * SHA256_BYTES + 1];
        sha256 sum = sha256_begin();
        for (size_t i = 0; i < size; ++i) {
            bytes[i] = (unsigned char)random_below(&random, 256);
        }
        for (size_t at = 0, piece; at < size; at += piece) {
            piece = 1 + random_below(&random, 150);
            piece = piece < size - at ? piece : size - at;
            sha256_add(&sum, bytes + at, piece);
        }
        print_sum(sum, got);
        assert_int_equal(ftruncate(file, 0), 0);
        assert_int_equal(pwrite(file, bytes, size, 0), size);
        FILE* tool = popen(command, "r");
        assert_non_null(tool);
        assert_int_equal(fscanf(tool, "%64s", wanted), 1);
        assert_int_equal(pclose(tool), 0);
        where("%zu bytes", size);
        REQUIRE(strcmp(got, wanted) == 0);
    }
    close(file);
    unlink(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_examples),
        cmocka_unit_test(test_sums_of_the_tool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
