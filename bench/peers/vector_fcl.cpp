// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration by FCL: contacts of two meshes, each with a normal and a depth.
#include "peers/vector.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/utility.h>
#include <fcl/narrowphase/collision.h>

#include <memory>
#include <vector>

namespace {

std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> model_of(const vector_mesh* mesh) {
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        points.emplace_back(mesh->xyz[3 * v], mesh->xyz[3 * v + 1], mesh->xyz[3 * v + 2]);
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * t;
        triangles.emplace_back(c[0], c[1], c[2]);
    }
    auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    model->beginModel();
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
}

}  // namespace

extern "C" bool vector_fcl(const vector_mesh* a, const vector_mesh* b, double out[3]) {
    const fcl::CollisionObjectd first(model_of(a));
    const fcl::CollisionObjectd second(model_of(b));
    const fcl::CollisionRequestd request(100000, true);
    fcl::CollisionResultd result;
    fcl::collide(&first, &second, request, result);
    double deepest = 0;
    for (size_t i = 0; i < result.numContacts(); ++i) {
        const fcl::Contactd& c = result.getContact(i);
        if (c.penetration_depth > deepest) {  // the normal points from the first to the second
            deepest = c.penetration_depth;
            for (int d = 0; d < 3; ++d) {
                out[d] = -c.normal[d] * deepest;
            }
        }
    }
    return deepest > 0;
}
