// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws docs/figures/blend.svg: a figure of skin and bones that walks, and its boxes on the first
// levels of its tree: the least ones, those that abut finds from the transforms alone, and those of
// Steinemann, Otaduy, Gross, "Efficient Bounds for Point-Based Animations", 2007. The trees are the
// same, so that boxes can be compared one by one.
//
//     figure_blend OUTPUT.svg
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "shape/shape.h"

enum { TRIANGLES = 5000, FRAMES = 90, FRAME = 71, ROWS = 3 };
enum { PANEL_WIDTH = 255, LEFT = 15, TOP = 50, ROW_HEIGHT = 330, TO_CAPTION = 156 };

static const struct {
    const char* title;
    abut__blend_bound bound;
    bool best;
} rows[ROWS] = {
    {"The least boxes: all vertices were moved", ABUT__BLEND_BOUND_AUTO, true},
    {"abut: from transforms, limits of weights and a rest box for each influence",
     ABUT__BLEND_BOUND_AUTO, false},
    {"As published: one rest box for all influences", ABUT__BLEND_BOUND_PLAIN, false},
};

static volume child_best(const picture* p, uint32_t node, uint32_t k) {
    return picture_best(p, picture_body(p)->shape->tree.nodes[node].child[k]);
}

// the state of a frame, and all vertices in it
static void move(picture* p, const scene* s) {
    const uint32_t nodes = p->subject->node_count;
    double* transforms = calloc(nodes, 12 * sizeof *transforms);
    double q[64];
    need(transforms != NULL, "no memory");
    scene_transforms(s, 0, FRAME, transforms);
    scene_coordinates(s, 0, FRAME, q);
    need(abut_body_set_transforms(p->scene, p->body, abut_transforms_f64(transforms, nodes), q,
                                  p->subject->field_count, NULL) == ABUT_OK,
         "no state");
    free(transforms);
    picture_read_vertices(p);
}

static void make_body(picture* p, const scene* s, abut__blend_bound bound) {
    const scene_body* b = p->subject;
    abut_field fields[64];
    abut_blend_def def = abut_blend_def_default();
    def.shape = picture_shape_def();
    picture_fields(p, fields);
    def.fields = fields;
    def.field_count = b->field_count;
    def.weights = (abut_weights){.node_count = b->node_count,
                                 .first = b->weight_first,
                                 .nodes = b->weight_nodes,
                                 .values = b->weights,
                                 .type = ABUT_SCALAR_F32};
    abut_mesh* mesh = picture_mesh(p);
    abut_shape* shape = NULL;
    need(abut__shape_create_blend(p->context, mesh, &def, bound, &shape, NULL) == ABUT_OK,
         "no shape");
    picture_set_body(p, mesh, shape);
    move(p, s);
}

static void find_volumes(picture* p, bool best) {
    volume root = picture_best(p, 0);
    if (!best) {
        abut_box box;
        need(abut_body_box(p->scene, p->body, &box, NULL) == ABUT_OK, "no box");
        memcpy(root.lo, box.lo, sizeof box.lo);
        memcpy(root.hi, box.hi, sizeof box.hi);
    }
    p->child = best ? child_best : picture_bound;
    picture_find_volumes(p, &root);
}

static double diagonal(const volume* v) {
    return hypot(hypot(v->hi[0] - v->lo[0], v->hi[1] - v->lo[1]), v->hi[2] - v->lo[2]);
}

// how long the diagonals of a level are, on average
static double mean_diagonal(const picture* p, int level) {
    double sum = 0;
    for (size_t i = 0; i < p->count[level]; ++i) {
        sum += diagonal(&p->volumes[level][i]);
    }
    return sum / (double)p->count[level];
}

static int middle_of(int level) {
    return LEFT + PANEL_WIDTH * level + PANEL_WIDTH / 2;
}

static void draw_caption(FILE* file, const picture* p, int level, int row, double best) {
    fprintf(file, "<text class=\"small\" x=\"%d\" y=\"%d\">", middle_of(level),
            TOP + ROW_HEIGHT * row + ROW_HEIGHT / 2 + TO_CAPTION);
    if (rows[row].best) {
        fprintf(file, "%zu %s</text>\n", p->count[level], p->count[level] == 1 ? "box" : "boxes");
    } else {
        fprintf(file, "%.2f times the least</text>\n", mean_diagonal(p, level) / best);
    }
}

static void draw_row(FILE* file, picture* p, int row, double best[LEVELS]) {
    fprintf(file, "<text class=\"row\" x=\"%d\" y=\"%d\">%s</text>\n", 2 * LEFT,
            TOP + ROW_HEIGHT * row + 18, rows[row].title);
    for (int level = 0; level < LEVELS; ++level) {
        if (row == 0) {
            fprintf(file, "<text class=\"head\" x=\"%d\" y=\"32\">level %d</text>\n",
                    middle_of(level), level);
            best[level] = mean_diagonal(p, level);
        }
        draw_level(file, p, level, middle_of(level), TOP + ROW_HEIGHT * row + ROW_HEIGHT / 2 + 10);
        draw_caption(file, p, level, row, best[level]);
    }
}

static void draw(FILE* file, const scene* s, picture* p) {
    double best[LEVELS];
    draw_begin(file, 2 * LEFT + LEVELS * PANEL_WIDTH, TOP + ROWS * ROW_HEIGHT,
               "A figure that walks, and three ways to put it into boxes");
    for (int row = 0; row < ROWS; ++row) {
        make_body(p, s, rows[row].bound);
        find_volumes(p, rows[row].best);
        if (row == 0) {
            const volume* root = &p->volumes[0][0];
            for (int d = 0; d < 3; ++d) {
                p->middle[d] = (root->lo[d] + root->hi[d]) / 2;
            }
            draw_subject(file, p);
        }
        draw_row(file, p, row, best);
    }
    draw_end(file);
}

int main(int argc, char** argv) {
    need(argc == 2, "usage: figure_blend OUTPUT.svg");
    scene* s = scene_create("walk", TRIANGLES, FRAMES, 1);
    need(s != NULL, "no scene");
    picture p = {.scale = 108,  // of a figure that is 1.75 high, seen from the side and from above
                 .view = {{-0.6, 0.8, 0.0}, {-0.24, -0.18, 0.954}, {0.7632, 0.5724, 0.3}}};
    picture_open(&p, scene_get_body(s, 0));
    FILE* file = fopen(argv[1], "w");
    need(file != NULL, "the file cannot be written");
    draw(file, s, &p);
    need(fclose(file) == 0, "the file cannot be written");
    picture_close(&p);
    scene_destroy(s);
    return EXIT_SUCCESS;
}
