// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Saving and loading. A loaded shape equals the saved one: all queries about bodies of both give the
// same answers, and those that count their work the same counters, whatever happened to the shape
// before. Saving the loaded shape gives the same bytes. Bytes are the same for any number of threads
// and any instruction set.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "motion/certified.h"
#include "support/everywhere.h"
#include "support/queries.h"
#include "test_save_support.h"

#define MIX(hash, value) hash_bytes((hash), &(value), sizeof(value))

static abut_shape* load(abut_context* context, const saved* s) {
    abut_error error;
    abut_shape* shape = NULL;
    const abut_status status = abut_shape_load(context, s->bytes, s->count, &shape, &error);
    if (status != ABUT_OK) {
        print_error("%s: %s\n", where_text(), error.message);
    }
    REQUIRE(status == ABUT_OK);
    return shape;
}

// ---- two scenes that should be the same: of the saved shape, and of the loaded one

typedef struct twins {
    world w[2];
    abut_body_id body[2][3];
    tools t[2];
} twins;

static void twins_open(twins* t, save_case* c, abut_shape* const shape[2]) {
    abut_body_def turned = abut_body_def_default();
    turned.frame = frame_random(&c->random, 0.5);
    surface ball = surface_ball(7, 8, 1);
    surface_shift(&ball, 0.5, 0.25, 0);
    for (int i = 0; i < 2; ++i) {
        t->w[i] = c->w;
        REQUIRE_OK(abut_scene_create(c->w.context, NULL, &t->w[i].scene, NULL));
        REQUIRE_OK(abut_body_create(t->w[i].scene, shape[i], NULL, &t->body[i][0], NULL));
        REQUIRE_OK(abut_body_create(t->w[i].scene, shape[i], &turned, &t->body[i][1], NULL));
        t->body[i][2] = world_add(&t->w[i], &ball, NULL, NULL);
        REQUIRE(tools_make(&t->t[i], c->w.context));
    }
    surface_free(&ball);
}

static void twins_close(twins* t) {
    for (int i = 0; i < 2; ++i) {
        tools_free(&t->t[i]);
        abut_scene_destroy(t->w[i].scene);
    }
}

static void mix_sweep(const abut_sweep_result* swept, uint64_t* hash) {
    size_t count = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(swept, &count);
    MIX(hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(hash, pairs[i].triangle_a);
        MIX(hash, pairs[i].triangle_b);
        MIX(hash, pairs[i].time);
    }
}

// Asks about one of the scenes. Returns a hash of the answers and of all counters.
static uint64_t ask(const twins* t, int i) {
    const abut_scene* scene = t->w[i].scene;
    const tools* with = &t->t[i];
    const abut_body_id* body = t->body[i];
    abut_counters counters = {0};
    uint64_t hash = 0;
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &counters;
    abut_status status[6];
    status[0] = abut_collide_self_all(scene, &def, with->result, NULL);
    hash += result_hash(with->result);
    MIX(&hash, counters);
    status[1] = abut_collide(scene, body[0], body[1], &def, with->result, NULL);
    hash += result_hash(with->result);
    MIX(&hash, counters);
    status[2] = abut_collide_all(scene, &def, with->result, NULL);
    hash += result_hash(with->result);
    MIX(&hash, counters);
    abut_sweep_def sweep = abut_sweep_def_default();
    sweep.head.counters = &counters;
    status[3] = abut_sweep_self(scene, body[0], &sweep, with->swept, NULL);
    mix_sweep(with->swept, &hash);
    status[4] = abut_sweep(scene, body[0], body[2], &sweep, with->swept, NULL);
    mix_sweep(with->swept, &hash);
    MIX(&hash, counters);
    abut_nearest_def nearest = abut_nearest_def_default();
    nearest.head.counters = &counters;
    abut_nearest_result_clear(with->nearest);
    status[5] = abut_nearest(scene, body[0], body[2], &nearest, with->nearest, NULL);
    MIX(&hash, status);
    MIX(&hash, counters);
    return hash;
}

// Compares the two shapes in a few states, and what saving them gives before and after.
static void check_twins(save_case* c, abut_shape* const shape[2], int states) {
    twins t;
    twins_open(&t, c, shape);
    for (int k = 0; k < states; ++k) {
        mover_draw(&c->m, &c->random,
                   k == 0       ? STATE_REST
                   : k % 3 == 1 ? STATE_NEAR
                                : STATE_ORDINARY);
        const bool no_plans = c->m.no_plans;  // set to false by the first body
        for (int b = 0; b < 4; ++b) {
            c->m.no_plans = no_plans;
            REQUIRE_OK(mover_set(&c->m, t.w[b % 2].scene, t.body[b % 2][b / 2]));
        }
        const uint64_t wanted = ask(&t, 0);
        REQUIRE(ask(&t, 1) == wanted);
    }
    twins_close(&t);
    saved after[2] = {save_bytes(shape[0], NULL), save_bytes(shape[1], NULL)};
    REQUIRE(saved_same(&after[0], &after[1]));
    free(after[0].bytes);
    free(after[1].bytes);
}

// What no query shows at once: it decides about later edits and certificates.
static void check_inside(const abut_shape* a, const abut_shape* b) {
    REQUIRE(a->tree.changed_blocks == b->tree.changed_blocks);
    REQUIRE(a->tree.folded_depth == b->tree.folded_depth && a->tree.depth == b->tree.depth);
    REQUIRE(a->mesh->fullest_class == b->mesh->fullest_class);
    REQUIRE_OK(abut_shape_build_tree(a, NULL));
    REQUIRE_OK(abut_shape_build_tree(b, NULL));
    REQUIRE(a->mesh->alive_count == b->mesh->alive_count && a->has_sphere == b->has_sphere);
    REQUIRE((a->tree.child_boxes == NULL) == (b->tree.child_boxes == NULL));
    REQUIRE(a->tree_def.lasting == b->tree_def.lasting);
    REQUIRE(atomic_load(&((abut_shape*)a)->certify.queries) ==
            atomic_load(&((abut_shape*)b)->certify.queries));
    REQUIRE(abut_shape_proxy_count(a) == abut_shape_proxy_count(b));
}

static void check_round_trip(const motion_row* row, uint32_t variant, save_past past,
                             uint64_t seed) {
    const uint32_t most[] = {1, 8, 48};
    const uint32_t block_triangles = most[seed % 3];
    const abut_shape_save_def defaults = abut_shape_save_def_default();
    where("%s %u, past %d, seed %u", row->name, variant, (int)past, (unsigned)seed);
    save_case c = save_open(row, variant, past, 7, block_triangles, seed, NULL);
    saved first = save_bytes(c.shape, &defaults);
    abut_shape* const shape[2] = {c.shape, load(c.w.context, &first)};
    saved second = save_bytes(shape[1], NULL);
    REQUIRE(saved_same(&first, &second));
    REQUIRE_OK(abut_shape_validate(shape[1], NULL));
    check_inside(shape[0], shape[1]);
    REQUIRE(abut__certified_made(shape[0]) == NULL || abut__certified_made(shape[1]) != NULL);
    check_twins(&c, shape, 4);
    abut_shape_destroy(shape[1]);
    free(first.bytes);
    free(second.bytes);
    save_close(&c);
}

static void test_round_trip(void** state) {
    (void)state;
    const uint32_t rounds = effort(1, 3, 30);
    for (uint32_t seed = 0; seed < rounds; ++seed) {
        for (int r = 0; r < SAVE_ROWS; ++r) {
            for (uint32_t v = 0; v < save_rows[r]->variants; ++v) {
                for (int past = 0; past < SAVE_PASTS; ++past) {
                    check_round_trip(save_rows[r], v, (save_past)past,
                                     100 * seed + 10 * v + (uint32_t)past);
                }
            }
        }
    }
}

// Of shapes of many blocks a sample of certificates is made first, which decides whether all are made.
// It is saved, too, with the number of queries, and a shape that was edited keeps those of the older
// one.
static void test_samples_are_saved(void** state) {
    (void)state;
    for (int r = 1; r <= 2; ++r) {
        for (int edited = 0; edited < 2; ++edited) {
            where("%s, edited %d", save_rows[r]->name, edited);
            save_case c = save_open(save_rows[r], 0, SAVE_NEW, 18, 1, 7, NULL);
            for (int i = 0; i < 100 && abut__once_peek(&c.shape->sample) == NULL; ++i) {
                save_use(&c, c.shape);
            }
            if (edited == 1) {
                abut_shape* after = save_edit(&c, c.shape, false);
                abut_shape_destroy(c.shape);
                c.shape = after;
            }
            REQUIRE(abut__once_peek(&c.shape->sample) != NULL);
            REQUIRE(atomic_load(&c.shape->certify.queries) > 0);
            saved bytes = save_bytes(c.shape, NULL);
            abut_shape* const shape[2] = {c.shape, load(c.w.context, &bytes)};
            REQUIRE(abut__once_peek(&shape[1]->sample) != NULL);
            check_twins(&c, shape, 3);
            abut_shape_destroy(shape[1]);
            free(bytes.bytes);
            save_close(&c);
        }
    }
}

// With `self_queries` the certificates are there, without any query.
static void test_certificates_on_demand(void** state) {
    (void)state;
    for (int r = 0; r < SAVE_ROWS; ++r) {
        where("%s", save_rows[r]->name);
        const bool certified = save_rows[r]->motion == ABUT_MOTION_MODAL ||
                               save_rows[r]->motion == ABUT_MOTION_BLEND;
        abut_shape_save_def def = abut_shape_save_def_default();
        save_case c = save_open(save_rows[r], 0, SAVE_NEW, 7, 8, 3, NULL);
        saved plain = save_bytes(c.shape, &def);
        def.self_queries = true;
        saved full = save_bytes(c.shape, &def);
        REQUIRE((full.count > plain.count) == certified);
        abut_shape* shape[2] = {load(c.w.context, &plain), load(c.w.context, &full)};
        REQUIRE(abut__certified_made(shape[0]) == NULL);
        REQUIRE((abut__certified_made(shape[1]) != NULL) == certified);
        abut_shape_destroy(shape[0]);
        abut_shape* const twin[2] = {c.shape, shape[1]};
        check_twins(&c, twin, 3);
        abut_shape_destroy(shape[1]);
        free(plain.bytes);
        free(full.bytes);
        save_close(&c);
    }
}

// ---- all queries

// Replaces all bodies by new ones: of the same shapes, or of loaded ones.
static void renew_bodies(zoo* z, bool loaded) {
    for (int i = 0; i < ZOO_BODIES; ++i) {
        const abut_shape* shape = abut_body_shape(z->world.scene, z->body[i]);
        saved bytes = save_bytes(shape, NULL);
        abut_shape* copy = load(z->world.context, &bytes);
        abut_body_id made;
        REQUIRE_OK(abut_body_create(z->world.scene, loaded ? copy : shape, NULL, &made, NULL));
        REQUIRE_OK(abut_body_destroy(z->world.scene, z->body[i], NULL));
        z->body[i] = made;
        abut_shape_destroy(copy);
        free(bytes.bytes);
        for (uint32_t k = 0; loaded && k < ZOO_KEYS && z->key[i][k].xyz != NULL; ++k) {
            memset(z->key[i][k].xyz, 0xff, 24 * (size_t)z->key[i][k].vertex_count);
        }
    }
}

static void test_all_queries(void** state) {
    (void)state;
    const uint32_t seeds = effort(1, 3, 20);
    for (uint32_t seed = 0; seed < seeds; ++seed) {
        zoo z[2];
        tools t[2];
        for (int i = 0; i < 2; ++i) {
            zoo_open(&z[i], seed, 7, NULL, NULL);
            REQUIRE(tools_make(&t[i], z[i].world.context));
            renew_bodies(&z[i], i == 1);
            zoo_move(&z[i], 0.5);
            zoo_move(&z[i], 1.5);
        }
        for (uint32_t q = 0; q < ALL_QUERIES; ++q) {
            where("seed %u, query %u", seed, q);
            const uint64_t wanted = query_one(&z[0], q, &t[0]);
            REQUIRE(query_one(&z[1], q, &t[1]) == wanted);
        }
        for (int i = 0; i < 2; ++i) {
            tools_free(&t[i]);
            zoo_close(&z[i]);
        }
    }
}

// ---- edits of loaded shapes

// A loaded shape can be edited, and the edited one outlives it, with its keyframes.
static void test_loaded_shapes_can_be_edited(void** state) {
    (void)state;
    for (int r = 0; r < SAVE_ROWS; ++r) {
        where("%s", save_rows[r]->name);
        save_case c = save_open(save_rows[r], 0, SAVE_USED, 7, 8, 5, NULL);
        saved bytes = save_bytes(c.shape, NULL);
        abut_shape* loaded = load(c.w.context, &bytes);
        const test_random random = c.random;
        abut_shape* edited[2];
        edited[0] = save_edit(&c, c.shape, false);
        c.random = random;
        edited[1] = save_edit(&c, loaded, false);
        abut_shape_destroy(loaded);
        check_twins(&c, edited, 4);
        abut_shape_destroy(edited[0]);
        abut_shape_destroy(edited[1]);
        free(bytes.bytes);
        save_close(&c);
    }
}

// ---- the same bytes everywhere, and for threads that save at the same time

static void test_same_bytes_everywhere(void** state) {
    (void)state;
    for (int r = 0; r < SAVE_ROWS; ++r) {
        reference bytes = {0};
        everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, 1);
        while (everywhere_next(&at)) {
            where("%s, %s", save_rows[r]->name, at.text);
            save_case c = save_open(save_rows[r], 1, SAVE_EDITED, 7, 8, 9, &at.def);
            saved s = save_bytes(c.shape, NULL);
            REQUIRE(reference_same(&bytes, s.bytes, s.count));
            abut_shape_destroy(load(c.w.context, &s));
            free(s.bytes);
            save_close(&c);
        }
        reference_free(&bytes);
    }
}

#define SAVERS 2

typedef struct saver {
    const abut_shape* shape;
    abut_shape_bytes* made;
    abut_status status;
} saver;

static void* save_in_thread(void* argument) {
    saver* s = argument;
    abut_shape_save_def def = abut_shape_save_def_default();
    def.self_queries = true;
    s->status = abut_shape_save(s->shape, &def, &s->made, NULL);
    return NULL;
}

static void test_threads_save_at_once(void** state) {
    (void)state;
    for (int r = 0; r < SAVE_ROWS; ++r) {
        where("%s", save_rows[r]->name);
        save_case c = save_open(save_rows[r], 0, SAVE_NEW, 7, 8, 2, NULL);
        saver s[SAVERS];
        pthread_t thread[SAVERS];
        for (int i = 0; i < SAVERS; ++i) {
            s[i] = (saver){.shape = c.shape, .status = ABUT_ERR_STATE};
            REQUIRE(pthread_create(&thread[i], NULL, save_in_thread, &s[i]) == 0);
        }
        saved bytes[SAVERS];
        for (int i = 0; i < SAVERS; ++i) {
            REQUIRE(pthread_join(thread[i], NULL) == 0 && s[i].status == ABUT_OK);
            bytes[i].bytes = (uint8_t*)abut_shape_bytes_data(s[i].made, &bytes[i].count);
            REQUIRE(saved_same(&bytes[0], &bytes[i]));
        }
        for (int i = 0; i < SAVERS; ++i) {
            abut_shape_bytes_destroy(s[i].made);
        }
        save_close(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_samples_are_saved),
        cmocka_unit_test(test_certificates_on_demand),
        cmocka_unit_test(test_all_queries),
        cmocka_unit_test(test_loaded_shapes_can_be_edited),
        cmocka_unit_test(test_same_bytes_everywhere),
        cmocka_unit_test(test_threads_save_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
