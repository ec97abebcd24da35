// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Parses rules and matches names with them: see rules.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/gate/rules.h"

#include "cli/message.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const char* rule_kind_name(rule_kind kind) {
    static const char* const names[] = {"ignore", "only", "expect"};
    return names[kind];
}

// the end of a side: a comma without a backslash before it, or the end of the text
static const char* side_end(const char* at) {
    while (*at != '\0' && *at != ',') {
        at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    }
    return at;
}

// copies a side; "\," becomes a comma, other backslashes belong to the pattern
static char* copy_side(const char* at, const char* end) {
    char* side = allocate((size_t)(end - at) + 1, 1);
    size_t used = 0;
    for (; at < end; ++at) {
        if (at[0] == '\\' && at + 1 < end && at[1] != ',') {
            side[used++] = *at++;
        } else if (at[0] == '\\' && at + 1 < end) {
            ++at;
        }
        side[used++] = *at;
    }
    side[used] = '\0';
    return side;
}

bool rules_add(rules* r, rule_kind kind, const char* text) {
    const char* first = side_end(text);
    const char* second = *first == ',' ? first + 1 : text;
    const char* end = side_end(second);
    if (first == text || end == second || (*first == ',' && *end == ',')) {
        complain(
            "--%s needs two names, such as shirt,body, or one for contact with itself, not '%s' "
            "(a comma within a name is \\,)",
            rule_kind_name(kind), text);
        return false;
    }
    if (r->count == MOST_RULES) {
        complain("there are more than %d rules; patterns such as 'cloth*' make one of many",
                 MOST_RULES);
        return false;
    }
    r->of_kind[kind] |= UINT64_C(1) << r->count;
    r->list[r->count++] = (rule){
        .kind = kind, .text = text, .sides = {copy_side(text, first), copy_side(second, end)}};
    return true;
}

void rules_free(rules* r) {
    for (size_t i = 0; i < r->count; ++i) {
        free(r->list[i].sides[0]);
        free(r->list[i].sides[1]);
    }
    *r = (rules){0};
}

// a name also matches itself, whatever characters of patterns it has
static bool matches(const char* pattern, const char* name) {
    return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

static rule_sides sides_of(const rules* r, const char* name) {
    rule_sides found = {0, 0};
    for (size_t i = 0; i < r->count; ++i) {
        found.a |= (uint64_t)matches(r->list[i].sides[0], name) << i;
        found.b |= (uint64_t)matches(r->list[i].sides[1], name) << i;
    }
    return found;
}

static void meet(rules* r, rule_sides found) {
    for (size_t i = 0; i < r->count; ++i) {
        r->list[i].met[0] |= (found.a >> i & 1) != 0;
        r->list[i].met[1] |= (found.b >> i & 1) != 0;
    }
}

static void add_sides(rules* r, const char* name, rule_sides* found) {
    const rule_sides more = sides_of(r, name);
    meet(r, more);
    found->a |= more.a;
    found->b |= more.b;
}

rule_sides rules_match_tag(const rules* r, const char* name) {
    rule_sides found = {0, 0};
    if (name[0] == '\0') {
        return found;
    }
    found = sides_of(r, name);
    char* words = memcpy(allocate(strlen(name) + 1, 1), name, strlen(name) + 1);
    char* rest = NULL;
    for (char* word = strtok_r(words, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        const rule_sides more = sides_of(r, word);
        found.a |= more.a;
        found.b |= more.b;
    }
    free(words);
    return found;
}

void rules_meet_tag(rules* r, const char* name) {
    meet(r, rules_match_tag(r, name));
}

// cuts the ending, and that of gzip before it
static void cut_ending(char* name) {
    for (int i = 0; i < 2; ++i) {
        char* dot = strrchr(name, '.');
        if (dot == NULL || dot == name || strchr(dot, '/') != NULL) {
            return;
        }
        const bool packed = strcmp(dot, ".gz") == 0;
        *dot = '\0';
        if (!packed) {
            return;
        }
    }
}

static char* copy_file(const rule_name* name) {
    char* file = allocate(name->file_length + 1, 1);
    memcpy(file, name->whole, name->file_length);
    file[name->file_length] = '\0';
    return file;
}

static char* without_folders(char* file) {
    char* slash = strrchr(file, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : file;
}

char* rule_name_short(const rule_name* name) {
    if (name->whole[name->file_length] == ':') {
        const char* node = name->whole + name->file_length + 1;
        return memcpy(allocate(strlen(node) + 1, 1), node, strlen(node) + 1);
    }
    char* file = copy_file(name);
    const char* last = without_folders(file);
    memmove(file, last, strlen(last) + 1);
    cut_ending(file);
    return file;
}

rule_sides rules_match(rules* r, const rule_name* name) {
    rule_sides found = {0, 0};
    char* file = copy_file(name);
    char* last = without_folders(file);
    add_sides(r, name->whole, &found);
    add_sides(r, file, &found);
    add_sides(r, last, &found);
    cut_ending(last);
    add_sides(r, last, &found);
    add_sides(r, file, &found);
    if (name->whole[name->file_length] == ':') {
        add_sides(r, name->whole + name->file_length + 1, &found);
    }
    free(file);
    return found;
}

void rules_warn(const rules* r, const char* const* names, size_t count) {
    for (size_t i = 0; i < r->count; ++i) {
        const rule* at = &r->list[i];
        const int missing = !at->met[0] ? 0 : !at->met[1] ? 1 : -1;
        if (missing < 0) {
            continue;
        }
        const char* near = nearest_word(at->sides[missing], names, count);
        if (near != NULL) {
            warn("--%s %s matches nothing: no name matches '%s'; did you mean '%s'?",
                 rule_kind_name(at->kind), at->text, at->sides[missing], near);
        } else {
            warn("--%s %s matches nothing: no name matches '%s'", rule_kind_name(at->kind),
                 at->text, at->sides[missing]);
        }
    }
}
