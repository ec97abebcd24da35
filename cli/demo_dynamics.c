// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Demos of dynamics: see demo_dynamics.h.
#include "cli/demo_dynamics.h"

#include "cli/demo_checkpoint.h"
#include "cli/demo_record.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/processor.h"
#include "cli/progress.h"
#include "cli/snapshot.h"
#include "cli/table.h"
#include "dynamics/pile.h"
#include "dynamics/shoal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 20, BRIDGE_TRIANGLES = 60000 };

#define SECONDS_BETWEEN_CHECKPOINTS 30.0

const dynamics_kind dynamics_kinds[DYNAMICS_KINDS] = {
    [DYNAMICS_CHAIRS] = {"chairs", "plastic chairs crash to the ground and push each other", 125,
                         17914, 10, 120},
    [DYNAMICS_SHOAL] = {"shoal", "fish rain on a swaying bridge and push each other", 300, 24776, 3,
                        100},
};

static swarm_ranks* shared;  // NULL: one process has all bodies

void dynamics_share(swarm_ranks* ranks) {
    shared = ranks;
}

static bool leads(void) {
    return shared == NULL || shared->leads;
}

// --- one simulation ----------------------------------------------------------------------------

typedef struct simulation {
    pile* chairs;  // one of the two is NULL
    shoal* fish;
} simulation;

static const swarm* swarm_of(const simulation* s) {
    return s->chairs != NULL ? pile_swarm(s->chairs) : shoal_swarm(s->fish);
}

static bool fail(abut_status status, const abut_error* error) {
    complain("%s", error->message[0] != '\0' ? error->message : abut_status_text(status));
    return false;
}

static bool simulation_open(simulation* s, const dynamics_ask* ask, swarm_manner manner,
                            const abut_context_def* context) {
    abut_error error = {0};
    abut_status status;
    *s = (simulation){0};
    if (ask->kind == DYNAMICS_CHAIRS) {
        pile_def def = pile_def_default();
        def.bodies = ask->bodies;
        def.triangles = ask->triangles;
        def.seed = ask->seed;
        def.manner = manner;
        def.context = context;
        def.ranks = shared;
        status = pile_create(&def, &s->chairs, &error);
    } else {
        shoal_def def = shoal_def_default();
        def.bodies = ask->bodies;
        def.triangles = ask->triangles;
        def.bridge_triangles = ask->bridge;
        def.seed = ask->seed;
        def.manner = manner;
        def.context = context;
        def.ranks = shared;
        status = shoal_create(&def, &s->fish, &error);
    }
    return status == ABUT_OK || fail(status, &error);
}

static void simulation_close(simulation* s) {
    pile_destroy(s->chairs);
    shoal_destroy(s->fish);
}

static void simulation_restore(simulation* s, const modal_body* states, const swarm_work* work) {
    if (s->chairs != NULL) {
        pile_restore(s->chairs, states, work);
    } else {
        shoal_restore(s->fish, states, work);
    }
}

static bool simulation_step(simulation* s) {
    abut_error error = {0};
    const abut_status status = s->chairs != NULL ? pile_step(s->chairs, &error)
                                                 : shoal_step(s->fish, &error);
    return status == ABUT_OK || fail(status, &error);
}

// --- measurements ------------------------------------------------------------------------------

typedef struct report {
    const dynamics_ask* ask;
    checkpoint done;  // the completed frames of all manners, and their costs
    uint32_t manner_count;
    FILE* snapshot;       // may be NULL
    FILE* checkpoint;     // the same
    FILE* csv;            // the same
    double saved;         // time of the last checkpoint
    uint32_t resumed_at;  // frame of the deformable bodies; 0: a new simulation
    double step_seconds;
    double bytes_per_body;
    size_t state_bytes;   // of these
    uint64_t most_bytes;  // peak of the library
    double energy[2];     // of the deformable bodies, at the start and at the end
    double deepest;       // centre of a sphere in the ground, at the end
    double seconds;
} report;

static void add_scaled(swarm_time* sum, const swarm_time* more, double scale) {
    sum->clock += scale * more->clock;
    sum->processor += scale * more->processor;
}

// Adds (sign 1) or subtracts (sign -1) work.
static void add_work(swarm_work* sum, const swarm_work* more, int sign) {
    const uint64_t factor = sign > 0 ? 1 : UINT64_MAX;  // -1
    sum->steps += (uint32_t)factor * more->steps;
    add_scaled(&sum->update, &more->update, sign);
    add_scaled(&sum->collide, &more->collide, sign);
    add_scaled(&sum->solve, &more->solve, sign);
    sum->contacts += factor * more->contacts;
    sum->pushes += factor * more->pushes;
    sum->between += factor * more->between;
    sum->sphere_tests += factor * more->sphere_tests;
    sum->spheres_updated += factor * more->spheres_updated;
}

// The costs of the steps of a frame of deformable bodies.
static const step_cost* steps_of(const report* r, uint32_t frame) {
    return r->done.costs[SWARM_DEFORMABLE] + STEPS_PER_FRAME * (size_t)frame;
}

static swarm_work frame_work(const report* r, uint32_t frame) {
    swarm_work sum = {0};
    for (int i = 0; i < STEPS_PER_FRAME; ++i) {
        add_work(&sum, &steps_of(r, frame)[i].work, 1);
    }
    return sum;
}

static double frame_kinetic(const report* r, uint32_t frame) {
    return steps_of(r, frame)[STEPS_PER_FRAME - 1].kinetic;
}

static double frame_time(const report* r, uint32_t frame) {
    return (frame + 1.0) * (double)STEPS_PER_FRAME * r->step_seconds;
}

static uint32_t a_step(uint64_t count, const swarm_work* w) {
    return (uint32_t)(count / (w->steps > 0 ? w->steps : 1));
}

static double ms_a_step(double seconds, const swarm_work* w) {
    return 1e3 * seconds / (w->steps > 0 ? w->steps : 1);
}

// Processor time.
static double collision_seconds(const swarm_work* w) {
    return w->update.processor + w->collide.processor;
}

static double microseconds_per_contact(const swarm_work* w) {
    return 1e6 * collision_seconds(w) / (w->contacts > 0 ? (double)w->contacts : 1);
}

static double energy_of(const simulation* s) {
    return swarm_kinetic(swarm_of(s)) + swarm_stored(swarm_of(s));
}

static void note_step(const simulation* s, const swarm_work* before, step_cost* cost) {
    const swarm* all = swarm_of(s);
    *cost = (step_cost){
        .work = all->work,
        .bytes = swarm_bytes(all),
        .kinetic = swarm_kinetic(all),
        .stored = swarm_stored(all),
    };
    add_work(&cost->work, before, -1);
}

// Keeps the state of a manner as that of a completed frame.
static void note_frame(const simulation* s, report* r, swarm_manner manner) {
    const swarm* all = swarm_of(s);
    checkpoint* done = &r->done;
    if (done->states[manner] == NULL && r->checkpoint != NULL) {
        done->states[manner] = allocate(done->bodies, sizeof *done->states[manner]);
    }
    if (r->checkpoint != NULL) {
        memcpy(done->states[manner], all->bodies, done->bodies * sizeof *all->bodies);
    }
    done->work[manner] = all->work;
    ++done->frames[manner];
}

// Saves a checkpoint if the last one is old, or if this is `due` anyway.
static bool save_checkpoint(report* r, bool due) {
    const double now = seconds_now();
    if (r->checkpoint == NULL || (!due && now - r->saved < SECONDS_BETWEEN_CHECKPOINTS)) {
        return true;
    }
    r->saved = now;
    return checkpoint_save(&r->done, r->checkpoint);
}

static bool run_frames(simulation* s, report* r, swarm_manner manner, progress* bar) {
    const uint32_t frames = r->ask->frames;
    bool done = true;
    while (r->done.frames[manner] < frames && done) {
        step_cost* costs = checkpoint_next(&r->done, manner);
        for (int i = 0; i < STEPS_PER_FRAME && done; ++i) {
            const swarm_work before = swarm_of(s)->work;
            done = simulation_step(s);
            note_step(s, &before, &costs[i]);
        }
        if (done) {
            note_frame(s, r, manner);
            done = save_checkpoint(r, r->done.frames[manner] == frames);
        }
        progress_step(bar, (uint64_t)manner * frames + r->done.frames[manner]);
    }
    return done;
}

static bool run_manner(report* r, swarm_manner manner, const abut_context_def* context,
                       progress* bar) {
    simulation s;
    if (!simulation_open(&s, r->ask, manner, context)) {
        return false;
    }
    const double energy = energy_of(&s);
    if (r->done.frames[manner] > 0) {
        simulation_restore(&s, r->done.states[manner], &r->done.work[manner]);
    }
    bool done = run_frames(&s, r, manner, bar);
    if (done && manner == SWARM_DEFORMABLE) {
        r->step_seconds = swarm_of(&s)->def.step_seconds;
        r->energy[0] = energy;
        r->energy[1] = energy_of(&s);
        r->bytes_per_body = s.chairs != NULL ? pile_bytes_per_body(s.chairs)
                                             : shoal_bytes_per_body(s.fish);
        r->state_bytes = swarm_state_bytes(swarm_of(&s));
        r->most_bytes = swarm_most_bytes(swarm_of(&s));
        r->deepest = s.chairs != NULL ? swarm_deepest(swarm_of(&s), 0) : 0;
        if (r->snapshot != NULL) {
            progress_wipe();
            done = snapshot_write(r->snapshot, swarm_of(&s)->scene);
            r->snapshot = NULL;
        }
    }
    simulation_close(&s);
    return done;
}

// --- output ------------------------------------------------------------------------------------

static void print_start(const report* r) {
    const dynamics_ask* ask = r->ask;
    char number[2][NUMBER_SIZE];
    const dynamics_kind* kind = &dynamics_kinds[ask->kind];
    print_styled(STYLE_BOLD, "%s", kind->name);
    printf(": %s\n", kind->about);
    printf(
        "%s bodies of about %s triangles share one shape. Contacts between spheres that stand\n"
        "for groups of triangles give the forces; every frame has %d steps.\n\n",
        grouped(ask->bodies, number[0]), grouped(ask->triangles, number[1]), STEPS_PER_FRAME);
    if (ask->resume != NULL) {
        printf("It goes on from frame %s of the checkpoint %s.\n\n",
               grouped(r->resumed_at, number[0]), ask->resume);
    }
    fflush(stdout);
}

static void print_frames(const report* r) {
    const uint32_t count = r->ask->frames;
    const uint32_t stride = (count + MOST_ROWS - 1) / MOST_ROWS;
    table* t = table_create(
        "frame|time|contacts|sphere tests|update|collision|dynamics|kinetic energy");
    for (uint32_t f = stride - 1; f < count; f += stride) {
        const swarm_work w = frame_work(r, f);
        table_number(t, STYLE_PLAIN, f + 1);
        table_cell(t, STYLE_PLAIN, "%.2f s", frame_time(r, f));
        table_number(t, STYLE_PLAIN, a_step(w.contacts, &w));
        table_number(t, STYLE_PLAIN, a_step(w.sphere_tests, &w));
        table_cell(t, STYLE_PLAIN, "%.3f ms", ms_a_step(w.update.clock, &w));
        table_cell(t, STYLE_PLAIN, "%.2f ms", ms_a_step(w.collide.clock, &w));
        table_cell(t, STYLE_PLAIN, "%.2f ms", ms_a_step(w.solve.clock, &w));
        table_cell(t, STYLE_PLAIN, "%.3g J", frame_kinetic(r, f));
    }
    table_print(t, 2);
    table_destroy(t);
    printf("  (all numbers are averages per step; contacts are pairs of spheres)\n\n");
}

static void print_manners(const report* r) {
    static const char* const paper[SWARM_MANNERS] = {"2,100 ms", "1,100 ms", "1,600 ms"};
    table* t = table_create(
        "<manner|contacts|sphere tests|collision|per contact|dynamics|of deformable|paper, 3,601 "
        "chairs");
    for (uint32_t m = 0; m < r->manner_count && m < SWARM_MANNERS; ++m) {
        const swarm_work* w = &r->done.work[m];
        table_cell(t, STYLE_PLAIN, "%s", swarm_manner_name((swarm_manner)m));
        table_number(t, STYLE_PLAIN, a_step(w->contacts, w));
        table_number(t, STYLE_PLAIN, a_step(w->sphere_tests, w));
        table_cell(t, STYLE_PLAIN, "%.2f ms", ms_a_step(collision_seconds(w), w));
        table_cell(t, STYLE_PLAIN, "%.2f us", microseconds_per_contact(w));
        table_cell(t, STYLE_PLAIN, "%.2f ms", ms_a_step(w->solve.processor, w));
        table_cell(t, STYLE_PLAIN, "%.2f",
                   collision_seconds(w) / collision_seconds(&r->done.work[SWARM_DEFORMABLE]));
        table_cell(t, STYLE_PLAIN, "%s", paper[m]);
    }
    table_print(t, 2);
    table_destroy(t);
    printf(
        "  Averages per step, in processor time. Collision is setting states and finding "
        "contacts.\n"
        "  Each manner runs its own simulation, as in the paper (Java, 2004).\n\n");
}

static bool is_sound(const report* r) {
    return r->ask->kind == DYNAMICS_SHOAL ||
           r->energy[1] <= r->energy[0];  // the bridge adds energy
}

static void print_report(const report* r) {
    char time[NUMBER_SIZE];
    print_frames(r);
    if (r->manner_count > 1) {
        print_manners(r);
        printf("At the end the deepest sphere's centre is %.1f cm in the ground.\n",
               100 * r->deepest);
    }
    printf(
        "A body without contact takes %.0f bytes: %zu for its state (a frame, and the\n"
        "coordinates of two steps), %.0f for the rest. The peak memory of all bodies was %.1f MB,\n"
        "the time %s.\n",
        r->bytes_per_body, r->state_bytes, r->bytes_per_body - (double)r->state_bytes,
        (double)r->most_bytes / 1e6, duration(r->seconds, time));
    if (!is_sound(r)) {
        print_styled(STYLE_FOUND, "Energy grew");
        printf(" from %.3g J to %.3g J: something is wrong.\n", r->energy[0], r->energy[1]);
    }
}

static json_t* cost_json(const swarm_work* w) {
    return json_pack("{s: I, s: I, s: f, s: f, s: f, s: f}", "contacts",
                     (json_int_t)a_step(w->contacts, w), "sphere_tests",
                     (json_int_t)a_step(w->sphere_tests, w), "update_ms",
                     ms_a_step(w->update.clock, w), "collide_ms", ms_a_step(w->collide.clock, w),
                     "dynamics_ms", ms_a_step(w->solve.clock, w), "collision_processor_ms",
                     ms_a_step(collision_seconds(w), w));
}

static void write_json(const report* r, json_output* json) {
    json_begin(json);
    json_add(json, "abut", json_text(ABUT_VERSION_STRING));
    json_add(json, "scene", json_text(dynamics_kinds[r->ask->kind].name));
    json_add(json, "bodies", json_count(r->ask->bodies));
    json_begin_list(json, "frames");
    for (uint32_t f = 0; f < r->ask->frames; ++f) {
        const swarm_work work = frame_work(r, f);
        json_t* frame = cost_json(&work);
        json_object_set_new(frame, "frame", json_integer(f));
        json_object_set_new(frame, "time", json_real(frame_time(r, f)));
        json_object_set_new(frame, "kinetic", json_real(frame_kinetic(r, f)));
        json_add(json, NULL, frame);
    }
    json_end_list(json);
    json_begin_list(json, "manners");
    for (uint32_t m = 0; m < r->manner_count; ++m) {
        json_t* manner = cost_json(&r->done.work[m]);
        json_object_set_new(manner, "name", json_text(swarm_manner_name((swarm_manner)m)));
        json_add(json, NULL, manner);
    }
    json_end_list(json);
    json_add(json, "summary",
             json_pack("{s: I, s: I, s: f, s: f, s: I, s: I, s: f, s: f, s: f}", "frames",
                       (json_int_t)r->ask->frames, "resumed_at", (json_int_t)r->resumed_at,
                       "seconds", r->seconds, "bytes_per_body", r->bytes_per_body, "state_bytes",
                       (json_int_t)r->state_bytes, "most_bytes", (json_int_t)r->most_bytes,
                       "energy_start", r->energy[0], "energy_end", r->energy[1], "deepest",
                       r->deepest));
}

// --- the demo ----------------------------------------------------------------------------------

// Opens all outputs. False after an error message.
static bool open_outputs(report* r, json_output* json) {
    const dynamics_ask* ask = r->ask;
    const char* path = ask->resume != NULL ? ask->resume : ask->checkpoint;
    if (!json_claim(ask->json) || !output_claim_report("csv", ask->csv)) {
        return false;
    }
    r->snapshot = ask->snapshot != NULL ? snapshot_open(ask->snapshot) : NULL;
    r->checkpoint = path != NULL ? checkpoint_open(path, ask->resume == NULL) : NULL;
    r->csv = ask->csv != NULL ? output_open_report(ask->csv) : NULL;
    return (ask->snapshot == NULL || r->snapshot != NULL) &&
           (path == NULL || r->checkpoint != NULL) && (ask->csv == NULL || r->csv != NULL) &&
           json_open(json, ask->json);
}

static bool close_csv(report* r) {
    FILE* file = r->csv;
    if (file == NULL) {
        return true;
    }
    record_write(file, &r->done, r->manner_count, r->step_seconds);
    r->csv = NULL;
    return output_end(file);
}

static int run_all(report* r, json_output* json) {
    abut_context_def context;
    abut_threads* pool = NULL;
    const uint32_t threads = shared != NULL && r->ask->threads == 0 ? 1 : r->ask->threads;
    const bool ready = open_outputs(r, json) && processor_settings(threads, &context, &pool);
    if (!(shared != NULL ? shared->all(shared, ready) : ready)) {
        return EXIT_FAILED;
    }
    const bool print = leads() && !json_takes_stdout(json) && !output_is_stdout(r->ask->csv);
    if (print) {
        print_start(r);
    }
    r->saved = seconds_now();
    progress bar = progress_begin("frame", (uint64_t)r->manner_count * r->ask->frames);
    bool done = true;
    for (uint32_t m = 0; m < r->manner_count && done; ++m) {
        done = run_manner(r, (swarm_manner)m, &context, &bar);
    }
    progress_end(&bar);
    r->seconds = seconds_now() - bar.start;
    abut_threads_destroy(pool);
    if (!done) {
        return EXIT_FAILED;
    }
    write_json(r, json);
    if (print) {
        print_report(r);
    }
    if (!json_close(json) || !close_csv(r)) {
        return EXIT_FAILED;
    }
    return is_sound(r) ? EXIT_NOTHING : EXIT_FOUND;
}

// Takes an option from the checkpoint, unless it was given and differs.
static bool adopt(uint32_t* option, uint32_t stored, const char* name) {
    char number[NUMBER_SIZE];
    if (*option != 0 && *option != stored) {
        complain(
            "--%s is %s in the checkpoint; leave this option out, or start again without "
            "--resume",
            name, grouped(stored, number));
        return false;
    }
    *option = stored;
    return true;
}

static bool resume(report* r, dynamics_ask* ask) {
    checkpoint* done = &r->done;
    if (!checkpoint_read(done, ask->resume)) {
        return false;
    }
    if (done->kind != ask->kind) {
        complain("--resume: '%s' is a checkpoint of the scene '%s'", ask->resume,
                 dynamics_kinds[done->kind].name);
        return false;
    }
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        ask->frames = done->frames[m] > ask->frames ? done->frames[m] : ask->frames;
    }
    r->resumed_at = done->frames[SWARM_DEFORMABLE];
    return adopt(&ask->bodies, done->bodies, "bodies") &&
           adopt(&ask->triangles, done->triangles, "triangles") &&
           adopt(&ask->bridge, done->bridge, "bridge") && adopt(&ask->seed, done->seed, "seed");
}

static void begin(report* r, dynamics_ask* ask) {
    const dynamics_kind* kind = &dynamics_kinds[ask->kind];
    ask->bodies = ask->bodies > 0 ? ask->bodies : kind->default_bodies;
    ask->triangles = ask->triangles > 0 ? ask->triangles : kind->default_triangles;
    ask->seed = ask->seed > 0 ? ask->seed : 1;
    if (ask->kind == DYNAMICS_SHOAL && ask->bridge == 0) {
        ask->bridge = BRIDGE_TRIANGLES;
    }
    r->done = (checkpoint){.kind = ask->kind,
                           .bodies = ask->bodies,
                           .triangles = ask->triangles,
                           .seed = ask->seed,
                           .bridge = ask->bridge};
}

int dynamics_demo(const dynamics_ask* ask) {
    dynamics_ask full = *ask;
    full.json = leads() ? ask->json : NULL;
    full.csv = leads() ? ask->csv : NULL;
    report r = {.ask = &full, .manner_count = ask->kind == DYNAMICS_CHAIRS ? SWARM_MANNERS : 1};
    json_output json = {0};
    int code = EXIT_FAILED;
    full.frames = ask->frames > 0 ? ask->frames : dynamics_kinds[ask->kind].default_frames;
    if (ask->resume == NULL) {
        begin(&r, &full);
    }
    if (ask->resume == NULL || resume(&r, &full)) {
        code = run_all(&r, &json);
    }
    json_drop(&json);           // no-op after success
    output_drop(r.snapshot);    // the same
    output_drop(r.csv);         // the same
    output_drop(r.checkpoint);  // the last saved one stays
    checkpoint_free(&r.done);
    return code;
}
