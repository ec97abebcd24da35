// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decimal text to numbers: correctly rounded, independent of the locale, never past `end`.
#ifndef IO_NUMBER_H
#define IO_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum io_number_result {
    IO_NUMBER_OK,
    IO_NUMBER_MISSING,     ///< there is no number here
    IO_NUMBER_NOT_FINITE,  ///< nan, inf, or too large for a double
} io_number_result;

/// Reads a decimal number ([+-] digits [. digits] [e [+-] digits]) at *at and moves *at behind it.
/// The value is the double nearest to the decimal, ties to even, whatever its length.
/// Hexadecimal numbers are refused. On failure *at stays.
io_number_result io_read_double(const char** at, const char* end, double* out);

/// Reads a decimal integer ([+-] digits) at *at and moves *at behind it. A value outside of
/// int64_t becomes the nearest int64_t. Returns false, with *at unchanged, if there is no digit.
bool io_read_integer(const char** at, const char* end, int64_t* out);

#endif
