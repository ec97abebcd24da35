// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The abut command: runs the subcommand and checks the standard output.
#define _POSIX_C_SOURCE 200809L
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/spread.h"
#include "cli/terminal.h"

#include <abut/base.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// If one of the three standard files is closed, the next opened file would get its descriptor, and
// printed text would end up in that file. A file that cannot be written occupies the descriptor.
static void keep_standard_files(void) {
    for (int file = 0; file <= 2; ++file) {
        if (fcntl(file, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != file) {
            return;
        }
    }
}

static int fail_unknown(const char* name) {
    const char* words[32] = {"help", "version"};
    for (size_t i = 0; i < command_count; ++i) {
        words[i + 2] = commands[i]->name;
    }
    const char* near = nearest_word(name, words, command_count + 2);
    if (near != NULL) {
        return complain("there is no command '%s'; did you mean 'abut %s'?", name, near);
    }
    return complain("there is no command '%s'; 'abut help' lists them", name);
}

static int help(int argc, char** argv) {
    if (argc == 0 || strcmp(argv[0], "help") == 0 || strcmp(argv[0], "version") == 0) {
        print_overview();
        return EXIT_NOTHING;
    }
    const command* about = find_command(argv[0]);
    if (about == NULL) {
        return fail_unknown(argv[0]);
    }
    print_help(about);
    return EXIT_NOTHING;
}

static int run_command(const command* chosen, int argc, char** argv) {
    arguments given;
    int code = EXIT_FAILED;
    option_spec options[MOST_OPTIONS];
    const size_t count = command_options(chosen, options);
    if (arguments_parse(chosen->name, options, count, argc, argv, &given)) {
        if (given.help) {
            print_help(chosen);
            code = EXIT_NOTHING;
        } else {
            code = outputs_finish(chosen->run(&given));
        }
    }
    arguments_free(&given);
    return code;
}

static int dispatch(int argc, char** argv) {
    if (argc < 2) {
        complain("no command was given; 'abut help' lists them, 'abut demo' shows an example");
        return EXIT_FAILED;
    }
    const char* name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "version") == 0) {
        printf("abut %s\n", ABUT_VERSION_STRING);
        return EXIT_NOTHING;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help(argc - 2, argv + 2);
    }
    const command* chosen = find_command(name);
    return chosen == NULL ? fail_unknown(name) : run_command(chosen, argc - 2, argv + 2);
}

int main(int argc, char** argv) {
    keep_standard_files();
    signal(SIGPIPE, SIG_IGN);  // files are still finished; see output_gone()
    interrupt_watch();
#ifdef ABUT_HAVE_MPI
    if (spread_is_wanted()) {
        setenv("NO_COLOR", "1", 1);  // mpirun has a terminal of its own for each rank
    }
#endif
    terminal_setup();
#ifdef ABUT_HAVE_MPI
    const int code = spread_is_wanted() ? spread_main(argc, argv, dispatch) : dispatch(argc, argv);
#else
    const int code = dispatch(argc, argv);
#endif
    return check_output() ? code : output_gone() ? EXIT_UNREAD : EXIT_FAILED;
}
