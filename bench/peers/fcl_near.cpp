// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// FCL's distances of meshes: with boxes along the axes, refitted bottom-up, as it does by default;
// and with its volume RSS, rebuilt, or refitted from the top, which gives correct distances, too.
// Refitted bottom-up, RSS give wrong ones. Many bodies go through its dynamic tree of boxes. Two
// rigid meshes are also tested for triangles that touch.
#include "near.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace {

using Vector = fcl::Vector3d;

enum class Way { Rebuild, RefitTop, RefitBottom };

template <typename BV>
struct Body {
    using Model = fcl::BVHModel<BV>;
    const near_mesh* mesh = nullptr;
    std::shared_ptr<Model> model;
    std::unique_ptr<fcl::CollisionObjectd> object;  // null: absent
    std::vector<Vector> points;

    void load(const double* xyz) {
        points.resize(mesh->vertex_count);
        for (size_t v = 0; v < points.size(); ++v) {
            points[v] = Vector(xyz[3 * v], xyz[3 * v + 1], xyz[3 * v + 2]);
        }
    }

    void build(const double* xyz) {
        load(xyz);
        std::vector<fcl::Triangle> triangles(mesh->triangle_count);
        for (size_t t = 0; t < triangles.size(); ++t) {
            const uint32_t* v = mesh->triangles + 3 * t;
            triangles[t].set(v[0], v[1], v[2]);
        }
        model = std::make_shared<Model>();
        model->beginModel();
        model->addSubModel(points, triangles);
        model->endModel();
        model->computeLocalAABB();
        object = std::make_unique<fcl::CollisionObjectd>(model);
        object->setUserData(const_cast<near_mesh*>(mesh));
    }

    void move(const double* xyz, Way way) {
        load(xyz);
        model->beginReplaceModel();
        model->replaceSubModel(points);
        model->endReplaceModel(way != Way::Rebuild, way == Way::RefitBottom);
        model->computeLocalAABB();
        object->computeAABB();
    }
};

double distance_of(const fcl::CollisionObjectd* a, const fcl::CollisionObjectd* b) {
    fcl::DistanceRequestd request(false);
    fcl::DistanceResultd result;
    return std::max(0.0, fcl::distance(a, b, request, result));
}

struct Search {
    const fcl::CollisionObjectd* own;
    double least;
};

bool moves(const fcl::CollisionObjectd* object) {
    return static_cast<const near_mesh*>(object->getUserData())->moves;
}

// Two bodies that do not move are not tested with each other.
bool look(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data, double& dist) {
    auto* search = static_cast<Search*>(data);
    if (a != b && (moves(a) || moves(b))) {
        search->least = std::min(search->least, distance_of(a, b));
    }
    dist = search->least;
    return dist <= 0;
}

template <typename BV, Way way>
struct Peer {
    std::vector<Body<BV>> bodies;
    fcl::DynamicAABBTreeCollisionManagerd manager;

    static void* create(const near_mesh* meshes, uint32_t count) {
        auto* peer = new Peer;
        peer->bodies.resize(count);
        for (uint32_t i = 0; i < count; ++i) {
            peer->bodies[i].mesh = &meshes[i];
        }
        return peer;
    }

    static void destroy(void* peer) {
        delete static_cast<Peer*>(peer);
    }

    static void update(void* peer, const double* const* xyz, const bool* there) {
        auto* p = static_cast<Peer*>(peer);
        for (size_t i = 0; i < p->bodies.size(); ++i) {
            Body<BV>& body = p->bodies[i];
            if (!there[i]) {
                if (body.object) {
                    p->manager.unregisterObject(body.object.get());
                    body.object.reset();
                }
            } else if (!body.object) {
                body.build(xyz[i] != nullptr ? xyz[i] : body.mesh->rest);
                p->manager.registerObject(body.object.get());
            } else if (xyz[i] != nullptr) {
                body.move(xyz[i], way);
            }
        }
        p->manager.setup();
        p->manager.update();
    }

    static bool can(near_question question) {
        return question == NEAR_PAIR || question == NEAR_BODIES;
    }

    static void ask(void* peer, near_question question, double* distances) {
        auto* p = static_cast<Peer*>(peer);
        if (question == NEAR_PAIR) {
            *distances = distance_of(p->bodies[0].object.get(), p->bodies[1].object.get());
            return;
        }
        for (size_t i = 0; i < p->bodies.size(); ++i) {
            Search search = {p->bodies[i].object.get(), std::numeric_limits<double>::infinity()};
            if (search.own != nullptr) {
                p->manager.distance(p->bodies[i].object.get(), &search, look);
            }
            distances[i] = search.least;
        }
    }

    static near_kind kind(const char* name) {
        return {name, create, destroy, update, can, ask, nullptr, nullptr, nullptr, nullptr};
    }
};

fcl::Transform3d transform_of(const double frame[12]) {
    fcl::Transform3d t = fcl::Transform3d::Identity();
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            t(r, c) = frame[4 * r + c];
        }
    }
    return t;
}

struct Rigid {
    fcl::CollisionResultd touches;  // cleared by each query, which preserves its memory

    virtual double ask(const double frames[2][12]) = 0;
    virtual size_t collide(const double frames[2][12]) = 0;
    virtual ~Rigid() = default;
};

template <typename BV>
struct RigidOf : Rigid {
    Body<BV> bodies[2];

    explicit RigidOf(const near_mesh* meshes) {
        for (int i = 0; i < 2; ++i) {
            bodies[i].mesh = &meshes[i];
            bodies[i].build(meshes[i].rest);
        }
    }

    void place(const double frames[2][12]) {
        for (int i = 0; i < 2; ++i) {
            bodies[i].object->setTransform(transform_of(frames[i]));
        }
    }

    double ask(const double frames[2][12]) override {
        place(frames);
        return distance_of(bodies[0].object.get(), bodies[1].object.get());
    }

    // All pairs, without points of contact, which cost more.
    size_t collide(const double frames[2][12]) override {
        place(frames);
        touches.clear();
        const fcl::CollisionRequestd request(std::numeric_limits<size_t>::max(), false);
        return fcl::collide(bodies[0].object.get(), bodies[1].object.get(), request, touches);
    }
};

}  // namespace

extern "C" {
void* near_fcl_rigid_create(const near_mesh* meshes, near_volume volume);
double near_fcl_rigid_ask(void* rigid, const double frames[2][12]);
size_t near_fcl_rigid_collide(void* rigid, const double frames[2][12]);
void near_fcl_rigid_pairs(const void* rigid, uint32_t (*pairs)[2]);
void near_fcl_rigid_destroy(void* rigid);

void* near_fcl_rigid_create(const near_mesh* meshes, near_volume volume) {
    Rigid* rigid = nullptr;
    if (volume == NEAR_RSS) {
        rigid = new RigidOf<fcl::RSSd>(meshes);
    } else {
        rigid = new RigidOf<fcl::OBBRSSd>(meshes);
    }
    return rigid;
}

double near_fcl_rigid_ask(void* rigid, const double frames[2][12]) {
    return static_cast<Rigid*>(rigid)->ask(frames);
}

size_t near_fcl_rigid_collide(void* rigid, const double frames[2][12]) {
    return static_cast<Rigid*>(rigid)->collide(frames);
}

void near_fcl_rigid_pairs(const void* rigid, uint32_t (*pairs)[2]) {
    const fcl::CollisionResultd& touches = static_cast<const Rigid*>(rigid)->touches;
    for (size_t i = 0; i < touches.numContacts(); ++i) {
        const fcl::Contactd& touch = touches.getContact(i);
        pairs[i][0] = static_cast<uint32_t>(touch.b1);
        pairs[i][1] = static_cast<uint32_t>(touch.b2);
    }
}

void near_fcl_rigid_destroy(void* rigid) {
    delete static_cast<Rigid*>(rigid);
}

extern const near_kind near_fcl_boxes;
extern const near_kind near_fcl_rebuild;
extern const near_kind near_fcl_refit;
extern const near_kind near_fcl_default;
const near_kind near_fcl_boxes = Peer<fcl::AABBd, Way::RefitBottom>::kind("FCL AABB refit");
const near_kind near_fcl_rebuild = Peer<fcl::RSSd, Way::Rebuild>::kind("FCL RSS rebuild");
const near_kind near_fcl_refit = Peer<fcl::RSSd, Way::RefitTop>::kind("FCL RSS refit from the top");
const near_kind near_fcl_default = Peer<fcl::RSSd, Way::RefitBottom>::kind(
    "FCL RSS refit, its default");
}
