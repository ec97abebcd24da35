// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point caches: see cache.h.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "io/cache.h"

#include "io/file.h"
#include "io/npy.h"
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { PC2_HEADER = 32, MDD_HEADER = 8 };
static const char pc2_mark[12] = "POINTCACHE2";
#define MOST_VERTICES (1u << 30)

static bool has_ending(const char* name, const char* ending) {
    const char* dot = strrchr(name, '.');
    return dot != NULL && strcasecmp(dot, ending) == 0;
}

bool io_is_cache_name(const char* name) {
    static const char* const endings[] = {".pc2", ".mdd", ".npy", ".npz", ".f32"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        if (has_ending(name, endings[i])) {
            return true;
        }
    }
    return false;
}

static size_t frame_bytes(const io_cache* c) {
    return 3 * c->vertex_count * (c->doubles ? sizeof(double) : sizeof(float));
}

static uint32_t bits_at(const unsigned char* b, bool big) {
    return big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3]
               : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | (uint32_t)b[0];
}

static bool read_header(io_cache* c, io_error* error) {
    unsigned char head[PC2_HEADER] = {0};
    const size_t got = fread(head, 1, sizeof head, c->file);
    if (got >= sizeof pc2_mark && memcmp(head, pc2_mark, sizeof pc2_mark) == 0) {
        c->format = "PC2";
        c->vertex_count = bits_at(head + 16, false);
        c->frame_count = bits_at(head + 28, false);
        c->first_byte = PC2_HEADER;
        const uint32_t version = bits_at(head + 12, false);
        return got == sizeof head && version == 1
                   ? true
                   : io_fail_in(error, c->name,
                                "this is no PC2 cache of version 1; is it cut off?");
    }
    if (has_ending(c->name, ".pc2") || got < MDD_HEADER) {
        return io_fail_in(error, c->name, "it does not begin as a PC2 or MDD cache does");
    }
    c->format = "MDD";
    c->big_endian = true;
    c->frame_count = bits_at(head, true);
    c->vertex_count = bits_at(head + 4, true);
    c->first_byte = MDD_HEADER + 4 * (uint64_t)c->frame_count;
    return true;
}

// ---- arrays of numpy

// takes over the shape of an array: vertices x 3, or frames x vertices x 3
static bool take_array(io_cache* c, const npy_array* a, io_error* error) {
    if (a->kind != 'f' || a->size < sizeof(float) || a->fortran || a->rank < 2 ||
        a->shape[a->rank - 1] != 3) {
        return io_fail_in(error, c->name,
                          "a cache is an array of frames x vertices x 3 numbers, float32 or "
                          "float64, in C order (numpy.ascontiguousarray)");
    }
    c->doubles = a->size == sizeof(double);
    c->big_endian = a->big_endian;
    c->frame_count = a->rank == 3 ? a->shape[0] : 1;
    c->vertex_count = a->shape[a->rank - 2];
    c->first_byte = a->place;
    return true;
}

static bool read_npy_header(io_cache* c, uint64_t file_size, io_error* error) {
    enum { ROOM = 1 << 17 };
    unsigned char* head = malloc(ROOM);
    npy_array a;
    if (head == NULL) {
        return io_fail_in(error, c->name, "there is not enough memory");
    }
    c->format = "NPY";
    const size_t got = fread(head, 1, ROOM, c->file);
    const bool done = npy_parse(c->name, head, got, file_size, &a, error) &&
                      take_array(c, &a, error);
    free(head);
    return done;
}

static bool read_npz_directory(io_cache* c, uint64_t* file_size, io_error* error) {
    char* bytes = NULL;
    size_t size = 0;
    npy_array a;
    c->format = "NPZ";
    if (!io_read_file(c->name, &bytes, &size, error)) {
        return false;
    }
    bool done = npz_find(c->name, (const unsigned char*)bytes, size, NPY_FRAMES, &a, error);
    if (done) {
        const size_t head = a.memory == NULL ? 0 : (size_t)(a.bytes - a.memory);
        c->memory = a.memory;
        done = take_array(c, &a, error);
        c->first_byte = a.memory == NULL ? a.place : head;
        *file_size = a.memory == NULL ? size : head + a.count * a.size;
    }
    free(bytes);
    return done;
}

static bool check_sizes(const io_cache* c, uint64_t size, io_error* error) {
    if (c->vertex_count == 0 || c->vertex_count >= MOST_VERTICES || c->frame_count == 0 ||
        c->frame_count > INT32_MAX) {
        return io_fail_in(error, c->name,
                          "it says that it has %zu frames of %zu vertices; it is damaged",
                          c->frame_count, c->vertex_count);
    }
    // all products stay below 2^62: no overflow
    const uint64_t frame = frame_bytes(c);
    if (size < c->first_byte || (size - c->first_byte) / frame < c->frame_count) {
        return io_fail_in(
            error, c->name,
            "%zu frames of %zu vertices need more than its %llu bytes; is it cut off?",
            c->frame_count, c->vertex_count, (unsigned long long)size);
    }
    return true;
}

// one file per frame: the size of the first gives the number of vertices
static bool open_raw(io_cache* c, const char* path, io_error* error) {
    struct stat info;
    if (!io_sequence_list(path, &c->frames, error)) {
        return false;
    }
    if (stat(c->frames.paths[0], &info) != 0 || info.st_size <= 0 || info.st_size % 12 != 0) {
        return io_fail_in(
            error, c->frames.paths[0],
            "its size is no multiple of 12, so it is not x y z of vertices as floats");
    }
    c->format = "raw floats";
    c->frame_count = c->frames.count;
    c->vertex_count = (size_t)info.st_size / 12;
    return c->vertex_count < MOST_VERTICES || io_fail_in(error, path, "it has too many vertices");
}

static bool open_file(io_cache* c, const char* path, io_error* error) {
    struct stat info;
    c->name = strdup(path);
    if (c->name == NULL) {
        return io_fail_in(error, path, "there is not enough memory");
    }
    if (has_ending(path, ".f32")) {
        return open_raw(c, path, error);
    }
    // without O_NONBLOCK open() would block on a pipe without a writer
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    c->file = file < 0 ? NULL : fdopen(file, "rb");
    if (c->file == NULL) {
        return io_fail_in(error, path, "it cannot be opened: %s", strerror(errno));
    }
    if (fstat(file, &info) != 0) {
        return io_fail_in(error, path, "it cannot be inspected: %s", strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return io_fail_in(error, path,
                          S_ISDIR(info.st_mode)
                              ? "this is a folder where a file is needed"
                              : "this is a pipe or a device; save it to a file first");
    }
    io_input_note(path);
    uint64_t size = (uint64_t)info.st_size;
    const bool read = has_ending(path, ".npy")   ? read_npy_header(c, size, error)
                      : has_ending(path, ".npz") ? read_npz_directory(c, &size, error)
                                                 : read_header(c, error);
    return read && check_sizes(c, size, error);
}

bool io_cache_open(const char* path, io_cache* out, io_error* error) {
    *out = (io_cache){0};
    if (open_file(out, path, error)) {
        return true;
    }
    io_cache_close(out);
    return false;
}

void io_cache_close(io_cache* cache) {
    if (cache->file != NULL) {
        fclose(cache->file);
    }
    io_sequence_free(&cache->frames);
    free(cache->memory);
    free(cache->name);
    *cache = (io_cache){0};
}

bool io_has_frames(const char* path) {
    io_cache cache;
    if (!has_ending(path, ".npz") || !io_cache_open(path, &cache, NULL)) {
        return false;
    }
    const bool several = cache.frame_count > 1;
    io_cache_close(&cache);
    return several;
}

static bool read_raw(const io_cache* c, size_t frame, unsigned char* xyz, io_error* error) {
    char* bytes = NULL;
    size_t size = 0;
    if (!io_read_file(c->frames.paths[frame], &bytes, &size, error)) {
        return false;
    }
    const bool fits = size == 12 * c->vertex_count;
    if (fits) {
        memcpy(xyz, bytes, size);
    }
    free(bytes);
    return fits ||
           io_fail_in(error, c->frames.paths[frame],
                      "it has %zu bytes, but the first frame has %zu", size, 12 * c->vertex_count);
}

static bool read_bytes(io_cache* c, size_t first, size_t count, unsigned char* out,
                       io_error* error) {
    const size_t frame = frame_bytes(c);
    const uint64_t place = c->first_byte + (uint64_t)frame * first;
    if (c->memory != NULL) {
        memcpy(out, c->memory + place, frame * count);
        return true;
    }
    if (c->file != NULL) {
        return (fseeko(c->file, (off_t)place, SEEK_SET) == 0 &&
                fread(out, frame, count, c->file) == count) ||
               io_fail_in(error, c->name, "frame %zu cannot be read; was it changed meanwhile?",
                          first);
    }
    for (size_t i = 0; i < count; ++i) {
        if (!read_raw(c, first + i, out + frame * i, error)) {
            return false;
        }
    }
    return true;
}

// brings a number into this machine's order of bytes; false if it is not finite
static bool restore_float(unsigned char* bytes, bool big) {
    const uint32_t bits = bits_at(bytes, big);
    float value;
    memcpy(bytes, &bits, sizeof bits);
    memcpy(&value, &bits, sizeof value);
    return isfinite(value);
}

static bool restore_double(unsigned char* bytes, bool big) {
    const uint64_t first = bits_at(bytes, big);
    const uint64_t second = bits_at(bytes + 4, big);
    const uint64_t bits = big ? first << 32 | second : second << 32 | first;
    double value;
    memcpy(bytes, &bits, sizeof bits);
    memcpy(&value, &bits, sizeof value);
    return isfinite(value);
}

bool io_cache_read(io_cache* cache, size_t first, size_t count, void* xyz, io_error* error) {
    const size_t numbers = 3 * cache->vertex_count * count;
    unsigned char* bytes = xyz;
    if (!read_bytes(cache, first, count, bytes, error)) {
        return false;
    }
    for (size_t i = 0; i < numbers; ++i) {
        if (!(cache->doubles ? restore_double(bytes + 8 * i, cache->big_endian)
                             : restore_float(bytes + 4 * i, cache->big_endian))) {
            const size_t vertices = cache->vertex_count;
            return io_fail_in(error, cache->name,
                              "vertex %zu has a coordinate that is not finite in frame %zu",
                              i / 3 % vertices, first + i / 3 / vertices);
        }
    }
    return true;
}

// ---- writing

static void put_bits(unsigned char* to, uint32_t bits) {
    for (int k = 0; k < 4; ++k) {
        to[k] = (unsigned char)(bits >> 8 * k);
    }
}

static void write_header(const io_pc2_writer* w, size_t frame_count) {
    unsigned char head[PC2_HEADER] = {0};
    const float rate = 1;  // the start is 0
    uint32_t bits;
    memcpy(&bits, &rate, sizeof bits);
    memcpy(head, pc2_mark, sizeof pc2_mark);
    put_bits(head + 12, 1);
    put_bits(head + 16, (uint32_t)w->vertex_count);
    put_bits(head + 24, bits);
    put_bits(head + 28, (uint32_t)frame_count);
    fwrite(head, 1, sizeof head, w->file);
}

bool io_pc2_begin(io_pc2_writer* w, const char* path, size_t vertex_count, size_t frame_count,
                  io_error* error) {
    *w = (io_pc2_writer){.vertex_count = vertex_count, .file = io_output_open(path, error)};
    if (w->file == NULL) {
        return false;
    }
    write_header(w, frame_count);
    return true;
}

void io_pc2_add(io_pc2_writer* w, const float* xyz) {
    for (size_t i = 0; i < 3 * w->vertex_count; ++i) {
        unsigned char bytes[4];
        uint32_t bits;
        memcpy(&bits, &xyz[i], sizeof bits);
        put_bits(bytes, bits);
        fwrite(bytes, 1, sizeof bytes, w->file);
    }
}

bool io_pc2_end(io_pc2_writer* w, io_error* error) {
    FILE* file = w->file;
    w->file = NULL;
    return io_output_end(file, error);
}

void io_pc2_drop(io_pc2_writer* w) {
    io_output_drop(w->file);
    w->file = NULL;
}
