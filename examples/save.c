// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Saving a shape: a sheet that rolls up gets its certificates, which take longer to make than all
// else, and is written to a file. Another context, as it could be in another program, reads the file
// and loads the shape. Both bodies touch themselves in the same pairs.
#include "grid.h"

// a sheet with one field, which bends its two ends through each other
static abut_shape* make_sheet(abut_context* context) {
    static grid sheet;
    static float bend[GRID_VERTICES][3];
    grid_make(&sheet, 2, 0);
    for (int v = 0; v < GRID_VERTICES; ++v) {
        const double x = sheet.xyz[v][0];
        bend[v][0] = (float)(-x * x * x);
        bend[v][2] = (float)(x * x);
    }
    const abut_field field = {.values = abut_positions_f32(&bend[0][0], GRID_VERTICES)};
    abut_error error;
    abut_modal_def def = abut_modal_def_default();
    def.fields = &field;
    def.field_count = 1;
    abut_mesh* mesh = grid_mesh(context, &sheet);
    abut_shape* shape = NULL;
    need(abut_shape_create_modal(context, mesh, &def, &shape, &error), &error);
    abut_mesh_destroy(mesh);
    return shape;
}

// writes the shape to a file that is at its beginning
static void write_shape(const abut_shape* shape, FILE* file) {
    abut_error error;
    abut_shape_save_def def = abut_shape_save_def_default();
    def.self_queries = true;  // make the certificates now
    abut_shape_bytes* bytes = NULL;
    need(abut_shape_save(shape, &def, &bytes, &error), &error);
    size_t count = 0;
    const void* data = abut_shape_bytes_data(bytes, &count);
    if (fwrite(data, 1, count, file) != count) {
        exit(EXIT_FAILURE);
    }
    printf("saved %zu bytes\n", count);
    abut_shape_bytes_destroy(bytes);
}

static abut_shape* read_shape(abut_context* context, FILE* file) {
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    char* data = size > 0 ? malloc((size_t)size) : NULL;
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        exit(EXIT_FAILURE);
    }
    abut_error error;
    abut_shape* shape = NULL;
    need(abut_shape_load(context, data, (size_t)size, &shape, &error), &error);
    free(data);  // the shape has its own copy
    return shape;
}

// counts the pairs in which a body of the shape touches itself when it is bent
static size_t count_pairs(abut_context* context, const abut_shape* shape) {
    abut_error error;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_body_id body;
    const double bent = 1.5;
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);
    need(abut_body_create(scene, shape, NULL, &body, &error), &error);
    need(abut_body_set_coordinates(scene, body, &bent, 1, &error), &error);
    need(abut_collide_self(scene, body, NULL, result, &error), &error);
    size_t count = 0;
    (void)abut_collide_result_pairs(result, &count);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    return count;
}

int main(void) {
    abut_error error;
    abut_context* context[2] = {NULL, NULL};
    abut_shape* shape[2];
    size_t pairs[2];
    FILE* file = tmpfile();
    if (file == NULL) {
        return EXIT_FAILURE;
    }
    for (int i = 0; i < 2; ++i) {
        need(abut_context_create(NULL, &context[i], &error), &error);
        shape[i] = i == 0 ? make_sheet(context[i]) : read_shape(context[i], file);
        if (i == 0) {
            write_shape(shape[i], file);
        }
        pairs[i] = count_pairs(context[i], shape[i]);
        abut_shape_destroy(shape[i]);
        abut_context_destroy(context[i]);
    }
    (void)fclose(file);
    printf("the saved shape touches itself in %zu pairs, the loaded one in %zu\n", pairs[0],
           pairs[1]);
    return pairs[0] > 0 && pairs[0] == pairs[1] ? EXIT_SUCCESS : EXIT_FAILURE;
}
