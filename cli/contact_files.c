// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes the findings as VTK: see contact_files.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/contact_files.h"

#include "cli/contours.h"
#include "cli/message.h"
#include "cli/output.h"
#include "io/clean.h"
#include "io/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const io_error* error) {
    complain("%s", error->message);
    return false;
}

static bool open_folder(contact_files* f, const char* folder) {
    io_error error;
    const int used = snprintf(f->list_path, sizeof f->list_path, "%s/contacts.pvd", folder);
    if (used < 0 || (size_t)used >= sizeof f->list_path) {
        complain("--vtk: the name of the folder is too long");
        return false;
    }
    if (!io_output_folder(folder, &error)) {
        return fail(&error);
    }
    const size_t size = strlen(folder) + 1;
    f->folder = memcpy(allocate(size, 1), folder, size);
    return io_pvd_begin(&f->list, f->list_path, &error) || fail(&error);
}

bool contact_files_open(contact_files* f, const char* folder, const char* const* labels,
                        double fps) {
    *f = (contact_files){.labels = labels, .fps = fps};
    return folder == NULL || open_folder(f, folder);
}

// ---- surfaces

typedef struct touch_counter {
    const contact_files* f;
    const world* w;
    uint32_t* touching;
} touch_counter;

static void count_triangle(const touch_counter* t, uint32_t body, uint32_t triangle) {
    const size_t place = joined_place(&t->f->surface, body, triangle);
    if (place != SIZE_MAX) {
        ++t->touching[place];
    }
}

// counts for each triangle the pairs that it is in
static void count_touching(void* user, const abut_collide_result* answer) {
    const touch_counter* t = user;
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(answer, &count);
    for (size_t i = 0; i < count; ++i) {
        count_triangle(t, t->w->number_of[pairs[i].body_a], pairs[i].triangle_a);
        count_triangle(t, t->w->number_of[pairs[i].body_b], pairs[i].triangle_b);
    }
}

// the same for pairs of regions, unless the query for pairs has them
static void count_in_regions(const touch_counter* t, const question* q) {
    for (size_t i = 0; i < t->w->depth_count && q->depth; ++i) {
        const depth_entry* d = &t->w->depths[i];
        const abut_pair* pairs = abut_depth_result_pairs(d->depths, NULL);
        const bool elsewhere = d->a == d->b ? q->self : q->between;
        for (size_t k = 0, at; !elsewhere && world_region_pair(t->w, d, k, &at); ++k) {
            count_triangle(t, d->a, pairs[at].triangle_a);
            count_triangle(t, d->b, pairs[at].triangle_b);
        }
    }
}

// the path of a frame's file, which is added to the list
static void name_vtp(contact_files* f, const char* kind, int part, uint32_t frame, double time,
                     char path[4096 + 64]) {
    char name[64];
    snprintf(name, sizeof name, "%s_%04llu.vtp", kind,
             (unsigned long long)frame_number(f->names, frame));
    snprintf(path, 4096 + 64, "%s/%s", f->folder, name);
    io_pvd_add(&f->list, time, part, name);
}

static void mark(const contact_files* f, uint32_t body, uint32_t triangle, uint32_t id,
                 uint32_t* regions) {
    const size_t place = joined_place(&f->surface, body, triangle);
    if (place != SIZE_MAX) {
        regions[place] = id;
    }
}

// sets the region id of each triangle; 0: none
static void mark_regions(const contact_files* f, const world* w, const depth_entry* entry,
                         uint32_t* regions) {
    const abut_pair* pairs = abut_depth_result_pairs(entry->depths, NULL);
    const uint32_t* inside = abut_depth_result_inside(entry->depths, NULL);
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

static bool write_surface(contact_files* f, const world* w, const question* q, uint32_t frame,
                          double time) {
    joined* s = &f->surface;
    joined_take(s, w);
    uint32_t* touching = allocate(s->triangle_count, sizeof *touching);
    touch_counter counter = {f, w, touching};
    world_each_answer(w, q, count_touching, &counter);
    count_in_regions(&counter, q);
    uint32_t* regions = q->depth ? allocate(s->triangle_count, sizeof *regions) : NULL;
    for (size_t i = 0; i < w->depth_count && q->depth; ++i) {
        mark_regions(f, w, &w->depths[i], regions);
    }
    const io_vtk_column columns[] = {{.name = "body", .values = s->bodies},
                                     {.name = "triangle", .values = s->ids},
                                     {.name = "touching", .values = touching},
                                     {.name = "region", .values = regions}};
    const io_vtk_cells cells = {.points = s->positions,
                                .point_count = s->vertex_count,
                                .corners = s->triangles,
                                .corner_count = 3,
                                .cell_count = s->triangle_count,
                                .columns = columns,
                                .column_count = q->depth ? 4 : 3};
    io_error error;
    char path[4096 + 64];
    name_vtp(f, "surface", 0, frame, time, path);
    const bool done = io_write_vtp(path, &cells, &error) || fail(&error);
    free(touching);
    free(regions);
    return done;
}

// ---- lines and points

static bool write_lines(contact_files* f, const char* kind, int part, uint32_t frame, double time) {
    io_error error;
    char path[4096 + 64];
    name_vtp(f, kind, part, frame, time, path);
    const bool done = lines_write(&f->lines, path, &error) || fail(&error);
    lines_free(&f->lines);
    return done;
}

// sets the first four columns of a cell
static void put_ids(line_set* l, uint32_t a, uint32_t b, uint32_t triangle_a, uint32_t triangle_b) {
    lines_number(l, 0, a);
    lines_number(l, 1, b);
    lines_number(l, 2, triangle_a);
    lines_number(l, 3, triangle_b);
}

typedef struct segment_taker {
    line_set* lines;
    const world* w;
} segment_taker;

static void take_segments(void* user, const abut_collide_result* answer) {
    const segment_taker* t = user;
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(answer, &count);
    const abut_intersection* shared = abut_collide_result_intersections(answer, NULL);
    for (size_t i = 0; i < count && shared != NULL; ++i) {
        double ends[2][3];
        if (shared_segment(&shared[i], ends)) {
            lines_add(t->lines, ends[0]);
            put_ids(t->lines, t->w->number_of[pairs[i].body_a], t->w->number_of[pairs[i].body_b],
                    pairs[i].triangle_a, pairs[i].triangle_b);
        }
    }
}

static void take_region_segments(const segment_taker* t, const question* q) {
    for (size_t i = 0; i < t->w->depth_count && q->depth; ++i) {
        const depth_entry* d = &t->w->depths[i];
        const abut_pair* pairs = abut_depth_result_pairs(d->depths, NULL);
        const bool elsewhere = d->a == d->b ? q->self : q->between;
        for (size_t k = 0, at; !elsewhere && world_region_pair(t->w, d, k, &at); ++k) {
            double ends[2][3];
            if (segment_of_triangles(t->w, d->a, pairs[at].triangle_a, d->b, pairs[at].triangle_b,
                                     ends)) {
                lines_add(t->lines, ends[0]);
                put_ids(t->lines, d->a, d->b, pairs[at].triangle_a, pairs[at].triangle_b);
            }
        }
    }
}

static bool write_segments(contact_files* f, const world* w, const question* q, uint32_t frame,
                           double time) {
    static const char* const names[] = {"body_a", "body_b", "triangle_a", "triangle_b"};
    segment_taker taker = {&f->lines, w};
    lines_begin(&f->lines, 2, names, "nnnn");
    world_each_answer(w, q, take_segments, &taker);
    take_region_segments(&taker, q);
    return write_lines(f, "contacts", 1, frame, time);
}

static bool write_contours(contact_files* f, const world* w, const question* q, uint32_t frame,
                           double time) {
    io_error error;
    char path[4096 + 64];
    name_vtp(f, "contours", 5, frame, time, path);
    return contours_write(w, q, path, &error) || fail(&error);
}

// a text for each pair of bodies without a depth; the caller frees it
static char* undefined_texts(const contact_files* f, const findings* now, size_t* count) {
    char* texts = NULL;
    size_t size = 0;
    *count = 0;
    for (size_t i = 0; i < now->count; ++i) {
        char text[REASON_SIZE];
        if (!now->list[i].depth_undefined) {
            continue;
        }
        const size_t more = strlen(finding_reason(&now->list[i], f->labels, text)) + 1;
        texts = reallocate(texts, size + more, 1);
        memcpy(texts + size, text, more);
        size += more;
        ++*count;
    }
    return texts;
}

// writes separating translations as lines from the deepest points of first bodies
static bool write_depths(contact_files* f, const world* w, const findings* now, uint32_t frame,
                         double time) {
    static const char* const names[] = {"body_a", "body_b",  "region", "interlocked",
                                        "depth",  "way_out", "point_b"};
    line_set* l = &f->lines;
    lines_begin(l, 2, names, "nnnnrvv");
    for (size_t i = 0; i < w->depth_count; ++i) {
        const depth_entry* d = &w->depths[i];
        for (size_t k = d->first; k < d->first + d->count; ++k) {
            const abut_region* r = &w->regions[k];
            double ends[2][3];
            double translation[3];
            if (!isfinite(r->depth)) {  // a fold has no separating translation
                continue;
            }
            for (int n = 0; n < 3; ++n) {
                translation[n] = r->depth * r->direction[n];
                ends[0][n] = r->point_a[n];
                ends[1][n] = r->point_a[n] + translation[n];
            }
            lines_add(l, ends[0]);
            put_ids(l, d->a, d->b, r->id, r->interlocked);
            lines_real(l, 4, r->depth);
            lines_vector(l, 5, translation);
            lines_vector(l, 6, r->point_b);
        }
    }
    char* texts = undefined_texts(f, now, &l->text_count);
    l->texts_name = "undefined";
    l->texts = texts;
    const bool done = write_lines(f, "depth", 2, frame, time);
    free(texts);
    return done;
}

// writes lines between the points where bodies are closest
static bool write_distances(contact_files* f, const world* w, uint32_t frame, double time) {
    static const char* const names[] = {"body_a", "body_b", "triangle_a", "triangle_b", "distance"};
    line_set* l = &f->lines;
    lines_begin(l, 2, names, "nnnnr");
    for (size_t i = 0; i < w->gap_count; ++i) {
        const abut_distance_pair* g = &w->gaps[i];
        double ends[2][3];
        if (!gap_has_points(g)) {
            continue;
        }
        memcpy(ends[0], g->a.point, sizeof ends[0]);
        memcpy(ends[1], g->b.point, sizeof ends[1]);
        lines_add(l, ends[0]);
        put_ids(l, w->number_of[g->body_a], w->number_of[g->body_b], g->triangle_a, g->triangle_b);
        lines_real(l, 4, g->distance);
    }
    return write_lines(f, "nearest", 3, frame, time);
}

static void take_sweeps(contact_files* f, const world* w, const abut_sweep_result* answer,
                        uint32_t frame) {
    size_t count = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(answer, &count);
    for (size_t i = 0; i < count; ++i) {
        const abut_sweep_pair* p = &pairs[i];
        double points[2][3];
        if (!world_swept_points(w, p, points[0], points[1])) {
            continue;
        }
        lines_add(&f->lines, points[0]);
        put_ids(&f->lines, w->number_of[p->body_a], w->number_of[p->body_b], p->triangle_a,
                p->triangle_b);
        lines_real(&f->lines, 4, p->time);
        lines_real(&f->lines, 5, ((double)frame - 1 + p->time) / f->fps);
        lines_vector(&f->lines, 6, p->normal);
    }
}

// writes points of first bodies in swept contacts, with times
static bool write_sweeps(contact_files* f, const world* w, const question* q, uint32_t frame,
                         double time) {
    static const char* const names[] = {"body_a", "body_b", "triangle_a", "triangle_b",
                                        "step",   "time",   "normal"};
    lines_begin(&f->lines, 1, names, "nnnnrrv");
    if (w->stepped && q->between) {
        take_sweeps(f, w, w->swept_between, frame);
    }
    if (w->stepped && q->self) {
        take_sweeps(f, w, w->swept_self, frame);
    }
    return write_lines(f, "sweep", 4, frame, time);
}

bool contact_files_add(contact_files* f, const world* w, const question* q, const findings* now,
                       uint32_t frame, double time) {
    f->names = q->names;
    return f->folder == NULL ||
           (write_surface(f, w, q, frame, time) && write_segments(f, w, q, frame, time) &&
            write_contours(f, w, q, frame, time) &&
            (!q->depth || write_depths(f, w, now, frame, time)) &&
            (!q->nearest || write_distances(f, w, frame, time)) &&
            (!q->sweep || write_sweeps(f, w, q, frame, time)));
}

bool contact_files_close(contact_files* f) {
    io_error error;
    const bool done = io_pvd_end(&f->list, &error) || fail(&error);
    joined_free(&f->surface);
    lines_free(&f->lines);
    free(f->folder);
    *f = (contact_files){0};
    return done;
}
