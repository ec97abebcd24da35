// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The four operations on doubles, each computed exactly with GMP and then rounded to the nearest
// double, ties to even. This is the result of a formula documented as "in double, every product
// rounded", without a floating-point operation of the processor. For one thread only.

#ifndef ABUT_TESTS_SUPPORT_ROUNDED_H
#define ABUT_TESTS_SUPPORT_ROUNDED_H

/// Arguments are finite. An overflow becomes infinite.
double rounded_sum(double a, double b);
double rounded_difference(double a, double b);
double rounded_product(double a, double b);
/// `b` is not 0.
double rounded_quotient(double a, double b);

#endif  // ABUT_TESTS_SUPPORT_ROUNDED_H
