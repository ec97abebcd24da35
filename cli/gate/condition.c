// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Parses conditions and decides whether they hold: see condition.h.
#include "cli/gate/condition.h"

#include "cli/message.h"
#include "io/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 256, MOST_DEPTH = 32, WORD_SIZE = 16 };

typedef enum node_type { NODE_OR, NODE_AND, NODE_NOT, NODE_KIND, NODE_COMPARE } node_type;
typedef enum quantity { DEPTH, DISTANCE, LENGTH, PAIRS, QUANTITIES } quantity;
typedef enum unit { PLAIN, METRES, PERCENT, FRAMES, SECONDS } unit;

typedef struct node {
    node_type type;
    size_t left;
    size_t right;
    contact_kind kind;
    quantity what;
    char comparison[3];
    double number;
    unit unit;
} node;

struct condition {
    node nodes[MOST_NODES];
    size_t count;
    size_t root;
};

// ---- parsing

typedef struct parser {
    const char* text;
    const char* at;
    condition* out;
    int depth;
    bool failed;
} parser;

static size_t fail(parser* p, const char* at, const char* wanted) {
    size_t column = 1;
    for (const char* c = p->text; c < at; ++c) {
        column += ((unsigned char)*c & 0xC0) != 0x80;  // a character of UTF-8 is one column
    }
    if (!p->failed) {
        complain("--fail-if '%.300s': column %zu: %s", p->text, column, wanted);
    }
    p->failed = true;
    return 0;
}

static void skip_blanks(parser* p) {
    while (*p->at == ' ' || *p->at == '\t') {
        ++p->at;
    }
}

static size_t add(parser* p, node n) {
    if (p->out->count == MOST_NODES) {
        return fail(p, p->at, "the condition is too long");
    }
    p->out->nodes[p->out->count] = n;
    return p->out->count++;
}

// copies the word at the parser without moving; empty if there is none
static const char* peek_word(parser* p, char word[WORD_SIZE]) {
    size_t length = 0;
    skip_blanks(p);
    while (isalpha((unsigned char)p->at[length]) && length + 1 < WORD_SIZE) {
        word[length] = (char)tolower((unsigned char)p->at[length]);
        ++length;
    }
    word[length] = '\0';
    return word;
}

static bool take_word(parser* p, const char* wanted) {
    char word[WORD_SIZE];
    const bool found = strcmp(peek_word(p, word), wanted) == 0;
    p->at += found ? strlen(wanted) : 0;
    return found;
}

static bool take_comparison(parser* p, char out[3]) {
    static const char* const all[] = {">=", "<=", "==", "!=", ">", "<", "="};
    skip_blanks(p);
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (strncmp(p->at, all[i], strlen(all[i])) == 0) {
            memcpy(out, all[i], strlen(all[i]) + 1);
            p->at += strlen(all[i]);
            return true;
        }
    }
    fail(p, p->at, "a comparison is expected: >, >=, <, <=, = or !=");
    return false;
}

// a unit that fits the quantity, or none; scales the number to metres
static bool take_unit(parser* p, node* n) {
    static const struct {
        const char* name;
        unit unit;
        double scale;
    } all[] = {{"mm", METRES, 0.001}, {"cm", METRES, 0.01}, {"m", METRES, 1},
               {"frames", FRAMES, 1}, {"frame", FRAMES, 1}, {"s", SECONDS, 1},
               {"pairs", PLAIN, 1},   {"pair", PLAIN, 1}};
    static const char* const wanted[QUANTITIES] = {"the unit of a depth is mm, cm, m or %",
                                                   "the unit of a distance is mm, cm, m or %",
                                                   "the unit of a length is frames or s",
                                                   "pairs have no unit"};
    char word[WORD_SIZE];
    skip_blanks(p);
    const char* start = p->at;
    const bool space = n->what == DEPTH || n->what == DISTANCE;
    if (*p->at == '%') {
        ++p->at;
        n->unit = PERCENT;
        return space || (fail(p, start, wanted[n->what]), false);
    }
    peek_word(p, word);
    if (word[0] == '\0' || strcmp(word, "or") == 0 || strcmp(word, "and") == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        const bool fits = all[i].unit == METRES  ? space
                          : all[i].unit == PLAIN ? n->what == PAIRS
                                                 : n->what == LENGTH;
        if (fits && take_word(p, all[i].name)) {
            n->unit = all[i].unit;
            n->number *= all[i].scale;
            return true;
        }
    }
    fail(p, start, wanted[n->what]);
    return false;
}

static size_t parse_comparison(parser* p, quantity what) {
    node n = {.type = NODE_COMPARE, .what = what};
    if (!take_comparison(p, n.comparison)) {
        return 0;
    }
    skip_blanks(p);
    if (io_read_double(&p->at, p->at + strlen(p->at), &n.number) != IO_NUMBER_OK) {
        return fail(p, p->at, "a number is expected");
    }
    return take_unit(p, &n) ? add(p, n) : 0;
}

static size_t parse_or(parser* p);

static size_t parse_term(parser* p) {
    static const char* const quantities[QUANTITIES] = {"depth", "distance", "length", "pairs"};
    if (++p->depth > MOST_DEPTH) {
        return fail(p, p->at, "the condition is too deep");
    }
    size_t out = 0;
    skip_blanks(p);
    const char* start = p->at;
    if (*p->at == '(') {
        ++p->at;
        out = parse_or(p);
        skip_blanks(p);
        if (*p->at != ')') {
            return fail(p, p->at, "')' is expected");
        }
        ++p->at;
        --p->depth;
        return out;
    }
    if (take_word(p, "not")) {
        out = parse_term(p);
        --p->depth;
        return add(p, (node){.type = NODE_NOT, .left = out});
    }
    --p->depth;
    for (int i = 0; i < QUANTITIES; ++i) {
        if (take_word(p, quantities[i])) {
            return parse_comparison(p, (quantity)i);
        }
    }
    for (int i = 0; i < KINDS; ++i) {
        if (take_word(p, contact_kind_name((contact_kind)i))) {
            return add(p, (node){.type = NODE_KIND, .kind = (contact_kind)i});
        }
    }
    return fail(
        p, start,
        "depth, distance, length, pairs, cuts, touches, between, inside, near, not or '(' is "
        "expected");
}

static size_t parse_and(parser* p) {
    size_t left = parse_term(p);
    while (!p->failed && take_word(p, "and")) {
        const size_t right = parse_term(p);
        left = add(p, (node){.type = NODE_AND, .left = left, .right = right});
    }
    return left;
}

static size_t parse_or(parser* p) {
    size_t left = parse_and(p);
    while (!p->failed && take_word(p, "or")) {
        const size_t right = parse_and(p);
        left = add(p, (node){.type = NODE_OR, .left = left, .right = right});
    }
    return left;
}

condition* condition_parse(const char* text) {
    condition* c = allocate(1, sizeof *c);
    parser p = {.text = text, .at = text, .out = c};
    c->root = parse_or(&p);
    skip_blanks(&p);
    if (!p.failed && *p.at != '\0') {
        fail(&p, p.at, "'and', 'or' or the end is expected");
    }
    if (p.failed) {
        free(c);
        return NULL;
    }
    return c;
}

void condition_free(condition* c) {
    free(c);
}

static bool has(const condition* c, unit wanted) {
    bool found = false;
    for (size_t i = 0; i < c->count; ++i) {
        found = found || (c->nodes[i].type == NODE_COMPARE && c->nodes[i].unit == wanted);
    }
    return found;
}

bool condition_has_unit(const condition* c) {
    return has(c, METRES);
}

bool condition_has_percent(const condition* c) {
    return has(c, PERCENT);
}

// ---- deciding

static double value_of(const node* n, const event* e) {
    return n->what == DEPTH      ? e->now.depth
           : n->what == DISTANCE ? e->now.distance
           : n->what == LENGTH   ? (double)event_length(e)
                                 : (double)e->most_pairs;
}

static double limit_of(const node* n, const condition_scale* s) {
    return n->unit == METRES    ? n->number / s->metres
           : n->unit == PERCENT ? n->number / 100 * s->diagonal
           : n->unit == SECONDS ? n->number * s->fps
                                : n->number;
}

static bool compares(const char* comparison, double x, double y) {
    switch (comparison[0]) {
        case '>': return comparison[1] == '=' ? x >= y : x > y;
        case '<': return comparison[1] == '=' ? x <= y : x < y;
        case '!': return x != y;
        default: return x == y;
    }
}

static bool holds(const condition* c, size_t at, const event* e, const condition_scale* s) {
    const node* n = &c->nodes[at];
    switch (n->type) {
        case NODE_OR: return holds(c, n->left, e, s) || holds(c, n->right, e, s);
        case NODE_AND: return holds(c, n->left, e, s) && holds(c, n->right, e, s);
        case NODE_NOT: return !holds(c, n->left, e, s);
        case NODE_KIND: return e->kind == n->kind;
        case NODE_COMPARE: return compares(n->comparison, value_of(n, e), limit_of(n, s));
    }
    return false;
}

bool condition_holds(const condition* c, const event* e, const condition_scale* scale) {
    return holds(c, c->root, e, scale);
}
