// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Exchanges of messages. Each is cut into pieces of fixed size with a header, so that a rank without
// memory can still take all that is sent to it, and drop it. Sends are synchronous: when those of a rank
// are received it enters a barrier, and goes on receiving until all ranks have entered.
//
// Based on: Hoefler, Siebert, Lumsdaine, "Scalable Communication Protocols for Dynamic Sparse Data
// Exchange", 2010.
#define _POSIX_C_SOURCE 200809L

#include "mpi/mail.h"

#include <time.h>

#include "mpi/world.h"

#define PIECE_BYTES 65536u
#define MAGIC 0x41425554u
#define TAGS 1024u

// The head of a piece.
typedef struct piece_head {
    uint32_t check;   // a hash of the rest of the piece
    uint32_t number;  // of the exchange
    uint32_t total;   // bytes of the whole message
    uint32_t first;   // of the bytes in this piece
} piece_head;

static uint32_t check_of(const uint8_t* piece, size_t bytes) {
    return (uint32_t)abut__hash_bytes(piece + sizeof(uint32_t), bytes - sizeof(uint32_t), MAGIC);
}

bool abut__mail_open(abut_world* world, abut__mail* mail) {
    const abut_allocator* memory = &world->memory;
    const size_t size = (size_t)world->ranks * sizeof *mail->out;
    mail->out = memory->alloc(memory->user, size, 16);
    mail->in = memory->alloc(memory->user, size, 16);
    mail->piece = memory->alloc(memory->user, PIECE_BYTES, 16);
    if (mail->out != NULL) {
        memset(mail->out, 0, size);
    }
    if (mail->in != NULL) {
        memset(mail->in, 0, size);
    }
    return mail->out != NULL && mail->in != NULL && mail->piece != NULL;
}

static void close_side(abut_world* world, abut__bytes* side) {
    const abut_allocator* memory = &world->memory;
    for (int r = 0; side != NULL && r < world->ranks; ++r) {
        abut__discard(memory, &side[r]);
    }
    if (side != NULL) {
        memory->free(memory->user, side, (size_t)world->ranks * sizeof *side, 16);
    }
}

void abut__mail_close(abut_world* world, abut__mail* mail) {
    const abut_allocator* memory = &world->memory;
    close_side(world, mail->out);
    close_side(world, mail->in);
    if (mail->piece != NULL) {
        memory->free(memory->user, mail->piece, PIECE_BYTES, 16);
    }
    abut__discard(memory, &mail->requests);
    abut__discard(memory, &mail->wire);
    *mail = (abut__mail){0};
}

void abut__mail_shrink(abut_world* world, abut__mail* mail) {
    for (int r = 0; r < world->ranks; ++r) {
        abut__discard(&world->memory, &mail->out[r]);
        abut__discard(&world->memory, &mail->in[r]);
    }
    abut__discard(&world->memory, &mail->wire);
}

void abut__mail_begin(abut_world* world, abut__mail* mail) {
    for (int r = 0; r < world->ranks; ++r) {
        mail->out[r].count = 0;
    }
}

void abut__mail_write(abut_world* world, abut__mail* mail, int to, const void* bytes, size_t size) {
    if (world->trouble.status == ABUT_OK &&
        !abut__write(&world->memory, &mail->out[to], bytes, size)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a message");
    }
}

// ---- sending

// appends the pieces of one message to the wire
static bool add_pieces(abut_world* world, abut__mail* mail, const abut__bytes* message) {
    const size_t room = PIECE_BYTES - sizeof(piece_head);
    for (size_t first = 0; first < message->count; first += room) {
        const size_t left = message->count - first;
        const size_t size = left < room ? left : room;
        uint8_t* piece = abut__append(&world->memory, &mail->wire, sizeof(piece_head) + size);
        if (piece == NULL) {
            return false;
        }
        piece_head head = {0, world->exchanges, (uint32_t)message->count, (uint32_t)first};
        memcpy(piece, &head, sizeof head);
        memcpy(piece + sizeof head, message->data + first, size);
        head.check = check_of(piece, sizeof head + size);
        memcpy(piece, &head.check, sizeof head.check);
    }
    return true;
}

static bool write_wire(abut_world* world, abut__mail* mail) {
    size_t pieces = 0;
    mail->wire.count = 0;
    for (int r = 0; r < world->ranks; ++r) {
        const size_t count = mail->out[r].count;
        if (count > UINT32_MAX) {
            return abut__trouble(world, ABUT_ERR_LIMIT, ABUT__ABSENT,
                                 "a message to rank %d has more than 2^32 bytes", r) == ABUT_OK;
        }
        if (r != world->rank && count > 0) {
            if (world->saboteur.payload != NULL) {
                world->saboteur.payload(world->saboteur.user, world->exchanges, r,
                                        mail->out[r].data, count);
            }
            pieces += 1 + count / (PIECE_BYTES - sizeof(piece_head));
            if (!add_pieces(world, mail, &mail->out[r])) {
                return abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT,
                                     "no memory for messages") == ABUT_OK;
            }
        }
    }
    mail->requests.count = 0;
    return abut__make_room(&world->memory, &mail->requests, pieces + 1) ||
           abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for messages") ==
               ABUT_OK;
}

static void count_sent(abut_world* world, const abut__mail* mail, int to, size_t bytes) {
    uint64_t* total = mail->of_shapes ? &world->stats.shape_bytes : &world->stats.bytes_sent;
    *total += bytes;
    world->stats.messages_sent += mail->of_shapes ? 0 : 1;
    world->talked[to] = 1;
}

static void send_pieces(abut_world* world, abut__mail* mail, int tag) {
    uint8_t* at = mail->wire.data;
    for (int r = 0; r < world->ranks; ++r) {
        size_t left = r != world->rank ? mail->out[r].count : 0;
        while (left > 0) {
            const size_t room = PIECE_BYTES - sizeof(piece_head);
            const size_t size = (left < room ? left : room) + sizeof(piece_head);
            if (world->saboteur.wire != NULL) {
                world->saboteur.wire(world->saboteur.user, world->exchanges, r, at, size);
            }
            MPI_Request* request = &mail->requests.data[mail->requests.count];
            if (MPI_Issend(at, (int)size, MPI_BYTE, r, tag, world->comm, request) == MPI_SUCCESS) {
                ++mail->requests.count;
                count_sent(world, mail, r, size);
            } else {
                abut__trouble(world, ABUT_ERR_STATE, ABUT__ABSENT, "MPI cannot send to rank %d", r);
            }
            at += size;
            left -= size - sizeof(piece_head);
        }
    }
}

// ---- receiving

static void refuse_piece(abut_world* world, int from) {
    abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT, "a message of rank %d is damaged",
                  from);
}

// adds a piece to the message of its rank, unless this rank is in trouble
static void take_piece(abut_world* world, abut__mail* mail, int from, size_t bytes) {
    piece_head head;
    abut__bytes* message = &mail->in[from];
    if (world->trouble.status != ABUT_OK) {
        return;
    }
    if (bytes < sizeof head) {
        refuse_piece(world, from);
        return;
    }
    memcpy(&head, mail->piece, sizeof head);
    const size_t size = bytes - sizeof head;
    if (head.check != check_of(mail->piece, bytes) || head.number != world->exchanges ||
        head.first != message->count || head.total < head.first ||
        size > (size_t)head.total - head.first) {
        refuse_piece(world, from);
        return;
    }
    if (!abut__make_room(&world->memory, message, head.total) ||
        !abut__write(&world->memory, message, mail->piece + sizeof head, size)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT,
                      "no memory for a message of %u bytes", head.total);
    }
}

// receives a piece if one is there
static bool receive(abut_world* world, abut__mail* mail, int tag) {
    int there = 0;
    MPI_Message handle;
    MPI_Status status;
    if (MPI_Improbe(MPI_ANY_SOURCE, tag, world->comm, &there, &handle, &status) != MPI_SUCCESS ||
        !there) {
        return false;
    }
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    const int from = status.MPI_SOURCE;
    if (MPI_Mrecv(mail->piece, (int)PIECE_BYTES, MPI_BYTE, &handle, &status) != MPI_SUCCESS ||
        bytes > (int)PIECE_BYTES || from < 0 || from >= world->ranks) {
        refuse_piece(world, from);
    } else {
        take_piece(world, mail, from, (size_t)bytes);
    }
    return true;
}

static void take_own(abut_world* world, abut__mail* mail) {
    const abut__bytes* own = &mail->out[world->rank];
    if (world->trouble.status == ABUT_OK &&
        !abut__write(&world->memory, &mail->in[world->rank], own->data, own->count)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a message");
    }
}

void abut__idle(unsigned* rounds) {
    if (++*rounds > 100) {
        nanosleep(&(struct timespec){0, *rounds < 200 ? 1000 : 50000}, NULL);
    }
}

bool abut__wait(MPI_Request* request) {
    int done = 0;
    unsigned rounds = 0;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        abut__idle(&rounds);
    }
    return done != 0;
}

static void deliver(abut_world* world, abut__mail* mail, int tag) {
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool entered = false;
    unsigned rounds = 0;
    for (int done = 0; !done;) {
        while (receive(world, mail, tag)) {
            rounds = 0;
        }
        if (entered) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
            int sent = 1;
            MPI_Testall((int)mail->requests.count, mail->requests.data, &sent, MPI_STATUSES_IGNORE);
            if (sent) {
                entered = true;
                MPI_Ibarrier(world->comm, &barrier);
            }
        }
        if (!done) {
            abut__idle(&rounds);
        }
    }
}

static void count_rounds(abut_world* world) {
    for (int n = 1; n < world->ranks; n *= 2) {
        ++world->stats.messages_sent;
    }
}

void abut__mail_exchange(abut_world* world, abut__mail* mail) {
    const int tag = 1 + (int)(world->exchanges % TAGS);
    for (int r = 0; r < world->ranks; ++r) {
        mail->in[r].count = 0;
    }
    if (world->saboteur.fails != NULL &&
        world->saboteur.fails(world->saboteur.user, world->exchanges)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "a test lets exchange %u fail",
                      world->exchanges);
    }
    const bool sends = world->trouble.status == ABUT_OK && write_wire(world, mail);
    mail->requests.count = sends ? mail->requests.count : 0;
    if (sends) {
        send_pieces(world, mail, tag);
    }
    if (world->ranks > 1) {
        deliver(world, mail, tag);
        count_rounds(world);
    }
    take_own(world, mail);
    ++world->exchanges;
}
