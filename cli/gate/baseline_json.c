// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What is known as JSON, for parts of a check (farm/part.h): all keys, and which of them were seen. What is
// read is not trusted.
#include "cli/farm/fields.h"
#include "cli/gate/baseline_data.h"
#include "cli/json.h"
#include "cli/message.h"

#include <string.h>

json_t* baseline_to_json(const baseline* b) {
    json_t* groups = json_array();
    json_t* keys = json_array();
    for (size_t i = 0; i < b->group_count; ++i) {
        const known_group* g = &b->groups[i];
        json_array_append_new(groups, json_pack("[i, o, o]", (int)g->kind, json_text(g->labels[0]),
                                                json_text(g->labels[1])));
    }
    for (size_t i = 0; i < b->count; ++i) {
        json_array_append_new(keys, key_json(b->list[i].key));
        json_array_append_new(keys, json_count(b->list[i].group));
    }
    return json_pack("{s: b, s: o, s: o}", "by_component", b->by_component, "groups", groups,
                     "keys", keys);
}

// the group of a triple; UINT32_MAX if it is damaged
static uint32_t read_group(baseline* b, const json_t* triple) {
    const json_t* kind = json_array_get(triple, 0);
    const char* x = json_string_value(json_array_get(triple, 1));
    const char* y = json_string_value(json_array_get(triple, 2));
    if (!json_is_integer(kind) || json_integer_value(kind) < 0 ||
        json_integer_value(kind) >= FINDING_KINDS || x == NULL || y == NULL) {
        return UINT32_MAX;
    }
    return baseline_group(b, (finding_kind)json_integer_value(kind), x, y);
}

static bool read_all(baseline* b, const json_t* json) {
    const json_t* groups = json_object_get(json, "groups");
    const json_t* keys = json_object_get(json, "keys");
    const size_t count = json_array_size(keys) / 2;
    if (!field_flag(json, "by_component", &b->by_component) || !json_is_array(groups) ||
        !json_is_array(keys) || json_array_size(keys) % 2 != 0) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(groups); ++i) {
        if (read_group(b, json_array_get(groups, i)) != i) {  // it is damaged, or there twice
            return false;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        known_entry e = {0};
        const json_t* group = json_array_get(keys, 2 * i + 1);
        if (!read_key(json_array_get(keys, 2 * i), &e.key) || e.key == 0 ||
            !json_is_integer(group) || json_integer_value(group) < 0 ||
            (size_t)json_integer_value(group) >= b->group_count) {
            return false;
        }
        e.group = (uint32_t)json_integer_value(group);
        baseline_put(b, &e);
    }
    return b->count == count;
}

baseline* baseline_from_json(const json_t* json) {
    baseline* b = baseline_create(false);
    if (!read_all(b, json)) {
        baseline_free(b);
        return NULL;
    }
    return b;
}

json_t* baseline_seen_json(const baseline* b) {
    json_t* runs = json_array();
    for (size_t i = 0; i < b->count;) {
        const bool seen = b->list[i].seen;
        size_t end = i;
        while (end < b->count && b->list[end].seen == seen) {
            ++end;
        }
        if (seen) {
            json_array_append_new(runs, json_count(i));
            json_array_append_new(runs, json_count(end - i));
        }
        i = end;
    }
    return runs;
}

bool baseline_see_json(baseline* b, const json_t* runs) {
    for (size_t i = 0; i + 1 < json_array_size(runs); i += 2) {
        const json_int_t first = json_integer_value(json_array_get(runs, i));
        const json_int_t count = json_integer_value(json_array_get(runs, i + 1));
        if (first < 0 || count < 1 || (size_t)first >= b->count ||
            (size_t)count > b->count - (size_t)first) {
            return false;
        }
        for (size_t k = 0; k < (size_t)count; ++k) {
            b->list[(size_t)first + k].seen = true;
        }
    }
    return json_is_array(runs) && json_array_size(runs) % 2 == 0;
}
