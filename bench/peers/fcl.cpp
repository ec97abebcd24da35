// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// FCL: boxes along the axes, refitted by replaceModel(); and its usual volume OBBRSS, refitted
// bottom-up as it does by default, which loses pairs. Both use FCL's own triangle test, in double.
// Its traversal is subclassed, because it can neither skip neighbours nor return all pairs.
#include "peers/peer.h"

#include <fcl/math/bv/utility.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace {

using Vector = fcl::Vector3d;

template <typename BV>
struct Body {
    const peer_mesh* mesh = nullptr;
    fcl::BVHModel<BV> model;
    std::vector<Vector> points;
    double box[6];

    void load(const float* xyz) {
        points.resize(mesh->vertex_count);
        for (int i = 0; i < 3; ++i) {
            box[i] = box[i + 3] = xyz[i];
        }
        for (size_t v = 0; v < points.size(); ++v) {
            for (int i = 0; i < 3; ++i) {
                const double x = xyz[3 * v + static_cast<size_t>(i)];
                points[v][i] = x;
                box[i] = std::min(box[i], x);
                box[i + 3] = std::max(box[i + 3], x);
            }
        }
    }

    void build(const peer_mesh* from) {
        mesh = from;
        load(mesh->rest);
        std::vector<fcl::Triangle> triangles(mesh->triangle_count);
        for (size_t t = 0; t < triangles.size(); ++t) {
            const uint32_t* v = mesh->triangles + 3 * t;
            triangles[t].set(v[0], v[1], v[2]);
        }
        model.beginModel();
        model.addSubModel(points, triangles);
        model.endModel();
    }

    void refit(const float* xyz) {
        load(xyz);
        model.beginReplaceModel();
        model.replaceSubModel(points);
        model.endReplaceModel(true, true);
    }
};

// The traversal of FCL with leaves that collect pairs.
template <typename Base>
struct Traversal : Base {
    peer_pairs* out = nullptr;
    uint32_t a = 0;
    uint32_t b = 0;
    const peer_mesh* within = nullptr;  // set in a query within one body

    void leafTesting(int left, int right) const override {
        const int i = this->model1->getBV(left).primitiveId();
        const int k = this->model2->getBV(right).primitiveId();
        const uint32_t p = static_cast<uint32_t>(within != nullptr ? std::min(i, k) : i);
        const uint32_t q = static_cast<uint32_t>(within != nullptr ? std::max(i, k) : k);
        if (within != nullptr && peer_neighbours(within, p, q)) {
            return;
        }
        const fcl::Triangle& s = this->tri_indices1[p];
        const fcl::Triangle& t = this->tri_indices2[q];
        if (fcl::detail::Intersect<double>::intersect_Triangle(
                this->vertices1[s[0]], this->vertices1[s[1]], this->vertices1[s[2]],
                this->vertices2[t[0]], this->vertices2[t[1]], this->vertices2[t[2]])) {
            peer_add(out, a, p, b, q);
        }
    }

    bool canStop() const override {
        return false;
    }
};

using BoxNode = Traversal<fcl::detail::MeshCollisionTraversalNode<fcl::AABBd>>;
using OrientedNode = Traversal<fcl::detail::MeshCollisionTraversalNodeOBBRSSd>;

void prepare(BoxNode& node, Body<fcl::AABBd>& a, Body<fcl::AABBd>& b,
             const fcl::CollisionRequestd& request, fcl::CollisionResultd& result) {
    fcl::Transform3d s = fcl::Transform3d::Identity();
    fcl::Transform3d t = fcl::Transform3d::Identity();
    fcl::detail::initialize(node, a.model, s, b.model, t, request, result);
}

void prepare(OrientedNode& node, Body<fcl::OBBRSSd>& a, Body<fcl::OBBRSSd>& b,
             const fcl::CollisionRequestd& request, fcl::CollisionResultd& result) {
    const fcl::Transform3d identity = fcl::Transform3d::Identity();
    fcl::detail::initialize(node, a.model, identity, b.model, identity, request, result);
}

template <typename BV, typename Node>
struct Peer {
    std::vector<std::unique_ptr<Body<BV>>> bodies;

    static void* create(const peer_mesh* meshes, uint32_t count) {
        auto* peer = new Peer;
        for (uint32_t i = 0; i < count; ++i) {
            peer->bodies.push_back(std::make_unique<Body<BV>>());
            peer->bodies.back()->build(&meshes[i]);
        }
        return peer;
    }

    static void destroy(void* peer) {
        delete static_cast<Peer*>(peer);
    }

    static void update(void* peer, const float* const* xyz) {
        auto& bodies = static_cast<Peer*>(peer)->bodies;
        for (size_t i = 0; i < bodies.size(); ++i) {
            if (bodies[i]->mesh->moves) {
                bodies[i]->refit(xyz[i]);
            }
        }
    }

    void ask(uint32_t a, uint32_t b, peer_pairs* out) {
        const fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        Node node;
        prepare(node, *bodies[a], *bodies[b], request, result);
        node.out = out;
        node.a = a;
        node.b = b;
        if (a == b) {
            node.within = bodies[a]->mesh;
            fcl::detail::selfCollide<double>(&node);
        } else {
            fcl::detail::collide<double>(&node);
        }
    }

    static void collide(void* peer, peer_pairs* out) {
        auto* p = static_cast<Peer*>(peer);
        const uint32_t count = static_cast<uint32_t>(p->bodies.size());
        for (uint32_t i = 0; i < count; ++i) {
            for (uint32_t k = i + 1; k < count; ++k) {
                if (peer_boxes_touch(p->bodies[i]->box, p->bodies[k]->box)) {
                    p->ask(i, k, out);
                }
            }
        }
    }

    static void self(void* peer, peer_pairs* out) {
        static_cast<Peer*>(peer)->ask(0, 0, out);
    }

    static void box(void* peer, double lo_hi[6]) {
        std::copy_n(static_cast<Peer*>(peer)->bodies[0]->box, 6, lo_hi);
    }

    static peer_kind kind(const char* name) {
        return {name, create, destroy, update, collide, self, nullptr, box, nullptr};
    }
};

}  // namespace

extern "C" {
extern const peer_kind peer_fcl_aabb;
extern const peer_kind peer_fcl_obbrss;
const peer_kind peer_fcl_aabb = Peer<fcl::AABBd, BoxNode>::kind("FCL AABB refit");
const peer_kind peer_fcl_obbrss = Peer<fcl::OBBRSSd, OrientedNode>::kind("FCL OBBRSS refit");
}
