// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prints the help of the command and of each subcommand.
#include "cli/command.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>

const command* const commands[] = {&check_command,  &watch_command,     &compare_command,
                                   &merge_command,  &render_command,    &closest_command,
                                   &cast_command,   &info_command,      &convert_command,
                                   &verify_command, &demo_command,      &cache_command,
                                   &bench_command,  &completion_command};
const size_t command_count = sizeof commands / sizeof *commands;

const command* find_command(const char* name) {
    for (size_t i = 0; i < command_count; ++i) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

size_t command_options(const command* of, option_spec out[MOST_OPTIONS]) {
    size_t count = of->extends != NULL ? command_options(of->extends, out) : 0;
    for (size_t i = 0; i < of->option_count; ++i) {
        out[count++] = of->options[i];
    }
    return count;
}

void print_overview(void) {
    enum { WIDTH = 24 };
    print_styled(STYLE_BOLD, "abut");
    printf(": finds exactly which triangles touch when surfaces deform\n\n");
    for (size_t i = 0; i < command_count; ++i) {
        const char* usage = commands[i]->usage;
        const char* required = strstr(usage, " --");
        const int length = required != NULL
                               ? (int)(required - usage)
                               : (int)strlen(usage) - (int)strlen(" [options]");  // all have them
        printf("  abut %-*.*s %s\n", WIDTH, length, usage, commands[i]->summary);
    }
    printf("  abut %-*s %s\n", WIDTH, "help [COMMAND]", "print this, or the help of one command");
    printf("  abut %-*s %s\n", WIDTH, "version", "print the version (also -V, --version)");
    printf(
        "\nNew here? 'abut demo' shows an example, 'abut check MESH' checks your own mesh.\n"
        "'abut help check' explains the check and its options.\n"
        "\nThe environment variable ABUT_ISA (scalar, avx2, avx512) selects an instruction\n"
        "set; the default is the best of this machine. The answers are the same.\n");
}

// prints the lines of a text with this indentation; the first continues the current line
static void print_lines(const char* text, int indent) {
    for (const char* c = text; *c != '\0'; ++c) {
        putchar(*c);
        if (*c == '\n') {
            printf("%*s", indent, "");
        }
    }
    putchar('\n');
}

static void print_option(const option_spec* option) {
    enum { COLUMN = 20 };
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", option->name, option->value != NULL ? " " : "",
             option->value != NULL ? option->value : "");
    printf("  %-*s", COLUMN - 2, left);
    print_lines(option->help, COLUMN);
}

void print_help(const command* about) {
    print_styled(STYLE_BOLD, "abut %s", about->name);
    printf(": %s\n\n", about->summary);
    printf("Usage: abut %s\n\n", about->usage);
    print_lines(about->about, 0);
    printf("\nOptions:\n");
    for (size_t i = 0; i < about->option_count; ++i) {
        print_option(&about->options[i]);
    }
    const option_spec help = {"help", OPTION_FLAG, NULL, "print this"};
    print_option(&help);
    if (about->extends != NULL) {
        printf("  and all options of 'abut %s'\n", about->extends->name);
    }
    printf("\nExamples:\n  ");
    print_lines(about->examples, 2);
    printf("\nExit code: %s.\n", about->exits);
}
