// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The contacts of abut check as files for other programs: a table (CSV), and surfaces with the
// segments that triangles share, and the ways out of regions, for ParaView (VTK).
#ifndef CLI_CONTACT_FILES_H
#define CLI_CONTACT_FILES_H

#include "cli/joined.h"
#include "io/vtk.h"

typedef struct contact_files {
    FILE* csv;
    const char* folder;  ///< of the VTK files, or NULL
    char list_path[4096];
    io_pvd list;
    joined surface;
    // of the frame at hand
    double* points;
    uint32_t* columns;  ///< of every segment: body a, body b, triangle a, triangle b
    size_t count;
    size_t room;
} contact_files;

/// Opens what is wanted; a name may be NULL. False after a sentence.
bool contact_files_open(contact_files* f, const char* csv, const char* vtk_folder);
/// Whether any is open: then the question must ask for what pairs share.
bool contact_files_wanted(const contact_files* f);
/// Adds the last answers of the world.
bool contact_files_add(contact_files* f, const world* w, const question* q, uint32_t frame,
                       double time);
/// Ends all files; call it in any case. False after a sentence.
bool contact_files_close(contact_files* f);

#endif
