// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Moving least squares over nodes: from displacements to affine transforms. The gradient G at node
// i minimises sum_j w_j |G d_j - (u_j - u_i)|^2, where d_j is the vector to neighbour j and
// w_j = (1 - |d_j|^2)^3 with lengths in units of the support. So
//
//     G = sum_j (u_j - u_i) s_j^T     s_j = w_j M^-1 d_j     M = sum_j w_j d_j d_j^T
//
// and the s_j are computed once. Where M is (nearly) singular, M^-1 is its pseudo-inverse over the
// axes along which neighbours spread: of all G that fit, the least.
// Based on: Mueller, Keiser, Nealen, Pauly, Gross, Alexa, "Point Based Animation of Elastic,
// Plastic and Melting Objects", 2004.
#include "motion/mls.h"

#include <float.h>
#include <math.h>

#include "base/vec3.h"
#include "mesh/mesh.h"

#define MOST_NODES 65535
#define MOST_NEIGHBOURS 1000
#define BEYOND 1.2    // a chosen support over the distance of its last neighbour
#define FLAT_SQ 1e-6  // moments below this part of the largest count as 0

abut_mls_def abut_mls_def_default(void) {
    abut_mls_def def;
    memset(&def, 0, sizeof def);
    def.neighbours = 12;
    def.cookie = ABUT__COOKIE;
    return def;
}

// --- checks --------------------------------------------------------------------------------------

static abut_status check_def(const abut_mls_def* def, abut_error* error) {
    abut_status status = abut__check_cookie(def->cookie, "mls", error);
    if (status != ABUT_OK) {
        return status;
    }
    if (def->nodes.count == 0) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there must be at least one node");
    }
    status = abut__positions_check(def->nodes, "nodes", error);
    if (status != ABUT_OK) {
        return status;
    }
    if (def->nodes.count > MOST_NODES) {
        return abut__fail(error, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0, "%zu nodes are more than %d",
                          def->nodes.count, MOST_NODES);
    }
    if (def->neighbours < 1 || def->neighbours > MOST_NEIGHBOURS) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the number of neighbours is %u, not between 1 and %d", def->neighbours,
                          MOST_NEIGHBOURS);
    }
    if ((unsigned)def->flat > ABUT_MLS_FLAT_REFUSE) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the rule for flat neighbourhoods is unknown");
    }
    return ABUT_OK;
}

static bool finite_vector(const double p[3]) {
    return fabs(p[0]) <= DBL_MAX && fabs(p[1]) <= DBL_MAX && fabs(p[2]) <= DBL_MAX;
}

// reads nodes in double, and finds the largest coordinate
static abut_status read_nodes(abut_mls* mls, abut_positions nodes, double* most,
                              abut_error* error) {
    const abut__source source = abut__source_of(nodes);
    *most = 0;
    for (size_t i = 0; i < mls->node_count; ++i) {
        double* p = mls->places + 3 * i;
        abut__read_position(source.data, source.stride, source.is_double, i, p);
        if (!finite_vector(p)) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, i,
                              "nodes: node %zu is not finite (%g, %g, %g)", i, p[0], p[1], p[2]);
        }
        *most = fmax(*most, fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2])));
    }
    return ABUT_OK;
}

static abut_status read_radii(abut_mls* mls, const double* radii, abut_error* error) {
    for (size_t i = 0; i < mls->node_count; ++i) {
        mls->radii[i] = radii != NULL ? radii[i] : 0;
        if (!(mls->radii[i] >= 0 && mls->radii[i] <= DBL_MAX)) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, i,
                              "the radius of node %zu is %g, neither positive nor 0 to have one "
                              "chosen",
                              i, mls->radii[i]);
        }
    }
    return ABUT_OK;
}

// --- supports ------------------------------------------------------------------------------------

// A power of two changes no other bits. Values too small for it are negligible beside the rest.
static void choose_scale(abut_mls* mls, double most) {
    int exponent = 0;
    frexp(most, &exponent);
    exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    mls->scale = most > 0 ? ldexp(1, -exponent) : 1;
}

// returns a radius in the tree's lengths, limited so that one can divide by it
static double scaled_radius(const abut_mls* mls, double radius) {
    return fmin(fmax(radius * mls->scale, 0x1p-1000), 0x1p300);
}

static abut_status choose_radius(abut_mls* mls, uint32_t node, uint32_t neighbours,
                                 abut_error* error) {
    double room[MOST_NEIGHBOURS];
    const double distance = abut__node_tree_distance(&mls->tree, mls->scaled + 3 * (size_t)node,
                                                     neighbours, room);
    const double radius = BEYOND * distance / mls->scale;
    if (!(radius > 0 && radius <= DBL_MAX)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, node,
                          "no radius can be chosen for node %u: no other node is elsewhere, or "
                          "all are too near or too far for a double",
                          node);
    }
    mls->radii[node] = radius;
    return ABUT_OK;
}

static abut_status make_supports(abut_mls* mls, uint32_t neighbours, abut_error* error) {
    for (uint32_t i = 0; i < mls->node_count; ++i) {
        if (mls->radii[i] == 0) {
            const abut_status status = choose_radius(mls, i, neighbours, error);
            if (status != ABUT_OK) {
                return status;
            }
        }
        mls->reaches[i] = scaled_radius(mls, mls->radii[i]);
    }
    abut__node_tree_set_reaches(&mls->tree);
    return ABUT_OK;
}

// lists the neighbours of a node, without the node
static uint32_t find_neighbours(const abut_mls* mls, uint32_t node, uint32_t* room) {
    const uint32_t found = abut__node_tree_within(&mls->tree, mls->scaled + 3 * (size_t)node,
                                                  mls->reaches[node], room);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found; ++i) {
        if (room[i] != node) {
            room[kept++] = room[i];
        }
    }
    return kept;
}

static abut_status make_neighbours(abut_mls* mls, abut_error* error) {
    uint32_t* room = abut__alloc(mls->context, mls->node_count, sizeof *room);
    if (room == NULL) {
        return abut__fail_memory(error);
    }
    mls->first[0] = 0;
    for (uint32_t i = 0; i < mls->node_count; ++i) {
        mls->first[i + 1] = mls->first[i] + find_neighbours(mls, i, room);
    }
    // one extra entry, because there may be no neighbour
    const size_t links = mls->first[mls->node_count] + 1;
    mls->neighbours = abut__alloc(mls->context, links, sizeof *mls->neighbours);
    mls->slopes = abut__alloc(mls->context, links, 3 * sizeof *mls->slopes);
    const bool made = mls->neighbours != NULL && mls->slopes != NULL;
    for (uint32_t i = 0; i < mls->node_count && made; ++i) {
        const uint32_t found = find_neighbours(mls, i, room);
        memcpy(mls->neighbours + mls->first[i], room, found * sizeof *room);
    }
    abut__free(mls->context, room, mls->node_count, sizeof *room);
    return made ? ABUT_OK : abut__fail_memory(error);
}

// --- slopes --------------------------------------------------------------------------------------

// rotates axes p and q of a symmetric matrix so that its entry there becomes 0
static void turn(double m[3][3], double axis[3][3], int p, int q) {
    if (m[p][q] == 0) {
        return;
    }
    const double theta = 0.5 * (m[q][q] - m[p][p]) / m[p][q];
    const double t = copysign(1 / (fabs(theta) + sqrt(theta * theta + 1)), theta);
    const double c = 1 / sqrt(t * t + 1);
    const double s = t * c;
    for (int k = 0; k < 3; ++k) {
        const double x = m[k][p];
        const double y = m[k][q];
        m[k][p] = c * x - s * y;
        m[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        const double x = m[p][k];
        const double y = m[q][k];
        m[p][k] = c * x - s * y;
        m[q][k] = s * x + c * y;
        const double a = axis[p][k];
        const double b = axis[q][k];
        axis[p][k] = c * a - s * b;
        axis[q][k] = s * a + c * b;
    }
    m[p][q] = m[q][p] = 0;
}

#define SWEEPS 24  // Jacobi's method squares the error with each; six are usually enough

// returns eigenvalues in descending order, and their axes as right-handed rows; destroys m
static void principal_axes(double m[3][3], double value[3], double axis[3][3]) {
    double found[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        const double off = fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]);
        if (off <= 1e-18 * (m[0][0] + m[1][1] + m[2][2])) {
            break;
        }
        turn(m, found, 0, 1);
        turn(m, found, 0, 2);
        turn(m, found, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int k = 0; k < 3; ++k) {  // three comparisons sort three values
        const int at = k % 2;
        if (m[order[at]][order[at]] < m[order[at + 1]][order[at + 1]]) {
            const int swap = order[at];
            order[at] = order[at + 1];
            order[at + 1] = swap;
        }
    }
    for (int k = 0; k < 3; ++k) {
        value[k] = m[order[k]][order[k]];
        memcpy(axis[k], found[order[k]], sizeof found[0]);
    }
    abut__cross3(axis[0], axis[1], axis[2]);
}

// returns the vector to a neighbour in units of the support, and its weight
static double offset_to(const abut_mls* mls, uint32_t node, uint32_t neighbour, double offset[3]) {
    const double* from = mls->scaled + 3 * (size_t)node;
    const double* to = mls->scaled + 3 * (size_t)neighbour;
    const double shrink = 1 / mls->reaches[node];  // the same value as in the tree
    for (size_t d = 0; d < 3; ++d) {
        offset[d] = (to[d] - from[d]) * shrink;
    }
    const double rest = 1 - (offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]);
    return rest * rest * rest;
}

// computes the slopes of a node; `axes` receives the axes along which its neighbours spread
static void make_slopes(abut_mls* mls, uint32_t node, abut__mls_axes* axes) {
    double moments[3][3] = {{0}};
    double inverse[3][3] = {{0}};
    double value[3];
    double offset[3];
    for (size_t i = mls->first[node]; i < mls->first[node + 1]; ++i) {
        const double w = offset_to(mls, node, mls->neighbours[i], offset);
        for (int e = 0; e < 9; ++e) {
            moments[e / 3][e % 3] += w * (offset[e / 3] * offset[e % 3]);
        }
    }
    principal_axes(moments, value, axes->axis);
    axes->rank = 0;
    for (int k = 0; k < 3 && value[k] > FLAT_SQ * value[0]; ++k, ++axes->rank) {
        for (int e = 0; e < 9; ++e) {
            inverse[e / 3][e % 3] += axes->axis[k][e / 3] * axes->axis[k][e % 3] / value[k];
        }
    }
    for (size_t i = mls->first[node]; i < mls->first[node + 1]; ++i) {
        const double w = offset_to(mls, node, mls->neighbours[i], offset);
        for (size_t d = 0; d < 3; ++d) {
            mls->slopes[3 * i + d] = w * (inverse[d][0] * offset[0] + inverse[d][1] * offset[1] +
                                          inverse[d][2] * offset[2]);
        }
    }
}

static abut_status make_all_slopes(abut_mls* mls, abut_mls_flat flat, abut_error* error) {
    for (uint32_t i = 0; i < mls->node_count; ++i) {
        abut__mls_axes axes;
        make_slopes(mls, i, &axes);
        if (axes.rank < 3 && flat == ABUT_MLS_FLAT_REFUSE) {
            const size_t count = mls->first[i + 1] - mls->first[i];
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, i,
                              "the %zu neighbours of node %u lie %s", count, i,
                              axes.rank == 2   ? "in a plane"
                              : axes.rank == 1 ? "on a line"
                                               : "where it is itself, or there are none");
        }
        if (mls->axes != NULL) {
            mls->axes[i] = axes;
        }
    }
    return ABUT_OK;
}

// --- the object ----------------------------------------------------------------------------------

static abut_status fill(abut_mls* mls, const abut_mls_def* def, abut_error* error) {
    const abut_context* context = mls->context;
    const size_t nodes = mls->node_count;
    double most = 0;
    mls->places = abut__alloc(context, nodes, 3 * sizeof *mls->places);
    mls->scaled = abut__alloc(context, nodes, 3 * sizeof *mls->scaled);
    mls->radii = abut__alloc(context, nodes, sizeof *mls->radii);
    mls->reaches = abut__alloc(context, nodes, sizeof *mls->reaches);
    mls->first = abut__alloc_zero(context, nodes + 1, sizeof *mls->first);
    if (mls->places == NULL || mls->scaled == NULL || mls->radii == NULL || mls->reaches == NULL ||
        mls->first == NULL) {
        return abut__fail_memory(error);
    }
    if (def->flat == ABUT_MLS_FLAT_ROTATE) {
        mls->axes = abut__alloc(context, nodes, sizeof *mls->axes);
        if (mls->axes == NULL) {
            return abut__fail_memory(error);
        }
    }
    abut_status status = read_nodes(mls, def->nodes, &most, error);
    status = status == ABUT_OK ? read_radii(mls, def->radii, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    choose_scale(mls, most);
    for (size_t i = 0; i < nodes; ++i) {
        abut__mls_scale(mls, mls->places + 3 * i, mls->scaled + 3 * i);
    }
    if (!abut__node_tree_make(context, mls->scaled, mls->reaches, mls->node_count, &mls->tree)) {
        return abut__fail_memory(error);
    }
    status = make_supports(mls, def->neighbours, error);
    status = status == ABUT_OK ? make_neighbours(mls, error) : status;
    return status == ABUT_OK ? make_all_slopes(mls, def->flat, error) : status;
}

abut_status abut_mls_create(abut_context* context, const abut_mls_def* def, abut_mls** mls,
                            abut_error* error) {
    if (context == NULL || def == NULL || mls == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context, settings and the place for the nodes must not be NULL");
    }
    abut_status status = check_def(def, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_mls* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = context;
    made->node_count = (uint32_t)def->nodes.count;
    status = fill(made, def, error);
    if (status != ABUT_OK) {
        abut_mls_destroy(made);
        return status;
    }
    *mls = made;
    return ABUT_OK;
}

void abut_mls_destroy(abut_mls* mls) {
    if (mls == NULL) {
        return;
    }
    const abut_context* context = mls->context;
    const size_t nodes = mls->node_count;
    // the count is set before the arrays that need it are allocated
    const size_t links = mls->first != NULL ? mls->first[nodes] + 1 : 0;
    abut__node_tree_free(context, &mls->tree);
    abut__free(context, mls->places, nodes, 3 * sizeof *mls->places);
    abut__free(context, mls->scaled, nodes, 3 * sizeof *mls->scaled);
    abut__free(context, mls->radii, nodes, sizeof *mls->radii);
    abut__free(context, mls->reaches, nodes, sizeof *mls->reaches);
    abut__free(context, mls->neighbours, links, sizeof *mls->neighbours);
    abut__free(context, mls->slopes, links, 3 * sizeof *mls->slopes);
    abut__free(context, mls->first, nodes + 1, sizeof *mls->first);
    abut__free(context, mls->axes, nodes, sizeof *mls->axes);
    abut__free(context, mls, 1, sizeof *mls);
}

uint32_t abut_mls_node_count(const abut_mls* mls) {
    return mls->node_count;
}

const double* abut_mls_radii(const abut_mls* mls) {
    return mls->radii;
}

// --- transforms ----------------------------------------------------------------------------------

// a unit vector along v; false if it has no direction
static bool normalise(double v[3]) {
    const double most = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    if (!(most > 0 && most <= DBL_MAX)) {
        return false;
    }
    double square = 0;
    for (size_t d = 0; d < 3; ++d) {
        v[d] /= most;
        square += v[d] * v[d];
    }
    for (size_t d = 0; d < 3; ++d) {
        v[d] /= sqrt(square);
    }
    return true;
}

// returns where the transform maps one of the axes along which neighbours spread
static bool turned_axis(const double g[3][3], const double axis[3], double out[3]) {
    for (size_t d = 0; d < 3; ++d) {
        out[d] = axis[d] + (g[d][0] * axis[0] + g[d][1] * axis[1] + g[d][2] * axis[2]);
    }
    return normalise(out);
}

// changes the gradient so that it maps the axis, which it leaves unchanged, to `to`
static void send_axis(double g[3][3], const double axis[3], const double to[3]) {
    for (int e = 0; e < 9; ++e) {
        g[e / 3][e % 3] += (to[e / 3] - axis[e / 3]) * axis[e % 3];
    }
}

// rotates the normal of a plane with the plane
static void turn_plane(const abut__mls_axes* axes, double g[3][3]) {
    double a[3];
    double b[3];
    double normal[3];
    if (turned_axis((const double(*)[3])g, axes->axis[0], a) &&
        turned_axis((const double(*)[3])g, axes->axis[1], b)) {
        abut__cross3(a, b, normal);
        if (normalise(normal)) {
            send_axis(g, axes->axis[2], normal);
        }
    }
}

// rotates the axes across a line with it: by the least rotation from its axis e to its image a
static void turn_line(const abut__mls_axes* axes, double g[3][3]) {
    const double* e = axes->axis[0];
    double a[3];
    if (!turned_axis((const double(*)[3])g, e, a)) {
        return;
    }
    const double c = 1 + (a[0] * e[0] + a[1] * e[1] + a[2] * e[2]);
    for (int k = 1; k < 3; ++k) {
        const double* v = axes->axis[k];
        const double along = (a[0] * v[0] + a[1] * v[1] + a[2] * v[2]) / c;
        double to[3];
        for (size_t d = 0; d < 3; ++d) {
            // after a half turn any axis across is as good
            to[d] = c > 1e-9 ? v[d] - along * (e[d] + a[d]) : (k == 1 ? v[d] : -v[d]);
        }
        send_axis(g, v, to);
    }
}

static void gradient_at(const abut_mls* mls, uint32_t node, abut__source u, const double own[3],
                        double g[3][3]) {
    memset(g, 0, 9 * sizeof(double));
    for (size_t i = mls->first[node]; i < mls->first[node + 1]; ++i) {
        const double* slope = mls->slopes + 3 * i;
        double other[3];
        abut__read_position(u.data, u.stride, u.is_double, mls->neighbours[i], other);
        for (size_t d = 0; d < 3; ++d) {
            const double step = other[d] - own[d];
            g[d][0] += step * slope[0];
            g[d][1] += step * slope[1];
            g[d][2] += step * slope[2];
        }
    }
    for (int e = 0; e < 9; ++e) {
        // not by the radius, which may exceed the support of the slopes
        g[e / 3][e % 3] = g[e / 3][e % 3] / mls->reaches[node] * mls->scale;
    }
    if (mls->axes != NULL && mls->axes[node].rank == 2) {
        turn_plane(&mls->axes[node], g);
    } else if (mls->axes != NULL && mls->axes[node].rank == 1) {
        turn_line(&mls->axes[node], g);
    }
}

// false if a number is not finite
static bool make_transform(const abut_mls* mls, uint32_t node, abut__source u, double out[12]) {
    const double* x = mls->places + 3 * (size_t)node;
    double own[3];
    double g[3][3];
    bool finite = true;
    abut__read_position(u.data, u.stride, u.is_double, node, own);
    gradient_at(mls, node, u, own, g);
    for (size_t d = 0; d < 3; ++d) {
        double* row = out + 4 * d;
        for (size_t e = 0; e < 3; ++e) {
            row[e] = g[d][e] + (d == e ? 1 : 0);
        }
        row[3] = own[d] - ((g[d][0] * x[0] + g[d][1] * x[1]) + g[d][2] * x[2]);
        finite = finite && finite_vector(row) && fabs(row[3]) <= DBL_MAX;
    }
    return finite;
}

abut_status abut_mls_transforms(const abut_mls* mls, abut_positions displacements,
                                double* transforms, abut_error* error) {
    if (mls == NULL || transforms == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the nodes and the place for the transforms must not be NULL");
    }
    const abut_status status = abut__positions_check(displacements, "displacements", error);
    if (status != ABUT_OK) {
        return status;
    }
    if (displacements.count != mls->node_count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there are %zu displacements for %u nodes", displacements.count,
                          mls->node_count);
    }
    const abut__source u = abut__source_of(displacements);
    for (uint32_t i = 0; i < mls->node_count; ++i) {
        double own[3];
        abut__read_position(u.data, u.stride, u.is_double, i, own);
        if (!finite_vector(own)) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, i,
                              "displacements: that of node %u is not finite (%g, %g, %g)", i,
                              own[0], own[1], own[2]);
        }
    }
    for (uint32_t i = 0; i < mls->node_count; ++i) {
        if (!make_transform(mls, i, u, transforms + 12 * (size_t)i)) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, i,
                              "displacements: the transform of node %u is not finite", i);
        }
    }
    return ABUT_OK;
}
