// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes the findings of abut check for ParaView (VTK): surfaces, shared segments of triangles, swept
// contacts, distances and separating translations of regions.
#ifndef CLI_CONTACT_FILES_H
#define CLI_CONTACT_FILES_H

#include "cli/contact_csv.h"
#include "cli/contact_lines.h"
#include "cli/joined.h"

typedef struct contact_files {
    char* folder;  ///< NULL: none
    const frame_names* names;
    char list_path[4096];
    io_pvd list;
    joined surface;
    line_set lines;             ///< of the current file
    const char* const* labels;  ///< cleaned names of the bodies
    double fps;
} contact_files;

/// Opens the list of files in a folder, which is made; NULL: none. `labels` are borrowed. question.shared
/// must be set. False after an error message.
bool contact_files_open(contact_files* f, const char* folder, const char* const* labels,
                        double fps);
/// Adds the last answers of the world and their summary `now`.
bool contact_files_add(contact_files* f, const world* w, const question* q, const findings* now,
                       uint32_t frame, double time);
/// Ends all files; call it also after a failure. False after an error message.
bool contact_files_close(contact_files* f);

#endif
