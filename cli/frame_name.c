// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Names frames: see frame_name.h.
#include "cli/frame_name.h"

#include "cli/message.h"

#include <stdio.h>

uint64_t frame_number(const frame_names* names, size_t frame) {
    const bool numbered = names != NULL && names->numbers != NULL && frame < names->count;
    return numbered ? names->numbers[frame] : frame;
}

// the clip of a frame; frames after the end belong to the last clip
static size_t clip_at(const frame_names* names, size_t frame) {
    size_t clip = 0;
    while (clip + 1 < names->clip_count && frame >= names->clips[clip].frame_count) {
        frame -= names->clips[clip++].frame_count;
    }
    return clip;
}

const char* frame_clip(const frame_names* names, size_t frame, char text[FRAME_TEXT_SIZE]) {
    if (names == NULL || names->clip_count == 0) {
        return NULL;
    }
    const size_t clip = clip_at(names, frame);
    const char* name = names->clips[clip].name;
    if (name[0] == '\0' && names->clip_count == 1) {
        return NULL;
    }
    if (name[0] == '\0') {
        snprintf(text, FRAME_TEXT_SIZE, "animation %zu", clip);
        return text;
    }
    return name;
}

const char* frame_label(const frame_names* names, size_t frame, char text[FRAME_TEXT_SIZE]) {
    char clip[FRAME_TEXT_SIZE];
    const unsigned long long number = frame_number(names, frame);
    if (names != NULL && names->clip_count > 1) {
        snprintf(text, FRAME_TEXT_SIZE, "%llu (%.80s)", number, frame_clip(names, frame, clip));
    } else {
        snprintf(text, FRAME_TEXT_SIZE, "%llu", number);
    }
    return text;
}

// ---- numbers

bool frame_numbers_have_gaps(const frame_names* names) {
    const size_t last = names->count - 1;
    return frame_number(names, last) - frame_number(names, 0) != last;
}

// the step between consecutive numbers, or 0 if it varies
static uint64_t even_step(const frame_names* names) {
    uint64_t step = 0;
    for (size_t i = 1; i < names->count; ++i) {
        const uint64_t next = frame_number(names, i) - frame_number(names, i - 1);
        if (step != 0 && next != step) {
            return 0;
        }
        step = next;
    }
    return names->count > 2 ? step : 0;
}

// appends the missing numbers, at most four runs of them
static void add_missing(const frame_names* names, char* text, size_t used) {
    enum { MOST_RUNS = 4 };
    int runs = 0;
    size_t after = 0;  // frames that follow a run of missing numbers
    for (size_t i = 1; i < names->count; ++i) {
        after += frame_number(names, i) != frame_number(names, i - 1) + 1;
    }
    for (size_t i = 1; i < names->count && runs < MOST_RUNS; ++i) {
        const unsigned long long low = frame_number(names, i - 1) + 1;
        const unsigned long long high = frame_number(names, i) - 1;
        if (low > high) {
            continue;
        }
        const char* between = runs == 0 ? ", without " : (size_t)runs + 1 == after ? " and " : ", ";
        used += (size_t)snprintf(text + used, FRAME_LIST_SIZE - used,
                                 low == high ? "%s%llu" : "%s%llu to %llu", between, low, high);
        ++runs;
    }
    if (after > MOST_RUNS) {
        snprintf(text + used, FRAME_LIST_SIZE - used, " and more");
    }
}

const char* frame_numbers(const frame_names* names, char text[FRAME_LIST_SIZE]) {
    const unsigned long long first = frame_number(names, 0);
    const unsigned long long last = frame_number(names, names->count - 1);
    const int used = snprintf(text, FRAME_LIST_SIZE, first == last ? "%llu" : "%llu to %llu", first,
                              last);
    if (!frame_numbers_have_gaps(names)) {
        return text;
    }
    const uint64_t step = even_step(names);
    if (step != 0) {
        snprintf(text + used, FRAME_LIST_SIZE - (size_t)used, " in steps of %llu",
                 (unsigned long long)step);
    } else {
        add_missing(names, text, (size_t)used);
    }
    return text;
}

bool frames_choose(const frame_names* names, const option_value* range, size_t* first,
                   size_t* last) {
    char text[FRAME_LIST_SIZE];
    size_t from = 0;
    size_t end = names->count;
    while (range->given && from < end && frame_number(names, from) < range->from) {
        ++from;
    }
    while (range->given && end > from && frame_number(names, end - 1) > range->to) {
        --end;
    }
    if (from == end) {
        complain("there is no such frame: %s; %s %s", range->text,
                 names->count == 1 ? "there is only" : "the frames are",
                 frame_numbers(names, text));
        return false;
    }
    *first = from;
    *last = end - 1;
    return true;
}
