// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Creates shapes and edited shapes.
#include "shape/shape.h"

#include "base/sort.h"
#include "abut/proxies.h"
#include "bound/proxies.h"
#include "mesh/mesh_edit.h"
#include "motion/certified.h"
#include "motion/motion.h"

abut_shape_def abut_shape_def_default(void) {
    abut_shape_def def;
    memset(&def, 0, sizeof def);
    def.fan_out = ABUT__FAN;
    def.block_triangles = ABUT__BLOCK_TRIANGLES;
    def.cookie = ABUT__COOKIE;
    return def;
}

abut_shape_edit_def abut_shape_edit_def_default(void) {
    abut_shape_edit_def def;
    memset(&def, 0, sizeof def);
    def.cookie = ABUT__COOKIE;
    return def;
}

static abut_status check_def(const abut_shape_def* def, abut_error* error) {
    const abut_status status = abut__check_cookie(def->cookie, "shape", error);
    if (status != ABUT_OK) {
        return status;
    }
    if (def->fan_out < 2 || def->fan_out > ABUT__FAN) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "a fan-out of %u is not in 2..%d", def->fan_out, ABUT__FAN);
    }
    if (def->block_triangles < 1 || def->block_triangles > ABUT__BLOCK_TRIANGLES) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%u triangles per block are not in 1..%d", def->block_triangles,
                          ABUT__BLOCK_TRIANGLES);
    }
    if (def->ignored_tag_pair_count > 0 && def->ignored_tags == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there are pairs of tags to ignore, but their pointer is NULL");
    }
    return ABUT_OK;
}

static bool copy_ignored(abut_shape* shape, const uint32_t* tags, size_t count) {
    if (count == 0) {
        return true;
    }
    shape->ignored = abut__alloc(shape->context, count, sizeof *shape->ignored);
    uint64_t* scratch = abut__alloc(shape->context, count, sizeof *scratch);
    if (shape->ignored != NULL && scratch != NULL) {
        for (size_t i = 0; i < count; ++i) {
            shape->ignored[i] = abut__tag_key(tags[2 * i], tags[2 * i + 1]);
        }
        abut__sort_keys(shape->ignored, scratch, count);
    }
    const bool done = shape->ignored != NULL && scratch != NULL;
    shape->ignored_count = shape->ignored != NULL ? count : 0;
    abut__free(shape->context, scratch, count, sizeof *scratch);
    return done;
}

// makes a shape without its tree in `memory`, with a reference to the mesh
static abut_shape* shape_start_in(const abut_context* memory, abut_context* context,
                                  const abut_mesh* mesh, const abut__motion* motion,
                                  const abut__tree_def* tree_def) {
    abut_shape* shape = abut__alloc_zero(memory, 1, sizeof *shape);
    if (shape != NULL) {
        shape->context = context;
        atomic_init(&shape->holders, 1);
        shape->serial = atomic_fetch_add(&context->serial, 1) + 1;
        shape->motion = motion;
        shape->mesh = mesh;
        shape->tree = (abut__tree){.context = memory};
        shape->tree_def = *tree_def;
        if (mesh != NULL) {
            abut__mesh_hold(mesh);
        }
    }
    return shape;
}

abut_shape* abut__shape_start(abut_context* context, const abut_mesh* mesh,
                              const abut__motion* motion, const abut__tree_def* tree_def) {
    return shape_start_in(context, context, mesh, motion, tree_def);
}

static abut_status prepare(abut_shape* made, const void* def, const abut__lineage* lineage,
                           abut_error* error) {
    const abut__shape_keeping* shapes = made->motion->shapes;
    return shapes != NULL ? shapes->prepare(made, def, lineage, error) : ABUT_OK;
}

abut_status abut__shape_complete(abut_shape* made, const abut__lineage* lineage,
                                 abut_error* error) {
    const abut__shape_keeping* shapes = made->motion->shapes;
    return shapes != NULL && shapes->complete != NULL ? shapes->complete(made, lineage, error)
                                                      : ABUT_OK;
}

// builds the tree for the rest positions, and what the motion makes with it
static abut_status build(abut_shape* made, abut_error* error) {
    const abut_status status = abut__tree_build(made->context, made->mesh,
                                                abut_mesh_rest_positions(made->mesh),
                                                &made->tree_def, &made->tree, error);
    return status == ABUT_OK ? abut__shape_complete(made, NULL, error) : status;
}

// moves the tree of a draft into the shape
static void adopt(abut_shape* shape, abut_shape* draft) {
    const abut__late* late = shape->motion->late;
    shape->tree = draft->tree;
    atomic_store(&shape->has_sphere, atomic_load(&draft->has_sphere));
    shape->bounds_built = draft->bounds_built;
    draft->tree = (abut__tree){.context = draft->context};
    if (late->adopt != NULL) {
        late->adopt(shape, draft);
    }
}

bool abut__shape_ready(const abut_shape* shape) {
    if (abut__shape_has_tree(shape)) {
        return true;
    }
    const abut__late* late = shape->motion->late;
    abut_shape* draft = abut__shape_start(shape->context, shape->mesh, shape->motion,
                                          &shape->tree_def);
    if (draft != NULL) {
        draft->is_draft = true;
    }
    const bool done = draft != NULL && (late->draft == NULL || late->draft(draft, shape)) &&
                      build(draft, NULL) == ABUT_OK;
    if (done && abut__commit_begin(&shape->has_tree)) {
        adopt((abut_shape*)shape, draft);  // what it stores follows from the shape
        abut__commit_end(&shape->has_tree);
    }
    abut_shape_destroy(draft);
    return done || abut__shape_has_tree(shape);
}

abut_status abut_shape_build_tree(const abut_shape* shape, abut_error* error) {
    if (shape == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the shape is NULL");
    }
    const abut__late* late = shape->motion->late;
    return abut__shape_ready(shape) &&
                   (late == NULL || late->provide == NULL || late->provide(shape))
               ? ABUT_OK
               : abut__fail_memory(error);
}

abut_status abut_shape_build_certificates(const abut_shape* shape, abut_error* error) {
    const abut_status status = abut_shape_build_tree(shape, error);
    if (status != ABUT_OK) {
        return status;
    }
    return abut__certified_prepare(shape) ? ABUT_OK : abut__fail_memory(error);
}

abut_status abut__shape_create_with(abut_context* context, const abut_mesh* mesh,
                                    const abut_shape_def* def, const abut__motion* motion,
                                    const void* own, abut_shape** shape, abut_error* error) {
    const abut__tree_def tree_def = {def->fan_out, def->block_triangles, motion->keeps_nodes};
    abut_shape* made = abut__shape_start(context, mesh, motion, &tree_def);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->certify.on_request = def->certify_on_request;
    abut_status status = copy_ignored(made, def->ignored_tags, def->ignored_tag_pair_count)
                             ? prepare(made, own, NULL, error)
                             : abut__fail_memory(error);
    if (status == ABUT_OK && motion->late == NULL) {
        status = build(made, error);
        abut__commit_end(&made->has_tree);
    }
    if (status != ABUT_OK) {
        abut_shape_destroy(made);
        return status;
    }
    *shape = made;
    return ABUT_OK;
}

abut_status abut__shape_create_checked(abut_context* context, const abut_mesh* mesh,
                                       const abut_shape_def* def, const abut__motion* motion,
                                       const void* own, abut_shape** shape, abut_error* error) {
    if (context == NULL || mesh == NULL || shape == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context, mesh and the place for the shape must not be NULL");
    }
    if (mesh->context != context) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the mesh is of another context");
    }
    const abut_status status = check_def(def, error);
    return status == ABUT_OK
               ? abut__shape_create_with(context, mesh, def, motion, own, shape, error)
               : status;
}

abut_status abut_shape_create(abut_context* context, const abut_mesh* mesh,
                              const abut_shape_def* def, abut_shape** shape, abut_error* error) {
    const abut_shape_def defaults = abut_shape_def_default();
    return abut__shape_create_checked(context, mesh, def != NULL ? def : &defaults,
                                      abut__motion_of(ABUT_MOTION_FREE), NULL, shape, error);
}

void abut__shape_hold(const abut_shape* shape) {
    // a reference changes only the lifetime of the shape
    atomic_fetch_add_explicit(&((abut_shape*)shape)->holders, 1, memory_order_relaxed);
}

void abut_shape_destroy(abut_shape* shape) {
    if (shape == NULL || atomic_fetch_sub_explicit(&shape->holders, 1, memory_order_acq_rel) != 1) {
        return;
    }
    if (shape->motion->shapes != NULL) {
        shape->motion->shapes->discard(shape);
    }
    abut__shape_tables_free(shape);
    abut__descent_free(shape->descent);
    const abut_context* memory = shape->tree.context;
    abut__tree_free(&shape->tree);
    abut__free(memory, shape->ignored, shape->ignored_count, sizeof *shape->ignored);
    abut_mesh_destroy((abut_mesh*)shape->mesh);
    abut__free(memory, shape, 1, sizeof *shape);
}

const abut_mesh* abut_shape_mesh(const abut_shape* shape) {
    return shape->mesh;
}

abut_motion abut_shape_motion(const abut_shape* shape) {
    return shape->motion->id;
}

size_t abut_shape_field_count(const abut_shape* shape) {
    return shape->field_count;
}

size_t abut_shape_node_count(const abut_shape* shape) {
    return shape->node_count;
}

uint32_t abut_shape_proxy_count(const abut_shape* shape) {
    return shape != NULL && shape->proxies != NULL ? shape->proxies->count : 0;
}

uint32_t abut_shape_proxy_vertex(const abut_shape* shape, uint32_t proxy) {
    return proxy < abut_shape_proxy_count(shape) ? shape->proxies->vertex[proxy] : UINT32_MAX;
}

const uint32_t* abut_shape_proxy_triangles(const abut_shape* shape, uint32_t proxy, size_t* count) {
    const bool is_there = proxy < abut_shape_proxy_count(shape);
    const uint32_t* first = is_there ? shape->proxies->first + proxy : NULL;
    if (count != NULL) {
        *count = is_there ? first[1] - first[0] : 0;
    }
    return is_there ? shape->proxies->triangles + first[0] : NULL;
}

abut_status abut_shape_validate(const abut_shape* shape, abut_error* error) {
    if (shape == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the shape is NULL");
    }
    const bool ready = abut__shape_ready(shape);
    const abut__links* links = ready ? abut__shape_links(shape) : NULL;
    const abut__stretches* stretches = ready ? abut__shape_stretches(shape) : NULL;
    return links != NULL && stretches != NULL
               ? abut__tree_validate(&shape->tree, shape->mesh, links, stretches, error)
               : abut__fail_memory(error);
}

static abut_status check_rebuild(const abut_shape_edit_def* edit, const abut_mesh* mesh,
                                 abut_error* error) {
    if (!edit->rebuild || edit->rebuild_positions.count == 0) {
        return ABUT_OK;
    }
    if (edit->rebuild_positions.count != mesh->vertex_count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu positions to rebuild for, but the edited mesh has %u vertices",
                          edit->rebuild_positions.count, mesh->vertex_count);
    }
    return abut__positions_check(edit->rebuild_positions, "positions to rebuild for", error);
}

// builds the tree for a checked copy of the given positions, or for the rest positions
static abut_status rebuild(abut_shape* made, abut_positions positions, abut_error* error) {
    if (positions.count == 0) {
        return abut__tree_build(made->context, made->mesh, abut_mesh_rest_positions(made->mesh),
                                &made->tree_def, &made->tree, error);
    }
    const size_t size = 3 * abut__scalar_size(positions.type);
    void* copy = abut__alloc(made->context, positions.count, size);
    if (copy == NULL) {
        return abut__fail_memory(error);
    }
    abut_status status = abut__positions_copy(made->context, positions, copy, 0,
                                              "positions to rebuild for", error);
    if (status == ABUT_OK) {
        const abut_positions packed = {copy, positions.count, 0, positions.type};
        abut__tree_def def = made->tree_def;
        def.lasting = false;  // the next edit is for rest positions
        status = abut__tree_build(made->context, made->mesh, packed, &def, &made->tree, error);
    }
    abut__free(made->context, copy, positions.count, size);
    return status;
}

static bool copy_table(abut_shape* made, const abut_shape* shape) {
    if (shape->ignored_count > 0) {
        made->ignored = abut__alloc(made->tree.context, shape->ignored_count,
                                    sizeof *made->ignored);
        if (made->ignored == NULL) {
            return false;
        }
        made->ignored_count = shape->ignored_count;
        memcpy(made->ignored, shape->ignored, shape->ignored_count * sizeof *made->ignored);
    }
    return true;
}

abut_shape* abut__shape_with_tree(const abut_shape* shape, const abut_context* memory,
                                  abut_positions positions) {
    abut_shape* made = shape_start_in(memory, shape->context, shape->mesh, shape->motion,
                                      &shape->tree_def);
    if (made == NULL) {
        return NULL;
    }
    made->base = shape;
    abut__tree_def def = shape->tree_def;
    def.lasting = false;  // it suits one state
    if (!copy_table(made, shape) ||
        abut__tree_build(memory, made->mesh, positions, &def, &made->tree, NULL) != ABUT_OK) {
        abut_shape_destroy(made);
        return NULL;
    }
    abut__commit_end(&made->has_tree);
    return made;
}

// An edit in progress.
typedef struct edit_job {
    abut__lineage lineage;
    abut_shape* made;
} edit_job;

// makes the edited shape without its tree
static abut_status edit_begin(edit_job* e, const abut_shape* shape, const abut_mesh* mesh,
                              const abut_shape_edit_def* edit, const void* own_edit,
                              abut_error* error) {
    const abut_context* context = shape->context;
    *e = (edit_job){.lineage = {.shape = shape, .edit = edit, .own_edit = own_edit}};
    e->lineage.blocks = abut__alloc(context, shape->tree.block_count, sizeof *e->lineage.blocks);
    e->made = abut__shape_start(shape->context, mesh, shape->motion, &shape->tree_def);
    return e->lineage.blocks != NULL && e->made != NULL && copy_table(e->made, shape)
               ? prepare(e->made, NULL, &e->lineage, error)
               : abut__fail_memory(error);
}

static abut_status edit_tree(edit_job* e, abut_positions positions, uint32_t first_added,
                             const uint8_t* degraded, abut_error* error) {
    abut_shape* made = e->made;
    abut__tree_def def = made->tree_def;
    // degraded blocks are rebuilt for some state, edited ones for the rest state
    def.lasting = def.lasting && degraded == NULL;
    const abut_status status = abut__tree_edit(&e->lineage.shape->tree, made->mesh, positions,
                                               first_added, degraded, &def, &made->tree,
                                               &e->lineage.block_count, e->lineage.blocks,
                                               &made->descent, error);
    if (made->descent != NULL) {
        made->descent->from = e->lineage.shape->serial;
    }
    return status;
}

static uint32_t count_shared_nodes(const abut__descent* descent) {
    uint32_t shared = 0;
    for (uint32_t n = 0; descent != NULL && n < descent->node_count; ++n) {
        shared += abut__descent_has(descent->changed, n) ? 0 : 1;
    }
    return shared;
}

static abut_edit_work edit_work_of(const edit_job* e) {
    const uint32_t blocks = e->made->tree.block_count;
    abut_edit_work work = {.blocks_reused = e->lineage.block_count,
                           .blocks_built = blocks - e->lineage.block_count,
                           .bounds_reused = e->made->bounds_reused,
                           .bounds_built = e->made->bounds_built,
                           .nodes_reused = count_shared_nodes(e->made->descent)};
    work.nodes_built = e->made->tree.node_count - work.nodes_reused;
    return work;
}

// completes the shape and returns it, or discards it
static abut_status edit_finish(edit_job* e, abut_status status, abut_shape** out,
                               abut_edit_work* work, abut_error* error) {
    if (status == ABUT_OK) {
        status = abut__shape_complete(e->made, &e->lineage, error);
    }
    abut__free(e->lineage.shape->context, e->lineage.blocks, e->lineage.shape->tree.block_count,
               sizeof *e->lineage.blocks);
    if (status != ABUT_OK) {
        abut_shape_destroy(e->made);
        return status;
    }
    abut__commit_end(&e->made->has_tree);
    if (work != NULL) {
        *work = edit_work_of(e);
    }
    *out = e->made;
    return ABUT_OK;
}

abut_status abut__shape_rebuild_blocks(const abut_shape* shape, const uint8_t* degraded,
                                       abut_positions positions, abut_shape** rebuilt,
                                       abut_edit_work* work, abut_error* error) {
    edit_job e;
    abut_status status = edit_begin(&e, shape, shape->mesh, NULL, NULL, error);
    if (status == ABUT_OK) {
        status = edit_tree(&e, positions, shape->mesh->triangle_count, degraded, error);
    }
    return edit_finish(&e, status, rebuilt, work, error);
}

// `motion` is the one that the edit is made for; NULL: any
static abut_status check_edit(const abut_shape* shape, const abut_shape_edit_def* edit,
                              const abut__motion* motion, abut_error* error) {
    const abut_status status = abut__check_cookie(edit->cookie, "shape edit", error);
    if (status == ABUT_OK && motion != NULL && shape->motion != motion) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the shape's motion is %s, but the edit is made for %s: use the edit of "
                          "the shape's motion",
                          shape->motion->name, motion->name);
    }
    return status;
}

abut_status abut_shape_edit(const abut_shape* shape, const abut_shape_edit_def* edit,
                            abut_shape** edited, abut_edit_work* work, abut_error* error) {
    return abut__shape_edit_as(shape, NULL, edit, NULL, edited, work, error);
}

abut_status abut__shape_edit_as(const abut_shape* shape, const abut__motion* motion,
                                const abut_shape_edit_def* edit, const void* own_edit,
                                abut_shape** edited, abut_edit_work* work, abut_error* error) {
    if (shape == NULL || edit == NULL || edited == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "shape, edit and the place for the edited shape must not be NULL");
    }
    abut_status status = check_edit(shape, edit, motion, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_mesh* mesh = NULL;
    uint32_t first_added = 0;
    const bool separate = shape->motion->parts_classes;
    status = abut__mesh_edit(shape->mesh, edit, separate, &mesh, &first_added, error);
    if (status == ABUT_OK) {
        status = check_rebuild(edit, mesh, error);
    }
    if (status == ABUT_OK && !abut__shape_ready(shape)) {  // blocks are taken over from its tree
        status = abut__fail_memory(error);
    }
    if (status != ABUT_OK) {
        abut_mesh_destroy(mesh);
        return status;
    }
    edit_job e;
    status = edit_begin(&e, shape, mesh, edit, own_edit, error);
    abut_mesh_destroy(mesh);  // the shape has a reference
    if (status == ABUT_OK) {
        status = edit->rebuild ? rebuild(e.made, edit->rebuild_positions, error)
                               : edit_tree(&e, abut_mesh_rest_positions(e.made->mesh), first_added,
                                           NULL, error);
    }
    return edit_finish(&e, status, edited, work, error);
}
