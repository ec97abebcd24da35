// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decodes base64 (RFC 4648). Internal to io/.
#ifndef IO_BASE64_H
#define IO_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/// Upper bound of the bytes that a text of this length decodes to.
static inline size_t base64_room(size_t length) {
    return length / 4 * 3 + 3;
}

/// Decodes the text into `out`, which has room for base64_room(length) bytes. The padding is
/// optional. False if the text contains any other character.
bool base64_decode(const char* text, size_t length, unsigned char* out, size_t* size);

#endif
