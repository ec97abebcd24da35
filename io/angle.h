// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sines and angles by the four operations and the square root, which every machine rounds alike. The C library's own
// functions differ in their last bits from one system to another, and with them the poses of animated models.
#ifndef IO_ANGLE_H
#define IO_ANGLE_H

/// The sine of an angle from 0 to pi / 2, with an error of a few units of the last place.
double angle_sine(double angle);

/// The angle from 0 to pi / 2 of a cosine from 0 to 1, likewise.
double angle_of_cosine(double cosine);

#endif
