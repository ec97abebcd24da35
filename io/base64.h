// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Base64 (RFC 4648), as data in a text. Internal to io/.
#ifndef IO_BASE64_H
#define IO_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/// Bytes that a text of this length can stand for, at most.
static inline size_t base64_room(size_t length) {
    return length / 4 * 3 + 3;
}

/// Decodes the text into `out`, which has room for base64_room(length) bytes. The padding may be
/// missing. False if the text has anything else in it.
bool base64_decode(const char* text, size_t length, unsigned char* out, size_t* size);

#endif
