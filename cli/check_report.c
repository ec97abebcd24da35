// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The table and the summary of abut check, for people.
#include "cli/check_report.h"

#include "cli/table.h"

#include <math.h>
#include <stdio.h>

enum { SHORT_RUN = 24, MOST_ROWS = 40, MOST_CONTACTS = 20 };

static style look_of(uint64_t pairs) {
    return pairs != 0 ? STYLE_FOUND : STYLE_PLAIN;
}

static void add_row(table* t, const frame_record* f, const question* ask) {
    char label[FRAME_TEXT_SIZE];
    table_cell(t, STYLE_PLAIN, "%s", frame_label(ask->names, f->frame, label));
    if (ask->between) {
        table_number(t, look_of(f->between), f->between);
    }
    if (ask->self) {
        table_number(t, look_of(f->self), f->self);
    }
    if (ask->sweep) {
        table_number(t, look_of(f->swept), f->swept);
    }
    if (ask->nearest && isfinite(f->distance)) {
        table_cell(t, look_of(f->near), "%.9g", f->distance);
    } else if (ask->nearest) {
        table_cell(t, STYLE_PLAIN, "-");
    }
    if (ask->depth) {
        table_number(t, look_of(f->regions), f->regions);
        table_cell(t, look_of(f->regions), "%.6g", f->deepest);
        table_cell(t, STYLE_PLAIN, "%.3g", f->jump);
    }
    table_number(t, STYLE_PLAIN, f->work.boxes_tested);
    table_number(t, STYLE_PLAIN, f->work.blocks_evaluated);
    table_number(t, STYLE_PLAIN, f->work.exact_tests);
}

// all frames of a short run; of a long one those that touch
static void print_frames(const history* found, const question* ask) {
    char heads[160];
    snprintf(heads, sizeof heads, "frame%s%s%s%s%s|boxes tested|blocks evaluated|exact tests",
             ask->between ? "|pairs between" : "", ask->self ? "|pairs self" : "",
             ask->sweep ? "|on the way" : "", ask->nearest ? "|distance" : "",
             ask->depth ? "|regions|deepest|jump" : "");
    table* t = table_create(heads);
    const bool all = found->frame_count <= SHORT_RUN;
    size_t rows = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < found->frame_count; ++i) {
        const frame_record* f = &found->frames[i];
        if (!all && f->between + f->self + f->swept + f->near + f->regions == 0) {
            continue;
        }
        if (rows == MOST_ROWS) {
            ++left_out;
            continue;
        }
        add_row(t, f, ask);
        ++rows;
    }
    if (rows != 0) {
        table_print(t, 0);
    }
    if (left_out != 0) {
        printf("... and %zu more frames that touch; --json FILE has them all\n", left_out);
    } else if (!all && rows != 0) {
        printf("frames in which nothing touches are left out\n");
    }
    if (rows != 0) {
        printf("\n");
    }
    table_destroy(t);
}

static void add_contact(table* t, const object_list* objects, const contact_record* c) {
    char a[NAME_SIZE];
    char b[NAME_SIZE];
    table_number(t, STYLE_PLAIN, c->frames);
    char label[FRAME_TEXT_SIZE];
    table_number(t, STYLE_FOUND, c->most);
    table_cell(t, STYLE_PLAIN, "%s", frame_label(&objects->names, c->most_frame, label));
    shown_name(objects->objects[c->a].name, 40, a);
    if (c->a == c->b) {
        table_cell(t, STYLE_PLAIN, "%s touches itself", a);
    } else {
        table_cell(t, STYLE_PLAIN, "%s touches %s", a,
                   shown_name(objects->objects[c->b].name, 40, b));
    }
}

static void print_contacts(const history* found, const object_list* objects) {
    table* t = table_create("frames|most pairs|in frame|<which");
    for (size_t i = 0; i < found->contact_count && i < MOST_CONTACTS; ++i) {
        add_contact(t, objects, &found->contacts[i]);
    }
    table_print(t, 0);
    if (found->contact_count > MOST_CONTACTS) {
        printf("... and %zu more\n", found->contact_count - MOST_CONTACTS);
    }
    printf("\n");
    table_destroy(t);
}

// how near objects came, and when
static void print_nearest(const history* found, const object_list* objects) {
    table* t = table_create("least distance|in frame|<which");
    for (size_t i = 0; i < found->near_count && i < MOST_CONTACTS; ++i) {
        const near_record* n = &found->near[i];
        char a[NAME_SIZE];
        char b[NAME_SIZE];
        table_cell(t, n->distance == 0 ? STYLE_FOUND : STYLE_PLAIN, "%.9g", n->distance);
        char label[FRAME_TEXT_SIZE];
        table_cell(t, STYLE_PLAIN, "%s", frame_label(&objects->names, n->frame, label));
        table_cell(t, STYLE_PLAIN, "%s to %s", shown_name(objects->objects[n->a].name, 40, a),
                   shown_name(objects->objects[n->b].name, 40, b));
    }
    table_print(t, 0);
    if (found->near_count > MOST_CONTACTS) {
        printf("... and %zu more\n", found->near_count - MOST_CONTACTS);
    }
    printf("\n");
    table_destroy(t);
}

static void print_verdict(const history* found, const question* ask, double seconds) {
    char ranges[RANGES_SIZE];
    char time[NUMBER_SIZE];
    const char* where = (ask->between || ask->nearest || ask->depth) && ask->self
                            ? "between the objects or within one"
                        : ask->self ? "within an object"
                                    : "between the objects";
    const bool margin = ask->margin > 0;
    if (found->frames_touching == 0) {
        print_styled(STYLE_CLEAR, "Nothing %s",
                     margin         ? "comes within the margin"
                     : ask->limited ? "is within the distance"
                                    : "touches");
        printf(" %s", where);
    } else {
        print_styled(STYLE_FOUND, "%s",
                     margin         ? "Within the margin"
                     : ask->limited ? "Within the distance"
                                    : "Contact");
        if (found->frame_count > 1) {
            printf(" in %zu of %zu frames (%s)", found->frames_touching, found->frame_count,
                   history_ranges(found, 8, ranges));
        }
    }
    if (found->frame_count > 1 && found->frames_touching == 0) {
        printf(", in none of %zu frames", found->frame_count);
    }
    printf(". Read and checked in %s.\n", duration(seconds, time));
}

void print_check_report(const history* found, const object_list* objects, const question* ask,
                        double seconds) {
    print_frames(found, ask);
    if (found->contact_count != 0) {
        print_contacts(found, objects);
    }
    if (found->near_count != 0) {
        print_nearest(found, objects);
    }
    if (ask->depth) {
        print_jump(found);
    }
    for (size_t i = 0; i < objects->count; ++i) {
        char name[NAME_SIZE];
        const object* o = &objects->objects[i];
        if (o->topology_changes != 0) {
            printf("%s came with other triangles in %zu frame%s.\n", shown_name(o->name, 60, name),
                   o->topology_changes, o->topology_changes == 1 ? "" : "s");
        }
    }
    print_verdict(found, ask, seconds);
}
