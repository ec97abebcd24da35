// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A book of hashes: what each query answered on each scene with each motion.

#ifndef ABUT_TESTS_ANSWERS_RECORD_H
#define ABUT_TESTS_ANSWERS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct answer_line {
    char name[64];  ///< scene.motion.query
    uint64_t answer;
    uint64_t counters;
    size_t count;        ///< items found in all frames together
    size_t refused;      ///< calls that returned an error
    bool varies;         ///< between instruction sets or numbers of threads
    bool counters_vary;  ///< between numbers of threads
} answer_line;

typedef struct answer_book {
    answer_line* lines;
    size_t count;
    size_t capacity;
} answer_book;

typedef struct answer_wishes {
    const char* scene;  ///< NULL: all
    uint32_t triangles;
    uint32_t frames;
} answer_wishes;

void answers_record(answer_book* book, const answer_wishes* wishes);
/// One line of text with its end of line.
void answer_print(const answer_line* line, char* text, size_t size);

#endif  // ABUT_TESTS_ANSWERS_RECORD_H
