// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweep over x. The boxes of both surfaces go into one list, sorted by low x. Each box is compared
// with the boxes behind it until one begins beyond its high x. So each overlapping pair is found
// once, from the box that begins first.

#include "support/brute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sweep_box {
    double lo[3];
    double hi[3];
    uint32_t triangle;
    uint32_t side;  // 0: a, 1: b
} sweep_box;

typedef struct surface {
    const double* xyz;
    const uint32_t* tri;
    uint32_t count;
} surface;

typedef struct pair_list {
    brute_pair* pairs;
    size_t count;
    size_t capacity;
} pair_list;

static void* must(void* memory) {
    if (memory == NULL) {
        fputs("brute: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static void push(pair_list* list, uint32_t a, uint32_t b) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 256 : 2 * list->capacity;
        list->pairs = must(realloc(list->pairs, list->capacity * sizeof *list->pairs));
    }
    list->pairs[list->count++] = (brute_pair){a, b};
}

static void corners(const surface* s, uint32_t triangle, double out[3][3]) {
    for (int k = 0; k < 3; ++k) {
        memcpy(out[k], s->xyz + 3 * (size_t)s->tri[3 * (size_t)triangle + (size_t)k],
               3 * sizeof(double));
    }
}

// the box of a triangle; a margin is added with the sum rounded away from the box
static sweep_box box_of(const surface* s, uint32_t triangle, uint32_t side, double grow) {
    double p[3][3];
    corners(s, triangle, p);
    sweep_box box = {.triangle = triangle, .side = side};
    for (int d = 0; d < 3; ++d) {
        box.lo[d] = fmin(fmin(p[0][d], p[1][d]), p[2][d]);
        box.hi[d] = fmax(fmax(p[0][d], p[1][d]), p[2][d]);
        if (grow > 0.0) {
            box.lo[d] = nextafter(box.lo[d] - grow, -INFINITY);
            box.hi[d] = nextafter(box.hi[d] + grow, INFINITY);
        }
    }
    return box;
}

static int by_low_x(const void* left, const void* right) {
    const sweep_box* l = left;
    const sweep_box* r = right;
    return (l->lo[0] > r->lo[0]) - (l->lo[0] < r->lo[0]);
}

static int by_ids(const void* left, const void* right) {
    const brute_pair* l = left;
    const brute_pair* r = right;
    if (l->a != r->a) {
        return l->a < r->a ? -1 : 1;
    }
    return (l->b > r->b) - (l->b < r->b);
}

static bool overlap_yz(const sweep_box* p, const sweep_box* q) {
    return p->lo[1] <= q->hi[1] && q->lo[1] <= p->hi[1] && p->lo[2] <= q->hi[2] &&
           q->lo[2] <= p->hi[2];
}

static uint32_t class_of(const uint32_t* vertex_class, uint32_t vertex) {
    return vertex_class == NULL ? vertex : vertex_class[vertex];
}

static bool share_vertex(const uint32_t* tri, const uint32_t* vertex_class, uint32_t a,
                         uint32_t b) {
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            if (class_of(vertex_class, tri[3 * (size_t)a + i]) ==
                class_of(vertex_class, tri[3 * (size_t)b + j])) {
                return true;
            }
        }
    }
    return false;
}

static size_t finish(pair_list* list, brute_pair** out) {
    if (list->count > 0) {
        qsort(list->pairs, list->count, sizeof *list->pairs, by_ids);
    }
    if (out != NULL) {
        *out = list->pairs;
    } else {
        free(list->pairs);
    }
    return list->count;
}

size_t brute_collide(const double* xyz_a, const uint32_t* tri_a, uint32_t na, const double* xyz_b,
                     const uint32_t* tri_b, uint32_t nb, double margin, brute_touch touch,
                     brute_pair** out) {
    const surface sides[2] = {{xyz_a, tri_a, na}, {xyz_b, tri_b, nb}};
    const size_t count = (size_t)na + nb;
    sweep_box* boxes = must(malloc((count + 1) * sizeof *boxes));
    for (size_t i = 0; i < count; ++i) {
        // only one side grows, by the whole margin
        boxes[i] = i < na ? box_of(&sides[0], (uint32_t)i, 0, margin)
                          : box_of(&sides[1], (uint32_t)(i - na), 1, 0.0);
    }
    qsort(boxes, count, sizeof *boxes, by_low_x);

    pair_list found = {0};
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = i + 1; j < count && boxes[j].lo[0] <= boxes[i].hi[0]; ++j) {
            if (boxes[i].side == boxes[j].side || !overlap_yz(&boxes[i], &boxes[j])) {
                continue;
            }
            const bool swap = boxes[i].side == 1;
            const uint32_t a = boxes[swap ? j : i].triangle;
            const uint32_t b = boxes[swap ? i : j].triangle;
            double p[3][3];
            double q[3][3];
            corners(&sides[0], a, p);
            corners(&sides[1], b, q);
            if (touch((const double(*)[3])p, (const double(*)[3])q)) {
                push(&found, a, b);
            }
        }
    }
    free(boxes);
    return finish(&found, out);
}

size_t brute_self(const double* xyz, const uint32_t* tri, uint32_t n, const uint32_t* vertex_class,
                  double margin, brute_touch touch, brute_pair** out) {
    const surface whole = {xyz, tri, n};
    sweep_box* boxes = must(malloc(((size_t)n + 1) * sizeof *boxes));
    for (uint32_t i = 0; i < n; ++i) {
        boxes[i] = box_of(&whole, i, 0, margin);  // twice the margin between two boxes: harmless
    }
    qsort(boxes, n, sizeof *boxes, by_low_x);

    pair_list found = {0};
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = i + 1; j < n && boxes[j].lo[0] <= boxes[i].hi[0]; ++j) {
            if (!overlap_yz(&boxes[i], &boxes[j])) {
                continue;
            }
            const bool swap = boxes[i].triangle > boxes[j].triangle;
            const uint32_t a = boxes[swap ? j : i].triangle;
            const uint32_t b = boxes[swap ? i : j].triangle;
            if (share_vertex(tri, vertex_class, a, b)) {
                continue;
            }
            double p[3][3];
            double q[3][3];
            corners(&whole, a, p);
            corners(&whole, b, q);
            if (touch((const double(*)[3])p, (const double(*)[3])q)) {
                push(&found, a, b);
            }
        }
    }
    free(boxes);
    return finish(&found, out);
}

typedef struct placed {
    double at[3];
    uint32_t vertex;
} placed;

static int by_place(const void* left, const void* right) {
    const placed* l = left;
    const placed* r = right;
    for (int d = 0; d < 3; ++d) {
        if (l->at[d] != r->at[d]) {
            return l->at[d] < r->at[d] ? -1 : 1;
        }
    }
    return (l->vertex > r->vertex) - (l->vertex < r->vertex);
}

void brute_classes(const double* xyz, uint32_t vertex_count, uint32_t* vertex_class) {
    placed* order = must(malloc(((size_t)vertex_count + 1) * sizeof *order));
    for (uint32_t i = 0; i < vertex_count; ++i) {
        memcpy(order[i].at, xyz + 3 * (size_t)i, sizeof order[i].at);
        order[i].vertex = i;
    }
    qsort(order, vertex_count, sizeof *order, by_place);
    uint32_t first = 0;
    for (uint32_t i = 0; i < vertex_count; ++i) {
        const double* p = order[first].at;
        const double* q = order[i].at;
        if (p[0] != q[0] || p[1] != q[1] || p[2] != q[2]) {
            first = i;
        }
        vertex_class[order[i].vertex] = order[first].vertex;
    }
    free(order);
}

bool brute_pairs_equal(const brute_pair* p, size_t np, const brute_pair* q, size_t nq) {
    if (np != nq) {
        return false;
    }
    for (size_t i = 0; i < np; ++i) {
        if (p[i].a != q[i].a || p[i].b != q[i].b) {
            return false;
        }
    }
    return true;
}
