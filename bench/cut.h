// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A waving sheet of 32k triangles that a blade cuts: a flight body that loses 12 triangles in every
// tenth frame, where the blade has just been.
#ifndef BENCH_CUT_H
#define BENCH_CUT_H

#include <abut/abut.h>

typedef enum cut_way {
    CUT_KEPT,  ///< the body keeps what it stores for nodes that the edit left unchanged
    CUT_ANEW,  ///< the shape builds all its nodes in every edit, and the body starts anew
} cut_way;

typedef enum cut_question {
    CUT_ASK_BLADE,   ///< all pairs of the sheet and the blade
    CUT_ASK_WITHIN,  ///< all pairs within the sheet
} cut_question;

enum { CUT_FRAMES = 200, CUT_EVERY = 10, CUT_TRIANGLES = 12 };

typedef struct cut cut;

cut* cut_create(void);
void cut_destroy(cut* c);
uint32_t cut_triangles(const cut* c);

/// Returns the milliseconds of all frames: edits, the switch to the edited shape, new states, and
/// the query. Adds to the counters. `hash` receives a hash of the pairs of all frames.
double cut_play(const cut* c, cut_way way, cut_question question, abut_counters* counters,
                uint64_t* hash);

#endif
