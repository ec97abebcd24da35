// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The options of abut check.
#ifndef CLI_CHECK_OPTIONS_H
#define CLI_CHECK_OPTIONS_H

#include "cli/options.h"

/// The places of options in the table, and of their values in the arguments.
enum {
    CHECK_BETWEEN,
    CHECK_SELF,
    CHECK_NEIGHBOURS,
    CHECK_SWEEP,
    CHECK_MARGIN,
    CHECK_NEAREST,
    CHECK_WITHIN,
    CHECK_FEATURES,
    CHECK_DEPTH,
    CHECK_COMPONENTS,
    CHECK_EACH,
    CHECK_IGNORE,
    CHECK_ONLY,
    CHECK_EXPECT,
    CHECK_BASELINE,
    CHECK_BY,
    CHECK_WRITE_BASELINE,
    CHECK_EVENTS,
    CHECK_INTERVALS,
    CHECK_FAIL_IF,
    CHECK_UNITS,
    CHECK_CONFIG,
    CHECK_FRAMES,
    CHECK_PART,
    CHECK_RESUME,
    CHECK_ANIMATION,
    CHECK_FPS,
    CHECK_PAIRS,
    CHECK_JSON,
    CHECK_JSON_LINES,
    CHECK_JUNIT,
    CHECK_SARIF,
    CHECK_MARKDOWN,
    CHECK_CSV,
    CHECK_VTK,
    CHECK_HTML,
    CHECK_QUIET,
    CHECK_VERBOSE,
    CHECK_JOBS,
    CHECK_THREADS,
    CHECK_NO_CACHE,
    CHECK_OPTIONS
};

extern const option_spec check_options[CHECK_OPTIONS];

#endif
