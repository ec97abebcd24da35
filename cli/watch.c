// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut watch: checks objects again whenever their files change, and serves the report. Each check is
// a process of its own, so that a check that fails, or a file that is written meanwhile, ends only
// that check.
#define _GNU_SOURCE
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/watch_server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const double calm = 0.15;  // seconds without a change before a check begins
enum { PORT, OPTIONS };

static const option_spec options[OPTIONS] = {
    [PORT] = {"port", OPTION_WHOLE, "N", "serve the report at port N of 127.0.0.1 [a free one]"},
};

// A folder, and the ending of the files in it that count.
typedef struct place {
    int watched;
    char* folder;
    const char* ending;  // NULL: all files
} place;

typedef struct job {
    arguments given;  // those of a check
    char folder[64];  // of the report; empty: the caller's --html
    char report[80];
    place* places;
    size_t place_count;
    int changes;  // descriptor of inotify
    server server;
    server_state state;
    pid_t child;   // 0: no check is running
    bool changed;  // since the last check began
    double since;  // the last change, by seconds_now()
} job;

static volatile sig_atomic_t stopped;

static void stop(int number) {
    (void)number;
    stopped = 1;
}

// ---- what to watch

static const char* ending_of(const char* path) {
    const char* dot = strrchr(path, '.');
    return dot != NULL && strchr(dot, '/') == NULL ? dot : NULL;
}

static bool add_place(job* j, const char* folder, const char* ending) {
    const int watched = inotify_add_watch(
        j->changes, folder, IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM);
    if (watched < 0) {
        complain("%s cannot be watched: %s", folder, strerror(errno));
        return false;
    }
    j->places = reallocate(j->places, j->place_count + 1, sizeof *j->places);
    j->places[j->place_count++] = (place){watched, strdup(folder), ending};
    return true;
}

// Watches the folder of one file, or of a pattern.
static bool add_file(job* j, const char* path) {
    char folder[4096];
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        return add_place(j, path, NULL);
    }
    const size_t plain = strcspn(path, "*?[%");
    size_t length = plain < sizeof folder ? plain : sizeof folder - 1;
    while (length > 0 && path[length - 1] != '/') {
        --length;
    }
    memcpy(folder, path, length);
    folder[length] = '\0';
    return add_place(j, length > 0 ? folder : ".", ending_of(path));
}

// body.obj+body.pc2 is two files, unless there is one of this name.
static bool add_object(job* j, const char* name) {
    const char* plus = strchr(name, '+');
    if (strcmp(name, "-") == 0) {
        complain("watch needs files: the standard input does not change");
        return false;
    }
    if (plus == NULL || access(name, F_OK) == 0) {
        return add_file(j, name);
    }
    char* first = strndup(name, (size_t)(plus - name));
    const bool done = first != NULL && add_file(j, first) && add_file(j, plus + 1);
    free(first);
    return done;
}

// Whether a change of a file is one of an object. Buffers of a glTF model are files of their own.
static bool counts(const job* j, const struct inotify_event* event) {
    if (event->len == 0 || event->name[0] == '.') {
        return false;
    }
    const char* ending = ending_of(event->name);
    for (size_t i = 0; i < j->place_count; ++i) {
        const place* p = &j->places[i];
        const bool buffer = p->ending != NULL && ending != NULL &&
                            strcasecmp(p->ending, ".gltf") == 0 && strcasecmp(ending, ".bin") == 0;
        if (p->watched == event->wd && (p->ending == NULL || buffer ||
                                        (ending != NULL && strcasecmp(ending, p->ending) == 0))) {
            return true;
        }
    }
    return false;
}

static void read_changes(job* j) {
    _Alignas(struct inotify_event) char bytes[8192];
    const ssize_t got = read(j->changes, bytes, sizeof bytes);
    for (ssize_t at = 0; at < got;) {
        const struct inotify_event* event = (const struct inotify_event*)(bytes + at);
        if ((event->mask & IN_Q_OVERFLOW) != 0 || counts(j, event)) {
            j->changed = true;
            j->since = seconds_now();
        }
        at += (ssize_t)(sizeof *event + event->len);
    }
}

// ---- checks

static void begin_check(job* j) {
    fflush(NULL);
    j->changed = false;
    j->child = fork();
    if (j->child == 0) {
        server_close(&j->server);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        exit(outputs_finish(check_command.run(&j->given)));
    }
    if (j->child < 0) {
        complain("a check could not be started: %s", strerror(errno));
        j->child = 0;
        return;
    }
    j->state.checking = true;
}

static void end_check(job* j) {
    int status = 0;
    if (waitpid(j->child, &status, WNOHANG) != j->child) {
        return;
    }
    j->child = 0;
    j->state.checking = false;
    j->state.code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
    if (j->state.code == EXIT_NOTHING || j->state.code == EXIT_FOUND) {
        ++j->state.version;
    }
    fprintf(stderr,
            "abut: the report is at http://127.0.0.1:%u/; waiting for changes, Ctrl-C ends\n",
            j->server.port);
}

static void loop(job* j) {
    j->changed = true;  // the first check
    while (!stopped) {
        const bool soon = j->child != 0 || j->changed;
        if (server_run(&j->server, &j->state, j->changes, soon ? 50 : 1000)) {
            read_changes(j);
        }
        if (j->child != 0) {
            end_check(j);
        } else if (j->changed && seconds_now() - j->since >= calm) {
            begin_check(j);
        }
    }
    if (j->child != 0) {
        kill(j->child, SIGTERM);
        waitpid(j->child, NULL, 0);
    }
}

// ---- the command

// The report goes to --html, or to a folder of its own.
static bool choose_report(job* j) {
    size_t html = 0;
    while (strcmp(check_command.options[html].name, "html") != 0) {
        ++html;
    }
    option_value* value = &j->given.values[html];
    if (!value->given) {
        const char* parent = getenv("TMPDIR");
        snprintf(j->folder, sizeof j->folder, "%s/abut-XXXXXX",
                 parent != NULL && strlen(parent) < 40 ? parent : "/tmp");
        if (mkdtemp(j->folder) == NULL) {
            complain("a folder for the report cannot be made: %s", strerror(errno));
            j->folder[0] = '\0';
            return false;
        }
        snprintf(j->report, sizeof j->report, "%s/report.html", j->folder);
        *value = (option_value){.given = true, .text = j->report};
    }
    j->state.report = value->text;
    return true;
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = stop};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static bool begin(job* j) {
    const option_value* port = &j->given.values[check_command.option_count + PORT];
    if (j->given.plain_count == 0) {
        complain("watch needs an object: a file, a folder, or a quoted pattern");
        return false;
    }
    if (port->given && port->first > UINT16_MAX) {
        complain("--port needs a number from 1 to %d, not %u", UINT16_MAX, port->first);
        return false;
    }
    j->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    for (size_t i = 0; i < j->given.plain_count; ++i) {
        if (!add_object(j, j->given.plain[i])) {
            return false;
        }
    }
    return choose_report(j) && server_open(&j->server, port->given ? (uint16_t)port->first : 0);
}

static void finish(job* j) {
    server_close(&j->server);
    if (j->changes >= 0) {
        close(j->changes);
    }
    if (j->folder[0] != '\0') {
        unlink(j->report);
        rmdir(j->folder);
    }
    for (size_t i = 0; i < j->place_count; ++i) {
        free(j->places[i].folder);
    }
    free(j->places);
}

static int run(const arguments* given) {
    job* j = allocate(1, sizeof *j);
    j->given = *given;
    j->changes = j->server.socket = -1;
    for (int i = 0; i < SERVER_CONNECTIONS; ++i) {
        j->server.connections[i].socket = -1;
    }
    const bool begun = begin(j);
    if (begun) {
        catch_signals();
        loop(j);
    }
    finish(j);
    free(j);
    return begun ? EXIT_NOTHING : EXIT_FAILED;
}

const command watch_command = {
    .name = "watch",
    .summary = "check again when files change, and show the report",
    .usage = "watch OBJECT... [options]",
    .about =
        "Runs 'abut check' with these objects and options, and again whenever a file in their\n"
        "folders with the same ending changes. The report is served at an address of this machine\n"
        "alone, 127.0.0.1; a browser shows each new one by itself. Ctrl-C ends it.",
    .extends = &check_command,
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut watch shirt.obj body.obj\n"
        "abut watch 'out/cloth_*.ply' body.obj --sweep --port 8080",
    .exits = "0 ended by Ctrl-C, 2 it could not begin",
    .run = run,
};
