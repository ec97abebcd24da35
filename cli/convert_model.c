// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Converts to GLB: one morph target per frame, fewer by principal components, or targets from
// files. See convert.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/convert.h"
#include "cli/joined.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/reduce.h"
#include "cli/terminal.h"
#include "io/file.h"
#include "io/gltf_write.h"
#include "io/output.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the bodies, and the positions of all vertices in every frame
typedef struct record {
    joined j;
    uint32_t* triangles;  // of the first frame
    size_t triangle_count;
    size_t vertex_count;
    double* frames;
    size_t frame_count;
    size_t room;
} record;

static bool record_frame(void* user, conversion* c, size_t frame) {
    record* r = user;
    joined* j = &r->j;
    joined_take(j, &c->w);
    if (r->triangles == NULL) {
        r->triangles = allocate(j->triangle_count, 3 * sizeof *r->triangles);
        memcpy(r->triangles, j->triangles, 3 * j->triangle_count * sizeof *r->triangles);
        r->triangle_count = j->triangle_count;
        r->vertex_count = j->vertex_count;
    }
    if (r->vertex_count != j->vertex_count || r->triangle_count != j->triangle_count ||
        memcmp(j->triangles, r->triangles, 3 * j->triangle_count * sizeof *j->triangles) != 0) {
        char label[FRAME_TEXT_SIZE];
        complain("%s: the triangles change in frame %s, which morph targets cannot represent",
                 c->output, frame_label(&c->objects.names, frame, label));
        return false;
    }
    if (!convert_fits_floats(c, j->positions, frame)) {
        return false;
    }
    if (r->frame_count == r->room) {
        r->room = 2 * r->room + 16;
        r->frames = reallocate(r->frames, r->room, 3 * r->vertex_count * sizeof *r->frames);
    }
    memcpy(r->frames + 3 * r->vertex_count * r->frame_count++, j->positions,
           3 * r->vertex_count * sizeof *r->frames);
    return true;
}

static void free_record(record* r) {
    joined_free(&r->j);
    free(r->triangles);
    free(r->frames);
}

// ---- one body of the record

typedef struct part {
    char* name;
    size_t first_vertex;
    size_t vertex_count;
    uint32_t* triangles;
    size_t triangle_count;
    double* frames;  // positions of its vertices only
    reduced model;
} part;

static void cut_part(const record* r, const conversion* c, uint32_t body, size_t* vertex, part* p) {
    const abut_shape* shape = abut_body_shape(c->w.scene, c->w.bodies[body]);
    const size_t first = r->j.first[body];
    p->name = c->objects.objects[body].name;
    p->first_vertex = *vertex;
    p->vertex_count = abut_mesh_vertex_count(abut_shape_mesh(shape));
    p->triangle_count = r->j.first[body + 1] - first;
    p->triangles = allocate(p->triangle_count, 3 * sizeof *p->triangles);
    for (size_t i = 0; i < 3 * p->triangle_count; ++i) {
        p->triangles[i] = r->triangles[3 * first + i] - (uint32_t)*vertex;
    }
    p->frames = allocate(r->frame_count, 3 * p->vertex_count * sizeof *p->frames);
    for (size_t f = 0; f < r->frame_count; ++f) {
        memcpy(p->frames + 3 * p->vertex_count * f,
               r->frames + 3 * (r->vertex_count * f + p->first_vertex),
               3 * p->vertex_count * sizeof *p->frames);
    }
    *vertex += p->vertex_count;
}

// makes each frame but the first a target
static void keep_frames(part* p, size_t frame_count) {
    const size_t numbers = 3 * p->vertex_count;
    reduced* m = &p->model;
    const size_t moving = frame_count > 1 &&
                                  memcmp(p->frames, p->frames + numbers,
                                         numbers * (frame_count - 1) * sizeof *p->frames) != 0
                              ? frame_count - 1
                              : 0;
    m->field_count = moving;
    m->rest = allocate(numbers, sizeof *m->rest);
    m->fields = allocate(moving + 1, numbers * sizeof *m->fields);
    m->coordinates = allocate(frame_count, (moving + 1) * sizeof *m->coordinates);
    for (size_t i = 0; i < numbers; ++i) {
        m->rest[i] = (float)p->frames[i];
        for (size_t t = 0; t < moving; ++t) {
            m->fields[t * numbers + i] = (float)(p->frames[(t + 1) * numbers + i] -
                                                 (double)m->rest[i]);
        }
    }
    for (size_t t = 0; t < moving; ++t) {
        m->coordinates[(t + 1) * moving + t] = 1;
    }
}

// the diagonal of the box of all frames
static double size_of(const part* p, size_t frame_count) {
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * p->vertex_count * frame_count; ++i) {
        lo[i % 3] = fmin(lo[i % 3], p->frames[i]);
        hi[i % 3] = fmax(hi[i % 3], p->frames[i]);
    }
    return sqrt((hi[0] - lo[0]) * (hi[0] - lo[0]) + (hi[1] - lo[1]) * (hi[1] - lo[1]) +
                (hi[2] - lo[2]) * (hi[2] - lo[2]));
}

static void print_error(const conversion* c, const part* p, size_t frame_count) {
    char name[NAME_SIZE];
    char label[FRAME_TEXT_SIZE];
    const double size = size_of(p, frame_count);
    if (!c->quiet) {
        printf(
            "%s: %zu morph target%s; the largest distance to the original is %.6g (%.3g %% of its "
            "size), in frame %s.\n",
            shown_name(p->name, 60, name), p->model.field_count,
            p->model.field_count == 1 ? "" : "s", p->model.distance,
            size > 0 ? 100 * p->model.distance / size : 0,
            frame_label(&c->objects.names, c->first + p->model.worst_frame, label));
    }
}

// Whether the displacements are in the range of floats: the difference of two floats may not be.
// False after an error message.
static bool fits_floats(const conversion* c, const part* p) {
    const size_t numbers = 3 * p->vertex_count;
    for (size_t i = 0; i < p->model.field_count * numbers; ++i) {
        if (!isfinite(p->model.fields[i])) {
            complain(
                "%s: vertex %zu (counted from 0) moves farther than the floats of %s can "
                "represent; "
                "scale the mesh down, or write .obj",
                p->name, i % numbers / 3, c->output);
            return false;
        }
    }
    return true;
}

static bool write_parts(conversion* c, const part* parts, size_t count, size_t frame_count) {
    io_error error;
    io_gltf_mesh* meshes = allocate(count, sizeof *meshes);
    for (size_t i = 0; i < count; ++i) {
        const part* p = &parts[i];
        meshes[i] = (io_gltf_mesh){.name = p->name,
                                   .positions = p->model.rest,
                                   .vertex_count = p->vertex_count,
                                   .triangles = p->triangles,
                                   .triangle_count = p->triangle_count,
                                   .target_count = p->model.field_count,
                                   .targets = p->model.fields,
                                   .weights = p->model.coordinates};
    }
    const bool done = io_write_glb(c->output, meshes, count, frame_count, c->fps, &error);
    if (!done) {
        complain("%s", error.message);
    }
    free(meshes);
    return done;
}

static bool write_record(conversion* c, const record* r) {
    part* parts = allocate(c->objects.count, sizeof *parts);
    size_t vertex = 0;
    bool done = true;
    for (uint32_t i = 0; i < c->objects.count; ++i) {
        cut_part(r, c, i, &vertex, &parts[i]);
        if (c->fields != 0) {
            reduce(parts[i].frames, r->frame_count, parts[i].vertex_count, c->fields,
                   &parts[i].model);
        } else {
            keep_frames(&parts[i], r->frame_count);
        }
        done = done && fits_floats(c, &parts[i]);
    }
    done = done && write_parts(c, parts, c->objects.count, r->frame_count);
    for (size_t i = 0; i < c->objects.count && done && c->fields != 0; ++i) {
        print_error(c, &parts[i], r->frame_count);
    }
    for (size_t i = 0; i < c->objects.count; ++i) {
        free(parts[i].triangles);
        free(parts[i].frames);
        reduced_free(&parts[i].model);
    }
    free(parts);
    if (done && !c->quiet) {
        char name[NAME_SIZE];
        printf("Wrote %zu frame%s to %s.\n", r->frame_count, r->frame_count == 1 ? "" : "s",
               shown_name(c->output, NAME_SIZE - 1, name));
    }
    return done;
}

// ---- targets from files

typedef struct target_files {
    glob_t found;
    char** names;
    float* fields;
    float* weights;
    size_t frame_count;
} target_files;

static bool read_target(const char* path, size_t vertex_count, float* out) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    if (!io_read_file(path, &bytes, &size, &error)) {
        complain("%s", error.message);
        return false;
    }
    const bool fits = size == 12 * vertex_count;
    bool finite = true;
    if (fits) {
        memcpy(out, bytes, size);
    }
    for (size_t i = 0; i < 3 * vertex_count && fits && finite; ++i) {
        finite = isfinite(out[i]);
    }
    free(bytes);
    if (!fits) {
        complain("%s: it has %zu bytes, but %zu vertices need %zu", path, size, vertex_count,
                 12 * vertex_count);
    } else if (!finite) {
        complain("%s: it contains a number that is not finite", path);
    }
    return fits && finite;
}

// the name of a file up to its first dot
static char* short_name(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* name = slash == NULL ? path : slash + 1;
    const size_t length = strcspn(name, ".");
    char* copy = allocate(length + 1, 1);
    memcpy(copy, name, length);
    return copy;
}

static bool read_targets(const conversion* c, size_t vertex_count, target_files* t) {
    if (glob(c->targets, 0, NULL, &t->found) != 0 || t->found.gl_pathc == 0) {
        complain("%s: no file matches this pattern", c->targets);
        return false;
    }
    const size_t count = t->found.gl_pathc;
    t->names = allocate(count, sizeof *t->names);
    t->fields = allocate(count, 3 * vertex_count * sizeof *t->fields);
    for (size_t i = 0; i < count; ++i) {
        io_input_note(t->found.gl_pathv[i]);
        t->names[i] = short_name(t->found.gl_pathv[i]);
        if (!read_target(t->found.gl_pathv[i], vertex_count, t->fields + 3 * vertex_count * i)) {
            return false;
        }
    }
    return true;
}

// animates each target from 0 to 1 and back within a second
static void play_targets(target_files* t, double fps) {
    const size_t count = t->found.gl_pathc;
    t->frame_count = (size_t)(fps * (double)count) + 1;
    t->weights = allocate(t->frame_count, count * sizeof *t->weights);
    for (size_t f = 0; f < t->frame_count; ++f) {
        for (size_t i = 0; i < count; ++i) {
            const double time = (double)f / fps - (double)i;
            t->weights[f * count + i] = (float)fmax(0, 1 - fabs(2 * time - 1));
        }
    }
}

static bool write_targets(const conversion* c, const record* r, target_files* t) {
    io_error error;
    if (!read_targets(c, r->vertex_count, t) || !inputs_apart()) {
        return false;
    }
    play_targets(t, c->fps);
    float* rest = allocate(r->vertex_count, 3 * sizeof *rest);
    for (size_t i = 0; i < 3 * r->vertex_count; ++i) {
        rest[i] = (float)r->frames[i];
    }
    const io_gltf_mesh mesh = {.name = c->objects.objects[0].name,
                               .positions = rest,
                               .vertex_count = r->vertex_count,
                               .triangles = r->triangles,
                               .triangle_count = r->triangle_count,
                               .target_count = t->found.gl_pathc,
                               .targets = t->fields,
                               .target_names = (const char* const*)t->names,
                               .weights = t->weights};
    const bool done = io_write_glb(c->output, &mesh, 1, t->frame_count, c->fps, &error);
    free(rest);
    if (!done) {
        complain("%s", error.message);
    } else if (!c->quiet) {
        char name[NAME_SIZE];
        const bool one = t->found.gl_pathc == 1;
        printf("Wrote %zu morph target%s, moved %s, to %s.\n", t->found.gl_pathc, one ? "" : "s",
               one ? "in a second" : "one after the other",
               shown_name(c->output, NAME_SIZE - 1, name));
    }
    return done;
}

static bool add_targets(const conversion* c, const record* r) {
    target_files t = {0};
    if (c->objects.count != 1 || r->frame_count != 1) {
        complain("--targets needs one mesh; %s",
                 c->objects.count != 1 ? "there are several objects"
                                       : "this is an animation: pick a frame with --frames");
        return false;
    }
    const bool done = write_targets(c, r, &t);
    for (size_t i = 0; t.names != NULL && i < t.found.gl_pathc; ++i) {
        free(t.names[i]);
    }
    free(t.names);
    free(t.fields);
    free(t.weights);
    globfree(&t.found);
    return done;
}

bool convert_to_glb(conversion* c) {
    record r = {0};
    const bool done = output_claim(c->output) && convert_frames(c, record_frame, &r) &&
                      (c->targets != NULL ? add_targets(c, &r) : write_record(c, &r));
    free_record(&r);
    return done;
}
