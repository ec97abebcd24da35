// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Skeletons: see skeleton.h. At rest the axes of all bones are those of space, so a bone's matrix
// is that of its parent with one more rotation about its own end. Based on: Magnenat-Thalmann,
// Laperriere, Thalmann, "Joint-Dependent Local Deformations for Hand Animation and Object Grasping"
// (1988).

#include "scenes/skeleton.h"

#include <math.h>
#include <string.h>

double skeleton_flesh(const skeleton_bone* bone, const double p[3], double fine) {
    return solid_bar(p, bone->from, bone->to, solid_thin(bone->thick[0], fine),
                     solid_thin(bone->thick[1], fine));
}

// ---- weights

typedef struct influence {
    uint32_t bone;
    double weight;
} influence;

// The greatest influences first, and one more than will be used.
typedef struct ranking {
    uint32_t count;
    influence all[SKIN_INFLUENCES + 1];
} ranking;

static void rank(ranking* r, influence new) {
    uint32_t at = r->count < SKIN_INFLUENCES + 1 ? r->count++ : SKIN_INFLUENCES;
    if (r->all[at].weight >= new.weight) {
        return;  // zero for unused entries
    }
    for (; at > 0 && r->all[at - 1].weight < new.weight; --at) {
        r->all[at] = r->all[at - 1];
    }
    r->all[at] = new;
}

static ranking rank_bones(const skeleton* body, const double p[3]) {
    double nearest = INFINITY;
    for (uint32_t b = 0; b < body->count; ++b) {
        nearest = fmin(nearest, skeleton_flesh(&body->bones[b], p, 0.0));
    }
    ranking r = {0};
    for (uint32_t b = 0; b < body->count; ++b) {
        const double beyond = skeleton_flesh(&body->bones[b], p, 0.0) - nearest;
        const double near = 1.0 - beyond / body->blend;
        if (near > 0.0) {
            rank(&r, (influence){b, near * near * (3.0 - 2.0 * near)});
        }
    }
    return r;
}

// Subtracts the weight of the first one left out from all, so that influences change continuously.
static uint32_t choose_influences(const skeleton* body, const double p[3],
                                  influence chosen[SKIN_INFLUENCES]) {
    const ranking r = rank_bones(body, p);
    const double off = r.count > SKIN_INFLUENCES ? r.all[SKIN_INFLUENCES].weight : 0.0;
    uint32_t count = 0;
    double sum = 0.0;
    for (uint32_t i = 0; i < r.count && i < SKIN_INFLUENCES; ++i) {
        const influence one = {r.all[i].bone, r.all[i].weight - off};
        if (i > 0 && one.weight < 1e-4) {
            continue;
        }
        uint32_t at = count++;  // ascending by bone
        for (; at > 0 && chosen[at - 1].bone > one.bone; --at) {
            chosen[at] = chosen[at - 1];
        }
        chosen[at] = one;
        sum += one.weight;
    }
    for (uint32_t i = 0; i < count; ++i) {
        chosen[i].weight = sum > 0.0 ? chosen[i].weight / sum : 1.0 / (double)count;
    }
    return count;
}

bool scene__skin_weights(scene* s, const skeleton* body, const scene_mesh* mesh,
                         scene_weights* weights) {
    const size_t most = SKIN_INFLUENCES * (size_t)mesh->vertex_count;
    weights->node_count = body->count;
    weights->first = scene__alloc(s, (size_t)mesh->vertex_count + 1, sizeof *weights->first);
    weights->nodes = scene__alloc(s, most, sizeof *weights->nodes);
    weights->values = scene__alloc(s, most, sizeof *weights->values);
    for (size_t i = 0; i < mesh->vertex_count && !s->failed; ++i) {
        influence chosen[SKIN_INFLUENCES];
        const uint32_t first = weights->first[i];
        const uint32_t count = choose_influences(body, mesh->rest + 3 * i, chosen);
        for (uint32_t k = 0; k < count; ++k) {
            weights->nodes[first + k] = chosen[k].bone;
            weights->values[first + k] = (float)chosen[k].weight;
        }
        weights->first[i + 1] = first + count;
    }
    return !s->failed;
}

// ---- poses

// out = parent [rotation about centre]
static void turn_about(const double parent[3][4], const double turn[3][3], const double centre[3],
                       double out[3][4]) {
    double still[3];  // the translation that keeps the centre fixed
    for (int d = 0; d < 3; ++d) {
        still[d] = centre[d] -
                   (turn[d][0] * centre[0] + turn[d][1] * centre[1] + turn[d][2] * centre[2]);
    }
    for (int d = 0; d < 3; ++d) {
        const double* row = parent[d];
        for (int e = 0; e < 3; ++e) {
            out[d][e] = row[0] * turn[0][e] + row[1] * turn[1][e] + row[2] * turn[2][e];
        }
        out[d][3] = row[0] * still[0] + row[1] * still[1] + row[2] * still[2] + row[3];
    }
}

void skeleton_transforms(const skeleton* body, const double (*turns)[3][3], const double shift[3],
                         double* transforms) {
    for (uint32_t b = 0; b < body->count; ++b) {
        const skeleton_bone* bone = &body->bones[b];
        double parent[3][4] = {
            {1.0, 0.0, 0.0, shift[0]}, {0.0, 1.0, 0.0, shift[1]}, {0.0, 0.0, 1.0, shift[2]}};
        double out[3][4];
        if (b > 0) {
            memcpy(parent, transforms + 12 * (size_t)bone->parent, sizeof parent);
        }
        turn_about((const double(*)[4])parent, turns[b], bone->from, out);
        memcpy(transforms + 12 * (size_t)b, out, sizeof out);
    }
}
