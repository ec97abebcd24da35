// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Memory, errors, meshes, shapes, scenes and bodies of the module: see module.h.
#include "module.h"

#include <stdlib.h>
#include <string.h>

typedef struct module_state {
    abut_context* context;
    abut_error error;
} module_state;

static module_state* module(void) {
    static module_state state;  // a module is one instance, and its memory is its own
    return &state;
}

abut_context* web_context(void) {
    module_state* m = module();
    if (m->context == NULL) {
        (void)abut_context_create(NULL, &m->context, &m->error);
    }
    return m->context;
}

abut_error* web_last_error(void) {
    return &module()->error;
}

// ---- memory and errors

void* WEB(web_alloc)(size_t bytes) {
    return bytes < SIZE_MAX - 128 ? aligned_alloc(64, (bytes + 64) & ~(size_t)63) : NULL;
}
void WEB(web_free)(void* memory) {
    free(memory);
}
int WEB(web_isa)(void) {
    return web_context() != NULL ? (int)abut_context_isa(web_context()) : 0;
}

int WEB(web_error_status)(void) {
    return (int)web_last_error()->status;
}
int WEB(web_error_element)(void) {
    return (int)web_last_error()->element;
}
double WEB(web_error_index)(void) {
    return (double)web_last_error()->index;
}
uint32_t WEB(web_error_body)(int part) {
    const abut_body_id body = web_last_error()->body;
    return part == 0 ? body.index : body.generation;
}
const char* WEB(web_error_message)(void) {
    return web_last_error()->message;
}

// ---- meshes and shapes

abut_mesh* WEB(web_mesh_create)(const void* positions, size_t count, int is_double,
                                const uint32_t* triangles, size_t triangle_count,
                                const uint32_t* classes, int separate, const uint32_t* tags) {
    abut_mesh* mesh = NULL;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = web_positions(positions, count, is_double);
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    def.tags = tags;
    if (classes != NULL) {
        def.class_rule = ABUT_CLASS_RULE_GIVEN;
        def.classes = classes;
    } else if (separate != 0) {
        def.class_rule = ABUT_CLASS_RULE_NONE;
    }
    abut_context* context = web_context();
    if (context != NULL) {
        (void)abut_mesh_create(context, &def, &mesh, web_last_error());
    }
    return mesh;
}
void WEB(web_mesh_destroy)(abut_mesh* mesh) {
    abut_mesh_destroy(mesh);
}

abut_shape* WEB(web_shape_free)(const abut_mesh* mesh) {
    abut_shape* shape = NULL;
    (void)abut_shape_create(web_context(), mesh, NULL, &shape, web_last_error());
    return shape;
}

// A field as JavaScript writes it: four words.
typedef struct web_field {
    const void* values;
    uint32_t count;
    uint32_t is_double;
    const uint32_t* vertices;
} web_field;

// Makes the library's fields; the caller frees them. NULL: no memory, or there are none.
static abut_field* fields_of(const web_field* given, size_t count) {
    abut_field* fields = count > 0 ? calloc(count, sizeof *fields) : NULL;
    for (size_t i = 0; i < count && fields != NULL; ++i) {
        fields[i].values = web_positions(given[i].values, given[i].count, (int)given[i].is_double);
        fields[i].vertices = given[i].vertices;
    }
    if (fields == NULL && count > 0) {
        *web_last_error() = (abut_error){.status = ABUT_ERR_NO_MEMORY, .message = "out of memory"};
    }
    return fields;
}

abut_shape* WEB(web_shape_modal)(const abut_mesh* mesh, const web_field* given, size_t count) {
    abut_shape* shape = NULL;
    abut_field* fields = fields_of(given, count);
    if (fields != NULL || count == 0) {
        abut_modal_def def = abut_modal_def_default();
        def.fields = fields;
        def.field_count = count;
        (void)abut_shape_create_modal(web_context(), mesh, &def, &shape, web_last_error());
    }
    free(fields);
    return shape;
}

abut_shape* WEB(web_shape_blend)(const abut_mesh* mesh, size_t node_count, uint32_t per_vertex,
                                 const uint32_t* first, const uint32_t* nodes, const void* weights,
                                 int is_double, int normalise, const web_field* given,
                                 size_t count) {
    abut_shape* shape = NULL;
    abut_field* fields = fields_of(given, count);
    if (fields != NULL || count == 0) {
        abut_blend_def def = abut_blend_def_default();
        def.weights = (abut_weights){
            .node_count = node_count,
            .first = first,
            .per_vertex = per_vertex,
            .nodes = nodes,
            .values = weights,
            .type = is_double != 0 ? ABUT_SCALAR_F64 : ABUT_SCALAR_F32,
            .normalise = normalise != 0,
        };
        def.fields = fields;
        def.field_count = count;
        (void)abut_shape_create_blend(web_context(), mesh, &def, &shape, web_last_error());
    }
    free(fields);
    return shape;
}

// `positions` has the keyframes one after the other; it must outlive the shape and its bodies.
abut_shape* WEB(web_shape_flight)(const abut_mesh* mesh, const double* times, size_t count,
                                  const void* positions, int is_double) {
    abut_shape* shape = NULL;
    const size_t vertices = abut_mesh_vertex_count(mesh);
    const size_t bytes = vertices * 3 * (is_double != 0 ? sizeof(double) : sizeof(float));
    abut_keyframe* keyframes = calloc(count > 0 ? count : 1, sizeof *keyframes);
    if (keyframes == NULL) {
        *web_last_error() = (abut_error){.status = ABUT_ERR_NO_MEMORY, .message = "out of memory"};
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        const void* data = (const char*)positions + i * bytes;
        keyframes[i] = (abut_keyframe){times[i], web_positions(data, vertices, is_double)};
    }
    abut_flight_def def = abut_flight_def_default();
    def.keyframes = keyframes;
    def.keyframe_count = count;
    (void)abut_shape_create_flight(web_context(), mesh, &def, &shape, web_last_error());
    free(keyframes);
    return shape;
}
void WEB(web_shape_destroy)(abut_shape* shape) {
    abut_shape_destroy(shape);
}

// ---- scenes and bodies

abut_scene* WEB(web_scene_create)(void) {
    abut_scene* scene = NULL;
    abut_context* context = web_context();
    if (context != NULL) {
        (void)abut_scene_create(context, NULL, &scene, web_last_error());
    }
    return scene;
}
void WEB(web_scene_destroy)(abut_scene* scene) {
    abut_scene_destroy(scene);
}

static abut_frame frame_of(const double* numbers) {
    abut_frame frame = abut_frame_identity();
    if (numbers != NULL) {
        memcpy(&frame, numbers, sizeof frame);  // three rows of three, then the translation
    }
    return frame;
}

int WEB(web_body_create)(abut_scene* scene, const abut_shape* shape, const double* frame,
                         int is_static, uint32_t groups, uint32_t mask, uint32_t* id) {
    abut_body_id body = {0};
    abut_body_def def = abut_body_def_default();
    def.frame = frame_of(frame);
    def.is_static = is_static != 0;
    def.groups = groups;
    def.mask = mask;
    const abut_status status = abut_body_create(scene, shape, &def, &body, web_last_error());
    id[0] = body.index;
    id[1] = body.generation;
    return web_ok(status);
}
int WEB(web_body_destroy)(abut_scene* scene, uint32_t index, uint32_t generation) {
    return web_ok(abut_body_destroy(scene, web_body(index, generation), web_last_error()));
}
int WEB(web_body_set_positions)(abut_scene* scene, uint32_t index, uint32_t generation,
                                const void* positions, size_t count, int is_double) {
    return web_ok(abut_body_set_positions(scene, web_body(index, generation),
                                          web_positions(positions, count, is_double),
                                          web_last_error()));
}
int WEB(web_body_borrow_positions)(abut_scene* scene, uint32_t index, uint32_t generation,
                                   const void* positions, size_t count, int is_double) {
    return web_ok(abut_body_borrow_positions(scene, web_body(index, generation),
                                             web_positions(positions, count, is_double),
                                             web_last_error()));
}
int WEB(web_body_set_coordinates)(abut_scene* scene, uint32_t index, uint32_t generation,
                                  const double* coordinates, size_t count) {
    return web_ok(abut_body_set_coordinates(scene, web_body(index, generation), coordinates, count,
                                            web_last_error()));
}
// `columns`: 16 numbers each, as glTF and three.js have them; otherwise three rows of four
int WEB(web_body_set_transforms)(abut_scene* scene, uint32_t index, uint32_t generation,
                                 const void* transforms, size_t count, int is_double, int columns,
                                 const double* coordinates, size_t coordinate_count) {
    const abut_transforms all = {
        .data = transforms,
        .count = count,
        .type = is_double != 0 ? ABUT_SCALAR_F64 : ABUT_SCALAR_F32,
        .layout = columns != 0 ? ABUT_LAYOUT_COLUMNS_4X4 : ABUT_LAYOUT_ROWS_3X4,
    };
    return web_ok(abut_body_set_transforms(scene, web_body(index, generation), all,
                                           coordinate_count > 0 ? coordinates : NULL,
                                           coordinate_count, web_last_error()));
}
int WEB(web_body_set_time)(abut_scene* scene, uint32_t index, uint32_t generation, double time) {
    return web_ok(abut_body_set_time(scene, web_body(index, generation), time, web_last_error()));
}
int WEB(web_body_set_frame)(abut_scene* scene, uint32_t index, uint32_t generation,
                            const double* frame) {
    const abut_frame given = frame_of(frame);
    return web_ok(
        abut_body_set_frame(scene, web_body(index, generation), &given, web_last_error()));
}
int WEB(web_body_end_step)(abut_scene* scene, uint32_t index, uint32_t generation) {
    return web_ok(abut_body_end_step(scene, web_body(index, generation), web_last_error()));
}
int WEB(web_body_vertices)(const abut_scene* scene, uint32_t index, uint32_t generation, int world,
                           uint32_t first, uint32_t count, double* out) {
    const abut_body_id body = web_body(index, generation);
    return web_ok(world != 0
                      ? abut_body_world_vertices(scene, body, first, count, out, web_last_error())
                      : abut_body_vertices(scene, body, first, count, out, web_last_error()));
}
int WEB(web_body_box)(const abut_scene* scene, uint32_t index, uint32_t generation, double* out) {
    abut_box box = {{0}, {0}};
    const abut_status status = abut_body_box(scene, web_body(index, generation), &box,
                                             web_last_error());
    memcpy(out, &box, sizeof box);
    return web_ok(status);
}
