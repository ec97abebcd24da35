// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Asks the queries of test_same_bits.py in C and writes their rows. Input: a file of numbers as that test writes it.
// Output: for each query the number of rows and the rows, as they lie in memory.
#include <abut/abut.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

static void require(bool is_good, const char* what) {
    if (!is_good) {
        fprintf(stderr, "answers: %s\n", what);
        exit(1);
    }
}

#define OK(call) require((call) == ABUT_OK, #call)

typedef struct input {
    uint32_t motion, vertices, triangles, states, numbers;
    double *rest, *fields, *weights, *keys, *state;
    uint32_t* faces;
} input;

static void* read_some(FILE* file, size_t size, size_t count) {
    void* data = calloc(count + 1, size);
    require(data != NULL && fread(data, size, count, file) == count, "the input is too short");
    return data;
}

static input read_input(const char* name) {
    FILE* file = fopen(name, "rb");
    require(file != NULL, "the input cannot be opened");
    uint32_t* head = read_some(file, 4, 5);
    input in = {.motion = head[0],
                .vertices = head[1],
                .triangles = head[2],
                .states = head[3],
                .numbers = head[4]};
    const size_t n = in.vertices;
    in.rest = read_some(file, 8, 3 * n);
    in.faces = read_some(file, 4, 3 * (size_t)in.triangles);
    in.fields = read_some(file, 8, 2 * 3 * n);
    in.weights = read_some(file, 8, 4 * n);
    in.keys = read_some(file, 8, 3 * 3 * n);
    in.state = read_some(file, 8, (size_t)in.states * in.numbers);
    free(head);
    fclose(file);
    return in;
}

static abut_shape* make_shape(abut_context* context, const abut_mesh* mesh, const input* in) {
    abut_shape* shape = NULL;
    const abut_field fields[2] = {
        {.values = abut_positions_f64(in->fields, in->vertices)},
        {.values = abut_positions_f64(in->fields + 3 * in->vertices, in->vertices)}};
    if (in->motion == ABUT_MOTION_MODAL) {
        abut_modal_def def = abut_modal_def_default();
        def.fields = fields;
        def.field_count = 2;
        OK(abut_shape_create_modal(context, mesh, &def, &shape, NULL));
    } else if (in->motion == ABUT_MOTION_BLEND) {
        uint32_t* nodes = calloc(4 * (size_t)in->vertices, sizeof *nodes);
        for (uint32_t i = 0; i < 4 * in->vertices; ++i) {
            nodes[i] = i % 4;
        }
        abut_blend_def def = abut_blend_def_default();
        def.weights = (abut_weights){.node_count = 4,
                                     .per_vertex = 4,
                                     .nodes = nodes,
                                     .values = in->weights,
                                     .type = ABUT_SCALAR_F64,
                                     .normalise = true};
        OK(abut_shape_create_blend(context, mesh, &def, &shape, NULL));
        free(nodes);
    } else if (in->motion == ABUT_MOTION_FLIGHT) {
        abut_keyframe keys[3];
        for (int k = 0; k < 3; ++k) {
            keys[k].time = k;
            keys[k].positions = abut_positions_f64(in->keys + (size_t)k * 3 * in->vertices,
                                                   in->vertices);
        }
        abut_flight_def def = abut_flight_def_default();
        def.keyframes = keys;
        def.keyframe_count = 3;
        OK(abut_shape_create_flight(context, mesh, &def, &shape, NULL));
    } else {
        OK(abut_shape_create(context, mesh, NULL, &shape, NULL));
    }
    return shape;
}

static void set_state(abut_scene* scene, abut_body_id body, const input* in,
                      const double* numbers) {
    if (in->motion == ABUT_MOTION_MODAL) {
        OK(abut_body_set_coordinates(scene, body, numbers, 2, NULL));
    } else if (in->motion == ABUT_MOTION_BLEND) {
        OK(abut_body_set_transforms(scene, body, abut_transforms_f64(numbers, 4), NULL, 0, NULL));
    } else if (in->motion == ABUT_MOTION_FLIGHT) {
        OK(abut_body_set_time(scene, body, numbers[0], NULL));
    } else {
        OK(abut_body_set_positions(scene, body, abut_positions_f64(numbers, in->vertices), NULL));
    }
}

static void write_rows(const void* rows, size_t count, size_t size) {
    const uint64_t n = count;
    fwrite(&n, sizeof n, 1, stdout);
    fwrite(rows, size, count, stdout);
}

static void ask_features(const abut_scene* scene, abut_body_id body, abut_body_id still,
                         abut_context* context) {
    abut_features_result* features;
    abut_select_result* selected;
    size_t count;
    OK(abut_features_result_create(context, &features, NULL));
    OK(abut_select_result_create(context, &selected, NULL));
    abut_features_def def = abut_features_def_default();
    def.distance = 0.0625;
    OK(abut_features(scene, body, still, &def, features, NULL));
    const void* rows = abut_features_result_pairs(features, &count);
    write_rows(rows, count, sizeof(abut_feature_pair));
    const abut_volume ball = abut_volume_ball((const double[3]){0.25, 0.5, 0.125}, 0.5);
    OK(abut_select_all(scene, &ball, NULL, selected, NULL));
    rows = abut_select_result_triangles(selected, &count);
    write_rows(rows, count, sizeof(abut_selected));
    abut_features_result_destroy(features);
    abut_select_result_destroy(selected);
}

// chains the pairs of the last query
static void ask_contours(const abut_scene* scene, const abut_collide_result* collide,
                         abut_context* context) {
    abut_contour_result* lines;
    size_t count;
    OK(abut_contour_result_create(context, &lines, NULL));
    const abut_pair* pairs = abut_collide_result_pairs(collide, &count);
    OK(abut_contour_trace(scene, pairs, count, NULL, lines, NULL));
    const void* rows = abut_contour_result_contours(lines, &count);
    write_rows(rows, count, sizeof(abut_contour));
    rows = abut_contour_result_segments(lines, &count);
    write_rows(rows, count, sizeof(abut_contour_segment));
    rows = abut_contour_result_points(lines, &count);
    write_rows(rows, count, sizeof(abut_contour_point));
    abut_contour_result_destroy(lines);
}

// winding numbers, rays, thick rays and closest points
static void ask_points(const abut_scene* scene, abut_body_id body, abut_context* context) {
    const double from[9] = {0.1, 0.2, 2, 0.6, 0.3, -1, 0.5, 0.9, 0.1};
    const double to[9] = {0.3, 0.1, -2, 0.2, 0.7, 1, -0.5, 0.1, 0.2};
    abut_contains_result* sides;
    abut_cast_result* hits;
    abut_closest_result* closest;
    size_t count;
    OK(abut_contains_result_create(context, &sides, NULL));
    OK(abut_cast_result_create(context, &hits, NULL));
    OK(abut_closest_result_create(context, &closest, NULL));
    OK(abut_contains_winding_numbers(scene, body, abut_positions_f64(from, 3), NULL, sides, NULL));
    const void* rows = abut_contains_result_winding_numbers(sides, &count);
    write_rows(rows, count, sizeof(double));
    abut_cast_def def = abut_cast_def_default();
    def.mode = ABUT_CAST_ALL;
    for (int thick = 0; thick < 2; ++thick) {
        def.radius = 0.0625 * thick;
        OK(abut_cast_all(scene, abut_rays_segments(from, to, 3), &def, hits, NULL));
        rows = abut_cast_result_hits(hits, &count);
        write_rows(rows, count, sizeof(abut_ray_hit));
    }
    OK(abut_closest_all(scene, abut_positions_f64(from, 3), NULL, closest, NULL));
    rows = abut_closest_result_points(closest, &count);
    write_rows(rows, count, sizeof(abut_closest_point));
    abut_contains_result_destroy(sides);
    abut_cast_result_destroy(hits);
    abut_closest_result_destroy(closest);
}

static void ask(const abut_scene* scene, abut_body_id body, abut_body_id still,
                abut_context* context) {
    abut_collide_result* collide;
    abut_sweep_result* sweep;
    abut_nearest_result* nearest;
    abut_within_result* within;
    OK(abut_collide_result_create(context, &collide, NULL));
    OK(abut_sweep_result_create(context, &sweep, NULL));
    OK(abut_nearest_result_create(context, &nearest, NULL));
    OK(abut_within_result_create(context, &within, NULL));
    size_t count;
    OK(abut_collide_self(scene, body, NULL, collide, NULL));
    const void* rows = abut_collide_result_pairs(collide, &count);
    write_rows(rows, count, sizeof(abut_pair));
    OK(abut_collide(scene, body, still, NULL, collide, NULL));
    rows = abut_collide_result_pairs(collide, &count);
    write_rows(rows, count, sizeof(abut_pair));
    OK(abut_sweep(scene, body, still, NULL, sweep, NULL));
    rows = abut_sweep_result_pairs(sweep, &count);
    write_rows(rows, count, sizeof(abut_sweep_pair));
    OK(abut_nearest(scene, body, still, NULL, nearest, NULL));
    rows = abut_nearest_result_pairs(nearest, &count);
    write_rows(rows, count, sizeof(abut_distance_pair));
    abut_within_def def = abut_within_def_default();
    def.distance = 0.25;
    OK(abut_within(scene, body, still, &def, within, NULL));
    rows = abut_within_result_pairs(within, &count);
    write_rows(rows, count, sizeof(abut_distance_pair));
    ask_features(scene, body, still, context);
    ask_contours(scene, collide, context);
    ask_points(scene, body, context);
    abut_collide_result_destroy(collide);
    abut_sweep_result_destroy(sweep);
    abut_nearest_result_destroy(nearest);
    abut_within_result_destroy(within);
}

int main(int argument_count, char** arguments) {
    require(argument_count == 2, "usage: answers FILE");
#if defined(_WIN32)
    _setmode(_fileno(stdout), _O_BINARY);  // no line ends within numbers
#endif
    const input in = read_input(arguments[1]);
    abut_context* context;
    abut_scene* scene;
    abut_mesh* mesh;
    OK(abut_context_create(NULL, &context, NULL));
    OK(abut_scene_create(context, NULL, &scene, NULL));
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(in.rest, in.vertices);
    def.triangles = in.faces;
    def.triangle_count = in.triangles;
    OK(abut_mesh_create(context, &def, &mesh, NULL));
    abut_shape* shape = make_shape(context, mesh, &in);
    abut_shape* free_shape;
    OK(abut_shape_create(context, mesh, NULL, &free_shape, NULL));
    abut_body_id body, still;
    OK(abut_body_create(scene, shape, NULL, &body, NULL));
    OK(abut_body_create(scene, free_shape, NULL, &still, NULL));
    for (uint32_t s = 0; s < in.states; ++s) {
        set_state(scene, body, &in, in.state + (size_t)s * in.numbers);
        ask(scene, body, still, context);
    }
    abut_scene_destroy(scene);
    abut_shape_destroy(shape);
    abut_shape_destroy(free_shape);
    abut_mesh_destroy(mesh);
    abut_context_destroy(context);
    return 0;
}
