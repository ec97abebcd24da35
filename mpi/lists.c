// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lists, tables and messages: see lists.h.
#include "mpi/lists.h"

#define ALIGNMENT 16u

static size_t grown(size_t capacity, size_t wanted) {
    size_t room = capacity < 8 ? 8 : capacity + capacity / 2;
    return room < wanted ? wanted : room;
}

// makes exactly `room` places
static bool resize(const abut_allocator* memory, abut__raw_list* list, size_t room, size_t size) {
    if (room > SIZE_MAX / 2 / size) {
        return false;
    }
    void* data = memory->alloc(memory->user, room * size, ALIGNMENT);
    if (data == NULL) {
        return false;
    }
    if (list->data != NULL) {
        memcpy(data, list->data, list->count * size);
        memory->free(memory->user, list->data, list->capacity * size, ALIGNMENT);
    }
    list->data = data;
    list->capacity = room;
    return true;
}

bool abut__list_room(const abut_allocator* memory, abut__raw_list* list, size_t n, size_t size) {
    return n <= list->capacity || resize(memory, list, n, size);
}

void* abut__list_grow(const abut_allocator* memory, abut__raw_list* list, size_t n, size_t size) {
    if (n > SIZE_MAX / 4 - list->count) {
        return NULL;
    }
    const size_t wanted = list->count + n;
    if ((wanted > list->capacity || list->data == NULL) &&
        !resize(memory, list, grown(list->capacity, wanted), size)) {
        return NULL;
    }
    void* place = (char*)list->data + list->count * size;
    list->count = wanted;
    return place;
}

void abut__list_drop(const abut_allocator* memory, abut__raw_list* list, size_t size) {
    if (list->data != NULL) {
        memory->free(memory->user, list->data, list->capacity * size, ALIGNMENT);
    }
    *list = (abut__raw_list){0};
}

// ---- tables: open addressing with linear steps

static size_t home_of(uint32_t key, size_t slots) {
    return (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) & (slots - 1);
}

static size_t slot_of(const abut__table* table, uint32_t key) {
    const size_t slots = table->slots.count;
    size_t i = home_of(key, slots);
    while (table->slots.data[i] != 0 && table->slots.data[i] >> 32 != (uint64_t)key + 1) {
        i = (i + 1) & (slots - 1);
    }
    return i;
}

uint32_t abut__table_find(const abut__table* table, uint32_t key) {
    if (table->count == 0) {
        return ABUT__ABSENT;
    }
    const uint64_t found = table->slots.data[slot_of(table, key)];
    return found != 0 ? (uint32_t)found : ABUT__ABSENT;
}

// makes twice as many slots
static bool enlarge(const abut_allocator* memory, abut__table* table) {
    const size_t slots = table->slots.count > 0 ? 2 * table->slots.count : 64;
    abut__table larger = {0};
    uint64_t* places = abut__append(memory, &larger.slots, slots);
    if (places == NULL) {
        return false;
    }
    memset(places, 0, slots * sizeof *places);
    for (size_t i = 0; i < table->slots.count; ++i) {
        if (table->slots.data[i] != 0) {
            places[slot_of(&larger, (uint32_t)(table->slots.data[i] >> 32) - 1)] =
                table->slots.data[i];
        }
    }
    larger.count = table->count;
    abut__table_free(memory, table);
    *table = larger;
    return true;
}

bool abut__table_set(const abut_allocator* memory, abut__table* table, uint32_t key,
                     uint32_t value) {
    if (2 * (table->count + 1) > table->slots.count && !enlarge(memory, table)) {
        return false;
    }
    uint64_t* slot = &table->slots.data[slot_of(table, key)];
    table->count += *slot == 0;
    *slot = ((uint64_t)key + 1) << 32 | value;
    return true;
}

void abut__table_remove(abut__table* table, uint32_t key) {
    if (table->count == 0) {
        return;
    }
    uint64_t* slots = table->slots.data;
    const size_t mask = table->slots.count - 1;
    size_t hole = slot_of(table, key);
    if (slots[hole] == 0) {
        return;
    }
    slots[hole] = 0;
    --table->count;
    // entries behind the hole move up, if their search would pass it
    for (size_t i = (hole + 1) & mask; slots[i] != 0; i = (i + 1) & mask) {
        const size_t home = home_of((uint32_t)(slots[i] >> 32) - 1, mask + 1);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            slots[hole] = slots[i];
            slots[i] = 0;
            hole = i;
        }
    }
}

void abut__table_clear(abut__table* table) {
    if (table->slots.count > 0) {
        memset(table->slots.data, 0, table->slots.count * sizeof *table->slots.data);
    }
    table->count = 0;
}

void abut__table_free(const abut_allocator* memory, abut__table* table) {
    abut__discard(memory, &table->slots);
    table->count = 0;
}

// ---- messages

bool abut__write(const abut_allocator* memory, abut__bytes* to, const void* from, size_t size) {
    uint8_t* place = abut__append(memory, to, size);
    if (place != NULL && size > 0) {
        memcpy(place, from, size);
    }
    return place != NULL;
}

abut__reading abut__reading_of(const abut__bytes* bytes) {
    return (abut__reading){bytes->data, bytes->count > 0 ? bytes->data + bytes->count : bytes->data,
                           false};
}

const uint8_t* abut__read_bytes(abut__reading* from, size_t size) {
    if (from->bad || size > (size_t)(from->end - from->at)) {
        from->bad = true;
        return NULL;
    }
    const uint8_t* at = from->at;
    from->at += size;
    return at;
}

void abut__read_into(abut__reading* from, void* to, size_t size) {
    const uint8_t* at = abut__read_bytes(from, size);
    if (at != NULL && size > 0) {
        memcpy(to, at, size);
    } else {
        memset(to, 0, size);
    }
}

// multiplies and folds eight bytes at a time
uint64_t abut__hash_bytes(const void* data, size_t size, uint64_t seed) {
    const uint8_t* at = data;
    uint64_t hash = seed ^ (0x9E3779B97F4A7C15u * (size + 1));
    while (size > 0) {
        uint64_t word = 0;
        const size_t n = size < sizeof word ? size : sizeof word;
        memcpy(&word, at, n);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
        at += n;
        size -= n;
    }
    hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u;
    return hash ^ hash >> 32;
}
