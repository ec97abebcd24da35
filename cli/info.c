// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut info: prints what is in the files: sizes, defects of the mesh, and its tree.
#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/object.h"
#include "cli/progress.h"
#include "cli/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANIMATION, FPS, JSON, OPTIONS };

static const option_spec options[OPTIONS] = {
    [ANIMATION] = {"animation", OPTION_TEXT, "NAME",
                   "of a model: only the animation of this name or\n"
                   "number [all of them]"},
    [FPS] = FPS_OPTION,
    [JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
};

typedef struct facts {
    const object* o;
    const char* motion;
    size_t fields;
    size_t nodes;
    abut_mesh_info mesh;
    abut_tree_info tree;
    abut_box box;  // in world coordinates, in the first frame
} facts;

static void print_count(const char* what, uint64_t count, const char* remark) {
    char text[NUMBER_SIZE];
    printf("  %-22s %12s", what, grouped(count, text));
    print_styled(STYLE_FAINT, "%s%s", remark[0] != '\0' ? "  " : "", remark);
    printf("\n");
}

// the verdict on the surface
static const char* verdict(const abut_mesh_info* m) {
    if (m->nonmanifold_edges != 0) {
        return "not a manifold: some edges have three triangles or more";
    }
    if (m->boundary_edges != 0) {
        return m->inconsistent_edges != 0 ? "open, and not consistently oriented"
                                          : "open, consistently oriented";
    }
    return m->inconsistent_edges != 0 ? "closed, but not consistently oriented"
                                      : "closed and consistently oriented";
}

static void print_tree(const abut_tree_info* tree) {
    char nodes[NUMBER_SIZE];
    char blocks[NUMBER_SIZE];
    printf("  tree: %s nodes, %s blocks of %.1f triangles on average, depth %u\n",
           grouped(tree->nodes, nodes), grouped(tree->blocks, blocks), tree->triangles_per_block,
           tree->depth);
    printf(
        "        %.2f box tests expected for a random ray (SAH cost), siblings overlap by "
        "%.1f %%\n",
        tree->sah_cost, 100 * tree->overlap);
}

static void print_animations(const object* o) {
    for (size_t i = 0; i < o->clip_count && i < 40; ++i) {
        char name[NAME_SIZE];
        printf("  animation %zu: %s, %.3g s\n", i,
               o->clips[i].name[0] == '\0' ? "(unnamed)" : shown_name(o->clips[i].name, 60, name),
               o->clips[i].duration);
    }
}

static void print_facts(const facts* f) {
    const abut_mesh_info* m = &f->mesh;
    char name[NAME_SIZE];
    print_styled(STYLE_BOLD, "%s", shown_name(f->o->name, 76, name));
    printf(" (%s, %s motion", f->o->format, f->motion);
    if (f->o->frames > 1) {
        printf(", %zu frames; the following is about the first", f->o->frames);
    }
    printf(")\n");
    print_count("vertices", m->vertices, "");
    print_count("triangles", m->triangles, "");
    if (f->o->face_count != f->o->triangle_count) {
        print_count("  from faces", f->o->face_count, "polygons are cut into triangles");
    }
    if (f->fields != 0) {
        print_count("morph targets", f->fields, "fields of displacements");
    }
    if (f->nodes != 0) {
        print_count("nodes", f->nodes, "that vertices follow");
    }
    print_count("vertex classes", m->classes, "vertices at the same place count as one");
    print_count("components", m->components, "");
    print_count("boundary edges", m->boundary_edges, "used by one triangle");
    print_count("non-manifold edges", m->nonmanifold_edges, "used by three or more");
    print_count("inconsistent edges", m->inconsistent_edges, "used twice in the same direction");
    print_count("degenerate triangles", m->degenerate_triangles, "without area");
    print_count("duplicate triangles", m->duplicate_triangles, "with the corners of another");
    print_count("unreferenced vertices", m->unreferenced_vertices, "used by no triangle");
    print_animations(f->o);
    printf("  box: %.6g %.6g %.6g to %.6g %.6g %.6g\n", f->box.lo[0], f->box.lo[1], f->box.lo[2],
           f->box.hi[0], f->box.hi[1], f->box.hi[2]);
    print_tree(&f->tree);
    printf("  The surface is %s.\n", verdict(m));
}

static json_t* tree_json(const abut_tree_info* t) {
    json_t* json = json_object();
    json_object_set_new(json, "nodes", json_count(t->nodes));
    json_object_set_new(json, "blocks", json_count(t->blocks));
    json_object_set_new(json, "depth", json_count(t->depth));
    json_object_set_new(json, "triangles_per_block", json_real(t->triangles_per_block));
    json_object_set_new(json, "sah_cost", json_real(t->sah_cost));
    json_object_set_new(json, "overlap", json_real(t->overlap));
    return json;
}

static json_t* animations_json(const object* o) {
    json_t* list = json_array();
    for (size_t i = 0; i < o->clip_count; ++i) {
        json_t* json = json_object();
        json_object_set_new(json, "name", json_text(o->clips[i].name));
        json_object_set_new(json, "seconds", json_real(o->clips[i].duration));
        json_object_set_new(json, "frames", json_count(o->clips[i].frame_count));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t* facts_json(const facts* f) {
    const abut_mesh_info* m = &f->mesh;
    json_t* json = json_object();
    json_object_set_new(json, "name", json_text(f->o->name));
    json_object_set_new(json, "format", json_text(f->o->format));
    json_object_set_new(json, "motion", json_text(f->motion));
    json_object_set_new(json, "frames", json_count(f->o->frames));
    json_object_set_new(json, "vertices", json_count(m->vertices));
    json_object_set_new(json, "triangles", json_count(m->triangles));
    if (f->fields != 0) {
        json_object_set_new(json, "fields", json_count(f->fields));
    }
    if (f->nodes != 0) {
        json_object_set_new(json, "nodes", json_count(f->nodes));
    }
    if (f->o->clip_count != 0) {
        json_object_set_new(json, "animations", animations_json(f->o));
    }
    json_object_set_new(json, "faces", json_count(f->o->face_count));
    json_object_set_new(json, "classes", json_count(m->classes));
    json_object_set_new(json, "box",
                        json_pack("{s: o, s: o}", "lo", json_vector(f->box.lo), "hi",
                                  json_vector(f->box.hi)));
    json_object_set_new(json, "components", json_count(m->components));
    json_object_set_new(json, "boundary_edges", json_count(m->boundary_edges));
    json_object_set_new(json, "nonmanifold_edges", json_count(m->nonmanifold_edges));
    json_object_set_new(json, "inconsistent_edges", json_count(m->inconsistent_edges));
    json_object_set_new(json, "degenerate_triangles", json_count(m->degenerate_triangles));
    json_object_set_new(json, "duplicate_triangles", json_count(m->duplicate_triangles));
    json_object_set_new(json, "unreferenced_vertices", json_count(m->unreferenced_vertices));
    json_object_set_new(json, "tree", tree_json(&f->tree));
    return json;
}

// the box of a body's triangles in the current state, in world coordinates
static abut_box world_box(const world* w, uint32_t body) {
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(w->scene, w->bodies[body]));
    const uint32_t* corners = abut_mesh_triangles(mesh);
    bool* seen = allocate(abut_mesh_vertex_count(mesh), sizeof *seen);
    abut_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < 3 * (size_t)abut_mesh_triangle_count(mesh); ++i) {
        double p[3];
        if (corners[i] == UINT32_MAX || seen[corners[i]]) {  // removed, or seen before
            continue;
        }
        seen[corners[i]] = true;
        abut_body_world_vertex(w->scene, w->bodies[body], corners[i], p, NULL);
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = p[d] < box.lo[d] ? p[d] : box.lo[d];
            box.hi[d] = p[d] > box.hi[d] ? p[d] : box.hi[d];
        }
    }
    free(seen);
    return box;
}

static bool describe(const object* o, const world* w, json_output* json, bool first) {
    const abut_shape* shape = abut_body_shape(w->scene, w->bodies[o->body]);
    facts f = {.o = o,
               .motion = motion_name(abut_shape_motion(shape)),
               .fields = abut_shape_field_count(shape),
               .nodes = abut_shape_node_count(shape)};
    progress bar = progress_begin_on("inspecting", o->name);
    const bool inspected = world_inspect(w, o->body, o->name, &f.mesh, &f.tree);
    progress_end(&bar);
    if (!inspected) {
        return false;
    }
    f.box = world_box(w, o->body);
    if (json->file != NULL) {
        json_add(json, NULL, facts_json(&f));
    }
    if (!json_takes_stdout(json)) {
        printf("%s", first ? "" : "\n");
        print_facts(&f);
    }
    return true;
}

static int work(const arguments* given, object_list* objects, world* w, json_output* json) {
    if (given->plain_count == 0) {
        return complain(
            "info needs an object: a file, a folder, or a quoted pattern such as "
            "'cloth_*.obj'");
    }
    const char* animation = given->values[ANIMATION].text;
    const io_model_settings settings = {animation != NULL ? animation : "all",
                                        chosen_fps(&given->values[FPS])};
    if (settings.fps == 0 || !objects_find(objects, given->plain, given->plain_count, &settings) ||
        !json_claim(given->values[JSON].text) || !world_open(w, 1) ||
        !objects_show(objects, w, 0) || !json_open(json, given->values[JSON].text)) {
        return EXIT_FAILED;
    }
    json_begin(json);
    json_add(json, "abut", json_text(ABUT_VERSION_STRING));
    json_begin_list(json, "objects");
    for (size_t i = 0; i < objects->count; ++i) {
        if (!describe(&objects->objects[i], w, json, i == 0)) {
            return EXIT_FAILED;
        }
    }
    json_end_list(json);
    return json_close(json) ? EXIT_NOTHING : EXIT_FAILED;
}

static int run(const arguments* given) {
    object_list objects = {0};
    world w = {0};
    json_output json = {0};
    const int code = work(given, &objects, &w, &json);
    json_drop(&json);  // no-op after success
    world_close(&w);
    objects_free(&objects);
    return code;
}

const command info_command = {
    .name = "info",
    .summary = "print what is in a mesh: sizes, defects, search tree",
    .usage = "info OBJECT... [options]",
    .about = OBJECT_HELP
    "\n"
    "The numbers are those of the first frame of a sequence, or of the mesh of a model at rest.\n"
    "The box is that of the first frame, in world coordinates: with the transforms of the nodes\n"
    "of a model. A defect is not an error: any set of triangles can be checked.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut info shirt.obj\n"
        "abut info 'cloth_*.ply' ball.obj --json -",
    .exits = "0 done, 2 a file could not be read",
    .run = run,
};
