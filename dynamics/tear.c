// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A slab that is torn in two: see tear.h. Cells of the slab have size 1. The crack runs along the
// middle column of vertices, which is not straight, from row 0 on.
#include "dynamics/tear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/swarm.h"

#define NONE UINT32_MAX
#define SPACING 3.0        // of nodes, in cells
#define RADIUS 5.25        // of influence of a node
#define INFLUENCES 32u     // of a vertex, at most
#define PER_ROW 64u        // greatest number of triangles added when a row is split
#define WIDTH 4.0          // length behind the crack's tip where the slab begins to open
#define OPENING 0.3        // displacement of either half, per cell behind the tip
#define LIFT 0.2           // likewise, upwards
#define START 0.06         // fraction of the frames before the crack begins
#define RUNNING (2.0 / 3)  // fraction of the frames after which the slab is cut through

typedef struct node {
    double x;
    double y;
    int side;  // -1: left of the crack, 1: right of it
} node;

typedef struct vertex {
    double rest[3];
    int side;  // as for nodes; 0: on the path of the crack, ahead of its tip
    uint32_t count;
    uint32_t nodes[INFLUENCES];
    double weights[INFLUENCES];
} vertex;

// Weights of some vertices in the library's layout.
typedef struct weight_arrays {
    uint32_t* first;
    uint32_t* nodes;
    double* values;
} weight_arrays;

struct tear {
    tear_def def;
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_body_id slab;
    abut_body_id wedge;
    uint32_t columns;  // of cells, even
    uint32_t rows;
    uint32_t frame;
    tear_frame now;
    // The slab. Removed triangles have three corners NONE.
    vertex* vertices;
    uint32_t vertex_count;
    uint32_t vertex_room;
    uint32_t* triangles;
    int8_t* sides;  // of triangles
    uint32_t triangle_count;
    uint32_t triangle_room;
    uint32_t (*copies)[2];  // per row: the copies of the middle vertices for the right side, or
                            // NONE
    node* nodes;
    uint32_t node_count;
    uint32_t node_room;
    double (*transforms)[12];
    // scratch
    uint32_t* list;
    double (*added)[3];
    weight_arrays added_weights;
    weight_arrays changed_weights;
};

tear_def tear_def_default(void) {
    return (tear_def){.triangles = 20000, .frames = 120, .seed = 1};
}

static abut_status fail_memory(abut_error* error) {
    if (error != NULL) {
        *error = (abut_error){.status = ABUT_ERR_NO_MEMORY, .message = "out of memory"};
    }
    return ABUT_ERR_NO_MEMORY;
}

// ---- the slab

// Vertices are numbered in rows, in two layers: layer 0 is the top, layer 1 the bottom.
static uint32_t vertex_at(const tear* t, uint32_t column, uint32_t row, uint32_t layer) {
    return (layer * (t->rows + 1) + row) * (t->columns + 1) + column;
}

// The same on the right side of the crack.
static uint32_t right_at(const tear* t, uint32_t row, uint32_t layer) {
    return t->copies[row][layer] != NONE ? t->copies[row][layer]
                                         : vertex_at(t, t->columns / 2, row, layer);
}

static void add_triangle(tear* t, uint32_t a, uint32_t b, uint32_t c, int side) {
    uint32_t* corners = t->triangles + 3 * (size_t)t->triangle_count;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    t->sides[t->triangle_count++] = (int8_t)side;
}

static void add_square(tear* t, uint32_t a, uint32_t b, uint32_t c, uint32_t d, int side) {
    add_triangle(t, a, b, c, side);
    add_triangle(t, a, c, d, side);
}

static void add_slab(tear* t) {
    const uint32_t middle = t->columns / 2;
    for (uint32_t layer = 0; layer < 2; ++layer) {
        for (uint32_t row = 0; row <= t->rows; ++row) {
            for (uint32_t column = 0; column <= t->columns; ++column) {
                const uint32_t v = vertex_at(t, column, row, layer);
                const double aside = column == middle ? swarm_random(t->def.seed, row, -0.4, 0.4)
                                                      : 0;
                t->vertices[v].rest[0] = (double)column - (double)middle + aside;
                t->vertices[v].rest[1] = row;
                t->vertices[v].rest[2] = layer == 0 ? 0.5 : -0.5;
                t->vertices[v].side = (column > middle) - (column < middle);
            }
        }
    }
    for (uint32_t row = 0; row < t->rows; ++row) {
        for (uint32_t column = 0; column < t->columns; ++column) {
            const int side = column < middle ? -1 : 1;
            add_square(t, vertex_at(t, column, row, 0), vertex_at(t, column + 1, row, 0),
                       vertex_at(t, column + 1, row + 1, 0), vertex_at(t, column, row + 1, 0),
                       side);
            add_square(t, vertex_at(t, column, row, 1), vertex_at(t, column, row + 1, 1),
                       vertex_at(t, column + 1, row + 1, 1), vertex_at(t, column + 1, row, 1),
                       side);
        }
    }
}

static void add_walls(tear* t) {
    const uint32_t last_row = t->rows;
    const uint32_t last_column = t->columns;
    for (uint32_t column = 0; column < t->columns; ++column) {
        const int side = column < t->columns / 2 ? -1 : 1;
        add_square(t, vertex_at(t, column, 0, 1), vertex_at(t, column + 1, 0, 1),
                   vertex_at(t, column + 1, 0, 0), vertex_at(t, column, 0, 0), side);
        add_square(t, vertex_at(t, column, last_row, 0), vertex_at(t, column + 1, last_row, 0),
                   vertex_at(t, column + 1, last_row, 1), vertex_at(t, column, last_row, 1), side);
    }
    for (uint32_t row = 0; row < t->rows; ++row) {
        add_square(t, vertex_at(t, 0, row, 0), vertex_at(t, 0, row + 1, 0),
                   vertex_at(t, 0, row + 1, 1), vertex_at(t, 0, row, 1), -1);
        add_square(t, vertex_at(t, last_column, row, 1), vertex_at(t, last_column, row + 1, 1),
                   vertex_at(t, last_column, row + 1, 0), vertex_at(t, last_column, row, 0), 1);
    }
}

// ---- nodes and weights

static void add_node(tear* t, double x, double y) {
    t->nodes[t->node_count++] = (node){x, y, x < 0 ? -1 : 1};
}

// Adds nodes from edge to edge, except on the path of the crack.
static void add_nodes(tear* t) {
    const uint32_t across = (uint32_t)(t->columns / SPACING / 2);
    const uint32_t along = (uint32_t)(t->rows / SPACING);
    for (uint32_t j = 0; j <= along; ++j) {
        for (uint32_t i = 0; i <= across; ++i) {
            const double x = SPACING * (i + 0.5);
            add_node(t, x, (double)j * t->rows / along);
            add_node(t, -x, (double)j * t->rows / along);
        }
    }
}

// Returns whether the crack separates a vertex from a node: their connecting line crosses it behind
// its tip.
static bool hides(const tear* t, const vertex* v, const node* n) {
    if (v->side == 0 || v->side == n->side) {
        return false;
    }
    const double before = fabs(v->rest[0]) < 0.5 ? 0 : fabs(v->rest[0]);
    const double behind = fabs(n->x);
    const double y = v->rest[1] + (n->y - v->rest[1]) * (before / (before + behind));
    return t->now.rows == t->rows || y < t->now.rows;
}

static double influence(const tear* t, const vertex* v, const node* n) {
    const double x = v->rest[0] - n->x;
    const double y = v->rest[1] - n->y;
    const double left = 1 - (x * x + y * y) / (RADIUS * RADIUS);
    return left > 0 && !hides(t, v, n) ? left * left * left : 0;
}

// Computes the weights of a vertex; returns true if they have changed.
static bool update_weights(const tear* t, vertex* v) {
    const vertex before = *v;
    double sum = 0;
    v->count = 0;
    for (uint32_t j = 0; j < t->node_count && v->count < INFLUENCES; ++j) {
        const double weight = influence(t, v, &t->nodes[j]);
        if (weight > 0) {
            v->nodes[v->count] = j;
            v->weights[v->count++] = weight;
            sum += weight;
        }
    }
    bool same = v->count == before.count;
    for (uint32_t k = 0; k < v->count; ++k) {
        v->weights[k] /= sum;
        same = same && v->nodes[k] == before.nodes[k] && v->weights[k] == before.weights[k];
    }
    return !same;
}

// Writes the weights of the vertices in `list`, or, if it is NULL, of those from `first` on.
static abut_weights put_weights(const tear* t, const uint32_t* list, uint32_t first, uint32_t count,
                                const weight_arrays* a) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const vertex* v = &t->vertices[list != NULL ? list[i] : first + i];
        a->first[i] = n;
        memcpy(a->nodes + n, v->nodes, v->count * sizeof *a->nodes);
        memcpy(a->values + n, v->weights, v->count * sizeof *a->values);
        n += v->count;
    }
    a->first[count] = n;
    return (abut_weights){
        .first = a->first, .nodes = a->nodes, .values = a->values, .type = ABUT_SCALAR_F64};
}

static bool reserve_weights(weight_arrays* a, uint32_t room) {
    a->first = calloc((size_t)room + 1, sizeof *a->first);
    a->nodes = calloc((size_t)room * INFLUENCES, sizeof *a->nodes);
    a->values = calloc((size_t)room * INFLUENCES, sizeof *a->values);
    return a->first != NULL && a->nodes != NULL && a->values != NULL;
}

static void free_weights(weight_arrays* a) {
    free(a->first);
    free(a->nodes);
    free(a->values);
}

// ---- the motion

// Returns the position of the crack's tip, in rows. It moves on beyond the slab, so that the halves
// separate.
static double tip_at(const tear* t, double time) {
    const double way = (time - START) / (RUNNING - START);
    return way > 0 ? way * t->rows : 0;
}

// Returns the displacement of a half at a distance `ahead` behind the tip, and its derivative.
static double opening(double ahead, double* slope) {
    if (ahead <= 0) {
        *slope = 0;
        return 0;
    }
    *slope = ahead < WIDTH ? ahead / WIDTH : 1;
    return ahead < WIDTH ? 0.5 * ahead * ahead / WIDTH : ahead - 0.5 * WIDTH;
}

// Moves every node by the opening around it, to first order.
static void move_nodes(tear* t) {
    const double tip = tip_at(t, (double)t->frame / t->def.frames);
    for (uint32_t j = 0; j < t->node_count; ++j) {
        const node* n = &t->nodes[j];
        double slope;
        const double open = opening(tip - n->y, &slope);
        const double x = n->side * OPENING;
        const double rows[12] = {1, -x * slope,    0, x * (open + slope * n->y),   0, 1, 0, 0,
                                 0, -LIFT * slope, 1, LIFT * (open + slope * n->y)};
        memcpy(t->transforms[j], rows, sizeof rows);
    }
}

// ---- the crack

static bool is_alive(const tear* t, uint32_t triangle) {
    return t->triangles[3 * (size_t)triangle] != NONE;
}

// Copies the vertices of a row for the right side of the crack; the old ones stay with the left.
static void split_row(tear* t, uint32_t row) {
    for (uint32_t layer = 0; layer < 2; ++layer) {
        vertex* old = &t->vertices[vertex_at(t, t->columns / 2, row, layer)];
        vertex* copy = &t->vertices[t->vertex_count];
        memcpy(copy->rest, old->rest, sizeof copy->rest);
        copy->side = 1;
        old->side = -1;
        t->copies[row][layer] = t->vertex_count++;
    }
}

// Returns the present vertex at a corner of a triangle on the right.
static uint32_t right_corner(const tear* t, uint32_t corner) {
    const uint32_t in_layer = (t->rows + 1) * (t->columns + 1);
    const uint32_t row = corner % in_layer / (t->columns + 1);
    const bool in_middle = corner < 2 * in_layer && corner % (t->columns + 1) == t->columns / 2;
    return in_middle ? right_at(t, row, corner / in_layer) : corner;
}

// Replaces triangles on the right that have a corner on the left; returns their number.
static uint32_t replace_triangles(tear* t, uint32_t* removed) {
    const uint32_t before = t->triangle_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < before; ++i) {
        uint32_t* corners = t->triangles + 3 * (size_t)i;
        if (!is_alive(t, i) || t->sides[i] < 0) {
            continue;
        }
        const uint32_t now[3] = {right_corner(t, corners[0]), right_corner(t, corners[1]),
                                 right_corner(t, corners[2])};
        if (memcmp(now, corners, sizeof now) != 0) {
            add_triangle(t, now[0], now[1], now[2], 1);
            memset(corners, 0xff, sizeof now);
            removed[count++] = i;
        }
    }
    return count;
}

// Adds the faces of the crack from row to row + 1.
static void add_crack_faces(tear* t, uint32_t row) {
    const uint32_t middle = t->columns / 2;
    add_square(t, vertex_at(t, middle, row, 0), vertex_at(t, middle, row, 1),
               vertex_at(t, middle, row + 1, 1), vertex_at(t, middle, row + 1, 0), -1);
    add_square(t, right_at(t, row, 0), right_at(t, row + 1, 0), right_at(t, row + 1, 1),
               right_at(t, row, 1), 1);
}

// Updates the weights of old vertices near rows that were split; returns the number of changes.
static uint32_t change_weights(tear* t, uint32_t from, uint32_t to, uint32_t old_count,
                               uint32_t* changed) {
    const double reach = RADIUS + SPACING;
    uint32_t count = 0;
    for (uint32_t i = 0; i < old_count; ++i) {
        vertex* v = &t->vertices[i];
        if (fabs(v->rest[0]) < reach && v->rest[1] > from - reach && v->rest[1] < to + reach &&
            update_weights(t, v)) {
            changed[count++] = i;
        }
    }
    return count;
}

// Adds nodes along the crack, where nodes of the other side lose their influence.
static void add_crack_nodes(tear* t, uint32_t from, uint32_t to) {
    for (uint32_t row = from; row < to; ++row) {
        if (row % (uint32_t)SPACING == 0) {
            add_node(t, -SPACING / 4, row);
            add_node(t, SPACING / 4, row);
        }
    }
}

// Writes the rest positions of all vertices from `first` on.
static abut_positions put_rest(const tear* t, uint32_t first, double (*out)[3]) {
    for (uint32_t i = first; i < t->vertex_count; ++i) {
        memcpy(out[i - first], t->vertices[i].rest, sizeof *out);
    }
    return abut_positions_f64(out[0], t->vertex_count - first);
}

static abut_status edit_shape(tear* t, const abut_blend_edit_def* edit, abut_error* error) {
    abut_shape* edited = NULL;
    const double start = swarm_clock();
    abut_status status = abut_shape_edit_blend(abut_body_shape(t->scene, t->slab), edit, &edited,
                                               &t->now.work, error);
    if (status == ABUT_OK) {
        const abut_positions kept = {0};
        status = abut_body_set_shape(t->scene, t->slab, edited, kept, error);
        abut_shape_destroy(edited);
    }
    t->now.edit_seconds = swarm_clock() - start;
    return status;
}

// Advances the crack to row `to`. The row of its tip is split only when the slab is cut through.
static abut_status advance_crack(tear* t, uint32_t to, abut_error* error) {
    const uint32_t from = t->now.rows;
    const uint32_t old_vertices = t->vertex_count;
    const uint32_t old_triangles = t->triangle_count;
    abut_blend_edit_def edit = abut_blend_edit_def_default();
    t->now.rows = to;
    t->now.edited = true;
    for (uint32_t row = from; row < to + (to == t->rows); ++row) {
        split_row(t, row);
    }
    edit.edit.removed_triangles = t->list;
    edit.edit.removed_triangle_count = replace_triangles(t, t->list);
    for (uint32_t row = from; row < to; ++row) {
        add_crack_faces(t, row);
    }
    edit.edit.added_triangles = t->triangles + 3 * (size_t)old_triangles;
    edit.edit.added_triangle_count = t->triangle_count - old_triangles;
    add_crack_nodes(t, from, to);
    edit.node_count = t->node_count;
    for (uint32_t i = old_vertices; i < t->vertex_count; ++i) {
        (void)update_weights(t, &t->vertices[i]);
    }
    uint32_t* changed = t->list + edit.edit.removed_triangle_count;
    t->now.changed = change_weights(t, from, to, old_vertices, changed);
    edit.changed_vertices = changed;
    edit.changed_vertex_count = t->now.changed;
    edit.changed_weights = put_weights(t, changed, 0, t->now.changed, &t->changed_weights);
    edit.edit.added_vertices = put_rest(t, old_vertices, t->added);
    edit.added_weights = put_weights(t, NULL, old_vertices, t->vertex_count - old_vertices,
                                     &t->added_weights);
    return edit_shape(t, &edit, error);
}

// ---- construction

static bool reserve(tear* t) {
    t->rows = (uint32_t)sqrt(t->def.triangles / 8.0);
    t->rows = t->rows < 8 ? 8 : t->rows;
    t->columns = 2 * t->rows;
    t->vertex_count = 2 * (t->rows + 1) * (t->columns + 1);
    t->vertex_room = t->vertex_count + 2 * (t->rows + 1);
    t->triangle_room = 4 * t->rows * t->columns + 4 * (t->rows + t->columns) +
                       PER_ROW * (t->rows + 1);
    t->node_room = (uint32_t)((t->columns / SPACING + 3) * (t->rows / SPACING + 3)) +
                   2 * (t->rows + 1);
    t->vertices = calloc(t->vertex_room, sizeof *t->vertices);
    t->triangles = calloc(t->triangle_room, 3 * sizeof *t->triangles);
    t->sides = calloc(t->triangle_room, sizeof *t->sides);
    t->copies = malloc((t->rows + (size_t)1) * sizeof *t->copies);
    t->nodes = calloc(t->node_room, sizeof *t->nodes);
    t->transforms = calloc(t->node_room, sizeof *t->transforms);
    t->list = calloc((size_t)t->triangle_room + t->vertex_room, sizeof *t->list);
    const uint32_t added_most = t->vertex_room - t->vertex_count;
    t->added = calloc(added_most, sizeof *t->added);
    if (t->copies != NULL) {
        memset(t->copies, 0xff, (t->rows + (size_t)1) * sizeof *t->copies);
    }
    return reserve_weights(&t->added_weights, added_most) &&
           reserve_weights(&t->changed_weights, t->vertex_room) && t->vertices != NULL &&
           t->triangles != NULL && t->sides != NULL && t->copies != NULL && t->nodes != NULL &&
           t->transforms != NULL && t->list != NULL && t->added != NULL;
}

static abut_status build_shape(abut_context* context, const abut_mesh_def* mesh_def,
                               const abut_blend_def* shape_def, abut_shape** shape,
                               abut_error* error) {
    abut_mesh* mesh = NULL;
    abut_status status = abut_mesh_create(context, mesh_def, &mesh, error);
    if (status == ABUT_OK) {
        status = shape_def != NULL ? abut_shape_create_blend(context, mesh, shape_def, shape, error)
                                   : abut_shape_create(context, mesh, NULL, shape, error);
    }
    if (status == ABUT_OK) {  // edits are compared with the time that this takes
        status = abut_shape_build_tree(*shape, error);
        if (status != ABUT_OK) {
            abut_shape_destroy(*shape);
        }
    }
    abut_mesh_destroy(mesh);
    return status;
}

static size_t put_living(const tear* t, uint32_t* out) {
    size_t count = 0;
    for (uint32_t i = 0; i < t->triangle_count; ++i) {
        if (is_alive(t, i)) {
            memcpy(out + 3 * count++, t->triangles + 3 * (size_t)i, 3 * sizeof *out);
        }
    }
    return count;
}

abut_status tear_build(const tear* t, abut_shape** shape, abut_error* error) {
    uint32_t* living = malloc(3 * (size_t)t->triangle_count * sizeof *living);
    double(*rest)[3] = malloc(t->vertex_count * sizeof *rest);
    weight_arrays weights;
    abut_status status = ABUT_ERR_NO_MEMORY;
    if (reserve_weights(&weights, t->vertex_count) && living != NULL && rest != NULL) {
        abut_mesh_def mesh = abut_mesh_def_default();
        mesh.positions = put_rest(t, 0, rest);
        mesh.triangles = living;
        mesh.triangle_count = put_living(t, living);
        abut_blend_def def = abut_blend_def_default();
        def.weights = put_weights(t, NULL, 0, t->vertex_count, &weights);
        def.weights.node_count = t->node_count;
        status = build_shape(t->context, &mesh, &def, shape, error);
    } else {
        status = fail_memory(error);
    }
    free(living);
    free(rest);
    free_weights(&weights);
    return status;
}

// Adds a prism below the slab, with its edge just above it along the path of the crack.
static abut_status add_wedge(tear* t, abut_error* error) {
    const double end = t->rows + 2.0;
    const double positions[18] = {-1.5, -2,  -6, 1.5, -2,  -6, 0, -2,  0.75,
                                  -1.5, end, -6, 1.5, end, -6, 0, end, 0.75};
    static const uint32_t triangles[24] = {0, 1, 2, 3, 5, 4, 0, 3, 1, 1, 3, 4,
                                           1, 4, 2, 2, 4, 5, 0, 2, 3, 2, 5, 3};
    abut_mesh_def mesh = abut_mesh_def_default();
    mesh.positions = abut_positions_f64(positions, 6);
    mesh.triangles = triangles;
    mesh.triangle_count = 8;
    abut_shape* shape = NULL;
    abut_status status = build_shape(t->context, &mesh, NULL, &shape, error);
    if (status == ABUT_OK) {
        status = abut_body_create(t->scene, shape, NULL, &t->wedge, error);
        abut_shape_destroy(shape);
    }
    return status;
}

static abut_status open_scene(tear* t, abut_error* error) {
    abut_shape* shape = NULL;
    abut_status status = abut_context_create(t->def.context, &t->context, error);
    if (status == ABUT_OK) {
        status = abut_scene_create(t->context, NULL, &t->scene, error);
    }
    if (status == ABUT_OK) {
        status = abut_collide_result_create(t->context, &t->result, error);
    }
    if (status == ABUT_OK) {
        status = tear_build(t, &shape, error);
    }
    if (status == ABUT_OK) {
        status = abut_body_create(t->scene, shape, NULL, &t->slab, error);
        abut_shape_destroy(shape);
    }
    return status == ABUT_OK ? add_wedge(t, error) : status;
}

abut_status tear_create(const tear_def* def, tear** made, abut_error* error) {
    *made = NULL;
    tear* t = calloc(1, sizeof *t);
    if (t == NULL) {
        return fail_memory(error);
    }
    t->def = *def;
    t->def.frames = def->frames > 0 ? def->frames : 1;
    abut_status status = reserve(t) ? ABUT_OK : fail_memory(error);
    if (status == ABUT_OK) {
        add_slab(t);
        add_walls(t);
        add_nodes(t);
        for (uint32_t v = 0; v < t->vertex_count; ++v) {
            (void)update_weights(t, &t->vertices[v]);
        }
        move_nodes(t);
        status = open_scene(t, error);
    }
    if (status != ABUT_OK) {
        tear_destroy(t);
        return status;
    }
    *made = t;
    return ABUT_OK;
}

void tear_destroy(tear* t) {
    if (t != NULL) {
        abut_collide_result_destroy(t->result);
        abut_scene_destroy(t->scene);
        abut_context_destroy(t->context);
        free(t->vertices);
        free(t->triangles);
        free(t->sides);
        free(t->copies);
        free(t->nodes);
        free(t->transforms);
        free(t->list);
        free(t->added);
        free_weights(&t->added_weights);
        free_weights(&t->changed_weights);
        free(t);
    }
}

// ---- a step

static abut_status run_queries(tear* t, abut_error* error) {
    const double start = swarm_clock();
    abut_status status = abut_body_set_transforms(t->scene, t->slab, tear_transforms(t), NULL, 0,
                                                  error);
    if (status == ABUT_OK) {
        status = abut_collide_self(t->scene, t->slab, NULL, t->result, NULL);
        (void)abut_collide_result_pairs(t->result, &t->now.self_pairs);
    }
    if (status == ABUT_OK) {
        status = abut_collide(t->scene, t->slab, t->wedge, NULL, t->result, NULL);
        (void)abut_collide_result_pairs(t->result, &t->now.wedge_pairs);
    }
    t->now.collide_seconds = swarm_clock() - start;
    return status;
}

abut_status tear_step(tear* t, abut_error* error) {
    const uint32_t before = t->now.rows;
    abut_status status = ABUT_OK;
    t->now = (tear_frame){.rows = before};
    ++t->frame;
    const double tip = tip_at(t, (double)t->frame / t->def.frames);
    const uint32_t to = tip < t->rows ? (uint32_t)tip : t->rows;
    if (to > before) {
        status = advance_crack(t, to, error);
    }
    t->now.nodes = t->node_count;
    move_nodes(t);
    return status == ABUT_OK ? run_queries(t, error) : status;
}

// ---- access

const tear_frame* tear_now(const tear* t) {
    return &t->now;
}

uint32_t tear_rows(const tear* t) {
    return t->rows;
}

abut_context* tear_context(const tear* t) {
    return t->context;
}

abut_scene* tear_scene(const tear* t) {
    return t->scene;
}

abut_body_id tear_slab(const tear* t) {
    return t->slab;
}

abut_body_id tear_wedge(const tear* t) {
    return t->wedge;
}

abut_transforms tear_transforms(const tear* t) {
    return abut_transforms_f64(t->transforms[0], t->node_count);
}
