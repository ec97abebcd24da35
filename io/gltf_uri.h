// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// URIs in glTF documents, which name files in the folder of the document. Internal to io/.
#ifndef IO_GLTF_URI_H
#define IO_GLTF_URI_H

#include <stdbool.h>

/// Whether a URI holds the data itself ("data:...").
bool gltf_is_data(const char* uri);

/// Decodes percent escapes such as %20 in place; returns the length. A decoded 0 byte stays in the
/// text.
unsigned long gltf_decode_percent(char* text);

/// Returns the path of the file that a URI of the document `name` means; the caller frees it. NULL,
/// and a reason such as "is not in the folder of the model", if the decoded URI or a link leads
/// out of the document's folder.
char* gltf_path_beside(const char* name, const char* uri, const char** reason);

#endif
