// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinds that are built in.
#include "peers/peer.h"

#include <string.h>

#define PEERS_OURS(X) \
    X(abut)           \
    X(abut_copied) X(abut_scalar) X(abut_avx2) X(abut_one) X(abut_two) X(abut_tree) X(bandwidth)
#define PEERS_EMBREE(X) \
    X(embree_refit)     \
    X(embree_low)       \
    X(embree_medium)    \
    X(embree_refit_triangles) X(embree_low_triangles) X(joined_refit) X(joined_low)
#define PEERS_FCL(X) X(fcl_aabb) X(fcl_obbrss)
#define PEERS_BULLET(X) X(bullet_dbvt) X(bullet_gimpact) X(bullet_gimpact_refit)
#define PEERS_CGAL(X) X(cgal_box)

#define DECLARE(id) extern const peer_kind peer_##id;
#define LIST(id) &peer_##id,

PEERS_OURS(DECLARE)
PEERS_EMBREE(DECLARE)
PEERS_FCL(DECLARE)
PEERS_BULLET(DECLARE)
PEERS_CGAL(DECLARE)

// clang-format off
static const peer_kind* const kinds[] = {
    PEERS_OURS(LIST)
#ifdef BENCH_HAVE_EMBREE
    PEERS_EMBREE(LIST)
#endif
#ifdef BENCH_HAVE_FCL
    PEERS_FCL(LIST)
#endif
#ifdef BENCH_HAVE_BULLET
    PEERS_BULLET(LIST)
#endif
#ifdef BENCH_HAVE_CGAL
    PEERS_CGAL(LIST)
#endif
};
// clang-format on

const peer_kind* peer_find(const char* name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (strcmp(kinds[i]->name, name) == 0) {
            return kinds[i];
        }
    }
    return NULL;
}
