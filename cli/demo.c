// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut demo: checks a built-in scene frame by frame and explains the result.
#include "cli/command.h"
#include "cli/demo_dynamics.h"
#include "cli/demo_report.h"
#include "cli/demo_tear.h"
#include "cli/json.h"
#include "cli/labels.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/processor.h"
#include "cli/progress.h"
#include "cli/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BETWEEN,
    SELF,
    TRIANGLES,
    FRAMES,
    NODES,
    CONTACT,
    BODIES,
    BRIDGE,
    SEED,
    LIST,
    JSON,
    CSV,
    HTML,
    SNAPSHOT,
    CHECKPOINT,
    RESUME,
    VERBOSE,
    THREADS,
    OPTIONS
};

static const option_spec options[OPTIONS] = {
    [BETWEEN] = {"between", OPTION_FLAG, NULL, "look for contact between surfaces"},
    [SELF] = {"self", OPTION_FLAG, NULL,
              "look for contact within each surface, between\n"
              "triangles that share no vertex\n"
              "[both, if neither is given]"},
    [TRIANGLES] = {"triangles", OPTION_WHOLE, "N",
                   "about N triangles in the moving bodies\n"
                   "[the scene's: see --list]"},
    [FRAMES] = {"frames", OPTION_WHOLE, "N",
                "spread the motion over N frames\n"
                "[the scene's: see --list]"},
    [NODES] = {"nodes", OPTION_WHOLE, "N",
               "about N nodes move each body, in 'brain', 'fishes',\n"
               "'ring', 'soft_fishes' and 'soft_ring'\n"
               "[the scene's: see --list]"},
    [CONTACT] = {"contact", OPTION_TEXT, "HOW",
                 "none, small, large or pressed: how much bodies touch,\n"
                 "in the same scenes [small]"},
    [BODIES] = {"bodies", OPTION_WHOLE, "N",
                "N chairs or fish, in 'chairs' and 'shoal'\n"
                "[see --list]"},
    [BRIDGE] = {"bridge", OPTION_WHOLE, "N", "about N triangles in the bridge of 'shoal' [60000]"},
    [SEED] = {"seed", OPTION_WHOLE, "N", "seed of the random folds, waves and positions [1]"},
    [LIST] = {"list", OPTION_FLAG, NULL, "list the scenes"},
    [JSON] = {"json", OPTION_TEXT, "FILE",
              "write what was found to FILE, as 'abut check' does;\n"
              "- is the standard output"},
    [CSV] = {"csv", OPTION_TEXT, "FILE",
             "write a row for every step of 'chairs' or 'shoal' to\n"
             "FILE: times, contacts, memory, energy"},
    [HTML] = {"html", OPTION_TEXT, "FILE",
              "write a report to FILE: a page that shows the scene in\n"
              "motion and where it touches, for any browser;\n"
              "- is the standard output"},
    [SNAPSHOT] = {"snapshot", OPTION_TEXT, "FILE",
                  "write the last frame of 'chairs', 'shoal' or 'tear' to\n"
                  "FILE, as PLY"},
    [CHECKPOINT] = {"checkpoint", OPTION_TEXT, "FILE",
                    "save 'chairs' or 'shoal' to FILE, a new file, about twice\n"
                    "a minute, so that --resume can go on from there"},
    [RESUME] = {"resume", OPTION_TEXT, "FILE",
                "go on with 'chairs' or 'shoal' from a checkpoint, up to\n"
                "--frames, and save to it again"},
    [VERBOSE] = {"verbose", OPTION_FLAG, NULL,
                 "also report the work, in the table and the JSON:\n"
                 "times and counters ('chairs', 'shoal' and 'tear' always\n"
                 "do)"},
    [THREADS] = THREADS_OPTION,
};

static void add_number_or_dash(table* t, uint32_t number) {
    if (number != 0) {
        table_number(t, STYLE_PLAIN, number);
    } else {
        table_cell(t, STYLE_FAINT, "-");
    }
}

static int list_scenes(void) {
    size_t count = 0;
    const scene_kind* kinds = scene_kinds(&count);
    table* t = table_create("<scene|bodies|triangles|fields|nodes|frames|<what happens");
    for (size_t i = 0; i < count; ++i) {
        table_cell(t, STYLE_BOLD, "%s", kinds[i].name);
        table_cell(t, STYLE_PLAIN, " ");
        table_number(t, STYLE_PLAIN, kinds[i].default_triangles);
        add_number_or_dash(t, kinds[i].default_fields);
        add_number_or_dash(t, kinds[i].default_nodes);
        table_number(t, STYLE_PLAIN, kinds[i].default_frames);
        table_cell(t, STYLE_PLAIN, "%s", kinds[i].about);
    }
    for (size_t i = 0; i < DYNAMICS_KINDS; ++i) {
        table_cell(t, STYLE_BOLD, "%s", dynamics_kinds[i].name);
        table_number(t, STYLE_PLAIN, dynamics_kinds[i].default_bodies);
        table_number(t, STYLE_PLAIN, dynamics_kinds[i].default_triangles);
        table_number(t, STYLE_PLAIN, dynamics_kinds[i].fields);
        add_number_or_dash(t, 0);
        table_number(t, STYLE_PLAIN, dynamics_kinds[i].default_frames);
        table_cell(t, STYLE_PLAIN, "%s", dynamics_kinds[i].about);
    }
    table_cell(t, STYLE_BOLD, TEAR_NAME);
    table_cell(t, STYLE_PLAIN, " ");
    table_number(t, STYLE_PLAIN, TEAR_TRIANGLES);
    add_number_or_dash(t, 0);
    table_number(t, STYLE_PLAIN, TEAR_NODES);
    table_number(t, STYLE_PLAIN, TEAR_FRAMES);
    table_cell(t, STYLE_PLAIN, TEAR_ABOUT);
    table_print(t, 0);
    table_destroy(t);
    printf(
        "\nSurfaces with fields are deformed by one coordinate per field, surfaces with nodes "
        "by\n"
        "one transform per node, as skin by bones: only vertices near a possible contact are\n"
        "computed. All other surfaces get all their positions in every frame.\n");
    return EXIT_NOTHING;
}

// the names of all demos
static const char* demo_word(size_t index) {
    size_t count = 0;
    const scene_kind* kinds = scene_kinds(&count);
    if (index < count) {
        return kinds[index].name;
    }
    index -= count;
    return index == 0 ? TEAR_NAME : index <= DYNAMICS_KINDS ? dynamics_kinds[index - 1].name : NULL;
}

static const scene_kind* find_kind(const char* name) {
    const char* words[64];
    size_t count = 0;
    const scene_kind* kinds = scene_kinds(&count);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    for (count = 0; count < 64 && demo_word(count) != NULL; ++count) {
        words[count] = demo_word(count);
    }
    const char* near = nearest_word(name, words, count);
    if (near != NULL) {
        complain("there is no scene '%s'; did you mean '%s'?", name, near);
    } else {
        complain("there is no scene '%s'; 'abut demo --list' shows them", name);
    }
    return NULL;
}

static abut_motion motion_of(const scene_body* b) {
    return b->node_count > 0 ? ABUT_MOTION_BLEND
           : b->reduced      ? ABUT_MOTION_MODAL
                             : ABUT_MOTION_FREE;
}

static surface surface_of(const scene_body* b, const double* positions) {
    return (surface){
        .name = b->name,
        .positions = positions,
        .vertex_count = b->vertex_count,
        .triangles = b->triangles,
        .triangle_count = b->triangle_count,
        .motion = motion_of(b),
        .field_count = b->reduced ? b->field_count : 0,
        .fields = b->fields,
        .weights = {.node_count = b->node_count,
                    .first = b->weight_first,
                    .nodes = b->weight_nodes,
                    .values = b->weights,
                    .type = ABUT_SCALAR_F32},
    };
}

// adds a body; instances, which share their arrays, also share a shape
static bool add_body(demo* d, uint32_t i) {
    const scene_body* b = scene_get_body(d->scene, i);
    const surface s = surface_of(b, b->rest);
    for (uint32_t k = 0; k < i; ++k) {
        const scene_body* other = scene_get_body(d->scene, k);
        if (other->rest == b->rest && other->triangles == b->triangles &&
            other->fields == b->fields && other->weights == b->weights) {
            return world_add_like(&d->w, k, b->name, !b->moves);
        }
    }
    return world_add(&d->w, &s, !b->moves);
}

static json_t* body_json(const demo* d, uint32_t i, const abut_mesh_info* health) {
    const scene_body* b = scene_get_body(d->scene, i);
    const abut_motion motion = abut_shape_motion(abut_body_shape(d->w.scene, d->w.bodies[i]));
    json_t* json = json_object();
    json_object_set_new(json, "name", json_text(b->name));
    json_object_set_new(json, "motion", json_text(motion_name(motion)));
    if (motion != ABUT_MOTION_FREE) {
        json_object_set_new(json, "fields", json_count(b->field_count));
    }
    if (motion == ABUT_MOTION_BLEND) {
        json_object_set_new(json, "nodes", json_count(b->node_count));
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
        abut_mesh_info health;
        abut_tree_info tree;
        if (!add_body(d, i) || !world_inspect(&d->w, i, b->name, &health, &tree)) {
            return false;
        }
        d->blocks += tree.blocks;
        d->lazy = d->lazy || b->reduced;
        d->moving_vertices += b->moves ? b->vertex_count : 0;
        json_add(json, NULL, body_json(d, i, &health));
    }
    json_end_list(json);
    return true;
}

// upper bound of the numbers of a body's state
static size_t state_size(const scene_body* b) {
    const size_t positions = 3 * (size_t)b->vertex_count;
    const size_t reduced = b->field_count + 12 * (size_t)b->node_count;
    return positions > reduced ? positions : reduced;
}

// Sets the next state of a body; `room` is large enough for any body. Returns the seconds spent in
// the library, or a number below 0 after an error message.
static double move_body(demo* d, uint32_t i, uint32_t frame, double* room) {
    const scene_body* b = scene_get_body(d->scene, i);
    const surface s = surface_of(b, room);
    double* transforms = room + b->field_count;
    state now = {.coordinates = room, .transforms = transforms};
    if (b->reduced) {
        scene_coordinates(d->scene, i, frame, room);
        scene_transforms(d->scene, i, frame, transforms);
        scene_frame(d->scene, i, frame, now.frame.r, now.frame.t);
    } else {
        scene_positions(d->scene, i, frame, room);
    }
    const double start = seconds_now();
    const bool moved = b->reduced ? world_deform(&d->w, i, &s, &now) : world_move(&d->w, i, &s);
    return moved ? seconds_now() - start : -1;
}

// Creates a body that appears in this frame, or destroys one that vanishes. Returns the seconds
// spent in the library, or a number below 0 after an error message.
static double exchange_body(demo* d, uint32_t i, uint32_t frame, double* room) {
    const scene_body* b = scene_get_body(d->scene, i);
    const surface s = surface_of(b, room);
    const bool appears = scene_present(d->scene, i, frame);
    if (appears) {
        scene_positions(d->scene, i, frame, room);
    }
    const double start = seconds_now();
    const bool done = appears ? world_put_back(&d->w, i, &s, !b->moves) : world_remove(&d->w, i);
    d->exchanged += frame > 0;
    return done ? seconds_now() - start : -1;
}

// sets the state of a body, or creates or destroys it
static double update_body(demo* d, uint32_t i, uint32_t frame, double* room) {
    if (scene_present(d->scene, i, frame) != world_has(&d->w, i)) {
        return exchange_body(d, i, frame, room);
    }
    return scene_get_body(d->scene, i)->moves && world_has(&d->w, i) ? move_body(d, i, frame, room)
                                                                     : 0;
}

// updates all bodies
static bool move_bodies(demo* d, uint32_t frame, double* room) {
    for (uint32_t i = 0; i < scene_body_count(d->scene); ++i) {
        const double seconds = update_body(d, i, frame, room);
        if (seconds < 0) {
            return false;
        }
        d->work_seconds += seconds;
    }
    return true;
}

// compares the answer with that known from the construction, if any
static void compare(demo* d, uint32_t frame) {
    uint32_t expected = 0;
    const bool one = scene_body_count(d->scene) == 1;
    if ((one ? d->ask.self : d->ask.between) && scene_expected_pairs(d->scene, frame, &expected)) {
        const frame_record* f = &d->found.frames[d->found.frame_count - 1];
        ++d->known;
        d->known_right += expected == (one ? f->self : f->between);
    }
}

// runs the two queries one after the other, to count the blocks that each opens
static bool ask(demo* d, abut_counters* work) {
    question first = d->ask;
    question second = d->ask;
    first.self = false;
    second.between = second.depth = false;
    const bool done = world_ask(&d->w, &first, work);
    d->blocks_between += work->blocks_evaluated;
    return done && world_ask(&d->w, &second, work);
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
        done = done && ask(d, &work);
        d->work_seconds += seconds_now() - start;
        d->first_seconds = frame == 0 ? d->work_seconds : d->first_seconds;
        if (done) {
            findings_take(&d->now, &d->w, &d->ask);
            verdict_add(&d->said, &d->now);
            const frame_record record = history_record(&d->w, &d->ask, &d->now, frame, &work);
            history_add(&d->found, &record, &d->ask, &d->now);
            compare(d, frame);
            if (d->report != NULL) {
                report_frame(d->report, &d->w, &d->ask, frame, &d->now, &work);
            }
        }
        if (done && json->file != NULL) {
            json_add(json, NULL,
                     world_frame_json(&d->w, &d->ask, &d->now, frame, (double)frame / 30,
                                      d->verbose ? &work : NULL, false));
        }
        progress_step(&bar, frame + 1);
    }
    progress_end(&bar);
    json_end_list(json);
    d->seconds = seconds_now() - bar.start;
    return done;
}

// bodies of a scene may have equal names; free with labels_free()
static char** label_bodies(const demo* d) {
    const uint32_t count = scene_body_count(d->scene);
    const char** names = allocate(count + 1, sizeof *names);
    for (uint32_t i = 0; i < count; ++i) {
        names[i] = scene_get_body(d->scene, i)->name;
    }
    char** labels = labels_make(names, count);
    free(names);
    return labels;
}

static void name_bodies(demo* d) {
    const uint32_t count = scene_body_count(d->scene);
    char** labels = label_bodies(d);
    for (uint32_t i = 0; i < count && d->report != NULL; ++i) {
        report_name(d->report, labels[i]);
    }
    labels_free(labels, count);
}

static json_t* summary_json(const demo* d) {
    char text[VERDICT_SIZE];
    char** labels = label_bodies(d);
    json_t* summary = json_pack("{s: I, s: I}", "frames", (json_int_t)d->found.frame_count,
                                "frames_touching", (json_int_t)d->found.frames_touching);
    json_object_set_new(summary, "verdict",
                        json_text(
                            verdict_text(&d->said, &d->ask, (const char* const*)labels, text)));
    if (d->verbose) {
        json_object_set_new(summary, "seconds", json_real(d->seconds));
    }
    labels_free(labels, scene_body_count(d->scene));
    return summary;
}

static bool open_report(demo* d, const char* path) {
    if (path == NULL) {
        return true;
    }
    d->ask.shared = true;
    d->report = report_open(&(report_def){
        .path = path,
        .title = d->kind->name,
        .frames = scene_frame_count(d->scene),
        .fps = 30,
        .up = 'z',
        .work = d->verbose,
    });
    name_bodies(d);
    return d->report != NULL;
}

static bool run_scene(demo* d, json_output* json) {
    size_t largest = 0;
    for (uint32_t i = 0; i < scene_body_count(d->scene); ++i) {
        const size_t size = state_size(scene_get_body(d->scene, i));
        largest = size > largest ? size : largest;
    }
    progress bar = progress_begin_on("building trees of", d->kind->name);
    const bool added = add_bodies(d, json);
    progress_end(&bar);
    if (!added) {
        return false;
    }
    double* room = allocate(largest, sizeof *room);
    const bool done = check_frames(d, json, room);
    free(room);
    json_add(json, "summary", summary_json(d));
    return done && json_close(json);
}

static const char* const contact_names[] = {
    [SCENE_CONTACT_SMALL] = "small",
    [SCENE_CONTACT_NONE] = "none",
    [SCENE_CONTACT_LARGE] = "large",
    [SCENE_CONTACT_PRESSED] = "pressed",
};
enum { CONTACTS = sizeof contact_names / sizeof *contact_names };

// takes the options of bodies that follow nodes; false after an error message
static bool take_node_options(const option_value* v, const scene_kind* kind,
                              scene_options* wishes) {
    static const char* const names[] = {"brain", "fishes", "ring", "soft_fishes", "soft_ring"};
    bool soft = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        soft = soft || strcmp(kind->name, names[i]) == 0;
    }
    if ((v[NODES].given || v[CONTACT].given) && !soft) {
        complain(
            "--%s is only for the scenes 'brain', 'fishes', 'ring', 'soft_fishes' and 'soft_ring'",
            v[NODES].given ? "nodes" : "contact");
        return false;
    }
    uint32_t how = 0;
    while (v[CONTACT].given && how < CONTACTS && strcmp(v[CONTACT].text, contact_names[how]) != 0) {
        ++how;
    }
    if (how == CONTACTS) {
        complain("--contact is none, small, large or pressed, not '%s'", v[CONTACT].text);
        return false;
    }
    wishes->nodes = v[NODES].first;
    wishes->contact = (scene_contact)how;
    return true;
}

// whether a scene presses closed bodies into each other
static bool is_about_depth(const char* name) {
    static const char* const names[] = {"combs", "peg", "links", "cushion", "pressed", "blobs"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        found = found || strcmp(name, names[i]) == 0;
    }
    return found;
}

// chooses the question; false after an error message
static bool take_question(const option_value* v, demo* d) {
    const bool both = v[BETWEEN].given == v[SELF].given;
    const bool many = scene_body_count(d->scene) > 1;
    d->ask.between = many && (both || v[BETWEEN].given);
    d->ask.self = both || v[SELF].given;
    d->w.certifies = d->ask.self;  // to show what they save
    d->ask.depth = d->ask.between && is_about_depth(d->kind->name);
    if (!d->ask.between && !d->ask.self) {
        complain("the scene '%s' is one surface: leave out --between", d->kind->name);
        return false;
    }
    return true;
}

static int work(const arguments* given, demo* d, json_output* json) {
    const option_value* v = given->values;
    if (given->plain_count > 1) {
        return complain("demo shows one scene at a time");
    }
    scene_options wishes = {.frames = v[FRAMES].first, .seed = v[SEED].given ? v[SEED].first : 1};
    d->kind = find_kind(given->plain_count == 1 ? given->plain[0] : "tablecloth");
    if (d->kind == NULL || !take_node_options(v, d->kind, &wishes) || !json_claim(v[JSON].text) ||
        !output_claim_report("html", v[HTML].text) || !world_open(&d->w, v[THREADS].first) ||
        !json_open(json, v[JSON].text)) {
        return EXIT_FAILED;
    }
    const bool print = !json_takes_stdout(json) && !output_is_stdout(v[HTML].text);
    d->verbose = v[VERBOSE].given;
    d->triangles = v[TRIANGLES].given ? v[TRIANGLES].first : d->kind->default_triangles;
    wishes.triangles = d->triangles;
    progress bar = progress_begin_on("making", d->kind->name);
    d->scene = scene_create_with(d->kind->name, &wishes);
    progress_end(&bar);
    if (d->scene == NULL) {
        return complain("the scene '%s' does not fit in memory; ask for fewer --triangles",
                        d->kind->name);
    }
    if (!take_question(v, d) || !open_report(d, v[HTML].text)) {
        return EXIT_FAILED;
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
    report* finished = d->report;
    d->report = NULL;
    if (!report_close(finished, print)) {
        return EXIT_FAILED;
    }
    return d->known == d->known_right ? EXIT_NOTHING : EXIT_FOUND;
}

// the kind of dynamics that the arguments name, or DYNAMICS_KINDS
static uint32_t dynamics_kind_of(const arguments* given) {
    uint32_t kind = 0;
    while (kind < DYNAMICS_KINDS &&
           (given->plain_count != 1 || strcmp(dynamics_kinds[kind].name, given->plain[0]) != 0)) {
        ++kind;
    }
    return kind;
}

// refuses options of the catalogue's scenes; false after an error message
static bool has_only_common_options(const option_value* v) {
    static const int foreign[] = {BETWEEN, SELF, NODES, CONTACT, HTML};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i) {
        if (v[foreign[i]].given) {
            complain("--%s is not for the scenes 'chairs', 'shoal' and 'tear'",
                     options[foreign[i]].name);
            return false;
        }
    }
    return true;
}

static int run(const arguments* given) {
    const option_value* v = given->values;
    demo d = {0};
    json_output json = {0};
    if (v[LIST].given) {
        return list_scenes();
    }
    const uint32_t kind = dynamics_kind_of(given);
    const bool tears = given->plain_count == 1 && strcmp(given->plain[0], TEAR_NAME) == 0;
    if ((kind < DYNAMICS_KINDS || tears) && !has_only_common_options(v)) {
        return EXIT_FAILED;
    }
    if (v[CHECKPOINT].given && v[RESUME].given) {
        return complain("--resume saves to its own file: leave out --checkpoint");
    }
    if (v[BRIDGE].given && kind != DYNAMICS_SHOAL) {
        return complain("--bridge is only for the scene 'shoal'");
    }
    if (kind < DYNAMICS_KINDS) {
        return dynamics_demo(&(dynamics_ask){
            .kind = kind,
            .bodies = v[BODIES].first,
            .triangles = v[TRIANGLES].first,
            .frames = v[FRAMES].first,
            .bridge = v[BRIDGE].first,
            .seed = v[SEED].first,
            .threads = v[THREADS].first,
            .json = v[JSON].text,
            .csv = v[CSV].text,
            .snapshot = v[SNAPSHOT].text,
            .checkpoint = v[CHECKPOINT].text,
            .resume = v[RESUME].text,
        });
    }
    if (v[CHECKPOINT].given || v[RESUME].given) {
        return complain("--checkpoint and --resume are only for the scenes 'chairs' and 'shoal'");
    }
    if (v[CSV].given) {
        return complain("--csv is only for the scenes 'chairs' and 'shoal'");
    }
    if (v[BODIES].given) {
        return complain("--bodies is only for the scenes 'chairs' and 'shoal'");
    }
    if (tears) {
        return tear_demo(&(tear_ask){
            .triangles = v[TRIANGLES].first,
            .frames = v[FRAMES].first,
            .seed = v[SEED].given ? v[SEED].first : 1,
            .threads = v[THREADS].first,
            .json = v[JSON].text,
            .snapshot = v[SNAPSHOT].text,
        });
    }
    if (v[SNAPSHOT].given) {
        return complain("--snapshot is only for the scenes 'chairs', 'shoal' and 'tear'");
    }
    const int code = work(given, &d, &json);
    json_drop(&json);       // no-op after success
    report_drop(d.report);  // no-op after success
    history_free(&d.found);
    findings_free(&d.now);
    verdict_free(&d.said);
    world_close(&d.w);
    scene_destroy(d.scene);
    return code;
}

const command demo_command = {
    .name = "demo",
    .summary = "check a built-in scene and explain what was found",
    .usage = "demo [SCENE] [options]",
    .about =
        "Builds a scene of deforming surfaces, finds in every frame which triangles touch,\n"
        "and shows how little work that took. The default scene is tablecloth. In the scenes\n"
        "'chairs' and 'shoal' bodies push each other; in 'tear' the mesh itself changes.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut demo\n"
        "abut demo fish                              bodies that deform by fields\n"
        "abut demo ring --between                    bodies that follow nodes\n"
        "abut demo curtain --triangles 100000 --frames 30\n"
        "abut demo chairs --bodies 500 --snapshot pile.ply\n"
        "abut demo chairs --bodies 3601 --frames 1000 --checkpoint pile.state\n"
        "abut demo chairs --resume pile.state --frames 2000",
    .exits =
        "0 it ran, 1 something was wrong (an answer differs from the one known from\n"
        "the construction of the scene, or from that of a newly built shape; or falling bodies\n"
        "gained energy), 2 it could not run",
    .run = run,
    .word = demo_word,
};
