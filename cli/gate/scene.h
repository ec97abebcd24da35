// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What a report for machines says about a scene that was checked: all objects of the command line, or one
// of them with --each.
#ifndef CLI_GATE_SCENE_H
#define CLI_GATE_SCENE_H

#include "cli/gate/gate.h"

typedef struct scene {
    const char* name;     ///< of the first object, as typed
    int code;             ///< the exit code
    const char* error;    ///< of EXIT_FAILED: what was wrong
    const char* verdict;  ///< in a sentence
    const gate* gate;     ///< its events; NULL after an error
    const object_list* objects;
    const char* const* labels;  ///< of the objects
    const frame_names* names;   ///< of the frames
    double seconds;             ///< that it took; below 0: not to be told
} scene;

/// An event in a sentence, with the labels of its objects.
enum { EVENT_TEXT_SIZE = 1024 };
const char* event_text(const scene* s, const event* e, char text[EVENT_TEXT_SIZE]);

#endif
