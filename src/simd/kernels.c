// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tables of kernels, and the choice of one at run time.
#include "simd/kernels.h"

// prototypes and table of one instruction set, from one text
#define DEFINE_KERNELS(isa)                                                                        \
    bool abut__copy_finite_##isa(const void*, void*, size_t, bool);                                \
    bool abut__gather_points_##isa(const abut__block*, abut__source, abut__block_points*);         \
    bool abut__gather_between_##isa(const abut__block*, const abut__source[2], float,              \
                                    abut__block_points*);                                          \
    bool abut__block_bounds_##isa(const abut__block*, abut__source, abut__box3*);                  \
    bool abut__stretch_bounds_##isa(const abut__stretch*, const uint32_t*, uint32_t, const float*, \
                                    abut__box3*);                                                  \
    void abut__node_bounds_##isa(abut__boxes8*, uint32_t, abut__box3*);                            \
    void abut__block_boxes_##isa(const abut__block*, const abut__block_points*, const abut__turn*, \
                                 float, abut__block_boxes*);                                       \
    abut__box4 abut__triangle_boxes_##isa(const uint32_t*, const uint32_t*, uint32_t,              \
                                          abut__source, float, abut__box4*);                       \
    void abut__morton_codes_##isa(const abut__box4*, const uint32_t*, uint32_t, const abut__grid*, \
                                  uint64_t*);                                                      \
    double abut__measure_block_##isa(const abut__block_boxes*, abut__box3*);                       \
    void abut__turn_boxes_##isa(const abut__boxes8*, uint32_t, const abut__turn*, abut__boxes8*);  \
    void abut__overlap_nodes_##isa(const abut__boxes8*, uint32_t, const abut__boxes8*, uint32_t,   \
                                   const abut__shift*, uint8_t*);                                  \
    uint32_t abut__overlap_box_##isa(const abut__boxes8*, uint32_t, const abut__shift*,            \
                                     const abut__box3*);                                           \
    uint32_t abut__overlap_sphere_##isa(const abut__boxes8*, uint32_t, const abut__shift*,         \
                                        const abut__sphere3*);                                     \
    uint64_t abut__clip_block_##isa(const abut__block_boxes*, uint64_t, const abut__shift*,        \
                                    const abut__box3*);                                            \
    uint64_t abut__clip_sphere_##isa(const abut__block_boxes*, uint64_t, const abut__shift*,       \
                                     const abut__sphere3*);                                        \
    uint32_t abut__pairs_between_##isa(const abut__block_boxes*, uint64_t,                         \
                                       const abut__block_boxes*, uint64_t, const abut__shift*,     \
                                       uint64_t, const uint64_t*, abut__lane_pairs*);              \
    uint32_t abut__pairs_inside_##isa(const abut__block_boxes*, uint64_t, const uint64_t*,         \
                                      const abut__shift*, abut__lane_pairs*);                      \
    void abut__block_normals_##isa(const abut__block*, abut__source, abut__box3*);                 \
    void abut__block_step_normals_##isa(const abut__block*, abut__source, abut__source,            \
                                        abut__box3*);                                              \
    bool abut__polygon_simple_##isa(const float*, const float*, uint32_t, float);                  \
    void abut__modal_boxes_##isa(const abut__modal_lanes*, const double*, float, abut__boxes8*);   \
    void abut__modal_box_##isa(const double*, const double*, uint32_t, double*);                   \
    void abut__modal_points_##isa(const abut__modal_lanes*, uint32_t, const double*,               \
                                  abut__block_points*);                                            \
    void abut__modal_exact_##isa(const abut__modal_lanes*, uint32_t, const double*,                \
                                 abut__block_exact*);                                              \
    void abut__modal_vertices_##isa(const void*, bool, const uint32_t*, uint32_t, const double*,   \
                                    size_t, double(*)[3]);                                         \
    void abut__blend_boxes_##isa(const abut__convex_lanes*, const abut__columns*,                  \
                                 const abut__boxes8*, float, abut__boxes8*);                       \
    void abut__blend_boxes_least_##isa(const abut__convex_lanes*, const abut__columns*,            \
                                       const abut__boxes8*, float, abut__boxes8*);                 \
    void abut__blend_columns_##isa(const double(*)[12], uint32_t, double(*)[12], abut__columns*,   \
                                   abut__transforms_most*);                                        \
    void abut__blend_points_##isa(const abut__blend_lanes*, const abut__columns*,                  \
                                  const abut__block_points*, abut__block_points*);                 \
    void abut__blend_vertices_##isa(const abut__influences*, const double(*)[12], const uint32_t*, \
                                    size_t, double(*)[3]);                                         \
    bool abut__blend_certificate_##isa(const abut__weight_question*);                              \
    abut__certificate_verdict abut__blend_certificates_##isa(const abut__weight_questions*);       \
    void abut__flight_boxes_##isa(const abut__boxes8*, const abut__boxes8*, float, float,          \
                                  abut__boxes8*);                                                  \
    void abut__kinetic_block_##isa(const float*, const float*, uint32_t, uint32_t, float, float,   \
                                   abut__extremes*);                                               \
    void abut__kinetic_node_##isa(const abut__boxes8*, const abut__boxes8*, uint32_t, uint32_t,    \
                                  float, abut__extremes*);                                         \
    uint32_t abut__kinetic_block_steady_##isa(const float*, const float*, uint32_t,                \
                                              const abut__box3*, abut__extremes*);                 \
    uint32_t abut__kinetic_node_steady_##isa(const abut__boxes8*, const abut__boxes8*,             \
                                             const abut__box3*, abut__extremes*);                  \
    uint64_t abut__list_pairs_##isa(const abut__boxes8* const*, const abut__boxes8* const*,        \
                                    const abut__shift*, uint64_t, float, float*);                  \
    void abut__flight_exact_##isa(const abut__block*, const abut__source[2], double,               \
                                  double(*)[3]);                                                   \
    double abut__flight_most_##isa(const void*, size_t, bool);                                     \
    void abut__flight_fly_##isa(const double*, const double*, double, size_t, float*);             \
    void abut__flight_fly_each_##isa(const double*, const double*, const double*, double, size_t,  \
                                     float*);                                                      \
    void abut__place_points_##isa(const abut_frame*, double* const*, uint32_t, uint32_t);          \
    uint32_t abut__modal_certified_##isa(const abut__modal_lanes*, const double*, const float*,    \
                                         double);                                                  \
    abut__certificate_verdict abut__modal_certificates_##isa(                                      \
        const abut__modal_lanes*, const double*, const float*, double, float(*)[ABUT__GROUP]);     \
    bool abut__modal_far_##isa(const float*, const float*, const float*, size_t,                   \
                               const abut__far_geometry*, bool, const abut__limits*);              \
    bool abut__modal_near_##isa(const float*, size_t, const abut__near_geometry*, bool,            \
                                const float*, const abut__limits*);                                \
    void abut__modal_balls_##isa(const abut__modal_lanes*, const double*, abut__balls8*);          \
    void abut__ball_boxes_##isa(const abut__balls8*, const abut__turn*, float, abut__boxes8*);     \
    void abut__place_balls_##isa(const abut__balls8*, const abut__placing*, double,                \
                                 abut__world_balls*);                                              \
    void abut__overlap_balls_##isa(const abut__world_balls*, uint32_t, const abut__world_balls*,   \
                                   uint32_t, double, uint8_t*);                                    \
    void abut__gather_corners_##isa(const double* const(*)[16], double(*)[3][16]);                 \
    uint32_t abut__corners_finite_##isa(const abut__triangle_batch*);                              \
    void abut__spread_labels_##isa(const abut__labels*, const abut__labels*, ptrdiff_t, int32_t,   \
                                   int32_t, uint32_t);                                             \
    uint32_t abut__points_apart_##isa(const abut__points_batch*, uint32_t);                        \
    void abut__features_meet_##isa(const abut__moving_triangle*, const abut__moving_triangle*,     \
                                   const uint8_t(*)[2], uint32_t, bool, const abut__shift*,        \
                                   uint16_t*);                                                     \
    abut__triangle_verdict abut__triangles_filter_##isa(const abut__triangle_batch*, uint32_t);    \
    abut__triangle_verdict abut__triangles_filter_within_##isa(const abut__triangle_batch*,        \
                                                               uint32_t, double);                  \
    uint32_t abut__sweep_filter_##isa(const double(*)[4][3], const double(*)[4][3], uint32_t,      \
                                      bool, double);                                               \
    uint32_t abut__triangles_beyond_##isa(const abut__triangle_batch*, uint32_t, const double*);   \
    void abut__triangles_distance_##isa(const abut__triangle_batch*, uint32_t, abut__distances*);  \
    void abut__distance_nodes_##isa(const abut__boxes8*, uint32_t, const abut__boxes8*,            \
                                    const abut__shift*, float(*)[ABUT__FAN]);                      \
    void abut__distance_box_##isa(const abut__box3*, const abut__boxes8*, float*);                 \
    uint64_t abut__near_rows_##isa(const abut__block_boxes*, uint64_t, const abut__block_boxes*,   \
                                   uint64_t, const abut__shift*, float, const float*, uint64_t*);  \
    void abut__lane_normals_##isa(abut__lane_corners*, uint64_t);                                  \
    uint64_t abut__lanes_within_##isa(const float(*)[3], const abut__lane_corners*, uint64_t,      \
                                      float);                                                      \
    uint32_t abut__closest_lane_##isa(const abut__block_boxes*, uint64_t, const abut__box3*);      \
    static const abut__kernels kernels_##isa = {                                                   \
        .copy_finite = abut__copy_finite_##isa,                                                    \
        .gather_points = abut__gather_points_##isa,                                                \
        .gather_between = abut__gather_between_##isa,                                              \
        .block_bounds = abut__block_bounds_##isa,                                                  \
        .stretch_bounds = abut__stretch_bounds_##isa,                                              \
        .node_bounds = abut__node_bounds_##isa,                                                    \
        .block_boxes = abut__block_boxes_##isa,                                                    \
        .triangle_boxes = abut__triangle_boxes_##isa,                                              \
        .morton_codes = abut__morton_codes_##isa,                                                  \
        .measure_block = abut__measure_block_##isa,                                                \
        .turn_boxes = abut__turn_boxes_##isa,                                                      \
        .overlap_nodes = abut__overlap_nodes_##isa,                                                \
        .overlap_box = abut__overlap_box_##isa,                                                    \
        .overlap_sphere = abut__overlap_sphere_##isa,                                              \
        .clip_block = abut__clip_block_##isa,                                                      \
        .clip_sphere = abut__clip_sphere_##isa,                                                    \
        .pairs_between = abut__pairs_between_##isa,                                                \
        .pairs_inside = abut__pairs_inside_##isa,                                                  \
        .block_normals = abut__block_normals_##isa,                                                \
        .block_step_normals = abut__block_step_normals_##isa,                                      \
        .polygon_simple = abut__polygon_simple_##isa,                                              \
        .modal_boxes = abut__modal_boxes_##isa,                                                    \
        .modal_box = abut__modal_box_##isa,                                                        \
        .modal_points = abut__modal_points_##isa,                                                  \
        .modal_exact = abut__modal_exact_##isa,                                                    \
        .modal_vertices = abut__modal_vertices_##isa,                                              \
        .blend_boxes = abut__blend_boxes_##isa,                                                    \
        .blend_boxes_least = abut__blend_boxes_least_##isa,                                        \
        .blend_columns = abut__blend_columns_##isa,                                                \
        .blend_points = abut__blend_points_##isa,                                                  \
        .blend_vertices = abut__blend_vertices_##isa,                                              \
        .blend_certificate = abut__blend_certificate_##isa,                                        \
        .blend_certificates = abut__blend_certificates_##isa,                                      \
        .flight_boxes = abut__flight_boxes_##isa,                                                  \
        .kinetic_block = abut__kinetic_block_##isa,                                                \
        .kinetic_node = abut__kinetic_node_##isa,                                                  \
        .kinetic_block_steady = abut__kinetic_block_steady_##isa,                                  \
        .kinetic_node_steady = abut__kinetic_node_steady_##isa,                                    \
        .list_pairs = abut__list_pairs_##isa,                                                      \
        .flight_exact = abut__flight_exact_##isa,                                                  \
        .flight_most = abut__flight_most_##isa,                                                    \
        .flight_fly = abut__flight_fly_##isa,                                                      \
        .flight_fly_each = abut__flight_fly_each_##isa,                                            \
        .place_points = abut__place_points_##isa,                                                  \
        .modal_certified = abut__modal_certified_##isa,                                            \
        .modal_certificates = abut__modal_certificates_##isa,                                      \
        .modal_far = abut__modal_far_##isa,                                                        \
        .modal_near = abut__modal_near_##isa,                                                      \
        .modal_balls = abut__modal_balls_##isa,                                                    \
        .ball_boxes = abut__ball_boxes_##isa,                                                      \
        .place_balls = abut__place_balls_##isa,                                                    \
        .overlap_balls = abut__overlap_balls_##isa,                                                \
        .gather_corners = abut__gather_corners_##isa,                                              \
        .corners_finite = abut__corners_finite_##isa,                                              \
        .spread_labels = abut__spread_labels_##isa,                                                \
        .points_apart = abut__points_apart_##isa,                                                  \
        .features_meet = abut__features_meet_##isa,                                                \
        .triangles_filter = abut__triangles_filter_##isa,                                          \
        .triangles_filter_within = abut__triangles_filter_within_##isa,                            \
        .sweep_filter = abut__sweep_filter_##isa,                                                  \
        .triangles_beyond = abut__triangles_beyond_##isa,                                          \
        .triangles_distance = abut__triangles_distance_##isa,                                      \
        .distance_nodes = abut__distance_nodes_##isa,                                              \
        .distance_box = abut__distance_box_##isa,                                                  \
        .near_rows = abut__near_rows_##isa,                                                        \
        .lane_normals = abut__lane_normals_##isa,                                                  \
        .lanes_within = abut__lanes_within_##isa,                                                  \
        .closest_lane = abut__closest_lane_##isa,                                                  \
    };

DEFINE_KERNELS(scalar)
#if defined(ABUT_HAVE_X86_KERNELS)
DEFINE_KERNELS(avx2)
DEFINE_KERNELS(avx512)
#endif

static const abut__kernels* kernels_of(abut_isa isa) {
#if defined(ABUT_HAVE_X86_KERNELS)
    if (isa == ABUT_ISA_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
        return &kernels_avx2;
    }
    if (isa == ABUT_ISA_AVX512 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return &kernels_avx512;
    }
#endif
    return isa == ABUT_ISA_SCALAR ? &kernels_scalar : NULL;
}

const abut__kernels* abut__kernels_choose(abut_isa* isa) {
    if (*isa != ABUT_ISA_BEST) {
        return kernels_of(*isa);
    }
    static const abut_isa by_preference[] = {ABUT_ISA_AVX512, ABUT_ISA_AVX2, ABUT_ISA_SCALAR};
    for (size_t i = 0; i < sizeof by_preference / sizeof by_preference[0]; ++i) {
        const abut__kernels* kernels = kernels_of(by_preference[i]);
        if (kernels != NULL) {
            *isa = by_preference[i];
            return kernels;
        }
    }
    return NULL;
}
