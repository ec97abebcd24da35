// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Parses the arguments of a command: see options.h.
#include "cli/options.h"

#include "cli/message.h"
#include "io/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const char* command;
    const option_spec* options;
    size_t option_count;
    arguments* out;
} parser;

static bool parse_whole(const char** at, uint32_t* out) {
    int64_t value = 0;
    if (**at == '-' || **at == '+' || !io_read_integer(at, *at + strlen(*at), &value) ||
        value < 1 || value > INT32_MAX) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

// frame numbers come from file names and may be large
static bool parse_frame(const char** at, uint64_t* out) {
    int64_t value = 0;
    if (**at == '-' || **at == '+' || !io_read_integer(at, *at + strlen(*at), &value) ||
        value == INT64_MAX) {  // the reader clamps larger numbers
        return false;
    }
    *out = (uint64_t)value;
    return true;
}

static bool parse_range(const char* text, option_value* value) {
    const char* at = text;
    value->from = 0;
    value->to = UINT64_MAX;
    if (*at != ':' && !parse_frame(&at, &value->from)) {
        return false;
    }
    if (*at == '\0') {
        value->to = value->from;  // a single one
        return true;
    }
    if (*at++ != ':' || (*at == '\0' && text[0] == ':')) {
        return false;
    }
    if (*at == '\0') {
        return true;
    }
    return parse_frame(&at, &value->to) && *at == '\0' && value->from <= value->to;
}

static void append_text(option_value* value, const char* text) {
    value->texts = reallocate(value->texts, value->count + 1, sizeof *value->texts);
    value->texts[value->count++] = text;
}

static bool parse_value(const option_spec* option, const char* text, option_value* value) {
    const char* at = text;
    const char* end = text + strlen(text);
    value->text = text;
    if (option->kind == OPTION_LIST) {
        append_text(value, text);
    }
    switch (option->kind) {
        case OPTION_FLAG:
        case OPTION_TEXT:
        case OPTION_LIST:
            if (text[0] != '\0') {
                return true;
            }
            complain("--%s needs a %s, but the value is empty", option->name, option->value);
            return false;
        case OPTION_WHOLE:
            if (parse_whole(&at, &value->first) && at == end) {
                return true;
            }
            complain("--%s needs a whole number from 1 to %d, not '%s'", option->name, INT32_MAX,
                     text);
            return false;
        case OPTION_NUMBER:
            if (io_read_double(&at, end, &value->number) == IO_NUMBER_OK && at == end &&
                value->number >= 0) {
                return true;
            }
            complain("--%s needs a number that is 0 or larger, such as 0.01, not '%s'",
                     option->name, text);
            return false;
        case OPTION_RANGE:
            if (parse_range(text, value)) {
                return true;
            }
            complain(
                "--%s needs A:B, the numbers of two frames, the smaller first (A:, :B and a single "
                "A are allowed), not '%s'",
                option->name, text);
            return false;
    }
    return false;
}

static const option_spec* find_option(const parser* p, const char* name, size_t length) {
    for (size_t i = 0; i < p->option_count; ++i) {
        if (strncmp(p->options[i].name, name, length) == 0 && p->options[i].name[length] == '\0') {
            return &p->options[i];
        }
    }
    return NULL;
}

static bool fail_unknown(const parser* p, const char* argument) {
    const char* words[MOST_OPTIONS + 1] = {"help"};
    char name[64];
    for (size_t i = 0; i < p->option_count; ++i) {
        words[i + 1] = p->options[i].name;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    const char* near = nearest_word(name, words, p->option_count + 1);
    if (near != NULL) {
        complain("'%s' is not an option of 'abut %s'; did you mean --%s?", argument, p->command,
                 near);
    } else {
        complain("'%s' is not an option of 'abut %s'; 'abut help %s' lists them", argument,
                 p->command, p->command);
    }
    return false;
}

// parses --name, --name VALUE or --name=VALUE; `next` is the next argument or NULL
static bool parse_option(const parser* p, const char* argument, const char* next, bool* took_next) {
    const size_t length = strcspn(argument + 2, "=");
    const char* equals = argument[2 + length] == '=' ? argument + 3 + length : NULL;
    const option_spec* option = find_option(p, argument + 2, length);
    if (option == NULL) {
        return fail_unknown(p, argument);
    }
    option_value* value = &p->out->values[option - p->options];
    const bool repeats = option->kind == OPTION_FLAG || option->kind == OPTION_LIST;
    if (value->given && !repeats) {
        complain("--%s is given twice; it takes one %s", option->name, option->value);
        return false;
    }
    value->given = true;
    if (option->kind == OPTION_FLAG) {
        if (equals != NULL) {
            complain("--%s takes no value", option->name);
        }
        return equals == NULL;
    }
    if (equals != NULL) {
        return parse_value(option, equals, value);
    }
    if (next == NULL || strncmp(next, "--", 2) == 0) {
        complain("--%s needs a value: --%s %s", option->name, option->name, option->value);
        return false;
    }
    *took_next = true;
    return parse_value(option, next, value);
}

bool arguments_parse(const char* command, const option_spec* options, size_t option_count, int argc,
                     char** argv, arguments* out) {
    const parser p = {command, options, option_count, out};
    *out = (arguments){.plain = allocate((size_t)argc + 1, sizeof *out->plain)};
    bool only_plain = false;  // after "--"
    for (int i = 0; i < argc; ++i) {
        const char* argument = argv[i];
        bool took_next = false;
        if (only_plain || argument[0] != '-' || argument[1] == '\0') {
            out->plain[out->plain_count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            only_plain = true;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            out->help = true;
        } else if (strcmp(argument, "-o") == 0 && find_option(&p, "output", 6) != NULL) {
            if (!parse_option(&p, "--output", i + 1 < argc ? argv[i + 1] : NULL, &took_next)) {
                return false;
            }
        } else if (argument[1] != '-') {
            complain(
                "'%s' is not an option of 'abut %s': options have two dashes and full names; "
                "'abut help %s' lists them",
                argument, command, command);
            return false;
        } else if (!parse_option(&p, argument, i + 1 < argc ? argv[i + 1] : NULL, &took_next)) {
            return false;
        }
        i += took_next;
    }
    return true;
}

void arguments_free(arguments* given) {
    for (size_t i = 0; i < MOST_OPTIONS; ++i) {
        free(given->values[i].texts);
    }
    free(given->plain);
    *given = (arguments){0};
}
