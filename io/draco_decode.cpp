// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Calls Google's Draco library: see draco.h.
#include "io/draco.h"

#include <draco/compression/decode.h>

#include <cstring>
#include <exception>

namespace {

template <typename T>
bool copy_values(const draco::PointAttribute& from, const draco_attribute& wanted, size_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        T values[4] = {};
        const draco::AttributeValueIndex place = from.mapped_index(draco::PointIndex(i));
        if (!from.ConvertValue<T>(place, static_cast<int8_t>(wanted.components), values)) {
            return false;
        }
        std::memcpy(wanted.out + i * wanted.components * sizeof(T), values,
                    wanted.components * sizeof(T));
    }
    return true;
}

bool copy_attribute(const draco::Mesh& mesh, const draco_attribute& wanted, size_t count) {
    const draco::PointAttribute* from = mesh.GetAttributeByUniqueId(wanted.id);
    if (from == nullptr || from->num_components() != static_cast<int>(wanted.components)) {
        return false;
    }
    switch (wanted.type) {
        case 5120: return copy_values<int8_t>(*from, wanted, count);
        case 5121: return copy_values<uint8_t>(*from, wanted, count);
        case 5122: return copy_values<int16_t>(*from, wanted, count);
        case 5123: return copy_values<uint16_t>(*from, wanted, count);
        case 5125: return copy_values<uint32_t>(*from, wanted, count);
        case 5126: return copy_values<float>(*from, wanted, count);
        default: return false;
    }
}

const char* decode(const draco_mesh& wanted) {
    draco::DecoderBuffer buffer;
    draco::Decoder decoder;
    buffer.Init(reinterpret_cast<const char*>(wanted.bytes), wanted.size);
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) {
        return "cannot be decoded";
    }
    const draco::Mesh& mesh = *decoded.value();
    if (mesh.num_points() != wanted.vertex_count ||
        static_cast<size_t>(mesh.num_faces()) * 3 != wanted.corner_count) {
        return "have other numbers of vertices or corners than the accessors say";
    }
    for (size_t i = 0; i < wanted.attribute_count; ++i) {
        if (!copy_attribute(mesh, wanted.attributes[i], wanted.vertex_count)) {
            return "lack an attribute, or have one of another type";
        }
    }
    for (uint32_t f = 0; f < mesh.num_faces(); ++f) {
        for (int k = 0; k < 3; ++k) {
            wanted.corners[3 * static_cast<size_t>(f) + static_cast<size_t>(k)] =
                mesh.face(draco::FaceIndex(f))[static_cast<size_t>(k)].value();
        }
    }
    return nullptr;
}

}  // namespace

extern "C" const char* draco_decode(const draco_mesh* mesh) {
    try {
        return decode(*mesh);
    } catch (const std::exception&) {
        return "need more memory than there is, or are damaged";
    }
}
