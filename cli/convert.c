// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut convert: converts objects to files of another kind.
#include "cli/convert.h"

#include "cli/command.h"
#include "cli/message.h"
#include "cli/progress.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { ANIMATION, FPS, FRAMES, REDUCE, TARGETS, QUIET, OPTIONS };

static const option_spec options[OPTIONS] = {
    [ANIMATION] = ANIMATION_OPTION,
    [FPS] = FPS_OPTION,
    [FRAMES] = {"frames", OPTION_RANGE, "A:B",
                "convert frames A to B only, both included. Numbers are\n"
                "those of the file names, or count from 0; A:, :B and\n"
                "a single A are allowed [all]"},
    [REDUCE] = {"reduce", OPTION_WHOLE, "M",
                "to GLB: approximate the animation by M morph targets\n"
                "(principal components) and print the largest error\n"
                "[one target per frame, rounded to floats]"},
    [TARGETS] = {"targets", OPTION_TEXT, "FILES",
                 "to GLB: add morph targets to a mesh, one per file of\n"
                 "displacements (.f32: x y z of every vertex as floats),\n"
                 "animated one after the other, one second each"},
    [QUIET] = {"quiet", OPTION_FLAG, NULL, "do not print what was written"},
};

bool convert_frames(conversion* c, frame_fn take, void* user) {
    progress bar = progress_begin("frame", c->last - c->first + 1);
    bool done = objects_show(&c->objects, &c->w, 0);  // frame 0 is the rest shape
    for (size_t frame = c->first; frame <= c->last && done; ++frame) {
        done = objects_show(&c->objects, &c->w, frame) && take(user, c, frame);
        progress_step(&bar, frame - c->first + 1);
    }
    progress_end(&bar);
    return done;
}

bool convert_fits_floats(const conversion* c, const double* positions, size_t frame) {
    char label[FRAME_TEXT_SIZE];
    size_t first = 0;  // first vertex of the object
    for (size_t i = 0; i < c->objects.count; ++i) {
        const abut_shape* shape = abut_body_shape(c->w.scene, c->w.bodies[i]);
        const size_t count = abut_mesh_vertex_count(abut_shape_mesh(shape));
        for (size_t k = 3 * first; k < 3 * (first + count); ++k) {
            if (!isfinite((float)positions[k])) {
                complain(
                    "%s: vertex %zu (counted from 0) has the %c coordinate %g in frame %s, which "
                    "the floats of %s cannot hold; scale the mesh down, or write .obj",
                    c->objects.objects[i].name, k / 3 - first, "xyz"[k % 3], positions[k],
                    frame_label(&c->objects.names, frame, label), c -> output);
                return false;
            }
        }
        first += count;
    }
    return true;
}

static const struct {
    const char* ending;
    bool (*write)(conversion* c);
} writers[] = {
    {".obj", convert_to_obj}, {".vtp", convert_to_vtp}, {".pvd", convert_to_pvd},
    {".pc2", convert_to_pc2}, {".glb", convert_to_glb}, {".npz", convert_to_npz},
};

static bool write_output(conversion* c) {
    const char* dot = strrchr(c->output, '.');
    for (size_t i = 0; dot != NULL && i < sizeof writers / sizeof *writers; ++i) {
        if (strcasecmp(dot, writers[i].ending) == 0) {
            return writers[i].write(c);
        }
    }
    complain("%s: files can be written as .obj, .pc2, .glb, .vtp, .pvd or .npz", c->output);
    return false;
}

static bool is_glb(const char* name) {
    const char* dot = strrchr(name, '.');
    return dot != NULL && strcasecmp(dot, ".glb") == 0;
}

static bool read_settings(conversion* c, const arguments* given) {
    const option_value* v = given->values;
    if (given->plain_count < 2) {
        complain("convert needs an object and a file to write, such as 'cloth_*.obj' cloth.pc2");
        return false;
    }
    c->output = given->plain[given->plain_count - 1];
    c->fps = chosen_fps(&v[FPS]);
    c->fields = v[REDUCE].given ? v[REDUCE].first : 0;
    c->targets = v[TARGETS].text;
    c->quiet = v[QUIET].given;
    if ((v[REDUCE].given || v[TARGETS].given) && !is_glb(c->output)) {
        complain("--%s makes morph targets, which only a .glb file can have",
                 v[REDUCE].given ? "reduce" : "targets");
        return false;
    }
    if (v[REDUCE].given && v[TARGETS].given) {
        complain("--reduce and --targets cannot be combined");
        return false;
    }
    return c->fps > 0;
}

static bool choose_frames(conversion* c, const option_value* range) {
    objects_warn(&c->objects);
    return frames_choose(&c->objects.names, range, &c->first, &c->last);
}

static int run(const arguments* given) {
    conversion c = {0};
    const io_model_settings settings = {
        given->values[ANIMATION].text,
        given->values[FPS].given && given->values[FPS].number > 0 ? given->values[FPS].number : 30};
    const bool done = read_settings(&c, given) &&
                      objects_find(&c.objects, given->plain, given->plain_count - 1, &settings) &&
                      choose_frames(&c, &given->values[FRAMES]) && world_open(&c.w, 1) &&
                      write_output(&c);
    world_close(&c.w);
    objects_free(&c.objects);
    return done ? EXIT_NOTHING : EXIT_FAILED;
}

const command convert_command = {
    .name = "convert",
    .summary = "write objects as files of another kind",
    .usage = "convert OBJECT... FILE [options]",
    .about = OBJECT_HELP
    "\n"
    "The ending of FILE selects the format:\n"
    "  .obj, .vtp  one file per frame; the number of the frame replaces a %04d in the name, or\n"
    "              else goes before the ending; .vtp is for ParaView\n"
    "  .pvd        the same .vtp files, and a list of them with their times; without a %04d\n"
    "  .pc2        a point cache, and in its folder the mesh as .obj, unless it exists\n"
    "  .glb        glTF with morph targets\n"
    "  .npz        arrays for numpy, with morph targets, weights and states of models\n"
    "Only .glb and .npz keep objects separate; the other formats join them into one surface.\n"
    "Files are written at the very end: Ctrl-C or a failure leaves old files unchanged.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut convert 'cloth_*.obj' cloth.pc2\n"
        "abut convert cloth.obj+cloth.pc2 cloth.glb --reduce 12\n"
        "abut convert neutral.obj face.glb --targets '*.delta.f32'",
    .exits = "0 done, 2 it could not be done",
    .run = run,
};
