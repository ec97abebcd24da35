// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes a mesh with triangles and vertices added and triangles removed. Ids are stable: the id of a
// removed triangle stays dead, and new triangles get ids from the end on.
#include "mesh/mesh_edit.h"

static abut_status check_counts(const abut_mesh* mesh, const abut_shape_edit_def* edit,
                                abut_error* error) {
    if ((edit->removed_triangle_count > 0 && edit->removed_triangles == NULL) ||
        (edit->added_triangle_count > 0 && edit->added_triangles == NULL)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "triangles are to be removed or added, but their pointer is NULL");
    }
    if (edit->added_triangle_count >= (1u << 30) - mesh->triangle_count ||
        edit->added_vertices.count >= (1u << 30) - mesh->vertex_count) {
        return abut__fail(error, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0,
                          "the edited mesh would not have fewer than 2^30 triangles and vertices");
    }
    if (edit->added_vertices.count == 0) {
        return ABUT_OK;
    }
    return abut__positions_check(edit->added_vertices, "added vertices", error);
}

static abut_mesh* mesh_start(const abut_mesh* mesh, const abut_shape_edit_def* edit) {
    abut_mesh* made = abut__alloc_zero(mesh->context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = mesh->context;
    atomic_init(&made->holders, 1);
    made->vertex_count = mesh->vertex_count + (uint32_t)edit->added_vertices.count;
    made->triangle_count = mesh->triangle_count + (uint32_t)edit->added_triangle_count;
    made->scalar = mesh->scalar;
    if (edit->added_vertices.count > 0 && edit->added_vertices.type == ABUT_SCALAR_F64) {
        made->scalar = ABUT_SCALAR_F64;  // exact
    }
    made->class_rule = mesh->class_rule;
    memcpy(made->origin, mesh->origin, sizeof made->origin);  // of blocks that both shapes have
    made->fullest_class = mesh->fullest_class + (uint32_t)edit->added_triangle_count;
    made->positions = abut__alloc(mesh->context, made->vertex_count,
                                  3 * abut__scalar_size(made->scalar));
    made->triangles = abut__alloc(mesh->context, made->triangle_count, 3 * sizeof(uint32_t));
    made->classes = abut__alloc(mesh->context, made->vertex_count, sizeof(uint32_t));
    const bool tagged = mesh->tags != NULL || edit->added_tags != NULL;
    if (tagged) {
        made->tags = abut__alloc_zero(mesh->context, made->triangle_count, sizeof(uint32_t));
    }
    if (made->positions == NULL || made->triangles == NULL || made->classes == NULL ||
        (tagged && made->tags == NULL)) {
        abut_mesh_destroy(made);
        return NULL;
    }
    return made;
}

static void copy_widened(abut_mesh* made, const void* from, abut_scalar scalar, size_t first,
                         size_t count) {
    const size_t stride = 3 * abut__scalar_size(made->scalar);
    char* to = (char*)made->positions + first * stride;
    if (scalar == made->scalar) {
        memcpy(to, from, count * stride);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        double p[3];
        abut__read_position(from, 3 * sizeof(float), false, i, p);
        memcpy(to + i * stride, p, sizeof p);
    }
}

static abut_status fill_positions(abut_mesh* made, const abut_mesh* mesh, abut_positions added,
                                  abut_error* error) {
    copy_widened(made, mesh->positions, mesh->scalar, 0, mesh->vertex_count);
    if (added.count == 0) {
        return ABUT_OK;
    }
    const size_t size = 3 * abut__scalar_size(added.type);
    void* packed = abut__alloc(made->context, added.count, size);
    if (packed == NULL) {
        return abut__fail_memory(error);
    }
    const abut_status status = abut__positions_copy(made->context, added, packed,
                                                    mesh->vertex_count, "added vertices", error);
    if (status == ABUT_OK) {
        copy_widened(made, packed, added.type, mesh->vertex_count, added.count);
    }
    abut__free(made->context, packed, added.count, size);
    return status;
}

static abut_status fill_classes(abut_mesh* made, const abut_mesh* mesh,
                                const abut_shape_edit_def* edit, bool part_anew,
                                abut_error* error) {
    const uint32_t first = mesh->vertex_count;
    memcpy(made->classes, part_anew ? abut__mesh_rest_classes(mesh) : mesh->classes,
           first * sizeof(uint32_t));
    if (edit->added_classes == NULL && mesh->class_rule == ABUT_CLASS_RULE_COMPUTED) {
        return made->vertex_count > first ? abut__mesh_find_classes(made, first, error) : ABUT_OK;
    }
    for (uint32_t v = first; v < made->vertex_count; ++v) {
        const uint32_t joined = edit->added_classes != NULL ? edit->added_classes[v - first] : v;
        if (joined > v) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, v,
                              "added vertex %u cannot join the class of vertex %u, which does not "
                              "come before it",
                              v, joined);
        }
        made->classes[v] = joined == v ? v : made->classes[joined];
    }
    return ABUT_OK;
}

static abut_status remove_triangles(abut_mesh* made, const abut_mesh* mesh,
                                    const abut_shape_edit_def* edit, abut_error* error) {
    for (size_t i = 0; i < edit->removed_triangle_count; ++i) {
        const uint32_t id = edit->removed_triangles[i];
        if (id >= mesh->triangle_count || made->triangles[3 * (size_t)id] == UINT32_MAX) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, id,
                              "triangle %u cannot be removed: it is not there", id);
        }
        memset(&made->triangles[3 * (size_t)id], 0xff, 3 * sizeof(uint32_t));
    }
    return ABUT_OK;
}

static abut_status add_triangles(abut_mesh* made, uint32_t first, const abut_shape_edit_def* edit,
                                 abut_error* error) {
    for (uint32_t t = first; t < made->triangle_count; ++t) {
        for (size_t c = 0; c < 3; ++c) {
            const uint32_t vertex = edit->added_triangles[3 * (size_t)(t - first) + c];
            if (vertex >= made->vertex_count) {
                return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, t,
                                  "added triangle %u uses vertex %u, but there are only %u "
                                  "vertices",
                                  t, vertex, made->vertex_count);
            }
            made->triangles[3 * (size_t)t + c] = vertex;
        }
        if (edit->added_tags != NULL) {
            made->tags[t] = edit->added_tags[t - first];
        }
    }
    return ABUT_OK;
}

static abut_status fill_triangles(abut_mesh* made, const abut_mesh* mesh,
                                  const abut_shape_edit_def* edit, abut_error* error) {
    memcpy(made->triangles, mesh->triangles, 3 * sizeof(uint32_t) * (size_t)mesh->triangle_count);
    if (mesh->tags != NULL) {
        memcpy(made->tags, mesh->tags, sizeof(uint32_t) * (size_t)mesh->triangle_count);
    }
    abut_status status = remove_triangles(made, mesh, edit, error);
    if (status == ABUT_OK) {
        status = add_triangles(made, mesh->triangle_count, edit, error);
    }
    if (status != ABUT_OK) {
        return status;
    }
    made->alive_count = mesh->alive_count - (uint32_t)edit->removed_triangle_count +
                        (uint32_t)edit->added_triangle_count;
    if (made->alive_count == 0) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the edit would remove the last triangle");
    }
    return ABUT_OK;
}

abut_status abut__mesh_edit(const abut_mesh* mesh, const abut_shape_edit_def* edit, bool part_anew,
                            abut_mesh** edited, uint32_t* first_added, abut_error* error) {
    abut_status status = check_counts(mesh, edit, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_mesh* made = mesh_start(mesh, edit);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    status = fill_positions(made, mesh, edit->added_vertices, error);
    if (status == ABUT_OK) {
        status = fill_classes(made, mesh, edit, part_anew, error);
    }
    if (status == ABUT_OK) {
        status = fill_triangles(made, mesh, edit, error);
    }
    if (status != ABUT_OK) {
        abut_mesh_destroy(made);
        return status;
    }
    *edited = made;
    *first_added = mesh->triangle_count;
    return ABUT_OK;
}
