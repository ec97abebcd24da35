// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes the findings of abut check for other programs: a table (CSV), and for ParaView (VTK)
// surfaces, shared segments of triangles, swept contacts, distances and separating translations of
// regions.
#ifndef CLI_CONTACT_FILES_H
#define CLI_CONTACT_FILES_H

#include "cli/contact_csv.h"
#include "cli/contact_lines.h"
#include "cli/joined.h"

typedef struct contact_files {
    FILE* csv;
    const char* folder;  ///< of the VTK files, or NULL
    const frame_names* names;
    char list_path[4096];
    io_pvd list;
    joined surface;
    csv_table table;
    line_set lines;  ///< of the current file
    char** clean;    ///< cleaned names of the bodies
    size_t body_count;
} contact_files;

/// Opens the files; a NULL name means none of that kind. False after an error message.
bool contact_files_open(contact_files* f, const char* csv, const char* vtk_folder);
/// Sets the names of the bodies and the frames per second; call it before the first frame.
void contact_files_name(contact_files* f, const char* const* names, size_t count, double fps);
/// Whether any file is open: then question.shared must be set.
bool contact_files_wanted(const contact_files* f);
/// Adds the last answers of the world and their summary `now`.
bool contact_files_add(contact_files* f, const world* w, const question* q, const findings* now,
                       uint32_t frame, double time);
/// Ends all files; call it also after a failure. False after an error message.
bool contact_files_close(contact_files* f);

#endif
