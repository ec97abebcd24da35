// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Elements of tables that may be empty, which have no memory: in C nothing may be added to NULL,
// not even 0.
#ifndef ABUT_BASE_OFFSET_H
#define ABUT_BASE_OFFSET_H

#include <stddef.h>

// Returns the address of an element, or NULL if there is no table. Evaluates `table` twice.
// A static analyzer that saw the comparison would expect NULL wherever an element is read.
#ifdef __clang_analyzer__
#define ABUT__AT(table, number) ((table) + (number))
#else
#define ABUT__AT(table, number) ((table) != NULL ? (table) + (number) : (table))
#endif

#endif
