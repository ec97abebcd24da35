// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Describes events of a scene: see scene.h.
#include "cli/gate/scene.h"

#include <stdio.h>

static const char* frames_text(const scene* s, const event* e, char text[96]) {
    const unsigned long long first = frame_number(s->names, e->first);
    const unsigned long long last = frame_number(s->names, e->last);
    const unsigned long long worst = frame_number(s->names, e->worst);
    if (first == last) {
        snprintf(text, 96, "in frame %llu", first);
    } else {
        snprintf(text, 96, "in frames %llu to %llu, worst in %llu", first, last, worst);
    }
    return text;
}

const char* event_text(const scene* s, const event* e, char text[EVENT_TEXT_SIZE]) {
    char frames[96];
    char much[128];
    const bool self = e->now.a == e->now.b;
    if (e->kind == KIND_NEAR) {
        snprintf(much, sizeof much, "distance %.6g", e->now.distance);
    } else {
        snprintf(much, sizeof much, "%s %.6g, %zu pair%s of triangles",
                 e->now.is_extent ? "extent" : "depth", e->now.depth, e->most_pairs,
                 e->most_pairs == 1 ? "" : "s");
    }
    snprintf(text, EVENT_TEXT_SIZE, "%.240s and %.240s: %s, %s, %s", s->labels[e->now.a],
             self ? "itself" : s->labels[e->now.b], contact_kind_text(e->kind), much,
             frames_text(s, e, frames));
    return text;
}
