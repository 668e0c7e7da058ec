// The linear systems of implicit steps: solved, and with every constraint kept by every iterate.
#include "solvers/implicit/conjugate_gradients.h"

#include "support/random.h"

#include <Eigen/Geometry>
#include <Eigen/SparseCholesky>

#include <gtest/gtest.h>

namespace taffeta {
namespace {

Eigen::Vector3d vector(const Vec3d& p) {
    return {p.x, p.y, p.z};
}

// Particles in a row, each tied to the next two by blocks and to the next four by numbers.
Stiffness some_stiffness(Index count, test::Random& random) {
    std::vector<std::vector<Index>> near, far;
    for (Index p = 0; p + 4 < count; ++p)
        near.push_back({p, p + 1, p + 2}), far.push_back({p, p + 1, p + 2, p + 3, p + 4});
    Stiffness stiffness = {.far = make_sparsity(count, far), .near = make_sparsity(count, near)};
    stiffness.numbers.assign(stiffness.far.column.size(), 0);
    stiffness.blocks.assign(stiffness.near.column.size(), Eigen::Matrix3d::Zero());
    stiffness.inertia.assign(count, 0.3);
    stiffness.set_pairs(std::vector<Stiffness::Pair>{{1, count - 1, Eigen::Matrix3d::Identity() * 0.7}});
    for (const std::vector<Index>& group : far) {
        const double k = random.uniform(0.1, 1);
        const std::array<double, 5> weights = {1, -2, 2, -2, 1};
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < 5; ++j)
                stiffness.numbers[stiffness.far.place(group[i], group[j])] += k * weights[i] * weights[j];
    }
    for (const std::vector<Index>& group : near) {
        const Eigen::Vector3d n = vector(random.direction());
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                stiffness.blocks[stiffness.near.place(group[i], group[j])] +=
                    (i == j ? 200.0 : -100.0) * n * n.transpose();
    }
    return stiffness;
}

struct System {
    Stiffness a;
    Eigen::Matrix3Xd b, prescribed;
    std::vector<Eigen::Matrix3d> freedom;
};

System some_system(Index count) {
    test::Random random(4);
    System system = {some_stiffness(count, random), Eigen::Matrix3Xd(3, count), Eigen::Matrix3Xd::Zero(3, count), {}};
    for (Index p = 0; p < count; ++p) {
        system.b.col(p) = vector(random.in_ball(1));
        std::vector<Eigen::Vector3d> directions; // up to three, not at right angles
        for (Index k = 0; k < p % 4 && p % 3 == 0; ++k) directions.push_back(vector(random.direction()));
        system.freedom.push_back(freedom_without(directions));
        system.prescribed.col(p) = (Eigen::Matrix3d::Identity() - system.freedom.back()) * vector(random.in_ball(0.1));
    }
    return system;
}

TEST(ConjugateGradients, SolveToEightDigitsWhatFactorsSolve) { // [Wal06] 3.2
    const System system = some_system(300);
    Eigen::Matrix3Xd dx = system.prescribed;
    const ConjugateGradients gradients = {.tolerance = 1e-10, .most_iterations = 5000};
    gradients.solve(system.a, system.b, system.freedom, Parallel(1), dx);

    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(system.a.kept_to(system.freedom));
    Eigen::Matrix3Xd right(3, system.b.cols()), expected = system.prescribed;
    for (Index p = 0; p < 300; ++p)
        right.col(p) = system.freedom[p] * (system.b.col(p) - system.a.times(system.prescribed, p));
    const Eigen::VectorXd solved = factors.solve(Eigen::VectorXd(right.reshaped()));
    for (Index p = 0; p < 300; ++p) expected.col(p) += system.freedom[p] * solved.segment<3>(3 * static_cast<int>(p));
    EXPECT_LT((dx - expected).norm(), 1e-8 * expected.norm());
}

TEST(ConjugateGradients, EveryIterateKeepsEveryConstraint) { // [BW98] 5.3
    const System system = some_system(120);
    Eigen::Matrix3Xd dx = system.prescribed;
    int iterates = 0;
    double worst = 0;
    ConjugateGradients{.tolerance = 1e-8}.solve(
        system.a, system.b, system.freedom, Parallel(1), dx, [&](const Eigen::Matrix3Xd& iterate) {
            ++iterates;
            for (Index p = 0; p < 120; ++p) {
                const Eigen::Matrix3d kept = Eigen::Matrix3d::Identity() - system.freedom[p];
                worst = std::max(worst, (kept * (iterate.col(p) - system.prescribed.col(p))).norm());
            }
        });
    EXPECT_GT(iterates, 10);
    EXPECT_LT(worst, 1e-14);
}

TEST(ConjugateGradients, SameBitsForEveryNumberOfThreads) {
    const System system = some_system(1500);
    Eigen::Matrix3Xd one = system.prescribed, four = system.prescribed;
    ConjugateGradients{}.solve(system.a, system.b, system.freedom, Parallel(1), one);
    ConjugateGradients{}.solve(system.a, system.b, system.freedom, Parallel(4), four);
    EXPECT_EQ(one, four);
}

TEST(Freedom, HasOneDirectionLessForEachThatIsTaken) { // [BW98] Eq. 14
    test::Random random(8);
    std::vector<Eigen::Vector3d> taken;
    for (int number = 0; number <= 3; ++number) {
        const Eigen::Matrix3d free = freedom_without(taken);
        EXPECT_NEAR(free.trace(), 3 - number, 1e-12);
        EXPECT_LT((free * free - free).norm(), 1e-12);
        for (const Eigen::Vector3d& direction : taken) EXPECT_LT((free * direction).norm(), 1e-12);
        taken.push_back(vector(random.direction()));
    }
    const std::vector<Eigen::Vector3d> twice = {taken[0], 2 * taken[0]};
    EXPECT_NEAR(freedom_without(twice).trace(), 2, 1e-12);
}

} // namespace
} // namespace taffeta
