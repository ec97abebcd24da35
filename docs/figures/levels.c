// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws docs/figures/levels.svg: a fish that bends, and what bounds it on the first levels of its
// tree, by spheres and by boxes. Bounds come from the coordinates alone.
//
//     figure_levels OUTPUT.svg
#include <stdlib.h>
#include <string.h>

#include "motion/modal.h"
#include "picture.h"

enum { TRIANGLES = 3000, FRAMES = 60, FRAME = 10 };
enum {
    PANEL_WIDTH = 255,
    LEFT = 15,
    SPHERES_AT = 178,
    BOXES_AT = 442,
    TO_CAPTION = 142,
    HEIGHT = 570
};

static volume child_sphere(const picture* p, uint32_t node, uint32_t k) {
    const abut__body* body = picture_body(p);
    const abut__modal_state* state = abut__modal_state_of(abut__body_state(body, 1));
    const abut__modal_lanes lanes = abut__spheres_group(abut__modal_spheres(body->shape), node);
    volume v = {.sphere = true};
    abut__balls8 balls;
    p->context->kernels->modal_balls(&lanes, state->coordinate, &balls);
    for (int d = 0; d < 3; ++d) {
        v.c[d] = (double)balls.c[d][k];
    }
    v.r = (double)balls.r[k] + 3 * (double)state->pad;
    return v;
}

static void find_volumes(picture* p, bool spheres) {
    volume root = {.sphere = spheres};
    abut_box box;
    need(abut_body_sphere(p->scene, p->body, root.c, &root.r, NULL) == ABUT_OK, "no sphere");
    need(abut_body_box(p->scene, p->body, &box, NULL) == ABUT_OK, "no box");
    memcpy(root.lo, box.lo, sizeof box.lo);
    memcpy(root.hi, box.hi, sizeof box.hi);
    p->child = spheres ? child_sphere : picture_bound;
    picture_find_volumes(p, &root);
}

// the state of a frame, and all vertices in it
static void bend(picture* p, const scene* s) {
    double q[64];
    scene_coordinates(s, 0, FRAME, q);
    for (uint32_t j = 0; j < p->subject->field_count; ++j) {
        q[j] *= 1.7;
    }
    need(abut_body_set_coordinates(p->scene, p->body, q, p->subject->field_count, NULL) == ABUT_OK,
         "no state");
    picture_read_vertices(p);
}

static int middle_of(int level) {
    return LEFT + PANEL_WIDTH * level + PANEL_WIDTH / 2;
}

// how much volume a level has; `whole` is the content that 100 % stand for
static void draw_caption(FILE* file, const picture* p, int level, bool spheres, double whole) {
    double sum = 0;
    for (size_t i = 0; i < p->count[level]; ++i) {
        sum += volume_content(&p->volumes[level][i]);
    }
    const double share = 100 * sum / whole;
    fprintf(file, "<text class=\"small\" x=\"%d\" y=\"%d\">%zu %s%s: %.*f %%</text>\n",
            middle_of(level), spheres ? SPHERES_AT + TO_CAPTION : BOXES_AT + TO_CAPTION - 40,
            p->count[level], spheres ? "sphere" : "box",
            p->count[level] == 1 ? ""
            : spheres            ? "s"
                                 : "es",
            share < 9.95 ? 1 : 0, share);
}

static void draw(FILE* file, const scene* s, picture* p) {
    double whole = 0;
    draw_begin(file, 2 * LEFT + LEVELS * PANEL_WIDTH, HEIGHT,
               "A fish that bends, bounded by spheres and by boxes");
    for (int row = 0; row < 2; ++row) {
        const bool spheres = row == 0;
        abut_field fields[64];
        abut_modal_def def = abut_modal_def_default();
        def.shape = picture_shape_def();
        picture_fields(p, fields);
        def.fields = fields;
        def.field_count = p->subject->field_count;
        def.bound = spheres ? ABUT_MODAL_BOUND_SPHERES : ABUT_MODAL_BOUND_BOXES;
        abut_mesh* mesh = picture_mesh(p);
        abut_shape* shape = NULL;
        need(abut_shape_create_modal(p->context, mesh, &def, &shape, NULL) == ABUT_OK, "no shape");
        picture_set_body(p, mesh, shape);
        bend(p, s);
        find_volumes(p, spheres);
        if (row == 0) {
            whole = volume_content(&p->volumes[0][0]);
            draw_subject(file, p);
        }
        for (int level = 0; level < LEVELS; ++level) {
            if (row == 0) {
                fprintf(file, "<text class=\"head\" x=\"%d\" y=\"32\">level %d</text>\n",
                        middle_of(level), level);
            }
            draw_level(file, p, level, middle_of(level), spheres ? SPHERES_AT : BOXES_AT);
            draw_caption(file, p, level, spheres, whole);
        }
    }
    draw_end(file);
}

int main(int argc, char** argv) {
    need(argc == 2, "usage: figure_levels OUTPUT.svg");
    scene* s = scene_create("fish", TRIANGLES, FRAMES, 1);
    need(s != NULL, "no scene");
    picture p = {
        .scale = 205,  // of a fish that is 1 long, seen from the side and from above
        .view = {{-0.94, 0.34, 0.0}, {-0.1955, -0.5405, 0.8183}, {0.2782, 0.7692, 0.5750}}};
    picture_open(&p, scene_get_body(s, 0));
    FILE* file = fopen(argv[1], "w");
    need(file != NULL, "the file cannot be written");
    draw(file, s, &p);
    need(fclose(file) == 0, "the file cannot be written");
    picture_close(&p);
    scene_destroy(s);
    return EXIT_SUCCESS;
}
