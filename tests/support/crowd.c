// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes crowds and compares all queries about them with the oracle.

#include "support/crowd.h"

crowd crowd_make(uint64_t seed, uint32_t size) {
    test_random random = random_seed(seed);
    crowd c = {.world = world_make(NULL, NULL)};
    c.surface[0] = surface_sheet(size, size, 8);
    c.surface[1] = surface_sheet(size, size + 1, 8);
    c.surface[2] = surface_ball(size / 2 + 2, size + 3, 3);
    c.surface[3] = surface_soup(&random, 4 * size, 8, 1, 0.25);
    surface_shake(&c.surface[0], &random, 0.75, 0.125);
    surface_shake(&c.surface[1], &random, 0.75, 0.125);
    surface_shift(&c.surface[2], 4, 4, 0.5);
    for (int i = 0; i < CROWD_BODIES; ++i) {
        motion_def def = motion_def_default();
        def.fan_out = 2 + random_below(&random, 7);
        def.block_triangles = 1 + random_below(&random, 12);
        c.body[i] = world_add(&c.world, &c.surface[i], &def, NULL);
    }
    REQUIRE_OK(abut_front_create(c.world.context, &c.front, NULL));
    return c;
}

void crowd_free(crowd* c) {
    for (int i = 0; i < CROWD_BODIES; ++i) {
        surface_free(&c->surface[i]);
    }
    abut_front_destroy(c->front);
    world_free(&c->world);
}

size_t crowd_check(const crowd* c, const abut_collide_def* def) {
    size_t found = check_collide_all(&c->world, def) + check_self_all(&c->world, def);
    for (int a = 0; a < CROWD_BODIES; ++a) {
        const int b = (a + 1) % CROWD_BODIES;
        found += check_self(&c->world, c->body[a], def);
        found += check_between(&c->world, c->body[a], c->body[b], def);
    }
    return found;
}
