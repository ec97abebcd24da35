// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads the tags of an XML text one after the other: what files of VTK need of XML. No entities are
// defined and no files are opened. Internal to io/.
#ifndef IO_XML_H
#define IO_XML_H

#include <stdbool.h>
#include <stddef.h>

/// A tag; it points into the text.
typedef struct xml_tag {
    const char* name;
    size_t name_length;
    const char* attributes;  // behind the name
    const char* end;         // behind the tag, where its content begins
    bool opens;              // <a> or <a/>
    bool closes;             // </a> or <a/>
} xml_tag;

/// Gets the first tag at or behind *at and moves *at behind it. Text, comments, declarations and
/// processing instructions are skipped. False at the end, or where no tag can be read.
bool xml_next(const char** at, const char* end, xml_tag* tag);

/// Whether a tag has this name.
bool xml_is(const xml_tag* tag, const char* name);

/// Gets the value of an attribute, as it stands in the text. False if there is none.
bool xml_attribute(const xml_tag* tag, const char* name, const char** value, size_t* length);
/// Whether an attribute has this value.
bool xml_has(const xml_tag* tag, const char* name, const char* value);
/// Copies a value, with &lt; &gt; &amp; &quot; &apos; replaced, into `out`; false if it is too long
/// for `room` bytes.
bool xml_copy(const char* value, size_t length, char* out, size_t room);

#endif
