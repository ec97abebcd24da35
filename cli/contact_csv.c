// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The findings of a frame as CSV rows: see contact_csv.h.
#include "cli/contact_csv.h"

#include <math.h>
#include <string.h>

enum { FEATURE_SIZE = 96 };

// one row; columns that do not apply stay empty
typedef struct row {
    const char* kind;
    double time;
    uint32_t a;
    uint32_t b;
    bool has_triangles;
    uint32_t triangle_a;
    uint32_t triangle_b;
    const double* point_a;  // three numbers, or NULL
    const double* point_b;
    double step;  // NAN: empty; so for all reals
    char feature_a[FEATURE_SIZE];
    char feature_b[FEATURE_SIZE];
    double distance;
    double depth;
    const double* direction;
    uint32_t region;  // 0: none
} row;

typedef struct writer {
    const csv_table* table;
    const world* w;
    const question* q;
    uint32_t frame;
    double time;
    uint32_t region;  // of the pairs being written; 0: none
} writer;

static row new_row(const writer* out, const char* kind, uint32_t a, uint32_t b) {
    return (row){.kind = kind,
                 .time = out->time,
                 .a = a,
                 .b = b,
                 .step = NAN,
                 .distance = NAN,
                 .depth = NAN,
                 .region = out->region};
}

void csv_head(FILE* file, bool scenes) {
    fprintf(file,
            "frame,time,a,b,triangle_a,triangle_b,x0,y0,z0,x1,y1,z1,kind,step,feature_a,feature_b,"
            "distance,depth,direction_x,direction_y,direction_z,region,number,name_a,name_b%s\n",
            scenes ? ",scene" : "");
}

static void put_vector(FILE* file, const double* v) {
    for (int d = 0; d < 3; ++d) {
        if (v != NULL) {
            fprintf(file, ",%.17g", v[d]);
        } else {
            fputc(',', file);
        }
    }
}

static void put_real(FILE* file, double x) {
    if (isnan(x)) {
        fputc(',', file);
    } else {
        fprintf(file, ",%.17g", x);
    }
}

// quotes a name if RFC 4180 requires it; a cleaned name has no line ends
static void put_name(FILE* file, const char* name) {
    fputc(',', file);
    if (strpbrk(name, ",\"") == NULL) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name != '\0'; ++name) {
        if (*name == '"') {
            fputc('"', file);
        }
        fputc(*name, file);
    }
    fputc('"', file);
}

static void put_row(const writer* out, const row* r) {
    FILE* file = out->table->file;
    fprintf(file, "%u,%.17g,%u,%u", out->frame, r->time, r->a, r->b);
    if (r->has_triangles) {
        fprintf(file, ",%u,%u", r->triangle_a, r->triangle_b);
    } else {
        fputs(",,", file);
    }
    put_vector(file, r->point_a);
    put_vector(file, r->point_b);
    fprintf(file, ",%s", r->kind);
    put_real(file, r->step);
    fprintf(file, ",%s,%s", r->feature_a, r->feature_b);
    put_real(file, r->distance);
    put_real(file, r->depth);
    put_vector(file, r->direction);
    if (r->region != 0) {
        fprintf(file, ",%u", r->region);
    } else {
        fputc(',', file);
    }
    fprintf(file, ",%llu", (unsigned long long)frame_number(out->q->names, out->frame));
    put_name(file, out->table->names[r->a]);
    put_name(file, out->table->names[r->b]);
    if (out->table->scene != NULL) {
        put_name(file, out->table->scene);
    }
    fputc('\n', file);
}

// ---- pairs

bool shared_segment(const abut_intersection* shared, double ends[2][3]) {
    double farthest = -1;
    for (uint32_t i = 0; i < shared->count; ++i) {
        for (uint32_t k = i; k < shared->count; ++k) {
            double distance_sq = 0;
            for (int d = 0; d < 3; ++d) {
                const double difference = shared->points[i][d] - shared->points[k][d];
                distance_sq += difference * difference;
            }
            if ((i == 0 && k == 0) || distance_sq > farthest) {
                farthest = distance_sq;
                memcpy(ends[0], shared->points[i], sizeof ends[0]);
                memcpy(ends[1], shared->points[k], sizeof ends[1]);
            }
        }
    }
    return shared->count != 0;
}

// the vertices of a triangle; NULL if there is no such triangle
static const uint32_t* corners_of(const world* w, uint32_t body, uint32_t triangle) {
    const abut_shape* shape = abut_body_shape(w->scene, w->bodies[body]);
    const abut_mesh* mesh = shape != NULL ? abut_shape_mesh(shape) : NULL;
    return mesh != NULL && triangle < abut_mesh_triangle_count(mesh)
               ? abut_mesh_triangles(mesh) + 3 * (size_t)triangle
               : NULL;
}

bool segment_of_triangles(const world* w, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                          uint32_t triangle_b, double ends[2][3]) {
    double at[2][3][3];
    bool touch = false;
    abut_intersection shared = {0};
    const uint32_t* corners[2] = {corners_of(w, body_a, triangle_a),
                                  corners_of(w, body_b, triangle_b)};
    for (int s = 0; s < 2; ++s) {
        for (int c = 0; c < 3; ++c) {
            if (corners[s] == NULL ||
                abut_body_world_vertex(w->scene, w->bodies[s == 0 ? body_a : body_b], corners[s][c],
                                       at[s][c], NULL) != ABUT_OK) {
                return false;
            }
        }
    }
    return abut_triangles_touch((const double(*)[3])at[0], (const double(*)[3])at[1], &touch,
                                &shared) == ABUT_OK &&
           touch && shared_segment(&shared, ends);
}

static void put_answer(void* user, const abut_collide_result* answer) {
    const writer* out = user;
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(answer, &count);
    const abut_intersection* shared = abut_collide_result_intersections(answer, NULL);
    for (size_t i = 0; i < count; ++i) {
        double ends[2][3];
        row r = new_row(out, "pair", out->w->number_of[pairs[i].body_a],
                        out->w->number_of[pairs[i].body_b]);
        r.has_triangles = true;
        r.triangle_a = pairs[i].triangle_a;
        r.triangle_b = pairs[i].triangle_b;
        // pairs within the margin need not share a point
        if (shared != NULL && shared_segment(&shared[i], ends)) {
            r.point_a = ends[0];
            r.point_b = ends[1];
        }
        put_row(out, &r);
    }
}

// ---- contacts between frames

// names a vertex, edge or face
static void name_feature(char text[FEATURE_SIZE], bool is_face, const uint32_t vertices[3],
                         uint32_t triangle) {
    if (is_face) {
        snprintf(text, FEATURE_SIZE, "face %u", triangle);
    } else if (vertices[1] != UINT32_MAX) {
        snprintf(text, FEATURE_SIZE, "edge %u %u", vertices[0], vertices[1]);
    } else {
        snprintf(text, FEATURE_SIZE, "vertex %u", vertices[0]);
    }
}

static void put_sweeps(const writer* out, const abut_sweep_result* answer) {
    size_t count = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(answer, &count);
    for (size_t i = 0; i < count; ++i) {
        const abut_sweep_pair* p = &pairs[i];
        double points[2][3];
        row r = new_row(out, "sweep", out->w->number_of[p->body_a], out->w->number_of[p->body_b]);
        r.time = ((double)out->frame - 1 + p->time) / out->table->fps;
        r.step = p->time;
        r.has_triangles = true;
        r.triangle_a = p->triangle_a;
        r.triangle_b = p->triangle_b;
        name_feature(r.feature_a, p->kind == ABUT_CONTACT_FACE_VERTEX, p->vertices_a,
                     p->triangle_a);
        name_feature(r.feature_b, p->kind == ABUT_CONTACT_VERTEX_FACE, p->vertices_b,
                     p->triangle_b);
        if (world_swept_points(out->w, p, points[0], points[1])) {
            r.point_a = points[0];
            r.point_b = points[1];
        }
        r.direction = p->normal;
        put_row(out, &r);
    }
}

// ---- features within a distance

static void put_features(void* user, const feature_list* f) {
    const writer* out = user;
    for (size_t i = 0; i < f->count; ++i) {
        const abut_feature_pair* p = &f->rows[i];
        double points[2][3];
        row r = new_row(out, "features", f->a, f->b);
        r.has_triangles = true;
        r.triangle_a = p->triangle_a;
        r.triangle_b = p->triangle_b;
        name_feature(r.feature_a, p->kind == ABUT_CONTACT_FACE_VERTEX, p->vertices_a,
                     p->triangle_a);
        name_feature(r.feature_b, p->kind == ABUT_CONTACT_VERTEX_FACE, p->vertices_b,
                     p->triangle_b);
        if (world_feature_points(out->w, p, points[0], points[1])) {
            r.point_a = points[0];
            r.point_b = points[1];
        }
        r.distance = sqrt(p->distance_sq);
        r.direction = p->normal;
        put_row(out, &r);
    }
}

// ---- distances, regions, insides

static void name_witness(const world* w, uint32_t body, uint32_t triangle, const abut_witness* at,
                         char text[FEATURE_SIZE]) {
    const uint32_t* corners = corners_of(w, body, triangle);
    if (corners == NULL || at->feature == ABUT_FEATURE_FACE) {
        snprintf(text, FEATURE_SIZE, "face %u", triangle);
    } else if (at->feature == ABUT_FEATURE_EDGE) {
        snprintf(text, FEATURE_SIZE, "edge %u %u", corners[at->index % 3],
                 corners[(at->index + 1) % 3]);
    } else {
        snprintf(text, FEATURE_SIZE, "vertex %u", corners[at->index % 3]);
    }
}

static void put_gaps(const writer* out) {
    for (size_t i = 0; i < out->w->gap_count; ++i) {
        const abut_distance_pair* g = &out->w->gaps[i];
        row r = new_row(out, "nearest", out->w->number_of[g->body_a], out->w->number_of[g->body_b]);
        r.distance = g->distance;
        if (gap_has_points(g)) {
            r.has_triangles = true;
            r.triangle_a = g->triangle_a;
            r.triangle_b = g->triangle_b;
            r.point_a = g->a.point;
            r.point_b = g->b.point;
            name_witness(out->w, r.a, g->triangle_a, &g->a, r.feature_a);
            name_witness(out->w, r.b, g->triangle_b, &g->b, r.feature_b);
        }
        put_row(out, &r);
    }
}

// writes the pairs of a region, unless another query has them
static void put_region_pairs(const writer* out, const depth_entry* d, const abut_region* region) {
    const abut_pair* pairs = abut_depth_result_pairs(d->depths, NULL);
    for (size_t i = region->first_pair; i < region->first_pair + region->pair_count; ++i) {
        double ends[2][3];
        row r = new_row(out, "pair", d->a, d->b);
        r.has_triangles = true;
        r.triangle_a = pairs[i].triangle_a;
        r.triangle_b = pairs[i].triangle_b;
        r.region = region->id;
        if (segment_of_triangles(out->w, d->a, r.triangle_a, d->b, r.triangle_b, ends)) {
            r.point_a = ends[0];
            r.point_b = ends[1];
        }
        put_row(out, &r);
    }
}

static void put_depths(const writer* out) {
    for (size_t i = 0; i < out->w->depth_count; ++i) {
        const depth_entry* d = &out->w->depths[i];
        for (size_t k = d->first; k < d->first + d->count; ++k) {
            const abut_region* region = &out->w->regions[k];
            row r = new_row(out, "depth", d->a, d->b);
            r.point_a = region->point_a;
            r.point_b = region->point_b;
            r.region = region->id;
            if (isfinite(region->depth)) {  // a fold has no separating direction
                r.depth = region->depth;
                r.direction = region->direction;
            }
            put_row(out, &r);
            if (!(d->a == d->b ? out->q->self : out->q->between)) {
                put_region_pairs(out, d, region);
            }
        }
    }
}

static void put_insides(const writer* out) {
    for (size_t i = 0; i < out->w->inside_count; ++i) {
        const inside_entry* e = &out->w->insides[i];
        const row r = new_row(out, e->partly ? "partly inside" : "inside", e->inner, e->outer);
        put_row(out, &r);
    }
}

// why bodies have no inside
static void put_undefined(const writer* out, const findings* now) {
    for (size_t i = 0; i < now->count; ++i) {
        const finding* f = &now->list[i];
        if (f->depth_undefined) {
            row r = new_row(out, "undefined depth", f->a, f->b);
            snprintf(r.feature_a, FEATURE_SIZE, "%s", f->why_a != NULL ? f->why_a : "");
            snprintf(r.feature_b, FEATURE_SIZE, "%s", f->why_b != NULL ? f->why_b : "");
            put_row(out, &r);
        }
    }
}

// what rules put aside, counted
static void put_aside(const writer* out) {
    static const char* const reasons[ASIDE_REASONS] = {"ignored", "expected", "outside", "known"};
    for (size_t i = 0; i < out->w->aside.count; ++i) {
        const aside_entry* e = &out->w->aside.entries[i];
        row r = new_row(out, "aside", e->a, e->b);
        snprintf(r.feature_a, FEATURE_SIZE, "%s", reasons[e->reason]);
        snprintf(r.feature_b, FEATURE_SIZE, "%zu",
                 e->pairs + e->swept + e->regions + e->insides + e->gaps + e->features);
        put_row(out, &r);
    }
}

void csv_frame(const csv_table* t, const world* w, const question* q, const findings* now,
               uint32_t frame, double time) {
    writer out = {.table = t, .w = w, .q = q, .frame = frame, .time = time};
    world_each_answer(w, q, put_answer, &out);
    if (q->sweep && w->stepped && q->between) {
        put_sweeps(&out, w->swept_between);
    }
    if (q->sweep && w->stepped && q->self) {
        put_sweeps(&out, w->swept_self);
    }
    if (q->nearest) {
        put_gaps(&out);
    }
    world_each_feature_list(w, q, put_features, &out);
    if (q->depth) {
        put_depths(&out);
        put_undefined(&out, now);
    }
    if (q->inside) {
        put_insides(&out);
    }
    put_aside(&out);
}
