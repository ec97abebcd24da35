// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A part of a check: the outcomes of some frames of a run, and all that outputs need beside them. A part is a
// pure function of the inputs, the options and its range of frames. Parts that cover all frames of a run give
// the outputs of that run (part_set.h).
//
// A part is a JSON file, one frame a line:
//   the head     what all parts of a run have in common, and the range of this one
//   frames       outcomes (outcome_json.h); a part that was interrupted has only the first of its range
//   the tail     descriptions of the objects, what was seen of the baseline, and a hash of all before it
// Parts are not trusted: whatever is read is checked.
#ifndef CLI_FARM_PART_H
#define CLI_FARM_PART_H

#include "cli/check_outputs.h"
#include "cli/farm/outcome_json.h"

// ---- the head

/// What a head is made of.
typedef struct part_subject {
    const arguments* given;  ///< of abut check
    const gate* gate;        ///< after gate_learn()
    const object_list* objects;
    const char* inputs;  ///< the hash of the inputs (inputs.h)
    size_t run[2];       ///< first and last frame of the whole run, counted from 0
    size_t range[2];     ///< of this part
} part_subject;

/// NULL after an error message, if a name cannot be written as JSON.
json_t* part_head(const part_subject* of);
/// Whether an option of abut check matters for parts; those that name outputs and say how to work do not.
bool part_option_matters(size_t option);
/// Compares two heads without their ranges. `names` are those of the files, for an error message; names[1]
/// may be NULL for this run. False after an error message.
bool part_same_run(const json_t* x, const json_t* y, const char* const names[2]);

// ---- writing

typedef struct part_writer part_writer;

/// Begins a part. Takes over the head.
part_writer* part_writer_open(json_t* head, size_t object_count);
void part_writer_free(part_writer* p);
/// Adds the next outcome, which must have JSON and rows.
void part_writer_add(part_writer* p, const outcome* o);
/// Sets the tail: descriptions of the objects (taken over), and the baseline, which is borrowed.
void part_writer_describe(part_writer* p, json_t* objects);
/// The whole part as text, which the caller frees.
char* part_writer_text(const part_writer* p, const baseline* known, size_t* size);

// ---- reading

/// Start zeroed. Free with part_free().
typedef struct part {
    const char* path;    ///< borrowed
    json_t* root;        ///< the head, frames and tail
    size_t run[2];       ///< first and last frame of the whole run
    size_t range[2];     ///< of this part
    size_t frame_count;  ///< that it has; fewer than its range after an interruption
    char** words;        ///< the arguments
    size_t word_count;
    arguments given;       ///< of abut check, without those that do not matter
    const char* settings;  ///< the file that settings are from; NULL: none
    const char* inputs;
    object_list objects;  ///< their names only
    uint64_t* numbers;    ///< of the frames
    io_model_clip* clips;
    double metres;         ///< what one unit of the files is; 0: it is not known
    double diagonal;       ///< of the first frame; 0: it was not needed
    uint64_t* topologies;  ///< of the last outcome that was read
    bool has_topologies;
} part;

/// Reads a part. False after an error message.
bool part_read(part* p, const char* path);
/// The same from memory; `path` is for messages.
bool part_parse(part* p, const char* path, const char* bytes, size_t size);
void part_free(part* p);

/// The frame behind the last one that it has.
static inline size_t part_end(const part* p) {
    return p->range[0] + p->frame_count;
}

/// Reads the i-th outcome, in order. False after an error message; free it also then.
bool part_outcome(part* p, size_t i, const question* ask, size_t rule_count, outcome* out);
/// A list with descriptions of the objects, or NULL if there are none.
json_t* part_descriptions(const part* p);
/// Marks in a baseline what the part has seen. False after an error message.
bool part_see(const part* p, baseline* known);
/// The baseline of the part; NULL if there is none, and after an error message in *failed.
baseline* part_baseline(const part* p, bool* failed);

#endif
