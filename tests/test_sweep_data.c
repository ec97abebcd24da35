// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps of whole meshes from public data from one frame to the next. They find all pairs that are
// labelled as touching, and no others.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/mesh_file.h"
#include "support/world.h"

typedef struct labelled {
    uint64_t* keys;
    size_t count;
    size_t listed;
} labelled;

static char* read_text(const char* path) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    assert_true(io_read_file(path, &bytes, &size, &error));
    bytes = realloc(bytes, size + 1);
    assert_non_null(bytes);
    bytes[size] = '\0';
    return bytes;
}

// reads the next number; false at the end
static bool next_number(const char** at, uint64_t* out) {
    *at += strcspn(*at, "0123456789");
    if (**at == '\0') {
        return false;
    }
    char* end;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return true;
}

static int compare_keys(const void* x, const void* y) {
    const uint64_t a = *(const uint64_t*)x;
    const uint64_t b = *(const uint64_t*)y;
    return a < b ? -1 : a > b;
}

// pairs of ids whose label is true
static labelled read_labelled(const char* scene, const char* name) {
    char path[600];
    snprintf(path, sizeof path, ABUT_SHARED_DATA "/ccd_scenes/%s/boxes/%s.json", scene, name);
    char* pairs = read_text(path);
    snprintf(path, sizeof path, ABUT_SHARED_DATA "/ccd_scenes/%s/mma_bool/%s_mma_bool.json", scene,
             name);
    char* labels = read_text(path);
    labelled out = {0};
    out.keys = test_alloc(strlen(pairs), sizeof *out.keys);
    const char* label = labels;
    uint64_t a = 0;
    uint64_t b = 0;
    for (const char* at = pairs; next_number(&at, &a) && next_number(&at, &b); ++out.listed) {
        label += strcspn(label, "tf");
        assert_true(*label != '\0');
        if (*label++ == 't') {
            out.keys[out.count++] = a << 32 | b;
        }
        label += strspn(label, "ruealse");
    }
    qsort(out.keys, out.count, sizeof *out.keys, compare_keys);
    free(pairs);
    free(labels);
    return out;
}

// ids of edges: sorted by the larger and then by the smaller vertex, after the ids of vertices
typedef struct edge_ids {
    uint64_t* keys;
    size_t count;
    uint64_t first;
} edge_ids;

static edge_ids number_edges(const io_mesh* mesh) {
    edge_ids out = {.first = mesh->vertex_count};
    out.keys = test_alloc(3 * mesh->triangle_count, sizeof *out.keys);
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        for (size_t c = 0; c < 3; ++c) {
            const uint64_t a = mesh->triangles[3 * t + c];
            const uint64_t b = mesh->triangles[3 * t + (c + 1) % 3];
            out.keys[out.count++] = a > b ? a << 32 | b : b << 32 | a;
        }
    }
    qsort(out.keys, out.count, sizeof *out.keys, compare_keys);
    size_t count = 0;
    for (size_t i = 0; i < out.count; ++i) {
        if (i == 0 || out.keys[i] != out.keys[i - 1]) {
            out.keys[count++] = out.keys[i];
        }
    }
    out.count = count;
    return out;
}

static uint64_t edge_id(const edge_ids* ids, const uint32_t vertex[2]) {
    const uint64_t key = (uint64_t)vertex[1] << 32 | vertex[0];
    const uint64_t* found = bsearch(&key, ids->keys, ids->count, sizeof key, compare_keys);
    assert_non_null(found);
    return ids->first + (uint64_t)(found - ids->keys);
}

static void check_scene(const char* scene, unsigned frame) {
    char path[600];
    char name[40];
    io_mesh mesh[2];
    io_error error;
    snprintf(path, sizeof path, ABUT_SHARED_DATA "/ccd_scenes/%s/frames/%u.ply", scene, frame);
    if (!io_read_mesh(path, &mesh[0], &error)) {
        print_message("skipped: there is no %s\n", path);
        skip();
    }
    snprintf(path, sizeof path, ABUT_SHARED_DATA "/ccd_scenes/%s/frames/%u.ply", scene, frame + 1);
    assert_true(io_read_mesh(path, &mesh[1], &error));
    world w = world_make(NULL, NULL);
    const surface s = {(uint32_t)mesh[0].vertex_count, (uint32_t)mesh[0].triangle_count,
                       mesh[0].positions, mesh[0].triangles};
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    world_move(&w, body, mesh[0].positions);
    world_move(&w, body, mesh[1].positions);
    abut_counters counters = {0};
    abut_sweep_def def = abut_sweep_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.swept, NULL));
    size_t count = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(w.swept, &count);
    const edge_ids ids = number_edges(&mesh[0]);
    for (int edges = 0; edges < 2; ++edges) {
        snprintf(name, sizeof name, "%u%s", frame, edges ? "ee" : "vf");
        labelled wanted = read_labelled(scene, name);
        uint64_t* got = test_alloc(count, sizeof *got);
        size_t found = 0;
        for (size_t i = 0; i < count; ++i) {
            const abut_sweep_pair* p = &pairs[i];
            if (!edges && p->kind == ABUT_CONTACT_VERTEX_FACE) {
                const uint64_t face = ids.first + ids.count + p->triangle_b;
                got[found++] = (uint64_t)p->vertices_a[0] << 32 | face;
            } else if (edges && p->kind == ABUT_CONTACT_EDGE_EDGE) {
                const uint64_t a = edge_id(&ids, p->vertices_a);
                const uint64_t b = edge_id(&ids, p->vertices_b);
                got[found++] = a < b ? a << 32 | b : b << 32 | a;
            }
        }
        qsort(got, found, sizeof *got, compare_keys);
        for (size_t i = 0; i < wanted.count && edges; ++i) {
            const uint64_t a = wanted.keys[i] >> 32;
            const uint64_t b = (uint32_t)wanted.keys[i];
            wanted.keys[i] = a < b ? a << 32 | b : b << 32 | a;
        }
        qsort(wanted.keys, wanted.count, sizeof *wanted.keys, compare_keys);
        print_message("%s %s: %zu of %zu true, %zu found\n", scene, name, wanted.count,
                      wanted.listed, found);
        assert_true(wanted.count > 20);
        assert_int_equal(found, wanted.count);
        assert_memory_equal(got, wanted.keys, found * sizeof *got);
        free(got);
        free(wanted.keys);
    }
    assert_int_equal(counters.pairs_undecided, 0);
    free(ids.keys);
    world_free(&w);
    io_mesh_free(&mesh[0]);
    io_mesh_free(&mesh[1]);
}

static void test_cloth_funnel(void** state) {
    (void)state;
    check_scene("cloth-funnel", 227);
}

static void test_armadillo_rollers(void** state) {
    (void)state;
    check_scene("armadillo-rollers", 326);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_funnel),
        cmocka_unit_test(test_armadillo_rollers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
