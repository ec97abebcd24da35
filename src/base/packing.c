// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs numbers into bytes and unpacks them: see packing.h.
#include "base/packing.h"

#include <math.h>
#include <string.h>

#include "base/offset.h"

#define HOST_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

// Copies numbers and, on a big-endian machine, reverses the bytes of each.
static void copy_numbers(uint8_t* to, const uint8_t* from, size_t count, size_t size) {
    if (HOST_IS_LITTLE || size == 1) {
        memcpy(to, from, count * size);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t b = 0; b < size; ++b) {
            to[i * size + b] = from[i * size + size - 1 - b];
        }
    }
}

// ---- writing

void abut__write_numbers(abut__packer* writer, const void* numbers, size_t count, size_t size) {
    if (writer->no_memory || count == 0) {
        return;
    }
    uint8_t* place = count <= SIZE_MAX / 2 / size
                         ? abut__push(writer->context, &writer->bytes, count * size)
                         : NULL;
    writer->no_memory = place == NULL;
    if (place != NULL) {
        copy_numbers(place, numbers, count, size);
    }
}

void abut__write_u32(abut__packer* writer, uint32_t value) {
    abut__write_numbers(writer, &value, 1, sizeof value);
}

void abut__write_u64(abut__packer* writer, uint64_t value) {
    abut__write_numbers(writer, &value, 1, sizeof value);
}

void abut__write_f64(abut__packer* writer, double value) {
    abut__write_numbers(writer, &value, 1, sizeof value);
}

// ---- reading

void abut__read_fail(abut__unpacker* reader, abut_status status) {
    reader->status = reader->status == ABUT_OK ? status : reader->status;
}

bool abut__read_refuse(abut__unpacker* reader, const char* what) {
    if (abut__read_ok(reader)) {
        abut__read_fail(reader, abut__fail(reader->error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE,
                                           0, "the saved shape is damaged: %s", what));
    }
    return false;
}

bool abut__read_check(abut__unpacker* reader, bool right, const char* what) {
    return right ? abut__read_ok(reader) : abut__read_refuse(reader, what);
}

bool abut__read_numbers(abut__unpacker* reader, void* numbers, size_t count, size_t size) {
    if (!abut__read_check(reader, count <= reader->left / size, "it ends too early")) {
        return false;
    }
    if (count > 0) {
        copy_numbers(numbers, reader->at, count, size);
        reader->at += count * size;
        reader->left -= count * size;
    }
    return true;
}

uint32_t abut__read_u32(abut__unpacker* reader) {
    uint32_t value = 0;
    (void)abut__read_numbers(reader, &value, 1, sizeof value);
    return value;
}

uint64_t abut__read_u64(abut__unpacker* reader) {
    uint64_t value = 0;
    (void)abut__read_numbers(reader, &value, 1, sizeof value);
    return value;
}

double abut__read_f64(abut__unpacker* reader) {
    double value = 0;
    (void)abut__read_numbers(reader, &value, 1, sizeof value);
    return value;
}

uint32_t abut__read_up_to(abut__unpacker* reader, uint32_t most, const char* what) {
    const uint32_t value = abut__read_u32(reader);
    return abut__read_check(reader, value <= most, what) ? value : 0;
}

void* abut__read_room(abut__unpacker* reader, size_t count, size_t packed, size_t size) {
    if (!abut__read_check(reader, count <= reader->left / packed, "it ends too early") ||
        count == 0) {
        return NULL;
    }
    void* room = abut__alloc_zero(reader->context, count, size);
    if (room == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
    }
    return room;
}

void* abut__read_array(abut__unpacker* reader, size_t count, size_t per, size_t size) {
    void* array = abut__read_room(reader, count, per * size, per * size);
    if (array != NULL) {
        (void)abut__read_numbers(reader, array, count * per, size);  // the room was checked
    }
    return array;
}

// ---- checks

static uint64_t word_of(const uint8_t* bytes, size_t count) {
    uint8_t padded[8] = {0};
    uint64_t word;
    memcpy(padded, bytes, count);
    copy_numbers((uint8_t*)&word, padded, 1, sizeof word);
    return word;
}

uint64_t abut__checksum(const uint8_t* bytes, size_t count, uint64_t seed) {
    uint64_t sum = seed ^ UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i += 8) {
        const size_t left = count - i;
        sum = (sum ^ word_of(bytes + i, left < 8 ? left : 8)) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    return sum;
}

bool abut__all_finite(const void* numbers, size_t count, bool is_double) {
    bool finite = true;
    for (size_t i = 0; i < count && is_double; ++i) {
        finite &= isfinite(((const double*)numbers)[i]) != 0;
    }
    for (size_t i = 0; i < count && !is_double; ++i) {
        finite &= isfinite(((const float*)numbers)[i]) != 0;
    }
    return finite;
}
