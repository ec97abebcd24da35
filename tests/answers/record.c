// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Runs every query over every scene and motion and hashes the answers.

#include "answers/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abut/abut.h"
#include "answers/player.h"
#include "scenes/scenes.h"
#include "support/threads.h"

void answer_print(const answer_line* line, char* text, size_t size) {
    (void)snprintf(text, size, "%s %016" PRIx64 " %016" PRIx64 " %zu %zu%s%s\n", line->name,
                   line->answer, line->counters, line->count, line->refused,
                   line->varies ? " VARIES" : "",
                   line->counters_vary ? " COUNTERS VARY WITH THREADS" : "");
}

static answer_line* add_line(answer_book* book) {
    if (book->count == book->capacity) {
        book->capacity = book->capacity == 0 ? 256 : 2 * book->capacity;
        book->lines = realloc(book->lines, book->capacity * sizeof *book->lines);
        if (book->lines == NULL) {
            abort();
        }
    }
    memset(&book->lines[book->count], 0, sizeof *book->lines);
    return &book->lines[book->count++];
}

// the first run of a scene and motion writes lines; all others are compared with them
static void keep(answer_book* book, size_t first, const player* p, abut_isa isa, bool is_first) {
    for (size_t i = 0; i < p->take_count; ++i) {
        const take* t = &p->takes[i];
        if (is_first) {
            answer_line* line = add_line(book);
            (void)snprintf(line->name, sizeof line->name, "%s.%s.%s", p->scene_name, p->motion_name,
                           t->name);
            line->answer = t->answer;
            line->counters = t->counters;
            line->count = t->count;
            line->refused = t->refused;
            continue;
        }
        answer_line* line = &book->lines[first + i];
        line->varies = line->varies || line->answer != t->answer || line->count != t->count ||
                       line->refused != t->refused;
        line->counters_vary = line->counters_vary ||
                              (isa == ABUT_ISA_SCALAR && line->counters != t->counters);
    }
}

static bool is_here(abut_isa isa) {
    abut_context_def def = abut_context_def_default();
    def.isa = isa;
    abut_context* context = NULL;
    const bool here = abut_context_create(&def, &context, NULL) == ABUT_OK;
    abut_context_destroy(context);
    return here;
}

static void record_motion(answer_book* book, const scene* s, const char* name, abut_motion motion) {
    static const abut_isa sets[] = {ABUT_ISA_SCALAR, ABUT_ISA_AVX2, ABUT_ISA_AVX512};
    const size_t first = book->count;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) {
        for (uint32_t workers = 1; workers <= 4 && is_here(sets[i]); workers += 3) {
            test_threads* threads = workers > 1 ? threads_create(workers, 7) : NULL;
            abut_context_def def = abut_context_def_default();
            def.isa = sets[i];
            if (threads != NULL) {
                def.tasks = threads_tasks(threads);
            }
            player p;
            play(&p, s, name, motion, &def);
            keep(book, first, &p, sets[i], i == 0 && workers == 1);
            if (threads != NULL) {
                threads_destroy(threads);
            }
        }
    }
}

void answers_record(answer_book* book, const answer_wishes* wishes) {
    size_t count;
    const scene_kind* kinds = scene_kinds(&count);
    for (size_t i = 0; i < count; ++i) {
        if (wishes->scene != NULL && strcmp(wishes->scene, kinds[i].name) != 0) {
            continue;
        }
        fprintf(stderr, "%s\n", kinds[i].name);
        const scene_options options = {
            .triangles = wishes->triangles, .frames = wishes->frames, .seed = 3, .nodes = 40};
        scene* s = scene_create_with(kinds[i].name, &options);
        if (s == NULL) {
            abort();
        }
        for (abut_motion m = ABUT_MOTION_FREE; m <= ABUT_MOTION_FLIGHT; ++m) {
            if (player_knows(s, m)) {
                record_motion(book, s, kinds[i].name, m);
            }
        }
        scene_destroy(s);
    }
}
