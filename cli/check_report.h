// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The table of abut check.
#ifndef CLI_CHECK_REPORT_H
#define CLI_CHECK_REPORT_H

#include "cli/gate/gate.h"
#include "cli/history.h"
#include "cli/object.h"

typedef struct check_summary {
    const history* found;
    const verdict* said;
    const object_list* objects;
    const char* const* labels;  ///< of the objects
    const question* ask;
    const gate* gate;
    bool verbose;    ///< also the work, which differs from run to run
    double seconds;  ///< of reading and checking
} check_summary;

/// Prints the verdict, what touches what, and the frames.
void print_check_report(const check_summary* c);

#endif
