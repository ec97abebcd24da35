// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The inner loops, as a table of functions for each instruction set. The source is written once
// (simd/kernels/*.c) on top of lanes.h. All sets give the same bits: every operation is rounded
// separately, in the same order. Only bounds and points of the modal and blend motions may use
// fused operations; they do not appear in results.
//
// Boxes are floats. Boxes from positions with each coordinate rounded to the nearest float need no
// outward rounding against each other: rounding is monotonic, so no overlap is lost. Code that
// shifts or turns such boxes must grow them by a proven pad.
#ifndef ABUT_SIMD_KERNELS_H
#define ABUT_SIMD_KERNELS_H

#include "abut/types.h"
#include "simd/batches.h"
#include "simd/layout.h"

typedef struct abut__kernels {
    // Copies numbers. False: one is not finite.
    bool (*copy_finite)(const void* from, void* to, size_t count, bool is_double);
    // Rounds the positions of a block's vertices, relative to the source's origin, to float. False:
    // one is not finite.
    bool (*gather_points)(const abut__block* block, abut__source source, abut__block_points* out);
    // The same, interpolated at `part` between two sources; operations may be fused.
    bool (*gather_between)(const abut__block* block, const abut__source source[2], float part,
                           abut__block_points* out);
    // Computes the box of the points of gather_points(). False: one is not finite, and the box is meaningless.
    bool (*block_bounds)(const abut__block* block, abut__source source, abut__box3* box);
    // Computes the boxes of blocks from packed floats, with no origin subtracted: stretches first[b] .. first[b + 1] - 1,
    // always an even number, make up block b; none give an empty box. False: a number in or next to
    // the stretches may be not finite, so a box may be wrong.
    bool (*stretch_bounds)(const abut__stretch* stretches, const uint32_t* first, uint32_t count,
                           const float* xyz, abut__box3* boxes);
    // The same, and finds where the extreme vertices are. Blocks without stretches, and all if the
    // result is false, get places without a meaning.
    bool (*stretch_places)(const abut__stretch* stretches, const uint32_t* first, uint32_t count,
                           const float* xyz, abut__box3* boxes, abut__side_places* places);
    // Empties the lanes from `count` on and computes the box around the others.
    void (*node_bounds)(abut__boxes8* boxes, uint32_t count, abut__box3* box);
    // Computes the boxes of a block's triangles, turned if `turn` is not NULL, grown by `radius`.
    void (*block_boxes)(const abut__block* block, const abut__block_points* points,
                        const abut__turn* turn, float radius, abut__block_boxes* out);
    // Computes the boxes of the triangles in `ids` relative to the origin, clamped to the limit.
    // Returns the box around twice their centres.
    abut__box4 (*triangle_boxes)(const uint32_t* triangles, const uint32_t* ids, uint32_t count,
                                 abut__source source, float limit, abut__box4* out);
    // Computes Morton codes (30 bits) of the boxes' centres, in the upper halves; ids in the lower
    // ones.
    void (*morton_codes)(const abut__box4* boxes, const uint32_t* ids, uint32_t count,
                         const abut__grid* grid, uint64_t* out);
    // Computes the box around a block's triangles; returns their summed cost (abut__box_cost()).
    double (*measure_block)(const abut__block_boxes* boxes, abut__box3* box);
    // Computes the boxes around turned boxes.
    void (*turn_boxes)(const abut__boxes8* boxes, uint32_t count, const abut__turn* turn,
                       abut__boxes8* out);
    // Bit j of rows[i]: child i of a, shifted, overlaps child j of b.
    void (*overlap_nodes)(const abut__boxes8* a, uint32_t count_a, const abut__boxes8* b,
                          uint32_t count_b, const abut__shift* shift, uint8_t rows[ABUT__FAN]);
    // Bit i: child i of a, shifted, overlaps the box.
    uint32_t (*overlap_box)(const abut__boxes8* a, uint32_t count_a, const abut__shift* shift,
                            const abut__box3* box);
    // Bit i: box i of the first `count`, shifted, overlaps the sphere.
    uint32_t (*overlap_sphere)(const abut__boxes8* boxes, uint32_t count, const abut__shift* shift,
                               const abut__sphere3* sphere);
    // Returns the lanes of a block, shifted, that overlap the box.
    uint64_t (*clip_block)(const abut__block_boxes* boxes, uint64_t valid, const abut__shift* shift,
                           const abut__box3* box);
    // The same for a sphere.
    uint64_t (*clip_sphere)(const abut__block_boxes* boxes, uint64_t valid,
                            const abut__shift* shift, const abut__sphere3* sphere);
    // Lists the pairs of overlapping lanes of two blocks, a's shifted, within `lanes_a` and
    // `lanes_b`, in any order. Neighbours are omitted: each bit i of `near` takes the next of
    // `near_masks` as the neighbours of lane i.
    uint32_t (*pairs_between)(const abut__block_boxes* a, uint64_t lanes_a,
                              const abut__block_boxes* b, uint64_t lanes_b,
                              const abut__shift* shift, uint64_t near, const uint64_t* near_masks,
                              abut__lane_pairs* out);
    // Lists the pairs i < j of overlapping lanes of one block, with j among later[i] only.
    uint32_t (*pairs_inside)(const abut__block_boxes* boxes, uint64_t valid, const uint64_t* later,
                             const abut__shift* shift, abut__lane_pairs* out);
    // Computes a box of the unit normals of a block's triangles that covers their rounding errors.
    void (*block_normals)(const abut__block* block, abut__source source, abut__box3* out);
    // The same for all normals during a step from one source to another.
    void (*block_step_normals)(const abut__block* block, abut__source from, abut__source to,
                               abut__box3* out);
    // Tells whether a closed polygon is certainly simple: see kernels/surface_kernel.c.
    bool (*polygon_simple)(const float* x, const float* y, uint32_t count, float reach);
    // Modal motion, see kernels/modal_kernel.c: the boxes of a node's children; the box of
    // everything, from rows of ABUT__MODAL_BOX numbers; the points of a block.
    void (*modal_boxes)(const abut__modal_lanes* lanes, const double* coordinates, float pad,
                        abut__boxes8* out);
    void (*modal_box)(const double* rows, const double* coordinates, uint32_t count,
                      double out[ABUT__MODAL_BOX]);
    void (*modal_points)(const abut__modal_lanes* lanes, uint32_t vertex_count,
                         const double* coordinates, abut__block_points* out);
    // Adds the fields to the rest positions in `out`, in double, in order, nothing fused.
    void (*modal_exact)(const abut__modal_lanes* lanes, uint32_t vertex_count,
                        const double* coordinates, abut__block_exact* out);
    // The same for vertices that the same fields move: `values` has those of each in turn, as float
    // or double, with room to read one number more.
    void (*modal_vertices)(const void* values, bool is_double, const uint32_t* fields,
                           uint32_t field_count, const double* coordinates, size_t vertex_count,
                           double (*out)[3]);
    // Blend motion, see kernels/blend_kernel.c: the boxes of a node's children, grown by `pad`. If
    // `moves` is not NULL, it moves their rest boxes. The second computes the least boxes, more
    // slowly.
    void (*blend_boxes)(const abut__convex_lanes* lanes, const abut__columns* transforms,
                        const abut__boxes8* moves, float pad, abut__boxes8* out);
    void (*blend_boxes_least)(const abut__convex_lanes* lanes, const abut__columns* transforms,
                              const abut__boxes8* moves, float pad, abut__boxes8* out);
    // Copies transforms (three rows of four doubles or floats), also as columns; `copy` may be
    // `transforms` if these are doubles.
    void (*blend_columns)(const void* transforms, bool is_float, uint32_t count, double (*copy)[12],
                          abut__columns* out, abut__transforms_most* most);
    // Computes the points of a block from their rest positions; both may be the same memory.
    void (*blend_points)(const abut__blend_lanes* lanes, const abut__columns* transforms,
                         const abut__block_points* rest, abut__block_points* points);
    // Adds displacements to numbers from `first` to `end` - 1 of the rest positions. `first` is a multiple
    // of 16; up to a multiple of 16 numbers are read and written.
    void (*blend_moves)(const abut__blend_moves* moves, size_t first, size_t end, float* out);
    // Computes the points of vertices in float, from packed rest positions to packed positions. One
    // number beyond the last rest position must be readable.
    void (*blend_order)(const abut__blend_order* order, const abut__columns* transforms,
                        const float* rest, float* out);
    // The documented formula, for vertices ids[i] (NULL: i), in place at out[i].
    void (*blend_vertices)(const abut__influences* influences, const double (*transforms)[12],
                           const uint32_t* ids, size_t count, double (*out)[3]);
    // Tells whether a certificate of weights holds: see bound/blend_certificate.h.
    bool (*blend_certificate)(const abut__weight_question* question);
    // The same for sixteen at once, in float; lanes that are neither `yes` nor `no` are undecided.
    abut__certificate_verdict (*blend_certificates)(const abut__weight_questions* questions);
    // Flight motion, see kernels/flight_kernel.c: boxes between two keyframes, grown by `pad`.
    void (*flight_boxes)(const abut__boxes8* before, const abut__boxes8* after, float part,
                         float pad, abut__boxes8* out);
    // The doubles of the documented formula for a block's vertices, between two keyframes in float.
    void (*flight_exact)(const abut__block* block, const abut__source source[2], double part,
                         double (*out)[3]);
    // Kinetic tree, see kernels/kinetic_kernel.c: the extreme lines of some sides (a bit each) at a
    // part of the segment, of a block's vertices, given at both ends, and of a node's children.
    void (*kinetic_block)(const abut__block_points* before, const abut__block_points* after,
                          uint32_t count, uint32_t sides, float part, float tolerance,
                          abut__extremes* out);
    void (*kinetic_node)(const abut__boxes8* before, const abut__boxes8* after, uint32_t count,
                         uint32_t sides, float part, abut__extremes* out);
    // Returns the vertices of a block whose coordinates, in packed positions from that of the first
    // vertex on, are beyond a limit: above it, or below it for lower sides. A bit each.
    uint64_t (*kinetic_beyond)(const abut__block* block, const float* coordinates, float limit,
                               bool is_low);
    // The same by the stretches of a block, which ascend: lists the vertices whose coordinates
    // along an axis, times a sign, are above a limit, and returns how many these are.
    uint32_t (*kinetic_stretched)(const abut__stretch* list, uint32_t count, const float* xyz,
                                  uint32_t axis, float sign, float limit,
                                  uint32_t vertices[ABUT__BLOCK_VERTICES]);
    // Finds the sides of eight lines that are farther from the boxes than a tolerance, or empty.
    // Returns the children that have such sides, a bit each.
    uint32_t (*kinetic_unsteady)(const abut__boxes8* lines, const abut__boxes8* boxes,
                                 float tolerance, uint8_t sides[ABUT__FAN]);
    // Kinetic lists, see kernels/list_kernel.c and query/separation_list.h: returns the children of
    // two nodes whose boxes, given at both ends of a window of time, overlap at a part of it. Bit 8
    // i + j is child i of a, shifted, and child j of b. Only `valid` pairs are tested; other boxes
    // need not be finite. `due` receives a time, possibly past, before which the result does not
    // change; infinity: never.
    uint64_t (*list_pairs)(const abut__boxes8* const a[2], const abut__boxes8* const b[2],
                           const abut__shift* shift, uint64_t valid, float part, float* due);
    // Returns the greatest magnitude, which is not finite if one of the numbers is not.
    double (*flight_most)(const void* values, size_t count, bool is_double);
    // Computes p + past u, number by number, rounded to float.
    void (*flight_fly)(const double* p, const double* u, double past, size_t count, float* out);
    // The same for plans with different start times: three numbers each.
    void (*flight_fly_each)(const double* p, const double* u, const double* since, double time,
                            size_t count, float* out);
    // Applies the documented formula of a frame to points in place. Numbers from `count` to `room`
    // may be overwritten.
    void (*place_points)(const abut_frame* frame, double* const xyz[3], uint32_t count,
                         uint32_t room);
    // Tests sixteen certificates at once, see bound/certificate.h: first those that hold by one
    // number a field, then by the sums of all their rows.
    uint32_t (*modal_certified)(const abut__modal_lanes* lanes, const double* coordinates,
                                const float inverse_gap[ABUT__GROUP], double rounding);
    abut__certificate_verdict (*modal_certificates)(const abut__modal_lanes* lanes,
                                                    const double* coordinates,
                                                    const float inverse_gap[ABUT__GROUP],
                                                    double rounding,
                                                    float out[ABUT__CERTIFICATE_ROW][ABUT__GROUP]);
    // Raises limits by the needs of two clusters, given as rows over fields (bound/cluster.h;
    // `stride` is a multiple of 16) with a common map. False: `last` is not set and a bound is
    // above its `enough` limit.
    bool (*modal_far)(const float* x, const float* y, const float* map, size_t stride,
                      const abut__far_geometry* geometry, bool last, const abut__limits* limits);
    // The following are for bound/separation.c. Vertex v has its residuals in rows 3 v to 3 v + 2 of
    // `residual`, in units of `factor` times those of the limits.
    // Raises limits by the needs of two triangles. False: they need a map of their own, and
    // geometry->fits is not set.
    bool (*modal_near)(const float* residual, size_t stride, const abut__near_geometry* geometry,
                       const float* factor, const abut__limits* limits);
    // Computes the least and greatest residuals of some vertices: three rows each.
    void (*residual_boxes)(const float* residual, size_t stride, const uint8_t* vertices,
                           uint32_t count, float* box);
    // Raise limits by the needs of two sets of vertices: by their boxes and the inverse of their
    // distance, or by all distances. False: a bound is above its `enough` limit.
    bool (*modal_boxes_far)(const float* x, const float* y, size_t stride, float inverse,
                            const float* factor, const abut__limits* limits);
    bool (*modal_hulls)(const float* residual, size_t stride, const abut__hull_geometry* geometry,
                        const float* factor, const abut__limits* limits);
    // Separates a triangle from eight others by the line of their middles. Returns a bit for each for
    // which that gives good distances, and from bit 8 on for which it gives any that are fair.
    uint32_t (*separate_middles)(const double t[3][3], const abut__eight_triangles* others,
                                 double unit, abut__eight_distances* out);
    // Computes the residuals of a vertex, three rows, from rows of displacements and those of a map
    // and its mean. Raises the greatest residuals, and the greatest sums of their terms.
    void (*residuals)(const float* map, size_t stride, const double* displacement,
                      const double offset[3], double* size, double* scale, float* out);
    // Multiplies rows of residuals by a factor of each field.
    void (*scale_residuals)(const float* factor, size_t stride, uint32_t rows, float* residual);
    // Spheres, see kernels/modal_kernel.c and kernels/balls_kernel.c: spheres of modal lanes, and
    // the boxes around them, turned (if `turn` is not NULL) and grown by `pad`.
    void (*modal_balls)(const abut__modal_lanes* lanes, const double* coordinates,
                        abut__balls8* out);
    void (*ball_boxes)(const abut__balls8* balls, const abut__turn* turn, float pad,
                       abut__boxes8* out);
    // Places balls in world coordinates; their stretched radii are grown by `grow`.
    void (*place_balls)(const abut__balls8* balls, const abut__placing* placing, double grow,
                        abut__world_balls* out);
    // Bit j of rows[i]: balls i of a and j of b are at most `margin` apart, or hardly more.
    void (*overlap_balls)(const abut__world_balls* a, uint32_t count_a, const abut__world_balls* b,
                          uint32_t count_b, double margin, uint8_t rows[ABUT__FAN]);
    // The same boxes as modal_boxes from rows that also have slopes, see kernels/sloped_kernel.c.
    void (*sloped_boxes)(const abut__modal_lanes* lanes, const double* coordinates, float pad,
                         abut__boxes8* out);
    // Tests of balls, see kernels/ball_tests_kernel.c. Grows balls by `pad` and turns them, if `turn`
    // is not NULL; a vector becomes at most `stretch` times as long.
    void (*turn_balls)(const abut__balls8* balls, const abut__turn* turn, float stretch, float pad,
                       abut__balls8* out);
    // Return the first `count` balls that meet a ball, or (grown) a box.
    uint32_t (*balls_meet_ball)(const abut__balls8* balls, uint32_t count, const abut__ball4* ball);
    uint32_t (*balls_meet_box)(const abut__balls8* balls, uint32_t count, float grow,
                               const abut__box3* box);
    // The same for balls that move straight, given at both ends of their way.
    uint32_t (*balls_meet_moving)(const abut__balls8 balls[2], uint32_t count,
                                  const abut__ball4 ball[2]);
    // Lower bounds of the squared distances of balls from a ball, or (grown) from a box.
    void (*balls_ball_gap)(const abut__balls8* balls, const abut__ball4* ball,
                           float out[ABUT__FAN]);
    void (*balls_box_gap)(const abut__balls8* balls, float grow, const abut__box3* box,
                          float out[ABUT__FAN]);
    // Gathers the corners of sixteen triangles by address, lane by lane: x, y, z. One number more
    // must be readable after each.
    void (*gather_corners)(const double* const places[3][16], double (*out)[3][16]);
    // Returns the lanes whose coordinates are all finite, except some whose sums overflow.
    uint32_t (*corners_finite)(const abut__triangle_batch* batch);
    // Voronoi culling, see kernels/voronoi_kernel.c. Lists boxes near a box, with the squares of
    // their distances. There must be room for all boxes of the range.
    abut__boxes_seen (*near_boxes)(const abut__bins* bins, const abut__box_search* search,
                                   uint32_t* out, float* gaps);
    // Triangles are nine numbers, at multiples of `stride`; three more are readable. Distances of a
    // point of the box around one, `own`, to some others, and lower bounds of the distances of that
    // triangle to them, which are not negative.
    void (*sample_distances)(const float point[3], uint32_t own, const float* corners,
                             size_t stride, const uint32_t* others, uint32_t count,
                             float* distances, float* below);
    // Upper bounds of the distances of up to 16 points to a triangle.
    void (*corner_distances)(const float triangle[9], const float points[3][16], uint32_t count,
                             float out[16]);
    // Lower and upper bounds of the distances of pairs of triangles whose corners are at most
    // half of `slack` off.
    void (*bound_pairs)(const float* corners, size_t stride, const uint32_t (*pairs)[2],
                        uint32_t count, float slack, float* below, float* above);
    // Makes the rows of a block's triangles from points with an error of at most `radius`.
    void (*corner_rows)(const abut__block* block, const abut__block_points* points, float radius,
                        abut__corner_rows* out);
    // Decides pairs of triangles by their rows: see kernels/apart_kernel.c.
    void (*rows_decide)(abut__row_pairs* pairs);
    // For each pair of lanes (at least one): the pairs of features of the two triangles that need a
    // test. Both triangles own them; within a body they share no class; no gap along an axis
    // separates them during the whole step, the first ones shifted. See kernels/features_kernel.c.
    void (*features_meet)(const abut__moving_triangle* a, const abut__moving_triangle* b,
                          const uint8_t (*lanes)[2], uint32_t count, bool self,
                          const abut__shift* shift, uint16_t* meet);
    // The same for triangles at rest: no gap along an axis is greater than `margin`.
    void (*features_near)(const abut__feature_block* a, const abut__feature_block* b,
                          const uint8_t (*lanes)[2], uint32_t count, bool self, double margin,
                          uint16_t* near);
    // The exact layer's batched filters.
    abut__triangle_verdict (*triangles_filter)(const abut__triangle_batch* batch, uint32_t valid);
    uint32_t (*sweep_filter)(const double (*from)[4][3], const double (*to)[4][3], uint32_t count,
                             bool edges, const double margin[ABUT__SWEEP_LANES]);
    // Returns pairs that are farther apart than their margins; a pair with an infinite margin stays
    // undecided.
    uint32_t (*triangles_beyond)(const abut__triangle_batch* batch, uint32_t valid,
                                 const double margin[16]);
    // Returns pairs of moving triangles that are farther apart than their distances throughout.
    uint32_t (*paths_apart)(const abut__path_batch* batch, uint32_t valid);
    // Computes the distances of sixteen pairs, see batches.h; only lanes of `valid` are computed.
    void (*triangles_distance)(const abut__triangle_batch* batch, uint32_t valid,
                               abut__distances* out);
    // Distances of boxes, see kernels/nearest_kernel.c: lower bounds of the squared distances of
    // children i of a, shifted, and j of b.
    void (*distance_nodes)(const abut__boxes8* a, uint32_t count_a, const abut__boxes8* b,
                           const abut__shift* shift, float out[ABUT__FAN][ABUT__FAN]);
    // The same for a box and the children of a node.
    void (*distance_box)(const abut__box3* box, const abut__boxes8* b, float out[ABUT__FAN]);
    // rows[i]: the lanes of b whose boxes may be within the squared distance limits[i] of the box
    // of lane i of a, shifted. No limit is above `greatest_limit`. Returns the lanes i whose rows
    // are not empty; other rows are undefined.
    uint64_t (*near_rows)(const abut__block_boxes* a, uint64_t lanes_a, const abut__block_boxes* b,
                          uint64_t lanes_b, const abut__shift* shift, float greatest_limit,
                          const float limits[ABUT__BLOCK_TRIANGLES],
                          uint64_t rows[ABUT__BLOCK_TRIANGLES]);
    // Computes the normals of some lanes' triangles; 0 for triangles without area.
    void (*lane_normals)(abut__lane_corners* corners, uint64_t lanes);
    // Returns the lanes, among some, that may be within a distance of a triangle. It excludes those
    // that its normal, their normal, or the line between the centroids proves to be farther away.
    uint64_t (*lanes_within)(const float p[3][3], const abut__lane_corners* corners, uint64_t lanes,
                             float distance);
    // Returns the lane, among at least one, whose box centre is nearest to that of a box.
    uint32_t (*closest_lane)(const abut__block_boxes* boxes, uint64_t lanes, const abut__box3* box);
    // From a point to triangles, see kernels/closest_kernel.c. Returns the lanes, among some, whose
    // boxes may be within a squared distance of the point.
    uint64_t (*reach_lanes)(const abut__block_boxes* boxes, uint64_t lanes, const float point[3],
                            float limit_sq);
    // Computes the discs of a block's triangles from its points.
    void (*make_discs)(const abut__block* block, const abut__block_points* points,
                       abut__discs* out);
    // Returns the lanes, among some, whose discs may be within a distance of the point. Errors of
    // 2^-19 times the greatest magnitude of a coordinate must be in the distance.
    uint64_t (*disc_lanes)(const abut__discs* discs, uint64_t lanes, const float point[3],
                           float distance);
    // The same for all lanes, with the least upper bound of a distance: *distance, or that of a centre
    // and the error. In the second case *nearest becomes the lane. Lanes beyond the last triangle may
    // be among those that are returned. Also gives the squared gaps of all.
    uint64_t (*disc_nearest)(const abut__discs* discs, const float point[3], float error,
                             float* distance, uint32_t* nearest,
                             float gap_sq[ABUT__BLOCK_TRIANGLES]);
    // Returns the points, a bit each, that the box, or the disc with errors as above, may be near.
    uint32_t (*points_near)(const abut__near_points* points, const abut__box3* box);
    uint32_t (*points_near_disc)(const abut__near_points* points, const abut__disc* disc);
    // Returns the packs, a bit each, that the box may be near.
    uint32_t (*packs_near)(const abut__near_packs* packs, const abut__box3* box);
    // Computes a disc around all points of a block, whose discs are given.
    void (*block_disc)(const abut__discs* discs, const abut__block_points* points, abut__disc* out);
    // Computes lower and upper bounds of the distances of sixteen triangles from a point; each is
    // off by at most 2^-20 times the greatest distance of a corner.
    void (*bound_point)(const abut__point_lanes* lanes, uint32_t valid, float lower[16],
                        float upper[16]);
    // The same for pairs.
    void (*bound_point_pairs)(const abut__point_pairs* pairs, uint32_t valid, float lower[16],
                              float upper[16]);
    // Computes the distances of sixteen pairs, see batches.h; only lanes of `valid` are computed.
    void (*measure_points)(const abut__point_batch* batch, uint32_t valid, abut__distances* out);
    void (*measure_segments)(const abut__segment_batch* batch, uint32_t valid,
                             abut__distances* out);
    // Returns the point that is lowest along a direction, of several the first.
    uint32_t (*lowest_point)(const abut__block_points* points, const float direction[3]);
    // Returns the points that are not above a height along a direction, a bit each.
    uint64_t (*points_below)(const abut__block_points* points, const float direction[3],
                             float height);
    // Runs of sites, for Voronoi culling. Lists the sites of runs first .. end - 1 of a line whose
    // boxes are near a box.
    abut__boxes_seen (*run_boxes)(const abut__site_line* line, uint32_t first, uint32_t end,
                                  const float box[6], float limit_sq, uint32_t* out, float* gaps);
    // The line is of one body. Lists its sites after `own` that share no vertex with it and whose boxes
    // are near its box, within the limit of either.
    abut__boxes_seen (*later_boxes)(const abut__site_line* line, uint32_t own, uint32_t* out,
                                    float* gaps);
    // Lists boxes near a box that are near it along an axis, too.
    abut__boxes_seen (*slab_boxes)(const abut__slabs* slabs, const abut__slab_search* search,
                                   uint32_t* out, float* gaps);
    // As sample_distances, for pairs of triangles that are 16 numbers each: nine of the corners, six of
    // the box around them, one of no use. The point is the middle of the first one's box.
    void (*sample_pairs)(const float* sites, const uint32_t (*pairs)[2], uint32_t count,
                         float* distances, float* below);
    // Upper bounds of the distances of points to triangles, one each. 16 more points are readable,
    // and as many results writable.
    void (*point_distances)(const float* corners, size_t stride, const uint32_t* triangles,
                            const float* const points[3], uint32_t count, float* out);
    // Aims rays at the boxes of a body. No radius is added.
    void (*aim_rays)(const abut__aim_body* body, abut__aim_rays* rays);
    // Returns the boxes of eight that a ray may meet before `limit`, a bit each, and where it enters
    // all of them. The second does the same for the lanes of a block; unused ones are empty boxes.
    uint32_t (*ray_boxes)(const abut__boxes8* boxes, const abut__ray_lanes* ray, float limit,
                          float near[ABUT__FAN]);
    uint64_t (*ray_block)(const abut__block_boxes* boxes, const abut__ray_lanes* ray, float limit);
    // Lets each ray of a list open the node that it visits. Appends the children whose boxes it may meet,
    // as ray_boxes() does, to one of two lists: nodes or blocks. Adds the number of boxes to *boxes_tested.
    // False: the lists had no room, and are incomplete.
    bool (*ray_wave)(const abut__boxes8* boxes, const abut__node* nodes, const abut__wave_ray* rays,
                     const abut__ray_visits* from, abut__ray_visits* to_nodes,
                     abut__ray_visits* to_blocks, uint64_t* boxes_tested);
    // Returns the boxes of eight that a ray of a pack may meet before `limit`, a bit each, and lower
    // bounds of where rays enter all of them. Never less than ray_boxes() of any of its rays.
    uint32_t (*pack_boxes)(const abut__boxes8* boxes, const abut__ray_pack* pack, float limit,
                           float near[ABUT__FAN]);
    // Returns the rays of a pack that may meet a box before their limits, as ray_boxes() does.
    uint32_t (*pack_box)(const abut__ray_pack* pack, const abut__box3* box);
    // Returns the triangles that a ray's line may meet, of the lowest lanes in `valid`, a bit each.
    uint32_t (*ray_triangles)(const abut__ray_corners* triangles, const abut__ray_shear* ray,
                              uint32_t valid);
    // The same for all triangles of a block, with the corners that `points` have.
    uint64_t (*ray_points)(const abut__block* block, const abut__block_points* points,
                           const abut__ray_shear* ray);
    // The same with corners from a source of finite floats, and with an error that is greater by `more`.
    // It may read one number beyond each position.
    uint64_t (*ray_source)(const abut__block* block, const abut__source* source,
                           const abut__ray_shear* ray, float more);
    // Spreads the corners of a block, and does the same for some lanes of it.
    void (*spread_corners)(const abut__block* block, const abut__block_points* points,
                           abut__block_corners* out);
    uint64_t (*ray_corners)(const abut__block_corners* corners, const abut__ray_shear* ray,
                            uint64_t lanes);
} abut__kernels;

// The list of all kernels, from which the function names and tables of all sets follow.
#define ABUT__KERNELS(X, isa)  \
    X(copy_finite, isa)        \
    X(gather_points, isa)      \
    X(gather_between, isa)     \
    X(block_bounds, isa)       \
    X(stretch_bounds, isa)     \
    X(stretch_places, isa)     \
    X(node_bounds, isa)        \
    X(block_boxes, isa)        \
    X(triangle_boxes, isa)     \
    X(morton_codes, isa)       \
    X(measure_block, isa)      \
    X(turn_boxes, isa)         \
    X(overlap_nodes, isa)      \
    X(overlap_box, isa)        \
    X(overlap_sphere, isa)     \
    X(clip_block, isa)         \
    X(clip_sphere, isa)        \
    X(pairs_between, isa)      \
    X(pairs_inside, isa)       \
    X(block_normals, isa)      \
    X(block_step_normals, isa) \
    X(polygon_simple, isa)     \
    X(modal_boxes, isa)        \
    X(modal_box, isa)          \
    X(modal_points, isa)       \
    X(modal_exact, isa)        \
    X(modal_vertices, isa)     \
    X(blend_boxes, isa)        \
    X(blend_boxes_least, isa)  \
    X(blend_columns, isa)      \
    X(blend_points, isa)       \
    X(blend_moves, isa)        \
    X(blend_order, isa)        \
    X(blend_vertices, isa)     \
    X(blend_certificate, isa)  \
    X(blend_certificates, isa) \
    X(flight_boxes, isa)       \
    X(kinetic_block, isa)      \
    X(kinetic_node, isa)       \
    X(kinetic_beyond, isa)     \
    X(kinetic_stretched, isa)  \
    X(kinetic_unsteady, isa)   \
    X(list_pairs, isa)         \
    X(flight_exact, isa)       \
    X(flight_most, isa)        \
    X(flight_fly, isa)         \
    X(flight_fly_each, isa)    \
    X(place_points, isa)       \
    X(modal_certified, isa)    \
    X(modal_certificates, isa) \
    X(modal_far, isa)          \
    X(modal_near, isa)         \
    X(residual_boxes, isa)     \
    X(modal_boxes_far, isa)    \
    X(modal_hulls, isa)        \
    X(separate_middles, isa)   \
    X(residuals, isa)          \
    X(scale_residuals, isa)    \
    X(modal_balls, isa)        \
    X(ball_boxes, isa)         \
    X(place_balls, isa)        \
    X(overlap_balls, isa)      \
    X(sloped_boxes, isa)       \
    X(turn_balls, isa)         \
    X(balls_meet_ball, isa)    \
    X(balls_meet_box, isa)     \
    X(balls_meet_moving, isa)  \
    X(balls_ball_gap, isa)     \
    X(balls_box_gap, isa)      \
    X(gather_corners, isa)     \
    X(corners_finite, isa)     \
    X(near_boxes, isa)         \
    X(run_boxes, isa)          \
    X(later_boxes, isa)        \
    X(slab_boxes, isa)         \
    X(sample_pairs, isa)       \
    X(point_distances, isa)    \
    X(aim_rays, isa)           \
    X(ray_boxes, isa)          \
    X(ray_block, isa)          \
    X(ray_wave, isa)           \
    X(pack_boxes, isa)         \
    X(pack_box, isa)           \
    X(ray_triangles, isa)      \
    X(ray_points, isa)         \
    X(ray_source, isa)         \
    X(spread_corners, isa)     \
    X(ray_corners, isa)        \
    X(sample_distances, isa)   \
    X(corner_distances, isa)   \
    X(bound_pairs, isa)        \
    X(corner_rows, isa)        \
    X(rows_decide, isa)        \
    X(features_meet, isa)      \
    X(features_near, isa)      \
    X(triangles_filter, isa)   \
    X(sweep_filter, isa)       \
    X(triangles_beyond, isa)   \
    X(paths_apart, isa)        \
    X(triangles_distance, isa) \
    X(distance_nodes, isa)     \
    X(distance_box, isa)       \
    X(near_rows, isa)          \
    X(lane_normals, isa)       \
    X(lanes_within, isa)       \
    X(lowest_point, isa)       \
    X(points_below, isa)       \
    X(closest_lane, isa)       \
    X(reach_lanes, isa)        \
    X(make_discs, isa)         \
    X(disc_lanes, isa)         \
    X(disc_nearest, isa)       \
    X(points_near, isa)        \
    X(block_disc, isa)         \
    X(points_near_disc, isa)   \
    X(packs_near, isa)         \
    X(bound_point_pairs, isa)  \
    X(bound_point, isa)        \
    X(measure_points, isa)     \
    X(measure_segments, isa)

// Declares abut__block_bounds_avx2() and so on, with the types from the table.
#define ABUT__DECLARE_KERNEL(name, isa) __typeof__(*((abut__kernels*)0)->name) abut__##name##_##isa;
ABUT__KERNELS(ABUT__DECLARE_KERNEL, scalar)
ABUT__KERNELS(ABUT__DECLARE_KERNEL, avx2)
ABUT__KERNELS(ABUT__DECLARE_KERNEL, avx512)
ABUT__KERNELS(ABUT__DECLARE_KERNEL, simd128)
#undef ABUT__DECLARE_KERNEL

// Returns the table of an instruction set. *isa is ABUT_ISA_BEST or a required set, and receives
// the chosen set. NULL: the processor or the build lacks it.
const abut__kernels* abut__kernels_choose(abut_isa* isa);

#endif
