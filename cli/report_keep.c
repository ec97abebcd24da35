// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stores the frames that the report's page can draw: see report_keep.h.
#include "cli/report_keep.h"

#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_BYTES = 2 << 20,
    MOST_CHUNK_FRAMES = 32,
    PAIR_BYTES = 20,   // two triangles and a segment
    MOST_BOXES = 600,  // of a level; a level with more is left out
    MOST_BODIES_WITH_BOXES = 64,
    REST_SHARE = 8,  // one frame in so many may be without contact, to show the motion
};

// triangles, shared by states with the same triangles
typedef struct page_mesh {
    size_t uses;
    size_t number;  // in the page; SIZE_MAX: not written
    uint64_t hash;
    uint32_t vertex_count;
    size_t corner_count;
    uint32_t* corners;
    size_t bytes;
} page_mesh;

// positions of a body, shared by consecutive frames in which it rests
struct page_state {
    size_t uses;
    page_mesh* mesh;
    cloud points;
};

// ---- numbers

double* numbers_more(numbers* n, size_t count) {
    if (n->count + count > n->room) {
        n->room = 2 * n->room + count;
        n->values = reallocate(n->values, n->room, sizeof *n->values);
    }
    n->count += count;
    return n->values + n->count - count;
}

uint32_t* ids_more(ids* n, size_t count) {
    if (n->count + count > n->room) {
        n->room = 2 * n->room + count;
        n->values = reallocate(n->values, n->room, sizeof *n->values);
    }
    n->count += count;
    return n->values + n->count - count;
}

int worth_compare(const frame_worth* a, const frame_worth* b) {
    if (a->contact != b->contact) {
        return a->contact ? 1 : -1;
    }
    if (a->depth != b->depth) {
        return a->depth > b->depth ? 1 : -1;
    }
    if (a->count != b->count) {
        return a->count > b->count ? 1 : -1;
    }
    return a->distance < b->distance ? 1 : a->distance > b->distance ? -1 : 0;
}

size_t keeper_most_pairs(const keeper* k) {
    return k->budget / 2 / PAIR_BYTES;
}

// ---- states

// the mesh of a body; NULL if the body does not exist in this frame
static const abut_mesh* mesh_of(const world* w, uint32_t body) {
    const abut_shape* shape = abut_body_shape(w->scene, w->bodies[body]);
    return shape != NULL ? abut_shape_mesh(shape) : NULL;
}

static uint32_t vertices_of(const abut_mesh* mesh) {
    return mesh != NULL ? abut_mesh_vertex_count(mesh) : 0;
}

// hashes the content: the address may be that of a freed mesh
static uint64_t hash_of(const abut_mesh* mesh) {
    const size_t count = mesh != NULL ? 3 * abut_mesh_triangle_count(mesh) : 0;
    const uint32_t* corners = mesh != NULL ? abut_mesh_triangles(mesh) : NULL;
    uint64_t hash = vertices_of(mesh) ^ (uint64_t)count << 32;
    for (size_t i = 0; i < count; ++i) {
        hash = (hash ^ corners[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// copies a mesh; a removed triangle gets three equal corners
static page_mesh* copy_mesh(const abut_mesh* mesh, uint64_t hash) {
    page_mesh* m = allocate(1, sizeof *m);
    const uint32_t* corners = mesh != NULL ? abut_mesh_triangles(mesh) : NULL;
    *m = (page_mesh){.number = SIZE_MAX, .hash = hash, .vertex_count = vertices_of(mesh)};
    m->corner_count = mesh != NULL ? 3 * abut_mesh_triangle_count(mesh) : 0;
    m->corners = allocate(m->corner_count + 1, sizeof *m->corners);
    for (size_t i = 0; i < m->corner_count; ++i) {
        m->corners[i] = corners[i - i % 3] != UINT32_MAX ? corners[i] : 0;
    }
    return m;
}

static void release_state(keeper* k, page_state* s) {
    if (s == NULL || --s->uses > 0) {
        return;
    }
    k->bytes -= 6 * s->points.count;
    cloud_free(&s->points);
    if (--s->mesh->uses == 0) {
        k->bytes -= s->mesh->bytes;
        free(s->mesh->corners);
        free(s->mesh);
    }
    free(s);
}

// an equal mesh of the last frame or of another body, or a copy
static page_mesh* find_mesh(keeper* k, const kept_frame* f, const abut_mesh* mesh) {
    const uint64_t hash = hash_of(mesh);
    for (uint32_t i = 0; i < k->body_count; ++i) {
        if (k->last[i] != NULL && k->last[i]->mesh->hash == hash) {
            return k->last[i]->mesh;
        }
    }
    for (uint32_t i = 0; i < f->state_count && f->states[i] != NULL; ++i) {
        if (f->states[i]->mesh->hash == hash) {
            return f->states[i]->mesh;
        }
    }
    page_mesh* made = copy_mesh(mesh, hash);
    // meshes of the first frame are always stored
    made->bytes = f->place > 0 ? 4 * made->corner_count : 0;
    k->bytes += made->bytes;
    return made;
}

static void take_positions(const world* w, uint32_t body, size_t count, double* out) {
    for (uint32_t v = 0; v < count; ++v) {
        abut_body_world_vertex(w->scene, w->bodies[body], v, out + 3 * (size_t)v, NULL);
    }
}

static page_state* take_state(keeper* k, const kept_frame* f, const world* w, uint32_t body) {
    page_mesh* mesh = find_mesh(k, f, mesh_of(w, body));
    page_state* last = body < k->body_count ? k->last[body] : NULL;
    const bool same_mesh = last != NULL && last->mesh == mesh;
    double* positions = allocate(3 * (size_t)mesh->vertex_count + 1, sizeof *positions);
    take_positions(w, body, mesh->vertex_count, positions);
    cloud points = cloud_make(positions, mesh->vertex_count, same_mesh ? &last->points : NULL);
    free(positions);
    if (same_mesh && cloud_equal(&points, &last->points)) {
        cloud_free(&points);
        ++last->uses;
        return last;
    }
    page_state* s = allocate(1, sizeof *s);
    *s = (page_state){.uses = 1, .mesh = mesh, .points = points};
    ++mesh->uses;
    k->bytes += 6 * points.count;
    return s;
}

static void take_states(keeper* k, kept_frame* f, const world* w) {
    f->state_count = w->body_count;
    f->states = allocate(w->body_count + 1, sizeof *f->states);
    for (uint32_t i = 0; i < w->body_count; ++i) {
        f->states[i] = take_state(k, f, w, i);
        if (!k->has_origin && f->states[i]->points.count > 0) {
            k->has_origin = true;
            memcpy(k->origin, f->states[i]->points.g.low, sizeof k->origin);
        }
    }
}

// ---- boxes of the trees

// whether a box is finite; others cannot be drawn
static bool can_be_shown(const abut_box* box) {
    bool good = true;
    for (int d = 0; d < 3; ++d) {
        good = good && isfinite(box->lo[d]) && isfinite(box->hi[d]);
    }
    return good;
}

static uint32_t take_level(kept_frame* f, const world* w, uint32_t body, uint32_t level) {
    abut_box boxes[MOST_BOXES];
    size_t count = 0;
    uint32_t shown = 0;
    // the first call only counts the boxes
    if (abut_body_level_boxes(w->scene, w->bodies[body], level, NULL, 0, &count, NULL) != ABUT_OK ||
        count > MOST_BOXES ||
        abut_body_level_boxes(w->scene, w->bodies[body], level, boxes, MOST_BOXES, &count, NULL) !=
            ABUT_OK) {
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        if (can_be_shown(&boxes[i])) {
            double* out = numbers_more(&f->boxes, 6);
            memcpy(out, boxes[i].lo, sizeof boxes[i].lo);
            memcpy(out + 3, boxes[i].hi, sizeof boxes[i].hi);
            ++shown;
        }
    }
    return shown;
}

static void take_boxes(kept_frame* f, const world* w) {
    for (uint32_t i = 0; i < w->body_count && w->body_count <= MOST_BODIES_WITH_BOXES; ++i) {
        for (uint32_t level = 0; level < BOX_LEVELS; ++level) {
            *ids_more(&f->box_counts, 1) = take_level(f, w, i, level);
        }
    }
}

// ---- frames

kept_frame* keeper_begin(keeper* k, const world* w, size_t place, json_t* json) {
    kept_frame* f = allocate(1, sizeof *f);
    f->place = place;
    f->json = json;
    take_states(k, f, w);
    take_boxes(f, w);
    return f;
}

static void free_frame(keeper* k, kept_frame* f) {
    for (uint32_t i = 0; i < f->state_count; ++i) {
        release_state(k, f->states[i]);
    }
    k->bytes -= f->bytes;
    for (int i = 0; i < KEPT_CLOUDS; ++i) {
        cloud_free(&f->clouds[i]);
    }
    free(f->states);
    free(f->box_counts.values);
    free(f->triangles.values);
    free(f->swept.values);
    free(f->contours.values);
    free(f->traced.values);
    free(f);
}

// removes what would be drawn of a frame; its findings stay
static void drop_frame(keeper* k, size_t index) {
    kept_frame* f = k->frames[index];
    static const char* const drawn[] = {"kept", "lists", "sweeps", "ways", "gaps"};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; ++i) {
        json_object_del(f->json, drawn[i]);
    }
    free_frame(k, f);
    memmove(k->frames + index, k->frames + index + 1, (k->count - index - 1) * sizeof(kept_frame*));
    --k->count;
}

static size_t worst_of(const keeper* k) {
    size_t worst = 0;
    for (size_t i = 1; i < k->count; ++i) {
        worst = worth_compare(&k->frames[i]->worth, &k->frames[worst]->worth) > 0 ? i : worst;
    }
    return worst;
}

// the number of frames from the stored frame before to the one after
static size_t gap_at(const keeper* k, size_t i) {
    return i == 0 || i + 1 == k->count ? SIZE_MAX
                                       : k->frames[i + 1]->place - k->frames[i - 1]->place;
}

// whether frame i is to be dropped before frame j
static bool drops_before(const keeper* k, size_t i, size_t j) {
    const int order = worth_compare(&k->frames[i]->worth, &k->frames[j]->worth);
    const bool both_rest = !k->frames[i]->worth.contact && !k->frames[j]->worth.contact;
    return both_rest || order == 0 ? gap_at(k, i) < gap_at(k, j) : order < 0;
}

// The frame to drop next; SIZE_MAX: none. The last `spared` frames and the worst one stay.
static size_t next_to_drop(const keeper* k, size_t spared) {
    const size_t worst = worst_of(k);
    size_t resting = 0;
    for (size_t i = 0; i < k->count; ++i) {
        resting += !k->frames[i]->worth.contact;
    }
    const bool rest_goes = resting == k->count || REST_SHARE * resting > k->count;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i + spared < k->count; ++i) {
        if (i != worst && k->frames[i]->worth.contact != rest_goes &&
            (least == SIZE_MAX || drops_before(k, i, least))) {
            least = i;
        }
    }
    return least;
}

// drops frames beyond the budget; the next frame may need the last `spared` ones
static void enforce_budget(keeper* k, size_t spared) {
    while (k->bytes > k->budget && k->count > 1) {
        const size_t least = next_to_drop(k, spared);
        if (least == SIZE_MAX) {
            return;
        }
        drop_frame(k, least);
    }
}

static void end_points(kept_frame* f) {
    numbers* points[KEPT_CLOUDS] = {&f->boxes, &f->segments, &f->waypoints, &f->corners};
    for (int i = 0; i < KEPT_CLOUDS; ++i) {
        f->clouds[i] = cloud_make(points[i]->values, points[i]->count / 3, NULL);
        f->bytes += 6 * f->clouds[i].count;
        free(points[i]->values);
        *points[i] = (numbers){0};
    }
    f->bytes += 4 * (f->triangles.count + f->box_counts.count + f->swept.count + f->contours.count +
                     f->traced.count);
}

static void remember(keeper* k, const kept_frame* f) {
    for (uint32_t i = 0; i < k->body_count; ++i) {
        release_state(k, k->last[i]);
    }
    k->last = reallocate(k->last, f->state_count + 1, sizeof(page_state*));
    k->body_count = f->state_count;
    for (uint32_t i = 0; i < f->state_count; ++i) {
        k->last[i] = f->states[i];
        ++k->last[i]->uses;
    }
}

// swept contacts are drawn between two frames: rates the frame before just below this one
static void protect_before(kept_frame* before, const kept_frame* f) {
    frame_worth worth = f->worth;
    worth.count -= worth.count > 0;
    if (before->place + 1 == f->place && worth_compare(&worth, &before->worth) > 0) {
        before->worth = worth;
    }
}

void keeper_end(keeper* k, kept_frame* f, frame_worth worth) {
    f->worth = worth;
    end_points(f);
    k->bytes += f->bytes;
    remember(k, f);
    if (k->count == k->room) {
        k->room = 2 * k->room + 64;
        k->frames = reallocate(k->frames, k->room, sizeof(kept_frame*));
    }
    k->frames[k->count++] = f;
    if (f->swept.count > 0 && k->count > 1) {
        protect_before(k->frames[k->count - 2], f);
    }
    json_object_set_new(f->json, "kept", json_true());
    enforce_budget(k, 2);
}

// ---- writing

// writes corners as differences from the one before
static bool write_mesh(keeper* k, page_mesh* m, const part_sink* to) {
    uint32_t* steps = allocate(m->corner_count + 1, sizeof *steps);
    uint32_t last = 0;
    for (size_t i = 0; i < m->corner_count; ++i) {
        const uint32_t step = m->corners[i] - last;
        steps[i] = step << 1 ^ (step >> 31 != 0 ? UINT32_MAX : 0);
        last = m->corners[i];
    }
    pack p = {0};
    pack_u32(&p, steps, m->corner_count);
    m->number = k->mesh_count++;
    json_array_append_new(k->meshes,
                          json_pack("{s: I, s: I}", "vertices", (json_int_t)m->vertex_count,
                                    "triangles", (json_int_t)(m->corner_count / 3)));
    const bool done = to->take(to->user, &p, "mesh", m->number);
    pack_free(&p);
    free(steps);
    return done;
}

static bool write_meshes(keeper* k, const kept_frame* f, const part_sink* to) {
    bool done = true;
    for (uint32_t i = 0; i < f->state_count && done; ++i) {
        done = f->states[i]->mesh->number != SIZE_MAX || write_mesh(k, f->states[i]->mesh, to);
    }
    return done;
}

typedef struct chunk {
    pack positions;
    pack grids;
    pack points;
    pack ids;
    json_t* frames;
    json_t* meshes;
    json_t* flags;
} chunk;

// '0': same as the frame before in the chunk; '1': a new grid, and differences along the body; '2':
// the grid of the frame before, and differences from it
static char pack_state(chunk* c, const page_state* now, const page_state* before) {
    if (now == before) {
        return '0';
    }
    if (before != NULL && cloud_shares_grid(&now->points, &before->points)) {
        cloud_pack(&c->positions, &now->points, &before->points);
        return '2';
    }
    cloud_pack_grid(&c->grids, &now->points);
    cloud_pack(&c->positions, &now->points, NULL);
    return '1';
}

static void pack_frame(chunk* c, const kept_frame* f, const kept_frame* before) {
    char* flags = allocate(f->state_count + 1, 1);
    for (uint32_t i = 0; i < f->state_count; ++i) {
        flags[i] = pack_state(c, f->states[i], before != NULL ? before->states[i] : NULL);
    }
    for (int i = 0; i < KEPT_CLOUDS; ++i) {
        cloud_pack_grid(&c->grids, &f->clouds[i]);
        cloud_pack(&c->points, &f->clouds[i], NULL);
    }
    pack_u32(&c->ids, f->box_counts.values, f->box_counts.count);
    pack_u32(&c->ids, f->triangles.values, f->triangles.count);
    pack_u32(&c->ids, f->swept.values, f->swept.count);
    pack_u32(&c->ids, f->contours.values, f->contours.count);
    pack_u32(&c->ids, f->traced.values, f->traced.count);
    json_array_append_new(c->flags, json_string(flags));
    // the frame, then the counts of what was packed
    const size_t counts[] = {f->place,           f->clouds[0].count, f->clouds[1].count,
                             f->clouds[2].count, f->clouds[3].count, f->box_counts.count,
                             f->triangles.count, f->swept.count,     f->contours.count,
                             f->traced.count};
    json_t* row = json_array();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        json_array_append_new(row, json_integer((json_int_t)counts[i]));
    }
    json_array_append_new(c->frames, row);
    free(flags);
}

static bool same_meshes(const kept_frame* a, const kept_frame* b) {
    bool same = a->state_count == b->state_count;
    for (uint32_t i = 0; i < a->state_count && same; ++i) {
        same = a->states[i]->mesh == b->states[i]->mesh;
    }
    return same;
}

static bool end_chunk(keeper* k, chunk* c, const kept_frame* f, const part_sink* to) {
    json_t* meshes = json_array();
    for (uint32_t i = 0; i < f->state_count; ++i) {
        json_array_append_new(meshes, json_integer((json_int_t)f->states[i]->mesh->number));
    }
    json_array_append_new(k->chunks, json_pack("{s: o, s: o, s: o}", "frames", c->frames, "flags",
                                               c->flags, "meshes", meshes));
    const bool done = to->take(to->user, &c->positions, "positions", k->chunk_count) &&
                      to->take(to->user, &c->grids, "grids", k->chunk_count) &&
                      to->take(to->user, &c->points, "points", k->chunk_count) &&
                      to->take(to->user, &c->ids, "ids", k->chunk_count);
    pack_free(&c->positions);
    pack_free(&c->grids);
    pack_free(&c->points);
    pack_free(&c->ids);
    ++k->chunk_count;
    return done;
}

// writes a chunk from frame `i` on; returns the frame after it, or 0 if it cannot be written
static size_t write_chunk(keeper* k, size_t i, const part_sink* to) {
    chunk c = {.frames = json_array(), .flags = json_array()};
    const size_t first = i;
    do {
        pack_frame(&c, k->frames[i], i > first ? k->frames[i - 1] : NULL);
        ++i;
    } while (i < k->count && i - first < MOST_CHUNK_FRAMES && c.positions.size < CHUNK_BYTES &&
             same_meshes(k->frames[i], k->frames[first]));
    const bool has_meshes = write_meshes(k, k->frames[first], to);
    return end_chunk(k, &c, k->frames[first], to) && has_meshes ? i : 0;
}

// ---- reading

const kept_frame* keeper_frame(const keeper* k, size_t place) {
    for (size_t i = 0; i < k->count; ++i) {
        if (k->frames[i]->place == place) {
            return k->frames[i];
        }
    }
    return NULL;
}

double* kept_positions(const kept_frame* f, uint32_t body, size_t* vertex_count) {
    const cloud* c = &f->states[body]->points;
    double* out = allocate(c->count, 3 * sizeof *out);
    *vertex_count = c->count;
    for (size_t v = 0; v < c->count; ++v) {
        for (size_t d = 0; d < 3; ++d) {
            out[3 * v + d] = c->g.low[d] + c->g.step * c->words[d * c->count + v];
        }
    }
    return out;
}

const uint32_t* kept_corners(const kept_frame* f, uint32_t body, size_t* corner_count) {
    *corner_count = f->states[body]->mesh->corner_count;
    return f->states[body]->mesh->corners;
}

size_t keeper_worst(const keeper* k) {
    return k->count > 0 ? k->frames[worst_of(k)]->place : 0;
}

bool keeper_write(keeper* k, const part_sink* to) {
    enforce_budget(k, 0);
    k->meshes = json_array();
    k->chunks = json_array();
    for (size_t i = 0; i < k->count;) {
        i = write_chunk(k, i, to);
        if (i == 0) {
            return false;
        }
    }
    return true;
}

json_t* keeper_give(keeper* k, const part_sink* to) {
    json_array_clear(k->chunks);
    const bool done = write_chunk(k, k->count - 1, to) != 0;
    while (k->count > 0) {
        free_frame(k, k->frames[--k->count]);
    }
    return done ? json_pack("{s: O, s: O}", "chunk", json_array_get(k->chunks, 0), "meshes",
                            k->meshes)
                : NULL;
}

void keeper_free(keeper* k) {
    for (uint32_t i = 0; i < k->body_count; ++i) {
        release_state(k, k->last[i]);
    }
    for (size_t i = 0; i < k->count; ++i) {
        free_frame(k, k->frames[i]);
    }
    free(k->last);
    free(k->frames);
    json_decref(k->meshes);
    json_decref(k->chunks);
}
