// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What goes on from call to call: regions keep their ids and directions.
#include "depth/depths.h"

// the region of the last call that this one goes on from; NULL: none
abut__depth_memory* abut__depths_remembered(abut_depths* depths, uint32_t region) {
    const abut__depth_triangle* triangles = abut__depth_triangles(&depths->regions.side[0]);
    const uint32_t* order = depths->order[0].data;
    const uint32_t* first = depths->first[0].data;
    const abut__depth_place* places = depths->last_place.data;
    abut__depth_memory* memories = depths->memories.data;
    for (uint32_t i = first[region]; i < first[region + 1]; ++i) {
        const uint32_t id = triangles[order[i]].id;
        if (id < depths->last_place.count && places[id].stamp == depths->last_stamp &&
            places[id].stamp != 0 && !memories[places[id].number].taken) {
            memories[places[id].number].taken = true;
            return &memories[places[id].number];
        }
    }
    return NULL;
}

// forgets everything if the bodies are others than in the last call
void abut__depths_recall(abut_depths* depths, abut_body_id a, abut_body_id b) {
    const abut_body_id ids[2] = {a, b};
    for (int s = 0; s < 2; ++s) {
        const uint64_t serial = depths->regions.side[s].body->shape->serial;
        if (memcmp(&ids[s], &depths->last_body[s], sizeof ids[s]) != 0 ||
            serial != depths->last_shape[s]) {
            depths->last_stamp = 0;
            depths->memories.count = 0;
        }
        depths->last_body[s] = ids[s];
        depths->last_shape[s] = serial;
    }
}

bool abut__depths_remember(abut_depths* depths) {
    const abut__depth_side* side = &depths->regions.side[0];
    const uint32_t triangles = side->body->shape->mesh->triangle_count;
    const size_t had = depths->last_place.count;
    if (had < triangles) {
        abut__depth_place* more = abut__vector_push(depths->context, &depths->last_place,
                                                    triangles - had, sizeof *more);
        if (more == NULL) {
            return false;
        }
        memset(more, 0, (triangles - had) * sizeof *more);
    }
    depths->memories.count = 0;
    abut__depth_memory* memories = abut__vector_push(depths->context, &depths->memories,
                                                     depths->found.count, sizeof *memories);
    if (memories == NULL && depths->found.count > 0) {
        return false;
    }
    const abut_region* found = depths->found.data;
    for (size_t r = 0; r < depths->found.count; ++r) {
        memories[r] = (abut__depth_memory){.id = found[r].id};
        memcpy(memories[r].direction, found[r].direction, sizeof found[r].direction);
    }
    abut__depth_place* places = depths->last_place.data;
    const abut__depth_triangle* t = abut__depth_triangles(side);
    for (size_t i = 0; i < side->triangles.count; ++i) {
        places[t[i].id] = (abut__depth_place){depths->regions.stamp, t[i].region};
    }
    depths->last_stamp = depths->regions.stamp;
    return true;
}
