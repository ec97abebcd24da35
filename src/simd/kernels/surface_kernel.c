// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels that prove a surface free of self-contact: boxes of unit normals, and whether a closed
// polygon in the plane is simple. Used by bound/surface.h. Compiled once per instruction set.
#include <float.h>
#include <math.h>

#include "simd/kernels.h"
#include "simd/pick_table.h"

#define U 0x1p-24f

static f64x4 position(abut__source source, uint32_t vertex) {
    const char* place = source.data + vertex * source.stride;
    return source.is_double ? f64x4_load3_double((const double*)(const void*)place)
                            : f64x4_load3_float((const float*)(const void*)place);
}

// Computes positions relative to the first vertex, each rounded once. Returns the greatest
// magnitude.
static float gather_relative(const abut__block* block, abut__source source, pick_table* out) {
    const uint32_t count = (block->vertex_count + 15) & ~15u;
    const f64x4 origin = position(source, block->vertex[0]);
    f32x4 reach = {0, 0, 0, 0};
    for (uint32_t k = 0; k < count; k += 4) {
        f32x4 p[4];
        for (uint32_t i = 0; i < 4; ++i) {
            p[i] = f64x4_to_float(position(source, block->vertex[k + i]) - origin);
            reach = f32x4_max(f32x4_abs(p[i]), reach);  // the normals detect NaN later
        }
        pick_table_put4(out, k, p);
    }
    pick_table_end(out, count);
    const float xy = reach[0] > reach[1] ? reach[0] : reach[1];
    return xy > reach[2] ? xy : reach[2];
}

typedef struct lanes3 {
    floats d[3];
} lanes3;

static inline lanes3 minus(lanes3 a, lanes3 b) {
    return (lanes3){{a.d[0] - b.d[0], a.d[1] - b.d[1], a.d[2] - b.d[2]}};
}

static inline floats max_abs(lanes3 a) {
    return floats_max(floats_max(floats_abs(a.d[0]), floats_abs(a.d[1])), floats_abs(a.d[2]));
}

// Unit normals of triangles and the width that covers their error. With D the greatest magnitude
// of a relative coordinate and L that of an edge: a relative position is off by u D, an edge by 4 u
// D, a component of the normal n by 2 (2 L 4 u D) + 4 u L^2 <= 24 u D L, so its direction by 24
// sqrt(3) u D L / |n|, and normalising adds a few u. The width is twice that.
static inline lanes3 cross(lanes3 a, lanes3 b) {
    lanes3 n;
    for (int d = 0; d < 3; ++d) {
        const int i = (d + 1) % 3;
        const int k = (d + 2) % 3;
        n.d[d] = a.d[i] * b.d[k] - a.d[k] * b.d[i];
    }
    return n;
}

static inline bool unit_length(lanes3 n, floats longest, float reach, lanes3* unit, floats* width) {
    const floats length = floats_sqrt((n.d[0] * n.d[0] + n.d[1] * n.d[1]) + n.d[2] * n.d[2]);
    *width = (96 * U * reach) * longest / length + 16 * U;
    for (int d = 0; d < 3; ++d) {
        unit->d[d] = n.d[d] / length;
    }
    // false for NaN, too; products must be in the range where errors are relative
    return floats_le(*width, floats_splat(0.25f)) == FLOAT_BITS &&
           floats_le(floats_splat(0x1p-50f), length) == FLOAT_BITS &&
           floats_le(length, floats_splat(0x1p60f)) == FLOAT_BITS;
}

static inline bool unit_normals(lanes3 e1, lanes3 e2, float reach, lanes3* unit, floats* width) {
    return unit_length(cross(e1, e2), floats_max(max_abs(e1), max_abs(e2)), reach, unit, width);
}

// Computes two edges of the triangles in the lanes from k on.
static inline void pick_edges(const abut__block* block, const pick_table* table, uint32_t k,
                              lanes3 e[2]) {
    lanes3 p[3];
    for (int c = 0; c < 3; ++c) {
        pick_table_get(table, block->corner[c] + k, p[c].d);
    }
    e[0] = minus(p[1], p[0]);
    e[1] = minus(p[2], p[0]);
}

// The growing box of unit normals; `sound` is false once a normal was not accurate.
typedef struct unit_box {
    lanes3 lo, hi;
    bool sound;
} unit_box;

static inline unit_box empty_unit_box(void) {
    return (unit_box){{{floats_splat(2), floats_splat(2), floats_splat(2)}},
                      {{floats_splat(-2), floats_splat(-2), floats_splat(-2)}},
                      true};
}

static inline void grow(unit_box* box, bool sound, lanes3 unit, floats width) {
    box->sound &= sound;
    for (int d = 0; d < 3; ++d) {
        box->lo.d[d] = floats_min(box->lo.d[d], unit.d[d] - width);
        box->hi.d[d] = floats_max(box->hi.d[d], unit.d[d] + width);
    }
}

static inline void close_unit_box(const unit_box* box, abut__box3* out) {
    for (int d = 0; d < 3; ++d) {  // a block that is not sound gets every direction
        out->lo[d] = box->sound ? floats_least(box->lo.d[d]) : -2;
        out->hi[d] = box->sound ? floats_greatest(box->hi.d[d]) : 2;
    }
}

void ABUT_KERNEL(block_normals)(const abut__block* block, abut__source source, abut__box3* out) {
    pick_table table;
    const float reach = gather_relative(block, source, &table);
    unit_box box = empty_unit_box();
    for (uint32_t k = 0; k < block->triangle_count; k += FLOAT_LANES) {  // lane 0 fills the rest
        lanes3 e[2];
        lanes3 unit;
        floats width;
        pick_edges(block, &table, k, e);
        const bool sound = unit_normals(e[0], e[1], reach, &unit, &width);
        grow(&box, sound, unit, width);
    }
    close_unit_box(&box, out);
}

// While corners move on segments, the normal of a triangle is (1 - t)^2 n0 + 2 t (1 - t) m + t^2
// n1. n0 and n1 are those of the ends and m = (e1 x e2' + e1' x e2) / 2, where primes are the other
// end. A direction that faces these three faces all normals in between. m comes from two products,
// each with the error of one normal, so with the longest edge of both ends twice the width covers
// it.
void ABUT_KERNEL(block_step_normals)(const abut__block* block, abut__source from, abut__source to,
                                     abut__box3* out) {
    pick_table table[2];
    const float reaches[2] = {gather_relative(block, from, &table[0]),
                              gather_relative(block, to, &table[1])};
    const float reach = reaches[0] > reaches[1] ? reaches[0] : reaches[1];
    unit_box box = empty_unit_box();
    for (uint32_t k = 0; k < block->triangle_count; k += FLOAT_LANES) {  // lane 0 fills the rest
        lanes3 e[2][2];
        lanes3 unit;
        floats width;
        for (int end = 0; end < 2; ++end) {
            pick_edges(block, &table[end], k, e[end]);
            const bool sound = unit_normals(e[end][0], e[end][1], reach, &unit, &width);
            grow(&box, sound, unit, width);
        }
        const lanes3 p = cross(e[0][0], e[1][1]);
        const lanes3 q = cross(e[1][0], e[0][1]);
        const lanes3 sum = {{p.d[0] + q.d[0], p.d[1] + q.d[1], p.d[2] + q.d[2]}};
        const floats longest = floats_max(floats_max(max_abs(e[0][0]), max_abs(e[0][1])),
                                          floats_max(max_abs(e[1][0]), max_abs(e[1][1])));
        const bool sound = unit_length(sum, longest + longest, reach, &unit, &width);
        grow(&box, sound, unit, width);
    }
    close_unit_box(&box, out);
}

// Sixteen edges of the polygon: their index, the corners from there on, and their boxes.
typedef struct run16 {
    uint32_t first;
    const float* x;
    const float* y;
    float lo_x[16], lo_y[16], hi_x[16], hi_y[16];
} run16;

static inline void load_run(const float* x, const float* y, uint32_t first, float pad, run16* run) {
    run->first = first;
    run->x = x + first;
    run->y = y + first;
    for (int k = 0; k < 16; k += FLOAT_LANES) {
        const floats ax = floats_load(run->x + k);
        const floats ay = floats_load(run->y + k);
        const floats bx = floats_load(run->x + k + 1);
        const floats by = floats_load(run->y + k + 1);
        floats_store(run->lo_x + k, floats_min(ax, bx) - pad);
        floats_store(run->lo_y + k, floats_min(ay, by) - pad);
        floats_store(run->hi_x + k, floats_max(ax, bx) + pad);
        floats_store(run->hi_y + k, floats_max(ay, by) + pad);
    }
}

typedef struct segment {
    float ax, ay, bx, by;
} segment;

// Returns the side of the line through s on which a point lies: 1, -1, or 0 if uncertain. With
// coordinates off by 8 u reach, differences are off by less than 18 u reach, so the turn is off by
// less than 22 u reach S + 648 u^2 reach^2, S the sum of the magnitudes of the four differences.
static int side_of(segment s, float cx, float cy, float reach) {
    const float x1 = s.bx - s.ax;
    const float y1 = s.by - s.ay;
    const float x2 = cx - s.ax;
    const float y2 = cy - s.ay;
    const float turn = x1 * y2 - y1 * x2;
    const float sum = (fabsf(x1) + fabsf(y1)) + (fabsf(x2) + fabsf(y2));
    const float error = 32 * U * reach * sum + 0x1p-37f * reach * reach;
    return (turn > error) - (turn < -error);
}

// Tells whether the other segment certainly lies on one side of the line through s.
static bool one_side(segment s, segment other, float reach) {
    const int side = side_of(s, other.ax, other.ay, reach);
    return side != 0 && side == side_of(s, other.bx, other.by, reach);
}

static segment lane_of(const run16* r, int k) {
    return (segment){r->x[k], r->y[k], r->x[k + 1], r->y[k + 1]};
}

// Returns the lanes of the run whose boxes overlap that of an edge.
static inline uint32_t near_lanes(const run16* r, float lo_x, float lo_y, float hi_x, float hi_y) {
    uint32_t lanes = 0;
    for (int k = 0; k < 16; k += FLOAT_LANES) {
        lanes |= flags_bits(floats_le_flags(floats_load(r->lo_x + k), floats_splat(hi_x)) &
                            floats_le_flags(floats_splat(lo_x), floats_load(r->hi_x + k)) &
                            floats_le_flags(floats_load(r->lo_y + k), floats_splat(hi_y)) &
                            floats_le_flags(floats_splat(lo_y), floats_load(r->hi_y + k)))
                 << k;
    }
    return lanes;
}

// Tells whether two consecutive edges meet in one point only: the second must not turn back.
static bool no_fold(segment s, segment next, float reach) {
    const float x1 = s.bx - s.ax;
    const float y1 = s.by - s.ay;
    const float x2 = next.bx - next.ax;
    const float y2 = next.by - next.ay;
    const float sum = (fabsf(x1) + fabsf(y1)) + (fabsf(x2) + fabsf(y2));
    const float error = 32 * U * reach * sum + 0x1p-37f * reach * reach;  // as in side_of
    return side_of(s, next.bx, next.by, reach) != 0 || x1 * x2 + y1 * y2 > error;
}

// Tests the edges of run r against later ones of run s.
static bool runs_clear(const run16* r, const run16* s, uint32_t count, float reach) {
    for (int i = 0; i < 16 && r->first + (uint32_t)i < count; ++i) {
        const uint32_t edge = r->first + (uint32_t)i;
        uint32_t lanes = near_lanes(s, r->lo_x[i], r->lo_y[i], r->hi_x[i], r->hi_y[i]);
        for (; lanes != 0; lanes &= lanes - 1) {
            const int k = __builtin_ctz(lanes);
            const uint32_t other = s->first + (uint32_t)k;
            if (other <= edge || other >= count) {
                continue;
            }
            const segment a = lane_of(r, i);
            const segment b = lane_of(s, k);
            const bool follows = other == edge + 1;
            const bool precedes = edge == 0 && other == count - 1;
            const bool clear = follows    ? no_fold(a, b, reach)
                               : precedes ? no_fold(b, a, reach)
                                          : one_side(a, b, reach) || one_side(b, a, reach);
            if (!clear) {
                return false;
            }
        }
    }
    return true;
}

static bool runs_apart(const abut__box3* a, const abut__box3* b) {
    return a->lo[0] > b->hi[0] || b->lo[0] > a->hi[0] || a->lo[1] > b->hi[1] || b->lo[1] > a->hi[1];
}

// True only if no two edges of the closed polygon meet except neighbours at their common corner. x
// and y hold count + 1 points, the last equal to the first, and room to read 16 more. Each
// coordinate is at most `reach` and off by at most 8 u reach.
bool ABUT_KERNEL(polygon_simple)(const float* x, const float* y, uint32_t count, float reach) {
    const float pad = 16 * U * reach;
    abut__box3 boxes[128];
    const uint32_t runs = (count + 15) / 16;
    if (count < 3 || runs > 128 || !(reach >= 0x1p-30f) || !(reach <= 0x1p50f)) {
        return false;
    }
    for (uint32_t r = 0; r < runs; ++r) {
        run16 run;
        load_run(x, y, 16 * r, pad, &run);
        const uint32_t used = count - 16 * r < 16 ? count - 16 * r : 16;
        boxes[r] = (abut__box3){{run.lo_x[0], run.lo_y[0], 0}, {run.hi_x[0], run.hi_y[0], 0}};
        for (uint32_t k = 1; k < used; ++k) {
            boxes[r].lo[0] = run.lo_x[k] < boxes[r].lo[0] ? run.lo_x[k] : boxes[r].lo[0];
            boxes[r].lo[1] = run.lo_y[k] < boxes[r].lo[1] ? run.lo_y[k] : boxes[r].lo[1];
            boxes[r].hi[0] = run.hi_x[k] > boxes[r].hi[0] ? run.hi_x[k] : boxes[r].hi[0];
            boxes[r].hi[1] = run.hi_y[k] > boxes[r].hi[1] ? run.hi_y[k] : boxes[r].hi[1];
        }
    }
    for (uint32_t r = 0; r < runs; ++r) {
        run16 run;
        load_run(x, y, 16 * r, pad, &run);
        for (uint32_t s = r; s < runs; ++s) {
            if (runs_apart(&boxes[r], &boxes[s])) {
                continue;
            }
            run16 other;
            load_run(x, y, 16 * s, pad, &other);
            if (!runs_clear(&run, &other, count, reach)) {
                return false;
            }
        }
    }
    return true;
}
