// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes untrusted text safe to print: see clean.h.
#include "io/clean.h"

#include <string.h>

size_t io_character(const char* text, uint32_t* code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char* at = (const unsigned char*)text;
    const size_t length = at[0] < 0x80   ? 1
                          : at[0] < 0xC0 ? 0
                          : at[0] < 0xE0 ? 2
                          : at[0] < 0xF0 ? 3
                          : at[0] < 0xF8 ? 4
                                         : 0;
    uint32_t value = length == 1 ? at[0] : at[0] & (0x7Fu >> length);
    size_t used = 1;
    while (used < length && (at[used] & 0xC0) == 0x80) {  // stops at the final 0 byte, too
        value = value << 6 | (at[used++] & 0x3Fu);
    }
    const bool wrong = length == 0 || used < length || value < least[length] || value > 0x10FFFF ||
                       (value >= 0xD800 && value < 0xE000);
    *code = wrong ? UINT32_MAX : value;
    return wrong ? 1 : length;
}

bool io_is_control(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x61C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

char* io_clean(char* text) {
    char* to = text;
    for (const char* from = text; *from != '\0';) {
        uint32_t code = 0;
        const size_t length = io_character(from, &code);
        if (code == UINT32_MAX || io_is_control(code)) {
            *to++ = '?';
        } else {
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    *to = '\0';
    return text;
}
