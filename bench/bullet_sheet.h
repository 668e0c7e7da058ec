// The sheet of the benchmark in Bullet 3: a btSoftBody with the same particles, masses, pins and pairs.
#pragma once

#include "mesh/topology.h"

#include <memory>
#include <span>

namespace taffeta::bench {

struct SheetParts {
    std::span<const Vec3> positions; // m
    std::span<const float> mass;     // kg; 0 is pinned
    std::span<const Pair> links;     // kept at the distance they start with
    Vec3 gravity = {};               // m/s^2
    float velocity_factor = 1;       // per step
    int iterations = 0;              // position iterations per step
    bool reorder_links = false;      // by Bullet's ReoptimizeLinkOrder, so that neighbours in the list do not wait for
                                     // each other; the same result, to the bit
};

class BulletSheet {
public:
    explicit BulletSheet(const SheetParts& parts);
    BulletSheet(BulletSheet&&) noexcept;
    BulletSheet& operator=(BulletSheet&&) noexcept;
    ~BulletSheet();

    void step(float dt); // s
    Vec3 position(Index particle) const;

private:
    struct Engine;
    std::unique_ptr<Engine> engine_;
};

} // namespace taffeta::bench
