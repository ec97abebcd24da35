// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads fields of JSON objects that are not trusted. False, without a message, if a field has another type
// or is out of its range; one that is absent has its default.
#ifndef CLI_FARM_FIELDS_H
#define CLI_FARM_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/// A whole number from 0 to `most`; absent: 0.
bool field_count(const json_t* object, const char* key, uint64_t most, uint64_t* out);
bool field_size(const json_t* object, const char* key, size_t* out);
/// Absent: false.
bool field_flag(const json_t* object, const char* key, bool* out);
/// A number, "nan", "inf" or "-inf"; absent: *out stays.
bool field_real(const json_t* object, const char* key, double* out);
/// Three numbers; absent: *out stays.
bool field_vector(const json_t* object, const char* key, double out[3]);
/// A text; absent: NULL. It lives as long as the object.
bool field_text(const json_t* object, const char* key, const char** out);
/// Two whole numbers, the second at least the first and at most `most`; must be there.
bool field_range(const json_t* object, const char* key, size_t most, size_t out[2]);
/// A number of 64 bits as 16 digits.
bool read_key(const json_t* text, uint64_t* out);

/// What the readers above read. Numbers have all their digits.
json_t* real_json(double x);
json_t* vector_json(const double v[3]);
json_t* key_json(uint64_t key);
/// Sets a field, unless it is 0.
void set_count(json_t* object, const char* key, uint64_t count);

#endif
