// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws docs/figures/levels.svg: a fish that bends, and what bounds it on the first levels of its
// tree, by spheres and by boxes. Bounds come from the coordinates alone; that they hold every
// vertex below them is checked here, and the program fails if they do not.
//
//     figure_levels OUTPUT.svg
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abut/abut.h"
#include "body/body.h"
#include "motion/modal.h"
#include "scene/scene.h"
#include "scenes/scenes.h"

enum { LEVELS = 4, FAN_OUT = 4, BLOCK = 8, TRIANGLES = 3000, FRAMES = 60, FRAME = 10, HUES = 5 };
enum {
    PANEL_WIDTH = 255,
    LEFT = 15,
    SPHERES_AT = 178,
    BOXES_AT = 442,
    TO_CAPTION = 142,
    HEIGHT = 570,
    SHADES = 12
};
static const double scale = 205;  // of a fish that is 1 long

static void need(bool fine, const char* what) {
    if (!fine) {
        fprintf(stderr, "levels: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

// ---- what bounds what

typedef struct volume {
    bool sphere;
    double lo[3];  // of a box
    double hi[3];
    double c[3];  // of a sphere
    double r;
    int hue;  // of its ancestor on level 1
} volume;

typedef struct picture {
    const scene_body* fish;
    double* xyz;  // deformed
    abut_context* context;
    abut_scene* scene;
    abut_body_id body;
    bool spheres;
    volume* volumes[LEVELS];
    size_t count[LEVELS];
} picture;

static const abut__body* body_of(const picture* p) {
    return abut__scene_body(p->scene, p->body);
}

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
    const abut__tree* tree = &body_of(p)->shape->tree;
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

static volume child_volume(const picture* p, uint32_t node, uint32_t k) {
    const abut__body* body = body_of(p);
    const abut_shape* shape = body->shape;
    const abut__modal_state* state = abut__body_state(body, 1)->modal;
    volume v = {.sphere = p->spheres};
    if (p->spheres) {
        const abut__modal_lanes lanes = abut__spheres_group(&shape->modal->spheres, node);
        abut__balls8 balls;
        p->context->kernels->modal_balls(&lanes, state->coordinate, &balls);
        for (int d = 0; d < 3; ++d) {
            v.c[d] = (double)balls.c[d][k];
        }
        v.r = (double)balls.r[k] + 3 * (double)state->pad;
    } else {
        abut__boxes8 room;
        const abut__box3 box = abut__boxes_get(abut__body_bound(body, node, 1, &room), k);
        for (int d = 0; d < 3; ++d) {
            v.lo[d] = (double)box.lo[d];
            v.hi[d] = (double)box.hi[d];
        }
    }
    return v;
}

// the children of a node on `level`; a block stays on all levels below its own
static void descend(picture* p, uint32_t node, int level, int hue) {
    const abut__node* n = &body_of(p)->shape->tree.nodes[node];
    for (uint32_t k = 0; k < n->count && level < LEVELS; ++k) {
        volume v = child_volume(p, node, k);
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

static void find_volumes(picture* p) {
    volume root = {.sphere = p->spheres};
    abut_box box;
    need(abut_body_sphere(p->scene, p->body, root.c, &root.r) == ABUT_OK, "no sphere");
    need(abut_body_box(p->scene, p->body, &box) == ABUT_OK, "no box");
    memcpy(root.lo, box.lo, sizeof box.lo);
    memcpy(root.hi, box.hi, sizeof box.hi);
    for (int level = 0; level < LEVELS; ++level) {
        p->count[level] = 0;
    }
    put(p, 0, 0, &root);
    descend(p, 0, 1, 0);
}

// ---- the body

static void make_body(picture* p, abut_bound bound) {
    const scene_body* b = p->fish;
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f64(b->rest, b->vertex_count);
    mesh_def.triangles = b->triangles;
    mesh_def.triangle_count = b->triangle_count;
    abut_field fields[64] = {0};
    for (uint32_t j = 0; j < b->field_count; ++j) {
        fields[j].values = abut_positions_f32(b->fields + 3 * (size_t)j * b->vertex_count,
                                              b->vertex_count);
    }
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_MODAL;
    def.fields = fields;
    def.field_count = b->field_count;
    def.bound = bound;
    def.fan_out = FAN_OUT;
    def.block_triangles = BLOCK;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    need(abut_mesh_create(p->context, &mesh_def, &mesh, NULL) == ABUT_OK, "no mesh");
    need(abut_shape_create(p->context, mesh, &def, &shape, NULL) == ABUT_OK, "no shape");
    need(abut_body_create(p->scene, shape, NULL, &p->body, NULL) == ABUT_OK, "no body");
    abut_mesh_destroy(mesh);
    abut_shape_destroy(shape);
    p->spheres = bound == ABUT_BOUND_SPHERES;
}

// the state of a frame, and all vertices in it
static void bend(picture* p, const scene* s) {
    double q[64];
    scene_coordinates(s, 0, FRAME, q);
    for (uint32_t j = 0; j < p->fish->field_count; ++j) {
        q[j] *= 1.7;
    }
    need(abut_body_set_coordinates(p->scene, p->body, q, p->fish->field_count, NULL) == ABUT_OK,
         "no state");
    for (uint32_t i = 0; i < p->fish->vertex_count; ++i) {
        need(abut_body_vertex(p->scene, p->body, i, p->xyz + 3 * (size_t)i) == ABUT_OK,
             "no vertex");
    }
}

// ---- drawing

// seen from the side and from above: right, up and towards the eye
static const double view[3][3] = {
    {-0.94, 0.34, 0.0}, {-0.1955, -0.5405, 0.8183}, {0.2782, 0.7692, 0.5750}};

static void project(const double x[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = scale * (view[d][0] * x[0] + view[d][1] * x[1] + view[d][2] * x[2]);
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
        project(p->xyz + 3 * (size_t)p->fish->triangles[3 * triangle + (uint32_t)c], x[c]);
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

static void draw_fish(FILE* file, const picture* p) {
    size_t count = 0;
    face* faces = calloc(p->fish->triangle_count, sizeof *faces);
    need(faces != NULL, "no memory");
    for (uint32_t t = 0; t < p->fish->triangle_count; ++t) {
        count += make_face(p, t, &faces[count]);
    }
    qsort(faces, count, sizeof *faces, compare_faces);
    fprintf(file, "<g id=\"fish\" stroke-width=\".4\" stroke-linejoin=\"round\">\n");
    for (size_t i = 0; i < count; ++i) {
        const face* f = &faces[i];
        fprintf(file, "<path class=\"s%d\" d=\"M%.1f %.1fL%.1f %.1f %.1f %.1fz\"/>\n", f->shade,
                f->x[0][0], f->x[0][1], f->x[1][0], f->x[1][1], f->x[2][0], f->x[2][1]);
    }
    fprintf(file, "</g>\n");
    free(faces);
}

// the twelve edges of a box; those that meet at the corner behind are left out
static void draw_box(FILE* file, const volume* v) {
    double corner[8][3];
    int hidden = 0;
    for (int i = 0; i < 8; ++i) {
        double x[3];
        for (int d = 0; d < 3; ++d) {
            x[d] = (i >> d & 1) != 0 ? v->hi[d] : v->lo[d];
        }
        project(x, corner[i]);
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

static void draw_volume(FILE* file, const volume* v) {
    double c[3];
    if (v->sphere) {
        project(v->c, c);
        fprintf(file, "<circle class=\"h%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", v->hue, c[0],
                c[1], scale * v->r);
    } else {
        draw_box(file, v);
    }
}

static double middle_depth(const volume* v) {
    double x[3];
    double c[3];
    for (int d = 0; d < 3; ++d) {
        x[d] = v->sphere ? v->c[d] : (v->lo[d] + v->hi[d]) / 2;
    }
    project(x, c);
    return c[2];
}

static int compare_volumes(const void* a, const void* b) {
    const double x = middle_depth(a);
    const double y = middle_depth(b);
    return (x > y) - (x < y);
}

static double content(const volume* v) {
    return v->sphere ? 4.18879 * v->r * v->r * v->r
                     : (v->hi[0] - v->lo[0]) * (v->hi[1] - v->lo[1]) * (v->hi[2] - v->lo[2]);
}

// one level; `whole` is the content that 100 % stand for
static void draw_level(FILE* file, picture* p, int level, double whole) {
    double sum = 0;
    qsort(p->volumes[level], p->count[level], sizeof(volume), compare_volumes);
    fprintf(file, "<g transform=\"translate(%d %d)\">\n",
            LEFT + PANEL_WIDTH * level + PANEL_WIDTH / 2, p->spheres ? SPHERES_AT : BOXES_AT);
    fprintf(file, "<use href=\"#fish\"/>\n<g stroke-width=\"%.1f\">\n", level < 3 ? 1.1 : 0.7);
    for (size_t i = 0; i < p->count[level]; ++i) {
        draw_volume(file, &p->volumes[level][i]);
        sum += content(&p->volumes[level][i]);
    }
    const double share = 100 * sum / whole;
    fprintf(file, "</g>\n<text class=\"small\" y=\"%d\">%zu %s%s: %.*f %%</text>\n</g>\n",
            p->spheres ? TO_CAPTION : TO_CAPTION - 40, p->count[level],
            p->spheres ? "sphere" : "box",
            p->count[level] == 1 ? ""
            : p->spheres         ? "s"
                                 : "es",
            share < 9.95 ? 1 : 0, share);
}

static void draw_style(FILE* file) {
    static const char* const hues[HUES] = {"#495057", "#d6336c", "#1971c2", "#2f9e44", "#e8590c"};
    fprintf(file,
            "<style>\ntext{font-family:system-ui,sans-serif;text-anchor:middle;fill:#212529}\n"
            ".head{font-size:17px;font-weight:600}.small{font-size:13px;fill:#495057}\n");
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

static void draw(FILE* file, const scene* s, picture* p) {
    const int width = 2 * LEFT + LEVELS * PANEL_WIDTH;
    double whole = 0;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\">\n",
            width, HEIGHT, width, HEIGHT);
    fprintf(file, "<title>A fish that bends, bounded by spheres and by boxes</title>\n");
    draw_style(file);
    fprintf(file, "<rect width=\"%d\" height=\"%d\" rx=\"10\" fill=\"#fff\"/>\n<defs>\n", width,
            HEIGHT);
    for (int row = 0; row < 2; ++row) {
        make_body(p, row == 0 ? ABUT_BOUND_SPHERES : ABUT_BOUND_BOXES);
        bend(p, s);
        find_volumes(p);
        if (row == 0) {
            whole = content(&p->volumes[0][0]);
            draw_fish(file, p);
            fprintf(file, "</defs>\n");
        }
        for (int level = 0; level < LEVELS; ++level) {
            if (row == 0) {
                fprintf(file, "<text class=\"head\" x=\"%d\" y=\"32\">level %d</text>\n",
                        LEFT + PANEL_WIDTH * level + PANEL_WIDTH / 2, level);
            }
            draw_level(file, p, level, whole);
        }
    }
    fprintf(file, "</svg>\n");
}

int main(int argc, char** argv) {
    need(argc == 2, "usage: figure_levels OUTPUT.svg");
    scene* s = scene_create("fish", TRIANGLES, FRAMES, 1);
    need(s != NULL, "no scene");
    picture p = {.fish = scene_get_body(s, 0)};
    p.xyz = calloc(3 * (size_t)p.fish->vertex_count, sizeof *p.xyz);
    FILE* file = fopen(argv[1], "w");
    need(p.xyz != NULL && file != NULL, "the file cannot be written");
    need(abut_context_create(NULL, &p.context, NULL) == ABUT_OK, "no context");
    need(abut_scene_create(p.context, NULL, &p.scene, NULL) == ABUT_OK, "no scene");
    draw(file, s, &p);
    need(fclose(file) == 0, "the file cannot be written");
    for (int level = 0; level < LEVELS; ++level) {
        free(p.volumes[level]);
    }
    abut_scene_destroy(p.scene);
    abut_context_destroy(p.context);
    free(p.xyz);
    scene_destroy(s);
    return EXIT_SUCCESS;
}
