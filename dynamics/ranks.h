// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Processes that share the bodies of a swarm (ranks of MPI, or of anything else that can do this). Each
// sets and moves a stretch of the bodies, and asks for contacts together with the others. One rank leads:
// it gets all contacts and solves them, because every contact changes what the next one finds.
#ifndef DYNAMICS_RANKS_H
#define DYNAMICS_RANKS_H

#include "dynamics/contact.h"

typedef struct swarm_ranks swarm_ranks;

/// All calls but `share`, `give`, `add` and `set` are made by all ranks in the same order.
struct swarm_ranks {
    bool leads;
    /// Whether `good` is true on all ranks.
    bool (*all)(swarm_ranks* ranks, bool good);

    /// Opens and closes what holds the bodies. Memory comes from `memory`.
    abut_status (*open)(swarm_ranks* ranks, abut_context* context, const abut_allocator* memory,
                        abut_error* error);
    void (*close)(swarm_ranks* ranks);
    /// The bodies of this rank, of so many: first to end - 1. The stretch of the leading rank is the first.
    void (*share)(const swarm_ranks* ranks, uint32_t count, uint32_t* first, uint32_t* end);
    /// Takes over a shape: close() destroys it. If this fails, the shape stays the caller's.
    abut_status (*give)(swarm_ranks* ranks, abut_shape* shape, abut_error* error);
    /// Adds a body of this rank, of a shape that was given.
    abut_status (*add)(swarm_ranks* ranks, uint32_t body, const abut_shape* shape,
                       const abut_frame* frame, abut_error* error);
    /// Sets the state of a body of this rank. `frame` may be NULL, and `count` 0.
    abut_status (*set)(swarm_ranks* ranks, uint32_t body, const abut_frame* frame, const double* q,
                       size_t count, abut_error* error);

    /// Finds the contacts of all bodies: `found` on the leading rank, in the order of a scene. Counters of
    /// all ranks are added up there.
    abut_status (*collide)(swarm_ranks* ranks, abut_counters* counters,
                           const abut_proxy_pair** found, size_t* count, abut_error* error);
    /// Appends the contacts of the other ranks to those of the leading one, in the order of ranks, and
    /// brings the bodies of its contacts there. False, on all ranks: no memory.
    bool (*lend)(swarm_ranks* ranks, modal_contact** contacts, size_t* count, size_t* capacity,
                 modal_body* bodies);
    /// Returns the bodies that were lent.
    void (*give_back)(swarm_ranks* ranks, modal_body* bodies);
    /// Adds up the numbers of all bodies in the order of bodies, on the leading rank. `own` has those of this
    /// rank.
    double (*sum_bodies)(swarm_ranks* ranks, const double* own, uint32_t count);
    /// Adds up one number of each rank, or finds the greatest, on all ranks.
    uint64_t (*sum)(swarm_ranks* ranks, uint64_t own);
    double (*greatest)(swarm_ranks* ranks, double own);
};

#endif
