// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The seal of a part: its last line holds a hash of all bytes before it, so that a damaged file is noticed.
#ifndef CLI_FARM_PART_SEAL_H
#define CLI_FARM_PART_SEAL_H

#include <stdbool.h>
#include <stddef.h>

enum { SUM_SIZE = 64, SEAL_SIZE = 9 + SUM_SIZE + 3 };

/// Writes the sum SHA-256 of bytes as digits, with a final 0.
void sum_of(const void* bytes, size_t size, char sum[SUM_SIZE + 1]);

/// Makes the last line for these bytes, with a final 0.
void seal_make(const char* bytes, size_t size, char seal[SEAL_SIZE + 1]);
/// Whether bytes end with their seal.
bool seal_fits(const char* bytes, size_t size);

#endif
