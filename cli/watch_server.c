// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Serves a report to browsers of this machine: see watch_server.h.
#define _GNU_SOURCE
#include "cli/watch_server.h"

#include "cli/message.h"
#include "cli/progress.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static const double patience = 5;  // seconds for a request, and for an answer

// The page around the report. It asks for the state and shows each new report.
static const char page[] =
    "<!doctype html><meta charset=\"utf-8\"><title>abut watch</title>"
    "<style>html,body{margin:0;height:100%;font:14px system-ui,sans-serif;background:#f4f5f7}"
    "body{display:flex;flex-direction:column}p{margin:0;padding:6px 12px;background:#1b2230;"
    "color:#fff}p[data-code=\"1\"]{background:#c81e31}p[data-code=\"0\"]{background:#18713f}"
    "iframe{flex:1;border:0}</style><p id=\"said\">checking</p><iframe id=\"report\" "
    "title=\"report\"></iframe><script>\n"
    "let shown = 0;\n"
    "const words = {0: 'nothing touches', 1: 'contact was found', 2: 'the check failed: see the "
    "terminal'};\n"
    "async function look() {\n"
    "  const said = document.getElementById('said');\n"
    "  try {\n"
    "    const now = await (await fetch('state')).json();\n"
    "    said.textContent = now.checking ? 'checking' : words[now.code] ?? 'the check ended';\n"
    "    said.dataset.code = now.checking ? '' : now.code;\n"
    "    if (now.version !== shown) {\n"
    "      shown = now.version;\n"
    "      const report = document.getElementById('report');\n"
    "      report.src = 'report.html?' + shown + (report.contentWindow?.location.hash ?? '');\n"
    "    }\n"
    "  } catch {\n"
    "    said.textContent = 'abut watch has ended';\n"
    "    said.dataset.code = '';\n"
    "  }\n"
    "  setTimeout(look, 500);\n"
    "}\n"
    "look();\n"
    "</script>";

// ---- sockets

bool server_open(server* s, uint16_t port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int on = 1;
    *s = (server){.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    for (int i = 0; i < SERVER_CONNECTIONS; ++i) {
        s->connections[i].socket = -1;
    }
    if (s->socket >= 0) {
        (void)setsockopt(s->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    if (s->socket < 0 || bind(s->socket, (struct sockaddr*)&address, sizeof address) != 0 ||
        listen(s->socket, SERVER_CONNECTIONS) != 0 ||
        getsockname(s->socket, (struct sockaddr*)&address, &size) != 0) {
        complain("port %u of 127.0.0.1 cannot be opened: %s; --port N chooses another one", port,
                 strerror(errno));
        server_close(s);
        return false;
    }
    s->port = ntohs(address.sin_port);
    return true;
}

static void hang_up(connection* c) {
    if (c->socket >= 0) {
        close(c->socket);
    }
    c->socket = -1;
    c->used = 0;
}

void server_close(server* s) {
    for (int i = 0; i < SERVER_CONNECTIONS; ++i) {
        hang_up(&s->connections[i]);
    }
    if (s->socket >= 0) {
        close(s->socket);
    }
    s->socket = -1;
}

// Takes a new connection; if there is no room, the oldest one ends.
static void take_connection(server* s) {
    const int taken = accept4(s->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    connection* place = &s->connections[0];
    if (taken < 0) {
        return;
    }
    for (int i = 0; i < SERVER_CONNECTIONS; ++i) {
        connection* c = &s->connections[i];
        if (place->socket >= 0 && (c->socket < 0 || c->since < place->since)) {
            place = c;
        }
    }
    hang_up(place);
    place->socket = taken;
    place->since = seconds_now();
}

// ---- answers

// Sends all bytes; a browser that takes too long gets no more.
static bool send_all(int socket, const char* bytes, size_t count) {
    const double end = seconds_now() + patience;
    while (count > 0) {
        const ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent > 0) {
            bytes += sent;
            count -= (size_t)sent;
        } else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            struct pollfd wait = {socket, POLLOUT, 0};
            const double left = end - seconds_now();
            if (left <= 0 || (poll(&wait, 1, 1 + (int)(1000 * left)) < 0 && errno != EINTR)) {
                return false;
            }
        } else {
            return false;
        }
    }
    return true;
}

static void answer(int socket, const char* status, const char* type, const char* body, size_t size,
                   bool head_only) {
    char head[512];
    const int length = snprintf(head, sizeof head,
                                "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                                "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                                "Cross-Origin-Resource-Policy: same-origin\r\n"
                                "Connection: close\r\n\r\n",
                                status, type, size);
    if (send_all(socket, head, (size_t)length) && !head_only) {
        (void)send_all(socket, body, size);
    }
}

static void answer_text(int socket, const char* status, const char* words, bool head_only) {
    answer(socket, status, "text/plain; charset=utf-8", words, strlen(words), head_only);
}

static void answer_state(int socket, const server_state* state, bool head_only) {
    char body[128];
    const int size = snprintf(body, sizeof body,
                              "{\"version\": %u, \"checking\": %s, \"code\": %d}\n", state->version,
                              state->checking ? "true" : "false", state->code);
    answer(socket, "200 OK", "application/json", body, (size_t)size, head_only);
}

static void answer_report(int socket, const server_state* state, bool head_only) {
    FILE* file = state->version > 0 ? fopen(state->report, "rb") : NULL;
    char* bytes = NULL;
    long size = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        bytes = allocate((size_t)size + 1, 1);
        size = fread(bytes, 1, (size_t)size, file) == (size_t)size ? size : -1;
    }
    if (size >= 0) {
        answer(socket, "200 OK", "text/html; charset=utf-8", bytes, (size_t)size, head_only);
    } else {
        answer_text(socket, "404 Not Found", "there is no report yet\n", head_only);
    }
    free(bytes);
    if (file != NULL) {
        fclose(file);
    }
}

// ---- requests

// Whether the request names this machine as its host, with or without a port.
static bool names_this_machine(const char* request) {
    static const char* const names[] = {"127.0.0.1", "localhost"};
    for (const char* line = strstr(request, "\r\n"); line != NULL;
         line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, "host:", 5) != 0) {
            continue;
        }
        const char* host = line + 7 + strspn(line + 7, " \t");
        for (int i = 0; i < 2; ++i) {
            const size_t length = strlen(names[i]);
            if (strncasecmp(host, names[i], length) == 0 &&
                (host[length] == ':' || host[length] == '\r' || host[length] == ' ')) {
                return true;
            }
        }
        return false;
    }
    return false;
}

static bool asks_for(const char* target, const char* path) {
    const size_t length = strlen(path);
    return strncmp(target, path, length) == 0 && (target[length] == ' ' || target[length] == '?');
}

static void answer_request(const connection* c, const server_state* state) {
    const bool head_only = strncmp(c->request, "HEAD ", 5) == 0;
    const char* target = c->request + (head_only ? 5 : 4);
    if (!head_only && strncmp(c->request, "GET ", 4) != 0) {
        answer_text(c->socket, "405 Method Not Allowed", "only GET and HEAD\n", false);
    } else if (!names_this_machine(c->request)) {
        answer_text(c->socket, "403 Forbidden", "only for http://127.0.0.1\n", head_only);
    } else if (asks_for(target, "/")) {
        answer(c->socket, "200 OK", "text/html; charset=utf-8", page, sizeof page - 1, head_only);
    } else if (asks_for(target, "/state")) {
        answer_state(c->socket, state, head_only);
    } else if (asks_for(target, "/report.html")) {
        answer_report(c->socket, state, head_only);
    } else {
        answer_text(c->socket, "404 Not Found", "there is no such page\n", head_only);
    }
}

// Reads what has arrived, and answers when the request is whole.
static void read_request(connection* c, const server_state* state) {
    const size_t room = sizeof c->request - 1 - c->used;
    const ssize_t got = recv(c->socket, c->request + c->used, room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    c->used += got > 0 ? (uint32_t)got : 0;
    c->request[c->used] = '\0';
    const bool whole = memmem(c->request, c->used, "\r\n\r\n", 4) != NULL;
    if (whole && memchr(c->request, '\0', c->used) == NULL) {
        answer_request(c, state);
    } else if (whole || (got > 0 && c->used == sizeof c->request - 1)) {
        answer_text(c->socket, "400 Bad Request", "the request is wrong or too long\n", false);
    }
    if (got <= 0 || whole || c->used == sizeof c->request - 1) {
        hang_up(c);
    }
}

bool server_run(server* s, const server_state* state, int other, int milliseconds) {
    struct pollfd wait[SERVER_CONNECTIONS + 2] = {{s->socket, POLLIN, 0}, {other, POLLIN, 0}};
    for (int i = 0; i < SERVER_CONNECTIONS; ++i) {
        wait[i + 2] = (struct pollfd){s->connections[i].socket, POLLIN, 0};  // -1 is skipped
    }
    if (poll(wait, SERVER_CONNECTIONS + 2, milliseconds) < 0) {
        return false;
    }
    for (int i = 0; i < SERVER_CONNECTIONS; ++i) {
        connection* c = &s->connections[i];
        if (c->socket >= 0 && wait[i + 2].revents != 0) {
            read_request(c, state);
        } else if (c->socket >= 0 && seconds_now() - c->since > patience) {
            hang_up(c);
        }
    }
    if (wait[0].revents != 0) {
        take_connection(s);
    }
    return wait[1].revents != 0;
}
