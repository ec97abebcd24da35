// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prints tables of aligned columns: see table.h.
#include "cli/table.h"

#include "cli/message.h"
#include "io/clean.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 16 };

typedef struct cell {
    char* text;
    style look;
} cell;

struct table {
    char* heads;  // the column heads, each ended by 0
    const char* head[MOST_COLUMNS];
    bool left[MOST_COLUMNS];
    size_t width[MOST_COLUMNS];
    size_t column_count;
    cell* cells;
    size_t cell_count;
    size_t room;
};

static char* copy_text(const char* text) {
    const size_t size = strlen(text) + 1;
    return memcpy(allocate(size, 1), text, size);
}

table* table_create(const char* heads) {
    table* t = allocate(1, sizeof *t);
    t->heads = copy_text(heads);
    char* at = t->heads;
    while (at != NULL && t->column_count < MOST_COLUMNS) {
        char* bar = strchr(at, '|');
        if (bar != NULL) {
            *bar = '\0';
        }
        const bool left = *at == '<';
        t->left[t->column_count] = left;
        t->head[t->column_count] = at + left;
        t->width[t->column_count++] = columns_of(at + left);
        at = bar == NULL ? NULL : bar + 1;
    }
    return t;
}

void table_destroy(table* t) {
    if (t == NULL) {
        return;
    }
    for (size_t i = 0; i < t->cell_count; ++i) {
        free(t->cells[i].text);
    }
    free(t->cells);
    free(t->heads);
    free(t);
}

void table_cell(table* t, style look, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    io_clean(text);
    if (t->cell_count == t->room) {
        t->room = t->room * 2 + 64;
        t->cells = reallocate(t->cells, t->room, sizeof *t->cells);
    }
    size_t* width = &t->width[t->cell_count % t->column_count];
    const size_t columns = columns_of(text);
    *width = columns > *width ? columns : *width;
    t->cells[t->cell_count++] = (cell){copy_text(text), look};
}

void table_number(table* t, style look, uint64_t number) {
    char text[NUMBER_SIZE];
    table_cell(t, look, "%s", grouped(number, text));
}

static void print_cell(const table* t, size_t column, style look, const char* text) {
    const int pad = (int)(t->width[column] - columns_of(text));
    const bool last = column + 1 == t->column_count;
    if (!t->left[column]) {
        printf("%*s", pad, "");
    }
    print_styled(look, "%s", text);
    if (t->left[column] && !last) {
        printf("%*s", pad, "");
    }
    fputs(last ? "\n" : "  ", stdout);
}

void table_print(const table* t, int indent) {
    printf("%*s", indent, "");
    for (size_t c = 0; c < t->column_count; ++c) {
        print_cell(t, c, STYLE_BOLD, t->head[c]);
    }
    for (size_t i = 0; i < t->cell_count && t->column_count > 0; ++i) {
        if (i % t->column_count == 0) {
            printf("%*s", indent, "");
        }
        print_cell(t, i % t->column_count, t->cells[i].look, t->cells[i].text);
    }
    watch_output();
}
