// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Figure 5: radii of boxes (half their diagonals), relative to those of the best ones, level by
// level. The tree is the paper's, binary down to single triangles; every bound is computed here, in
// double, from the vertices under a node. Summed spheres add up the greatest displacements by every
// node, as in Adams, Keiser, Pauly, Guibas, Gross, Dutre, "Efficient Raytracing of Deforming
// Point-Sampled Surfaces", 2005. Growth bounds do so per axis and with both limits of weights, which
// is tighter.
#include "bench/paper/corners.h"
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 10, NODES = 200, TRIANGLES = 59932 };
enum { PLAIN, OWN, EXACT, GROWTH, SPHERE, KINDS };
static const char* const kinds[KINDS] = {"eq. 11", "own boxes", "exact", "growth",
                                         "summed spheres"};

typedef struct extent {
    double lo[3];
    double hi[3];
} extent;

// The limits of the vertices under a tree node.
typedef struct limits {
    uint32_t count;
    uint32_t* nodes;
    double* least;
    double* most;
    extent* own;  // of the vertices that the node influences
    extent all;   // of all
    double centre[3];
    double radius;   // of a sphere around all
    uint32_t* seen;  // per node of the motion: number of vertices that it influences
    double* reach;   // scratch
} limits;

typedef struct sums {
    double mean[KINDS];
    double most[KINDS];
    uint32_t count;
    uint32_t violations;
} sums;

static void include(extent* e, const double* p) {
    for (int d = 0; d < 3; ++d) {
        e->lo[d] = fmin(e->lo[d], p[d]);
        e->hi[d] = fmax(e->hi[d], p[d]);
    }
}

static const extent nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static limits make_limits(const scene_body* b) {
    limits m = {.count = 0};
    m.nodes = bench_alloc(b->node_count, sizeof *m.nodes);
    m.least = bench_alloc(b->node_count, sizeof *m.least);
    m.most = bench_alloc(b->node_count, sizeof *m.most);
    m.own = bench_alloc(b->node_count, sizeof *m.own);
    m.seen = bench_alloc(b->node_count, sizeof *m.seen);
    m.reach = bench_alloc(b->node_count, sizeof *m.reach);
    return m;
}

static void free_limits(limits* m) {
    free(m->nodes);
    free(m->least);
    free(m->most);
    free(m->own);
    free(m->seen);
    free(m->reach);
}

// Computes the sphere around the centre of the box of all vertices.
static void put_sphere(const paper_tree* tree, uint32_t count, limits* m) {
    double most = 0;
    for (int d = 0; d < 3; ++d) {
        m->centre[d] = 0.5 * (m->all.lo[d] + m->all.hi[d]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const double* p = tree->body->rest + 3 * (size_t)tree->ids[i];
        double square = 0;
        for (int d = 0; d < 3; ++d) {
            square += (p[d] - m->centre[d]) * (p[d] - m->centre[d]);
        }
        most = fmax(most, square);
    }
    m->radius = sqrt(most);
}

// Computes the limits of the vertices in tree->ids.
static void find_limits(const paper_tree* tree, uint32_t count, limits* m) {
    const scene_body* b = tree->body;
    uint32_t* place = bench_alloc(b->node_count, sizeof *place);
    memset(m->seen, 0, b->node_count * sizeof *m->seen);
    m->count = 0;
    m->all = nothing;
    for (uint32_t i = 0; i < count; ++i) {
        const double* p = b->rest + 3 * (size_t)tree->ids[i];
        include(&m->all, p);
        for (uint32_t k = b->weight_first[tree->ids[i]]; k < b->weight_first[tree->ids[i] + 1];
             ++k) {
            const uint32_t node = b->weight_nodes[k];
            if (m->seen[node]++ == 0) {
                place[node] = m->count++;
                m->nodes[place[node]] = node;
                m->least[place[node]] = INFINITY;
                m->most[place[node]] = 0;
                m->own[place[node]] = nothing;
            }
            const uint32_t at = place[node];
            m->least[at] = fmin(m->least[at], (double)b->weights[k]);
            m->most[at] = fmax(m->most[at], (double)b->weights[k]);
            include(&m->own[at], p);
        }
    }
    put_sphere(tree, count, m);
    for (uint32_t j = 0; j < m->count; ++j) {
        m->least[j] = m->seen[m->nodes[j]] < count ? 0 : m->least[j];
    }
    free(place);
}

// Returns the greatest sign * (T e)[d].
static double reach_of(const double* transform, const extent* e, size_t d, double sign) {
    const double* row = transform + 4 * d;
    double reach = sign * row[3];
    for (int k = 0; k < 3; ++k) {
        reach += fmax(sign * row[k] * e->lo[k], sign * row[k] * e->hi[k]);
    }
    return reach;
}

// Returns the bound from the rest box, moved by all nodes at once.
static double growth(const limits* m, const double* transforms, size_t d, double sign) {
    double far = sign > 0 ? m->all.hi[d] : -m->all.lo[d];
    for (uint32_t j = 0; j < m->count; ++j) {
        double displacement[12];
        memcpy(displacement, transforms + 12 * (size_t)m->nodes[j], sizeof displacement);
        displacement[5 * d] -= 1;
        const double b = reach_of(displacement, &m->own[j], d, sign);
        far += fmax(m->least[j] * b, m->most[j] * b);
    }
    return far;
}

static double far_side(const limits* m, const double* transforms, int kind, size_t d, double sign) {
    if (kind == GROWTH) {
        return growth(m, transforms, d, sign);
    }
    for (uint32_t j = 0; j < m->count; ++j) {
        m->reach[j] = reach_of(transforms + 12 * (size_t)m->nodes[j],
                               kind == PLAIN ? &m->all : &m->own[j], d, sign);
    }
    return kind == EXACT ? corners_greedy(m->count, m->least, m->most, m->reach)
                         : corners_eq11(m->count, m->least, m->most, m->reach);
}

// Returns the radius of the sphere that sums up what all nodes do to the one at rest, and moves
// `centre`. A node displaces p by w (D p + t), where D is its linear part minus the identity and w is
// between l and h. With c at rest and the middle weight m this is m (D c + t), plus at most
// h |D| |p - c| + (h - l) / 2 |D c + t|.
static double summed_sphere(const limits* m, const double* transforms, double centre[3]) {
    double far = m->radius;
    memcpy(centre, m->centre, sizeof m->centre);
    for (uint32_t j = 0; j < m->count; ++j) {
        const double* rows = transforms + 12 * (size_t)m->nodes[j];
        double linear = 0;
        double moved = 0;
        for (int d = 0; d < 3; ++d) {
            double move = rows[4 * d + 3] - m->centre[d];
            for (int k = 0; k < 3; ++k) {
                const double entry = rows[4 * d + k] - (d == k ? 1 : 0);
                move += rows[4 * d + k] * m->centre[k];
                linear += entry * entry;
            }
            centre[d] += 0.5 * (m->least[j] + m->most[j]) * move;
            moved += move * move;
        }
        far += m->most[j] * sqrt(linear) * m->radius +
               0.5 * (m->most[j] - m->least[j]) * sqrt(moved);
    }
    return far;
}

static double radius(const extent* e) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        square += 0.25 * (e->hi[d] - e->lo[d]) * (e->hi[d] - e->lo[d]);
    }
    return sqrt(square);
}

// Weights are floats, so their sums are 1 up to this.
#define SLACK 1e-5

static void add_node(const limits* m, const extent* best, const double* transforms, sums* s) {
    double centre[3];
    const double sphere = summed_sphere(m, transforms, centre);
    for (int kind = 0; kind < KINDS; ++kind) {
        extent box;
        bool holds = true;
        for (size_t d = 0; d < 3; ++d) {
            box.hi[d] = kind == SPHERE ? centre[d] + sphere : far_side(m, transforms, kind, d, 1);
            box.lo[d] = kind == SPHERE ? centre[d] - sphere : -far_side(m, transforms, kind, d, -1);
            holds = holds && box.hi[d] >= best->hi[d] - SLACK && box.lo[d] <= best->lo[d] + SLACK;
        }
        const double ratio = (kind == SPHERE ? sphere : radius(&box)) / radius(best);
        s->mean[kind] += ratio;
        s->most[kind] = fmax(s->most[kind], ratio);
        s->violations += !holds;
    }
    ++s->count;
}

typedef struct poses {  // the brain in some frames
    double* transforms[FRAMES];
    double* xyz[FRAMES];
} poses;

static poses take_poses(const scene* s) {
    poses p;
    const scene_body* b = scene_get_body(s, 0);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        const uint32_t frame = (scene_frame_count(s) - 1) * (f + 1) / FRAMES;
        p.transforms[f] = bench_alloc(b->node_count, 12 * sizeof(double));
        p.xyz[f] = bench_alloc(b->vertex_count, 3 * sizeof(double));
        scene_transforms(s, 0, frame, p.transforms[f]);
        scene_positions(s, 0, frame, p.xyz[f]);
    }
    return p;
}

static sums measure_level(paper_tree* tree, uint32_t* node, uint32_t level, uint32_t most,
                          const poses* p, limits* m) {
    sums s = {.count = 0};
    const uint32_t stride = paper_stride(tree, level, most);
    for (uint32_t i = 0; *node < tree->node_count && tree->nodes[*node].level == level;
         ++i, ++*node) {
        if (i % stride != 0) {
            continue;
        }
        const uint32_t count = paper_tree_vertices(tree, *node);
        find_limits(tree, count, m);
        for (int f = 0; f < FRAMES; ++f) {
            extent best = nothing;
            for (uint32_t v = 0; v < count; ++v) {
                include(&best, p->xyz[f] + 3 * (size_t)tree->ids[v]);
            }
            add_node(m, &best, p->transforms[f], &s);
        }
    }
    return s;
}

static void put_level(bench_report* report, bench_table* table, bench_figure* const figures[2],
                      uint32_t nodes, uint32_t level, const sums* s) {
    bench_table_cell(table, "%u", nodes);
    bench_table_cell(table, "%u", level + 1);
    for (int kind = 0; kind < KINDS; ++kind) {
        char series[48];
        snprintf(series, sizeof series, "%s, n = %u", kinds[kind], nodes);
        bench_table_cell(table, "%.2f", s->mean[kind] / s->count);
        bench_table_cell(table, "%.2f", s->most[kind]);
        bench_figure_point(figures[0], series, level + 1, s->mean[kind] / s->count);
        bench_figure_point(figures[1], series, level + 1, s->most[kind]);
    }
    report->ours_wrong = report->ours_wrong || s->violations > 0;
}

static bench_figure* add_figure(bench_report* report, const char* name, const char* title) {
    bench_figure what = {.log_y = true, .x_label = "level", .y_label = "radius over the best one"};
    snprintf(what.name, sizeof what.name, "%s", name);
    snprintf(what.title, sizeof what.title, "%s", title);
    return bench_report_figure(report, &what);
}

void convex_make_levels(const bench_options* options, bench_report* report, const char* name) {
    static const uint32_t node_counts[] = {65, 509};
    bench_table* table = bench_report_table(
        report, "nodes|level|eq. 11|max|own boxes|max|own, exact|max|growth|max|summed spheres|max",
        name);
    bench_figure* const figures[2] = {
        add_figure(report, "levels-mean", "Brain: mean ratio of radii by level (figure 5, left)"),
        add_figure(report, "levels-max",
                   "Brain: greatest ratio of radii by level (figure 5, right)"),
    };
    for (size_t i = 0; i < sizeof node_counts / sizeof *node_counts; ++i) {
        scene* s = paper_scene_with("brain", &(scene_options){.triangles = TRIANGLES,
                                                              .nodes = node_counts[i],
                                                              .seed = options->seed});
        paper_tree* tree = paper_tree_make(scene_get_body(s, 0));
        limits m = make_limits(tree->body);
        poses p = take_poses(s);
        for (uint32_t level = 0, node = 0; level < tree->level_count; ++level) {
            const sums level_sums = measure_level(tree, &node, level,
                                                  options->quick ? NODES / 8 : NODES, &p, &m);
            put_level(report, table, figures, tree->body->node_count, level, &level_sums);
        }
        for (int f = 0; f < FRAMES; ++f) {
            free(p.transforms[f]);
            free(p.xyz[f]);
        }
        free_limits(&m);
        paper_tree_free(tree);
        scene_destroy(s);
    }
    bench_report_note(
        report,
        "Figure 5 in the paper: root 1.5 on average, 2.5 at most; the spheres of Adams "
        "et al. up to 68 times larger at 509 nodes.");
}
