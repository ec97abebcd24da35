// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A plain skinning loop: see skin.h.
#include "bench/skin.h"

void skin_plainly(const scene_body* body, const float* rest, const float* transforms, float* out) {
    for (uint32_t v = 0; v < body->vertex_count; ++v) {
        float m[12] = {0};
        for (uint32_t i = body->weight_first[v]; i < body->weight_first[v + 1]; ++i) {
            const float* t = transforms + 12 * (size_t)body->weight_nodes[i];
            for (int e = 0; e < 12; ++e) {
                m[e] += body->weights[i] * t[e];
            }
        }
        const float* p = rest + 3 * (size_t)v;
        for (size_t d = 0; d < 3; ++d) {
            const float* row = m + 4 * d;
            out[3 * (size_t)v + d] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
        }
    }
}
