// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The catalogue of scenes, their memory and their public functions.

#include "scenes/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scenes_internal.h"

// The table for scene_kinds() and the makers, in the same order: name, about, triangles, frames,
// fields, nodes
#define SCENE_LIST(X)                                                                             \
    X(tablecloth, "A square cloth falls on a round table and drapes in folds.", 16200, 40, 0, 0)  \
    X(curtain, "A ball is thrown through a pleated curtain.", 12012, 110, 12, 0)                  \
    X(chair, "A plastic chair falls and tumbles over another one.", 17914, 90, 10, 0)             \
    X(bridge, "A boulder rolls over a bridge that sways.", 60000, 90, 10, 0)                      \
    X(fish, "Two fish swim past each other through a hoop.", 24776, 60, 3, 0)                     \
    X(brain, "A soft brain is pulled and let go while a probe taps it.", 60000, 60, 0, 225)       \
    X(fishes, "A ball of 24 fish swims round in close formation.", 16000, 60, 0, 96)              \
    X(ring, "Six soft figures hang on a turning ring and bump into each other.", 91360, 60, 0,    \
      550)                                                                                        \
    X(soft_fishes, "The same fish: heads swim, the rest is simulated.", 16000, 60, 0, 96)         \
    X(soft_ring, "The same figures: hats turn, the rest is simulated.", 91360, 60, 0, 550)        \
    X(walk, "A figure of skin and bones walks past a post.", 30000, 90, 2, 22)                    \
    X(dress, "A figure walks in a dress.", 64000, 13, 0, 22)                                      \
    X(shirt, "A figure walks in a shirt.", 32000, 13, 0, 22)                                      \
    X(spheres, "Two spheres grow until they meet; what touches turns back.", 10000, 61, 0, 0)     \
    X(drift, "A ring is carried past a ball, without any turn or change of form.", 20000, 41, 0,  \
      0)                                                                                          \
    X(blobs, "Two wobbling blobs drift into each other.", 20480, 30, 0, 0)                        \
    X(combs, "Two combs reach into each other and are pressed together.", 4500, 60, 0, 0)         \
    X(peg, "A peg goes into a hole, turns and is pressed into the wall.", 3000, 50, 0, 0)         \
    X(links, "Two links of a chain get so thick that they cut into each other.", 6000, 50, 0, 0)  \
    X(cushion, "A fist is pressed into a cushion that gives way too little.", 8000, 50, 0, 0)     \
    X(pressed, "Letters are pressed into the wall of a bowl.", 870, 50, 0, 0)                     \
    X(funnel, "Many small soft bodies crowd through a funnel.", 36000, 60, 0, 0)                  \
    X(skirt, "A skirt swirls, its folds close to each other.", 12000, 60, 0, 0)                   \
    X(cloth_ball, "A cloth is wound about a ball that turns.", 15138, 60, 0, 0)                   \
    X(bowl, "Ten soft letters fall into a bowl.", 1740, 60, 0, 0)                                 \
    X(letters, "200 soft letters fall through a funnel and down ramps.", 34800, 60, 0, 0)         \
    X(breaking, "Fourteen blocks fall and break into 25 pieces.", 5500, 60, 0, 0)                 \
    X(crowd, "2000 bodies slide along each other and never touch.", 400000, 10, 0, 0)             \
    X(sheet, "A sheet waves and never meets itself.", 16200, 40, 0, 0)                            \
    X(degenerate, "Two sheets meet in exact special cases, one a frame.", 256, 15, 0, 0)          \
    X(coil, "A strip folds, twists and coils through itself.", 8192, 60, 0, 0)                    \
    X(washer, "A flat spiral overlaps itself though all its normals agree.", 44, 4, 0, 0)         \
    X(double_cone, "A disc winds twice about its centre.", 36, 4, 0, 0)                           \
    X(nested_sheets, "One mesh of two sheets, the smaller cuts the larger.", 36, 4, 0, 0)         \
    X(flipped_fold, "A strip is folded back and its folded half turned inside out.", 16, 4, 0, 0) \
    X(loose_quads, "Loose quads in two clouds fly to new places.", 20000, 30, 0, 0)               \
    X(loose_patches, "Loose patches in two clouds fly to new places.", 10000, 30, 0, 0)           \
    X(slivers, "Long thin triangles in two clouds turn through each other.", 10000, 30, 0, 0)     \
    X(crossing, "Two wavy sheets cross each other all over.", 10000, 30, 0, 0)                    \
    X(boxes, "1000 boxes turn in a heap and cut into each other.", 12000, 30, 0, 0)               \
    X(fan, "A fan of triangles about one vertex waves.", 10000, 30, 0, 0)

#define SCENE_KIND(name, about, triangles, frames, fields, nodes) \
    {#name, about, triangles, frames, fields, nodes},
#define SCENE_MAKER(name, about, triangles, frames, fields, nodes) scene__make_##name,

static const scene_kind kinds[] = {SCENE_LIST(SCENE_KIND)};
static void (*const makers[])(scene*, const scene_wish*) = {SCENE_LIST(SCENE_MAKER)};

// Far below the overflow of 32-bit counts of vertices and corners.
#define MOST_TRIANGLES (UINT32_C(1) << 28)

const scene_kind* scene_kinds(size_t* count) {
    *count = sizeof kinds / sizeof kinds[0];
    return kinds;
}

scene* scene_create(const char* name, uint32_t triangles, uint32_t frames, uint32_t seed) {
    return scene_create_with(
        name, &(scene_options){.triangles = triangles, .frames = frames, .seed = seed});
}

// Resolves a wish to a possible value.
static uint32_t resolve(uint32_t asked, uint32_t by_default, uint32_t most) {
    const uint32_t number = asked != 0 ? asked : by_default;
    return number < most ? number : most;
}

scene* scene_create_with(const char* name, const scene_options* options) {
    const scene_options asked = options != NULL ? *options : (scene_options){0};
    const size_t count = sizeof kinds / sizeof kinds[0];
    size_t k = 0;
    while (k < count && strcmp(kinds[k].name, name) != 0) {
        ++k;
    }
    scene* s = k < count ? calloc(1, sizeof *s) : NULL;
    if (s == NULL) {
        return NULL;
    }
    s->frame_count = asked.frames != 0 ? asked.frames : kinds[k].default_frames;
    const scene_wish wish = {
        .triangles = resolve(asked.triangles, kinds[k].default_triangles, MOST_TRIANGLES),
        .seed = asked.seed,
        .fields = resolve(asked.fields, kinds[k].default_fields, SCENE_MOST_FIELDS),
        .nodes = resolve(asked.nodes, kinds[k].default_nodes, SCENE_MOST_NODES),
        .contact = asked.contact,
        .influences = asked.influences,
    };
    makers[k](s, &wish);
    if (s->failed) {
        scene_destroy(s);
        return NULL;
    }
    return s;
}

void scene_destroy(scene* s) {
    if (s == NULL) {
        return;
    }
    scene__free_all(s);
    free(s->bodies);
    free(s);
}

uint32_t scene_body_count(const scene* s) {
    return s->body_count;
}

const scene_body* scene_get_body(const scene* s, uint32_t body) {
    return &s->bodies[body];
}

uint32_t scene_frame_count(const scene* s) {
    return s->frame_count;
}

void scene_coordinates(const scene* s, uint32_t body, uint32_t frame, double* q) {
    if (s->bodies[body].reduced && s->coordinates != NULL) {
        s->coordinates(s, body, frame, q);
    } else {
        memset(q, 0, s->bodies[body].field_count * sizeof *q);
    }
}

void scene_transforms(const scene* s, uint32_t body, uint32_t frame, double* transforms) {
    if (s->bodies[body].node_count > 0) {
        s->transforms(s, body, frame, transforms);
    }
}

static const double identity[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

void scene_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3], double t[3]) {
    memcpy(r, identity, sizeof identity);
    t[0] = t[1] = t[2] = 0.0;
    if (s->bodies[body].reduced && s->frame != NULL) {
        s->frame(s, body, frame, r, t);
    }
}

static bool is_identity(const double r[3][3], const double t[3]) {
    bool same = true;
    for (int d = 0; d < 3; ++d) {
        same = same && t[d] == 0.0;
        for (int k = 0; k < 3; ++k) {
            same = same && r[d][k] == identity[d][k];
        }
    }
    return same;
}

// Blends one vertex by the formula of scenes.h. Comparisons of bits rely on this order of
// operations.
static void blend_vertex(const scene_body* b, uint32_t vertex, const double* transforms,
                         double v[3]) {
    const uint32_t first = b->weight_first[vertex];
    double m[12];
    for (uint32_t i = first; i < b->weight_first[vertex + 1]; ++i) {
        const double w = (double)b->weights[i];
        const double* t = transforms + 12 * (size_t)b->weight_nodes[i];
        for (int e = 0; e < 12; ++e) {
            m[e] = i == first ? w * t[e] : m[e] + w * t[e];
        }
    }
    const double from[3] = {v[0], v[1], v[2]};
    for (int d = 0; d < 3; ++d) {
        const double* row = m + 4 * (size_t)d;
        v[d] = ((row[0] * from[0] + row[1] * from[1]) + row[2] * from[2]) + row[3];
    }
}

static void blend_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const scene_body* b = &s->bodies[body];
    double* transforms = malloc(12 * (size_t)b->node_count * sizeof *transforms);
    if (transforms == NULL) {  // scenes are for tests: no result is better than a wrong one
        abort();
    }
    scene_transforms(s, body, frame, transforms);
    for (uint32_t i = 0; i < b->vertex_count; ++i) {
        blend_vertex(b, i, transforms, xyz + 3 * (size_t)i);
    }
    free(transforms);
}

// Evaluates the formula of scenes.h for all vertices, in the same order.
static void reduced_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const scene_body* b = &s->bodies[body];
    const size_t numbers = 3 * (size_t)b->vertex_count;
    double q[SCENE_MOST_FIELDS];
    double r[3][3];
    double t[3];
    scene_coordinates(s, body, frame, q);
    scene_frame(s, body, frame, r, t);
    memcpy(xyz, b->rest, numbers * sizeof *xyz);
    for (uint32_t j = 0; j < b->field_count; ++j) {
        const float* u = b->fields + j * numbers;
        for (size_t i = 0; i < numbers; ++i) {
            xyz[i] += (double)u[i] * q[j];
        }
    }
    if (b->node_count > 0) {
        blend_positions(s, body, frame, xyz);
    }
    if (is_identity((const double(*)[3])r, t)) {
        return;
    }
    for (double* p = xyz; p < xyz + numbers; p += 3) {
        const double v[3] = {p[0], p[1], p[2]};
        for (int d = 0; d < 3; ++d) {
            p[d] = ((r[d][0] * v[0] + r[d][1] * v[1]) + r[d][2] * v[2]) + t[d];
        }
    }
}

void scene_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const scene_body* b = &s->bodies[body];
    if (b->reduced) {
        reduced_positions(s, body, frame, xyz);
    } else if (b->moves) {
        s->positions(s, body, frame, xyz);
    } else {
        memcpy(xyz, b->rest, 3 * (size_t)b->vertex_count * sizeof *xyz);
    }
}

bool scene_present(const scene* s, uint32_t body, uint32_t frame) {
    return s->present == NULL || s->present(s, body, frame);
}

bool scene_expected_pairs(const scene* s, uint32_t frame, uint32_t* pairs) {
    return s->expected != NULL && s->expected(s, frame, pairs);
}

const char* scene_frame_name(const scene* s, uint32_t frame) {
    return s->frame_name != NULL ? s->frame_name(s, frame) : "";
}

// What pieces begin with, padded so that doubles are aligned.
typedef struct piece {
    struct piece* next;
    void (*end)(void* memory);  // may be NULL
} piece;
#define PIECE_HEAD 16
_Static_assert(sizeof(piece) <= PIECE_HEAD, "the head of a piece has room for its pointers");

void* scene__alloc_with_end(scene* s, size_t count, size_t size, void (*end)(void* memory)) {
    piece* made = NULL;
    if (!s->failed && count <= (SIZE_MAX - PIECE_HEAD) / size) {
        made = calloc(1, PIECE_HEAD + count * size);
    }
    if (made == NULL) {
        s->failed = true;
        return NULL;
    }
    *made = (piece){s->pieces, end};
    s->pieces = made;
    return (char*)made + PIECE_HEAD;
}

void* scene__alloc(scene* s, size_t count, size_t size) {
    return scene__alloc_with_end(s, count, size, NULL);
}

void scene__free_all(scene* s) {
    for (piece* p = s->pieces; p != NULL; p = s->pieces) {
        s->pieces = p->next;
        if (p->end != NULL) {
            p->end((char*)p + PIECE_HEAD);
        }
        free(p);
    }
}

void scene__add_body(scene* s, const char* name, const scene_mesh* mesh, bool moves, bool closed) {
    if (s->failed) {
        return;
    }
    if (s->body_count == s->body_capacity) {
        const uint32_t capacity = s->body_capacity == 0 ? 4 : 2 * s->body_capacity;
        scene_body* bodies = realloc(s->bodies, capacity * sizeof *bodies);
        if (bodies == NULL) {
            s->failed = true;
            return;
        }
        s->bodies = bodies;
        s->body_capacity = capacity;
    }
    s->bodies[s->body_count++] = (scene_body){
        .name = name,
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .triangles = mesh->triangles,
        .rest = mesh->rest,
        .moves = moves,
        .closed = closed,
    };
}

void scene__add_reduced(scene* s, const char* name, const scene_mesh* mesh,
                        const scene_fields* fields, bool closed) {
    scene__add_body(s, name, mesh, true, closed);
    if (s->failed) {
        return;
    }
    scene_body* b = &s->bodies[s->body_count - 1];
    b->reduced = true;
    b->field_count = fields->count;
    b->fields = fields->values;
    b->dynamics = fields->dynamics;
}

void scene__add_blended(scene* s, const char* name, const scene_mesh* mesh,
                        const scene_weights* weights, const scene_fields* fields, bool closed) {
    static const scene_fields none = {0};
    scene__add_reduced(s, name, mesh, fields != NULL ? fields : &none, closed);
    if (s->failed) {
        return;
    }
    scene_body* b = &s->bodies[s->body_count - 1];
    b->node_count = weights->node_count;
    b->weight_first = weights->first;
    b->weight_nodes = weights->nodes;
    b->weights = weights->values;
}

void scene__rotation(const double axis[3], double angle, double r[3][3]) {
    const double c = cos(angle);
    const double s = sin(angle);
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3;
        const int f = (d + 2) % 3;
        r[d][d] = c + (1.0 - c) * axis[d] * axis[d];
        r[d][e] = (1.0 - c) * axis[d] * axis[e] - s * axis[f];
        r[d][f] = (1.0 - c) * axis[d] * axis[f] + s * axis[e];
    }
}

// The finalizer of splitmix64 over seed and index has no state, so any order of calls is possible.
double scene__random(uint32_t seed, uint32_t index) {
    uint64_t z = ((uint64_t)seed << 32 | index) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

double scene__random_in(uint32_t seed, uint32_t index, double low, double high) {
    return low + (high - low) * scene__random(seed, index);
}

void scene__random_direction(uint32_t seed, uint32_t index, double out[3]) {
    const double z = scene__random_in(seed, index, -1.0, 1.0);
    const double angle = scene__random_in(seed, index + 1, 0.0, 2.0 * SCENE_PI);
    const double r = sqrt(1.0 - z * z);
    out[0] = r * cos(angle);
    out[1] = r * sin(angle);
    out[2] = z;
}

double scene__ease(double x, double from, double to) {
    const double t = fmin(fmax((x - from) / (to - from), 0.0), 1.0);
    return t * t * (3.0 - 2.0 * t);
}

double scene__time(const scene* s, uint32_t frame) {
    return s->frame_count > 1 ? (double)frame / (double)(s->frame_count - 1) : 1.0;
}

uint32_t scene__square_side(uint32_t triangles) {
    const double side = floor(sqrt(0.5 * (double)triangles) + 0.5);
    return side < 1.0 ? 1 : (uint32_t)side;
}
