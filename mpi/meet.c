// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The broad phase of a world: which bodies may meet, and which rank decides about them. No rank has a
// list of all bodies: it has the boxes that reach its region.
#include <math.h>
#include <stdlib.h>

#include "mpi/join.h"
#include "mpi/world.h"

// Two bodies, in the order of ids, with the rank that decides.
typedef struct found_pair {
    uint32_t id[2];
    bool asks[2];
    int decides;
} found_pair;

// A body of which a rank needs what may touch the body in the box.
typedef struct reached_body {
    uint32_t id;
    int to;
    int owner;
    float box[6];
} reached_body;

struct abut__work {
    abut__records records;
    abut__join join;
    ABUT__LIST(found_pair) pairs;
    abut__needs_list needs;  // found here, with the owner to ask; then those asked of this rank
    ABUT__LIST(int) owners;  // of needs
    ABUT__LIST(reached_body) reached_bodies;
    abut__ids seen;
    abut__ids reached;
    uint32_t mark;
    bool asking;  // one body of each pair asks
    bool whole;   // ghosts must be whole
};

void abut__work_free(abut_world* world) {
    struct abut__work* work = world->work;
    const abut_allocator* memory = &world->memory;
    if (work != NULL) {
        abut__discard(memory, &work->records);
        abut__join_free(memory, &work->join);
        abut__discard(memory, &work->pairs);
        abut__discard(memory, &work->needs);
        abut__discard(memory, &work->owners);
        abut__discard(memory, &work->reached_bodies);
        abut__discard(memory, &work->seen);
        abut__discard(memory, &work->reached);
        memory->free(memory->user, work, sizeof *work, 16);
        world->work = NULL;
    }
}

bool abut__work_open(abut_world* world) {
    const abut_allocator* memory = &world->memory;
    world->work = memory->alloc(memory->user, sizeof *world->work, 16);
    if (world->work != NULL) {
        memset(world->work, 0, sizeof *world->work);
        uint32_t* seen = abut__append(memory, &world->work->seen, (size_t)world->ranks);
        if (seen != NULL) {
            memset(seen, 0, (size_t)world->ranks * sizeof *seen);
            return true;
        }
    }
    return false;
}

// ---- boxes

static float down(double x) {
    const float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float up(double x) {
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

void abut__box_grow(const abut_box* from, double grow, float box[6]) {
    for (int d = 0; d < 3; ++d) {
        const double most = fmax(fabs(from->lo[d]), fabs(from->hi[d])) + grow;
        const double pad = grow > 0 ? grow * (1 + 0x1p-48) + 0x1p-48 * most : 0;
        box[d] = pad <= 1e300 ? down(from->lo[d] - pad) : -INFINITY;
        box[3 + d] = pad <= 1e300 ? up(from->hi[d] + pad) : INFINITY;
    }
}

double abut__owned_grows(const abut__owned* body, const abut__reach* reach) {
    const double grow = 0.5 * reach->margin + (reach->thick ? body->thickness : 0) +
                        (body->asks ? reach->ask : 0);
    return reach->parts ? grow * (1 + 0x1p-15) : grow;
}

bool abut__owned_box(abut_world* world, const abut__owned* body, const abut__reach* reach,
                     float box[6]) {
    abut_box whole;
    abut_error error;
    double slack = 0;
    abut_status status = reach->proxies
                             ? abut_body_proxy_box(world->scene, body->local, &whole, &error)
                         : reach->step ? abut_sweep_box(world->scene, body->local, &whole, &error)
                                       : abut_body_box(world->scene, body->local, &whole, &error);
    if (status == ABUT_OK && reach->parts) {
        status = abut_body_box_slack(world->scene, body->local, &slack, &error);
    }
    if (status != ABUT_OK) {
        abut__trouble_from(world, &error, body->id);
        return false;
    }
    abut__box_grow(&whole, abut__owned_grows(body, reach) + slack, box);
    return true;
}

// What a message says about a box besides its numbers.
enum { BOX_STATIC = 1, BOX_GROUPS = 2, BOX_ASKS = 4, BOX_PARTS = 8, BOX_ALL = 15 };

static void write_box(abut_world* world, int to, const abut__owned* body, bool parts,
                      const float box[6]) {
    const bool groups = body->def.groups != 1 || body->def.mask != UINT64_MAX;
    const uint8_t flags = (uint8_t)((body->def.is_static ? BOX_STATIC : 0) |
                                    (groups ? BOX_GROUPS : 0) | (body->asks ? BOX_ASKS : 0) |
                                    (parts ? BOX_PARTS : 0));
    abut__mail* mail = &world->mail;
    if (mail->out[to].count == 0) {
        abut__mail_value(world, mail, to, world->load);
    }
    abut__mail_value(world, mail, to, body->id);
    abut__mail_value(world, mail, to, flags);
    abut__mail_write(world, mail, to, box, 6 * sizeof *box);
    if (groups) {
        abut__mail_value(world, mail, to, body->def.groups);
        abut__mail_value(world, mail, to, body->def.mask);
    }
}

static void send_boxes(abut_world* world, const abut__reach* reach) {
    struct abut__work* work = world->work;
    abut__mail_begin(world, &world->mail);
    for (size_t i = 0; i < world->owned.count && world->trouble.status == ABUT_OK; ++i) {
        const abut__owned* body = &world->owned.data[i];
        float box[6];
        if (reach->proxies && abut_shape_proxy_count(world->shapes.data[body->shape].shape) == 0) {
            continue;
        }
        if (!abut__owned_box(world, body, reach, box)) {
            return;
        }
        work->reached.count = 0;
        if (!abut__regions_reached(&world->memory, &world->regions, box, work->seen.data,
                                   ++work->mark, &work->reached)) {
            abut__trouble(world, ABUT_ERR_NO_MEMORY, body->id, "no memory for regions");
        }
        const bool parts = reach->parts && abut__part_may(world, body);
        for (size_t k = 0; k < work->reached.count; ++k) {
            write_box(world, (int)work->reached.data[k], body, parts, box);
        }
    }
}

static bool is_ordered(const float box[6]) {
    return box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5];
}

static bool read_box(abut__reading* in, abut__record* record) {
    uint8_t flags = 0;
    record->groups = 1;
    record->mask = UINT64_MAX;
    abut__read_value(in, &record->id);
    abut__read_value(in, &flags);
    abut__read_into(in, record->box, sizeof record->box);
    if ((flags & BOX_GROUPS) != 0) {
        abut__read_value(in, &record->groups);
        abut__read_value(in, &record->mask);
    }
    record->is_static = (flags & BOX_STATIC) != 0;
    record->asks = (flags & BOX_ASKS) != 0;
    record->parts = (flags & BOX_PARTS) != 0;
    return !in->bad && is_ordered(record->box) && flags <= BOX_ALL && record->id != ABUT__ABSENT;
}

static void take_boxes(abut_world* world) {
    struct abut__work* work = world->work;
    work->records.count = 0;
    for (int r = 0; r < world->ranks && world->trouble.status == ABUT_OK; ++r) {
        abut__reading in = abut__reading_of(&world->mail.in[r]);
        world->loads.data[r] = 0;
        if (in.at != in.end) {
            abut__read_value(&in, &world->loads.data[r]);
        }
        while (in.at != in.end && world->trouble.status == ABUT_OK) {
            abut__record record;
            record.owner = r;
            if (!read_box(&in, &record)) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                              "boxes of rank %d are damaged", r);
                return;
            }
            abut__record* place = abut__append(&world->memory, &work->records, 1);
            if (place == NULL) {
                abut__trouble(world, ABUT_ERR_NO_MEMORY, record.id, "no memory for boxes");
                return;
            }
            *place = record;
        }
    }
}

// ---- pairs

static bool may_meet(const abut__record* a, const abut__record* b) {
    return !(a->is_static && b->is_static) && (a->groups & b->mask) != 0 &&
           (b->groups & a->mask) != 0;
}

// Which of two owners decides their pairs: the one with clearly less work, or else one that follows from
// their numbers. It is the same one for all pairs of these two ranks, so that states travel one way.
static int decider(const abut_world* world, int a, int b) {
    const uint64_t x = world->loads.data[a];
    const uint64_t y = world->loads.data[b];
    const int lower = a < b ? a : b;
    const int higher = a < b ? b : a;
    if (x > y + y / 16) {
        return b;
    }
    if (y > x + x / 16) {
        return a;
    }
    return (lower + higher) % 2 == 0 ? lower : higher;
}

// the rank of one body needs the other one; false: no memory
static bool note_need(abut_world* world, const abut__record* body, const abut__record* near) {
    struct abut__work* work = world->work;
    if (body->parts) {
        reached_body* reached = abut__append(&world->memory, &work->reached_bodies, 1);
        if (reached != NULL) {
            *reached = (reached_body){.id = body->id, .to = near->owner, .owner = body->owner};
            memcpy(reached->box, near->box, sizeof reached->box);
        }
        return reached != NULL;
    }
    abut__need* need = abut__append(&world->memory, &work->needs, 1);
    int* owner = abut__append(&world->memory, &work->owners, 1);
    if (need == NULL || owner == NULL) {
        return false;
    }
    *need = (abut__need){.id = body->id, .to = near->owner};
    *owner = body->owner;
    return true;
}

static bool take_pair(void* user, uint32_t i, uint32_t k) {
    abut_world* world = user;
    struct abut__work* work = world->work;
    const abut__record* a = &work->records.data[i];
    const abut__record* b = &work->records.data[k];
    if (!may_meet(a, b) || abut__regions_meeting(&world->regions, a->box, b->box) != world->rank ||
        (work->asking && !a->asks && !b->asks)) {
        return true;
    }
    const abut__record* low = a->id < b->id ? a : b;
    const abut__record* high = a->id < b->id ? b : a;
    const int decides = decider(world, a->owner, b->owner);
    found_pair* pair = abut__append(&world->memory, &work->pairs, 1);
    if (pair == NULL) {
        return false;
    }
    *pair = (found_pair){{low->id, high->id}, {low->asks, high->asks}, decides};
    const abut__record* other = a->owner == decides ? b : a;
    return other->owner == decides || note_need(world, other, other == a ? b : a);
}

static void find_pairs(abut_world* world) {
    struct abut__work* work = world->work;
    work->pairs.count = work->needs.count = work->owners.count = 0;
    work->reached_bodies.count = 0;
    work->join.tests = 0;
    if (world->trouble.status == ABUT_OK &&
        !abut__join_pairs(&world->memory, &work->join, &work->records, take_pair, world)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for pairs of bodies");
    }
    world->stats.box_tests += work->join.tests;
}

// What a message of pairs has: bodies whose state a rank needs, whole or near a box, and pairs to decide,
// with the bodies that ask.
enum { ENTRY_ASKS_LOW = 1, ENTRY_ASKS_HIGH = 2, ENTRY_NEED = 4, ENTRY_NEAR = 5 };

// ---- bodies that are needed in part

#define BOXES_MOST 32  // of one body for one rank; more become larger ones

static int compare_reached(const void* a, const void* b) {
    const reached_body* x = a;
    const reached_body* y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->to > y->to) - (x->to < y->to);
}

// how much longer the sides of a box get, together, if it also holds another
static double growth(const float box[6], const float other[6]) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        sum += fmax(0, (double)box[d] - (double)other[d]) +
               fmax(0, (double)other[3 + d] - (double)box[3 + d]);
    }
    return sum;
}

static void join_boxes(float box[6], const float other[6]) {
    for (int d = 0; d < 3; ++d) {
        box[d] = fminf(box[d], other[d]);
        box[3 + d] = fmaxf(box[3 + d], other[3 + d]);
    }
}

// Lets few boxes of one body and rank hold all of them. Returns how many.
static size_t join_reached(reached_body* list, size_t count) {
    const size_t most = count < BOXES_MOST ? count : BOXES_MOST;
    for (size_t i = most; i < count; ++i) {
        size_t best = 0;
        for (size_t k = 1; k < most; ++k) {
            best = growth(list[k].box, list[i].box) < growth(list[best].box, list[i].box) ? k
                                                                                          : best;
        }
        join_boxes(list[best].box, list[i].box);
    }
    return most;
}

static void send_reached(abut_world* world) {
    struct abut__work* work = world->work;
    const size_t all = work->reached_bodies.count;
    const uint8_t kind = ENTRY_NEAR;
    if (all > 1) {
        qsort(work->reached_bodies.data, all, sizeof *work->reached_bodies.data, compare_reached);
    }
    for (size_t i = 0, end; i < all && world->trouble.status == ABUT_OK; i = end) {
        reached_body* list = &work->reached_bodies.data[i];
        end = i + 1;
        while (end < all && compare_reached(list, &work->reached_bodies.data[end]) == 0) {
            ++end;
        }
        const size_t count = join_reached(list, end - i);
        for (size_t k = 0; k < count; ++k) {
            const uint32_t to = (uint32_t)list[k].to;
            abut__mail_value(world, &world->mail, list->owner, kind);
            abut__mail_value(world, &world->mail, list->owner, list->id);
            abut__mail_value(world, &world->mail, list->owner, to);
            abut__mail_value(world, &world->mail, list->owner, list[k].box);
        }
    }
}

// ---- messages of pairs

static void send_pairs(abut_world* world) {
    struct abut__work* work = world->work;
    abut__mail* mail = &world->mail;
    abut__table asked = {0};
    abut__mail_begin(world, mail);
    for (size_t i = 0; i < work->pairs.count && world->trouble.status == ABUT_OK; ++i) {
        const found_pair* pair = &work->pairs.data[i];
        const uint8_t kind = (uint8_t)((pair->asks[0] ? ENTRY_ASKS_LOW : 0) |
                                       (pair->asks[1] ? ENTRY_ASKS_HIGH : 0));
        abut__mail_value(world, mail, pair->decides, kind);
        abut__mail_value(world, mail, pair->decides, pair->id[0]);
        abut__mail_value(world, mail, pair->decides, pair->id[1]);
    }
    for (size_t i = 0; i < work->needs.count && world->trouble.status == ABUT_OK; ++i) {
        const abut__need* need = &work->needs.data[i];
        const uint8_t kind = ENTRY_NEED;
        const uint32_t to = (uint32_t)need->to;
        // the same need often comes many times: most repetitions are left out
        if (abut__table_find(&asked, need->id) == to) {
            continue;
        }
        if (!abut__table_set(&world->memory, &asked, need->id, to)) {
            abut__trouble(world, ABUT_ERR_NO_MEMORY, need->id, "no memory for ghosts");
        }
        abut__mail_value(world, mail, work->owners.data[i], kind);
        abut__mail_value(world, mail, work->owners.data[i], need->id);
        abut__mail_value(world, mail, work->owners.data[i], to);
    }
    abut__table_free(&world->memory, &asked);
    send_reached(world);
}

static void take_entry(abut_world* world, int from, abut__reading* in) {
    struct abut__work* work = world->work;
    uint8_t kind = 0;
    uint32_t id[2];
    abut__read_value(in, &kind);
    abut__read_value(in, &id[0]);
    abut__read_value(in, &id[1]);
    const bool is_need = kind >= ENTRY_NEED;
    float box[6] = {0};
    if (kind == ENTRY_NEAR) {
        abut__read_value(in, &box);
    }
    if (in->bad || kind > ENTRY_NEAR || (!is_need && id[0] >= id[1]) ||
        (is_need && id[1] >= (uint32_t)world->ranks) || !is_ordered(box)) {
        abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT, "pairs of rank %d are damaged",
                      from);
        return;
    }
    bool room;
    if (!is_need) {
        abut__duty* duty = abut__append(&world->memory, &world->duties, 1);
        room = duty != NULL;
        if (room) {
            memset(duty, 0, sizeof *duty);
            duty->id[0] = id[0];
            duty->id[1] = id[1];
            duty->asks[0] = (kind & ENTRY_ASKS_LOW) != 0;
            duty->asks[1] = (kind & ENTRY_ASKS_HIGH) != 0;
        }
    } else {
        abut__need* need = abut__append(&world->memory, &work->needs, 1);
        room = need != NULL;
        if (room) {
            *need = (abut__need){.id = id[0], .to = (int)id[1], .boxed = kind == ENTRY_NEAR};
            memcpy(need->box, box, sizeof box);
        }
    }
    if (!room) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, id[0], "no memory for pairs of bodies");
    }
}

static int compare_duties(const void* a, const void* b) {
    const uint32_t* x = ((const abut__duty*)a)->id;
    const uint32_t* y = ((const abut__duty*)b)->id;
    const int k = x[0] != y[0] ? 0 : 1;
    return (x[k] > y[k]) - (x[k] < y[k]);
}

static void take_pairs(abut_world* world) {
    world->work->needs.count = 0;
    world->duties.count = 0;
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&world->mail.in[r]);
        while (in.at != in.end && world->trouble.status == ABUT_OK) {
            take_entry(world, r, &in);
        }
    }
    if (world->duties.count > 0) {
        qsort(world->duties.data, world->duties.count, sizeof *world->duties.data, compare_duties);
    }
    for (size_t i = 1; i < world->duties.count; ++i) {
        if (compare_duties(&world->duties.data[i - 1], &world->duties.data[i]) == 0) {
            abut__trouble(world, ABUT_ERR_INVALID_DATA, world->duties.data[i].id[0],
                          "a pair of bodies was found twice");
        }
    }
}

// ---- bodies

// finds both bodies of a pair in the scene of this rank
static void resolve(abut_world* world, abut__duty* duty) {
    int ghosts = 0;
    for (int k = 0; k < 2; ++k) {
        const uint32_t ghost = abut__table_find(&world->ghost_by_id, duty->id[k]);
        duty->owned[k] = abut__table_find(&world->owned_by_id, duty->id[k]);
        if (duty->owned[k] != ABUT__ABSENT) {
            duty->local[k] = world->owned.data[duty->owned[k]].local;
        } else if (ghost != ABUT__ABSENT) {
            abut__ghost* held = &world->ghosts.data[ghost];
            duty->local[k] = held->local;
            if (!held->counted) {
                held->counted = true;
                ++world->stats.ghosts;
                world->stats.ghost_vertices += world->shapes.data[held->shape].vertices;
            }
            held->used = world->query;
            if (held->part && world->work->whole) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, held->id,
                              "only a part of body %u came to rank %d", held->id, world->rank);
            }
            ++ghosts;
        } else {
            abut__trouble(world, ABUT_ERR_INVALID_DATA, duty->id[k],
                          "the state of body %u did not come to rank %d", duty->id[k], world->rank);
        }
    }
    if (ghosts > 1) {
        abut__trouble(world, ABUT_ERR_INVALID_DATA, duty->id[0],
                      "rank %d is to decide about bodies %u and %u, but owns neither", world->rank,
                      duty->id[0], duty->id[1]);
    }
}

abut_status abut__meet(abut_world* world, const abut__reach* reach, abut_error* error) {
    ++world->query;
    ++world->stats.queries;
    world->duties.count = 0;
    world->work->asking = reach->ask > 0;
    world->work->whole = !reach->parts;
    if (!world->regions.made) {
        abut__regions_make(world);
    }
    if (world->regions.made) {
        send_boxes(world, reach);
    }
    abut__mail_exchange(world, &world->mail);
    take_boxes(world);
    find_pairs(world);
    send_pairs(world);
    abut__mail_exchange(world, &world->mail);
    take_pairs(world);
    const abut_status status = abut__ghosts_bring(world, &world->work->needs, reach, error);
    for (size_t i = 0; i < world->ghosts.count; ++i) {
        world->ghosts.data[i].counted = false;
    }
    for (size_t i = 0; i < world->duties.count && status == ABUT_OK; ++i) {
        resolve(world, &world->duties.data[i]);
    }
    if (world->trouble.status != ABUT_OK) {
        world->duties.count = 0;
    }
    return status;
}
