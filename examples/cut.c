// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Cutting a skinned sheet: two nodes move its halves, and near the middle both have influence. A cut
// along the middle column doubles its vertices, and from then on either side follows its own node
// alone. The body keeps its transforms; the bounds of blocks that no such vertex is in are shared.
#include "grid.h"

#define MIDDLE (GRID / 2)
#define NEAR 3  // columns on either side of the middle that both nodes move

static uint32_t column_of(uint32_t vertex) {
    return vertex % (GRID + 1);
}

// how much a vertex follows the right node, before the cut
static double right_part(uint32_t vertex) {
    const double x = ((double)column_of(vertex) - MIDDLE) / NEAR;
    return x < -1 ? 0 : x > 1 ? 1 : 0.5 + 0.5 * x;
}

static abut_shape* make_whole(abut_context* context, const grid* sheet) {
    static uint32_t nodes[GRID_VERTICES][2];
    static double values[GRID_VERTICES][2];
    for (uint32_t v = 0; v < GRID_VERTICES; ++v) {
        nodes[v][0] = 0;
        nodes[v][1] = 1;
        values[v][1] = right_part(v);
        values[v][0] = 1 - values[v][1];
    }
    abut_blend_def def = abut_blend_def_default();
    def.weights = (abut_weights){.node_count = 2,
                                 .per_vertex = 2,
                                 .nodes = &nodes[0][0],
                                 .values = &values[0][0],
                                 .type = ABUT_SCALAR_F64};
    abut_error error;
    abut_mesh* mesh = grid_mesh(context, sheet);
    abut_shape* shape = NULL;
    need(abut_shape_create_blend(context, mesh, &def, &shape, &error), &error);
    abut_mesh_destroy(mesh);  // the shape keeps it
    return shape;
}

// the arrays of the edit: few of them are needed, but nobody counts here
typedef struct cut {
    uint32_t removed[GRID_TRIANGLES];
    uint32_t added[GRID_TRIANGLES][3];
    double copies[GRID + 1][3];
    uint32_t changed[GRID_VERTICES];
    uint32_t side[GRID_VERTICES];  // the node that a changed vertex follows
    uint32_t right[GRID + 1];      // the node that a copy follows
    double ones[GRID_VERTICES];
} cut;

// triangles right of the cut get the copies: vertex GRID_VERTICES + row for that of the middle
static size_t move_triangles(const grid* sheet, cut* c) {
    size_t count = 0;
    for (uint32_t t = 0; t < GRID_TRIANGLES; ++t) {
        bool at_cut = false;
        bool is_right = false;
        for (int k = 0; k < 3; ++k) {
            const uint32_t v = sheet->triangles[t][k];
            at_cut = at_cut || column_of(v) == MIDDLE;
            is_right = is_right || column_of(v) > MIDDLE;
            c->added[count][k] = column_of(v) == MIDDLE ? GRID_VERTICES + v / (GRID + 1) : v;
        }
        if (at_cut && is_right) {
            c->removed[count++] = t;
        }
    }
    return count;
}

static abut_shape* make_cut(const abut_shape* whole, const grid* sheet, abut_edit_work* work) {
    static cut c;
    abut_blend_edit_def edit = abut_blend_edit_def_default();
    edit.edit.removed_triangle_count = edit.edit.added_triangle_count = move_triangles(sheet, &c);
    edit.edit.removed_triangles = c.removed;
    edit.edit.added_triangles = &c.added[0][0];
    for (uint32_t row = 0; row <= GRID; ++row) {
        for (int d = 0; d < 3; ++d) {
            c.copies[row][d] = sheet->xyz[row * (GRID + 1) + MIDDLE][d];
        }
        c.right[row] = 1;
    }
    size_t changed = 0;
    for (uint32_t v = 0; v < GRID_VERTICES; ++v) {
        c.ones[v] = 1;
        if (right_part(v) > 0 && right_part(v) < 1) {
            c.side[changed] = column_of(v) > MIDDLE ? 1 : 0;
            c.changed[changed++] = v;
        }
    }
    const abut_weights one_node = {.per_vertex = 1, .values = c.ones, .type = ABUT_SCALAR_F64};
    edit.edit.added_vertices = abut_positions_f64(&c.copies[0][0], GRID + 1);
    edit.added_weights = one_node;
    edit.added_weights.nodes = c.right;
    edit.changed_vertices = c.changed;
    edit.changed_vertex_count = changed;
    edit.changed_weights = one_node;
    edit.changed_weights.nodes = c.side;
    abut_shape* halves = NULL;
    abut_error error;
    need(abut_shape_edit_blend(whole, &edit, &halves, work, &error), &error);
    return halves;
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
    grid_make(&sheet, 2, 0);
    abut_shape* whole = make_whole(context, &sheet);
    abut_body_id body;
    need(abut_body_create(scene, whole, NULL, &body, &error), &error);

    // the halves overlap: the right one goes to the left, a little higher
    const double moved[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                                 {1, 0, 0, -0.51, 0, 1, 0, 0, 0, 0.2, 1, 0.01}};
    const abut_transforms transforms = abut_transforms_f64(moved[0], 2);
    need(abut_body_set_transforms(scene, body, transforms, NULL, 0, &error), &error);
    need(abut_collide_self(scene, body, NULL, result, &error), &error);
    size_t before = 0;
    (void)abut_collide_result_pairs(result, &before);

    abut_edit_work work;
    abut_shape* halves = make_cut(whole, &sheet, &work);
    const abut_positions none = {0};  // the body keeps its transforms
    need(abut_body_set_shape(scene, body, halves, none, &error), &error);
    need(abut_collide_self(scene, body, NULL, result, &error), &error);
    size_t after = 0;
    (void)abut_collide_result_pairs(result, &after);
    printf("%zu pairs touch before the cut, %zu after it; bounds of %u blocks built, %u shared\n",
           before, after, work.bounds_built, work.bounds_reused);

    abut_shape_destroy(halves);
    abut_shape_destroy(whole);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return before != after && after > 0 && work.bounds_reused > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
