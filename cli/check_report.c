// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The table of abut check: the verdict first, then what touches what, then the frames.
#include "cli/check_report.h"

#include "cli/message.h"
#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_RUN = 24, MOST_ROWS = 40, MOST_CONTACTS = 20, MOST_RUNS_SHOWN = 4, HEADS_SIZE = 256 };

static style look_of(uint64_t pairs) {
    return pairs != 0 ? STYLE_FOUND : STYLE_PLAIN;
}

static void add_frame_cell(table* t, const check_summary* c, uint32_t frame) {
    char label[FRAME_TEXT_SIZE];
    char shown[NAME_SIZE];
    table_cell(t, STYLE_PLAIN, "%s",
               shown_name(frame_label(c->ask->names, frame, label), 40, shown));
}

// prints -0 as 0
static double positive_zero(double x) {
    return x == 0 ? 0 : x;
}

static void add_vector(table* t, const double v[3]) {
    table_cell(t, STYLE_PLAIN, "(%.6g, %.6g, %.6g)", positive_zero(v[0]), positive_zero(v[1]),
               positive_zero(v[2]));
}

// ---- the verdict

static void print_verdict(const check_summary* c) {
    char text[VERDICT_SIZE];
    char runs[RUNS_SIZE];
    char by_rules[VERDICT_RULES_SIZE];
    const bool found = verdict_found(c->said);
    print_styled(found ? STYLE_FOUND : STYLE_CLEAR, "%s",
                 verdict_contact_text(c->said, c->ask, c->labels, text));
    if (c->said->touching != 0 && c->found->frame_count > 1) {
        printf(" (%s)", runs_text(&c->found->touching, c->ask->names, 8, runs));
    }
    printf("%s.\n", verdict_rules_text(c->said, by_rules));
}

// ---- what touches what

// the columns beside the names
typedef struct layout {
    bool frames;
    bool pairs;
    bool swept;
    bool features;
    bool depth;
} layout;

static layout layout_of(const check_summary* c) {
    layout l = {
        .frames = c->found->frame_count > 1, .swept = c->ask->sweep, .depth = c->ask->depth};
    l.features = c->ask->features || c->ask->features_self;
    l.pairs = c->ask->between || c->ask->self;
    for (size_t i = 0; i < c->found->frame_count; ++i) {  // --depth may find pairs, too
        l.pairs = l.pairs || c->found->frames[i].between != 0;
    }
    return l;
}

static void add_count(table* t, size_t count) {
    if (count == NO_COUNT) {
        table_cell(t, STYLE_PLAIN, "-");
    } else {
        table_number(t, look_of(count), count);
    }
}

static void add_depth_cells(table* t, const relation* r) {
    add_count(t, r->regions);
    if (isnan(r->depth)) {
        table_cell(t, STYLE_PLAIN, r->undefined ? "undefined" : "-");
    } else if (!isfinite(r->depth)) {
        table_cell(t, STYLE_PLAIN, "inseparable");
    } else {
        table_cell(t, STYLE_FOUND, "%.6g", r->depth);
    }
    if (isfinite(r->depth)) {
        add_vector(t, r->direction);
    } else {
        table_cell(t, STYLE_PLAIN, "-");
    }
}

static const char* words_of(relation_kind kind) {
    switch (kind) {
        case RELATION_TOUCHES: return "touches";
        case RELATION_NEAR: return "is near";
        case RELATION_A_IN_B:
        case RELATION_B_IN_A: return "is inside";
        case RELATION_A_PARTLY_IN_B:
        case RELATION_B_PARTLY_IN_A: return "is partly inside";
    }
    return "is related to";
}

static void add_names(table* t, const check_summary* c, const relation_record* r) {
    const bool turned = r->now.kind >= RELATION_B_IN_A;
    table_cell(t, STYLE_PLAIN, "%.240s %s %.240s", c->labels[turned ? r->b : r->a],
               words_of(r->now.kind), r->a == r->b ? "itself" : c->labels[turned ? r->a : r->b]);
}

// adds a relation of two objects, in its worst frame
static void add_relation(table* t, const check_summary* c, const relation_record* r,
                         const layout* l) {
    char runs[RUNS_SIZE];
    add_names(t, c, r);
    if (l->frames) {
        table_number(t, STYLE_PLAIN, r->frames);
        table_cell(t, STYLE_PLAIN, "%s", runs_text(&r->runs, c->ask->names, MOST_RUNS_SHOWN, runs));
        add_frame_cell(t, c, r->worst);
    }
    if (l->pairs) {
        add_count(t, r->now.pairs);
    }
    if (l->swept) {
        add_count(t, r->now.swept);
        if (isnan(r->now.first)) {
            table_cell(t, STYLE_PLAIN, "-");
        } else {
            table_cell(t, STYLE_PLAIN, "%.3g", r->now.first);
        }
    }
    if (l->features) {
        add_count(t, r->now.features);
    }
    if (l->depth) {
        add_depth_cells(t, &r->now);
    }
}

static int compare_relations(const void* x, const void* y) {
    const relation_record* a = *(const relation_record* const*)x;
    const relation_record* b = *(const relation_record* const*)y;
    if (a->now.counts != b->now.counts) {
        return a->now.counts ? -1 : 1;
    }
    if (relation_is_worse(&a->now, &b->now) != relation_is_worse(&b->now, &a->now)) {
        return relation_is_worse(&a->now, &b->now) ? -1 : 1;
    }
    return (a > b) - (a < b);  // in the order of the history
}

// a distance in a single frame has a table of its own
static bool is_in_other_table(const check_summary* c, const relation_record* r) {
    const size_t counted = (r->now.pairs == NO_COUNT ? 0 : r->now.pairs) +
                           (r->now.swept == NO_COUNT ? 0 : r->now.swept) +
                           (r->now.features == NO_COUNT ? 0 : r->now.features);
    return c->found->frame_count == 1 && c->ask->nearest && r->now.kind <= RELATION_NEAR &&
           counted == 0 && isnan(r->now.depth);
}

// the worst first; the caller frees the list
static const relation_record** sort_relations(const check_summary* c, size_t* count) {
    const relation_record** list = allocate(c->found->relation_count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < c->found->relation_count; ++i) {
        if (!is_in_other_table(c, &c->found->relations[i])) {
            list[(*count)++] = &c->found->relations[i];
        }
    }
    if (*count > 1) {
        qsort(list, *count, sizeof *list, compare_relations);
    }
    return list;
}

static void print_notes(const relation_record* const* list, size_t count) {
    bool swept = false;
    bool depth = false;
    for (size_t i = 0; i < count && i < MOST_CONTACTS; ++i) {
        swept = swept || !isnan(list[i]->now.first);
        depth = depth || isfinite(list[i]->now.depth);
    }
    if (swept) {
        printf("\"First at\" is a time between the frame before (0) and this one (1).\n");
    }
    if (depth) {
        printf(
            "Moving the first of the two by \"deepest\" along \"separating direction\" frees it of "
            "the deepest region.\n");
    }
}

static void print_more(size_t count) {
    if (count > MOST_CONTACTS) {
        printf("... and %zu more; --csv FILE and --json FILE have them all\n",
               count - MOST_CONTACTS);
    }
}

static void print_relations(const check_summary* c) {
    size_t count = 0;
    char heads[HEADS_SIZE];
    const layout l = layout_of(c);
    const relation_record** list = sort_relations(c, &count);
    snprintf(heads, sizeof heads, "<which%s%s%s%s%s",
             l.frames ? "|frames|<in frames|worst frame" : "", l.pairs ? "|pairs" : "",
             l.swept ? "|between frames|first at" : "", l.features ? "|features" : "",
             l.depth ? "|regions|deepest|<separating direction" : "");
    table* t = table_create(heads);
    for (size_t i = 0; i < count && i < MOST_CONTACTS; ++i) {
        add_relation(t, c, list[i], &l);
    }
    // the verdict names a single object inside another
    const bool said = !l.frames && !verdict_found(c->said) && count < 2;
    if (count != 0 && !said) {
        printf("\n");
        table_print(t, 0);
        print_notes(list, count);
        print_more(count);
    }
    table_destroy(t);
    free(list);
}

// why depth is undefined, also where nothing touches
static void print_undefined(const check_summary* c) {
    size_t count = 0;
    for (size_t i = 0; i < c->found->pair_count; ++i) {
        const pair_record* p = &c->found->pairs[i];
        char text[REASON_SIZE];
        char frames[64] = "";
        if (p->undefined == 0 || count++ >= MOST_CONTACTS) {
            continue;
        }
        if (c->found->frame_count > 1) {
            snprintf(frames, sizeof frames, "in %u frame%s ", p->undefined,
                     p->undefined == 1 ? "" : "s");
        }
        const finding f = {.a = p->a,
                           .b = p->b,
                           .depth_undefined = true,
                           .why_a = p->why_a[0] != '\0' ? p->why_a : NULL,
                           .why_b = p->why_b[0] != '\0' ? p->why_b : NULL};
        printf("%s and %s: %s%s.\n", c->labels[p->a], p->a == p->b ? "itself" : c->labels[p->b],
               frames, finding_reason(&f, c->labels, text));
    }
    print_more(count);
}

// prints the least distances, with frame and points
static void print_nearest(const check_summary* c) {
    const bool frames = c->found->frame_count > 1;
    size_t count = 0;
    table* t = table_create(frames ? "<which|least distance|in frame|<from|<to"
                                   : "<which|distance|<from|<to");
    for (size_t i = 0; i < c->found->pair_count; ++i) {
        const pair_record* r = &c->found->pairs[i];
        if (isnan(r->distance) || count++ >= MOST_CONTACTS) {
            continue;
        }
        table_cell(t, STYLE_PLAIN, "%.240s to %.240s", c->labels[r->a], c->labels[r->b]);
        table_cell(t, r->distance == 0 ? STYLE_FOUND : STYLE_PLAIN, "%.9g", r->distance);
        if (frames) {
            add_frame_cell(t, c, r->near);
        }
        for (int s = 0; s < 2; ++s) {
            if (isfinite(r->distance)) {
                add_vector(t, s == 0 ? r->point_a : r->point_b);
            } else {
                table_cell(t, STYLE_PLAIN, "-");
            }
        }
    }
    if (count != 0) {
        printf("\n");
        table_print(t, 0);
        print_more(count);
    }
    table_destroy(t);
}

// ---- the frames

// adds the deepest region, and whether depth is undefined for others
static void add_deepest(table* t, const frame_record* f) {
    if (f->undefined && f->regions == 0) {
        table_cell(t, STYLE_PLAIN, "undefined");
    } else {
        table_cell(t, look_of(f->regions), f->undefined ? "%.6g, undefined" : "%.6g", f->deepest);
    }
}

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
        add_deepest(t, f);
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
             ask->self ? "|pairs self" : "", ask->sweep ? "|between frames" : "",
             ask->nearest ? "|distance" : "", ask->depth ? "|regions|deepest|jump" : "",
             c->verbose ? "|boxes tested|blocks evaluated|exact tests" : "");
    return table_create(heads);
}

// Prints all frames of a short run, or those of a long run that touch. For a single frame the table
// above says everything but the work.
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
            printf("The triangles of %s change in %zu frame%s.\n", c->labels[i], changes,
                   changes == 1 ? "" : "s");
        }
    }
}

void print_check_report(const check_summary* c) {
    char time[NUMBER_SIZE];
    print_verdict(c);
    gate_print(c->gate, c->ask->names);
    print_relations(c);
    gate_print_events(c->gate, c->ask->names, c->labels);
    print_undefined(c);
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
