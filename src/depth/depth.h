// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Declarations shared by the files of depth/: the caller's object abut_depth_result, and the search for
// one region's separating translation.
//
//   regions.c                 groups triangles into regions
//   gather.c                  collects the triangles and points of a region
//   overlap.c                 candidate directions, and the shift that each needs
//   farthest.c                the farthest of many points along a direction
//   shift_interval.c          shifts along a direction for which two triangles touch
//   trial.c                   tests a translation with the query
//   attempt.c                 the shift along one direction that frees a region
//   separating_translation.c  the shortest translation that frees a region
//   clearance.c               distance from a point to a body's surface
//   reach.c                   how far a body reaches along a direction
//   lower_bound.c             lower bound of the depth of two bodies
//   pair_depth.c              penetration depth of two triangles: the bound within one body
//   patch_pairs.c             regions within one body
//   patch_trial.c             tests a translation of one patch against another
//   continuity.c              limits how fast a separating translation changes between calls
//   history.c                 matches regions with those of the last call
#ifndef ABUT_DEPTH_DEPTH_H
#define ABUT_DEPTH_DEPTH_H

#include "depth/overlap.h"
#include "depth/trial.h"

// A region of the last call. Triangles are stored with their group: the region, or within one body
// the patch.
typedef struct abut__past_region {
    uint32_t id;
    uint32_t group[2];  // of each side: two patches, or the region twice
    double direction[3];
    double depth;
    bool by_width;  // the depth was the width of the overlap
    bool interlocked;
    bool taken;  // already matched with a region of this call
} abut__past_region;

// The group of the last call that shares the most triangles with a group.
typedef struct abut__group_match {
    uint32_t group;  // ABUT__NONE: none
    uint32_t votes;  // the number of shared triangles
} abut__group_match;

// Two patches of one body with triangles that touch.
typedef struct abut__patch_pair {
    uint32_t patch[2];        // equal if a patch cuts itself
    abut__past_region* last;  // the region that it continues, or NULL
} abut__patch_pair;

// Mean of the known points of a triangle that are in the other body. It lies on the triangle, and
// can be inside where no vertex is, as where bars cross.
typedef struct abut__depth_mean {
    double sum[3];
    uint32_t count;
} abut__depth_mean;

// vertices of a body, spread over it, whose positions are stored for the next call
enum { ABUT__DEPTH_SAMPLES = 16 };

struct abut_depth_result {
    abut__workspace work;   // pairs that touch
    abut__workspace trial;  // pairs that touch after a trial translation
    const abut_context* context;
    bool defined;
    abut__regions regions;
    abut__overlap overlap;
    abut__region_kinds kinds;
    ABUT__VECTOR(abut_region) found;
    ABUT__VECTOR(bool) by_width;  // one for each found region
    ABUT__VECTOR(abut_pair) pairs;
    abut__uint32s inside;
    size_t inside_count;                   // of the last call
    abut__uint32s order[2];                // numbers of triangles, region after region
    abut__uint32s first[2];                // where each region begins in `order`, then the end
    abut__uint32s pair_order;              // numbers of triangle pairs, region after region
    abut__uint32s pair_first;              // where each region begins in it, then the end
    abut__uint32s members[2];              // numbers of the region's vertices, each once
    abut__uint32s seen;                    // by vertex number: the last gathering that had it
    uint32_t gathering;                    // the current one
    abut__overlap_points placed;           // vertices of a whole body, in the world
    ABUT__VECTOR(uint64_t) keys;           // to sort by
    ABUT__VECTOR(abut__depth_mean) means;  // by triangle number
    // within one body: all patches; each pair of patches in turn becomes the region above
    abut__regions patches;
    ABUT__VECTOR(abut__patch_pair) patch_pairs;  // in the order of their first triangle pairs
    uint32_t patch_pair;                         // the one that is the region above
    abut__patch_trial patch_trial;               // tests its translations
    abut__uint32s patch_pair_of;                 // by triangle pair
    ABUT__VECTOR(abut_pair) oriented_pairs;      // triangle pairs, the first side's triangle first
    abut__uint32s patch_order[2];  // as `order` and `first`; the second ones are empty
    abut__uint32s patch_first[2];
    // the last call
    abut_body_id last_body[2];
    uint64_t last_shape[2];
    uint32_t record_stamp;
    uint32_t last_stamp;                             // 0: there is no last call to continue
    ABUT__VECTOR(abut__depth_place) last_group[2];   // by triangle: its group
    ABUT__VECTOR(abut__depth_place) last_vertex[2];  // by vertex class: its number in last_points
    abut__overlap_points last_points[2];             // in the world
    double last_sample[2][ABUT__DEPTH_SAMPLES][3];
    ABUT__VECTOR(abut__past_region) past_regions;
    ABUT__VECTOR(abut__group_match) matches;  // by group
    abut__uint32s votes;                      // by group of the last call
    uint32_t last_group_count;
    uint32_t last_id;
};

// The search for one region's separating translation.
typedef struct abut__attempt {
    abut_depth_result* depths;
    abut__trial trial;
    abut_region* region;
    bool together;
    bool few;           // few enough triangles to examine each pair
    double out[3];      // within one body: translations must not point against this; may be 0
    double factor;      // a new translation must be shorter than this factor times the best one
    bool by_width;      // the depth found is about the width of the overlap
    double nearest[3];  // the translation that gave the lower bound; 0: none
    double scale;       // largest coordinate, for the slack that covers rounding
} abut__attempt;

// ---- gather.c
// Lists the numbers of a side's triangles, region after region. `first` receives where each region
// begins, then the end. False: no memory.
bool abut__depths_sort(const abut_context* context, const abut__depth_side* side, uint32_t regions,
                       abut__uint32s* order, abut__uint32s* first);
// Does the same for both sides of depths->regions.
bool abut__depths_order(abut_depth_result* depths);
// Lists the numbers of triangle pairs by their groups, which are regions or pairs of patches. False:
// no memory.
bool abut__depths_sort_pairs(abut_depth_result* depths, const uint32_t* group_of, size_t count,
                             uint32_t groups);
// Returns the numbers of a region's triangle pairs, ascending; NULL: it has none.
static inline const uint32_t* abut__depths_pairs_of(const abut_depth_result* depths,
                                                    uint32_t region, size_t* count) {
    const uint32_t group = depths->regions.within ? depths->patch_pair : region;
    const uint32_t* first = depths->pair_first.data + group;
    *count = first[1] - first[0];
    return *count > 0 ? depths->pair_order.data + first[0] : NULL;
}
// Points where the triangles of each pair intersect.
static inline const abut_intersection* abut__depths_shared(const abut_depth_result* depths) {
    return depths->regions.within ? depths->patches.shared.data : depths->regions.shared.data;
}
// Fills depths->overlap with the points of a region. False: no memory.
bool abut__depths_gather(abut_depth_result* depths, uint32_t region);
// Adds its triangles, unless they are there. False: no memory.
bool abut__depths_gather_triangles(abut_depth_result* depths, uint32_t region);

// ---- patch_pairs.c
// Finds the patches of one body and the pairs of patches that touch. With `anew`, the order of the
// two sides does not depend on the last call.
abut_status abut__patch_pairs_find(abut_depth_result* depths, const abut_pair* pairs, size_t count,
                                   bool anew);
// Makes a pair of patches the only region of depths->regions.
abut_status abut__patch_pairs_load(abut_depth_result* depths, uint32_t number);

// ---- attempt.c
// Returns the point of each body that is deepest along a direction.
void abut__attempt_deepest(const abut__attempt* a, const double direction[3], double point_a[3],
                           double point_b[3]);
// Whether the parts that touched or were inside are outside after a translation. With `clean`,
// nothing may touch then; otherwise triangles of other regions may.
bool abut__attempt_is_out(const abut__attempt* a, const double direction[3], bool clean,
                          const double translation[3]);
// Lengthens a shift along a direction by the slack that it needs to free the region, or (`clean`)
// to free it while no other triangles touch. INFINITY: it does not.
abut_status abut__attempt_shift(const abut__attempt* a, const double direction[3], bool clean,
                                double* shift);
// Finds the first shift, starting at *shift, for which nothing touches (with `clean`, of any
// region). Returns `limit` in *shift if it finds none below.
abut_status abut__attempt_extend(const abut__attempt* a, const double direction[3], bool clean,
                                 double limit, double* shift);

// ---- continuity.c
// Limits the change of a continued region's translation by how far the bodies have moved, if such a
// translation frees the region.
abut_status abut__attempt_limit_change(abut__attempt* a, const abut__past_region* last);

// ---- separating_translation.c
// Finds direction, depth, deepest points and the lower bound of a region.
abut_status abut__attempt_solve(abut__attempt* a, const abut__past_region* last);

// ---- lower_bound.c
// Raises the region's lower bound by points of one body inside the other. Sets a->nearest to the
// translation that brings the deciding point to the other surface.
abut_status abut__attempt_raise_lower(abut__attempt* a);
// Returns a lower bound of the translations after which the bodies have no point in common, or an
// `enough` of it. Raises the region's lower bound if that is the same.
double abut__attempt_least_clean(abut__attempt* a, double enough);
// Returns the way of a from the middle of a piece that is wholly inside to about the nearest surface
// of the body around it. False: the middle is not inside both.
bool abut__attempt_nearest_surface(const abut__attempt* a, double to[3]);

// ---- pair_depth.c
// Raises the lower bound within one body to the penetration depth of the deepest pair of triangles.
void abut__attempt_raise_lower_self(const abut__attempt* a);

// ---- history.c
// Drops the records of the last call if that was about other bodies or shapes.
void abut__depths_check_bodies(abut_depth_result* depths, abut_body_id a, abut_body_id b);
// Finds the group of the last call that each group shares the most triangles with. Groups are
// regions, for abut__depths_past_region(), or patches. False: no memory.
bool abut__depths_match(abut_depth_result* depths, const abut__regions* groups,
                        const abut__uint32s order[2], const abut__uint32s first[2]);
// Returns the region of the last call that a region continues; NULL: none.
abut__past_region* abut__depths_past_region(abut_depth_result* depths, uint32_t region);
// Returns how far vertices of the region have moved since the last call, the maxima of a and b
// added. A translation that both sides share may be left out. If no vertex of a side has a record,
// the sample vertices of its body are used.
double abut__depths_motion(const abut_depth_result* depths);
// Records the regions found and the groups of triangles for the next call. False: no memory.
bool abut__depths_record(abut_depth_result* depths, const abut__regions* groups);

#endif
