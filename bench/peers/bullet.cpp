// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bullet: its dynamic tree (btDbvt) with one leaf per triangle, updated leaf by leaf; and the
// quantized tree of GImpact, rebuilt each frame, or refitted, which loses pairs because it keeps
// the range of its 16-bit boxes from the build. Both only find boxes; the test of triangles is ours
// (tritri.h).
#include "peers/corners.h"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <BulletCollision/Gimpact/btGImpactQuantizedBvh.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace {

// Receives the pairs of leaves from both trees.
struct Sink {
    const corners* a;
    const corners* b;
    uint32_t body_a;
    uint32_t body_b;
    peer_pairs* out;

    void take(int i, int k) const {
        const bool within = body_a == body_b;
        if (within && i >= k) {
            std::swap(i, k);
        }
        const uint32_t p = static_cast<uint32_t>(i);
        const uint32_t q = static_cast<uint32_t>(k);
        if (within && (p == q || peer_neighbours(a->mesh, p, q))) {
            return;
        }
        if (corners_touch(a, p, b, q)) {
            peer_add(out, body_a, p, body_b, q);
        }
    }
};

class DynamicTree {
   public:
    explicit DynamicTree(const corners* at) : at_(at), leaves_(at->mesh->triangle_count) {
        for (size_t i = 0; i < leaves_.size(); ++i) {
            leaves_[i] = tree_.insert(volume(i), nullptr);
            leaves_[i]->dataAsInt = static_cast<int>(i);
        }
        tree_.optimizeTopDown();
    }

    void update() {
        for (size_t i = 0; i < leaves_.size(); ++i) {
            btDbvtVolume box = volume(i);
            tree_.update(leaves_[i], box);
        }
    }

    static void ask(DynamicTree& a, DynamicTree& b, const Sink& sink) {
        Policy policy;
        policy.sink = &sink;
        a.tree_.collideTTpersistentStack(a.tree_.m_root, b.tree_.m_root, policy);
    }

   private:
    struct Policy : btDbvt::ICollide {
        const Sink* sink = nullptr;
        using btDbvt::ICollide::Process;
        void Process(const btDbvtNode* a, const btDbvtNode* b) override {
            sink->take(a->dataAsInt, b->dataAsInt);
        }
    };

    btDbvtVolume volume(size_t i) const {
        float lo[3];
        float hi[3];
        corners_box(at_, static_cast<uint32_t>(i), lo, hi);
        return btDbvtVolume::FromMM(btVector3(lo[0], lo[1], lo[2]), btVector3(hi[0], hi[1], hi[2]));
    }

    const corners* at_;
    btDbvt tree_;
    std::vector<btDbvtNode*> leaves_;
};

class Boxes : public btPrimitiveManagerBase {
   public:
    explicit Boxes(const corners* at) : at_(at) {
    }
    bool is_trimesh() const override {
        return true;
    }
    int get_primitive_count() const override {
        return static_cast<int>(at_->mesh->triangle_count);
    }
    void get_primitive_box(int i, btAABB& box) const override {
        float lo[3];
        float hi[3];
        corners_box(at_, static_cast<uint32_t>(i), lo, hi);
        box.m_min.setValue(lo[0], lo[1], lo[2]);
        box.m_max.setValue(hi[0], hi[1], hi[2]);
    }
    void get_primitive_triangle(int, btPrimitiveTriangle&) const override {
    }

   private:
    const corners* at_;
};

template <bool REFIT>
class QuantizedTree {
   public:
    explicit QuantizedTree(const corners* at) : boxes_(at), tree_(&boxes_) {
        tree_.buildSet();
    }

    void update() {
        if (REFIT) {
            tree_.update();
        } else {
            tree_.buildSet();
        }
    }

    static void ask(QuantizedTree& a, QuantizedTree& b, const Sink& sink) {
        btPairSet found;
        const btTransform identity = btTransform::getIdentity();
        btGImpactQuantizedBvh::find_collision(&a.tree_, identity, &b.tree_, identity, found);
        const bool within = &a == &b;
        for (int i = 0; i < found.size(); ++i) {
            if (!within || found[i].m_index1 < found[i].m_index2) {  // it reports both orders
                sink.take(found[i].m_index1, found[i].m_index2);
            }
        }
    }

   private:
    Boxes boxes_;
    btGImpactQuantizedBvh tree_;
};

template <typename Tree>
struct Peer {
    struct Body {
        corners at;
        std::unique_ptr<Tree> tree;
        double box[6];
    };
    std::vector<Body> bodies;

    static void find_box(Body& body) {
        const float* xyz = body.at.xyz;
        for (int i = 0; i < 6; ++i) {
            body.box[i] = xyz[i % 3];
        }
        for (size_t i = 0; i < 3 * size_t(body.at.mesh->vertex_count); ++i) {
            body.box[i % 3] = std::min(body.box[i % 3], double(xyz[i]));
            body.box[i % 3 + 3] = std::max(body.box[i % 3 + 3], double(xyz[i]));
        }
    }

    static void* create(const peer_mesh* meshes, uint32_t count) {
        auto* peer = new Peer;
        peer->bodies.resize(count);  // trees point to its elements
        for (uint32_t i = 0; i < count; ++i) {
            Body& body = peer->bodies[i];
            body.at = corners{&meshes[i], meshes[i].rest};
            body.tree = std::make_unique<Tree>(&body.at);
            find_box(body);
        }
        return peer;
    }

    static void destroy(void* peer) {
        delete static_cast<Peer*>(peer);
    }

    static void update(void* peer, const float* const* xyz) {
        auto& bodies = static_cast<Peer*>(peer)->bodies;
        for (size_t i = 0; i < bodies.size(); ++i) {
            if (bodies[i].at.mesh->moves) {
                bodies[i].at.xyz = xyz[i];
                bodies[i].tree->update();
                find_box(bodies[i]);
            }
        }
    }

    void ask(uint32_t a, uint32_t b, peer_pairs* out) {
        Tree::ask(*bodies[a].tree, *bodies[b].tree, Sink{&bodies[a].at, &bodies[b].at, a, b, out});
    }

    static void collide(void* peer, peer_pairs* out) {
        auto* p = static_cast<Peer*>(peer);
        const uint32_t count = static_cast<uint32_t>(p->bodies.size());
        for (uint32_t i = 0; i < count; ++i) {
            for (uint32_t k = i + 1; k < count; ++k) {
                if (peer_boxes_touch(p->bodies[i].box, p->bodies[k].box)) {
                    p->ask(i, k, out);
                }
            }
        }
    }

    static void self(void* peer, peer_pairs* out) {
        static_cast<Peer*>(peer)->ask(0, 0, out);
    }

    static void box(void* peer, double lo_hi[6]) {
        std::copy_n(static_cast<Peer*>(peer)->bodies[0].box, 6, lo_hi);
    }

    static peer_kind kind(const char* name) {
        return {name, create, destroy, update, collide, self, nullptr, box, nullptr};
    }
};

}  // namespace

extern "C" {
extern const peer_kind peer_bullet_dbvt;
extern const peer_kind peer_bullet_gimpact;
extern const peer_kind peer_bullet_gimpact_refit;
const peer_kind peer_bullet_dbvt = Peer<DynamicTree>::kind("Bullet btDbvt");
const peer_kind peer_bullet_gimpact = Peer<QuantizedTree<false>>::kind("Bullet GImpact rebuild");
const peer_kind peer_bullet_gimpact_refit = Peer<QuantizedTree<true>>::kind("Bullet GImpact refit");
}
