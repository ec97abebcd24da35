// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Converts to files of one surface: OBJ, VTK, PC2. See convert.h.
#include "cli/convert.h"
#include "cli/joined.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "io/cache.h"
#include "io/obj_write.h"
#include "io/vtk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static bool fail(const io_error* error) {
    complain("%s", error->message);
    return false;
}

// The part of a name after its only %d or %04d, which starts at *percent. NULL if there is none.
static const char* after_number(const char* name, const char** percent) {
    *percent = strchr(name, '%');
    const char* after = *percent == NULL ? NULL : *percent + 1 + strspn(*percent + 1, "0123456789");
    return after != NULL && *after == 'd' && strchr(after, '%') == NULL ? after + 1 : NULL;
}

// Makes the name of a frame's file. The frame's number replaces a %d or %04d in the name; without
// one it goes before the ending, unless there is a single frame. A NULL ending means that of the
// output.
static bool name_frame(const conversion* c, size_t frame, const char* ending,
                       char path[PATH_SIZE]) {
    const char* percent = NULL;
    const char* after = after_number(c->output, &percent);
    const size_t number = (size_t)frame_number(&c->objects.names, frame);
    int used = 0;
    if (after != NULL) {
        const long digits = strtol(percent + 1, NULL, 10);
        used = snprintf(path, PATH_SIZE, "%.*s%0*zu%s", (int)(percent - c->output), c->output,
                        digits > 0 && digits < 20 ? (int)digits : 1, number, after);
    } else if (c->first == c->last && ending == NULL) {
        used = snprintf(path, PATH_SIZE, "%s", c->output);
    } else {
        used = snprintf(path, PATH_SIZE, "%.*s_%04zu%s", (int)(strrchr(c->output, '.') - c->output),
                        c->output, number, ending == NULL ? strrchr(c->output, '.') : ending);
    }
    if (used < 0 || used >= PATH_SIZE) {
        complain("%s: the name is too long", c->output);
        return false;
    }
    return true;
}

// refuses names of frames that are inputs, before any file is written
static bool claim_frames(const conversion* c, const char* ending) {
    char path[PATH_SIZE];
    bool free = true;
    for (size_t frame = c->first; frame <= c->last && free; ++frame) {
        free = name_frame(c, frame, ending, path) && output_claim(path);
    }
    return free;
}

static void print_written(const conversion* c, const char* between, const char* names) {
    const size_t frames = c->last - c->first + 1;
    if (!c->quiet) {
        printf("Wrote %zu frame%s%s%s%s.\n", frames, frames == 1 ? "" : "s", between, names,
               c->objects.count > 1 ? ", all objects as one surface" : "");
    }
}

// "q_0003.obj to q_0005.obj", or the only one
enum { NAMES_SIZE = 2 * NAME_SIZE + 8 };
static const char* names_of_frames(const conversion* c, const char* ending,
                                   char names[NAMES_SIZE]) {
    char path[PATH_SIZE] = "";
    char first[NAME_SIZE];
    char last[NAME_SIZE];
    name_frame(c, c->first, ending, path);
    shown_name(path, NAME_SIZE - 1, first);
    name_frame(c, c->last, ending, path);
    shown_name(path, NAME_SIZE - 1, last);
    if (c->first == c->last) {
        snprintf(names, NAMES_SIZE, "%s", first);
    } else {
        snprintf(names, NAMES_SIZE, "%s to %s", first, last);
    }
    return names;
}

static void print_written_series(const conversion* c) {
    char names[NAMES_SIZE];
    print_written(c, c->first == c->last ? " to " : ", ", names_of_frames(c, NULL, names));
}

// ---- OBJ

static bool write_obj(void* user, conversion* c, size_t frame) {
    joined* j = user;
    char path[PATH_SIZE];
    io_error error;
    joined_take(j, &c->w);
    return name_frame(c, frame, NULL, path) &&
           (io_write_obj(path, j->positions, j->vertex_count, j->triangles, j->triangle_count,
                         &error) ||
            fail(&error));
}

bool convert_to_obj(conversion* c) {
    joined j = {0};
    const bool done = claim_frames(c, NULL) && convert_frames(c, write_obj, &j);
    joined_free(&j);
    if (done) {
        print_written_series(c);
    }
    return done;
}

// ---- VTK

typedef struct vtk_writer {
    joined j;
    io_pvd list;         // open for .pvd only
    const char* ending;  // of the surfaces; NULL: that of the output
} vtk_writer;

static bool write_vtp(void* user, conversion* c, size_t frame) {
    vtk_writer* w = user;
    char path[PATH_SIZE];
    io_error error;
    joined_take(&w->j, &c->w);
    const io_vtk_column columns[] = {{.name = "body", .values = w->j.bodies},
                                     {.name = "triangle", .values = w->j.ids}};
    const io_vtk_cells cells = {.points = w->j.positions,
                                .point_count = w->j.vertex_count,
                                .corners = w->j.triangles,
                                .corner_count = 3,
                                .cell_count = w->j.triangle_count,
                                .columns = columns,
                                .column_count = 2};
    if (!name_frame(c, frame, w->ending, path) ||
        (!io_write_vtp(path, &cells, &error) && !fail(&error))) {
        return false;
    }
    if (w->list.file != NULL) {
        const char* slash = strrchr(path, '/');
        io_pvd_add(&w->list, (double)frame / c->fps, 0, slash == NULL ? path : slash + 1);
    }
    return true;
}

static bool write_vtk(conversion* c, vtk_writer* w) {
    io_error error;
    bool done = claim_frames(c, w->ending) && convert_frames(c, write_vtp, w);
    if (done && !io_pvd_end(&w->list, &error)) {
        done = fail(&error);
    }
    io_pvd_drop(&w->list);
    joined_free(&w->j);
    return done;
}

bool convert_to_vtp(conversion* c) {
    vtk_writer w = {0};
    const bool done = write_vtk(c, &w);
    if (done) {
        print_written_series(c);
    }
    return done;
}

static void print_written_list(const conversion* c) {
    char list[NAME_SIZE];
    char names[NAMES_SIZE];
    char text[NAME_SIZE + NAMES_SIZE + 16];
    shown_name(c->output, NAME_SIZE - 1, list);
    snprintf(text, sizeof text, "%s, which lists %s", list, names_of_frames(c, ".vtp", names));
    print_written(c, " to ", text);
}

bool convert_to_pvd(conversion* c) {
    vtk_writer w = {.ending = ".vtp"};
    io_error error;
    const char* percent = NULL;
    const char* after = after_number(c->output, &percent);
    if (after != NULL) {
        complain(
            "%s: the list of all frames is one file; leave out %.*s: the files of the frames "
            "are numbered anyway",
            c->output, (int)(after - percent), percent);
        return false;
    }
    const bool done = (io_pvd_begin(&w.list, c->output, &error) || fail(&error)) &&
                      write_vtk(c, &w);
    if (done) {
        print_written_list(c);
    }
    return done;
}

// ---- PC2

typedef struct cache_writer {
    joined j;
    io_pc2_writer out;
    float* narrow;
    uint32_t* triangles;  // of the first frame
    size_t triangle_count;
} cache_writer;

// writes the mesh into the folder of the cache, unless the file exists
static bool write_mesh(const conversion* c, const joined* j, bool* written) {
    char path[PATH_SIZE];
    io_error error;
    const int used = snprintf(path, sizeof path, "%.*s.obj",
                              (int)(strrchr(c->output, '.') - c->output), c->output);
    *written = used > 0 && used < PATH_SIZE && access(path, F_OK) != 0;
    return !*written ||
           io_write_obj(path, j->positions, j->vertex_count, j->triangles, j->triangle_count,
                        &error) ||
           fail(&error);
}

static bool begin_cache(conversion* c, cache_writer* w) {
    const joined* j = &w->j;
    io_error error;
    w->narrow = allocate(j->vertex_count, 3 * sizeof *w->narrow);
    w->triangles = allocate(j->triangle_count, 3 * sizeof *w->triangles);
    memcpy(w->triangles, j->triangles, 3 * j->triangle_count * sizeof *w->triangles);
    w->triangle_count = j->triangle_count;
    return io_pc2_begin(&w->out, c->output, j->vertex_count, c->last - c->first + 1, &error) ||
           fail(&error);
}

static bool write_cache(void* user, conversion* c, size_t frame) {
    cache_writer* w = user;
    const joined* j = &w->j;
    joined_take(&w->j, &c->w);
    if (w->triangles == NULL && !begin_cache(c, w)) {
        return false;
    }
    if (j->vertex_count != w->out.vertex_count || j->triangle_count != w->triangle_count ||
        memcmp(j->triangles, w->triangles, 3 * j->triangle_count * sizeof *j->triangles) != 0) {
        char label[FRAME_TEXT_SIZE];
        complain("%s: the triangles change in frame %s, which a point cache cannot store",
                 c->output, frame_label(&c->objects.names, frame, label));
        return false;
    }
    if (!convert_fits_floats(c, j->positions, frame)) {
        return false;
    }
    for (size_t i = 0; i < 3 * j->vertex_count; ++i) {
        w->narrow[i] = (float)j->positions[i];
    }
    io_pc2_add(&w->out, w->narrow);
    return true;
}

bool convert_to_pc2(conversion* c) {
    cache_writer w = {0};
    io_error error;
    bool mesh = false;
    bool done = output_claim(c->output) && convert_frames(c, write_cache, &w);
    if (done && !io_pc2_end(&w.out, &error)) {
        done = fail(&error);
    }
    io_pc2_drop(&w.out);
    done = done && objects_show(&c->objects, &c->w, c->first);
    if (done) {
        joined_take(&w.j, &c->w);
        done = write_mesh(c, &w.j, &mesh);
    }
    joined_free(&w.j);
    free(w.narrow);
    free(w.triangles);
    if (done) {
        char name[NAME_SIZE];
        print_written(c, " to ", shown_name(c->output, NAME_SIZE - 1, name));
        if (mesh && !c->quiet) {
            printf(
                "Its mesh is in the same folder, as .obj; to check both, join their names with +: "
                "mesh.obj+cache.pc2.\n");
        }
    }
    return done;
}
