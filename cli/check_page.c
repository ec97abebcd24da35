// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Begins and ends the report of abut check: see check_page.h.
#include "cli/check_page.h"

#include <stdio.h>
#include <string.h>

// the part after the last slash
static const char* last_part(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

report* check_page_open(const check_page* p) {
    char title[256];
    const size_t others = p->plain_count - 1;
    snprintf(title, sizeof title, others == 0 ? "%.200s" : "%.200s and %zu more",
             last_part(p->plain[0]), others);
    report* r = report_open(&(report_def){
        .path = p->path,
        .title = title,
        .frames = p->frames,
        .fps = p->fps,
        .up = 'y',
        .work = p->work,
    });
    for (size_t i = 0; i < p->label_count && r != NULL; ++i) {
        report_name(r, p->labels[i]);
    }
    return r;
}

bool check_page_close(report* r, const gate* g, const verdict* said, bool tell,
                      picture_protocol pictures) {
    if (r != NULL) {
        char text[JUDGEMENT_SIZE];
        if (tell && pictures != PICTURES_OFF) {
            report_show(r, &g->events, &g->tracks, pictures);
        }
        report_list(r, &g->events, &g->tracks, g->condition != NULL);
        report_judge(r, gate_judgement(g, text), gate_fails(g, said));
    }
    return report_close(r, tell);
}
