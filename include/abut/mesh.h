// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Meshes: triangles over rest positions, checked once and immutable from then on. Any triangle soup
// is accepted, with open, non-manifold, duplicate and degenerate parts.
//
// Curves and particles. A triangle whose corners are vertices (i, j, j) is the segment from i to j,
// and (i, i, i) is the point i. All queries take them as such, beside triangles or alone: rods, hair,
// cables, particles. `segments` and `points` of abut_mesh_def make these triangles.
//
// Calls that take a `const abut_mesh*` and return a value need a mesh: NULL is not allowed.
#ifndef ABUT_MESH_H
#define ABUT_MESH_H

#include "types.h"

ABUT_EXTERN_C_BEGIN

/// How vertices get their class. Two triangles "share a vertex" when they share a class. Classes
/// never move or renumber anything: all ids stay the caller's.
typedef enum abut_class_rule {
    ABUT_CLASS_RULE_COMPUTED = 0,  ///< vertices with equal rest positions are one class
    ABUT_CLASS_RULE_GIVEN,         ///< by abut_mesh_def.classes
    ABUT_CLASS_RULE_NONE,          ///< every vertex is its own class
} abut_class_rule;

/// Settings of abut_mesh_create. Start from abut_mesh_def_default(), then change fields.
/// All arrays are copied.
typedef struct abut_mesh_def {
    abut_positions positions;    ///< rest positions; finite; at least one, below 2^30
    const uint32_t* triangles;   ///< three vertex indices a triangle
    size_t triangle_count;       ///< below 2^30, with segments and points; at least one of all [0]
    const uint32_t* segments;    ///< two vertex indices a segment; ids follow triangles [NULL]
    size_t segment_count;        ///< [0]
    const uint32_t* points;      ///< one vertex index a point; ids follow segments [NULL]
    size_t point_count;          ///< [0]
    abut_class_rule class_rule;  ///< [ABUT_CLASS_RULE_COMPUTED]
    const uint32_t* classes;     ///< ABUT_CLASS_RULE_GIVEN: one number a vertex, any values [NULL]
    const uint32_t* tags;        ///< one number a triangle, segment, point; NULL: all 0 [NULL]
    uint32_t cookie;             ///< set by the default-maker; do not touch
} abut_mesh_def;
ABUT_API abut_mesh_def abut_mesh_def_default(void);

/// Immutable; may be read by any number of threads. Shapes keep a mesh alive by themselves.
typedef struct abut_mesh abut_mesh;

/// Creates a mesh from checked copies of the arrays in `def`. Takes time and memory in proportion
/// to them. ABUT_ERR_INVALID_DATA: the error names the first vertex or triangle to blame.
ABUT_API abut_status abut_mesh_create(abut_context* context, const abut_mesh_def* def,
                                      abut_mesh** mesh, abut_error* error);
/// Releases the caller's reference to the mesh; NULL is fine.
ABUT_API void abut_mesh_destroy(abut_mesh* mesh);

/// Returns the number of vertices; their ids are below it.
ABUT_API uint32_t abut_mesh_vertex_count(const abut_mesh* mesh);
/// Returns the number of triangle ids. After an edit some of them may be dead (removed).
ABUT_API uint32_t abut_mesh_triangle_count(const abut_mesh* mesh);
/// Returns three vertex indices a triangle, in the order of ids; a dead triangle has UINT32_MAX.
ABUT_API const uint32_t* abut_mesh_triangles(const abut_mesh* mesh);
/// Returns the class of every vertex: the lowest vertex id of the class.
ABUT_API const uint32_t* abut_mesh_classes(const abut_mesh* mesh);
/// Returns the rest positions, tightly packed, in the type in which they were given.
ABUT_API abut_positions abut_mesh_rest_positions(const abut_mesh* mesh);

/// Counts about a mesh, in terms of classes (so that seams count as joined).
typedef struct abut_mesh_info {
    uint32_t vertices;
    uint32_t triangles;              ///< alive
    uint32_t classes;                ///< distinct classes that triangles use
    uint32_t unreferenced_vertices;  ///< used by no triangle
    uint32_t degenerate_triangles;   ///< of zero area at rest, exactly; with segments and points
    uint32_t duplicate_triangles;    ///< with the same three classes as an earlier one
    uint32_t components;             ///< connected over shared classes
    uint32_t boundary_edges;         ///< used by one triangle or segment
    uint32_t nonmanifold_edges;      ///< used by three or more
    uint32_t inconsistent_edges;     ///< used by two triangles in the same direction
    abut_box box;                    ///< of the vertices that triangles use
} abut_mesh_info;

/// Counts what a mesh has. Takes near-linear time, and memory for the edges while it runs.
ABUT_API abut_status abut_mesh_inspect(const abut_mesh* mesh, abut_mesh_info* info,
                                       abut_error* error);

ABUT_EXTERN_C_END

#endif
