// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two rigid bodies, moved by frames: see rigid.h.
#include "bench/rigid.h"

#ifdef BENCH_HAVE_FCL

#include <abut/abut.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct placing {
    double rows[2][12];  // three rows of four numbers for each body
} placing;

struct rigid {
    near_mesh meshes[2];
    uint32_t frame_count;
    placing* frames;
    void* fcl;
    abut_context* context;
    abut_scene* scene;
    abut_nearest_result* gaps;
    abut_collide_result* touches;
    abut_body_id bodies[2];
};

static void require(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("abut: %s", abut_status_text(status));
    }
}

// Rotated about two axes, and passing each other.
static void place(double frame[12], double angle, double x, double y) {
    const double c = cos(angle);
    const double s = sin(angle);
    const double d = cos(0.7 * angle);
    const double e = sin(0.7 * angle);
    const double rows[12] = {c, -s * d, s * e, x, s, c * d, -c * e, y, 0, e, d, 0.1 * x};
    memcpy(frame, rows, sizeof rows);
}

static void make_abut(rigid* r, int i) {
    abut_mesh_def def = abut_mesh_def_default();
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    def.positions = abut_positions_f64(r->meshes[i].rest, r->meshes[i].vertex_count);
    def.triangles = r->meshes[i].triangles;
    def.triangle_count = r->meshes[i].triangle_count;
    require(abut_mesh_create(r->context, &def, &mesh, NULL));
    require(abut_shape_create_modal(r->context, mesh, NULL, &shape, NULL));
    require(abut_shape_build_tree(shape, NULL));
    require(abut_body_create(r->scene, shape, NULL, &r->bodies[i], NULL));
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
}

rigid* rigid_create(const near_mesh meshes[2], near_volume volume, double size, uint32_t frames) {
    rigid* r = bench_alloc(1, sizeof *r);
    memcpy(r->meshes, meshes, sizeof r->meshes);
    r->frame_count = frames;
    r->frames = bench_alloc(frames, sizeof *r->frames);
    for (uint32_t f = 0; f < frames; ++f) {
        const double time = (double)f / frames;
        place(r->frames[f].rows[0], 5 * time, size * (-1.5 + 3 * time), 0.75 * size);
        place(r->frames[f].rows[1], 2 - 7 * time, size * (1.5 - 3 * time), -0.75 * size);
    }
    r->fcl = near_fcl_rigid_create(r->meshes, volume);
    require(abut_context_create(bench_context_def(), &r->context, NULL));
    require(abut_scene_create(r->context, NULL, &r->scene, NULL));
    require(abut_nearest_result_create(r->context, &r->gaps, NULL));
    require(abut_collide_result_create(r->context, &r->touches, NULL));
    make_abut(r, 0);
    make_abut(r, 1);
    return r;
}

void rigid_destroy(rigid* r) {
    near_fcl_rigid_destroy(r->fcl);
    abut_nearest_result_destroy(r->gaps);
    abut_collide_result_destroy(r->touches);
    abut_scene_destroy(r->scene);
    abut_context_destroy(r->context);
    free(r->frames);
    free(r);
}

static void place_abut(rigid* r, uint32_t frame) {
    for (int i = 0; i < 2; ++i) {
        const double* rows = r->frames[frame].rows[i];
        abut_frame to;
        for (int k = 0; k < 3; ++k) {
            memcpy(to.r[k], rows + 4 * k, sizeof to.r[k]);
            to.t[k] = rows[4 * k + 3];
        }
        require(abut_body_set_frame(r->scene, r->bodies[i], &to, NULL));
    }
}

double rigid_ask_abut(rigid* r, uint32_t frame) {
    place_abut(r, frame);
    require(abut_nearest(r->scene, r->bodies[0], r->bodies[1], NULL, r->gaps, NULL));
    return abut_nearest_result_pairs(r->gaps, NULL)->distance;
}

double rigid_ask_fcl(rigid* r, uint32_t frame) {
    return near_fcl_rigid_ask(r->fcl, (const double(*)[12])r->frames[frame].rows);
}

size_t rigid_collide_abut(rigid* r, uint32_t frame) {
    size_t count = 0;
    place_abut(r, frame);
    require(abut_collide(r->scene, r->bodies[0], r->bodies[1], NULL, r->touches, NULL));
    (void)abut_collide_result_pairs(r->touches, &count);
    return count;
}

size_t rigid_collide_fcl(rigid* r, uint32_t frame) {
    return near_fcl_rigid_collide(r->fcl, (const double(*)[12])r->frames[frame].rows);
}

bool rigid_agree(rigid* r, double most) {
    bool agree = true;
    for (uint32_t f = 0; f < r->frame_count; ++f) {
        agree = agree && fabs(rigid_ask_abut(r, f) - rigid_ask_fcl(r, f)) < most;
    }
    return agree;
}

static int by_triangles(const void* a, const void* b) {
    const uint32_t* p = a;
    const uint32_t* q = b;
    const int d = p[0] != q[0] ? 0 : 1;
    return (p[d] > q[d]) - (p[d] < q[d]);
}

// Counts the pairs of a frame that are in one list only; both are sorted.
static void compare_frame(const abut_pair* ours, size_t count, uint32_t (*theirs)[2],
                          size_t their_count, rigid_pairs* out) {
    size_t k = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t pair[2] = {ours[i].triangle_a, ours[i].triangle_b};
        for (; k < their_count && by_triangles(theirs[k], pair) < 0; ++k) {
            ++out->fcl;
        }
        if (k < their_count && by_triangles(theirs[k], pair) == 0) {
            ++k;
        } else {
            ++out->abut;
        }
    }
    out->fcl += their_count - k;
    out->all += count;
    out->frames += count > 0;
    out->most = count > out->most ? count : out->most;
}

rigid_pairs rigid_compare(rigid* r) {
    rigid_pairs out = {0};
    for (uint32_t f = 0; f < r->frame_count; ++f) {
        size_t count = rigid_collide_abut(r, f);
        const abut_pair* ours = abut_collide_result_pairs(r->touches, &count);
        const size_t their_count = rigid_collide_fcl(r, f);
        uint32_t(*theirs)[2] = bench_alloc(their_count + 1, sizeof *theirs);
        near_fcl_rigid_pairs(r->fcl, theirs);
        qsort(theirs, their_count, sizeof *theirs, by_triangles);
        compare_frame(ours, count, theirs, their_count, &out);
        free(theirs);
    }
    return out;
}

#endif
