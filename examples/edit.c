// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Cutting: a strip of triangles is taken out of a sheet while it is in use. The edited shape
// shares all blocks that lost nothing, and the body keeps its positions.
#include "grid.h"

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
    abut_shape* whole = grid_shape(context, &sheet);
    abut_body_id cloth;
    abut_body_id blade;
    need(abut_body_create(scene, whole, NULL, &cloth, &error), &error);

    // the same sheet, upright: a blade that stands in the cloth along x = 0.01
    abut_body_def upright = abut_body_def_default();
    upright.frame = (abut_frame){{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}, {0.01, 0, 0}};
    need(abut_body_create(scene, whole, &upright, &blade, &error), &error);
    need(abut_collide(scene, cloth, blade, NULL, result, &error), &error);
    size_t before = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &before);

    // every triangle of the cloth that touches the blade, once: pairs are sorted
    uint32_t cut[GRID_TRIANGLES];
    size_t cut_count = 0;
    for (size_t i = 0; i < before; ++i) {
        if (cut_count == 0 || cut[cut_count - 1] != pairs[i].triangle_a) {
            cut[cut_count++] = pairs[i].triangle_a;
        }
    }
    abut_shape_edit_def edit = abut_shape_edit_def_default();
    edit.removed_triangles = cut;
    edit.removed_triangle_count = cut_count;
    abut_shape* open = NULL;
    abut_edit_work work;
    need(abut_shape_edit(whole, &edit, &open, &work, &error), &error);
    const abut_positions kept = {0};  // none given: the body keeps those it has
    need(abut_body_set_shape(scene, cloth, open, kept, &error), &error);

    need(abut_collide(scene, cloth, blade, NULL, result, &error), &error);
    size_t after = 0;
    (void)abut_collide_result_pairs(result, &after);
    printf(
        "%zu pairs touched; %zu triangles cut, %u blocks built, %u shared; %zu pairs touch now\n",
        before, cut_count, work.blocks_built, work.blocks_reused, after);

    abut_shape_destroy(open);
    abut_shape_destroy(whole);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return before > 0 && after == 0 && work.blocks_reused > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
