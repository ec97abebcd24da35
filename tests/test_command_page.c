// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Runs the pages of docs/ that show commands and their outputs, line by line. Between ```console and ```
// a line "$ ..." is a command, lines "> ..." continue it, and the others are what it prints, to both
// outputs. All commands of a page run in one folder.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

typedef struct page {
    const char* name;
    const char* at;
    size_t line;
} page;

// the next line, without its end; false behind the last
static bool next_line(page* p, char line[1024]) {
    const size_t length = strcspn(p->at, "\n");
    if (*p->at == '\0') {
        return false;
    }
    assert_true(length < 1024);
    memcpy(line, p->at, length);
    line[length] = '\0';
    p->at += length + (p->at[length] == '\n');
    ++p->line;
    return true;
}

static void run_step(const page* p, const char* script, const char* expected) {
    write_file(".step", script);
    const int status = system("PATH=.bin:$PATH sh .step >.out 2>&1 </dev/null");
    assert_true(WIFEXITED(status));
    char* printed = read_whole(".out");
    if (strcmp(printed, expected) != 0) {
        fail_msg("%s, before line %zu:\n%s\nprints\n%s\nbut the page has\n%s", p->name, p->line,
                 script, printed, expected);
    }
    free(printed);
}

// runs the commands of a block; returns their number
static size_t run_block(page* p) {
    char line[1024];
    char script[8192] = "";
    char expected[16384] = "";
    size_t steps = 0;
    while (next_line(p, line) && strncmp(line, "```", 3) != 0) {
        const bool begins = strncmp(line, "$ ", 2) == 0;
        const bool goes_on = strncmp(line, "> ", 2) == 0;
        if (begins && script[0] != '\0') {
            run_step(p, script, expected);
            script[0] = expected[0] = '\0';
        }
        steps += begins;
        char* to = begins || goes_on ? script : expected;
        assert_true(strlen(to) + strlen(line) + 2 < sizeof script);
        strcat(strcat(to, line + (begins || goes_on ? 2 : 0)), "\n");
    }
    run_step(p, script, expected);
    return steps;
}

static void run_page(const char* name) {
    char path[1024];
    char line[1024];
    size_t steps = 0;
    snprintf(path, sizeof path, "%s/docs/%s", ABUT_SOURCE, name);
    char* text = read_whole(path);
    assert_int_equal(mkdir(".bin", 0777), 0);
    assert_int_equal(symlink(ABUT_COMMAND, ".bin/abut"), 0);
    for (page p = {name, text, 0}; next_line(&p, line);) {
        steps += strcmp(line, "```console") == 0 ? run_block(&p) : 0;
    }
    assert_true(steps > 0);
    free(text);
}

static void test_page_about_the_gate(void** state) {
    (void)state;
    run_page("gate.md");
}

static void test_page_about_farms(void** state) {
    (void)state;
    run_page("farm.md");
}

int main(void) {
    const struct CMUnitTest tests[] = {IN_FOLDER(test_page_about_the_gate),
                                       IN_FOLDER(test_page_about_farms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
