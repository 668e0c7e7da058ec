// [GD03]: two triangles by the signs of volumes alone.
#include "geometry/triangle_intersection.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace taffeta {
namespace {

using Sides = std::array<int, 3>; // on which side of a plane the corners of a triangle are

bool are_on_one(const Sides& sides) { // and none in the plane
    return sides[0] != 0 && sides[0] == sides[1] && sides[0] == sides[2];
}

bool are_on_both(const Sides& sides) {
    return std::find(sides.begin(), sides.end(), 1) != sides.end() &&
           std::find(sides.begin(), sides.end(), -1) != sides.end();
}

bool are_in_plane(const Sides& sides) {
    return sides == Sides{};
}

// The corner from which both edges meet the plane in one point, as they end on the other side or in the plane.
struct Lone {
    std::size_t corner = 0;
    int side = 1; // of the corner, if it is not in the plane, where the others are not then
};

// Of corners that are not all on one side, nor all in the plane.
Lone lone_corner(const Sides& sides) {
    for (std::size_t k = 0; k < 3; ++k) {
        const int one = sides[k], next = sides[(k + 1) % 3], last = sides[(k + 2) % 3];
        if (one == next || one == last) continue;
        for (const int side : {1, -1})
            if (side * one >= 0 && side * next <= 0 && side * last <= 0) return {k, side};
    }
    return {};
}

template <class T>
std::array<T, 3> turned(const std::array<T, 3>& t, std::size_t first) {
    return {t[first], t[(first + 1) % 3], t[(first + 2) % 3]};
}

// Where each triangle has corners on both sides of the other's plane, the line that the planes share cuts an interval
// out of each, between the two edges at the corner that is alone on its side. Turned such that p[0] is above q and q[0]
// above p, the intervals overlap if q[0] q[1] ends after p[0] p[1] begins, and q[0] q[2] begins before p[0] p[2] ends;
// two signs tell which of two such edges meets the line first. They are zero where the edges meet. Corners in the
// other's plane are ends of their edges like any other. `sign` is the orientation of four corners. Not for triangles of
// one plane; they come out as touching.
template <class Corner, class Sign>
Meeting meeting_by(const std::array<Corner, 3>& a, const std::array<Corner, 3>& b, const Sign& sign) {
    Sides a_sides = {}, b_sides = {};
    for (std::size_t k = 0; k < 3; ++k) a_sides[k] = sign(b[0], b[1], b[2], a[k]);
    if (are_on_one(a_sides)) return Meeting::apart;
    for (std::size_t k = 0; k < 3; ++k) b_sides[k] = sign(a[0], a[1], a[2], b[k]);
    if (are_on_one(b_sides)) return Meeting::apart;
    if (are_in_plane(a_sides) || are_in_plane(b_sides)) return Meeting::touching;

    const Lone a_lone = lone_corner(a_sides), b_lone = lone_corner(b_sides);
    auto p = turned(a, a_lone.corner), q = turned(b, b_lone.corner);
    if (a_lone.side < 0) std::swap(q[1], q[2]); // turns the other's plane over
    if (b_lone.side < 0) std::swap(p[1], p[2]);
    const int first = sign(p[0], p[1], q[0], q[1]);
    if (first > 0) return Meeting::apart;
    const int second = sign(p[0], p[2], q[2], q[0]);
    if (second > 0) return Meeting::apart;
    const bool is_inside = first < 0 && second < 0 && are_on_both(a_sides) && are_on_both(b_sides);
    return is_inside ? Meeting::crossing : Meeting::touching;
}

// A point that is not in the plane of a triangle; none if that has no area.
std::optional<Vec3> point_beside(const Corners& t) {
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 p = t[0];
        p[axis] = p[axis] == 0 ? 1.0f : 0.0f;
        if (orientation(t[0], t[1], t[2], p) != 0) return p;
    }
    return {};
}

// Whether an edge of `a` has all of `b`, which is in its plane, strictly on its outer side.
bool is_parted_by_edge(const Corners& a, const Corners& b, const Vec3& beside) {
    for (std::size_t k = 0; k < 3; ++k) {
        const Corners t = turned(a, k);
        const auto side = [&](const Vec3& p) { return orientation(t[0], t[1], beside, p); };
        const int inside = side(t[2]);
        if (std::all_of(b.begin(), b.end(), [&](const Vec3& p) { return side(p) * inside < 0; })) return true;
    }
    return false;
}

} // namespace

Meeting meeting(const Corners& a, const Corners& b) {
    const Meeting found = meeting_by(a, b, orientation);
    if (found != Meeting::touching || orientation(a[0], a[1], a[2], b[0]) != 0 ||
        orientation(a[0], a[1], a[2], b[1]) != 0 || orientation(a[0], a[1], a[2], b[2]) != 0)
        return found;
    const std::optional<Vec3> beside = point_beside(a);
    if (!beside || !point_beside(b)) return found;
    return is_parted_by_edge(a, b, *beside) || is_parted_by_edge(b, a, *beside) ? Meeting::apart : found;
}

bool triangles_intersect(const Corners& a, const Corners& b) {
    return meeting_by(a, b, orientation) == Meeting::crossing;
}

bool triangles_intersect_after(const MovingCorners& a, const MovingCorners& b) {
    const auto sign = [](const MovingPoint& p, const MovingPoint& q, const MovingPoint& r, const MovingPoint& s) {
        return orientation_after({p, q, r, s});
    };
    return meeting_by(a, b, sign) == Meeting::crossing;
}

// Seen from v, each edge has its ends on both sides of the other, and they are before v, not one of them behind it.
bool triangles_intersect_at(const Vec3& v, const std::array<Vec3, 2>& ab, const std::array<Vec3, 2>& cd) {
    const int c_side = orientation(v, ab[0], ab[1], cd[0]);
    if (c_side == 0 || orientation(v, ab[0], ab[1], cd[1]) != -c_side) return false;
    return orientation(v, cd[0], cd[1], ab[0]) == -c_side && orientation(v, cd[0], cd[1], ab[1]) == c_side;
}

} // namespace taffeta
