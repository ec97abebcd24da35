// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The public headers as a caller sees them: the umbrella header first and alone, plain values of
// the expected sizes, and defaults that match the comments.
#include "abut/abut.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

_Static_assert(sizeof(abut_pair) == 16, "pairs are sorted and compared as 16 bytes");
_Static_assert(sizeof(abut_body_id) == 8, "an id is two words");
_Static_assert(sizeof(abut_box) == 48, "a box is six doubles");
_Static_assert(sizeof(abut_frame) == 96, "a frame is twelve doubles");
_Static_assert(offsetof(abut_frame, t) == 72, "rotation before translation");
_Static_assert(offsetof(abut_pair, triangle_b) == 12, "bodies before triangles");
_Static_assert(sizeof(abut_intersection) == 8 + 6 * 24, "no hole but the one behind the count");
_Static_assert(sizeof(abut_counters) % sizeof(uint64_t) == 0, "counters are 64-bit numbers");
_Static_assert(sizeof(((abut_error*)0)->message) >= 128, "room for a sentence");
_Static_assert(ABUT_OK == 0 && ABUT_ELEMENT_NONE == 0, "success is zero");
_Static_assert(ABUT_SCALAR_F32 == 0 && ABUT_CLASS_RULE_COMPUTED == 0 && ABUT_ISA_BEST == 0,
               "zero is the default");
_Static_assert(_Generic(abut_triangles_touch,
                        abut_status (*)(const double[3][3], const double[3][3], bool*,
                                        abut_intersection*) : 1,
                        default : 0),
               "the exact test takes corners");

static void test_defaults(void** state) {
    (void)state;
    const abut_context_def context = abut_context_def_default();
    assert_true(context.allocator.alloc == NULL && context.allocator.free == NULL &&
                context.tasks.run == NULL && context.isa == ABUT_ISA_BEST);
    const abut_mesh_def mesh = abut_mesh_def_default();
    assert_true(mesh.class_rule == ABUT_CLASS_RULE_COMPUTED && mesh.classes == NULL &&
                mesh.tags == NULL);
    const abut_shape_def shape = abut_shape_def_default();
    assert_true(shape.fan_out == 8 && shape.block_triangles == 48 && shape.ignored_tags == NULL &&
                shape.ignored_tag_pair_count == 0);
    const abut_scene_def scene = abut_scene_def_default();
    assert_int_equal(scene.pool_bytes, (size_t)64 << 20);
    const abut_body_def body = abut_body_def_default();
    assert_true(!body.is_static && body.groups == 1 && body.mask == UINT64_MAX &&
                body.user == NULL);
    const abut_frame identity = abut_frame_identity();
    assert_memory_equal(&body.frame, &identity, sizeof identity);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            assert_true(identity.r[i][k] == (i == k ? 1 : 0));
        }
        assert_true(identity.t[i] == 0);
    }
    const abut_collide_def query = abut_collide_def_default();
    assert_true(query.margin == 0 && !query.any && !query.include_neighbours &&
                !query.intersections && query.filter.fn == NULL && query.callback.fn == NULL &&
                query.front == NULL && query.budget == 0 && query.head.counters == NULL);
    const abut_shape_edit_def edit = abut_shape_edit_def_default();
    assert_true(edit.removed_triangle_count == 0 && edit.added_triangle_count == 0 &&
                edit.added_vertices.count == 0 && !edit.rebuild);
    // a magic value that zeroed memory cannot have
    assert_true(context.cookie != 0 && mesh.cookie != 0 && shape.cookie != 0 && scene.cookie != 0 &&
                body.cookie != 0 && query.head.cookie != 0 && edit.cookie != 0);
}

static void test_views(void** state) {
    (void)state;
    const float f[3] = {0, 0, 0};
    const double d[3] = {0, 0, 0};
    const abut_positions floats = abut_positions_f32(f, 7);
    const abut_positions doubles = abut_positions_f64(d, SIZE_MAX);
    assert_true(floats.data == f && floats.count == 7 && floats.stride == 0 &&
                floats.type == ABUT_SCALAR_F32);
    assert_true(doubles.data == d && doubles.count == SIZE_MAX && doubles.stride == 0 &&
                doubles.type == ABUT_SCALAR_F64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
