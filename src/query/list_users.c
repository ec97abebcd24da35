// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Doubly linked lists of opened pairs, one per node: see list_users.h.
#include "query/list_users.h"

static abut__opened* opened_at(const abut__list* list, uint32_t number) {
    return list->opened.data + number;
}

static void add(abut__list* list, uint32_t number, int side) {
    abut__opened* o = opened_at(list, number);
    uint32_t* first = &list->users[side].data[o->node[side]];
    o->user_next[side] = *first;
    o->user_previous[side] = ABUT__NONE;
    if (*first != ABUT__NONE) {
        opened_at(list, *first)->user_previous[side] = number;
    }
    *first = number;
}

static void take_out(abut__list* list, uint32_t number, int side) {
    const abut__opened* o = opened_at(list, number);
    const uint32_t next = o->user_next[side];
    const uint32_t previous = o->user_previous[side];
    if (previous != ABUT__NONE) {
        opened_at(list, previous)->user_next[side] = next;
    } else {
        list->users[side].data[o->node[side]] = next;
    }
    if (next != ABUT__NONE) {
        opened_at(list, next)->user_previous[side] = previous;
    }
}

void abut__list_users_add(abut__list* list, uint32_t number) {
    for (int s = 0; s < 2 && list->has_users; ++s) {
        if (list->side[s].tight) {
            add(list, number, s);
        }
    }
}

void abut__list_users_remove(abut__list* list, uint32_t number) {
    for (int s = 0; s < 2 && list->has_users; ++s) {
        if (list->side[s].tight) {
            take_out(list, number, s);
        }
    }
}

void abut__list_users_end(abut__list* list) {
    list->has_users = false;
}

bool abut__list_users_start(abut__list* list) {
    list->has_users = list->side[0].tight || list->side[1].tight;
    for (int s = 0; s < 2 && list->has_users; ++s) {  // both: the list may serve other bodies later
        const uint32_t nodes = list->side[s].body->shape->tree.node_count;
        uint32_t* first = abut__renew(list->context, &list->users[s], nodes);
        if (first == NULL) {
            return false;
        }
        memset(first, 0xff, nodes * sizeof *first);  // ABUT__NONE
    }
    for (uint32_t i = 0; i < list->opened.count; ++i) {
        if (opened_at(list, i)->used) {
            abut__list_users_add(list, i);
        }
    }
    return true;
}

void abut__list_users_of_changes(abut__list* list, int side) {
    const uint64_t* marks = list->side[side].segment.marks;
    const uint32_t nodes = list->side[side].body->shape->tree.node_count;
    for (uint32_t w = 0; w <= (nodes - 1) / 64; ++w) {
        for (uint64_t left = marks[w]; left != 0; left &= left - 1) {
            const uint32_t node = 64 * w + (uint32_t)__builtin_ctzll(left);
            uint32_t number = list->users[side].data[node];
            for (; number != ABUT__NONE; number = opened_at(list, number)->user_next[side]) {
                ABUT_ASSERT(list->todo.count < list->todo.capacity);
                list->todo.data[list->todo.count++] = number;
            }
        }
    }
}
