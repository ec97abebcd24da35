// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads points from a text file: see point_file.h.
#include "cli/point_file.h"

#include "cli/message.h"
#include "io/file.h"
#include "io/number.h"
#include "io/output.h"

#include <stdlib.h>
#include <string.h>

static const char* skip(const char* at, const char* end) {
    while (at < end && *at != '\n' && ((unsigned char)*at <= ' ' || *at == ',' || *at == ';')) {
        ++at;
    }
    return at;
}

// Reads a line and moves `at` behind it. False if it is anything but three finite numbers. An empty
// line and a comment set `none`.
static bool read_line(const char** at, const char* end, double point[3], bool* none) {
    const char* stop = memchr(*at, '\n', (size_t)(end - *at));
    const char* c = skip(*at, end);
    stop = stop != NULL ? stop : end;
    *at = stop < end ? stop + 1 : end;
    *none = c == stop || *c == '#';
    for (int d = 0; d < 3 && !*none; ++d) {
        if (io_read_double(&c, stop, &point[d]) != IO_NUMBER_OK) {
            return false;
        }
        const char* behind = c;
        c = skip(c, stop);
        if (c == behind && c != stop) {  // something follows the number directly
            return false;
        }
    }
    return *none || c == stop;
}

static bool read_lines(point_file* points, const char* at, const char* end, const char* name) {
    size_t number = 0;
    size_t room = 0;
    while (at < end) {
        double point[3];
        bool none;
        ++number;
        if (!read_line(&at, end, point, &none)) {
            complain("%s, line %zu: expected three finite numbers, x y z", name, number);
            return false;
        }
        if (none) {
            continue;
        }
        if (points->count == room) {
            room = room > 0 ? 2 * room : 1024;
            points->xyz = reallocate(points->xyz, 3 * room, sizeof *points->xyz);
        }
        memcpy(points->xyz + 3 * points->count++, point, sizeof point);
    }
    return true;
}

bool point_file_read(point_file* points, const char* path) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    io_input_note(path);
    if (!io_read_input(path, &bytes, &size, &error)) {
        complain("%s", error.message);
        return false;
    }
    const bool good = read_lines(points, bytes, bytes + size, io_input_name(path));
    free(bytes);
    return good;
}

void point_file_free(point_file* points) {
    free(points->xyz);
    points->xyz = NULL;
}
