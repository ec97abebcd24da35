// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes JSON piece by piece: see json.h.
#include "cli/json.h"

#include "cli/message.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "io/clean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool json_claim(const char* path) {
    return output_claim_report("json", path);
}

bool json_open(json_output* out, const char* path) {
    *out = (json_output){.path = path};
    if (path == NULL) {
        return true;
    }
    if (!output_fits_report("json", path)) {
        return false;
    }
    if (output_is_stdout(path)) {
        out->file = stdout;
        if (isatty(STDOUT_FILENO) == 1) {
            progress_silence();
        }
        return true;
    }
    out->file = output_open(path);
    return out->file != NULL;
}

bool json_open_lines(json_output* out, const char* path) {
    const bool opened = json_open(out, path);
    out->lines = true;
    return opened;
}

void json_open_tree(json_output* out) {
    *out = (json_output){.open = json_object()};
}

json_t* json_take(json_output* out) {
    json_t* tree = out->open;
    *out = (json_output){0};
    return tree;
}

bool json_takes_stdout(const json_output* out) {
    return out->file == stdout;
}

void json_begin(json_output* out) {
    if (out->lines && out->file != NULL) {
        json_decref(out->open);
        out->open = json_object();
    } else if (out->file != NULL) {
        fputs("{", out->file);
        out->first = true;
    }
}

static void put_separator(json_output* out, const char* key) {
    fputs(out->first ? "\n" : ",\n", out->file);
    out->first = false;
    if (key != NULL) {
        fprintf(out->file, "\"%s\": ", key);
    }
}

static int put_text(const char* text, size_t size, void* user);

// writes the object so far as a line, and begins another one
static void end_line(json_output* out) {
    json_dump_callback(out->open, put_text, out->file, JSON_COMPACT);
    fputc('\n', out->file);
    json_decref(out->open);
    out->open = json_object();
    fflush(out->file);
    watch_output();
}

void json_begin_list(json_output* out, const char* key) {
    if (out->lines && out->file != NULL && strcmp(key, "frames") == 0) {
        end_line(out);
        out->in_lines = true;
    } else if (out->open != NULL) {
        out->list = json_array();
        json_object_set_new(out->open, key, out->list);
    } else if (out->file != NULL) {
        put_separator(out, key);
        fputs("[", out->file);
        out->first = true;
    }
}

void json_end_list(json_output* out) {
    out->in_lines = false;
    out->list = NULL;
    if (out->file != NULL && !out->lines) {
        fputs(out->first ? "]" : "\n]", out->file);
        out->first = false;
    }
}

// also escapes control characters that JSON allows but a terminal may obey
static int put_text(const char* text, size_t size, void* user) {
    FILE* file = user;
    size_t first = 0;  // start of the text that is not yet written
    for (size_t i = 0; i < size;) {
        uint32_t code = 0;
        const size_t length = (unsigned char)text[i] < 0x7F ? 1 : io_character(text + i, &code);
        if (code >= 0x7F && io_is_control(code)) {
            fwrite(text + first, 1, i - first, file);
            fprintf(file, "\\u%04x", code);
            first = i + length;
        }
        i += length;
    }
    fwrite(text + first, 1, size - first, file);
    return 0;
}

// adds to what is kept: a line, or a tree
static void keep(json_output* out, const char* key, json_t* value) {
    if (out->in_lines) {
        json_decref(out->open);
        out->open = json_incref(value);
        end_line(out);
    } else if (key != NULL) {
        json_object_set(out->open, key, value);
    } else {
        json_array_append(out->list, value);
    }
}

void json_add(json_output* out, const char* key, json_t* value) {
    if (value == NULL && (out->file != NULL || out->open != NULL)) {
        exit(complain("there is not enough memory"));
    }
    if (out->open != NULL) {
        keep(out, key, value);
    } else if (out->file != NULL) {
        put_separator(out, key);
        json_dump_callback(value, put_text, out->file, JSON_ENCODE_ANY);  // errors show in ferror()
        watch_output();
    }
    json_decref(value);
}

void json_end_lines(json_output* out) {
    out->in_lines = false;
    out->list = NULL;
    if (out->lines && out->open != NULL && json_object_size(out->open) != 0) {
        end_line(out);
    }
    json_decref(out->open);
    out->open = NULL;
}

bool json_close(json_output* out) {
    FILE* file = out->file;
    if (file == NULL) {
        return true;
    }
    if (out->lines) {
        json_end_lines(out);
    } else {
        fputs("\n}\n", file);
    }
    out->file = NULL;
    if (file == stdout) {
        return check_output() || output_gone();  // main() prints the error
    }
    return output_end(file);
}

void json_drop(json_output* out) {
    json_decref(out->open);
    out->open = NULL;
    if (out->file != stdout) {
        output_drop(out->file);
    }
    out->file = NULL;
}

json_t* json_text(const char* text) {
    json_t* value = json_string(text);
    if (value == NULL) {
        char* copy = allocate(strlen(text) + 1, 1);
        uint32_t code = 0;
        for (size_t i = 0, length = 0; text[i] != '\0'; i += length) {
            length = io_character(text + i, &code);
            memcpy(copy + i, code == UINT32_MAX ? "?" : text + i, length);
        }
        value = json_string(copy);
        free(copy);
    }
    return value;
}

json_t* json_count(unsigned long long count) {
    return json_integer((json_int_t)count);
}

json_t* json_finite(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

json_t* json_vector(const double v[3]) {
    return json_pack("[o, o, o]", json_finite(v[0]), json_finite(v[1]), json_finite(v[2]));
}
