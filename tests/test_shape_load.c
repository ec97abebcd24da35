// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Loading shapes from bytes that are damaged or forged. Accidents are refused by the checksum. With
// the checksum repaired, bytes are refused or give a shape about which every query ends without a
// fault of memory; a sanitizer shows that. Every allocation of saving and loading may fail.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/memory.h"
#include "support/queries.h"
#include "test_save_support.h"

// ---- heads

static void put(saved* s, size_t at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        s->bytes[at + i] = (uint8_t)(value >> 8 * i);
    }
}

// The checksum as the format defines it, written without a look at the library's.
static uint64_t checksum_of(const uint8_t* bytes, size_t count, uint64_t seed) {
    uint64_t sum = seed ^ UINT64_C(14695981039346656037);
    for (size_t i = 0; i < count; i += 8) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8 && i + k < count; ++k) {
            word |= (uint64_t)bytes[i + k] << 8 * k;
        }
        sum = (sum ^ word) * UINT64_C(11400714819323198485);
        sum ^= sum >> 32;
    }
    return sum;
}

// Makes the head right for bytes that were changed.
static void repair(saved* s) {
    put(s, 16, s->count, 8);
    put(s, 24, checksum_of(s->bytes + 32, s->count - 32, checksum_of(s->bytes, 24, 0)), 8);
}

static abut_status try_load(abut_context* context, const saved* s, abut_shape** shape) {
    abut_error error;
    *shape = NULL;
    error.message[0] = 0;
    // a copy of just this size, so that a sanitizer sees what is read beyond it
    uint8_t* copy = test_alloc(s->count + 1, 1);
    memcpy(copy + 1, s->bytes, s->count);
    const abut_status status = abut_shape_load(context, copy + 1, s->count, shape, &error);
    free(copy);
    REQUIRE(status == ABUT_OK || error.message[0] != 0);
    REQUIRE((status == ABUT_OK) == (*shape != NULL));
    return status;
}

static void refuse(abut_context* context, const saved* s, abut_status wanted) {
    abut_shape* shape = NULL;
    REQUIRE_STATUS(try_load(context, s, &shape), wanted);
}

static saved copy_of(const saved* s, size_t count) {
    saved copy = {test_alloc(count + 8, 1), count};
    memcpy(copy.bytes, s->bytes, count < s->count ? count : s->count);
    return copy;
}

static void test_heads(void** state) {
    (void)state;
    save_case c = save_open(&motion_modal, 0, SAVE_USED, 4, 8, 1, NULL);
    saved s = save_bytes(c.shape, NULL);
    saved t = copy_of(&s, s.count);
    repair(&t);
    REQUIRE(saved_same(&s, &t));
    for (uint32_t version = 0; version < 4; ++version) {
        where("version %u", version);
        put(&t, 8, version, 4);
        repair(&t);
        abut_shape* shape = NULL;
        REQUIRE_STATUS(try_load(c.w.context, &t, &shape),
                       version == ABUT__SAVED_VERSION ? ABUT_OK : ABUT_ERR_VERSION);
        abut_shape_destroy(shape);
    }
    put(&t, 8, ABUT__SAVED_VERSION, 4);
    repair(&t);
    t.bytes[3] ^= 1;
    refuse(c.w.context, &t, ABUT_ERR_INVALID_DATA);
    free(t.bytes);
    t = copy_of(&s, s.count + 1);
    t.bytes[s.count] = 0;
    refuse(c.w.context, &t, ABUT_ERR_INVALID_DATA);
    repair(&t);
    refuse(c.w.context, &t, ABUT_ERR_INVALID_DATA);
    free(t.bytes);
    free(s.bytes);
    save_close(&c);
}

static void test_arguments(void** state) {
    (void)state;
    save_case c = save_open(&motion_free, 0, SAVE_NEW, 4, 8, 1, NULL);
    saved s = save_bytes(c.shape, NULL);
    abut_shape* shape = NULL;
    abut_shape_bytes* bytes = NULL;
    abut_shape_save_def def = abut_shape_save_def_default();
    const abut_status bad = ABUT_ERR_INVALID_ARGUMENT;
    REQUIRE_STATUS(abut_shape_load(NULL, s.bytes, s.count, &shape, NULL), bad);
    REQUIRE_STATUS(abut_shape_load(c.w.context, NULL, s.count, &shape, NULL), bad);
    REQUIRE_STATUS(abut_shape_load(c.w.context, s.bytes, s.count, NULL, NULL), bad);
    REQUIRE_STATUS(abut_shape_save(NULL, NULL, &bytes, NULL), bad);
    REQUIRE_STATUS(abut_shape_save(c.shape, NULL, NULL, NULL), bad);
    def.cookie = 0;
    REQUIRE_STATUS(abut_shape_save(c.shape, &def, &bytes, NULL), bad);
    size_t count = 1;
    REQUIRE(abut_shape_bytes_data(NULL, &count) == NULL && count == 0 && bytes == NULL);
    abut_shape_bytes_destroy(NULL);
    free(s.bytes);
    save_close(&c);
}

// ---- accidents

static void test_every_length(void** state) {
    (void)state;
    for (int r = 0; r < SAVE_ROWS; ++r) {
        save_case c = save_open(save_rows[r], 0, SAVE_USED, 3, 8, 4, NULL);
        saved s = save_bytes(c.shape, NULL);
        const size_t step = s.count / effort(2000, 8000, 80000) + 1;
        for (size_t count = 0; count < s.count; count += step) {
            where("%s, %zu of %zu bytes", save_rows[r]->name, count, s.count);
            saved t = copy_of(&s, count);
            refuse(c.w.context, &t, ABUT_ERR_INVALID_DATA);
            if (count >= 32) {
                repair(&t);
                refuse(c.w.context, &t, ABUT_ERR_INVALID_DATA);
            }
            free(t.bytes);
        }
        free(s.bytes);
        save_close(&c);
    }
}

static void test_accidents(void** state) {
    (void)state;
    const uint32_t damages = effort(200, 2000, 20000);
    for (int r = 0; r < SAVE_ROWS; ++r) {
        save_case c = save_open(save_rows[r], 0, SAVE_USED, 5, 8, 4, NULL);
        saved s = save_bytes(c.shape, NULL);
        for (uint32_t i = 0; i < damages; ++i) {
            const size_t at = random_below(&c.random, (uint32_t)s.count);
            const uint8_t bit = (uint8_t)(1u << random_below(&c.random, 8));
            where("%s, damage %u at %zu", save_rows[r]->name, i, at);
            s.bytes[at] ^= bit;
            abut_shape* shape = NULL;
            const abut_status status = try_load(c.w.context, &s, &shape);
            REQUIRE(status == (at >= 8 && at < 12 ? ABUT_ERR_VERSION : ABUT_ERR_INVALID_DATA));
            s.bytes[at] ^= bit;
        }
        free(s.bytes);
        save_close(&c);
    }
}

// ---- forged bytes

// A number that is likely to be wrong in an interesting way.
static uint32_t wrong_number(test_random* random, uint32_t old, const saved* s) {
    const float numbers[] = {NAN, INFINITY, -INFINITY, -1.0f, 3.0e38f, 1.0e-40f};
    uint32_t value;
    switch (random_below(random, 8)) {
        case 0: return old + 1;
        case 1: return old - 1;
        case 2: return 0;
        case 3: return UINT32_MAX;
        case 4: return 1u << random_below(random, 32);
        case 5: memcpy(&value, &numbers[random_below(random, 6)], sizeof value); return value;
        case 6:  // another number of the same bytes
            memcpy(&value, s->bytes + 4 * random_below(random, (uint32_t)(s->count / 4)), 4);
            return value;
        default: return (uint32_t)random_bits(random);
    }
}

// Changes a byte, a number, or where all later numbers are.
static void damage(test_random* random, saved* s) {
    const uint32_t count = (uint32_t)s->count;
    // half of the damages are near the beginning of a part, where counts are
    const uint32_t at = 32 + random_below(random, random_chance(random, 0.3) ? 200 : count - 40);
    uint32_t old;
    memcpy(&old, s->bytes + at / 4 * 4, 4);
    switch (random_below(random, 8)) {
        case 0: s->bytes[at] ^= (uint8_t)(1u << random_below(random, 8)); break;
        case 1:
            memmove(s->bytes + at, s->bytes + at + 4, count - at - 4);
            s->count -= 4;
            break;
        case 2:  // there is room for eight more
            memmove(s->bytes + at + 4, s->bytes + at, count - at);
            s->count += 4;
            break;
        default: put(s, at / 4 * 4, wrong_number(random, old, s), 4); break;
    }
}

static void set_any_state(abut_scene* scene, abut_body_id body, const abut_shape* shape,
                          test_random* random) {
    const size_t fields = abut_shape_field_count(shape);
    const size_t nodes = abut_shape_node_count(shape);
    double* q = test_alloc(fields + 1, sizeof *q);
    double(*t)[12] = test_alloc(nodes + 1, sizeof *t);
    for (size_t f = 0; f < fields; ++f) {
        q[f] = random_double(random, -1, 1);
    }
    for (size_t i = 0; i < 12 * nodes; ++i) {
        t[i / 12][i % 12] = (i % 12 % 5 == 0) + random_double(random, -0.1, 0.1);
    }
    switch (abut_shape_motion(shape)) {
        case ABUT_MOTION_FREE: break;
        case ABUT_MOTION_MODAL:
            (void)abut_body_set_coordinates(scene, body, q, fields, NULL);
            break;
        case ABUT_MOTION_BLEND:
            (void)abut_body_set_transforms(scene, body, abut_transforms_f64(t[0], nodes), q, fields,
                                           NULL);
            break;
        case ABUT_MOTION_FLIGHT:
            (void)abut_body_set_time(scene, body, random_double(random, -3, 3), NULL);
            break;
    }
    free(q);
    free(t);
}

// Edits the shape and saves it: both read nearly all that was loaded.
static void edit_any(const abut_shape* shape, test_random* random) {
    const uint32_t gone = random_below(random, abut_mesh_triangle_count(abut_shape_mesh(shape)));
    abut_shape_edit_def edit = abut_shape_edit_def_default();
    edit.removed_triangles = &gone;
    edit.removed_triangle_count = 1;
    abut_shape* edited = NULL;
    if (abut_shape_edit(shape, &edit, &edited, NULL, NULL) == ABUT_OK) {
        abut_shape_bytes* bytes = NULL;
        REQUIRE_OK(abut_shape_save(edited, NULL, &bytes, NULL));
        abut_shape_bytes_destroy(bytes);
        abut_shape_destroy(edited);
    }
}

// Asks everything about bodies of a shape whose numbers may be anything.
static void use_any(world* w, tools* t, const abut_shape* shape, test_random* random) {
    abut_body_id body[2];
    abut_within_def near = abut_within_def_default();
    near.distance = 0.01;
    for (int i = 0; i < 2; ++i) {
        if (abut_body_create(w->scene, shape, NULL, &body[i], NULL) != ABUT_OK) {
            return;
        }
    }
    for (int k = 0; k < 2; ++k) {
        set_any_state(w->scene, body[0], shape, random);
        set_any_state(w->scene, body[1], shape, random);
        (void)abut_collide_self(w->scene, body[0], NULL, t->result, NULL);
        (void)abut_collide(w->scene, body[0], body[1], NULL, t->result, NULL);
        (void)abut_sweep_self(w->scene, body[0], NULL, t->swept, NULL);
        (void)abut_sweep(w->scene, body[0], body[1], NULL, t->swept, NULL);
        (void)abut_nearest(w->scene, body[0], body[1], NULL, t->nearest, NULL);
        (void)abut_within(w->scene, body[0], body[1], &near, t->within, NULL);
        (void)abut_contains_body(w->scene, body[0], body[1], NULL, t->sides, NULL);
        (void)abut_proxies(w->scene, body[0], body[1], NULL, t->proxies, NULL);
    }
    edit_any(shape, random);
    REQUIRE_OK(abut_body_destroy(w->scene, body[0], NULL));
    REQUIRE_OK(abut_body_destroy(w->scene, body[1], NULL));
}

// Returns the number of forged shapes that were not refused.
static uint32_t check_forged(int r, save_past past, uint64_t seed, uint32_t tries) {
    save_case c = save_open(save_rows[r], (uint32_t)seed, past, 5, 8, seed, NULL);
    saved s = save_bytes(c.shape, NULL);
    tools t;
    uint32_t loaded = 0;
    REQUIRE(tools_make(&t, c.w.context));
    for (uint32_t i = 0; i < tries; ++i) {
        where("%s, past %d, seed %u, try %u", save_rows[r]->name, (int)past, (unsigned)seed, i);
        saved forged = copy_of(&s, s.count);
        for (uint32_t left = 1 + random_below(&c.random, 2); left > 0; --left) {
            damage(&c.random, &forged);
        }
        repair(&forged);
        abut_shape* shape = NULL;
        const abut_status status = try_load(c.w.context, &forged, &shape);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_INVALID_DATA);
        if (status == ABUT_OK) {
            ++loaded;
            REQUIRE_OK(abut_shape_validate(shape, NULL));
            use_any(&c.w, &t, shape, &c.random);
            abut_shape_destroy(shape);
        }
        free(forged.bytes);
    }
    tools_free(&t);
    free(s.bytes);
    save_close(&c);
    return loaded;
}

static void test_forged(void** state) {
    (void)state;
    const uint32_t seeds = effort(1, 4, 16);
    const uint32_t tries = effort(40, 250, 500);
    uint32_t loaded = 0;
    for (uint32_t seed = 0; seed < seeds; ++seed) {
        for (int r = 0; r < SAVE_ROWS; ++r) {
            loaded += check_forged(r, SAVE_USED, seed, tries);
            loaded += check_forged(r, SAVE_EDITED, seed, tries);
        }
    }
    REQUIRE(loaded > 0);  // otherwise nothing was asked about them
}

// ---- allocations that fail

typedef struct memory_case {
    test_memory memory;
    save_case c;
    saved s;
} memory_case;

static void memory_open(memory_case* m, const motion_row* row) {
    abut_context_def def = memory_context_def(&m->memory);
    m->c = save_open(row, 0, SAVE_USED, 5, 8, 6, &def);
    m->s = save_bytes(m->c.shape, NULL);
}

static void memory_close(memory_case* m) {
    free(m->s.bytes);
    save_close(&m->c);
    memory_require_clean(&m->memory);
}

static abut_status load_and_destroy(memory_case* m) {
    abut_shape* shape = NULL;
    const abut_status status = try_load(m->c.w.context, &m->s, &shape);
    abut_shape_destroy(shape);
    return status;
}

static abut_status save_and_destroy(memory_case* m) {
    abut_shape_bytes* bytes = NULL;
    const abut_status status = abut_shape_save(m->c.shape, NULL, &bytes, NULL);
    abut_shape_bytes_destroy(bytes);
    return status;
}

// Refuses one allocation after the other until the call works without a refusal.
static void refuse_in_turn(memory_case* m, abut_status (*call)(memory_case* m), const char* what) {
    const size_t blocks = m->memory.live_blocks;
    size_t refused = 0;
    for (size_t k = 1;; ++k) {
        where("%s, %s, allocation %zu", m->c.m.row->name, what, k);
        memory_fail(&m->memory, k, false);
        const abut_status status = call(m);
        const bool was_refused = m->memory.calls >= k;
        memory_fail(&m->memory, 0, false);
        REQUIRE(m->memory.live_blocks == blocks);
        REQUIRE(status == ABUT_OK || (was_refused && status == ABUT_ERR_NO_MEMORY));
        refused += status == ABUT_ERR_NO_MEMORY;
        if (!was_refused) {
            break;
        }
    }
    REQUIRE(refused > 0);
    REQUIRE_OK(call(m));
}

static void test_refused_allocations(void** state) {
    (void)state;
    for (int r = 0; r < SAVE_ROWS; ++r) {
        memory_case m;
        memset(&m, 0, sizeof m);
        memory_open(&m, save_rows[r]);
        refuse_in_turn(&m, load_and_destroy, "load");
        refuse_in_turn(&m, save_and_destroy, "save");
        memory_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads),        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_every_length), cmocka_unit_test(test_accidents),
        cmocka_unit_test(test_forged),       cmocka_unit_test(test_refused_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
