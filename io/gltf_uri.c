// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// URIs in glTF documents: see gltf_uri.h. A URI is not trusted: it is decoded first, then checked
// as a text, and last the links of its path are followed.
#define _XOPEN_SOURCE 700
#include "io/gltf_uri.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool gltf_is_data(const char* uri) {
    return strncasecmp(uri, "data:", 5) == 0;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

unsigned long gltf_decode_percent(char* text) {
    char* to = text;
    for (const char* c = text; *c != '\0'; ++c) {
        const int high = *c == '%' ? hex_digit(c[1]) : -1;
        const int low = high >= 0 ? hex_digit(c[2]) : -1;
        *to++ = low >= 0 ? (char)(high << 4 | low) : *c;
        c += low >= 0 ? 2 : 0;
    }
    *to = '\0';
    return (unsigned long)(to - text);
}

// "http:", "file:", "C:": letters, digits, + - . up to a colon
static bool has_scheme(const char* uri) {
    size_t i = 0;
    while (isalnum((unsigned char)uri[i]) || (uri[i] != '\0' && strchr("+-.", uri[i]) != NULL)) {
        ++i;
    }
    return i > 0 && uri[i] == ':';
}

static bool goes_up(const char* path) {
    for (const char* part = path; part != NULL;) {
        const size_t length = strcspn(part, "/");
        if (length == 2 && memcmp(part, "..", 2) == 0) {
            return true;
        }
        part = part[length] == '\0' ? NULL : part + length + 1;
    }
    return false;
}

// whether links lead a path out of a folder; false for a path that does not exist
static bool leads_out(const char* folder, const char* path) {
    char* top = realpath(folder, NULL);
    char* end = realpath(path, NULL);
    const size_t length = top == NULL ? 0 : strlen(top);
    const bool inside = top == NULL || end == NULL || strcmp(top, "/") == 0 ||
                        (strncmp(end, top, length) == 0 && end[length] == '/');
    free(top);
    free(end);
    return !inside;
}

static bool is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

char* gltf_path_beside(const char* name, const char* uri, const char** reason) {
    const char* slash = strrchr(name, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - name);
    char* path = malloc(folder + strlen(uri) + 3);
    if (path == NULL) {
        *reason = "cannot be opened: there is not enough memory";
        return NULL;
    }
    memcpy(path, name, folder);
    memcpy(path + folder, uri, strlen(uri) + 1);
    const unsigned long length = gltf_decode_percent(path + folder);
    const char* file = path + folder;
    *reason = NULL;
    if (has_scheme(uri) || file[0] == '/' || goes_up(file) || strchr(file, '\\') != NULL ||
        strlen(file) != length || length == 0) {
        *reason = "is not in the folder of the model";
    } else {
        char* top = strdup(folder == 0 ? "." : name);
        if (top != NULL && folder != 0) {
            top[folder] = '\0';
        }
        // a folder is refused as such, before the check of links
        *reason = is_folder(path)                       ? "is a folder where a file is needed"
                  : top == NULL || leads_out(top, path) ? "is a link that leads out of its folder"
                                                        : NULL;
        free(top);
    }
    if (*reason != NULL) {
        free(path);
        path = NULL;
    }
    return path;
}
