// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The demo of a torn slab: see demo_tear.h.
#include "cli/demo_tear.h"

#include "cli/json.h"
#include "cli/message.h"
#include "cli/processor.h"
#include "cli/progress.h"
#include "cli/output.h"
#include "cli/snapshot.h"
#include "cli/table.h"
#include "dynamics/tear.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 20 };

typedef struct report {
    tear_ask ask;
    tear* slab;
    tear_frame* frames;
    uint32_t edits;
    abut_edit_work work;  // of all edits
    double edit_seconds;  // of all edits
    uint32_t checks;      // frames compared with a shape built from scratch
    uint32_t wrong;       // of these, frames with another answer
    double build_seconds;
    double seconds;
} report;

static bool fail(abut_status status, const abut_error* error) {
    complain("%s", error->message[0] != '\0' ? error->message : abut_status_text(status));
    return false;
}

// --- simulation --------------------------------------------------------------------------------

// the touching pairs of a body: within it, and with the wedge
static abut_status count_pairs(const tear* t, abut_body_id body, abut_collide_result* result,
                               size_t counts[2]) {
    abut_status status = abut_collide_self(tear_scene(t), body, NULL, result, NULL);
    (void)abut_collide_result_pairs(result, &counts[0]);
    if (status == ABUT_OK) {
        status = abut_collide(tear_scene(t), body, tear_wedge(t), NULL, result, NULL);
        (void)abut_collide_result_pairs(result, &counts[1]);
    }
    return status;
}

// compares them with the pairs of a shape built from scratch for this frame
static bool compare_fresh(report* r) {
    const tear* t = r->slab;
    abut_error error = {0};
    abut_shape* shape = NULL;
    abut_collide_result* result = NULL;
    abut_body_id body;
    size_t counts[2] = {0, 0};
    const double start = seconds_now();
    abut_status status = tear_build(t, &shape, &error);
    r->build_seconds += seconds_now() - start;
    if (status == ABUT_OK) {
        status = abut_collide_result_create(tear_context(t), &result, &error);
    }
    if (status == ABUT_OK) {
        status = abut_body_create(tear_scene(t), shape, NULL, &body, &error);
    }
    if (status == ABUT_OK) {
        status = abut_body_set_transforms(tear_scene(t), body, tear_transforms(t), NULL, 0, &error);
        status = status == ABUT_OK ? count_pairs(t, body, result, counts) : status;
        (void)abut_body_destroy(tear_scene(t), body, NULL);
    }
    abut_collide_result_destroy(result);
    abut_shape_destroy(shape);
    ++r->checks;
    r->wrong += counts[0] != tear_now(t)->self_pairs || counts[1] != tear_now(t)->wedge_pairs;
    return status == ABUT_OK || fail(status, &error);
}

static uint32_t stride_of(const report* r) {
    return (r->ask.frames + MOST_ROWS - 1) / MOST_ROWS;
}

static bool run_frames(report* r, progress* bar) {
    bool done = true;
    for (uint32_t f = 0; f < r->ask.frames && done; ++f) {
        abut_error error = {0};
        const abut_status status = tear_step(r->slab, &error);
        done = status == ABUT_OK || fail(status, &error);
        r->frames[f] = *tear_now(r->slab);
        r->edits += r->frames[f].edited;
        r->edit_seconds += r->frames[f].edit_seconds;
        r->work.blocks_reused += r->frames[f].work.blocks_reused;
        r->work.blocks_built += r->frames[f].work.blocks_built;
        r->work.bounds_reused += r->frames[f].work.bounds_reused;
        r->work.bounds_built += r->frames[f].work.bounds_built;
        if (done && (f + 1) % stride_of(r) == 0) {
            done = compare_fresh(r);
        }
        progress_step(bar, f + 1);
    }
    return done;
}

// --- output ------------------------------------------------------------------------------------

static void print_start(const report* r) {
    char number[2][NUMBER_SIZE];
    print_styled(STYLE_BOLD, TEAR_NAME);
    printf(": %s\n", TEAR_ABOUT);
    printf(
        "A slab of about %s triangles that follows %s nodes lies on a wedge. As the crack runs,\n"
        "vertices are duplicated, nodes across it lose their influence and new nodes appear. "
        "Every\n"
        "step edits the shape; the new shape shares all unchanged parts with the one before.\n\n",
        grouped(r->ask.triangles, number[0]), grouped(tear_transforms(r->slab).count, number[1]));
    fflush(stdout);
}

static void print_frames(const report* r) {
    const uint32_t stride = stride_of(r);
    table* t = table_create(
        "frame|crack|nodes|changed vertices|blocks built|shared|bounds built|shared|edit|queries|"
        "self|wedge");
    for (uint32_t f = stride - 1; f < r->ask.frames; f += stride) {
        const tear_frame* now = &r->frames[f];
        table_number(t, STYLE_PLAIN, f + 1);
        table_cell(t, STYLE_PLAIN, "%u %%", 100 * now->rows / tear_rows(r->slab));
        table_number(t, STYLE_PLAIN, now->nodes);
        if (now->edited) {
            table_number(t, STYLE_PLAIN, now->changed);
            table_number(t, STYLE_PLAIN, now->work.blocks_built);
            table_number(t, STYLE_PLAIN, now->work.blocks_reused);
            table_number(t, STYLE_PLAIN, now->work.bounds_built);
            table_number(t, STYLE_PLAIN, now->work.bounds_reused);
            table_cell(t, STYLE_PLAIN, "%.2f ms", 1e3 * now->edit_seconds);
        } else {
            for (int i = 0; i < 6; ++i) {
                table_cell(t, STYLE_FAINT, "-");
            }
        }
        table_cell(t, STYLE_PLAIN, "%.2f ms", 1e3 * now->collide_seconds);
        table_number(t, STYLE_PLAIN, now->self_pairs);
        table_number(t, STYLE_PLAIN, now->wedge_pairs);
    }
    table_print(t, 2);
    table_destroy(t);
    printf("  (self and wedge are pairs of triangles that touch)\n\n");
}

static void print_report(const report* r) {
    char time[NUMBER_SIZE];
    print_frames(r);
    const double edits = r->edits > 0 ? r->edits : 1;
    printf(
        "An edit built %.1f blocks and the bounds of %.1f, and shared %.0f and %.0f, in %.2f ms;\n"
        "a shape from scratch took %.2f ms. ",
        r->work.blocks_built / edits, r->work.bounds_built / edits, r->work.blocks_reused / edits,
        r->work.bounds_reused / edits, 1e3 * r->edit_seconds / edits,
        1e3 * r->build_seconds / (r->checks > 0 ? r->checks : 1));
    if (r->wrong == 0) {
        printf("Both found the same in all %u frames compared.\n", r->checks);
    } else {
        print_styled(STYLE_FOUND, "They differ");
        printf(" in %u of %u frames: something is wrong.\n", r->wrong, r->checks);
    }
    printf("The whole demo took %s.\n", duration(r->seconds, time));
}

static void write_json(const report* r, json_output* json) {
    json_begin(json);
    json_add(json, "abut", json_text(ABUT_VERSION_STRING));
    json_add(json, "scene", json_text(TEAR_NAME));
    json_add(json, "rows", json_count(tear_rows(r->slab)));
    json_begin_list(json, "frames");
    for (uint32_t f = 0; f < r->ask.frames; ++f) {
        const tear_frame* now = &r->frames[f];
        json_add(
            json, NULL,
            json_pack("{s: I, s: I, s: I, s: I, s: I, s: I, s: I, s: I, s: I, s: I, s: f, s: f}",
                      "frame", (json_int_t)f, "rows", (json_int_t)now->rows, "nodes",
                      (json_int_t)now->nodes, "changed", (json_int_t)now->changed, "blocks_built",
                      (json_int_t)now->work.blocks_built, "blocks_shared",
                      (json_int_t)now->work.blocks_reused, "bounds_built",
                      (json_int_t)now->work.bounds_built, "bounds_shared",
                      (json_int_t)now->work.bounds_reused, "self", (json_int_t)now->self_pairs,
                      "wedge", (json_int_t)now->wedge_pairs, "edit_ms", 1e3 * now->edit_seconds,
                      "queries_ms", 1e3 * now->collide_seconds));
    }
    json_end_list(json);
    json_add(json, "summary",
             json_pack("{s: I, s: I, s: I, s: I, s: f, s: f, s: f}", "frames",
                       (json_int_t)r->ask.frames, "edits", (json_int_t)r->edits, "compared",
                       (json_int_t)r->checks, "wrong", (json_int_t)r->wrong, "edit_ms",
                       1e3 * r->edit_seconds / (r->edits > 0 ? r->edits : 1), "build_ms",
                       1e3 * r->build_seconds / (r->checks > 0 ? r->checks : 1), "seconds",
                       r->seconds));
}

// --- the demo ----------------------------------------------------------------------------------

static bool run_all(report* r, json_output* json, FILE* snapshot) {
    if (!json_takes_stdout(json)) {
        print_start(r);
    }
    progress bar = progress_begin("frame", r->ask.frames);
    bool done = run_frames(r, &bar);
    progress_end(&bar);
    r->seconds = seconds_now() - bar.start;
    if (!done) {
        output_drop(snapshot);
        return false;
    }
    write_json(r, json);
    if (!json_takes_stdout(json)) {
        print_report(r);
    }
    done = snapshot == NULL || snapshot_write(snapshot, tear_scene(r->slab));
    return json_close(json) && done;
}

static bool open_slab(report* r, const abut_context_def* context) {
    tear_def def = tear_def_default();
    abut_error error = {0};
    def.triangles = r->ask.triangles;
    def.frames = r->ask.frames;
    def.seed = r->ask.seed;
    def.context = context;
    const abut_status status = tear_create(&def, &r->slab, &error);
    return status == ABUT_OK || fail(status, &error);
}

int tear_demo(const tear_ask* ask) {
    report r = {.ask = *ask};
    json_output json = {0};
    abut_context_def context;
    abut_threads* pool = NULL;
    r.ask.triangles = ask->triangles > 0 ? ask->triangles : TEAR_TRIANGLES;
    r.ask.frames = ask->frames > 0 ? ask->frames : TEAR_FRAMES;
    FILE* snapshot = ask->snapshot != NULL ? snapshot_open(ask->snapshot) : NULL;
    if ((ask->snapshot != NULL && snapshot == NULL) || !json_open(&json, ask->json) ||
        !processor_settings(ask->threads, &context, &pool)) {
        return EXIT_FAILED;
    }
    r.frames = allocate(r.ask.frames, sizeof *r.frames);
    const bool done = open_slab(&r, &context) && run_all(&r, &json, snapshot);
    tear_destroy(r.slab);
    abut_threads_destroy(pool);
    free(r.frames);
    json_drop(&json);  // no-op after success
    return !done ? EXIT_FAILED : r.wrong > 0 ? EXIT_FOUND : EXIT_NOTHING;
}
