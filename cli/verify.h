// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the kinds of `abut verify` have in common.
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include "cli/options.h"
#include "cli/table.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tally {
    uint64_t queries;
    uint64_t missed;        ///< labelled as touching, answered apart
    uint64_t false_alarms;  ///< labelled as apart, answered touching
    uint64_t near;          ///< the same where that is allowed: so close that a tolerance covers it
    uint64_t undecided;     ///< answered so, whatever the label; counted as touching above
    double seconds;
} tally;

/// Adds a row for one file, and to the sum of all.
void verify_add(table* rows, const char* name, const tally* t, tally* sum);

/// The kinds: all that the arguments name. False after a sentence.
bool verify_tritri(const arguments* given, table* rows, tally* sum);
bool verify_ccd(const arguments* given, table* rows, tally* sum);
/// Notes all files that verify_ccd() will read. False after a sentence.
bool verify_ccd_note(const arguments* given);

#endif
