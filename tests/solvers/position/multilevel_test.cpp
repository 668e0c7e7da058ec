#include "solvers/position/multilevel.h"

#include "support/random.h"

#include <gtest/gtest.h>

namespace taffeta {
namespace {

struct Cloth {
    Mesh mesh;
    std::vector<double> mass;
    Cascade cascade;
    std::vector<Vec4> x;

    explicit Cloth(int cells = 40) : mesh(make_grid({1, 1}, {cells, cells}, Diagonals::alternate)) {
        const auto edges = make_topology(mesh.triangles).edges;
        mass = lump_masses(mesh.positions, mesh.triangles, 0.15);
        cascade = Cascade(make_levels(mesh.positions, edges, mass), [](Index, const Vec3&) { return 1.0f; });
        for (std::size_t v = 0; v < mass.size(); ++v) {
            const Vec3& p = mesh.positions[v];
            x.push_back({p.x, p.y, p.z, static_cast<float>(1 / mass[v])});
        }
        x.push_back({});
    }
    void hold(std::vector<Index> held) {
        std::vector<Vec3> rest;
        for (const Index v : held) {
            x[v].w = 0;
            rest.push_back(mesh.positions[v]);
        }
        cascade.hold(held, rest);
    }
    Vec3d momentum_since(const std::vector<Vec4>& before) const {
        Vec3d sum;
        for (std::size_t v = 0; v < mass.size(); ++v)
            sum += vector_cast<double>(x[v].xyz() - before[v].xyz()) * mass[v];
        return sum;
    }
};

const Parallel one_thread(1);

TEST(Cascade, LeavesClothAtRestAlone) {
    Cloth cloth;
    cloth.hold({0, 40});
    const auto before = cloth.x;
    cloth.cascade.run(one_thread, cloth.x);
    for (std::size_t v = 0; v < cloth.x.size(); ++v) EXPECT_LT(length(cloth.x[v].xyz() - before[v].xyz()), 1e-6f);
}

TEST(Cascade, LeavesCrumpledClothAlone) {
    Cloth cloth;
    test::Random random(3);
    for (Vec4& p : cloth.x) p.set_xyz({p.x * 0.3f, random.uniform_float(-0.02f, 0.02f), p.z * 0.5f});
    const auto before = cloth.x;
    cloth.cascade.run(one_thread, cloth.x);
    for (std::size_t v = 0; v < cloth.x.size(); ++v) EXPECT_EQ(cloth.x[v].xyz(), before[v].xyz());
}

TEST(Cascade, PullsStretchedClothTogetherAndKeepsItsCentreOfMass) {
    Cloth cloth;
    for (Vec4& p : cloth.x) p.x *= 1.5f;
    const auto before = cloth.x;
    cloth.cascade.run(one_thread, cloth.x);
    EXPECT_LT(cloth.x[40].x - cloth.x[0].x, 1.3f); // was 1.5, and a sweep moves only the border
    EXPECT_LT(length(cloth.momentum_since(before)), 1e-6);
}

TEST(Cascade, CarriesTheWholeSheetByItsHeldCorners) {
    Cloth cloth;
    cloth.hold({0, 40});
    for (std::size_t v = 0; v < cloth.mass.size(); ++v)
        if (cloth.x[v].w != 0) cloth.x[v].z += 0.01f; // away from the corners, which are at -z
    cloth.cascade.run(one_thread, cloth.x);
    Vec3d mean;
    for (std::size_t v = 0; v < cloth.mass.size(); ++v)
        mean += vector_cast<double>(cloth.x[v].xyz() - cloth.mesh.positions[v]) *
                (1.0 / static_cast<double>(cloth.mass.size()));
    EXPECT_LT(mean.z, 0.008); // a good part of the way back at once, where a sweep moves one row
    EXPECT_EQ(cloth.x[0].xyz(), cloth.mesh.positions[0]);
}

// The middle of a sheet rests on a body; everything else has fallen by a part of the sheet's size.
struct FallenFromAPeg : Cloth {
    static constexpr Index middle = 20 * 41 + 20;
    static constexpr float drop = 0.8f;

    explicit FallenFromAPeg(const Vec3& normal = {0, 1, 0}, float friction = 0) {
        for (std::size_t v = 0; v < mass.size(); ++v)
            if (v != middle) x[v].y -= drop;
        cascade.let_go();
        cascade.bear({middle, mesh.positions[middle], x[middle].xyz(), normal, friction});
    }
    double fallen() const { // m, on average
        double sum = 0;
        for (std::size_t v = 0; v < mass.size(); ++v)
            sum -= static_cast<double>(x[v].y) / static_cast<double>(mass.size());
        return sum;
    }
};

TEST(Cascade, WhatABodyBearsHoldsTheClothAround) {
    FallenFromAPeg cloth;
    EXPECT_TRUE(cloth.cascade.is_borne(FallenFromAPeg::middle));
    EXPECT_FALSE(cloth.cascade.is_borne(0));
    const double before = cloth.fallen();
    cloth.cascade.run(one_thread, cloth.x);
    EXPECT_LT(cloth.fallen(), before - 0.01);
    cloth.cascade.let_go();
    EXPECT_FALSE(cloth.cascade.is_borne(FallenFromAPeg::middle));
}

TEST(Cascade, WhatABodyBearsMayHangAsFarAsItReaches) {
    FallenFromAPeg cloth, alone;
    alone.cascade.let_go();
    for (Cloth* hung : {static_cast<Cloth*>(&cloth), static_cast<Cloth*>(&alone)}) {
        for (std::size_t v = 0; v < hung->mass.size(); ++v) { // straight down from the peg, as far as cloth can go
            const Vec3 rest = hung->mesh.positions[v] - hung->mesh.positions[FallenFromAPeg::middle];
            hung->x[v].set_xyz(Vec3{0, -length(rest), 0});
        }
        hung->cascade.run(one_thread, hung->x);
    }
    for (std::size_t v = 0; v < cloth.mass.size(); ++v) EXPECT_EQ(cloth.x[v].xyz(), alone.x[v].xyz());
}

TEST(Cascade, ABodyBearsAcrossItsSurfaceAndByFriction) {
    const auto held_back = [](const Vec3& normal, float friction) {
        FallenFromAPeg cloth(normal, friction), alone;
        alone.cascade.let_go();
        cloth.cascade.run(one_thread, cloth.x);
        alone.cascade.run(one_thread, alone.x);
        return alone.fallen() - cloth.fallen();
    };
    const double all = held_back({0, 1, 0}, 0);
    EXPECT_GT(all, 0.01);
    EXPECT_EQ(held_back({0, -1, 0}, 1), 0);        // from below nothing is held
    EXPECT_LT(held_back({1, 0, 0}, 0), 0.1 * all); // nor by a smooth wall
    const Vec3 slope = normalized(Vec3{1, 1, 0});
    EXPECT_LT(held_back(slope, 0), 0.7 * all);              // half of the pull is along a smooth slope
    EXPECT_GT(held_back(slope, 1.1f), held_back(slope, 0)); // where a rough one holds
}

TEST(Cascade, SameBitsForEveryNumberOfThreads) {
    for (const int cells : {40, 150}) { // of the larger one, the first level is divided into parts
        std::vector<std::vector<Vec4>> results;
        for (const int threads : {1, 2, 8}) {
            Cloth cloth(cells);
            cloth.hold({0, 40, 800});
            cloth.cascade.let_go();
            for (const Index v : {70, 75, 700, 900})
                cloth.cascade.bear({v, cloth.mesh.positions[v], cloth.mesh.positions[v], {0, 1, 0}, 0.3f});
            for (Vec4& p : cloth.x) p.set_xyz(p.xyz() * 1.2f + Vec3{0, -0.3f, 0});
            const Parallel parallel(threads);
            for (int k = 0; k < 5; ++k) cloth.cascade.run(parallel, cloth.x);
            results.push_back(cloth.x);
        }
        for (std::size_t v = 0; v < results[0].size(); ++v) {
            ASSERT_EQ(results[0][v].xyz(), results[1][v].xyz());
            ASSERT_EQ(results[0][v].xyz(), results[2][v].xyz());
        }
    }
}

TEST(Cascade, ForgetsWhatIsNoLongerHeld) {
    Cloth held_once, never_held;
    const std::vector<Vec3> rest = {held_once.mesh.positions[0], held_once.mesh.positions[40]};
    held_once.cascade.hold(std::vector<Index>{0, 40}, rest);
    held_once.cascade.hold({}, {});
    for (Cloth* cloth : {&held_once, &never_held}) {
        for (Vec4& p : cloth->x) p.x *= 1.1f;
        cloth->cascade.run(one_thread, cloth->x);
    }
    for (std::size_t v = 0; v < held_once.x.size(); ++v) EXPECT_EQ(held_once.x[v].xyz(), never_held.x[v].xyz());
}

} // namespace
} // namespace taffeta
