// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Demos of dynamics: see demo_dynamics.h.
#include "cli/demo_dynamics.h"

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

enum { CHAIRS, FISH, STEPS_PER_FRAME = 5, MOST_ROWS = 20 };

const dynamics_kind dynamics_kinds[DYNAMICS_KINDS] = {
    [CHAIRS] = {"chairs", "plastic chairs crash to the ground and push each other", 125, 17914, 10,
                120},
    [FISH] = {"shoal", "fish rain on a swaying bridge and push each other", 300, 24776, 3, 100},
};

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
    if (ask->kind == CHAIRS) {
        pile_def def = pile_def_default();
        def.bodies = ask->bodies;
        def.triangles = ask->triangles;
        def.seed = ask->seed;
        def.manner = manner;
        def.context = context;
        status = pile_create(&def, &s->chairs, &error);
    } else {
        shoal_def def = shoal_def_default();
        def.bodies = ask->bodies;
        def.triangles = ask->triangles;
        def.seed = ask->seed;
        def.manner = manner;
        def.context = context;
        status = shoal_create(&def, &s->fish, &error);
    }
    return status == ABUT_OK || fail(status, &error);
}

static void simulation_close(simulation* s) {
    pile_destroy(s->chairs);
    shoal_destroy(s->fish);
}

static bool simulation_step(simulation* s) {
    abut_error error = {0};
    const abut_status status = s->chairs != NULL ? pile_step(s->chairs, &error)
                                                 : shoal_step(s->fish, &error);
    return status == ABUT_OK || fail(status, &error);
}

// --- measurements ------------------------------------------------------------------------------

// costs of one frame
typedef struct frame_cost {
    double time;
    swarm_work work;  // of all steps
    double kinetic;
} frame_cost;

typedef struct report {
    const dynamics_ask* ask;
    frame_cost* frames;                 // of the deformable bodies
    swarm_work manners[SWARM_MANNERS];  // of all frames
    uint32_t manner_count;
    FILE* snapshot;  // may be NULL
    double bytes_per_body;
    size_t state_bytes;  // of these
    size_t most_bytes;   // peak of the library
    double energy[2];    // of the deformable bodies, at the start and at the end
    double deepest;      // centre of a sphere in the ground, at the end
    double seconds;
} report;

static swarm_work difference(const swarm_work* a, const swarm_work* b) {
    return (swarm_work){
        .steps = a->steps - b->steps,
        .update_seconds = a->update_seconds - b->update_seconds,
        .collide_seconds = a->collide_seconds - b->collide_seconds,
        .solve_seconds = a->solve_seconds - b->solve_seconds,
        .contacts = a->contacts - b->contacts,
        .pushes = a->pushes - b->pushes,
        .sphere_tests = a->sphere_tests - b->sphere_tests,
        .spheres_updated = a->spheres_updated - b->spheres_updated,
    };
}

static double ms_a_step(double seconds, const swarm_work* w) {
    return 1e3 * seconds / (w->steps > 0 ? w->steps : 1);
}

static double collision_seconds(const swarm_work* w) {
    return w->update_seconds + w->collide_seconds;
}

static double energy_of(const simulation* s) {
    return swarm_kinetic(swarm_of(s)) + swarm_stored(swarm_of(s));
}

static bool run_frames(simulation* s, report* r, swarm_manner manner, progress* bar) {
    const uint32_t frames = r->ask->frames;
    const swarm* all = swarm_of(s);
    bool done = true;
    for (uint32_t f = 0; f < frames && done; ++f) {
        const swarm_work before = all->work;
        for (int i = 0; i < STEPS_PER_FRAME && done; ++i) {
            done = simulation_step(s);
        }
        if (manner == SWARM_DEFORMABLE) {
            r->frames[f] = (frame_cost){
                .time = all->work.steps * all->def.step_seconds,
                .work = difference(&all->work, &before),
                .kinetic = swarm_kinetic(all),
            };
        }
        progress_step(bar, (uint64_t)manner * frames + f + 1);
    }
    r->manners[manner] = all->work;
    return done;
}

static bool run_manner(report* r, swarm_manner manner, const abut_context_def* context,
                       progress* bar) {
    simulation s;
    if (!simulation_open(&s, r->ask, manner, context)) {
        return false;
    }
    const double energy = energy_of(&s);
    bool done = run_frames(&s, r, manner, bar);
    if (done && manner == SWARM_DEFORMABLE) {
        r->energy[0] = energy;
        r->energy[1] = energy_of(&s);
        r->bytes_per_body = s.chairs != NULL ? pile_bytes_per_body(s.chairs)
                                             : shoal_bytes_per_body(s.fish);
        r->state_bytes = swarm_state_bytes(swarm_of(&s));
        r->most_bytes = swarm_of(&s)->most_bytes;
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

static void print_start(const dynamics_ask* ask) {
    char number[2][NUMBER_SIZE];
    const dynamics_kind* kind = &dynamics_kinds[ask->kind];
    print_styled(STYLE_BOLD, "%s", kind->name);
    printf(": %s\n", kind->about);
    printf(
        "%s bodies of about %s triangles share one shape. Contacts between spheres that stand\n"
        "for groups of triangles give the forces; every frame has %d steps.\n\n",
        grouped(ask->bodies, number[0]), grouped(ask->triangles, number[1]), STEPS_PER_FRAME);
    fflush(stdout);
}

static void print_frames(const report* r) {
    const uint32_t count = r->ask->frames;
    const uint32_t stride = (count + MOST_ROWS - 1) / MOST_ROWS;
    table* t = table_create(
        "frame|time|contacts|sphere tests|update|collision|dynamics|kinetic energy");
    for (uint32_t f = stride - 1; f < count; f += stride) {
        const frame_cost* c = &r->frames[f];
        const uint32_t steps = c->work.steps > 0 ? c->work.steps : 1;
        table_number(t, STYLE_PLAIN, f + 1);
        table_cell(t, STYLE_PLAIN, "%.2f s", c->time);
        table_number(t, STYLE_PLAIN, c->work.contacts / steps);
        table_number(t, STYLE_PLAIN, c->work.sphere_tests / steps);
        table_cell(t, STYLE_PLAIN, "%.3f ms", ms_a_step(c->work.update_seconds, &c->work));
        table_cell(t, STYLE_PLAIN, "%.2f ms", ms_a_step(c->work.collide_seconds, &c->work));
        table_cell(t, STYLE_PLAIN, "%.2f ms", ms_a_step(c->work.solve_seconds, &c->work));
        table_cell(t, STYLE_PLAIN, "%.3g J", c->kinetic);
    }
    table_print(t, 2);
    table_destroy(t);
    printf("  (all numbers are averages per step; contacts are pairs of spheres)\n\n");
}

static void print_manners(const report* r) {
    static const char* const paper[SWARM_MANNERS] = {"2,100 ms", "1,100 ms", "1,600 ms"};
    table* t = table_create(
        "<manner|contacts|collision|dynamics|of deformable|paper, 3,601 chairs");
    for (uint32_t m = 0; m < r->manner_count; ++m) {
        const swarm_work* w = &r->manners[m];
        table_cell(t, STYLE_PLAIN, "%s", swarm_manner_name((swarm_manner)m));
        table_number(t, STYLE_PLAIN, w->contacts / (w->steps > 0 ? w->steps : 1));
        table_cell(t, STYLE_PLAIN, "%.2f ms", ms_a_step(collision_seconds(w), w));
        table_cell(t, STYLE_PLAIN, "%.2f ms", ms_a_step(w->solve_seconds, w));
        table_cell(t, STYLE_PLAIN, "%.2f",
                   collision_seconds(w) / collision_seconds(&r->manners[SWARM_DEFORMABLE]));
        table_cell(t, STYLE_PLAIN, "%s", paper[m]);
    }
    table_print(t, 2);
    table_destroy(t);
    printf(
        "  Averages per step. Collision is setting states and finding contacts. Each manner runs\n"
        "  its own simulation, as in the paper (Java, 2004).\n\n");
}

static bool is_sound(const report* r) {
    return r->ask->kind == FISH || r->energy[1] <= r->energy[0];  // the bridge adds energy
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
    const uint32_t steps = w->steps > 0 ? w->steps : 1;
    return json_pack("{s: I, s: I, s: f, s: f, s: f}", "contacts",
                     (json_int_t)(w->contacts / steps), "sphere_tests",
                     (json_int_t)(w->sphere_tests / steps), "update_ms",
                     ms_a_step(w->update_seconds, w), "collide_ms",
                     ms_a_step(w->collide_seconds, w), "dynamics_ms",
                     ms_a_step(w->solve_seconds, w));
}

static void write_json(const report* r, json_output* json) {
    json_begin(json);
    json_add(json, "abut", json_text(ABUT_VERSION_STRING));
    json_add(json, "scene", json_text(dynamics_kinds[r->ask->kind].name));
    json_add(json, "bodies", json_count(r->ask->bodies));
    json_begin_list(json, "frames");
    for (uint32_t f = 0; f < r->ask->frames; ++f) {
        json_t* frame = cost_json(&r->frames[f].work);
        json_object_set_new(frame, "frame", json_integer(f));
        json_object_set_new(frame, "time", json_real(r->frames[f].time));
        json_object_set_new(frame, "kinetic", json_real(r->frames[f].kinetic));
        json_add(json, NULL, frame);
    }
    json_end_list(json);
    json_begin_list(json, "manners");
    for (uint32_t m = 0; m < r->manner_count; ++m) {
        json_t* manner = cost_json(&r->manners[m]);
        json_object_set_new(manner, "name", json_text(swarm_manner_name((swarm_manner)m)));
        json_add(json, NULL, manner);
    }
    json_end_list(json);
    json_add(json, "summary",
             json_pack("{s: I, s: f, s: f, s: I, s: I, s: f, s: f, s: f}", "frames",
                       (json_int_t)r->ask->frames, "seconds", r->seconds, "bytes_per_body",
                       r->bytes_per_body, "state_bytes", (json_int_t)r->state_bytes, "most_bytes",
                       (json_int_t)r->most_bytes, "energy_start", r->energy[0], "energy_end",
                       r->energy[1], "deepest", r->deepest));
}

// --- the demo ----------------------------------------------------------------------------------

static int run_all(report* r, json_output* json) {
    abut_context_def context;
    threads* pool = NULL;
    r->snapshot = r->ask->snapshot != NULL ? snapshot_open(r->ask->snapshot) : NULL;
    if ((r->ask->snapshot != NULL && r->snapshot == NULL) || !json_open(json, r->ask->json) ||
        !processor_settings(r->ask->threads, &context, &pool)) {
        return EXIT_FAILED;
    }
    if (!json_takes_stdout(json)) {
        print_start(r->ask);
    }
    progress bar = progress_begin("frame", (uint64_t)r->manner_count * r->ask->frames);
    bool done = true;
    for (uint32_t m = 0; m < r->manner_count && done; ++m) {
        done = run_manner(r, (swarm_manner)m, &context, &bar);
    }
    progress_end(&bar);
    r->seconds = seconds_now() - bar.start;
    threads_stop(pool);
    if (!done) {
        return EXIT_FAILED;
    }
    write_json(r, json);
    if (!json_takes_stdout(json)) {
        print_report(r);
    }
    if (!json_close(json)) {
        return EXIT_FAILED;
    }
    return is_sound(r) ? EXIT_NOTHING : EXIT_FOUND;
}

int dynamics_demo(const dynamics_ask* ask) {
    dynamics_ask full = *ask;
    const dynamics_kind* kind = &dynamics_kinds[ask->kind];
    full.bodies = ask->bodies > 0 ? ask->bodies : kind->default_bodies;
    full.triangles = ask->triangles > 0 ? ask->triangles : kind->default_triangles;
    full.frames = ask->frames > 0 ? ask->frames : kind->default_frames;
    report r = {.ask = &full, .manner_count = ask->kind == CHAIRS ? SWARM_MANNERS : 1};
    json_output json = {0};
    r.frames = allocate(full.frames, sizeof *r.frames);
    const int code = run_all(&r, &json);
    json_drop(&json);         // no-op after success
    output_drop(r.snapshot);  // the same
    free(r.frames);
    return code;
}
