// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes bytes as text: see base64.h.
#include "cli/base64.h"

void base64_write(FILE* file, const uint8_t* bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t b1 = left > 1 ? bytes[i + 1] : 0u;
        const uint32_t b2 = left > 2 ? bytes[i + 2] : 0u;
        const uint32_t word = (uint32_t)bytes[i] << 16 | b1 << 8 | b2;
        fputc(digits[word >> 18], file);
        fputc(digits[word >> 12 & 63u], file);
        fputc(left > 1 ? digits[word >> 6 & 63u] : '=', file);
        fputc(left > 2 ? digits[word & 63u] : '=', file);
    }
}
