// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes contact proxies: see proxies.h.
#include "bound/proxies.h"

#include <math.h>

#include "base/sort.h"

typedef struct maker {
    abut__proxies* made;
    abut__wrapper* wrapper;
    const abut_mesh* mesh;
    abut__keyed* keyed;  // twice the number of triangles
    abut__ball* balls;   // of all spheres but the root: the rest state, then every field
    abut__ball* items;   // one per proxy
} maker;

// ---- halving the triangles

static double middle_of(const abut_mesh* mesh, uint32_t triangle, int axis) {
    double sum = 0;
    for (size_t c = 0; c < 3; ++c) {
        double p[3];
        abut__mesh_rest_near(mesh, mesh->triangles[3 * (size_t)triangle + c], p);
        sum += p[axis] / 3;
    }
    return sum;
}

static int longest_axis(const abut_mesh* mesh, const uint32_t* triangles, uint32_t count) {
    int longest = 0;
    double most = -1;
    for (int d = 0; d < 3; ++d) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (uint32_t i = 0; i < count; ++i) {
            const double x = middle_of(mesh, triangles[i], d);
            lo = fmin(lo, x);
            hi = fmax(hi, x);
        }
        if (hi - lo > most) {
            most = hi - lo;
            longest = d;
        }
    }
    return longest;
}

// Sorts triangles along the longest axis of their middles, so that halves of the list are spatial
// halves.
static void sort_part(const maker* m, uint32_t* triangles, uint32_t count) {
    const int axis = longest_axis(m->mesh, triangles, count);
    for (uint32_t i = 0; i < count; ++i) {
        const double x = middle_of(m->mesh, triangles[i], axis);
        m->keyed[i] = (abut__keyed){abut__key_of_double(x), triangles[i]};
    }
    abut__sort_keyed(m->keyed, m->keyed + count, count);
    for (uint32_t i = 0; i < count; ++i) {
        triangles[i] = (uint32_t)m->keyed[i].value;
    }
}

static void halve_triangles(const maker* m) {
    abut__proxies* made = m->made;
    uint32_t* first = made->first;
    first[0] = 0;
    first[1] = made->triangle_count;
    for (uint32_t parts = 1; parts < made->count; parts *= 2) {
        for (uint32_t i = parts; i-- > 0;) {  // backwards, so that none is overwritten unread
            const uint32_t begin = first[i];
            const uint32_t end = first[i + 1];
            sort_part(m, made->triangles + begin, end - begin);
            first[2 * i] = begin;
            first[2 * i + 1] = begin + (end - begin) / 2;
            first[2 * i + 2] = end;
        }
    }
}

static void list_triangles(const maker* m) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < m->mesh->triangle_count; ++t) {
        if (abut__mesh_alive(m->mesh, t)) {
            m->made->triangles[count++] = t;
        }
    }
}

// ---- wrapping

static abut__ball* balls_of(const maker* m, uint32_t number) {
    return m->balls + (number - 1) * m->wrapper->rows;
}

static uint32_t nearest_vertex(const abut__wrapper* wrapper, const double centre[3]) {
    const abut_mesh* mesh = wrapper->mesh;
    double least = INFINITY;
    uint32_t nearest = wrapper->ids[0];
    for (size_t i = 0; i < wrapper->id_count; ++i) {
        double p[3];
        abut__mesh_rest_near(mesh, wrapper->ids[i], p);
        const double distance = abut__distance_up(p, centre);
        if (distance < least) {
            least = distance;
            nearest = wrapper->ids[i];
        }
    }
    return nearest;
}

static void wrap_proxy(const maker* m, uint32_t proxy) {
    const abut__proxies* made = m->made;
    abut__ball* rows = balls_of(m, made->node_count + proxy);
    abut__wrapper_clear(m->wrapper);
    for (uint32_t i = made->first[proxy]; i < made->first[proxy + 1]; ++i) {
        for (size_t c = 0; c < 3; ++c) {
            abut__wrapper_put(m->wrapper, m->mesh->triangles[3 * (size_t)made->triangles[i] + c]);
        }
    }
    abut__wrap_vertices(m->wrapper, rows);
    made->vertex[proxy] = nearest_vertex(m->wrapper, rows[0].c);
}

// Makes a coarse sphere around all proxies below a node.
static void wrap_node(const maker* m, uint32_t node) {
    const abut__proxies* made = m->made;
    uint32_t begin = node;
    uint32_t end = node + 1;
    while (begin < made->node_count) {
        begin = abut__proxies_child(made, begin);
        end = abut__proxies_child(made, end);
    }
    for (size_t row = 0; row < m->wrapper->rows; ++row) {
        for (uint32_t number = begin; number < end; ++number) {
            m->items[number - begin] = balls_of(m, number)[row];
        }
        balls_of(m, node)[row] = abut__ball_around(m->items, end - begin, m->wrapper->rule);
    }
}

static bool make_spheres(const maker* m) {
    abut__proxies* made = m->made;
    for (uint32_t p = 0; p < made->count; ++p) {
        wrap_proxy(m, p);
    }
    for (uint32_t n = 1; n < made->node_count; ++n) {
        wrap_node(m, n);
    }
    bool done = true;
    for (uint32_t n = 0; n < made->node_count && done; ++n) {
        done = abut__spheres_add(&made->spheres, balls_of(m, abut__proxies_child(made, n)),
                                 abut__proxies_fan(made, n), m->wrapper->rows);
    }
    return done;
}

// ---- construction

// Three binary levels make one node; the root takes the remainder.
static void set_counts(abut__proxies* made, uint32_t level) {
    while ((UINT64_C(1) << level) > made->triangle_count) {
        --level;
    }
    const uint32_t depth = level > 3 ? (level + 2) / 3 : 1;
    made->count = 1u << level;
    made->root_fan = 1u << (level - 3 * (depth - 1));
    made->node_count = 1;
    for (uint32_t d = 1, width = made->root_fan; d < depth; ++d, width *= ABUT__FAN) {
        made->node_count += width;
    }
}

static bool reserve(maker* m, abut__arena* arena) {
    abut__proxies* made = m->made;
    const size_t spheres = (size_t)made->node_count - 1 + made->count;
    made->vertex = abut__alloc(made->context, made->count, sizeof *made->vertex);
    made->first = abut__alloc(made->context, made->count + (size_t)1, sizeof *made->first);
    made->triangles = abut__alloc(made->context, made->triangle_count, sizeof *made->triangles);
    m->keyed = abut__arena_push(arena, 2 * (size_t)made->triangle_count, sizeof *m->keyed);
    m->balls = abut__arena_push(arena, spheres, m->wrapper->rows * sizeof *m->balls);
    m->items = abut__arena_push(arena, made->count, sizeof *m->items);
    return made->vertex != NULL && made->first != NULL && made->triangles != NULL &&
           m->keyed != NULL && m->balls != NULL && m->items != NULL;
}

abut__proxies* abut__proxies_make(const abut_context* context, abut__arena* arena,
                                  abut__wrapper* wrapper, uint32_t level) {
    abut__proxies* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = made->spheres.context = context;
    made->triangle_count = wrapper->mesh->alive_count;
    set_counts(made, level);
    maker m = {.made = made, .wrapper = wrapper, .mesh = wrapper->mesh};
    bool done = reserve(&m, arena);
    if (done) {
        list_triangles(&m);
        halve_triangles(&m);
        done = make_spheres(&m);
    }
    if (!done) {
        abut__proxies_free(made);
        return NULL;
    }
    return made;
}

void abut__proxies_free(abut__proxies* proxies) {
    if (proxies == NULL) {
        return;
    }
    const abut_context* context = proxies->context;
    abut__free(context, proxies->vertex, proxies->count, sizeof *proxies->vertex);
    abut__free(context, proxies->first, proxies->count + (size_t)1, sizeof *proxies->first);
    abut__free(context, proxies->triangles, proxies->triangle_count, sizeof *proxies->triangles);
    abut__spheres_free(&proxies->spheres);
    abut__free(context, proxies, 1, sizeof *proxies);
}
