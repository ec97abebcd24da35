// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads and writes baselines: see baseline.h. By triangle a line for two objects is followed by keys:
//
//   contact "shirt.obj" "body.obj"
//   00c5a1d2a0f3b4e7
//
// By component there are lines for components (key, node, box at rest, label) and for findings (keys):
//
//   component 1f00c5a1d2a0f3b4 "node" -1 -1 -1 1 1 1 "shirt.obj"
//   contact 1f00c5a1d2a0f3b4 2e7d00c5a1d2a0f3
//
// Lines that begin with # are for people. Files are not trusted.
#include "cli/gate/baseline_data.h"
#include "cli/message.h"
#include "io/file.h"
#include "io/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char* const HEADS[2] = {"abut baseline 1 by triangle", "abut baseline 1 by component"};

// ---- writing

static void put_text(FILE* file, const char* text) {
    fputc('"', file);
    for (; *text != '\0'; ++text) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', file);
        }
        fputc(*text, file);
    }
    fputc('"', file);
}

static int compare_texts(const known_group* g, const known_group* h) {
    const int first = strcmp(g->labels[0], h->labels[0]);
    const int second = first != 0 ? first : strcmp(g->labels[1], h->labels[1]);
    return second != 0 ? second : (int)g->kind - (int)h->kind;
}

typedef struct sorted_entry {
    const known_entry* entry;
    const known_group* group;
} sorted_entry;

static int compare_entries(const void* x, const void* y) {
    const sorted_entry* a = x;
    const sorted_entry* b = y;
    const int group = compare_texts(a->group, b->group);
    return group != 0 ? group : (a->entry->key > b->entry->key) - (a->entry->key < b->entry->key);
}

static int compare_parts(const void* x, const void* y) {
    const known_part* p = *(const known_part* const*)x;
    const known_part* q = *(const known_part* const*)y;
    const int label = strcmp(p->label, q->label);
    return label != 0 ? label : (p->key > q->key) - (p->key < q->key);
}

static void write_parts(const baseline* b, FILE* file) {
    const known_part** sorted = allocate(b->part_count, sizeof *sorted);
    for (size_t i = 0; i < b->part_count; ++i) {
        sorted[i] = &b->parts[i];
    }
    if (b->part_count > 1) {
        qsort(sorted, b->part_count, sizeof *sorted, compare_parts);
    }
    for (size_t i = 0; i < b->part_count; ++i) {
        const known_part* p = sorted[i];
        fprintf(file, "component %016" PRIx64 " ", p->key);
        put_text(file, p->node);
        fprintf(file, " %.9g %.9g %.9g %.9g %.9g %.9g ", p->box.lo[0], p->box.lo[1], p->box.lo[2],
                p->box.hi[0], p->box.hi[1], p->box.hi[2]);
        put_text(file, p->label);
        fputc('\n', file);
    }
    free(sorted);
}

static void write_entry(const baseline* b, FILE* file, const sorted_entry* e, bool first) {
    if (b->by_component) {
        fprintf(file, "%s %016" PRIx64 " %016" PRIx64 "\n", finding_words[e->group->kind],
                e->entry->sides[0], e->entry->sides[1]);
        return;
    }
    if (first) {
        fprintf(file, "%s ", finding_words[e->group->kind]);
        put_text(file, e->group->labels[0]);
        fputc(' ', file);
        put_text(file, e->group->labels[1]);
        fputc('\n', file);
    }
    fprintf(file, "%016" PRIx64 "\n", e->entry->key);
}

void baseline_write(const baseline* b, FILE* file) {
    sorted_entry* sorted = allocate(b->count, sizeof *sorted);
    for (size_t i = 0; i < b->count; ++i) {
        sorted[i] = (sorted_entry){&b->list[i], &b->groups[b->list[i].group]};
    }
    if (b->count > 1) {
        qsort(sorted, b->count, sizeof *sorted, compare_entries);
    }
    fprintf(file, "%s\n", HEADS[b->by_component]);
    fprintf(file,
            "# Contact that is known, from abut check --write-baseline. A number stands for %s\n"
            "# at rest; names are for people.\n",
            b->by_component ? "a component by its box" : "two triangles by their corners");
    write_parts(b, file);
    for (size_t i = 0; i < b->count; ++i) {
        write_entry(b, file, &sorted[i], i == 0 || sorted[i].group != sorted[i - 1].group);
    }
    free(sorted);
}

// ---- reading

typedef struct reader {
    baseline* b;
    const char* path;
    const char* at;   // in the line
    const char* end;  // of the line
    size_t line;
    uint32_t group;
    bool has_group;
} reader;

static bool fail(const reader* r, const char* wanted) {
    complain("%s: line %zu of the baseline: %s is expected", r->path, r->line, wanted);
    return false;
}

static void skip_blanks(reader* r) {
    while (r->at < r->end && *r->at == ' ') {
        ++r->at;
    }
}

static bool read_key(reader* r, uint64_t* key) {
    skip_blanks(r);
    *key = 0;
    for (int i = 0; i < 16; ++i, ++r->at) {
        const char* digits = "0123456789abcdef";
        const char* digit = r->at < r->end && *r->at != '\0' ? strchr(digits, *r->at) : NULL;
        if (digit == NULL) {
            return fail(r, "a number of 16 hexadecimal digits");
        }
        *key = *key << 4 | (uint64_t)(digit - digits);
    }
    return *key != 0 || fail(r, "a number above 0");
}

// reads a quoted text, which the caller frees; NULL after an error message
static char* read_text(reader* r) {
    skip_blanks(r);
    char* text = allocate((size_t)(r->end - r->at) + 1, 1);
    size_t used = 0;
    bool closed = false;
    if (r->at < r->end && *r->at == '"') {
        for (++r->at; r->at < r->end && !closed; ++r->at) {
            closed = *r->at == '"';
            r->at += *r->at == '\\' && r->at + 1 < r->end;
            if (!closed) {
                text[used++] = *r->at;
            }
        }
    }
    text[used] = '\0';
    if (!closed) {
        fail(r, "a name in quotation marks");
        free(text);
        return NULL;
    }
    return text;
}

static bool read_box(reader* r, abut_box* box) {
    for (int i = 0; i < 6; ++i) {
        double* to = i < 3 ? &box->lo[i] : &box->hi[i - 3];
        skip_blanks(r);
        if (io_read_double(&r->at, r->end, to) != IO_NUMBER_OK) {
            return fail(r, "a box of six numbers");
        }
    }
    return true;
}

static bool read_component(reader* r) {
    uint64_t key;
    abut_box box;
    if (!read_key(r, &key)) {
        return false;
    }
    char* node = read_text(r);
    char* label = node != NULL && read_box(r, &box) ? read_text(r) : NULL;
    if (label != NULL) {
        baseline_part(r->b, key, label, node, &box);
    }
    free(node);
    const bool done = label != NULL;
    free(label);
    return done;
}

static bool read_finding(reader* r, finding_kind kind) {
    known_entry e = {0};
    if (!read_key(r, &e.sides[0]) || !read_key(r, &e.sides[1])) {
        return false;
    }
    const known_part* x = baseline_find_part(r->b, e.sides[0]);
    const known_part* y = baseline_find_part(r->b, e.sides[1]);
    if (x == NULL || y == NULL) {
        return fail(r, "a number of a component above");
    }
    e.key = pair_key(kind, e.sides[0], e.sides[1]);
    e.group = baseline_group(r->b, kind, x->label, y->label);
    baseline_put(r->b, &e);
    return true;
}

static bool read_group(reader* r, finding_kind kind) {
    char* x = read_text(r);
    char* y = x != NULL ? read_text(r) : NULL;
    if (y != NULL) {
        r->group = baseline_group(r->b, kind, x, y);
        r->has_group = true;
    }
    free(x);
    const bool done = y != NULL;
    free(y);
    return done;
}

static bool at_word(reader* r, const char* word) {
    const size_t length = strlen(word);
    const bool found = (size_t)(r->end - r->at) > length && r->at[length] == ' ' &&
                       strncmp(r->at, word, length) == 0;
    r->at += found ? length : 0;
    return found;
}

static bool read_line(reader* r) {
    if (r->at == r->end || *r->at == '#') {
        return true;
    }
    for (int kind = 0; kind < FINDING_KINDS; ++kind) {
        if (at_word(r, finding_words[kind])) {
            return r->b->by_component ? read_finding(r, (finding_kind)kind)
                                      : read_group(r, (finding_kind)kind);
        }
    }
    if (r->b->by_component) {
        return at_word(r, "component") ? read_component(r)
                                       : fail(r, "'component', 'contact', 'inside' or 'near'");
    }
    known_entry e = {.group = r->group};
    if (!r->has_group) {
        return fail(r, "'contact', 'inside' or 'near', with two names,");
    }
    if (!read_key(r, &e.key)) {
        return false;
    }
    baseline_put(r->b, &e);
    return true;
}

// sets the bounds of the next line; false behind the last
static bool next_line(reader* r, const char** rest, const char* end) {
    if (*rest == end) {
        return false;
    }
    const char* stop = memchr(*rest, '\n', (size_t)(end - *rest));
    r->at = *rest;
    r->end = stop != NULL ? stop : end;
    *rest = stop != NULL ? stop + 1 : end;
    if (r->end > r->at && r->end[-1] == '\r') {
        --r->end;
    }
    ++r->line;
    return true;
}

static bool read_lines(reader* r, const char* bytes, size_t size) {
    const char* rest = bytes;
    const char* end = bytes + size;
    while (next_line(r, &rest, end)) {
        if (r->line == 1) {
            const size_t length = (size_t)(r->end - r->at);
            for (int i = 0; i < 2 && r->b == NULL; ++i) {
                if (length == strlen(HEADS[i]) && memcmp(r->at, HEADS[i], length) == 0) {
                    r->b = baseline_create(i == 1);
                }
            }
            if (r->b == NULL) {
                break;
            }
        } else if (!read_line(r)) {
            return false;
        }
    }
    if (r->b == NULL) {
        complain("%s is not a baseline: its first line is not '%s', as --write-baseline writes it",
                 r->path, HEADS[0]);
    }
    return r->b != NULL;
}

baseline* baseline_parse(const char* path, const char* bytes, size_t size) {
    reader r = {.path = path};
    if (!read_lines(&r, bytes, size)) {
        baseline_free(r.b);
        return NULL;
    }
    return r.b;
}

baseline* baseline_read(const char* path) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    if (!io_read_file(path, &bytes, &size, &error)) {
        complain("--baseline: %s", error.message);
        return NULL;
    }
    baseline* b = baseline_parse(path, bytes, size);
    free(bytes);
    return b;
}
