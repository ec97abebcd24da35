// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Matches regions with those of the last call, so that they keep their ids and their separating
// translations. A region continues the one of the last call that it shares the most triangles with.
// If a region has split, its larger part continues it.
#include <math.h>

#include "depth/depth.h"

// drops the records if the last call was about other bodies or shapes
void abut__depths_check_bodies(abut_depth_result* depths, abut_body_id a, abut_body_id b) {
    const abut_body_id ids[2] = {a, b};
    for (int s = 0; s < 2; ++s) {
        const uint64_t serial = abut__body_given(depths->regions.side[s].body)->serial;
        if (memcmp(&ids[s], &depths->last_body[s], sizeof ids[s]) != 0 ||
            serial != depths->last_shape[s]) {
            depths->last_stamp = 0;
            depths->past_regions.count = 0;
            depths->regions.alone = false;
        }
        depths->last_body[s] = ids[s];
        depths->last_shape[s] = serial;
    }
}

// returns the group of a triangle in the last call; ABUT__NONE: it was in none
static uint32_t past_group_of(const abut_depth_result* depths, int s, uint32_t triangle) {
    const abut__depth_place* places = depths->last_group[s].data;
    return triangle < depths->last_group[s].count && places[triangle].stamp == depths->last_stamp
               ? places[triangle].number
               : ABUT__NONE;
}

// returns where a vertex was in the last call; NULL: it was in no group
static const double* past_point_of(const abut_depth_result* depths, int s, uint32_t vertex) {
    const abut__depth_place* places = depths->last_vertex[s].data;
    return vertex < depths->last_vertex[s].count && places[vertex].stamp == depths->last_stamp
               ? depths->last_points[s].data[places[vertex].number]
               : NULL;
}

// counts the triangles of one group by their last groups, or (`again`) resets the counts
static void vote(abut_depth_result* depths, const abut__depth_side* side, int s,
                 const uint32_t* numbers, uint32_t count, bool again, abut__group_match* best) {
    uint32_t* votes = depths->votes.data;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t group = past_group_of(depths, s, side->triangles.data[numbers[i]].id);
        if (group == ABUT__NONE) {
            continue;
        }
        votes[group] = again ? 0 : votes[group] + 1;
        if (votes[group] > best->votes) {
            *best = (abut__group_match){group, votes[group]};
        }
    }
}

bool abut__depths_match(abut_depth_result* depths, const abut__regions* groups,
                        const abut__uint32s order[2], const abut__uint32s first[2]) {
    const uint32_t last = depths->last_stamp != 0 ? depths->last_group_count : 0;
    abut__group_match* matches = abut__renew(depths->context, &depths->matches, groups->count);
    uint32_t* votes = abut__renew(depths->context, &depths->votes, last);
    if ((matches == NULL && groups->count > 0) || (votes == NULL && last > 0)) {
        return false;
    }
    for (uint32_t i = 0; i < last; ++i) {
        votes[i] = 0;
    }
    for (uint32_t g = 0; g < groups->count; ++g) {
        matches[g] = last > 0 && groups->kept ? (abut__group_match){g, 1}
                                              : (abut__group_match){ABUT__NONE, 0};
        for (int k = 0; k < 4 && last > 0 && !groups->kept;
             ++k) {  // both sides, then both to reset
            const int s = k % 2;
            const uint32_t* begin = first[s].data;
            if (groups->side[s].triangles.count > 0) {
                vote(depths, &groups->side[s], s, order[s].data + begin[g], begin[g + 1] - begin[g],
                     k >= 2, &matches[g]);
            }
        }
    }
    return true;
}

abut__past_region* abut__depths_past_region(abut_depth_result* depths, uint32_t region) {
    const abut__group_match* matches = depths->matches.data;
    abut__past_region* past_regions = depths->past_regions.data;
    const uint32_t group = matches[region].group;
    bool best = group != ABUT__NONE;
    for (size_t r = 0; r < depths->matches.count && best; ++r) {
        best = matches[r].group != group || matches[r].votes < matches[region].votes ||
               (matches[r].votes == matches[region].votes && r >= region);
    }
    for (size_t i = 0; i < depths->past_regions.count && best; ++i) {
        if (past_regions[i].group[0] == group) {
            return &past_regions[i];
        }
    }
    return NULL;
}

// Displacements of the vertices of one side of a region since the last call: their sum, their
// number, and the greatest difference of one from `common`.
typedef struct steps {
    double common[3];
    double sum[3];
    uint32_t count;
    double longest;
} steps;

static void add_step(steps* all, const double from[3], const double to[3]) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double step = to[d] - from[d];
        all->sum[d] += step;
        square += (step - all->common[d]) * (step - all->common[d]);
    }
    ++all->count;
    all->longest = square > all->longest * all->longest ? sqrt(square) : all->longest;
}

// returns the position of one of the sample vertices, which are spread over the body
static void sample_of(const abut__body* body, uint32_t number, double out[3]) {
    const uint64_t vertices = body->shape->mesh->vertex_count;
    abut__body_vertex(body, (uint32_t)(number * vertices / ABUT__DEPTH_SAMPLES), 1, out);
    abut__frame_apply(&body->frame, out);
}

static steps steps_of(const abut_depth_result* depths, int s, const double common[3]) {
    const abut__depth_side* side = &depths->regions.side[s];
    const uint32_t* members = depths->members[s].data;
    steps all = {{common[0], common[1], common[2]}, {0, 0, 0}, 0, 0};
    for (size_t i = 0; i < depths->members[s].count && depths->last_stamp != 0; ++i) {
        const abut__depth_vertex* v = &side->vertices.data[members[i]];
        const double* past = past_point_of(depths, depths->regions.within ? 0 : s, v->id);
        if (past != NULL) {
            add_step(&all, past, v->p);
        }
    }
    const bool none = all.count == 0;
    for (uint32_t k = 0; k < ABUT__DEPTH_SAMPLES && none; ++k) {
        double now[3];
        sample_of(side->body, k, now);
        add_step(&all, depths->last_sample[s][k], now);
    }
    return all;
}

double abut__depths_motion(const abut_depth_result* depths) {
    double common[3] = {0, 0, 0};
    const steps a = steps_of(depths, 0, common);
    const steps b = steps_of(depths, 1, common);
    for (int d = 0; d < 3; ++d) {
        common[d] = 0.5 * (a.sum[d] / a.count + b.sum[d] / b.count);
    }
    // subtracting the mean can also increase the maximum, if bodies rotate
    return fmin(a.longest + b.longest,
                steps_of(depths, 0, common).longest + steps_of(depths, 1, common).longest);
}

static bool record_side(abut_depth_result* depths, const abut__regions* groups, int s) {
    const abut__depth_side* side = &groups->side[s];
    if (depths->last_stamp == depths->record_stamp) {  // the same triangles and vertices
        for (size_t i = 0; i < side->vertices.count; ++i) {
            memcpy(depths->last_points[s].data[i], side->vertices.data[i].p, 3 * sizeof(double));
        }
        return true;
    }
    const abut_mesh* mesh = side->body->shape->mesh;
    if (!abut__extend(depths->context, &depths->last_group[s], mesh->triangle_count) ||
        !abut__extend(depths->context, &depths->last_vertex[s], mesh->vertex_count)) {
        return false;
    }
    const abut__depth_triangle* t = side->triangles.data;
    for (size_t i = 0; i < side->triangles.count; ++i) {
        depths->last_group[s].data[t[i].id] = (abut__depth_place){depths->record_stamp,
                                                                  t[i].region};
    }
    const abut__depth_vertex* v = side->vertices.data;
    double(*points)[3] = abut__renew(depths->context, &depths->last_points[s],
                                     side->vertices.count);
    for (uint32_t i = 0; i < side->vertices.count && points != NULL; ++i) {
        depths->last_vertex[s].data[v[i].id] = (abut__depth_place){depths->record_stamp, i};
        memcpy(points[i], v[i].p, sizeof points[i]);
    }
    return points != NULL || side->vertices.count == 0;
}

bool abut__depths_record(abut_depth_result* depths, const abut__regions* groups) {
    const bool kept = groups->kept && depths->last_stamp != 0;
    if (!kept && ++depths->record_stamp == 0) {  // the stamp wraps after 2^32 calls
        for (int s = 0; s < 2; ++s) {
            depths->last_group[s].count = depths->last_vertex[s].count = 0;
        }
        depths->record_stamp = 1;
    }
    abut__past_region* past_regions = abut__renew(depths->context, &depths->past_regions,
                                                  depths->found.count);
    if ((past_regions == NULL && depths->found.count > 0) || !record_side(depths, groups, 0) ||
        !record_side(depths, groups, 1)) {
        return false;
    }
    const abut_region* found = depths->found.data;
    const abut__patch_pair* patch_pairs = depths->patch_pairs.data;
    for (uint32_t r = 0; r < depths->found.count; ++r) {
        past_regions[r] = (abut__past_region){.id = found[r].id, .depth = found[r].depth};
        past_regions[r].interlocked = found[r].interlocked;
        past_regions[r].group[0] = groups->within ? patch_pairs[r].patch[0] : r;
        past_regions[r].group[1] = groups->within ? patch_pairs[r].patch[1] : r;
        past_regions[r].by_width = depths->by_width.data[r];
        memcpy(past_regions[r].direction, found[r].direction, sizeof found[r].direction);
    }
    for (uint32_t k = 0; k < 2 * ABUT__DEPTH_SAMPLES && groups->count > 0; ++k) {
        sample_of(groups->side[k % 2].body, k / 2, depths->last_sample[k % 2][k / 2]);
    }
    depths->last_stamp = depths->record_stamp;
    depths->last_group_count = groups->count;
    return true;
}
