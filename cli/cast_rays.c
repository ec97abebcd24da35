// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays of the command line and of text files: see cast_rays.h.
#include "cli/cast_rays.h"

#include "cli/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512 };

double* rays_add(ray_table* rays) {
    if (rays->count == rays->capacity) {
        rays->capacity = 2 * rays->capacity + 16;
        rays->from = reallocate(rays->from, 3 * rays->capacity, sizeof(double));
        rays->to = reallocate(rays->to, 3 * rays->capacity, sizeof(double));
    }
    return rays->from + 3 * rays->count++;
}

double* rays_end(const ray_table* rays) {
    return rays->to + 3 * (rays->count - 1);
}

void rays_free(ray_table* rays) {
    free(rays->from);
    free(rays->to);
}

// Reads numbers between spaces and commas. Returns how many there are, or -1 if something else is
// there, or more.
static int read_numbers(const char* text, double* out, int most) {
    int count = 0;
    for (;;) {
        text += strspn(text, " \t\r\n,");
        if (*text == '\0') {
            return count;
        }
        char* end = NULL;
        const double x = strtod(text, &end);
        if (end == text || !isfinite(x) || count == most ||
            (*end != '\0' && strchr(" \t\r\n,", *end) == NULL)) {
            return -1;
        }
        out[count++] = x;
        text = end;
    }
}

bool ray_point(const char* option, const char* text, double point[3]) {
    if (read_numbers(text, point, 3) != 3) {
        complain("%s needs three numbers such as 0,0.5,2, not '%s'", option, text);
        return false;
    }
    return true;
}

static bool add_line(ray_table* rays, const char* line, const char* path, size_t number) {
    double six[6];
    const char* begin = line + strspn(line, " \t\r\n");
    if (*begin == '\0' || *begin == '#') {
        return true;
    }
    if (read_numbers(line, six, 6) != 6) {
        complain("%s, line %zu: a ray has six numbers, where it begins and where it ends", path,
                 number);
        return false;
    }
    memcpy(rays_add(rays), six, 3 * sizeof *six);
    memcpy(rays_end(rays), six + 3, 3 * sizeof *six);
    return true;
}

bool rays_read(ray_table* rays, const char* path) {
    const bool standard = strcmp(path, "-") == 0;
    FILE* file = standard ? stdin : fopen(path, "r");
    char line[LINE_SIZE];
    bool good = true;
    if (file == NULL) {
        complain("%s cannot be opened", path);
        return false;
    }
    for (size_t number = 1; good && fgets(line, sizeof line, file) != NULL; ++number) {
        if (strlen(line) + 1 == sizeof line) {
            complain("%s, line %zu is too long", path, number);
            good = false;
        }
        good = good && add_line(rays, line, path, number);
    }
    if (good && ferror(file)) {
        complain("%s cannot be read", path);
        good = false;
    }
    if (!standard) {
        fclose(file);
    }
    return good;
}
