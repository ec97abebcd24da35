// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes and continues the part of a check: see check_part.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/check_part.h"

#include "cli/check_options.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "io/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// the part is saved at most once a second, and saving takes at most a twentieth of the time
static const double LEAST_PAUSE = 1;
static const double PAUSES = 20;

// ---- options

// an option that does not go with a part, and why; NULL: there is none
static const char* odd_option(const option_value* v, bool resumes, const char** why) {
    static const struct {
        int option;
        bool resuming;
        const char* why;
    } odd[] = {{CHECK_DEPTH, false, "it tracks regions from frame to frame"},
               {CHECK_VERBOSE, false, "times differ from run to run"},
               {CHECK_WRITE_BASELINE, false, "it needs all frames"},
               {CHECK_HTML, true, "'abut merge --html' writes the report"},
               {CHECK_PICTURES, true, "the frames that are done would be missing"},
               {CHECK_VTK, true, "the files of frames that are done would be missing"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
        if (v[odd[i].option].given && (resumes || !odd[i].resuming)) {
            *why = odd[i].why;
            return check_options[odd[i].option].name;
        }
    }
    return NULL;
}

bool check_part_read(check_part* p, const arguments* given) {
    const option_value* v = given->values;
    const option_value* to = &v[CHECK_PART];
    const option_value* from = &v[CHECK_RESUME];
    const char* why = NULL;
    p->resumes = from->given;
    p->whole = to->given;
    p->path = from->given ? from->text : to->text;
    if (p->path == NULL) {
        return true;
    }
    if (to->given && from->given && strcmp(to->text, from->text) != 0) {
        complain("--resume continues the part that --part writes: give both the same name");
        return false;
    }
    const char* odd = odd_option(v, p->resumes, &why);
    if (odd != NULL) {
        complain("--%s does not go with --%s: %s", odd, p->resumes ? "resume" : "part", why);
        return false;
    }
    for (size_t i = 0; i < given->plain_count; ++i) {
        if (strcmp(given->plain[i], "-") == 0) {
            complain("a part knows its inputs: save the standard input to a file");
            return false;
        }
    }
    if (p->resumes && output_is_stdout(p->path)) {
        complain("--resume needs the name of a file");
        return false;
    }
    return output_fits_report(p->resumes ? "resume" : "part", p->path);
}

// ---- the file

// reads the part of a run that was interrupted; it will be replaced, so it is no input
static bool read_before(check_part* p) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    if (!p->resumes || access(p->path, F_OK) != 0) {
        return true;
    }
    if (!io_read_file(p->path, &bytes, &size, &error)) {
        complain("--resume: %s", error.message);
        return false;
    }
    const bool read = part_parse(&p->before, p->path, bytes, size);
    free(bytes);
    return read;
}

bool check_part_open(check_part* p) {
    if (p->path == NULL) {
        return true;
    }
    if (!read_before(p) || !output_claim_report(p->resumes ? "resume" : "part", p->path)) {
        return false;
    }
    p->file = output_open_report(p->path);
    return p->file != NULL;
}

static bool write_text(const check_part* p, const baseline* known) {
    size_t size = 0;
    char* text = part_writer_text(p->writer, known, &size);
    const bool done = fwrite(text, 1, size, p->file) == size;
    free(text);
    return done || output_failed(p->file);
}

bool check_part_save(check_part* p, const baseline* known) {
    const double now = seconds_now();
    if (!p->resumes || (p->saved != 0 && now - p->saved < LEAST_PAUSE + PAUSES * p->seconds)) {
        return true;
    }
    const bool done = write_text(p, known) && output_save(p->file);
    p->saved = seconds_now();
    p->seconds = p->saved - now;
    return done;
}

bool check_part_end(check_part* p, const baseline* known) {
    if (p->file == NULL) {
        return true;
    }
    const bool done = write_text(p, known);
    FILE* file = p->file;
    p->file = NULL;
    return output_end(file) && done;
}

void check_part_free(check_part* p) {
    output_drop(p->file);
    part_writer_free(p->writer);
    part_free(&p->before);
    *p = (check_part){0};
}

// ---- frames

static bool replay(check_part* p, check_outputs* out) {
    part* b = &p->before;
    json_t* described = part_descriptions(b);
    if (described == NULL) {
        complain("%s is damaged: its objects are not described", p->path);
        return false;
    }
    part_writer_describe(p->writer, json_incref(described));
    check_outputs_begin(out, described);
    for (size_t i = 0; i < b->frame_count; ++i) {
        outcome now;
        const bool read = part_outcome(b, i, out->ask, out->gate->rules.count, &now);
        if (read) {
            part_writer_add(p->writer, &now);
            check_outputs_add(out, &now);
        }
        outcome_free(&now);
        if (!read) {
            return false;
        }
    }
    return out->gate->known == NULL || part_see(b, out->gate->known);
}

bool check_part_begin(check_part* p, const part_subject* of, check_outputs* out, size_t* next) {
    *next = of->range[0];
    if (p->path == NULL) {
        return true;
    }
    json_t* head = part_head(of);
    const char* const names[2] = {p->path, NULL};
    if (head == NULL) {
        return false;
    }
    p->writer = part_writer_open(head, of->objects->count);
    if (p->before.path == NULL) {
        return true;
    }
    if (!part_same_run(p->before.root, head, names)) {
        return false;
    }
    if (p->before.range[0] != of->range[0] || p->before.range[1] != of->range[1]) {
        complain("%s was made for other frames than this run", p->path);
        return false;
    }
    *next = part_end(&p->before);
    return p->before.frame_count == 0 || replay(p, out);
}

void check_part_describe(check_part* p, json_t* objects) {
    if (p->writer != NULL) {
        part_writer_describe(p->writer, objects);
    } else {
        json_decref(objects);
    }
}

void check_part_add(check_part* p, const outcome* now) {
    if (p->writer != NULL) {
        part_writer_add(p->writer, now);
    }
}
