// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The base of the library: sorts against qsort, vectors and arenas with an allocator that checks
// its use, the texts of statuses, the version, the choice of an instruction set, and tasks.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abut/abut.h"
#include "base/ascending.h"
#include "base/memory.h"
#include "base/sort.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/world.h"

#define MOST 3000

static uint32_t scaled(uint32_t normal) {
    const char* effort = getenv("ABUT_TEST_EFFORT");
    if (effort != NULL && strcmp(effort, "quick") == 0) {
        return normal / 4 + 1;
    }
    return effort != NULL && strcmp(effort, "long") == 0 ? normal * 20 : normal;
}

// ---- sorts

static int by_key_then_place(const void* left, const void* right) {
    const abut__keyed* l = left;
    const abut__keyed* r = right;
    if (l->key != r->key) {
        return l->key < r->key ? -1 : 1;
    }
    return (l->value > r->value) - (l->value < r->value);
}

// keys of many patterns: few values, one byte that differs, runs, sorted, backwards, extremes
static uint64_t key_of(test_random* random, uint32_t pattern, size_t i, size_t count) {
    switch (pattern) {
        case 0: return random_bits(random);
        case 1: return random_below(random, 3);
        case 2: return i;
        case 3: return count - i;
        case 4: return UINT64_C(0x1234567812345678);
        case 5: return (uint64_t)random_below(random, 256) << 56;
        case 6: return (uint64_t)random_below(random, 256) << 24 | UINT64_C(7) << 60;
        case 7: return random_chance(random, 0.5) ? 0 : UINT64_MAX;
        case 8: return i / 100;
        case 9: return (uint64_t)random_below(random, 300) << 32 | random_below(random, 300);
        case 10: return i % 2 == 0 ? i : UINT64_MAX - i;
        default: break;
    }
    const uint32_t byte = pattern % 8;  // two neighbouring bytes
    return (random_bits(random) & 0xffff) << (8 * (byte < 7 ? byte : 6));
}
#define PATTERNS 19u

static void check_sort(uint64_t seed, uint32_t pattern, size_t count) {
    static abut__keyed items[MOST];
    static abut__keyed wanted[MOST];
    static abut__keyed scratch[MOST + 1];
    static uint64_t keys[MOST];
    static uint64_t key_scratch[MOST + 1];
    test_random random = random_seed(seed);
    for (size_t i = 0; i < count; ++i) {
        keys[i] = key_of(&random, pattern, i, count);
        // the value shows whether the sort is stable
        items[i] = wanted[i] = (abut__keyed){keys[i], i};
    }
    scratch[count] = (abut__keyed){42, 42};
    key_scratch[count] = 42;
    if (count > 0) {
        qsort(wanted, count, sizeof *wanted, by_key_then_place);
    }
    abut__sort_keyed(items, scratch, count);
    abut__sort_keys(keys, key_scratch, count);
    for (size_t i = 0; i < count; ++i) {
        if (items[i].key != wanted[i].key || items[i].value != wanted[i].value ||
            keys[i] != wanted[i].key) {
            fail_msg("seed %llu pattern %u count %zu: place %zu", (unsigned long long)seed, pattern,
                     count, i);
        }
    }
    assert_true(scratch[count].key == 42 && key_scratch[count] == 42);
}

static void test_sorts(void** state) {
    (void)state;
    for (uint32_t pattern = 0; pattern < PATTERNS; ++pattern) {
        for (size_t count = 0; count < 100; ++count) {
            check_sort(count, pattern, count);
        }
        for (uint64_t seed = 0; seed < scaled(20); ++seed) {
            test_random random = random_seed(seed);
            check_sort(seed, pattern, random_below(&random, MOST));
        }
        check_sort(5, pattern, MOST);
    }
}

// Sorted by upper halves until ranges are no longer than `enough`. The lower halves show whether
// the sort is stable. With 0 or 1 everything is sorted.
static void check_sorted_enough(const uint64_t* keys, size_t count, size_t enough) {
    size_t first = 0;
    for (size_t i = 1; i <= count; ++i) {
        if (i == count || keys[i] >> 53 != keys[first] >> 53) {  // the first digit is always sorted
            assert_true(i == count || keys[i] >> 53 > keys[first] >> 53);
            for (size_t k = first + 1; k < i && i - first > enough; ++k) {
                assert_true(keys[k - 1] >> 42 <= keys[k] >> 42);
                assert_true(enough > 1 || keys[k - 1] < keys[k]);
            }
            first = i;
        }
    }
}

static void test_sort_upper(void** state) {
    (void)state;
    static uint64_t keys[MOST];
    static uint64_t wanted[MOST];
    static uint64_t scratch[MOST + 1];
    static const size_t enough[] = {0, 1, 50, 1000};
    for (uint32_t pattern = 0; pattern < PATTERNS; ++pattern) {
        for (uint64_t seed = 0; seed < scaled(20); ++seed) {
            test_random random = random_seed(seed);
            const size_t count = random_below(&random, seed % 8 < 4 ? 100 : MOST + 1);
            for (size_t i = 0; i < count; ++i) {
                keys[i] = wanted[i] = key_of(&random, pattern, i, count) >> 32 << 32 | i;
            }
            scratch[count] = 42;
            abut__sort_upper(keys, scratch, count, enough[seed % 4]);
            assert_true(scratch[count] == 42);
            if (count > enough[seed % 4]) {
                check_sorted_enough(keys, count, enough[seed % 4]);
            }
            abut__sort_keys(keys, scratch, count);
            abut__sort_keys(wanted, scratch, count);
            assert_memory_equal(keys, wanted, count * sizeof *keys);  // no key is lost
        }
    }
}

static void test_sort_extremes(void** state) {
    (void)state;
    // keys that differ in a single byte, at each place, for counts around the limit of the short
    // sort
    static const size_t counts[] = {2, 47, 48, 49, 50, 256, 257};
    uint64_t keys[257];
    uint64_t scratch[257];
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
            for (size_t i = 0; i < counts[c]; ++i) {
                keys[i] = (uint64_t)((counts[c] - i) % 256) << shift;
            }
            abut__sort_keys(keys, scratch, counts[c]);
            for (size_t i = 1; i < counts[c]; ++i) {
                assert_true(keys[i - 1] <= keys[i]);
            }
        }
    }
}

static void test_key_of_double(void** state) {
    (void)state;
    static const double rising[] = {-INFINITY,    -DBL_MAX,      -1.5, -1,
                                    -DBL_MIN,     -DBL_TRUE_MIN, -0.0, 0.0,
                                    DBL_TRUE_MIN, DBL_MIN,       1,    1 + DBL_EPSILON,
                                    DBL_MAX,      INFINITY};
    for (size_t i = 1; i < sizeof rising / sizeof rising[0]; ++i) {
        assert_true(abut__key_of_double(rising[i - 1]) < abut__key_of_double(rising[i]));
    }
    test_random random = random_seed(1);
    for (uint32_t i = 0; i < scaled(100000); ++i) {
        const double x = random_finite(&random);
        const double y = random_finite(&random);
        if (x != y && (abut__key_of_double(x) < abut__key_of_double(y)) != (x < y)) {
            fail_msg("%a and %a are ordered otherwise than their keys", x, y);
        }
    }
}

// ---- memory

typedef struct checked_context {
    test_memory memory;
    abut_context* context;
} checked_context;

static void checked_start(checked_context* g) {
    const abut_context_def def = memory_context_def(&g->memory);
    assert_int_equal(abut_context_create(&def, &g->context, NULL), ABUT_OK);
}

static void checked_end(checked_context* g) {
    abut_context_destroy(g->context);
    assert_true(memory_clean(&g->memory));
    memory_destroy(&g->memory);
}

// against a plain search; the items behind a list may look like a part of it
static void test_ascending(void** state) {
    (void)state;
    test_random random = random_seed(77);
    assert_int_equal(abut__ascending_find(NULL, 0, 5), 0);
    for (uint32_t round = 0; round < scaled(2000); ++round) {
        uint32_t list[64 + ABUT__ASCENDING_BEYOND];
        const uint32_t count = random_below(&random, round % 2 == 0 ? 12 : 65);
        uint32_t last = 0;
        for (uint32_t i = 0; i < 64 + ABUT__ASCENDING_BEYOND; ++i) {
            last = i == count ? 0 : last;  // the next list begins
            list[i] = last += 1 + random_below(&random, 3);
        }
        for (uint32_t number = 0; number < 220; ++number) {
            uint32_t place = 0;
            while (place < count && list[place] != number) {
                ++place;
            }
            assert_int_equal(abut__ascending_find(list, count, number), place);
        }
    }
}

static void test_allocations(void** state) {
    (void)state;
    checked_context g;
    checked_start(&g);
    const size_t calls = g.memory.calls;
    assert_null(abut__alloc(g.context, 0, 8));
    assert_null(abut__alloc(g.context, SIZE_MAX, 1));
    assert_null(abut__alloc(g.context, SIZE_MAX / 8, 9));
    assert_null(abut__alloc(g.context, SIZE_MAX / 2 + 2, 2));
    assert_null(abut__alloc_zero(g.context, SIZE_MAX / 4, 5));
    assert_int_equal(g.memory.calls, calls);  // an impossible size causes no allocation
    unsigned char* zero = abut__alloc_zero(g.context, 33, 7);
    assert_non_null(zero);
    assert_int_equal((uintptr_t)zero % ABUT__ALIGNMENT, 0);
    for (size_t i = 0; i < 33 * 7; ++i) {
        assert_int_equal(zero[i], 0);
    }
    abut__free(g.context, zero, 33, 7);
    abut__free(g.context, NULL, 1, 1);
    memory_fail(&g.memory, 1, false);
    assert_null(abut__alloc_zero(g.context, 3, 3));
    checked_end(&g);
}

typedef ABUT__VECTOR(uint64_t) uint64s;

static void test_vectors(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= scaled(100); ++seed) {
        checked_context g;
        checked_start(&g);
        test_random random = random_seed(seed);
        uint64s vector = {0};
        size_t count = 0;
        while (count < 2000) {
            const size_t more = 1 + random_below(&random, 50);
            memory_fail(&g.memory, random_chance(&random, 0.2) ? 1 : 0, false);
            const uint64s before = vector;
            uint64_t* place = abut__push(g.context, &vector, more);
            memory_fail(&g.memory, 0, false);
            if (place == NULL) {
                assert_memory_equal(&before, &vector, sizeof vector);  // the vector is unchanged
                continue;
            }
            for (size_t i = 0; i < more; ++i) {
                place[i] = count++;
            }
            assert_int_equal(vector.count, count);
            assert_true(vector.count <= vector.capacity);
            assert_int_equal((uintptr_t)vector.data % ABUT__ALIGNMENT, 0);
        }
        for (size_t i = 0; i < count; ++i) {
            assert_true(vector.data[i] == i);
        }
        const size_t calls = g.memory.calls;
        assert_ptr_equal(abut__renew(g.context, &vector, count), vector.data);
        assert_true(abut__reserve(g.context, &vector, vector.capacity));
        assert_int_equal(g.memory.calls, calls);  // the capacity stays
        assert_null(abut__push(g.context, &vector, SIZE_MAX / 2));
        assert_null(abut__push(g.context, &vector, SIZE_MAX));
        assert_false(abut__reserve(g.context, &vector, SIZE_MAX / 4));
        assert_int_equal(vector.count, count);
        abut__drop(g.context, &vector);
        assert_true(vector.data == NULL && vector.count == 0 && vector.capacity == 0);
        abut__drop(g.context, &vector);
        checked_end(&g);
    }
}

// each call that fills a vector, against the elements that it should have
static void test_vectors_filled_by_each_call(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= scaled(100); ++seed) {
        checked_context g;
        checked_start(&g);
        test_random random = random_seed(seed);
        uint64s vector = {0};
        size_t first = 0;  // elements from here on are zero; each one before equals its index
        for (int step = 0; step < 40; ++step) {
            where("seed %llu, step %d", (unsigned long long)seed, step);
            const size_t had = vector.count;
            const size_t wanted = random_below(&random, 300);
            const bool renew = random_chance(&random, 0.5);
            memory_fail(&g.memory, random_chance(&random, 0.2) ? 1 : 0, false);
            uint64_t* place = renew ? abut__renew(g.context, &vector, wanted) : NULL;
            const bool done = renew ? place != NULL : abut__extend(g.context, &vector, wanted);
            memory_fail(&g.memory, 0, false);
            const size_t most = had > wanted ? had : wanted;
            REQUIRE(vector.count == (renew ? (done ? wanted : 0) : (done ? most : had)));
            REQUIRE(!renew || !done || place == vector.data);
            first = renew ? vector.count : first;
            for (size_t i = 0; i < vector.count; ++i) {
                if (renew) {
                    place[i] = i + 1;
                }
                REQUIRE(vector.data[i] == (i < first ? i + 1 : 0));
            }
            size_t count = SIZE_MAX;
            REQUIRE(abut__contents(&vector, &count) == (vector.count > 0 ? vector.data : NULL));
            REQUIRE(count == vector.count);
            REQUIRE(abut__contents(&vector, NULL) == abut__contents(&vector, &count));
        }
        abut__drop(g.context, &vector);
        checked_end(&g);
    }
}

// n pushes of one element allocate O(log n) times
static void test_vectors_grow_geometrically(void** state) {
    (void)state;
    checked_context g;
    checked_start(&g);
    abut__uint32s vector = {0};
    const size_t calls = g.memory.calls;
    for (uint32_t i = 0; i < 100000; ++i) {
        uint32_t* place = abut__push(g.context, &vector, 1);
        assert_non_null(place);
        *place = i;
    }
    assert_in_range(g.memory.calls - calls, 1, 40);
    abut__drop(g.context, &vector);
    checked_end(&g);
}

static void test_arenas(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= scaled(50); ++seed) {
        checked_context g;
        checked_start(&g);
        test_random random = random_seed(seed);
        abut__arena arena = abut__arena_make(g.context);
        assert_null(abut__arena_push(&arena, 0, 4));
        assert_null(abut__arena_push(&arena, SIZE_MAX, 4));
        assert_null(abut__arena_push(&arena, SIZE_MAX / 4, 4));
        unsigned char* pieces[200];
        size_t sizes[200];
        uint32_t made = 0;
        for (uint32_t i = 0; i < 200; ++i) {
            const size_t size = 1 +
                                random_below(&random, random_chance(&random, 0.1) ? 200000 : 500);
            memory_fail(&g.memory, random_chance(&random, 0.1) ? 1 : 0, false);
            unsigned char* piece = abut__arena_push(&arena, size, 1);
            if (piece == NULL) {
                assert_true(g.memory.refused > 0);
                continue;
            }
            assert_int_equal((uintptr_t)piece % ABUT__ALIGNMENT, 0);
            memset(piece, (int)made, size);
            pieces[made] = piece;
            sizes[made++] = size;
        }
        for (uint32_t i = 0; i < made; ++i) {
            assert_true(pieces[i][0] == (unsigned char)i &&
                        pieces[i][sizes[i] - 1] == (unsigned char)i);
        }
        assert_int_equal(memory_check(&g.memory), 0);
        abut__arena_release(&arena);
        assert_int_equal(g.memory.live_blocks, 1);  // the context
        abut__arena_release(&arena);
        checked_end(&g);
    }
}

// ---- texts and version

static void test_status_texts(void** state) {
    (void)state;
    for (int s = ABUT_OK; s <= ABUT_ERR_VERSION; ++s) {
        const char* text = abut_status_text((abut_status)s);
        assert_non_null(text);
        assert_true(strlen(text) > 1);
        assert_string_not_equal(text, "unknown status");
        for (int other = 0; other < s; ++other) {
            assert_string_not_equal(text, abut_status_text((abut_status)other));
        }
    }
    assert_non_null(abut_status_text((abut_status)-1));
    assert_non_null(abut_status_text((abut_status)1000));
}

static void test_version(void** state) {
    (void)state;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", ABUT_VERSION_MAJOR, ABUT_VERSION_MINOR,
             ABUT_VERSION_PATCH);
    assert_string_equal(version, ABUT_VERSION_STRING);
}

static void test_error_messages_fit(void** state) {
    (void)state;
    char long_word[500];
    memset(long_word, 'x', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    struct {
        abut_error error;
        unsigned char after[8];
    } guarded;
    memset(&guarded, 0x5a, sizeof guarded);
    assert_int_equal(abut__fail(&guarded.error, ABUT_ERR_LIMIT, ABUT_ELEMENT_NODE, UINT64_MAX, "%s",
                                long_word),
                     ABUT_ERR_LIMIT);
    assert_int_equal(strlen(guarded.error.message), sizeof guarded.error.message - 1);
    assert_int_equal(guarded.after[0], 0x5a);
    assert_true(guarded.error.index == UINT64_MAX);
    assert_int_equal(abut__fail(NULL, ABUT_ERR_STATE, ABUT_ELEMENT_NONE, 0, "%s", long_word),
                     ABUT_ERR_STATE);
}

// ---- instruction sets

static void test_instruction_sets(void** state) {
    (void)state;
    abut_context* context = NULL;
    assert_int_equal(abut_context_create(NULL, &context, NULL), ABUT_OK);
    const abut_isa best = abut_context_isa(context);
    assert_int_not_equal(best, ABUT_ISA_BEST);
    abut_context_destroy(context);
    static const char* const names[] = {"best", "scalar", "avx2", "avx512", "simd128"};
    for (int isa = ABUT_ISA_BEST; isa <= ABUT_ISA_SIMD128; ++isa) {
        assert_string_equal(abut_isa_name((abut_isa)isa), names[isa]);
        abut_context_def def = abut_context_def_default();
        def.isa = (abut_isa)isa;
        abut_error error = {0};
        context = NULL;
        const abut_status status = abut_context_create(&def, &context, &error);
        if (status == ABUT_OK) {
            assert_int_equal(abut_context_isa(context),
                             isa == ABUT_ISA_BEST ? best : (abut_isa)isa);
            // sets are in ascending order
            assert_true((int)abut_context_isa(context) <= (int)best);
        } else {
            assert_int_equal(status, ABUT_ERR_INVALID_ARGUMENT);
            assert_non_null(strstr(error.message, names[isa]));
            assert_int_not_equal(isa, ABUT_ISA_SCALAR);
            assert_null(context);
        }
        abut_context_destroy(context);
    }
    assert_non_null(abut_isa_name((abut_isa)99));
}

// ---- tasks

typedef struct record {
    uint32_t runs;
    uint32_t seen[10];
} record;

static void note(void* argument, uint32_t index, uint32_t worker) {
    record* r = argument;
    assert_int_equal(worker, 0);
    ++r->seen[index];
}

static void run_backwards(void* user, uint32_t count, abut_task_fn task, void* argument) {
    ++((record*)user)->runs;
    for (uint32_t i = count; i-- > 0;) {
        task(argument, i, 0);
    }
}

static void test_tasks(void** state) {
    (void)state;
    record r = {0};
    abut_context* context = NULL;
    assert_int_equal(abut_context_create(NULL, &context, NULL), ABUT_OK);
    assert_int_equal(abut__worker_count(context), 1);
    abut__run_tasks(context, 10, note, &r);
    abut__run_tasks(context, 0, note, &r);
    abut_context_destroy(context);
    abut_context_def def = abut_context_def_default();
    def.tasks = (abut_tasks){3, run_backwards, &r};
    assert_int_equal(abut_context_create(&def, &context, NULL), ABUT_OK);
    assert_int_equal(abut__worker_count(context), 3);
    abut__run_tasks(context, 10, note, &r);
    abut__run_tasks(context, 1, note, &r);
    abut__run_tasks(context, 0, note, &r);
    assert_int_equal(r.runs, 1);  // one task or none runs without the hook
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(r.seen[i], i == 0 ? 3 : 2);
    }
    abut_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_sort_upper),
        cmocka_unit_test(test_sort_extremes),
        cmocka_unit_test(test_key_of_double),
        cmocka_unit_test(test_ascending),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_vectors_filled_by_each_call),
        cmocka_unit_test(test_vectors_grow_geometrically),
        cmocka_unit_test(test_arenas),
        cmocka_unit_test(test_status_texts),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_error_messages_fit),
        cmocka_unit_test(test_instruction_sets),
        cmocka_unit_test(test_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
