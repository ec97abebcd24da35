// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Each number of a saved shape that loading must check, made wrong on its own: the test changes it in
// the shape, saves, changes it back, and loads. The bytes have the right checksum, and must be refused.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "motion/certified.h"
#include "motion/flight.h"
#include "motion/modal.h"
#include "motion/blend.h"
#include "test_save_support.h"

typedef struct spoiler {
    save_case* c;
    uint32_t count;  // of what was refused
} spoiler;

// Bytes to write over a place for as long as the shape is saved.
typedef struct change {
    const void* at;
    const void* value;
    size_t size;
} change;

static void swap_bytes(const change* with, uint8_t* kept, bool back) {
    if (with->size == 0) {  // there is no second change
        return;
    }
    if (!back) {
        memcpy(kept, with->at, with->size);
    }
    memcpy((void*)with->at, back ? kept : with->value, with->size);
}

// Saves the shape with up to two changes; loading must refuse it.
static void refuse_both(spoiler* s, const char* what, change first, change second) {
    uint8_t kept[2][16];
    where("%s: %s", s->c->m.row->name, what);
    abut_shape* shape = NULL;
    swap_bytes(&first, kept[0], false);
    swap_bytes(&second, kept[1], false);
    saved bytes = save_bytes(s->c->shape, NULL);
    swap_bytes(&second, kept[1], true);
    swap_bytes(&first, kept[0], true);
    REQUIRE_STATUS(abut_shape_load(s->c->w.context, bytes.bytes, bytes.count, &shape, NULL),
                   ABUT_ERR_INVALID_DATA);
    free(bytes.bytes);
    ++s->count;
}

#define CHANGE(place, number) \
    ((change){&(place), &(__typeof__(place)){(__typeof__(place))(number)}, sizeof(place)})
#define REFUSE(s, place, number) \
    refuse_both((s), #place " = " #number, CHANGE(place, number), (change){.at = &(place)})
#define REFUSE_TWO(s, place, number, other, other_number)                                         \
    refuse_both((s), #place " = " #number ", " #other " = " #other_number, CHANGE(place, number), \
                CHANGE(other, other_number))

static void spoil_mesh(spoiler* s) {
    const abut_shape* shape = s->c->shape;
    const abut_mesh* mesh = shape->mesh;
    double* positions = mesh->positions;
    REQUIRE(mesh->scalar == ABUT_SCALAR_F64 && mesh->classes[7] == 7 && mesh->classes[8] == 8);
    REFUSE(s, positions[4], NAN);
    REFUSE(s, positions[4], -INFINITY);
    REFUSE(s, mesh->scalar, 2);
    REFUSE(s, mesh->class_rule, 3);
    REFUSE(s, mesh->triangles[5], mesh->vertex_count);
    REFUSE(s, mesh->triangles[5], UINT32_MAX);
    REFUSE(s, mesh->classes[7], 8);
    REFUSE_TWO(s, mesh->classes[8], 7, mesh->classes[7], 6);
    REFUSE(s, mesh->fullest_class, 1);
}

static void spoil_settings(spoiler* s) {
    const abut_shape* shape = s->c->shape;
    REFUSE(s, shape->tree_def.fan_out, 1);
    REFUSE(s, shape->tree_def.fan_out, 9);
    REFUSE(s, shape->tree_def.block_triangles, 0);
    REFUSE(s, shape->tree_def.block_triangles, 49);
    if (shape->ignored_count > 0) {
        REFUSE(s, shape->ignored[0], UINT64_MAX);
    }
}

// Gives a node one more child, which is that of another node, or a node above.
static void spoil_children(spoiler* s, const abut__tree* tree) {
    const uint32_t most = s->c->shape->tree_def.fan_out;
    for (uint32_t n = 1; n < tree->node_count; ++n) {
        abut__node* node = &tree->nodes[n];
        const abut__ref other = tree->nodes[n == 1 ? tree->node_count - 1 : 1].child[0];
        if (node->count < most) {
            REFUSE_TWO(s, node->child[node->count], other, node->count, node->count + 1);
            REFUSE_TWO(s, node->child[node->count], 0, node->count, node->count + 1);
            REFUSE_TWO(s, node->child[node->count], node->child[0], node->count, node->count + 1);
            return;
        }
    }
}

static void spoil_tree(spoiler* s) {
    const abut__tree* tree = &s->c->shape->tree;
    abut__node* root = &tree->nodes[0];
    const abut__block* blocks[2] = {tree->blocks[0], tree->blocks[1]};
    abut__node* low = &tree->nodes[tree->node_count - 1];  // a node of blocks
    REQUIRE(tree->node_count > 1 && root->count > 1);
    REFUSE(s, root->child[0], tree->node_count);
    REFUSE(s, root->child[0], 0);
    REFUSE(s, root->child[0], tree->block_count | ABUT__REF_BLOCK);
    REFUSE(s, root->child[0], root->child[1]);
    REFUSE(s, root->child[0], low->child[0]);
    REFUSE(s, root->count, 0);
    REFUSE(s, root->count, ABUT__FAN + 1);
    REFUSE(s, low->count, low->count - 1);
    spoil_children(s, tree);
    REFUSE(s, tree->folded_depth, 129);
    REFUSE(s, blocks[0]->triangle_count, 0);
    REFUSE(s, blocks[0]->triangle_count, blocks[0]->triangle_count - 1);
    REFUSE(s, blocks[0]->triangle[0], s->c->shape->mesh->triangle_count);
    REFUSE(s, blocks[0]->triangle[0], blocks[1]->triangle[0]);
    REFUSE(s, blocks[0]->corner[0][0], ABUT__BLOCK_VERTICES);
    REFUSE(s, blocks[0]->corner[0][0], blocks[0]->vertex_count);
    REFUSE(s, blocks[0]->corner[0][0], blocks[0]->corner[1][0]);
}

static void spoil_fields(spoiler* s, const abut__fields* fields) {
    double* values = fields->values;
    REQUIRE(fields->vertex_count > 5);
    REFUSE(s, fields->scalar, 2);
    REFUSE(s, fields->list[0], 1);
    REFUSE(s, fields->list[3], fields->list[2] - 1);
    REFUSE(s, fields->list[fields->vertex_count - 2], 1000);
    if (fields->first[fields->vertex_count] == 0) {
        return;
    }
    if (fields->list[fields->vertex_count - 1] > 0) {  // otherwise saving would read too many
        REFUSE(s, fields->lists[0].count, fields->count + 1);
    }
    REFUSE(s, fields->ids[0], fields->count);
    if (fields->lists[0].count > 1) {
        REFUSE(s, fields->ids[1], fields->ids[0]);
    }
    if (fields->scalar == ABUT_SCALAR_F64) {
        REFUSE(s, values[1], NAN);
    }
}

static void spoil_weights(spoiler* s, const abut__weights* weights) {
    REFUSE(s, weights->node_count, 0);
    REFUSE(s, weights->nodes[0], weights->node_count);
    REFUSE(s, weights->first[1], weights->first[2]);  // the second vertex follows nothing
    if (weights->scalar == ABUT_SCALAR_F64) {
        double* values = weights->values;
        REFUSE(s, values[0], NAN);
        REFUSE(s, values[0], values[0] + 0.5);
        REFUSE(s, values[0], -1);
    }
}

// ---- certificates

static void spoil_index(spoiler* s, const abut__certificate_index* index) {
    REQUIRE(index->pair_count > 1);
    REFUSE(s, index->block_count, index->block_count - 1);
    REFUSE(s, index->pair_other[0], index->block_count);
    REFUSE(s, index->pair_other[0], 0);
    REFUSE(s, index->pair_number[0], index->pair_count);
    REFUSE(s, index->pair_number[0], index->pair_number[1]);
    REFUSE_TWO(s, index->pair_number[0], index->pair_number[1], index->pair_number[1],
               index->pair_number[0]);  // other numbers than the links have
}

static void spoil_modal_certificates(spoiler* s) {
    const abut__certificates* c = abut__certified_made(s->c->shape);
    REQUIRE(c != NULL);
    spoil_index(s, &c->index);
    if (c->fields.count == 0) {
        return;
    }
    REFUSE(s, c->fields.data[0], s->c->shape->field_count);
    REFUSE(s, c->groups[0].field_count, c->groups[0].field_count + 1);
    REFUSE(s, c->groups[0].first_field, c->fields.count + 1);
    REFUSE(s, c->groups[1].first_field, UINT32_MAX);
}

static void spoil_blend_certificates(spoiler* s) {
    const abut__blend_certificates* c = abut__certified_made(s->c->shape);
    REQUIRE(c != NULL && c->weight_nodes > 2);
    const uint32_t one = c->root == 0 ? 1 : 0;
    const uint32_t other = one + 1 == c->root ? one + 2 : one + 1;
    spoil_index(s, &c->index);
    REFUSE(s, c->weight_nodes, c->weight_nodes - 1);
    REFUSE(s, c->root, c->weight_nodes);
    REFUSE(s, c->root, one);
    REFUSE(s, c->frame.parent[one], c->weight_nodes);
    REFUSE(s, c->frame.parent[one], one);
    REFUSE_TWO(s, c->frame.parent[one], other, c->frame.parent[other], one);
    REFUSE(s, c->nodes[0].reference, c->weight_nodes);
    REFUSE(s, c->blocks[0].node_count, c->blocks[0].node_count + 1);
    REFUSE(s, c->blocks[0].node_count, ABUT__WEIGHT_ROWS + 1);
    for (uint32_t b = 0; b < c->index.block_count; ++b) {
        if (c->blocks[b].node_count > 0) {
            REFUSE(s, c->rows[c->blocks[b].first].weight.node, c->weight_nodes);
            return;
        }
    }
}

static void spoil_mapped(spoiler* s) {
    abut__certified* c = abut__once_peek(&s->c->shape->certificates);
    if (c != NULL && c->mapped) {
        const abut__certificate_index* index = c->set->made;
        REFUSE(s, c->nodes[0], index->node_count);
        REFUSE(s, c->blocks[0], index->block_count);
        c->mapped = false;  // the edited shape has another tree
        saved bytes = save_bytes(s->c->shape, NULL);
        c->mapped = true;
        abut_shape* shape = NULL;
        REQUIRE_STATUS(abut_shape_load(s->c->w.context, bytes.bytes, bytes.count, &shape, NULL),
                       ABUT_ERR_INVALID_DATA);
        free(bytes.bytes);
        ++s->count;
    }
}

static void spoil_flight(spoiler* s) {
    const abut__flight* keys = abut__flight_of(s->c->shape);
    REFUSE(s, keys->bound, ABUT_FLIGHT_BOUND_LINEAR + 1);
    if (!keys->at_rest && keys->key_count > 1) {
        REFUSE(s, keys->keys[0].time, NAN);
        REFUSE(s, keys->keys[1].time, keys->keys[0].time);
    }
}

static void spoil_motion(spoiler* s) {
    const abut_shape* shape = s->c->shape;
    switch (shape->motion->id) {
        case ABUT_MOTION_FREE: break;
        case ABUT_MOTION_MODAL:
            REFUSE(s, abut__modal_of(shape)->bound, ABUT_MODAL_BOUND_BOTH + 1);
            REFUSE(s, abut__modal_of(shape)->proxy_level, 21);
            spoil_fields(s, abut__modal_of(shape)->fields);
            spoil_modal_certificates(s);
            break;
        case ABUT_MOTION_BLEND:
            REFUSE(s, abut__blend_of(shape)->bound, ABUT__BLEND_BOUND_PLAIN + 1);
            spoil_weights(s, abut__blend_of(shape)->weights);
            spoil_blend_certificates(s);
            break;
        case ABUT_MOTION_FLIGHT: spoil_flight(s); break;
    }
}

static void test_wrong_numbers(void** state) {
    (void)state;
    for (int r = 0; r < SAVE_ROWS; ++r) {
        for (uint32_t variant = 0; variant < save_rows[r]->variants; ++variant) {
            save_case c = save_open(save_rows[r], variant, SAVE_USED, 9, 8, 21 + variant, NULL);
            spoiler s = {.c = &c};
            spoil_mesh(&s);
            spoil_settings(&s);
            spoil_tree(&s);
            spoil_motion(&s);
            REQUIRE(s.count > 20);
            save_close(&c);
        }
    }
}

static void test_wrong_maps(void** state) {
    (void)state;
    uint32_t count = 0;
    for (int r = 1; r <= 2; ++r) {
        save_case c = save_open(save_rows[r], 0, SAVE_EDITED, 12, 4, 3, NULL);
        spoiler s = {.c = &c};
        spoil_mapped(&s);
        count += s.count;
        save_close(&c);
    }
    REQUIRE(count >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_numbers),
        cmocka_unit_test(test_wrong_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
