// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Blocks of pieces of a surface that come near those of other ranks. The boxes of chunks of blocks go to
// the ranks of the regions that they reach, where pairs of chunks of two ranks are found. Both owners hear
// of a pair, with the box that the chunks share. One of them decides the pairs of these two ranks. The
// other one sends it the blocks that reach the box: what does not change once, positions when they change.
#include <math.h>
#include <stdlib.h>

#include "mpi/surface.h"

// ---- what a ghost has

static size_t vertex_bytes(const abut__surface* surface) {
    return surface->size + (surface->class_rule == ABUT_CLASS_RULE_GIVEN ? 2u : 1u) * 4u;
}

static size_t fixed_bytes(const abut__surface* surface, size_t triangles, size_t vertices) {
    return vertices * vertex_bytes(surface) + triangles * (4 + 3 + 1);
}

const uint8_t* abut__ghost_rest(const abut__ghost_tile* ghost) {
    return ghost->fixed.data;
}

const uint32_t* abut__ghost_vertex_ids(const abut__surface* surface,
                                       const abut__ghost_tile* ghost) {
    return (const uint32_t*)(const void*)(ghost->fixed.data + ghost->vertices * surface->size);
}

const uint32_t* abut__ghost_classes(const abut__surface* surface, const abut__ghost_tile* ghost) {
    return abut__ghost_vertex_ids(surface, ghost) + ghost->vertices;
}

const uint32_t* abut__ghost_triangle_ids(const abut__surface* surface,
                                         const abut__ghost_tile* ghost) {
    return (const uint32_t*)(const void*)(ghost->fixed.data +
                                          ghost->vertices * vertex_bytes(surface));
}

const uint8_t* abut__ghost_corners(const abut__surface* surface, const abut__ghost_tile* ghost) {
    return (const uint8_t*)(abut__ghost_triangle_ids(surface, ghost) + ghost->triangles);
}

const uint8_t* abut__ghost_owned(const abut__surface* surface, const abut__ghost_tile* ghost) {
    return abut__ghost_corners(surface, ghost) + 3 * (size_t)ghost->triangles;
}

static void free_ghost(abut_world* world, abut__ghost_tile* ghost) {
    abut__discard(&world->memory, &ghost->fixed);
    abut__discard(&world->memory, &ghost->state[0]);
    abut__discard(&world->memory, &ghost->state[1]);
}

void abut__halo_forget(abut_world* world, abut__surface* surface) {
    for (size_t i = 0; i < surface->ghosts.count; ++i) {
        free_ghost(world, &surface->ghosts.data[i]);
    }
    surface->ghosts.count = surface->holders.count = 0;
    for (size_t i = 0; i < surface->tiles.count; ++i) {
        surface->tiles.data[i].used = 0;
    }
    abut__border_free(world, surface);
}

// both sides forget a block by the same rule, so that nothing is sent about it
static void forget_unused(abut_world* world, abut__surface* surface) {
    size_t kept = 0;
    for (size_t i = 0; i < surface->holders.count; ++i) {
        if (surface->query - surface->holders.data[i].used <= world->keep_steps) {
            surface->holders.data[kept++] = surface->holders.data[i];
        }
    }
    surface->holders.count = kept;
    kept = 0;
    for (size_t i = 0; i < surface->ghosts.count; ++i) {
        if (surface->query - surface->ghosts.data[i].used <= world->keep_steps) {
            surface->ghosts.data[kept++] = surface->ghosts.data[i];
        } else {
            free_ghost(world, &surface->ghosts.data[i]);
        }
    }
    if (kept < surface->ghosts.count) {
        surface->ghosts.count = kept;
        abut__border_free(world, surface);
    }
}

// ---- boxes of chunks

static void make_regions(abut_world* world, abut__surface* surface) {
    abut__weighed_list boxes = {0};
    const uint32_t chunks = abut__chunk_count(surface);
    abut__weighed* to = abut__append(&world->memory, &boxes, chunks);
    if (to == NULL) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for regions");
    }
    for (uint32_t c = 0; c < chunks && to != NULL; ++c) {
        to[c].work = 1;
        abut__chunk_box(surface, c, to[c].box);
    }
    abut__regions_cut(world, &surface->regions, &boxes);
    abut__discard(&world->memory, &boxes);
}

static void send_boxes(abut_world* world, abut__surface* surface) {
    abut__ids seen = {0};
    abut__ids reached = {0};
    const uint32_t chunks = abut__chunk_count(surface);
    uint32_t* marks = abut__append(&world->memory, &seen, (size_t)world->ranks);
    if (marks == NULL) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for regions");
        return;
    }
    memset(marks, 0, (size_t)world->ranks * sizeof *marks);
    for (uint32_t c = 0; c < chunks && world->trouble.status == ABUT_OK; ++c) {
        float box[6];
        abut__chunk_box(surface, c, box);
        reached.count = 0;
        if (!abut__regions_reached(&world->memory, &surface->regions, box, marks, c + 1,
                                   &reached)) {
            abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for regions");
        }
        for (size_t k = 0; k < reached.count; ++k) {
            const int to = (int)reached.data[k];
            abut__mail_value(world, &world->mail, to, c);
            abut__mail_value(world, &world->mail, to, box);
        }
    }
    abut__discard(&world->memory, &seen);
    abut__discard(&world->memory, &reached);
}

static void take_boxes(abut_world* world, const abut__surface* surface, abut__records* records) {
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&world->mail.in[r]);
        while (in.at != in.end && world->trouble.status == ABUT_OK) {
            abut__record record = {.owner = r};
            abut__read_value(&in, &record.id);
            abut__read_into(&in, record.box, sizeof record.box);
            abut__record* to = abut__append(&world->memory, records, 1);
            if (to == NULL) {
                abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for boxes");
                return;
            }
            *to = record;
            if (in.bad || !(record.box[0] <= record.box[3] && record.box[1] <= record.box[4] &&
                            record.box[2] <= record.box[5])) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, surface->id,
                              "boxes of rank %d are damaged", r);
            }
        }
    }
}

// ---- pairs of chunks

typedef struct finding {
    abut_world* world;
    const abut__surface* surface;
    const abut__records* records;
} finding;

// which of two ranks decides their pairs
static int decider(int a, int b) {
    const bool even = (a + b) % 2 == 0;
    return (a < b) == even ? a : b;
}

// What the owner of a chunk hears: the other rank, and the box that both chunks share.
typedef struct near_entry {
    uint32_t chunk;
    uint32_t other;
    float box[6];
} near_entry;

static bool take_pair(void* user, uint32_t i, uint32_t k) {
    const finding* f = user;
    const abut__record* pair[2] = {&f->records->data[i], &f->records->data[k]};
    if (pair[0]->owner == pair[1]->owner ||
        abut__regions_meeting(&f->surface->regions, pair[0]->box, pair[1]->box) != f->world->rank) {
        return true;
    }
    near_entry entry;
    for (int d = 0; d < 3; ++d) {
        entry.box[d] = fmaxf(pair[0]->box[d], pair[1]->box[d]);
        entry.box[3 + d] = fminf(pair[0]->box[3 + d], pair[1]->box[3 + d]);
    }
    for (int s = 0; s < 2; ++s) {
        entry.chunk = pair[s]->id;
        entry.other = (uint32_t)pair[1 - s]->owner;
        abut__mail_value(f->world, &f->world->mail, pair[s]->owner, entry);
    }
    return f->world->trouble.status == ABUT_OK;
}

static void find_pairs(abut_world* world, const abut__surface* surface) {
    abut__records records = {0};
    abut__join join = {0};
    finding f = {world, surface, &records};
    take_boxes(world, surface, &records);
    abut__mail_begin(world, &world->mail);
    if (world->trouble.status == ABUT_OK &&
        !abut__join_pairs(&world->memory, &join, &records, take_pair, &f)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for pairs of chunks");
    }
    world->stats.box_tests += join.tests;
    abut__join_free(&world->memory, &join);
    abut__discard(&world->memory, &records);
}

// ---- blocks to send

typedef ABUT__LIST(uint64_t) wanted_list;  // ranks above, blocks below

static bool boxes_meet(const float a[6], const float b[6]) {
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] &&
           b[2] <= a[5];
}

// notes the blocks of one chunk that reach the box: for the border, or for the rank that decides
static bool note_blocks(abut_world* world, abut__surface* surface, const near_entry* entry,
                        wanted_list* wanted) {
    const bool here = decider(world->rank, (int)entry->other) == world->rank;
    const size_t first = (size_t)entry->chunk * ABUT__CHUNK_BLOCKS;
    for (size_t i = first; i < first + ABUT__CHUNK_BLOCKS && i < surface->tiles.count; ++i) {
        abut__tile* tile = &surface->tiles.data[i];
        if (!boxes_meet(tile->box, entry->box)) {
            continue;
        }
        if (here) {
            tile->used = surface->query;
            continue;
        }
        uint64_t* to = abut__append(&world->memory, wanted, 1);
        if (to == NULL) {
            return false;
        }
        *to = (uint64_t)entry->other << 32 | i;
    }
    return true;
}

static int compare_wanted(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a;
    const uint64_t y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static void take_pairs(abut_world* world, abut__surface* surface, wanted_list* wanted) {
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&world->mail.in[r]);
        while (in.at != in.end && world->trouble.status == ABUT_OK) {
            near_entry entry;
            abut__read_value(&in, &entry);
            if (in.bad || entry.chunk >= abut__chunk_count(surface) ||
                entry.other >= (uint32_t)world->ranks || entry.other == (uint32_t)world->rank) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, surface->id,
                              "pairs of rank %d are damaged", r);
            } else if (!note_blocks(world, surface, &entry, wanted)) {
                abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for pairs");
            }
        }
    }
    if (wanted->count > 1) {
        qsort(wanted->data, wanted->count, sizeof *wanted->data, compare_wanted);
    }
    size_t kept = 0;
    for (size_t i = 0; i < wanted->count; ++i) {
        if (i == 0 || wanted->data[i] != wanted->data[kept - 1]) {
            wanted->data[kept++] = wanted->data[i];
        }
    }
    wanted->count = kept;
}

// ---- sending blocks

// The parts of a message about a block.
enum { PART_FIXED = 1, PART_SHIFT = 2, PART_BEFORE = 4, PART_NOW = 8, PART_ALL = 15 };

static void send_state(abut_world* world, const abut__surface* surface, const abut__tile* tile,
                       int end, int to) {
    const uint32_t* vertices = surface->tile_vertices.data + tile->first_vertex;
    for (uint32_t v = 0; v < tile->vertex_count; ++v) {
        abut__mail_write(world, &world->mail, to,
                         surface->state[end].data + vertices[v] * surface->size, surface->size);
    }
}

static uint8_t corner_in(const uint32_t* vertices, uint32_t count, uint32_t vertex) {
    uint32_t lo = 0;
    uint32_t hi = count;
    while (lo < hi) {
        const uint32_t middle = (lo + hi) / 2;
        if (vertices[middle] < vertex) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return (uint8_t)lo;
}

static void send_fixed(abut_world* world, const abut__surface* surface, const abut__tile* tile,
                       int to) {
    abut__mail* mail = &world->mail;
    const uint32_t* vertices = surface->tile_vertices.data + tile->first_vertex;
    const uint32_t* order = surface->order.data + tile->first;
    const uint8_t* rest = abut_mesh_rest_positions(surface->mesh).data;
    const uint8_t counts[2] = {(uint8_t)tile->count, (uint8_t)tile->vertex_count};
    abut__mail_value(world, mail, to, counts);
    for (uint32_t v = 0; v < tile->vertex_count; ++v) {
        abut__mail_write(world, mail, to, rest + vertices[v] * surface->size, surface->size);
    }
    for (uint32_t v = 0; v < tile->vertex_count; ++v) {
        abut__mail_value(world, mail, to, surface->vertices.data[vertices[v]]);
    }
    for (uint32_t v = 0; v < tile->vertex_count && surface->classes.count > 0; ++v) {
        abut__mail_value(world, mail, to, surface->classes.data[vertices[v]]);
    }
    for (uint32_t t = 0; t < tile->count; ++t) {
        abut__mail_value(world, mail, to, surface->triangles.data[order[t]]);
    }
    for (uint32_t t = 0; t < tile->count; ++t) {
        const uint32_t* corners = abut_mesh_triangles(surface->mesh) + 3 * (size_t)order[t];
        for (int c = 0; c < 3; ++c) {
            const uint8_t corner = corner_in(vertices, tile->vertex_count, corners[c]);
            abut__mail_value(world, mail, to, corner);
        }
    }
    for (uint32_t t = 0; t < tile->count; ++t) {
        abut__mail_value(world, mail, to, surface->owned.data[order[t]]);
    }
}

// sends what a rank lacks of a block
static void send_block(abut_world* world, const abut__surface* surface, bool step,
                       abut__tile_holder* holder) {
    const abut__tile* tile = &surface->tiles.data[holder->tile];
    const int to = (int)holder->rank;
    const uint32_t* number = surface->number;
    uint8_t parts = holder->number[1] == 0 ? PART_FIXED : 0;
    if (holder->number[1] != number[1]) {
        parts |= PART_NOW;
        if (holder->number[1] == number[0]) {
            parts |= PART_SHIFT;
            holder->number[0] = number[0];
        }
        holder->number[1] = number[1];
    }
    if (step && holder->number[0] != number[0]) {
        parts |= PART_BEFORE;
        holder->number[0] = number[0];
    }
    abut__mail_value(world, &world->mail, to, holder->tile);
    abut__mail_value(world, &world->mail, to, parts);
    if ((parts & PART_FIXED) != 0) {
        send_fixed(world, surface, tile, to);
    }
    if ((parts & PART_BEFORE) != 0) {
        send_state(world, surface, tile, 0, to);
    }
    if ((parts & PART_NOW) != 0) {
        send_state(world, surface, tile, 1, to);
    }
    world->stats.states_sent += (parts & PART_NOW) != 0;
}

// Sends all blocks that are wanted, and notes what others hold then: both lists are sorted.
static void send_blocks(abut_world* world, abut__surface* surface, bool step,
                        const wanted_list* wanted) {
    abut__tile_holders next = {0};
    if (!abut__make_room(&world->memory, &next, surface->holders.count + wanted->count)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for blocks");
        return;
    }
    size_t h = 0;
    for (size_t w = 0; w < wanted->count; ++w) {
        abut__tile_holder holder = {.rank = (uint32_t)(wanted->data[w] >> 32),
                                    .tile = (uint32_t)wanted->data[w]};
        for (; h < surface->holders.count; ++h) {
            const abut__tile_holder* held = &surface->holders.data[h];
            const uint64_t key = (uint64_t)held->rank << 32 | held->tile;
            if (key >= wanted->data[w]) {
                holder = key == wanted->data[w] ? *held : holder;
                h += key == wanted->data[w];
                break;
            }
            next.data[next.count++] = *held;
        }
        send_block(world, surface, step, &holder);
        holder.used = surface->query;
        next.data[next.count++] = holder;
    }
    for (; h < surface->holders.count; ++h) {
        next.data[next.count++] = surface->holders.data[h];
    }
    abut__discard(&world->memory, &surface->holders);
    surface->holders = next;
}

// ---- receiving blocks

static bool all_finite(const abut__surface* surface, const uint8_t* at, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < 3 * count; ++i) {
        if (surface->type == ABUT_SCALAR_F64) {
            double x;
            memcpy(&x, at + i * sizeof x, sizeof x);
            sum += 0 * x;
        } else {
            float x;
            memcpy(&x, at + i * sizeof x, sizeof x);
            sum += 0 * (double)x;
        }
    }
    return sum == 0;
}

static bool ascend(const uint32_t* ids, size_t count) {
    bool ascending = count > 0 && ids[count - 1] != UINT32_MAX;
    for (size_t i = 1; i < count; ++i) {
        ascending = ascending && ids[i - 1] < ids[i];
    }
    return ascending;
}

static bool is_sound(const abut__surface* surface, const abut__ghost_tile* ghost) {
    const uint8_t* corners = abut__ghost_corners(surface, ghost);
    const uint8_t* owned = abut__ghost_owned(surface, ghost);
    bool sound = all_finite(surface, abut__ghost_rest(ghost), ghost->vertices) &&
                 ascend(abut__ghost_vertex_ids(surface, ghost), ghost->vertices) &&
                 ascend(abut__ghost_triangle_ids(surface, ghost), ghost->triangles);
    for (size_t i = 0; i < 3 * (size_t)ghost->triangles; ++i) {
        sound = sound && corners[i] < ghost->vertices;
    }
    for (size_t i = 0; i < ghost->triangles; ++i) {
        sound = sound && owned[i] < 64;
    }
    return sound;
}

// How reading a block ended.
typedef enum outcome { TAKEN, DAMAGED, NO_MEMORY } outcome;

static outcome read_part(abut_world* world, abut__reading* in, size_t size, abut__bytes* to) {
    const uint8_t* from = abut__read_bytes(in, size);
    if (from == NULL) {
        return DAMAGED;
    }
    to->count = 0;
    return abut__write(&world->memory, to, from, size) ? TAKEN : NO_MEMORY;
}

static outcome read_fixed(abut_world* world, const abut__surface* surface, abut__reading* in,
                          abut__ghost_tile* ghost) {
    uint8_t counts[2];
    abut__read_value(in, &counts);
    ghost->triangles = counts[0];
    ghost->vertices = counts[1];
    if (in->bad || counts[0] == 0 || counts[1] == 0) {
        return DAMAGED;
    }
    const outcome read = read_part(
        world, in, fixed_bytes(surface, ghost->triangles, ghost->vertices), &ghost->fixed);
    return read == TAKEN && !is_sound(surface, ghost) ? DAMAGED : read;
}

static outcome read_state(abut_world* world, const abut__surface* surface, abut__reading* in,
                          abut__ghost_tile* ghost, int end) {
    const outcome read = read_part(world, in, ghost->vertices * surface->size, &ghost->state[end]);
    return read == TAKEN && !all_finite(surface, ghost->state[end].data, ghost->vertices) ? DAMAGED
                                                                                          : read;
}

// reads what a message has about a block; what it must have by now is there
static outcome read_block(abut_world* world, abut__surface* surface, abut__reading* in,
                          uint8_t parts, bool step, abut__ghost_tile* ghost) {
    outcome read = TAKEN;
    if ((parts & PART_FIXED) != 0) {
        read = read_fixed(world, surface, in, ghost);
        abut__border_free(world, surface);
    }
    if (read == TAKEN && (parts & PART_SHIFT) != 0) {
        const abut__bytes old = ghost->state[0];
        ghost->state[0] = ghost->state[1];
        ghost->state[1] = old;
        ghost->state[1].count = 0;
    }
    if (read == TAKEN && (parts & PART_BEFORE) != 0) {
        read = read_state(world, surface, in, ghost, 0);
    }
    if (read == TAKEN && (parts & PART_NOW) != 0) {
        read = read_state(world, surface, in, ghost, 1);
    }
    const size_t size = ghost->vertices * surface->size;
    if (read == TAKEN &&
        (size == 0 || ghost->state[1].count != size || (step && ghost->state[0].count != size))) {
        read = DAMAGED;
    }
    return read;
}

static int compare_ghosts(const void* a, const void* b) {
    const abut__ghost_tile* x = a;
    const abut__ghost_tile* y = b;
    return x->owner != y->owner ? (x->owner > y->owner) - (x->owner < y->owner)
                                : (x->tile > y->tile) - (x->tile < y->tile);
}

// finds a block among the first `sorted` ghosts, or appends it; NULL: no memory
static abut__ghost_tile* find_ghost(abut_world* world, abut__surface* surface, size_t sorted,
                                    uint32_t owner, uint32_t tile) {
    const abut__ghost_tile wanted = {.owner = owner, .tile = tile};
    abut__ghost_tile* found = sorted > 0 ? bsearch(&wanted, surface->ghosts.data, sorted,
                                                   sizeof wanted, compare_ghosts)
                                         : NULL;
    if (found == NULL) {
        found = abut__append(&world->memory, &surface->ghosts, 1);
        if (found != NULL) {
            *found = wanted;
        }
    }
    return found;
}

static void take_blocks(abut_world* world, abut__surface* surface, bool step) {
    const size_t sorted = surface->ghosts.count;
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&world->mail.in[r]);
        uint32_t least = 0;
        while (in.at != in.end && world->trouble.status == ABUT_OK) {
            uint32_t tile = 0;
            uint8_t parts = 0;
            abut__read_value(&in, &tile);
            abut__read_value(&in, &parts);
            outcome read = DAMAGED;
            if (!in.bad && parts <= PART_ALL && tile >= least && tile < UINT32_MAX) {
                abut__ghost_tile* ghost = find_ghost(world, surface, sorted, (uint32_t)r, tile);
                read = ghost == NULL ? NO_MEMORY
                                     : read_block(world, surface, &in, parts, step, ghost);
                if (read == TAKEN) {
                    ghost->used = surface->query;
                    ++world->stats.ghosts;
                    world->stats.ghost_vertices += ghost->vertices;
                }
            }
            if (read != TAKEN) {
                abut__trouble(world, read == DAMAGED ? ABUT_ERR_INVALID_DATA : ABUT_ERR_NO_MEMORY,
                              surface->id,
                              read == DAMAGED ? "blocks of rank %d are damaged"
                                              : "no memory for blocks of rank %d",
                              r);
            }
            least = tile + 1;
        }
    }
    if (surface->ghosts.count > sorted) {
        qsort(surface->ghosts.data, surface->ghosts.count, sizeof *surface->ghosts.data,
              compare_ghosts);
        abut__border_free(world, surface);
    }
}

void abut__halo_bring(abut_world* world, abut__surface* surface, const abut__reach* reach) {
    wanted_list wanted = {0};
    ++surface->query;
    ++world->stats.queries;
    abut__tiles_place(surface, reach);
    forget_unused(world, surface);
    if (!surface->regions.made) {
        make_regions(world, surface);
    }
    abut__mail_begin(world, &world->mail);
    if (surface->regions.made) {
        send_boxes(world, surface);
    }
    abut__mail_exchange(world, &world->mail);
    find_pairs(world, surface);
    abut__mail_exchange(world, &world->mail);
    take_pairs(world, surface, &wanted);
    abut__mail_begin(world, &world->mail);
    if (world->trouble.status == ABUT_OK) {
        send_blocks(world, surface, reach->step, &wanted);
    }
    abut__mail_exchange(world, &world->mail);
    take_blocks(world, surface, reach->step);
    abut__discard(&world->memory, &wanted);
}
