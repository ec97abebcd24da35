// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Serves a report to browsers of this machine: a small HTTP server at 127.0.0.1 for one page, its
// report, and the state of the check. It answers requests of a few kilobytes, one each connection,
// and only those that name this machine as their host, so that pages of other sites cannot read it.
#ifndef CLI_WATCH_SERVER_H
#define CLI_WATCH_SERVER_H

#include <stdbool.h>
#include <stdint.h>

enum { SERVER_CONNECTIONS = 16 };

/// What the page shows.
typedef struct server_state {
    uint32_t version;  ///< of the report; 0: there is none yet
    bool checking;
    int code;            ///< exit code of the last check
    const char* report;  ///< path of the report
} server_state;

typedef struct connection {
    int socket;  ///< -1: free
    char request[4096];
    uint32_t used;
    double since;  ///< by seconds_now()
} connection;

typedef struct server {
    int socket;
    uint16_t port;
    connection connections[SERVER_CONNECTIONS];
} server;

/// Opens the server; port 0: a free one. False after an error message.
bool server_open(server* s, uint16_t port);
void server_close(server* s);
/// Waits until a request or data at the descriptor `other` arrives, at most `milliseconds`, and
/// answers requests. True if there is data at `other`.
bool server_run(server* s, const server_state* state, int other, int milliseconds);

#endif
