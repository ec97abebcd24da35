// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Embree's point queries: see points.h.
// Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1.5, for the closest point.
#include "peers/embree_settings.h"
#include "peers/points.h"

#include <embree3/rtcore.h>
#include <math.h>
#include <stdlib.h>

typedef struct tree {
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    const float* xyz;
    const uint32_t* triangles;
} tree;

static tree* build(const float* xyz, uint32_t vertices, const uint32_t* triangles, uint32_t count,
                   enum RTCBuildQuality quality) {
    tree* t = calloc(1, sizeof *t);
    if (t == NULL) {
        abort();
    }
    *t = (tree){.device = rtcNewDevice(embree_settings()), .xyz = xyz, .triangles = triangles};
    t->geometry = rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(t->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, triangles,
                               0, 12, count);
    rtcSetSharedGeometryBuffer(t->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, xyz, 0,
                               12, vertices);
    t->scene = rtcNewScene(t->device);
    if (quality == RTC_BUILD_QUALITY_HIGH) {
        rtcSetSceneBuildQuality(t->scene, quality);
    } else {
        rtcSetGeometryBuildQuality(t->geometry, quality);
        rtcSetSceneFlags(t->scene, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetSceneBuildQuality(t->scene, RTC_BUILD_QUALITY_LOW);
    }
    rtcCommitGeometry(t->geometry);
    rtcAttachGeometry(t->scene, t->geometry);
    rtcCommitScene(t->scene);
    return t;
}

void* points_embree_create(const float* xyz, uint32_t vertices, const uint32_t* triangles,
                           uint32_t count) {
    return build(xyz, vertices, triangles, count, RTC_BUILD_QUALITY_HIGH);
}

void* points_embree_create_moving(const float* xyz, uint32_t vertices, const uint32_t* triangles,
                                  uint32_t count, points_way way) {
    return build(xyz, vertices, triangles, count,
                 way == POINTS_REFIT ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_LOW);
}

void points_embree_update(void* made) {
    const tree* t = made;
    rtcUpdateGeometryBuffer(t->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(t->geometry);
    rtcCommitScene(t->scene);
}

void points_embree_destroy(void* made) {
    tree* t = made;
    rtcReleaseGeometry(t->geometry);
    rtcReleaseScene(t->scene);
    rtcReleaseDevice(t->device);
    free(t);
}

static float dot(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float length_sq(const float d[3], float s, const float u[3], float t, const float v[3]) {
    const float e[3] = {d[0] - s * u[0] - t * v[0], d[1] - s * u[1] - t * v[1],
                        d[2] - s * u[2] - t * v[2]};
    return dot(e, e);
}

// The squared distance of a point at `p` from the corner a, of a triangle with edges ab and ac there.
static float distance_sq(const float p[3], const float ab[3], const float ac[3]) {
    const float bp[3] = {p[0] - ab[0], p[1] - ab[1], p[2] - ab[2]};
    const float cp[3] = {p[0] - ac[0], p[1] - ac[1], p[2] - ac[2]};
    const float d1 = dot(ab, p);
    const float d2 = dot(ac, p);
    const float d3 = dot(ab, bp);
    const float d4 = dot(ac, bp);
    const float d5 = dot(ab, cp);
    const float d6 = dot(ac, cp);
    if (d1 <= 0 && d2 <= 0) {
        return dot(p, p);
    }
    if (d3 >= 0 && d4 <= d3) {
        return dot(bp, bp);
    }
    if (d6 >= 0 && d5 <= d6) {
        return dot(cp, cp);
    }
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        return length_sq(p, d1 / (d1 - d3), ab, 0, ac);
    }
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        return length_sq(p, 0, ab, d2 / (d2 - d6), ac);
    }
    const float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 >= d3 && d5 >= d6) {
        const float w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return length_sq(p, 1 - w, ab, w, ac);
    }
    const float scale = 1 / (va + vb + vc);
    return length_sq(p, vb * scale, ab, vc * scale, ac);
}

// Makes the query's radius smaller where a triangle is nearer.
static bool on_triangle(struct RTCPointQueryFunctionArguments* found) {
    const tree* t = found->userPtr;
    const uint32_t* v = t->triangles + 3 * (size_t)found->primID;
    const float* a = t->xyz + 3 * (size_t)v[0];
    const float* b = t->xyz + 3 * (size_t)v[1];
    const float* c = t->xyz + 3 * (size_t)v[2];
    const float p[3] = {found->query->x - a[0], found->query->y - a[1], found->query->z - a[2]};
    const float ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const float ac[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const float distance = sqrtf(distance_sq(p, ab, ac));
    if (distance < found->query->radius) {
        found->query->radius = distance;
        return true;
    }
    return false;
}

static float nearest_of(tree* t, const float p[3], float within) {
    struct RTCPointQuery query = {.x = p[0], .y = p[1], .z = p[2], .radius = within};
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(t->scene, &query, &context, on_triangle, t);
    return query.radius;
}

double points_embree_nearest(void* made, const float* points, size_t count) {
    tree* t = made;
    float best = INFINITY;
    for (size_t i = 0; i < count; ++i) {
        best = nearest_of(t, points + 3 * i, best);
    }
    return best;
}

void points_embree_each(void* made, const float* points, size_t count, float* distances) {
    for (size_t i = 0; i < count; ++i) {
        distances[i] = nearest_of(made, points + 3 * i, INFINITY);
    }
}
