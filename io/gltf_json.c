// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Gets values of a glTF document and checks their types: see gltf.h.
#include "io/clean.h"
#include "io/gltf.h"

#include <stdlib.h>

bool gltf_charge(gltf_file* file, size_t count, size_t size) {
    if (count != 0 && size > file->budget / count) {
        return gltf_fail(file,
                         "it needs far more memory than a file of its size should; it is "
                         "damaged or malicious");
    }
    file->budget -= count * size;
    return true;
}

void* gltf_allocate(gltf_file* file, size_t count, size_t size) {
    if (!gltf_charge(file, count, size)) {
        return NULL;
    }
    void* memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) {
        gltf_fail(file, "there is not enough memory for it");
    }
    return memory;
}

bool gltf_list(const gltf_file* file, json_t* object, const char* key, json_t** list,
               size_t* count) {
    json_t* value = json_object_get(object, key);
    if (value != NULL && !json_is_array(value)) {
        return gltf_fail(file, "'%s' is not a list", key);
    }
    *list = value;
    *count = json_array_size(value);
    return true;
}

bool gltf_find(const gltf_file* file, const char* list, const char* kind, size_t index,
               gltf_entry* out) {
    json_t* entries = NULL;
    size_t count = 0;
    if (!gltf_list(file, file->root, list, &entries, &count)) {
        return false;
    }
    if (index >= count) {
        return gltf_fail(file, "it uses %s %zu, but there are only %zu (numbers count from 0)",
                         kind, index, count);
    }
    *out = (gltf_entry){kind, index, json_array_get(entries, index)};
    return json_is_object(out->value) ||
           gltf_fail(file, "%s %zu is not a JSON object", kind, index);
}

// gets a whole number, which some programs write as 3.0
static bool whole(json_t* value, size_t* out) {
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (size_t)json_integer_value(value);
        return true;
    }
    const double real = json_is_real(value) ? json_real_value(value) : -1;
    if (!(real >= 0 && real <= 9007199254740992.0) || real != floor(real)) {
        return false;
    }
    *out = (size_t)real;
    return true;
}

bool gltf_size(const gltf_file* file, const gltf_entry* of, json_t* object, const char* key,
               size_t missing, size_t* out) {
    json_t* value = json_object_get(object, key);
    *out = missing;
    return value == NULL || whole(value, out) ||
           gltf_fail(file, "%s %zu: '%s' must be a whole number that is not negative", of->kind,
                     of->index, key);
}

bool gltf_required_size(const gltf_file* file, const gltf_entry* of, json_t* object,
                        const char* key, size_t* out) {
    if (json_object_get(object, key) == NULL) {
        return gltf_fail(file, "%s %zu has no '%s'", of->kind, of->index, key);
    }
    return gltf_size(file, of, object, key, 0, out);
}

bool gltf_numbers(const gltf_file* file, const gltf_entry* of, const char* key, double* out,
                  size_t count, bool* given) {
    json_t* list = json_object_get(of->value, key);
    *given = list != NULL;
    if (list == NULL) {
        return true;
    }
    if (!json_is_array(list) || json_array_size(list) != count) {
        return gltf_fail(file, "%s %zu: '%s' must be a list of %zu numbers", of->kind, of->index,
                         key, count);
    }
    for (size_t i = 0; i < count; ++i) {
        json_t* value = json_array_get(list, i);
        if (!json_is_number(value)) {
            return gltf_fail(file, "%s %zu: '%s' has an entry that is not a number", of->kind,
                             of->index, key);
        }
        out[i] = json_number_value(value);
    }
    return true;
}

char* gltf_text(gltf_file* file, json_t* object, const char* key) {
    const char* text = json_string_value(json_object_get(object, key));
    text = text == NULL ? "" : text;
    const size_t length = strlen(text);
    char* copy = gltf_allocate(file, length + 1, 1);
    return copy != NULL ? io_clean(memcpy(copy, text, length + 1)) : NULL;
}
