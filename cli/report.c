// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes the report: see report.h. viewer/src/data.js reads what is written here.
//
// The page has a list of all frames, each with its findings by pair of bodies. Frames that the page
// can draw (report_keep.h) also have "kept", and lists of the touching triangles.
#include "cli/report.h"

#include "cli/frame_name.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/report_contours.h"
#include "cli/report_keep.h"
#include "cli/report_page.h"
#include "cli/terminal.h"
#include "io/clean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEFAULT_MB = 42;  // positions and contacts, before compression

struct report {
    FILE* file;
    const char* path;
    char* title;
    char up;
    bool work;
    double fps;
    size_t frame_count;  // announced
    size_t seen;
    char** names;
    uint32_t name_count;
    question ask;  // of the last frame
    verdict verdict;
    char* judgement;  // NULL: none
    bool fails;
    keeper kept;
    json_t* frames;
    json_t* events;  // NULL: not measured
    size_t event_count;
    bool promised;  // frames are given later
    bool measures;
    meter* meter;  // of a report that measures; NULL before its first frame
    events own_events;
    tracks own_tracks;
};

static char* copy_text(const char* text) {
    const size_t size = strlen(text) + 1;
    return memcpy(allocate(size, 1), text, size);
}

// bytes of drawn frames; 0 after an error message
static size_t budget(void) {
    const char* text = getenv("ABUT_REPORT_MB");
    char* end = NULL;
    const double size = text != NULL ? strtod(text, &end) : DEFAULT_MB;
    if (text != NULL && (end == text || *end != '\0' || !(size > 0 && size < 1e6))) {
        complain(
            "ABUT_REPORT_MB is the size of the drawn frames of a page in MB: a number such as 80");
        return 0;
    }
    return (size_t)(size * 1e6) + 1;
}

report* report_open(const report_def* def) {
    const size_t bytes = budget();
    FILE* file = bytes != 0 && def->path != NULL ? output_open_report(def->path) : NULL;
    if (bytes == 0 || (file == NULL && def->path != NULL)) {
        return NULL;
    }
    report* r = allocate(1, sizeof *r);
    *r = (report){.file = file, .path = def->path, .frame_count = def->frames, .fps = def->fps};
    r->title = io_clean(copy_text(def->title));
    r->up = def->up;
    r->work = def->work;
    r->measures = def->measures;
    r->kept.budget = bytes;
    r->frames = json_array();
    return r;
}

void report_name(report* r, const char* name) {
    r->names = reallocate(r->names, r->name_count + 1, sizeof *r->names);
    r->names[r->name_count++] = copy_text(name);
}

// ---- the triangles that touch

typedef struct listing {
    const world* w;
    kept_frame* frame;
    json_t* list;
    const abut_pair* pairs;  // of the whole answer
    const abut_intersection* shared;
    traced_pairs traced;
    size_t all;   // pairs of the frame
    size_t most;  // pairs that can be drawn
} listing;

// how many of `count` pairs to draw: all, or their share of `most`
static size_t share_of(const listing* l, size_t count) {
    const double share = (double)count * ((double)l->most / (double)l->all);
    return l->all <= l->most ? count : share < 1 ? 1 : (size_t)share;
}

// adds two distant points of an intersection, which may be empty within a margin
static void add_segment(numbers* segments, const abut_intersection* shared) {
    if (shared->count > 0) {
        double* out = numbers_more(segments, 6);
        memcpy(out, shared->points[0], sizeof shared->points[0]);
        memcpy(out + 3, shared->points[shared->count / 2], sizeof shared->points[0]);
    }
}

static void list_contact(void* user, const contact* c) {
    listing* l = user;
    const size_t listed = share_of(l, c->count);
    const size_t segments = l->frame->segments.count;
    uint32_t* out = ids_more(&l->frame->triangles, 2 * listed);
    for (size_t i = 0; i < listed; ++i) {
        out[i] = c->pairs[i].triangle_a;
        out[listed + i] = c->pairs[i].triangle_b;
        if (l->shared != NULL &&
            !traced_has(&l->traced, c->a, c->b, c->pairs[i].triangle_a, c->pairs[i].triangle_b)) {
            add_segment(&l->frame->segments, &l->shared[(size_t)(c->pairs - l->pairs) + i]);
        }
    }
    json_array_append_new(l->list,
                          json_pack("[I, I, I, I, I]", (json_int_t)c->a, (json_int_t)c->b,
                                    (json_int_t)c->count, (json_int_t)listed,
                                    (json_int_t)((l->frame->segments.count - segments) / 6)));
}

static void list_answer(void* user, const abut_collide_result* answer) {
    listing* l = user;
    size_t count;
    l->pairs = abut_collide_result_pairs(answer, &count);
    l->shared = abut_collide_result_intersections(answer, NULL);
    world_each_contact(l->w, answer, list_contact, l);
}

static void count_answer(void* user, const abut_collide_result* answer) {
    listing* l = user;
    l->all += world_pair_count(answer);
}

// whether no other query has the pairs of depth
static bool has_own_pairs(const question* q, const depth_entry* d) {
    return d->defined && !(d->a == d->b ? q->self : q->between);
}

static size_t count_pairs(const world* w, const depth_entry* d) {
    size_t count = 0;
    for (size_t i = d->first; i < d->first + d->count; ++i) {
        count += w->regions[i].pair_count;
    }
    return count;
}

static void list_depth(listing* l, const depth_entry* d) {
    const abut_pair* pairs = abut_depth_result_pairs(d->depths, NULL);
    contact c = {.a = d->a, .b = d->b};
    abut_pair* list = allocate(count_pairs(l->w, d), sizeof *list);
    for (size_t at; world_region_pair(l->w, d, c.count, &at); ++c.count) {
        list[c.count] = pairs[at];
    }
    c.pairs = list;
    l->shared = NULL;
    if (c.count > 0) {
        list_contact(l, &c);
    }
    free(list);
}

static void list_pairs(report* r, const world* w, const question* q, kept_frame* frame) {
    listing l = {.w = w, .frame = frame, .list = json_array()};
    l.most = keeper_most_pairs(&r->kept);
    world_each_answer(w, q, count_answer, &l);
    for (size_t i = 0; i < w->depth_count && q->depth; ++i) {
        l.all += has_own_pairs(q, &w->depths[i]) ? count_pairs(w, &w->depths[i]) : 0;
    }
    if (l.all <= l.most) {
        report_contours(w, q, frame, &l.traced);
    }
    world_each_answer(w, q, list_answer, &l);
    for (size_t i = 0; i < w->depth_count && q->depth; ++i) {
        if (has_own_pairs(q, &w->depths[i])) {
            list_depth(&l, &w->depths[i]);
        }
    }
    json_object_set_new(frame->json, "lists", l.list);
    traced_free(&l.traced);
}

// ---- swept contacts

static void add_swept(const world* w, kept_frame* frame, const abut_sweep_pair* p) {
    double a[3] = {0, 0, 0};
    double b[3] = {0, 0, 0};
    (void)world_swept_points(w, p, a, b);  // the frame before is stored if there is a report
    double* point = numbers_more(&frame->waypoints, 3);
    for (int d = 0; d < 3; ++d) {
        point[d] = a[d] / 2 + b[d] / 2;
    }
    uint32_t* out = ids_more(&frame->swept, 3);
    out[0] = p->triangle_a;
    out[1] = p->triangle_b;
    out[2] = (uint32_t)(fmin(fmax(p->time, 0), 1) * UINT32_MAX);
}

// lists [a, b, contacts, listed] for each pair of bodies
static void list_swept(report* r, const world* w, kept_frame* frame, const findings* found) {
    json_t* list = json_array();
    listing l = {.most = keeper_most_pairs(&r->kept)};
    for (size_t i = 0; i < found->count; ++i) {
        l.all += found->list[i].swept;
    }
    for (size_t i = 0; i < found->count; ++i) {
        const finding* f = &found->list[i];
        size_t count = 0;
        const abut_sweep_pair* pairs = NULL;
        if (f->swept > 0) {
            pairs = world_swept(w, f->a == f->b ? w->swept_self : w->swept_between, f->a, f->b,
                                &count);
        }
        const size_t listed = count > 0 ? share_of(&l, count) : 0;
        for (size_t k = 0; k < listed; ++k) {
            add_swept(w, frame, &pairs[k]);
        }
        if (count > 0) {
            json_array_append_new(list,
                                  json_pack("[I, I, I, I]", (json_int_t)f->a, (json_int_t)f->b,
                                            (json_int_t)count, (json_int_t)listed));
        }
    }
    json_object_set_new(frame->json, "sweeps", list);
}

// ---- lines

static json_t* line_json(const double from[3], const double to[3], uint32_t a, uint32_t b,
                         double length) {
    json_t* line = json_array();
    for (int d = 0; d < 3; ++d) {
        json_array_append_new(line, json_real(from[d]));
    }
    for (int d = 0; d < 3; ++d) {
        json_array_append_new(line, json_real(to[d]));
    }
    json_array_append_new(line, json_count(a));
    json_array_append_new(line, json_count(b));
    json_array_append_new(line, json_real(length));
    return line;
}

// separating translations, as lines from points of the first body
static json_t* translations_of(const world* w) {
    json_t* list = json_array();
    for (size_t i = 0; i < w->depth_count; ++i) {
        const depth_entry* d = &w->depths[i];
        for (size_t k = d->first; k < d->first + d->count; ++k) {
            const abut_region* r = &w->regions[k];
            double to[3];
            for (int c = 0; c < 3; ++c) {
                to[c] = r->point_a[c] + r->depth * r->direction[c];
            }
            if (isfinite(r->depth)) {
                json_array_append_new(list, line_json(r->point_a, to, d->a, d->b, r->depth));
            }
        }
    }
    return list;
}

// lines between closest points
static json_t* distances_of(const world* w) {
    json_t* list = json_array();
    for (size_t i = 0; i < w->gap_count; ++i) {
        const abut_distance_pair* g = &w->gaps[i];
        if (gap_has_points(g)) {
            json_array_append_new(list, line_json(g->a.point, g->b.point, w->number_of[g->body_a],
                                                  w->number_of[g->body_b], g->distance));
        }
    }
    return list;
}

// ---- findings

static const char* const* names_of(const report* r) {
    return (const char* const*)r->names;
}

// converts a finding; writes only members that apply
static json_t* finding_json(const report* r, const finding* f) {
    char reason[REASON_SIZE];
    json_t* json = json_pack("{s: I, s: I}", "a", (json_int_t)f->a, "b", (json_int_t)f->b);
    if (f->pairs > 0) {
        json_object_set_new(json, "pairs", json_count(f->pairs));
    }
    if (f->swept > 0) {
        json_object_set_new(json, "swept", json_count(f->swept));
        json_object_set_new(json, "first", json_real(f->first));
    }
    if (isfinite(f->distance)) {
        json_object_set_new(json, "distance", json_real(f->distance));
    }
    if (f->regions > 0) {
        json_object_set_new(json, "regions", json_count(f->regions));
    }
    if (isfinite(f->depth)) {
        json_object_set_new(json, "depth", json_real(f->depth));
    }
    if (f->depth_undefined) {
        json_object_set_new(json, "undefined", json_text(finding_reason(f, names_of(r), reason)));
    }
    if (f->inside != INSIDE_NONE) {
        json_object_set_new(json, "inside", json_text(f->inside == INSIDE_A_IN_B ? "a" : "b"));
        json_object_set_new(json, "partly", json_boolean(f->partly));
    }
    if (f->contact) {
        json_object_set_new(json, "contact", json_true());
    }
    return json;
}

static frame_worth worth_of(const findings* found) {
    frame_worth worth = {.contact = found->contact, .distance = INFINITY};
    for (size_t i = 0; i < found->count; ++i) {
        const finding* f = &found->list[i];
        worth.count += f->pairs + f->swept + f->regions;
        worth.depth = isfinite(f->depth) ? fmax(worth.depth, f->depth) : worth.depth;
        worth.distance = fmin(worth.distance, f->distance);  // ignores NAN
    }
    return worth;
}

static json_t* frame_json(const report* r, const world* w, const question* q, uint32_t frame,
                          const findings* found) {
    char label[FRAME_TEXT_SIZE];
    json_t* list = json_array();
    json_t* json = json_pack("{s: I}", "frame", (json_int_t)frame);
    json_object_set_new(json, "label", json_text(frame_label(q->names, frame, label)));
    for (size_t i = 0; i < found->count; ++i) {
        json_array_append_new(list, finding_json(r, &found->list[i]));
    }
    json_object_set_new(json, "found", list);
    if (q->sweep && !w->stepped && frame > q->first) {
        json_object_set_new(json, "no_step", json_true());
    }
    return json;
}

static void measure_frame(report* r, world* w, const question* q, uint32_t frame) {
    abut_counters work = {0};
    size_t count = 0;
    r->meter = r->meter != NULL ? r->meter : meter_open(w, NULL);
    if (meter_ask(r->meter, q, frame, &work)) {
        const measure* list = meter_list(r->meter, &count);
        events_add(&r->own_events, list, count, frame);
        tracks_add(&r->own_tracks, meter_patches(r->meter), frame);
    }
}

void report_frame(report* r, world* w, const question* q, uint32_t frame, const findings* found,
                  const abut_counters* work) {
    json_t* json = frame_json(r, w, q, frame, found);
    kept_frame* kept = keeper_begin(&r->kept, w, r->seen, json);
    list_pairs(r, w, q, kept);
    list_swept(r, w, kept, found);
    if (q->depth) {
        json_object_set_new(json, "ways", translations_of(w));
    }
    if (q->nearest) {
        json_object_set_new(json, "gaps", distances_of(w));
    }
    if (r->work) {
        json_object_set_new(json, "work", world_work_json(work));
    }
    keeper_end(&r->kept, kept, worth_of(found));
    verdict_add(&r->verdict, found);
    json_array_append_new(r->frames, json);
    if (r->measures) {
        measure_frame(r, w, q, frame);
    }
    r->ask = *q;
    ++r->seen;
}

void report_judge(report* r, const char* judgement, bool fails) {
    if (judgement[0] != '\0') {
        r->judgement = io_clean(copy_text(judgement));
        r->fails = fails;
    }
}

static page_events events_of(const report* r, const events* e, const tracks* t, bool judged) {
    return (page_events){.events = e,
                         .tracks = t,
                         .kept = &r->kept,
                         .first = r->ask.first,
                         .judged = judged,
                         .up = r->up};
}

void report_list(report* r, const events* e, const tracks* t, bool judged) {
    if (r->file == NULL) {
        return;
    }
    const page_events list = events_of(r, e, t, judged);
    json_decref(r->events);
    r->events = page_events_json(&list, &r->event_count);
}

void report_show(const report* r, const events* e, const tracks* t, picture_protocol by) {
    const page_events list = events_of(r, e, t, false);
    page_events_show(&list, names_of(r), r->ask.names, by);
}

// ---- the end

// escapes JSON so that it cannot end its HTML element
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

static json_t* asked_json(const question* q) {
    json_t* json = json_pack("{s: b, s: b, s: b, s: b, s: b, s: f}", "between", q->between, "self",
                             q->self, "sweep", q->sweep, "nearest", q->nearest, "depth", q->depth,
                             "margin", q->margin);
    if (q->limited) {
        json_object_set_new(json, "within", json_real(q->within));
    }
    return json;
}

static json_t* describe(report* r) {
    char text[VERDICT_SIZE];
    char whole[2 * VERDICT_SIZE];
    json_t* bodies = json_array();
    for (uint32_t i = 0; i < r->name_count; ++i) {
        json_array_append_new(bodies, json_text(r->names[i]));
    }
    json_t* json = json_pack("{s: s, s: o, s: s#, s: f}", "abut", ABUT_VERSION_STRING, "title",
                             json_text(r->title), "up", &r->up, 1, "fps", r->fps);
    json_object_set_new(json, "asked", asked_json(&r->ask));
    const bool judged = r->judgement != NULL;
    json_object_set_new(json, "contact",
                        json_boolean(judged ? r->fails : verdict_found(&r->verdict)));
    verdict_text(&r->verdict, &r->ask, names_of(r), text);
    snprintf(whole, sizeof whole, "%s%s%s", text, judged ? ". " : "", judged ? r->judgement : "");
    json_object_set_new(json, "verdict", json_text(whole));
    json_object_set_new(json, "announced", json_count(r->frame_count));
    json_object_set_new(json, "budget", json_real((double)r->kept.budget / 1e6));
    json_object_set_new(json, "worst", json_count(keeper_worst(&r->kept)));
    json_object_set_new(json, "levels", json_count(BOX_LEVELS));
    json_object_set_new(json, "ends", contour_ends_json());
    json_object_set_new(json, "origin", json_vector(r->kept.origin));
    json_object_set_new(json, "bodies", bodies);
    if (r->events != NULL) {
        json_object_set(json, "events", r->events);
        json_object_set_new(json, "event_count", json_count(r->event_count));
    }
    if (r->promised) {
        json_object_set_new(json, "live", json_true());
    }
    json_object_set(json, "meshes", r->kept.meshes);
    json_object_set(json, "chunks", r->kept.chunks);
    json_object_set(json, "frames", r->frames);
    return json;
}

static void free_report(report* r) {
    for (uint32_t i = 0; i < r->name_count; ++i) {
        free(r->names[i]);
    }
    free(r->names);
    free(r->title);
    free(r->judgement);
    verdict_free(&r->verdict);
    keeper_free(&r->kept);
    json_decref(r->frames);
    json_decref(r->events);
    meter_close(r->meter);
    events_free(&r->own_events);
    tracks_free(&r->own_tracks);
    free(r);
}

static void print_size(const report* r, long size) {
    char name[NAME_SIZE];
    printf("The report is %s (%.1f MB): open it in a browser.",
           shown_name(r->path, NAME_SIZE - 1, name), (double)size / 1e6);
    if (r->kept.count < r->seen) {
        printf(
            "\nIt draws %zu of %zu frames, preferably those with most contact, and lists the "
            "findings "
            "of\nall. ABUT_REPORT_MB=%.3g makes room for more.",
            r->kept.count, r->seen, 4 * (double)r->kept.budget / 1e6);
    }
    printf("\n");
}

static bool write_page(report* r) {
    fwrite(report_page, 1, report_page_data_at, r->file);
    const part_sink elements = {pack_write, r->file};
    const bool done = keeper_write(&r->kept, &elements);
    json_t* json = describe(r);
    fprintf(r->file, "<script type=\"application/json\" id=\"report\">");
    json_dump_callback(json, write_json, r->file, JSON_COMPACT);
    fprintf(r->file, "</script>\n");
    json_decref(json);
    fwrite(report_page + report_page_data_at, 1, report_page_size - report_page_data_at, r->file);
    return done && ferror(r->file) == 0;
}

bool report_close(report* r, bool tell) {
    if (r == NULL) {
        return true;
    }
    if (r->file == NULL) {
        free_report(r);
        return true;
    }
    if (r->measures) {
        report_list(r, &r->own_events, &r->own_tracks, false);
    }
    const bool written = write_page(r);
    const long size = ftell(r->file);
    const bool done = output_end(r->file) && written;
    if (done && tell) {
        print_size(r, size);
    }
    free_report(r);
    return done;
}

// ---- frames that are given one at a time

bool report_promise(report* r, world* w, const question* q, uint32_t first, uint32_t last) {
    const findings none = {0};
    const question nothing = {.names = q->names};
    const abut_counters work = {0};
    report_frame(r, w, &nothing, first, &none, &work);
    for (uint32_t frame = first + 1; frame <= last; ++frame) {
        json_array_append_new(r->frames, frame_json(r, w, &nothing, frame, &none));
    }
    r->promised = true;
    r->ask = *q;
    const bool written = write_page(r);
    const bool done = output_end(r->file) && written;
    r->file = NULL;
    return done;
}

bool report_give(report* r, world* w, const question* q, size_t place, uint32_t frame,
                 const findings* found, const part_sink* to) {
    const abut_counters work = {0};
    json_array_clear(r->frames);
    r->seen = place;
    report_frame(r, w, q, frame, found, &work);
    json_t* json = keeper_give(&r->kept, to);
    if (json == NULL) {
        return false;
    }
    json_object_set(json, "frame", json_array_get(r->frames, 0));
    char* text = json_dumps(json, JSON_COMPACT);
    const pack all = {.bytes = (uint8_t*)text, .size = strlen(text)};
    const bool done = to->take(to->user, &all, "frame", place);
    free(text);
    json_decref(json);
    return done;
}

void report_drop(report* r) {
    if (r != NULL) {
        output_drop(r->file);  // NULL is fine
        free_report(r);
    }
}
