// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds and unpacks the files in a ZIP archive in memory. Internal to io/.
// Based on: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", with the sizes of ZIP64.
#ifndef IO_ZIP_H
#define IO_ZIP_H

#include "io/error.h"

#include <stdint.h>

typedef struct zip_archive {
    const char* name;  // of the file, for messages
    const unsigned char* bytes;
    size_t size;
    io_error* error;
    // the directory: where the next entry is, and how many follow
    size_t at;
    uint64_t left;
} zip_archive;

typedef struct zip_entry {
    const char* name;  // in the archive; not 0-terminated
    size_t name_length;
    size_t place;  // of its data in the archive
    uint64_t packed;
    uint64_t size;
    uint32_t crc;
    bool deflated;
} zip_entry;

/// Whether the data start as an archive does.
bool zip_is_archive(const unsigned char* bytes, size_t size);
/// Finds the directory of an archive. False, with the reason in `error`, if there is none.
bool zip_open(zip_archive* zip, const char* name, const unsigned char* bytes, size_t size,
              io_error* error);
/// Gets the next entry; *end says that there is none. False after an error.
bool zip_next(zip_archive* zip, zip_entry* entry, bool* end);
/// The bytes of an entry, unpacked and compared with their checksum: in the archive, or in *memory,
/// which the caller frees (NULL otherwise). NULL after an error.
const unsigned char* zip_read(const zip_archive* zip, const zip_entry* entry,
                              unsigned char** memory);

#endif
