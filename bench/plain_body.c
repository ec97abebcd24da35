// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A waving sheet for refits: see plain.h. This file is separate, because it uses the library's
// internals to copy the tree.
#include "bench/plain.h"
#include "body/body.h"
#include "scene/scene.h"

#include <abut/abut.h>
#include <math.h>
#include <stdlib.h>

struct plain_body {
    abut_context* context;
    abut_scene* scene;
    abut_body_id body;
    uint32_t vertex_count;
    float* xyz[2];  // states that take turns
    size_t turn;
    size_t plain_turn;
    plain_tree tree;
    uint32_t* lists[4];  // of the tree
    float (*boxes)[6];
};

static void need(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("abut: %s", abut_status_text(status));
    }
}

static void make_body(plain_body* p, uint32_t side) {
    uint32_t* triangles = bench_alloc(6 * (size_t)side * side, sizeof *triangles);
    uint32_t* to = triangles;
    abut_mesh_def def = abut_mesh_def_default();
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    for (uint32_t v = 0; v < side * side; ++v) {
        const uint32_t at = v / side * (side + 1) + v % side;
        const uint32_t corners[6] = {at,     at + 1,       at + side + 1, at + side + 1,
                                     at + 1, at + side + 2};
        for (int i = 0; i < 6; ++i) {
            *to++ = corners[i];
        }
    }
    def.positions = abut_positions_f32(p->xyz[0], p->vertex_count);
    def.triangles = triangles;
    def.triangle_count = 2 * (size_t)side * side;
    need(abut_context_create(bench_context_def(), &p->context, NULL));
    need(abut_scene_create(p->context, NULL, &p->scene, NULL));
    need(abut_mesh_create(p->context, &def, &mesh, NULL));
    need(abut_shape_create(p->context, mesh, NULL, &shape, NULL));
    need(abut_body_create(p->scene, shape, NULL, &p->body, NULL));
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    free(triangles);
}

static void copy_leaves(plain_body* p, const abut__tree* tree) {
    uint32_t* first = bench_alloc(tree->block_count + 1, sizeof *first);
    uint32_t* vertices = bench_alloc((size_t)tree->block_count * ABUT__BLOCK_VERTICES,
                                     sizeof *vertices);
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        const abut__block* block = tree->blocks[b];
        first[b + 1] = first[b] + block->vertex_count;
        for (uint32_t i = 0; i < block->vertex_count; ++i) {
            vertices[first[b] + i] = block->vertex[i];
        }
    }
    p->tree.leaf_count = tree->block_count;
    p->tree.leaf_first = p->lists[0] = first;
    p->tree.vertices = p->lists[1] = vertices;
}

static void copy_nodes(plain_body* p, const abut__tree* tree) {
    uint32_t* first = bench_alloc(tree->node_count + 1, sizeof *first);
    uint32_t* children = bench_alloc((size_t)tree->node_count * ABUT__FAN, sizeof *children);
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        const abut__node* node = &tree->nodes[n];
        first[n + 1] = first[n] + node->count;
        for (uint32_t i = 0; i < node->count; ++i) {
            children[first[n] + i] = abut__is_block(node->child[i])
                                         ? abut__block_of(node->child[i])
                                         : tree->block_count + node->child[i];
        }
    }
    p->tree.node_count = tree->node_count;
    p->tree.node_first = p->lists[2] = first;
    p->tree.children = p->lists[3] = children;
}

plain_body* plain_body_create(uint32_t side) {
    plain_body* p = bench_alloc(1, sizeof *p);
    p->vertex_count = (side + 1) * (side + 1);
    for (int s = 0; s < 2; ++s) {
        p->xyz[s] = bench_alloc_floats(3 * (size_t)p->vertex_count);
        for (uint32_t v = 0; v < p->vertex_count; ++v) {
            const double x = (double)(v % (side + 1)) / side;
            const double y = (double)(v / (side + 1)) / side;
            p->xyz[s][3 * (size_t)v] = (float)x;
            p->xyz[s][3 * (size_t)v + 1] = (float)y;
            p->xyz[s][3 * (size_t)v + 2] = (float)(0.1 * sin(9 * x + 7 * y + s));
        }
    }
    make_body(p, side);
    const abut__tree* tree = &abut__scene_body(p->scene, p->body)->shape->tree;
    copy_leaves(p, tree);
    copy_nodes(p, tree);
    p->boxes = bench_alloc(tree->block_count + (size_t)tree->node_count, sizeof *p->boxes);
    return p;
}

void plain_body_destroy(plain_body* p) {
    abut_scene_destroy(p->scene);
    abut_context_destroy(p->context);
    for (int i = 0; i < 4; ++i) {
        free(p->lists[i]);
    }
    free(p->xyz[0]);
    free(p->xyz[1]);
    free(p->boxes);
    free(p);
}

uint32_t plain_body_vertices(const plain_body* p) {
    return p->vertex_count;
}

void plain_body_refit(plain_body* p) {
    const float* xyz = p->xyz[p->turn++ % 2];
    need(abut_body_borrow_positions(p->scene, p->body, abut_positions_f32(xyz, p->vertex_count),
                                    NULL));
}

void plain_body_refit_plainly(plain_body* p, const plain_loops* loops) {
    loops->refit(&p->tree, p->xyz[p->plain_turn++ % 2], p->boxes);
}

bool plain_body_agrees(const plain_body* p) {
    abut_box box;
    const float* plain = p->boxes[p->tree.leaf_count];
    bool same = abut_body_validate(p->scene, p->body, NULL) == ABUT_OK;
    need(abut_body_box(p->scene, p->body, &box, NULL));
    for (int d = 0; d < 3; ++d) {  // ours may be rounded outward
        same = same && fabs(box.lo[d] - (double)plain[d]) <= 1e-6 &&
               fabs(box.hi[d] - (double)plain[d + 3]) <= 1e-6;
    }
    return same && p->turn % 2 == p->plain_turn % 2;
}
