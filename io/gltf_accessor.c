// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Accessors of a glTF document: typed views of its buffers, with sparse changes. See gltf.h.
#include "io/gltf.h"

static size_t component_size(gltf_component type) {
    switch (type) {
        case GLTF_INT8:
        case GLTF_UINT8: return 1;
        case GLTF_INT16:
        case GLTF_UINT16: return 2;
        case GLTF_UINT32:
        case GLTF_FLOAT32: return 4;
    }
    return 0;
}

static bool is_unsigned(gltf_component type) {
    return type == GLTF_UINT8 || type == GLTF_UINT16 || type == GLTF_UINT32;
}

static uint32_t whole_at(const unsigned char* b, gltf_component type) {
    uint32_t value = 0;
    for (size_t k = 0; k < component_size(type); ++k) {
        value |= (uint32_t)b[k] << 8 * k;
    }
    return value;
}

// by the specification a normalised number is c / 127, c / 255 and so on, clamped at -1
static double number_at(const unsigned char* b, gltf_component type, bool normalised) {
    const uint32_t bits = whole_at(b, type);
    switch (type) {
        case GLTF_INT8: {
            const double c = bits < 128 ? (double)bits : (double)bits - 256;
            return normalised ? fmax(c / 127, -1) : c;
        }
        case GLTF_UINT8: return normalised ? bits / 255.0 : bits;
        case GLTF_INT16: {
            const double c = bits < 32768 ? (double)bits : (double)bits - 65536;
            return normalised ? fmax(c / 32767, -1) : c;
        }
        case GLTF_UINT16: return normalised ? bits / 65535.0 : bits;
        case GLTF_UINT32: return normalised ? bits / 4294967295.0 : bits;
        case GLTF_FLOAT32: break;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static size_t components_of(const char* type) {
    static const struct {
        const char* name;
        size_t count;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    for (size_t i = 0; type != NULL && i < sizeof types / sizeof *types; ++i) {
        if (strcmp(type, types[i].name) == 0) {
            return types[i].count;
        }
    }
    return 0;
}

static bool read_component(const gltf_file* file, const gltf_entry* of, json_t* object,
                           gltf_component* out) {
    size_t type = 0;
    if (!gltf_required_size(file, of, object, "componentType", &type)) {
        return false;
    }
    *out = type <= GLTF_FLOAT32 ? (gltf_component)type : GLTF_INT8;
    return (type <= GLTF_FLOAT32 && component_size(*out) != 0) ||
           gltf_fail(file, "%s %zu has the unknown component type %zu", of->kind, of->index, type);
}

// opens a view of `count` elements of `element` bytes; the stride is the buffer view's, if it has
// one
static bool open_view(gltf_file* file, const gltf_entry* of, json_t* object, size_t count,
                      size_t element, const unsigned char** bytes, size_t* stride) {
    gltf_entry view;
    size_t number = 0;
    size_t offset = 0;
    size_t buffer = 0;
    size_t view_offset = 0;
    size_t view_length = 0;
    size_t buffer_size = 0;
    if (!gltf_required_size(file, of, object, "bufferView", &number) ||
        !gltf_size(file, of, object, "byteOffset", 0, &offset) ||
        !gltf_find(file, "bufferViews", "buffer view", number, &view) ||
        !gltf_required_size(file, &view, view.value, "buffer", &buffer) ||
        !gltf_size(file, &view, view.value, "byteOffset", 0, &view_offset) ||
        !gltf_required_size(file, &view, view.value, "byteLength", &view_length) ||
        !gltf_size(file, &view, view.value, "byteStride", element, stride)) {
        return false;
    }
    if (gltf_view_is_packed(&view)) {
        view_offset = 0;
        if (!gltf_unpacked_view(file, &view, view_length, bytes)) {
            return false;
        }
    } else if (!gltf_buffer_bytes(file, buffer, bytes, &buffer_size)) {
        return false;
    } else if (view_offset > buffer_size || view_length > buffer_size - view_offset) {
        return gltf_fail(file, "buffer view %zu reaches beyond the end of buffer %zu", number,
                         buffer);
    }
    *stride = *stride == 0 ? element : *stride;
    if (*stride < element) {
        return gltf_fail(file,
                         "buffer view %zu: elements of %zu bytes do not fit its stride of %zu",
                         number, element, *stride);
    }
    if (offset > view_length || element > view_length - offset ||
        (count - 1) > (view_length - offset - element) / *stride) {
        return gltf_fail(file, "%s %zu: its %zu elements reach beyond the end of buffer view %zu",
                         of->kind, of->index, count, number);
    }
    *bytes += view_offset + offset;
    return true;
}

static bool open_sparse(gltf_file* file, const gltf_entry* of, json_t* sparse, gltf_accessor* out) {
    json_t* places = json_object_get(sparse, "indices");
    json_t* values = json_object_get(sparse, "values");
    size_t stride = 0;
    if (!gltf_required_size(file, of, sparse, "count", &out->sparse_count)) {
        return false;
    }
    if (out->sparse_count == 0 || out->sparse_count > out->count) {
        return gltf_fail(file, "accessor %zu changes %zu of its %zu elements", of->index,
                         out->sparse_count, out->count);
    }
    if (!read_component(file, of, places, &out->sparse_type)) {
        return false;
    }
    if (!is_unsigned(out->sparse_type)) {
        return gltf_fail(file, "accessor %zu has sparse indices that are not whole numbers",
                         of->index);
    }
    const size_t element = out->components * component_size(out->type);
    if (!open_view(file, of, places, out->sparse_count, component_size(out->sparse_type),
                   &out->sparse_places, &stride)) {
        return false;
    }
    if (stride != component_size(out->sparse_type)) {
        return gltf_fail(file, "accessor %zu has sparse indices with a stride", of->index);
    }
    if (!open_view(file, of, values, out->sparse_count, element, &out->sparse_values, &stride)) {
        return false;
    }
    return stride == element ||
           gltf_fail(file, "accessor %zu has sparse values with a stride", of->index);
}

bool gltf_accessor_open(gltf_file* file, size_t index, size_t components, gltf_accessor* out) {
    gltf_entry of;
    *out = (gltf_accessor){.index = index};
    if (!gltf_find(file, "accessors", "accessor", index, &of) ||
        !gltf_required_size(file, &of, of.value, "count", &out->count) ||
        !read_component(file, &of, of.value, &out->type)) {
        return false;
    }
    out->components = components_of(json_string_value(json_object_get(of.value, "type")));
    out->normalised = json_is_true(json_object_get(of.value, "normalized"));
    if (out->components == 0 || (components != 0 && out->components != components)) {
        return gltf_fail(file, "accessor %zu has another type than its use requires", index);
    }
    if (out->count == 0 || out->count >= (size_t)1 << 30) {
        return gltf_fail(file, "accessor %zu has %zu elements; 1 to 2^30 - 1 can be read", index,
                         out->count);
    }
    json_t* sparse = json_object_get(of.value, "sparse");
    const size_t element = out->components * component_size(out->type);
    if (json_object_get(of.value, "bufferView") != NULL &&
        !open_view(file, &of, of.value, out->count, element, &out->bytes, &out->stride)) {
        return false;
    }
    return sparse == NULL || open_sparse(file, &of, sparse, out);
}

static bool read_element(gltf_file* file, const gltf_accessor* a, const unsigned char* bytes,
                         size_t i, double* out) {
    for (size_t k = 0; k < a->components; ++k) {
        out[k] = number_at(bytes + k * component_size(a->type), a->type, a->normalised);
        if (!isfinite(out[k])) {
            return gltf_fail(file, "element %zu of accessor %zu is not finite (%g)", i, a->index,
                             out[k]);
        }
    }
    return true;
}

// the element that a sparse entry changes
static bool sparse_place(gltf_file* file, const gltf_accessor* a, size_t entry, size_t* place) {
    *place = whole_at(a->sparse_places + entry * component_size(a->sparse_type), a->sparse_type);
    return *place < a->count ||
           gltf_fail(file, "accessor %zu changes its element %zu, but has only %zu", a->index,
                     *place, a->count);
}

bool gltf_accessor_numbers(gltf_file* file, const gltf_accessor* a, double* out) {
    const size_t element = a->components * component_size(a->type);
    for (size_t i = 0; i < a->count; ++i) {
        if (a->bytes == NULL) {
            memset(out + i * a->components, 0, a->components * sizeof *out);
        } else if (!read_element(file, a, a->bytes + i * a->stride, i, out + i * a->components)) {
            return false;
        }
    }
    for (size_t i = 0; i < a->sparse_count; ++i) {
        size_t place = 0;
        if (!sparse_place(file, a, i, &place) ||
            !read_element(file, a, a->sparse_values + i * element, place,
                          out + place * a->components)) {
            return false;
        }
    }
    return true;
}

static void read_wholes(const gltf_accessor* a, const unsigned char* bytes, uint32_t* out) {
    for (size_t k = 0; k < a->components; ++k) {
        out[k] = whole_at(bytes + k * component_size(a->type), a->type);
    }
}

bool gltf_accessor_indices(gltf_file* file, const gltf_accessor* a, uint32_t* out) {
    const size_t element = a->components * component_size(a->type);
    if (!is_unsigned(a->type) || a->normalised) {
        return gltf_fail(file, "accessor %zu holds no whole numbers, but is used as indices",
                         a->index);
    }
    for (size_t i = 0; i < a->count; ++i) {
        if (a->bytes == NULL) {
            memset(out + i * a->components, 0, a->components * sizeof *out);
        } else {
            read_wholes(a, a->bytes + i * a->stride, out + i * a->components);
        }
    }
    for (size_t i = 0; i < a->sparse_count; ++i) {
        size_t place = 0;
        if (!sparse_place(file, a, i, &place)) {
            return false;
        }
        read_wholes(a, a->sparse_values + i * element, out + place * a->components);
    }
    return true;
}
