// Small vectors, rotations and rigid poses: just what the public interface speaks.
//
// Metres, Y up, right-handed (the glTF frame). Everything is plain data and constexpr where it can be.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

namespace taffeta {

using Index = std::uint32_t; // of a vertex, particle or triangle

template <class T>
struct Vector3 {
    T x = 0, y = 0, z = 0;

    constexpr Vector3& operator+=(const Vector3& o) {
        x += o.x, y += o.y, z += o.z;
        return *this;
    }
    constexpr Vector3& operator-=(const Vector3& o) {
        x -= o.x, y -= o.y, z -= o.z;
        return *this;
    }
    constexpr Vector3& operator*=(T s) {
        x *= s, y *= s, z *= s;
        return *this;
    }
    constexpr bool operator==(const Vector3&) const = default;

    constexpr T operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
    constexpr T& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
};

using Vec3 = Vector3<float>;
using Vec3d = Vector3<double>; // for references, measurements and exact-enough geometry

template <class T>
constexpr Vector3<T> operator+(Vector3<T> a, const Vector3<T>& b) {
    return a += b;
}
template <class T>
constexpr Vector3<T> operator-(Vector3<T> a, const Vector3<T>& b) {
    return a -= b;
}
template <class T>
constexpr Vector3<T> operator-(const Vector3<T>& a) {
    return {-a.x, -a.y, -a.z};
}
template <class T>
constexpr Vector3<T> operator*(Vector3<T> a, std::type_identity_t<T> s) {
    return a *= s;
}
template <class T>
constexpr Vector3<T> operator*(std::type_identity_t<T> s, Vector3<T> a) {
    return a *= s;
}
template <class T>
constexpr T dot(const Vector3<T>& a, const Vector3<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T length(const Vector3<T>& a) {
    return std::sqrt(dot(a, a));
}
// Zero stays zero.
template <class T>
Vector3<T> normalized(const Vector3<T>& a) {
    const T l = length(a);
    return l > 0 ? a * (1 / l) : a;
}
template <class T>
bool is_finite(const Vector3<T>& a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
template <class To, class From>
constexpr Vector3<To> vector_cast(const Vector3<From>& a) {
    return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}

// A rotation as a 3 x 3 matrix, stored by rows.
struct Rotation {
    std::array<Vec3, 3> row = {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};

    Vec3 operator*(const Vec3& p) const { return {dot(row[0], p), dot(row[1], p), dot(row[2], p)}; }
    Rotation transposed() const;
    bool operator==(const Rotation&) const = default;
};

inline Rotation Rotation::transposed() const {
    const auto& r = row;
    return {{Vec3{r[0].x, r[1].x, r[2].x}, Vec3{r[0].y, r[1].y, r[2].y}, Vec3{r[0].z, r[1].z, r[2].z}}};
}

// About X, then Y, then Z, in degrees: the `rotation` of scene files.
inline Rotation rotation_from_degrees(const Vec3& degrees) {
    constexpr double radians = std::numbers::pi / 180;
    const double cx = std::cos(degrees.x * radians), sx = std::sin(degrees.x * radians);
    const double cy = std::cos(degrees.y * radians), sy = std::sin(degrees.y * radians);
    const double cz = std::cos(degrees.z * radians), sz = std::sin(degrees.z * radians);
    const Vec3d row0 = {cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx};
    const Vec3d row1 = {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx};
    const Vec3d row2 = {-sy, cy * sx, cy * cx};
    return {{vector_cast<float>(row0), vector_cast<float>(row1), vector_cast<float>(row2)}};
}

// A rotation as a unit quaternion: what glTF stores and what is interpolated.
struct Quaternion {
    float x = 0, y = 0, z = 0, w = 1;
};

inline Quaternion to_quaternion(const Rotation& rotation) {
    const auto& [r0, r1, r2] = rotation.row;
    // From the largest of the four components, so that no quotient loses its digits.
    const float trace = r0.x + r1.y + r2.z;
    if (trace > 0) {
        const float s = 2 * std::sqrt(1 + trace);
        return {(r2.y - r1.z) / s, (r0.z - r2.x) / s, (r1.x - r0.y) / s, s / 4};
    }
    if (r0.x >= r1.y && r0.x >= r2.z) {
        const float s = 2 * std::sqrt(1 + r0.x - r1.y - r2.z);
        return {s / 4, (r0.y + r1.x) / s, (r0.z + r2.x) / s, (r2.y - r1.z) / s};
    }
    if (r1.y >= r2.z) {
        const float s = 2 * std::sqrt(1 + r1.y - r0.x - r2.z);
        return {(r0.y + r1.x) / s, s / 4, (r1.z + r2.y) / s, (r0.z - r2.x) / s};
    }
    const float s = 2 * std::sqrt(1 + r2.z - r0.x - r1.y);
    return {(r0.z + r2.x) / s, (r1.z + r2.y) / s, s / 4, (r1.x - r0.y) / s};
}

// Of any quaternion but zero.
inline Rotation to_rotation(const Quaternion& q) {
    const float s = 2 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return {{Vec3{1 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y - q.z * q.w), s * (q.x * q.z + q.y * q.w)},
             Vec3{s * (q.x * q.y + q.z * q.w), 1 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z - q.x * q.w)},
             Vec3{s * (q.x * q.z - q.y * q.w), s * (q.y * q.z + q.x * q.w), 1 - s * (q.x * q.x + q.y * q.y)}}};
}

// A rigid placement: local points are rotated, then moved.
struct Pose {
    Vec3 position = {};
    Rotation rotation = {};

    Vec3 to_world(const Vec3& local) const { return rotation * local + position; }
    Vec3 to_local(const Vec3& world) const { return rotation.transposed() * (world - position); }
    bool operator==(const Pose&) const = default;
};

// A linear map and a shift: rotations, scales, mirrors and their products.
struct Affine {
    std::array<Vec3d, 3> row = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
    Vec3d translation = {};

    Vec3d operator*(const Vec3d& p) const {
        return Vec3d{dot(row[0], p), dot(row[1], p), dot(row[2], p)} + translation;
    }
    Affine operator*(const Affine& inner) const {
        const auto& r = inner.row;
        Affine product;
        product.translation = *this * inner.translation;
        for (std::size_t i = 0; i < 3; ++i) product.row[i] = r[0] * row[i].x + r[1] * row[i].y + r[2] * row[i].z;
        return product;
    }
    bool mirrors() const { return dot(row[0], cross(row[1], row[2])) < 0; }
    bool operator==(const Affine&) const = default;
};

// Part 0 gives `a` and part 1 gives `b`, exactly; between them the shorter way.
inline Pose interpolate(const Pose& a, const Pose& b, float part) {
    if (part <= 0) return a;
    if (part >= 1) return b;
    const Quaternion p = to_quaternion(a.rotation), q = to_quaternion(b.rotation);
    const float t = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0 ? -part : part;
    const float s = 1 - part;
    const Quaternion between = {s * p.x + t * q.x, s * p.y + t * q.y, s * p.z + t * q.z, s * p.w + t * q.w};
    return {a.position + (b.position - a.position) * part,
            a.rotation == b.rotation ? a.rotation : to_rotation(between)};
}

} // namespace taffeta
