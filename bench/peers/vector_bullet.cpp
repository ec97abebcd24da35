// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration by Bullet: contacts of two GImpact meshes, each with a normal and a distance below 0.
#include "peers/vector.h"

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>

#include <memory>

namespace {

struct Body {
    btTriangleMesh mesh;
    std::unique_ptr<btGImpactMeshShape> shape;
    btCollisionObject object;

    explicit Body(const vector_mesh* from) {
        for (size_t t = 0; t < from->triangle_count; ++t) {
            btVector3 p[3];
            for (size_t c = 0; c < 3; ++c) {
                const double* x = from->xyz + 3 * static_cast<size_t>(from->triangles[3 * t + c]);
                p[c].setValue(static_cast<btScalar>(x[0]), static_cast<btScalar>(x[1]),
                              static_cast<btScalar>(x[2]));
            }
            mesh.addTriangle(p[0], p[1], p[2]);
        }
        shape = std::make_unique<btGImpactMeshShape>(&mesh);
        shape->setMargin(0);
        shape->updateBound();
        object.setCollisionShape(shape.get());
        object.setWorldTransform(btTransform::getIdentity());
    }
};

struct Deepest : btCollisionWorld::ContactResultCallback {
    double depth = 0;
    double* out;

    explicit Deepest(double* place) : out(place) {
    }

    btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int,
                             const btCollisionObjectWrapper*, int, int) override {
        const double now = -static_cast<double>(point.getDistance());
        if (now > depth) {  // the normal points out of the second
            depth = now;
            for (int d = 0; d < 3; ++d) {
                out[d] = static_cast<double>(point.m_normalWorldOnB[d]) * now;
            }
        }
        return 0;
    }
};

}  // namespace

extern "C" bool vector_bullet(const vector_mesh* a, const vector_mesh* b, double out[3]) {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
    btDbvtBroadphase broadphase;
    btCollisionWorld world(&dispatcher, &broadphase, &configuration);
    Body first(a);
    Body second(b);
    Deepest deepest(out);
    world.contactPairTest(&first.object, &second.object, deepest);
    return deepest.depth > 0;
}
