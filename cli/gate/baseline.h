// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A baseline: contact that is known. It comes from a file, from the objects at rest or from a frame, and
// a run can write one. Findings are known by keys (identity.h): of two triangles, or of two connected
// components, which are known by their boxes at rest.
//
// The file is text, one finding a line, sorted, so that versions can be compared; docs/gate.md shows one.
#ifndef CLI_GATE_BASELINE_H
#define CLI_GATE_BASELINE_H

#include "cli/gate/identity.h"

#include <jansson.h>
#include <stdio.h>

typedef struct baseline baseline;

baseline* baseline_create(bool by_component);
/// Reads a file; NULL after an error message.
baseline* baseline_read(const char* path);
/// The same from memory; `path` is for messages.
baseline* baseline_parse(const char* path, const char* bytes, size_t size);
/// Writes to an open file.
void baseline_write(const baseline* b, FILE* file);
/// `b` may be NULL.
void baseline_free(baseline* b);

bool baseline_by_component(const baseline* b);

/// A finding: its kind, the keys and the labels of both sides, and, by component, their boxes and
/// nodes.
typedef struct known_side {
    uint64_t key;
    const char* label;
    const char* node;
    const abut_box* box;
} known_side;
/// Adds a finding, unless it is there.
void baseline_add(baseline* b, finding_kind kind, const known_side* x, const known_side* y);
/// Adds what another baseline has and has seen.
void baseline_carry(baseline* b, const baseline* from);
/// Whether a finding is known. Safe from any thread while nothing is added.
bool baseline_knows(const baseline* b, uint64_t key);
/// Notes that a known finding is still there.
void baseline_see(baseline* b, uint64_t key);

/// Finds for components, given by boxes and nodes, those of the baseline: one for one, the most
/// similar first. Each side of a box may differ by 5 % of its diagonal; nodes are equal where both
/// have a name. A key is 0 where there is none.
typedef struct component {
    abut_box box;
    const char* node;
    uint64_t key;  ///< output
} component;
void baseline_match(const baseline* b, component* list, size_t count);

size_t baseline_count(const baseline* b);
/// The number of known findings that were not seen.
size_t baseline_gone(const baseline* b);
/// Prints them in sentences, by objects.
void baseline_print_gone(const baseline* b);
/// The same as a list.
json_t* baseline_gone_json(const baseline* b);

/// What is known, and which of it was seen, as JSON (baseline_json.c). Boxes of components are left out,
/// so that what is read can say what is gone, but match nothing. NULL or false, without a message, if the
/// JSON is damaged.
json_t* baseline_to_json(const baseline* b);
baseline* baseline_from_json(const json_t* json);
json_t* baseline_seen_json(const baseline* b);
bool baseline_see_json(baseline* b, const json_t* runs);

#endif
