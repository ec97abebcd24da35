// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Filters of compressed buffer views: see meshopt.h. They turn what compresses well into what glTF
// needs. Values that the extension leaves open become numbers in range.
#include "io/meshopt.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

bool meshopt_filter_fits(meshopt_filter filter, size_t stride) {
    switch (filter) {
        case MESHOPT_NONE: return true;
        case MESHOPT_OCTAHEDRAL:
        case MESHOPT_COLOR: return stride == 4 || stride == 8;
        case MESHOPT_QUATERNION: return stride == 8;
        case MESHOPT_EXPONENTIAL: return stride % 4 == 0;
    }
    return false;
}

// component k of an element of `size` bytes a component, signed
static int signed_at(const unsigned char* b, size_t size, size_t k) {
    const int value = size == 1 ? b[k] : b[2 * k] | b[2 * k + 1] << 8;
    const int limit = size == 1 ? 128 : 32768;
    return value < limit ? value : value - 2 * limit;
}

static void put(unsigned char* b, size_t size, size_t k, int value) {
    for (size_t i = 0; i < size; ++i) {
        b[size * k + i] = (unsigned char)((unsigned)value >> 8 * i);
    }
}

// the nearest whole number from -limit to limit; 0 for what is no number
static int rounded(float value, int limit) {
    const float most = (float)limit;
    return !(value >= -most) ? (value < 0 ? -limit : 0) : value > most ? limit : (int)roundf(value);
}

static void octahedral(unsigned char* b, size_t size) {
    const int limit = size == 1 ? 127 : 32767;
    const float one = (float)signed_at(b, size, 2);
    float x = (float)signed_at(b, size, 0) / one;
    float y = (float)signed_at(b, size, 1) / one;
    const float z = 1 - fabsf(x) - fabsf(y);
    const float fold = fminf(z, 0);  // of the lower half
    x -= copysignf(fold, x);
    y -= copysignf(fold, y);
    const float scale = (float)limit / sqrtf(x * x + y * y + z * z);
    put(b, size, 0, rounded(x * scale, limit));
    put(b, size, 1, rounded(y * scale, limit));
    put(b, size, 2, rounded(z * scale, limit));
}

static void quaternion(unsigned char* b) {
    enum { LIMIT = 32767 };
    const int code = signed_at(b, 2, 3);
    const size_t largest = (size_t)(code & 3);
    const float scale = 1 / ((float)(code | 3) * sqrtf(2));
    float parts[4];
    float left = 1;
    for (size_t k = 0; k < 3; ++k) {
        parts[k] = (float)signed_at(b, 2, k) * scale;
        left -= parts[k] * parts[k];
    }
    parts[3] = sqrtf(fmaxf(left, 0));
    for (size_t k = 0; k < 4; ++k) {
        put(b, 2, (largest + 1 + k) % 4, rounded(parts[k] * (float)LIMIT, LIMIT));
    }
}

// 8 bits of exponent above 24 bits of mantissa, both signed
static void exponential(unsigned char* b) {
    const int exponent = b[3] < 128 ? b[3] : b[3] - 256;
    const int low = b[0] | b[1] << 8 | b[2] << 16;
    const int mantissa = low < 1 << 23 ? low : low - (1 << 24);
    const float value = ldexpf((float)mantissa, exponent);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (size_t k = 0; k < 4; ++k) {
        b[k] = (unsigned char)(bits >> 8 * k);
    }
}

// luma and two differences of colours; the highest bit of alpha says how many bits there are
static void color(unsigned char* b, size_t size) {
    const int limit = size == 1 ? 255 : 65535;
    const int alpha = signed_at(b, size, 3) & limit;
    int range = 1;
    while (range < alpha) {
        range = 2 * range + 1;
    }
    const int luma = signed_at(b, size, 0) & limit;
    const int orange = signed_at(b, size, 1);
    const int green = signed_at(b, size, 2);
    const int kept = alpha & range >> 1;
    const int parts[4] = {luma + orange - green, luma + green, luma - orange - green,
                          2 * kept + (kept & 1)};
    for (size_t k = 0; k < 4; ++k) {
        const float value = fmaxf((float)parts[k] * ((float)limit / (float)range), 0);
        put(b, size, k, rounded(value, limit));
    }
}

void meshopt_filter_apply(meshopt_filter filter, unsigned char* bytes, size_t count,
                          size_t stride) {
    for (size_t i = 0; i < count; ++i) {
        unsigned char* b = bytes + i * stride;
        switch (filter) {
            case MESHOPT_NONE: return;
            case MESHOPT_OCTAHEDRAL: octahedral(b, stride / 4); break;
            case MESHOPT_QUATERNION: quaternion(b); break;
            case MESHOPT_COLOR: color(b, stride / 4); break;
            case MESHOPT_EXPONENTIAL:
                for (size_t k = 0; k < stride; k += 4) {
                    exponential(b + k);
                }
                break;
        }
    }
}
