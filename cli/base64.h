// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bytes as text (RFC 4648).
#ifndef CLI_BASE64_H
#define CLI_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Writes bytes in base64. Pieces of a multiple of three bytes can be joined.
void base64_write(FILE* file, const uint8_t* bytes, size_t size);

#endif
