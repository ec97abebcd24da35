// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A crowd of skinned figures, and a ray that moves over it: see parade.h.
#include "scenes/parade.h"

#include <math.h>

#include "scenes/walker.h"

// a figure holds its arms out by less than half of the first
static const double apart[2] = {1.3, 1.1};  // metres between columns, and between rows

bool parade_begin(parade* p, const parade_def* def) {
    *p = (parade){.def = *def};
    p->def.figures = def->figures > 0 ? def->figures : PARADE_FIGURES;
    p->def.triangles = def->triangles > 0 ? def->triangles : PARADE_TRIANGLES;
    p->def.frames = def->frames > 0 ? def->frames : PARADE_FRAMES;
    p->columns = (uint32_t)ceil(sqrt(p->def.figures));
    p->source = scene_create("walk", p->def.triangles, 1, def->seed);
    p->figure = p->source != NULL ? scene_get_body(p->source, 0) : NULL;
    return p->source != NULL;
}

void parade_end(parade* p) {
    scene_destroy(p->source);
    *p = (parade){0};
}

// the number `which` of a figure, in low .. high
static double draw(const parade* p, uint32_t figure, uint32_t which, double low, double high) {
    return scene__random_in(p->def.seed, 8 * figure + which + 1000, low, high);
}

void parade_pose(const parade* p, uint32_t figure, uint32_t frame, double* coordinates,
                 double* transforms, double place[3]) {
    const double time = frame / 30.0;
    const walker_pose pose = {
        .step = draw(p, figure, 0, 0.0, 2.0 * SCENE_PI) + 2.0 * SCENE_PI * time,
        .effort = draw(p, figure, 1, 0.0, 1.0),
        .wide = draw(p, figure, 2, 0.9, 1.1),
        .forward = WALKER_STRIDE * time,
    };
    walker_transforms(&pose, transforms);
    for (uint32_t j = 0; j < p->figure->field_count; ++j) {
        coordinates[j] = 0.5 + 0.5 * sin(pose.step * (j + 1.0) + draw(p, figure, 3, 0.0, 3.0));
    }
    place[0] = apart[0] * (figure % p->columns) + draw(p, figure, 4, -0.1, 0.1);
    place[1] = apart[1] * (figure / p->columns) + draw(p, figure, 5, -0.1, 0.1);
    place[2] = 0.0;
}

void parade_ray(const parade* p, uint32_t frame, double from[3], double through[3]) {
    const double turn = 2.0 * SCENE_PI * frame / p->def.frames;
    const double wide = apart[0] * (p->columns - 1.0);
    const double deep = apart[1] * ((p->def.figures - 1) / p->columns);
    const double walked = WALKER_STRIDE * frame / 30.0;
    // the viewer walks along, in front of the first row
    from[0] = 0.5 * wide;
    from[1] = walked - 4.0 - 0.2 * deep;
    from[2] = 2.5 + 0.15 * deep;
    through[0] = 0.5 * wide + 0.45 * wide * sin(turn);
    through[1] = walked + 0.4 * deep + 0.35 * deep * sin(2.0 * turn + 0.5);
    through[2] = 1.1;
}
