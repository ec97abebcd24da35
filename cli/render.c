// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut render: draws one frame of the objects, with what touches in red, as PNG or in the terminal.
#define _DEFAULT_SOURCE
#include "cli/command.h"
#include "cli/drawing.h"
#include "cli/message.h"
#include "cli/object.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { OUTPUT, FRAME, SIZE, VIEW, UP, ZOOM, PLAIN, MARGIN, ANIMATION, FPS, THREADS, OPTIONS };

static const option_spec options[OPTIONS] = {
    [OUTPUT] = {"output", OPTION_TEXT, "FILE",
                "write a PNG file; also -o FILE\n"
                "[draws in the terminal, if that has colours]"},
    [FRAME] = {"frame", OPTION_RANGE, "N",
               "which frame of a sequence or animation; numbers are\n"
               "those of the file names, or count from 0 [the first]"},
    [SIZE] = {"size", OPTION_TEXT, "WxH", "pixels, up to 8192 each [1280x720]"},
    [VIEW] = {"view", OPTION_TEXT, "SIDE",
              "from where: corner, front, back, left, right, top,\n"
              "bottom, or a direction X,Y,Z [corner]"},
    [UP] = {"up", OPTION_TEXT, "AXIS", "what is up in the picture: y or z [y]"},
    [ZOOM] = {"zoom", OPTION_FLAG, NULL, "show only the region of contact"},
    [PLAIN] = {"plain", OPTION_FLAG, NULL, "do not look for contact"},
    [MARGIN] = {"margin", OPTION_NUMBER, "D", "count as touching up to the distance D [0]"},
    [ANIMATION] = ANIMATION_OPTION,
    [FPS] = FPS_OPTION,
    [THREADS] = {"threads", OPTION_WHOLE, "N", "use N threads [one per core]"},
};

typedef struct job {
    const arguments* given;
    object_list objects;
    world w;
    FILE* file;
    drawing bodies;
    size_t touching;  // triangles
    size_t pairs[2];  // within bodies, between them
    size_t frame;
    uint32_t width;
    uint32_t height;
    double from[3];
    double up[3];
} job;

// ---- options

static bool parse_size(job* j, const char* text) {
    const char* at = text;
    const char* end = text + strlen(text);
    int64_t numbers[2];
    const bool right = io_read_integer(&at, end, &numbers[0]) && at < end && *at++ == 'x' &&
                       io_read_integer(&at, end, &numbers[1]) && at == end && numbers[0] >= 16 &&
                       numbers[1] >= 16 && numbers[0] <= PICTURE_LARGEST &&
                       numbers[1] <= PICTURE_LARGEST;
    if (!right) {
        complain("--size needs width and height from 16 to %d, such as 1280x720, not '%s'",
                 (int)PICTURE_LARGEST, text);
        return false;
    }
    j->width = (uint32_t)numbers[0];
    j->height = (uint32_t)numbers[1];
    return true;
}

static bool parse_direction(const char* text, double out[3]) {
    const char* at = text;
    const char* end = text + strlen(text);
    for (int d = 0; d < 3; ++d) {
        if (io_read_double(&at, end, &out[d]) != IO_NUMBER_OK || (d < 2 && *at++ != ',')) {
            return false;
        }
    }
    return at == end && (out[0] != 0 || out[1] != 0 || out[2] != 0);
}

// The names of views are for y as the axis that is up; z is turned to it.
static bool parse_view(job* j, const char* text) {
    static const struct {
        const char* name;
        double from[3];
    } views[] = {{"corner", {0.8, 0.55, 1}}, {"front", {0, 0, 1}}, {"back", {0, 0, -1}},
                 {"left", {-1, 0, 0}},       {"right", {1, 0, 0}}, {"top", {0, 1, 0}},
                 {"bottom", {0, -1, 0}}};
    for (size_t i = 0; i < sizeof views / sizeof *views; ++i) {
        if (strcmp(views[i].name, text) == 0) {
            const bool z_up = j->up[2] != 0;
            j->from[0] = views[i].from[0];
            j->from[1] = z_up ? -views[i].from[2] : views[i].from[1];
            j->from[2] = z_up ? views[i].from[1] : views[i].from[2];
            return true;
        }
    }
    if (parse_direction(text, j->from)) {
        return true;
    }
    complain(
        "--view needs corner, front, back, left, right, top, bottom or a direction such as "
        "1,0.5,1, not '%s'",
        text);
    return false;
}

static bool parse_options(job* j) {
    const option_value* v = j->given->values;
    if (v[UP].given && strcmp(v[UP].text, "y") != 0 && strcmp(v[UP].text, "z") != 0) {
        complain("--up needs y or z, not '%s'", v[UP].text);
        return false;
    }
    j->up[v[UP].given && v[UP].text[0] == 'z' ? 2 : 1] = 1;
    j->width = 1280;
    j->height = 720;
    if (v[PLAIN].given && (v[ZOOM].given || v[MARGIN].given)) {
        complain("--plain does not look for contact, which --zoom and --margin need");
        return false;
    }
    return parse_view(j, v[VIEW].given ? v[VIEW].text : "corner") &&
           (!v[SIZE].given || parse_size(j, v[SIZE].text));
}

// Without a file the picture is as wide as the terminal, and two pixels high a line.
static bool fit_terminal(job* j) {
    struct winsize size = {0};
    if (!isatty(STDOUT_FILENO) || !terminal_has_colour() || !terminal_has_utf8()) {
        complain("render needs a file: -o picture.png; only terminals with colours show pictures");
        return false;
    }
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    j->width = known && size.ws_col >= 16 ? size.ws_col : 80;
    j->height = known && size.ws_row > 10 ? 2 * (size.ws_row - 4u) : 40;
    return true;
}

// ---- bodies

static bool load_body(job* j, uint32_t number) {
    drawn* d = &j->bodies.list[number];
    const abut_body_id body = j->w.bodies[number];
    if (!world_has(&j->w, number)) {
        return true;
    }
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(j->w.scene, body));
    abut_error error;
    d->vertex_count = abut_mesh_vertex_count(mesh);
    d->triangle_count = abut_mesh_triangle_count(mesh);
    d->triangles = abut_mesh_triangles(mesh);
    d->positions = allocate(d->vertex_count, 3 * sizeof(double));
    d->marks = allocate(d->triangle_count, 1);
    if (abut_body_world_vertices(j->w.scene, body, 0, abut_mesh_vertex_count(mesh), d->positions,
                                 &error) != ABUT_OK) {
        complain("%s", error.message);
        return false;
    }
    return true;
}

static void mark_contact(void* user, const contact* c) {
    job* j = user;
    const bool between = c->a != c->b;
    j->pairs[between] += c->count;
    for (size_t i = 0; i < c->count; ++i) {
        const mark as = between ? MARK_BETWEEN : MARK_WITHIN;
        j->touching += drawing_mark(&j->bodies, c->a, c->pairs[i].triangle_a, as);
        j->touching += drawing_mark(&j->bodies, c->b, c->pairs[i].triangle_b, as);
    }
}

static bool ask(job* j) {
    const option_value* v = j->given->values;
    abut_counters work = {0};
    const question q = {.between = j->objects.count > 1,
                        .self = true,
                        .margin = v[MARGIN].given ? v[MARGIN].number : 0,
                        .names = &j->objects.names};
    if (v[PLAIN].given) {
        return true;
    }
    if (!world_ask(&j->w, &q, &work)) {
        return false;
    }
    if (q.between) {
        world_each_contact(&j->w, j->w.between, mark_contact, j);
    }
    world_each_contact(&j->w, j->w.self, mark_contact, j);
    return true;
}

// ---- drawing

static picture draw_all(job* j) {
    const bool only_marked = j->given->values[ZOOM].given && j->touching > 0;
    double lo[3];
    double hi[3];
    camera from = camera_make(j->from, j->up);
    drawing_box(&j->bodies, &from, only_marked, lo, hi);
    camera_fit(&from, lo, hi, only_marked ? 1.5 : 1.08, j->width, j->height);
    return drawing_picture(&j->bodies, &from, j->width, j->height);
}

// ---- the command

static void print_summary(const job* j) {
    char text[FRAME_TEXT_SIZE];
    char numbers[3][NUMBER_SIZE];
    const char* path = j->given->values[OUTPUT].text;
    printf("frame %s", frame_label(&j->objects.names, j->frame, text));
    if (!j->given->values[PLAIN].given) {
        printf(": %s touching triangles, in %s pairs between objects and %s within",
               grouped(j->touching, numbers[0]), grouped(j->pairs[1], numbers[1]),
               grouped(j->pairs[0], numbers[2]));
    }
    printf("%s%s\n", path != NULL ? "; the picture is in " : "", path != NULL ? path : "");
}

static bool finish(job* j) {
    picture p = draw_all(j);
    bool done = true;
    if (j->file != NULL) {
        FILE* file = j->file;
        j->file = NULL;
        done = picture_write_png(&p, file) ? output_end(file) : output_failed(file);
    } else {
        picture_print(&p);
    }
    picture_free(&p);
    if (done &&
        !(j->given->values[OUTPUT].given && output_is_stdout(j->given->values[OUTPUT].text))) {
        print_summary(j);
    }
    return done;
}

static bool open_output(job* j) {
    const char* path = j->given->values[OUTPUT].text;
    if (path == NULL) {
        return inputs_apart() && fit_terminal(j);
    }
    if (!output_claim_report("output", path) || !inputs_apart()) {
        return false;
    }
    j->file = output_open_report(path);
    return j->file != NULL;
}

static bool find_objects(job* j) {
    const option_value* v = j->given->values;
    const io_model_settings settings = {v[ANIMATION].text, chosen_fps(&v[FPS])};
    size_t last = 0;
    if (settings.fps == 0 ||
        !objects_find(&j->objects, j->given->plain, j->given->plain_count, &settings) ||
        !frames_choose(&j->objects.names, &v[FRAME], &j->frame, &last)) {
        return false;
    }
    if (v[FRAME].given && j->frame != last) {
        complain("--frame %s: render draws one frame", v[FRAME].text);
        return false;
    }
    return true;
}

static bool work(job* j) {
    if (j->given->plain_count == 0) {
        complain("render needs an object: a file, a folder, or a quoted pattern");
        return false;
    }
    if (!parse_options(j) || !find_objects(j) || !open_output(j) ||
        !world_open(&j->w, j->given->values[THREADS].first) ||
        !objects_show(&j->objects, &j->w, j->frame)) {
        return false;
    }
    j->bodies = drawing_make(j->w.body_count);
    for (uint32_t b = 0; b < j->bodies.count; ++b) {
        if (!load_body(j, b)) {
            return false;
        }
    }
    return ask(j) && finish(j);
}

static int run(const arguments* given) {
    job j = {.given = given};
    const bool done = work(&j);
    output_drop(j.file);
    drawing_free(&j.bodies);
    world_close(&j.w);
    objects_free(&j.objects);
    return done ? EXIT_NOTHING : EXIT_FAILED;
}

const command render_command = {
    .name = "render",
    .summary = "draw a frame, with what touches in red",
    .usage = "render OBJECT... [options]",
    .about = OBJECT_HELP
    "\n"
    "Triangles that touch another object are red, those that touch within their object orange.\n"
    "They shine through what hides them. The picture is drawn by the processor: no display is\n"
    "needed.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut render shirt.obj body.obj -o contact.png\n"
        "abut render fox.glb --animation Run --frame 12 --view left --zoom -o run.png",
    .exits = "0 done, 2 it could not be done",
    .run = run,
};
