// FCL as a peer: its hierarchy of boxes over triangles, refitted; which triangles cross; distances of triangles.
#pragma once

#include "core/state.h"

#include <taffeta/mesh.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace taffeta::bench {

class FclTriangles {
public:
    static bool is_available();

    // The first `split` triangles are searched against the others.
    FclTriangles(std::span<const Triangle> triangles, std::size_t split, std::span<const Vec4> x);
    ~FclTriangles();
    FclTriangles(const FclTriangles&) = delete;
    FclTriangles& operator=(const FclTriangles&) = delete;

    void refit(std::span<const Vec4> x);
    std::size_t collide(); // how many pairs of triangles cross; FCL's models find no others

private:
    struct Models;
    std::unique_ptr<Models> models_;
};

// How many of the pairs are closer than epsilon, by fcl::detail::TriangleDistance.
std::size_t count_close(std::span<const Triangle> triangles, std::span<const Vec4> x,
                        std::span<const std::array<Index, 2>> pairs, double epsilon);

} // namespace taffeta::bench
