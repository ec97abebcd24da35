// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packing: numbers as little-endian bytes, one after the other, and back.
//
// A packer appends to a block that grows. An unpacker takes bytes from a block that may be damaged or
// forged: it never reads beyond the end, and it allocates no more than the block has bytes for. Both
// remember the first failure; later calls do nothing, and numbers read are 0. So code that packs or
// unpacks need not look at each call, but it must look before it uses what was read.
#ifndef ABUT_BASE_PACKING_H
#define ABUT_BASE_PACKING_H

#include "base/memory.h"

typedef struct abut__packer {
    const abut_context* context;
    ABUT__VECTOR(uint8_t) bytes;
    bool no_memory;
} abut__packer;

void abut__write_u32(abut__packer* writer, uint32_t value);
void abut__write_u64(abut__packer* writer, uint64_t value);
void abut__write_f64(abut__packer* writer, double value);
// Writes `count` numbers of 1, 2, 4 or 8 bytes, as they are in memory, without their count.
void abut__write_numbers(abut__packer* writer, const void* numbers, size_t count, size_t size);

typedef struct abut__unpacker {
    const abut_context* context;
    const uint8_t* at;
    size_t left;
    abut_status status;  // of the first failure
    abut_error* error;
} abut__unpacker;

// Fails with ABUT_ERR_INVALID_DATA, unless the reader has failed before. `what` is a sentence about
// the block. Returns false.
bool abut__read_refuse(abut__unpacker* reader, const char* what);
// The same if `right` is false. Returns whether the reader has not failed so far.
bool abut__read_check(abut__unpacker* reader, bool right, const char* what);
// Fails with `status`, for a call that has filled reader->error.
void abut__read_fail(abut__unpacker* reader, abut_status status);

static inline bool abut__read_ok(const abut__unpacker* reader) {
    return reader->status == ABUT_OK;
}

uint32_t abut__read_u32(abut__unpacker* reader);
uint64_t abut__read_u64(abut__unpacker* reader);
double abut__read_f64(abut__unpacker* reader);
// Reads a number that must not be above `most`.
uint32_t abut__read_up_to(abut__unpacker* reader, uint32_t most, const char* what);
// Reads `count` numbers of 1, 2, 4 or 8 bytes into memory of the caller.
bool abut__read_numbers(abut__unpacker* reader, void* numbers, size_t count, size_t size);
// Allocates `count` elements of `per` numbers each and reads them. NULL: the reader has failed, or
// there is nothing to read.
void* abut__read_array(abut__unpacker* reader, size_t count, size_t per, size_t size);
// Allocates `count` elements if the block has at least `packed` bytes for each. NULL: the reader has
// failed, or `count` is 0.
void* abut__read_room(abut__unpacker* reader, size_t count, size_t packed, size_t size);

// A checksum of bytes. Any change within eight bytes, at a multiple of eight, changes it.
uint64_t abut__checksum(const uint8_t* bytes, size_t count, uint64_t seed);

// Whether all numbers, floats or doubles, are finite.
bool abut__all_finite(const void* numbers, size_t count, bool is_double);

#endif
