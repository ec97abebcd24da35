// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Nodes of point-based bodies: see nodes.h. Nodes are the centres of even parts of the solid: they
// start far from each other, and then each moves to the centroid of the samples nearest to it.
// Based on: Mueller, Keiser, Nealen, Pauly, Gross, Alexa, "Point Based Animation of Elastic,
// Plastic and Melting Objects" (2004), for kernels and transforms; Lloyd, "Least Squares
// Quantization in PCM" (1982).

#include "scenes/nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_A_NODE 20
#define ROUNDS 4  // of moving nodes to centroids

static double distance_sq(const double* p, const double* q) {
    const double x = p[0] - q[0];
    const double y = p[1] - q[1];
    const double z = p[2] - q[2];
    return x * x + y * y + z * z;
}

// ---- samples of the solid

// Samples grid points inside the solid. Only counts them if `xyz` is NULL.
static size_t points_inside(const solid* body, double fine, double spacing, double* xyz) {
    size_t count = 0;
    double p[3];
    for (p[2] = body->low[2] + 0.5 * spacing; p[2] < body->high[2]; p[2] += spacing) {
        for (p[1] = body->low[1] + 0.5 * spacing; p[1] < body->high[1]; p[1] += spacing) {
            for (p[0] = body->low[0] + 0.5 * spacing; p[0] < body->high[0]; p[0] += spacing) {
                if (body->value(p, fine) >= 0.0) {
                    continue;
                }
                if (xyz != NULL) {
                    memcpy(xyz + 3 * count, p, sizeof p);
                }
                count += 1;
            }
        }
    }
    return count;
}

// Returns about `wanted` points, never fewer.
static double* sample_inside(scene* scratch, const solid* body, double fine, size_t wanted,
                             size_t* count) {
    double volume = 1.0;
    for (int d = 0; d < 3; ++d) {
        volume *= body->high[d] - body->low[d];
    }
    double spacing = cbrt(volume / (double)wanted);
    *count = points_inside(body, fine, spacing, NULL);
    while (*count < wanted) {
        const double part = ((double)*count + 1.0) / ((double)wanted + 1.0);
        spacing *= fmin(cbrt(part), 0.97);
        *count = points_inside(body, fine, spacing, NULL);
    }
    double* xyz = scene__alloc(scratch, 3 * *count, sizeof *xyz);
    if (xyz != NULL) {
        points_inside(body, fine, spacing, xyz);
    }
    return xyz;
}

// ---- nodes

// Chooses each node as the sample farthest from those before it.
static void choose_far(const double* xyz, size_t count, double* gap, node_cloud* nodes) {
    for (size_t i = 0; i < count; ++i) {
        gap[i] = INFINITY;
    }
    size_t farthest = 0;
    for (size_t j = 0; j < nodes->count; ++j) {
        double* place = nodes->place + 3 * j;
        memcpy(place, xyz + 3 * farthest, 3 * sizeof *place);
        farthest = 0;
        for (size_t i = 0; i < count; ++i) {
            gap[i] = fmin(gap[i], distance_sq(xyz + 3 * i, place));
            farthest = gap[i] > gap[farthest] ? i : farthest;
        }
    }
}

static size_t nearest_node(const node_cloud* nodes, const double* p) {
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t j = 0; j < nodes->count; ++j) {
        const double gap = distance_sq(nodes->place + 3 * j, p);
        if (gap < least) {
            least = gap;
            nearest = j;
        }
    }
    return nearest;
}

static void move_to_middle(const double* xyz, size_t count, double* sums, node_cloud* nodes) {
    memset(sums, 0, 4 * (size_t)nodes->count * sizeof *sums);
    for (size_t i = 0; i < count; ++i) {
        double* sum = sums + 4 * nearest_node(nodes, xyz + 3 * i);
        for (size_t d = 0; d < 3; ++d) {
            sum[d] += xyz[3 * i + d];
        }
        sum[3] += 1.0;
    }
    for (size_t j = 0; j < nodes->count; ++j) {
        for (size_t d = 0; d < 3 && sums[4 * j + 3] > 0.0; ++d) {
            nodes->place[3 * j + d] = sums[4 * j + d] / sums[4 * j + 3];
        }
    }
}

static int compare_heights(const void* left, const void* right) {
    const double* l = left;
    const double* r = right;
    for (int d = 2; d >= 0; --d) {
        if (l[d] != r[d]) {
            return l[d] < r[d] ? -1 : 1;
        }
    }
    return 0;
}

bool scene__sample_nodes(scene* s, const solid* body, double fine, uint32_t count,
                         node_cloud* nodes) {
    scene scratch = {0};
    size_t samples = 0;
    nodes->count = count;
    nodes->place = scene__alloc(s, count, 3 * sizeof *nodes->place);
    const double* xyz = sample_inside(&scratch, body, fine, SAMPLES_A_NODE * (size_t)count,
                                      &samples);
    double* gap = scene__alloc(&scratch, samples, sizeof *gap);
    double* sums = scene__alloc(&scratch, count, 4 * sizeof *sums);
    s->failed = s->failed || scratch.failed;
    if (!s->failed) {
        choose_far(xyz, samples, gap, nodes);
        for (uint32_t i = 0; i < ROUNDS; ++i) {
            move_to_middle(xyz, samples, sums, nodes);
        }
        qsort(nodes->place, count, 3 * sizeof *nodes->place, compare_heights);
    }
    scene__free_all(&scratch);
    return !s->failed;
}

// ---- weights

#define NEIGHBOURS 6       // that a kernel reaches
#define REACH 1.5          // times the distance of the farthest of them
#define FEWEST 4           // nodes at a vertex, if there are that many
#define REACH_BEYOND 1.15  // reach of their kernels, times the distance of the vertex
#define LEAST_WEIGHT 1e-5  // smaller weights are left out

// Finds the at most `most` nodes nearest to p, by ascending squared distances.
static uint32_t nearest_nodes(const node_cloud* nodes, const double* p, uint32_t most,
                              double* gaps_sq, uint32_t* ids) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < nodes->count; ++j) {
        const double gap = distance_sq(nodes->place + 3 * (size_t)j, p);
        if (count == most && gap >= gaps_sq[count - 1]) {
            continue;
        }
        uint32_t at = count < most ? count++ : count - 1;
        for (; at > 0 && gaps_sq[at - 1] > gap; --at) {
            gaps_sq[at] = gaps_sq[at - 1];
            ids[at] = ids[at - 1];
        }
        gaps_sq[at] = gap;
        ids[at] = j;
    }
    return count;
}

// Computes the radius of every node's kernel, such that each vertex is reached.
static void find_reaches(const node_cloud* nodes, const scene_mesh* mesh, double* reach) {
    double gaps_sq[NEIGHBOURS + 1];
    uint32_t ids[NEIGHBOURS + 1];
    for (size_t j = 0; j < nodes->count; ++j) {  // the nearest is the node itself
        const uint32_t found = nearest_nodes(nodes, nodes->place + 3 * j, NEIGHBOURS + 1, gaps_sq,
                                             ids);
        reach[j] = REACH * sqrt(gaps_sq[found - 1]);
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const uint32_t found = nearest_nodes(nodes, mesh->rest + 3 * i, FEWEST, gaps_sq, ids);
        for (uint32_t k = 0; k < found; ++k) {
            reach[ids[k]] = fmax(reach[ids[k]], REACH_BEYOND * sqrt(gaps_sq[k]));
        }
    }
}

// Returns the radius that contains so many nodes, or all.
static double reach_around(const node_cloud* nodes, const double* p, uint32_t influences,
                           double* gaps_sq, uint32_t* ids) {
    const uint32_t found = nearest_nodes(nodes, p, influences + 1, gaps_sq, ids);
    return (found <= influences ? REACH_BEYOND : 1.0) * sqrt(gaps_sq[found - 1]);
}

// Computes the kernels of all nodes at p, scaled to the sum 1. Returns the number of weights left,
// ascending by node.
static uint32_t kernel_weights(const node_cloud* nodes, const double* reach, const double* p,
                               uint32_t* ids, double* values) {
    uint32_t count = 0;
    double sum = 0.0;
    for (uint32_t j = 0; j < nodes->count; ++j) {
        const double inside = 1.0 -
                              distance_sq(nodes->place + 3 * (size_t)j, p) / (reach[j] * reach[j]);
        if (inside > 0.0) {
            ids[count] = j;
            values[count] = inside * inside * inside;
            sum += values[count++];
        }
    }
    uint32_t kept = 0;
    double kept_sum = 0.0;
    for (uint32_t k = 0; k < count; ++k) {
        if (values[k] >= LEAST_WEIGHT * sum) {
            ids[kept] = ids[k];
            values[kept] = values[k];
            kept_sum += values[kept++];
        }
    }
    for (uint32_t k = 0; k < kept; ++k) {
        values[k] /= kept_sum;
    }
    return kept;
}

// Sets the radii of kernels at p.
static void set_reaches(const node_cloud* nodes, const double* p, uint32_t influences,
                        double* reach, uint32_t* ids, double* values) {
    if (influences > 0) {
        const double radius = reach_around(nodes, p, influences, values, ids);
        for (uint32_t j = 0; j < nodes->count; ++j) {
            reach[j] = radius;
        }
    }
}

bool scene__node_weights(scene* s, const node_cloud* nodes, const scene_mesh* mesh,
                         uint32_t influences, scene_weights* weights) {
    scene scratch = {0};
    influences = influences < nodes->count ? influences : nodes->count;
    double* reach = scene__alloc(&scratch, nodes->count, sizeof *reach);
    double* values = scene__alloc(&scratch, (size_t)nodes->count + 1, sizeof *values);
    uint32_t* ids = scene__alloc(&scratch, (size_t)nodes->count + 1, sizeof *ids);
    weights->node_count = nodes->count;
    weights->first = scene__alloc(s, (size_t)mesh->vertex_count + 1, sizeof *weights->first);
    s->failed = s->failed || scratch.failed;
    if (!s->failed) {
        find_reaches(nodes, mesh, reach);
        for (size_t i = 0; i < mesh->vertex_count; ++i) {
            set_reaches(nodes, mesh->rest + 3 * i, influences, reach, ids, values);
            weights->first[i + 1] = weights->first[i] +
                                    kernel_weights(nodes, reach, mesh->rest + 3 * i, ids, values);
        }
        const size_t total = weights->first[mesh->vertex_count];
        weights->nodes = scene__alloc(s, total, sizeof *weights->nodes);
        weights->values = scene__alloc(s, total, sizeof *weights->values);
    }
    for (size_t i = 0; i < mesh->vertex_count && !s->failed; ++i) {
        const uint32_t first = weights->first[i];
        set_reaches(nodes, mesh->rest + 3 * i, influences, reach, ids, values);
        const uint32_t count = kernel_weights(nodes, reach, mesh->rest + 3 * i, ids, values);
        for (uint32_t k = 0; k < count; ++k) {
            weights->nodes[first + k] = ids[k];
            weights->values[first + k] = (float)values[k];
        }
    }
    scene__free_all(&scratch);
    return !s->failed;
}

// ---- transforms

void scene__node_transforms(const node_cloud* nodes, node_motion motion, const void* user,
                            double* transforms) {
    for (size_t n = 0; n < nodes->count; ++n) {
        const double* from = nodes->place + 3 * n;
        double x[3] = {from[0], from[1], from[2]};
        double j[3][3];
        motion(user, x, j);
        for (size_t d = 0; d < 3; ++d) {
            double* row = transforms + 12 * n + 4 * d;
            memcpy(row, j[d], 3 * sizeof *row);
            row[3] = x[d] - (j[d][0] * from[0] + j[d][1] * from[1] + j[d][2] * from[2]);
        }
    }
}
