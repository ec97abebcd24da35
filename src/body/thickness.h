// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How thick bodies are: one number for all vertices, or one for each. A triangle or edge is as thick as
// the thickest of its vertices. Thickness is a property of a scene's bodies, and follows no motion.
#ifndef ABUT_BODY_THICKNESS_H
#define ABUT_BODY_THICKNESS_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

struct abut_scene;
struct abut__body;

typedef struct abut__thickness {
    double most;           // of the thickest vertex
    const double* vertex;  // NULL: all vertices are equally thick
    uint32_t count;        // of these; vertices beyond have `most`
} abut__thickness;

static inline double abut__vertex_thickness(const abut__thickness* t, uint32_t vertex) {
    return t->vertex != NULL && vertex < t->count ? t->vertex[vertex] : t->most;
}

// The thickness of what some vertices span.
static inline double abut__span_thickness(const abut__thickness* t, const uint32_t* vertices,
                                          uint32_t count) {
    if (t->vertex == NULL) {
        return t->most;
    }
    double most = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const double next = abut__vertex_thickness(t, vertices[i]);
        most = next > most ? next : most;
    }
    return most;
}

// Sums of lengths. Those beyond the range of doubles are the greatest one.
static inline double abut__add_lengths(double a, double b) {
    const double sum = a + b;
    return sum < DBL_MAX ? sum : DBL_MAX;
}

// Returns how thick a body is, and the thickness of the scene's thickest body.
abut__thickness abut__body_thickness(const struct abut_scene* scene, const struct abut__body* body);
double abut__thickest(const struct abut_scene* scene);
// Forgets the thickness of a body that is gone, and of all bodies.
void abut__thickness_end(struct abut_scene* scene, uint32_t index);
void abut__thickness_free(struct abut_scene* scene);

#endif
