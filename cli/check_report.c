// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The table of abut check, for people: the verdict first, then what touches what, then the frames.
#include "cli/check_report.h"

#include "cli/message.h"
#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_RUN = 24, MOST_ROWS = 40, MOST_CONTACTS = 20, HEADS_SIZE = 256 };

static style look_of(uint64_t pairs) {
    return pairs != 0 ? STYLE_FOUND : STYLE_PLAIN;
}

static void add_frame_cell(table* t, const check_summary* c, uint32_t frame) {
    char label[FRAME_TEXT_SIZE];
    char shown[NAME_SIZE];
    table_cell(t, STYLE_PLAIN, "%s",
               shown_name(frame_label(c->ask->names, frame, label), 40, shown));
}

// -0 looks as if it meant something
static double tidy(double x) {
    return x == 0 ? 0 : x;
}

static void add_vector(table* t, const double v[3]) {
    table_cell(t, STYLE_PLAIN, "(%.6g, %.6g, %.6g)", tidy(v[0]), tidy(v[1]), tidy(v[2]));
}

// ---- the verdict

static void print_verdict(const check_summary* c) {
    char text[VERDICT_SIZE];
    char ranges[RANGES_SIZE];
    const bool found = verdict_found(c->said);
    print_styled(found ? STYLE_FOUND : STYLE_CLEAR, "%s",
                 verdict_text(c->said, c->ask, c->labels, text));
    if (found && c->found->frame_count > 1) {
        printf(" (%s)", history_ranges(c->found, 8, ranges));
    }
    printf(".\n");
}

// ---- what touches what

// which columns there are, beside the names
typedef struct layout {
    bool frames;
    bool pairs;
    bool swept;
    bool depth;
} layout;

static layout layout_of(const check_summary* c) {
    layout l = {
        .frames = c->found->frame_count > 1, .swept = c->ask->sweep, .depth = c->ask->depth};
    l.pairs = c->ask->between || c->ask->self;
    for (size_t i = 0; i < c->found->contact_count; ++i) {
        l.pairs = l.pairs || c->found->contacts[i].pairs != 0;  // of bodies without an inside
    }
    return l;
}

static bool is_undefined(const contact_record* r) {
    return r->why_a[0] != '\0' || r->why_b[0] != '\0';
}

static void add_depth_cells(table* t, const contact_record* r, bool counts) {
    table_number(t, look_of(r->regions), r->regions);
    if (counts && isnan(r->depth)) {
        table_cell(t, STYLE_PLAIN, is_undefined(r) ? "undefined" : "-");
    } else if (!counts || !isfinite(r->depth)) {
        table_cell(t, STYLE_PLAIN, counts ? "no way out" : "-");
    } else {
        table_cell(t, STYLE_FOUND, "%.6g", r->depth);
    }
    if (counts && isfinite(r->depth)) {
        add_vector(t, r->direction);
    } else {
        table_cell(t, STYLE_PLAIN, "-");
    }
}

static void add_names(table* t, const check_summary* c, const contact_record* r,
                      finding_inside inside, bool partly) {
    const bool turned = inside == INSIDE_B_IN_A;
    const char* a = c->labels[turned ? r->b : r->a];
    const char* b = c->labels[turned ? r->a : r->b];
    const char* touches = c->ask->margin > 0 || c->ask->limited ? "is near" : "touches";
    table_cell(t, STYLE_PLAIN, "%.240s %s %.240s", a,
               inside == INSIDE_NONE ? touches
               : partly              ? "is partly inside"
                                     : "is inside",
               r->a == r->b ? "itself" : b);
}

// the worst frame of two objects, or, if `counts` is false, that one is inside the other
static void add_contact(table* t, const check_summary* c, const contact_record* r, bool counts) {
    const layout l = layout_of(c);
    add_names(t, c, r, counts ? r->inside : r->inside_which, counts ? r->partly : r->inside_partly);
    if (l.frames) {
        table_number(t, STYLE_PLAIN, counts ? r->frames : r->frames_inside);
    }
    if (l.frames && counts) {
        add_frame_cell(t, c, r->worst);
    } else if (l.frames) {
        table_cell(t, STYLE_PLAIN, "-");
    }
    if (l.pairs) {
        table_number(t, counts ? look_of(r->pairs) : STYLE_PLAIN, counts ? r->pairs : 0);
    }
    if (l.swept) {
        table_number(t, counts ? look_of(r->swept) : STYLE_PLAIN, counts ? r->swept : 0);
        if (counts && r->swept != 0) {
            table_cell(t, STYLE_PLAIN, "%.3g", r->first);
        } else {
            table_cell(t, STYLE_PLAIN, "-");
        }
    }
    if (l.depth) {
        add_depth_cells(t, r, counts);
    }
}

static int compare_contacts(const void* x, const void* y) {
    const contact_record* a = *(const contact_record* const*)x;
    const contact_record* b = *(const contact_record* const*)y;
    if ((a->frames != 0) != (b->frames != 0)) {
        return a->frames != 0 ? -1 : 1;
    }
    if (contact_is_worse(a, b) != contact_is_worse(b, a)) {
        return contact_is_worse(a, b) ? -1 : 1;
    }
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b > b->b) - (a->b < b->b);
}

// all of which there is something to say, the worst first
static const contact_record** sort_contacts(const check_summary* c, size_t* count) {
    const contact_record** list = allocate(c->found->contact_count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < c->found->contact_count; ++i) {
        const contact_record* r = &c->found->contacts[i];
        if (r->frames != 0 || r->frames_inside != 0) {
            list[(*count)++] = r;
        }
    }
    if (*count > 1) {
        qsort(list, *count, sizeof *list, compare_contacts);
    }
    return list;
}

static void print_reason(const check_summary* c, const contact_record* r) {
    char text[REASON_SIZE];
    const finding f = {.a = r->a,
                       .b = r->b,
                       .depth_undefined = true,
                       .why_a = r->why_a[0] != '\0' ? r->why_a : NULL,
                       .why_b = r->why_b[0] != '\0' ? r->why_b : NULL};
    printf("%s and %s: %s.\n", c->labels[r->a], r->a == r->b ? "itself" : c->labels[r->b],
           finding_reason(&f, c->labels, text));
}

static void print_notes(const check_summary* c, const contact_record* const* list, size_t count) {
    bool swept = false;
    bool depth = false;
    for (size_t i = 0; i < count && i < MOST_CONTACTS; ++i) {
        swept = swept || list[i]->swept != 0;
        depth = depth || isfinite(list[i]->depth);
        if (is_undefined(list[i])) {
            print_reason(c, list[i]);
        }
    }
    if (swept) {
        printf("\"First at\" is the part of the way from the frame before.\n");
    }
    if (depth) {
        printf("\"Way out\" is where the first of the two has to go; \"deepest\" is how far.\n");
    }
}

static void print_contacts(const check_summary* c) {
    size_t count = 0;
    char heads[HEADS_SIZE];
    const layout l = layout_of(c);
    const contact_record** list = sort_contacts(c, &count);
    snprintf(heads, sizeof heads, "<which%s%s%s%s", l.frames ? "|frames|worst frame" : "",
             l.pairs ? "|pairs" : "", l.swept ? "|on the way|first at" : "",
             l.depth ? "|regions|deepest|<way out" : "");
    table* t = table_create(heads);
    for (size_t i = 0; i < count && i < MOST_CONTACTS; ++i) {
        if (list[i]->frames != 0) {
            add_contact(t, c, list[i], true);
        }
        if (list[i]->frames_inside != 0 && !c->ask->depth) {  // else it counts as contact
            add_contact(t, c, list[i], false);
        }
    }
    // one object inside another is what the verdict says, and a distance has a table of its own
    const bool said = !l.frames && (!verdict_found(c->said) ? count < 2 : !(l.pairs || l.depth));
    if (count != 0 && !said) {
        printf("\n");
        table_print(t, 0);
        print_notes(c, list, count);
    }
    if (count > MOST_CONTACTS) {
        printf("... and %zu more; --csv FILE and --json FILE have them all\n",
               count - MOST_CONTACTS);
    }
    table_destroy(t);
    free(list);
}

// how near objects came, when and where
static void print_nearest(const check_summary* c) {
    const bool frames = c->found->frame_count > 1;
    size_t count = 0;
    table* t = table_create(frames ? "<which|least distance|in frame|<from|<to"
                                   : "<which|distance|<from|<to");
    for (size_t i = 0; i < c->found->contact_count; ++i) {
        const contact_record* r = &c->found->contacts[i];
        if (isnan(r->distance) || count++ >= MOST_CONTACTS) {
            continue;
        }
        table_cell(t, STYLE_PLAIN, "%.240s to %.240s", c->labels[r->a], c->labels[r->b]);
        table_cell(t, r->distance == 0 ? STYLE_FOUND : STYLE_PLAIN, "%.9g", r->distance);
        if (frames) {
            add_frame_cell(t, c, r->near);
        }
        add_vector(t, r->point_a);
        add_vector(t, r->point_b);
    }
    if (count != 0) {
        printf("\n");
        table_print(t, 0);
    }
    if (count > MOST_CONTACTS) {
        printf("... and %zu more; --csv FILE and --json FILE have them all\n",
               count - MOST_CONTACTS);
    }
    table_destroy(t);
}

// ---- the frames

static void add_row(table* t, const check_summary* c, const frame_record* f, const layout* l) {
    const question* ask = c->ask;
    add_frame_cell(t, c, f->frame);
    if (ask->between || (l->pairs && !ask->self)) {
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
    if (c->verbose) {
        table_number(t, STYLE_PLAIN, f->work.boxes_tested);
        table_number(t, STYLE_PLAIN, f->work.blocks_evaluated);
        table_number(t, STYLE_PLAIN, f->work.exact_tests);
    }
}

static table* make_frame_table(const check_summary* c, const layout* l) {
    char heads[HEADS_SIZE];
    const question* ask = c->ask;
    snprintf(heads, sizeof heads, "frame%s%s%s%s%s%s",
             ask->between || (l->pairs && !ask->self) ? "|pairs between" : "",
             ask->self ? "|pairs self" : "", ask->sweep ? "|on the way" : "",
             ask->nearest ? "|distance" : "", ask->depth ? "|regions|deepest|jump" : "",
             c->verbose ? "|boxes tested|blocks evaluated|exact tests" : "");
    return table_create(heads);
}

// All frames of a short run; of a long one those that touch. A single frame has nothing to add to the
// table above but the work.
static void print_frames(const check_summary* c) {
    const history* found = c->found;
    const bool all = found->frame_count <= SHORT_RUN;
    const layout l = layout_of(c);
    size_t rows = 0;
    size_t left_out = 0;
    if (!c->verbose &&
        (found->frame_count < 2 || (found->frames_touching == 0 && !c->ask->nearest))) {
        return;
    }
    table* t = make_frame_table(c, &l);
    for (size_t i = 0; i < found->frame_count; ++i) {
        const frame_record* f = &found->frames[i];
        if (!all && !f->contact) {
            continue;
        }
        if (rows == MOST_ROWS) {
            ++left_out;
            continue;
        }
        add_row(t, c, f, &l);
        ++rows;
    }
    if (rows != 0) {
        printf("\n");
        table_print(t, 0);
    }
    if (left_out != 0) {
        printf("... and %zu more frames that touch; --json FILE has them all\n", left_out);
    } else if (!all && rows != 0) {
        printf("frames in which nothing touches are left out\n");
    }
    table_destroy(t);
}

static void print_changes(const check_summary* c) {
    for (size_t i = 0; i < c->objects->count; ++i) {
        const size_t changes = c->objects->objects[i].topology_changes;
        if (changes != 0) {
            printf("%s came with other triangles in %zu frame%s.\n", c->labels[i], changes,
                   changes == 1 ? "" : "s");
        }
    }
}

void print_check_report(const check_summary* c) {
    char time[NUMBER_SIZE];
    print_verdict(c);
    print_contacts(c);
    if (c->ask->nearest) {
        print_nearest(c);
    }
    print_frames(c);
    if (c->ask->depth) {
        print_jump(c->found);
    }
    print_changes(c);
    if (c->verbose) {
        printf("Read and checked in %s.\n", duration(c->seconds, time));
    }
}
