// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Arrays of VTK files: see vtk_array.h.
#include "io/vtk_array.h"

#include "io/inflate.h"
#include "io/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BUDGET ((size_t)64 << 20)
enum { BUDGET_A_BYTE = 256 };

#define fail(file, ...) io_fail_in((file)->error, (file)->name, __VA_ARGS__)

void* vtk_allocate(vtk_file* file, size_t count, size_t size) {
    if (count != 0 && size > file->budget / count) {
        fail(file,
             "it needs far more memory than a file of its size should; it is damaged or malicious");
        return NULL;
    }
    void* memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) {
        fail(file, "it does not fit in memory");
        return NULL;
    }
    file->budget -= count * size;
    return memory;
}

bool vtk_open(vtk_file* file, const char* name, const char* bytes, size_t size, xml_tag* first,
              io_error* error) {
    const char* at = bytes;
    xml_tag tag;
    *file = (vtk_file){.name = name, .error = error, .end = bytes + size, .header_size = 4};
    file->budget = size > SIZE_MAX / 4 / BUDGET_A_BYTE ? SIZE_MAX / 2
                                                       : LEAST_BUDGET + size * BUDGET_A_BYTE;
    if (!xml_next(&at, file->end, first) || !xml_is(first, "VTKFile") || !first->opens) {
        return fail(file, "it does not begin as an XML file of VTK does");
    }
    const char* value = NULL;
    size_t length = 0;
    file->big_endian = xml_has(first, "byte_order", "BigEndian");
    file->header_size = xml_has(first, "header_type", "UInt64") ? 8 : 4;
    file->packed = xml_attribute(first, "compressor", &value, &length) && length != 0;
    if (file->packed && !xml_has(first, "compressor", "vtkZLibDataCompressor")) {
        return fail(file,
                    "it is packed by %.*s; only zlib can be read: save it with "
                    "vtkZLibDataCompressor or without compression",
                    length < 40 ? (int)length : 40, value);
    }
    while (xml_next(&at, file->end, &tag)) {
        if (!xml_is(&tag, "AppendedData") || !tag.opens) {
            continue;
        }
        const char* mark = memchr(tag.end, '_', (size_t)(file->end - tag.end));
        if (mark == NULL) {
            return fail(file, "its appended data are missing; is it cut off?");
        }
        file->appended = mark + 1;
        file->appended_base64 = !xml_has(&tag, "encoding", "raw");
        return true;
    }
    return true;
}

// ---- bytes, plain or in base64

typedef struct stream {
    const char* at;
    const char* end;
    bool base64;
    unsigned char held[3];  // decoded, not taken yet
    size_t held_at;
    size_t held_count;
} stream;

static int digit(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

// decodes four characters; padding may stand in the middle, where another piece begins
static bool decode_four(stream* s) {
    uint32_t bits = 0;
    size_t digits = 0;
    for (size_t k = 0; k < 4;) {
        if (s->at == s->end) {
            return false;
        }
        const char c = *s->at++;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            continue;
        }
        const int value = digit(c);
        if (value < 0 ? c != '=' || k < 2 : digits != k) {
            return false;
        }
        bits = bits << 6 | (value < 0 ? 0 : (uint32_t)value);
        digits += value >= 0;
        ++k;
    }
    for (unsigned k = 0; k < 3; ++k) {
        s->held[k] = (unsigned char)(bits >> (16 - 8 * k));
    }
    s->held_at = 0;
    s->held_count = digits - 1;
    return true;
}

// the most bytes that can still come
static size_t most_left(const stream* s) {
    const size_t left = (size_t)(s->end - s->at);
    return s->base64 ? left / 4 * 3 + 3 : left;
}

static bool take(stream* s, unsigned char* out, size_t count) {
    if (!s->base64) {
        if ((size_t)(s->end - s->at) < count) {
            return false;
        }
        memcpy(out, s->at, count);
        s->at += count;
        return true;
    }
    for (size_t i = 0; i < count;) {
        if (s->held_at == s->held_count) {
            if (!decode_four(s)) {
                return false;
            }
            continue;
        }
        out[i++] = s->held[s->held_at++];
    }
    return true;
}

static uint64_t number_at(const unsigned char* b, size_t size, bool big) {
    uint64_t value = 0;
    for (size_t k = 0; k < size; ++k) {
        value |= (uint64_t)b[big ? size - 1 - k : k] << 8 * k;
    }
    return value;
}

static bool take_number(const vtk_file* file, stream* s, uint64_t* out) {
    unsigned char bytes[8];
    if (!take(s, bytes, file->header_size)) {
        return false;
    }
    *out = number_at(bytes, file->header_size, file->big_endian);
    return true;
}

// ---- the bytes of an array

typedef struct block {
    unsigned char* bytes;
    size_t size;
} block;

static bool fail_cut(const vtk_file* file) {
    return fail(file, "an array is damaged, or longer than the file; is it cut off?");
}

static bool read_plain(vtk_file* file, stream* s, block* out) {
    uint64_t size = 0;
    if (!take_number(file, s, &size) || size > most_left(s)) {
        return fail_cut(file);
    }
    out->size = (size_t)size;
    out->bytes = vtk_allocate(file, out->size, 1);
    if (out->bytes == NULL) {
        return false;
    }
    return take(s, out->bytes, out->size) || fail_cut(file);
}

// the packed pieces of an array: their number, and their sizes when they are unpacked
typedef struct pieces {
    uint64_t count;
    uint64_t size;
    uint64_t last;
    uint64_t total;
    uint64_t packed;  // of all
    uint64_t* each;   // packed sizes
} pieces;

static bool read_pieces(vtk_file* file, stream* s, pieces* p) {
    if (!take_number(file, s, &p->count) || !take_number(file, s, &p->size) ||
        !take_number(file, s, &p->last) || p->count > most_left(s) / file->header_size ||
        p->last > p->size || (p->count != 0 && p->size > (UINT64_MAX >> 1) / p->count)) {
        return fail_cut(file);
    }
    p->last = p->last == 0 ? p->size : p->last;
    p->total = p->count == 0 ? 0 : (p->count - 1) * p->size + p->last;
    p->each = vtk_allocate(file, (size_t)p->count, sizeof *p->each);
    if (p->each == NULL) {
        return false;
    }
    for (size_t i = 0; i < p->count; ++i) {
        if (!take_number(file, s, &p->each[i]) || p->each[i] > most_left(s)) {
            return fail_cut(file);
        }
        p->packed += p->each[i];
    }
    if (p->packed > most_left(s)) {
        return fail_cut(file);
    }
    return (io_unpacked_size_fits(p->packed, p->total) && p->total < SIZE_MAX) ||
           fail(file, "an array unpacks to far more than its size; it is damaged or malicious");
}

static bool unpack_pieces(vtk_file* file, stream* s, const pieces* p, block* out) {
    unsigned char* packed = vtk_allocate(file, (size_t)p->packed, 1);
    out->size = (size_t)p->total;
    out->bytes = packed == NULL ? NULL : vtk_allocate(file, out->size, 1);
    if (out->bytes == NULL) {
        free(packed);
        return false;
    }
    bool done = take(s, packed, (size_t)p->packed);
    size_t from = 0;
    for (size_t i = 0; p->each != NULL && i < p->count && done; ++i) {
        const size_t size = (size_t)(i + 1 == p->count ? p->last : p->size);
        done = io_inflate(packed + from, (size_t)p->each[i], IO_PACKED_ZLIB,
                          out->bytes + i * (size_t)p->size, size);
        from += (size_t)p->each[i];
    }
    free(packed);
    return done || fail(file, "an array cannot be unpacked; it is damaged");
}

static bool read_packed(vtk_file* file, stream* s, block* out) {
    pieces p = {0};
    const bool done = read_pieces(file, s, &p) && unpack_pieces(file, s, &p, out);
    free(p.each);
    return done;
}

// where the array of a tag begins
static bool open_stream(const vtk_file* file, const xml_tag* tag, stream* s) {
    const char* value = NULL;
    size_t length = 0;
    int64_t offset = 0;
    *s = (stream){.at = tag->end, .end = file->end, .base64 = true};
    if (xml_has(tag, "format", "appended")) {
        if (file->appended == NULL || !xml_attribute(tag, "offset", &value, &length) ||
            !io_read_integer(&value, value + length, &offset) || offset < 0 ||
            offset > file->end - file->appended) {
            return fail(file, "an array is not in the appended data; is the file cut off?");
        }
        s->at = file->appended + offset;
        s->base64 = file->appended_base64;
        return true;
    }
    const char* close = memchr(tag->end, '<', (size_t)(file->end - tag->end));
    s->end = close == NULL ? file->end : close;
    return true;
}

// ---- numbers

typedef struct number_type {
    char kind;  // 'f', 'i' or 'u'
    size_t size;
} number_type;

static bool type_of(const vtk_file* file, const xml_tag* tag, number_type* out) {
    static const struct {
        const char* name;
        number_type type;
    } types[] = {{"Float32", {'f', 4}}, {"Float64", {'f', 8}}, {"Int8", {'i', 1}},
                 {"UInt8", {'u', 1}},   {"Int16", {'i', 2}},   {"UInt16", {'u', 2}},
                 {"Int32", {'i', 4}},   {"UInt32", {'u', 4}},  {"Int64", {'i', 8}},
                 {"UInt64", {'u', 8}}};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        if (xml_has(tag, "type", types[i].name)) {
            *out = types[i].type;
            return true;
        }
    }
    return fail(file, "an array has a type that is unknown");
}

static double real_at(const vtk_file* file, const unsigned char* b, number_type type) {
    const uint64_t bits = number_at(b, type.size, file->big_endian);
    if (type.kind == 'f' && type.size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type.kind == 'f') {
        const uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return (double)value;
    }
    const uint64_t sign = (uint64_t)1 << (8 * type.size - 1);
    return type.kind == 'u' || (bits & sign) == 0 ? (double)bits
                                                  : -(double)((~bits & (sign - 1)) + 1);
}

// negative numbers, and those that are too large, become -1, which is no index
static int64_t whole_at(const vtk_file* file, const unsigned char* b, number_type type) {
    const uint64_t bits = number_at(b, type.size, file->big_endian);
    const bool top = bits >> (8 * type.size - 1) != 0;
    return top && (type.kind == 'i' || type.size == 8) ? -1 : (int64_t)bits;
}

static bool allocate(vtk_file* file, vtk_numbers* out, size_t count, bool reals) {
    vtk_numbers_free(out);
    void* memory = vtk_allocate(file, count, 8);
    if (memory == NULL) {
        return false;
    }
    *out = (vtk_numbers){.reals = reals ? memory : NULL,
                         .wholes = reals ? NULL : memory,
                         .count = count,
                         .given = true};
    return true;
}

static bool convert(vtk_file* file, const xml_tag* tag, const block* b, bool reals,
                    vtk_numbers* out) {
    number_type type = {0};
    if (!type_of(file, tag, &type)) {
        return false;
    }
    if (b->bytes == NULL || b->size % type.size != 0 || (!reals && type.kind == 'f')) {
        return fail(file, "an array has another type than its use needs");
    }
    if (!allocate(file, out, b->size / type.size, reals)) {
        return false;
    }
    for (size_t i = 0; i < out->count; ++i) {
        if (reals) {
            out->reals[i] = real_at(file, b->bytes + i * type.size, type);
        } else {
            out->wholes[i] = whole_at(file, b->bytes + i * type.size, type);
        }
    }
    return true;
}

// numbers as text, up to the next tag
static bool read_text(vtk_file* file, const xml_tag* tag, bool reals, vtk_numbers* out) {
    const char* close = memchr(tag->end, '<', (size_t)(file->end - tag->end));
    const char* end = close == NULL ? file->end : close;
    const char* at = tag->end;
    if (tag->closes) {
        end = at;
    }
    size_t used = 0;
    if (!allocate(file, out, (size_t)(end - at) / 2 + 1, reals)) {  // a blank follows each
        return false;
    }
    for (;;) {
        while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
            ++at;
        }
        if (at == end) {
            out->count = used;
            return true;
        }
        const bool read = reals ? io_read_double(&at, end, &out->reals[used]) == IO_NUMBER_OK
                                : io_read_integer(&at, end, &out->wholes[used]);
        const bool ended = at == end || *at == ' ' || *at == '\n' || *at == '\r' || *at == '\t';
        if (!read || !ended) {
            char excerpt[IO_EXCERPT_SIZE];
            return fail(file, "an array has '%s' where a finite number is expected",
                        io_excerpt(at, end, excerpt));
        }
        ++used;
    }
}

static bool read_array(vtk_file* file, const xml_tag* tag, bool reals, vtk_numbers* out) {
    stream s;
    block b = {0};
    if (!xml_has(tag, "format", "binary") && !xml_has(tag, "format", "appended")) {
        return read_text(file, tag, reals, out);
    }
    if (tag->closes && xml_has(tag, "format", "binary")) {
        return allocate(file, out, 0, reals);
    }
    if (!open_stream(file, tag, &s)) {
        return false;
    }
    const bool done = (file->packed ? read_packed(file, &s, &b) : read_plain(file, &s, &b)) &&
                      convert(file, tag, &b, reals, out);
    free(b.bytes);
    file->budget += b.bytes == NULL ? 0 : b.size;
    return done;
}

bool vtk_read_reals(vtk_file* file, const xml_tag* tag, vtk_numbers* out) {
    return read_array(file, tag, true, out);
}

bool vtk_read_wholes(vtk_file* file, const xml_tag* tag, vtk_numbers* out) {
    return read_array(file, tag, false, out);
}

void vtk_numbers_free(vtk_numbers* numbers) {
    free(numbers->reals);
    free(numbers->wholes);
    *numbers = (vtk_numbers){0};
}
