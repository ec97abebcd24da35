// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// When a triangle that is shifted along a direction touches another one.
#ifndef ABUT_DEPTH_PASSAGE_H
#define ABUT_DEPTH_PASSAGE_H

#include <stdbool.h>

// The shifts t for which p + t d touches q are an interval. In plain doubles: its ends are off by some
// roundings of the coordinates' size, and passages that graze may be missed.
typedef struct abut__passage {
    double in;
    double out;
} abut__passage;

// The shortest translation of p with which two triangles that touch cease to, or a shorter one along its
// direction.
typedef struct abut__hold {
    double length;
    double direction[3];  // 0: nothing is known
} abut__hold;

// ---- hold.c
abut__hold abut__hold_of(const double p[3][3], const double q[3][3]);

// ---- passage.c
// False: they never touch.
bool abut__passage_of(const double p[3][3], const double q[3][3], const double d[3],
                      abut__passage* passage);

#endif
