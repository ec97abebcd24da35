// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes arrays and archives of numpy for tests.
#ifndef TEST_SUPPORT_NPZ_MAKER_H
#define TEST_SUPPORT_NPZ_MAKER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct made_bytes {
    unsigned char* bytes;  ///< the caller frees it
    size_t size;
} made_bytes;

/// An array of `count` numbers, given in C order, as "<f8", ">i2" and so on. `shape` is the text in
/// the header, such as "(3, 4)". With `rows` and `columns` both positive the numbers are written in
/// Fortran order.
made_bytes make_npy(const double* numbers, size_t count, const char* type, const char* shape,
                    size_t rows, size_t columns);

/// An archive of these arrays, named as given ("faces.npy"); packed or stored.
made_bytes make_npz(const char* const* names, const made_bytes* arrays, size_t count, bool packed);

#endif
