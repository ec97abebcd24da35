// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds regions: see regions.h.
//
// Vertices of triangles that touch are classified as inside the other body or not. Those that are
// joined by edges which touch nothing are on the same side, so one of them is classified. From the
// inside vertices a flood fill over triangles that touch nothing finds all that is inside: such a
// triangle does not intersect the other surface, so all of it is on one side. The work is
// proportional to the region, not to the mesh, except for tables that persist from call to call.
#include "depth/regions.h"

#include <math.h>

#include "exact/orient.h"
#include "exact/triangles.h"
#include "query/contains.h"

enum { BATCH = 64 };  // vertices that are read at once

// adds a vertex by its class if it is new, and returns its number
static bool add_vertex(abut__regions* r, int s, uint32_t id, bool inside, uint32_t* number) {
    abut__depth_side* side = &r->side[s];
    abut__depth_place* place = &side->vertex_place.data[id];
    if (place->stamp == r->stamp) {
        *number = place->number;
        return true;
    }
    abut__depth_vertex* v = abut__push(r->context, &side->vertices, 1);
    if (v == NULL) {
        return false;
    }
    *v = (abut__depth_vertex){.id = id, .inside = inside};
    abut__body_vertex(side->body, id, 1, v->p);
    abut__frame_apply(&side->body->frame, v->p);
    *number = (uint32_t)side->vertices.count - 1;
    *place = (abut__depth_place){r->stamp, *number};
    return true;
}

bool abut__regions_add(abut__regions* r, int s, uint32_t id, bool cut, bool inside,
                       uint32_t* number) {
    abut__depth_side* side = &r->side[s];
    const abut_mesh* mesh = side->body->shape->mesh;
    abut__depth_place* place = &side->triangle_place.data[id];
    if (place->stamp == r->stamp) {
        *number = place->number;
        return true;
    }
    abut__depth_triangle* t = abut__push(r->context, &side->triangles, 1);
    if (t == NULL) {
        return false;
    }
    *t = (abut__depth_triangle){.id = id, .cut = cut};
    *number = (uint32_t)side->triangles.count - 1;
    *place = (abut__depth_place){r->stamp, *number};
    for (uint32_t c = 0; c < 3; ++c) {
        uint32_t vertex;
        const uint32_t class = mesh->classes[mesh->triangles[3 * (size_t)id + c]];
        if (!add_vertex(r, s, class, inside, &vertex)) {
            return false;
        }
        side->triangles.data[*number].corner[c] = vertex;
    }
    return true;
}

// ---- sides of vertices

static void corners_of(const abut__depth_side* side, const abut__depth_triangle* t,
                       double out[3][3]) {
    for (int c = 0; c < 3; ++c) {
        memcpy(out[c], side->vertices.data[t->corner[c]].p, sizeof out[c]);
    }
}

// whether a segment whose ends are not on the same side of a triangle's plane meets the triangle
static bool meets(const double a[3], const double b[3], const double t[3][3]) {
    const int first = abut__orient3d(a, b, t[0], t[1]);
    const int second = abut__orient3d(a, b, t[1], t[2]);
    const int third = abut__orient3d(a, b, t[2], t[0]);
    return (first >= 0 && second >= 0 && third >= 0) || (first <= 0 && second <= 0 && third <= 0);
}

// adds the point where an edge meets the plane through `origin` with `normal`: computed in plain
// doubles, and on the edge
static void add_crossing(const double a[3], const double b[3], const double origin[3],
                         const double normal[3], abut_intersection* shared) {
    double height[2] = {0, 0};
    for (int d = 0; d < 3; ++d) {
        height[0] += normal[d] * (a[d] - origin[d]);
        height[1] += normal[d] * (b[d] - origin[d]);
    }
    const double whole = fabs(height[0]) + fabs(height[1]);
    const double part = whole > 0 ? fabs(height[0]) / whole : 0.5;
    for (int d = 0; d < 3; ++d) {
        shared->points[shared->count][d] = a[d] + part * (b[d] - a[d]);
    }
    ++shared->count;
}

// Marks the edges of a triangle that touch another one, or may: their vertices are classified
// separately.
static void note_crossings(abut__depth_triangle* t, const double corners[3][3],
                           const double other[3][3], abut_intersection* shared) {
    int sides[3];
    double normal[3];
    for (int c = 0; c < 3; ++c) {
        const int e = (c + 1) % 3;
        const int f = (c + 2) % 3;
        sides[c] = abut__orient3d(other[0], other[1], other[2], corners[c]);
        normal[c] = (other[1][e] - other[0][e]) * (other[2][f] - other[0][f]) -
                    (other[1][f] - other[0][f]) * (other[2][e] - other[0][e]);
    }
    for (int c = 0; c < 3; ++c) {
        const int next = (c + 1) % 3;
        if (sides[c] * sides[next] <= 0 && !(sides[c] == 0 && sides[next] == 0)) {
            if (meets(corners[c], corners[next], other)) {
                t->crossed |= (uint8_t)(1u << c);
                add_crossing(corners[c], corners[next], other[0], normal, shared);
            }
        } else if (sides[c] == 0) {
            t->crossed |= (uint8_t)(1u << c);  // in the plane: may touch, a test does not pay
        }
    }
}

// `b`: the side of the second triangles
static bool note_all_crossings(abut__regions* r, const abut_pair* pairs, size_t count, int b) {
    abut_intersection* shared = abut__renew(r->context, &r->shared, count);
    for (size_t i = 0; i < count && shared != NULL; ++i) {
        const abut__depth_side* side[2] = {&r->side[0], &r->side[b]};
        const uint32_t id[2] = {pairs[i].triangle_a, pairs[i].triangle_b};
        abut__depth_triangle* t[2];
        double corners[2][3][3];
        for (int k = 0; k < 2; ++k) {
            t[k] = side[k]->triangles.data + abut__depth_number(side[k], id[k]);
            corners_of(side[k], t[k], corners[k]);
        }
        const double(*p)[3] = (const double(*)[3])corners[0];
        const double(*q)[3] = (const double(*)[3])corners[1];
        shared[i].count = 0;
        note_crossings(t[0], p, q, &shared[i]);
        note_crossings(t[1], q, p, &shared[i]);
        if (shared[i].count == 0) {  // coplanar, or separated by rounding to the world
            abut__triangles_intersection(p, q, &shared[i]);
        }
        if (shared[i].count == 0) {
            memcpy(shared[i].points[0], corners[0][0], sizeof shared[i].points[0]);
            shared[i].count = 1;
        }
    }
    return shared != NULL;
}

// joins vertices by edges that touch nothing; NULL: no memory
static uint32_t* join_vertices(abut__regions* r, int s) {
    const abut__depth_side* side = &r->side[s];
    const size_t count = side->vertices.count;
    if (!abut__reserve(r->context, &r->parent, count)) {
        return NULL;
    }
    uint32_t* parent = r->parent.data;
    for (uint32_t v = 0; v < count; ++v) {
        parent[v] = v;
    }
    for (size_t t = 0; t < side->triangles.count; ++t) {
        const abut__depth_triangle* triangle = &side->triangles.data[t];
        for (int c = 0; c < 3; ++c) {
            if ((triangle->crossed >> c & 1u) == 0) {
                abut__unite(parent, triangle->corner[c], triangle->corner[(c + 1) % 3]);
            }
        }
    }
    return parent;
}

// Whether the surface at a vertex is inside its own body, by a triangle at it that has an area.
// Sets r->outward.
static bool is_inside_self(abut__regions* r, const abut__depth_vertex* v) {
    const abut__body* body = r->side[0].body;
    const abut_mesh* mesh = body->shape->mesh;
    const abut__topology* topology = r->side[0].topology;
    abut_side side = ABUT_SIDE_UNDEFINED;
    for (uint32_t k = topology->first[v->id];
         k < topology->first[v->id + 1] && side == ABUT_SIDE_UNDEFINED; ++k) {
        const uint32_t* t = mesh->triangles + 3 * (size_t)topology->around[k];
        const int at = mesh->classes[t[0]] == v->id ? 0 : mesh->classes[t[1]] == v->id ? 1 : 2;
        double corners[3][3];
        int32_t winding;
        for (int c = 0; c < 3; ++c) {
            abut__body_vertex(body, mesh->classes[t[(at + c) % 3]], 1, corners[c]);
            abut__frame_apply(&body->frame, corners[c]);
        }
        side = abut__side_beside(body, topology->around[k], (const double(*)[3])corners, &winding,
                                 r->counters);
        r->outward = winding < 0 ? -1 : 1;
    }
    return side == ABUT_SIDE_INSIDE;
}

static bool is_inside(abut__regions* r, int s, const abut__depth_vertex* v) {
    int32_t winding;
    return r->within ? is_inside_self(r, v)
                     : abut__side_of(r->side[1 - s].body, v->p, &winding, r->counters) !=
                           ABUT_SIDE_OUTSIDE;
}

static bool classify_vertices(abut__regions* r, int s) {
    uint32_t* parent = join_vertices(r, s);
    abut__depth_vertex* vertices = r->side[s].vertices.data;
    // the lowest number of a set is its root, so it is classified first
    for (uint32_t v = 0; v < r->side[s].vertices.count && parent != NULL; ++v) {
        const uint32_t root = abut__root_of(parent, v);
        vertices[v].inside = root == v ? is_inside(r, s, &vertices[v]) : vertices[root].inside;
    }
    return parent != NULL;
}

// adds all triangles around inside vertices; the vertices this adds are inside, too
static bool grow_inside(abut__regions* r, int s) {
    abut__depth_side* side = &r->side[s];
    const abut__topology* topology = side->topology;
    for (uint32_t v = 0; v < side->vertices.count; ++v) {
        const abut__depth_vertex vertex = side->vertices.data[v];
        if (!vertex.inside) {
            continue;
        }
        for (uint32_t k = topology->first[vertex.id]; k < topology->first[vertex.id + 1]; ++k) {
            uint32_t number;
            // triangles that touch are all in the list already
            if (!abut__regions_add(r, s, topology->around[k], false, true, &number)) {
                return false;
            }
        }
    }
    return true;
}

static bool add_pairs(abut__regions* r, const abut_pair* pairs, size_t count, int b) {
    for (size_t i = 0; i < count; ++i) {
        uint32_t number;
        if (!abut__regions_add(r, 0, pairs[i].triangle_a, true, false, &number) ||
            !abut__regions_add(r, b, pairs[i].triangle_b, true, false, &number)) {
            return false;
        }
    }
    return true;
}

// ---- pieces

// Lists which pieces touch something.
static abut__depth_piece* note_touching(abut__regions* r, int s) {
    abut__depth_side* side = &r->side[s];
    const abut__topology* topology = side->topology;
    abut__depth_piece* pieces = abut__push(r->context, &side->pieces, topology->piece_count);
    for (uint32_t i = 0; i < topology->piece_count && pieces != NULL; ++i) {
        pieces[i] = ABUT__PIECE_OUTSIDE;
    }
    for (size_t v = 0; v < side->vertices.count && pieces != NULL; ++v) {
        pieces[topology->piece_of[side->vertices.data[v].id]] = ABUT__PIECE_TOUCHES;
    }
    return pieces;
}

// Whether a piece that touches nothing is inside the other body.
static bool is_piece_inside(const abut__regions* r, int s, uint32_t piece) {
    const abut__depth_side* side = &r->side[s];
    double p[3];
    int32_t winding;
    abut__body_vertex(side->body, side->topology->piece_vertex[piece], 1, p);
    abut__frame_apply(&side->body->frame, p);
    return abut__side_of(r->side[1 - s].body, p, &winding, r->counters) != ABUT_SIDE_OUTSIDE;
}

// Adds a vertex of each piece of one body that touches nothing and is inside the other. Must
// precede grow_inside(), so that the list has only triangles that touch.
static bool add_pieces(abut__regions* r, int s) {
    abut__depth_side* side = &r->side[s];
    const abut__topology* topology = side->topology;
    side->pieces.count = 0;
    // a body in one piece that touches something has no other piece
    if (topology->piece_count == 0 || (topology->piece_count == 1 && side->vertices.count > 0)) {
        return true;
    }
    abut__depth_piece* pieces = note_touching(r, s);
    bool ok = pieces != NULL;
    for (uint32_t i = 0; i < topology->piece_count && ok; ++i) {
        uint32_t number;
        if (pieces[i] != ABUT__PIECE_TOUCHES && is_piece_inside(r, s, i)) {
            pieces[i] = ABUT__PIECE_INSIDE;
            ok = add_vertex(r, s, topology->piece_vertex[i], true, &number);
        }
    }
    return ok;
}

// Marks the triangles of pieces that are wholly inside, after grow_inside().
static void mark_pieces(abut__regions* r, int s) {
    const abut__depth_side* side = &r->side[s];
    abut__depth_triangle* t = side->triangles.data;
    for (size_t i = 0; i < side->triangles.count && side->pieces.count > 0; ++i) {
        const uint32_t class = side->vertices.data[t[i].corner[0]].id;
        t[i].piece_inside = side->pieces.data[side->topology->piece_of[class]] ==
                            ABUT__PIECE_INSIDE;
    }
}

// ---- numbering

static void join_sides(const abut__regions* r, uint32_t* parent) {
    for (int s = 0; s < 2; ++s) {
        const abut__depth_side* side = &r->side[s];
        const uint32_t first = s == 0 ? 0 : (uint32_t)r->side[0].triangles.count;
        uint32_t* at = r->stack.data;  // the first triangle of each inside vertex
        for (size_t v = 0; v < side->vertices.count; ++v) {
            at[v] = UINT32_MAX;
        }
        for (uint32_t t = 0; t < side->triangles.count; ++t) {
            for (int c = 0; c < 3; ++c) {
                const uint32_t v = side->triangles.data[t].corner[c];
                if (!side->vertices.data[v].inside) {
                    continue;
                }
                if (at[v] == UINT32_MAX) {
                    at[v] = t;
                } else {
                    abut__unite(parent, first + t, first + at[v]);
                }
            }
        }
    }
}

// numbers regions in the order of their first triangle of a, which is that of their first pair
static void number_regions(abut__regions* r, uint32_t* parent, bool together) {
    const uint32_t first_b = (uint32_t)r->side[0].triangles.count;
    const uint32_t count = first_b + (uint32_t)r->side[1].triangles.count;
    uint32_t* number = r->stack.data;
    r->count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t root = abut__root_of(parent, i);
        if (root == i) {
            number[i] = together ? 0 : r->count;
            r->count = together ? 1 : r->count + 1;
        }
        abut__depth_side* side = &r->side[i < first_b ? 0 : 1];
        side->triangles.data[i < first_b ? i : i - first_b].region = number[root];
    }
}

// Makes each triangle a set by itself, and reserves memory for the numbering; NULL: no memory.
static uint32_t* init_union_find(abut__regions* r) {
    const size_t triangles = r->side[0].triangles.count + r->side[1].triangles.count;
    const size_t vertices = r->side[0].vertices.count + r->side[1].vertices.count;
    const size_t most = (triangles > vertices ? triangles : vertices) + 1;
    r->parent.count = r->stack.count = 0;
    if (!abut__reserve(r->context, &r->parent, most) ||
        !abut__reserve(r->context, &r->stack, most)) {
        return NULL;
    }
    uint32_t* parent = r->parent.data;
    for (uint32_t i = 0; i < triangles; ++i) {
        parent[i] = i;
    }
    return parent;
}

static abut_status number_all(abut__regions* r, const abut_pair* pairs, size_t count,
                              bool together) {
    uint32_t* parent = init_union_find(r);
    r->pair_of.count = 0;
    if (parent == NULL || !abut__reserve(r->context, &r->pair_of, count)) {
        return ABUT_ERR_NO_MEMORY;
    }
    const uint32_t first_b = (uint32_t)r->side[0].triangles.count;
    join_sides(r, parent);
    for (size_t i = 0; i < count; ++i) {
        abut__unite(parent, abut__depth_number(&r->side[0], pairs[i].triangle_a),
                    first_b + abut__depth_number(&r->side[1], pairs[i].triangle_b));
    }
    number_regions(r, parent, together);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t t = abut__depth_number(&r->side[0], pairs[i].triangle_a);
        r->pair_of.data[i] = r->side[0].triangles.data[t].region;
    }
    r->pair_of.count = count;
    return ABUT_OK;
}

// Whether the same pieces are wholly inside as in the last search. Nothing may touch, then or now.
static bool are_pieces_same(const abut__regions* r) {
    bool same = true;
    for (int s = 0; s < 2; ++s) {
        const abut__depth_side* side = &r->side[s];
        for (uint32_t i = 0; i < side->pieces.count && same; ++i) {
            same = is_piece_inside(r, s, i) == (side->pieces.data[i] == ABUT__PIECE_INSIDE);
        }
    }
    return same;
}

// Reads the positions of a side's vertices again.
static void update_vertices(const abut__depth_side* side) {
    const abut__body* body = side->body;
    for (size_t begin = 0; begin < side->vertices.count; begin += BATCH) {
        const size_t left = side->vertices.count - begin;
        const uint32_t count = left < BATCH ? (uint32_t)left : BATCH;
        abut__depth_vertex* v = side->vertices.data + begin;
        uint32_t ids[BATCH];
        double xyz[3][BATCH];
        double* const rows[3] = {xyz[0], xyz[1], xyz[2]};
        for (uint32_t i = 0; i < count; ++i) {
            ids[i] = v[i].id;
        }
        body->shape->motion->vertices(body->shape, abut__body_state(body, 1), ids, count, rows);
        for (uint32_t i = 0; i < count; ++i) {
            const double p[3] = {xyz[0][i], xyz[1][i], xyz[2][i]};
            memcpy(v[i].p, p, sizeof p);
            abut__frame_apply(&body->frame, v[i].p);
        }
    }
}

static abut_status find_topologies(abut__regions* r) {
    for (int s = 0; s < 2; ++s) {
        r->side[s].topology = abut__shape_topology(r->side[s].body->shape);
    }
    return r->side[0].topology != NULL && r->side[1].topology != NULL ? ABUT_OK
                                                                      : ABUT_ERR_NO_MEMORY;
}

abut_status abut__regions_begin(abut__regions* r) {
    r->alone = r->kept = false;
    if (find_topologies(r) != ABUT_OK) {
        return ABUT_ERR_NO_MEMORY;
    }
    // stamps wrap after 2^32 calls
    if (++r->stamp == 0) {
        for (int s = 0; s < 2; ++s) {
            r->side[s].triangle_place.count = r->side[s].vertex_place.count = 0;
        }
        r->stamp = 1;
    }
    for (int s = 0; s < 2; ++s) {
        abut__depth_side* side = &r->side[s];
        const abut_mesh* mesh = side->body->shape->mesh;
        side->triangles.count = side->vertices.count = side->pieces.count = 0;
        if (!abut__extend(r->context, &side->triangle_place, mesh->triangle_count) ||
            !abut__extend(r->context, &side->vertex_place, mesh->vertex_count)) {
            return ABUT_ERR_NO_MEMORY;
        }
    }
    return ABUT_OK;
}

// a region without pairs is one of pieces that are wholly inside
static abut_status set_kinds(const abut__regions* r, abut__region_kinds* kinds) {
    abut_region_kind* kind = abut__renew(r->context, kinds, r->count);
    if (kind == NULL) {
        return r->count == 0 ? ABUT_OK : ABUT_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < r->count; ++i) {
        kind[i] = ABUT_REGION_CONTACT;
    }
    for (int s = 1; s >= 0; --s) {
        const abut__depth_triangle* t = r->side[s].triangles.data;
        for (size_t i = 0; i < r->side[s].triangles.count; ++i) {
            if (t[i].piece_inside) {
                kind[t[i].region] = s == 0 ? ABUT_REGION_INSIDE_B : ABUT_REGION_INSIDE_A;
            }
        }
    }
    for (size_t i = 0; i < r->pair_of.count; ++i) {
        kind[r->pair_of.data[i]] = ABUT_REGION_CONTACT;
    }
    return ABUT_OK;
}

abut_status abut__regions_find(abut__regions* r, const abut_pair* pairs, size_t count,
                               bool together, abut__region_kinds* kinds) {
    if (r->alone && count == 0 && together == r->together && find_topologies(r) == ABUT_OK &&
        are_pieces_same(r)) {
        update_vertices(&r->side[0]);
        update_vertices(&r->side[1]);
        r->kept = true;
        return ABUT_OK;
    }
    abut_status status = abut__regions_begin(r);
    if (status != ABUT_OK) {
        return status;
    }
    if (count > 0 && (!add_pairs(r, pairs, count, 1) || !note_all_crossings(r, pairs, count, 1))) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (int s = 0; s < 2; ++s) {
        if ((count > 0 && !classify_vertices(r, s)) || !add_pieces(r, s) || !grow_inside(r, s)) {
            return ABUT_ERR_NO_MEMORY;
        }
        mark_pieces(r, s);
    }
    status = number_all(r, pairs, count, together);
    status = status == ABUT_OK ? set_kinds(r, kinds) : status;
    r->alone = status == ABUT_OK && count == 0;
    r->together = together;
    return status;
}

// ---- within one body

// Shares the marks of edges that touch something with the neighbours across them. The edge is
// theirs, too, though the query may have skipped them as neighbours of what touches it. With
// `parent` joins the triangles as well.
static void share_crossings(abut__regions* r, uint32_t number, uint32_t* parent) {
    abut__depth_side* side = &r->side[0];
    const abut__topology* topology = side->topology;
    abut__depth_triangle* all = side->triangles.data;
    for (uint32_t c = 0; c < 3; ++c) {
        const uint32_t from = all[number].corner[c];
        const uint32_t to = all[number].corner[(c + 1) % 3];
        const uint32_t vertex = side->vertices.data[from].id;
        for (uint32_t k = topology->first[vertex];
             k < topology->first[vertex + 1] && (all[number].crossed >> c & 1u) != 0; ++k) {
            const abut__depth_place* place = &side->triangle_place.data[topology->around[k]];
            for (uint32_t e = 0; e < 3 && place->stamp == r->stamp; ++e) {
                abut__depth_triangle* other = &all[place->number];
                const uint32_t ends[2] = {other->corner[e], other->corner[(e + 1) % 3]};
                if ((ends[0] != from || ends[1] != to) && (ends[0] != to || ends[1] != from)) {
                    continue;
                }
                other->crossed |= (uint8_t)(1u << e);
                if (parent != NULL) {
                    abut__unite(parent, number, place->number);
                }
            }
        }
    }
}

abut_status abut__patches_find(abut__regions* r, const abut_pair* pairs, size_t count) {
    const abut_status status = abut__regions_begin(r);
    r->count = 0;
    if (status != ABUT_OK || count == 0) {
        return status;
    }
    if (!add_pairs(r, pairs, count, 0) || !note_all_crossings(r, pairs, count, 0)) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (uint32_t t = 0; t < r->side[0].triangles.count; ++t) {
        share_crossings(r, t, NULL);
    }
    if (!classify_vertices(r, 0) || !grow_inside(r, 0)) {
        return ABUT_ERR_NO_MEMORY;
    }
    uint32_t* parent = init_union_find(r);
    if (parent == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    join_sides(r, parent);
    for (uint32_t t = 0; t < r->side[0].triangles.count; ++t) {
        share_crossings(r, t, parent);
    }
    number_regions(r, parent, false);
    return ABUT_OK;
}

void abut__regions_free(abut__regions* r) {
    for (int s = 0; s < 2; ++s) {
        abut__depth_side* side = &r->side[s];
        abut__drop(r->context, &side->triangle_place);
        abut__drop(r->context, &side->vertex_place);
        abut__drop(r->context, &side->pieces);
        abut__drop(r->context, &side->triangles);
        abut__drop(r->context, &side->vertices);
    }
    abut__drop(r->context, &r->parent);
    abut__drop(r->context, &r->stack);
    abut__drop(r->context, &r->pair_of);
    abut__drop(r->context, &r->shared);
}
