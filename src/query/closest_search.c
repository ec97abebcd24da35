// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From a point to the triangles that may be among the closest: branch and bound over the bodies, the
// nodes of their trees, and the lanes of blocks. closest.h has the bounds.
#include <math.h>

#include "base/rounding.h"
#include "exact/point_distance.h"
#include "query/closest.h"

#define SLACK (1 + 0x1p-23)  // of distances that are compared with computed ones

static const abut__asked* asked_of(const abut__searcher* s) {
    return &s->run->result->asked.data[s->asked];
}

// ---- what is still wanted

static void set_limit(abut__searcher* s) {
    const double reach = (s->reach * SLACK + 2 * s->pad) * s->scale;
    s->limit_sq = reach * reach * (1 + 0x1p-20);
}

// puts an upper bound into the heap, whose top is the greatest
static void keep_upper(abut__searcher* s, double upper) {
    double* heap = s->uppers.data;
    size_t at = s->uppers.count;
    if (at < s->run->def->most) {
        ++s->uppers.count;
        for (; at > 0 && heap[(at - 1) / 2] < upper; at = (at - 1) / 2) {
            heap[at] = heap[(at - 1) / 2];
        }
        heap[at] = upper;
        return;
    }
    at = 0;
    for (size_t child = 1; child < s->uppers.count; child = 2 * at + 1) {
        child += child + 1 < s->uppers.count && heap[child + 1] > heap[child];
        if (!(heap[child] > upper)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = upper;
}

// notes an upper bound of a triangle's distance; returns whether the reach became less
static bool offer(abut__searcher* s, double upper) {
    const uint32_t most = s->run->def->most;
    if (most == 0 || !(upper < s->reach)) {
        return false;
    }
    if (most == 1) {
        s->reach = upper;
        return true;
    }
    if (s->uppers.count == most && !(upper < s->uppers.data[0])) {
        return false;
    }
    keep_upper(s, upper);
    if (s->uppers.count == most && s->uppers.data[0] < s->reach) {
        s->reach = s->uppers.data[0];
        return true;
    }
    return false;
}

static void add(abut__searcher* s, uint32_t block, uint32_t lane, double lower) {
    abut__near_triangle* own = abut__push(s->run->result->work.context, &s->triangles, 1);
    if (own == NULL) {
        s->status = ABUT_ERR_NO_MEMORY;
        return;
    }
    *own = (abut__near_triangle){s->asked, block, lane, abut__round_down(lower), 0};
}

static uint64_t filtered(const abut__searcher* s, const abut__block* fixed, uint64_t lanes,
                         abut_counters* counters) {
    const abut_closest_filter* filter = &s->run->def->filter;
    for (uint64_t left = filter->fn != NULL ? lanes : 0; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(left);
        if (!filter->fn(filter->user, asked_of(s)->view.body->index, fixed->triangle[k])) {
            lanes &= ~(UINT64_C(1) << k);
            ++counters->pairs_filtered;
        }
    }
    return lanes;
}

// ---- blocks

// `to` may be the same memory
static void turn_points(const abut__block_points* from, const abut__turn* turn,
                        abut__block_points* to) {
    for (uint32_t k = 0; k < ABUT__BLOCK_VERTICES; ++k) {
        const float p[3] = {from->xyz[0][k], from->xyz[1][k], from->xyz[2][k]};
        for (int d = 0; d < 3; ++d) {
            const float* r = turn->r[d];
            to->xyz[d][k] = (r[0] * p[0] + r[1] * p[1]) + r[2] * p[2];
        }
    }
}

// the pool keeps points only where vertices are costly
static const abut__cached_points* points_of(const abut_scene* scene, const abut__body* body,
                                            uint32_t block, abut__cached_points* room) {
    if (abut__body_state(body, 1)->costly) {
        return abut__pool_points(scene, body, block, room);
    }
    abut__body_block_points(body, block, 1, room);
    return room;
}

// Makes what packs need of a block. Points beyond the last vertex may be anything: the first one
// replaces them.
static void fill_for_packs(const abut__searcher* s, const abut__block* fixed,
                           abut__near_block* near) {
    abut__block_points points = *near->points;
    for (uint32_t k = fixed->vertex_count; k < ABUT__BLOCK_VERTICES; ++k) {
        for (int d = 0; d < 3; ++d) {
            points.xyz[d][k] = points.xyz[d][0];
        }
    }
    s->run->kernels->block_disc(&near->discs, &points, &near->disc);
    // no triangle's radius is greater than twice that of the block
    const float radius = near->disc.radius;
    near->lane_error = near->error + 0x1p-17 * (double)radius;
    near->disc.radius = abut__round_up((double)radius + near->error + 0x1p-18 * (double)radius);
    near->disc.height = abut__round_up((double)near->disc.height + near->error +
                                       0x1p-18 * (double)radius);
}

static void fill_block(abut__searcher* s, uint32_t block, abut__near_block* near) {
    const abut__asked* asked = asked_of(s);
    abut__body* body = asked->view.body;
    if (s->run->def->head.counters != NULL) {
        abut__need(abut__needs_of(&s->run->result->needs, body), asked->view.tree, block,
                   &s->counters);
    }
    near->boxes = abut__pool_get(s->run->scene, body, block, &near->box_room, &s->touched);
    const abut__cached_points* points = points_of(s->run->scene, body, block, &near->point_room);
    near->radius = 2 * (double)points->radius;
    near->error = 1.75 * (double)points->radius;
    near->points = &points->at;
    if (body->turned) {
        turn_points(&points->at, &asked->turn, &near->point_room.at);
        near->radius += (double)asked->turn.pad;
        near->error += 1.75 * (double)asked->turn.pad;
        near->points = &near->point_room.at;
    }
    if (s->run->uses_discs) {
        s->run->kernels->make_discs(asked->view.tree->blocks[block], near->points, &near->discs);
    }
    if (s->run->packs) {
        fill_for_packs(s, asked->view.tree->blocks[block], near);
    }
    near->query = s->run->result->query;
    near->asked = s->asked;
    near->block = block;
}

const abut__near_block* abut__closest_block(abut__searcher* s, uint32_t block) {
    abut__near_block* near = &s->blocks[(block + s->asked * 37u) % ABUT__NEAR_BLOCKS];
    if (near->query != s->run->result->query || near->asked != s->asked || near->block != block) {
        fill_block(s, block, near);
    }
    return near;
}

// by how much bounds of distances in float may be off
static double error_of(const abut__searcher* s, const abut__near_block* near) {
    const double most = fabs(s->offset[0]) + fabs(s->offset[1]) + fabs(s->offset[2]);
    return 1.75 * (s->pad + near->radius) + 0x1p-19 * (asked_of(s)->size + most);
}

// Bounds up to sixteen lanes, the lowest of `lanes`; returns the others.
static uint64_t bound_lanes(abut__searcher* s, const abut__near_block* near,
                            const abut__block* fixed, uint64_t lanes) {
    abut__point_lanes batch = {0};  // numbers at random might be denormal, which is slow
    uint8_t lane[16];
    uint32_t count = 0;
    for (; lanes != 0 && count < 16; lanes &= lanes - 1, ++count) {
        const uint32_t k = lane[count] = (uint8_t)__builtin_ctzll(lanes);
        for (int c = 0; c < 3; ++c) {
            const uint32_t v = fixed->corner[c][k];
            for (int d = 0; d < 3; ++d) {
                batch.corner[c][d][count] = near->points->xyz[d][v];
            }
        }
    }
    memcpy(batch.point, s->point, sizeof batch.point);
    float lower[16];
    float upper[16];
    s->run->kernels->bound_point(&batch, (1u << count) - 1, lower, upper);
    const double off = error_of(s, near);
    bool less = false;
    for (uint32_t k = 0; k < count; ++k) {
        less |= offer(s, (double)upper[k] + off);
    }
    for (uint32_t k = 0; k < count; ++k) {
        const double least = (double)lower[k] - off;
        if (least <= s->reach * SLACK) {
            add(s, near->block, lane[k], least > 0 ? least : 0);
        }
    }
    if (less) {
        set_limit(s);
    }
    return lanes;
}

// the squared distance of a box from the point, scaled; 0 if it is not known
static double careful_gap(const abut__searcher* s, const float lo[3], const float hi[3]) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double below = (double)lo[d] - s->offset[d];
        const double above = s->offset[d] - (double)hi[d];
        const double gap = below > above ? below : above;
        sum += gap > 0 ? gap * s->scale * (gap * s->scale) : 0;
    }
    return sum < INFINITY ? sum : 0;
}

// without floats: measures each lane whose box is near enough
static void search_carefully(abut__searcher* s, const abut__near_block* near,
                             const abut__block* fixed) {
    for (uint32_t k = 0; k < fixed->triangle_count; ++k) {
        float lo[3];
        float hi[3];
        for (int d = 0; d < 3; ++d) {
            lo[d] = near->boxes->lo[d][k];
            hi[d] = near->boxes->hi[d][k];
        }
        double corner[3][3];
        double distance;
        abut_witness unused;
        if (careful_gap(s, lo, hi) > s->limit_sq ||
            filtered(s, fixed, UINT64_C(1) << k, &s->counters) == 0 ||
            !abut__closest_corners(s, s->asked, near->block, k, corner)) {
            continue;
        }
        abut__point_distance((const double(*)[3])corner, s->at, &distance, &unused);
        if (distance <= s->reach * SLACK * SLACK) {
            add(s, near->block, k, distance / SLACK);
            if (offer(s, distance * SLACK)) {
                set_limit(s);
            }
        }
    }
}

static void search_block(abut__searcher* s, uint32_t block) {
    const abut__near_block* near = abut__closest_block(s, block);
    const abut__block* fixed = asked_of(s)->view.tree->blocks[block];
    ++s->counters.boxes_tested;
    if (s->careful || !(near->radius < INFINITY)) {
        search_carefully(s, near, fixed);
        return;
    }
    const double reach = (s->reach * SLACK + error_of(s, near)) * (1 + 0x1p-18);
    uint64_t lanes = s->run->uses_discs
                         ? s->run->kernels->disc_lanes(&near->discs, fixed->valid, s->point,
                                                       abut__round_up(reach))
                         : s->run->kernels->reach_lanes(near->boxes, fixed->valid, s->point,
                                                        abut__round_up(s->limit_sq));
    lanes = filtered(s, fixed, lanes, &s->counters);
    while (lanes != 0) {
        lanes = bound_lanes(s, near, fixed, lanes);
    }
}

// ---- nodes

static void gaps_of(const abut__searcher* s, const abut__boxes8* boxes, uint32_t count,
                    double gaps[ABUT__FAN]) {
    float least[ABUT__FAN];
    if (!s->careful) {
        const abut__box3 box = {{s->point[0], s->point[1], s->point[2]},
                                {s->point[0], s->point[1], s->point[2]}};
        s->run->kernels->distance_box(&box, boxes, least);
    }
    for (uint32_t k = 0; k < count; ++k) {
        const abut__box3 box = abut__boxes_get(boxes, k);
        gaps[k] = s->careful ? careful_gap(s, box.lo, box.hi) : (double)least[k];
    }
}

// pushes the children that are near enough, the nearest one last
static void open_node(abut__searcher* s, uint32_t node) {
    const abut__asked* asked = asked_of(s);
    const abut__node* n = &asked->view.tree->nodes[node];
    abut__boxes8 room;
    double gaps[ABUT__FAN];
    gaps_of(s, abut__view_bound(&asked->view, node, &room), n->count, gaps);
    s->counters.boxes_computed += n->count;
    s->counters.boxes_tested += n->count;
    abut__near_gap* stack = s->stack.data;
    const size_t bottom = s->stack.count;
    for (uint32_t k = 0; k < n->count; ++k) {
        if (!(gaps[k] <= s->limit_sq)) {
            continue;
        }
        size_t place = s->stack.count++;
        for (; place > bottom && stack[place - 1].gap_sq < gaps[k]; --place) {
            stack[place] = stack[place - 1];
        }
        stack[place] = (abut__near_gap){gaps[k], n->child[k]};
    }
}

// ---- bodies

// Sets the point relative to a body. Far from the body, and at its limits, floats would keep too
// little, overflow or underflow.
void abut__closest_turn_to(abut__searcher* s, uint32_t number) {
    s->asked = number;
    const abut__asked* asked = asked_of(s);
    const double* origin = asked->view.origin;
    double most = 0;
    double far = 0;
    for (int d = 0; d < 3; ++d) {
        s->offset[d] = s->at[d] - origin[d];
        s->point[d] = (float)s->offset[d];
        most = fabs(s->offset[d]) > most ? fabs(s->offset[d]) : most;
        far = fabs(s->at[d]) > far ? fabs(s->at[d]) : far;
    }
    const double greatest = most > asked->size ? most : asked->size;
    s->careful = !(greatest >= 0x1p-40 && greatest <= 0x1p50 && most <= 32 * asked->size);
    s->pad = 0x1p-48 * (asked->size + far + asked->view.far) + (double)ABUT__TINY +
             0x1p-20 * (s->careful ? asked->size : asked->size + most);
    // a power of two, so that squares of lengths as great as all of these neither over- nor underflow
    s->scale = s->careful && greatest > 0 && greatest < INFINITY ? ldexp(1, -ilogb(greatest)) : 1;
    set_limit(s);
}

static void search_body(abut__searcher* s, uint32_t number) {
    abut__closest_turn_to(s, number);
    s->stack.count = 0;
    open_node(s, 0);
    while (s->stack.count > 0 && s->status == ABUT_OK) {
        const abut__near_gap entry = s->stack.data[--s->stack.count];
        if (entry.gap_sq > s->limit_sq) {
            continue;
        }
        if (!abut__is_block(entry.ref)) {
            open_node(s, entry.ref);
        } else if (number != s->first_asked || abut__block_of(entry.ref) != s->first_block) {
            search_block(s, abut__block_of(entry.ref));
        }
    }
}

static void search_scene(abut__searcher* s) {
    const abut__body_tree* tree = &s->run->result->tree;
    abut__body_gap* stack = s->bodies.data;
    uint32_t count = abut__body_tree_begin(tree, s->at, stack);
    while (count > 0 && s->status == ABUT_OK) {
        const abut__body_gap entry = stack[--count];
        const double reach = s->reach * SLACK;
        ++s->counters.boxes_tested;
        if (entry.gap_sq > reach * reach * (1 + 0x1p-40) + 0x1p-1000) {
            continue;
        }
        if (entry.level == 0) {
            search_body(s, abut__body_tree_at(tree, entry.index));
        } else {
            count = abut__body_tree_open(tree, s->at, entry, stack, count);
        }
    }
}

const abut__asked* abut__closest_asked(const abut_closest_result* result, uint32_t body) {
    size_t first = 0;
    size_t end = result->asked.count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (result->asked.data[middle].view.body->index < body) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < result->asked.count && result->asked.data[first].view.body->index == body
               ? &result->asked.data[first]
               : NULL;
}

void abut__closest_search(abut__searcher* s, const abut__near_last* last) {
    const abut_closest_result* result = s->run->result;
    s->reach = s->run->def->max_distance;
    s->triangles.count = s->uppers.count = 0;
    s->first_asked = ABUT__NONE;
    s->first_block = last->block;
    const abut__asked* first = last->body != ABUT__NONE ? abut__closest_asked(result, last->body)
                                                        : NULL;
    if (first != NULL && last->block < first->view.tree->block_count) {
        s->first_asked = (uint32_t)(first - result->asked.data);
        abut__closest_turn_to(s, s->first_asked);
        search_block(s, s->first_block);
    }
    if (s->run->whole_scene) {
        search_scene(s);
    } else {
        search_body(s, 0);
    }
}
