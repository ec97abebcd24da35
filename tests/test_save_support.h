// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shapes to save: of all motions, with all kinds of settings, used and edited before.
#ifndef ABUT_TESTS_SAVE_SUPPORT_H
#define ABUT_TESTS_SAVE_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "shape/shape_save.h"
#include "support/motions.h"

static const motion_row* const save_rows[] = {&motion_free, &motion_modal, &motion_blend,
                                              &motion_flight};
enum { SAVE_ROWS = sizeof save_rows / sizeof *save_rows };

// What happened to a shape before it is saved.
typedef enum save_past {
    SAVE_NEW,      // nothing
    SAVE_USED,     // self queries, and a request: a modal or blend shape has certificates
    SAVE_EDITED,   // self queries, and then an edit, which maps certificates
    SAVE_REBUILT,  // an edit that builds the tree again
    SAVE_PASTS
} save_past;

typedef struct save_case {
    world w;
    mover m;
    abut_shape* shape;
    test_random random;
} save_case;

// Draws a state and asks whether the body touches itself, a few times.
static inline void save_use(save_case* c, abut_shape* shape) {
    abut_body_id body;
    REQUIRE_OK(abut_body_create(c->w.scene, shape, NULL, &body, NULL));
    for (int i = 0; i < 3; ++i) {
        mover_draw(&c->m, &c->random, i == 0 ? STATE_REST : STATE_NEAR);
        REQUIRE_OK(mover_set(&c->m, c->w.scene, body));
        REQUIRE_OK(abut_collide_self(c->w.scene, body, NULL, c->w.result, NULL));
    }
    REQUIRE_OK(abut_body_destroy(c->w.scene, body, NULL));
}

// Removes a few triangles, and puts one of them back.
static inline abut_shape* save_edit(save_case* c, const abut_shape* shape, bool rebuild) {
    const abut_mesh* mesh = abut_shape_mesh(shape);
    const uint32_t count = abut_mesh_triangle_count(mesh);
    const uint32_t first = random_below(&c->random, count - 4);
    const uint32_t gone[2] = {first, first + 3};
    uint32_t added[3];
    memcpy(added, abut_mesh_triangles(mesh) + 3 * (size_t)first, sizeof added);
    motion_edit_def edit = motion_edit_def_default();
    edit.removed_triangles = gone;
    edit.removed_triangle_count = 2;
    edit.added_triangles = added;
    edit.added_triangle_count = 1;
    edit.rebuild = rebuild;
    return world_edit(shape, &edit, NULL);
}

static inline motion_def save_def(save_case* c, uint32_t block_triangles) {
    static const uint32_t ignored[] = {3, 1, 0, 2};
    motion_def def = mover_def(&c->m);
    def.block_triangles = block_triangles;
    def.fan_out = 2 + random_below(&c->random, 7);
    def.proxy_level = c->m.row->motion == ABUT_MOTION_MODAL ? random_below(&c->random, 3) : 0;
    def.ignored_tags = random_chance(&c->random, 0.5) ? ignored : NULL;
    def.ignored_tag_pair_count = def.ignored_tags != NULL ? 2 : 0;
    return def;
}

static inline abut_shape* save_new_shape(save_case* c, const motion_def* def) {
    const uint32_t count = c->m.surface.triangle_count;
    uint32_t* tags = test_alloc(count, sizeof *tags);
    for (uint32_t t = 0; t < count; ++t) {
        tags[t] = random_below(&c->random, 4);
    }
    abut_mesh_def mesh_def = surface_mesh_def(&c->m.surface);
    mesh_def.tags = random_chance(&c->random, 0.5) ? tags : NULL;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    REQUIRE_OK(abut_mesh_create(c->w.context, &mesh_def, &mesh, NULL));
    REQUIRE_OK(motion_create(c->w.context, mesh, def, &shape, NULL));
    abut_mesh_destroy(mesh);
    free(tags);
    return shape;
}

// Makes a shape of a ball with so many rings. `seed` chooses all that is random.
static inline save_case save_open(const motion_row* row, uint32_t variant, save_past past,
                                  uint32_t rings, uint32_t block_triangles, uint64_t seed,
                                  const abut_context_def* context_def) {
    save_case c = {.random = random_seed(seed)};
    c.w = world_make(context_def, NULL);
    surface ball = surface_ball(rings, rings + 1, 1);
    surface_shake(&ball, &c.random, 0x1p-6, 0x1p-10);
    c.m = mover_make(row, variant % row->variants, ball, &c.random);
    c.m.steady = true;
    const motion_def def = save_def(&c, block_triangles);
    c.shape = save_new_shape(&c, &def);
    if (past == SAVE_USED || past == SAVE_EDITED) {
        save_use(&c, c.shape);
        REQUIRE_OK(abut_shape_build_certificates(c.shape, NULL));
    }
    if (past >= SAVE_EDITED) {
        abut_shape* edited = save_edit(&c, c.shape, past == SAVE_REBUILT);
        abut_shape_destroy(c.shape);
        c.shape = edited;
    }
    return c;
}

static inline void save_close(save_case* c) {
    abut_shape_destroy(c->shape);
    world_free(&c->w);
    mover_free(&c->m);
}

// The bytes of a shape in memory of the test.
typedef struct saved {
    uint8_t* bytes;
    size_t count;
} saved;

static inline saved save_bytes(const abut_shape* shape, const abut_shape_save_def* def) {
    abut_shape_bytes* made = NULL;
    saved s = {0};
    REQUIRE_OK(abut_shape_save(shape, def, &made, NULL));
    const void* data = abut_shape_bytes_data(made, &s.count);
    s.bytes = test_alloc(s.count, 1);
    memcpy(s.bytes, data, s.count);
    abut_shape_bytes_destroy(made);
    return s;
}

static inline bool saved_same(const saved* a, const saved* b) {
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

#endif
