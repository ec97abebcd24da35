// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What abut check found as files for other programs: a table (CSV), and for ParaView (VTK) surfaces with
// the segments that triangles share, contacts on the way, distances, and the ways out of regions.
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
    line_set lines;  ///< room for those of a file
    char** clean;    ///< names of the bodies
    size_t body_count;
} contact_files;

/// Opens what is wanted; a name may be NULL. False after a sentence.
bool contact_files_open(contact_files* f, const char* csv, const char* vtk_folder);
/// Names of the bodies, and frames a second; call it before the first frame.
void contact_files_name(contact_files* f, const char* const* names, size_t count, double fps);
/// Whether any is open: then the question must ask for what pairs share.
bool contact_files_wanted(const contact_files* f);
/// Adds the last answers of the world, and `now`, what they come to.
bool contact_files_add(contact_files* f, const world* w, const question* q, const findings* now,
                       uint32_t frame, double time);
/// Ends all files; call it in any case. False after a sentence.
bool contact_files_close(contact_files* f);

#endif
