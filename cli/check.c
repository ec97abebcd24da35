// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut check: finds which triangles of the objects touch, frame by frame.
#define _POSIX_C_SOURCE 200809L
#include "cli/check_objects.h"
#include "cli/check_page.h"
#include "cli/check_report.h"
#include "cli/check_shared.h"
#include "cli/command.h"
#include "cli/contact_files.h"
#include "cli/crew.h"
#include "cli/findings.h"
#include "cli/gate/config.h"
#include "cli/gate/gate.h"
#include "cli/json.h"
#include "cli/labels.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/object.h"
#include "cli/processor.h"
#include "cli/progress.h"
#include "cli/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BETWEEN,
    SELF,
    NEIGHBOURS,
    SWEEP,
    MARGIN,
    NEAREST,
    WITHIN,
    FEATURES,
    DEPTH,
    COMPONENTS,
    EACH,
    IGNORE,
    ONLY,
    EXPECT,
    BASELINE,
    BY,
    WRITE_BASELINE,
    EVENTS,
    FAIL_IF,
    UNITS,
    CONFIG,
    FRAMES,
    ANIMATION,
    FPS,
    PAIRS,
    JSON,
    JSON_LINES,
    JUNIT,
    SARIF,
    CSV,
    VTK,
    HTML,
    PICTURES,
    QUIET,
    VERBOSE,
    JOBS,
    THREADS,
    NO_CACHE,
    OPTIONS
};

static const option_spec options[OPTIONS] = {
    [BETWEEN] = {"between", OPTION_FLAG, NULL, "look for contact between objects"},
    [SELF] = {"self", OPTION_FLAG, NULL,
              "look for contact within each object, between\n"
              "triangles that share no vertex\n"
              "[both, if neither is given; one object: --self]"},
    [NEIGHBOURS] = {"neighbours", OPTION_FLAG, NULL,
                    "within an object, also report triangles that share\n"
                    "a vertex and overlap beyond it, and triangles that\n"
                    "coincide (implies --self)"},
    [SWEEP] = {"sweep", OPTION_FLAG, NULL,
               "also look for contact between each frame and the\n"
               "next: vertices with faces, edges with edges"},
    [MARGIN] = {"margin", OPTION_NUMBER, "X",
                "triangles at most X apart count as found (exit\n"
                "code 1), in the unit of the files [0]"},
    [NEAREST] = {"nearest", OPTION_FLAG, NULL,
                 "report how far apart objects are, and where they are\n"
                 "closest: for every two, or, with more than 32 objects,\n"
                 "for each and the one closest to it. Distance 0 is\n"
                 "contact. Other contact is looked for only with\n"
                 "--between, --self, --sweep or --margin"},
    [WITHIN] = {"within", OPTION_NUMBER, "D",
                "as --nearest, but only for objects that are at most D\n"
                "apart; these count as found (exit code 1)"},
    [FEATURES] = {"features", OPTION_FLAG, NULL,
                  "with --within: also the vertices and faces, and the\n"
                  "pairs of edges, that are at most D apart, between\n"
                  "objects, and with --self within them. --csv lists\n"
                  "them, and --json with --pairs"},
    [DEPTH] = {"depth", OPTION_FLAG, NULL,
               "report how deep closed objects are inside each other,\n"
               "region by region, and the direction that separates\n"
               "them; with --self also inside themselves. Other contact\n"
               "is looked for only on request, as with --nearest.\n"
               "Regions are tracked from frame to frame, so --jobs is\n"
               "not possible"},
    [COMPONENTS] = {"components", OPTION_FLAG, NULL,
                    "split meshes of any format, and sequences of them,\n"
                    "into their connected components: each counts as an\n"
                    "object. Other kinds of objects are refused"},
    [EACH] = {"each", OPTION_FLAG, NULL,
              "every OBJECT is a scene of its own, with its own verdict\n"
              "and baseline; the exit code is the worst. Baselines\n"
              "are files in a folder, and --html is a list of pages"},
    [IGNORE] = {"ignore", OPTION_LIST, "A,B",
                "contact between A and B does not count; A alone: within\n"
                "A. A and B are names of objects, files, nodes, materials\n"
                "or groups, or patterns such as 'cloth*'. What is ignored\n"
                "is counted in all outputs. May be given several times"},
    [ONLY] = {"only", OPTION_LIST, "A,B", "only contact between A and B counts, the same way"},
    [EXPECT] = {"expect", OPTION_LIST, "A,B",
                "contact between A and B must be there, in every frame:\n"
                "it does not count as found, and a frame without it does"},
    [BASELINE] = {"baseline", OPTION_TEXT, "WHICH",
                  "contact that is known does not count: that at rest\n"
                  "(rest: models without animation, others in their first\n"
                  "frame), that of a frame (its number), or that of a file\n"
                  "(as --write-baseline writes it). What is gone is said"},
    [BY] = {"by", OPTION_TEXT, "WHAT",
            "know contact by two triangles, which are known by their\n"
            "corners at rest (triangle), or by two connected\n"
            "components, known by their boxes at rest (component)\n"
            "[triangle, or as the file has it]"},
    [WRITE_BASELINE] = {"write-baseline", OPTION_TEXT, "FILE",
                        "write what counts as contact now to FILE"},
    [EVENTS] = {"events", OPTION_FLAG, NULL,
                "measure contact, and gather that of consecutive frames:\n"
                "kind, first, last and worst frame, depth, place"},
    [FAIL_IF] = {"fail-if", OPTION_TEXT, "CONDITION",
                 "exit code 1 only if an event meets the condition, such\n"
                 "as 'depth > 2mm or pairs > 10 or length > 5 frames'\n"
                 "(implies --events): depth, distance, length, pairs with\n"
                 "> >= < <= = !=; cuts, touches, between, inside, near;\n"
                 "and, or, not, (). Units are mm, cm, m, % (of the\n"
                 "diagonal in the first frame), frames, s"},
    [UNITS] = {"units", OPTION_TEXT, "UNIT",
               "what one unit of the files is: mm, cm or m [glTF: m]"},
    [CONFIG] = {"config", OPTION_TEXT, "FILE",
                "take settings from FILE; none: from no file [.abut.toml,\n"
                "here or above, up to the folder with .git]"},
    [FRAMES] = {"frames", OPTION_RANGE, "A:B",
                "check frames A to B only, both included. Numbers are\n"
                "those of the file names, or count from 0; A:, :B and\n"
                "a single A are allowed [all]"},
    [ANIMATION] = ANIMATION_OPTION,
    [FPS] = FPS_OPTION,
    [PAIRS] = {"pairs", OPTION_FLAG, NULL, "list the touching triangles and contours in the JSON"},
    [JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
    [JSON_LINES] = {"json-lines", OPTION_TEXT, "FILE",
                    "write the same as lines, each at once: the objects,\n"
                    "every frame, the summary"},
    [JUNIT] = {"junit", OPTION_TEXT, "FILE",
               "write JUnit XML: a test case for each event (implies\n"
               "--events)"},
    [SARIF] = {"sarif", OPTION_TEXT, "FILE",
               "write SARIF 2.1.0: a result for each event (implies\n"
               "--events)"},
    [CSV] = {"csv", OPTION_TEXT, "FILE",
             "write everything found to FILE, one row each: pairs,\n"
             "contacts between frames, distances, features, regions,\n"
             "objects inside others; the column \"kind\" says which;\n"
             "- is the standard output"},
    [VTK] = {"vtk", OPTION_TEXT, "FOLDER",
             "write surfaces, shared segments, contacts between\n"
             "frames, distances and separating translations to\n"
             "FOLDER, for ParaView: open contacts.pvd there"},
    [HTML] = {"html", OPTION_TEXT, "FILE",
              "write a report to FILE: a page that shows the objects\n"
              "in motion and where they touch, for any browser;\n"
              "- is the standard output"},
    [PICTURES] = {"pictures", OPTION_TEXT, "HOW",
                  "show the worst events as pictures in the terminal:\n"
                  "off, auto, kitty, iterm, sixel, blocks (all but off and\n"
                  "auto imply --events) [auto: with --events, in terminals\n"
                  "that are known to show pictures]"},
    [QUIET] = {"quiet", OPTION_FLAG, NULL, "print no table; the exit code is the answer"},
    [VERBOSE] = {"verbose", OPTION_FLAG, NULL,
                 "also report the work, in the table and the JSON:\n"
                 "times and counters, which differ from run to run"},
    [JOBS] = {"jobs", OPTION_WHOLE, "N",
              "check N frames at a time, with one thread each\n"
              "instead of --threads; the answer is the same. Not\n"
              "possible with --depth [1]"},
    [THREADS] = THREADS_OPTION,
    [NO_CACHE] = {"no-cache", OPTION_FLAG, NULL,
                  "neither use nor keep prepared shapes: see 'abut help\n"
                  "cache'"},
};

typedef struct job {
    const arguments* given;
    check_shared* all;
    size_t number;  ///< of the scene, from 1
    char* page;     ///< the name of its page; NULL: none
    object_list objects;
    question ask;
    size_t first;
    size_t last;
    double fps;
    world w;
    gate gate;
    crew workers;  ///< the first uses the objects and the world above
    json_output json;
    contact_files files;
    picture_protocol pictures;
    report* report;
    history found;
    findings now;          ///< of the current frame
    verdict said;          ///< on all frames so far
    const char** names;    ///< of the objects
    char** labels;         ///< the names as printed
    uint64_t* topologies;  ///< of the objects, in the last frame
} job;

// chooses the queries, when the objects are known
static bool choose_question(job* j) {
    const option_value* v = j->given->values;
    const bool several = j->objects.count > 1;
    j->ask.features = v[FEATURES].given && several;
    j->ask.features_self = v[FEATURES].given && v[SELF].given;
    // one object has no distance, but it may have features within one
    j->ask.nearest = v[NEAREST].given || (v[WITHIN].given && (several || !j->ask.features_self));
    j->ask.limited = v[WITHIN].given;
    j->ask.within = v[WITHIN].given ? v[WITHIN].number : INFINITY;
    j->ask.depth = v[DEPTH].given;
    j->ask.depth_self = v[DEPTH].given && v[SELF].given;
    const bool alone = !v[SWEEP].given && (j->ask.nearest || j->ask.depth);
    const bool chosen = v[BETWEEN].given || v[SELF].given || alone;
    // a margin applies to pairs, so it needs the query for pairs
    const bool margin = v[MARGIN].number > 0 && several && (j->ask.nearest || j->ask.depth);
    j->ask.between = v[BETWEEN].given || (!chosen && several) || margin;
    j->ask.self = v[SELF].given || v[NEIGHBOURS].given || !chosen;
    j->ask.neighbours = v[NEIGHBOURS].given;
    j->ask.sweep = v[SWEEP].given;
    j->ask.margin = v[MARGIN].number;
    if (j->gate.tells) {  // contact is measured by its pairs
        j->ask.between = j->ask.between || (several && (j->ask.nearest || j->ask.depth));
        j->ask.self = j->ask.self || j->ask.depth_self;
    }
    j->ask.inside = several && (j->ask.between || j->ask.nearest || j->ask.depth);
    if (v[BETWEEN].given && !several) {
        complain("--between needs two objects or more; for one, use --self");
        return false;
    }
    if (j->ask.depth && !j->ask.depth_self && !several) {
        complain(
            "--depth needs two objects or more; for one object add --self, or --components to "
            "split it");
        return false;
    }
    if (j->ask.depth && v[JOBS].given && v[JOBS].first > 1) {
        complain("--depth tracks regions from frame to frame: leave out --jobs");
        return false;
    }
    if (v[FEATURES].given && !several && !v[SELF].given) {
        complain("--features needs two objects or more; for one, add --self");
        return false;
    }
    if (j->ask.nearest && !several) {
        complain(
            "--%s needs two objects or more; --components splits an object into its connected "
            "components",
            v[NEAREST].given ? "nearest" : "within");
        return false;
    }
    return true;
}

static bool read_settings(job* j) {
    const option_value* v = j->given->values;
    if (j->given->plain_count == 0) {
        complain(
            "check needs an object: a file, a folder, or a quoted pattern such as "
            "'cloth_*.obj'");
        return false;
    }
    if (v[FEATURES].given && !v[WITHIN].given) {
        complain("--features needs a distance: add --within D");
        return false;
    }
    if (v[PAIRS].given && !v[JSON].given) {
        complain(
            "--pairs lists the pairs in the JSON: add --json FILE, or --json - to see them "
            "here");
        return false;
    }
    struct stat info;  // the name of an existing folder is always allowed
    const bool folder = v[VTK].given && stat(v[VTK].text, &info) == 0 && S_ISDIR(info.st_mode);
    if (v[VTK].given && !folder && !output_fits_report("vtk", v[VTK].text)) {
        return false;
    }
    const char* how = v[PICTURES].given && !v[QUIET].given ? v[PICTURES].text
                      : v[QUIET].given                     ? "off"
                                                           : "auto";
    if (!picture_protocol_read(how, &j->pictures)) {
        complain("--pictures needs off, auto, kitty, iterm, sixel or blocks, not '%s'", how);
        return false;
    }
    const bool forced = j->pictures != PICTURES_OFF && strcmp(how, "auto") != 0;
    j->fps = chosen_fps(&v[FPS]);
    const gate_options asked = {.ignore = &v[IGNORE],
                                .only = &v[ONLY],
                                .expect = &v[EXPECT],
                                .baseline = &v[BASELINE],
                                .by = &v[BY],
                                .write_baseline = &v[WRITE_BASELINE],
                                .events = &v[EVENTS],
                                .fail_if = &v[FAIL_IF],
                                .units = &v[UNITS],
                                .fps = j->fps,
                                .reports = v[JUNIT].given || v[SARIF].given || forced,
                                .page = v[HTML].given,
                                .pictures = j->pictures != PICTURES_OFF,
                                .scene = j->all->each ? j->given->plain[0] : NULL,
                                .settings = j->all->settings};
    return j->fps > 0 && gate_read(&j->gate, &asked) && output_fits_report("json", v[JSON].text) &&
           output_fits_report("csv", v[CSV].text) && output_fits_report("html", v[HTML].text);
}

static bool choose_frames(job* j) {
    if (!frames_choose(&j->objects.names, &j->given->values[FRAMES], &j->first, &j->last)) {
        return false;
    }
    objects_warn(&j->objects);
    j->ask.first = j->first;
    j->ask.names = &j->objects.names;
    if (j->ask.sweep && j->first == j->last) {
        warn("--sweep has no effect: there is only one frame, and it needs two or more");
    }
    return true;
}

// adds to the JSON and to its lines
static void tell(job* j, const char* key, json_t* value) {
    json_add(&j->all->lines, key, json_incref(value));
    json_add(&j->json, key, value);
}

static void begin_list(job* j, const char* key) {
    json_begin_list(&j->json, key);
    json_begin_list(&j->all->lines, key);
}

static void end_list(job* j) {
    json_end_list(&j->json);
    json_end_list(&j->all->lines);
}

static bool describe_objects(job* j) {
    json_begin(&j->json);
    json_begin(&j->all->lines);
    tell(j, "abut", json_text(ABUT_VERSION_STRING));
    if (j->all->each) {
        tell(j, "scene", json_text(j->given->plain[0]));
    }
    begin_list(j, "objects");
    for (size_t i = 0; i < j->objects.count; ++i) {
        json_t* json = object_describe(&j->objects.objects[i], &j->w, &j->ask);
        if (json == NULL) {
            return false;
        }
        tell(j, NULL, json);
    }
    end_list(j);
    begin_list(j, "frames");
    return true;
}

// counts the frames in which the triangles of an object change
static void note_topology(job* j, const object_list* shown) {
    for (size_t i = 0; i < shown->count; ++i) {
        const uint64_t now = shown->objects[i].topology;
        if (j->found.frame_count != 0 && now != j->topologies[i]) {
            ++j->objects.objects[i].topology_changes;
        }
        j->topologies[i] = now;
    }
}

// adds the findings of a worker to all outputs
static bool add_frame(job* j, const worker* k) {
    const uint32_t frame = (uint32_t)k->frame;
    const double time = (double)frame / j->fps;
    if (k->frame == j->first && !describe_objects(j)) {
        return false;
    }
    note_topology(j, k->objects);
    if (j->ask.sweep && k->frame > j->first && !k->w->stepped) {
        char label[FRAME_TEXT_SIZE];
        warn("frame %s: the triangles of an object change, so --sweep skips the step to it",
             frame_label(j->ask.names, frame, label));
    }
    findings_take(&j->now, k->w, &j->ask);
    verdict_add(&j->said, &j->now);
    gate_add(&j->gate, k, &j->ask);
    history_add(&j->found, k->w, &j->ask, &j->now, frame, &k->work);
    if (j->report != NULL) {
        report_frame(j->report, k->w, &j->ask, frame, &j->now, &k->work);
    }
    if (j->json.file != NULL || j->json.open != NULL || j->all->lines.file != NULL) {
        const bool verbose = j->given->values[VERBOSE].given;
        tell(j, NULL,
             world_frame_json(k->w, &j->ask, &j->now, frame, time, verbose ? &k->work : NULL,
                              j->given->values[PAIRS].given));
    }
    return contact_files_add(&j->files, k->w, &j->ask, &j->now, frame, time);
}

// checks frames from *next on, one per worker; advances *next
static bool check_batch(job* j, size_t* next) {
    const size_t left = j->last - *next + 1;
    const size_t wanted = left < j->workers.count ? left : j->workers.count;
    const size_t got = crew_ask(&j->workers, *next, j->last, &j->ask);
    for (size_t i = 0; i < got; ++i) {
        if (!add_frame(j, &j->workers.workers[i])) {
            return false;
        }
    }
    *next += wanted;
    return got == wanted;
}

// whether the reader of the JSON closed the pipe and there is no other output
static bool is_unread(const job* j) {
    return json_takes_stdout(&j->json) && output_gone() && !contact_files_wanted(&j->files) &&
           j->report == NULL;
}

static bool check_frames(job* j, double* seconds) {
    progress bar = progress_begin("frame", j->last - j->first + 1);
    bool done = true;
    for (size_t next = j->first; next <= j->last && done && !is_unread(j);) {
        done = check_batch(j, &next);
        progress_step(&bar, next - j->first);
    }
    progress_end(&bar);
    *seconds = seconds_now() - bar.start;
    return done && !is_unread(j);
}

static bool finish_json(job* j, double seconds) {
    char text[VERDICT_SIZE];
    json_t* summary = json_object();
    json_object_set_new(summary, "frames", json_count(j->said.frames));
    json_object_set_new(summary, "frames_touching", json_count(j->said.touching));
    json_object_set_new(summary, "verdict",
                        json_text(
                            verdict_text(&j->said, &j->ask, (const char* const*)j->labels, text)));
    gate_describe(&j->gate, j->ask.names, summary);
    if (j->given->values[VERBOSE].given) {
        json_object_set_new(summary, "seconds", json_real(seconds));
    }
    end_list(j);
    if (j->gate.tells) {
        tell(j, "events", gate_events_json(&j->gate, j->ask.names));
    }
    tell(j, "summary", summary);
    json_end_lines(&j->all->lines);
    return json_close(&j->json);
}

static bool open_report(job* j) {
    const option_value* v = j->given->values;
    const check_page page = {.path = j->page != NULL ? j->page : v[HTML].text,
                             .plain = j->given->plain,
                             .plain_count = j->given->plain_count,
                             .frames = j->last - j->first + 1,
                             .fps = j->fps,
                             .work = v[VERBOSE].given,
                             .labels = (const char* const*)j->labels,
                             .label_count = j->objects.count};
    if (!v[HTML].given && (j->pictures == PICTURES_OFF || !j->gate.tells)) {
        return true;
    }
    j->report = check_page_open(&page);
    return j->report != NULL;
}

static void make_labels(job* j) {
    j->names = allocate(j->objects.count, sizeof *j->names);
    for (size_t i = 0; i < j->objects.count; ++i) {
        j->names[i] = j->objects.objects[i].name;
    }
    j->labels = labels_make(j->names, j->objects.count);
}

static bool open_json(job* j) {
    const option_value* v = j->given->values;
    if (j->all->each) {
        if (v[JSON].given) {
            json_open_tree(&j->json);
        }
        j->page = v[HTML].given ? shared_page_name(v[HTML].text, j->number) : NULL;
        return j->page == NULL || output_claim_report("html", j->page);
    }
    return json_claim(v[JSON].text) && output_claim_report("html", v[HTML].text) &&
           output_claim_report("csv", v[CSV].text) && shared_open(j->all) &&
           json_open(&j->json, v[JSON].text);
}

static bool open_outputs(job* j) {
    const option_value* v = j->given->values;
    make_labels(j);
    if (!gate_meet(&j->gate, &j->objects)) {
        return false;
    }
    gate_watch(&j->gate, &j->workers, (const char* const*)j->labels);
    if (!gate_claim(&j->gate) || !open_json(j) ||
        !contact_files_open(&j->files, v[CSV].text, v[VTK].text)) {
        return false;
    }
    contact_files_name(&j->files, j->names, j->objects.count, j->fps);
    j->ask.shared = contact_files_wanted(&j->files) || v[HTML].given ||
                    (j->gate.measures && j->ask.sweep);  // for the points of sweeps
    return open_report(j);
}

static bool open_workers(job* j, const io_model_settings* settings) {
    const option_value* v = j->given->values;
    const size_t frames = j->last - j->first + 1;
    const size_t wanted = v[JOBS].given ? v[JOBS].first : 1;
    const size_t jobs = wanted < frames ? wanted : frames;
    j->topologies = allocate(j->objects.count, sizeof *j->topologies);
    if (!world_open(&j->w, jobs > 1 ? 1 : v[THREADS].first)) {
        return false;
    }
    j->w.uses_shapes = j->w.keeps_shapes = !v[NO_CACHE].given;
    return crew_open(&j->workers, jobs, &j->objects, &j->w, j->given->plain, j->given->plain_count,
                     settings);
}

static void add_scene(job* j, int code, double seconds) {
    char text[VERDICT_SIZE];
    const scene s = {.name = j->given->plain[0],
                     .code = code,
                     .verdict = verdict_text(&j->said, &j->ask, (const char* const*)j->labels,
                                             text),
                     .gate = &j->gate,
                     .objects = &j->objects,
                     .labels = (const char* const*)j->labels,
                     .names = j->ask.names,
                     .seconds = j->given->values[VERBOSE].given ? seconds : -1};
    shared_add(j->all, &s, json_take(&j->json), j->page);
}

static int work(job* j) {
    double seconds = 0;
    const bool quiet = j->given->values[QUIET].given;
    const option_value* v = j->given->values;
    const io_model_settings settings = {v[ANIMATION].text, j->fps};
    bool (*const find)(object_list*, const char* const*, size_t,
                       const io_model_settings*) = v[COMPONENTS].given ? objects_find_components
                                                                       : objects_find;
    if (!find(&j->objects, j->given->plain, j->given->plain_count, &settings) ||
        !choose_question(j) || !choose_frames(j) || !open_workers(j, &settings) ||
        !open_outputs(j)) {
        return EXIT_FAILED;
    }
    const bool table = !quiet && !shared_takes_stdout(j->all) && !output_is_stdout(v[CSV].text) &&
                       !output_is_stdout(v[HTML].text);
    if (table && j->all->each) {
        char name[NAME_SIZE];
        printf("%s", j->number > 1 ? "\n" : "");
        print_styled(STYLE_BOLD, "%s", shown_name(j->given->plain[0], 200, name));
        printf("\n");
    }
    const bool checked = gate_learn(&j->gate, &j->workers, &j->ask) && check_frames(j, &seconds);
    gate_judge(&j->gate, &j->ask);
    if (!checked || !gate_write(&j->gate) || !contact_files_close(&j->files) ||
        !finish_json(j, seconds)) {
        return EXIT_FAILED;
    }
    if (table && j->found.frame_count != 0) {
        print_check_report(&(check_summary){.found = &j->found,
                                            .said = &j->said,
                                            .objects = &j->objects,
                                            .labels = (const char* const*)j->labels,
                                            .ask = &j->ask,
                                            .gate = &j->gate,
                                            .verbose = v[VERBOSE].given,
                                            .seconds = seconds});
    }
    report* finished = j->report;
    j->report = NULL;
    if (!check_page_close(finished, &j->gate, &j->said, table,
                          j->gate.tells ? j->pictures : PICTURES_OFF)) {
        return EXIT_FAILED;
    }
    const int code = gate_fails(&j->gate, &j->said) ? EXIT_FOUND : EXIT_NOTHING;
    add_scene(j, code, seconds);
    return code;
}

static int run_scene(check_shared* all, const arguments* given, size_t number) {
    job j = {.given = given, .all = all, .number = number};
    const int code = read_settings(&j) ? work(&j) : EXIT_FAILED;
    if (code == EXIT_FAILED && all->each) {
        json_drop(&j.json);
        shared_add_failed(all, given->plain[0]);
    }
    free(j.page);
    json_drop(&j.json);  // no-op after success
    contact_files_close(&j.files);
    report_drop(j.report);  // no-op after success
    history_free(&j.found);
    findings_free(&j.now);
    verdict_free(&j.said);
    labels_free(j.labels, j.objects.count);
    free(j.names);
    crew_close(&j.workers);
    gate_free(&j.gate);
    world_close(&j.w);
    objects_free(&j.objects);
    free(j.topologies);
    return code;
}

static int run_each(check_shared* all, const arguments* given) {
    const option_value* v = given->values;
    if (v[CSV].given || v[VTK].given) {
        return complain("--%s holds one scene: leave out --each, or check the objects one by one",
                        v[CSV].given ? "csv" : "vtk");
    }
    return shared_run_each(all, given, !v[QUIET].given, run_scene);
}

static int run_all(const arguments* given, const char* settings) {
    const option_value* v = given->values;
    check_shared all = {.each = v[EACH].given,
                        .settings = settings,
                        .json_path = v[JSON].text,
                        .lines_path = v[JSON_LINES].text,
                        .junit_path = v[JUNIT].text,
                        .sarif_path = v[SARIF].text,
                        .html_path = v[HTML].text};
    int code = all.each && given->plain_count != 0 ? run_each(&all, given)
                                                   : run_scene(&all, given, 1);
    if (all.open && (code != EXIT_FAILED || all.each) && !shared_close(&all)) {
        code = EXIT_FAILED;
    }
    shared_drop(&all);
    return code;
}

static int run(const arguments* given) {
    config settings = {0};
    const bool read = config_read(&settings, &given->values[CONFIG], "check", options, OPTIONS,
                                  given);
    const int code = read ? run_all(&settings.merged, settings.path) : EXIT_FAILED;
    config_free(&settings);
    return code;
}

const command check_command = {
    .name = "check",
    .summary = "find which triangles touch, or how far apart objects are",
    .usage = "check OBJECT... [options]",
    .about = OBJECT_HELP
    "\n"
    "The longest animation sets the number of frames; a shorter one stays at its last frame.\n"
    "The answer is exact: touching in a single point counts as contact, and every reported\n"
    "pair touches. Vertices of an object that are at the same place at rest, and move\n"
    "alike, count as one vertex. With --sweep vertices move on straight lines from frame to\n"
    "frame, and no contact between frames is missed; features that come within 1e-6 of an\n"
    "edge length may be reported, too. An open surface has no depth: --depth says so, and\n"
    "how many pairs touch. An object wholly inside another one is reported; it counts as\n"
    "contact with --depth only.\n"
    "Files are written at the very end: Ctrl-C or a failure leaves old files unchanged.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut check shirt.obj                        does the shirt cut itself?\n"
        "abut check fox.glb --animation all          does the fox, in any of its animations?\n"
        "abut check 'cloth_*.ply' ball.obj --between --json contacts.json --pairs\n"
        "abut check 'cloth_*.ply' --self --sweep     does it pass through itself in between?\n"
        "abut check robot.obj room.obj --nearest     how far is it from the walls?\n"
        "abut check hand.obj --self --depth          how deep is a finger in the palm?\n"
        "abut check shot.glb --ignore 'hair*,head' --expect foot,floor",
    .exits =
        "0 nothing found, 1 contact, objects within D, or missing expected contact (with\n"
        "--fail-if: an event meets the condition), 2 it could not be checked",
    .run = run,
};
