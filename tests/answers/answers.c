// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Hashes of the answers and counters of every query, over all scenes and all motions:
//
//     answers                 prints one line for each scene, motion and query
//     answers FILE            compares with such lines and prints those that differ
//
// Options: --scene NAME, --triangles N, --frames N. Each line is computed with every instruction
// set of this machine, on one thread and on four. A line whose answers differ between them is
// marked "VARIES". Answers are the same on every machine. Counters are those of the scalar
// instruction set on one thread; a line whose counters differ with the number of threads is marked,
// too. Refactoring must change no line.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abut/abut.h"
#include "answers/record.h"
#include "scenes/scenes.h"

static int usage(void) {
    fputs("usage: answers [--scene NAME] [--triangles N] [--frames N] [FILE]\n", stderr);
    return 2;
}

// Prints lines of `book`, or compares them with those of a file.
static int compare(const answer_book* book, const char* file) {
    FILE* in = fopen(file, "r");
    if (in == NULL) {
        perror(file);
        return 2;
    }
    char line[256];
    size_t known = 0;
    size_t different = 0;
    while (fgets(line, sizeof line, in) != NULL) {
        char text[sizeof line];
        const answer_line* mine = NULL;
        for (size_t i = 0; i < book->count && mine == NULL; ++i) {
            const size_t length = strlen(book->lines[i].name);
            if (strncmp(line, book->lines[i].name, length) == 0 && line[length] == ' ') {
                mine = &book->lines[i];
            }
        }
        if (mine == NULL) {
            continue;
        }
        ++known;
        answer_print(mine, text, sizeof text);
        if (strcmp(text, line) != 0) {
            ++different;
            printf("was  %snow  %s", line, text);
        }
    }
    fclose(in);
    printf("%zu of %zu lines compared, %zu differ\n", known, book->count, different);
    return known == book->count && different == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
    answer_wishes wishes = {NULL, 1200, 5};
    const char* file = NULL;
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] != '-') {
            file = argv[i];
        } else if (i + 1 < argc && strcmp(argv[i], "--scene") == 0) {
            wishes.scene = argv[++i];
        } else if (i + 1 < argc && strcmp(argv[i], "--triangles") == 0) {
            wishes.triangles = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--frames") == 0) {
            wishes.frames = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else {
            return usage();
        }
    }
    answer_book book = {0};
    answers_record(&book, &wishes);
    int code = 0;
    for (size_t i = 0; i < book.count; ++i) {
        char text[256];
        answer_print(&book.lines[i], text, sizeof text);
        code = book.lines[i].varies || book.lines[i].counters_vary ? 1 : code;
        if (file == NULL || book.lines[i].varies || book.lines[i].counters_vary) {
            fputs(text, stdout);
        }
    }
    const int compared = file != NULL ? compare(&book, file) : 0;
    free(book.lines);
    return compared != 0 ? compared : code;
}
