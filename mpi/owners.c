// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which triangle of the whole mesh has each vertex and edge of a piece first: the lowest one. A rank finds
// the lowest of its piece, and asks about those that other pieces may have, too: vertices first, then
// edges between vertices of several pieces. Each id has a rank that compares what is said about it. So no
// rank sees all of them.
//
// Bit i of a triangle's byte: it has corner i first; bit 3 + i: the edge from corner i to the next.
#include <stdlib.h>

#include "mpi/surface.h"

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

static void lack_memory(abut_world* world, const abut__surface* surface) {
    abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for a surface");
}

// Lists the vertices or edges of a piece, each with the lowest triangle that has it; in terms of places.
static bool list_claims(abut_world* world, const abut__surface* surface, bool edges,
                        claim_list* list) {
    const size_t count = surface->triangles.count;
    claim* items = abut__append(&world->memory, list, 3 * count);
    if (items == NULL) {
        lack_memory(world, surface);
        return false;
    }
    list->count = 0;
    for (size_t t = 0; t < count; ++t) {
        const uint32_t* corners = abut_mesh_triangles(surface->mesh) + 3 * t;
        for (uint32_t c = 0; c < 3; ++c) {
            const uint32_t a = corners[c];
            const uint32_t b = edges ? corners[(c + 1) % 3] : a;
            if (!edges || a != b) {
                items[list->count++] = (claim){{a < b ? a : b, a < b ? b : a}, (uint32_t)t, c};
            }
        }
    }
    sort_claims(list);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i) {
        if (i == 0 || !is_same(&items[i], &items[kept - 1])) {
            items[kept++] = items[i];
        }
    }
    list->count = kept;
    return true;
}

static int judge_of(const abut_world* world, uint32_t a, uint32_t b) {
    return (int)((a ^ b * 0x9E3779B1u) % (uint32_t)world->ranks);
}

// sends claims to the ranks that compare them, in terms of ids; edges only between shared vertices
static void send_claims(abut_world* world, const abut__surface* surface, const claim_list* list,
                        const uint8_t* shared) {
    for (size_t i = 0; i < list->count; ++i) {
        const claim* c = &list->data[i];
        if (shared != NULL && (shared[c->vertex[0]] == 0 || shared[c->vertex[1]] == 0)) {
            continue;
        }
        const uint32_t words[3] = {surface->vertices.data[c->vertex[0]],
                                   surface->vertices.data[c->vertex[1]],
                                   surface->triangles.data[c->triangle]};
        abut__mail_value(world, &world->mail, judge_of(world, words[0], words[1]), words);
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
static void apply_verdicts(abut_world* world, abut__surface* surface, const claim_list* own,
                           const claim_list* verdicts, uint32_t first_bit, uint8_t* shared) {
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
            surface->owned.data[c->triangle] &= (uint8_t) ~(1u << (first_bit + c->from));
        }
        if (shared != NULL) {
            shared[a] = 1;
        }
    }
}

// One round about vertices or edges. `shared` of the vertices is written in the first round and read in
// the second.
static void settle_features(abut_world* world, abut__surface* surface, bool edges,
                            uint8_t* shared) {
    claim_list own = {0};
    claim_list others = {0};
    const bool here = world->trouble.status == ABUT_OK && surface != NULL &&
                      list_claims(world, surface, edges, &own);
    abut__mail_begin(world, &world->mail);
    for (size_t i = 0; i < own.count && here; ++i) {
        const uint32_t bit = (edges ? 3 : 0) + own.data[i].from;
        surface->owned.data[own.data[i].triangle] |= (uint8_t)(1u << bit);
    }
    if (here) {
        send_claims(world, surface, &own, edges ? shared : NULL);
    }
    abut__mail_exchange(world, &world->mail);
    take_claims(world, &others);
    send_verdicts(world, &others);
    abut__mail_exchange(world, &world->mail);
    take_claims(world, &others);
    if (here) {
        apply_verdicts(world, surface, &own, &others, edges ? 3 : 0, edges ? NULL : shared);
    }
    abut__discard(&world->memory, &own);
    abut__discard(&world->memory, &others);
}

// finds a triangle that two ranks have
static void check_triangles(abut_world* world, const abut__surface* surface) {
    claim_list all = {0};
    abut__mail_begin(world, &world->mail);
    for (size_t t = 0; surface != NULL && t < surface->triangles.count; ++t) {
        const uint32_t id = surface->triangles.data[t];
        const uint32_t words[3] = {id, id, id};  // once, so it need not be short
        abut__mail_value(world, &world->mail, judge_of(world, id, id), words);
    }
    abut__mail_exchange(world, &world->mail);
    take_claims(world, &all);
    sort_claims(&all);
    for (size_t i = 1; i < all.count; ++i) {
        if (is_same(&all.data[i], &all.data[i - 1])) {
            abut__trouble(world, ABUT_ERR_INVALID_ARGUMENT,
                          surface != NULL ? surface->id : ABUT__ABSENT,
                          "ranks %u and %u both have triangle %u", all.data[i - 1].from,
                          all.data[i].from, all.data[i].triangle);
            break;
        }
    }
    abut__discard(&world->memory, &all);
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
    check_triangles(world, surface);
    settle_features(world, surface, false, marks);
    settle_features(world, surface, true, marks);
    abut__discard(memory, &shared);
}
