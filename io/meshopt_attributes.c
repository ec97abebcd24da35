// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Attributes of compressed buffer views: see meshopt.h. An element is a row of bytes. Blocks of up
// to 256 elements store each byte position by itself, as differences to the element before, in
// groups of 16.
#include "io/meshopt.h"

#include <stdint.h>
#include <string.h>

enum {
    GROUP = 16,
    MOST_BLOCK = 256,
    BLOCK_BYTES = 8192,
    CHANNEL = 4,  // bytes that share a channel mode
    VERSION_0 = 0xa0,
    VERSION_1 = 0xa1,
    LEAST_TAIL_0 = 32,
    LEAST_TAIL_1 = 24,
};

// how a byte position of a block is stored
typedef enum control {
    CONTROL_SMALL = 0,  // bit lengths 0, 1, 2, 4
    CONTROL_LARGE = 1,  // bit lengths 1, 2, 4, 8
    CONTROL_ZERO = 2,   // nothing: all differences are 0
    CONTROL_BYTES = 3,  // the differences as bytes, without those that fill up the last group
    CONTROL_OLD = 4,    // version 0: bit lengths 0, 2, 4, 8
} control;

typedef struct reader {
    const unsigned char* at;
    const unsigned char* end;  // the tail begins here
    size_t stride;
    bool old;                                 // version 0
    const unsigned char* modes;               // of the channels; NULL in version 0
    unsigned char last[MESHOPT_MOST_STRIDE];  // the element before
    unsigned char deltas[CHANNEL][MOST_BLOCK];
} reader;

// takes `count` bytes; NULL if there are not so many
static const unsigned char* take(reader* r, size_t count) {
    const unsigned char* bytes = r->at;
    if ((size_t)(r->end - r->at) < count) {
        return NULL;
    }
    r->at += count;
    return bytes;
}

// difference i of a group that stores `bits` per difference: 1 bit from the lowest, 2 and 4 from the
// highest bit of each byte
static unsigned packed_at(const unsigned char* bytes, unsigned bits, unsigned i) {
    const unsigned in_byte = 8 / bits;
    const unsigned place = i % in_byte;
    const unsigned shift = bits == 1 ? place : 8 - bits * (place + 1);
    return (unsigned)bytes[i / in_byte] >> shift & ((1U << bits) - 1);
}

static bool read_group(reader* r, unsigned bits, unsigned char out[GROUP]) {
    if (bits == 0) {
        memset(out, 0, GROUP);
        return true;
    }
    const unsigned char* packed = take(r, GROUP * bits / 8);
    if (packed == NULL || bits == 8) {
        return packed != NULL && memcpy(out, packed, GROUP) != NULL;
    }
    const unsigned sentinel = (1U << bits) - 1;  // the difference follows as a byte
    for (unsigned i = 0; i < GROUP; ++i) {
        const unsigned value = packed_at(packed, bits, i);
        const unsigned char* whole = value == sentinel ? take(r, 1) : NULL;
        if (value == sentinel && whole == NULL) {
            return false;
        }
        out[i] = whole != NULL ? *whole : (unsigned char)value;
    }
    return true;
}

// reads the differences of one byte position
static bool read_position(reader* r, control how, size_t count, unsigned char* out) {
    const size_t groups = (count + GROUP - 1) / GROUP;
    static const unsigned char lengths[5][4] = {[CONTROL_SMALL] = {0, 1, 2, 4},
                                                [CONTROL_LARGE] = {1, 2, 4, 8},
                                                [CONTROL_OLD] = {0, 2, 4, 8}};
    if (how == CONTROL_ZERO) {
        memset(out, 0, groups * GROUP);
        return true;
    }
    if (how == CONTROL_BYTES) {
        const unsigned char* bytes = take(r, count);
        return bytes != NULL && memcpy(out, bytes, count) != NULL;
    }
    const unsigned char* heads = take(r, (groups + 3) / 4);
    for (size_t g = 0; heads != NULL && g < groups; ++g) {
        const unsigned bits = lengths[how][heads[g / 4] >> 2 * (g % 4) & 3];
        if (!read_group(r, bits, out + g * GROUP)) {
            return false;
        }
    }
    return heads != NULL;
}

// undoes the zigzag code: the lowest bit is the sign
static uint32_t unzigzag(uint32_t v) {
    return v >> 1 ^ (0 - (v & 1));
}

static uint32_t rotated_right(uint32_t v, unsigned by) {
    return by == 0 ? v : v >> by | v << (32 - by);
}

// adds the differences of a channel to the element before
static void restore_channel(reader* r, size_t channel, size_t count, unsigned char* out) {
    const unsigned mode = r->old ? 0 : r->modes[channel] & 15U;
    const unsigned rotation = r->old ? 0 : (unsigned)r->modes[channel] >> 4;
    unsigned char* last = r->last + CHANNEL * channel;
    for (size_t i = 0; i < count; ++i, out += r->stride) {
        uint32_t delta = 0;
        uint32_t before = 0;
        uint32_t now = 0;
        for (unsigned k = 0; k < CHANNEL; ++k) {
            delta |= (uint32_t)r->deltas[k][i] << 8 * k;
            before |= (uint32_t)last[k] << 8 * k;
        }
        if (mode == 2) {
            now = before ^ rotated_right(delta, rotation);
        } else {
            const unsigned width = mode == 0 ? 8 : 16;
            const uint32_t mask = (1U << width) - 1;
            for (unsigned at = 0; at < 32; at += width) {
                const uint32_t sum = (before >> at) + unzigzag(delta >> at & mask);
                now |= (sum & mask) << at;
            }
        }
        for (unsigned k = 0; k < CHANNEL; ++k) {
            last[k] = out[k] = (unsigned char)(now >> 8 * k);
        }
    }
}

static bool read_block(reader* r, size_t count, unsigned char* out) {
    const unsigned char* controls = r->old ? NULL : take(r, r->stride / CHANNEL);
    if (!r->old && controls == NULL) {
        return false;
    }
    for (size_t c = 0; c < r->stride / CHANNEL; ++c) {
        for (unsigned k = 0; k < CHANNEL; ++k) {
            const control how = controls == NULL ? CONTROL_OLD
                                                 : (control)(controls[c] >> 2 * k & 3);
            if (!read_position(r, how, count, r->deltas[k])) {
                return false;
            }
        }
        restore_channel(r, c, count, out + CHANNEL * c);
    }
    return true;
}

// the tail: padding, the first element's predecessor, and in version 1 the modes of the channels
static const char* open_tail(reader* r, const meshopt_stream* s) {
    const size_t modes = r->old ? 0 : s->stride / CHANNEL;
    const size_t least = r->old ? LEAST_TAIL_0 : LEAST_TAIL_1;
    const size_t wanted = s->stride + modes;
    const size_t tail = wanted < least ? least : wanted;
    if (s->size < 1 + tail) {
        return "is cut off";
    }
    const unsigned char* end = s->bytes + s->size;
    memcpy(r->last, end - wanted, s->stride);
    r->end = end - tail;
    r->modes = r->old ? NULL : end - modes;
    for (size_t i = 0; i < modes; ++i) {
        const unsigned mode = r->modes[i] & 15U;
        if (mode > 2 || (mode < 2 && r->modes[i] != mode)) {
            return "has an unknown channel mode";
        }
    }
    return NULL;
}

const char* meshopt_attributes(const meshopt_stream* s, unsigned char* out) {
    reader r = {.stride = s->stride};
    if (s->size == 0 || (s->bytes[0] != VERSION_0 && s->bytes[0] != VERSION_1)) {
        return "is of an unknown version (it begins with neither 0xa0 nor 0xa1)";
    }
    r.old = s->bytes[0] == VERSION_0;
    r.at = s->bytes + 1;
    const char* problem = open_tail(&r, s);
    const size_t fit = BLOCK_BYTES / s->stride / GROUP * GROUP;
    const size_t most = fit < MOST_BLOCK ? fit : MOST_BLOCK;
    for (size_t i = 0; i < s->count && problem == NULL; i += most) {
        const size_t left = s->count - i;
        if (!read_block(&r, left < most ? left : most, out + i * s->stride)) {
            problem = "ends early";
        }
    }
    return problem != NULL ? problem : r.at == r.end ? NULL : "has bytes that nothing uses";
}
