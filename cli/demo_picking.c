// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The demo of picking: see demo_picking.h.
//
// In some frames all vertices of all figures are moved, and the ray is cast at these as well. Both
// answers must be the same.
#include "cli/demo_picking.h"

#include "cli/demo_surface.h"
#include "cli/findings.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/processor.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/table.h"
#include "scenes/parade.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 20, MOST_COMPARED = 5 };
enum { FIGURES = 1, POINTER = 2 };  // groups

// What one pick found and did.
typedef struct pick {
    double ray[2][3];  // where it begins, and a point on it
    bool met;
    abut_ray_hit hit;
    double point[3];
    uint32_t figures;  // of which triangles were tested
    abut_counters work;
    double pose_seconds;
    double seconds;
} pick;

typedef struct crowd {
    parade p;
    world w;  // the figures, and with a report the ray
    abut_cast_result* result;
    atomic_uchar* tested;  // by index of the body
    double* state;         // coordinates, then transforms
    double* positions;     // of all vertices of a figure, for comparisons
    uint64_t blocks;
    pick* picks;
    uint32_t compared;
    uint32_t wrong;
    double compare_seconds;
    report* page;  // NULL: no report
    findings now;
    double seconds;
} crowd;

static bool fail(abut_status status, const abut_error* error) {
    complain("%s", error->message[0] != '\0' ? error->message : abut_status_text(status));
    return false;
}

// ---- the crowd

static bool set_groups(crowd* c, uint32_t body, uint64_t groups, uint64_t mask) {
    abut_error error = {0};
    const abut_status status = abut_body_set_groups(c->w.scene, c->w.bodies[body], groups, mask,
                                                    &error);
    return status == ABUT_OK || fail(status, &error);
}

static bool add_figures(crowd* c) {
    const surface s = surface_of(c->p.figure, c->p.figure->rest);
    abut_mesh_info health;
    abut_tree_info tree;
    bool done = true;
    for (uint32_t i = 0; i < c->p.def.figures && done; ++i) {
        char name[32];
        snprintf(name, sizeof name, "figure %u", i);
        done = (i == 0 ? world_add(&c->w, &s, false) : world_add_like(&c->w, 0, name, false)) &&
               set_groups(c, i, FIGURES, POINTER);
        if (done && c->page != NULL) {
            report_name(c->page, name);
        }
    }
    if (!done || !world_inspect(&c->w, 0, "figure", &health, &tree)) {
        return false;
    }
    c->blocks = (uint64_t)tree.blocks * c->p.def.figures;
    return true;
}

// the ray as a surface: one segment
static surface ray_surface(const double* ends) {
    static const uint32_t segment[3] = {0, 1, 1};
    return (surface){.name = "ray",
                     .positions = ends,
                     .vertex_count = 2,
                     .triangles = segment,
                     .triangle_count = 1,
                     .motion = ABUT_MOTION_FREE};
}

// a thin prism around the ray, because a segment cannot be seen; it meets nothing
enum { ROD_VERTICES = 6 };
static surface rod_surface(const double* positions) {
    static const uint32_t sides[6][3] = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5},
                                         {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
    return (surface){.name = "ray, drawn",
                     .positions = positions,
                     .vertex_count = ROD_VERTICES,
                     .triangles = sides[0],
                     .triangle_count = 6,
                     .motion = ABUT_MOTION_FREE};
}

static void place_rod(const double ends[6], double positions[3 * ROD_VERTICES]) {
    static const double around[3][3] = {{0.012, 0, 0}, {-0.012, 0, 0}, {0, 0.012, 0.02}};
    for (int i = 0; i < ROD_VERTICES; ++i) {
        for (int d = 0; d < 3; ++d) {
            positions[3 * i + d] = ends[i / 3 * 3 + d] + around[i % 3][d];
        }
    }
}

static bool add_ray(crowd* c) {
    static const double ends[6] = {0, 0, 0, 0, 0, 1};
    double rod[3 * ROD_VERTICES];
    place_rod(ends, rod);
    const surface surfaces[2] = {ray_surface(ends), rod_surface(rod)};
    for (uint32_t i = 0; i < 2; ++i) {
        report_name(c->page, surfaces[i].name);
        if (!world_add(&c->w, &surfaces[i], false) ||
            !set_groups(c, c->p.def.figures + i, i == 0 ? POINTER : 0, i == 0 ? FIGURES : 0)) {
            return false;
        }
    }
    return true;
}

// sets all poses; the vertices stay where they are until something needs them
static bool set_poses(crowd* c, uint32_t frame, pick* now) {
    const surface s = surface_of(c->p.figure, c->p.figure->rest);
    state pose = {.coordinates = c->state, .transforms = c->state + c->p.figure->field_count};
    for (uint32_t i = 0; i < c->p.def.figures; ++i) {
        pose.frame = abut_frame_identity();
        parade_pose(&c->p, i, frame, c->state, c->state + c->p.figure->field_count, pose.frame.t);
        const double start = seconds_now();
        if (!world_deform(&c->w, i, &s, &pose)) {
            return false;
        }
        now->pose_seconds += seconds_now() - start;
    }
    return true;
}

// ---- picks

// notes the figures of which triangles are tested
static bool note_figure(void* user, uint32_t ray, uint32_t body, uint32_t triangle) {
    crowd* c = user;
    (void)ray;
    (void)triangle;
    atomic_store_explicit(&c->tested[body], 1, memory_order_relaxed);
    return true;
}

static void take_point(const crowd* c, pick* now) {
    const abut_body_id body = abut_scene_body_at(c->w.scene, now->hit.body);
    const uint32_t* corner = c->p.figure->triangles + 3 * (size_t)now->hit.triangle;
    for (int i = 0; i < 3; ++i) {
        double v[3];
        abut_body_world_vertex(c->w.scene, body, corner[i], v, NULL);
        for (int d = 0; d < 3; ++d) {
            now->point[d] += now->hit.weights[i] * v[d];
        }
    }
}

static abut_rays ray_of(const pick* now, double direction[3]) {
    for (int d = 0; d < 3; ++d) {
        direction[d] = now->ray[1][d] - now->ray[0][d];
    }
    return abut_rays_f64(now->ray[0], direction, 1);
}

static bool cast(crowd* c, uint32_t frame, pick* now) {
    abut_error error = {0};
    abut_cast_def def = abut_cast_def_default();
    double direction[3];
    size_t count = 0;
    def.groups = POINTER;
    def.mask = FIGURES;
    def.head.counters = &now->work;
    def.filter = (abut_ray_filter){note_figure, c};
    parade_ray(&c->p, frame, now->ray[0], now->ray[1]);
    for (uint32_t i = 0; i < c->p.def.figures; ++i) {
        atomic_store_explicit(&c->tested[c->w.bodies[i].index], 0, memory_order_relaxed);
    }
    const double start = seconds_now();
    const abut_status status = abut_cast_all(c->w.scene, ray_of(now, direction), &def, c->result,
                                             &error);
    now->seconds = seconds_now() - start;
    if (status != ABUT_OK) {
        return fail(status, &error);
    }
    const abut_ray_hit* hits = abut_cast_result_hits(c->result, &count);
    now->met = count > 0;
    if (now->met) {
        now->hit = hits[0];
        take_point(c, now);
    }
    for (uint32_t i = 0; i < c->p.def.figures; ++i) {
        now->figures += c->tested[c->w.bodies[i].index];
    }
    return true;
}

// ---- the comparison

// A free body with the positions of one figure after the other.
typedef struct skinned {
    abut_scene* scene;
    abut_shape* shape;
    abut_body_id body;
    abut_cast_result* result;
} skinned;

static void skinned_end(skinned* s) {
    abut_cast_result_destroy(s->result);
    abut_scene_destroy(s->scene);
    abut_shape_destroy(s->shape);
}

static abut_status skinned_begin(const crowd* c, skinned* s, abut_error* error) {
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(c->w.scene, c->w.bodies[0]));
    abut_status status = abut_shape_create(c->w.context, mesh, NULL, &s->shape, error);
    if (status == ABUT_OK) {
        status = abut_scene_create(c->w.context, NULL, &s->scene, error);
    }
    if (status == ABUT_OK) {
        status = abut_cast_result_create(c->w.context, &s->result, error);
    }
    return status == ABUT_OK ? abut_body_create(s->scene, s->shape, NULL, &s->body, error) : status;
}

// moves all vertices of a figure, and casts the ray at them
static abut_status skin_and_cast(const crowd* c, const skinned* s, uint32_t figure, const pick* now,
                                 abut_error* error) {
    double direction[3];
    const uint32_t count = c->p.figure->vertex_count;
    abut_status status = abut_body_world_vertices(c->w.scene, c->w.bodies[figure], 0, count,
                                                  c->positions, error);
    if (status == ABUT_OK) {
        status = abut_body_set_positions(s->scene, s->body, abut_positions_f64(c->positions, count),
                                         error);
    }
    return status == ABUT_OK
               ? abut_cast(s->scene, s->body, ray_of(now, direction), NULL, s->result, error)
               : status;
}

// whether the answer about one figure that was skinned fits the pick
static bool agrees(const crowd* c, uint32_t figure, const skinned* s, const pick* now) {
    size_t count = 0;
    const abut_ray_hit* hit = abut_cast_result_hits(s->result, &count);
    if (now->met && now->hit.body == c->w.bodies[figure].index) {
        return count == 1 && hit->triangle == now->hit.triangle && hit->t == now->hit.t;
    }
    return count == 0 || (now->met && hit->t >= now->hit.t);
}

static bool compare(crowd* c, const pick* now) {
    skinned s = {0};
    abut_error error = {0};
    bool same = true;
    const double start = seconds_now();
    abut_status status = skinned_begin(c, &s, &error);
    for (uint32_t i = 0; i < c->p.def.figures && status == ABUT_OK; ++i) {
        status = skin_and_cast(c, &s, i, now, &error);
        same = same && (status != ABUT_OK || agrees(c, i, &s, now));
    }
    skinned_end(&s);
    c->compare_seconds += seconds_now() - start;
    ++c->compared;
    c->wrong += !same;
    return status == ABUT_OK || fail(status, &error);
}

// ---- the report

// Adds the frame to the page. The ray ends just behind what it meets, so that it touches that alone.
static bool show(crowd* c, uint32_t frame, const pick* now) {
    question ask = {.between = true, .shared = true};
    abut_counters work = {0};
    double ends[6];
    double rod[3 * ROD_VERTICES];
    const double t = now->met ? now->hit.t * (1 + 1e-9) : 1;
    for (int d = 0; d < 3; ++d) {
        ends[d] = now->ray[0][d];
        ends[3 + d] = now->ray[0][d] + t * (now->ray[1][d] - now->ray[0][d]);
    }
    place_rod(ends, rod);
    const surface segment = ray_surface(ends);
    const surface drawn = rod_surface(rod);
    if (!world_move(&c->w, c->p.def.figures, &segment) ||
        !world_move(&c->w, c->p.def.figures + 1, &drawn) || !world_ask(&c->w, &ask, &work)) {
        return false;
    }
    findings_take(&c->now, &c->w, &ask);
    report_frame(c->page, &c->w, &ask, frame, &c->now, &now->work);
    return true;
}

static bool run_frames(crowd* c, progress* bar) {
    const uint32_t frames = c->p.def.frames;
    const uint32_t stride = (frames + MOST_COMPARED - 1) / MOST_COMPARED;
    bool done = true;
    for (uint32_t f = 0; f < frames && done; ++f) {
        pick* now = &c->picks[f];
        done = set_poses(c, f, now) && cast(c, f, now) && (c->page == NULL || show(c, f, now)) &&
               (f % stride != 0 || compare(c, now));
        progress_step(bar, f + 1);
    }
    return done;
}

// ---- output

static uint64_t all_vertices(const crowd* c) {
    return (uint64_t)c->p.figure->vertex_count * c->p.def.figures;
}

static void print_start(const crowd* c) {
    char number[3][NUMBER_SIZE];
    print_styled(STYLE_BOLD, PICKING_NAME);
    printf(": %s\n", PICKING_ABOUT);
    printf(
        "%s figures of %s triangles march; each follows %u nodes in a pose of its own. Setting a "
        "pose\n"
        "moves no vertex. In every frame a ray finds the first triangle that it meets, exactly, "
        "and\n"
        "only blocks near the ray are moved. All figures together have %s vertices.\n\n",
        grouped(c->p.def.figures, number[0]), grouped(c->p.figure->triangle_count, number[1]),
        c->p.figure->node_count, grouped(all_vertices(c), number[2]));
    fflush(stdout);
}

static void print_rows(const crowd* c) {
    const uint32_t stride = (c->p.def.frames + MOST_ROWS - 1) / MOST_ROWS;
    table* t = table_create(
        "frame|picked figure|triangle|figures tested|blocks opened|vertices moved|pick|poses");
    for (uint32_t f = 0; f < c->p.def.frames; f += stride) {
        const pick* now = &c->picks[f];
        table_number(t, STYLE_PLAIN, f);
        if (now->met) {
            table_number(t, STYLE_FOUND, c->w.number_of[now->hit.body]);
            table_number(t, STYLE_PLAIN, now->hit.triangle);
        } else {
            table_cell(t, STYLE_FAINT, "-");
            table_cell(t, STYLE_FAINT, "-");
        }
        table_number(t, STYLE_PLAIN, now->figures);
        table_number(t, STYLE_PLAIN, now->work.blocks_evaluated);
        table_number(t, STYLE_PLAIN, now->work.vertices_evaluated);
        table_cell(t, STYLE_PLAIN, "%.3f ms", 1e3 * now->seconds);
        table_cell(t, STYLE_PLAIN, "%.2f ms", 1e3 * now->pose_seconds);
    }
    table_print(t, 2);
    table_destroy(t);
    printf("\n");
}

// Sums over all frames.
typedef struct sums {
    uint32_t met;
    uint64_t figures;
    uint64_t blocks;
    uint64_t vertices;
    double seconds;
    double pose_seconds;
} sums;

static sums sum_up(const crowd* c) {
    sums s = {0};
    for (uint32_t f = 0; f < c->p.def.frames; ++f) {
        s.met += c->picks[f].met;
        s.figures += c->picks[f].figures;
        s.blocks += c->picks[f].work.blocks_evaluated;
        s.vertices += c->picks[f].work.vertices_evaluated;
        s.seconds += c->picks[f].seconds;
        s.pose_seconds += c->picks[f].pose_seconds;
    }
    return s;
}

static void print_end(const crowd* c) {
    char number[3][NUMBER_SIZE];
    char time[2][NUMBER_SIZE];
    char share[NUMBER_SIZE];
    const sums s = sum_up(c);
    const double frames = c->p.def.frames;
    printf("The ray met a figure in %u of %u frames. ", s.met, c->p.def.frames);
    printf(
        "A pick tested triangles of %.1f of %s figures,\n"
        "opened %.1f of %s blocks and moved %.0f of %s vertices (%s).\n",
        (double)s.figures / frames, grouped(c->p.def.figures, number[0]), (double)s.blocks / frames,
        grouped(c->blocks, number[1]), (double)s.vertices / frames,
        grouped(all_vertices(c), number[2]),
        percent(s.vertices, (double)all_vertices(c) * frames, share));
    printf("It took %s; setting all poses took %s.\n", duration(s.seconds / frames, time[0]),
           duration(s.pose_seconds / frames, time[1]));
    printf("In %u frames all vertices were moved and all figures met by the ray as well, in %s:\n",
           c->compared, duration(c->compare_seconds / c->compared, time[0]));
    if (c->wrong == 0) {
        printf("the same triangle came first.\n");
    } else {
        print_styled(STYLE_FOUND, "the answers differ");
        printf(" in %u of them: something is wrong.\n", c->wrong);
    }
    printf(
        "\nTry next:\n  abut demo picking --bodies 100 --html picking.html\n"
        "  abut help cast\n");
}

static json_t* hit_json(const crowd* c, const pick* now) {
    if (!now->met) {
        return json_null();
    }
    json_t* json = json_object();
    json_object_set_new(json, "figure", json_count(c->w.number_of[now->hit.body]));
    json_object_set_new(json, "triangle", json_count(now->hit.triangle));
    json_object_set_new(json, "t", json_finite(now->hit.t));
    json_object_set_new(json, "point", json_vector(now->point));
    return json;
}

static void write_json(const crowd* c, json_output* json) {
    json_begin(json);
    json_add(json, "abut", json_text(ABUT_VERSION_STRING));
    json_add(json, "scene", json_text(PICKING_NAME));
    json_add(json, "figures", json_count(c->p.def.figures));
    json_add(json, "triangles", json_count(c->p.figure->triangle_count));
    json_add(json, "vertices", json_count(all_vertices(c)));
    json_add(json, "blocks", json_count(c->blocks));
    json_begin_list(json, "frames");
    for (uint32_t f = 0; f < c->p.def.frames; ++f) {
        const pick* now = &c->picks[f];
        json_t* row = json_object();
        json_object_set_new(row, "frame", json_count(f));
        json_object_set_new(row, "from", json_vector(now->ray[0]));
        json_object_set_new(row, "through", json_vector(now->ray[1]));
        json_object_set_new(row, "hit", hit_json(c, now));
        json_object_set_new(row, "figures", json_count(now->figures));
        json_object_set_new(row, "blocks", json_count(now->work.blocks_evaluated));
        json_object_set_new(row, "vertices", json_count(now->work.vertices_evaluated));
        json_object_set_new(row, "pick_ms", json_real(1e3 * now->seconds));
        json_object_set_new(row, "poses_ms", json_real(1e3 * now->pose_seconds));
        json_add(json, NULL, row);
    }
    json_end_list(json);
    const sums s = sum_up(c);
    json_add(json, "summary",
             json_pack("{s: I, s: I, s: I, s: I, s: f}", "frames", (json_int_t)c->p.def.frames,
                       "met", (json_int_t)s.met, "compared", (json_int_t)c->compared, "wrong",
                       (json_int_t)c->wrong, "seconds", c->seconds));
}

// ---- the demo

static bool open_page(crowd* c, const char* path) {
    if (path == NULL) {
        return true;
    }
    c->page = report_open(&(report_def){.path = path,
                                        .title = PICKING_NAME,
                                        .frames = c->p.def.frames,
                                        .fps = 30,
                                        .up = 'z',
                                        .work = true});
    return c->page != NULL;
}

static bool begin(crowd* c, const picking_ask* ask) {
    abut_error error = {0};
    const parade_def def = {ask->figures, ask->triangles, ask->frames, ask->seed};
    if (!parade_begin(&c->p, &def)) {
        complain("the figures do not fit in memory; ask for fewer --triangles");
        return false;
    }
    if (!world_open(&c->w, ask->threads) || !open_page(c, ask->html) || !add_figures(c) ||
        (c->page != NULL && !add_ray(c))) {
        return false;
    }
    const scene_body* b = c->p.figure;
    c->tested = allocate(c->w.body_count, sizeof *c->tested);
    c->picks = allocate(c->p.def.frames, sizeof *c->picks);
    c->state = allocate(b->field_count + 12 * (size_t)b->node_count, sizeof *c->state);
    c->positions = allocate(3 * (size_t)b->vertex_count, sizeof *c->positions);
    const abut_status status = abut_cast_result_create(c->w.context, &c->result, &error);
    return status == ABUT_OK || fail(status, &error);
}

static bool run_all(crowd* c, json_output* json, bool print) {
    if (print) {
        print_start(c);
    }
    progress bar = progress_begin("frame", c->p.def.frames);
    const bool done = run_frames(c, &bar);
    progress_end(&bar);
    c->seconds = seconds_now() - bar.start;
    if (!done) {
        return false;
    }
    write_json(c, json);
    if (print) {
        print_rows(c);
        print_end(c);
    }
    report* finished = c->page;
    c->page = NULL;
    return report_close(finished, print) && json_close(json);
}

static void end(crowd* c) {
    report_drop(c->page);  // no-op after success
    findings_free(&c->now);
    abut_cast_result_destroy(c->result);
    world_close(&c->w);
    parade_end(&c->p);
    free(c->tested);
    free(c->picks);
    free(c->state);
    free(c->positions);
}

int picking_demo(const picking_ask* ask) {
    crowd c = {0};
    json_output json = {0};
    bool done = json_claim(ask->json) && output_claim_report("html", ask->html) &&
                json_open(&json, ask->json) && begin(&c, ask);
    const bool print = !json_takes_stdout(&json) && !output_is_stdout(ask->html);
    done = done && run_all(&c, &json, print);
    const bool wrong = c.wrong > 0;
    end(&c);
    json_drop(&json);  // no-op after success
    return !done ? EXIT_FAILED : wrong ? EXIT_FOUND : EXIT_NOTHING;
}
