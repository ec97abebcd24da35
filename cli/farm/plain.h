// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Merges the JSON of checks of some frames each (check --frames A:B --json FILE) into that of one check. Plain JSON
// holds less than a part (part.h): events, rules, baselines, depth and sweeps over a seam need parts.
#ifndef CLI_FARM_PLAIN_H
#define CLI_FARM_PLAIN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/// Whether a file looks like the JSON of a check.
bool is_plain(const json_t* root);

/// A file and what it holds.
typedef struct plain {
    const char* path;
    json_t* root;
    size_t first;  ///< frames, counted from 0
    size_t last;
} plain;

/// Merges files into a JSON file. Their order does not matter. Returns the exit code of the run.
int plain_merge(plain* list, size_t count, const char* output);

#endif
