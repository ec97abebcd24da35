// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the kinds of data of `abut verify` share.
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include "cli/options.h"
#include "cli/table.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tally {
    uint64_t queries;
    uint64_t missed;        ///< labelled as touching, reported as separate
    uint64_t false_alarms;  ///< labelled as separate, reported as touching
    uint64_t near;          ///< the same, but so close that the tolerance allows it
    uint64_t undecided;     ///< reported as undecided; counted as touching above
    double seconds;
} tally;

/// Adds a row for one file, and adds its counts to `sum`.
void verify_add(table* rows, const char* name, const tally* t, tally* sum);

/// Verify all files that the arguments name. False after an error message.
bool verify_tritri(const arguments* given, table* rows, tally* sum);
bool verify_ccd(const arguments* given, table* rows, tally* sum);
/// Notes all files that verify_ccd() will read as inputs. False after an error message.
bool verify_ccd_note(const arguments* given);

#endif
