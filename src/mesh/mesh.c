// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Creates meshes. All data is checked once, while it is copied.
#include "mesh/mesh.h"

#include "base/sort.h"

abut_mesh_def abut_mesh_def_default(void) {
    abut_mesh_def def;
    memset(&def, 0, sizeof def);
    def.cookie = ABUT__COOKIE;
    return def;
}

// The number of triangles, segments and points; 2^30 if there are more.
static size_t count_elements(const abut_mesh_def* def) {
    const size_t most = (size_t)1 << 30;
    const size_t counts[3] = {def->triangle_count, def->segment_count, def->point_count};
    size_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum = counts[i] < most - sum ? sum + counts[i] : most;
    }
    return sum;
}

static abut_status check_elements(const abut_mesh_def* def, abut_error* error) {
    const size_t count = count_elements(def);
    if (def->positions.count == 0 || count == 0) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "a mesh needs at least one vertex, and one triangle, segment or point; "
                          "this one has %zu and %zu",
                          def->positions.count, count);
    }
    if ((def->triangle_count > 0 && def->triangles == NULL) ||
        (def->segment_count > 0 && def->segments == NULL) ||
        (def->point_count > 0 && def->points == NULL)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the pointer to the triangles, segments or points is NULL");
    }
    if (count >= (size_t)1 << 30) {
        return abut__fail(error, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0,
                          "%zu triangles, %zu segments and %zu points are not below 2^30 in all",
                          def->triangle_count, def->segment_count, def->point_count);
    }
    return ABUT_OK;
}

static abut_status check_def(const abut_mesh_def* def, abut_error* error) {
    abut_status status = abut__check_cookie(def->cookie, "mesh", error);
    if (status != ABUT_OK) {
        return status;
    }
    status = check_elements(def, error);
    if (status == ABUT_OK) {
        status = abut__positions_check(def->positions, "rest positions", error);
    }
    if (status != ABUT_OK) {
        return status;
    }
    if ((unsigned)def->class_rule > ABUT_CLASS_RULE_NONE ||
        (def->class_rule == ABUT_CLASS_RULE_GIVEN && def->classes == NULL)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the class rule is unknown, or classes are to be given but are NULL");
    }
    return ABUT_OK;
}

// Triangles, or segments or points, which become triangles whose last corners are the same.
typedef struct elements {
    const char* name;
    const uint32_t* indices;
    size_t count;
    uint32_t corners;  // of each
} elements;

// Copies them to ids from `first` on.
static abut_status copy_elements(abut_mesh* mesh, const elements* e, uint32_t first,
                                 abut_error* error) {
    for (uint32_t i = 0; i < (uint32_t)e->count; ++i) {
        for (uint32_t c = 0; c < 3; ++c) {
            const uint32_t corner = c < e->corners ? c : e->corners - 1;
            const uint32_t vertex = e->indices[e->corners * (size_t)i + corner];
            if (vertex >= mesh->vertex_count) {
                return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, first + i,
                                  "%s %u uses vertex %u, but there are only %u vertices", e->name,
                                  i, vertex, mesh->vertex_count);
            }
            mesh->triangles[3 * ((size_t)first + i) + c] = vertex;
        }
    }
    return ABUT_OK;
}

static abut_status copy_triangles(abut_mesh* mesh, const abut_mesh_def* def, abut_error* error) {
    const elements all[3] = {{"triangle", def->triangles, def->triangle_count, 3},
                             {"segment", def->segments, def->segment_count, 2},
                             {"point", def->points, def->point_count, 1}};
    abut_status status = ABUT_OK;
    uint32_t first = 0;
    for (int k = 0; k < 3 && status == ABUT_OK; ++k) {
        status = copy_elements(mesh, &all[k], first, error);
        first += (uint32_t)all[k].count;
    }
    return status;
}

// Copies classes. A class gets the index of its lowest vertex, regardless of the caller's number.
static abut_status copy_classes(abut_mesh* mesh, const uint32_t* classes, abut_error* error) {
    const size_t count = mesh->vertex_count;
    abut__arena arena = abut__arena_make(mesh->context);
    abut__keyed* items = abut__arena_push(&arena, count, sizeof *items);
    abut__keyed* scratch = abut__arena_push(&arena, count, sizeof *scratch);
    if (items == NULL || scratch == NULL) {
        abut__arena_release(&arena);
        return abut__fail_memory(error);
    }
    for (size_t v = 0; v < count; ++v) {
        items[v] = (abut__keyed){classes[v], v};
    }
    abut__sort_keyed(items, scratch, count);
    uint32_t lowest = 0;
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || items[i].key != items[i - 1].key) {
            lowest = (uint32_t)items[i].value;
        }
        mesh->classes[items[i].value] = lowest;
    }
    abut__arena_release(&arena);
    return ABUT_OK;
}

static abut_status make_classes(abut_mesh* mesh, const abut_mesh_def* def, abut_error* error) {
    switch (def->class_rule) {
        case ABUT_CLASS_RULE_COMPUTED: return abut__mesh_find_classes(mesh, 0, error);
        case ABUT_CLASS_RULE_GIVEN: return copy_classes(mesh, def->classes, error);
        case ABUT_CLASS_RULE_NONE: break;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->classes[v] = v;
    }
    return ABUT_OK;
}

// Finds the greatest number of triangles of a class; one that uses it twice counts twice.
static abut_status count_classes(abut_mesh* mesh, abut_error* error) {
    uint32_t* uses = abut__alloc_zero(mesh->context, mesh->vertex_count, sizeof *uses);
    if (uses == NULL) {
        return abut__fail_memory(error);
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i) {
        ++uses[mesh->classes[mesh->triangles[i]]];
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->fullest_class = uses[v] > mesh->fullest_class ? uses[v] : mesh->fullest_class;
    }
    abut__free(mesh->context, uses, mesh->vertex_count, sizeof *uses);
    return ABUT_OK;
}

static abut_status fill(abut_mesh* mesh, const abut_mesh_def* def, abut_error* error) {
    const abut_context* context = mesh->context;
    const size_t vertices = mesh->vertex_count;
    const size_t triangles = mesh->triangle_count;
    mesh->positions = abut__alloc(context, vertices, 3 * abut__scalar_size(mesh->scalar));
    mesh->triangles = abut__alloc(context, triangles, 3 * sizeof(uint32_t));
    mesh->classes = abut__alloc(context, vertices, sizeof(uint32_t));
    if (mesh->positions == NULL || mesh->triangles == NULL || mesh->classes == NULL) {
        return abut__fail_memory(error);
    }
    if (def->tags != NULL) {
        mesh->tags = abut__alloc(context, triangles, sizeof(uint32_t));
        if (mesh->tags == NULL) {
            return abut__fail_memory(error);
        }
        memcpy(mesh->tags, def->tags, triangles * sizeof(uint32_t));
    }
    abut_status status = abut__positions_copy(context, def->positions, mesh->positions, 0,
                                              "rest positions", error);
    if (status == ABUT_OK) {
        abut__mesh_centre(mesh);
        status = copy_triangles(mesh, def, error);
    }
    if (status == ABUT_OK) {
        status = make_classes(mesh, def, error);
    }
    return status == ABUT_OK ? count_classes(mesh, error) : status;
}

abut_status abut_mesh_create(abut_context* context, const abut_mesh_def* def, abut_mesh** mesh,
                             abut_error* error) {
    if (context == NULL || def == NULL || mesh == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context, settings and the place for the mesh must not be NULL");
    }
    abut_status status = check_def(def, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_mesh* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = context;
    atomic_init(&made->holders, 1);
    made->vertex_count = (uint32_t)def->positions.count;
    made->triangle_count = (uint32_t)count_elements(def);
    made->alive_count = made->triangle_count;
    made->scalar = def->positions.type;
    made->class_rule = def->class_rule;
    status = fill(made, def, error);
    if (status != ABUT_OK) {
        abut_mesh_destroy(made);
        return status;
    }
    *mesh = made;
    return ABUT_OK;
}

static void* copy_of(const abut_mesh* mesh, const void* data, size_t count, size_t size) {
    void* copy = data != NULL ? abut__alloc(mesh->context, count, size) : NULL;
    if (copy != NULL) {
        memcpy(copy, data, count * size);
    }
    return copy;
}

abut_status abut__mesh_with_classes(const abut_mesh* mesh, const uint32_t* classes,
                                    const abut_mesh** out, abut_error* error) {
    abut_mesh* made = abut__alloc_zero(mesh->context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = mesh->context;
    atomic_init(&made->holders, 1);
    made->vertex_count = mesh->vertex_count;
    made->triangle_count = mesh->triangle_count;
    made->alive_count = mesh->alive_count;
    made->scalar = mesh->scalar;
    made->class_rule = mesh->class_rule;
    made->fullest_class = mesh->fullest_class;
    memcpy(made->origin, mesh->origin, sizeof made->origin);
    made->positions = copy_of(mesh, mesh->positions, mesh->vertex_count,
                              3 * abut__scalar_size(mesh->scalar));
    made->triangles = copy_of(mesh, mesh->triangles, mesh->triangle_count, 3 * sizeof(uint32_t));
    made->classes = copy_of(mesh, classes, mesh->vertex_count, sizeof(uint32_t));
    made->rest_classes = copy_of(mesh, abut__mesh_rest_classes(mesh), mesh->vertex_count,
                                 sizeof(uint32_t));
    made->tags = copy_of(mesh, mesh->tags, mesh->triangle_count, sizeof(uint32_t));
    if (made->positions == NULL || made->triangles == NULL || made->classes == NULL ||
        made->rest_classes == NULL || (made->tags == NULL) != (mesh->tags == NULL)) {
        abut_mesh_destroy(made);
        return abut__fail_memory(error);
    }
    *out = made;
    return ABUT_OK;
}

void abut__mesh_hold(const abut_mesh* mesh) {
    // a reference changes only the lifetime of the mesh
    atomic_fetch_add_explicit(&((abut_mesh*)mesh)->holders, 1, memory_order_relaxed);
}

void abut_mesh_destroy(abut_mesh* mesh) {
    if (mesh == NULL || atomic_fetch_sub_explicit(&mesh->holders, 1, memory_order_acq_rel) != 1) {
        return;
    }
    const abut_context* context = mesh->context;
    abut__free(context, mesh->positions, mesh->vertex_count, 3 * abut__scalar_size(mesh->scalar));
    abut__free(context, mesh->triangles, mesh->triangle_count, 3 * sizeof(uint32_t));
    abut__free(context, mesh->classes, mesh->vertex_count, sizeof(uint32_t));
    abut__free(context, mesh->rest_classes, mesh->vertex_count, sizeof(uint32_t));
    abut__free(context, mesh->tags, mesh->triangle_count, sizeof(uint32_t));
    abut__free(context, mesh, 1, sizeof *mesh);
}

uint32_t abut_mesh_vertex_count(const abut_mesh* mesh) {
    return mesh->vertex_count;
}

uint32_t abut_mesh_triangle_count(const abut_mesh* mesh) {
    return mesh->triangle_count;
}

const uint32_t* abut_mesh_triangles(const abut_mesh* mesh) {
    return mesh->triangles;
}

const uint32_t* abut_mesh_classes(const abut_mesh* mesh) {
    return mesh->classes;
}

abut_positions abut_mesh_rest_positions(const abut_mesh* mesh) {
    return (abut_positions){mesh->positions, mesh->vertex_count, 0, mesh->scalar};
}
