// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes the outputs that hold all scenes of a run: see check_shared.h.
#include "cli/check_shared.h"

#include "cli/message.h"
#include "cli/output.h"
#include "io/clean.h"
#include "io/output.h"

#include <abut/base.h>
#include <stdlib.h>
#include <string.h>

char* shared_page_name(const char* html, size_t n) {
    const size_t length = strlen(html);
    const bool ends = length > 5 && strcmp(html + length - 5, ".html") == 0;
    const size_t room = length + 32;
    char* name = allocate(room, 1);
    snprintf(name, room, "%.*s-%zu.html", (int)(ends ? length - 5 : length), html, n);
    return name;
}

bool shared_takes_stdout(const check_shared* s) {
    return output_is_stdout(s->json_path) || output_is_stdout(s->lines_path) ||
           output_is_stdout(s->junit_path) || output_is_stdout(s->sarif_path) ||
           output_is_stdout(s->csv_path) || output_is_stdout(s->markdown_path) ||
           output_is_stdout(s->html_path);
}

// ---- the list of scenes

static void put_text(FILE* file, const char* text) {
    uint32_t code = 0;
    for (size_t length; *text != '\0'; text += length) {
        length = io_character(text, &code);
        if (code == UINT32_MAX || io_is_control(code)) {
            fputc('?', file);
        } else if (strchr("<>&\"'", *text) != NULL) {
            fprintf(file, "&#%u;", (unsigned)code);
        } else {
            fwrite(text, 1, length, file);
        }
    }
}

static void begin_index(FILE* file) {
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>abut check</title>\n"
        "<style>body{font:15px sans-serif;margin:2em;max-width:70em}td,th{padding:.3em 1em .3em 0;"
        "text-align:left;vertical-align:top}.bad{color:#b00}</style>\n<h1>abut check</h1>\n"
        "<table>\n<tr><th>scene<th>result<th>verdict\n",
        file);
}

static void put_index_row(FILE* file, const scene* s, const char* page) {
    static const char* const words[] = {"passes", "fails", "could not be checked"};
    const char* slash = page != NULL ? strrchr(page, '/') : NULL;
    fputs("<tr><td>", file);
    if (page != NULL) {
        fputs("<a href=\"", file);
        put_text(file, slash != NULL ? slash + 1 : page);
        fputs("\">", file);
    }
    put_text(file, s->name);
    fprintf(file, "%s<td%s>%s<td>", page != NULL ? "</a>" : "",
            s->code != EXIT_NOTHING ? " class=\"bad\"" : "", words[s->code]);
    put_text(file, s->code == EXIT_FAILED ? s->error : s->verdict);
    fputc('\n', file);
}

// ---- all outputs

static bool open_csv(check_shared* s) {
    s->csv = s->csv_path != NULL ? output_open_report(s->csv_path) : NULL;
    if (s->csv != NULL) {
        csv_head(s->csv, s->each);
    }
    return s->csv != NULL || s->csv_path == NULL;
}

bool shared_open(check_shared* s) {
    if (!json_claim(s->json_path) || !output_claim_report("html", s->html_path) ||
        !output_claim_report("csv", s->csv_path) ||
        !output_claim_report("json-lines", s->lines_path) ||
        !reports_open(&s->reports, s->junit_path, s->sarif_path, s->markdown_path) ||
        !json_open_lines(&s->lines, s->lines_path) || !open_csv(s)) {
        return false;
    }
    s->open = true;
    if (!s->each) {
        return true;
    }
    if (!json_open(&s->json, s->json_path)) {
        return false;
    }
    json_begin(&s->json);
    json_add(&s->json, "abut", json_text(ABUT_VERSION_STRING));
    json_begin_list(&s->json, "scenes");
    if (s->html_path != NULL) {
        s->index = output_open_report(s->html_path);
        if (s->index == NULL) {
            return false;
        }
        begin_index(s->index);
    }
    return true;
}

void shared_add(check_shared* s, const scene* now, json_t* tree, const char* page) {
    ++s->scenes;
    s->passed += now->code == EXIT_NOTHING;
    s->failed += now->code == EXIT_FOUND;
    s->errors += now->code == EXIT_FAILED;
    reports_add(&s->reports, now);
    if (tree != NULL) {
        json_object_del(tree, "abut");
        json_object_set_new(tree, "scene", json_text(now->name));
        if (now->code == EXIT_FAILED) {
            json_object_set_new(tree, "error", json_text(now->error));
        }
        json_add(&s->json, NULL, tree);
    }
    if (s->index != NULL) {
        put_index_row(s->index, now, page);
    }
}

void shared_add_failed(check_shared* s, const char* name) {
    const scene failed = {
        .name = name, .code = EXIT_FAILED, .error = last_complaint(), .seconds = -1};
    json_end_lines(&s->lines);
    json_begin(&s->lines);
    json_add(&s->lines, "scene", json_text(name));
    json_add(&s->lines, "error", json_text(failed.error));
    json_end_lines(&s->lines);
    shared_add(s, &failed, s->json_path != NULL ? json_object() : NULL, NULL);
}

bool shared_close(check_shared* s) {
    bool done = reports_close(&s->reports);
    json_end_list(&s->json);
    json_add(&s->json, "summary",
             json_pack("{s: I, s: I, s: I, s: I}", "scenes", (json_int_t)s->scenes, "passed",
                       (json_int_t)s->passed, "failed", (json_int_t)s->failed, "errors",
                       (json_int_t)s->errors));
    done = json_close(&s->json) && done;
    done = json_close(&s->lines) && done;
    if (s->csv != NULL) {
        done = output_end(s->csv) && done;
        s->csv = NULL;
    }
    if (s->index != NULL) {
        fputs("</table>\n</html>\n", s->index);
        done = output_end(s->index) && done;
        s->index = NULL;
    }
    return done;
}

void shared_drop(check_shared* s) {
    reports_drop(&s->reports);
    json_drop(&s->json);
    json_drop(&s->lines);
    output_drop(s->csv);
    output_drop(s->index);
    s->csv = NULL;
    s->index = NULL;
}

int shared_run_each(check_shared* s, const arguments* given, bool tell, scene_fn run) {
    int worst = EXIT_NOTHING;
    for (size_t i = 0; i < given->plain_count; ++i) {
        io_input_note(given->plain[i]);
    }
    if (!shared_open(s)) {
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < given->plain_count; ++i) {
        arguments one = *given;
        one.plain = given->plain + i;
        one.plain_count = 1;
        const int code = run(s, &one, i + 1);
        worst = code > worst ? code : worst;
    }
    if (tell && !shared_takes_stdout(s)) {
        printf("\n%zu scene%s: %zu pass%s, %zu fail%s, %zu could not be checked.\n", s->scenes,
               s->scenes == 1 ? "" : "s", s->passed, s->passed == 1 ? "es" : "", s->failed,
               s->failed == 1 ? "s" : "", s->errors);
    }
    outputs_keep();
    return worst;
}
