// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chains pieces to contours: places with equal simplices become nodes, pieces between the same nodes
// count once, and walks through nodes with two pieces are contours.
#include "query/contour_trace.h"

// ---- nodes

// Sorts places by their simplices, stably. keys[i].value is the number of a place then.
static bool sort_places(abut_contour_result* result) {
    const size_t count = result->places.count;
    abut__keyed* keys = abut__renew(result->context, &result->keys, 2 * count);
    if (keys == NULL) {
        return count == 0;
    }
    const abut__contour_place* places = result->places.data;
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (abut__keyed){places[i].simplex[1], i};
    }
    abut__sort_keyed(keys, keys + count, count);
    for (size_t i = 0; i < count; ++i) {
        keys[i].key = places[keys[i].value].simplex[0];
    }
    abut__sort_keyed(keys, keys + count, count);
    return true;
}

static bool same_place(const abut__contour_place* x, const abut__contour_place* y) {
    return x->simplex[0] == y->simplex[0] && x->simplex[1] == y->simplex[1];
}

// Places are sorted: the first one of a node is that of its lowest piece.
static bool make_nodes(const abut__contour_run* run) {
    abut_contour_result* result = run->result;
    const abut__contour_place* places = result->places.data;
    const abut__contour_place* before = NULL;
    result->nodes.count = 0;
    for (size_t i = 0; i < result->places.count; ++i) {
        const abut__contour_place* place = &places[result->keys.data[i].value];
        if (before == NULL || !same_place(before, place)) {
            abut__contour_node* node = abut__push(result->context, &result->nodes, 1);
            if (node == NULL) {
                return false;
            }
            *node = (abut__contour_node){.piece = ABUT__NONE,
                                         .pinched = run->self &&
                                                    place->simplex[0] == place->simplex[1]};
        }
        before = place;
        abut__contour_node* node = &result->nodes.data[result->nodes.count - 1];
        if (place->piece == ABUT__NONE) {
            node->in_area = true;
            continue;
        }
        result->pieces.data[place->piece].node[place->end] = (uint32_t)result->nodes.count - 1;
        if (node->piece == ABUT__NONE) {
            node->piece = place->piece;
            node->end = place->end;
        }
    }
    return true;
}

// Marks pieces that have the nodes of an earlier one.
static bool skip_doubles(abut_contour_result* result) {
    const size_t count = result->pieces.count;
    abut__contour_piece* pieces = result->pieces.data;
    abut__keyed* keys = abut__renew(result->context, &result->keys, 2 * count);
    if (keys == NULL) {
        return count == 0;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint64_t a = pieces[i].node[0];
        const uint64_t b = pieces[i].node[1];
        keys[i] = (abut__keyed){a < b ? a << 32 | b : b << 32 | a, i};
    }
    abut__sort_keyed(keys, keys + count, count);
    for (size_t i = 0; i < count; ++i) {
        abut__contour_piece* piece = &pieces[keys[i].value];
        piece->skip = piece->node[0] == piece->node[1] || (i > 0 && keys[i].key == keys[i - 1].key);
    }
    return true;
}

// Lists the piece ends of each node.
static bool join_pieces(abut_contour_result* result) {
    abut__contour_node* nodes = result->nodes.data;
    const abut__contour_piece* pieces = result->pieces.data;
    const size_t count = result->pieces.count;
    uint32_t* ends = abut__renew(result->context, &result->ends, 2 * count);
    if (ends == NULL) {
        return count == 0;
    }
    for (size_t i = 0; i < 2 * count; ++i) {
        nodes[pieces[i / 2].node[i % 2]].degree += !pieces[i / 2].skip;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < result->nodes.count; ++i) {
        nodes[i].first = sum;
        sum += nodes[i].degree;
        nodes[i].degree = 0;
    }
    for (size_t i = 0; i < 2 * count; ++i) {
        abut__contour_node* node = &nodes[pieces[i / 2].node[i % 2]];
        if (!pieces[i / 2].skip) {
            ends[node->first + node->degree++] = (uint32_t)i;
        }
    }
    return true;
}

// ---- walks

// Continues past the node at which a step arrives; false: the contour ends there.
static bool next_step(const abut_contour_result* result, abut__contour_step* step) {
    const abut__contour_piece* piece = &result->pieces.data[step->piece];
    const uint32_t end = 1u - step->from;
    const abut__contour_node* node = &result->nodes.data[piece->node[end]];
    if (node->degree != 2 || node->pinched) {
        return false;
    }
    const uint32_t own = 2 * step->piece + end;
    const uint32_t* ends = &result->ends.data[node->first];
    const uint32_t other = ends[0] == own ? ends[1] : ends[0];
    const abut__contour_piece* next = &result->pieces.data[other / 2];
    step->swapped = step->swapped ^ piece->turned[end] ^ next->turned[other % 2];
    step->piece = other / 2;
    step->from = (uint8_t)(other % 2);
    return true;
}

// Collects the steps of the contour of a piece, which it passes from end `from` on: all of them from
// its first end on, or, if it is closed, from this piece on.
static bool walk(abut_contour_result* result, uint32_t piece, uint32_t from, bool* closed) {
    const abut__contour_step own = {piece, (uint8_t)(1 - from), false};
    abut__contour_step back = own;
    abut__contour_step start = own;
    *closed = false;
    while (!*closed && next_step(result, &back)) {
        *closed = back.piece == piece;
        start = *closed ? own : back;
    }
    abut__contour_step step = start;
    step.from = (uint8_t)(1 - start.from);
    const uint32_t first = step.piece;
    result->steps.count = 0;
    do {
        abut__contour_step* place = abut__push(result->context, &result->steps, 1);
        if (place == NULL) {
            return false;
        }
        *place = step;
        result->pieces.data[step.piece].skip = true;
    } while (next_step(result, &step) && step.piece != first);
    return true;
}

// Whether the lowest segment with a direction runs against it.
static bool runs_backwards(const abut_contour_result* result) {
    uint32_t lowest = ABUT__NONE;
    bool backwards = false;
    for (size_t i = 0; i < result->steps.count; ++i) {
        const abut__contour_step* step = &result->steps.data[i];
        const abut__contour_piece* piece = &result->pieces.data[step->piece];
        if (piece->direction != 0 && step->piece < lowest) {
            lowest = step->piece;
            backwards = (piece->direction < 0) ^ (step->from != 0) ^ step->swapped;
        }
    }
    return backwards;
}

// ---- rows

static void set_feature(uint32_t carrier, abut_feature* feature, uint32_t* index) {
    static const uint8_t indices[8] = {0, 0, 1, 0, 2, 2, 1, 0};
    *feature = carrier == 7                     ? ABUT_FEATURE_FACE
               : (carrier & (carrier - 1)) != 0 ? ABUT_FEATURE_EDGE
                                                : ABUT_FEATURE_VERTEX;
    *index = indices[carrier];
}

static void set_point(const abut_contour_result* result, const abut__contour_step* step,
                      uint32_t end, abut_contour_point* point) {
    const abut__contour_piece* piece = &result->pieces.data[step->piece];
    const abut__contour_node* node = &result->nodes.data[piece->node[end]];
    memcpy(point->position, result->pieces.data[node->piece].position[node->end],
           sizeof point->position);
    set_feature(piece->carrier[end][step->swapped], &point->feature_a, &point->index_a);
    set_feature(piece->carrier[end][!step->swapped], &point->feature_b, &point->index_b);
}

static bool add_contour(const abut__contour_run* run, bool closed) {
    abut_contour_result* result = run->result;
    const uint32_t count = (uint32_t)result->steps.count;
    const uint32_t points = count + (closed ? 0 : 1);
    const abut__contour_step* first = result->steps.data;
    const abut__contour_step* last = first + count - 1;
    abut_contour made = {.body_a = run->body[0]->index,
                         .body_b = run->body[1]->index,
                         .first_segment = (uint32_t)result->segments.count,
                         .segment_count = count,
                         .first_point = (uint32_t)result->points.count,
                         .point_count = points};
    if (!closed && (!abut__contour_end_of(run, *first, first->from, &made.ends[0]) ||
                    !abut__contour_end_of(run, *last, 1u - last->from, &made.ends[1]))) {
        return false;
    }
    abut_contour* contour = abut__push(result->context, &result->contours, 1);
    abut_contour_segment* segment = abut__push(result->context, &result->segments, count);
    abut_contour_point* point = abut__push(result->context, &result->points, points);
    if (contour == NULL || segment == NULL || point == NULL) {
        return false;
    }
    *contour = made;
    for (uint32_t i = 0; i < count; ++i) {
        const abut_pair* pair = &run->pairs[result->pieces.data[first[i].piece].pair];
        const uint32_t triangle[2] = {pair->triangle_a, pair->triangle_b};
        segment[i] = (abut_contour_segment){triangle[first[i].swapped],
                                            triangle[!first[i].swapped]};
        set_point(result, &first[i], first[i].from, &point[i]);
    }
    if (!closed) {
        set_point(result, last, 1u - last->from, &point[count]);
    }
    return true;
}

abut_status abut__contour_chain(const abut__contour_run* run) {
    abut_contour_result* result = run->result;
    if (!sort_places(result) || !make_nodes(run) || !skip_doubles(result) || !join_pieces(result)) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < result->pieces.count; ++i) {
        bool closed;
        if (result->pieces.data[i].skip) {
            continue;
        }
        if (!walk(result, (uint32_t)i, 0, &closed) ||
            (runs_backwards(result) && !walk(result, (uint32_t)i, 1, &closed)) ||
            !add_contour(run, closed)) {
            return ABUT_ERR_NO_MEMORY;
        }
    }
    return ABUT_OK;
}
