// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Generalized winding numbers: see winding.h.
#include "query/winding.h"

#include <math.h>

// A fan is used at this part of the diagonal of a node's box from it, or farther. Nearer points may
// be so near to an edge of the fan that its angles are computed badly.
#define FAR_ENOUGH 0.125

// The solid angle of a triangle over 4 pi, by van Oosterom and Strackee. A point in its plane sees
// none.
static double angle_of(const double a[3], const double b[3], const double c[3]) {
    const double det = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0]);
    const double la = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const double lb = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    const double lc = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    const double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const double bc = b[0] * c[0] + b[1] * c[1] + b[2] * c[2];
    const double ca = c[0] * a[0] + c[1] * a[1] + c[2] * a[2];
    const double over = la * lb * lc + ab * lc + bc * la + ca * lb;
    return det == 0 ? 0 : atan2(det, over) * 0.15915494309189533577;
}

// A point from which angles are seen. Everything is scaled by a power of two, so that products of
// lengths neither overflow nor underflow.
typedef struct eye {
    const abut__winding* w;
    const double* point;
    double scale;
} eye;

static void look(const eye* e, const double p[3], double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = p[k] * e->scale - e->point[k] * e->scale;
    }
}

// Gets vertices, at most a block's, as seen from the point.
static void look_at(const eye* e, const uint32_t* ids, uint32_t count, double (*out)[3]) {
    const abut__winding* w = e->w;
    if (w->positions == NULL) {
        w->view.kind->vertices(&w->view, 1, ids, count, out);
    }
    for (uint32_t i = 0; i < count; ++i) {
        look(e, w->positions != NULL ? w->positions[ids[i]] : out[i], out[i]);
    }
}

static double angle_of_block(const eye* e, uint32_t number) {
    const abut__block* block = e->w->view.tree->blocks[number];
    double at[ABUT__BLOCK_VERTICES][3];
    double sum = 0;
    look_at(e, block->vertex, block->vertex_count, at);
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        sum += angle_of(at[block->corner[0][k]], at[block->corner[1][k]], at[block->corner[2][k]]);
    }
    return sum;
}

static double angle_of_fan(const eye* e, uint32_t node) {
    const uint32_t* ids = abut__contour_of(e->w->contours, node);
    const uint32_t count = e->w->contours->count[node];
    double first[3];
    double at[ABUT__BLOCK_VERTICES][3];
    double sum = 0;
    look_at(e, ids, 1, at);
    memcpy(first, at[0], sizeof first);
    for (uint32_t from = 1; from + 1 < count; from += ABUT__BLOCK_VERTICES - 1) {
        const uint32_t left = count - from;
        const uint32_t some = left < ABUT__BLOCK_VERTICES ? left : ABUT__BLOCK_VERTICES;
        look_at(e, ids + from, some, at);
        for (uint32_t i = 0; i + 1 < some; ++i) {
            sum += angle_of(first, at[i], at[i + 1]);
        }
    }
    return sum;
}

static bool is_far(const abut__winding* w, const abut__box3* box, const double point[3]) {
    double gap_sq = 0;
    double diagonal_sq = 0;
    for (int k = 0; k < 3; ++k) {
        const double x = point[k] - w->view.origin[k];
        const double below = (double)box->lo[k] - x;
        const double above = x - (double)box->hi[k];
        const double gap = (below > above ? below : above) - w->pad;
        const double side = (double)box->hi[k] - (double)box->lo[k] + 2 * w->pad;
        gap_sq += gap > 0 ? gap * gap : 0;
        diagonal_sq += side * side;
    }
    return gap_sq > FAR_ENOUGH * FAR_ENOUGH * diagonal_sq;
}

bool abut__winding_begin(abut__body* body, abut__winding* out) {
    abut__view* view = &out->view;
    abut__view_now(body, view);
    if (!abut__frame_is_identity(view->frame)) {
        view->placing[0] = view->placing[1] = view->frame;
    }
    out->contours = abut__shape_contours(body->shape);
    out->positions = NULL;
    out->pad = 0x1p-20 * view->extent + 0x1p-48 * view->far + (double)ABUT__TINY;
    return out->contours != NULL;
}

static double scale_for(const abut__winding* w, const double point[3]) {
    double most = w->view.extent;
    for (int k = 0; k < 3; ++k) {
        const double far = fabs(point[k] * 0x1p-2 - w->view.origin[k] * 0x1p-2);
        most = far > most ? far : most;
    }
    const int exponent = most > 0 ? -ilogb(most) - 2 : 0;
    return ldexp(1, exponent < 1000 ? exponent : 1000);
}

double abut__winding_at(const abut__winding* w, const double point[3], abut__ref* stack,
                        abut_counters* counters) {
    const eye e = {w, point, scale_for(w, point)};
    const abut__tree* tree = w->view.tree;
    double sum = 0;
    uint32_t count = 1;
    const abut__box3 whole = abut__view_box(&w->view, 0);
    stack[0] = 0;
    if (w->contours->count[0] > 0 && is_far(w, &whole, point)) {
        return angle_of_fan(&e, 0);
    }
    while (count > 0) {
        const abut__ref at = stack[--count];
        if (abut__is_block(at)) {
            sum += angle_of_block(&e, abut__block_of(at));
            continue;
        }
        const abut__node* node = &tree->nodes[at];
        abut__boxes8 room;
        const abut__boxes8* boxes = abut__view_bound(&w->view, at, &room);
        counters->boxes_tested += node->count;
        for (uint32_t k = 0; k < node->count; ++k) {
            const abut__ref child = node->child[k];
            const abut__box3 box = abut__boxes_get(boxes, k);
            if (!abut__is_block(child) && w->contours->count[child] > 0 && is_far(w, &box, point)) {
                sum += angle_of_fan(&e, child);
            } else {
                stack[count++] = child;
            }
        }
    }
    return sum;
}
