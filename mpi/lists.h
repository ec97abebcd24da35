// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Growing arrays and a table of numbers, on the hooks of a world's allocator; and reading and writing of
// the bytes of messages.
#ifndef ABUT_MPI_LISTS_H
#define ABUT_MPI_LISTS_H

#include <string.h>

#include "abut/base.h"

// An array without the type of its elements: what the functions below see of a list.
typedef struct abut__raw_list {
    void* data;
    size_t count;
    size_t capacity;
} abut__raw_list;

// A list of T: {0} is empty. As ABUT__VECTOR of the library, on another allocator.
#define ABUT__LIST(T)            \
    union {                      \
        struct {                 \
            __typeof__(T)* data; \
            size_t count;        \
            size_t capacity;     \
        };                       \
        abut__raw_list raw;      \
    }

typedef ABUT__LIST(uint8_t) abut__bytes;
typedef ABUT__LIST(uint32_t) abut__ids;

void* abut__list_grow(const abut_allocator* memory, abut__raw_list* list, size_t n, size_t size);
bool abut__list_room(const abut_allocator* memory, abut__raw_list* list, size_t n, size_t size);
void abut__list_drop(const abut_allocator* memory, abut__raw_list* list, size_t size);

// appends `n` elements, not initialised; NULL: no memory, nothing changed
#define abut__append(memory, list, n) \
    ((__typeof__((list)->data))abut__list_grow(memory, &(list)->raw, n, sizeof *(list)->data))
// room for `n` elements in all; false: no memory, nothing changed
#define abut__make_room(memory, list, n) \
    abut__list_room(memory, &(list)->raw, n, sizeof *(list)->data)
// frees the memory; the list is empty then
#define abut__discard(memory, list) abut__list_drop(memory, &(list)->raw, sizeof *(list)->data)

// A table from numbers below UINT32_MAX to numbers below UINT32_MAX.
typedef struct abut__table {
    ABUT__LIST(uint64_t) slots;  // key + 1 above, value below; 0: free. A power of two, or none
    size_t count;
} abut__table;

#define ABUT__ABSENT UINT32_MAX

uint32_t abut__table_find(const abut__table* table, uint32_t key);  // ABUT__ABSENT: it is not there
bool abut__table_set(const abut_allocator* memory, abut__table* table, uint32_t key,
                     uint32_t value);
void abut__table_remove(abut__table* table, uint32_t key);
void abut__table_clear(abut__table* table);
void abut__table_free(const abut_allocator* memory, abut__table* table);

// ---- messages

// appends bytes; false: no memory
bool abut__write(const abut_allocator* memory, abut__bytes* to, const void* from, size_t size);
#define abut__write_value(memory, to, value) abut__write(memory, to, &(value), sizeof(value))

// Reads a message from its beginning to its end. Reading past the end sets `bad` and gives zeros.
typedef struct abut__reader_of_bytes {
    const uint8_t* at;
    const uint8_t* end;
    bool bad;
} abut__reading;

abut__reading abut__reading_of(const abut__bytes* bytes);
void abut__read_into(abut__reading* from, void* to, size_t size);
#define abut__read_value(from, to) abut__read_into(from, to, sizeof *(to))
// returns `size` bytes in place; NULL: there are fewer, and `bad` is set
const uint8_t* abut__read_bytes(abut__reading* from, size_t size);

// a hash of bytes, for checks of messages and names of shapes
uint64_t abut__hash_bytes(const void* data, size_t size, uint64_t seed);

#endif
