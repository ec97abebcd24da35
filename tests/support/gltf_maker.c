// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Small glTF files for tests: see gltf_maker.h.
#include "support/gltf_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gltf_maker_begin(gltf_maker* m) {
    memset(m, 0, sizeof *m);
}

static void append(char* text, size_t room, size_t count, const char* json) {
    const size_t used = strlen(text);
    if (used + strlen(json) + 2 > room) {
        abort();
    }
    snprintf(text + used, room - used, "%s%s", count == 0 ? "" : ",", json);
}

size_t gltf_maker_view(gltf_maker* m, const void* data, size_t bytes, size_t stride) {
    char json[256];
    char with[64] = "";
    if (m->size + bytes + 4 > sizeof m->bytes) {
        abort();
    }
    memcpy(m->bytes + m->size, data, bytes);
    if (stride != 0) {
        snprintf(with, sizeof with, ",\"byteStride\":%zu", stride);
    }
    snprintf(json, sizeof json, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu%s}", m->size,
             bytes, with);
    append(m->views, sizeof m->views, m->view_count, json);
    m->size = (m->size + bytes + 3) / 4 * 4;
    return m->view_count++;
}

size_t gltf_maker_packed_view(gltf_maker* m, const char* extension, const void* stream,
                              size_t bytes, size_t length, const char* how) {
    char json[512];
    if (m->size + bytes + 4 > sizeof m->bytes) {
        abort();
    }
    memcpy(m->bytes + m->size, stream, bytes);
    snprintf(json, sizeof json,
             "{\"buffer\":1,\"byteOffset\":%zu,\"byteLength\":%zu,\"extensions\":{\"%s\":{"
             "\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,%s}}}",
             m->fallback, length, extension, m->size, bytes, how);
    append(m->views, sizeof m->views, m->view_count, json);
    m->size = (m->size + bytes + 3) / 4 * 4;
    m->fallback += (length + 3) / 4 * 4;
    return m->view_count++;
}

size_t gltf_maker_accessor(gltf_maker* m, const char* json) {
    append(m->accessors, sizeof m->accessors, m->accessor_count, json);
    return m->accessor_count++;
}

size_t gltf_maker_add(gltf_maker* m, const void* data, size_t bytes, size_t count, int component,
                      const char* type, const char* more) {
    char json[512];
    const size_t view = gltf_maker_view(m, data, bytes, 0);
    snprintf(json, sizeof json,
             "{\"bufferView\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s}", view,
             component, count, type, more);
    return gltf_maker_accessor(m, json);
}

static char* document(const gltf_maker* m, const char* uri, const char* rest) {
    const size_t room = strlen(m->views) + strlen(m->accessors) + strlen(rest) + strlen(uri) + 256;
    char* text = malloc(room);
    char second[64] = "";
    if (text == NULL) {
        abort();
    }
    if (m->fallback != 0) {
        snprintf(second, sizeof second, ",{\"byteLength\":%zu}", m->fallback);
    }
    snprintf(text, room,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu%s}%s],"
             "\"bufferViews\":[%s],\"accessors\":[%s]%s%s}",
             m->size, uri, second, m->views, m->accessors, rest[0] == '\0' ? "" : ",", rest);
    return text;
}

static void put(char* to, size_t number) {
    for (int k = 0; k < 4; ++k) {
        to[k] = (char)(number >> 8 * k & 255);
    }
}

char* gltf_maker_glb(const gltf_maker* m, const char* rest, size_t* size) {
    char* json = document(m, "", rest);
    const size_t length = (strlen(json) + 3) / 4 * 4;
    *size = 12 + 8 + length + 8 + m->size;
    char* glb = malloc(*size);
    if (glb == NULL) {
        abort();
    }
    memcpy(glb, "glTF", 4);
    put(glb + 4, 2);
    put(glb + 8, *size);
    put(glb + 12, length);
    memcpy(glb + 16, "JSON", 4);
    memset(glb + 20, ' ', length);
    memcpy(glb + 20, json, strlen(json));
    put(glb + 20 + length, m->size);
    memcpy(glb + 24 + length, "BIN", 4);
    memcpy(glb + 28 + length, m->bytes, m->size);
    free(json);
    return glb;
}

static char* encoded(const gltf_maker* m) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char head[] = ",\"uri\":\"data:application/octet-stream;base64,";
    char* text = calloc(sizeof head + m->size * 4 / 3 + 8, 1);
    if (text == NULL) {
        abort();
    }
    strcpy(text, head);
    char* to = text + strlen(text);
    for (size_t i = 0; i < m->size; i += 3) {
        const size_t left = m->size - i;
        uint32_t bits = (uint32_t)(unsigned char)m->bytes[i] << 16;
        bits |= left > 1 ? (uint32_t)(unsigned char)m->bytes[i + 1] << 8 : 0;
        bits |= left > 2 ? (uint32_t)(unsigned char)m->bytes[i + 2] : 0;
        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[bits & 63] : '=';
    }
    *to = '"';
    return text;
}

char* gltf_maker_text(const gltf_maker* m, const char* rest, const char* uri, size_t* size) {
    char beside[128];
    char* data = uri == NULL ? encoded(m) : NULL;
    snprintf(beside, sizeof beside, ",\"uri\":\"%s\"", uri == NULL ? "" : uri);
    char* text = document(m, data == NULL ? beside : data, rest);
    free(data);
    *size = strlen(text);
    return text;
}
