// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tags of XML: see xml.h.
#include "io/xml.h"

#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// the end of the first `mark` at or behind a place; NULL if there is none
static const char* behind(const char* at, const char* end, const char* mark) {
    const size_t length = strlen(mark);
    for (; (size_t)(end - at) >= length; ++at) {
        const char* found = memchr(at, mark[0], (size_t)(end - at) - length + 1);
        if (found == NULL) {
            return NULL;
        }
        if (memcmp(found, mark, length) == 0) {
            return found + length;
        }
        at = found;
    }
    return NULL;
}

static bool starts(const char* at, const char* end, const char* with) {
    return (size_t)(end - at) >= strlen(with) && memcmp(at, with, strlen(with)) == 0;
}

// the '>' of a tag, which may also stand in quotes
static const char* find_close(const char* at, const char* end) {
    char quote = '\0';
    for (; at < end; ++at) {
        if (quote != '\0') {
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '>') {
            return at;
        }
    }
    return NULL;
}

bool xml_next(const char** at, const char* end, xml_tag* tag) {
    for (;;) {
        const char* open = *at == end ? NULL : memchr(*at, '<', (size_t)(end - *at));
        if (open == NULL || open + 1 == end) {
            return false;
        }
        const char* skipped = starts(open, end, "<!--")        ? behind(open, end, "-->")
                              : starts(open, end, "<![CDATA[") ? behind(open, end, "]]>")
                              : starts(open, end, "<?")        ? behind(open, end, "?>")
                              : starts(open, end, "<!")        ? behind(open, end, ">")
                                                               : open;
        if (skipped == NULL) {
            return false;
        }
        *at = skipped;
        if (skipped != open) {
            continue;
        }
        const char* close = find_close(open, end);
        if (close == NULL) {
            return false;
        }
        const bool ends = open[1] == '/';
        const char* name = open + 1 + ends;
        const char* stop = name;
        while (stop < close && !is_blank(*stop) && *stop != '/') {
            ++stop;
        }
        *tag = (xml_tag){.name = name,
                         .name_length = (size_t)(stop - name),
                         .attributes = stop,
                         .end = close + 1,
                         .opens = !ends,
                         .closes = ends || close[-1] == '/'};
        *at = close + 1;
        return true;
    }
}

bool xml_is(const xml_tag* tag, const char* name) {
    return tag->name_length == strlen(name) && memcmp(tag->name, name, tag->name_length) == 0;
}

bool xml_attribute(const xml_tag* tag, const char* name, const char** value, size_t* length) {
    const size_t wanted = strlen(name);
    const char* end = tag->end - 1;
    for (const char* at = tag->attributes; at < end;) {
        while (at < end && is_blank(*at)) {
            ++at;
        }
        const char* start = at;
        while (at < end && !is_blank(*at) && *at != '=') {
            ++at;
        }
        const size_t found = (size_t)(at - start);
        while (at < end && (is_blank(*at) || *at == '=')) {
            ++at;
        }
        if (at == end || (*at != '"' && *at != '\'')) {
            return false;
        }
        const char* close = memchr(at + 1, *at, (size_t)(end - at) - 1);
        if (close == NULL) {
            return false;
        }
        if (found == wanted && memcmp(start, name, wanted) == 0) {
            *value = at + 1;
            *length = (size_t)(close - at) - 1;
            return true;
        }
        at = close + 1;
    }
    return false;
}

bool xml_has(const xml_tag* tag, const char* name, const char* value) {
    const char* found = NULL;
    size_t length = 0;
    return xml_attribute(tag, name, &found, &length) && length == strlen(value) &&
           memcmp(found, value, length) == 0;
}

bool xml_copy(const char* value, size_t length, char* out, size_t room) {
    static const char* const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    const char* end = value + length;
    size_t used = 0;
    while (value < end) {
        char c = *value;
        size_t taken = 1;
        for (size_t i = 0; c == '&' && i < 5; ++i) {
            if (starts(value, end, names[i])) {
                c = "<>&\"'"[i];
                taken = strlen(names[i]);
                break;
            }
        }
        if (used + 1 >= room) {
            return false;
        }
        out[used++] = c;
        value += taken;
    }
    out[used] = '\0';
    return true;
}
