// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The report: see report.h. The reader of what is written here is viewer/src/data.js.
//
// Positions are 16-bit numbers within the box that a body has in a *chunk*: some frames in a row,
// with the same meshes. A long animation of a large mesh keeps the positions of every second frame
// only, or fewer, and the page goes straight from one to the next; what was found is kept of all.
#include "cli/report.h"

#include "cli/json.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/report_pack.h"
#include "cli/report_page.h"
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POSITION_BYTES = 6,
    MOST_BYTES = 40 << 20,  // of positions in all
    CHUNK_BYTES = 2 << 20,  // of positions
    MOST_CHUNK_FRAMES = 32,
    MOST_PAIRS = 20000,  // that are listed of a frame
    LEVELS = 5,          // of boxes, from the root
    MOST_BOXES = 600,    // of a level, else it is left out
    MOST_BODIES_WITH_BOXES = 64,
};

typedef struct body_track {
    char* name;
    uint64_t print;  // of the mesh
    size_t mesh_number;
    size_t vertex_count;
    double* positions;  // frame after frame of the chunk
    size_t room;
    bool moved;  // within the chunk
} body_track;

// numbers that grow
typedef struct numbers {
    double* values;
    size_t count;
    size_t room;
} numbers;

struct report {
    FILE* file;
    const char* path;
    char* title;
    char up;
    double fps;
    size_t frame_count;  // announced
    size_t seen;
    size_t stride;  // of frames whose positions are kept; 0: not chosen yet
    body_track* tracks;
    uint32_t track_count;
    uint32_t named;
    uint32_t track_room;
    size_t mesh_count;
    size_t chunk_count;
    // the chunk so far
    size_t kept;  // frames with positions
    json_t* kept_frames;
    numbers boxes;       // six each
    json_t* box_counts;  // by kept frame, body, level
    numbers triangles;   // of pairs: first a of all pairs of a contact, then b
    numbers segments;    // six each
    // for the page
    json_t* meshes;
    json_t* chunks;
    json_t* frames;
};

static double* more(numbers* n, size_t count) {
    if (n->count + count > n->room) {
        n->room = 2 * n->room + count;
        n->values = reallocate(n->values, n->room, sizeof *n->values);
    }
    double* at = n->values + n->count;
    n->count += count;
    return at;
}

static char* copy_text(const char* text) {
    const size_t size = strlen(text) + 1;
    return memcpy(allocate(size, 1), text, size);
}

report* report_open(const report_def* def) {
    if (report_page_size == 0) {
        complain("this command was built without the report's page: npm was missing then");
        return NULL;
    }
    FILE* file = output_open(def->path);
    if (file == NULL) {
        return NULL;
    }
    report* r = allocate(1, sizeof *r);
    *r = (report){.file = file, .path = def->path, .frame_count = def->frames, .fps = def->fps};
    r->title = copy_text(def->title);
    r->up = def->up;
    r->kept_frames = json_array();
    r->box_counts = json_array();
    r->meshes = json_array();
    r->chunks = json_array();
    r->frames = json_array();
    fwrite(report_page, 1, report_page_data_at, file);
    return r;
}

static body_track* track_of(report* r, uint32_t body) {
    if (body >= r->track_room) {
        const uint32_t room = 2 * r->track_room + body + 1;
        r->tracks = reallocate(r->tracks, room, sizeof *r->tracks);
        memset(r->tracks + r->track_room, 0, (room - r->track_room) * sizeof *r->tracks);
        r->track_room = room;
    }
    r->track_count = body >= r->track_count ? body + 1 : r->track_count;
    return &r->tracks[body];
}

void report_name(report* r, const char* name) {
    track_of(r, r->named)->name = copy_text(name);
    ++r->named;
}

// ---- what goes into the page as numbers

// NULL where there is no body in this frame: it has vanished, or is still to come
static const abut_mesh* mesh_of(const world* w, uint32_t body) {
    const abut_shape* shape = abut_body_shape(w->scene, w->bodies[body]);
    return shape != NULL ? abut_shape_mesh(shape) : NULL;
}

static uint32_t vertices_of(const abut_mesh* mesh) {
    return mesh != NULL ? abut_mesh_vertex_count(mesh) : 0;
}

static bool is_alive(const uint32_t* corners, size_t triangle) {
    return corners[3 * triangle] != UINT32_MAX;
}

// corners as differences from the one before; a triangle that died has three equal corners
static bool write_mesh(report* r, const abut_mesh* mesh) {
    const size_t count = mesh != NULL ? 3 * abut_mesh_triangle_count(mesh) : 0;
    const uint32_t* corners = mesh != NULL ? abut_mesh_triangles(mesh) : NULL;
    uint32_t* steps = allocate(count + 1, sizeof *steps);
    uint32_t last = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t corner = is_alive(corners, i / 3) ? corners[i] : 0;
        const uint32_t step = corner - last;
        steps[i] = step << 1 ^ (step >> 31 != 0 ? UINT32_MAX : 0);
        last = corner;
    }
    pack p = {0};
    pack_u32(&p, steps, count);
    const bool done = pack_write(&p, r->file, "mesh", r->mesh_count);
    json_array_append_new(r->meshes,
                          json_pack("{s: I, s: I}", "vertices", (json_int_t)vertices_of(mesh),
                                    "triangles", (json_int_t)(count / 3)));
    pack_free(&p);
    free(steps);
    ++r->mesh_count;
    return done;
}

// how 16-bit numbers stand for coordinates: low + step * number
typedef struct grid {
    double low[3];
    double step[3];
} grid;

static grid grid_of(const double* points, size_t count) {
    grid g = {{0}, {0}};
    double high[3] = {0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            const double x = points[3 * i + (size_t)d];
            g.low[d] = i == 0 || x < g.low[d] ? x : g.low[d];
            high[d] = i == 0 || x > high[d] ? x : high[d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        // divided first, for the difference of the ends may be beyond the range of doubles
        g.step[d] = (high[d] / 65535) - (g.low[d] / 65535);
    }
    return g;
}

static uint16_t on_grid(const grid* g, int d, double x) {
    const double place = g->step[d] > 0 ? (x - g->low[d]) / g->step[d] + 0.5 : 0;
    return place >= 65535 ? 65535 : place > 0 ? (uint16_t)place : 0;
}

static json_t* grid_json(const grid* g) {
    return json_pack("{s: o, s: o}", "low", json_vector(g->low), "step", json_vector(g->step));
}

// Points as differences: from the same point a frame before, or, in the first, from the point before.
static void pack_points(pack* out, const grid* g, const double* points, size_t count,
                        size_t frames) {
    uint16_t* steps = allocate(3 * count + 1, sizeof *steps);
    uint16_t* last = allocate(3 * count + 1, sizeof *last);
    for (size_t f = 0; f < frames; ++f) {
        for (int d = 0; d < 3; ++d) {
            uint16_t before = 0;
            for (size_t i = 0; i < count; ++i) {
                const size_t at = (size_t)d * count + i;
                const uint16_t now = on_grid(g, d, points[3 * (f * count + i) + (size_t)d]);
                steps[at] = (uint16_t)(now - (f == 0 ? before : last[at]));
                before = now;
                last[at] = now;
            }
        }
        pack_u16(out, steps, 3 * count);
    }
    free(steps);
    free(last);
}

static bool write_positions(report* r, json_t* chunk) {
    pack p = {0};
    json_t* bodies = json_array();
    for (uint32_t i = 0; i < r->track_count; ++i) {
        body_track* t = &r->tracks[i];
        const size_t frames = t->moved ? r->kept : 1;
        const grid g = grid_of(t->positions, frames * t->vertex_count);
        json_t* json = grid_json(&g);
        json_object_set_new(json, "mesh", json_count(t->mesh_number));
        json_object_set_new(json, "moved", json_boolean(t->moved));
        json_array_append_new(bodies, json);
        pack_points(&p, &g, t->positions, t->vertex_count, frames);
        t->moved = false;
    }
    json_object_set_new(chunk, "bodies", bodies);
    const bool done = pack_write(&p, r->file, "positions", r->chunk_count);
    pack_free(&p);
    return done;
}

// pairs of corners of boxes, or ends of segments
static bool write_couples(report* r, const char* name, numbers* n, json_t* chunk) {
    pack p = {0};
    const grid g = grid_of(n->values, n->count / 3);
    json_object_set_new(chunk, name, grid_json(&g));
    pack_points(&p, &g, n->values, n->count / 3, 1);
    const bool done = pack_write(&p, r->file, name, r->chunk_count);
    pack_free(&p);
    n->count = 0;
    return done;
}

static bool write_triangles(report* r) {
    pack p = {0};
    uint32_t* ids = allocate(r->triangles.count + 1, sizeof *ids);
    for (size_t i = 0; i < r->triangles.count; ++i) {
        ids[i] = (uint32_t)r->triangles.values[i];
    }
    pack_u32(&p, ids, r->triangles.count);
    const bool done = pack_write(&p, r->file, "pairs", r->chunk_count);
    pack_free(&p);
    free(ids);
    r->triangles.count = 0;
    return done;
}

static bool end_chunk(report* r) {
    if (r->kept == 0) {
        return true;
    }
    json_t* chunk = json_object();
    json_object_set_new(chunk, "frames", r->kept_frames);
    json_object_set_new(chunk, "box_counts", r->box_counts);
    json_object_set_new(chunk, "end", json_count(r->seen));
    const bool done = write_positions(r, chunk) && write_couples(r, "boxes", &r->boxes, chunk) &&
                      write_couples(r, "segments", &r->segments, chunk) && write_triangles(r);
    json_array_append_new(r->chunks, chunk);
    r->kept_frames = json_array();
    r->box_counts = json_array();
    r->kept = 0;
    ++r->chunk_count;
    return done;
}

// ---- a frame

static size_t all_vertices(const world* w) {
    size_t count = 0;
    for (uint32_t i = 0; i < w->body_count; ++i) {
        count += vertices_of(mesh_of(w, i));
    }
    return count;
}

// Tells meshes apart, also where a new one lies in the memory of one that is gone. Never 0.
static uint64_t print_of(const abut_mesh* mesh) {
    const size_t count = mesh != NULL ? 3 * abut_mesh_triangle_count(mesh) : 0;
    const uint32_t* corners = mesh != NULL ? abut_mesh_triangles(mesh) : NULL;
    uint64_t print = vertices_of(mesh) ^ (uint64_t)count << 32;
    for (size_t i = 0; i < count; ++i) {
        print = (print ^ corners[i]) * 0x9e3779b97f4a7c15u;
        print ^= print >> 29;
    }
    return print | 1;
}

static bool meshes_changed(const report* r, const world* w) {
    bool changed = false;
    for (uint32_t i = 0; i < w->body_count && !changed; ++i) {
        changed = i >= r->track_count || r->tracks[i].print != print_of(mesh_of(w, i));
    }
    return changed;
}

// bodies of one shape share a mesh, also in the page
static bool take_mesh(report* r, body_track* t, const abut_mesh* mesh, uint64_t print) {
    t->print = print;
    t->vertex_count = vertices_of(mesh);
    for (const body_track* other = r->tracks; other < t; ++other) {
        if (other->print == print) {
            t->mesh_number = other->mesh_number;
            return true;
        }
    }
    t->mesh_number = r->mesh_count;
    return write_mesh(r, mesh);
}

static bool take_meshes(report* r, const world* w) {
    bool done = true;
    for (uint32_t i = 0; i < w->body_count && done; ++i) {
        body_track* t = track_of(r, i);
        const uint64_t print = print_of(mesh_of(w, i));
        done = t->print == print || take_mesh(r, t, mesh_of(w, i), print);
    }
    return done;
}

static void keep_positions(report* r, const world* w, uint32_t body) {
    body_track* t = &r->tracks[body];
    const size_t size = 3 * t->vertex_count;
    if (size == 0) {
        return;
    }
    if ((r->kept + 1) * size > t->room) {
        t->room = 2 * t->room + (r->kept + 1) * size;
        t->positions = reallocate(t->positions, t->room, sizeof *t->positions);
    }
    double* now = t->positions + r->kept * size;
    for (uint32_t v = 0; v < t->vertex_count; ++v) {
        abut_body_world_vertex(w->scene, w->bodies[body], v, now + 3 * (size_t)v);
    }
    t->moved = t->moved || (r->kept > 0 && memcmp(now, now - size, size * sizeof *now) != 0);
}

// boxes that are finite; of others a picture could show nothing
static bool can_be_shown(const abut_box* box) {
    bool good = true;
    for (int d = 0; d < 3; ++d) {
        good = good && isfinite(box->lo[d]) && isfinite(box->hi[d]);
    }
    return good;
}

static json_int_t keep_level(report* r, const world* w, uint32_t body, uint32_t level) {
    abut_box boxes[MOST_BOXES];
    size_t count = 0;
    json_int_t shown = 0;
    if (abut_body_level_boxes(w->scene, w->bodies[body], level, boxes, MOST_BOXES, &count) !=
            ABUT_OK ||
        count > MOST_BOXES) {
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        if (can_be_shown(&boxes[i])) {
            double* out = more(&r->boxes, 6);
            memcpy(out, boxes[i].lo, sizeof boxes[i].lo);
            memcpy(out + 3, boxes[i].hi, sizeof boxes[i].hi);
            ++shown;
        }
    }
    return shown;
}

static void keep_boxes(report* r, const world* w) {
    json_t* counts = json_array();
    for (uint32_t i = 0; i < w->body_count && w->body_count <= MOST_BODIES_WITH_BOXES; ++i) {
        for (uint32_t level = 0; level < LEVELS; ++level) {
            json_array_append_new(counts, json_integer(keep_level(r, w, i, level)));
        }
    }
    json_array_append_new(r->box_counts, counts);
}

static bool keep_state(report* r, const world* w) {
    if (r->stride == 0) {
        const double bytes = (double)r->frame_count * (double)all_vertices(w) * POSITION_BYTES;
        r->stride = 1 + (size_t)(bytes / MOST_BYTES);
    }
    const bool changed = meshes_changed(r, w);
    if (changed && (!end_chunk(r) || !take_meshes(r, w))) {
        return false;
    }
    if (!changed && r->seen % r->stride != 0 && r->seen + 1 != r->frame_count) {
        return true;
    }
    for (uint32_t i = 0; i < w->body_count; ++i) {
        keep_positions(r, w, i);
    }
    keep_boxes(r, w);
    json_array_append_new(r->kept_frames, json_count(r->seen));
    ++r->kept;
    return true;
}

// ---- what was found

typedef struct listing {
    report* report;
    json_t* list;
    const abut_pair* pairs;  // all of the answer
    const abut_intersection* shared;
    size_t left;  // that may be listed
} listing;

// Two points far apart of what a pair shares. Pairs within a margin share nothing.
static void keep_segment(report* r, const abut_intersection* shared) {
    if (shared->count > 0) {
        double* out = more(&r->segments, 6);
        memcpy(out, shared->point[0], sizeof shared->point[0]);
        memcpy(out + 3, shared->point[shared->count / 2], sizeof shared->point[0]);
    }
}

static void list_contact(void* user, const contact* c) {
    listing* l = user;
    const size_t listed = c->count < l->left ? c->count : l->left;
    double* out = more(&l->report->triangles, 2 * listed);
    l->left -= listed;
    for (size_t i = 0; i < listed; ++i) {
        out[i] = c->pairs[i].triangle_a;
        out[listed + i] = c->pairs[i].triangle_b;
    }
    for (size_t i = 0; i < listed && l->shared != NULL; ++i) {
        keep_segment(l->report, &l->shared[(size_t)(c->pairs - l->pairs) + i]);
    }
    json_array_append_new(l->list, json_pack("[I, I, I, I]", (json_int_t)c->a, (json_int_t)c->b,
                                             (json_int_t)c->count, (json_int_t)listed));
}

static json_t* contacts_of(report* r, const world* w, const abut_result* answer, size_t* left) {
    listing l = {.report = r, .list = json_array(), .left = *left};
    size_t count;
    l.pairs = abut_result_pairs(answer, &count);
    l.shared = abut_result_shared(answer);
    world_each_contact(w, answer, list_contact, &l);
    *left = l.left;
    return l.list;
}

// The ways out of regions: from where, and where to, for the first body.
static json_t* ways_of(const world* w) {
    json_t* list = json_array();
    for (size_t i = 0; i < w->region_count; ++i) {
        const abut_region* r = &w->regions[i];
        if (!isfinite(r->depth)) {
            continue;
        }
        json_t* way = json_array();
        for (int end = 0; end < 2; ++end) {
            for (int d = 0; d < 3; ++d) {
                json_array_append_new(way, json_real(r->point_a[d] +
                                                     (end == 1 ? r->depth * r->direction[d] : 0)));
            }
        }
        json_array_append_new(list, way);
    }
    return list;
}

// where bodies are closest: a point of each
static json_t* gaps_of(const world* w) {
    json_t* list = json_array();
    for (size_t i = 0; i < w->gap_count; ++i) {
        const double* ends[2] = {w->gaps[i].a.point, w->gaps[i].b.point};
        json_t* gap = json_array();
        for (int k = 0; k < 6; ++k) {
            json_array_append_new(gap, json_real(ends[k / 3][k % 3]));
        }
        json_array_append_new(list, gap);
    }
    return list;
}

bool report_frame(report* r, const world* w, const question* q, uint32_t frame,
                  const abut_counters* work) {
    if (!keep_state(r, w)) {
        return output_failed(r->file);
    }
    json_t* json = json_object();
    json_object_set_new(json, "frame", json_count(frame));
    size_t left = MOST_PAIRS;
    const size_t segments = r->segments.count / 6;
    if (q->between) {
        json_object_set_new(json, "between", contacts_of(r, w, w->between, &left));
    }
    if (q->self) {
        json_object_set_new(json, "self", contacts_of(r, w, w->self, &left));
    }
    if (q->depth) {
        json_object_set_new(json, "ways", ways_of(w));
    }
    if (q->nearest) {
        json_object_set_new(json, "gaps", gaps_of(w));
    }
    json_object_set_new(json, "segments", json_count(r->segments.count / 6 - segments));
    json_object_set_new(json, "work", world_work_json(work));
    json_array_append_new(r->frames, json);
    ++r->seen;
    if (r->kept * all_vertices(w) * POSITION_BYTES >= CHUNK_BYTES || r->kept == MOST_CHUNK_FRAMES) {
        return end_chunk(r) || output_failed(r->file);
    }
    return true;
}

// ---- the end

// JSON within a page must not end the element that it stands in
static int write_json(const char* text, size_t size, void* user) {
    FILE* file = user;
    for (size_t i = 0; i < size; ++i) {
        if (text[i] == '<') {
            fputs("\\u003c", file);
        } else {
            fputc(text[i], file);
        }
    }
    return 0;
}

static json_t* describe(report* r) {
    json_t* bodies = json_array();
    for (uint32_t i = 0; i < r->track_count; ++i) {
        json_array_append_new(bodies,
                              json_text(r->tracks[i].name != NULL ? r->tracks[i].name : ""));
    }
    return json_pack("{s: s, s: o, s: s#, s: f, s: I, s: o, s: O, s: O, s: O}", "abut",
                     ABUT_VERSION_STRING, "title", json_text(r->title), "up", &r->up, 1, "fps",
                     r->fps, "stride", (json_int_t)r->stride, "bodies", bodies, "meshes", r->meshes,
                     "chunks", r->chunks, "frames", r->frames);
}

static void free_report(report* r) {
    for (uint32_t i = 0; i < r->track_count; ++i) {
        free(r->tracks[i].name);
        free(r->tracks[i].positions);
    }
    free(r->tracks);
    free(r->title);
    free(r->boxes.values);
    free(r->triangles.values);
    free(r->segments.values);
    json_decref(r->kept_frames);
    json_decref(r->box_counts);
    json_decref(r->meshes);
    json_decref(r->chunks);
    json_decref(r->frames);
    free(r);
}

static void tell_size(const report* r, long size) {
    char name[NAME_SIZE];
    printf("The report is %s (%.1f MB): open it in a browser.",
           shown_name(r->path, NAME_SIZE - 1, name), (double)size / 1e6);
    if (r->stride > 1) {
        printf(" It has the positions of every %zu. frame.", r->stride);
    }
    printf("\n");
}

bool report_close(report* r, bool tell) {
    if (r == NULL) {
        return true;
    }
    bool done = end_chunk(r);
    json_t* json = describe(r);
    fprintf(r->file, "<script type=\"application/json\" id=\"report\">");
    json_dump_callback(json, write_json, r->file, JSON_COMPACT);
    fprintf(r->file, "</script>\n");
    json_decref(json);
    fwrite(report_page + report_page_data_at, 1, report_page_size - report_page_data_at, r->file);
    const long size = ftell(r->file);
    done = output_end(r->file) && done;
    if (done && tell) {
        tell_size(r, size);
    }
    free_report(r);
    return done;
}

void report_drop(report* r) {
    if (r != NULL) {
        output_drop(r->file);
        free_report(r);
    }
}
