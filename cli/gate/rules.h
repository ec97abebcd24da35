// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rules about contact: --ignore A,B, --only A,B and --expect A,B. A side of a rule is a pattern for
// names of objects; one side alone stands for both.
#ifndef CLI_GATE_RULES_H
#define CLI_GATE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rule_kind {
    RULE_IGNORE = 0,
    RULE_ONLY,
    RULE_EXPECT,
} rule_kind;

typedef struct rule {
    rule_kind kind;
    const char* text;  ///< as typed, borrowed
    char* sides[2];    ///< patterns
    bool met[2];       ///< a name matches the side
} rule;

enum { MOST_RULES = 64 };

typedef struct rules {
    rule list[MOST_RULES];
    size_t count;
    uint64_t of_kind[3];  ///< a bit for each rule of the kind
} rules;

/// Which sides of which rules a name matches: a bit for each rule.
typedef struct rule_sides {
    uint64_t a;
    uint64_t b;
} rule_sides;

/// The name of an object: "file" or "file:node".
typedef struct rule_name {
    const char* whole;
    size_t file_length;  ///< of the file's name, at the start of `whole`
} rule_name;

/// The option of a kind, such as "ignore".
const char* rule_kind_name(rule_kind kind);

/// Adds a rule, "A,B" or "A"; "\," is a comma within a name. False after an error message.
bool rules_add(rules* r, rule_kind kind, const char* text);
void rules_free(rules* r);

/// The sides that an object's name matches: the whole name, the file's, with or without folders and
/// ending, or the node's. Notes the sides that have been matched.
rule_sides rules_match(rules* r, const rule_name* name);
/// The same for a name of triangles: a material, a group (one of several words) or an object of a file.
rule_sides rules_match_tag(const rules* r, const char* name);
void rules_meet_tag(rules* r, const char* name);

/// The rules that speak of contact between two names.
static inline uint64_t rules_between(rule_sides x, rule_sides y) {
    return (x.a & y.b) | (x.b & y.a);
}

/// The node, or the file's name without folders and ending, as it may stand in a rule; to be freed.
char* rule_name_short(const rule_name* name);

/// Warns of sides that match no name; `names` are what could be meant.
void rules_warn(const rules* r, const char* const* names, size_t count);

#endif
