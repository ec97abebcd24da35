// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of the command: a folder to work in, running the command, and a strict JSON
// reader that is independent of the command's writer.
#ifndef TEST_COMMAND_SUPPORT_H
#define TEST_COMMAND_SUPPORT_H

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/folder.h"

#define IN_FOLDER(test) \
    cmocka_unit_test_setup_teardown(test, enter_current_folder, leave_current_folder)

static inline void write_file(const char* name, const char* content) {
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static inline char* read_whole(const char* name) {
    FILE* file = fopen(name, "r");
    assert_non_null(file);
    size_t used = 0;
    size_t room = 1 << 16;
    char* text = malloc(room);
    assert_non_null(text);
    for (size_t got; (got = fread(text + used, 1, room - used - 1, file)) != 0;) {
        used += got;
        if (used + 1 == room) {
            text = realloc(text, room *= 2);
            assert_non_null(text);
        }
    }
    fclose(file);
    text[used] = '\0';
    return text;
}

// ---- running the command

typedef struct outcome {
    int code;
    char* out;
    char* err;
} outcome;

// runs `abut ARGUMENTS` in a shell; more redirections may follow the arguments
static inline outcome run(const char* arguments) {
    char command[4096];
    outcome o;
    const int length = snprintf(command, sizeof command, "exec '%s' >.out 2>.err </dev/null %s",
                                ABUT_COMMAND, arguments);
    assert_true(length < (int)sizeof command);
    const int status = system(command);
    if (!WIFEXITED(status)) {
        fail_msg("abut %s: ended by signal %d", arguments, WTERMSIG(status));
    }
    o.code = WEXITSTATUS(status);
    o.out = read_whole(".out");
    o.err = read_whole(".err");
    return o;
}

static inline void free_outcome(outcome* o) {
    free(o->out);
    free(o->err);
}

// all texts (separated by '|') must occur
static inline void assert_says(const char* arguments, const char* said, const char* texts) {
    char text[256];
    while (*texts != '\0') {
        const size_t length = strcspn(texts, "|");
        assert_true(length < sizeof text);
        memcpy(text, texts, length);
        text[length] = '\0';
        if (strstr(said, text) == NULL) {
            fail_msg("abut %s: '%s' does not say '%s'", arguments, said, text);
        }
        texts += length + (texts[length] == '|');
    }
}

static inline outcome run_expecting(const char* arguments, int code) {
    outcome o = run(arguments);
    if (o.code != code) {
        fail_msg("abut %s: exit code %d, not %d; %s", arguments, o.code, code, o.err);
    }
    return o;
}

// false: this build has no benchmarks, and says how to get them
static inline bool has_bench(void) {
    outcome o = run("bench free --list");
    const bool has = o.code == 0;
    if (!has) {
        assert_int_equal(o.code, 2);
        assert_says("bench free --list", o.err, "make bench");
    }
    free_outcome(&o);
    return has;
}

// the command must end with this code; its output is not checked
static inline void assert_exit(const char* arguments, int code) {
    outcome o = run_expecting(arguments, code);
    free_outcome(&o);
}

// the command must end with this code and print these texts (separated by '|')
static inline void assert_prints(const char* arguments, int code, const char* texts) {
    outcome o = run_expecting(arguments, code);
    assert_says(arguments, o.out, texts);
    free_outcome(&o);
}

// the same for its messages on standard error
static inline void assert_warns(const char* arguments, int code, const char* texts) {
    outcome o = run_expecting(arguments, code);
    assert_says(arguments, o.err, texts);
    free_outcome(&o);
}

// skips the present test unless this file of the public data is there
static inline void need_data(const char* name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", ABUT_SHARED_DATA, name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is missing\n", path);
        skip();
    }
}

// the command must end with code 2, print nothing to standard output, and one sentence to stderr
static inline void assert_refuses(const char* arguments, const char* texts) {
    outcome o = run_expecting(arguments, 2);
    assert_string_equal(o.out, "");
    assert_int_equal(strncmp(o.err, "abut: ", 6), 0);
    assert_ptr_equal(strchr(o.err, '\n'), o.err + strlen(o.err) - 1);
    assert_says(arguments, o.err, texts);
    free_outcome(&o);
}

// ---- JSON, as pointers into its text

static inline const char* json_space(const char* at) {
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') {
        ++at;
    }
    return at;
}

static inline const char* json_skip_string(const char* at) {
    assert_int_equal(*at, '"');
    for (++at; *at != '"'; ++at) {
        if ((unsigned char)*at < ' ') {
            fail_msg("a string of the JSON does not end");
        }
        at += *at == '\\';
    }
    return at + 1;
}

static inline const char* json_skip_number(const char* at) {
    at += *at == '-';
    assert_true(isdigit((unsigned char)*at));
    at += strspn(at, "0123456789");
    if (*at == '.') {
        assert_true(isdigit((unsigned char)*++at));
        at += strspn(at, "0123456789");
    }
    if (*at == 'e' || *at == 'E') {
        ++at;
        at += *at == '+' || *at == '-';
        assert_true(isdigit((unsigned char)*at));
        at += strspn(at, "0123456789");
    }
    return at;
}

// the end of the value at `at`; fails the test if it is not JSON
static inline const char* json_skip(const char* at) {
    const char open = *at;
    if (open == '"') {
        return json_skip_string(at);
    }
    static const char* const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (strncmp(at, words[i], strlen(words[i])) == 0) {
            return at + strlen(words[i]);
        }
    }
    if (open != '{' && open != '[') {
        return json_skip_number(at);
    }
    const char close = open == '{' ? '}' : ']';
    at = json_space(at + 1);
    if (*at == close) {
        return at + 1;
    }
    for (;;) {
        if (open == '{') {
            at = json_space(json_skip_string(at));
            assert_int_equal(*at, ':');
            at = json_space(at + 1);
        }
        at = json_space(json_skip(at));
        if (*at == close) {
            return at + 1;
        }
        assert_int_equal(*at, ',');
        at = json_space(at + 1);
    }
}

// the whole text must be one value
static inline const char* json_root(const char* text) {
    text = json_space(text);
    assert_int_equal(*json_space(json_skip(text)), '\0');
    return text;
}

// The i-th entry of a list or member of an object, whose name `key` receives; NULL behind the last.
static inline const char* json_entry(const char* value, size_t i, char key[128]) {
    const bool object = *value == '{';
    assert_true(object || *value == '[');
    const char* at = json_space(value + 1);
    for (size_t k = 0; *at != '}' && *at != ']'; ++k) {
        const char* name = at;
        if (object) {
            at = json_space(json_space(json_skip_string(at)) + 1);
        }
        if (k == i) {
            if (object && key != NULL) {
                snprintf(key, 128, "%.*s", (int)(json_skip_string(name) - name - 2), name + 1);
            }
            return at;
        }
        at = json_space(json_skip(at));
        at = *at == ',' ? json_space(at + 1) : at;
    }
    return NULL;
}

static inline size_t json_size(const char* value) {
    size_t size = 0;
    while (json_entry(value, size, NULL) != NULL) {
        ++size;
    }
    return size;
}

static inline const char* json_find(const char* object, const char* key) {
    char name[128];
    const char* value;
    for (size_t i = 0; (value = json_entry(object, i, name)) != NULL; ++i) {
        if (strcmp(name, key) == 0) {
            return value;
        }
    }
    return NULL;
}

// follows keys and indices separated by blanks, such as "frames 0 between 1 pairs"
static inline const char* json_at(const char* value, const char* path) {
    char step[128];
    const char* whole = path;
    while (*path != '\0') {
        const size_t length = strcspn(path, " ");
        snprintf(step, sizeof step, "%.*s", (int)length, path);
        value = *value == '[' ? json_entry(value, (size_t)atoi(step), NULL)
                              : json_find(value, step);
        if (value == NULL) {
            fail_msg("the JSON has no '%s' (of '%s')", step, whole);
        }
        path += length + (path[length] == ' ');
    }
    return value;
}

static inline double json_number(const char* value, const char* path) {
    return strtod(json_at(value, path), NULL);
}

static inline void assert_json_text(const char* value, const char* path, const char* text) {
    const char* at = json_at(value, path);
    const size_t length = (size_t)(json_skip_string(at) - at);
    assert_int_equal(length, strlen(text) + 2);
    assert_memory_equal(at + 1, text, strlen(text));
}

// the command must end with this code and print JSON with this number at `path`
static inline void assert_json_number(const char* arguments, int code, const char* path,
                                      double number) {
    outcome o = run_expecting(arguments, code);
    const double got = json_number(json_root(o.out), path);
    if (got != number) {
        fail_msg("abut %s: '%s' is %.17g, not %.17g", arguments, path, got, number);
    }
    free_outcome(&o);
}

// ---- meshes

// a square from (x, y, z) of side 1, cut in two, with a normal along z
static inline void write_square(const char* name, double x, double y, double z) {
    char text[512];
    snprintf(text, sizeof text,
             "v %.17g %.17g %.17g\nv %.17g %.17g %.17g\nv %.17g %.17g %.17g\nv %.17g %.17g %.17g\n"
             "f 1 2 3\nf 1 3 4\n",
             x, y, z, x + 1, y, z, x + 1, y + 1, z, x, y + 1, z);
    write_file(name, text);
}

// one triangle that crosses the square at the origin
static inline void write_crossing(const char* name) {
    write_file(name, "v 0.7 0.2 -1\nv 0.7 0.2 1\nv 0.8 0.3 1\nf 1 2 3\n");
}

// the number of triangles of a box
enum { CLOSED = 12 };

// the first `triangles` of the twelve of a box, with reversed orientation from `turned` on; numbers
// after `first`
static inline void put_box(FILE* file, const double lo[3], const double hi[3], int first,
                           int triangles, int turned) {
    static const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                     {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                     {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (int v = 0; v < 8; ++v) {
        fprintf(file, "v %.17g %.17g %.17g\n", v & 1 ? hi[0] : lo[0], v & 2 ? hi[1] : lo[1],
                v & 4 ? hi[2] : lo[2]);
    }
    for (int t = 0; t < triangles; ++t) {
        const int a = t < turned ? 1 : 2;
        fprintf(file, "f %d %d %d\n", first + faces[t][0], first + faces[t][a],
                first + faces[t][3 - a]);
    }
}

// a mesh of boxes from [0] to [1], each with its first `triangles`, reversed from `turned` on
static inline void write_boxes(const char* name, const double boxes[][2][3], int count,
                               int triangles, int turned) {
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    for (int i = 0; i < count; ++i) {
        put_box(file, boxes[i][0], boxes[i][1], 1 + 8 * i, triangles, turned);
    }
    assert_int_equal(fclose(file), 0);
}

#endif
