// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes SARIF 2.1.0, which code hosts show: a result for each event, an error if it fails the check and a
// note otherwise. A scene that could not be checked is a notification.
#ifndef CLI_GATE_SARIF_H
#define CLI_GATE_SARIF_H

#include "cli/gate/scene.h"
#include "cli/json.h"

typedef struct sarif {
    json_t* results;
    json_t* notifications;
} sarif;

void sarif_begin(sarif* f);
void sarif_scene(sarif* f, const scene* s);
/// Writes the file to an open output, and frees what was gathered.
void sarif_end(sarif* f, json_output* out);

#endif
