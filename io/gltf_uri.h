// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Addresses within glTF documents: files beside them. Internal to io/.
#ifndef IO_GLTF_URI_H
#define IO_GLTF_URI_H

#include <stdbool.h>

/// Whether an address is data itself ("data:...").
bool gltf_is_data(const char* uri);

/// Puts %20 and the like right, in place; returns the length. Bytes of 0 are kept.
unsigned long gltf_decode_percent(char* text);

/// The path of the file that an address means, in the folder of the document `name`: the caller frees
/// it. NULL, and a reason such as "is not in a file beside it", if the address leads out of that
/// folder: by its decoded form, or by a link.
char* gltf_path_beside(const char* name, const char* uri, const char** reason);

#endif
