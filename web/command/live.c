// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks single frames for a page that plays them: abut live OBJECT..., with the options of abut check. It writes a
// page without findings and leaves the objects open. Then live_frame() gives the page one frame after the other, in any
// order. viewer/src/live.js is the other side.
//
// Contact between frames and contours are left out: they come with the whole check.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_options.h"
#include "cli/check_page.h"
#include "cli/check_question.h"
#include "cli/command.h"
#include "cli/crew.h"
#include "cli/labels.h"
#include "cli/message.h"

#define PAGE "abut-live.html"

/// Imported: takes the bytes of the part NAME-NUMBER of a frame.
__attribute__((import_module("abut"), import_name("part"))) extern void give_part(
    const char* name, size_t length, uint32_t number, const void* bytes, size_t size);

static struct {
    object_list objects;
    world w;
    crew workers;
    question ask;
    size_t first;
    size_t last;
    report* page;
    findings found;
} live;

static bool open_page(const arguments* given, double fps) {
    const size_t count = live.objects.count;
    const char** names = allocate(count, sizeof *names);
    for (size_t i = 0; i < count; ++i) {
        names[i] = live.objects.objects[i].name;
    }
    char** labels = labels_make(names, count);
    live.page = check_page_open(&(check_page){.path = PAGE,
                                              .plain = given->plain,
                                              .plain_count = given->plain_count,
                                              .frames = live.last - live.first + 1,
                                              .fps = fps,
                                              .labels = (const char* const*)labels,
                                              .label_count = count});
    labels_free(labels, count);
    free(names);
    return live.page != NULL &&
           report_promise(live.page, &live.w, &live.ask, (uint32_t)live.first, (uint32_t)live.last);
}

static bool choose(const option_value* v) {
    const bool chosen = question_choose(&live.ask, v, live.objects.count, true) &&
                        frames_choose(&live.objects.names, &v[CHECK_FRAMES], &live.first,
                                      &live.last);
    live.ask.sweep = live.ask.intervals = live.ask.features = live.ask.features_self = false;
    live.ask.first = live.first;
    live.ask.names = &live.objects.names;
    return chosen;
}

static int run(const arguments* given) {
    const option_value* v = given->values;
    const double fps = chosen_fps(&v[CHECK_FPS]);
    const io_model_settings settings = {v[CHECK_ANIMATION].text, fps};
    const size_t count = given->plain_count;
    const bool found = fps > 0 && count > 0 &&
                       (v[CHECK_COMPONENTS].given ? objects_find_components : objects_find)(
                           &live.objects, given->plain, count, &settings);
    const bool open = found && choose(v) && world_open(&live.w, 1) &&
                      crew_open(&live.workers, 1, &live.objects, &live.w, given->plain, count,
                                &settings) &&
                      crew_show_first(&live.workers) &&
                      objects_show(&live.objects, &live.w, live.first) && open_page(given, fps);
    return open ? EXIT_NOTHING : EXIT_FAILED;
}

static bool take_part(void* user, const pack* p, const char* name, size_t number) {
    (void)user;
    give_part(name, strlen(name), (uint32_t)number, p->bytes, p->size);
    return true;
}

/// Exported: gives the frame at a place of the page, with its findings if `asks`. Returns 0, or 2 after an error
/// message.
__attribute__((export_name("live_frame"))) int live_frame(uint32_t place, int asks);
int live_frame(uint32_t place, int asks) {
    const part_sink page = {take_part, NULL};
    const question nothing = {.names = &live.objects.names};
    const size_t frame = live.first + place;
    if (live.page == NULL || place > live.last - live.first) {
        return EXIT_FAILED;
    }
    live.found.count = 0;
    const bool done = asks != 0 ? crew_ask(&live.workers, frame, frame, &live.ask) == 1
                                : objects_show(&live.objects, &live.w, frame);
    if (done && asks != 0) {
        findings_take(&live.found, &live.w, &live.ask);
    }
    return done && report_give(live.page, &live.w, asks != 0 ? &live.ask : &nothing, place,
                               (uint32_t)frame, &live.found, &page)
               ? EXIT_NOTHING
               : EXIT_FAILED;
}

const command live_command = {
    .name = "live",
    .summary = "check single frames for a page that plays them",
    .usage = "live OBJECT... [OPTION...]",
    .about = "Leaves the objects open for live_frame().",
    .extends = &check_command,
    .examples = "",
    .exits = "",
    .run = run,
};
