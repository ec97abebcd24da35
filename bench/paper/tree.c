// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The paper's trees: see tree.h.
#include "bench/paper/tree.h"

#include "bench/reduced.h"
#include "shape/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

scene* paper_scene_with(const char* name, const scene_options* wishes) {
    scene* s = scene_create_with(name, wishes);
    if (s == NULL) {
        bench_die("the scene '%s' cannot be made", name);
    }
    return s;
}

scene* paper_scene(const char* name, uint32_t triangles, uint32_t frames, uint32_t seed,
                   uint32_t fields) {
    return paper_scene_with(
        name,
        &(scene_options){.triangles = triangles, .frames = frames, .seed = seed, .fields = fields});
}

// ---- topology

// Children come after their parents, level by level.
static void take_topology(paper_tree* tree, const abut__tree* from) {
    abut__ref* ref = bench_alloc(tree->node_count, sizeof *ref);
    uint32_t made = 1;
    ref[0] = from->node_count > 0 ? 0 : ABUT__REF_BLOCK;
    for (uint32_t i = 0; i < made; ++i) {
        paper_node* node = &tree->nodes[i];
        node->child[0] = node->child[1] = PAPER_NONE;
        tree->level_count = node->level + 1;
        if (abut__is_block(ref[i])) {
            node->first = from->blocks[abut__block_of(ref[i])]->triangle[0];
            continue;
        }
        for (uint32_t k = 0; k < from->nodes[ref[i]].count; ++k) {
            tree->nodes[made].level = node->level + 1;
            ref[made] = from->nodes[ref[i]].child[k];
            node->child[k] = made++;
        }
    }
    tree->node_count = made;
    free(ref);
}

static uint32_t lay_out(paper_tree* tree, uint32_t i, uint32_t next) {
    paper_node* node = &tree->nodes[i];
    if (node->child[0] == PAPER_NONE) {
        tree->order[next] = node->first;
        node->first = next;
        node->count = 1;
        return next + 1;
    }
    node->first = next;
    next = lay_out(tree, node->child[0], next);
    if (node->child[1] != PAPER_NONE) {
        next = lay_out(tree, node->child[1], next);
    }
    node->count = next - node->first;
    return next;
}

paper_tree* paper_tree_make(const scene_body* body) {
    paper_tree* tree = bench_alloc(1, sizeof *tree);
    abut_context* context = NULL;
    reduced_need(abut_context_create(bench_context_def(), &context, NULL), NULL);
    reduced_def def = reduced_def_default(ABUT_MOTION_FREE);
    def.shape.fan_out = 2;
    def.shape.block_triangles = 1;
    abut_shape* shape = reduced_make_shape(context, body, &def);
    tree->body = body;
    tree->node_count = shape->tree.node_count + shape->tree.block_count;
    tree->nodes = bench_alloc(tree->node_count, sizeof *tree->nodes);
    tree->order = bench_alloc(body->triangle_count, sizeof *tree->order);
    tree->seen = bench_alloc(body->vertex_count, sizeof *tree->seen);
    tree->ids = bench_alloc(body->vertex_count, sizeof *tree->ids);
    tree->items = bench_alloc(body->vertex_count, sizeof *tree->items);
    take_topology(tree, &shape->tree);
    (void)lay_out(tree, 0, 0);
    abut_shape_destroy(shape);
    abut_context_destroy(context);
    return tree;
}

void paper_tree_free(paper_tree* tree) {
    free(tree->nodes);
    free(tree->order);
    free(tree->seen);
    free(tree->ids);
    free(tree->items);
    free(tree);
}

uint32_t paper_tree_vertices(paper_tree* tree, uint32_t node) {
    uint32_t count = 0;
    ++tree->set;
    for (uint32_t i = 0; i < tree->nodes[node].count; ++i) {
        const size_t triangle = tree->order[tree->nodes[node].first + i];
        for (int k = 0; k < 3; ++k) {
            const uint32_t vertex = tree->body->triangles[3 * triangle + (size_t)k];
            if (tree->seen[vertex] != tree->set) {
                tree->seen[vertex] = tree->set;
                tree->ids[count++] = vertex;
            }
        }
    }
    return count;
}

uint32_t paper_stride(const paper_tree* tree, uint32_t level, uint32_t most) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        count += tree->nodes[i].level == level;
    }
    return count / most + 1;
}

// ---- wrapped spheres

void paper_wrap(paper_tree* tree, uint32_t count, abut__centre_rule rule, abut__ball* rows) {
    const scene_body* b = tree->body;
    for (uint32_t row = 0; row <= b->field_count; ++row) {
        const float* field = b->fields + 3 * (size_t)b->vertex_count * (row > 0 ? row - 1 : 0);
        for (uint32_t i = 0; i < count; ++i) {
            const size_t at = 3 * (size_t)tree->ids[i];
            for (size_t d = 0; d < 3; ++d) {
                tree->items[i].c[d] = row == 0 ? b->rest[at + d] : (double)field[at + d];
            }
            tree->items[i].r = 0;
        }
        rows[row] = abut__ball_around(tree->items, count, rule);
    }
}

abut__ball* paper_wrap_all(paper_tree* tree, abut__centre_rule rule) {
    const size_t rows = tree->body->field_count + (size_t)1;
    abut__ball* all = bench_alloc(tree->node_count, rows * sizeof *all);
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        paper_wrap(tree, paper_tree_vertices(tree, i), rule, all + i * rows);
    }
    return all;
}

abut__ball paper_update(const abut__ball* rows, uint32_t fields, const double* q) {
    abut__ball ball = rows[0];
    for (uint32_t j = 0; j < fields; ++j) {
        ball.c[0] += rows[1 + j].c[0] * q[j];
        ball.c[1] += rows[1 + j].c[1] * q[j];
        ball.c[2] += rows[1 + j].c[2] * q[j];
        ball.r += rows[1 + j].r * fabs(q[j]);
    }
    return ball;
}

// ---- layered spheres

void paper_deform(const scene_body* body, const double* q, double* xyz) {
    const size_t numbers = 3 * (size_t)body->vertex_count;
    for (size_t i = 0; i < numbers; ++i) {
        double p = body->rest[i];
        for (uint32_t j = 0; j < body->field_count; ++j) {
            p += (double)body->fields[j * numbers + i] * q[j];
        }
        xyz[i] = p;
    }
}

static double distance(const double a[3], const double b[3]) {
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static abut__ball around_triangle(const double* xyz, const uint32_t* corner) {
    abut__ball ball = {{0, 0, 0}, 0};
    for (int k = 0; k < 3; ++k) {
        for (int d = 0; d < 3; ++d) {
            ball.c[d] += xyz[3 * (size_t)corner[k] + (size_t)d] / 3;
        }
    }
    for (int k = 0; k < 3; ++k) {
        ball.r = fmax(ball.r, distance(ball.c, xyz + 3 * (size_t)corner[k]));
    }
    return ball;
}

// Returns the smallest ball around two balls.
static abut__ball around_two(const abut__ball* a, const abut__ball* b) {
    const double apart = distance(a->c, b->c);
    if (apart + b->r <= a->r) {
        return *a;
    }
    if (apart + a->r <= b->r) {
        return *b;
    }
    abut__ball ball = *a;
    ball.r = 0.5 * (apart + a->r + b->r);
    for (int d = 0; d < 3; ++d) {
        ball.c[d] += (b->c[d] - a->c[d]) * (ball.r - a->r) / apart;
    }
    return ball;
}

void paper_layer(const paper_tree* tree, const double* xyz, abut__ball* spheres) {
    for (uint32_t i = tree->node_count; i-- > 0;) {
        const paper_node* node = &tree->nodes[i];
        if (node->child[0] == PAPER_NONE) {
            const size_t triangle = tree->order[node->first];
            spheres[i] = around_triangle(xyz, tree->body->triangles + 3 * triangle);
        } else {
            spheres[i] = around_two(&spheres[node->child[0]],
                                    &spheres[node->child[node->child[1] != PAPER_NONE]]);
        }
    }
}

abut__ball paper_best(paper_tree* tree, uint32_t count, const double* xyz) {
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(tree->items[i].c, xyz + 3 * (size_t)tree->ids[i], sizeof tree->items[i].c);
        tree->items[i].r = 0;
    }
    return abut__ball_around(tree->items, count, ABUT__CENTRE_MINIMAL);
}
