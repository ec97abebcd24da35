// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Messages between ranks: each rank writes a message for any ranks, and an exchange delivers them. A
// rank need not know which ranks have one for it.
#ifndef ABUT_MPI_MAIL_H
#define ABUT_MPI_MAIL_H

#include <mpi.h>

#include "mpi/lists.h"

typedef struct abut__mail {
    abut__bytes* out;  // one for each rank
    abut__bytes* in;
    ABUT__LIST(MPI_Request) requests;
    abut__bytes wire;  // all pieces that are sent
    uint8_t* piece;    // one piece that is received
    bool of_shapes;    // counted apart
} abut__mail;

struct abut_world;

bool abut__mail_open(struct abut_world* world, abut__mail* mail);
void abut__mail_close(struct abut_world* world, abut__mail* mail);
// frees the memory of messages, after one that was much longer than others will be
void abut__mail_shrink(struct abut_world* world, abut__mail* mail);
// empties the messages to be sent
void abut__mail_begin(struct abut_world* world, abut__mail* mail);
// Writes to the message for a rank; without memory, trouble is noted.
void abut__mail_write(struct abut_world* world, abut__mail* mail, int to, const void* bytes,
                      size_t size);
#define abut__mail_value(world, mail, to, value) \
    abut__mail_write(world, mail, to, &(value), sizeof(value))
// Delivers all messages. Collective. A rank in trouble sends nothing; bad messages are trouble, and
// are left out.
void abut__mail_exchange(struct abut_world* world, abut__mail* mail);

// Waits for a collective operation; false: MPI failed. A rank that waits long sleeps in between, so that
// other ranks can use its processor.
bool abut__wait(MPI_Request* request);
void abut__idle(unsigned* rounds);

#endif
