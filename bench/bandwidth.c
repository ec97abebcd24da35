// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A lower bound of the cost of a refit, in the form of a peer: a plain copy that moves as many
// bytes as a refit must, 12 for every vertex that it reads and 32 for the box of every 48 triangles
// that it writes. A copy of n bytes moves 2 n.
#include "bench/bench.h"
#include "peers/peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct copy {
    const peer_mesh* mesh;
    const float* xyz;
    char* from;
    char* to;
    size_t bytes;
} copy;

static void* create(const peer_mesh* meshes, uint32_t count) {
    (void)count;
    const size_t boxes = (meshes[0].triangle_count + 47) / 48;
    copy* c = bench_alloc(1, sizeof *c);
    c->mesh = &meshes[0];
    c->xyz = meshes[0].rest;
    c->bytes = (12 * (size_t)meshes[0].vertex_count + 32 * boxes) / 2;
    c->from = bench_alloc(c->bytes, 1);
    c->to = bench_alloc(c->bytes, 1);
    memset(c->from, 1, c->bytes);  // touches the pages
    return c;
}

static void destroy(void* peer) {
    copy* c = peer;
    free(c->from);
    free(c->to);
    free(c);
}

static void update(void* peer, const float* const* xyz) {
    copy* c = peer;
    c->xyz = xyz[0];
    memcpy(c->to, c->from, c->bytes);
    __asm__ volatile("" ::"r"(c->to) : "memory");  // prevents the compiler from removing the copy
}

// It has no answer of its own.
static void box(void* peer, double lo_hi[6]) {
    const copy* c = peer;
    for (int k = 0; k < 6; ++k) {
        lo_hi[k] = c->xyz[k % 3];
    }
    for (size_t i = 0; i < 3 * (size_t)c->mesh->vertex_count; ++i) {
        lo_hi[i % 3] = fmin(lo_hi[i % 3], (double)c->xyz[i]);
        lo_hi[i % 3 + 3] = fmax(lo_hi[i % 3 + 3], (double)c->xyz[i]);
    }
}

extern const peer_kind peer_bandwidth;
const peer_kind peer_bandwidth = {
    .name = "bandwidth bound",
    .create = create,
    .destroy = destroy,
    .update = update,
    .box = box,
};
