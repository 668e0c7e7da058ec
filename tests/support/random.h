// Numbers that look random and are the same on every machine: the distributions of the standard library are not.
#pragma once

#include <taffeta/math.h>

#include <cstdint>
#include <random>

namespace taffeta::test {

class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}

    double uniform(double low, double high) {
        return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
    }
    float uniform_float(float low, float high) { return static_cast<float>(uniform(low, high)); }
    std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(uniform(0, count)); }

    // Within a cube about the origin.
    Vec3d in_cube(double half) {
        const double x = uniform(-half, half), y = uniform(-half, half), z = uniform(-half, half);
        return {x, y, z};
    }
    Vec3 in_cube_float(double half) { return vector_cast<float>(in_cube(half)); }
    Vec3d in_ball(double radius) {
        for (;;)
            if (const Vec3d p = in_cube(radius); dot(p, p) <= radius * radius) return p;
    }
    Vec3d direction() {
        for (;;)
            if (const Vec3d p = in_ball(1); dot(p, p) > 1e-4) return normalized(p);
    }

private:
    std::mt19937 engine_; // its numbers are fixed by the standard
};

} // namespace taffeta::test
