// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What a baseline is made of, for the files that store it (baseline.c) and that read and write it
// (baseline_file.c).
#ifndef CLI_GATE_BASELINE_DATA_H
#define CLI_GATE_BASELINE_DATA_H

#include "cli/gate/baseline.h"

/// Places in a list by keys, which are not 0: open addressing.
typedef struct key_slot {
    uint64_t key;
    size_t place;
} key_slot;
typedef struct key_map {
    key_slot* slots;
    size_t size;  ///< a power of two
    size_t count;
} key_map;

/// Findings of a kind about two objects, by the labels that these had.
typedef struct known_group {
    finding_kind kind;
    char* labels[2];
} known_group;

typedef struct known_part {
    uint64_t key;
    char* label;
    char* node;
    abut_box box;
} known_part;

typedef struct known_entry {
    uint64_t key;
    uint64_t sides[2];  ///< by component: the keys of both
    uint32_t group;
    bool seen;
} known_entry;

struct baseline {
    bool by_component;
    known_entry* list;
    size_t count;
    size_t room;
    key_map places;  ///< in the list
    known_group* groups;
    size_t group_count;
    key_map group_places;  ///< by their texts
    known_part* parts;
    size_t part_count;
    key_map part_places;
};

extern const char* const finding_words[FINDING_KINDS];

/// Add an entry, unless it is there. baseline_group() returns the number of the group, which is known
/// by its kind and labels.
uint32_t baseline_group(baseline* b, finding_kind kind, const char* x, const char* y);
void baseline_part(baseline* b, uint64_t key, const char* label, const char* node,
                   const abut_box* box);
void baseline_put(baseline* b, const known_entry* e);
/// The component of a key; NULL if there is none.
const known_part* baseline_find_part(const baseline* b, uint64_t key);

#endif
