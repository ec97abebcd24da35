// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// CGAL: box_intersection_d, a sweep without a tree that could be reused, and its exact triangle
// test. Between two bodies, and within one.
#include "peers/peer.h"

#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/intersections.h>

#include <vector>

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Triangle = Kernel::Triangle_3;
using Point = Kernel::Point_3;
using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, uint32_t>;

struct Body {
    const peer_mesh* mesh = nullptr;
    std::vector<Triangle> triangles;

    void load(const float* xyz) {
        triangles.clear();
        for (size_t t = 0; t < mesh->triangle_count; ++t) {
            Point corner[3];
            for (size_t i = 0; i < 3; ++i) {
                const float* p = xyz + 3 * static_cast<size_t>(mesh->triangles[3 * t + i]);
                corner[i] = Point(p[0], p[1], p[2]);
            }
            triangles.emplace_back(corner[0], corner[1], corner[2]);
        }
    }

    // Copied for each query, because the sweep reorders them.
    std::vector<Box> boxes() const {
        std::vector<Box> all;
        all.reserve(triangles.size());
        for (size_t t = 0; t < triangles.size(); ++t) {
            all.emplace_back(triangles[t].bbox(), static_cast<uint32_t>(t));
        }
        return all;
    }
};

struct Peer {
    std::vector<Body> bodies;
};

void* create(const peer_mesh* meshes, uint32_t count) {
    auto* peer = new Peer;
    peer->bodies.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
        peer->bodies[i].mesh = &meshes[i];
        peer->bodies[i].load(meshes[i].rest);
    }
    return peer;
}

void destroy(void* peer) {
    delete static_cast<Peer*>(peer);
}

void update(void* peer, const float* const* xyz) {
    auto& bodies = static_cast<Peer*>(peer)->bodies;
    for (size_t i = 0; i < bodies.size(); ++i) {
        if (bodies[i].mesh->moves) {
            bodies[i].load(xyz[i]);
        }
    }
}

void ask(const Peer* peer, uint32_t a, uint32_t b, peer_pairs* out) {
    const Body& left = peer->bodies[a];
    const Body& right = peer->bodies[b];
    std::vector<Box> p = left.boxes();
    std::vector<Box> q = right.boxes();
    CGAL::box_intersection_d(
        p.begin(), p.end(), q.begin(), q.end(), [&](const Box& i, const Box& k) {
            if (CGAL::do_intersect(left.triangles[i.info()], right.triangles[k.info()])) {
                peer_add(out, a, i.info(), b, k.info());
            }
        });
}

void collide(void* peer, peer_pairs* out) {
    const auto* p = static_cast<const Peer*>(peer);
    for (uint32_t i = 0; i < p->bodies.size(); ++i) {
        for (uint32_t k = i + 1; k < p->bodies.size(); ++k) {
            ask(p, i, k, out);
        }
    }
}

void self(void* peer, peer_pairs* out) {
    const Body& body = static_cast<const Peer*>(peer)->bodies[0];
    std::vector<Box> boxes = body.boxes();
    CGAL::box_self_intersection_d(boxes.begin(), boxes.end(), [&](const Box& i, const Box& k) {
        const uint32_t p = std::min(i.info(), k.info());
        const uint32_t q = std::max(i.info(), k.info());
        if (!peer_neighbours(body.mesh, p, q) &&
            CGAL::do_intersect(body.triangles[p], body.triangles[q])) {
            peer_add(out, 0, p, 0, q);
        }
    });
}

}  // namespace

extern "C" {
extern const peer_kind peer_cgal_box;
const peer_kind peer_cgal_box = {"CGAL boxes", create,  destroy, update, collide,
                                 self,         nullptr, nullptr, nullptr};
}
