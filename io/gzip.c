// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Unpacks gzip data: see gzip.h.
#include "io/gzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#define MOST_BYTES ((uint64_t)8 << 30)
#define FREE_BYTES ((uint64_t)64 << 20)  // below this size any ratio is accepted
enum { MOST_RATIO = 256, PIECE = 1 << 30 };

typedef struct unpacker {
    const char* name;
    io_error* error;
    const char* in;
    size_t left;  // bytes of `in` that zlib has not seen
    size_t packed;
    char* out;
    size_t used;
    size_t room;
    z_stream z;
} unpacker;

bool io_is_gzip(const char* bytes, size_t size) {
    return size >= 2 && (unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b;
}

static bool make_room(unpacker* u) {
    if (u->used < u->room) {
        return true;
    }
    const uint64_t used = u->used;  // a size may have 32 bits, and the limit more
    const bool too_large = used >= MOST_BYTES ||
                           (u->used >= FREE_BYTES && u->used / MOST_RATIO >= u->packed);
    if (too_large) {
        return io_fail_in(u->error, u->name,
                          "it unpacks to more than %zu MiB from %zu KiB, which is unusual for a "
                          "mesh; if it is one, unpack it first: gunzip -k",
                          u->used >> 20, (u->packed >> 10) + 1);
    }
    const size_t room = u->room == 0 ? 1 << 16 : 2 * u->room;
    char* grown = room > u->room ? realloc(u->out, room) : NULL;
    if (grown == NULL) {
        return io_fail_in(u->error, u->name, "it does not fit in memory when it is unpacked");
    }
    u->out = grown;
    u->room = room;
    return true;
}

static void feed(unpacker* u) {
    if (u->z.avail_in == 0 && u->left != 0) {
        const size_t count = u->left < PIECE ? u->left : PIECE;
        u->z.next_in = (unsigned char*)(uintptr_t)u->in;
        u->z.avail_in = (unsigned)count;
        u->in += count;
        u->left -= count;
    }
}

// inflates one piece; *end says whether a member of the file ended
static bool step(unpacker* u, bool* end) {
    if (!make_room(u)) {
        return false;
    }
    feed(u);
    const size_t free_bytes = u->room - u->used;
    const size_t most = free_bytes < PIECE ? free_bytes : PIECE;
    u->z.next_out = (unsigned char*)u->out + u->used;
    u->z.avail_out = (unsigned)most;
    const int result = inflate(&u->z, Z_NO_FLUSH);
    u->used += most - u->z.avail_out;
    *end = result == Z_STREAM_END;
    if (result == Z_BUF_ERROR && u->left == 0 && u->z.avail_in == 0) {
        return io_fail_in(u->error, u->name, "the packed data end early; is it cut off?");
    }
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR ||
           io_fail_in(u->error, u->name, "the packed data are damaged (gzip: %s)",
                      u->z.msg != NULL ? u->z.msg : "no reason given");
}

// unpacks all members of the file
static bool unpack(unpacker* u) {
    bool end = false;
    while (!end) {
        if (!step(u, &end)) {
            return false;
        }
        feed(u);
        if (end && u->z.avail_in != 0) {
            end = false;
            inflateReset(&u->z);
        }
    }
    return true;
}

bool io_gunzip(const char* name, char** bytes, size_t* size, io_error* error) {
    unpacker u = {.name = name, .error = error, .in = *bytes, .left = *size, .packed = *size};
    if (inflateInit2(&u.z, 15 + 16) != Z_OK) {  // the largest window, gzip only
        return io_fail_in(error, name, "there is not enough memory to unpack it");
    }
    const bool done = unpack(&u);
    inflateEnd(&u.z);
    if (!done) {
        free(u.out);
        return false;
    }
    free(*bytes);
    *bytes = u.out;
    *size = u.used;
    return true;
}
