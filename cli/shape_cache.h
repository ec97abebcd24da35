// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Keeps prepared shapes between runs, in XDG_CACHE_HOME/abut or ~/.cache/abut: a file for each, named
// by a hash of all that the shape is made of. Files are written whole or not at all. All together
// have at most 1 GB; those that were not used for longest go first. Nothing here is an error: a folder
// that cannot be written keeps nothing, and a damaged file is made anew.
#ifndef CLI_SHAPE_CACHE_H
#define CLI_SHAPE_CACHE_H

#include "cli/sha256.h"

#include <abut/abut.h>
#include <limits.h>
#include <stdint.h>

enum { SHAPE_CACHE_PATH = 4096 };

/// The name of a shape: a hash of what it is made of, by which no model can be made to pass for
/// another one.
typedef struct shape_key {
    sha256 sum;
} shape_key;

shape_key shape_key_begin(void);
/// Adds numbers of `size` bytes to a key, and how many there are. NULL counts as none.
void shape_key_add(shape_key* key, const void* numbers, size_t count, size_t size);

/// Writes the path of the folder, which need not exist. False: there is no place for it.
bool shape_cache_folder(char path[SHAPE_CACHE_PATH]);

/// Loads a shape; `size` receives the number of its bytes. NULL: there is none that can be read.
abut_shape* shape_cache_find(abut_context* context, shape_key key, size_t* size);
/// Keeps a shape, unless its bytes are no more than `size`, which is how many were loaded.
void shape_cache_keep(const abut_shape* shape, shape_key key, size_t size);

typedef struct shape_cache_info {
    size_t count;    ///< of shapes
    uint64_t bytes;  ///< of all of them
} shape_cache_info;
shape_cache_info shape_cache_inspect(void);
/// Removes all shapes, and files that an interrupted run has left. Returns how many shapes remain,
/// because they cannot be removed.
size_t shape_cache_clear(void);

#endif
