// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes the report of merged parts: see merge_page.h.
#include "cli/farm/merge_page.h"

#include "cli/check_job.h"
#include "cli/check_options.h"
#include "cli/message.h"

#include <stdio.h>

bool merge_page(const part* p, const char* path) {
    arguments given = p->given;
    char frames[64];
    const frame_names* names = &p->objects.names;
    const unsigned long long first = frame_number(names, p->run[0]);
    const unsigned long long last = frame_number(names, p->run[1]);
    snprintf(frames, sizeof frames, "%llu:%llu", first, last);
    given.values[CHECK_HTML] = (option_value){.given = true, .text = path};
    given.values[CHECK_QUIET] = (option_value){.given = true};
    given.values[CHECK_FRAMES] = (option_value){
        .given = true, .text = frames, .from = first, .to = last};
    check_shared all = {.settings = p->settings, .html_path = path, .expected_inputs = p->inputs};
    bool done = check_scene(&all, &given, 1) != EXIT_FAILED;
    done = (!all.open || shared_close(&all)) && done;
    shared_drop(&all);
    return done;
}
