// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut demo: a scene that is built in, checked frame by frame and explained.
#include "cli/command.h"
#include "cli/demo_dynamics.h"
#include "cli/demo_report.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/processor.h"
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES, FRAMES, BODIES, SEED, LIST, JSON, SNAPSHOT, THREADS, OPTIONS };

static const option_spec options[OPTIONS] = {
    [TRIANGLES] = {"triangles", OPTION_WHOLE, "N",
                   "about so many triangles in what moves\n"
                   "[the scene's: see --list]"},
    [FRAMES] = {"frames", OPTION_WHOLE, "N",
                "spread the motion over N frames\n"
                "[the scene's: see --list]"},
    [BODIES] = {"bodies", OPTION_WHOLE, "N",
                "so many chairs or fish, in 'chairs' and 'shoal'\n"
                "[see --list]"},
    [SEED] = {"seed", OPTION_WHOLE, "N", "other folds, waves and places [1]"},
    [LIST] = {"list", OPTION_FLAG, NULL, "list the scenes"},
    [JSON] = {"json", OPTION_TEXT, "FILE",
              "write what was found to FILE, as 'abut check' does;\n"
              "- is the standard output"},
    [SNAPSHOT] = {"snapshot", OPTION_TEXT, "FILE",
                  "write the last frame of 'chairs' or 'shoal' to FILE,\n"
                  "as PLY"},
    [THREADS] = THREADS_OPTION,
};

static int list_scenes(void) {
    size_t count = 0;
    const scene_kind* kinds = scene_kinds(&count);
    table* t = table_create("<scene|bodies|triangles|fields|frames|<what happens");
    for (size_t i = 0; i < count; ++i) {
        table_cell(t, STYLE_BOLD, "%s", kinds[i].name);
        table_cell(t, STYLE_PLAIN, " ");
        table_number(t, STYLE_PLAIN, kinds[i].default_triangles);
        if (kinds[i].default_fields != 0) {
            table_number(t, STYLE_PLAIN, kinds[i].default_fields);
        } else {
            table_cell(t, STYLE_FAINT, "-");
        }
        table_number(t, STYLE_PLAIN, kinds[i].default_frames);
        table_cell(t, STYLE_PLAIN, "%s", kinds[i].about);
    }
    for (size_t i = 0; i < DYNAMICS_KINDS; ++i) {
        table_cell(t, STYLE_BOLD, "%s", dynamics_kinds[i].name);
        table_number(t, STYLE_PLAIN, dynamics_kinds[i].default_bodies);
        table_number(t, STYLE_PLAIN, dynamics_kinds[i].default_triangles);
        table_number(t, STYLE_PLAIN, dynamics_kinds[i].fields);
        table_number(t, STYLE_PLAIN, dynamics_kinds[i].default_frames);
        table_cell(t, STYLE_PLAIN, "%s", dynamics_kinds[i].about);
    }
    table_print(t, 0);
    table_destroy(t);
    printf(
        "\nSurfaces with fields are deformed by a coordinate for each field: only what comes near\n"
        "something is moved. All others are given all their positions in every frame.\n");
    return EXIT_NOTHING;
}

static const scene_kind* find_kind(const char* name) {
    const char* words[64];
    size_t count = 0;
    const scene_kind* kinds = scene_kinds(&count);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
        words[i < 64 ? i : 63] = kinds[i].name;
    }
    count = count < 64 - DYNAMICS_KINDS ? count : 64 - DYNAMICS_KINDS;
    for (size_t i = 0; i < DYNAMICS_KINDS; ++i) {
        words[count++] = dynamics_kinds[i].name;
    }
    const char* near = nearest_word(name, words, count);
    if (near != NULL) {
        complain("there is no scene '%s'; did you mean '%s'?", name, near);
    } else {
        complain("there is no scene '%s'; 'abut demo --list' shows them", name);
    }
    return NULL;
}

// bodies that follow nodes are given their positions
static bool is_modal(const scene_body* b) {
    return b->reduced && b->node_count == 0;
}

static surface surface_of(const scene_body* b, const double* positions) {
    return (surface){.name = b->name,
                     .positions = positions,
                     .vertex_count = b->vertex_count,
                     .triangles = b->triangles,
                     .triangle_count = b->triangle_count,
                     .modal = is_modal(b),
                     .field_count = is_modal(b) ? b->field_count : 0,
                     .fields = b->fields};
}

// instances of one thing share their arrays: so they share a shape
static bool add_body(demo* d, uint32_t i) {
    const scene_body* b = scene_get_body(d->scene, i);
    const surface s = surface_of(b, b->rest);
    for (uint32_t k = 0; k < i; ++k) {
        const scene_body* other = scene_get_body(d->scene, k);
        if (other->rest == b->rest && other->triangles == b->triangles &&
            other->fields == b->fields) {
            return world_add_like(&d->w, k, b->name, !b->moves);
        }
    }
    return world_add(&d->w, &s, !b->moves);
}

static json_t* body_json(const demo* d, uint32_t i, const abut_mesh_health* health) {
    const scene_body* b = scene_get_body(d->scene, i);
    const abut_motion motion = abut_shape_motion(abut_body_shape(d->w.scene, d->w.bodies[i]));
    json_t* json = json_object();
    json_object_set_new(json, "name", json_text(b->name));
    json_object_set_new(json, "motion", json_text(motion_name(motion)));
    if (motion == ABUT_MOTION_MODAL) {
        json_object_set_new(json, "fields", json_count(b->field_count));
    }
    json_object_set_new(json, "vertices", json_count(health->vertices));
    json_object_set_new(json, "triangles", json_count(health->triangles));
    json_object_set_new(json, "classes", json_count(health->classes));
    return json;
}

static bool add_bodies(demo* d, json_output* json) {
    json_begin(json);
    json_add(json, "abut", json_text(ABUT_VERSION_STRING));
    json_add(json, "scene", json_text(d->kind->name));
    json_begin_list(json, "objects");
    for (uint32_t i = 0; i < scene_body_count(d->scene); ++i) {
        const scene_body* b = scene_get_body(d->scene, i);
        abut_mesh_health health;
        abut_tree_stats tree;
        if (!add_body(d, i) || !world_inspect(&d->w, i, b->name, &health, &tree)) {
            return false;
        }
        d->blocks += tree.blocks;
        d->lazy = d->lazy || is_modal(b);
        d->moving_vertices += b->moves ? b->vertex_count : 0;
        json_add(json, NULL, body_json(d, i, &health));
    }
    json_end_list(json);
    return true;
}

// the next state of a body; `room` holds all positions of the largest. Returns the seconds that
// giving it to the library took, or a number below 0 after a sentence.
static double move_body(demo* d, uint32_t i, uint32_t frame, double* room) {
    const scene_body* b = scene_get_body(d->scene, i);
    const surface s = surface_of(b, room);
    abut_frame place = abut_frame_identity();
    if (is_modal(b)) {
        scene_coordinates(d->scene, i, frame, room);
        scene_frame(d->scene, i, frame, place.r, place.t);
    } else {
        scene_positions(d->scene, i, frame, room);
    }
    const double start = seconds_now();
    const bool moved = is_modal(b) ? world_deform(&d->w, i, &s, room, &place)
                                   : world_move(&d->w, i, &s);
    return moved ? seconds_now() - start : -1;
}

// the states of all that moves
static bool move_bodies(demo* d, uint32_t frame, double* room) {
    for (uint32_t i = 0; i < scene_body_count(d->scene); ++i) {
        const double seconds = scene_get_body(d->scene, i)->moves ? move_body(d, i, frame, room)
                                                                  : 0;
        if (seconds < 0) {
            return false;
        }
        d->work_seconds += seconds;
    }
    return true;
}

// where the construction of a frame tells the answer, compare
static void compare(demo* d, uint32_t frame) {
    uint32_t expected = 0;
    if (scene_expected_pairs(d->scene, frame, &expected)) {
        const frame_record* f = &d->found.frames[d->found.frame_count - 1];
        ++d->known;
        d->known_right += expected == (scene_body_count(d->scene) == 1 ? f->self : f->between);
    }
}

static bool check_frames(demo* d, json_output* json, double* room) {
    const uint32_t count = scene_frame_count(d->scene);
    progress bar = progress_begin("frame", count);
    bool done = true;
    json_begin_list(json, "frames");
    for (uint32_t frame = 0; frame < count && done; ++frame) {
        abut_counters work = {0};
        done = move_bodies(d, frame, room);
        const double start = seconds_now();
        done = done && world_ask(&d->w, &d->ask, &work);
        d->work_seconds += seconds_now() - start;
        d->first_seconds = frame == 0 ? d->work_seconds : d->first_seconds;
        if (done) {
            history_add(&d->found, &d->w, &d->ask, frame, &work);
            compare(d, frame);
        }
        if (done && json->file != NULL) {
            json_add(json, NULL,
                     world_frame_json(&d->w, &d->ask, frame, (double)frame / 30, &work, false));
        }
        progress_step(&bar, frame + 1);
    }
    progress_end(&bar);
    json_end_list(json);
    d->seconds = seconds_now() - bar.start;
    return done;
}

static bool run_scene(demo* d, json_output* json) {
    uint32_t largest = 0;
    for (uint32_t i = 0; i < scene_body_count(d->scene); ++i) {
        const scene_body* b = scene_get_body(d->scene, i);
        largest = b->vertex_count > largest ? b->vertex_count : largest;
        largest = b->field_count > largest ? b->field_count : largest;
    }
    d->ask = (question){.between = scene_body_count(d->scene) > 1, .self = true};
    if (!add_bodies(d, json)) {
        return false;
    }
    double* room = allocate(3 * (size_t)largest, sizeof *room);
    const bool done = check_frames(d, json, room);
    free(room);
    json_add(json, "summary",
             json_pack("{s: I, s: I, s: f}", "frames", (json_int_t)d->found.frame_count,
                       "frames_touching", (json_int_t)d->found.frames_touching, "seconds",
                       d->seconds));
    return done && json_close(json);
}

static int work(const arguments* given, demo* d, json_output* json) {
    const option_value* v = given->values;
    if (given->plain_count > 1) {
        return complain("demo shows one scene at a time");
    }
    d->kind = find_kind(given->plain_count == 1 ? given->plain[0] : "tablecloth");
    if (d->kind == NULL || !world_open(&d->w, v[THREADS].first) || !json_open(json, v[JSON].text)) {
        return EXIT_FAILED;
    }
    const bool print = !json_takes_stdout(json);
    d->triangles = v[TRIANGLES].given ? v[TRIANGLES].first : d->kind->default_triangles;
    d->scene = scene_create(d->kind->name, d->triangles, v[FRAMES].first,
                            v[SEED].given ? v[SEED].first : 1);
    if (d->scene == NULL) {
        return complain("the scene '%s' does not fit in memory; ask for fewer --triangles",
                        d->kind->name);
    }
    if (print) {
        print_demo_start(d);
    }
    if (!run_scene(d, json)) {
        return EXIT_FAILED;
    }
    if (print) {
        print_demo_report(d);
    }
    return d->known == d->known_right ? EXIT_NOTHING : EXIT_FOUND;
}

// DYNAMICS_KINDS if the arguments name no demo of dynamics
static uint32_t dynamics_kind_of(const arguments* given) {
    uint32_t kind = 0;
    while (kind < DYNAMICS_KINDS &&
           (given->plain_count != 1 || strcmp(dynamics_kinds[kind].name, given->plain[0]) != 0)) {
        ++kind;
    }
    return kind;
}

static int run(const arguments* given) {
    const option_value* v = given->values;
    demo d = {0};
    json_output json = {0};
    if (v[LIST].given) {
        return list_scenes();
    }
    const uint32_t kind = dynamics_kind_of(given);
    if (kind < DYNAMICS_KINDS) {
        return dynamics_demo(&(dynamics_ask){
            .kind = kind,
            .bodies = v[BODIES].first,
            .triangles = v[TRIANGLES].first,
            .frames = v[FRAMES].first,
            .seed = v[SEED].given ? v[SEED].first : 1,
            .threads = v[THREADS].first,
            .json = v[JSON].text,
            .snapshot = v[SNAPSHOT].text,
        });
    }
    if (v[BODIES].given || v[SNAPSHOT].given) {
        return complain("--%s is only for the scenes 'chairs' and 'shoal'",
                        v[BODIES].given ? "bodies" : "snapshot");
    }
    const int code = work(given, &d, &json);
    if (json.file != NULL && json.file != stdout) {
        fclose(json.file);  // only after a failure
    }
    history_free(&d.found);
    world_close(&d.w);
    scene_destroy(d.scene);
    return code;
}

const command demo_command = {
    .name = "demo",
    .summary = "check a built-in scene and explain what was found",
    .usage = "demo [SCENE] [options]",
    .about =
        "Builds a scene of deforming surfaces, asks in every frame which triangles touch,\n"
        "and shows how little work that took. The scene is tablecloth unless you name\n"
        "another. In the scenes 'chairs' and 'shoal' bodies push each other.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut demo\n"
        "abut demo fish                              what deforms by fields\n"
        "abut demo curtain --triangles 100000 --frames 30\n"
        "abut demo chairs --bodies 500 --snapshot pile.ply",
    .exits =
        "0 it ran, 1 an answer differs from one that the scene's construction tells,\n"
        "or falling bodies gained energy, 2 it could not run",
    .run = run,
};
