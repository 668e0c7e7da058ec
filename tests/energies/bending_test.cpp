// Bending that does not depend on the mesh: quadratic surfaces have their curvature on every triangle of every mesh.
#include "energies/bending.h"

#include "support/meshes.h"
#include "support/random.h"

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace taffeta {
namespace {

constexpr BendingStiffness law = {.warp = 3e-5, .weft = 1e-5, .across = 2e-6, .twist = 5e-6};

struct ElementMesh {
    std::string name;
    std::vector<Triangle> triangles;
    std::vector<Eigen::Vector2d> material;

    std::vector<BendingElement> elements() const {
        std::vector<Eigen::Vector3d> rest; // flat, and warp along x
        for (const Eigen::Vector2d& p : material) rest.emplace_back(p.x(), 0, -p.y());
        const std::vector<Eigen::Vector3d> warp(triangles.size(), Eigen::Vector3d::UnitX());
        return make_bending(triangles, rest, warp);
    }
};

ElementMesh sheet_of(const std::string& name, const Mesh& mesh) {
    ElementMesh sheet = {name, mesh.triangles, {}};
    for (const Vec3& p : mesh.positions) sheet.material.emplace_back(p.x, -p.z); // weft is to the left of warp
    return sheet;
}

// Regular in four ways, with random diagonals, and irregular.
std::vector<ElementMesh> sheets(int cells) {
    std::vector<ElementMesh> all;
    const std::array<float, 2> size = {0.3f, 0.2f};
    all.push_back(sheet_of("left", make_grid(size, {cells, cells}, Diagonals::left)));
    all.push_back(sheet_of("right", make_grid(size, {cells, cells}, Diagonals::right)));
    all.push_back(sheet_of("alternate", make_grid(size, {cells, cells}, Diagonals::alternate)));
    all.push_back(sheet_of("cross", make_grid(size, {cells, cells}, Diagonals::cross)));
    Mesh random = make_grid(size, {cells, cells}, Diagonals::left);
    test::Random dice(5);
    for (std::size_t t = 0; t + 1 < random.triangles.size(); t += 2) { // the two of a cell
        Triangle &a = random.triangles[t], &b = random.triangles[t + 1];
        if (dice.below(2) == 0) continue;
        const auto own = [](const Triangle& t1, const Triangle& t2) { // the corner that the other has not
            std::size_t k = 0;
            while (std::find(t2.begin(), t2.end(), t1[k]) != t2.end()) ++k;
            return k;
        };
        const std::size_t i = own(a, b), j = own(b, a);
        const Index p = a[i], q = a[(i + 1) % 3], r = b[j], s = a[(i + 2) % 3];
        a = {p, q, r};
        b = {p, r, s};
    }
    all.push_back(sheet_of("random", random));
    all.push_back(sheet_of("irregular", test::make_irregular(make_grid(size, {cells, cells}, Diagonals::alternate),
                                                             0.25 * 0.2 / cells, 6)));
    all.push_back(sheet_of("disk", make_disk(0.15f, cells * cells)));
    return all;
}

Eigen::Matrix3Xd places(const BendingElement& element, const ElementMesh& sheet,
                        const std::function<Eigen::Vector3d(const Eigen::Vector2d&)>& surface) {
    Eigen::Matrix3Xd x(3, static_cast<Eigen::Index>(element.particle.size()));
    for (std::size_t k = 0; k < element.particle.size(); ++k)
        x.col(static_cast<Eigen::Index>(k)) = surface(sheet.material[element.particle[k]]);
    return x;
}

TEST(Bending, EveryQuadraticSurfaceHasItsCurvatureOnEveryTriangle) {
    const Eigen::Vector3d a(0.3, -2, 1.5), b(-1, 0.4, 2), c(1, 1, -0.5); // 1/m
    const auto surface = [&](const Eigen::Vector2d& p) -> Eigen::Vector3d {
        return Eigen::Vector3d(p.x(), 0.1 + 2 * p.y(), 3) + a * (p.x() * p.x() / 2) + b * (p.y() * p.y() / 2) +
               c * (p.x() * p.y());
    };
    for (const ElementMesh& sheet : sheets(8)) {
        for (const BendingElement& element : sheet.elements()) {
            const Eigen::Matrix3d k = curvatures(element, places(element, sheet, surface));
            EXPECT_LT((k.col(0) - a).norm(), 1e-8) << sheet.name;
            EXPECT_LT((k.col(1) - b).norm(), 1e-8) << sheet.name;
            EXPECT_LT((k.col(2) - c).norm(), 1e-8) << sheet.name;
        }
    }
}

TEST(Bending, ACylinderStoresHalfOfStiffnessTimesCurvatureSquared) {
    constexpr double radius = 0.1;
    for (const ElementMesh& sheet : sheets(20)) {
        for (const bool along_warp : {true, false}) {
            double energy = 0, area = 0;
            for (const BendingElement& element : sheet.elements()) {
                energy +=
                    bending_energy(element, law, places(element, sheet, [&](const Eigen::Vector2d& p) {
                                       const double angle = (along_warp ? p.x() : p.y()) / radius;
                                       return Eigen::Vector3d(radius * std::sin(angle), radius * (1 - std::cos(angle)),
                                                              along_warp ? p.y() : p.x());
                                   }));
                area += element.area;
            }
            const double expected = area / 2 * (along_warp ? law.warp : law.weft) / (radius * radius);
            EXPECT_NEAR(energy / expected, 1, 0.01) << sheet.name << (along_warp ? ", warp" : ", weft");
        }
    }
}

TEST(Bending, GradientAndStiffnessAreTheDifferencesOfEnergyAndGradient) {
    test::Random random(7);
    const ElementMesh sheet = sheets(6)[5];
    const std::vector<BendingElement> elements = sheet.elements();
    for (std::size_t e = 0; e < elements.size(); e += 5) {
        const BendingElement& element = elements[e];
        Eigen::Matrix3Xd x(3, static_cast<Eigen::Index>(element.particle.size()));
        for (Eigen::Index k = 0; k < x.size(); ++k) x.data()[k] = random.uniform(-0.1, 0.1);
        const Eigen::Matrix3Xd gradient = bending_gradient(element, law, x);
        const Eigen::MatrixXd stiffness = bending_stiffness(element, law);
        constexpr double h = 1e-4; // the energy is a quadratic: differences are exact
        for (Eigen::Index k = 0; k < x.size(); ++k) {
            Eigen::Matrix3Xd after = x, before = x;
            after.data()[k] += h, before.data()[k] -= h;
            const double slope = (bending_energy(element, law, after) - bending_energy(element, law, before)) / (2 * h);
            EXPECT_NEAR(slope, gradient.data()[k], 1e-7 * gradient.norm());
            const Eigen::Matrix3Xd change =
                (bending_gradient(element, law, after) - bending_gradient(element, law, before)) / (2 * h);
            EXPECT_LT((change.row(k % 3).transpose() - stiffness.col(k / 3)).norm(), 1e-7 * stiffness.norm());
            EXPECT_LT(change.row((k + 1) % 3).norm(), 1e-9 * stiffness.norm());
        }
    }
}

TEST(Bending, MovedAndTurnedFlatClothIsNotBent) {
    for (const ElementMesh& sheet : sheets(5)) {
        double energy = 0;
        for (const BendingElement& element : sheet.elements())
            energy += bending_energy(element, law, places(element, sheet, [](const Eigen::Vector2d& p) {
                                         return Eigen::Vector3d(1 + 0.6 * p.x(), p.y() - 3, 2 + 0.8 * p.x());
                                     }));
        EXPECT_LT(energy, 1e-20) << sheet.name;
    }
}

TEST(Bending, SlopesOfNormalCurvaturesAreTheirDifferences) {
    test::Random random(8);
    const ElementMesh sheet = sheets(6)[5];
    const std::vector<BendingElement> elements = sheet.elements();
    for (std::size_t e = 0; e < elements.size(); e += 7) {
        const BendingElement& element = elements[e];
        Eigen::Matrix3Xd x(3, static_cast<Eigen::Index>(element.particle.size()));
        for (Eigen::Index k = 0; k < x.size(); ++k) x.data()[k] = random.uniform(-0.1, 0.1);
        const NormalCurvatures now = normal_curvatures(element, x);
        constexpr double h = 1e-7;
        for (Eigen::Index k = 0; k < x.size(); ++k) {
            Eigen::Matrix3Xd after = x, before = x;
            after.data()[k] += h, before.data()[k] -= h;
            const Eigen::Vector3d slope =
                (normal_curvatures(element, after).value - normal_curvatures(element, before).value) / (2 * h);
            for (int i = 0; i < 3; ++i) {
                const Eigen::Matrix3Xd& gradient = now.gradient[static_cast<std::size_t>(i)];
                EXPECT_NEAR(slope[i], gradient.data()[k], 1e-5 * gradient.norm());
            }
        }
    }
}

// A quarter of a tube of 5 cm: rolled, it is at rest, and its curvature is that of the tube.
TEST(Bending, ARestShapeThatIsNotFlatIsAtRestAndKnowsItsCurvature) {
    constexpr double radius = 0.05;
    for (const ElementMesh& sheet : sheets(16)) {
        std::vector<Eigen::Vector3d> rest, warp;
        const auto angle = [&](double x) { return x / radius; };
        for (const Eigen::Vector2d& p : sheet.material)
            rest.emplace_back(radius * std::sin(angle(p.x())), radius * (1 - std::cos(angle(p.x()))), -p.y());
        for (const Triangle& t : sheet.triangles) {
            const Eigen::Vector3d n = (rest[t[1]] - rest[t[0]]).cross(rest[t[2]] - rest[t[0]]).normalized();
            const Eigen::Vector3d along = Eigen::Vector3d(0, 0, -1).cross(-n); // across the tube's axis
            warp.push_back((along - n * n.dot(along)).normalized());
        }
        double sum = 0, area = 0;
        for (const BendingElement& element : make_bending(sheet.triangles, rest, warp)) {
            Eigen::Matrix3Xd x(3, static_cast<Eigen::Index>(element.particle.size()));
            for (std::size_t k = 0; k < element.particle.size(); ++k)
                x.col(static_cast<Eigen::Index>(k)) = rest[element.particle[k]];
            EXPECT_LT((normal_curvatures(element, x).value - element.rest).norm(), 1e-9 / radius) << sheet.name;
            const Eigen::Matrix3d k = curvatures(element, x);
            EXPECT_LT((k.colwise().norm().transpose() - element.rest.cwiseAbs()).norm(), 1e-9 / radius) << sheet.name;
            EXPECT_NEAR(element.rest[1], 0, 0.1 / radius) << sheet.name;
            sum += element.area * std::abs(element.rest[0]);
            area += element.area;
        }
        EXPECT_NEAR(sum / area, 1 / radius, 0.02 / radius) << sheet.name;
    }
}

TEST(Bending, ATriangleThatIsThereTwiceIsBesideNothing) {
    const std::vector<Triangle> triangles = {{0, 1, 2}, {2, 1, 0}};
    const std::vector<Eigen::Vector3d> rest = {{0, 0, 0}, {0.1, 0, 0}, {0, 0, 0.1}};
    const std::vector<Eigen::Vector3d> warp(2, Eigen::Vector3d::UnitX());
    for (const BendingElement& element : make_bending(triangles, rest, warp)) {
        EXPECT_EQ(element.particle.size(), 3u);
        EXPECT_TRUE(element.weights.allFinite());
    }
}

} // namespace
} // namespace taffeta
