// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs that parts of a flight body do not touch each other: normals, contours and seams over a
// segment between two keyframes, made once a segment.
#include "motion/flight.h"

// A segment, or a keyframe, for which to make proofs.
typedef struct surface_place {
    const abut_shape* shape;
    uint32_t index;  // in flight->surfaces
} surface_place;

static void* make_surface(const void* of) {
    const surface_place* place = of;
    const abut__flight* flight = abut__flight_of(place->shape);
    const uint32_t key = place->index / 2;
    const uint32_t count = 1 + place->index % 2;
    abut__surface_end ends[2];
    for (uint32_t e = 0; e < count; ++e) {
        const abut__key_boxes* boxes = abut__flight_key_boxes(place->shape, key + e);
        if (boxes == NULL) {
            return NULL;
        }
        ends[e] = (abut__surface_end){abut__flight_source(place->shape, key + e), &boxes->refit};
    }
    const abut__seams* seams = abut__shape_seams(place->shape);
    return abut__surface_segment_make(place->shape->context, &place->shape->tree, seams->count,
                                      ends, count, &flight->surface_queries[place->index]);
}

static void undo_surface(const void* of, void* made) {
    (void)of;
    abut__surface_segment_free(made);
}

static bool has_surfaces(const abut__flight_state* own) {
    return own->proves && !own->unbounded && abut__flight_plans_of(own) == NULL;
}

// Where the proofs of a state are, and the fraction of their segment.
typedef struct surface_use {
    uint32_t index;
    double part;
} surface_use;

static bool is_surface_asked(const abut__flight* flight, uint32_t index) {
    return atomic_load_explicit(&flight->surface_queries[index], memory_order_relaxed) > 0;
}

// At a keyframe the proofs of a segment that begins or ends there serve, if that was asked before.
static surface_use use_surface(const abut__flight* flight, const abut__flight_state* own) {
    const uint32_t key = own->keys.from;
    if (own->keys.to != key) {
        return (surface_use){2 * key + 1, own->keys.part};
    }
    if (key > 0 && is_surface_asked(flight, 2 * key - 1)) {
        return (surface_use){2 * key - 1, 1};
    }
    if (is_surface_asked(flight, 2 * key + 1)) {
        return (surface_use){2 * key + 1, 0};
    }
    return (surface_use){2 * key, 0};
}

// Without memory there are no proofs, which only costs time.
static void flight_expect(const abut_shape* shape, const abut__state* state) {
    const abut__flight_state* own = abut__flight_state_of(state);
    if (has_surfaces(own) && abut__shape_contours(shape) != NULL &&
        abut__shape_seams(shape) != NULL) {
        const abut__flight* flight = abut__flight_of(shape);
        const surface_place place = {shape, use_surface(flight, own).index};
        abut__surface_segment* surface = abut__once_get(&flight->surfaces[place.index],
                                                        make_surface, undo_surface, &place);
        if (surface != NULL) {
            abut__surface_segment_enter(surface);
        }
    }
}

// Returns the proofs of a state, which flight_expect() has made; NULL: there are none.
static const abut__surface_segment* surface_of(const abut_shape* shape,
                                               const abut__flight_state* own, double* part) {
    if (!has_surfaces(own)) {
        return NULL;
    }
    const surface_use use = use_surface(abut__flight_of(shape), own);
    *part = use.part;
    return abut__once_peek(&abut__flight_of(shape)->surfaces[use.index]);
}

bool abut__flight_apart(const abut_shape* shape, const abut__state* state, abut__ref ref) {
    const abut__flight_state* own = abut__flight_state_of(state);
    double part;
    const abut__surface_segment* surface = surface_of(shape, own, &part);
    if (surface != NULL && !abut__is_block(ref) &&
        abut__surface_segment_apart(surface, &shape->tree, abut__shape_contours(shape), part,
                                    ref)) {
        return true;
    }
    return abut__whole_proves(own->whole) && abut__whole_apart(shape, own->whole, ref);
}

static bool flight_blocks_certified(const abut_shape* shape, const abut__state* state,
                                    uint32_t block_a, uint32_t block_b) {
    double part;
    const abut__surface_segment* surface = surface_of(shape, abut__flight_state_of(state), &part);
    if (surface == NULL) {
        return false;
    }
    const abut__seams* seams = abut__shape_seams(shape);
    const uint32_t seam = abut__seam_of(seams, &shape->tree, block_a, block_b);
    return seam != ABUT__NONE && abut__surface_segment_seam(surface, &shape->tree, seams, seam);
}

static uint32_t flight_links_apart(const abut_shape* shape, const abut__state* state,
                                   uint32_t first, uint32_t count) {
    double part;
    const abut__surface_segment* surface = surface_of(shape, abut__flight_state_of(state), &part);
    if (surface == NULL) {
        return 0;
    }
    const abut__seams* seams = abut__shape_seams(shape);
    uint32_t apart = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t seam = seams->of_link[first + i];
        apart |= (uint32_t)(seam != ABUT__NONE &&
                            abut__surface_segment_seam(surface, &shape->tree, seams, seam))
                 << i;
    }
    return apart;
}

const abut__proofs abut__flight_proofs = {.expect = flight_expect};

const abut__pair_proofs abut__flight_pair_proofs = {
    .blocks_certified = flight_blocks_certified,
    .links_apart = flight_links_apart,
};
