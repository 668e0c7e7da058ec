// The membrane as compliant constraints: the fast kernel, its reference, and the energy both stand for.
#include "constraints/stretch.h"

#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <bit>

namespace taffeta {
namespace {

constexpr double h = 1.0 / 480;
constexpr StretchMaterial soft = {.law = {.warp = 20, .weft = 8, .across = 3, .shear = 2}};
constexpr StretchMaterial stiff = {.law = {.warp = 500, .weft = 300, .across = 0, .shear = 50}};

MembraneTriangle some_triangle() {
    return make_membrane({0, 1, 2}, {Eigen::Vector2d(0, 0), {0.013, 0.002}, {0.004, 0.011}});
}

Stretch pack(const MembraneTriangle& triangle, const StretchMaterial& law) {
    return make_stretch(std::span(&triangle, 1), std::vector<Index>{0}, std::span(&law, 1), std::vector<Index>{0, 3}, 3,
                        SweepOrder::colours);
}

// Three particles near where the triangle lies on the table, and the sentinel.
std::vector<Vec4> some_particles(std::uint32_t seed, double off = 0.002) {
    test::Random random(seed);
    const Vec3 at[3] = {{0, 0, 0}, {0.013f, 0, 0.002f}, {0.004f, 0, 0.011f}};
    std::vector<Vec4> x(4);
    for (std::size_t k = 0; k < 3; ++k) {
        x[k].set_xyz(at[k] + random.in_cube_float(off));
        x[k].w = random.uniform_float(3e4f, 9e4f);
    }
    return x;
}

Eigen::Matrix3d matrix(const std::vector<Vec4>& x) {
    Eigen::Matrix3d m;
    for (int k = 0; k < 3; ++k) {
        const Vec3d p = vector_cast<double>(x[static_cast<std::size_t>(k)].xyz());
        m.col(k) << p.x, p.y, p.z;
    }
    return m;
}

Eigen::Vector3d inverse_masses(const std::vector<Vec4>& x) {
    return {static_cast<double>(x[0].w), static_cast<double>(x[1].w), static_cast<double>(x[2].w)};
}

TEST(Stretch, FollowsTheReferenceSweepAfterSweep) {
    StretchMaterial damped = soft;
    damped.damping = 0.01;
    StretchMaterial limited = stiff;
    limited.longest = 1.02;
    for (const StretchMaterial& law : {soft, stiff, damped, limited})
        for (std::uint32_t seed = 1; seed <= 20; ++seed) {
            std::vector<Vec4> x = some_particles(seed);
            Stretch stretch = pack(some_triangle(), law);
            StretchReference reference = {some_triangle(), law};
            Eigen::Matrix3d expected = matrix(x);
            reference.before = membrane_strain(reference.triangle, expected);
            begin_stretch(stretch, {0, 1}, x);
            for (int k = 0; k < 3; ++k) {
                x[2].y += 0.001f, expected(1, 2) += static_cast<double>(0.001f);
                project_stretch(stretch, {0, 1}, static_cast<float>(h), x);
                reference.project(h, inverse_masses(x), expected);
                EXPECT_LT((matrix(x) - expected).norm(), 2e-7) << seed;
            }
        }
}

// M (x - y) = -h^2 dE/dx. Each projection goes along the gradient it finds, so that it is exact for small ways only.
TEST(Stretch, RepeatedItIsImplicitEulerOnTheEnergy) {
    for (const StretchMaterial& law : {soft, stiff}) {
        const std::vector<Vec4> start = some_particles(7, 1e-5);
        StretchReference reference = {some_triangle(), law};
        Eigen::Matrix3d x = matrix(start);
        for (int k = 0; k < 300; ++k) reference.project(h, inverse_masses(start), x);
        const ElementEnergy energy = membrane_energy(reference.triangle, law.law, x);
        for (int k = 0; k < 3; ++k) {
            const Eigen::Vector3d moved = (x - matrix(start)).col(k) / inverse_masses(start)[k];
            const Eigen::Vector3d force = -h * h * energy.gradient.segment<3>(3 * k);
            EXPECT_LT((moved - force).norm(), 2e-3 * (moved.norm() + force.norm()));
        }
    }
}

TEST(Stretch, KeepsTheCentreOfMassAndWhatIsHeld) {
    std::vector<Vec4> x = some_particles(3);
    x[1].w = 0;
    const std::vector<Vec4> before = x;
    Stretch stretch = pack(some_triangle(), stiff);
    project_stretch(stretch, {0, 1}, static_cast<float>(h), x);
    EXPECT_EQ(x[1].xyz(), before[1].xyz());
    EXPECT_NE(x[0].xyz(), before[0].xyz());
    EXPECT_EQ(x[3].xyz(), before[3].xyz());

    x = some_particles(3);
    const Eigen::Vector3d masses = inverse_masses(x).cwiseInverse();
    const Eigen::Vector3d centre = matrix(x) * masses;
    project_stretch(stretch, {0, 1}, static_cast<float>(h), x);
    EXPECT_LT((matrix(x) * masses - centre).norm() / masses.sum(), 1e-9);
}

TEST(Stretch, ALimitHoldsWhereTheLawIsTooSoft) {
    StretchMaterial law = soft;
    law.longest = 1.05;
    std::vector<Vec4> x = some_particles(5);
    for (std::size_t k = 0; k < 3; ++k) x[k].set_xyz(x[k].xyz() * 1.6f);
    Stretch stretch = pack(some_triangle(), law);
    for (int k = 0; k < 30; ++k) project_stretch(stretch, {0, 1}, static_cast<float>(h), x);
    const Eigen::Vector3d strain = membrane_strain(some_triangle(), matrix(x));
    EXPECT_LT(strain[0], 0.05 + 1e-4);
    EXPECT_LT(strain[1], 0.05 + 1e-4);
}

// A whole crumpled sheet, with every kind of law.
TEST(Stretch, SameBitsOnEveryInstructionSet) {
    const Mesh mesh = make_grid({0.3f, 0.3f}, {12, 12}, Diagonals::alternate);
    std::vector<MembraneTriangle> triangles;
    std::vector<Index> material_of;
    const auto flat = [&](Index p) -> Eigen::Vector2d {
        return {static_cast<double>(mesh.positions[p].x), static_cast<double>(mesh.positions[p].z)};
    };
    for (const Triangle& t : mesh.triangles) {
        triangles.push_back(make_membrane(t, {flat(t[0]), flat(t[1]), flat(t[2])}));
        material_of.push_back(static_cast<Index>(material_of.size() % 2));
    }
    std::vector<StretchMaterial> laws = {soft, stiff};
    laws[0].damping = 0.005;
    laws[1].longest = 1.03;
    test::Random random(4);
    std::vector<Vec4> start;
    for (const Vec3& p : mesh.positions) {
        const Vec3 q = p + random.in_cube_float(0.005);
        start.push_back({q.x, q.y, q.z, random.below(10) == 0 ? 0 : random.uniform_float(2e4f, 4e4f)});
    }
    start.emplace_back();
    const auto count = static_cast<Index>(mesh.positions.size());
    std::vector<std::array<std::uint32_t, 4>> expected;
    test::for_each_instruction_set([&](const std::string& name) {
        for (const SweepOrder arrangement : {SweepOrder::lane_sequential}) {
            Stretch stretch =
                make_stretch(triangles, material_of, laws, std::vector<Index>{0, count}, count, arrangement);
            std::vector<Vec4> x = start;
            begin_stretch(stretch, {0, stretch.blocks.size()}, x);
            for (int k = 0; k < 3; ++k) project_stretch(stretch, {0, stretch.blocks.size()}, static_cast<float>(h), x);
            std::vector<std::array<std::uint32_t, 4>> bits;
            for (const Vec4& p : x) bits.push_back(std::bit_cast<std::array<std::uint32_t, 4>>(p));
            if (expected.empty()) expected = bits;
            EXPECT_EQ(bits, expected) << name;
            EXPECT_GT(strain_error(stretch, static_cast<float>(h), x), 0);
        }
    });
}

} // namespace
} // namespace taffeta
