// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Collects the geometry of a region: its triangles and the points that are in the other body.
#include <math.h>

#include "depth/depth.h"

bool abut__depths_sort(const abut_context* context, const abut__depth_side* side, uint32_t regions,
                       abut__uint32s* order_out, abut__uint32s* first_out) {
    const abut__depth_triangle* triangles = side->triangles.data;
    uint32_t* order = abut__renew(context, order_out, side->triangles.count);
    uint32_t* first = abut__renew(context, first_out, regions + (size_t)2);
    if ((order == NULL && side->triangles.count > 0) || first == NULL) {
        return false;
    }
    memset(first, 0, (regions + (size_t)2) * sizeof *first);
    for (size_t t = 0; t < side->triangles.count; ++t) {
        ++first[triangles[t].region + 2];
    }
    for (uint32_t r = 0; r < regions; ++r) {
        first[r + 2] += first[r + 1];
    }
    for (uint32_t t = 0; t < side->triangles.count; ++t) {
        order[first[triangles[t].region + 1]++] = t;
    }
    return true;
}

bool abut__depths_sort_pairs(abut_depth_result* depths, const uint32_t* group_of, size_t count,
                             uint32_t groups) {
    uint32_t* order = abut__renew(depths->context, &depths->pair_order, count);
    uint32_t* first = abut__renew(depths->context, &depths->pair_first, groups + (size_t)2);
    if ((order == NULL && count > 0) || first == NULL) {
        return false;
    }
    memset(first, 0, (groups + (size_t)2) * sizeof *first);
    for (size_t i = 0; i < count; ++i) {
        ++first[group_of[i] + 2];
    }
    for (uint32_t g = 0; g < groups; ++g) {
        first[g + 2] += first[g + 1];
    }
    for (size_t i = 0; i < count; ++i) {
        order[first[group_of[i] + 1]++] = (uint32_t)i;
    }
    return true;
}

static bool add_point(abut_depth_result* depths, int s, const double p[3]) {
    double(*place)[3] = abut__push(depths->context, &depths->overlap.points[s], 1);
    if (place != NULL) {
        memcpy(*place, p, sizeof *place);
    }
    return place != NULL;
}

// lists the vertices of the region, each once
static bool find_members(abut_depth_result* depths, uint32_t region, int s) {
    const abut__depth_side* side = &depths->regions.side[s];
    const uint32_t* first = depths->first[s].data;
    depths->members[s].count = 0;
    if (++depths->gathering == 0) {  // the number wraps after 2^32 regions
        depths->seen.count = 0;
        depths->gathering = 1;
    }
    if (!abut__extend(depths->context, &depths->seen, side->vertices.count)) {
        return false;
    }
    uint32_t* seen = depths->seen.data;
    for (uint32_t i = first[region]; i < first[region + 1]; ++i) {
        const abut__depth_triangle* t = &side->triangles.data[depths->order[s].data[i]];
        for (int c = 0; c < 3; ++c) {
            const uint32_t v = t->corner[c];
            if (seen[v] == depths->gathering) {
                continue;
            }
            seen[v] = depths->gathering;
            uint32_t* member = abut__push(depths->context, &depths->members[s], 1);
            if (member == NULL) {
                return false;
            }
            *member = v;
        }
    }
    return true;
}

static double greater_size(const double p[3], double most) {
    for (int d = 0; d < 3; ++d) {
        most = fabs(p[d]) > most ? fabs(p[d]) : most;
    }
    return most;
}

// adds the vertices of the region that are inside
static bool fill_side(abut_depth_result* depths, int s) {
    abut__overlap* o = &depths->overlap;
    const abut__depth_vertex* vertices = depths->regions.side[s].vertices.data;
    bool ok = true;
    o->points[s].count = 0;
    o->all[s] = false;
    o->size[s] = 0;
    for (size_t i = 0; i < depths->members[s].count && ok; ++i) {
        const abut__depth_vertex* v = &vertices[depths->members[s].data[i]];
        o->size[s] = greater_size(v->p, o->size[s]);
        ok = !v->inside || add_point(depths, s, v->p);
    }
    o->vertex_count[s] = o->points[s].count;
    return ok;
}

static bool fill_triangles(abut_depth_result* depths, uint32_t region, int s) {
    const abut__depth_side* side = &depths->regions.side[s];
    const uint32_t* first = depths->first[s].data + region;
    double(*out)[3][3] = abut__renew(depths->context, &depths->overlap.triangles[s],
                                     first[1] - first[0]);
    depths->overlap.has_normals[s] = false;
    for (uint32_t i = first[0]; i < first[1] && out != NULL; ++i, ++out) {
        const abut__depth_triangle* t = &side->triangles.data[depths->order[s].data[i]];
        for (int c = 0; c < 3; ++c) {
            memcpy((*out)[c], side->vertices.data[t->corner[c]].p, sizeof(*out)[c]);
        }
    }
    return out != NULL || first[0] == first[1];
}

// adds all of a body, in the world, because a piece of the other one is wholly inside it
static bool fill_all(abut_depth_result* depths, int s) {
    abut__overlap* o = &depths->overlap;
    const abut__body* body = depths->regions.side[s].body;
    const abut_mesh* mesh = body->shape->mesh;
    const abut__topology* topology = depths->regions.side[s].topology;
    if (o->all[s]) {
        o->points[s].count = o->vertex_count[s];  // drop the intersections of another region
        return true;
    }
    double(*p)[3] = abut__renew(depths->context, &depths->placed, mesh->vertex_count);
    double(*triangles)[3][3] = abut__renew(depths->context, &o->triangles[s], mesh->triangle_count);
    o->triangles[s].count = o->points[s].count = 0;
    o->has_normals[s] = false;
    o->size[s] = 0;
    bool ok = p != NULL && triangles != NULL;
    for (uint32_t v = 0; v < mesh->vertex_count && ok; ++v) {
        abut__body_vertex(body, v, 1, p[v]);
        abut__frame_apply(&body->frame, p[v]);
        if (topology->first[v] != topology->first[v + 1]) {
            o->size[s] = greater_size(p[v], o->size[s]);
            ok = add_point(depths, s, p[v]);
        }
    }
    for (uint32_t t = 0; t < mesh->triangle_count && ok; ++t) {
        const uint32_t* corners = mesh->triangles + 3 * (size_t)t;
        double(*place)[3] = triangles[o->triangles[s].count];
        for (int c = 0; c < 3 && abut__mesh_alive(mesh, t); ++c) {
            memcpy(place[c], p[corners[c]], sizeof place[c]);
        }
        o->triangles[s].count += abut__mesh_alive(mesh, t);
    }
    o->vertex_count[s] = o->points[s].count;
    o->all[s] = ok;
    return ok;
}

// adds a point of each piece of the region that is wholly inside
static bool fill_pieces(abut_depth_result* depths, uint32_t region, int s) {
    const abut__depth_side* side = &depths->regions.side[s];
    for (size_t i = 0; i < side->pieces.count; ++i) {
        const uint32_t vertex = side->topology->piece_vertex[i];
        if (side->pieces.data[i] != ABUT__PIECE_INSIDE) {
            continue;
        }
        const uint32_t triangle = side->topology->around[side->topology->first[vertex]];
        const uint32_t number = abut__depth_number(side, triangle);
        if (side->triangles.data[number].region != region) {
            continue;
        }
        abut__inside_piece* place = abut__push(depths->context, &depths->overlap.pieces, 1);
        if (place == NULL) {
            return false;
        }
        place->side = s;
        abut__body_vertex(side->body, vertex, 1, place->point);
        abut__frame_apply(&side->body->frame, place->point);
    }
    return true;
}

// adds the points where the surfaces intersect to both sides
static bool fill_crossings(abut_depth_result* depths, uint32_t region) {
    const abut_intersection* shared = abut__depths_shared(depths);
    size_t count;
    const uint32_t* pairs = abut__depths_pairs_of(depths, region, &count);
    bool ok = true;
    for (size_t i = 0; i < count && ok; ++i) {
        const abut_intersection* points = &shared[pairs[i]];
        for (uint32_t k = 0; k < points->count && ok; ++k) {
            ok = add_point(depths, 0, points->points[k]) && add_point(depths, 1, points->points[k]);
        }
    }
    return ok;
}

bool abut__depths_order(abut_depth_result* depths) {
    bool ok = true;
    for (int s = 0; s < 2 && ok; ++s) {
        ok = abut__depths_sort(depths->context, &depths->regions.side[s], depths->regions.count,
                               &depths->order[s], &depths->first[s]);
    }
    return ok;
}

// Whether a side of a region in which nothing touches is all of its body: what is wholly inside, if
// the body has one piece, and what is around it. The body's tree finds its extents.
static bool is_body(const abut_depth_result* depths, uint32_t region, int s) {
    const abut__overlap* o = &depths->overlap;
    size_t pairs;
    abut__depths_pairs_of(depths, region, &pairs);
    return pairs == 0 &&
           (abut__overlap_has_piece(o, 1 - s) ||
            (abut__overlap_has_piece(o, s) && depths->regions.side[s].topology->piece_count == 1));
}

// makes a side all of its body
static bool take_body(abut_depth_result* depths, int s) {
    abut__overlap* o = &depths->overlap;
    const abut__depth_side* side = &depths->regions.side[s];
    const abut_box box = abut__body_world_box(side->body, 1);
    const size_t count = abut__overlap_has_piece(o, s) ? side->vertices.count : 0;
    uint32_t* members = abut__renew(depths->context, &depths->members[s], count);
    for (uint32_t i = 0; i < count && members != NULL; ++i) {
        members[i] = i;
    }
    o->body[s] = side->body;
    o->points[s].count = o->vertex_count[s] = 0;
    o->size[s] = greater_size(box.lo, greater_size(box.hi, 0));
    return members != NULL || count == 0;
}

static bool fill_points(abut_depth_result* depths, uint32_t region, int s) {
    depths->overlap.body[s] = NULL;
    return find_members(depths, region, s) &&
           (abut__overlap_has_piece(&depths->overlap, 1 - s) ? fill_all(depths, s)
                                                             : fill_side(depths, s));
}

bool abut__depths_gather(abut_depth_result* depths, uint32_t region) {
    abut__overlap* o = &depths->overlap;
    o->pieces.count = 0;
    o->has_triangles = false;
    o->counters = depths->regions.counters;
    bool ok = fill_pieces(depths, region, 0) && fill_pieces(depths, region, 1);
    for (int s = 0; s < 2 && ok; ++s) {
        o->same[s] = o->all[s];
        ok = !o->all[s] && is_body(depths, region, s) ? take_body(depths, s)
                                                      : fill_points(depths, region, s);
        o->same[s] = o->same[s] && o->all[s];
    }
    ok = ok && fill_crossings(depths, region);
    for (int s = 0; s < 2 && ok; ++s) {
        ok = abut__overlap_prepare(o, s);
    }
    return ok;
}

bool abut__depths_gather_triangles(abut_depth_result* depths, uint32_t region) {
    abut__overlap* o = &depths->overlap;
    bool ok = true;
    for (int s = 0; s < 2 && ok && !o->has_triangles; ++s) {
        if (o->body[s] != NULL) {
            ok = fill_points(depths, region, s) && abut__overlap_prepare(o, s);
        }
        ok = ok && (o->all[s] || fill_triangles(depths, region, s)) &&
             abut__overlap_prepare_triangles(o, s);
    }
    o->has_triangles = ok;
    return ok;
}
