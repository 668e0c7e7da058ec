#include "forces/wind.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace taffeta {
namespace {

// --- turbulence: value noise, numbers at the corners of a lattice and smooth between them. Integers and the four
// operations only: the sines of two standard libraries differ in their last bits.

// The bits of splitmix64 for one corner.
std::uint64_t hash_of(std::int64_t i, std::int64_t j, std::int64_t k, std::uint64_t seed) {
    std::uint64_t bits = seed * 0x9E3779B97F4A7C15ULL;
    for (const std::int64_t part : {i, j, k}) {
        bits += static_cast<std::uint64_t>(part) + 0x9E3779B97F4A7C15ULL;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
        bits ^= bits >> 31;
    }
    return bits;
}

// Three numbers in -1..1, of 21 bits each.
Vec3d corner_value(std::int64_t i, std::int64_t j, std::int64_t k, std::uint64_t seed) {
    const std::uint64_t bits = hash_of(i, j, k, seed);
    const auto number = [bits](int shift) {
        return static_cast<double>((bits >> shift) & 0x1FFFFF) * (2.0 / 0x1FFFFF) - 1;
    };
    return {number(0), number(21), number(42)};
}

Vec3d noise(const Vec3d& p, std::uint64_t seed) {
    constexpr double farthest = 1e15; // beyond, a double has no fractions worth the name
    if (!(std::abs(p.x) < farthest && std::abs(p.y) < farthest && std::abs(p.z) < farthest)) return {};
    const Vec3d low = {std::floor(p.x), std::floor(p.y), std::floor(p.z)};
    const Vec3d part = p - low;
    const auto smooth = [](double t) { return t * t * (3 - 2 * t); };
    const Vec3d s = {smooth(part.x), smooth(part.y), smooth(part.z)};
    const auto i = static_cast<std::int64_t>(low.x), j = static_cast<std::int64_t>(low.y),
               k = static_cast<std::int64_t>(low.z);
    Vec3d sum;
    for (int corner = 0; corner < 8; ++corner) {
        const int di = corner & 1, dj = corner >> 1 & 1, dk = corner >> 2;
        const double weight = (di == 1 ? s.x : 1 - s.x) * (dj == 1 ? s.y : 1 - s.y) * (dk == 1 ? s.z : 1 - s.z);
        sum += corner_value(i + di, j + dj, k + dk, seed) * weight;
    }
    return sum;
}

} // namespace

Vec3 wind_at(const WindDesc& wind, const Vec3& position, double time) {
    if (wind.turbulence == 0) return wind.velocity;
    constexpr double large = 1 / 0.9, small = 1 / 0.3; // 1/m: a gust is as large as a flag, an eddy as its folds
    const Vec3d travelled = vector_cast<double>(position) - vector_cast<double>(wind.velocity) * time;
    const auto seed = static_cast<std::uint64_t>(wind.seed);
    const Vec3d gust =
        noise(travelled * large, 2 * seed) * (2.0 / 3) + noise(travelled * small, 2 * seed + 1) * (1.0 / 3);
    return wind.velocity + vector_cast<float>(gust) * (wind.turbulence * length(wind.velocity));
}

Vec3 wind_force(const Vec3& u, const Vec3& a, const Vec3& b, const Vec3& c, float drag, float lift) {
    const Vec3 m = cross(b - a, c - a); // 2 A n
    const float twice_area = length(m), speed = length(u);
    if (!(twice_area > 0 && speed > 0)) return {};
    const float through = dot(m, u); // 2 A |u| c, the air through the face, to either side
    const Vec3 n = m * (std::copysign(1.0f, through) / twice_area);
    const float cosine = std::abs(through) / (twice_area * speed);
    // rho/2 A |u|^2 c (drag u^ + lift (n - c u^)), with |u| u^ = u
    return (u * drag + (n * speed - u * cosine) * lift) * (0.25f * air_density * std::abs(through));
}

FacesAt find_faces_at(std::span<const Triangle> faces, Index particles) {
    FacesAt faces_at;
    faces_at.begin.resize(particles + std::size_t{1}, 0);
    for (const Triangle& face : faces)
        for (const Index p : face) ++faces_at.begin[p + std::size_t{1}];
    for (std::size_t p = 0; p < particles; ++p) faces_at.begin[p + 1] += faces_at.begin[p];
    faces_at.at.resize(3 * faces.size());
    std::vector<Index> next(faces_at.begin.begin(), faces_at.begin.end() - 1);
    for (std::size_t f = 0; f < faces.size(); ++f)
        for (const Index p : faces[f]) faces_at.at[next[p]++] = static_cast<Index>(f);
    return faces_at;
}

void find_wind_forces(const WindDesc& wind, double time, float drag, float lift, std::span<const Triangle> faces,
                      std::span<const Vec4> x, std::span<const Vec4> v, std::span<Vec4> force) {
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const auto [i, j, k] = faces[f];
        const Vec3 a = x[i].xyz(), b = x[j].xyz(), c = x[k].xyz();
        const Vec3 velocity = (v[i].xyz() + v[j].xyz() + v[k].xyz()) * (1.0f / 3);
        const Vec3 u = wind_at(wind, (a + b + c) * (1.0f / 3), time) - velocity;
        force[f].set_xyz(wind_force(u, a, b, c, drag, lift));
        force[f].w = length(u);
    }
}

void add_wind(float h, const FacesAt& faces_at, std::span<const Vec4> force, std::size_t begin, std::size_t end,
              std::span<const Vec4> x, std::span<Vec4> v) {
    for (std::size_t p = begin; p < end; ++p) {
        if (x[p].w == 0) continue;
        Vec3 sum;
        float fastest = 0;
        for (Index k = faces_at.begin[p]; k < faces_at.begin[p + 1]; ++k) {
            const Vec4& share = force[faces_at.at[k]];
            sum += share.xyz();
            fastest = std::max(fastest, share.w);
        }
        Vec3 change = sum * (h * x[p].w / 3);
        if (const float size = length(change); size > fastest) change *= fastest / size;
        v[p].set_xyz(v[p].xyz() + change);
    }
}

} // namespace taffeta
