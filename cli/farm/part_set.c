// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes one run of parts: see part_set.h.
#include "cli/farm/part_set.h"

#include "cli/check_options.h"
#include "cli/check_question.h"
#include "cli/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- order

static int compare(const void* x, const void* y) {
    const part* p = x;
    const part* q = y;
    return p->range[0] != q->range[0] ? (p->range[0] < q->range[0] ? -1 : 1)
                                      : (p->range[1] > q->range[1]) - (p->range[1] < q->range[1]);
}

// frames by their numbers, such as "frame 7 is" or "frames 3 to 7 are"
static const char* frames_text(const part* p, size_t first, size_t last, char text[96]) {
    const unsigned long long from = frame_number(&p->objects.names, first);
    const unsigned long long to = frame_number(&p->objects.names, last);
    snprintf(text, 96, first == last ? "frame %llu is" : "frames %llu to %llu are", from, to);
    return text;
}

static bool is_complete(const part* p) {
    char text[96];
    if (part_end(p) <= p->range[1]) {
        complain("%s was interrupted: %s missing; 'abut check --resume %s' continues it", p->path,
                 frames_text(p, part_end(p), p->range[1], text), p->path);
        return false;
    }
    return true;
}

static bool complain_of_gap(const part* p, size_t first, size_t last) {
    char text[96];
    complain("%s in no part", frames_text(p, first, last, text));
    return false;
}

bool part_set_order(part* parts, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const char* const names[2] = {parts[i].path, parts[0].path};
        if (!part_same_run(parts[i].root, parts[0].root, names)) {
            return false;
        }
    }
    qsort(parts, count, sizeof *parts, compare);
    for (size_t i = 0; i < count; ++i) {
        const part* p = &parts[i];
        const size_t expected = i == 0 ? p->run[0] : p[-1].range[1] + 1;
        char text[96];
        if (p->range[0] < expected) {
            const size_t last = p->range[1] < expected - 1 ? p->range[1] : expected - 1;
            complain("%s in two parts, %s and %s", frames_text(p, p->range[0], last, text),
                     p[-1].path, p->path);
            return false;
        }
        if (p->range[0] > expected) {
            return complain_of_gap(p, expected, p->range[0] - 1);
        }
        if (!is_complete(p)) {
            return false;
        }
    }
    const part* end = &parts[count - 1];
    return end->range[1] == end->run[1] || complain_of_gap(end, end->range[1] + 1, end->run[1]);
}

// ---- outputs

typedef struct merger {
    part* parts;
    size_t count;
    question ask;
    gate gate;
    check_outputs out;
} merger;

static bool read_gate(merger* m, const check_shared* all) {
    const part* first = &m->parts[0];
    const option_value* v = first->given.values;
    bool failed = false;
    gate_options asked = check_gate_options(v, chosen_fps(&v[CHECK_FPS]));
    asked.settings = all->settings;
    asked.metres = first->metres;
    asked.diagonal = first->diagonal;
    asked.known = part_baseline(first, &failed);
    // a damaged part may lack what its options need
    if (!failed && v[CHECK_BASELINE].given != (asked.known != NULL)) {
        failed = complain("%s is damaged: its baseline is missing", first->path) != 0;
    }
    if (failed || !gate_read(&m->gate, &asked)) {
        if (m->gate.known == NULL) {
            baseline_free(asked.known);
        }
        return false;
    }
    return true;
}

static bool open_merger(merger* m, const part_set_wishes* wishes) {
    part* first = &m->parts[0];
    const option_value* v = first->given.values;
    const double fps = chosen_fps(&v[CHECK_FPS]);
    if (fps <= 0 || !read_gate(m, wishes->all) ||
        !question_choose(&m->ask, v, first->objects.count, m->gate.measures)) {
        return false;
    }
    if (wishes->needs_events && !m->gate.measures) {
        complain("%s has no events: add --events to 'abut check'", first->path);
        return false;
    }
    m->ask.first = first->run[0];
    m->ask.names = &first->objects.names;
    m->out = (check_outputs){.all = wishes->all,
                             .scene = first->given.plain[0],
                             .objects = &first->objects,
                             .gate = &m->gate,
                             .ask = &m->ask,
                             .fps = fps};
    check_outputs_name(&m->out);
    return gate_meet(&m->gate, &first->objects) && check_outputs_open(&m->out, 1);
}

static bool add_part(merger* m, part* p) {
    for (size_t i = 0; i < p->frame_count; ++i) {
        outcome now;
        const bool read = part_outcome(p, i, &m->ask, m->gate.rules.count, &now);
        if (read) {
            check_outputs_add(&m->out, &now);
        }
        outcome_free(&now);
        if (!read) {
            return false;
        }
    }
    return m->gate.known == NULL || part_see(p, m->gate.known);
}

static int merge(merger* m, const part_set_wishes* wishes) {
    if (!open_merger(m, wishes)) {
        return EXIT_FAILED;
    }
    json_t* described = part_descriptions(&m->parts[0]);
    if (described == NULL) {
        return complain("%s is damaged: its objects are not described", m->parts[0].path);
    }
    check_outputs_begin(&m->out, described);
    for (size_t i = 0; i < m->count; ++i) {
        if (!add_part(m, &m->parts[i])) {
            return EXIT_FAILED;
        }
    }
    if (!check_outputs_end(&m->out, 0)) {
        return EXIT_FAILED;
    }
    if (wishes->table && !shared_takes_stdout(wishes->all)) {
        check_outputs_print(&m->out, 0);
    }
    return check_outputs_finish(&m->out, 0);
}

int part_set_merge(part* parts, size_t count, const part_set_wishes* wishes) {
    merger m = {.parts = parts, .count = count};
    const int code = merge(&m, wishes);
    if (m.out.objects != NULL) {
        check_outputs_free(&m.out);
    }
    gate_free(&m.gate);
    return code;
}
