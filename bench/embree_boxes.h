// Embree 3 as a peer: boxes around triangles in its hierarchy, refitted, and the pairs that overlap (rtcCollide).
#pragma once

#include "core/state.h"

#include <taffeta/mesh.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace taffeta::bench {

using BoxPairs = std::vector<std::array<Index, 2>>;

// On one thread; so is all of oneTBB from then on.
class EmbreeBoxes {
public:
    static bool is_available();

    // The first `split` triangles are searched against the others; 0: all against all.
    EmbreeBoxes(std::span<const Triangle> triangles, std::size_t split);
    ~EmbreeBoxes();
    EmbreeBoxes(const EmbreeBoxes&) = delete;
    EmbreeBoxes& operator=(const EmbreeBoxes&) = delete;

    // Boxes around both ends of the ways, so that those of triangles within epsilon overlap. The hierarchy is built
    // the first time.
    void refit(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon);
    // Pairs whose boxes overlap, lower number first; in one mesh only those without a common vertex.
    const BoxPairs& collide();

private:
    struct Scenes;
    std::unique_ptr<Scenes> scenes_;
};

} // namespace taffeta::bench
