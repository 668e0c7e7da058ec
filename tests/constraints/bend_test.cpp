// Bending as compliant constraints: the fast kernel, its reference, and the energy both stand for.
#include "constraints/bend.h"

#include "support/instruction_sets.h"
#include "support/random.h"

#include <taffeta/mesh.h>

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <bit>
#include <cmath>

namespace taffeta {
namespace {

constexpr double h = 1.0 / 480;
constexpr BendMaterial soft = {.law = {.warp = 1e-6, .weft = 3e-6, .across = 5e-7, .twist = 4e-7}};
constexpr BendMaterial stiff = {.law = {.warp = 1e-3, .weft = 4e-4, .across = 0, .twist = 2e-4}};

struct ElementMesh {
    std::vector<BendingElement> elements;
    std::vector<Vec4> x;               // bent at random, and the sentinel
    std::vector<Eigen::Vector3d> rest; // m
    Index count = 0;
};

// `radius`: of the cylinder about z that the rest shape lies on, in m; 0: it is flat.
ElementMesh some_sheet(double radius = 0) {
    const Mesh mesh = make_grid({0.12f, 0.1f}, {8, 7}, Diagonals::alternate);
    ElementMesh sheet;
    sheet.count = static_cast<Index>(mesh.positions.size());
    std::vector<Eigen::Vector3d> rest;
    test::Random random(9);
    for (const Vec3& p : mesh.positions) {
        const auto along = static_cast<double>(p.x), z = static_cast<double>(p.z);
        if (radius > 0)
            rest.emplace_back(radius * std::sin(along / radius), radius * std::cos(along / radius), z);
        else
            rest.emplace_back(along, 0, z);
        const Vec3 q = p + random.in_cube_float(0.004);
        sheet.x.push_back({q.x, q.y, q.z, random.below(10) == 0 ? 0 : random.uniform_float(2e4f, 4e4f)});
    }
    sheet.x.emplace_back();
    std::vector<Eigen::Vector3d> warp; // in the planes of the triangles, around the cylinder
    for (const Triangle& t : mesh.triangles) {
        const Eigen::Vector3d normal = (rest[t[1]] - rest[t[0]]).cross(rest[t[2]] - rest[t[0]]);
        warp.push_back(Eigen::Vector3d::UnitZ().cross(normal).normalized());
        if (warp.back().x() < 0) warp.back() = -warp.back();
    }
    sheet.elements = make_bending(mesh.triangles, rest, warp);
    sheet.rest = rest;
    return sheet;
}

Bend pack(const ElementMesh& sheet, std::span<const BendingElement> elements, const BendMaterial& law) {
    return make_bend(elements, std::vector<Index>(elements.size(), 0), std::span(&law, 1),
                     std::vector<Index>{0, sheet.count}, sheet.count, SweepOrder::colours);
}

struct Places {
    Eigen::Matrix3Xd x;
    Eigen::VectorXd w;
};

Places places_of(const BendingElement& element, std::span<const Vec4> x) {
    const auto count = static_cast<Eigen::Index>(element.particle.size());
    Places places = {Eigen::Matrix3Xd(3, count), Eigen::VectorXd(count)};
    for (Eigen::Index k = 0; k < count; ++k) {
        const Vec4& p = x[element.particle[static_cast<std::size_t>(k)]];
        places.x.col(k) << static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z);
        places.w[k] = static_cast<double>(p.w);
    }
    return places;
}

TEST(Bend, FollowsTheReferenceSweepAfterSweep) {
    BendMaterial damped = soft;
    damped.damping = 0.01;
    for (const ElementMesh& sheet : {some_sheet(), some_sheet(0.05)})
        for (const BendMaterial& law : {soft, stiff, damped})
            for (const BendingElement& element : sheet.elements) {
                std::vector<Vec4> x = sheet.x;
                Bend bend = pack(sheet, std::span(&element, 1), law);
                BendReference reference = {element, law};
                Places expected = places_of(element, x);
                reference.before = reference.bends(expected.x);
                begin_bend(bend, {0, 1}, x);
                for (int k = 0; k < 3; ++k) {
                    project_bend(bend, {0, 1}, static_cast<float>(h), x);
                    reference.project(h, expected.w, expected.x);
                    ASSERT_LT((places_of(element, x).x - expected.x).norm(), 5e-7);
                }
            }
}

TEST(Bend, ACurvedRestShapeStaysWhereItIsTurnedAndAll) {
    ElementMesh sheet = some_sheet(0.05);
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(1, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
    for (Index p = 0; p < sheet.count; ++p) {
        const Eigen::Vector3f place = (turn * sheet.rest[p]).cast<float>();
        sheet.x[p].set_xyz({place.x(), place.y(), place.z()});
    }
    std::vector<Vec4> x = sheet.x;
    Bend bend = pack(sheet, sheet.elements, stiff);
    for (int k = 0; k < 10; ++k) project_bend(bend, {0, bend.blocks.size()}, static_cast<float>(h), x);
    for (Index p = 0; p < sheet.count; ++p) EXPECT_LT(length(x[p].xyz() - sheet.x[p].xyz()), 5e-6f);
}

TEST(Bend, OneProjectionIsImplicitEulerOnTheEnergy) { // M (x - y) = -h^2 dE/dx: linear, so once is enough
    const ElementMesh sheet = some_sheet();
    for (const BendMaterial& law : {soft, stiff})
        for (const BendingElement& element : sheet.elements) {
            const Places start = places_of(element, sheet.x);
            Eigen::Matrix3Xd x = start.x;
            BendReference reference = {element, law};
            reference.project(h, start.w, x);
            const Eigen::Matrix3Xd force = -h * h * bending_gradient(element, law.law, x);
            for (Eigen::Index k = 0; k < x.cols(); ++k) {
                const Eigen::Vector3d moved = x.col(k) - start.x.col(k), due = start.w[k] * force.col(k);
                EXPECT_LT((moved - due).norm(), 1e-4 * (moved.norm() + due.norm()) + 1e-12);
            }
        }
}

TEST(Bend, AFlatSheetStaysWhereItIs) {
    ElementMesh sheet = some_sheet();
    const Mesh mesh = make_grid({0.12f, 0.1f}, {8, 7}, Diagonals::alternate);
    for (Index p = 0; p < sheet.count; ++p) sheet.x[p].set_xyz(mesh.positions[p] + Vec3{1, 2, 3});
    std::vector<Vec4> x = sheet.x;
    Bend bend = pack(sheet, sheet.elements, stiff);
    for (int k = 0; k < 10; ++k) project_bend(bend, {0, bend.blocks.size()}, static_cast<float>(h), x);
    for (Index p = 0; p < sheet.count; ++p) EXPECT_LT(length(x[p].xyz() - sheet.x[p].xyz()), 5e-6f);
    EXPECT_EQ(bend_error(bend, static_cast<float>(h), sheet.x) < 1, true);
}

TEST(Bend, TheErrorGoesToZeroWithTheSweeps) {
    const ElementMesh sheet = some_sheet();
    std::vector<Vec4> x = sheet.x;
    Bend bend = pack(sheet, sheet.elements, stiff);
    std::vector<double> errors;
    for (int k = 0; k < 200; ++k) {
        project_bend(bend, {0, bend.blocks.size()}, static_cast<float>(h), x);
        if (k % 50 == 0) errors.push_back(bend_error(bend, static_cast<float>(h), x));
    }
    EXPECT_GT(errors[0], 0.1);
    EXPECT_LT(errors[3], 0.1 * errors[0]);
}

TEST(Bend, SameBitsOnEveryInstructionSet) {
    const ElementMesh sheet = some_sheet(0.1);
    BendMaterial damped = stiff;
    damped.damping = 0.003;
    std::vector<std::array<std::uint32_t, 4>> expected;
    test::for_each_instruction_set([&](const std::string& name) {
        Bend bend = pack(sheet, sheet.elements, damped);
        std::vector<Vec4> x = sheet.x;
        begin_bend(bend, {0, bend.blocks.size()}, x);
        for (int k = 0; k < 3; ++k) project_bend(bend, {0, bend.blocks.size()}, static_cast<float>(h), x);
        std::vector<std::array<std::uint32_t, 4>> bits;
        for (const Vec4& p : x) bits.push_back(std::bit_cast<std::array<std::uint32_t, 4>>(p));
        if (expected.empty()) expected = bits;
        EXPECT_EQ(bits, expected) << name;
    });
}

} // namespace
} // namespace taffeta
