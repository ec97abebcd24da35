// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// glTF, evaluated word by word: see gltf_oracle.h.
#include "support/gltf_oracle.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t* at(json_t* list, const char* key, size_t i) {
    return json_array_get(json_object_get(list, key), i);
}

static size_t whole(json_t* object, const char* key, size_t missing) {
    json_t* value = json_object_get(object, key);
    return value == NULL ? missing : (size_t)json_integer_value(value);
}

static const char* word(json_t* object, const char* key) {
    const char* text = json_string_value(json_object_get(object, key));
    return text == NULL ? "" : text;
}

// ---- the file

static unsigned char* read_beside(const char* folder, const char* name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "rb");
    unsigned char* bytes = malloc(1 << 24);
    if (file == NULL || bytes == NULL || fread(bytes, 1, 1 << 24, file) == 0) {
        abort();
    }
    fclose(file);
    return bytes;
}

static unsigned char* decode(const char* text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char* out = calloc(strlen(text) + 4, 1);
    if (out == NULL) {
        abort();
    }
    for (size_t i = 0; text[i] != '\0' && text[i] != '='; ++i) {
        const unsigned value = (unsigned)(strchr(digits, text[i]) - digits);
        for (unsigned bit = 0; bit < 6; ++bit) {
            const size_t place = 6 * i + bit;
            out[place / 8] = (unsigned char)(out[place / 8] | (value >> (5 - bit) & 1)
                                                                  << (7 - place % 8));
        }
    }
    return out;
}

void gltf_oracle_open(gltf_oracle* o, const char* bytes, size_t size, const char* folder) {
    memset(o, 0, sizeof *o);
    const unsigned char* b = (const unsigned char*)bytes;
    if (memcmp(bytes, "glTF", 4) == 0) {
        const size_t length = b[12] + 256u * b[13] + 65536u * b[14] + 16777216u * b[15];
        o->root = json_loadb(bytes + 20, length, 0, NULL);
        o->buffers[0] = b + 28 + length;
    } else {
        o->root = json_loadb(bytes, size, 0, NULL);
        for (size_t i = 0; i < json_array_size(json_object_get(o->root, "buffers")); ++i) {
            const char* uri = word(at(o->root, "buffers", i), "uri");
            o->memory[i] = strncmp(uri, "data:", 5) == 0 ? decode(strchr(uri, ',') + 1)
                                                         : read_beside(folder, uri);
            o->buffers[i] = o->memory[i];
        }
    }
    if (o->root == NULL) {
        abort();
    }
}

void gltf_oracle_close(gltf_oracle* o) {
    json_decref(o->root);
    for (size_t i = 0; i < 4; ++i) {
        free(o->memory[i]);
    }
}

// ---- accessors, number by number

static double component(const unsigned char* b, size_t type, bool normalised) {
    switch (type) {
        case 5120:
            return normalised ? fmax(*(const signed char*)b / 127.0, -1) : *(const signed char*)b;
        case 5121: return normalised ? *b / 255.0 : *b;
        case 5122: {
            short v;
            memcpy(&v, b, sizeof v);
            return normalised ? fmax(v / 32767.0, -1) : v;
        }
        case 5123: {
            unsigned short v;
            memcpy(&v, b, sizeof v);
            return normalised ? v / 65535.0 : v;
        }
        case 5125: {
            unsigned v;
            memcpy(&v, b, sizeof v);
            return v;
        }
        default: break;
    }
    float v;
    memcpy(&v, b, sizeof v);
    return (double)v;
}

static size_t size_of(size_t type) {
    return type <= 5121 ? 1 : type <= 5123 ? 2 : 4;
}

static size_t width_of(const char* type) {
    return strcmp(type, "SCALAR") == 0 ? 1
           : strcmp(type, "MAT4") == 0 ? 16
                                       : (size_t)(type[3] - '0');
}

static const unsigned char* view_of(const gltf_oracle* o, json_t* of, size_t element,
                                    size_t* stride) {
    json_t* view = at(o->root, "bufferViews", whole(of, "bufferView", 0));
    *stride = whole(view, "byteStride", element);
    return o->buffers[whole(view, "buffer", 0)] + whole(view, "byteOffset", 0) +
           whole(of, "byteOffset", 0);
}

// number k of element i
static double number(const gltf_oracle* o, size_t accessor, size_t i, size_t k) {
    json_t* a = at(o->root, "accessors", accessor);
    const size_t type = whole(a, "componentType", 0);
    const bool normalised = json_is_true(json_object_get(a, "normalized"));
    const size_t element = width_of(word(a, "type")) * size_of(type);
    size_t stride = 0;
    json_t* sparse = json_object_get(a, "sparse");
    for (size_t s = whole(sparse, "count", 0); s-- > 0;) {
        json_t* places = json_object_get(sparse, "indices");
        const size_t place_type = whole(places, "componentType", 0);
        const unsigned char* place = view_of(o, places, size_of(place_type), &stride);
        if ((size_t)component(place + s * stride, place_type, false) == i) {
            const unsigned char* value = view_of(o, json_object_get(sparse, "values"), element,
                                                 &stride);
            return component(value + s * stride + k * size_of(type), type, normalised);
        }
    }
    if (json_object_get(a, "bufferView") == NULL) {
        return 0;
    }
    const unsigned char* bytes = view_of(o, a, element, &stride);
    return component(bytes + i * stride + k * size_of(type), type, normalised);
}

static size_t count_of(const gltf_oracle* o, size_t accessor) {
    return whole(at(o->root, "accessors", accessor), "count", 0);
}

// ---- animation

static void slerp(const double* a, const double* b, double s, double* out) {
    double d = 0;
    for (int k = 0; k < 4; ++k) {
        d += a[k] * b[k];
    }
    const double angle = acos(fmin(fabs(d), 1));
    for (int k = 0; k < 4; ++k) {
        const double other = d < 0 ? -b[k] : b[k];
        out[k] = angle < 1e-6 ? (1 - s) * a[k] + s * other
                              : (sin((1 - s) * angle) * a[k] + sin(s * angle) * other) / sin(angle);
    }
}

// the animated value of a node, if there is a channel for it: `width` numbers
static bool animate(const gltf_oracle* o, int animation, double time, size_t node, const char* path,
                    size_t width, double* out) {
    json_t* of = animation < 0 ? NULL : at(o->root, "animations", (size_t)animation);
    json_t* channels = json_object_get(of, "channels");
    for (size_t c = 0; c < json_array_size(channels); ++c) {
        json_t* channel = json_array_get(channels, c);
        json_t* target = json_object_get(channel, "target");
        if (whole(target, "node", SIZE_MAX) != node || strcmp(word(target, "path"), path) != 0) {
            continue;
        }
        json_t* sampler = at(of, "samplers", whole(channel, "sampler", 0));
        const size_t input = whole(sampler, "input", 0);
        const size_t output = whole(sampler, "output", 0);
        const char* how = word(sampler, "interpolation");
        const size_t keys = count_of(o, input);
        const size_t numbers = width_of(word(at(o->root, "accessors", output), "type"));
        const bool cubic = strcmp(how, "CUBICSPLINE") == 0;
        size_t k = 0;
        while (k + 1 < keys && number(o, input, k + 1, 0) <= time) {
            ++k;
        }
        const double t0 = number(o, input, k, 0);
        const bool last = k + 1 == keys || time <= t0;
        const double t1 = last ? t0 : number(o, input, k + 1, 0);
        const double s = last ? 0 : (time - t0) / (t1 - t0);
        double from[64];
        double to[64];
        for (size_t i = 0; i < width; ++i) {
            const size_t per_key = cubic ? 3 * width : width;
            const size_t base = k * per_key + i;
            const size_t next = last ? base : base + per_key;
#define VALUE(n) number(o, output, (n) / numbers, (n) % numbers)
            from[i] = VALUE(cubic ? base + width : base);
            to[i] = VALUE(cubic ? next + width : next);
            out[i] = strcmp(how, "STEP") == 0 ? from[i] : from[i] + s * (to[i] - from[i]);
            if (cubic) {
                const double d = t1 - t0;
                out[i] = (2 * pow(s, 3) - 3 * pow(s, 2) + 1) * from[i] +
                         d * (pow(s, 3) - 2 * pow(s, 2) + s) * VALUE(base + 2 * width) +
                         (-2 * pow(s, 3) + 3 * pow(s, 2)) * to[i] +
                         d * (pow(s, 3) - pow(s, 2)) * VALUE(next);
            }
#undef VALUE
        }
        if (strcmp(path, "rotation") == 0 && !cubic && strcmp(how, "STEP") != 0) {
            slerp(from, to, s, out);
        }
        return true;
    }
    return false;
}

double gltf_oracle_duration(const gltf_oracle* o, int animation) {
    json_t* samplers = json_object_get(at(o->root, "animations", (size_t)animation), "samplers");
    double most = 0;
    for (size_t i = 0; i < json_array_size(samplers); ++i) {
        const size_t input = whole(json_array_get(samplers, i), "input", 0);
        most = fmax(most, number(o, input, count_of(o, input) - 1, 0));
    }
    return most;
}

// ---- matrices of four columns

typedef struct matrix {
    double m[4][4];  // row, column
} matrix;

static matrix multiply(matrix a, matrix b) {
    matrix out = {{{0}}};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) {
            for (int j = 0; j < 4; ++j) {
                out.m[i][k] += a.m[i][j] * b.m[j][k];
            }
        }
    }
    return out;
}

static void value_of(const gltf_oracle* o, int animation, double time, size_t node,
                     const char* path, size_t width, double* out) {
    json_t* given = json_object_get(at(o->root, "nodes", node), path);
    for (size_t k = 0; k < width && given != NULL; ++k) {
        out[k] = json_number_value(json_array_get(given, k));
    }
    animate(o, animation, time, node, path, width, out);
}

static matrix local(const gltf_oracle* o, int animation, double time, size_t node) {
    matrix out = {{{0}}};
    json_t* given = json_object_get(at(o->root, "nodes", node), "matrix");
    if (given != NULL) {
        for (size_t i = 0; i < 16; ++i) {
            out.m[i % 4][i / 4] = json_number_value(json_array_get(given, i));
        }
        return out;
    }
    double t[3] = {0, 0, 0};
    double q[4] = {0, 0, 0, 1};
    double s[3] = {1, 1, 1};
    value_of(o, animation, time, node, "translation", 3, t);
    value_of(o, animation, time, node, "rotation", 4, q);
    value_of(o, animation, time, node, "scale", 3, s);
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double x = q[0] / n;
    const double y = q[1] / n;
    const double z = q[2] / n;
    const double w = q[3] / n;
    // the product q v q* for the three unit vectors
    const matrix turn = {
        {{w * w + x * x - y * y - z * z, 2 * x * y - 2 * w * z, 2 * x * z + 2 * w * y, 0},
         {2 * x * y + 2 * w * z, w * w - x * x + y * y - z * z, 2 * y * z - 2 * w * x, 0},
         {2 * x * z - 2 * w * y, 2 * y * z + 2 * w * x, w * w - x * x - y * y + z * z, 0},
         {0, 0, 0, 1}}};
    const matrix move = {{{1, 0, 0, t[0]}, {0, 1, 0, t[1]}, {0, 0, 1, t[2]}, {0, 0, 0, 1}}};
    const matrix scale = {{{s[0], 0, 0, 0}, {0, s[1], 0, 0}, {0, 0, s[2], 0}, {0, 0, 0, 1}}};
    return multiply(move, multiply(turn, scale));
}

static matrix global(const gltf_oracle* o, int animation, double time, size_t node) {
    json_t* nodes = json_object_get(o->root, "nodes");
    const matrix own = local(o, animation, time, node);
    for (size_t i = 0; i < json_array_size(nodes); ++i) {
        json_t* children = json_object_get(json_array_get(nodes, i), "children");
        for (size_t k = 0; k < json_array_size(children); ++k) {
            if ((size_t)json_integer_value(json_array_get(children, k)) == node) {
                return multiply(global(o, animation, time, i), own);
            }
        }
    }
    return own;
}

// ---- vertices

static size_t joint_matrices(const gltf_oracle* o, json_t* skin, int animation, double time,
                             matrix* out) {
    json_t* joints = json_object_get(skin, "joints");
    const size_t bind = whole(skin, "inverseBindMatrices", SIZE_MAX);
    for (size_t j = 0; j < json_array_size(joints); ++j) {
        out[j] = global(o, animation, time, (size_t)json_integer_value(json_array_get(joints, j)));
        matrix inverse = {{{0}}};
        for (size_t i = 0; i < 16 && bind != SIZE_MAX; ++i) {
            inverse.m[i % 4][i / 4] = number(o, bind, j, i);
        }
        out[j] = bind == SIZE_MAX ? out[j] : multiply(out[j], inverse);
    }
    return json_array_size(joints);
}

static void skin_matrix(const gltf_oracle* o, json_t* attributes, size_t v, const matrix* joints,
                        matrix* out) {
    memset(out, 0, sizeof *out);
    for (int set = 0;; ++set) {
        char name[32];
        snprintf(name, sizeof name, "JOINTS_%d", set);
        const size_t joint = whole(attributes, name, SIZE_MAX);
        snprintf(name, sizeof name, "WEIGHTS_%d", set);
        if (joint == SIZE_MAX) {
            return;
        }
        for (size_t k = 0; k < 4; ++k) {
            const double weight = number(o, whole(attributes, name, 0), v, k);
            const matrix* m = &joints[(size_t)number(o, joint, v, k)];
            for (int i = 0; i < 16; ++i) {
                out->m[i / 4][i % 4] += weight == 0 ? 0 : weight * m->m[i / 4][i % 4];
            }
        }
    }
}

size_t gltf_oracle_pose(const gltf_oracle* o, size_t node, int animation, double time, double* out,
                        size_t room) {
    static matrix joints[256];
    json_t* of = at(o->root, "nodes", node);
    json_t* mesh = at(o->root, "meshes", whole(of, "mesh", 0));
    json_t* primitives = json_object_get(mesh, "primitives");
    const size_t skin = whole(of, "skin", SIZE_MAX);
    const matrix world = global(o, animation, time, node);
    if (skin != SIZE_MAX) {
        joint_matrices(o, at(o->root, "skins", skin), animation, time, joints);
    }
    size_t count = 0;
    for (size_t p = 0; p < json_array_size(primitives); ++p) {
        json_t* primitive = json_array_get(primitives, p);
        json_t* attributes = json_object_get(primitive, "attributes");
        json_t* targets = json_object_get(primitive, "targets");
        const size_t target_count = json_array_size(targets);
        double weights[64] = {0};
        for (size_t t = 0; t < target_count; ++t) {
            weights[t] = json_number_value(at(mesh, "weights", t));
        }
        value_of(o, animation, time, node, "weights", target_count, weights);
        const size_t position = whole(attributes, "POSITION", 0);
        for (size_t v = 0; v < count_of(o, position) && count < room; ++v, ++count) {
            double x[4] = {0, 0, 0, 1};
            for (size_t k = 0; k < 3; ++k) {
                x[k] = number(o, position, v, k);
                for (size_t t = 0; t < target_count; ++t) {
                    const size_t target = whole(json_array_get(targets, t), "POSITION", SIZE_MAX);
                    x[k] += target == SIZE_MAX ? 0 : weights[t] * number(o, target, v, k);
                }
            }
            matrix m = world;
            if (skin != SIZE_MAX) {
                skin_matrix(o, attributes, v, joints, &m);
            }
            for (int i = 0; i < 3; ++i) {
                out[3 * count + (size_t)i] = m.m[i][0] * x[0] + m.m[i][1] * x[1] +
                                             m.m[i][2] * x[2] + m.m[i][3] * x[3];
            }
        }
    }
    return count;
}
