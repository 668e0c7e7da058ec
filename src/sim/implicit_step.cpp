#include "sim/implicit_step.h"

#include "collision/self.h"
#include "sim/hands.h"
#include "sim/sheet.h"

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

Eigen::Vector3d to_eigen(const Vec3& p) {
    return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}
Vec3 to_vec3(const Eigen::Vector3d& p) {
    return {static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())};
}

std::vector<Index> cloth_of_particles(const World& world) {
    std::vector<Index> cloth_of(world.state.count());
    for (std::size_t k = 0; k < world.cloths.size(); ++k)
        for (Index p = 0; p < world.cloths[k].particle_count; ++p)
            cloth_of[world.cloths[k].first_particle + p] = static_cast<Index>(k);
    return cloth_of;
}

// What a step needs to know of the world.
struct Surroundings {
    explicit Surroundings(const World& world) : cloth_of(cloth_of_particles(world)) {
        const Index count = world.state.count();
        is_held.resize(count);
        target.resize(3, count);
        for (Index p = 0; p < count; ++p) {
            is_held[p] = world.state.x[p].w == 0 ? 1 : 0;
            target.col(p) = to_eigen(world.state.x[p].xyz());
        }
        for (const Collider& collider : world.colliders) obstacles.bodies.push_back(collider.body);
        for (const Cloth& cloth : world.cloths)
            for (const Collider& collider : world.colliders)
                obstacles.skins.push_back(
                    {cloth.fabric.thickness, collider.desc.friction.value_or(cloth.fabric.friction)});
        obstacles.cloth_of = cloth_of;
    }
    std::vector<Index> cloth_of;
    std::vector<std::uint8_t> is_held;
    Eigen::Matrix3Xd target;
    Obstacles obstacles;
};

ImplicitStep step_of(const World& world, double h, const Surroundings& surroundings) {
    return {.h = h,
            .gravity = to_eigen(world.settings.gravity),
            .keep = world.settings.velocity_factor ? static_cast<double>(*world.settings.velocity_factor)
                                                   : std::exp(-static_cast<double>(world.settings.damping) * h),
            .iterations = world.settings.iterations,
            .is_held = surroundings.is_held};
}

// What moved the cloth in single precision since the last step: hands, wind, whoever put it back.
void take_over(World& world) {
    ImplicitSolver& implicit = world.implicit;
    for (Index p = 0; p < world.state.count(); ++p) {
        const Vec3 blown = world.state.v[p].xyz() - to_vec3(implicit.v.col(p));
        if (!(blown == Vec3{})) implicit.v.col(p) += to_eigen(blown);
    }
}

void hand_over(World& world) {
    const ImplicitSolver& implicit = world.implicit;
    for (Index p = 0; p < world.state.count(); ++p) {
        world.state.x[p].set_xyz(to_vec3(implicit.x.col(p)));
        world.state.v[p].set_xyz(to_vec3(implicit.v.col(p)));
    }
}

void show_contacts(World& world, StepReport& report) {
    std::fill(world.touched.begin(), world.touched.end(), std::uint8_t{0});
    for (const ImplicitSolver::Contact& contact : world.implicit.contacts()) world.touched[contact.particle] = 1;
    report.contacts = static_cast<int>(std::count(world.touched.begin(), world.touched.end(), std::uint8_t{1}));
}

// Particles of cloth that have come too close are moved apart, and so are their velocities.
void separate_particles(World& world, float h, StepReport& report) {
    State& state = world.state;
    const std::vector<Vec4> before = state.x;
    world.parallel.enter([&] {
        world.grid.find_near(state.particles(), world.parallel);
        for (int iteration = 0; iteration < world.settings.iterations; ++iteration)
            report.self_contacts = separate(world.grid.near(), world.parallel, state.x);
    });
    for (Index p = 0; p < state.count(); ++p) {
        const Vec3 moved = state.x[p].xyz() - before[p].xyz();
        if (moved == Vec3{}) continue;
        world.implicit.x.col(p) += to_eigen(moved);
        world.implicit.v.col(p) += to_eigen(moved * (1 / h));
        state.v[p].set_xyz(to_vec3(world.implicit.v.col(p)));
    }
}

} // namespace

void make_implicit(World& world) {
    world.implicit = {};
    if (world.settings.method != Method::implicit) return;
    world.implicit = ImplicitSolver(make_sheet(world), world.mass);
    put_back_implicit(world);
}

void change_implicit(World& world) {
    if (world.settings.method == Method::implicit) world.implicit.change(laws_of(world), world.mass);
}

void remember_implicit(World& world) {
    if (world.settings.method == Method::implicit) world.implicit.remember();
}

void put_back_implicit(World& world) {
    if (world.settings.method != Method::implicit) return;
    world.implicit.forget_since();
    for (Index p = 0; p < world.state.count(); ++p) {
        world.implicit.x.col(p) = to_eigen(world.state.x[p].xyz());
        world.implicit.v.col(p) = to_eigen(world.state.v[p].xyz());
    }
}

void advance_implicitly(World& world, float h, StepReport& report) {
    const StageTimer timer(world.profile, Stage::constraints);
    take_over(world);
    place_held_particles(world);
    const Surroundings surroundings(world);
    world.parallel.enter([&] {
        world.implicit.step(step_of(world, static_cast<double>(h), surroundings), surroundings.target,
                            surroundings.obstacles, world.parallel);
    });
    hand_over(world);
    show_contacts(world, report);
    separate_particles(world, h, report);
}

SettleReport settle_implicitly(World& world) {
    place_held_particles(world);
    const Surroundings surroundings(world);
    Equilibrium found;
    world.parallel.enter([&] {
        found = world.implicit.settle(step_of(world, 0, surroundings), surroundings.target, surroundings.obstacles,
                                      world.parallel);
    });
    hand_over(world);
    return {found.found, found.iterations, found.residual};
}

} // namespace taffeta
