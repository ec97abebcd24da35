// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes and compares the heads of parts: see part.h.
#include "cli/check_options.h"
#include "cli/farm/fields.h"
#include "cli/farm/part.h"
#include "cli/json.h"
#include "cli/message.h"

#include <abut/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool part_option_matters(size_t option) {
    static const bool other[CHECK_OPTIONS] = {
        [CHECK_EACH] = true,     [CHECK_WRITE_BASELINE] = true,
        [CHECK_CONFIG] = true,   [CHECK_FRAMES] = true,
        [CHECK_JSON] = true,     [CHECK_JSON_LINES] = true,
        [CHECK_JUNIT] = true,    [CHECK_SARIF] = true,
        [CHECK_MARKDOWN] = true, [CHECK_CSV] = true,
        [CHECK_VTK] = true,      [CHECK_HTML] = true,
        [CHECK_QUIET] = true,    [CHECK_VERBOSE] = true,
        [CHECK_JOBS] = true,     [CHECK_THREADS] = true,
        [CHECK_NO_CACHE] = true, [CHECK_PART] = true,
        [CHECK_RESUME] = true,   [CHECK_PICTURES] = true,
    };
    return !other[option];
}

// ---- making

static void append_word(json_t* list, const char* name, const char* value) {
    const size_t room = strlen(name) + (value != NULL ? strlen(value) : 0) + 8;
    char* word = allocate(room, 1);
    snprintf(word, room, value != NULL ? "--%s=%s" : "--%s", name, value);
    json_array_append_new(list, json_text(word));
    free(word);
}

// options that matter, as arguments
static json_t* words_of(const part_subject* of) {
    json_t* list = json_array();
    for (size_t i = 0; i < CHECK_OPTIONS; ++i) {
        const option_value* v = &of->given->values[i];
        const option_spec* spec = &check_options[i];
        // reports measure contact, too
        const bool given = v->given || (i == CHECK_EVENTS && of->gate->tells);
        if (!given || !part_option_matters(i)) {
            continue;
        }
        if (spec->kind == OPTION_FLAG) {
            append_word(list, spec->name, NULL);
        } else if (spec->kind != OPTION_LIST) {
            append_word(list, spec->name, v->text);
        }
        for (size_t k = 0; k < v->count; ++k) {
            append_word(list, spec->name, v->texts[k]);
        }
    }
    return list;
}

static json_t* objects_given(const part_subject* of) {
    json_t* list = json_array();
    for (size_t i = 0; i < of->given->plain_count; ++i) {
        json_array_append_new(list, json_text(of->given->plain[i]));
    }
    return list;
}

static json_t* names_of(const object_list* objects) {
    json_t* list = json_array();
    for (size_t i = 0; i < objects->count; ++i) {
        json_array_append_new(list, json_text(objects->objects[i].name));
        json_array_append_new(list, json_count(objects->objects[i].file_length));
    }
    return list;
}

// runs of consecutive numbers: the first, and how many
static json_t* numbers_of(const frame_names* names) {
    json_t* list = json_array();
    for (size_t i = 0; i < names->count;) {
        size_t end = i + 1;
        while (end < names->count && names->numbers[end] == names->numbers[i] + (end - i)) {
            ++end;
        }
        json_array_append_new(list, json_count(names->numbers[i]));
        json_array_append_new(list, json_count(end - i));
        i = end;
    }
    return list;
}

static json_t* clips_of(const frame_names* names) {
    json_t* list = json_array();
    for (size_t i = 0; i < names->clip_count; ++i) {
        json_array_append_new(list, json_text(names->clips[i].name));
        json_array_append_new(list, json_count(names->clips[i].frame_count));
    }
    return list;
}

static json_t* range_of(const size_t range[2]) {
    return json_pack("[I, I]", (json_int_t)range[0], (json_int_t)range[1]);
}

// JSON holds UTF-8 only, and a name that is changed would change outputs
static bool is_text(const char* text) {
    json_t* json = json_string(text);
    json_decref(json);
    if (json == NULL) {
        complain("a part cannot hold the name '%s', which is not UTF-8", text);
    }
    return json != NULL;
}

static bool are_texts(const part_subject* of) {
    bool fit = of->gate->given.settings == NULL || is_text(of->gate->given.settings);
    for (size_t i = 0; i < of->given->plain_count && fit; ++i) {
        fit = is_text(of->given->plain[i]);
    }
    for (size_t i = 0; i < CHECK_OPTIONS && fit; ++i) {
        const option_value* v = &of->given->values[i];
        fit = v->text == NULL || is_text(v->text);
        for (size_t k = 0; k < v->count && fit; ++k) {
            fit = is_text(v->texts[k]);
        }
    }
    return fit;
}

json_t* part_head(const part_subject* of) {
    const frame_names* names = &of->objects->names;
    if (!are_texts(of)) {
        return NULL;
    }
    json_t* head = json_object();
    json_object_set_new(head, "abut_part", json_integer(1));
    json_object_set_new(head, "abut", json_text(ABUT_VERSION_STRING));
    json_object_set_new(head, "inputs", json_text(of->inputs));
    json_object_set_new(head, "objects", objects_given(of));
    json_object_set_new(head, "options", words_of(of));
    if (of->gate->given.settings != NULL) {
        json_object_set_new(head, "settings", json_text(of->gate->given.settings));
    }
    json_object_set_new(head, "frame_count", json_count(names->count));
    json_object_set_new(head, "run", range_of(of->run));
    json_object_set_new(head, "range", range_of(of->range));
    if (names->numbers != NULL) {
        json_object_set_new(head, "numbers", numbers_of(names));
    }
    json_object_set_new(head, "clips", clips_of(names));
    json_object_set_new(head, "names", names_of(of->objects));
    json_object_set_new(head, "metres", real_json(of->gate->scale.metres));
    json_object_set_new(head, "diagonal", real_json(of->gate->scale.diagonal));
    if (of->gate->known != NULL) {
        json_object_set_new(head, "baseline", baseline_to_json(of->gate->known));
    }
    return head;
}

// ---- comparing

static bool has_text(const json_t* list, const json_t* text) {
    for (size_t i = 0; i < json_array_size(list); ++i) {
        if (json_equal(json_array_get(list, i), text) == 1) {
            return true;
        }
    }
    return false;
}

// an option that only one of two lists has; NULL if only their order differs
static const char* odd_option(const json_t* x, const json_t* y) {
    for (size_t i = 0; i < json_array_size(x); ++i) {
        if (!has_text(y, json_array_get(x, i))) {
            return json_string_value(json_array_get(x, i));
        }
    }
    return NULL;
}

static bool complain_of_options(const json_t* x, const json_t* y, const char* const names[2]) {
    const char* only_x = odd_option(x, y);
    const char* only_y = odd_option(y, x);
    const char* option = only_x != NULL ? only_x : only_y;
    complain("%s was made with other options than %s%s%s%s%s", names[0],
             names[1] != NULL ? names[1] : "this run", option != NULL ? ": only " : "",
             option == NULL     ? ""
             : only_x != NULL   ? names[0]
             : names[1] != NULL ? names[1]
                                : "this run",
             option != NULL ? " has " : "", option != NULL ? option : "");
    return false;
}

bool part_same_run(const json_t* x, const json_t* y, const char* const names[2]) {
    static const struct {
        const char* key;
        const char* what;
    } all[] = {{"abut", "by another version of abut than"},
               {"objects", "of other objects than"},
               {"inputs", "of other inputs than"},
               {"settings", "with other settings than"},
               {"frame_count", "of another number of frames than"},
               {"run", "for other frames than"},
               {"numbers", "of other frame numbers than"},
               {"clips", "of other animations than"},
               {"names", "of other objects than"},
               {"metres", "with other units than"},
               {"diagonal", "of another first frame than"},
               {"baseline", "with another baseline than"}};
    const json_t* options[2] = {json_object_get(x, "options"), json_object_get(y, "options")};
    if (json_equal(options[0], options[1]) != 1) {
        return complain_of_options(options[0], options[1], names);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        const json_t* a = json_object_get(x, all[i].key);
        const json_t* b = json_object_get(y, all[i].key);
        if (a != b && json_equal(a, b) != 1) {
            complain("%s was made %s %s", names[0], all[i].what,
                     names[1] != NULL ? names[1] : "this run");
            return false;
        }
    }
    return true;
}
