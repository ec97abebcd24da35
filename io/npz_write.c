// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes arrays of numpy: see npz_write.h. The formats are those of PKWARE's APPNOTE.TXT (ZIP, without
// its 64-bit part) and of numpy's NEP 1.
#include "io/npz_write.h"

#include "io/output.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { NAME_SIZE = 64, LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22 };
enum { STORED_VERSION = 20, DATE_1980 = 0x21 };

struct io_npz_entry {
    char name[NAME_SIZE];
    uint32_t sum;
    uint32_t size;
    uint32_t at;  // of its local header
};

// ---- bytes

static void put(unsigned char* at, size_t size, uint64_t number) {
    for (size_t i = 0; i < size; ++i) {
        at[i] = (unsigned char)(number >> (8 * i));
    }
}

static bool write_bytes(io_npz_writer* w, const void* bytes, size_t size, io_error* error) {
    w->written += size;
    return fwrite(bytes, 1, size, w->file) == size || io_output_failed(w->file, error);
}

static uint32_t sum_of(uint32_t sum, const unsigned char* bytes, size_t size) {
    const size_t most = (size_t)1 << 30;
    uLong all = sum;
    for (size_t at = 0; at < size; at += most) {
        all = crc32(all, bytes + at, (uInt)(size - at < most ? size - at : most));
    }
    return (uint32_t)all;
}

// ---- an array

enum { HEAD_SIZE = 256 };  // a multiple of 64 that holds every header

// the header of the .npy format
static void make_head(const io_npz_array* a, char head[HEAD_SIZE]) {
    const uint16_t one = 1;
    const char order = a->kind == 'S' ? '|' : *(const unsigned char*)&one == 1 ? '<' : '>';
    char shape[24 * IO_NPZ_DIMENSIONS + 2] = "";
    size_t used = 0;
    for (size_t i = 0; i < a->dimensions; ++i) {
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%zu,", a->shape[i]);
    }
    memset(head, ' ', HEAD_SIZE);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    put((unsigned char*)head + 8, 2, HEAD_SIZE - 10);
    const int length = snprintf(head + 10, HEAD_SIZE - 10,
                                "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%s), }",
                                order, a->kind, a->size, shape);
    head[10 + length] = ' ';  // instead of the final 0
    head[HEAD_SIZE - 1] = '\n';
}

static bool fill_entry(const io_npz_writer* w, const io_npz_array* a, const char* head, size_t size,
                       io_npz_entry* entry, io_error* error) {
    const uint64_t most = UINT32_MAX - (uint64_t)(w->count + 1) * (CENTRAL_SIZE + NAME_SIZE) -
                          (END_SIZE + HEAD_SIZE + LOCAL_SIZE + NAME_SIZE);
    if (w->written > most || size > most - w->written || w->count >= UINT16_MAX) {
        return io_fail(error, "the arrays have 4 GB or more, which an .npz file cannot hold");
    }
    snprintf(entry->name, NAME_SIZE, "%s.npy", a->name);
    entry->size = (uint32_t)(HEAD_SIZE + size);
    entry->at = (uint32_t)w->written;
    entry->sum = sum_of(0, (const unsigned char*)head, HEAD_SIZE);
    entry->sum = sum_of(entry->sum, a->data, size);
    return true;
}

// what local and central headers have in common: from the version on
static void put_common(unsigned char* at, const io_npz_entry* entry) {
    put(at, 2, STORED_VERSION);
    put(at + 8, 2, DATE_1980);
    put(at + 10, 4, entry->sum);
    put(at + 14, 4, entry->size);
    put(at + 18, 4, entry->size);
    put(at + 22, 2, strlen(entry->name));
}

bool io_npz_add(io_npz_writer* w, const io_npz_array* array, io_error* error) {
    char head[HEAD_SIZE];
    unsigned char local[LOCAL_SIZE] = {'P', 'K', 3, 4};
    size_t size = array->size;
    for (size_t i = 0; i < array->dimensions; ++i) {
        if (array->shape[i] != 0 && size > SIZE_MAX / array->shape[i]) {
            return io_fail(error, "the arrays are too large");
        }
        size *= array->shape[i];
    }
    io_npz_entry* entries = realloc(w->entries, (w->count + 1) * sizeof *entries);
    if (entries == NULL) {
        return io_fail(error, "there is not enough memory");
    }
    w->entries = entries;
    io_npz_entry* entry = &entries[w->count];
    make_head(array, head);
    if (!fill_entry(w, array, head, size, entry, error)) {
        return false;
    }
    ++w->count;
    put_common(local + 4, entry);
    return write_bytes(w, local, LOCAL_SIZE, error) &&
           write_bytes(w, entry->name, strlen(entry->name), error) &&
           write_bytes(w, head, HEAD_SIZE, error) &&
           (size == 0 || write_bytes(w, array->data, size, error));
}

// ---- the file

bool io_npz_begin(io_npz_writer* w, const char* path, io_error* error) {
    *w = (io_npz_writer){.file = io_output_open(path, error)};
    return w->file != NULL;
}

static bool write_directory(io_npz_writer* w, io_error* error) {
    const uint64_t start = w->written;
    bool done = true;
    for (size_t i = 0; i < w->count && done; ++i) {
        unsigned char central[CENTRAL_SIZE] = {'P', 'K', 1, 2};
        const io_npz_entry* entry = &w->entries[i];
        put(central + 4, 2, STORED_VERSION);
        put_common(central + 6, entry);
        put(central + 42, 4, entry->at);
        done = write_bytes(w, central, CENTRAL_SIZE, error) &&
               write_bytes(w, entry->name, strlen(entry->name), error);
    }
    unsigned char end[END_SIZE] = {'P', 'K', 5, 6};
    put(end + 8, 2, w->count);
    put(end + 10, 2, w->count);
    put(end + 12, 4, w->written - start);
    put(end + 16, 4, start);
    return done && write_bytes(w, end, END_SIZE, error);
}

bool io_npz_end(io_npz_writer* w, io_error* error) {
    if (!write_directory(w, error)) {
        return false;
    }
    FILE* file = w->file;
    w->file = NULL;
    free(w->entries);
    w->entries = NULL;
    return io_output_end(file, error);
}

void io_npz_drop(io_npz_writer* w) {
    io_output_drop(w->file);
    free(w->entries);
    *w = (io_npz_writer){0};
}
