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

bool json_takes_stdout(const json_output* out) {
    return out->file == stdout;
}

void json_begin(json_output* out) {
    if (out->file != NULL) {
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

void json_begin_list(json_output* out, const char* key) {
    if (out->file != NULL) {
        put_separator(out, key);
        fputs("[", out->file);
        out->first = true;
    }
}

void json_end_list(json_output* out) {
    if (out->file != NULL) {
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

void json_add(json_output* out, const char* key, json_t* value) {
    if (out->file != NULL) {
        if (value == NULL) {
            exit(complain("there is not enough memory"));
        }
        put_separator(out, key);
        json_dump_callback(value, put_text, out->file, JSON_ENCODE_ANY);  // errors show in ferror()
        watch_output();
    }
    json_decref(value);
}

bool json_close(json_output* out) {
    FILE* file = out->file;
    if (file == NULL) {
        return true;
    }
    out->file = NULL;
    fputs("\n}\n", file);
    if (file == stdout) {
        return check_output() || output_gone();  // main() prints the error
    }
    return output_end(file);
}

void json_drop(json_output* out) {
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
