// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws docs/figures/questions.svg: rays at a closed surface, closest points on it with their sides, and
// features of two sheets whose layers are near. The surfaces are long in y, so that a cut through them
// shows everything. The answers are those of the library; plain loops over the cut check them.
//
//     figure_questions OUTPUT.svg
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

enum { PANEL = 330, TOP = 50, HEIGHT = 410, MARGIN = 10 };
enum { OUTLINE = 72, RAYS = 25, POINTS = 13, RUNGS = 22 };
#define SCALE 140.0  // pixels per unit

typedef struct drawing {
    FILE* file;
    abut_context* context;
    abut_scene* scene;
    int panel;
} drawing;

static double page_x(const drawing* w, double x) {
    return PANEL * (w->panel + 0.5) + MARGIN + SCALE * x;
}
static double page_y(double z) {
    return TOP + PANEL / 2.0 - SCALE * z;
}

static void draw_line(const drawing* w, const double a[3], const double b[3], const char* style) {
    fprintf(w->file, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", page_x(w, a[0]), page_y(a[2]),
            page_x(w, b[0]), page_y(b[2]), style);
}

static void draw_dot(const drawing* w, const double a[3], double r, const char* style) {
    fprintf(w->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" %s/>\n", page_x(w, a[0]),
            page_y(a[2]), r, style);
}

static void draw_words(const drawing* w, const char* head, const char* text) {
    fprintf(w->file, "<text class=\"head\" x=\"%.0f\" y=\"30\">%s</text>\n", page_x(w, 0), head);
    fprintf(w->file, "<text class=\"small\" x=\"%.0f\" y=\"%d\">%s</text>\n", page_x(w, 0),
            HEIGHT - 14, text);
}

// ---- a closed surface: an outline, drawn out along y, with a fan of triangles at both ends

static void outline_at(int k, double out[3]) {
    const double angle = 2 * 3.14159265358979 * k / OUTLINE;
    const double r = 0.62 + 0.16 * sin(3 * angle + 0.4) + 0.1 * cos(5 * angle);
    out[0] = r * cos(angle);
    out[1] = 0;
    out[2] = r * sin(angle);
}

static abut_body_id add_body(const drawing* w, const double* xyz, size_t vertex_count,
                             const uint32_t* triangles, size_t triangle_count) {
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_body_id body;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(xyz, vertex_count);
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    need(abut_mesh_create(w->context, &def, &mesh, NULL) == ABUT_OK, "no mesh");
    need(abut_shape_create(w->context, mesh, NULL, &shape, NULL) == ABUT_OK, "no shape");
    need(abut_body_create(w->scene, shape, NULL, &body, NULL) == ABUT_OK, "no body");
    abut_mesh_destroy(mesh);
    abut_shape_destroy(shape);
    return body;
}

static abut_body_id add_blob(const drawing* w) {
    static double xyz[2 * OUTLINE + 2][3];  // both ends, then their middles
    static uint32_t triangles[4 * OUTLINE][3];
    for (int k = 0; k < 2 * OUTLINE; ++k) {
        outline_at(k % OUTLINE, xyz[k]);
        xyz[k][1] = k < OUTLINE ? -9 : 9;
    }
    xyz[2 * OUTLINE][1] = -9;
    xyz[2 * OUTLINE + 1][1] = 9;
    for (uint32_t k = 0; k < OUTLINE; ++k) {
        const uint32_t n = (k + 1) % OUTLINE;
        const uint32_t four[4][3] = {{k, OUTLINE + k, n},
                                     {n, OUTLINE + k, OUTLINE + n},
                                     {2 * OUTLINE, k, n},
                                     {2 * OUTLINE + 1, OUTLINE + n, OUTLINE + k}};
        memcpy(triangles[4 * k], four, sizeof four);
    }
    return add_body(w, &xyz[0][0], 2 * OUTLINE + 2, &triangles[0][0], 4 * OUTLINE);
}

static void draw_blob(const drawing* w) {
    fprintf(w->file, "<path fill=\"#dee2e6\" stroke=\"#495057\" d=\"");
    for (int k = 0; k < OUTLINE; ++k) {
        double p[3];
        outline_at(k, p);
        fprintf(w->file, "%s%.1f %.1f", k == 0 ? "M" : " L", page_x(w, p[0]), page_y(p[2]));
    }
    fprintf(w->file, "z\"/>\n");
}

// ---- rays

// where a ray first meets the outline; infinite: nowhere
static double first_crossing(const double from[3], const double along[3]) {
    double first = INFINITY;
    for (int k = 0; k < OUTLINE; ++k) {
        double a[3];
        double b[3];
        outline_at(k, a);
        outline_at(k + 1, b);
        const double e[2] = {b[0] - a[0], b[2] - a[2]};
        const double o[2] = {a[0] - from[0], a[2] - from[2]};
        const double det = along[0] * e[1] - along[2] * e[0];
        const double t = (o[0] * e[1] - o[1] * e[0]) / det;
        const double s = (o[0] * along[2] - o[1] * along[0]) / det;
        first = t >= 0 && s >= 0 && s <= 1 && t < first ? t : first;
    }
    return first;
}

static void draw_rays(drawing* w, abut_body_id blob) {
    static const double eye[3] = {-1.05, 0, 0.35};
    double from[RAYS][3];
    double along[RAYS][3];
    bool met[RAYS] = {false};
    abut_cast_result* result = NULL;
    size_t count = 0;
    for (int i = 0; i < RAYS; ++i) {
        const double angle = -1.05 + 1.6 * i / (RAYS - 1);
        memcpy(from[i], eye, sizeof eye);
        along[i][0] = cos(angle);
        along[i][1] = 0;
        along[i][2] = sin(angle);
    }
    const abut_rays rays = abut_rays_f64(&from[0][0], &along[0][0], RAYS);
    need(abut_cast_result_create(w->context, &result, NULL) == ABUT_OK, "no result");
    need(abut_cast(w->scene, blob, rays, NULL, result, NULL) == ABUT_OK, "no hits");
    const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
    draw_blob(w);
    for (size_t i = 0; i < count; ++i) {
        const double* d = along[hits[i].ray];
        const double end[3] = {eye[0] + hits[i].t * d[0], 0, eye[2] + hits[i].t * d[2]};
        need(fabs(hits[i].t - first_crossing(eye, d)) < 1e-9, "a hit is not the first");
        met[hits[i].ray] = true;
        draw_line(w, eye, end, "stroke=\"#d6336c\" stroke-width=\"1\"");
        draw_dot(w, end, 2.6, "fill=\"#d6336c\"");
    }
    for (int i = 0; i < RAYS; ++i) {
        const double end[3] = {eye[0] + 0.9 * along[i][0], 0, eye[2] + 0.9 * along[i][2]};
        need(met[i] == isfinite(first_crossing(eye, along[i])), "a ray misses");
        if (!met[i]) {
            draw_line(w, eye, end,
                      "stroke=\"#adb5bd\" stroke-width=\"1\" stroke-dasharray=\"3 3\"");
        }
    }
    draw_dot(w, eye, 4, "fill=\"#212529\"");
    draw_words(w, "rays", "the first triangle that each ray meets");
    abut_cast_result_destroy(result);
}

// ---- points

static double distance_to_outline(const double p[3]) {
    double least = INFINITY;
    for (int k = 0; k < OUTLINE; ++k) {
        double a[3];
        double b[3];
        outline_at(k, a);
        outline_at(k + 1, b);
        const double e[2] = {b[0] - a[0], b[2] - a[2]};
        const double o[2] = {p[0] - a[0], p[2] - a[2]};
        const double s = fmin(1,
                              fmax(0, (o[0] * e[0] + o[1] * e[1]) / (e[0] * e[0] + e[1] * e[1])));
        least = fmin(least, hypot(o[0] - s * e[0], o[1] - s * e[1]));
    }
    return least;
}

static void draw_points(drawing* w, abut_body_id blob) {
    double at[POINTS * POINTS][3];
    abut_closest_result* result = NULL;
    abut_closest_def def = abut_closest_def_default();
    size_t count = 0;
    for (int i = 0; i < POINTS * POINTS; ++i) {
        at[i][0] = 2.1 * (i % POINTS) / (POINTS - 1.0) - 1.05;
        at[i][1] = 0;
        at[i][2] = 2.1 * (i / POINTS) / (POINTS - 1.0) - 1.05;
    }
    def.sign = true;
    need(abut_closest_result_create(w->context, &result, NULL) == ABUT_OK, "no result");
    need(abut_closest(w->scene, blob, abut_positions_f64(&at[0][0], POINTS * POINTS), &def, result,
                      NULL) == ABUT_OK,
         "no closest points");
    const abut_closest_point* rows = abut_closest_result_points(result, &count);
    need(count == POINTS * POINTS, "not every point has a closest one");
    draw_blob(w);
    for (size_t i = 0; i < count; ++i) {
        const bool inside = rows[i].distance < 0;
        need(fabs(fabs(rows[i].distance) - distance_to_outline(at[i])) < 1e-9,
             "a distance is wrong");
        draw_line(w, at[i], rows[i].nearest.point,
                  inside ? "stroke=\"#1971c2\" stroke-width=\"1\""
                         : "stroke=\"#e8590c\" stroke-width=\"1\" stroke-opacity=\".7\"");
        draw_dot(w, at[i], 2.2, inside ? "fill=\"#1971c2\"" : "fill=\"#e8590c\"");
    }
    draw_words(w, "points", "the closest point of each, and its side");
    abut_closest_result_destroy(result);
}

// ---- features

typedef struct strip {
    double xyz[2 * RUNGS][3];
    double thick[2 * RUNGS];
    abut_body_id body;
} strip;

static void add_strip(const drawing* w, bool upper, strip* s) {
    uint32_t triangles[2 * (RUNGS - 1)][3];
    for (uint32_t v = 0; v < 2 * RUNGS; ++v) {
        const double x = 2.1 * (v / 2) / (RUNGS - 1.0) - 1.05;
        const double hill = 0.45 * exp(-5 * x * x) - 0.35;
        s->xyz[v][0] = x;
        s->xyz[v][1] = v % 2 == 0 ? -0.02 : 0.02;
        s->xyz[v][2] = upper ? hill + 0.115 + 0.02 * x * x : hill;
        s->thick[v] = !upper ? 0.02 : v < 4 || v >= 2 * RUNGS - 4 ? 0.075 : 0.035;
    }
    for (uint32_t k = 0; k < RUNGS - 1; ++k) {
        const uint32_t two[2][3] = {{2 * k, 2 * k + 2, 2 * k + 1},
                                    {2 * k + 1, 2 * k + 2, 2 * k + 3}};
        memcpy(triangles[2 * k], two, sizeof two);
    }
    s->body = add_body(w, &s->xyz[0][0], 2 * RUNGS, &triangles[0][0], 2 * (RUNGS - 1));
    need(abut_body_set_vertex_thickness(w->scene, s->body, s->thick, 2 * RUNGS, NULL) == ABUT_OK,
         "no thickness");
}

// the layer of an edge is as thick as the thicker one of its ends
static void draw_strip(const drawing* w, const strip* s, const char* colour) {
    char style[128];
    for (uint32_t k = 0; k + 1 < RUNGS; ++k) {
        const double thick = fmax(s->thick[2 * k], s->thick[2 * k + 2]);
        snprintf(
            style, sizeof style,
            "stroke=\"%s\" stroke-width=\"%.1f\" stroke-linecap=\"round\" stroke-opacity=\".16\"",
            colour, 2 * SCALE * thick);
        draw_line(w, s->xyz[2 * k], s->xyz[2 * k + 2], style);
    }
    for (uint32_t k = 0; k < RUNGS; ++k) {
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.6\"", colour);
        if (k + 1 < RUNGS) {
            draw_line(w, s->xyz[2 * k], s->xyz[2 * k + 2], style);
        }
        snprintf(style, sizeof style, "fill=\"%s\"", colour);
        draw_dot(w, s->xyz[2 * k], 2.4, style);
    }
}

static void point_of(const strip* s, const uint32_t vertices[3], const double weights[3],
                     double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 3 && vertices[k] != UINT32_MAX; ++k) {
        for (int d = 0; d < 3; ++d) {
            out[d] += weights[k] * s->xyz[vertices[k]][d];
        }
    }
}

static void draw_features(drawing* w) {
    strip low;
    strip high;
    abut_features_result* result = NULL;
    abut_features_def def = abut_features_def_default();
    size_t count = 0;
    add_strip(w, false, &low);
    add_strip(w, true, &high);
    def.distance = 0.05;
    need(abut_features_result_create(w->context, &result, NULL) == ABUT_OK, "no result");
    need(abut_features(w->scene, high.body, low.body, &def, result, NULL) == ABUT_OK,
         "no features");
    const abut_feature_pair* rows = abut_features_result_pairs(result, &count);
    need(count > 0, "nothing is near");
    draw_strip(w, &low, "#495057");
    draw_strip(w, &high, "#2f9e44");
    for (size_t i = 0; i < count; ++i) {
        double a[3];
        double b[3];
        point_of(&high, rows[i].vertices_a, rows[i].weights_a, a);
        point_of(&low, rows[i].vertices_b, rows[i].weights_b, b);
        need(sqrt(rows[i].distance_sq) <= def.distance + 0.075 + 0.02,
             "features are too far apart");
        draw_line(w, a, b,
                  rows[i].kind == ABUT_CONTACT_EDGE_EDGE
                      ? "stroke=\"#1971c2\" stroke-width=\"0.8\" stroke-opacity=\".6\""
                      : "stroke=\"#d6336c\" stroke-width=\"1.1\"");
    }
    draw_words(w, "features", "pairs whose layers are near");
    abut_features_result_destroy(result);
}

int main(int argc, char** argv) {
    need(argc == 2, "usage: figure_questions OUTPUT.svg");
    drawing w = {.file = fopen(argv[1], "w")};
    need(w.file != NULL, "the file cannot be written");
    need(abut_context_create(NULL, &w.context, NULL) == ABUT_OK, "no context");
    need(abut_scene_create(w.context, NULL, &w.scene, NULL) == ABUT_OK, "no scene");
    draw_begin(w.file, 3 * PANEL + 2 * MARGIN, HEIGHT, "Rays, closest points and features");
    const abut_body_id blob = add_blob(&w);
    draw_rays(&w, blob);
    w.panel = 1;
    draw_points(&w, blob);
    w.panel = 2;
    draw_features(&w);
    draw_end(w.file);
    need(fclose(w.file) == 0, "the file cannot be written");
    abut_scene_destroy(w.scene);
    abut_context_destroy(w.context);
    return EXIT_SUCCESS;
}
