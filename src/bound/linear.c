// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes the boxes of keyframes at first use.
#include "bound/linear.h"

bool abut__linear_init(abut__linear* linear, const abut_context* context, uint32_t count,
                       bool placed) {
    *linear = (abut__linear){.context = context, .count = count, .placed = placed};
    linear->keys = abut__alloc(context, count, sizeof *linear->keys);
    for (uint32_t k = 0; k < count && linear->keys != NULL; ++k) {
        atomic_init(&linear->keys[k], NULL);
    }
    return linear->keys != NULL;
}

static void free_key(const abut_context* context, abut__key_boxes* boxes) {
    if (boxes != NULL) {
        abut__free(context, boxes->refit.boxes, boxes->node_count, sizeof *boxes->refit.boxes);
        abut__free(context, boxes->refit.places, boxes->block_count, sizeof *boxes->refit.places);
        abut__free(context, boxes, 1, sizeof *boxes);
    }
}

void abut__linear_free(abut__linear* linear) {
    for (uint32_t k = 0; k < linear->count && linear->keys != NULL; ++k) {
        free_key(linear->context, abut__once_peek(&linear->keys[k]));
    }
    abut__free(linear->context, linear->keys, linear->count, sizeof *linear->keys);
    *linear = (abut__linear){0};
}

// Allocates the boxes of a keyframe; returns NULL if memory runs out.
static abut__key_boxes* make_key(const abut__linear* linear, const abut__tree* tree) {
    abut__key_boxes* made = abut__alloc_zero(linear->context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->node_count = tree->node_count;
    made->block_count = tree->block_count;
    made->refit.boxes = abut__alloc(linear->context, tree->node_count, sizeof *made->refit.boxes);
    if (made->refit.boxes == NULL) {
        free_key(linear->context, made);
        return NULL;
    }
    return made;
}

static void undo_key(const void* linear, void* made) {
    free_key(((const abut__linear*)linear)->context, made);
}

const abut__key_boxes* abut__linear_key(abut__linear* linear, const abut__tree* tree,
                                        const abut__stretches* stretches, abut__source positions,
                                        uint32_t key) {
    const abut__key_boxes* there = abut__linear_find(linear, key);
    if (there != NULL) {
        return there;
    }
    abut__key_boxes* made = make_key(linear, tree);
    if (made == NULL) {
        return NULL;
    }
    if (linear->placed && abut__stretches_suit(stretches, &positions)) {
        // without memory for them kinetic trees look at vertices
        made->refit.places = abut__alloc(linear->context, tree->block_count,
                                         sizeof *made->refit.places);
    }
    abut__refit(linear->context, tree, stretches, positions, (abut__beside){0}, &made->refit);
    made->looks = tree->node_count + tree->block_count;
    return abut__once_put(&linear->keys[key], made, undo_key, linear);
}

void abut__linear_descend(abut__linear* linear, const abut__tree* tree,
                          const abut__descent* descent, abut__source positions, uint32_t key,
                          const abut__key_boxes* before) {
    if (abut__linear_find(linear, key) != NULL ||
        atomic_load(&((abut__key_boxes*)before)->refit.bad_vertex) != ABUT__NONE) {
        return;
    }
    abut__key_boxes* made = make_key(linear, tree);
    if (made != NULL) {
        made->looks = abut__refit_descend(linear->context, tree, descent, positions, &before->refit,
                                          &made->refit);
        made->is_descended = true;
        (void)abut__once_put(&linear->keys[key], made, undo_key, linear);
    }
}
