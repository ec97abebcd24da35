// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A user's program in C++17: a triangle that touches one of two others, queried by a pool of threads.
#include <abut/abut.h>
#include <abut/threads.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

template <auto destroy>
struct destroyer {
    template <typename T>
    void operator()(T* object) const {
        destroy(object);
    }
};
using context_ptr = std::unique_ptr<abut_context, destroyer<abut_context_destroy>>;
using scene_ptr = std::unique_ptr<abut_scene, destroyer<abut_scene_destroy>>;
using mesh_ptr = std::unique_ptr<abut_mesh, destroyer<abut_mesh_destroy>>;
using shape_ptr = std::unique_ptr<abut_shape, destroyer<abut_shape_destroy>>;
using threads_ptr = std::unique_ptr<abut_threads, destroyer<abut_threads_destroy>>;
using result_ptr = std::unique_ptr<abut_collide_result, destroyer<abut_collide_result_destroy>>;

// calls a _create function, whose last two arguments are the object and the error
template <typename Pointer, typename Function, typename... Arguments>
Pointer make(Function create, Arguments... arguments) {
    typename Pointer::pointer object = nullptr;
    abut_error error{};
    if (create(arguments..., &object, &error) != ABUT_OK) {
        throw std::runtime_error(error.message);
    }
    return Pointer(object);
}

abut_body_id add_body(abut_context* context, abut_scene* scene, const std::vector<double>& xyz) {
    std::vector<uint32_t> triangles(xyz.size() / 3);
    for (uint32_t i = 0; i < triangles.size(); ++i) {
        triangles[i] = i;
    }
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(xyz.data(), xyz.size() / 3);
    def.triangles = triangles.data();
    def.triangle_count = triangles.size() / 3;
    const auto mesh = make<mesh_ptr>(abut_mesh_create, context, &def);
    const auto shape = make<shape_ptr>(abut_shape_create, context, mesh.get(), nullptr);
    abut_body_id body{};
    if (abut_body_create(scene, shape.get(), nullptr, &body, nullptr) != ABUT_OK) {
        throw std::runtime_error("no body");
    }
    return body;
}

}  // namespace

int main() {
    abut_context_def def = abut_context_def_default();
    const auto threads = make<threads_ptr>(abut_threads_create, 2);
    def.tasks = abut_threads_tasks(threads.get());
    const auto context = make<context_ptr>(abut_context_create, &def);
    const auto scene = make<scene_ptr>(abut_scene_create, context.get(), nullptr);
    const auto result = make<result_ptr>(abut_collide_result_create, context.get());
    const auto a = add_body(context.get(), scene.get(),
                            {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 1, 0, 9, 0, 1, 9});
    const auto b = add_body(context.get(), scene.get(), {0, 0, 9, -1, -1, 9, -1, -1, 10});
    std::size_t count = 0;
    if (abut_collide(scene.get(), a, b, nullptr, result.get(), NULL) != ABUT_OK) {
        return 1;
    }
    const abut_pair* pairs = abut_collide_result_pairs(result.get(), &count);
    if (count != 1 || pairs[0].triangle_a != 1 || pairs[0].triangle_b != 0) {
        std::fprintf(stderr, "%zu pairs\n", count);
        return 1;
    }
    std::puts(ABUT_VERSION_STRING);
    return 0;
}
