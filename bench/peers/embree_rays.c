// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Embree's rays on a mesh: see rays.h.
#include "peers/rays.h"

#include "peers/embree_settings.h"

#include <embree3/rtcore.h>
#include <math.h>
#include <stdlib.h>

enum { PACKET = 16, STREAM = 256 };

typedef struct tree {
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    uint32_t vertices;
} tree;

static void set_positions(tree* t, const float* xyz) {
    rtcSetSharedGeometryBuffer(t->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, xyz, 0,
                               12, t->vertices);
    rtcCommitGeometry(t->geometry);
    rtcCommitScene(t->scene);
}

void* rays_embree_create(const float* xyz, uint32_t vertices, const uint32_t* triangles,
                         uint32_t count, bool robust, bool refits) {
    tree* t = calloc(1, sizeof *t);
    if (t == NULL) {
        abort();
    }
    *t = (tree){.device = rtcNewDevice(embree_settings()), .vertices = vertices};
    t->scene = rtcNewScene(t->device);
    t->geometry = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSceneFlags(t->scene, (enum RTCSceneFlags)((robust ? RTC_SCENE_FLAG_ROBUST : 0) |
                                                    (refits ? RTC_SCENE_FLAG_DYNAMIC : 0)));
    rtcSetSceneBuildQuality(t->scene, refits ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_HIGH);
    rtcSetGeometryBuildQuality(t->geometry,
                               refits ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_HIGH);
    rtcSetSharedGeometryBuffer(t->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, triangles,
                               0, 12, count);
    rtcAttachGeometry(t->scene, t->geometry);
    set_positions(t, xyz);
    return t;
}

void rays_embree_destroy(void* made) {
    tree* t = made;
    rtcReleaseGeometry(t->geometry);
    rtcReleaseScene(t->scene);
    rtcReleaseDevice(t->device);
    free(t);
}

void rays_embree_update(void* made, const float* xyz) {
    set_positions(made, xyz);
}

static struct RTCRayHit ray_of(const rays_batch* rays, size_t i) {
    const float* o = rays->origins + 3 * i;
    const float* d = rays->directions + 3 * i;
    struct RTCRayHit r = {.ray = {.org_x = o[0],
                                  .org_y = o[1],
                                  .org_z = o[2],
                                  .dir_x = d[0],
                                  .dir_y = d[1],
                                  .dir_z = d[2],
                                  .tfar = INFINITY,
                                  .mask = UINT32_MAX}};
    r.hit.geomID = r.hit.primID = RTC_INVALID_GEOMETRY_ID;
    r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    return r;
}

static void cast_single(const tree* t, struct RTCIntersectContext* context, const rays_batch* rays,
                        uint32_t* triangles, float* at) {
    for (size_t i = 0; i < rays->count; ++i) {
        struct RTCRayHit r = ray_of(rays, i);
        rtcIntersect1(t->scene, context, &r);
        triangles[i] = r.hit.primID;
        at[i] = r.ray.tfar;
    }
}

static void cast_packets(const tree* t, struct RTCIntersectContext* context, const rays_batch* rays,
                         uint32_t* triangles, float* at) {
    for (size_t first = 0; first < rays->count; first += PACKET) {
        _Alignas(64) int valid[PACKET];
        _Alignas(64) struct RTCRayHit16 p;
        const size_t count = rays->count - first < PACKET ? rays->count - first : PACKET;
        for (size_t k = 0; k < PACKET; ++k) {
            const size_t i = first + (k < count ? k : 0);
            valid[k] = k < count ? -1 : 0;
            p.ray.org_x[k] = rays->origins[3 * i];
            p.ray.org_y[k] = rays->origins[3 * i + 1];
            p.ray.org_z[k] = rays->origins[3 * i + 2];
            p.ray.dir_x[k] = rays->directions[3 * i];
            p.ray.dir_y[k] = rays->directions[3 * i + 1];
            p.ray.dir_z[k] = rays->directions[3 * i + 2];
            p.ray.tnear[k] = p.ray.time[k] = 0;
            p.ray.tfar[k] = INFINITY;
            p.ray.mask[k] = UINT32_MAX;
            p.ray.id[k] = p.ray.flags[k] = 0;
            p.hit.geomID[k] = p.hit.primID[k] = RTC_INVALID_GEOMETRY_ID;
            p.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
        }
        rtcIntersect16(valid, t->scene, context, &p);
        for (size_t k = 0; k < count; ++k) {
            triangles[first + k] = p.hit.primID[k];
            at[first + k] = p.ray.tfar[k];
        }
    }
}

static void cast_stream(const tree* t, struct RTCIntersectContext* context, const rays_batch* rays,
                        uint32_t* triangles, float* at) {
    static struct RTCRayHit stream[STREAM];
    for (size_t first = 0; first < rays->count; first += STREAM) {
        const size_t count = rays->count - first < STREAM ? rays->count - first : STREAM;
        for (size_t k = 0; k < count; ++k) {
            stream[k] = ray_of(rays, first + k);
        }
        rtcIntersect1M(t->scene, context, stream, (unsigned)count, sizeof *stream);
        for (size_t k = 0; k < count; ++k) {
            triangles[first + k] = stream[k].hit.primID;
            at[first + k] = stream[k].ray.tfar;
        }
    }
}

void rays_embree_cast(void* made, rays_way way, const rays_batch* rays, uint32_t* triangles,
                      float* t) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = rays->coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT
                                   : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    switch (way) {
        case RAYS_SINGLE: cast_single(made, &context, rays, triangles, t); break;
        case RAYS_PACKETS: cast_packets(made, &context, rays, triangles, t); break;
        default: cast_stream(made, &context, rays, triangles, t); break;
    }
}
