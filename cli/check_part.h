// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The part that a check writes: with --part all of it at the end, with --resume also now and then, so that an
// interrupted run can continue (farm/part.h).
#ifndef CLI_CHECK_PART_H
#define CLI_CHECK_PART_H

#include "cli/farm/part.h"

/// Start zeroed.
typedef struct check_part {
    const char* path;  ///< NULL: no part is written
    bool resumes;      ///< --resume
    bool whole;        ///< it is a part of a run of all frames (--part), and not a run of its own
    FILE* file;
    part_writer* writer;
    part before;     ///< of the run that was interrupted; it has frames if its path is set
    double saved;    ///< when it was saved last
    double seconds;  ///< that this took
} check_part;

/// Takes the options, and refuses others that do not fit. False after an error message.
bool check_part_read(check_part* p, const arguments* given);
/// Opens the file, and reads what is there to continue. False after an error message.
bool check_part_open(check_part* p);
/// Begins with a head, or continues: adds the outcomes of the run before to the outputs. `next` is the
/// first frame that is left. False after an error message.
bool check_part_begin(check_part* p, const part_subject* of, check_outputs* out, size_t* next);
/// Adds descriptions of the objects, which it takes over, and an outcome, before outputs take it.
void check_part_describe(check_part* p, json_t* objects);
void check_part_add(check_part* p, const outcome* now);
/// With --resume, now and then: saves what is done. `known` has seen the same frames. False after an error
/// message.
bool check_part_save(check_part* p, const baseline* known);
/// Ends the file. False after an error message.
bool check_part_end(check_part* p, const baseline* known);
void check_part_free(check_part* p);

#endif
