// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The reports that hold all scenes of a run: JUnit XML, SARIF and Markdown.
#ifndef CLI_GATE_REPORTS_H
#define CLI_GATE_REPORTS_H

#include "cli/gate/sarif.h"

/// Start zeroed.
typedef struct reports {
    FILE* junit;
    FILE* markdown;
    json_output sarif_file;
    sarif sarif;
} reports;

/// Opens the files; a NULL name means none. False after an error message.
bool reports_open(reports* r, const char* junit, const char* sarif_path, const char* markdown);
void reports_add(reports* r, const scene* s);
/// Ends the files. False after an error message.
bool reports_close(reports* r);
/// Discards them after a failure; does nothing after reports_close().
void reports_drop(reports* r);

#endif
