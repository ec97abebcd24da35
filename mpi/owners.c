// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which triangle of the whole mesh has each vertex and edge of a piece first: the lowest one. A rank finds
// the lowest of its piece, and asks about those that other pieces may have, too: vertices first, then
// edges between vertices of several pieces. Each id has a rank that compares what is said about it, and a
// round in which it is asked. So no rank sees all of them, and lists stay short.
//
// Bit i of a triangle's byte: it has corner i first; bit 3 + i: the edge from corner i to the next.
#include <stdlib.h>

#include "mpi/surface.h"

#define TRIANGLES_AT_ONCE 512u  // of a piece, in a round, about,
#define ROUNDS_MOST 16u         // unless there were more rounds

// A vertex (twice) or an edge (the lower vertex first), and the lowest triangle of a piece that has it.
typedef struct claim {
    uint32_t vertex[2];
    uint32_t triangle;
    uint32_t from;  // the rank; in a piece: the corner
} claim;
typedef ABUT__LIST(claim) claim_list;

static int compare_claims(const void* a, const void* b) {
    const claim* x = a;
    const claim* y = b;
    for (int k = 0; k < 2; ++k) {
        if (x->vertex[k] != y->vertex[k]) {
            return x->vertex[k] > y->vertex[k] ? 1 : -1;
        }
    }
    if (x->triangle != y->triangle) {
        return x->triangle > y->triangle ? 1 : -1;
    }
    return (x->from > y->from) - (x->from < y->from);
}

static bool is_same(const claim* x, const claim* y) {
    return x->vertex[0] == y->vertex[0] && x->vertex[1] == y->vertex[1];
}

static void sort_claims(claim_list* list) {
    if (list->count > 1) {
        qsort(list->data, list->count, sizeof *list->data, compare_claims);
    }
}

// What a round asks about.
typedef enum topic { TRIANGLES, VERTICES, EDGES } topic;

// One of several rounds, by a hash of what is asked about.
typedef struct asking {
    topic about;
    uint32_t round;
    uint32_t rounds;
    uint8_t* shared;  // vertices that several pieces have: found by VERTICES, used by EDGES
} asking;

static const abut__ids* ids_of(const abut__surface* surface, const asking* ask) {
    return ask->about == TRIANGLES ? &surface->triangles : &surface->vertices;
}

static uint64_t hash_of(const uint32_t id[2]) {
    const uint64_t x = (id[0] ^ (uint64_t)id[1] << 32) * 0x9E3779B97F4A7C15u;
    return (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
}

// The claim of a corner, in terms of places; false: it is of another round, or no claim
static bool claim_of(const abut__surface* surface, const asking* ask, size_t triangle,
                     uint32_t corner, claim* out) {
    const uint32_t* corners = abut_mesh_triangles(surface->mesh) + 3 * triangle;
    const uint32_t a = corners[corner];
    const uint32_t b = ask->about == EDGES ? corners[(corner + 1) % 3] : a;
    *out = (claim){{a < b ? a : b, a < b ? b : a}, (uint32_t)triangle, corner};
    if (ask->about == TRIANGLES) {
        out->vertex[0] = out->vertex[1] = (uint32_t)triangle;
    }
    const abut__ids* ids = ids_of(surface, ask);
    const uint32_t id[2] = {ids->data[out->vertex[0]], ids->data[out->vertex[1]]};
    const bool counts = ask->about == EDGES ? a != b : ask->about == VERTICES || corner == 0;
    return counts && (hash_of(id) >> 32) % ask->rounds == ask->round;
}

// Lists what a piece has in a round, each with the lowest triangle that has it; in terms of places.
static bool list_claims(abut_world* world, const abut__surface* surface, const asking* ask,
                        claim_list* list) {
    for (size_t t = 0; t < surface->triangles.count; ++t) {
        for (uint32_t c = 0; c < 3; ++c) {
            claim next;
            if (!claim_of(surface, ask, t, c, &next)) {
                continue;
            }
            claim* to = abut__append(&world->memory, list, 1);
            if (to == NULL) {
                abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for a surface");
                return false;
            }
            *to = next;
        }
    }
    sort_claims(list);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i) {
        if (i == 0 || !is_same(&list->data[i], &list->data[kept - 1])) {
            list->data[kept++] = list->data[i];
        }
    }
    list->count = kept;
    return true;
}

// sends claims to the ranks that compare them, in terms of ids; edges only between shared vertices
static void send_claims(abut_world* world, const abut__surface* surface, const asking* ask,
                        const claim_list* list) {
    const abut__ids* ids = ids_of(surface, ask);
    for (size_t i = 0; i < list->count; ++i) {
        const claim* c = &list->data[i];
        if (ask->about == EDGES &&
            (ask->shared[c->vertex[0]] == 0 || ask->shared[c->vertex[1]] == 0)) {
            continue;
        }
        const uint32_t words[3] = {ids->data[c->vertex[0]], ids->data[c->vertex[1]],
                                   surface->triangles.data[c->triangle]};
        abut__mail_value(world, &world->mail,
                         (int)((uint32_t)hash_of(words) % (uint32_t)world->ranks), words);
    }
}

// reads what ranks claim, or what was found
static void take_claims(abut_world* world, claim_list* list) {
    list->count = 0;
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&world->mail.in[r]);
        while (in.at != in.end && world->trouble.status == ABUT_OK) {
            uint32_t words[3];
            abut__read_value(&in, &words);
            claim* to = abut__append(&world->memory, list, 1);
            if (to == NULL) {
                abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a surface");
                return;
            }
            *to = (claim){{words[0], words[1]}, words[2], (uint32_t)r};
            if (in.bad) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                              "owners of rank %d are damaged", r);
            }
        }
    }
}

// answers all ranks that claim the same vertex or edge
static void send_verdicts(abut_world* world, claim_list* list) {
    sort_claims(list);
    abut__mail_begin(world, &world->mail);
    for (size_t first = 0, end; first < list->count; first = end) {
        const claim* lowest = &list->data[first];
        end = first + 1;
        while (end < list->count && is_same(&list->data[end], lowest)) {
            ++end;
        }
        const uint32_t words[3] = {lowest->vertex[0], lowest->vertex[1], lowest->triangle};
        for (size_t i = first; i < end && end - first > 1; ++i) {
            abut__mail_value(world, &world->mail, (int)list->data[i].from, words);
        }
    }
}

static uint32_t place_of(const abut__ids* ids, uint32_t id) {
    size_t lo = 0;
    size_t hi = ids->count;
    while (lo < hi) {
        const size_t middle = (lo + hi) / 2;
        if (ids->data[middle] < id) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < ids->count && ids->data[lo] == id ? (uint32_t)lo : ABUT__ABSENT;
}

static const claim* find_claim(const claim_list* list, uint32_t a, uint32_t b) {
    size_t lo = 0;
    size_t hi = list->count;
    while (lo < hi) {
        const size_t middle = (lo + hi) / 2;
        const claim* c = &list->data[middle];
        if (c->vertex[0] < a || (c->vertex[0] == a && c->vertex[1] < b)) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    const claim wanted = {{a, b}, 0, 0};
    return lo < list->count && is_same(&list->data[lo], &wanted) ? &list->data[lo] : NULL;
}

// takes features from triangles that are not the lowest in the whole mesh, and marks shared vertices
static void apply_verdicts(abut_world* world, abut__surface* surface, const asking* ask,
                           const claim_list* own, const claim_list* verdicts) {
    for (size_t i = 0; i < verdicts->count && world->trouble.status == ABUT_OK; ++i) {
        const claim* v = &verdicts->data[i];
        const uint32_t a = place_of(&surface->vertices, v->vertex[0]);
        const uint32_t b = place_of(&surface->vertices, v->vertex[1]);
        const claim* c = a != ABUT__ABSENT && b != ABUT__ABSENT ? find_claim(own, a, b) : NULL;
        if (c == NULL || v->triangle > surface->triangles.data[c->triangle]) {
            abut__trouble(world, ABUT_ERR_INVALID_DATA, surface->id,
                          "owners of rank %u are damaged", v->from);
            return;
        }
        if (v->triangle < surface->triangles.data[c->triangle]) {
            const uint32_t bit = (ask->about == EDGES ? 3 : 0) + c->from;
            surface->owned.data[c->triangle] &= (uint8_t) ~(1u << bit);
        }
        if (ask->about == VERTICES) {
            ask->shared[a] = 1;
        }
    }
}

// answers about vertices or edges, and applies the answers of others
static void settle(abut_world* world, abut__surface* surface, const asking* ask,
                   const claim_list* own, claim_list* others) {
    send_verdicts(world, others);
    abut__mail_exchange(world, &world->mail);
    take_claims(world, others);
    if (surface != NULL) {
        apply_verdicts(world, surface, ask, own, others);
    }
}

// finds a triangle that two ranks have
static void refuse_twins(abut_world* world, const abut__surface* surface, claim_list* all) {
    sort_claims(all);
    for (size_t i = 1; i < all->count; ++i) {
        if (is_same(&all->data[i], &all->data[i - 1])) {
            abut__trouble(world, ABUT_ERR_INVALID_ARGUMENT,
                          surface != NULL ? surface->id : ABUT__ABSENT,
                          "ranks %u and %u both have triangle %u", all->data[i - 1].from,
                          all->data[i].from, all->data[i].triangle);
            return;
        }
    }
}

static void run_round(abut_world* world, abut__surface* surface, const asking* ask) {
    claim_list own = {0};
    claim_list others = {0};
    const bool here = world->trouble.status == ABUT_OK && surface != NULL &&
                      list_claims(world, surface, ask, &own);
    abut__mail_begin(world, &world->mail);
    for (size_t i = 0; i < own.count && here && ask->about != TRIANGLES; ++i) {
        const uint32_t bit = (ask->about == EDGES ? 3 : 0) + own.data[i].from;
        surface->owned.data[own.data[i].triangle] |= (uint8_t)(1u << bit);
    }
    if (here) {
        send_claims(world, surface, ask, &own);
    }
    abut__mail_exchange(world, &world->mail);
    take_claims(world, &others);
    if (ask->about == TRIANGLES) {
        refuse_twins(world, surface, &others);
    } else {
        settle(world, here ? surface : NULL, ask, &own, &others);
    }
    abut__discard(&world->memory, &own);
    abut__discard(&world->memory, &others);
}

void abut__owners_find(abut_world* world, abut__surface* surface) {
    const abut_allocator* memory = &world->memory;
    abut__bytes shared = {0};
    const size_t triangles = surface != NULL ? surface->triangles.count : 0;
    const size_t vertices = surface != NULL ? surface->vertices.count : 0;
    uint8_t* marks = abut__append(memory, &shared, vertices);
    uint8_t* owned = surface != NULL ? abut__append(memory, &surface->owned, triangles) : NULL;
    if (marks == NULL || (surface != NULL && owned == NULL)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a surface");
    } else {
        memset(marks, 0, vertices);
    }
    if (owned != NULL) {
        memset(owned, 0, triangles);
    }
    uint64_t total = triangles;
    abut__sum_over_ranks(world, &total, 1);
    const uint64_t rounds = 1 + total / (uint64_t)world->ranks / TRIANGLES_AT_ONCE;
    for (topic about = TRIANGLES; about <= EDGES; ++about) {
        asking ask = {about, 0, rounds < ROUNDS_MOST ? (uint32_t)rounds : ROUNDS_MOST, marks};
        for (; ask.round < ask.rounds; ++ask.round) {
            run_round(world, surface, &ask);
        }
    }
    abut__discard(memory, &shared);
    abut__mail_shrink(world, &world->mail);
}
