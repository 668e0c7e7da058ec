#include "sim/step/implicit_step.h"

#include "sim/build/element_mesh.h"
#include "sim/step/grabs.h"
#include "sim/step/stages.h"
#include "solvers/implicit/implicit_solver.h"

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

// What a step needs to know of the world.
struct Surroundings {
    explicit Surroundings(const World& world) : cloth_of(world.cloth_of_particles()) {
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
    ImplicitSolver& implicit = *world.implicit;
    for (Index p = 0; p < world.state.count(); ++p) {
        const Vec3 blown = world.state.v[p].xyz() - to_vec3(implicit.v.col(p));
        if (!(blown == Vec3{})) implicit.v.col(p) += to_eigen(blown);
    }
}

void hand_over(World& world) {
    const ImplicitSolver& implicit = *world.implicit;
    for (Index p = 0; p < world.state.count(); ++p) {
        world.state.x[p].set_xyz(to_vec3(implicit.x.col(p)));
        world.state.v[p].set_xyz(to_vec3(implicit.v.col(p)));
    }
}

void show_contacts(World& world, StepReport& report) {
    std::fill(world.touched.begin(), world.touched.end(), std::uint8_t{0});
    for (const ImplicitSolver::Contact& contact : world.implicit->contacts()) world.touched[contact.particle] = 1;
    report.contacts = static_cast<int>(std::count(world.touched.begin(), world.touched.end(), std::uint8_t{1}));
}

// The particles of cloth that may come too close in this substep.
std::vector<NearPair> find_near_pairs(World& world) {
    std::vector<NearPair> pairs;
    world.grid.find_near(world.state.particles(), world.parallel);
    for (const NearList& list : world.grid.near())
        list.for_pairs([&](Index owner, Index particle, float distance) {
            pairs.push_back({owner, particle, static_cast<double>(distance)});
        });
    return pairs;
}

int count_overlaps(const World& world, std::span<const NearPair> pairs) {
    const Eigen::Matrix3Xd& x = world.implicit->x;
    return static_cast<int>(std::count_if(pairs.begin(), pairs.end(), [&](const NearPair& pair) {
        return (x.col(pair.i) - x.col(pair.j)).norm() < pair.distance;
    }));
}

// What the step brings too close by its triangles is set apart after it, with the velocities that this takes [BFA02].
void keep_surfaces_apart(World& world, float h, StepReport& report) {
    if (world.guard.empty()) return;
    constexpr int sweeps = 8;
    State& state = world.state;
    const std::vector<Vec4> solved = state.x;
    world.guard.find_contacts(state.x_prev, state.x, world.parallel);
    world.body_contacts.clear(); // bodies are constraints of the step itself; another method may have left some
    collect_contacts(world);
    int contacts = 0;
    for (int sweep = 0; sweep < sweeps; ++sweep) contacts = world.contacts.separate(state.x_prev, state.x);
    report.self_contacts += contacts;
    stop_impacts(world, report);
    for (Index p = 0; p < state.count(); ++p) {
        const Vec3 pushed = state.x[p].xyz() - solved[p].xyz();
        if (pushed == Vec3{}) continue;
        world.implicit->x.col(p) += to_eigen(pushed);
        state.v[p].set_xyz(state.v[p].xyz() + pushed * (1 / h));
    }
    take_over(world);
}

// Implicit steps slow down what turns: at 5 rad/s and 1/120 s by a fifth per second. What free cloth had of momentum
// it has again.
void keep_momentum(World& world, std::span<const Vec4> v_before, float keep, float h, const StepReport& report) {
    if (!flies_freely(world, report) || (world.pieces.size() > 1 && report.self_contacts > 0)) return;
    State& state = world.state;
    std::vector<Vec4> v(v_before.begin(), v_before.end());
    for (Vec4& velocity : v) velocity.set_xyz(velocity.xyz() * keep + world.settings.gravity * h);
    for (const ConnectedPiece& piece : world.pieces)
        restore_momentum(momentum_of(piece.particles, state.x_prev, v, world.mass), piece.particles, state.x,
                         world.mass, state.v);
    take_over(world);
}

} // namespace

void make_implicit(World& world) {
    world.implicit.reset();
    if (world.settings.method != Method::implicit) return;
    world.implicit = std::make_unique<ImplicitSolver>(make_sheet(world), world.mass);
    put_back_implicit(world);
}

void change_implicit(World& world) {
    if (world.implicit != nullptr) world.implicit->change(laws_of(world), world.mass);
}

void remember_implicit(World& world) {
    if (world.implicit != nullptr) world.implicit->remember();
}

void put_back_implicit(World& world) {
    if (world.implicit == nullptr) return;
    world.implicit->forget_since();
    for (Index p = 0; p < world.state.count(); ++p) {
        world.implicit->x.col(p) = to_eigen(world.state.x[p].xyz());
        world.implicit->v.col(p) = to_eigen(world.state.v[p].xyz());
    }
}

void advance_implicitly(World& world, float h, StepReport& report) {
    const StageTimer timer(world.profile, Stage::constraints);
    State& state = world.state;
    take_over(world);
    std::copy_n(state.x.begin(), state.count(), state.x_prev.begin());
    const std::vector<Vec4> v_before = state.v;
    place_held_particles(world);
    const Surroundings surroundings(world);
    const std::vector<NearPair> near = find_near_pairs(world);
    ImplicitStep step = step_of(world, static_cast<double>(h), surroundings);
    step.near = near;
    world.implicit->step(step, surroundings.target, surroundings.obstacles, world.parallel);
    hand_over(world);
    show_contacts(world, report);
    report.self_contacts = count_overlaps(world, near);
    keep_surfaces_apart(world, h, report);
    keep_momentum(world, v_before, static_cast<float>(step.keep), h, report);
}

SettleReport settle_implicitly(World& world) {
    place_held_particles(world);
    const Surroundings surroundings(world);
    Equilibrium found;
    world.parallel.enter([&] {
        found = world.implicit->settle(step_of(world, 0, surroundings), surroundings.target, surroundings.obstacles,
                                       world.parallel);
    });
    hand_over(world);
    return {found.found, found.iterations, found.residual};
}

} // namespace taffeta
