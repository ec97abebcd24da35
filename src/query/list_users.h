// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The opened pairs of a separation list by the tree nodes whose children they compare. A kinetic
// tree changes boxes at events of its own (BV-change), and then these pairs are examined again.
// Weller and Zachmann store for each bounding volume the pairs that it is part of, too.
#ifndef ABUT_QUERY_LIST_USERS_H
#define ABUT_QUERY_LIST_USERS_H

#include "query/separation_list.h"

// Registers all opened pairs, for sides with boxes of a kinetic tree. False: no memory.
bool abut__list_users_start(abut__list* list);
// Ends that, until the next start: nodes are about to get other numbers.
void abut__list_users_end(abut__list* list);
// Registers an opened pair, or removes it.
void abut__list_users_add(abut__list* list, uint32_t number);
void abut__list_users_remove(abut__list* list, uint32_t number);
// Appends the pairs of all nodes of a side whose boxes have changed to the pairs to be examined.
void abut__list_users_of_changes(abut__list* list, int side);

#endif
