// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Names frames for output: the number in the name of the frame's file, and the animation of a model
// that plays in it. Inside the command frames are counted from 0.
#ifndef CLI_FRAME_NAME_H
#define CLI_FRAME_NAME_H

#include "cli/options.h"
#include "io/model.h"

/// The names of all frames. An object_list owns them, and a question points to them. Functions take
/// NULL for numbers from 0.
typedef struct frame_names {
    size_t count;                ///< of frames
    const uint64_t* numbers;     ///< of the files, ascending; NULL: 0, 1, 2, ...
    const io_model_clip* clips;  ///< played one after the other
    size_t clip_count;
} frame_names;

enum { FRAME_TEXT_SIZE = 128, FRAME_LIST_SIZE = 256 };

/// The number of a frame in output: frame_040.obj has number 40.
uint64_t frame_number(const frame_names* names, size_t frame);
/// The animation that plays in a frame; NULL if there is none, or it is the only one and has no
/// name. One of several that has no name is called "animation 3", by its number.
const char* frame_clip(const frame_names* names, size_t frame, char text[FRAME_TEXT_SIZE]);
/// The label of a frame: "40", or "17 (Run)" if several animations are played. It may contain a
/// name from a file: clean it (io/clean.h) before it is printed.
const char* frame_label(const frame_names* names, size_t frame, char text[FRAME_TEXT_SIZE]);

/// All frame numbers as text: "0 to 9", "7", "40 to 60, without 43 and 47 to 49", or "0 to 20 in
/// steps of 5".
const char* frame_numbers(const frame_names* names, char text[FRAME_LIST_SIZE]);
/// Whether numbers between the first and the last are missing.
bool frame_numbers_have_gaps(const frame_names* names);

/// Gets the frames, counted from 0 and both included, that --frames A:B selects by number; all if
/// it was not given. False after an error message if there are none.
bool frames_choose(const frame_names* names, const option_value* range, size_t* first,
                   size_t* last);

#endif
