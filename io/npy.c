// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Arrays of numpy: see npy.h. The header is a Python dictionary in text; this reads the part of
// Python that numpy writes.
#include "io/npy.h"

#include "io/zip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MARK_SIZE = 8, MOST_HEADER = 1 << 16 };

bool npy_is_array(const unsigned char* bytes, size_t size) {
    return size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

// ---- the header

typedef struct scanner {
    const char* at;
    const char* end;
} scanner;

static bool skip(scanner* s, char wanted) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t')) {
        ++s->at;
    }
    if (s->at == s->end || *s->at != wanted) {
        return false;
    }
    ++s->at;
    return true;
}

// a text in quotes of either kind, without escapes
static bool quoted(scanner* s, char* out, size_t room) {
    const char quote = skip(s, '\'') ? '\'' : skip(s, '"') ? '"' : '\0';
    const char* end = quote == '\0' ? NULL : memchr(s->at, quote, (size_t)(s->end - s->at));
    if (end == NULL || (size_t)(end - s->at) >= room) {
        return false;
    }
    const size_t length = (size_t)(end - s->at);
    memcpy(out, s->at, length);
    out[length] = '\0';
    s->at = end + 1;
    return true;
}

static bool word(scanner* s, const char* wanted) {
    const size_t length = strlen(wanted);
    while (s->at < s->end && *s->at == ' ') {
        ++s->at;
    }
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, wanted, length) != 0) {
        return false;
    }
    s->at += length;
    return true;
}

static bool whole(scanner* s, size_t* out) {
    while (s->at < s->end && *s->at == ' ') {
        ++s->at;
    }
    const char* start = s->at;
    for (*out = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9'; ++s->at) {
        if (*out > SIZE_MAX / 16) {
            return false;
        }
        *out = 10 * *out + (size_t)(*s->at - '0');
    }
    return s->at > start && (s->at == s->end || *s->at != 'L' || ++s->at != NULL);
}

static bool parse_shape(scanner* s, npy_array* a) {
    size_t length = 0;
    if (!skip(s, '(')) {
        return false;
    }
    for (a->rank = 0; !skip(s, ')'); ++a->rank) {
        if (a->rank == NPY_MOST_RANK || !whole(s, &length)) {
            return false;
        }
        a->shape[a->rank] = length;
        if (!skip(s, ',')) {
            ++a->rank;
            return skip(s, ')');
        }
    }
    return true;
}

// such as "<f8" or "|u1"
static bool parse_type(const char* text, npy_array* a) {
    if (strlen(text) != 3 || strchr("<>|=", text[0]) == NULL || strchr("fiu", text[1]) == NULL ||
        strchr("1248", text[2]) == NULL) {
        return false;
    }
    a->big_endian = text[0] == '>';
    a->kind = text[1];
    a->size = (size_t)(text[2] - '0');
    return a->kind != 'f' || a->size != 1;
}

// the dictionary; what it lacks stays 0
static const char* parse_dictionary(scanner* s, npy_array* a) {
    char key[32];
    char type[32];
    bool typed = false;
    bool shaped = false;
    if (!skip(s, '{')) {
        return "a header that is no dictionary";
    }
    while (!skip(s, '}')) {
        if (!quoted(s, key, sizeof key) || !skip(s, ':')) {
            return "a damaged header";
        }
        if (strcmp(key, "descr") == 0) {
            if (!quoted(s, type, sizeof type) || !parse_type(type, a)) {
                return "elements that are no plain real or whole numbers";
            }
            typed = true;
        } else if (strcmp(key, "fortran_order") == 0) {
            a->fortran = word(s, "True");
            if (!a->fortran && !word(s, "False")) {
                return "a damaged header";
            }
        } else if (strcmp(key, "shape") == 0) {
            if (!parse_shape(s, a)) {
                return "a damaged shape, or more than three indices";
            }
            shaped = true;
        } else {
            return "an unknown entry in its header";
        }
        skip(s, ',');
    }
    return typed && shaped ? NULL : "a header without type or shape";
}

// computes the number of all elements; false if their bytes could not be counted
static bool count_numbers(npy_array* a) {
    a->count = 1;
    for (size_t i = 0; i < a->rank; ++i) {
        if (a->shape[i] != 0 && a->count > SIZE_MAX / 16 / a->shape[i]) {
            return false;
        }
        a->count *= a->shape[i];
    }
    return true;
}

bool npy_parse(const char* name, const unsigned char* bytes, size_t size, uint64_t file_size,
               npy_array* out, io_error* error) {
    *out = (npy_array){0};
    if (size < MARK_SIZE + 4 || !npy_is_array(bytes, size)) {
        return io_fail_in(error, name, "it does not begin as an array of numpy does");
    }
    const unsigned version = bytes[6];
    const size_t width = version == 1 ? 2 : 4;
    size_t length = 0;
    for (size_t k = 0; k < width; ++k) {
        length |= (size_t)bytes[MARK_SIZE + k] << 8 * k;
    }
    if (version < 1 || version > 3) {
        return io_fail_in(error, name, "its array is of version %u of the format; 1 to 3 are known",
                          version);
    }
    if (length > MOST_HEADER || length > size - MARK_SIZE - width) {
        return io_fail_in(error, name, "the header of its array is too long; is it cut off?");
    }
    const char* text = (const char*)bytes + MARK_SIZE + width;
    scanner s = {text, text + length};
    const char* problem = parse_dictionary(&s, out);
    if (problem != NULL) {
        return io_fail_in(error, name, "its array has %s", problem);
    }
    out->place = MARK_SIZE + width + length;
    out->bytes = bytes + out->place;
    if (!count_numbers(out) || file_size < out->place ||
        out->count > (file_size - out->place) / out->size) {
        return io_fail_in(error, name, "its array has more numbers than bytes; is it cut off?");
    }
    return true;
}

// ---- numbers

// the first byte of the number at these indices
static const unsigned char* find(const npy_array* a, const size_t* at) {
    size_t index = 0;
    for (size_t i = 0; i < a->rank; ++i) {
        const size_t k = a->fortran ? a->rank - 1 - i : i;
        index = index * a->shape[k] + at[k];
    }
    return a->bytes + index * a->size;
}

static uint64_t bits_of(const npy_array* a, const unsigned char* b) {
    uint64_t bits = 0;
    for (size_t k = 0; k < a->size; ++k) {
        bits |= (uint64_t)b[a->big_endian ? a->size - 1 - k : k] << 8 * k;
    }
    return bits;
}

static double half(uint64_t bits) {
    const int exponent = (int)(bits >> 10 & 31);
    const double mantissa = (double)(bits & 1023);
    const double size = exponent == 0    ? ldexp(mantissa, -24)
                        : exponent == 31 ? (mantissa == 0 ? INFINITY : NAN)
                                         : ldexp(1024 + mantissa, exponent - 25);
    return (bits >> 15 & 1) != 0 ? -size : size;
}

// a signed number, with its sign in all higher bits
static double signed_value(const npy_array* a, uint64_t bits) {
    const uint64_t sign = (uint64_t)1 << (8 * a->size - 1);
    return (bits & sign) == 0 ? (double)bits : -(double)((~bits & (sign - 1)) + 1);
}

double npy_real(const npy_array* a, const size_t* at) {
    const uint64_t bits = bits_of(a, find(a, at));
    if (a->kind == 'u') {
        return (double)bits;
    }
    if (a->kind == 'i') {
        return signed_value(a, bits);
    }
    if (a->size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (a->size == 4) {
        const uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return (double)value;
    }
    return half(bits);
}

uint64_t npy_whole(const npy_array* a, const size_t* at) {
    const uint64_t bits = bits_of(a, find(a, at));
    const uint64_t positive = UINT64_MAX >> (65 - 8 * (a->size == 0 ? 1 : a->size));
    return a->kind == 'u' || bits <= positive ? bits : UINT64_MAX;
}

// ---- archives

// the rank of an entry's name for a role: lower is better, 0 is the best; `none` if it has none
enum { NONE = 100 };
static unsigned rank_of(const zip_entry* e, npy_role role) {
    static const char* const words[3][7] = {
        [NPY_POSITIONS] = {"positions", "vertices", "verts", "points", "v", "frames"},
        [NPY_FRAMES] = {"frames", "positions", "vertices", "verts", "points", "v"},
        [NPY_FACES] = {"faces", "triangles", "tris", "cells", "f"},
    };
    const size_t length = e->name_length;
    if (length < 5 || strncasecmp(e->name + length - 4, ".npy", 4) != 0) {
        return NONE;
    }
    for (unsigned i = 0; words[role][i] != NULL; ++i) {
        if (strlen(words[role][i]) == length - 4 &&
            strncasecmp(e->name, words[role][i], length - 4) == 0) {
            return i;
        }
    }
    return NONE;
}

static bool fail_missing(const char* name, npy_role role, io_error* error) {
    return io_fail_in(error, name,
                      "there is no array of %s in it; it must be called %s (numpy.savez(file, "
                      "vertices=..., faces=...))",
                      role == NPY_FACES ? "faces" : "positions",
                      role == NPY_FACES ? "faces, triangles, tris, cells or f"
                                        : "positions, vertices, verts, points, v or frames");
}

bool npz_find(const char* name, const unsigned char* bytes, size_t size, npy_role role,
              npy_array* out, io_error* error) {
    zip_archive zip;
    zip_entry best = {0};
    zip_entry entry;
    unsigned best_rank = NONE;
    bool end = false;
    *out = (npy_array){0};
    if (!zip_open(&zip, name, bytes, size, error)) {
        return false;
    }
    while (!end) {
        if (!zip_next(&zip, &entry, &end)) {
            return false;
        }
        if (!end && rank_of(&entry, role) < best_rank) {
            best_rank = rank_of(&entry, role);
            best = entry;
        }
    }
    if (best_rank == NONE) {
        return fail_missing(name, role, error);
    }
    unsigned char* memory = NULL;
    const unsigned char* array = zip_read(&zip, &best, &memory);
    if (array == NULL || !npy_parse(name, array, (size_t)best.size, best.size, out, error)) {
        free(memory);
        *out = (npy_array){0};
        return false;
    }
    out->place = memory == NULL ? best.place + out->place : 0;
    out->memory = memory;
    return true;
}
