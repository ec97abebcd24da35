// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Names that a file gives to its triangles: materials, and groups and objects of OBJ. They are stored as
// runs, so that memory stays below a small multiple of the file.
#ifndef IO_TAGS_H
#define IO_TAGS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum io_tag_kind {
    IO_TAG_MATERIAL = 0,
    IO_TAG_GROUP,   ///< of OBJ: one name or several, separated by blanks
    IO_TAG_OBJECT,  ///< of OBJ
    IO_TAG_KINDS
} io_tag_kind;

/// Triangles from `first` on, up to the next run of the kind, have this name.
typedef struct io_tag_run {
    size_t first;
    io_tag_kind kind;
    char* name;  ///< may be empty
} io_tag_run;

/// Runs ascend by their first triangle. Start zeroed.
typedef struct io_tags {
    io_tag_run* runs;
    size_t count;
    size_t room;
} io_tags;

/// Begins a run at a triangle that is not before those of other runs; an earlier run of the kind that
/// begins there is replaced. Names are cut to 255 bytes. False if memory is short.
bool io_tags_add(io_tags* tags, size_t first, io_tag_kind kind, const char* name, size_t length);
void io_tags_free(io_tags* tags);

#endif
