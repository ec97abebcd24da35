// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut watch: checks again when a file changes, serves the report to this machine alone, and leaves
// nothing behind. Requests are written by hand.
#define _GNU_SOURCE
#include "test_command_support.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <signal.h>
#include <sys/socket.h>

// ---- the process

typedef struct watcher {
    pid_t pid;
    uint16_t port;
} watcher;

static void pause_shortly(void) {
    usleep(20000);
}

// the port that the command has printed; 0: not yet
static uint16_t printed_port(void) {
    char* text = read_whole("watch.err");
    const char* at = strstr(text, "http://127.0.0.1:");
    const uint16_t port = at != NULL ? (uint16_t)strtoul(at + strlen("http://127.0.0.1:"), NULL, 10)
                                     : 0;
    free(text);
    return port;
}

static watcher start(const char* arguments) {
    char line[512];
    snprintf(line, sizeof line, "TMPDIR=. exec '%s' watch %s >watch.out 2>watch.err </dev/null",
             ABUT_COMMAND, arguments);
    write_file("watch.err", "");
    watcher w = {.pid = fork()};
    assert_true(w.pid >= 0);
    if (w.pid == 0) {
        execl("/bin/sh", "sh", "-c", line, (char*)NULL);
        _exit(127);
    }
    for (int i = 0; i < 1500 && w.port == 0; ++i) {
        pause_shortly();
        w.port = printed_port();
    }
    assert_true(w.port != 0);
    return w;
}

static void end(const watcher* w) {
    int status = 0;
    assert_int_equal(kill(w->pid, SIGINT), 0);
    assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// ---- requests

static int connect_to(const char* address, uint16_t port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    assert_int_equal(inet_pton(AF_INET, address, &to.sin_addr), 1);
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(s >= 0);
    if (connect(s, (struct sockaddr*)&to, sizeof to) != 0) {
        close(s);
        return -1;
    }
    return s;
}

// Sends bytes and returns the answer, to be freed.
static char* ask_bytes(const watcher* w, const char* bytes, size_t count) {
    const int s = connect_to("127.0.0.1", w->port);
    assert_true(s >= 0);
    assert_int_equal(send(s, bytes, count, MSG_NOSIGNAL), (ssize_t)count);
    size_t room = 1 << 23;
    size_t used = 0;
    char* text = malloc(room);
    assert_non_null(text);
    for (ssize_t got; (got = recv(s, text + used, room - used - 1, 0)) > 0;) {
        used += (size_t)got;
    }
    text[used] = '\0';
    close(s);
    return text;
}

static char* ask(const watcher* w, const char* request) {
    return ask_bytes(w, request, strlen(request));
}

static char* get(const watcher* w, const char* path) {
    char request[256];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", path,
             w->port);
    return ask(w, request);
}

static void assert_answer(const watcher* w, const char* request, const char* status) {
    char* text = ask(w, request);
    if (strncmp(text, "HTTP/1.1 ", 9) != 0 || strncmp(text + 9, status, strlen(status)) != 0) {
        fail_msg("%.60s: %.60s, not %s", request, text, status);
    }
    free(text);
}

// Waits until the state is `wanted`.
static void await_state(const watcher* w, const char* wanted) {
    for (int i = 0; i < 1500; ++i) {
        char* text = get(w, "/state");
        const bool there = strstr(text, wanted) != NULL;
        free(text);
        if (there) {
            return;
        }
        pause_shortly();
    }
    fail_msg("the state never became %s", wanted);
}

// ---- tests

static const char apart[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 4 5 6\n";
static const char crossing[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\nf 4 5 6\n";

static void test_checks_again(void** state) {
    (void)state;
    write_file("sheet.obj", apart);
    const watcher w = start("sheet.obj");
    await_state(&w, "\"version\": 1, \"checking\": false, \"code\": 0}");
    write_file("notes.txt", "not an object");
    usleep(400000);
    await_state(&w, "\"version\": 1, \"checking\": false, \"code\": 0}");
    write_file("sheet.obj", crossing);
    await_state(&w, "\"version\": 2, \"checking\": false, \"code\": 1}");
    write_file("sheet.obj", "f 1 2 3\n");  // the last report stays
    await_state(&w, "\"version\": 2, \"checking\": false, \"code\": 2}");
    write_file("new.obj", apart);
    assert_int_equal(rename("new.obj", "sheet.obj"), 0);  // as editors save
    await_state(&w, "\"version\": 3, \"checking\": false, \"code\": 0}");
    char* report = get(&w, "/report.html?3");
    assert_true(strncmp(report, "HTTP/1.1 200 OK", 15) == 0 && strstr(report, "</html>") != NULL);
    free(report);
    char* page = get(&w, "/");
    assert_non_null(strstr(page, "report.html?"));
    free(page);
    end(&w);
    char* printed = read_whole("watch.out");
    assert_non_null(strstr(printed, "sheet.obj"));
    free(printed);
}

static void test_serves_this_machine_alone(void** state) {
    (void)state;
    write_file("sheet.obj", apart);
    const watcher w = start("sheet.obj");
    assert_int_equal(connect_to("127.0.0.2", w.port), -1);
    assert_answer(&w, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "200");
    assert_answer(&w, "GET / HTTP/1.1\r\nX: y\r\nhOsT:\tLOCALHOST:80\r\n\r\n", "200");
    assert_answer(&w, "HEAD /state HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "200");
    assert_answer(&w, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403");
    assert_answer(&w, "GET / HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", "403");
    assert_answer(&w, "GET / HTTP/1.1\r\n\r\n", "403");
    assert_answer(&w, "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405");
    assert_answer(&w, "GET /../sheet.obj HTTP/1.1\r\nHost: localhost\r\n\r\n", "404");
    assert_answer(&w, "GET /statement HTTP/1.1\r\nHost: localhost\r\n\r\n", "404");
    assert_answer(&w, "\r\n\r\n", "405");
    char* text = ask_bytes(&w, "GET / HTTP/1.1\r\n\0Host: localhost\r\n\r\n", 37);
    assert_true(strncmp(text, "HTTP/1.1 200", 12) != 0);
    free(text);
    end(&w);
}

// A long request, many connections that say nothing, and one that goes away.
static void test_bad_clients_do_no_harm(void** state) {
    (void)state;
    write_file("sheet.obj", apart);
    const watcher w = start("sheet.obj");
    char* endless = malloc(5000);
    assert_non_null(endless);
    memset(endless, 'x', 4999);
    endless[4999] = '\0';
    free(ask(&w, endless));
    free(endless);
    int silent[40];
    for (int i = 0; i < 40; ++i) {
        silent[i] = connect_to("127.0.0.1", w.port);
    }
    await_state(&w, "\"code\": 0}");
    for (int i = 0; i < 40; ++i) {
        if (silent[i] >= 0) {
            close(silent[i]);
        }
    }
    await_state(&w, "\"code\": 0}");
    end(&w);
}

static void test_leaves_nothing_behind(void** state) {
    (void)state;
    write_file("sheet.obj", apart);
    const watcher w = start("sheet.obj --self");
    await_state(&w, "\"version\": 1");
    end(&w);
    DIR* folder = opendir(".");
    assert_non_null(folder);
    for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        assert_true(strncmp(entry->d_name, "abut-", 5) != 0);
    }
    closedir(folder);
}

static void test_refuses(void** state) {
    (void)state;
    write_file("sheet.obj", apart);
    assert_refuses("watch", "watch needs an object");
    assert_refuses("watch -", "the standard input does not change");
    assert_refuses("watch nowhere/x.obj", "nowhere/ cannot be watched");
    assert_refuses("watch sheet.obj --port 70000", "--port needs a number from 1 to 65535");
    assert_refuses("watch sheet.obj --sef", "did you mean --self?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_checks_again),
        IN_FOLDER(test_serves_this_machine_alone),
        IN_FOLDER(test_bad_clients_do_no_harm),
        IN_FOLDER(test_leaves_nothing_behind),
        IN_FOLDER(test_refuses),
    };
    return cmocka_run_group_tests_name("command_watch", tests, NULL, NULL);
}
