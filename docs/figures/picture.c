// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies, their bounds, and drawing them: see picture.h.
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HUES = FAN_OUT + 1, SHADES = 12 };

void need(bool fine, const char* what) {
    if (!fine) {
        fprintf(stderr, "figure: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

// ---- the body

void picture_open(picture* p, const scene_body* subject) {
    p->subject = subject;
    p->xyz = calloc(3 * (size_t)subject->vertex_count, sizeof *p->xyz);
    need(p->xyz != NULL, "no memory");
    need(abut_context_create(NULL, &p->context, NULL) == ABUT_OK, "no context");
    need(abut_scene_create(p->context, NULL, &p->scene, NULL) == ABUT_OK, "no scene");
}

void picture_close(picture* p) {
    for (int level = 0; level < LEVELS; ++level) {
        free(p->volumes[level]);
    }
    abut_scene_destroy(p->scene);
    abut_context_destroy(p->context);
    free(p->xyz);
}

abut_shape_def picture_shape_def(void) {
    abut_shape_def def = abut_shape_def_default();
    def.fan_out = FAN_OUT;
    def.block_triangles = BLOCK;
    return def;
}

abut_mesh* picture_mesh(const picture* p) {
    const scene_body* b = p->subject;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(b->rest, b->vertex_count);
    def.triangles = b->triangles;
    def.triangle_count = b->triangle_count;
    abut_mesh* mesh = NULL;
    need(abut_mesh_create(p->context, &def, &mesh, NULL) == ABUT_OK, "no mesh");
    return mesh;
}

void picture_fields(const picture* p, abut_field fields[64]) {
    const scene_body* b = p->subject;
    for (uint32_t j = 0; j < b->field_count; ++j) {
        fields[j] = (abut_field){.values = abut_positions_f32(
                                     b->fields + 3 * (size_t)j * b->vertex_count, b->vertex_count)};
    }
}

void picture_set_body(picture* p, abut_mesh* mesh, abut_shape* shape) {
    need(abut_body_create(p->scene, shape, NULL, &p->body, NULL) == ABUT_OK, "no body");
    abut_mesh_destroy(mesh);
    abut_shape_destroy(shape);
}

void picture_read_vertices(picture* p) {
    for (uint32_t i = 0; i < p->subject->vertex_count; ++i) {
        need(abut_body_vertex(p->scene, p->body, i, p->xyz + 3 * (size_t)i, NULL) == ABUT_OK,
             "no vertex");
    }
}

const abut__body* picture_body(const picture* p) {
    const abut__body* body = abut__scene_body(p->scene, p->body);
    need(body != NULL && abut__body_ready(body), "no boxes");
    return body;
}

// ---- what bounds what

static bool holds(const volume* v, const double x[3]) {
    bool inside = true;
    double far_sq = 0;
    for (int d = 0; d < 3; ++d) {
        inside = inside && v->lo[d] <= x[d] && x[d] <= v->hi[d];
        far_sq += (x[d] - v->c[d]) * (x[d] - v->c[d]);
    }
    return v->sphere ? far_sq <= v->r * v->r : inside;
}

static void check_below(const picture* p, abut__ref ref, const volume* v) {
    const abut__tree* tree = &picture_body(p)->shape->tree;
    if (abut__is_block(ref)) {
        const abut__block* block = tree->blocks[abut__block_of(ref)];
        for (uint32_t i = 0; i < block->vertex_count; ++i) {
            need(holds(v, p->xyz + 3 * (size_t)block->vertex[i]), "a vertex is out of bounds");
        }
        return;
    }
    for (uint32_t k = 0; k < tree->nodes[ref].count; ++k) {
        check_below(p, tree->nodes[ref].child[k], v);
    }
}

static void put(picture* p, int level, abut__ref ref, const volume* v) {
    check_below(p, ref, v);
    p->volumes[level] = realloc(p->volumes[level], (p->count[level] + 1) * sizeof *v);
    need(p->volumes[level] != NULL, "no memory");
    p->volumes[level][p->count[level]++] = *v;
}

static void descend(picture* p, uint32_t node, int level, int hue) {
    const abut__node* n = &picture_body(p)->shape->tree.nodes[node];
    for (uint32_t k = 0; k < n->count && level < LEVELS; ++k) {
        volume v = p->child(p, node, k);
        v.hue = level == 1 ? (int)k + 1 : hue;
        const bool block = abut__is_block(n->child[k]);
        for (int l = level; l < (block ? LEVELS : level + 1); ++l) {
            put(p, l, n->child[k], &v);
        }
        if (!block) {
            descend(p, n->child[k], level + 1, v.hue);
        }
    }
}

void picture_find_volumes(picture* p, const volume* root) {
    for (int level = 0; level < LEVELS; ++level) {
        p->count[level] = 0;
    }
    put(p, 0, 0, root);
    descend(p, 0, 1, 0);
}

volume picture_bound(const picture* p, uint32_t node, uint32_t k) {
    volume v = {0};
    abut__boxes8 room;
    const abut__box3 box = abut__boxes_get(abut__body_bound(picture_body(p), node, 1, &room), k);
    for (int d = 0; d < 3; ++d) {
        v.lo[d] = (double)box.lo[d];
        v.hi[d] = (double)box.hi[d];
    }
    return v;
}

static void widen(const picture* p, abut__ref ref, volume* v) {
    const abut__tree* tree = &picture_body(p)->shape->tree;
    if (abut__is_block(ref)) {
        const abut__block* block = tree->blocks[abut__block_of(ref)];
        for (uint32_t i = 0; i < block->vertex_count; ++i) {
            const double* x = p->xyz + 3 * (size_t)block->vertex[i];
            for (int d = 0; d < 3; ++d) {
                v->lo[d] = fmin(v->lo[d], x[d]);
                v->hi[d] = fmax(v->hi[d], x[d]);
            }
        }
        return;
    }
    for (uint32_t k = 0; k < tree->nodes[ref].count; ++k) {
        widen(p, tree->nodes[ref].child[k], v);
    }
}

volume picture_best(const picture* p, abut__ref ref) {
    volume v = {.lo = {INFINITY, INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY, -INFINITY}};
    widen(p, ref, &v);
    return v;
}

double volume_content(const volume* v) {
    return v->sphere ? 4.18879 * v->r * v->r * v->r
                     : (v->hi[0] - v->lo[0]) * (v->hi[1] - v->lo[1]) * (v->hi[2] - v->lo[2]);
}

// ---- drawing

static void project(const picture* p, const double x[3], double out[3]) {
    const double off[3] = {x[0] - p->middle[0], x[1] - p->middle[1], x[2] - p->middle[2]};
    for (int d = 0; d < 3; ++d) {
        const double* axis = p->view[d];
        out[d] = p->scale * (axis[0] * off[0] + axis[1] * off[1] + axis[2] * off[2]);
    }
    out[1] = -out[1];  // down is positive
}

typedef struct face {
    double depth;
    int shade;
    double x[3][2];
} face;

static int compare_faces(const void* a, const void* b) {
    const double x = ((const face*)a)->depth;
    const double y = ((const face*)b)->depth;
    return (x > y) - (x < y);
}

// a triangle as it is seen; false: from behind
static bool make_face(const picture* p, uint32_t triangle, face* out) {
    double x[3][3];
    *out = (face){0};
    for (int c = 0; c < 3; ++c) {
        const uint32_t vertex = p->subject->triangles[3 * triangle + (uint32_t)c];
        project(p, p->xyz + 3 * (size_t)vertex, x[c]);
        out->x[c][0] = x[c][0];
        out->x[c][1] = x[c][1];
        out->depth += x[c][2];
    }
    double n[3];
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3;
        const int f = (d + 2) % 3;
        n[d] = (x[1][e] - x[0][e]) * (x[2][f] - x[0][f]) -
               (x[1][f] - x[0][f]) * (x[2][e] - x[0][e]);
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const double facing = -n[2] / length;  // y points down, so normals are mirrored
    const double light = (0.35 * n[0] + 0.75 * n[1]) / length + 0.56 * facing;
    out->shade = (int)fmin(SHADES - 1, fmax(0, floor((0.45 + 0.55 * light) * SHADES)));
    return length > 0 && facing > 0;
}

void draw_subject(FILE* file, const picture* p) {
    size_t count = 0;
    face* faces = calloc(p->subject->triangle_count, sizeof *faces);
    need(faces != NULL, "no memory");
    for (uint32_t t = 0; t < p->subject->triangle_count; ++t) {
        count += make_face(p, t, &faces[count]);
    }
    qsort(faces, count, sizeof *faces, compare_faces);
    fprintf(file, "<defs>\n<g id=\"subject\" stroke-width=\".4\" stroke-linejoin=\"round\">\n");
    for (size_t i = 0; i < count; ++i) {
        const face* f = &faces[i];
        fprintf(file, "<path class=\"s%d\" d=\"M%.1f %.1fL%.1f %.1f %.1f %.1fz\"/>\n", f->shade,
                f->x[0][0], f->x[0][1], f->x[1][0], f->x[1][1], f->x[2][0], f->x[2][1]);
    }
    fprintf(file, "</g>\n</defs>\n");
    free(faces);
}

// the twelve edges of a box; those that meet at the corner behind are left out
static void draw_box(FILE* file, const picture* p, const volume* v) {
    double corner[8][3];
    int hidden = 0;
    for (int i = 0; i < 8; ++i) {
        double x[3];
        for (int d = 0; d < 3; ++d) {
            x[d] = (i >> d & 1) != 0 ? v->hi[d] : v->lo[d];
        }
        project(p, x, corner[i]);
        hidden = corner[i][2] < corner[hidden][2] ? i : hidden;
    }
    const int front = 7 - hidden;
    // the three faces that show, each a parallelogram from the corner in front
    fprintf(file, "<path class=\"h%d\" d=\"", v->hue);
    for (int d = 0; d < 3; ++d) {
        const int a = front ^ (1 << d);
        const int b = front ^ (1 << (d + 1) % 3);
        const int c = a ^ b ^ front;
        fprintf(file, "M%.1f %.1fL%.1f %.1f %.1f %.1f %.1f %.1fz", corner[front][0],
                corner[front][1], corner[a][0], corner[a][1], corner[c][0], corner[c][1],
                corner[b][0], corner[b][1]);
    }
    fprintf(file, "\"/>\n");
}

static void draw_volume(FILE* file, const picture* p, const volume* v) {
    double c[3];
    if (v->sphere) {
        project(p, v->c, c);
        fprintf(file, "<circle class=\"h%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", v->hue, c[0],
                c[1], p->scale * v->r);
    } else {
        draw_box(file, p, v);
    }
}

typedef struct layer {
    double depth;
    const volume* v;
} layer;

static int compare_layers(const void* a, const void* b) {
    const double x = ((const layer*)a)->depth;
    const double y = ((const layer*)b)->depth;
    return (x > y) - (x < y);
}

static double middle_depth(const picture* p, const volume* v) {
    double x[3];
    double c[3];
    for (int d = 0; d < 3; ++d) {
        x[d] = v->sphere ? v->c[d] : (v->lo[d] + v->hi[d]) / 2;
    }
    project(p, x, c);
    return c[2];
}

void draw_level(FILE* file, picture* p, int level, int x, int y) {
    const size_t count = p->count[level];
    layer* layers = calloc(count, sizeof *layers);
    need(layers != NULL, "no memory");
    for (size_t i = 0; i < count; ++i) {
        layers[i] = (layer){middle_depth(p, &p->volumes[level][i]), &p->volumes[level][i]};
    }
    qsort(layers, count, sizeof *layers, compare_layers);
    fprintf(file, "<g transform=\"translate(%d %d)\">\n", x, y);
    fprintf(file, "<use href=\"#subject\"/>\n<g stroke-width=\"%.1f\">\n", level < 3 ? 1.1 : 0.7);
    for (size_t i = 0; i < count; ++i) {
        draw_volume(file, p, layers[i].v);
    }
    fprintf(file, "</g>\n</g>\n");
    free(layers);
}

static void draw_style(FILE* file) {
    static const char* const hues[HUES] = {"#495057", "#d6336c", "#1971c2", "#2f9e44", "#e8590c"};
    fprintf(file,
            "<style>\ntext{font-family:system-ui,sans-serif;text-anchor:middle;fill:#212529}\n"
            ".head{font-size:17px;font-weight:600}.small{font-size:13px;fill:#495057}\n"
            ".row{font-size:15px;text-anchor:start}\n");
    for (int i = 0; i < SHADES; ++i) {
        const int grey = 120 + 115 * i / (SHADES - 1);
        fprintf(file, ".s%d{fill:#%02x%02x%02x;stroke:#%02x%02x%02x}", i, grey - 12, grey - 4,
                grey + 6, grey - 12, grey - 4, grey + 6);
    }
    for (int i = 0; i < HUES; ++i) {
        fprintf(file, "\n.h%d{fill:%s;fill-opacity:.09;stroke:%s;stroke-opacity:.8}", i, hues[i],
                hues[i]);
    }
    fprintf(file, "\n</style>\n");
}

void draw_begin(FILE* file, int width, int height, const char* title) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\">\n",
            width, height, width, height);
    fprintf(file, "<title>%s</title>\n", title);
    draw_style(file);
    fprintf(file, "<rect width=\"%d\" height=\"%d\" rx=\"10\" fill=\"#fff\"/>\n", width, height);
}

void draw_end(FILE* file) {
    fprintf(file, "</svg>\n");
}
