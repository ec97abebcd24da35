// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Embree 3: one scene per body, of user geometry, since rtcCollide() accepts no other. Three ways
// to follow the motion: refit, a Morton rebuild ("low") and an SAH rebuild ("medium"). Its callback
// gets pairs of triangles whose leaves overlap: both orders within a scene, and after a refit also
// pairs whose own boxes do not overlap.
#include "bench.h"
#include "peers/corners.h"
#include "peers/embree_settings.h"

#include <embree3/rtcore.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum embree_mode { MODE_REFIT, MODE_LOW, MODE_MEDIUM } embree_mode;

typedef struct body {
    corners at;
    RTCScene scene;
    RTCGeometry geometry;
    double box[6];
} body;

typedef struct embree {
    RTCDevice device;
    body* bodies;
    uint32_t count;
    embree_mode mode;
    bool triangles;  // triangle geometry: can be built and refitted, but not collided
    // Of the current query:
    const body* a;
    const body* b;
    peer_pairs* out;
} embree;

static void bounds(const struct RTCBoundsFunctionArguments* arguments) {
    const body* b = arguments->geometryUserPtr;
    float lo[3];
    float hi[3];
    corners_box(&b->at, arguments->primID, lo, hi);
    struct RTCBounds* out = arguments->bounds_o;
    out->lower_x = lo[0];
    out->lower_y = lo[1];
    out->lower_z = lo[2];
    out->upper_x = hi[0];
    out->upper_y = hi[1];
    out->upper_z = hi[2];
}

static void make_geometry(embree* e, body* b) {
    b->geometry = rtcNewGeometry(e->device, e->triangles ? RTC_GEOMETRY_TYPE_TRIANGLE
                                                         : RTC_GEOMETRY_TYPE_USER);
    if (e->triangles) {
        rtcSetSharedGeometryBuffer(b->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                   b->at.mesh->triangles, 0, 12, b->at.mesh->triangle_count);
        rtcSetSharedGeometryBuffer(b->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                   b->at.xyz, 0, 12, b->at.mesh->vertex_count);
    } else {
        rtcSetGeometryUserPrimitiveCount(b->geometry, b->at.mesh->triangle_count);
        rtcSetGeometryUserData(b->geometry, b);
        rtcSetGeometryBoundsFunction(b->geometry, bounds, NULL);
    }
}

static void make_body(embree* e, body* b) {
    static const enum RTCBuildQuality quality[] = {RTC_BUILD_QUALITY_REFIT, RTC_BUILD_QUALITY_LOW,
                                                   RTC_BUILD_QUALITY_MEDIUM};
    b->scene = rtcNewScene(e->device);
    make_geometry(e, b);
    if (e->mode == MODE_MEDIUM) {
        rtcSetSceneBuildQuality(b->scene, RTC_BUILD_QUALITY_MEDIUM);
    } else {
        rtcSetSceneFlags(b->scene, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetSceneBuildQuality(b->scene, RTC_BUILD_QUALITY_LOW);
    }
    rtcSetGeometryBuildQuality(b->geometry, quality[e->mode]);
    rtcCommitGeometry(b->geometry);
    rtcAttachGeometry(b->scene, b->geometry);
    rtcCommitScene(b->scene);
}

static void drop_body(body* b) {
    rtcReleaseGeometry(b->geometry);
    rtcReleaseScene(b->scene);
}

static void keep_box(body* b) {
    struct RTCBounds box;
    rtcGetSceneBounds(b->scene, &box);
    const float lo_hi[6] = {box.lower_x, box.lower_y, box.lower_z,
                            box.upper_x, box.upper_y, box.upper_z};
    for (int i = 0; i < 6; ++i) {
        b->box[i] = lo_hi[i];
    }
}

static void* create(const peer_mesh* meshes, uint32_t count, embree_mode mode, bool triangles) {
    embree* e = calloc(1, sizeof *e);
    body* bodies = calloc(count, sizeof *bodies);
    if (e == NULL || bodies == NULL) {
        abort();
    }
    *e = (embree){
        rtcNewDevice(embree_settings()), bodies, count, mode, triangles, NULL, NULL, NULL};
    for (uint32_t i = 0; i < count; ++i) {
        bodies[i].at.mesh = &meshes[i];
        bodies[i].at.xyz = meshes[i].rest;
        make_body(e, &bodies[i]);
        keep_box(&bodies[i]);
    }
    if (rtcGetDeviceError(e->device) != RTC_ERROR_NONE) {
        fprintf(stderr, "bench: Embree refuses to build\n");
        abort();
    }
    return e;
}

static void destroy(void* peer) {
    embree* e = peer;
    for (uint32_t i = 0; i < e->count; ++i) {
        drop_body(&e->bodies[i]);
    }
    rtcReleaseDevice(e->device);
    free(e->bodies);
    free(e);
}

static void update(void* peer, const float* const* xyz) {
    embree* e = peer;
    for (uint32_t i = 0; i < e->count; ++i) {
        body* b = &e->bodies[i];
        if (!b->at.mesh->moves) {
            continue;
        }
        b->at.xyz = xyz[i];
        if (e->triangles) {
            rtcSetSharedGeometryBuffer(b->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                       b->at.xyz, 0, 12, b->at.mesh->vertex_count);
        }
        rtcCommitGeometry(b->geometry);
        rtcCommitScene(b->scene);
        keep_box(b);
    }
}

static void on_pairs(void* user, struct RTCCollision* found, unsigned int count) {
    embree* e = user;
    for (unsigned int i = 0; i < count; ++i) {
        if (corners_touch(&e->a->at, found[i].primID0, &e->b->at, found[i].primID1)) {
            peer_add(e->out, (uint32_t)(e->a - e->bodies), found[i].primID0,
                     (uint32_t)(e->b - e->bodies), found[i].primID1);
        }
    }
}

static void on_self_pairs(void* user, struct RTCCollision* found, unsigned int count) {
    embree* e = user;
    for (unsigned int i = 0; i < count; ++i) {
        const uint32_t p = found[i].primID0;
        const uint32_t q = found[i].primID1;
        if (p < q && !peer_neighbours(e->a->at.mesh, p, q) &&
            corners_touch(&e->a->at, p, &e->a->at, q)) {
            peer_add(e->out, 0, p, 0, q);
        }
    }
}

static void collide(void* peer, peer_pairs* out) {
    embree* e = peer;
    e->out = out;
    for (uint32_t i = 0; i < e->count; ++i) {
        for (uint32_t k = i + 1; k < e->count; ++k) {
            if (peer_boxes_touch(e->bodies[i].box, e->bodies[k].box)) {
                e->a = &e->bodies[i];
                e->b = &e->bodies[k];
                rtcCollide(e->a->scene, e->b->scene, on_pairs, e);
            }
        }
    }
}

static void self(void* peer, peer_pairs* out) {
    embree* e = peer;
    e->out = out;
    e->a = &e->bodies[0];
    rtcCollide(e->a->scene, e->a->scene, on_self_pairs, e);
}

static void build(void* peer) {
    embree* e = peer;
    drop_body(&e->bodies[0]);
    make_body(e, &e->bodies[0]);
    keep_box(&e->bodies[0]);
}

static void box(void* peer, double lo_hi[6]) {
    const embree* e = peer;
    for (int i = 0; i < 6; ++i) {
        lo_hi[i] = e->bodies[0].box[i];
    }
}

#define EMBREE_KIND(id, text, mode, triangles)                          \
    static void* create_##id(const peer_mesh* meshes, uint32_t count) { \
        return create(meshes, count, mode, triangles);                  \
    }                                                                   \
    extern const peer_kind peer_embree_##id;                            \
    const peer_kind peer_embree_##id = {                                \
        .name = text,                                                   \
        .create = create_##id,                                          \
        .destroy = destroy,                                             \
        .update = update,                                               \
        .collide = (triangles) ? NULL : collide,                        \
        .self = (triangles) ? NULL : self,                              \
        .build = build,                                                 \
        .box = box,                                                     \
    };

EMBREE_KIND(refit, "Embree refit", MODE_REFIT, false)
EMBREE_KIND(low, "Embree Morton", MODE_LOW, false)
EMBREE_KIND(medium, "Embree SAH", MODE_MEDIUM, false)
EMBREE_KIND(refit_triangles, "Embree refit (triangles)", MODE_REFIT, true)
EMBREE_KIND(low_triangles, "Embree Morton (triangles)", MODE_LOW, true)
