// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks one scene: see check_job.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/check_job.h"

#include "cli/check_objects.h"
#include "cli/check_options.h"
#include "cli/check_outputs.h"
#include "cli/check_page.h"
#include "cli/check_part.h"
#include "cli/check_question.h"
#include "cli/contact_files.h"
#include "cli/farm/inputs.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "io/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct job {
    const arguments* given;
    check_shared* all;
    size_t number;  ///< of the scene, from 1
    object_list objects;
    question ask;
    size_t first;
    size_t last;
    double fps;
    world w;
    gate gate;
    crew workers;  ///< the first uses the objects and the world above
    check_outputs out;
    check_part part;
    char inputs[SUM_SIZE + 1];  ///< the hash of the inputs, if a part needs it
    contact_files files;
    picture_protocol pictures;
    report* report;
} job;

// reads --pictures; `*forced` receives whether pictures were asked for
static bool read_pictures(job* j, bool* forced) {
    const option_value* v = j->given->values;
    const bool off = v[CHECK_QUIET].given || v[CHECK_RESUME].given;
    const char* how = off ? "off" : v[CHECK_PICTURES].given ? v[CHECK_PICTURES].text : "auto";
    if (!picture_protocol_read(how, &j->pictures)) {
        complain("--pictures needs off, auto, kitty, iterm, sixel or blocks, not '%s'", how);
        return false;
    }
    *forced = j->pictures != PICTURES_OFF && strcmp(how, "auto") != 0;
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
    if (v[CHECK_FEATURES].given && !v[CHECK_WITHIN].given) {
        complain("--features needs a distance: add --within D");
        return false;
    }
    if (v[CHECK_PAIRS].given && !v[CHECK_JSON].given && !v[CHECK_PART].given &&
        !v[CHECK_RESUME].given && j->all->expected_inputs == NULL) {
        complain(
            "--pairs lists the pairs in the JSON: add --json FILE, or --json - to see them "
            "here");
        return false;
    }
    struct stat info;  // the name of an existing folder is always allowed
    const bool folder = v[CHECK_VTK].given && stat(v[CHECK_VTK].text, &info) == 0 &&
                        S_ISDIR(info.st_mode);
    if (v[CHECK_VTK].given && !folder && !output_fits_report("vtk", v[CHECK_VTK].text)) {
        return false;
    }
    bool forced;
    if (!read_pictures(j, &forced)) {
        return false;
    }
    j->fps = chosen_fps(&v[CHECK_FPS]);
    gate_options asked = check_gate_options(v, j->fps);
    asked.reports = asked.reports || forced;
    asked.page = v[CHECK_HTML].given;
    asked.pictures = j->pictures != PICTURES_OFF;
    asked.scene = j->all->each ? j->given->plain[0] : NULL;
    asked.settings = j->all->settings;
    return j->fps > 0 && gate_read(&j->gate, &asked) && check_part_read(&j->part, j->given) &&
           output_fits_report("json", v[CHECK_JSON].text) &&
           output_fits_report("csv", v[CHECK_CSV].text) &&
           output_fits_report("html", v[CHECK_HTML].text);
}

static bool choose_frames(job* j) {
    if (!frames_choose(&j->objects.names, &j->given->values[CHECK_FRAMES], &j->first, &j->last)) {
        return false;
    }
    objects_warn(&j->objects);
    j->ask.first = j->part.whole ? 0 : j->first;  // the step to the first frame is a part of a run
    j->ask.names = &j->objects.names;
    if (j->ask.sweep && j->first == j->last && !j->part.whole) {
        warn("--sweep has no effect: there is only one frame, and it needs two or more");
    }
    return true;
}

static bool begin_outputs(job* j) {
    json_t* list = json_array();
    for (size_t i = 0; i < j->objects.count; ++i) {
        const object* o = &j->objects.objects[i];
        const abut_mesh_info* known = inspection_of(j->workers.inspection, o->body);
        json_t* json = object_describe(o, &j->w, &j->ask, known);
        if (json == NULL) {
            json_decref(list);
            return false;
        }
        json_array_append_new(list, json);
    }
    check_part_describe(&j->part, json_incref(list));
    check_outputs_begin(&j->out, list);
    return true;
}

static outcome_wishes wishes_of(const job* j) {
    const option_value* v = j->given->values;
    const bool kept = j->part.path != NULL;
    return (outcome_wishes){.json = v[CHECK_JSON].given || v[CHECK_JSON_LINES].given || kept,
                            .lists = v[CHECK_PAIRS].given,
                            .work = v[CHECK_VERBOSE].given,
                            .csv = v[CHECK_CSV].given || kept ? &j->out.csv : NULL,
                            .fps = j->fps};
}

// adds the findings of a worker to all outputs
static bool add_frame(job* j, const worker* k) {
    outcome now;
    const outcome_wishes wishes = wishes_of(j);
    const uint32_t frame = (uint32_t)k->frame;
    if (k->frame == j->first && !begin_outputs(j)) {
        return false;
    }
    if (j->ask.sweep && k->frame > j->ask.first && !k->w->stepped) {
        char label[FRAME_TEXT_SIZE];
        warn("frame %s: the triangles of an object change, so --sweep skips the step to it",
             frame_label(j->ask.names, frame, label));
    }
    outcome_take(&now, k, &j->ask, &wishes);
    gate_keep(&j->gate, k, &j->ask);
    gate_follow(&j->gate, k);
    if (j->report != NULL) {
        report_frame(j->report, k->w, &j->ask, frame, &now.now, &k->work);
    }
    const bool done = contact_files_add(&j->files, k->w, &j->ask, &now.now, frame,
                                        (double)frame / j->fps);
    check_part_add(&j->part, &now);
    check_outputs_add(&j->out, &now);
    outcome_free(&now);
    return done && check_part_save(&j->part, j->gate.known);
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

static bool is_unread(const job* j) {
    return check_outputs_unread(&j->out) && j->files.folder == NULL && j->report == NULL;
}

static bool check_frames(job* j, size_t next, double* seconds) {
    progress bar = progress_begin("frame", j->last - j->first + 1);
    bool done = true;
    j->workers.inspects = next == j->first;
    while (next <= j->last && done && !is_unread(j)) {
        done = check_batch(j, &next);
        progress_step(&bar, next - j->first);
    }
    progress_end(&bar);
    *seconds = seconds_now() - bar.start;
    return done && !is_unread(j);
}

// the part after the last slash
static const char* last_part(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static bool open_report(job* j) {
    const option_value* v = j->given->values;
    const check_page page = {.path = j->out.page != NULL ? j->out.page : v[CHECK_HTML].text,
                             .plain = j->given->plain,
                             .plain_count = j->given->plain_count,
                             .frames = j->last - j->first + 1,
                             .fps = j->fps,
                             .work = v[CHECK_VERBOSE].given,
                             .labels = (const char* const*)j->out.labels,
                             .label_count = j->objects.count};
    if (!v[CHECK_HTML].given && (j->pictures == PICTURES_OFF || !j->gate.tells)) {
        return true;
    }
    j->report = check_page_open(&page);
    return j->report != NULL;
}

// The folder of the VTK files. With --each it is one in the given one, named after the number and the
// object. The caller frees it; NULL: there is none, or an error message was printed.
static char* vtk_folder(const job* j, bool* failed) {
    const option_value* v = &j->given->values[CHECK_VTK];
    io_error error;
    *failed = v->given && j->all->each && !io_output_folder(v->text, &error);
    if (!v->given || *failed) {
        *failed = *failed && complain("%s", error.message) != 0;
        return NULL;
    }
    const char* name = last_part(j->given->plain[0]);
    const size_t room = strlen(v->text) + strlen(name) + 32;
    char* path = allocate(room, 1);
    if (j->all->each) {
        snprintf(path, room, "%s/%zu-%s", v->text, j->number, name);
    } else {
        snprintf(path, room, "%s", v->text);
    }
    return path;
}

static bool open_files(job* j) {
    bool failed = false;
    char* folder = vtk_folder(j, &failed);
    const bool done = !failed && contact_files_open(&j->files, folder,
                                                    (const char* const*)j->out.clean, j->fps);
    free(folder);
    return done;
}

static bool open_outputs(job* j) {
    const option_value* v = j->given->values;
    j->out = (check_outputs){.all = j->all,
                             .scene = j->given->plain[0],
                             .objects = &j->objects,
                             .gate = &j->gate,
                             .ask = &j->ask,
                             .fps = j->fps,
                             .verbose = v[CHECK_VERBOSE].given};
    check_outputs_name(&j->out);
    if (!gate_meet(&j->gate, &j->objects)) {
        return false;
    }
    gate_watch(&j->gate, &j->workers, (const char* const*)j->out.labels);
    if (!gate_claim(&j->gate) || !check_part_open(&j->part) ||
        !check_outputs_open(&j->out, j->number) || !open_files(j)) {
        return false;
    }
    j->ask.shared = j->part.path != NULL || v[CHECK_CSV].given || v[CHECK_VTK].given ||
                    v[CHECK_HTML].given ||
                    (j->gate.measures && j->ask.sweep);  // for the points of sweeps
    return open_report(j);
}

static bool open_workers(job* j, const io_model_settings* settings) {
    const option_value* v = j->given->values;
    const size_t frames = j->last - j->first + 1;
    const size_t wanted = v[CHECK_JOBS].given ? v[CHECK_JOBS].first : 1;
    const size_t jobs = wanted < frames ? wanted : frames;
    if (!world_open(&j->w, jobs > 1 ? 1 : v[CHECK_THREADS].first)) {
        return false;
    }
    j->w.uses_shapes = j->w.keeps_shapes = !v[CHECK_NO_CACHE].given;
    return crew_open(&j->workers, jobs, &j->objects, &j->w, j->given->plain, j->given->plain_count,
                     settings);
}

// prints the name of a scene of several
static void print_scene(const job* j) {
    char name[NAME_SIZE];
    printf("%s", j->number > 1 ? "\n" : "");
    print_styled(STYLE_BOLD, "%s", shown_name(j->given->plain[0], 200, name));
    printf("\n");
}

static bool close_report(job* j, bool table) {
    report* finished = j->report;
    j->report = NULL;
    return check_page_close(finished, &j->gate, &j->out.said, table,
                            j->gate.tells ? j->pictures : PICTURES_OFF);
}

// hashes the inputs, if there is a part or parts must be of them
static bool know_inputs(job* j, size_t mark) {
    const char* expected = j->all->expected_inputs;
    if (j->part.path == NULL && expected == NULL) {
        return true;
    }
    if (!inputs_sum(mark, j->gate.known_path, j->inputs)) {
        return false;
    }
    if (expected != NULL && strcmp(expected, j->inputs) != 0) {
        complain("the objects, or the baseline, are not those of the parts: they have changed");
        return false;
    }
    return true;
}

static bool open_job(job* j) {
    const option_value* v = j->given->values;
    const io_model_settings settings = {v[CHECK_ANIMATION].text, j->fps};
    const size_t mark = io_input_mark();
    bool (*const find)(object_list*, const char* const*, size_t, const io_model_settings*) =
        v[CHECK_COMPONENTS].given ? objects_find_components : objects_find;
    return find(&j->objects, j->given->plain, j->given->plain_count, &settings) &&
           question_choose(&j->ask, v, j->objects.count, j->gate.tells) && choose_frames(j) &&
           know_inputs(j, mark) && open_workers(j, &settings) && open_outputs(j);
}

// learns the baseline, continues a run that was interrupted, and checks the other frames
static bool check_all(job* j, double* seconds) {
    const bool whole = j->part.whole;
    const part_subject subject = {.given = j->given,
                                  .gate = &j->gate,
                                  .objects = &j->objects,
                                  .inputs = j->inputs,
                                  .run = {whole ? 0 : j->first,
                                          whole ? j->objects.frames - 1 : j->last},
                                  .range = {j->first, j->last}};
    size_t next = j->first;
    return gate_learn(&j->gate, &j->workers, &j->ask) &&
           check_part_begin(&j->part, &subject, &j->out, &next) && check_frames(j, next, seconds) &&
           check_part_end(&j->part, j->gate.known);
}

static int work(job* j) {
    double seconds = 0;
    if (!open_job(j)) {
        return EXIT_FAILED;
    }
    const bool table = !j->given->values[CHECK_QUIET].given && !shared_takes_stdout(j->all) &&
                       !output_is_stdout(j->part.path);
    if (table && j->all->each) {
        print_scene(j);
    }
    if (!check_all(j, &seconds) || !gate_write(&j->gate) || !contact_files_close(&j->files) ||
        !check_outputs_end(&j->out, seconds)) {
        return EXIT_FAILED;
    }
    if (table && j->out.found.frame_count != 0) {
        check_outputs_print(&j->out, seconds);
    }
    return close_report(j, table) ? check_outputs_finish(&j->out, seconds) : EXIT_FAILED;
}

int check_scene(check_shared* all, const arguments* given, size_t number) {
    job j = {.given = given, .all = all, .number = number};
    const int code = read_settings(&j) ? work(&j) : EXIT_FAILED;
    if (code == EXIT_FAILED && all->each) {
        json_drop(&j.out.json);
        shared_add_failed(all, given->plain[0]);
    }
    contact_files_close(&j.files);
    report_drop(j.report);  // no-op after success
    check_part_free(&j.part);
    if (j.out.objects != NULL) {
        check_outputs_free(&j.out);
    }
    crew_close(&j.workers);
    gate_free(&j.gate);
    world_close(&j.w);
    objects_free(&j.objects);
    return code;
}
