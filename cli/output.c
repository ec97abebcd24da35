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

bool output_end(FILE* file) {
    io_error error;
    if (!io_output_end(file, &error)) {
        complain("%s", error.message);
        return false;
    }
    return true;
}

bool output_failed(FILE* file) {
    io_error error;
    io_output_failed(file, &error);
    complain("%s", error.message);
    return false;
}

void output_drop(FILE* file) {
    io_output_drop(file);
}

int outputs_finish(int code) {
    io_error error;
    if (code == EXIT_FAILED) {
        io_outputs_drop();
        return code;
    }
    return io_outputs_commit(&error) ? code : complain("%s", error.message);
}
