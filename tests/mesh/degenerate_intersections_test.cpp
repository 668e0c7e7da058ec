// Surfaces in special position: what passes through is found, what only touches is not.
#include "mesh/generators.h"
#include "mesh/intersections.h"

#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

namespace taffeta {
namespace {

Mesh moved(Mesh mesh, const Vec3& by) {
    for (Vec3& p : mesh.positions) p += by;
    return mesh;
}

Mesh turned_over(Mesh mesh) {
    for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
    return mesh;
}

// A sheet over the lattice, x and z from -half to half, at the given heights.
template <class Height>
Mesh make_sheet(int half, Diagonals diagonals, const Height& height) {
    const auto size = static_cast<float>(2 * half);
    Mesh sheet = make_grid({size, size}, {2 * half, 2 * half}, diagonals);
    for (Vec3& p : sheet.positions) p.y = height(p.x, p.z);
    sheet.uv.clear();
    return sheet;
}

Mesh make_flat(int half, Diagonals diagonals = Diagonals::alternate) {
    return make_sheet(half, diagonals, [](float, float) { return 0.0f; });
}

// Which is the same for either order and orientation of the two.
std::size_t count_passages(const Mesh& a, const Mesh& b) {
    const auto count = [](const Mesh& one, const Mesh& other) {
        return find_intersections({one.positions, one.triangles}, {other.positions, other.triangles}).size();
    };
    const std::size_t found = count(a, b);
    EXPECT_EQ(count(b, a) > 0, found > 0);
    EXPECT_EQ(count(turned_over(a), b) > 0, found > 0);
    EXPECT_EQ(count(a, turned_over(b)) > 0, found > 0);

    Mesh both = a; // as parts of one surface
    test::append(b, {}, both);
    std::vector<Vec3> rest = both.positions;
    for (std::size_t v = a.positions.size(); v < rest.size(); ++v) rest[v].x += 100;
    EXPECT_EQ(find_self_intersections(both.positions, both.triangles, rest).size() > 0, found > 0);
    return found;
}

TEST(Passages, ABallHalfwayThroughASheetIsSeenAtEveryHeight) {
    const Mesh sheet = make_grid({1, 1}, {12, 12}, Diagonals::alternate);
    const Mesh ball = make_collider_mesh(Sphere{0.3f});
    const std::size_t usual = count_passages(sheet, moved(ball, {0, 1e-3f, 0}));
    EXPECT_GT(usual, 48u);
    for (const float height : {0.0f, 1e-30f, -1e-30f, 1e-7f}) {
        const std::size_t found = count_passages(sheet, moved(ball, {0, height, 0}));
        EXPECT_GT(found, usual / 2) << height;
        EXPECT_LT(found, usual * 2) << height;
    }
    for (const Vec3& p : ball.positions) { // each of its rings in the plane of the sheet, but the poles
        if (std::abs(p.y) > 0.2999f || p.z != 0) continue;
        EXPECT_GT(count_passages(sheet, moved(ball, {0, -p.y, 0})), 20u) << p.y;
    }
    EXPECT_EQ(count_passages(sheet, moved(ball, {0, 0.3f, 0})), 0u); // stands on it with the pole
    EXPECT_EQ(count_passages(sheet, moved(ball, {0, -0.3f, 0})), 0u);
    EXPECT_GT(count_passages(sheet, moved(ball, {0, std::nextafter(0.3f, 0.0f), 0})), 0u);
}

TEST(Passages, OfABoxAtAllPlacesOfALattice) {
    const Mesh sheet = make_flat(2);
    int passing = 0, touching = 0;
    for (const int size : {2, 4, 6}) {
        const auto edge = static_cast<float>(size), half = 0.5f * edge;
        const Mesh box = make_collider_mesh(Box{{edge, 2, edge}});
        for (float x = 0; x <= 5; ++x) {
            for (float y = -2; y <= 2; ++y) {
                for (float z = 0; z <= 5; ++z) {
                    const auto overlaps = [&](float at) { return at - half < 2; }; // by more than the border
                    const auto covers = [&](float at) { return at + half >= 2 && at - half <= -2; };
                    const bool passes =
                        std::abs(y) < 1 && overlaps(x) && overlaps(z) && !(covers(x) && covers(z)); // else it is inside
                    EXPECT_EQ(count_passages(sheet, moved(box, {x, y, z})) > 0, passes)
                        << size << " at " << x << ' ' << y << ' ' << z;
                    ++(passes ? passing : touching);
                }
            }
        }
    }
    EXPECT_GT(passing, 20);
    EXPECT_GT(touching, 100);
}

// A strip that runs along x, at one height for a while: the plane and it have that part in common.
TEST(Passages, AlongACommonPart) {
    const Mesh sheet = make_flat(4);
    const auto strip = [](float left, float right) {
        Mesh mesh = make_grid({5, 1}, {5, 1}, Diagonals::left);
        for (Vec3& p : mesh.positions) p.y = p.x < -2 ? left : p.x > 2 ? right : 0;
        return moved(mesh, {0.25f, 0, 0});
    };
    EXPECT_GT(count_passages(sheet, strip(-1, 1)), 0u);
    EXPECT_GT(count_passages(sheet, strip(1, -1)), 0u);
    EXPECT_EQ(count_passages(sheet, strip(1, 1)), 0u);
    EXPECT_EQ(count_passages(sheet, strip(-1, -1)), 0u);
    EXPECT_EQ(count_passages(sheet, strip(0, 1)), 0u);
    EXPECT_EQ(count_passages(sheet, strip(0, 0)), 0u);
}

// Around three sides of a box, or close to them.
TEST(Passages, ClothThatIsWrappedAroundABoxOnlyTouches) {
    const Mesh box = make_collider_mesh(Box{{2, 2, 2}});
    const auto wrap = [](float inside) {
        Mesh mesh = make_grid({6, 4}, {12, 8}, Diagonals::alternate);
        for (Vec3& p : mesh.positions) {
            const float beyond = std::abs(p.x) - 1;
            p = beyond > 0 ? Vec3{std::copysign(1 - inside, p.x), 1 - beyond, p.z} : Vec3{p.x, 1, p.z};
        }
        mesh.uv.clear();
        return mesh;
    };
    EXPECT_EQ(count_passages(wrap(0), box), 0u);
    EXPECT_EQ(count_passages(wrap(-FLT_EPSILON), box), 0u);
    EXPECT_GT(count_passages(wrap(FLT_EPSILON), box), 0u);
}

TEST(Passages, SheetsThatCrossInARowOfVertices) {
    const Mesh floor = make_flat(3);
    const auto wall = [](float low) {
        Mesh mesh = make_grid({2, 2}, {4, 4}, Diagonals::alternate);
        for (Vec3& p : mesh.positions) p = {0, p.x + 1 + low, p.z};
        mesh.uv.clear();
        return mesh;
    };
    for (const float x : {0.0f, 0.25f}) { // on a row of vertices of the floor, and beside it
        EXPECT_GT(count_passages(floor, moved(wall(-1), {x, 0, 0})), 3u);
        EXPECT_EQ(count_passages(floor, moved(wall(0), {x, 0, 0})), 0u);  // stands on it
        EXPECT_EQ(count_passages(floor, moved(wall(-2), {x, 0, 0})), 0u); // hangs from it
    }
}

// How far a tetrahedron reaches above a sheet, and below it.
struct Reach {
    double above = -1e300, below = -1e300;

    void add(double height) { above = std::max(above, height), below = std::max(below, -height); }
};

// The height over the sheet is linear but where edges of the two are above each other. So it is largest and smallest at
// a corner of the tetrahedron, on its edges above edges of the sheet, or on its faces above vertices of the sheet.
Reach reach_of(const Corners& base, const Vec3& tip, const Mesh& sheet) {
    std::array<Vec3d, 4> corner;
    for (std::size_t k = 0; k < 3; ++k) corner[k] = vector_cast<double>(base[k]);
    corner[3] = vector_cast<double>(tip);
    // Twice the area as seen from above.
    const auto area = [](const Vec3d& a, const Vec3d& b, const Vec3d& c) {
        return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
    };
    // p's height over a triangle, if p is above it.
    const auto add_over = [&](const Vec3d& p, const std::array<Vec3d, 3>& t, double sign, Reach& reach) {
        const double whole = area(t[0], t[1], t[2]);
        if (whole == 0) return;
        std::array<double, 3> part = {area(p, t[1], t[2]) / whole, area(t[0], p, t[2]) / whole,
                                      area(t[0], t[1], p) / whole};
        if (std::min({part[0], part[1], part[2]}) < -1e-12) return;
        reach.add(sign * (p.y - part[0] * t[0].y - part[1] * t[1].y - part[2] * t[2].y));
    };
    Reach reach;
    for (const Triangle& triangle : sheet.triangles) {
        std::array<Vec3d, 3> t;
        for (std::size_t k = 0; k < 3; ++k) t[k] = vector_cast<double>(sheet.positions[triangle[k]]);
        for (const Vec3d& p : corner) add_over(p, t, 1, reach);
        for (std::size_t k = 0; k < 4; ++k) {
            const std::array<Vec3d, 3> face = {corner[k], corner[(k + 1) % 4], corner[(k + 2) % 4]};
            for (const Vec3d& p : t) add_over(p, face, -1, reach);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                for (std::size_t k = 0; k < 3; ++k) {
                    const Vec3d &a = corner[i], &b = corner[j], &c = t[k], &d = t[(k + 1) % 3];
                    const double c_side = area(a, b, c), d_side = area(a, b, d), a_side = area(c, d, a),
                                 b_side = area(c, d, b);
                    if (c_side * d_side >= 0 || a_side * b_side >= 0) continue;
                    const double s = a_side / (a_side - b_side), u = c_side / (c_side - d_side);
                    reach.add(a.y + s * (b.y - a.y) - c.y - u * (d.y - c.y));
                }
            }
        }
    }
    return reach;
}

// Corners and hills are on a lattice, so that most of what meets is in special position.
TEST(Passages, OfTetrahedraThroughHillySheetsAreThoseThatReachBothSides) {
    test::Random random(31);
    int passing = 0, touching = 0;
    for (int trial = 0; trial < 600; ++trial) {
        const bool is_flat = random.below(4) == 0;
        const Mesh sheet = make_sheet(3, random.below(2) == 0 ? Diagonals::alternate : Diagonals::left,
                                      [&](float, float) { return is_flat ? 0 : static_cast<float>(random.below(2)); });
        const auto corner = [&] {
            const auto along = [&] { return static_cast<float>(random.below(5)) - 2; };
            const float x = along(), y = static_cast<float>(random.below(4)) - 1, z = along();
            return Vec3{x, y, z};
        };
        Mesh solid;
        for (int k = 0; k < 4; ++k) solid.positions.push_back(corner());
        const auto& p = solid.positions;
        const int sign = orientation(p[0], p[1], p[2], p[3]);
        if (sign == 0) continue;
        solid.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
        if (sign < 0) solid = turned_over(solid);
        const Reach reach = reach_of({p[0], p[1], p[2]}, p[3], sheet);
        const bool passes = reach.above > 1e-9 && reach.below > 1e-9;
        const std::size_t found = count_passages(sheet, solid);
        EXPECT_EQ(found > 0, passes) << "trial " << trial << ": " << reach.above << " above, " << reach.below
                                     << " below";
        ++(passes ? passing : touching);
    }
    EXPECT_GT(passing, 100);
    EXPECT_GT(touching, 50);
}

} // namespace
} // namespace taffeta
