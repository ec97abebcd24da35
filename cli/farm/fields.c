// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads and writes fields of JSON objects: see fields.h.
#include "cli/farm/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_count(const json_t* value, uint64_t most, uint64_t* out) {
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > most) {
        return false;
    }
    *out = (uint64_t)json_integer_value(value);
    return true;
}

bool field_count(const json_t* object, const char* key, uint64_t most, uint64_t* out) {
    const json_t* value = json_object_get(object, key);
    *out = 0;
    return value == NULL || read_count(value, most, out);
}

bool field_size(const json_t* object, const char* key, size_t* out) {
    uint64_t count = 0;
    const bool read = field_count(object, key, SIZE_MAX, &count);
    *out = (size_t)count;
    return read;
}

bool field_flag(const json_t* object, const char* key, bool* out) {
    const json_t* value = json_object_get(object, key);
    *out = json_is_true(value);
    return value == NULL || json_is_boolean(value);
}

static bool read_real(const json_t* value, double* out) {
    const char* text = json_string_value(value);
    if (text != NULL) {
        *out = strcmp(text, "nan") == 0 ? NAN : text[0] == '-' ? -INFINITY : INFINITY;
        return strcmp(text, "nan") == 0 || strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0;
    }
    *out = json_number_value(value);
    return json_is_number(value);
}

bool field_real(const json_t* object, const char* key, double* out) {
    const json_t* value = json_object_get(object, key);
    return value == NULL || read_real(value, out);
}

bool field_vector(const json_t* object, const char* key, double out[3]) {
    const json_t* list = json_object_get(object, key);
    if (list == NULL) {
        return true;
    }
    return json_is_array(list) && json_array_size(list) == 3 &&
           read_real(json_array_get(list, 0), &out[0]) &&
           read_real(json_array_get(list, 1), &out[1]) &&
           read_real(json_array_get(list, 2), &out[2]);
}

bool field_text(const json_t* object, const char* key, const char** out) {
    const json_t* value = json_object_get(object, key);
    *out = json_string_value(value);
    return value == NULL || *out != NULL;
}

bool field_range(const json_t* object, const char* key, size_t most, size_t out[2]) {
    const json_t* list = json_object_get(object, key);
    uint64_t first = 0;
    uint64_t last = 0;
    if (!json_is_array(list) || json_array_size(list) != 2 ||
        !read_count(json_array_get(list, 0), most, &first) ||
        !read_count(json_array_get(list, 1), most, &last) || last < first) {
        return false;
    }
    out[0] = (size_t)first;
    out[1] = (size_t)last;
    return true;
}

bool read_key(const json_t* text, uint64_t* out) {
    const char* digits = json_string_value(text);
    if (digits == NULL || strlen(digits) != 16 || strspn(digits, "0123456789abcdef") != 16) {
        return false;
    }
    *out = strtoull(digits, NULL, 16);
    return true;
}

json_t* real_json(double x) {
    return isfinite(x) ? json_real(x) : json_string(isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

json_t* vector_json(const double v[3]) {
    return json_pack("[o, o, o]", real_json(v[0]), real_json(v[1]), real_json(v[2]));
}

json_t* key_json(uint64_t key) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, key);
    return json_string(text);
}

void set_count(json_t* object, const char* key, uint64_t count) {
    if (count != 0) {
        json_object_set_new(object, key, json_integer((json_int_t)count));
    }
}
