// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Modal motion: a crowd of masks that share one shape. A mask has two displacement fields: one bows
// the whole of it, the other is a morph target that moves the mouth alone and lists no other
// vertex. A state is two numbers and a frame, whatever the size of the mesh. A finger pokes the
// masks in turn, and the counters show that only what is near it is ever moved: after the first step
// not even the finger, which is rigid and only shifts.
#include <math.h>

#include "grid.h"

#define MASKS 100  // in a row, 1.2 apart
#define FIELDS 2   // bow, mouth

// how far the mask bows when its coordinate is 1
static void make_bow(const grid* g, float bow[GRID_VERTICES][3]) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        const double x = g->xyz[v][0];
        const double y = g->xyz[v][1];
        bow[v][0] = 0;
        bow[v][1] = 0;
        bow[v][2] = (float)(0.3 - x * x - y * y);
    }
}

// the mouth opens forwards; returns the number of vertices that move
static size_t make_mouth(const grid* g, uint32_t vertices[], float mouth[][3]) {
    size_t count = 0;
    for (uint32_t v = 0; v < GRID_VERTICES; ++v) {
        const double x = g->xyz[v][0] / 0.2;
        const double y = (g->xyz[v][1] + 0.25) / 0.1;
        if (x * x + y * y < 1) {
            vertices[count] = v;
            mouth[count][0] = 0;
            mouth[count][1] = (float)(0.02 * y);
            mouth[count][2] = (float)(1 - x * x - y * y);
            ++count;
        }
    }
    return count;
}

static abut_shape* make_modal(abut_context* context, const grid* g, const abut_modal_def* def) {
    abut_error error;
    abut_mesh* mesh = grid_mesh(context, g);
    abut_shape* shape = NULL;
    need(abut_shape_create_modal(context, mesh, def, &shape, &error), &error);
    abut_mesh_destroy(mesh);  // the shape keeps it
    return shape;
}

static abut_shape* make_mask(abut_context* context, const grid* g) {
    static float bow[GRID_VERTICES][3];
    static float mouth[GRID_VERTICES][3];
    static uint32_t lips[GRID_VERTICES];
    make_bow(g, bow);
    const size_t lip_count = make_mouth(g, lips, mouth);
    const abut_field fields[FIELDS] = {
        {.values = abut_positions_f32(&bow[0][0], GRID_VERTICES)},  // all vertices
        {.values = abut_positions_f32(&mouth[0][0], lip_count), .vertices = lips},
    };
    abut_modal_def def = abut_modal_def_default();
    def.fields = fields;  // copied
    def.field_count = FIELDS;
    printf("a mask: %d vertices; the mouth moves %zu of them\n", GRID_VERTICES, lip_count);
    return make_modal(context, g, &def);
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);

    static grid sheet;
    abut_body_id masks[MASKS];
    grid_make(&sheet, 1, 0);
    abut_shape* mask = make_mask(context, &sheet);
    for (int m = 0; m < MASKS; ++m) {
        need(abut_body_create(scene, mask, NULL, &masks[m], &error), &error);
        abut_frame frame = abut_frame_identity();
        frame.t[0] = 1.2 * m;
        need(abut_body_set_frame(scene, masks[m], &frame, &error), &error);
    }
    abut_shape_destroy(mask);  // the bodies keep it

    abut_body_id finger;
    grid_make(&sheet, 0.2, 0);
    abut_shape* tip = make_modal(context, &sheet, NULL);  // no fields: only a frame is set
    need(abut_body_create(scene, tip, NULL, &finger, &error), &error);
    abut_shape_destroy(tip);

    size_t found = 0;
    for (int step = 0; step < 8; ++step) {
        for (int m = 0; m < MASKS; ++m) {
            const double q[FIELDS] = {0.2 * sin(0.7 * step + m), 0.1 * (1 + cos(step + 0.3 * m))};
            need(abut_body_set_coordinates(scene, masks[m], q, FIELDS, &error), &error);
        }
        const abut_frame frame = {{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},  // upright,
                                  {1.2 * 12 * step, -0.24, 0.14}};     // over a mouth
        need(abut_body_set_frame(scene, finger, &frame, &error), &error);
        size_t count = 0;
        abut_counters work = {0};
        abut_collide_def query = abut_collide_def_default();
        query.head.counters = &work;
        need(abut_collide_all(scene, &query, result, &error),
             &error);  // pairs of bodies: from their boxes
        (void)abut_collide_result_pairs(result, &count);
        printf("step %d: %3zu pairs touch; %llu of %d vertices moved\n", step, count,
               (unsigned long long)work.vertices_evaluated, (MASKS + 1) * GRID_VERTICES);
        found += count;
    }
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return found > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
