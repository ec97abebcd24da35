// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stores what is known: see baseline.h. baseline_file.c reads and writes it.
#include "cli/gate/baseline.h"

#include "cli/gate/baseline_data.h"
#include "cli/json.h"
#include "cli/message.h"
#include "io/clean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 0.05;  // of the diagonal

const char* const finding_words[FINDING_KINDS] = {"contact", "inside", "near"};

baseline* baseline_create(bool by_component) {
    baseline* b = allocate(1, sizeof *b);
    b->by_component = by_component;
    return b;
}

bool baseline_by_component(const baseline* b) {
    return b->by_component;
}

void baseline_free(baseline* b) {
    for (size_t i = 0; b != NULL && i < b->group_count; ++i) {
        free(b->groups[i].labels[0]);
        free(b->groups[i].labels[1]);
    }
    for (size_t i = 0; b != NULL && i < b->part_count; ++i) {
        free(b->parts[i].node);
        free(b->parts[i].label);
    }
    if (b != NULL) {
        free(b->groups);
        free(b->parts);
        free(b->list);
        free(b->places.slots);
        free(b->group_places.slots);
        free(b->part_places.slots);
        free(b);
    }
}

// ---- places by keys

// the slot of a key, or the free one for it
static key_slot* slot_of(const key_map* m, uint64_t key) {
    size_t i = (size_t)key & (m->size - 1);
    while (m->slots[i].key != 0 && m->slots[i].key != key) {
        i = (i + 1) & (m->size - 1);
    }
    return &m->slots[i];
}

static void grow(key_map* m) {
    const key_map old = *m;
    m->size = old.size == 0 ? 64 : 2 * old.size;
    m->slots = allocate(m->size, sizeof *m->slots);
    for (size_t i = 0; i < old.size; ++i) {
        if (old.slots[i].key != 0) {
            *slot_of(m, old.slots[i].key) = old.slots[i];
        }
    }
    free(old.slots);
}

// the place of a key; SIZE_MAX if there is none
static size_t place_of(const key_map* m, uint64_t key) {
    const key_slot* slot = m->count == 0 ? NULL : slot_of(m, key);
    return slot == NULL || slot->key == 0 ? SIZE_MAX : slot->place;
}

// adds a key that is not there
static void put_place(key_map* m, uint64_t key, size_t place) {
    if (2 * (m->count + 1) > m->size) {
        grow(m);
    }
    *slot_of(m, key) = (key_slot){key, place};
    ++m->count;
}

static known_entry* find(const baseline* b, uint64_t key) {
    const size_t place = place_of(&b->places, key);
    return place == SIZE_MAX ? NULL : &b->list[place];
}

void baseline_put(baseline* b, const known_entry* e) {
    if (find(b, e->key) != NULL) {
        return;
    }
    if (b->list == NULL || b->count == b->room) {
        b->room = 2 * b->room + 64;
        b->list = reallocate(b->list, b->room, sizeof *b->list);
    }
    b->list[b->count] = *e;
    put_place(&b->places, e->key, b->count++);
}

bool baseline_knows(const baseline* b, uint64_t key) {
    return find(b, key) != NULL;
}

void baseline_see(baseline* b, uint64_t key) {
    known_entry* e = find(b, key);
    if (e != NULL) {
        e->seen = true;
    }
}

size_t baseline_count(const baseline* b) {
    return b->count;
}

// ---- adding

static char* copy_clean(const char* text) {
    const size_t size = strlen(text) + 1;
    return io_clean(memcpy(allocate(size, 1), text, size));
}

uint32_t baseline_group(baseline* b, finding_kind kind, const char* x, const char* y) {
    char* labels[2] = {copy_clean(x), copy_clean(y)};
    const uint64_t key = pair_key(kind, text_key(labels[0]), 2 * text_key(labels[1]));
    const size_t place = place_of(&b->group_places, key);
    if (place != SIZE_MAX) {
        free(labels[0]);
        free(labels[1]);
        return (uint32_t)place;
    }
    put_place(&b->group_places, key, b->group_count);
    b->groups = reallocate(b->groups, b->group_count + 1, sizeof *b->groups);
    b->groups[b->group_count] = (known_group){kind, {labels[0], labels[1]}};
    return (uint32_t)b->group_count++;
}

void baseline_part(baseline* b, uint64_t key, const char* label, const char* node,
                   const abut_box* box) {
    if (place_of(&b->part_places, key) == SIZE_MAX) {
        put_place(&b->part_places, key, b->part_count);
        b->parts = reallocate(b->parts, b->part_count + 1, sizeof *b->parts);
        b->parts[b->part_count++] = (known_part){key, copy_clean(label), copy_clean(node), *box};
    }
}

const known_part* baseline_find_part(const baseline* b, uint64_t key) {
    const size_t place = place_of(&b->part_places, key);
    return place == SIZE_MAX ? NULL : &b->parts[place];
}

void baseline_add(baseline* b, finding_kind kind, const known_side* x, const known_side* y) {
    known_entry e = {.key = pair_key(kind, x->key, y->key), .sides = {x->key, y->key}};
    if (find(b, e.key) != NULL) {
        return;
    }
    e.group = baseline_group(b, kind, x->label, y->label);
    if (b->by_component) {
        baseline_part(b, x->key, x->label, x->node, x->box);
        baseline_part(b, y->key, y->label, y->node, y->box);
    }
    baseline_put(b, &e);
}

void baseline_carry(baseline* b, const baseline* from) {
    for (size_t i = 0; i < from->count; ++i) {
        known_entry e = from->list[i];
        const known_group* g = &from->groups[e.group];
        if (!e.seen || find(b, e.key) != NULL) {
            continue;
        }
        e.group = baseline_group(b, g->kind, g->labels[0], g->labels[1]);
        for (int side = 0; side < 2 && b->by_component; ++side) {
            const known_part* p = baseline_find_part(from, e.sides[side]);
            baseline_part(b, p->key, p->label, p->node, &p->box);
        }
        baseline_put(b, &e);
    }
}

// ---- components

typedef struct likeness {
    double difference;  // of the boxes, in terms of the diagonal
    size_t here;
    size_t there;
} likeness;

static double difference_of(const abut_box* x, const abut_box* y) {
    double most = 0;
    double diagonal_sq = 0;
    for (int d = 0; d < 3; ++d) {
        const double side = y->hi[d] - y->lo[d];
        most = fmax(most, fmax(fabs(x->lo[d] - y->lo[d]), fabs(x->hi[d] - y->hi[d])));
        diagonal_sq += side * side;
    }
    return most == 0 ? 0 : most / sqrt(diagonal_sq);
}

static bool may_be(const known_part* p, const component* c) {
    char* node = copy_clean(c->node);
    const bool named = p->node[0] != '\0' && node[0] != '\0';
    const bool same = !named || strcmp(p->node, node) == 0;
    free(node);
    return same;
}

static int compare_likeness(const void* x, const void* y) {
    const likeness* l = x;
    const likeness* m = y;
    return l->difference != m->difference ? (l->difference < m->difference ? -1 : 1)
           : l->here != m->here           ? (l->here < m->here ? -1 : 1)
                                          : (l->there > m->there) - (l->there < m->there);
}

void baseline_match(const baseline* b, component* list, size_t count) {
    likeness* all = NULL;
    size_t found = 0;
    bool* taken = allocate(b->part_count, sizeof *taken);
    for (size_t i = 0; i < count; ++i) {
        list[i].key = 0;
        for (size_t k = 0; k < b->part_count; ++k) {
            const double difference = difference_of(&list[i].box, &b->parts[k].box);
            if (difference <= TOLERANCE && may_be(&b->parts[k], &list[i])) {
                all = reallocate(all, found + 1, sizeof *all);
                all[found++] = (likeness){difference, i, k};
            }
        }
    }
    if (found > 1) {
        qsort(all, found, sizeof *all, compare_likeness);
    }
    for (size_t i = 0; i < found; ++i) {
        if (!taken[all[i].there] && list[all[i].here].key == 0) {
            taken[all[i].there] = true;
            list[all[i].here].key = b->parts[all[i].there].key;
        }
    }
    free(all);
    free(taken);
}

// ---- what is gone

size_t baseline_gone(const baseline* b) {
    size_t gone = 0;
    for (size_t i = 0; i < b->count; ++i) {
        gone += !b->list[i].seen;
    }
    return gone;
}

static size_t* gone_by_group(const baseline* b) {
    size_t* gone = allocate(b->group_count, sizeof *gone);
    for (size_t i = 0; i < b->count; ++i) {
        gone[b->list[i].group] += !b->list[i].seen;
    }
    return gone;
}

void baseline_print_gone(const baseline* b) {
    size_t* gone = gone_by_group(b);
    for (size_t i = 0; i < b->group_count; ++i) {
        const known_group* g = &b->groups[i];
        if (gone[i] != 0) {
            printf("Gone: %zu known finding%s (%s) of %.240s and %.240s.\n", gone[i],
                   gone[i] == 1 ? "" : "s", finding_words[g->kind], g->labels[0], g->labels[1]);
        }
    }
    free(gone);
}

json_t* baseline_gone_json(const baseline* b) {
    size_t* gone = gone_by_group(b);
    json_t* list = json_array();
    for (size_t i = 0; i < b->group_count; ++i) {
        if (gone[i] != 0) {
            json_t* json = json_object();
            json_object_set_new(json, "kind", json_text(finding_words[b->groups[i].kind]));
            json_object_set_new(json, "a", json_text(b->groups[i].labels[0]));
            json_object_set_new(json, "b", json_text(b->groups[i].labels[1]));
            json_object_set_new(json, "count", json_count(gone[i]));
            json_array_append_new(list, json);
        }
    }
    free(gone);
    return list;
}
