// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The outputs of the command: see output.h.
#include "cli/output.h"

#include "cli/message.h"
#include "io/output.h"

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

// a reader that went away is no error
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

bool output_failed(FILE* file) {
    io_error error;
    io_output_failed(file, &error);
    return fail(&error);
}

void output_drop(FILE* file) {
    io_output_drop(file);
}

int outputs_finish(int code) {
    io_error error;
    if (code == EXIT_FAILED) {
        io_outputs_drop();
        return io_output_unread() ? EXIT_UNREAD : code;
    }
    return io_outputs_commit(&error) ? code : complain("%s", error.message);
}
