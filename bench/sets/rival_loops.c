// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The loops of the other side, as fast as a user could write them (see rivals.h). Compiled once per
// instruction set. A vector is as wide as a register, because compilers keep wider ones in memory.
// Where plain loops over small arrays become the same code, they are plain loops.
#include "bench/rivals.h"

#include <math.h>
#include <string.h>

#if defined(__AVX512F__)
#define WIDTH 16
#elif defined(__AVX2__)
#define WIDTH 8
#else
#define WIDTH 4
#endif
typedef float quad __attribute__((vector_size(16)));
typedef float vector __attribute__((vector_size(4 * WIDTH)));

static inline quad load4(const float* p) {
    quad v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store4(float* p, quad v) {
    memcpy(p, &v, sizeof v);
}

static inline void store(float* p, vector v) {
    memcpy(p, &v, sizeof v);
}

static inline vector load(const float* p) {
    vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

// ---- skinning

// Four columns of four numbers, the last of which is 0. Members instead of an array, which the
// compiler would keep in memory.
typedef struct columns {
    vector a;
#if WIDTH <= 8
    vector b;
#endif
#if WIDTH == 4
    vector c;
    vector d;
#endif
} columns;

static inline void add(columns* m, const float* t, float weight) {
    m->a += load(t) * weight;
#if WIDTH <= 8
    m->b += load(t + WIDTH) * weight;
#endif
#if WIDTH == 4
    m->c += load(t + 8) * weight;
    m->d += load(t + 12) * weight;
#endif
}

// Turns rows into columns: then a vertex is finished by three sums, without sums within a vector.
static void make_columns(const rival_skin* s) {
    for (size_t j = 0; j < s->node_count; ++j) {
        const quad zero = {0};
        const quad x = load4(s->transforms + 12 * j);
        const quad y = load4(s->transforms + 12 * j + 4);
        const quad z = load4(s->transforms + 12 * j + 8);
        const quad a = __builtin_shufflevector(x, y, 0, 4, 1, 5);
        const quad b = __builtin_shufflevector(z, zero, 0, 4, 1, 5);
        const quad c = __builtin_shufflevector(x, y, 2, 6, 3, 7);
        const quad d = __builtin_shufflevector(z, zero, 2, 6, 3, 7);
        float* to = s->columns + 16 * j;
        store4(to, __builtin_shufflevector(a, b, 0, 1, 4, 5));
        store4(to + 4, __builtin_shufflevector(a, b, 2, 3, 6, 7));
        store4(to + 8, __builtin_shufflevector(c, d, 0, 1, 4, 5));
        store4(to + 12, __builtin_shufflevector(c, d, 2, 3, 6, 7));
    }
}

// Writes three numbers.
static inline void put3(float* out, quad v) {
    typedef float pair __attribute__((vector_size(8)));
    const pair first = __builtin_shufflevector(v, v, 0, 1);
    const float last = v[2];
    memcpy(out, &first, sizeof first);
    memcpy(out + 2, &last, sizeof last);
}

// Writes the columns times x, y, z and 1.
static inline void finish(const rival_skin* s, uint32_t vertex, columns m) {
    const quad p = load4(s->rest + 3 * (size_t)vertex);
    const quad x = __builtin_shufflevector(p, p, 0, 0, 0, 0);
    const quad y = __builtin_shufflevector(p, p, 1, 1, 1, 1);
    const quad z = __builtin_shufflevector(p, p, 2, 2, 2, 2);
#if WIDTH == 4
    const quad done = (m.a * x + m.d) + (m.b * y + m.c * z);
#else
    const quad one = {1, 1, 1, 1};
    typedef float eight __attribute__((vector_size(32)));
    const eight xy = __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7);
    const eight z1 = __builtin_shufflevector(z, one, 0, 1, 2, 3, 4, 5, 6, 7);
#if WIDTH == 8
    const eight sum = m.a * xy + m.b * z1;
#else
    const vector all = m.a * __builtin_shufflevector(xy, z1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                                     12, 13, 14, 15);
    const eight sum = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7) +
                      __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
    const quad done = __builtin_shufflevector(sum, sum, 0, 1, 2, 3) +
                      __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
#endif
    put3(s->out + 3 * (size_t)vertex, done);
}

// Vertices with one influence need no sum of columns, and so no wide vectors.
static void skin_rigid(const rival_skin* s, const rival_influence* from, uint32_t count,
                       const uint32_t* vertices) {
    for (uint32_t i = 0; i < count; ++i) {
        const float* t = s->columns + from[i].at;
        const size_t at = 3 * (size_t)vertices[i];
        const quad p = load4(s->rest + at);
        const quad x = __builtin_shufflevector(p, p, 0, 0, 0, 0);
        const quad y = __builtin_shufflevector(p, p, 1, 1, 1, 1);
        const quad z = __builtin_shufflevector(p, p, 2, 2, 2, 2);
        const quad sum = (load4(t) * x + load4(t + 12)) + (load4(t + 4) * y + load4(t + 8) * z);
        put3(s->out + at, sum * from[i].weight);
    }
}

static void skin_one(const rival_skin* s, const rival_influence* from, uint32_t k,
                     uint32_t vertex) {
    columns m = {0};
    for (uint32_t i = 0; i < k; ++i) {
        add(&m, s->columns + from[i].at, from[i].weight);
    }
    finish(s, vertex, m);
}

// Two at once, which hides the latency of sums.
static void skin_two(const rival_skin* s, const rival_influence* from, uint32_t k,
                     const uint32_t vertex[2]) {
    columns m = {0};
    columns n = {0};
    for (uint32_t i = 0; i < k; ++i) {
        add(&m, s->columns + from[i].at, from[i].weight);
        add(&n, s->columns + from[k + i].at, from[k + i].weight);
    }
    finish(s, vertex[0], m);
    finish(s, vertex[1], n);
}

static void skin(const rival_skin* s) {
    const rival_influence* from = s->influences;
    const uint32_t* vertices = s->vertices;
    make_columns(s);
    for (size_t r = 0; r < s->run_count; ++r) {
        const uint32_t k = s->runs[r].influences;
        uint32_t left = s->runs[r].vertices;
        if (k == 1) {
            skin_rigid(s, from, left, vertices);
            from += left;
            vertices += left;
            continue;
        }
        for (; left >= 2; left -= 2, from += 2 * (size_t)k, vertices += 2) {
            skin_two(s, from, k, vertices);
        }
        for (; left > 0; left -= 1, from += k, vertices += 1) {
            skin_one(s, from, k, *vertices);
        }
    }
}

// ---- fields

enum {
    PART = 4,  // registers for each of two streams: enough to hide the latency of sums
    SUMS = 2 * PART,
    CHUNK = PART * WIDTH,
};

// Goes through both halves at once, because the processor fetches two streams ahead in less time
// than one.
static void deform(const float* rows, const float* q, size_t fields, float* out, size_t chunks) {
    const size_t half = chunks / 2 * CHUNK;
    const float* more = rows + half * (fields + 1);
    for (size_t at = 0; at < half; at += CHUNK) {
        vector sum[PART];
        vector other[PART];
        for (size_t k = 0; k < PART; ++k) {
            sum[k] = load(rows + k * WIDTH);
            other[k] = load(more + k * WIDTH);
        }
        rows += CHUNK;
        more += CHUNK;
        for (size_t j = 0; j < fields; ++j, rows += CHUNK, more += CHUNK) {
            for (size_t k = 0; k < PART; ++k) {
                sum[k] += load(rows + k * WIDTH) * q[j];
                other[k] += load(more + k * WIDTH) * q[j];
            }
        }
        for (size_t k = 0; k < PART; ++k) {
            store(out + at + k * WIDTH, sum[k]);
            store(out + half + at + k * WIDTH, other[k]);
        }
    }
}

// ---- what the cache limits

// Eight numbers at a time at most: where the cache limits, longer vectors are a little slower.
#if WIDTH == 4
#define STREAM 4
#else
#define STREAM 8
#endif
typedef float stream __attribute__((vector_size(4 * STREAM)));

static inline stream load_stream(const float* p) {
    stream v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store_stream(float* p, stream v) {
    memcpy(p, &v, sizeof v);
}

static void lerp(const float* restrict a, const float* restrict b, float part, float* restrict out,
                 size_t count) {
    size_t i = 0;
    for (; i + STREAM <= count; i += STREAM) {
        const stream from = load_stream(a + i);
        store_stream(out + i, from + part * (load_stream(b + i) - from));
    }
    for (; i < count; ++i) {
        out[i] = a[i] + part * (b[i] - a[i]);
    }
}

static void move(float* restrict xyz, const float* restrict velocity, size_t count) {
    size_t i = 0;
    for (; i + STREAM <= count; i += STREAM) {
        store_stream(xyz + i, load_stream(xyz + i) + load_stream(velocity + i));
    }
    for (; i < count; ++i) {
        xyz[i] += velocity[i];
    }
}

static void box(const float* xyz, size_t vertices, float lo[3], float hi[3]) {
    enum { LANES = 6 * WIDTH };  // a multiple of three; twelve registers
    const size_t numbers = 3 * vertices;
    float least[LANES];
    float most[LANES];
    size_t at = 0;
    for (int k = 0; k < LANES; ++k) {
        least[k] = INFINITY;
        most[k] = -INFINITY;
    }
    for (; at + LANES <= numbers; at += LANES) {
        for (int k = 0; k < LANES; ++k) {
            const float x = xyz[at + (size_t)k];
            least[k] = x < least[k] ? x : least[k];
            most[k] = x > most[k] ? x : most[k];
        }
    }
    for (int k = 0; at < numbers; ++k, ++at) {
        least[k] = xyz[at] < least[k] ? xyz[at] : least[k];
        most[k] = xyz[at] > most[k] ? xyz[at] : most[k];
    }
    for (int d = 0; d < 3; ++d) {
        lo[d] = INFINITY;
        hi[d] = -INFINITY;
        for (int k = d; k < LANES; k += 3) {
            lo[d] = least[k] < lo[d] ? least[k] : lo[d];
            hi[d] = most[k] > hi[d] ? most[k] : hi[d];
        }
    }
}

static float sum(const float* numbers, size_t count) {
    vector sums[SUMS] = {0};
    float total = 0;
    size_t at = 0;
    for (; at + SUMS * WIDTH <= count; at += SUMS * WIDTH) {
        for (size_t k = 0; k < SUMS; ++k) {
            sums[k] += load(numbers + at + k * WIDTH);
        }
    }
    for (; at < count; ++at) {
        total += numbers[at];
    }
    for (int k = 0; k < SUMS * WIDTH; ++k) {
        total += sums[k / WIDTH][k % WIDTH];
    }
    return total;
}

#define JOIN_NAMES(a, b) a##b
#define NAME_OF(set) JOIN_NAMES(rivals_, set)
#define TEXT(a) #a
#define TEXT_OF(set) TEXT(set)
extern const rivals NAME_OF(BENCH_SET);
const rivals NAME_OF(BENCH_SET) = {
    .name = TEXT_OF(BENCH_SET),
    .skin = skin,
    .deform = deform,
    .chunk = CHUNK,
    .lerp = lerp,
    .move = move,
    .box = box,
    .sum = sum,
};
