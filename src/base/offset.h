// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Places in tables that may be empty: those have no memory, and C lets nothing be added to NULL, not even 0.
#ifndef ABUT_BASE_OFFSET_H
#define ABUT_BASE_OFFSET_H

#include <stddef.h>

// The element of a table, or NULL if there is no table. `table` is evaluated twice.
#define ABUT__AT(table, number) ((table) != NULL ? (table) + (number) : (table))

#endif
