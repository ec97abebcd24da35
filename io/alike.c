// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds vertices that coincide: see alike.h. Each frame sorts a group by position and splits it
// where the position changes. Most groups soon have one vertex and are skipped.
#include "io/alike.h"

#include <stdlib.h>
#include <string.h>

bool io_alike_begin(io_alike* a, size_t vertex_count) {
    *a = (io_alike){.vertex_count = vertex_count};
    a->order = malloc((vertex_count + 1) * sizeof *a->order);
    a->ends = malloc((vertex_count + 1) * sizeof *a->ends);
    a->groups = malloc((vertex_count + 1) * sizeof *a->groups);
    if (a->order == NULL || a->ends == NULL || a->groups == NULL) {
        io_alike_free(a);
        return false;
    }
    for (size_t i = 0; i < vertex_count; ++i) {
        a->order[i] = (uint32_t)i;
    }
    a->groups[0] = 0;
    a->ends[0] = (uint32_t)vertex_count;
    a->group_count = vertex_count > 1;
    return true;
}

void io_alike_free(io_alike* a) {
    free(a->order);
    free(a->ends);
    free(a->groups);
    *a = (io_alike){0};
}

typedef struct placed {
    double place[3];
    uint32_t vertex;
} placed;

static int compare_places(const double a[3], const double b[3]) {
    for (int k = 0; k < 3; ++k) {
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return 0;
}

static int compare(const void* a, const void* b) {
    const placed* x = a;
    const placed* y = b;
    const int places = compare_places(x->place, y->place);
    return places != 0 ? places : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

// splits one group; appends parts of two or more vertices to a->groups, which has `kept`
static void split_group(io_alike* a, uint32_t first, placed* room, const double* wide,
                        const float* narrow, size_t* kept) {
    const uint32_t end = a->ends[first];
    for (uint32_t i = first; i < end; ++i) {
        const size_t v = a->order[i];
        for (size_t k = 0; k < 3; ++k) {
            room[i - first].place[k] = wide != NULL ? wide[3 * v + k] : (double)narrow[3 * v + k];
        }
        room[i - first].vertex = a->order[i];
    }
    qsort(room, end - first, sizeof *room, compare);
    uint32_t start = first;
    for (uint32_t i = first; i < end; ++i) {
        const placed* now = &room[i - first];
        a->order[i] = now->vertex;
        if (i + 1 == end || compare_places(now->place, now[1].place) != 0) {
            if (i > start) {
                a->ends[start] = i + 1;
                a->groups[(*kept)++] = start;
            }
            start = i + 1;
        }
    }
}

bool io_alike_part(io_alike* a, const double* wide, const float* narrow) {
    size_t largest = 0;
    for (size_t g = 0; g < a->group_count; ++g) {
        const size_t size = a->ends[a->groups[g]] - a->groups[g];
        largest = size > largest ? size : largest;
    }
    placed* room = malloc((largest + 1) * sizeof *room);
    // a group may split into several, so the new list would overtake the old one: read from a copy
    uint32_t* old = malloc((a->group_count + 1) * sizeof *old);
    const bool ready = room != NULL && old != NULL;
    if (ready) {
        const size_t count = a->group_count;
        memcpy(old, a->groups, count * sizeof *old);
        size_t kept = 0;
        for (size_t g = 0; g < count; ++g) {
            split_group(a, old[g], room, wide, narrow, &kept);
        }
        a->group_count = kept;
    }
    free(room);
    free(old);
    return ready;
}

void io_alike_classes(const io_alike* a, uint32_t* classes) {
    for (size_t i = 0; i < a->vertex_count; ++i) {
        classes[i] = (uint32_t)i;
    }
    for (size_t g = 0; g < a->group_count; ++g) {
        const uint32_t first = a->groups[g];
        for (uint32_t i = first; i < a->ends[first]; ++i) {
            classes[a->order[i]] = a->order[first];  // vertices of a group ascend
        }
    }
}
