// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prints tables of aligned columns on the standard output.
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/terminal.h"

typedef struct table table;

/// Column heads are separated by '|'. A column whose head starts with '<' is aligned left, others
/// right.
table* table_create(const char* heads);
void table_destroy(table* t);

/// Adds the next cell; rows fill from left to right.
void table_cell(table* t, style look, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void table_number(table* t, style look, uint64_t number);

/// Prints heads and rows, each line indented by `indent` blanks.
void table_print(const table* t, int indent);

#endif
