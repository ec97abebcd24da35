// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far a body reaches along a direction: branch and bound over its boxes, the farthest child
// first.
#include "depth/reach.h"

#include <math.h>

#include "base/vec3.h"
#include "depth/read_block.h"

typedef struct search {
    const abut__body* body;
    const double* direction;
    double offset;  // of the body's origin along the direction
    double pad;     // error bound of boxes along it
    abut__reached best;
    abut_counters* counters;
} search;

// returns an upper bound of the reach of child k
static double above(const search* s, const abut__boxes8* boxes, uint32_t k) {
    double sum = s->offset + s->pad;
    for (int d = 0; d < 3; ++d) {
        const double end = (double)(s->direction[d] < 0 ? boxes->lo[d][k] : boxes->hi[d][k]);
        sum += end * s->direction[d];
    }
    return sum;
}

static void measure_block(search* s, uint32_t number) {
    const abut__block* block = s->body->shape->tree.blocks[number];
    double p[ABUT__BLOCK_POINTS][3];
    abut__read_block(s->body, block, p);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        const double along = abut__dot3(p[v], s->direction);
        if (along > s->best.along ||
            (along == s->best.along && block->vertex[v] < s->best.vertex)) {
            s->best = (abut__reached){along, block->vertex[v], {p[v][0], p[v][1], p[v][2]}};
        }
    }
    if (s->counters != NULL) {
        s->counters->vertices_evaluated += block->vertex_count;
    }
}

// a child of a node, and an upper bound of its reach
typedef struct child {
    double bound;
    abut__ref ref;
} child;

static void descend(search* s, uint32_t node) {
    abut__boxes8 room;
    child list[ABUT__FAN];
    const abut__boxes8* boxes = abut__body_bound(s->body, node, 1, &room);
    const abut__node* n = &s->body->shape->tree.nodes[node];
    for (uint32_t k = 0; k < n->count; ++k) {
        const child next = {above(s, boxes, k), n->child[k]};
        uint32_t place = k;
        for (; place > 0 && list[place - 1].bound < next.bound; --place) {
            list[place] = list[place - 1];
        }
        list[place] = next;
    }
    for (uint32_t k = 0; k < n->count && !(list[k].bound <= s->best.along); ++k) {
        if (abut__is_block(list[k].ref)) {
            measure_block(s, abut__block_of(list[k].ref));
        } else {
            descend(s, list[k].ref);
        }
    }
}

abut__reached abut__reach(const abut__body* body, const double direction[3],
                          abut_counters* counters) {
    search s = {.body = body, .direction = direction, .best = {.along = -INFINITY}};
    s.counters = counters;
    const double size = 2 * (double)abut__body_state(body, 1)->extent;
    const double far = abut__body_far(body, 1);
    double origin[3];
    abut__body_origin(body, 1, origin);
    for (int d = 0; d < 3; ++d) {
        s.offset += origin[d] * direction[d];
        s.pad += fabs(direction[d]) *
                 (0x1p-20 * size + 0x1p-46 * (size + far) + (double)ABUT__TINY);
    }
    descend(&s, 0);
    return s.best;
}

static double along_of(const abut__body* body, uint32_t vertex, const double direction[3]) {
    double p[3];
    abut__body_vertex(body, vertex, 1, p);
    abut__frame_apply(&body->frame, p);
    return abut__dot3(p, direction);
}

double abut__reach_from(const abut__body* body, uint32_t vertex, const double direction[3]) {
    const abut__topology* topology = abut__shape_topology(body->shape);
    const abut_mesh* mesh = body->shape->mesh;
    double best = along_of(body, vertex, direction);
    for (bool farther = topology != NULL; farther;) {
        const uint32_t class = mesh->classes[vertex];
        farther = false;
        for (uint32_t k = topology->first[class]; k < topology->first[class + 1]; ++k) {
            for (uint32_t c = 0; c < 3; ++c) {
                const uint32_t next = mesh->triangles[3 * (size_t)topology->around[k] + c];
                const double along = along_of(body, next, direction);
                if (along > best) {
                    best = along;
                    vertex = next;
                    farther = true;
                }
            }
        }
    }
    return best;
}
