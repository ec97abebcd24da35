// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads parts, which are not trusted: see part.h.
#include "cli/check_options.h"
#include "cli/farm/fields.h"
#include "cli/farm/part.h"
#include "cli/farm/part_seal.h"
#include "cli/message.h"
#include "io/file.h"
#include "io/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = INT32_MAX, MOST_OBJECTS = 1 << 24 };

static bool damaged(const part* p, const char* what) {
    complain("%s is damaged: its %s cannot be read", p->path, what);
    return false;
}

// ---- the head

// the arguments of abut check: options that matter, then the objects
static bool read_words(part* p) {
    const json_t* options = json_object_get(p->root, "options");
    const json_t* objects = json_object_get(p->root, "objects");
    const size_t most = json_array_size(options) + json_array_size(objects) + 1;
    p->words = allocate(most, sizeof *p->words);
    for (size_t i = 0; i < most; ++i) {
        const size_t behind = json_array_size(options);
        const json_t* word = i < behind ? json_array_get(options, i)
                                        : json_array_get(objects, i - behind - 1);
        const char* text = i == behind ? "--" : json_string_value(word);
        if (text == NULL || text[0] == '\0' || (i < behind && strncmp(text, "--", 2) != 0)) {
            return false;
        }
        const size_t size = strlen(text) + 1;
        p->words[p->word_count++] = memcpy(allocate(size, 1), text, size);
    }
    return json_is_array(options) && json_array_size(objects) != 0;
}

static bool read_options(part* p) {
    if (!read_words(p) || !arguments_parse("check", check_options, CHECK_OPTIONS,
                                           (int)p->word_count, p->words, &p->given)) {
        return damaged(p, "options");
    }
    for (size_t i = 0; i < CHECK_OPTIONS; ++i) {
        if (p->given.values[i].given && (!part_option_matters(i) || i == CHECK_DEPTH)) {
            complain("%s is damaged: a part has no --%s", p->path, check_options[i].name);
            return false;
        }
    }
    const char* text = NULL;
    return (!p->given.help && field_text(p->root, "settings", &p->settings) &&
            field_text(p->root, "inputs", &p->inputs) && p->inputs != NULL &&
            field_text(p->root, "abut", &text) && text != NULL) ||
           damaged(p, "options");
}

static bool read_names(part* p) {
    const json_t* list = json_object_get(p->root, "names");
    const size_t count = json_array_size(list) / 2;
    if (!json_is_array(list) || json_array_size(list) % 2 != 0 || count == 0 ||
        count > MOST_OBJECTS) {
        return damaged(p, "names");
    }
    p->objects.objects = allocate(count, sizeof *p->objects.objects);
    for (size_t i = 0; i < count; ++i) {
        object* o = &p->objects.objects[p->objects.count++];
        const char* name = json_string_value(json_array_get(list, 2 * i));
        const json_t* length = json_array_get(list, 2 * i + 1);
        if (name == NULL || !json_is_integer(length) || json_integer_value(length) < 0 ||
            (size_t)json_integer_value(length) > strlen(name)) {
            return damaged(p, "names");
        }
        const size_t size = strlen(name) + 1;
        o->name = memcpy(allocate(size, 1), name, size);
        o->file_length = (size_t)json_integer_value(length);
        o->body = (uint32_t)i;
    }
    return true;
}

static bool read_numbers(part* p, size_t frames) {
    const json_t* list = json_object_get(p->root, "numbers");
    size_t filled = 0;
    if (list == NULL) {
        return true;
    }
    p->numbers = allocate(frames, sizeof *p->numbers);
    for (size_t i = 0; i + 1 < json_array_size(list); i += 2) {
        const json_int_t first = json_integer_value(json_array_get(list, i));
        const json_int_t count = json_integer_value(json_array_get(list, i + 1));
        if (first < 0 || count < 1 || (size_t)count > frames - filled ||
            first > INT64_MAX - count ||
            (filled > 0 && (uint64_t)first <= p->numbers[filled - 1])) {
            return false;
        }
        for (json_int_t k = 0; k < count; ++k) {
            p->numbers[filled++] = (uint64_t)(first + k);
        }
    }
    p->objects.names.numbers = p->numbers;
    return json_is_array(list) && json_array_size(list) % 2 == 0 && filled == frames;
}

static bool read_clips(part* p) {
    const json_t* list = json_object_get(p->root, "clips");
    const size_t count = json_array_size(list) / 2;
    p->clips = allocate(count, sizeof *p->clips);
    p->objects.names.clips = p->clips;
    for (size_t i = 0; i < count; ++i) {
        const char* name = json_string_value(json_array_get(list, 2 * i));
        const json_int_t frames = json_integer_value(json_array_get(list, 2 * i + 1));
        if (name == NULL || frames < 0 || frames > MOST_FRAMES) {
            return false;
        }
        const size_t size = strlen(name) + 1;
        p->clips[i].name = memcpy(allocate(size, 1), name, size);
        p->clips[i].frame_count = (size_t)frames;
        ++p->objects.names.clip_count;
    }
    return json_is_array(list) && json_array_size(list) % 2 == 0;
}

static bool read_frames(part* p) {
    const json_t* frames = json_object_get(p->root, "frames");
    size_t count = 0;
    uint64_t all = 0;
    if (!field_count(p->root, "frame_count", MOST_FRAMES, &all) || all == 0) {
        return damaged(p, "number of frames");
    }
    count = (size_t)all;
    p->objects.frames = p->objects.names.count = count;
    p->frame_count = json_array_size(frames);
    if (!json_is_array(frames) || !field_range(p->root, "run", count - 1, p->run) ||
        !field_range(p->root, "range", count - 1, p->range) || p->range[0] < p->run[0] ||
        p->range[1] > p->run[1] || p->frame_count > p->range[1] - p->range[0] + 1) {
        return damaged(p, "range of frames");
    }
    return (read_numbers(p, count) && read_clips(p)) || damaged(p, "names of frames");
}

static bool read_scale(part* p) {
    const bool read = field_real(p->root, "metres", &p->metres) &&
                      field_real(p->root, "diagonal", &p->diagonal) && isfinite(p->metres) &&
                      p->metres >= 0 && isfinite(p->diagonal) && p->diagonal >= 0;
    return read || damaged(p, "units");
}

// ---- the file

static bool read_head(part* p) {
    p->topologies = NULL;
    if (!read_options(p) || !read_names(p) || !read_frames(p) || !read_scale(p)) {
        return false;
    }
    p->topologies = allocate(p->objects.count, sizeof *p->topologies);
    return true;
}

static bool is_part(const json_t* root) {
    return json_integer_value(json_object_get(root, "abut_part")) == 1;
}

bool part_parse(part* p, const char* path, const char* bytes, size_t size) {
    json_error_t error;
    *p = (part){.path = path};
    p->root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    if (p->root == NULL) {
        complain("%s is not a part of a check: line %d: %s", path, error.line, error.text);
        return false;
    }
    if (!is_part(p->root)) {
        complain("%s is not a part of a check, which 'abut check --part FILE' writes", path);
        return false;
    }
    if (!seal_fits(bytes, size)) {
        complain("%s is damaged or was changed: its hash differs", path);
        return false;
    }
    return read_head(p);
}

bool part_read(part* p, const char* path) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    *p = (part){.path = path};
    io_input_note(path);
    if (!io_read_file(path, &bytes, &size, &error)) {
        complain("%s", error.message);
        return false;
    }
    const bool read = part_parse(p, path, bytes, size);
    free(bytes);
    return read;
}

void part_free(part* p) {
    for (size_t i = 0; i < p->word_count; ++i) {
        free(p->words[i]);
    }
    for (size_t i = 0; i < p->objects.count; ++i) {
        free(p->objects.objects[i].name);
    }
    for (size_t i = 0; i < p->objects.names.clip_count; ++i) {
        free(p->clips[i].name);
    }
    free(p->words);
    free(p->objects.objects);
    free(p->clips);
    free(p->numbers);
    free(p->topologies);
    arguments_free(&p->given);
    json_decref(p->root);
    *p = (part){0};
}

// ---- frames and tail

bool part_outcome(part* p, size_t i, const question* ask, size_t rule_count, outcome* out) {
    const outcome_limits limits = {.ask = ask,
                                   .object_count = p->objects.count,
                                   .rule_count = rule_count,
                                   .frame = p->range[0] + i,
                                   .topologies = i > 0 && p->has_topologies ? p->topologies : NULL};
    const json_t* frames = json_object_get(p->root, "frames");
    if (!outcome_from_json(out, json_array_get(frames, i), &limits)) {
        complain("%s is damaged: frame %zu cannot be read", p->path, limits.frame);
        return false;
    }
    memcpy(p->topologies, out->topologies, p->objects.count * sizeof *p->topologies);
    p->has_topologies = true;
    return true;
}

json_t* part_descriptions(const part* p) {
    json_t* list = json_object_get(p->root, "described");
    return json_is_array(list) ? json_incref(list) : NULL;
}

bool part_see(const part* p, baseline* known) {
    return baseline_see_json(known, json_object_get(p->root, "seen")) || damaged(p, "baseline");
}

baseline* part_baseline(const part* p, bool* failed) {
    const json_t* json = json_object_get(p->root, "baseline");
    baseline* known = json != NULL ? baseline_from_json(json) : NULL;
    *failed = json != NULL && known == NULL && !damaged(p, "baseline");
    return known;
}
