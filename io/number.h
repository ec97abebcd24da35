// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Converts decimal text to numbers: correctly rounded, independent of the locale, never reading
// past `end`.
#ifndef IO_NUMBER_H
#define IO_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum io_number_result {
    IO_NUMBER_OK,
    IO_NUMBER_MISSING,     ///< there is no number here
    IO_NUMBER_NOT_FINITE,  ///< nan, inf, or too large for a double
} io_number_result;

/// Reads a decimal number ([+-] digits [. digits] [e [+-] digits]) at *at and moves *at past it.
/// The value is the double nearest to the decimal, ties to even, for any number of digits.
/// Hexadecimal numbers are refused. On failure *at is unchanged.
io_number_result io_read_double(const char** at, const char* end, double* out);

/// Reads a decimal integer ([+-] digits) at *at and moves *at past it. A value out of range is
/// clamped to int64_t. Returns false, with *at unchanged, if there is no digit.
bool io_read_integer(const char** at, const char* end, int64_t* out);

#endif
