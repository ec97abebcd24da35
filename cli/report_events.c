// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lists the events of the report's page: see report_events.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/report_events.h"

#include "cli/base64.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/thumbnail.h"

#include <stdlib.h>

// what the page has room for
enum {
    MOST_EVENTS = 200,
    MOST_PATCHES = 8,
    MOST_PICTURES = 8,
    WIDTH = 192,
    HEIGHT = 128,
    BITS = 5
};

static size_t place_of(const page_events* e, uint32_t frame) {
    return frame - e->first;
}

// ---- pictures

// draws an event at its worst; false if its frame was dropped
static bool draw_event(const page_events* e, const event* of, uint32_t width, uint32_t height,
                       picture* out) {
    thumbnail_def def = {.kept = e->kept,
                         .place = place_of(e, of->worst),
                         .a = of->now.a,
                         .b = of->now.b,
                         .at = {of->now.place[0], of->now.place[1], of->now.place[2]},
                         .up = e->up,
                         .width = width,
                         .height = height};
    size_t count = 0;
    const track** list = tracks_of(e->tracks, of->now.a, of->now.b, of->first, of->last, &count);
    for (size_t i = 0; i < count; ++i) {  // the worst one of that frame
        if (list[i]->worst == of->worst) {
            def.size = list[i]->now.size;
            break;
        }
    }
    free(list);
    return thumbnail_draw(&def, out);
}

// a PNG file in an address; NULL if memory failed
static json_t* picture_json(const picture* p) {
    uint8_t* png = NULL;
    char* text = NULL;
    size_t sizes[2] = {0, 0};
    json_t* json = NULL;
    if (!picture_png(p, BITS, &png, &sizes[0])) {
        return NULL;
    }
    FILE* file = open_memstream(&text, &sizes[1]);
    if (file != NULL) {
        fputs("data:image/png;base64,", file);
        base64_write(file, png, sizes[0]);
        json = fclose(file) == 0 ? json_string(text) : NULL;
    }
    free(png);
    free(text);
    return json;
}

static void add_picture(const page_events* e, const event* of, json_t* to) {
    picture p;
    if (draw_event(e, of, WIDTH, HEIGHT, &p)) {
        json_t* json = picture_json(&p);
        if (json != NULL) {
            json_object_set_new(to, "picture", json);
        }
        picture_free(&p);
    }
}

// ---- lists

static void set_severity(json_t* to, double depth, bool is_extent) {
    json_object_set_new(to, "depth", json_finite(depth));
    if (is_extent) {
        json_object_set_new(to, "extent", json_true());
    }
}

static json_t* track_json(const page_events* e, const track* t) {
    json_t* json = json_object();
    json_object_set_new(json, "kind", json_string(contact_kind_name(t->kind)));
    json_object_set_new(json, "first", json_count(place_of(e, t->first)));
    json_object_set_new(json, "last", json_count(place_of(e, t->last)));
    json_object_set_new(json, "worst", json_count(place_of(e, t->worst)));
    set_severity(json, t->now.depth, t->now.is_extent);
    json_object_set_new(json, "place", json_vector(t->now.place));
    if (t->now.pairs > 0) {
        json_object_set_new(json, "pairs", json_count(t->now.pairs));
        json_object_set_new(json, "triangles", json_count(t->now.triangles));
        json_object_set_new(json, "size", json_finite(t->now.size));
        json_object_set_new(json, "pair",
                            json_pack("[I, I]", (json_int_t)t->now.pair[0],
                                      (json_int_t)t->now.pair[1]));
    }
    return json;
}

static json_t* event_page_json(const page_events* e, const event* of) {
    json_t* json = json_object();
    json_t* list = json_array();
    size_t count = 0;
    const track** found = tracks_of(e->tracks, of->now.a, of->now.b, of->first, of->last, &count);
    for (size_t i = 0; i < count && i < MOST_PATCHES; ++i) {
        json_array_append_new(list, track_json(e, found[i]));
    }
    free(found);
    json_object_set_new(json, "a", json_count(of->now.a));
    json_object_set_new(json, "b", json_count(of->now.b));
    json_object_set_new(json, "kind", json_string(contact_kind_name(of->kind)));
    json_object_set_new(json, "first", json_count(place_of(e, of->first)));
    json_object_set_new(json, "last", json_count(place_of(e, of->last)));
    json_object_set_new(json, "worst", json_count(place_of(e, of->worst)));
    set_severity(json, of->now.depth, of->now.is_extent);
    if (of->kind == KIND_NEAR) {
        json_object_set_new(json, "distance", json_finite(of->now.distance));
    }
    json_object_set_new(json, "pairs", json_count(of->most_pairs));
    json_object_set_new(json, "place", json_vector(of->now.place));
    if (e->judged) {
        json_object_set_new(json, "fails", json_boolean(of->fails));
    }
    json_object_set_new(json, "all", json_count(count));
    json_object_set_new(json, "patches", list);
    return json;
}

json_t* page_events_json(const page_events* e, size_t* all) {
    json_t* list = json_array();
    const event** sorted = events_sorted(e->events);
    *all = e->events->count;
    for (size_t i = 0; i < *all && i < MOST_EVENTS; ++i) {
        json_t* json = event_page_json(e, sorted[i]);
        if (i < MOST_PICTURES) {
            add_picture(e, sorted[i], json);
        }
        json_array_append_new(list, json);
    }
    free(sorted);
    return list;
}

void page_events_show(const page_events* e, const char* const* labels, const frame_names* names,
                      picture_protocol by) {
    enum { MOST_SHOWN = 3 };
    const event** sorted = events_sorted(e->events);
    const bool blocks = by == PICTURES_BLOCKS;
    for (size_t i = 0; i < e->events->count && i < MOST_SHOWN; ++i) {
        const event* of = sorted[i];
        char frame[FRAME_TEXT_SIZE];
        picture p;
        if (draw_event(e, of, blocks ? 72 : 360, blocks ? 48 : 240, &p)) {
            printf("\n");
            print_styled(STYLE_PLAIN, "%.240s and %.240s, frame %s", labels[of->now.a],
                         of->now.a == of->now.b ? "itself" : labels[of->now.b],
                         frame_label(names, of->worst, frame));
            printf("\n");
            picture_show(&p, by);
            picture_free(&p);
        }
    }
    free(sorted);
}
