// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses the queries: see check_question.h.
#include "cli/check_question.h"

#include "cli/check_options.h"
#include "cli/message.h"

#include <math.h>

// refuses what makes no sense for this number of objects
static bool fits(const question* q, const option_value* v, bool several) {
    if (v[CHECK_BETWEEN].given && !several) {
        complain("--between needs two objects or more; for one, use --self");
        return false;
    }
    if (q->depth && !q->depth_self && !several) {
        complain(
            "--depth needs two objects or more; for one object add --self, or --components to "
            "split it");
        return false;
    }
    if (q->depth && v[CHECK_JOBS].given && v[CHECK_JOBS].first > 1) {
        complain("--depth tracks regions from frame to frame: leave out --jobs");
        return false;
    }
    if (v[CHECK_FEATURES].given && !several && !v[CHECK_SELF].given) {
        complain("--features needs two objects or more; for one, add --self");
        return false;
    }
    if (q->nearest && !several) {
        complain(
            "--%s needs two objects or more; --components splits an object into its connected "
            "components",
            v[CHECK_NEAREST].given ? "nearest" : "within");
        return false;
    }
    return true;
}

bool question_choose(question* q, const option_value* v, size_t object_count, bool measures) {
    const bool several = object_count > 1;
    q->features = v[CHECK_FEATURES].given && several;
    q->features_self = v[CHECK_FEATURES].given && v[CHECK_SELF].given;
    // one object has no distance, but it may have features within one
    q->nearest = v[CHECK_NEAREST].given ||
                 (v[CHECK_WITHIN].given && (several || !q->features_self));
    q->limited = v[CHECK_WITHIN].given;
    q->within = v[CHECK_WITHIN].given ? v[CHECK_WITHIN].number : INFINITY;
    q->depth = v[CHECK_DEPTH].given;
    q->depth_self = v[CHECK_DEPTH].given && v[CHECK_SELF].given;
    q->intervals = v[CHECK_INTERVALS].given;
    q->sweep = v[CHECK_SWEEP].given || q->intervals;
    const bool alone = !q->sweep && (q->nearest || q->depth);
    const bool chosen = v[CHECK_BETWEEN].given || v[CHECK_SELF].given || alone;
    // a margin applies to pairs, so it needs the query for pairs
    const bool margin = v[CHECK_MARGIN].number > 0 && several && (q->nearest || q->depth);
    q->between = v[CHECK_BETWEEN].given || (!chosen && several) || margin;
    q->self = v[CHECK_SELF].given || v[CHECK_NEIGHBOURS].given || !chosen;
    q->neighbours = v[CHECK_NEIGHBOURS].given;
    q->margin = v[CHECK_MARGIN].number;
    if (measures) {  // contact is measured by its pairs
        q->between = q->between || (several && (q->nearest || q->depth));
        q->self = q->self || q->depth_self;
    }
    q->inside = several && (q->between || q->nearest || q->depth);
    return fits(q, v, several);
}

gate_options check_gate_options(const option_value* v, double fps) {
    return (gate_options){.ignore = &v[CHECK_IGNORE],
                          .only = &v[CHECK_ONLY],
                          .expect = &v[CHECK_EXPECT],
                          .baseline = &v[CHECK_BASELINE],
                          .by = &v[CHECK_BY],
                          .write_baseline = &v[CHECK_WRITE_BASELINE],
                          .events = &v[CHECK_EVENTS],
                          .fail_if = &v[CHECK_FAIL_IF],
                          .units = &v[CHECK_UNITS],
                          .fps = fps,
                          .intervals = v[CHECK_INTERVALS].given,
                          .reports = v[CHECK_JUNIT].given || v[CHECK_SARIF].given ||
                                     v[CHECK_MARKDOWN].given};
}
