// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens and ends the outputs of the command: see output.h.
#include "cli/output.h"

#include "cli/message.h"
#include "cli/progress.h"
#include "io/model.h"
#include "io/output.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const char standard[] = "/dev/stdout";

bool output_claim(const char* path) {
    io_error error;
    if (path != NULL && !io_output_claim(path, &error)) {
        complain("%s", error.message);
        return false;
    }
    return true;
}

FILE* output_open(const char* path) {
    io_error error;
    FILE* file = io_output_open(path, &error);
    if (file == NULL) {
        complain("%s", error.message);
    }
    return file;
}

bool output_is_stdout(const char* path) {
    static const char* const names[] = {"-", standard, "/dev/fd/1", "/proc/self/fd/1"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && path != NULL; ++i) {
        found = found || strcmp(path, names[i]) == 0;
    }
    return found;
}

bool output_fits_report(const char* option, const char* path) {
    if (path == NULL || !io_is_object_name(path)) {
        return true;
    }
    const char* what = strcmp(option, "vtk") == 0 ? "folder to write" : "file to write (or -)";
    if (access(path, F_OK) == 0) {
        complain(
            "--%s would overwrite '%s', which looks like a mesh; put the name of the %s after "
            "--%s",
            option, path, what, option);
    } else {
        complain("--%s: '%s' is the name of a mesh; put the name of the %s after --%s", option,
                 path, what, option);
    }
    return false;
}

bool output_claim_report(const char* option, const char* path) {
    return output_fits_report(option, path) &&
           output_claim(output_is_stdout(path) ? standard : path);
}

FILE* output_open_report(const char* path) {
    if (output_is_stdout(path) && isatty(STDOUT_FILENO) == 1) {
        progress_silence();
    }
    return output_open(output_is_stdout(path) ? standard : path);
}

bool inputs_apart(void) {
    static atomic_flag reported = ATOMIC_FLAG_INIT;  // several threads may get here at once
    io_error error;
    const bool apart = io_inputs_apart(&error);
    if (!apart && !atomic_flag_test_and_set(&reported)) {
        complain("%s", error.message);
    }
    return apart;
}

// prints the error, unless the reader of a pipe closed it
static bool fail(const io_error* error) {
    if (!io_output_unread()) {
        complain("%s", error->message);
    }
    return false;
}

bool output_end(FILE* file) {
    io_error error;
    return io_output_end(file, &error) || fail(&error);
}

bool output_save(FILE* file) {
    io_error error;
    return io_output_save(file, &error) || fail(&error);
}

bool output_failed(FILE* file) {
    io_error error;
    io_output_failed(file, &error);
    return fail(&error);
}

void output_drop(FILE* file) {
    io_output_drop(file);
}

static bool kept_after_failure;

void outputs_keep(void) {
    kept_after_failure = true;
}

int outputs_finish(int code) {
    io_error error;
    if (code == EXIT_FAILED && !kept_after_failure) {
        io_outputs_drop();
        return io_output_unread() ? EXIT_UNREAD : code;
    }
    if (!check_output() && !output_gone()) {  // before files are renamed
        io_outputs_drop();
        return EXIT_FAILED;
    }
    return io_outputs_commit(&error) ? code : complain("%s", error.message);
}
