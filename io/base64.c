// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Base64: see base64.h.
#include "io/base64.h"

#include <stdint.h>

static int digit(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

bool base64_decode(const char* text, size_t length, unsigned char* out, size_t* size) {
    uint32_t bits = 0;
    int held = 0;
    *size = 0;
    for (int k = 0; k < 2 && length > 0 && text[length - 1] == '='; ++k) {
        --length;
    }
    if (length % 4 == 1) {
        return false;
    }
    for (size_t i = 0; i < length; ++i) {
        const int value = digit(text[i]);
        if (value < 0) {
            return false;
        }
        bits = (bits << 6 | (uint32_t)value) & 0xffffff;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[(*size)++] = (unsigned char)(bits >> held);
        }
    }
    return true;
}
