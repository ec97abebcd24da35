// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Completions: every option of the help is offered by each shell, and wrong names of files are
// answered by the nearest right one.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

#include <unistd.h>

// writes the completion for a shell into the folder; skips the test if the shell is not installed
static void write_completion(const char* shell) {
    char line[256];
    snprintf(line, sizeof line, "command -v %s >/dev/null", shell);
    if (system(line) != 0) {
        skip();
    }
    snprintf(line, sizeof line, "completion %s", shell);
    outcome o = run_expecting(line, 0);
    write_file("script", o.out);
    free_outcome(&o);
}

// what a program of the shell prints
static char* ask(const char* program) {
    write_file("program", program);
    assert_int_equal(system("sh program >answer 2>errors </dev/null"), 0);
    char* errors = read_whole("errors");
    if (errors[0] != '\0') {
        fail_msg("%s: %s", program, errors);
    }
    free(errors);
    return read_whole("answer");
}

// the words of a bash completion of these words, the last of which is not finished
static char* ask_bash(const char* words) {
    char program[1024];
    snprintf(program, sizeof program,
             "bash -c 'compopt() { :; }; . ./script; COMP_WORDS=(abut %s); "
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _abut; printf \" %%s \" \"${COMPREPLY[@]}\"'",
             words);
    return ask(program);
}

static char* ask_fish(const char* words) {
    char program[1024];
    snprintf(
        program, sizeof program,
        "HOME=. XDG_CONFIG_HOME=. XDG_DATA_HOME=. fish --no-config -c 'source script; complete "
        "-C \"abut %s\"' | awk '{ printf \" %%s \", $1 }'",
        words);
    return ask(program);
}

typedef char* asker(const char* words);

static void assert_offers(asker* call, const char* words, const char* wanted) {
    char* said = call(words);
    assert_says(words, said, wanted);
    free(said);
}

// all options of a command, as its help lists them; returns how many
static size_t check_options(asker* call, const char* command) {
    char words[64];
    size_t count = 0;
    snprintf(words, sizeof words, "help %s", command);
    outcome o = run_expecting(words, 0);
    snprintf(words, sizeof words, "%s --", command);
    char* offered = call(words);
    for (const char* at = o.out; (at = strstr(at, "\n  --")) != NULL; ++at) {
        char option[64];
        assert_int_equal(sscanf(at, " %60s", option + 1), 1);
        option[0] = ' ';
        if (strstr(offered, option) == NULL) {
            fail_msg("'abut %s' does not offer%s: %s", words, option, offered);
        }
        ++count;
    }
    free(offered);
    free_outcome(&o);
    return count;
}

// all commands, as the overview lists them
static void check_all_options(asker* call) {
    size_t count = 0;
    outcome o = run_expecting("help", 0);
    for (const char* at = o.out; (at = strstr(at, "\n  abut ")) != NULL; ++at) {
        char command[32];
        assert_int_equal(sscanf(at, " abut %31s", command), 1);
        if (strcmp(command, "help") != 0 && strcmp(command, "version") != 0) {
            count += check_options(call, command);
        }
    }
    free_outcome(&o);
    assert_true(count > 50);
}

static void test_bash(void** unused) {
    (void)unused;
    write_completion("bash");
    check_all_options(ask_bash);
    assert_offers(ask_bash, "ch", " check ");
    assert_offers(ask_bash, "help con", " convert ");
    assert_offers(ask_bash, "check a.obj --js", " --json ");
    assert_offers(ask_bash, "demo cloth", " cloth_ball ");
    assert_offers(ask_bash, "completion z", " zsh ");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_offers(ask_bash, "check --vtk fo", " folder ");
    char* none = ask_bash("check --threads c");
    assert_string_equal(none, "  ");
    free(none);
}

static void test_fish(void** unused) {
    (void)unused;
    write_completion("fish");
    check_all_options(ask_fish);
    assert_offers(ask_fish, "ch", " check ");
    assert_offers(ask_fish, "help con", " convert ");
    assert_offers(ask_fish, "demo cloth", " cloth_ball ");
}

// its completion system needs a terminal: only what can be seen without one
static void test_zsh(void** unused) {
    (void)unused;
    write_completion("zsh");
    free(ask("zsh -f -n script"));
    char* said = ask("cat script");
    assert_says("zsh", said,
                "#compdef abut|'--json=[|]:FILE:_files'|'--vtk=[|_files -/|cloth_ball");
    free(said);
    said = ask(
        "zsh -f -c '_arguments() { print -r -- \"$@\"; }; _describe() { print -r -- "
        "$commands; }; words=(abut check x); CURRENT=3; source ./script; words=(abut c); "
        "CURRENT=2; "
        "source ./script'");
    assert_says("zsh", said, "--self[|--margin=[|*:object:_files|convert:");
    free(said);
}

static void test_unknown_shells_are_refused(void** unused) {
    (void)unused;
    outcome o = run_expecting("completion tcsh", 2);
    assert_says("completion tcsh", o.err, "tcsh|bash, zsh and fish");
    free_outcome(&o);
    assert_exit("completion", 2);
}

static void assert_asks(const char* arguments, const char* parts) {
    outcome o = run_expecting(arguments, 2);
    assert_says(arguments, o.err, parts);
    free_outcome(&o);
}

static void test_names_of_files_are_corrected(void** unused) {
    (void)unused;
    assert_int_equal(mkdir("sub", 0777), 0);
    write_file("shirt.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_file("sub/body.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_file("body.pc2", "x");
    write_file("notes.txt", "x");
    assert_asks("check shrit.obj", "shrit.obj|did you mean 'shirt.obj'?");
    assert_asks("check shirt.ojb", "did you mean 'shirt.obj'?");
    assert_asks("info shirt.obj sub/bdy.obj", "did you mean 'sub/body.obj'?");
    assert_asks("check sub/bod.obj+body.pc2", "did you mean 'sub/body.obj'?");
    assert_asks("check sub/body.obj+bdy.pc2", "did you mean 'body.pc2'?");
    static const char* const far[] = {"check skeleton.obj", "check x.obj", "check note.txt",
                                      "check 'shrit*.obj'", "check nowhere/shirt.obj"};
    for (size_t i = 0; i < sizeof far / sizeof *far; ++i) {
        outcome o = run_expecting(far[i], 2);
        if (strstr(o.err, "did you mean") != NULL) {
            fail_msg("abut %s: %s", far[i], o.err);
        }
        free_outcome(&o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_bash),
        IN_FOLDER(test_fish),
        IN_FOLDER(test_zsh),
        IN_FOLDER(test_unknown_shells_are_refused),
        IN_FOLDER(test_names_of_files_are_corrected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
