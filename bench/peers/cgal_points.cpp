// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// CGAL's AABB tree for closest points, and its side of a closed mesh: see points.h.
#include "peers/points.h"

#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>

#include <cmath>
#include <memory>
#include <vector>

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Mesh = CGAL::Surface_mesh<Point>;
using Primitive = CGAL::AABB_face_graph_triangle_primitive<Mesh>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;
using Side = CGAL::Side_of_triangle_mesh<Mesh, Kernel>;

struct Points {
    Mesh mesh;
    std::unique_ptr<Tree> tree;
    std::unique_ptr<Side> side;
};

}  // namespace

extern "C" {

void* points_cgal_create(const double* xyz, uint32_t vertices, const uint32_t* triangles,
                         uint32_t count) {
    auto* made = new Points;
    std::vector<Mesh::Vertex_index> at;
    for (size_t i = 0; i < vertices; ++i) {
        at.push_back(made->mesh.add_vertex(Point(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2])));
    }
    for (size_t t = 0; t < count; ++t) {
        made->mesh.add_face(at[triangles[3 * t]], at[triangles[3 * t + 1]],
                            at[triangles[3 * t + 2]]);
    }
    made->tree = std::make_unique<Tree>(faces(made->mesh).first, faces(made->mesh).second,
                                        made->mesh);
    made->tree->build();
    made->tree->accelerate_distance_queries();
    made->side = std::make_unique<Side>(made->mesh);
    return made;
}

void points_cgal_destroy(void* made) {
    delete static_cast<Points*>(made);
}

void points_cgal_each(void* made, const double* points, size_t count, double* distances) {
    const auto* p = static_cast<const Points*>(made);
    for (size_t i = 0; i < count; ++i) {
        const Point at(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
        distances[i] = std::sqrt(p->tree->squared_distance(at));
    }
}

void points_cgal_sides(void* made, const double* points, size_t count, signed char* sides) {
    const auto* p = static_cast<const Points*>(made);
    for (size_t i = 0; i < count; ++i) {
        const CGAL::Bounded_side side = (*p->side)(
            Point(points[3 * i], points[3 * i + 1], points[3 * i + 2]));
        sides[i] = side == CGAL::ON_BOUNDARY ? -1 : side == CGAL::ON_BOUNDED_SIDE ? 1 : 0;
    }
}
}
