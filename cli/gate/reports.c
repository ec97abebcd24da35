// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens and ends the reports for machines: see reports.h.
#include "cli/gate/reports.h"

#include "cli/gate/junit.h"
#include "cli/output.h"

bool reports_open(reports* r, const char* junit, const char* sarif_path) {
    *r = (reports){0};
    if (!output_claim_report("junit", junit) || !output_claim_report("sarif", sarif_path) ||
        !json_open(&r->sarif_file, sarif_path)) {
        return false;
    }
    if (sarif_path != NULL) {
        sarif_begin(&r->sarif);
    }
    if (junit != NULL) {
        r->junit = output_open_report(junit);
        if (r->junit == NULL) {
            return false;
        }
        junit_begin(r->junit);
    }
    return true;
}

void reports_add(reports* r, const scene* s) {
    if (r->junit != NULL) {
        junit_scene(r->junit, s);
    }
    if (r->sarif.results != NULL) {
        sarif_scene(&r->sarif, s);
    }
}

bool reports_close(reports* r) {
    bool done = true;
    if (r->junit != NULL) {
        junit_end(r->junit);
        done = output_end(r->junit);
        r->junit = NULL;
    }
    if (r->sarif.results != NULL) {
        sarif_end(&r->sarif, &r->sarif_file);
        done = json_close(&r->sarif_file) && done;
    }
    return done;
}

void reports_drop(reports* r) {
    output_drop(r->junit);
    json_drop(&r->sarif_file);
    json_decref(r->sarif.results);
    json_decref(r->sarif.notifications);
    *r = (reports){0};
}
