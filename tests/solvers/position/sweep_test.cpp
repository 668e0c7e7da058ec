// The fast solver against the reference: particle by particle where both go through the limits in one order, and in
// what a user sees where the orders differ.
#include "solvers/position/sweep.h"

#include "collision/contacts/particle_separation.h"
#include "solvers/position/reference.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

enum class Order { of_the_fast_solver, of_the_mesh };

// The same cloth for the reference.
ReferenceCloth make_reference(const Simulation& simulation, const SceneDesc& scene, Order order) {
    const World& world = simulation.world();
    ReferenceCloth cloth;
    for (Index p = 0; p < world.state.count(); ++p) {
        cloth.x.push_back(vector_cast<double>(world.state.x[p].xyz()));
        cloth.inverse_mass.push_back(world.state.x[p].w);
    }
    cloth.x_prev = cloth.x; // at rest
    std::vector<Limit> limits = world.limits.in_order();
    if (order == Order::of_the_mesh)
        std::sort(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) {
            const bool a_bends = std::isinf(a.longest), b_bends = std::isinf(b.longest);
            return std::tie(a_bends, a.i, a.j) < std::tie(b_bends, b.i, b.j);
        });
    for (const Limit& limit : limits)
        cloth.limits.push_back({limit.i, limit.j, limit.shortest, std::isinf(limit.longest) ? 1e300 : limit.longest});
    cloth.gravity = vector_cast<double>(scene.gravity);
    cloth.velocity_factor = scene.solver.velocity_factor.value_or(1.0f);
    cloth.iterations = scene.solver.iterations;
    cloth.thickness = scene.fabrics[0].thickness;
    cloth.friction = scene.fabrics[0].friction;
    for (const ColliderDesc& collider : scene.colliders)
        cloth.spheres.push_back({vector_cast<double>(collider.position), std::get<Sphere>(collider.shape).radius});
    if (cloth_self_collision(scene, 0) == SelfCollision::particles) {
        for (const Vec3& p : simulation.rest_positions()) cloth.rest.push_back(vector_cast<double>(p));
        const auto radius = radii_from_edges(world.edges, simulation.rest_positions());
        cloth.self_radius.assign(radius.begin(), radius.end());
    }
    return cloth;
}

// The method as the paper prints it, which the reference follows.
template <class Shape>
SceneDesc plain_scene(const Shape& shape) {
    SceneDesc scene = test::scene_with(shape);
    scene.solver.acceleration = false;
    return scene;
}

SceneDesc hanging_strip() {
    SceneDesc scene = plain_scene(GridShape{.size = {0.2f, 1}, .cells = {4, 20}});
    scene.solver.velocity_factor = 0.99f;
    scene.solver.iterations = 8;
    scene.cloths[0].rotation = {90, 0, 0}; // hangs from the start: calm
    scene.cloths[0].pins = {VertexPin{{0, 1, 2, 3, 4}}};
    scene.cloths[0].self_collision = SelfCollision::none;
    return scene;
}

SceneDesc drape_on_sphere() {
    SceneDesc scene = plain_scene(DiskShape{.radius = 0.4f, .particles = 300});
    scene.solver.velocity_factor = 0.99f;
    scene.solver.iterations = 8;
    scene.fabrics[0].friction = 0.5f;
    scene.fabrics[0].thickness = 0.01f;
    scene.cloths[0].position = {0.01f, 0.37f, 0.02f};
    scene.cloths[0].self_collision = SelfCollision::none;
    scene.colliders = {{.shape = Sphere{0.35f}}};
    return scene;
}

std::vector<Vec3d> particles_of(const Simulation& simulation) {
    std::vector<Vec3d> particles;
    for (const Vec4& p : simulation.world().state.particles()) particles.push_back(vector_cast<double>(p.xyz()));
    return particles;
}

double greatest_difference(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double greatest = 0;
    for (std::size_t p = 0; p < a.size(); ++p) greatest = std::max(greatest, length(a[p] - b[p]));
    return greatest;
}

// Runs the two solvers side by side, and the reference once more with noise of the size of single precision added to
// its positions in each step: what the scene itself makes of rounding. The solvers may not differ by much more than
// that.
void expect_follows_the_reference(const SceneDesc& scene, double seconds) {
    Simulation simulation = test::make_simulation(scene);
    ReferenceCloth cloth = make_reference(simulation, scene, Order::of_the_fast_solver), shaken = cloth;
    const std::vector<Vec3d> start = cloth.x;
    test::Random random(19);
    double of_solvers = 0, of_rounding = 0, way = 0;
    for (int k = 0; k < static_cast<int>(std::lround(seconds * 30)); ++k) {
        ASSERT_TRUE(simulation.step(test::frame).finite);
        for (int substep = 0; substep < scene.solver.substeps; ++substep) {
            cloth.step(static_cast<double>(test::frame) / scene.solver.substeps);
            shaken.step(static_cast<double>(test::frame) / scene.solver.substeps);
            for (std::size_t p = 0; p < shaken.x.size(); ++p)
                if (shaken.inverse_mass[p] > 0) shaken.x[p] += random.in_cube(6e-8);
        }
        of_solvers = std::max(of_solvers, greatest_difference(particles_of(simulation), cloth.x));
        of_rounding = std::max(of_rounding, greatest_difference(shaken.x, cloth.x));
        way = std::max(way, greatest_difference(cloth.x, start));
        ASSERT_LE(of_solvers, 1e-6 + 3 * of_rounding) << "frame " << k;
    }
    EXPECT_GT(way, 0.01); // the scene did move
}

TEST(FastSolver, AHangingStripFollowsTheReferenceParticleByParticle) {
    SceneDesc scene = hanging_strip();
    scene.fabrics[0].max_stretch = 1.05f; // let go into its dead zone it falls, is caught and swings up and down
    scene.fabrics[0].min_stretch = 0.95f;
    expect_follows_the_reference(scene, 4);
}

TEST(FastSolver, ADrapeOnASphereFollowsTheReferenceParticleByParticle) {
    expect_follows_the_reference(drape_on_sphere(), 1);
}

TEST(FastSolver, ASwingingStripFollowsTheReferenceParticleByParticle) {
    SceneDesc scene = hanging_strip();
    scene.cloths[0].rotation = {60, 0, 0};
    expect_follows_the_reference(scene, 2);
}

TEST(FastSolver, OneSweepIsTheReferencesSweepOnEveryMesh) {
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        Simulation simulation = test::make_simulation(plain_scene(mesh));
        World& world = test::world_of(simulation);
        test::Random random(3);
        for (Vec4& p : world.state.particles()) p.set_xyz(p.xyz() + random.in_cube_float(0.02));
        ReferenceCloth cloth = make_reference(simulation, plain_scene(mesh), Order::of_the_fast_solver);
        sweep(world.limits, world.parallel, world.state.x);
        for (const ReferenceLimit& limit : cloth.limits) project_reference_limit(limit, cloth.x, cloth.inverse_mass);
        EXPECT_LT(greatest_difference(particles_of(simulation), cloth.x), 5e-6);
    }
}

// --- in mesh order: what a user sees

struct Seen {
    test::Extent extent;
    double mean_stretch = 0, shadow = 0;
};

Seen seen_of(std::span<const Vec3> positions, const World& world) {
    Seen seen = {.extent = test::extent_of(positions)};
    for (const Pair& edge : world.edges) // of small cloth without seams: particles are vertices
        seen.mean_stretch +=
            static_cast<double>(length(positions[edge.j] - positions[edge.i]) / world.rest_length(edge)) /
            static_cast<double>(world.edges.size());
    seen.shadow = test::shadow_area(positions, world.triangles);
    return seen;
}

void expect_looks_alike(const SceneDesc& scene, double seconds, double tolerance) {
    Simulation simulation = test::make_simulation(scene);
    ReferenceCloth cloth = make_reference(simulation, scene, Order::of_the_mesh);
    ASSERT_TRUE(test::run(simulation, seconds));
    const int steps = static_cast<int>(std::lround(seconds * 30)) * scene.solver.substeps;
    for (int k = 0; k < steps; ++k) cloth.step(static_cast<double>(test::frame) / scene.solver.substeps);

    std::vector<Vec3> reference;
    for (const Vec3d& p : cloth.x) reference.push_back(vector_cast<float>(p));
    const Seen a = seen_of(test::positions_of(simulation), simulation.world()),
               b = seen_of(reference, simulation.world());
    const double size = length(b.extent.high - b.extent.low);
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(a.extent.low[axis], b.extent.low[axis], tolerance * size) << "axis " << axis;
        EXPECT_NEAR(a.extent.high[axis], b.extent.high[axis], tolerance * size) << "axis " << axis;
    }
    EXPECT_NEAR(a.mean_stretch / b.mean_stretch, 1, 0.01);
    EXPECT_NEAR(a.shadow, b.shadow, tolerance * size * size);
}

TEST(FastSolver, AHangingStripLooksLikeTheReferenceInMeshOrder) {
    expect_looks_alike(hanging_strip(), 3, 0.02);
}

TEST(FastSolver, ADrapeWithSelfCollisionLooksLikeTheReferenceInMeshOrder) {
    SceneDesc scene = drape_on_sphere();
    scene.cloths[0].self_collision = SelfCollision::particles;
    expect_looks_alike(scene, 4, 0.04);
}

TEST(FastSolver, ASheetHeldByACornerLooksLikeTheReferenceInMeshOrder) {
    SceneDesc scene = plain_scene(GridShape{.size = {0.5f, 0.5f}, .cells = {15, 15}});
    scene.solver.velocity_factor = 0.99f;
    scene.solver.iterations = 16;
    scene.cloths[0].pins = {CornerPin{"-x-z"}};
    expect_looks_alike(scene, 4, 0.05); // its folds fall a little differently in every order of the limits
}

TEST(FastSolver, WholeRunsGiveTheSameBitsOnEveryInstructionSet) {
    SceneDesc scene = drape_on_sphere();
    scene.cloths[0].self_collision = SelfCollision::particles;
    std::vector<std::uint64_t> hashes;
    test::for_each_instruction_set([&](const std::string& name) {
        Simulation simulation = test::make_simulation(scene);
        EXPECT_TRUE(test::run(simulation, 2)) << name;
        hashes.push_back(simulation.hash());
    });
    ASSERT_FALSE(hashes.empty());
    EXPECT_EQ(std::count(hashes.begin(), hashes.end(), hashes[0]), static_cast<std::ptrdiff_t>(hashes.size()));
}

} // namespace
} // namespace taffeta
