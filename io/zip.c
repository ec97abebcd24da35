// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// ZIP archives: see zip.h. The directory at the end of the archive says where its files are.
#include "io/zip.h"

#include "io/inflate.h"

#include <stdlib.h>
#include <string.h>

enum {
    END_SIZE = 22,
    LOCATOR_SIZE = 20,
    LONG_END_SIZE = 56,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    MOST_COMMENT = 65535,
    STORED = 0,
    DEFLATED = 8,
    LONG_SIZES = 1,  // the extra field of ZIP64
};

static uint64_t number(const unsigned char* b, size_t size) {
    uint64_t value = 0;
    for (size_t k = 0; k < size; ++k) {
        value |= (uint64_t)b[k] << 8 * k;
    }
    return value;
}

static bool fail(const zip_archive* zip, const char* what) {
    return io_fail_in(zip->error, zip->name, "this archive %s; is it cut off or damaged?", what);
}

bool zip_is_archive(const unsigned char* bytes, size_t size) {
    return size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

// the last record of the archive, which a comment may follow
static bool find_end(const zip_archive* zip, size_t* place) {
    if (zip->size < END_SIZE) {
        return false;
    }
    const size_t last = zip->size - END_SIZE;
    const size_t first = last < MOST_COMMENT ? 0 : last - MOST_COMMENT;
    for (size_t at = last + 1; at-- > first;) {
        if (memcmp(zip->bytes + at, "PK\5\6", 4) == 0) {
            *place = at;
            return true;
        }
    }
    return false;
}

// the end record of ZIP64, for archives of 4 GiB and more; without it nothing changes
static void read_long_end(const zip_archive* zip, size_t end, uint64_t* first, uint64_t* count) {
    if (end < LOCATOR_SIZE || memcmp(zip->bytes + end - LOCATOR_SIZE, "PK\6\7", 4) != 0) {
        return;
    }
    const uint64_t place = number(zip->bytes + end - LOCATOR_SIZE + 8, 8);
    if (place <= zip->size && zip->size - place >= LONG_END_SIZE &&
        memcmp(zip->bytes + place, "PK\6\6", 4) == 0) {
        *count = number(zip->bytes + place + 32, 8);
        *first = number(zip->bytes + place + 48, 8);
    }
}

bool zip_open(zip_archive* zip, const char* name, const unsigned char* bytes, size_t size,
              io_error* error) {
    *zip = (zip_archive){.name = name, .bytes = bytes, .size = size, .error = error};
    size_t end = 0;
    if (!find_end(zip, &end)) {
        return fail(zip, "has no directory at its end");
    }
    uint64_t first = number(bytes + end + 16, 4);
    zip->left = number(bytes + end + 10, 2);
    read_long_end(zip, end, &first, &zip->left);
    if (first > size) {
        return fail(zip, "has a directory beyond its end");
    }
    zip->at = (size_t)first;
    return true;
}

// sizes and place that do not fit in four bytes stand in an extra field, in this order
static bool read_long_sizes(const unsigned char* extra, size_t length, uint64_t* values[3]) {
    while (length >= 4) {
        const size_t id = (size_t)number(extra, 2);
        const size_t size = (size_t)number(extra + 2, 2);
        if (size > length - 4) {
            return false;
        }
        for (size_t k = 0, at = 4; id == LONG_SIZES && k < 3; ++k) {
            if (*values[k] == UINT32_MAX && at + 8 > 4 + size) {
                return false;
            }
            if (*values[k] == UINT32_MAX) {
                *values[k] = number(extra + at, 8);
                at += 8;
            }
        }
        extra += 4 + size;
        length -= 4 + size;
    }
    return true;
}

// the data of an entry follow its local header, whose lengths may differ from the directory's
static bool find_data(const zip_archive* zip, uint64_t local, zip_entry* e) {
    if (local > zip->size || zip->size - local < LOCAL_SIZE ||
        memcmp(zip->bytes + local, "PK\3\4", 4) != 0) {
        return fail(zip, "names a file that is not in it");
    }
    const unsigned char* b = zip->bytes + local;
    const uint64_t place = local + LOCAL_SIZE + number(b + 26, 2) + number(b + 28, 2);
    if (place > zip->size || e->packed > zip->size - place) {
        return fail(zip, "has a file that reaches beyond its end");
    }
    e->place = (size_t)place;
    return true;
}

bool zip_next(zip_archive* zip, zip_entry* e, bool* end) {
    *e = (zip_entry){0};
    *end = zip->left == 0;
    if (*end) {
        return true;
    }
    const unsigned char* b = zip->bytes + zip->at;
    const size_t room = zip->size - zip->at;
    if (room < ENTRY_SIZE || memcmp(b, "PK\1\2", 4) != 0) {
        return fail(zip, "has a damaged directory");
    }
    e->name_length = (size_t)number(b + 28, 2);
    const size_t extra = (size_t)number(b + 30, 2);
    const size_t whole = ENTRY_SIZE + e->name_length + extra + (size_t)number(b + 32, 2);
    if (whole > room) {
        return fail(zip, "has a damaged directory");
    }
    const uint64_t method = number(b + 10, 2);
    uint64_t local = number(b + 42, 4);
    uint64_t* values[3] = {&e->size, &e->packed, &local};
    e->name = (const char*)b + ENTRY_SIZE;
    e->crc = (uint32_t)number(b + 16, 4);
    e->packed = number(b + 20, 4);
    e->size = number(b + 24, 4);
    e->deflated = method == DEFLATED;
    if (!read_long_sizes(b + ENTRY_SIZE + e->name_length, extra, values)) {
        return fail(zip, "has a damaged directory");
    }
    if ((method != STORED && method != DEFLATED) || (number(b + 8, 2) & 1) != 0) {
        return fail(zip, "is encrypted or packed by a method other than deflate");
    }
    if (!e->deflated && e->size != e->packed) {
        return fail(zip, "has a file of two sizes");
    }
    zip->at += whole;
    --zip->left;
    return find_data(zip, local, e);
}

const unsigned char* zip_read(const zip_archive* zip, const zip_entry* e, unsigned char** memory) {
    const unsigned char* bytes = zip->bytes + e->place;
    *memory = NULL;
    if (e->deflated) {
        if (!io_unpacked_size_fits(e->packed, e->size) || e->size > SIZE_MAX) {
            fail(zip, "has a file that unpacks to far more than its size");
            return NULL;
        }
        *memory = malloc(e->size == 0 ? 1 : (size_t)e->size);
        if (*memory == NULL) {
            io_fail_in(zip->error, zip->name, "it does not fit in memory when it is unpacked");
            return NULL;
        }
        if (!io_inflate(bytes, (size_t)e->packed, IO_PACKED_RAW, *memory, (size_t)e->size)) {
            fail(zip, "has a file that cannot be unpacked");
            free(*memory);
            *memory = NULL;
            return NULL;
        }
        bytes = *memory;
    }
    if (io_crc32(bytes, (size_t)e->size) != e->crc) {
        fail(zip, "has a file with a wrong checksum");
        free(*memory);
        *memory = NULL;
        return NULL;
    }
    return bytes;
}
