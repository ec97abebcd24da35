// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Records of demos of dynamics: see demo_record.h.
#include "cli/demo_record.h"

#include <inttypes.h>

static void write_row(FILE* file, const char* manner, size_t step, double time,
                      const step_cost* c) {
    const swarm_work* w = &c->work;
    fprintf(file, "%s,%zu,%.6g", manner, step, time);
    fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, w->contacts,
            w->pushes, w->between, w->sphere_tests, w->spheres_updated);
    fprintf(file, ",%.6g,%.6g,%.6g,%.6g", 1e3 * w->update.processor, 1e3 * w->collide.processor,
            1e3 * w->solve.processor, 1e3 * (w->update.clock + w->collide.clock + w->solve.clock));
    fprintf(file, ",%" PRIu64 ",%.9g,%.9g\n", c->bytes, c->kinetic, c->stored);
}

void record_write(FILE* file, const checkpoint* done, uint32_t manner_count, double step_seconds) {
    static const char* const names[SWARM_MANNERS] = {"deformable", "rigid", "redundant"};
    fputs(
        "manner,step,time,contacts,pushes,between,sphere_tests,spheres_updated,update_ms,collide_"
        "ms,"
        "dynamics_ms,clock_ms,bytes,kinetic,stored\n",
        file);
    for (uint32_t m = 0; m < manner_count && m < SWARM_MANNERS; ++m) {
        for (size_t i = 0; i < STEPS_PER_FRAME * (size_t)done->frames[m]; ++i) {
            write_row(file, names[m], i + 1, (double)(i + 1) * step_seconds, &done->costs[m][i]);
        }
    }
}
