// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens and ends the reports of all scenes: see reports.h.
#include "cli/gate/reports.h"

#include "cli/gate/junit.h"
#include "cli/gate/markdown.h"
#include "cli/output.h"

bool reports_open(reports* r, const char* junit, const char* sarif_path, const char* markdown) {
    *r = (reports){0};
    if (!output_claim_report("junit", junit) || !output_claim_report("sarif", sarif_path) ||
        !output_claim_report("markdown", markdown) || !json_open(&r->sarif_file, sarif_path)) {
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
    r->markdown = markdown != NULL ? output_open_report(markdown) : NULL;
    return r->markdown != NULL || markdown == NULL;
}

void reports_add(reports* r, const scene* s) {
    if (r->junit != NULL) {
        junit_scene(r->junit, s);
    }
    if (r->sarif.results != NULL) {
        sarif_scene(&r->sarif, s);
    }
    if (r->markdown != NULL) {
        markdown_scene(r->markdown, s);
    }
}

bool reports_close(reports* r) {
    bool done = true;
    if (r->junit != NULL) {
        junit_end(r->junit);
        done = output_end(r->junit);
        r->junit = NULL;
    }
    if (r->markdown != NULL) {
        done = output_end(r->markdown) && done;
        r->markdown = NULL;
    }
    if (r->sarif.results != NULL) {
        sarif_end(&r->sarif, &r->sarif_file);
        done = json_close(&r->sarif_file) && done;
    }
    return done;
}

void reports_drop(reports* r) {
    output_drop(r->junit);
    output_drop(r->markdown);
    json_drop(&r->sarif_file);
    json_decref(r->sarif.results);
    json_decref(r->sarif.notifications);
    *r = (reports){0};
}
