// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Branch and bound over two trees, or over one for the triangles of a block. Nearer entries are
// examined first, and entries farther than the best so far are skipped. At the first blocks there
// is no best yet, or only a remembered one that may be far off, after the bodies slid along each
// other: pairs of lanes whose boxes have near centres give one.
#include <math.h>

#include "query/nearest.h"

// Boxes are rounded to float. A query for overlaps needs no pad, since rounding preserves order,
// but distances do: u = 2^-24 of its extent for a box, as much for its shifted one, and for that
// shifted back. Doubled.
static void pad_shift(abut__job* job) {
    const double size = job->view[0].extent + job->view[1].extent;
    if (!job->in_shape || job->unbounded) {
        return;
    }
    double reach = size;
    for (int d = 0; d < 3; ++d) {
        reach = fmax(reach, size + fabs((double)job->shift.lo[d]));
    }
    const float pad = (float)(0x1p-21 * reach) + ABUT__TINY;
    job->unbounded = !(2 * reach < (double)ABUT__EXTENT_LIMIT);
    for (int d = 0; d < 3; ++d) {
        job->shift.lo[d] = job->unbounded ? 0 : job->shift.lo[d] - pad;
        job->shift.hi[d] = job->unbounded ? 0 : job->shift.hi[d] + pad;
    }
}

bool abut__seeker_meet(abut__seeker* seeker, abut__body* a, abut__body* b) {
    abut__job* job = &seeker->job;
    abut__seeker_flush(seeker);
    abut__block_gaps_begin(seeker);
    abut__job_begin(job, a, b);
    if (job->self) {
        job->links = abut__shape_links(a->shape);
        if (job->links == NULL) {
            seeker->status = ABUT_ERR_NO_MEMORY;
            return false;
        }
    }
    job->in_shape = job->self || abut__frames_equal(&a->frame, &b->frame);
    job->suspect = !job->in_shape || abut__body_state(a, 1)->bad_vertex != ABUT__NONE ||
                   abut__body_state(b, 1)->bad_vertex != ABUT__NONE;
    abut__job_set_shift(job, 0);
    pad_shift(job);
    abut__job_set_margin(job, seeker->def);
    abut__seeker_thicken(seeker, abut__add_lengths(job->thick[0].most, job->thick[1].most));
    seeker->first_is_b = abut__body_is_before(seeker->scene, b, a);
    seeker->tagged = a->shape->ignored_count > 0 || b->shape->ignored_count > 0;
    seeker->neighbours = job->self;
    return true;
}

// ---- blocks

static abut__box3 shifted(abut__box3 box, const abut__shift* shift) {
    for (int d = 0; d < 3; ++d) {
        box.lo[d] += shift->lo[d];
        box.hi[d] += shift->hi[d];
    }
    return box;
}

static abut__box3 shifted_back(abut__box3 box, const abut__shift* shift) {
    for (int d = 0; d < 3; ++d) {
        box.lo[d] -= shift->hi[d];
        box.hi[d] -= shift->lo[d];
    }
    return box;
}

static abut__box3 lane_box(const abut__block_boxes* boxes, uint32_t lane) {
    return (abut__box3){{boxes->lo[0][lane], boxes->lo[1][lane], boxes->lo[2][lane]},
                        {boxes->hi[0][lane], boxes->hi[1][lane], boxes->hi[2][lane]}};
}

// returns the vertices of some lanes, one bit each
static uint64_t vertices_of(const abut__block* fixed, uint64_t lanes) {
    uint64_t mask = 0;
    for (uint64_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        mask |= UINT64_C(1) << fixed->corner[0][lane] | UINT64_C(1) << fixed->corner[1][lane] |
                UINT64_C(1) << fixed->corner[2][lane];
    }
    return mask;
}

// two blocks at the bottom of the descent
typedef struct meeting {
    uint32_t block[2];
    const abut__block* fixed[2];
    const abut__block_boxes* boxes[2];
    uint64_t lanes[2];
    uint64_t rows[ABUT__BLOCK_TRIANGLES];  // lanes of b for each lane of a
} meeting;

static void fetch_corners(abut__seeker* seeker, const meeting* m, uint64_t lanes_a,
                          uint64_t lanes_b) {
    const abut__job* job = &seeker->job;
    abut__corners_fetch(seeker->scene, &seeker->corners[0], job->view[0].body, m->block[0],
                        abut__corners_placed(job->in_shape, job->view[0].body), job->suspect,
                        vertices_of(m->fixed[0], lanes_a));
    abut__corners_fetch(seeker->scene, &seeker->corners[1], job->view[1].body, m->block[1],
                        abut__corners_placed(job->in_shape, job->view[1].body), job->suspect,
                        vertices_of(m->fixed[1], lanes_b));
}

// Stores corners of lanes of b as floats, relative to a point nearby; returns the greatest
// magnitude.
static float load_near(abut__seeker* seeker, const meeting* m, uint64_t lanes,
                       const double origin[3]) {
    abut__lane_corners* near = &seeker->near_b;
    float most = 0;
    for (uint64_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t j = (uint32_t)__builtin_ctzll(left);
        for (int c = 0; c < 3; ++c) {
            const double* x = seeker->corners[1].xyz[m->fixed[1]->corner[c][j]];
            for (int d = 0; d < 3; ++d) {
                const float y = (float)(x[d] - origin[d]);
                near->corner[c][d][j] = y;
                most = fabsf(y) > most ? fabsf(y) : most;
            }
        }
    }
    seeker->kernels->lane_normals(near, lanes);
    return most;
}

// Removes pairs that a cheap test proves too far apart. Coordinates relative to a point nearby are
// off by u = 2^-24 of their greatest magnitude M, products and sums of three by a few u more; 2^-17
// M is far above all of that. Numbers that are not finite, or whose squares are not, exclude
// nothing.
static void thin_rows(abut__seeker* seeker, meeting* m, uint64_t lanes_a, uint64_t lanes_b) {
    const abut__block* a = m->fixed[0];
    const double* origin = seeker->corners[0].xyz[a->corner[0][__builtin_ctzll(lanes_a)]];
    const float most_b = load_near(seeker, m, lanes_b, origin);
    for (uint64_t left = lanes_a; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        float p[3][3];
        float most = most_b;
        for (int c = 0; c < 3; ++c) {
            const double* x = seeker->corners[0].xyz[a->corner[c][i]];
            for (int d = 0; d < 3; ++d) {
                p[c][d] = (float)(x[d] - origin[d]);
                most = fabsf(p[c][d]) > most ? fabsf(p[c][d]) : most;
            }
        }
        const float reach = sqrtf(seeker->limits[i]) + 0x1p-17f * most;
        if (most < 1e8f && most > 1e-8f && reach < 1e8f) {
            m->rows[i] = seeker->kernels->lanes_within((const float(*)[3])p, &seeker->near_b,
                                                       m->rows[i], reach);
        }
    }
}

// Within one block each pair is kept once, at its lower lane. Returns the lanes that have rows.
static uint64_t halve_rows(meeting* m, uint64_t lanes) {
    uint64_t left_over = 0;
    for (uint64_t rest = m->lanes[0] & ~lanes; rest != 0; rest &= rest - 1) {
        m->rows[__builtin_ctzll(rest)] = 0;
    }
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(rest);
        const uint64_t below = (UINT64_C(1) << i) - 1;
        for (uint64_t row = m->rows[i] & below; row != 0; row &= row - 1) {
            m->rows[__builtin_ctzll(row)] |= UINT64_C(1) << i;
        }
        m->rows[i] &= ~below;
    }
    for (uint64_t rest = m->lanes[0]; rest != 0; rest &= rest - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(rest);
        left_over |= (uint64_t)(m->rows[i] != 0) << i;
    }
    return left_over;
}

#define WORTH_THINNING 16u

// adds the pairs in rows of some lanes of a
static void add_rows(abut__seeker* seeker, meeting* m, uint64_t lanes_a) {
    if (lanes_a == 0) {
        return;
    }
    uint64_t lanes_b = 0;
    uint32_t pairs = 0;
    for (uint64_t left = lanes_a; left != 0; left &= left - 1) {
        const uint64_t row = m->rows[__builtin_ctzll(left)];
        lanes_b |= row;
        pairs += (uint32_t)__builtin_popcountll(row);
    }
    const uint64_t mixed = seeker->same_block ? lanes_a | lanes_b : 0;  // see halve_rows()
    fetch_corners(seeker, m, lanes_a | mixed, lanes_b | mixed);
    if (pairs >= WORTH_THINNING && seeker->corners[0].bad == 0 && seeker->corners[1].bad == 0) {
        thin_rows(seeker, m, lanes_a, lanes_b);
    }
    if (seeker->same_block) {
        lanes_a = halve_rows(m, lanes_a);
    }
    for (; lanes_a != 0; lanes_a &= lanes_a - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(lanes_a);
        for (uint64_t row = m->rows[i]; row != 0; row &= row - 1) {
            abut__seeker_add(seeker, m->block[0], i, m->block[1], (uint32_t)__builtin_ctzll(row));
        }
    }
}

// for each lane of a block, the lanes that share no vertex class with it
static void strangers_in(const abut__links* links, uint32_t block, uint64_t valid,
                         uint64_t out[ABUT__BLOCK_TRIANGLES]) {
    const uint64_t* later = links->later[block].lanes;
    memset(out, 0, ABUT__BLOCK_TRIANGLES * sizeof *out);
    for (uint64_t left = valid; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        out[i] |= later[i] & valid;
        for (uint64_t row = later[i] & valid; row != 0; row &= row - 1) {
            out[__builtin_ctzll(row)] |= UINT64_C(1) << i;
        }
    }
}

static float diagonal_sq(const abut__box3* box) {
    float sum = 0;
    for (int d = 0; d < 3; ++d) {
        sum += (box->hi[d] - box->lo[d]) * (box->hi[d] - box->lo[d]);
    }
    return sum;
}

// Whether the bound of a lane is worth replacing: it is infinite, or large for its triangle or, if
// it is for all lanes, for the block.
static bool is_loose(const abut__seeker* seeker, const meeting* m, uint32_t lane) {
    const abut__box3 own = lane_box(m->boxes[0], lane);
    const float limit = seeker->limits[lane];
    const float size_sq = seeker->lanes != 0 ? diagonal_sq(&own)
                                             : 0.0625f * diagonal_sq(&m->boxes[0]->all);
    return !(limit <= size_sq);
}

// Measures lanes whose bounds are loose against the lane with the nearest centre; within one block
// only against its `strangers`.
static void seed_lanes(abut__seeker* seeker, meeting* m, const uint64_t* strangers) {
    uint64_t seeded = 0;
    for (uint64_t left = m->lanes[0]; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        const uint64_t among = strangers != NULL ? strangers[i] : m->lanes[1];
        if ((seeker->seeded ? !isfinite(seeker->limits[i]) : is_loose(seeker, m, i)) &&
            among != 0) {
            const abut__box3 box = shifted(lane_box(m->boxes[0], i), &seeker->job.shift);
            m->rows[i] = UINT64_C(1) << seeker->kernels->closest_lane(m->boxes[1], among, &box);
            seeded |= UINT64_C(1) << i;
        }
    }
    add_rows(seeker, m, seeded);
    abut__seeker_flush(seeker);
}

static float greatest_limit(const abut__seeker* seeker) {
    if (seeker->lanes == 0) {
        return seeker->limits[0];
    }
    float most = 0;
    for (uint64_t left = seeker->lanes; left != 0; left &= left - 1) {
        const float limit = seeker->limits[__builtin_ctzll(left)];
        most = limit > most ? limit : most;
    }
    return most;
}

// finds the lanes of b that lanes of a may be near enough to
static uint64_t find_rows(abut__seeker* seeker, meeting* m, const uint64_t* strangers) {
    if (seeker->job.unbounded) {
        for (uint32_t i = 0; i < ABUT__BLOCK_TRIANGLES; ++i) {
            m->rows[i] = strangers != NULL ? strangers[i] : m->lanes[1];
        }
        return m->lanes[0];
    }
    const uint64_t found = seeker->kernels->near_rows(m->boxes[0], m->lanes[0], m->boxes[1],
                                                      m->lanes[1], &seeker->job.shift,
                                                      greatest_limit(seeker), seeker->limits,
                                                      m->rows);
    for (uint64_t left = strangers != NULL ? found : 0; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        m->rows[i] &= strangers[i];
    }
    return found;
}

// Whether the bodies touch, and no pair of these blocks precedes the one found.
static bool comes_too_late(const abut__seeker* seeker, uint32_t block_a, uint32_t block_b) {
    const abut__slot* slot = &seeker->slots[0];
    const abut__job* job = &seeker->job;
    const abut__body* first = seeker->first_is_b ? job->view[1].body : job->view[0].body;
    const abut__body* second = seeker->first_is_b ? job->view[0].body : job->view[1].body;
    if (seeker->lanes != 0 || !slot->found || slot->gap > -seeker->thick ||
        slot->body[0] != first->index || slot->body[1] != second->index) {
        return false;
    }
    const abut__block* block = first->shape->tree.blocks[seeker->first_is_b ? block_b : block_a];
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        if (block->triangle[k] <= slot->triangle[0]) {
            return false;
        }
    }
    return true;
}

// `a_boxes`: the boxes of block a, or NULL
static void meet_blocks(abut__seeker* seeker, uint32_t block_a, uint32_t block_b,
                        const abut__block_boxes* a_boxes) {
    const abut__job* job = &seeker->job;
    if (comes_too_late(seeker, block_a, block_b)) {
        return;
    }
    meeting m;
    m.block[0] = block_a;
    m.block[1] = block_b;
    m.fixed[0] = job->view[0].tree->blocks[block_a];
    m.fixed[1] = job->view[1].tree->blocks[block_b];
    m.lanes[0] = m.fixed[0]->valid;
    m.lanes[1] = m.fixed[1]->valid;
    abut__blocks_narrow(seeker, m.block, m.lanes);
    if (m.lanes[0] == 0 || m.lanes[1] == 0) {
        return;
    }
    uint64_t mask[ABUT__BLOCK_TRIANGLES];
    const uint64_t* strangers = NULL;
    // within a body only linked blocks, or hubs, contain neighbours of each other
    seeker->same_block = job->self && block_a == block_b;
    seeker->neighbours = job->self && !seeker->same_block &&
                         (job->links->hub[block_a] != 0 ||
                          abut__blocks_linked(job->links, block_a, block_b));
    if (seeker->same_block) {
        strangers_in(job->links, block_a, m.lanes[0], mask);
        strangers = mask;
    }
    if (!job->unbounded) {
        m.boxes[0] = a_boxes != NULL
                         ? a_boxes
                         : abut__seeker_boxes(seeker, job->view[0].body, block_a, &seeker->room[0]);
        m.boxes[1] = abut__seeker_boxes(seeker, job->view[1].body, block_b, &seeker->room[1]);
        if (!seeker->seeded || !isfinite(greatest_limit(seeker))) {
            seed_lanes(seeker, &m, strangers);
            seeker->seeded = true;
        }
    }
    add_rows(seeker, &m, find_rows(seeker, &m, strangers));
}

void abut__seeker_meet_blocks(abut__seeker* seeker, uint32_t block_a, uint32_t block_b) {
    meet_blocks(seeker, block_a, block_b, NULL);
}

// ---- nodes

// inserts an entry among those from `first` on, the nearest last, which is taken off first
static void push_sorted(abut__near_entries* stack, size_t first, abut__ref a, abut__ref b,
                        float least) {
    abut__near_entry* entries = stack->data;
    ABUT_ASSERT(stack->count < stack->capacity);
    size_t place = stack->count++;
    for (; place > first && entries[place - 1].least_sq < least; --place) {
        entries[place] = entries[place - 1];
    }
    entries[place] = (abut__near_entry){a, b, least};
}

static const abut__boxes8* bound(abut__seeker* seeker, const abut__body* body, uint32_t node,
                                 abut__boxes8* room) {
    seeker->counters.boxes_computed += body->shape->tree.nodes[node].count;
    return abut__body_bound(body, node, 1, room);
}

static void open_both(abut__seeker* seeker, const abut__near_entry* entry) {
    const abut__job* job = &seeker->job;
    const abut__node* a = &job->view[0].tree->nodes[entry->a];
    const abut__node* b = &job->view[1].tree->nodes[entry->b];
    float least[ABUT__FAN][ABUT__FAN] = {{0}};
    if (!job->unbounded) {
        abut__boxes8 room[2];
        const abut__boxes8* boxes_a = bound(seeker, job->view[0].body, entry->a, &room[0]);
        const abut__boxes8* boxes_b = bound(seeker, job->view[1].body, entry->b, &room[1]);
        seeker->kernels->distance_nodes(boxes_a, a->count, boxes_b, &job->shift, least);
    }
    seeker->counters.boxes_tested += (uint64_t)a->count * b->count;
    const size_t first = seeker->stack.count;
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = 0; j < b->count; ++j) {
            if (least[i][j] <= seeker->limits[0]) {
                push_sorted(&seeker->stack, first, a->child[i], b->child[j], least[i][j]);
            }
        }
    }
}

// opens a node of one side against a node or block of the other, or against its box
static void open_one(abut__seeker* seeker, int side, uint32_t node, const abut__box3* box,
                     abut__ref other, float limit) {
    const abut__job* job = &seeker->job;
    const abut__node* opened = &job->view[side].tree->nodes[node];
    const bool node_is_a = side == 0;
    float least[ABUT__FAN] = {0};
    if (!job->unbounded) {
        seeker->counters.boxes_computed += opened->count;
        if (box != NULL) {
            abut__children_box_gaps(seeker->kernels, job, side, node, box, least);
        } else {
            abut__children_gaps(seeker->kernels, job, side, node, other, least);
        }
    }
    seeker->counters.boxes_tested += opened->count;
    const size_t first = seeker->stack.count;
    for (uint32_t k = 0; k < opened->count; ++k) {
        if (least[k] <= limit) {
            push_sorted(&seeker->stack, first, node_is_a ? opened->child[k] : other,
                        node_is_a ? other : opened->child[k], least[k]);
        }
    }
}

static void open_entry(abut__seeker* seeker, const abut__near_entry* entry) {
    const abut__job* job = &seeker->job;
    if ((job->compares_spheres || job->refines) && !job->unbounded) {
        const int side = abut__larger_side(job, entry->a, entry->b);
        open_one(seeker, side, side == 0 ? entry->a : entry->b, NULL,
                 side == 0 ? entry->b : entry->a, seeker->limits[0]);
    } else if (abut__is_block(entry->a)) {
        const abut__box3 box = shifted(abut__body_ref_box(job->view[0].body, entry->a, 1),
                                       &job->shift);
        open_one(seeker, 1, entry->b, &box, entry->a, seeker->limits[0]);
    } else if (abut__is_block(entry->b)) {
        const abut__box3 box = shifted_back(abut__body_ref_box(job->view[1].body, entry->b, 1),
                                            &job->shift);
        open_one(seeker, 0, entry->a, &box, entry->b, seeker->limits[0]);
    } else {
        open_both(seeker, entry);
    }
}

#define SLAB_FIRST 32u  // steps after which one direction is tried; it is tried again after
#define SLAB_AGAIN 8u   // so many times as many

void abut__seek_pair(abut__seeker* seeker) {
    uint64_t steps = 0;
    uint64_t next_try = SLAB_FIRST;
    seeker->stack.count = 0;
    push_sorted(&seeker->stack, 0, 0, 0, 0);
    while (seeker->stack.count > 0 && !abut__seeker_is_done(seeker)) {
        if (++steps == next_try) {
            next_try *= SLAB_AGAIN;
            if (abut__seek_slab(seeker)) {
                break;
            }
        }
        const abut__near_entry entry = seeker->stack.data[--seeker->stack.count];
        if (!(entry.least_sq <= seeker->limits[0])) {
            continue;
        }
        if (abut__is_block(entry.a) && abut__is_block(entry.b)) {
            meet_blocks(seeker, abut__block_of(entry.a), abut__block_of(entry.b), NULL);
        } else {
            open_entry(seeker, &entry);
        }
    }
    abut__seeker_flush(seeker);
}

// whether nothing below counts for a block of the same body: it is the block itself, or all
// triangles there are neighbours of all of the block's
static bool is_excluded(const abut__job* job, abut__ref block, abut__ref other) {
    return job->self && (other == block || abut__links_all_neighbours(job->links, block, other));
}

void abut__seek_block(abut__seeker* seeker, uint32_t block) {
    const abut__job* job = &seeker->job;
    const abut__ref own = block | ABUT__REF_BLOCK;
    const abut__block_boxes* boxes = NULL;
    abut__box3 box = {{0, 0, 0}, {0, 0, 0}};
    if (!job->unbounded) {
        boxes = abut__seeker_boxes(seeker, job->view[0].body, block, &seeker->room[0]);
        box = shifted(boxes->all, &job->shift);
    }
    if (job->self && !abut__links_all_neighbours(job->links, own, own)) {
        meet_blocks(seeker, block, block, boxes);  // gives most triangles a good bound
    }
    seeker->stack.count = 0;
    push_sorted(&seeker->stack, 0, 0, 0, 0);
    while (seeker->stack.count > 0 && !abut__seeker_is_done(seeker)) {
        const abut__near_entry entry = seeker->stack.data[--seeker->stack.count];
        const float limit = greatest_limit(seeker);
        if (!(entry.least_sq <= limit) || is_excluded(job, own, entry.b)) {
            continue;
        }
        if (abut__is_block(entry.b)) {
            meet_blocks(seeker, block, abut__block_of(entry.b), boxes);
        } else {
            open_one(seeker, 1, entry.b, &box, 0, limit);
        }
    }
    abut__seeker_flush(seeker);
}
