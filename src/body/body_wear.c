// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Wear: when triangles of one block or node move apart, boxes grow and queries open pairs of blocks
// in vain (false opens). The tree is rebuilt as soon as its wear has cost as much as a rebuild, so
// that a sequence of states never costs much more than twice the best. If the new tree is hardly
// better, the next rebuild waits twice as long. If one state alone wastes more than a rebuild costs,
// later states are rebuilt before they are queried. Everything depends on counts and boxes alone:
// any number of threads decides the same.
//
// The cost of a tree is the sum of the costs of its boxes over that of its triangles. Moving,
// stretching and scaling the whole body leaves it nearly as it was.
#include "base/recycler.h"
#include "body/world.h"
#include "shape/shape.h"
#include "tree/split.h"

#define BLOCKS_LEAST 32  // smaller trees are not worth it
#define REBUILD_COST 20  // of a block, in false opens; as measured on loose quads and patches
#define GAIN_LEAST 1.25  // a tree is replaced by one that is better by this
#define PATIENCE_MOST 6  // doublings
#define SAMPLE 256       // blocks that tell the cost of triangles

typedef struct abut__wear {
    const abut_shape* given;   // by the caller, if the body has its own tree since; or NULL
    abut__recycler* recycler;  // the memory of the body's own trees; NULL: it had none
    abut__state drafts[2];     // memory for the states on the next tree
    double cost;               // of the tree in the state that it was rebuilt for
    double limit;              // of the cost, above which it is rebuilt at once; 0: none is known
    uint64_t waste;            // false opens beyond the usual ones, since the last rebuild
    uint32_t usual;            // false opens of a state that the tree suits
    uint32_t most;             // those that led to the limit
    uint8_t patience;          // rebuilds in a row without a gain
    bool fresh;                // no query has been asked since the last rebuild
    bool reserved;             // memory for a second tree
} abut__wear;

const abut_shape* abut__body_given(const abut__body* body) {
    const abut__wear* wear = body->shape->motion->wears ? body->wear : NULL;
    return wear != NULL && wear->given != NULL ? wear->given : body->shape;
}

void abut__body_forget_wear(const abut_context* context, abut__body* body) {
    abut__wear* wear = body->shape->motion->wears ? body->wear : NULL;
    if (wear != NULL) {
        if (wear->given != NULL) {
            abut_shape_destroy((abut_shape*)body->shape);
            body->shape = wear->given;
        }
        abut__state_release(body->shape, &wear->drafts[0]);
        abut__state_release(body->shape, &wear->drafts[1]);
        abut__recycler_destroy(wear->recycler);
        abut__free(context, wear, 1, sizeof *wear);
        body->wear = NULL;
    }
}

// the cost of the boxes of all nodes and blocks
static double boxes_cost(const abut__body* body) {
    const abut__tree* tree = &body->shape->tree;
    const abut__boxes8* boxes = abut__state_boxes(body->shape, abut__body_state(body, 1));
    double sum = 0;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        for (uint32_t k = 0; k < tree->nodes[n].count; ++k) {
            const abut__box3 box = abut__boxes_get(&boxes[n], k);
            sum += abut__box_cost(box.lo, box.hi);
        }
    }
    return sum;
}

// the cost of the boxes of all triangles, from a sample of the blocks
static double triangles_cost(const abut__body* body) {
    const uint32_t blocks = body->shape->tree.block_count;
    const uint32_t step = (blocks + SAMPLE - 1) / SAMPLE;
    double sum = 0;
    for (uint32_t b = 0; b < blocks; b += step) {
        abut__block_boxes boxes;
        abut__box3 all;
        abut__body_block_boxes(body, b, 1, &boxes);
        sum += body->shape->context->kernels->measure_block(&boxes, &all);
    }
    return sum * step;
}

// the cost of the tree in the current state; 0: it has none, because numbers are too large
static double tree_cost(const abut__body* body) {
    const double boxes = boxes_cost(body);
    const double triangles = triangles_cost(body);
    return triangles > 0 && boxes <= 1e300 ? boxes / triangles : 0;
}

static uint64_t rebuild_cost(const abut__body* body) {
    return (uint64_t)REBUILD_COST * body->shape->tree.block_count << body->wear->patience;
}

// a trial that gained nothing: this is what the tree costs
static void lose_patience(abut__wear* wear, uint32_t false_opens) {
    wear->patience = (uint8_t)(wear->patience + (wear->patience < PATIENCE_MOST));
    wear->usual = false_opens;
    wear->limit = 0;
}

// Counts the false opens of the last state. The first ones after a rebuild are the usual ones. By
// then queries have made all tables of the tree, and memory is reserved for the next one.
static void count(abut__wear* wear, uint32_t opened, uint32_t false_opens) {
    if (wear->fresh && opened + false_opens > 0) {
        wear->fresh = false;
        if (wear->recycler != NULL && !wear->reserved) {
            abut__recycler_reserve(wear->recycler);
            wear->reserved = true;
        }
        wear->usual = false_opens;
        if (wear->limit > 0 && false_opens > wear->most / 2) {
            lose_patience(wear, false_opens);
        }
    }
    wear->waste += false_opens > wear->usual ? false_opens - wear->usual : 0;
}

// Sets the cost at which a single state would waste as much as a rebuild costs.
static void set_limit(abut__body* body, uint32_t false_opens, double cost) {
    abut__wear* wear = body->wear;
    const double wasted = false_opens > wear->usual ? false_opens - wear->usual : 0;
    const double enough = (double)rebuild_cost(body);
    if (wasted > enough) {
        const double limit = wear->cost + (cost - wear->cost) * enough / wasted;
        wear->limit = limit > GAIN_LEAST * wear->cost ? limit : GAIN_LEAST * wear->cost;
        wear->most = false_opens;
    }
}

// makes a shape with a tree for the current state; NULL: no memory
static abut_shape* rebuild(abut_scene* scene, const abut__body* body) {
    abut__wear* wear = body->wear;
    if (wear->recycler == NULL) {
        wear->recycler = abut__recycler_create(scene->context);
    }
    if (wear->recycler == NULL) {
        return NULL;
    }
    const abut_shape* given = abut__body_given(body);
    const abut__source at = abut__state_stored(given, abut__body_state(body, 1))->positions;
    const abut_positions now = {at.data, given->mesh->vertex_count, at.stride,
                                at.is_double ? ABUT_SCALAR_F64 : ABUT_SCALAR_F32};
    return abut__shape_with_tree(given, abut__recycler_context(wear->recycler), now);
}

// Moves the body to the rebuilt shape, which it takes over. False: no memory.
static bool adopt(abut_scene* scene, abut__body* body, abut_shape* rebuilt) {
    abut_shape* last = (abut_shape*)body->shape;
    if (rebuilt == NULL || !abut__body_switch_tree(scene, body, rebuilt, body->wear->drafts)) {
        abut_shape_destroy(rebuilt);
        return false;
    }
    if (body->wear->given == NULL) {
        body->wear->given = last;
    } else {
        abut_shape_destroy(last);
    }
    return true;
}

// Rebuilds the tree for the current state.
static void renew(abut_scene* scene, abut__body* body, uint32_t false_opens) {
    abut__wear* wear = body->wear;
    const double before = tree_cost(body);
    wear->waste = 0;
    if (!adopt(scene, body, rebuild(scene, body))) {
        return;  // the next trial is as far as the last
    }
    wear->fresh = true;
    wear->cost = tree_cost(body);
    if (before < GAIN_LEAST * wear->cost) {
        lose_patience(wear, false_opens);
    } else {
        wear->patience = 0;
        set_limit(body, false_opens, before);
    }
}

static bool may_wear(const abut__body* body) {
    return body->shape->motion->wears && !body->keeps_tree && abut__body_has_bounds(body) &&
           body->shape->tree.block_count >= BLOCKS_LEAST &&
           abut__body_state(body, 1)->bad_vertex == ABUT__NONE;
}

// the record of the body's wear, which is made with the first state after queries; NULL: no memory
static abut__wear* wear_of(const abut_scene* scene, abut__body* body) {
    if (body->wear == NULL) {
        body->wear = abut__alloc_zero(scene->context, 1, sizeof *body->wear);
        if (body->wear != NULL) {
            body->wear->fresh = true;
        }
    }
    return body->wear;
}

void abut__body_watch_wear(abut_scene* scene, abut__body* body) {
    abut__wear* wear = may_wear(body) ? wear_of(scene, body) : NULL;
    if (wear == NULL) {
        return;
    }
    const uint32_t opened = abut__usage_take(&body->usage.opened);
    const uint32_t false_opens = abut__usage_take(&body->usage.false_opens);
    count(wear, opened, false_opens);
    if (wear->waste >= rebuild_cost(body) || (wear->limit > 0 && tree_cost(body) > wear->limit)) {
        renew(scene, body, false_opens);
    }
}
