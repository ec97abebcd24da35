// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contacts as CSV and VTK: see contact_files.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/contact_files.h"

#include "cli/message.h"
#include "cli/output.h"
#include "io/mesh_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BODY_A, BODY_B, TRIANGLE_A, TRIANGLE_B, COLUMNS };

static bool fail(const io_error* error) {
    complain("%s", error->message);
    return false;
}

static bool open_csv(contact_files* f, const char* path) {
    if (io_format_of_name(path) != IO_FORMAT_UNKNOWN) {
        complain("--csv would overwrite '%s', which looks like a mesh", path);
        return false;
    }
    f->csv = output_open(path);
    if (f->csv == NULL) {
        return false;
    }
    fprintf(f->csv, "frame,time,a,b,triangle_a,triangle_b,x0,y0,z0,x1,y1,z1\n");
    return true;
}

static bool open_folder(contact_files* f, const char* folder) {
    io_error error;
    const int used = snprintf(f->list_path, sizeof f->list_path, "%s/contacts.pvd", folder);
    if (used < 0 || (size_t)used >= sizeof f->list_path) {
        complain("--vtk: the name of the folder is too long");
        return false;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        complain("%s: the folder cannot be made: %s", folder, strerror(errno));
        return false;
    }
    f->folder = folder;
    return io_pvd_begin(&f->list, f->list_path, &error) || fail(&error);
}

bool contact_files_open(contact_files* f, const char* csv, const char* vtk_folder) {
    *f = (contact_files){0};
    return (csv == NULL || open_csv(f, csv)) && (vtk_folder == NULL || open_folder(f, vtk_folder));
}

bool contact_files_wanted(const contact_files* f) {
    return f->csv != NULL || f->folder != NULL;
}

// ---- the segments of a frame

// the two points of what is shared that are farthest apart; false if nothing is
static bool segment_of(const abut_intersection* shared, double ends[2][3]) {
    double farthest = -1;
    for (uint32_t i = 0; i < shared->count; ++i) {
        for (uint32_t k = i; k < shared->count; ++k) {
            double distance_sq = 0;
            for (int d = 0; d < 3; ++d) {
                const double difference = shared->point[i][d] - shared->point[k][d];
                distance_sq += difference * difference;
            }
            if (distance_sq > farthest) {
                farthest = distance_sq;
                memcpy(ends[0], shared->point[i], sizeof ends[0]);
                memcpy(ends[1], shared->point[k], sizeof ends[1]);
            }
        }
    }
    return shared->count != 0;
}

static void add_segment(contact_files* f, const uint32_t numbers[COLUMNS], double ends[2][3]) {
    if (f->count == f->room) {
        f->room = 2 * f->room + 256;
        f->points = reallocate(f->points, f->room, 6 * sizeof *f->points);
        f->columns = reallocate(f->columns, f->room, COLUMNS * sizeof *f->columns);
    }
    memcpy(f->points + 6 * f->count, ends, 6 * sizeof *f->points);
    memcpy(f->columns + COLUMNS * f->count, numbers, COLUMNS * sizeof *f->columns);
    ++f->count;
}

static void add_answer(contact_files* f, const world* w, const abut_result* answer, uint32_t frame,
                       double time) {
    size_t count = 0;
    const abut_pair* pairs = abut_result_pairs(answer, &count);
    const abut_intersection* shared = abut_result_shared(answer);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t numbers[COLUMNS] = {w->number_of[pairs[i].body_a],
                                           w->number_of[pairs[i].body_b], pairs[i].triangle_a,
                                           pairs[i].triangle_b};
        double ends[2][3] = {{0}};
        const bool touching = shared != NULL && segment_of(&shared[i], ends);
        if (f->csv != NULL) {
            fprintf(f->csv, "%u,%.17g,%u,%u,%u,%u", frame, time, numbers[BODY_A], numbers[BODY_B],
                    numbers[TRIANGLE_A], numbers[TRIANGLE_B]);
            for (int k = 0; k < 6; ++k) {
                if (touching) {
                    fprintf(f->csv, ",%.17g", ends[k / 3][k % 3]);
                } else {
                    fputc(',', f->csv);  // within the margin: nothing is shared
                }
            }
            fputc('\n', f->csv);
        }
        if (f->folder != NULL && touching) {
            add_segment(f, numbers, ends);
        }
    }
}

// ---- VTK

// in how many pairs each triangle is
static void count_touching(const contact_files* f, const world* w, const abut_result* answer,
                           uint32_t* touching) {
    size_t count = 0;
    const abut_pair* pairs = abut_result_pairs(answer, &count);
    for (size_t i = 0; i < count; ++i) {
        const size_t a = joined_place(&f->surface, w->number_of[pairs[i].body_a],
                                      pairs[i].triangle_a);
        const size_t b = joined_place(&f->surface, w->number_of[pairs[i].body_b],
                                      pairs[i].triangle_b);
        if (a != SIZE_MAX) {
            ++touching[a];
        }
        if (b != SIZE_MAX) {
            ++touching[b];
        }
    }
}

static bool write_vtp(contact_files* f, const char* kind, int part, uint32_t frame, double time,
                      const io_vtk_cells* cells) {
    char path[4096 + 64];
    char name[64];
    io_error error;
    snprintf(name, sizeof name, "%s_%04u.vtp", kind, frame);
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    io_pvd_add(&f->list, time, part, name);
    return io_write_vtp(path, cells, &error) || fail(&error);
}

static void mark(const contact_files* f, uint32_t body, uint32_t triangle, uint32_t id,
                 uint32_t* regions) {
    const size_t place = joined_place(&f->surface, body, triangle);
    if (place != SIZE_MAX) {
        regions[place] = id;
    }
}

// the ids of the regions that triangles are in; 0: none
static void mark_regions(const contact_files* f, const world* w, const depth_entry* entry,
                         uint32_t* regions) {
    const abut_pair* pairs = abut_depths_pairs(entry->depths, NULL);
    const uint32_t* inside = abut_depths_inside(entry->depths, NULL);
    for (size_t i = 0; i < entry->count; ++i) {
        const abut_region* r = &w->regions[entry->first + i];
        for (size_t k = r->first_pair; k < r->first_pair + r->pair_count; ++k) {
            mark(f, entry->a, pairs[k].triangle_a, r->id, regions);
            mark(f, entry->b, pairs[k].triangle_b, r->id, regions);
        }
        for (size_t k = 0; k < r->inside_a_count + r->inside_b_count; ++k) {
            mark(f, k < r->inside_a_count ? entry->a : entry->b, inside[r->first_inside + k], r->id,
                 regions);
        }
    }
}

enum { WAY_BODY_A, WAY_BODY_B, WAY_REGION, WAY_INTERLOCKED, WAY_NUMBERS };

// lines from the deepest points of first bodies to where they must go
typedef struct way_lines {
    double* points;
    double* ways;
    uint32_t* corners;
    uint32_t* values;  // column after column, of `room` each
    uint32_t count;
    size_t room;
} way_lines;

static void add_way(way_lines* l, const depth_entry* entry, const abut_region* r) {
    const uint32_t numbers[WAY_NUMBERS] = {entry->a, entry->b, r->id, r->interlocked};
    const size_t at = l->count++;
    for (size_t n = 0; n < WAY_NUMBERS; ++n) {
        l->values[n * l->room + at] = numbers[n];
    }
    for (size_t d = 0; d < 3; ++d) {
        l->ways[3 * at + d] = r->depth * r->direction[d];
        l->points[6 * at + d] = r->point_a[d];
        l->points[6 * at + 3 + d] = r->point_a[d] + l->ways[3 * at + d];
    }
    l->corners[2 * at] = (uint32_t)(2 * at);
    l->corners[2 * at + 1] = (uint32_t)(2 * at + 1);
}

static bool write_way_lines(contact_files* f, const way_lines* l, uint32_t frame, double time) {
    static const char* const names[WAY_NUMBERS] = {"body_a", "body_b", "region", "interlocked"};
    io_vtk_column columns[WAY_NUMBERS + 1];
    for (size_t n = 0; n < WAY_NUMBERS; ++n) {
        columns[n] = (io_vtk_column){.name = names[n], .values = l->values + n * l->room};
    }
    columns[WAY_NUMBERS] = (io_vtk_column){.name = "way_out", .vectors = l->ways};
    const io_vtk_cells cells = {l->points, 2 * (size_t)l->count, l->corners, 2, l->count,
                                columns,   WAY_NUMBERS + 1};
    return write_vtp(f, "depth", 2, frame, time, &cells);
}

static bool write_ways(contact_files* f, const world* w, uint32_t frame, double time) {
    way_lines l = {.room = w->region_count};
    l.points = allocate(l.room, 6 * sizeof *l.points);
    l.ways = allocate(l.room, 3 * sizeof *l.ways);
    l.corners = allocate(l.room, 2 * sizeof *l.corners);
    l.values = allocate(l.room, WAY_NUMBERS * sizeof *l.values);
    for (size_t i = 0; i < w->depth_count; ++i) {
        const depth_entry* entry = &w->depths[i];
        for (size_t k = entry->first; k < entry->first + entry->count; ++k) {
            if (isfinite(w->regions[k].depth)) {  // a fold has no way out
                add_way(&l, entry, &w->regions[k]);
            }
        }
    }
    const bool done = write_way_lines(f, &l, frame, time);
    free(l.points);
    free(l.ways);
    free(l.corners);
    free(l.values);
    return done;
}

static bool write_surface(contact_files* f, const world* w, const question* q, uint32_t frame,
                          double time) {
    joined* s = &f->surface;
    joined_take(s, w);
    uint32_t* touching = allocate(s->triangle_count, sizeof *touching);
    if (q->between) {
        count_touching(f, w, w->between, touching);
    }
    if (q->self) {
        count_touching(f, w, w->self, touching);
    }
    uint32_t* regions = q->depth ? allocate(s->triangle_count, sizeof *regions) : NULL;
    for (size_t i = 0; i < w->depth_count && q->depth; ++i) {
        mark_regions(f, w, &w->depths[i], regions);
    }
    const io_vtk_column columns[] = {{.name = "body", .values = s->bodies},
                                     {.name = "triangle", .values = s->ids},
                                     {.name = "touching", .values = touching},
                                     {.name = "region", .values = regions}};
    const io_vtk_cells cells = {s->positions,      s->vertex_count, s->triangles,    3,
                                s->triangle_count, columns,         q->depth ? 4 : 3};
    const bool done = write_vtp(f, "surface", 0, frame, time, &cells);
    free(touching);
    free(regions);
    return done;
}

static bool write_segments(contact_files* f, uint32_t frame, double time) {
    static const char* const names[COLUMNS] = {"body_a", "body_b", "triangle_a", "triangle_b"};
    uint32_t* values = allocate(f->count, COLUMNS * sizeof *values);
    uint32_t* corners = allocate(f->count, 2 * sizeof *corners);
    io_vtk_column columns[COLUMNS];
    for (size_t i = 0; i < f->count; ++i) {
        for (size_t k = 0; k < COLUMNS; ++k) {
            values[k * f->count + i] = f->columns[COLUMNS * i + k];
        }
        corners[2 * i] = (uint32_t)(2 * i);
        corners[2 * i + 1] = (uint32_t)(2 * i + 1);
    }
    for (size_t k = 0; k < COLUMNS; ++k) {
        columns[k] = (io_vtk_column){.name = names[k], .values = values + k * f->count};
    }
    const io_vtk_cells cells = {f->points, 2 * f->count, corners, 2, f->count, columns, COLUMNS};
    const bool done = write_vtp(f, "contacts", 1, frame, time, &cells);
    free(values);
    free(corners);
    return done;
}

bool contact_files_add(contact_files* f, const world* w, const question* q, uint32_t frame,
                       double time) {
    f->count = 0;
    if (!contact_files_wanted(f)) {
        return true;
    }
    if (q->between) {
        add_answer(f, w, w->between, frame, time);
    }
    if (q->self) {
        add_answer(f, w, w->self, frame, time);
    }
    return f->folder == NULL ||
           (write_surface(f, w, q, frame, time) && write_segments(f, frame, time) &&
            (!q->depth || write_ways(f, w, frame, time)));
}

bool contact_files_close(contact_files* f) {
    io_error error;
    bool done = true;
    if (f->csv != NULL) {
        done = output_end(f->csv);
    }
    if (!io_pvd_end(&f->list, &error)) {
        done = fail(&error);
    }
    joined_free(&f->surface);
    free(f->points);
    free(f->columns);
    *f = (contact_files){0};
    return done;
}
