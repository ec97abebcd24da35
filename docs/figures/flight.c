// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws docs/figures/flight.svg: a tablecloth halfway between two keyframes, and its boxes on the first
// levels of its tree: the least ones, which a kinetic tree has at every instant, those that abut
// interpolates, and what the two planes a node of a BoxTree leave; the last two trees are those of
// Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable Objects", 2006. The trees are
// the same, so that boxes can be compared one by one.
//
//     figure_flight OUTPUT.svg
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/kinetic_stats.h"
#include "picture.h"

enum { TRIANGLES = 5000, ROWS = 3, KEYS = 2 };
enum { PANEL_WIDTH = 255, LEFT = 15, TOP = 50, ROW_HEIGHT = 215, TO_CAPTION = 90 };
static const uint32_t key_frames[KEYS] = {17, 29};

static const struct {
    const char* title;
    abut_flight_bound bound;
} rows[ROWS] = {
    {"The kinetic tree: the least boxes, at every instant", ABUT_FLIGHT_BOUND_KINETIC},
    {"Linear boxes: interpolated, without a look at vertices", ABUT_FLIGHT_BOUND_LINEAR},
    {"The kinetic BoxTree: what two planes a node leave", ABUT_FLIGHT_BOUND_BOXTREE},
};

static void make_body(picture* p, double* const xyz[KEYS], abut_flight_bound bound) {
    abut_keyframe keys[KEYS];
    for (int k = 0; k < KEYS; ++k) {
        keys[k] = (abut_keyframe){k, abut_positions_f64(xyz[k], p->subject->vertex_count)};
    }
    abut_flight_def def = abut_flight_def_default();
    def.shape = picture_shape_def();
    def.bound = bound;
    def.keyframes = keys;
    def.keyframe_count = KEYS;
    abut_mesh* mesh = picture_mesh(p);
    abut_shape* shape = NULL;
    need(abut_shape_create_flight(p->context, mesh, &def, &shape, NULL) == ABUT_OK &&
             abut_shape_build_tree(shape, NULL) == ABUT_OK,
         "no shape");
    picture_set_body(p, mesh, shape);
    for (int step = 1; step <= 8; ++step) {  // on the way there, events
        need(abut_body_set_time(p->scene, p->body, step / 16.0, NULL) == ABUT_OK, "no state");
    }
    abut__kinetic_stats stats;
    need(abut__body_kinetic_stats(p->scene, p->body, &stats, NULL) == ABUT_OK &&
             stats.bound == bound,
         "another bound");
    picture_read_vertices(p);
}

static void find_volumes(picture* p) {
    volume root = {0};
    abut_box box;
    need(abut_body_box(p->scene, p->body, &box, NULL) == ABUT_OK, "no box");
    memcpy(root.lo, box.lo, sizeof box.lo);
    memcpy(root.hi, box.hi, sizeof box.hi);
    p->child = picture_bound;
    picture_find_volumes(p, &root);
}

static double mean_diagonal(const picture* p, int level) {
    double sum = 0;
    for (size_t i = 0; i < p->count[level]; ++i) {
        const volume* v = &p->volumes[level][i];
        sum += hypot(hypot(v->hi[0] - v->lo[0], v->hi[1] - v->lo[1]), v->hi[2] - v->lo[2]);
    }
    return sum / (double)p->count[level];
}

static int middle_of(int level) {
    return LEFT + PANEL_WIDTH * level + PANEL_WIDTH / 2;
}

static void draw_caption(FILE* file, const picture* p, int level, int row, double best) {
    fprintf(file, "<text class=\"small\" x=\"%d\" y=\"%d\">", middle_of(level),
            TOP + ROW_HEIGHT * row + ROW_HEIGHT / 2 + TO_CAPTION);
    if (row == 0) {
        fprintf(file, "%zu %s</text>\n", p->count[level], p->count[level] == 1 ? "box" : "boxes");
    } else {
        fprintf(file, "%.3f times the least</text>\n", mean_diagonal(p, level) / best);
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

static void draw(FILE* file, picture* p, double* const xyz[KEYS]) {
    double best[LEVELS];
    draw_begin(file, 2 * LEFT + LEVELS * PANEL_WIDTH, TOP + ROWS * ROW_HEIGHT,
               "A tablecloth between two keyframes, and three ways to put it into boxes");
    for (int row = 0; row < ROWS; ++row) {
        make_body(p, xyz, rows[row].bound);
        find_volumes(p);
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
    need(argc == 2, "usage: figure_flight OUTPUT.svg");
    scene* s = scene_create("tablecloth", TRIANGLES, 0, 1);
    need(s != NULL, "no scene");
    picture p = {.scale = 78,  // of a cloth, seen from the side and from above
                 .view = {{-0.6, 0.8, 0.0}, {-0.36, -0.27, 0.893}, {0.7144, 0.5358, 0.45}}};
    picture_open(&p, scene_get_body(s, 0));
    double* xyz[KEYS];
    for (int k = 0; k < KEYS; ++k) {
        xyz[k] = calloc(3 * (size_t)p.subject->vertex_count, sizeof(double));
        need(xyz[k] != NULL, "no memory");
        scene_positions(s, 0, key_frames[k], xyz[k]);
    }
    FILE* file = fopen(argv[1], "w");
    need(file != NULL, "the file cannot be written");
    draw(file, &p, xyz);
    need(fclose(file) == 0, "the file cannot be written");
    picture_close(&p);
    free(xyz[0]);
    free(xyz[1]);
    scene_destroy(s);
    return EXIT_SUCCESS;
}
