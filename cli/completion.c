// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut completion: prints a script by which a shell completes commands, options and their values. It
// is made from the tables of the commands, so that it knows what this command knows.
#include "cli/command.h"
#include "cli/message.h"

#include <stdio.h>
#include <string.h>

// ---- what an option takes

typedef enum value_kind {
    VALUE_NONE,    // a flag
    VALUE_FILE,    // a file, or any text that a file's name may be
    VALUE_FOLDER,  // a folder
    VALUE_WORDS,   // one of several words: A|B|C
    VALUE_OTHER,   // a number or a name
} value_kind;

// whether a value is a choice between words: names of values are in capitals
static bool is_choice(const char* value) {
    return strchr(value, '|') != NULL && strpbrk(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL;
}

static value_kind kind_of(const option_spec* option) {
    const char* value = option->value;
    return option->kind == OPTION_FLAG || value == NULL                ? VALUE_NONE
           : strstr(value, "FILE") != NULL                             ? VALUE_FILE
           : strcmp(value, "FOLDER") == 0 || strcmp(value, "DIR") == 0 ? VALUE_FOLDER
           : is_choice(value)                                          ? VALUE_WORDS
                                                                       : VALUE_OTHER;
}

// prints the words of A|B|C, separated by blanks
static void print_choices(const char* value) {
    for (; *value != '\0'; ++value) {
        putchar(*value == '|' ? ' ' : *value);
    }
}

// ---- texts

// Prints the first line of a text, without a unit or default in brackets at its end. Each character
// of `special` gets a backslash; a quote of the shell becomes an apostrophe.
static void print_line(const char* text, const char* special) {
    const size_t length = strcspn(text, "\n");
    for (size_t i = 0; i < length; ++i) {
        if (strchr(special, text[i]) != NULL) {
            putchar('\\');
        }
        if (text[i] == '\'') {
            printf("\xE2\x80\x99");  // in UTF-8
        } else {
            putchar(text[i]);
        }
    }
}

// the commands, with those that are no entries of the table
static void print_command_names(void) {
    for (size_t i = 0; i < command_count; ++i) {
        printf("%s ", commands[i]->name);
    }
    printf("help version");
}

// the words that may follow a command in the first place; nothing if these are files
static void print_words(const command* c) {
    for (size_t i = 0; c->word != NULL && c->word(i) != NULL; ++i) {
        printf("%s%s", i == 0 ? "" : " ", c->word(i));
    }
}

// ---- bash

static void print_bash_values(const command* c, value_kind wanted, const char* action) {
    size_t count = 0;
    for (size_t i = 0; i < c->option_count; ++i) {
        if (kind_of(&c->options[i]) == wanted) {
            printf("%s%s:--%s", count++ == 0 ? "        " : " | ", c->name, c->options[i].name);
        }
    }
    if (count != 0) {
        printf(") %s ;;\n", action);
    }
}

static void print_bash_choices(const command* c) {
    for (size_t i = 0; i < c->option_count; ++i) {
        if (kind_of(&c->options[i]) == VALUE_WORDS) {
            printf("        %s:--%s) COMPREPLY=($(compgen -W '", c->name, c->options[i].name);
            print_choices(c->options[i].value);
            printf("' -- \"$cur\")); return ;;\n");
        }
    }
}

static void print_bash(void) {
    printf(
        "# completion of abut for bash, made by 'abut completion bash'\n"
        "_abut() {\n"
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
        "command=${COMP_WORDS[1]} words=\n"
        "    COMPREPLY=()\n"
        "    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then "
        "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
        "    if ((COMP_CWORD == 1)); then\n"
        "        COMPREPLY=($(compgen -W '");
    print_command_names();
    printf(
        " --help --version' -- \"$cur\"))\n"
        "        return\n"
        "    fi\n"
        "    case $command:$prev in\n");
    for (size_t i = 0; i < command_count; ++i) {
        print_bash_values(commands[i], VALUE_FILE, "compopt -o default; return");
        print_bash_values(commands[i], VALUE_FOLDER,
                          "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\")); return");
        print_bash_values(commands[i], VALUE_OTHER, "return");
        print_bash_choices(commands[i]);
    }
    printf(
        "    esac\n"
        "    if [[ $cur == -* ]]; then\n"
        "        case $command in\n");
    for (size_t i = 0; i < command_count; ++i) {
        printf("            %s) words='", commands[i]->name);
        for (size_t k = 0; k < commands[i]->option_count; ++k) {
            printf("--%s ", commands[i]->options[k].name);
        }
        printf("--help' ;;\n");
    }
    printf(
        "        esac\n"
        "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
        "        return\n"
        "    fi\n"
        "    case $command in\n");
    for (size_t i = 0; i < command_count; ++i) {
        if (commands[i]->word != NULL) {
            printf("        %s) words='", commands[i]->name);
            print_words(commands[i]);
            printf("' ;;\n");
        }
    }
    printf("        help) words='");
    print_command_names();
    printf(
        "' ;;\n"
        "        *) compopt -o default; return ;;\n"
        "    esac\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
        "}\n"
        "complete -F _abut abut\n");
}

// ---- zsh

static void print_zsh_option(const option_spec* option) {
    const value_kind kind = kind_of(option);
    printf("                '--%s%s[", option->name, kind == VALUE_NONE ? "" : "=");
    print_line(option->help, "[]\\");
    printf("]");
    if (kind != VALUE_NONE) {
        printf(":");
        print_line(option->value, ":\\");
        printf(":");
    }
    if (kind == VALUE_FILE || kind == VALUE_FOLDER) {
        printf("%s", kind == VALUE_FILE ? "_files" : "_files -/");
    } else if (kind == VALUE_WORDS) {
        printf("(");
        print_choices(option->value);
        printf(")");
    }
    printf("' \\\n");
}

static void print_zsh(void) {
    printf(
        "#compdef abut\n"
        "# completion of abut for zsh, made by 'abut completion zsh'\n"
        "_abut() {\n"
        "    local -a commands\n"
        "    commands=(\n");
    for (size_t i = 0; i < command_count; ++i) {
        printf("        '%s:", commands[i]->name);
        print_line(commands[i]->summary, "");
        printf("'\n");
    }
    printf(
        "        'help:print the help of a command'\n"
        "        'version:print the version'\n"
        "    )\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _describe command commands\n"
        "        return\n"
        "    fi\n"
        "    local command=$words[2]\n"
        "    shift words\n"
        "    (( CURRENT-- ))\n"
        "    case $command in\n");
    for (size_t i = 0; i < command_count; ++i) {
        const command* c = commands[i];
        printf("        %s)\n            _arguments \\\n", c->name);
        for (size_t k = 0; k < c->option_count; ++k) {
            print_zsh_option(&c->options[k]);
        }
        printf("                '--help[print the help]' \\\n");
        if (c->word != NULL) {
            printf("                '*:name:(");
            print_words(c);
            printf(")' ;;\n");
        } else {
            printf("                '*:object:_files' ;;\n");
        }
    }
    printf(
        "        help) _describe command commands ;;\n"
        "    esac\n"
        "}\n"
        "_abut \"$@\"\n");
}

// ---- fish

static void print_fish_option(const command* c, const option_spec* option) {
    const value_kind kind = kind_of(option);
    printf("complete -c abut -n '__fish_seen_subcommand_from %s' -l %s", c->name, option->name);
    if (kind == VALUE_FILE) {
        printf(" -r -F");
    } else if (kind == VALUE_FOLDER) {
        printf(" -x -a '(__fish_complete_directories)'");
    } else if (kind == VALUE_WORDS) {
        printf(" -x -a '");
        print_choices(option->value);
        printf("'");
    } else if (kind == VALUE_OTHER) {
        printf(" -x");
    }
    printf(" -d '");
    print_line(option->help, "\\");
    printf("'\n");
}

static void print_fish(void) {
    printf("# completion of abut for fish, made by 'abut completion fish'\n");
    for (size_t i = 0; i < command_count; ++i) {
        const command* c = commands[i];
        printf("complete -c abut -n __fish_use_subcommand -f -a %s -d '", c->name);
        print_line(c->summary, "\\");
        printf("'\n");
        for (size_t k = 0; k < c->option_count; ++k) {
            print_fish_option(c, &c->options[k]);
        }
        printf("complete -c abut -n '__fish_seen_subcommand_from %s' -l help -d 'print the help'\n",
               c->name);
        if (c->word != NULL) {
            printf("complete -c abut -n '__fish_seen_subcommand_from %s' -f -a '", c->name);
            print_words(c);
            printf("'\n");
        }
    }
    printf(
        "complete -c abut -n __fish_use_subcommand -f -a help -d 'print the help of a command'\n"
        "complete -c abut -n __fish_use_subcommand -f -a version -d 'print the version'\n"
        "complete -c abut -n '__fish_seen_subcommand_from help' -f -a '");
    print_command_names();
    printf("'\n");
}

// ---- the command

static const char* const shells[] = {"bash", "zsh", "fish"};
enum { SHELLS = sizeof shells / sizeof *shells };

static const char* shell_word(size_t index) {
    return index < SHELLS ? shells[index] : NULL;
}

static int run(const arguments* given) {
    static void (*const prints[SHELLS])(void) = {print_bash, print_zsh, print_fish};
    if (given->plain_count != 1) {
        return complain("name one shell: bash, zsh or fish");
    }
    for (size_t i = 0; i < SHELLS; ++i) {
        if (strcmp(given->plain[0], shells[i]) == 0) {
            prints[i]();
            return EXIT_NOTHING;
        }
    }
    return complain("there is no completion for '%s'; bash, zsh and fish have one",
                    given->plain[0]);
}

const command completion_command = {
    .name = "completion",
    .summary = "print a script that completes commands in a shell",
    .usage = "completion SHELL [options]",
    .about =
        "SHELL is bash, zsh or fish. The script completes commands, options, names of scenes and\n"
        "files. 'make install' and the Debian package install it; otherwise put it where your "
        "shell\n"
        "looks for it.",
    .options = NULL,
    .option_count = 0,
    .examples =
        "abut completion bash > ~/.local/share/bash-completion/completions/abut\n"
        "abut completion zsh > ~/.zfunc/_abut\n"
        "abut completion fish > ~/.config/fish/completions/abut.fish",
    .exits = "0 done, 2 the shell is unknown",
    .run = run,
    .word = shell_word,
};
