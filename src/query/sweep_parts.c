// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps of bodies with breakpoints in the step: jobs about parts of it, which run in rounds.
// Blocks are cached by body, so a round uses only one part of each body's step. sweep.c joins the
// contacts of all parts.
#include "query/query.h"

bool abut__parts_split(abut__workspace* work) {
    const abut__job job = work->jobs.data[work->jobs.count - 1];
    abut__body* const bodies[2] = {job.view[0].body, job.view[1].body};
    work->cuts.count = 0;
    const bool done = abut__step_cut(work->context, &work->steps, bodies, job.in_shape,
                                     &work->cuts);
    if (done && work->cuts.count == 0) {
        return true;
    }
    --work->jobs.count;
    abut__sweep_part* parts = done ? abut__push(work->context, &work->parts, work->cuts.count)
                                   : NULL;
    for (size_t i = 0; i < work->cuts.count && parts != NULL; ++i) {
        parts[i] = (abut__sweep_part){.job = job, .cut = work->cuts.data[i]};
    }
    return parts != NULL;
}

// whether the next round may use this part of a body's step; also false: no memory, in `status`
static bool is_free(abut__workspace* work, const abut__body* body, const abut__part_side* side,
                    abut_status* status) {
    const abut__step_body* place = abut__step_place(work->context, &work->steps, body);
    if (place == NULL) {
        *status = ABUT_ERR_NO_MEMORY;
        return false;
    }
    return place->round != work->steps.call + 1 || memcmp(place->part, side, sizeof *side) == 0;
}

// reserves a body for this part of its step in the next round
static void take(abut__workspace* work, const abut__body* body, const abut__part_side* side) {
    abut__step_body* place = work->steps.bodies.data + body->index;
    place->round = work->steps.call + 1;
    place->part = side;
}

// Pads boxes for the rounding error of vertices between knots, and corners for the rotation in
// double and the rounding to float.
static void set_shift(abut__job* job, double margin) {
    const double size = job->view[0].extent + job->view[1].extent;
    const float pad = (float)(0x1p-19 * size + (double)ABUT__TINY);
    abut__job_set_shift(job, job->span.exact ? margin : margin + 0x1p-40 * size);
    const bool bounded = !job->unbounded && size < (double)ABUT__EXTENT_LIMIT;
    for (int d = 0; d < 3; ++d) {
        job->corner_shift.lo[d] = bounded ? job->shift.lo[d] - pad : -INFINITY;
        job->corner_shift.hi[d] = bounded ? job->shift.hi[d] + pad : INFINITY;
    }
}

static abut__job job_of(const abut__sweep_part* part) {
    abut__job job = part->job;
    job.span = part->cut.span;
    for (int s = 0; s < 2; ++s) {
        job.view[s] = abut__view_part(part->job.view[s].body, &part->cut.side[s]);
    }
    set_shift(&job, job.margin);
    return job;
}

bool abut__parts_next(abut__workspace* work, double before, abut_status* status) {
    work->jobs.count = 0;
    for (size_t i = 0; i < work->parts.count && *status == ABUT_OK; ++i) {
        abut__sweep_part* part = &work->parts.data[i];
        const abut__body* a = part->job.view[0].body;
        const abut__body* b = part->job.view[1].body;
        // times are rounded down, so a part that begins just after `before` may find contacts at it
        part->done = part->done || abut__span_time(&part->cut.span, 0) > before;
        if (part->done || !is_free(work, a, &part->cut.side[0], status) ||
            !is_free(work, b, &part->cut.side[1], status)) {
            continue;
        }
        abut__job* job = abut__push(work->context, &work->jobs, 1);
        if (job == NULL) {
            *status = ABUT_ERR_NO_MEMORY;
            break;
        }
        *job = job_of(part);
        part->done = true;
        take(work, a, &part->cut.side[0]);
        take(work, b, &part->cut.side[1]);
    }
    return *status == ABUT_OK && work->jobs.count > 0;
}
