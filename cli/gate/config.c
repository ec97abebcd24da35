// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds and reads the settings of a project: see config.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/gate/config.h"

#include "cli/message.h"
#include "io/file.h"
#include "io/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char FILE_NAME[] = ".abut.toml";

// options that a file may set; none of them names an output
static const char* const ALLOWED[] = {
    "between",    "self",    "neighbours", "sweep",  "margin",    "nearest",  "within", "depth",
    "components", "each",    "ignore",     "only",   "expect",    "baseline", "by",     "events",
    "intervals",  "fail-if", "units",      "frames", "animation", "fps"};
enum { ALLOWED_COUNT = sizeof ALLOWED / sizeof *ALLOWED };

// ---- finding the file

enum { MOST_FOLDERS = 64, PATH_ROOM = 3 * MOST_FOLDERS + 32 };

static bool exists(size_t up, const char* name, char path[PATH_ROOM]) {
    size_t used = 0;
    for (size_t i = 0; i < up; ++i) {
        used += (size_t)snprintf(path + used, PATH_ROOM - used, "../");
    }
    snprintf(path + used, PATH_ROOM - used, "%s", name);
    return access(path, F_OK) == 0;
}

// the closest file, up to the folder of the project; the caller frees it; NULL if there is none
static char* find_file(void) {
    char path[PATH_ROOM];
    char other[PATH_ROOM];
    size_t root = 0;
    while (root < MOST_FOLDERS && !exists(root, ".git", other)) {
        ++root;
    }
    root = root == MOST_FOLDERS ? 0 : root;  // outside a project only the present folder counts
    for (size_t up = 0; up <= root; ++up) {
        if (exists(up, FILE_NAME, path)) {
            return memcpy(allocate(strlen(path) + 1, 1), path, strlen(path) + 1);
        }
    }
    return NULL;
}

// ---- parsing

typedef struct parser {
    config* out;
    const char* at;
    const char* end;
    size_t line;
    char* text;  // the last string
    size_t length;
} parser;

static bool fail(const parser* p, const char* what) {
    complain("%s: line %zu: %s", p->out->path, p->line, what);
    return false;
}

static bool at_end(const parser* p) {
    return p->at == p->end;
}

// skips blanks and comments; with `lines` also ends of lines
static void skip(parser* p, bool lines) {
    while (!at_end(p) && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '#' ||
                          (lines && *p->at == '\n'))) {
        p->line += *p->at == '\n';
        if (*p->at == '#') {
            while (!at_end(p) && *p->at != '\n') {
                ++p->at;
            }
        } else {
            ++p->at;
        }
    }
}

static void put(parser* p, char c) {
    p->text = reallocate(p->text, p->length + 2, 1);
    p->text[p->length++] = c;
    p->text[p->length] = '\0';
}

static bool put_escape(parser* p) {
    static const char codes[] = "\"\\nt";
    static const char values[] = "\"\\\n\t";
    const char* found = at_end(p) || *p->at == '\0' ? NULL : strchr(codes, *p->at);
    if (found == NULL) {
        return fail(p, "the escapes of a string are \\\", \\\\, \\n and \\t; '...' has none");
    }
    put(p, values[found - codes]);
    ++p->at;
    return true;
}

// a string in " or '
static bool read_string(parser* p) {
    const char quote = *p->at++;
    p->length = 0;
    put(p, '\0');
    p->length = 0;
    while (!at_end(p) && *p->at != quote && *p->at != '\n' && *p->at != '\0') {
        const char c = *p->at++;
        if (c == '\\' && quote == '"') {
            if (!put_escape(p)) {
                return false;
            }
        } else {
            put(p, c);
        }
    }
    if (at_end(p) || *p->at != quote) {
        return fail(p, "a string does not end");
    }
    ++p->at;
    return true;
}

// a number, true or false, as its text
static bool read_plain(parser* p) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
    p->length = 0;
    while (!at_end(p) && *p->at != '\0' && strchr(letters, *p->at) != NULL) {
        put(p, *p->at++);
    }
    return p->length != 0 ||
           fail(p, "a string in quotation marks, a number, true, false or a list is expected");
}

// appends --key=value, or --key; a path is relative to the folder of the file
static void append(parser* p, const char* key, const char* value) {
    config* c = p->out;
    const char* slash = strrchr(c->path, '/');
    const bool is_path = value != NULL && strcmp(key, "baseline") == 0 &&
                         strcmp(value, "rest") != 0 && value[0] != '/' &&
                         value[strspn(value, "0123456789")] != '\0';
    const int folder = is_path && slash != NULL ? (int)(slash + 1 - c->path) : 0;
    const size_t room = strlen(key) + (value != NULL ? strlen(value) : 0) + (size_t)folder + 8;
    char* word = allocate(room, 1);
    if (value != NULL) {
        snprintf(word, room, "--%s=%.*s%s", key, folder, c->path, value);
    } else {
        snprintf(word, room, "--%s", key);
    }
    c->words = reallocate(c->words, c->count + 1, sizeof *c->words);
    c->words[c->count++] = word;
}

static bool read_list(parser* p, const char* key) {
    for (++p->at;;) {
        skip(p, true);
        if (!at_end(p) && *p->at == ']') {
            ++p->at;
            return true;
        }
        if (at_end(p) || (*p->at != '"' && *p->at != '\'')) {
            return fail(p, "a list of strings is expected, such as [\"shirt,body\"]");
        }
        if (!read_string(p)) {
            return false;
        }
        append(p, key, p->text);
        skip(p, true);
        if (!at_end(p) && *p->at == ',') {
            ++p->at;
        } else if (at_end(p) || *p->at != ']') {
            return fail(p, "a comma or ] is expected");
        }
    }
}

static bool read_value(parser* p, const char* key) {
    if (!at_end(p) && *p->at == '[') {
        return read_list(p, key);
    }
    if (!at_end(p) && (*p->at == '"' || *p->at == '\'')) {
        if (!read_string(p)) {
            return false;
        }
        append(p, key, p->text);
        return true;
    }
    if (!read_plain(p)) {
        return false;
    }
    if (strcmp(p->text, "true") == 0) {
        append(p, key, NULL);
    } else if (strcmp(p->text, "false") != 0) {
        append(p, key, p->text);
    }
    return true;
}

static bool fail_key(const parser* p, const char* key) {
    char text[160];
    const char* near = nearest_word(key, ALLOWED, ALLOWED_COUNT);
    snprintf(text, sizeof text,
             near != NULL ? "'%.60s' cannot be set here; did you mean %s?"
                          : "'%.60s' cannot be set here",
             key, near);
    return fail(p, text);
}

static bool read_setting(parser* p) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    char key[64];
    size_t length = 0;
    bool known = false;
    while (!at_end(p) && *p->at != '\0' && strchr(letters, *p->at) != NULL &&
           length + 1 < sizeof key) {
        key[length++] = *p->at++;
    }
    key[length] = '\0';
    for (size_t i = 0; i < ALLOWED_COUNT; ++i) {
        known = known || strcmp(key, ALLOWED[i]) == 0;
    }
    if (length == 0) {
        return fail(p, "the name of an option is expected, such as fail-if = \"depth > 1%\"");
    }
    if (!known) {
        return fail_key(p, key);
    }
    skip(p, false);
    if (at_end(p) || *p->at != '=') {
        return fail(p, "= is expected");
    }
    ++p->at;
    skip(p, false);
    return read_value(p, key);
}

static bool read_table(parser* p) {
    const size_t length = strlen("[check]");
    if ((size_t)(p->end - p->at) < length || strncmp(p->at, "[check]", length) != 0) {
        return fail(p, "the only table is [check]");
    }
    p->at += length;
    return true;
}

static bool parse(parser* p) {
    for (;;) {
        skip(p, true);
        if (at_end(p)) {
            return true;
        }
        if (!(*p->at == '[' ? read_table(p) : read_setting(p))) {
            return false;
        }
        skip(p, false);
        if (!at_end(p) && *p->at != '\n') {
            return fail(p, "the end of the line is expected");
        }
    }
}

// ---- merging

// the settings first; of others the command line counts
static void merge(config* c, const arguments* given) {
    c->merged = *given;
    for (size_t i = 0; i < c->option_count; ++i) {
        option_value* to = &c->merged.values[i];
        const option_value* set = &c->parsed.values[i];
        if (set->given && !to->given) {
            *to = *set;
        } else if (set->given && c->options[i].kind == OPTION_LIST) {
            const char** all = allocate(set->count + to->count, sizeof *all);
            memcpy(all, set->texts, set->count * sizeof *all);
            memcpy(all + set->count, to->texts, to->count * sizeof *all);
            free(c->parsed.values[i].texts);
            c->parsed.values[i].texts = all;  // owns the list
            to->texts = all;
            to->count += set->count;
        }
    }
}

bool config_parse(config* c, const char* path, const char* bytes, size_t size) {
    if (c->path == NULL) {
        c->path = memcpy(allocate(strlen(path) + 1, 1), path, strlen(path) + 1);
    }
    parser p = {.out = c, .at = bytes, .end = bytes + size, .line = 1};
    const bool done = parse(&p);
    free(p.text);
    return done;
}

static bool read_file(config* c) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    io_input_note(c->path);
    if (!io_read_file(c->path, &bytes, &size, &error)) {
        complain("%s", error.message);
        return false;
    }
    const bool done = config_parse(c, c->path, bytes, size);
    free(bytes);
    return done;
}

bool config_read(config* c, const option_value* given, const char* command,
                 const option_spec* options, size_t option_count, const arguments* from) {
    const bool none = given->given && strcmp(given->text, "none") == 0;
    c->options = options;
    c->option_count = option_count;
    c->merged = *from;
    if (none) {
        return true;
    }
    if (given->given) {
        c->path = memcpy(allocate(strlen(given->text) + 1, 1), given->text,
                         strlen(given->text) + 1);
    } else {
        c->path = find_file();
    }
    if (c->path == NULL) {
        return true;
    }
    if (!read_file(c)) {
        return false;
    }
    if (!arguments_parse(command, options, option_count, (int)c->count, c->words, &c->parsed)) {
        warn("the setting above is from %s", c->path);
        return false;
    }
    merge(c, from);
    return true;
}

void config_free(config* c) {
    for (size_t i = 0; i < c->count; ++i) {
        free(c->words[i]);
    }
    free(c->words);
    arguments_free(&c->parsed);
    free(c->path);
    *c = (config){0};
}
