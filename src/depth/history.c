// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What goes on from call to call: regions keep their ids, and their ways out. A region goes on from the one of the last call
// that it has most triangles in common with; if it fell apart, the larger part does.
#include <math.h>

#include "depth/depth.h"

// forgets everything if the bodies are others than in the last call
void abut__depths_recall(abut_depths* depths, abut_body_id a, abut_body_id b) {
    const abut_body_id ids[2] = {a, b};
    for (int s = 0; s < 2; ++s) {
        const uint64_t serial = depths->regions.side[s].body->shape->serial;
        if (memcmp(&ids[s], &depths->last_body[s], sizeof ids[s]) != 0 ||
            serial != depths->last_shape[s]) {
            depths->last_stamp = 0;
            depths->memories.count = 0;
        }
        depths->last_body[s] = ids[s];
        depths->last_shape[s] = serial;
    }
}

// a triangle as it was in the last call; NULL: it was in no group
static const abut__depth_trace* trace_of(const abut_depths* depths, int s, uint32_t triangle) {
    const abut__depth_place* places = depths->last_place[s].data;
    return depths->last_stamp != 0 && triangle < depths->last_place[s].count &&
                   places[triangle].stamp == depths->last_stamp
               ? depths->last_triangle[s].data + places[triangle].number
               : NULL;
}

// counts the triangles of one group, or takes them out again
static void vote(abut_depths* depths, const abut__depth_side* side, int s, const uint32_t* numbers,
                 uint32_t count, bool again, abut__depth_claim* best) {
    uint32_t* votes = depths->votes.data;
    for (uint32_t i = 0; i < count; ++i) {
        const abut__depth_trace* trace = trace_of(depths, s, side->triangles.data[numbers[i]].id);
        if (trace == NULL) {
            continue;
        }
        const uint32_t group = trace->group;
        votes[group] = again ? 0 : votes[group] + 1;
        if (votes[group] > best->votes) {
            *best = (abut__depth_claim){group, votes[group]};
        }
    }
}

bool abut__depths_match(abut_depths* depths, const abut__regions* groups,
                        const abut__uint32s order[2], const abut__uint32s first[2]) {
    const uint32_t last = depths->last_stamp != 0 ? depths->last_group_count : 0;
    abut__depth_claim* claims = abut__renew(depths->context, &depths->claims, groups->count);
    uint32_t* votes = abut__renew(depths->context, &depths->votes, last);
    if ((claims == NULL && groups->count > 0) || (votes == NULL && last > 0)) {
        return false;
    }
    for (uint32_t i = 0; i < last; ++i) {
        votes[i] = 0;
    }
    for (uint32_t g = 0; g < groups->count; ++g) {
        claims[g] = (abut__depth_claim){ABUT__NONE, 0};
        for (int k = 0; k < 4 && last > 0; ++k) {  // both sides, then again
            const int s = k % 2;
            const uint32_t* begin = first[s].data;
            if (groups->side[s].triangles.count > 0) {
                vote(depths, &groups->side[s], s, order[s].data + begin[g], begin[g + 1] - begin[g],
                     k >= 2, &claims[g]);
            }
        }
    }
    return true;
}

abut__depth_memory* abut__depths_remembered(abut_depths* depths, uint32_t region) {
    const abut__depth_claim* claims = depths->claims.data;
    abut__depth_memory* memories = depths->memories.data;
    const uint32_t group = claims[region].group;
    bool best = group != ABUT__NONE;
    for (size_t r = 0; r < depths->claims.count && best; ++r) {
        best = claims[r].group != group || claims[r].votes < claims[region].votes ||
               (claims[r].votes == claims[region].votes && r >= region);
    }
    for (size_t i = 0; i < depths->memories.count && best; ++i) {
        if (memories[i].group[0] == group) {
            return &memories[i];
        }
    }
    return NULL;
}

// Of the corners of one side of a region: the sum of their steps and their number, and how much the longest step
// differs from `common`.
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

// a vertex of a body, one of those that are spread over it
static void mark_of(const abut__body* body, uint32_t number, double out[3]) {
    const uint64_t vertices = body->shape->mesh->vertex_count;
    abut__body_vertex(body, (uint32_t)(number * vertices / ABUT__DEPTH_MARKS), 1, out);
    abut__frame_apply(&body->frame, out);
}

static steps steps_of(const abut_depths* depths, uint32_t region, int s, const double common[3]) {
    const abut__depth_side* side = &depths->regions.side[s];
    const uint32_t* first = depths->first[s].data;
    steps all = {{common[0], common[1], common[2]}, {0, 0, 0}, 0, 0};
    for (uint32_t i = first[region]; i < first[region + 1]; ++i) {
        const abut__depth_triangle* t = &side->triangles.data[depths->order[s].data[i]];
        const abut__depth_trace* trace = trace_of(depths, depths->regions.within ? 0 : s, t->id);
        for (int c = 0; c < 3 && trace != NULL; ++c) {
            add_step(&all, trace->corner[c], side->vertices.data[t->corner[c]].p);
        }
    }
    const bool none = all.count == 0;
    for (uint32_t k = 0; k < ABUT__DEPTH_MARKS && none; ++k) {
        double now[3];
        mark_of(side->body, k, now);
        add_step(&all, depths->last_mark[s][k], now);
    }
    return all;
}

double abut__depths_motion(const abut_depths* depths, uint32_t region) {
    double common[3] = {0, 0, 0};
    const steps a = steps_of(depths, region, 0, common);
    const steps b = steps_of(depths, region, 1, common);
    for (int d = 0; d < 3; ++d) {
        common[d] = 0.5 * (a.sum[d] / a.count + b.sum[d] / b.count);
    }
    // what is taken off may also lengthen steps, of bodies that turn
    return fmin(a.longest + b.longest, steps_of(depths, region, 0, common).longest +
                                           steps_of(depths, region, 1, common).longest);
}

static bool remember_places(abut_depths* depths, const abut__regions* groups, int s) {
    const abut__depth_side* side = &groups->side[s];
    const uint32_t triangles = side->body->shape->mesh->triangle_count;
    if (!abut__extend(depths->context, &depths->last_place[s], triangles)) {
        return false;
    }
    const abut__depth_triangle* t = side->triangles.data;
    abut__depth_trace* traces = abut__renew(depths->context, &depths->last_triangle[s],
                                            side->triangles.count);
    for (uint32_t i = 0; i < side->triangles.count && traces != NULL; ++i) {
        depths->last_place[s].data[t[i].id] = (abut__depth_place){depths->memory_stamp, i};
        traces[i].group = t[i].region;
        for (int c = 0; c < 3; ++c) {
            memcpy(traces[i].corner[c], side->vertices.data[t[i].corner[c]].p,
                   sizeof traces[i].corner[c]);
        }
    }
    return traces != NULL || side->triangles.count == 0;
}

bool abut__depths_remember(abut_depths* depths, const abut__regions* groups) {
    if (++depths->memory_stamp == 0) {  // after four thousand million calls
        depths->last_place[0].count = depths->last_place[1].count = 0;
        depths->memory_stamp = 1;
    }
    abut__depth_memory* memories = abut__renew(depths->context, &depths->memories,
                                               depths->found.count);
    if ((memories == NULL && depths->found.count > 0) || !remember_places(depths, groups, 0) ||
        !remember_places(depths, groups, 1)) {
        return false;
    }
    const abut_region* found = depths->found.data;
    const abut__depth_couple* couples = depths->couples.data;
    for (uint32_t r = 0; r < depths->found.count; ++r) {
        memories[r] = (abut__depth_memory){.id = found[r].id, .depth = found[r].depth};
        memories[r].interlocked = found[r].interlocked;
        memories[r].group[0] = groups->within ? couples[r].patch[0] : r;
        memories[r].group[1] = groups->within ? couples[r].patch[1] : r;
        memories[r].by_width = depths->by_width.data[r];
        memcpy(memories[r].direction, found[r].direction, sizeof found[r].direction);
    }
    for (uint32_t k = 0; k < 2 * ABUT__DEPTH_MARKS && groups->count > 0; ++k) {
        mark_of(groups->side[k % 2].body, k / 2, depths->last_mark[k % 2][k / 2]);
    }
    depths->last_stamp = depths->memory_stamp;
    depths->last_group_count = groups->count;
    return true;
}
