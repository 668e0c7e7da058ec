#include "sim/step/stages.h"

#include "collision/contacts/particle_separation.h"
#include "integrators/momentum.h"
#include "integrators/verlet.h"
#include "sim/api/recording.h"
#include "sim/build/collision_surfaces.h"
#include "sim/build/elements.h"
#include "sim/step/contact_anchors.h"
#include "sim/step/grabs.h"
#include "sim/step/implicit_step.h"
#include "sim/step/motion.h"
#include "sim/step/pins.h"
#include "solvers/position/sweep.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace taffeta {
namespace {

// Particles per piece of a loop over all of them: some 10 us of work.
constexpr std::size_t particle_grain = 4096;
constexpr std::size_t face_grain = 128; // faces in the wind, whose gusts cost more

// The share of a velocity that is left after one substep.
float velocity_kept(const Settings& settings, float h) {
    return settings.velocity_factor.value_or(std::exp(-settings.damping * h));
}

bool all_finite(std::span<const Vec4> x, std::span<const Vec4> v) {
    float sum_x = 0, sum_v = 0; // a single infinity or not-a-number makes them not a number
    for (std::size_t k = 0; k < x.size(); ++k) {
        sum_x += x[k].x * 0 + x[k].y * 0 + x[k].z * 0;
        sum_v += v[k].x * 0 + v[k].y * 0 + v[k].z * 0;
    }
    return sum_x == 0 && sum_v == 0;
}

// A body that goes faster is set where it is to be, without a way on which it could meet cloth.
constexpr float fastest_body = 1000; // m/s

void move_vertices(World& world, Collider& collider, const Substep& substep) {
    place_vertices(collider, substep.end);
    const std::span<Vec4> x = world.state.x, x_prev = world.state.x_prev;
    float farthest = 0;
    for (std::size_t v = 0; v < collider.vertices.size(); ++v) {
        const std::size_t point = collider.first_point + v;
        x_prev[point] = x[point];
        x[point].set_xyz(collider.vertices[v]);
        farthest = std::max(farthest, length(x[point].xyz() - x_prev[point].xyz()));
    }
    if (farthest <= fastest_body * static_cast<float>(substep.end - substep.begin)) return;
    for (std::size_t v = 0; v < collider.vertices.size(); ++v)
        x_prev[collider.first_point + v] = x[collider.first_point + v];
}

void find_body_contacts(World& world) {
    constexpr std::size_t grain = 256;
    const State& state = world.state;
    for (const Cloth& cloth : world.cloths) {
        const auto x_prev = std::span(state.x_prev).subspan(cloth.first_particle, cloth.particle_count);
        const auto x = std::span(state.x).subspan(cloth.first_particle, cloth.particle_count);
        world.is_near.resize(cloth.particle_count);
        for (const Collider& collider : world.colliders) {
            if (collider.desc.reflection || std::holds_alternative<BodyMesh>(collider.body.shape)) continue;
            const Skin skin = skin_of(world, cloth, collider);
            world.parallel.for_pieces(x.size(), grain, [&](std::size_t begin, std::size_t end) {
                find_near(collider.body, skin, world.guard.reach(), x_prev.subspan(begin, end - begin),
                          x.subspan(begin, end - begin), std::span(world.is_near).subspan(begin, end - begin));
            });
            append_contacts(collider.body, skin, world.is_near, cloth.first_particle, x_prev, x, world.body_contacts);
        }
    }
}

// Puts contacts with bodies of particles that have no other contact behind those that have. Returns where these begin.
std::size_t part_alone(World& world) {
    if (world.body_contacts.empty()) return 0;
    std::vector<std::uint8_t>& contacts_of = world.contacts_of_particle; // 2: or more
    contacts_of.assign(world.state.x.size(), 0);
    for (const std::vector<Contact>& list : world.guard.contacts())
        for (const Contact& contact : list)
            for (const Index p : contact.particle) contacts_of[p] = 2;
    for (const Contact& contact : world.body_contacts) {
        std::uint8_t& count = contacts_of[contact.particle[0]];
        count = static_cast<std::uint8_t>(std::min(count + 1, 2));
    }
    const auto alone = std::partition(world.body_contacts.begin(), world.body_contacts.end(),
                                      [&](const Contact& contact) { return contacts_of[contact.particle[0]] > 1; });
    return static_cast<std::size_t>(alone - world.body_contacts.begin());
}

void find_close_particles(World& world) {
    const StageTimer timer(world.profile, Stage::candidates, Stage::constraints);
    world.grid.find_near(world.state.particles(), world.parallel);
}

// After a sweep. Returns how many were too close.
int keep_cloth_apart(World& world, int sweep) {
    State& state = world.state;
    const int sweeps = world.settings.iterations, first = first_separation(sweeps);
    const bool is_last = sweep + 1 == sweeps;
    if (sweep == first) find_close_particles(world);
    const int particles = sweep >= first ? separate(world.grid, world.parallel, state.x) : 0;
    // Gravity brings layers closer in a substep than they are thick: what bears them pushes first, and twice. What the
    // last passes leave of the sliding is left for good: four of them hold cloth on a slope of cloth, where two let it
    // creep by 1 mm in 5 s.
    const int passes = is_last ? 4 : 2;
    int layers = 0;
    world.contacts.separate_alone(state.x_prev, state.x, world.parallel);
    for (int pass = 0; pass < passes && !world.guard.empty(); ++pass)
        layers = world.contacts.separate(state.x_prev, state.x);
    return particles + layers;
}

// Whether cloth presses on itself nearly everywhere. Edges are long then because layers push, and push back at once
// what is pulled: in the heap of bench/self.cpp as many are as long with tightening as without.
bool is_crowded(const World& world, const StepReport& report) {
    constexpr float crowd = 0.5f; // contacts per particle
    return static_cast<float>(report.self_contacts) > crowd * static_cast<float>(world.state.count());
}

// Method "limits" [FGL03].
void sweep_limits(World& world, StepReport& report) {
    const std::span<Vec4> x = world.state.x;
    if (world.settings.acceleration) {
        world.cascade.run(world.parallel, x);
        sweep(world.limits, world.parallel, x); // of bending: once, or it would grow stiffer with the sweeps
    }
    for (int iteration = 0; iteration < world.settings.iterations; ++iteration) {
        const bool is_last = iteration + 1 == world.settings.iterations;
        // Only the first sweep pushes: where cloth cannot have its lengths in all directions, on a sphere say, it
        // should rather wrinkle too tightly than stretch.
        if (world.settings.acceleration)
            sweep(world.lengths, world.parallel, x, iteration == 0 ? Keep::both : Keep::longest);
        else
            sweep(world.limits, world.parallel, x);
        if (world.settings.acceleration && is_last && !is_crowded(world, report))
            world.tightening.run(world.lengths, {}, world.parallel, x);
        report.self_contacts = keep_cloth_apart(world, iteration);
    }
}

// Method "xpbd" [MMC16].
void sweep_elements(World& world, float h, StepReport& report) {
    world.substep = h;
    const std::span<Vec4> x = world.state.x;
    const bool is_held_back = world.settings.acceleration && share_of_sweeps(world, static_cast<double>(h)) < 1;
    const bool bends = world.bend_rate > 0;
    // One sweep of bending is off by h^2 D/(sigma l^4): where that is a hundredth, it is enough.
    const bool is_bent_at_once = world.bend_rate * static_cast<double>(h) * static_cast<double>(h) < 0.01;
    constexpr Tightening::Effort beside_elements = {.rounds = 2, .share = 2}; // which cost many times as much
    const int with_elements = std::max(2, world.settings.iterations / 2);     // if held back; the others cost a third
    begin(world.elements->stretch, world.parallel, world.state.x_prev);
    begin(world.elements->bend, world.parallel, world.state.x_prev);
    if (is_held_back) world.cascade.run(world.parallel, x);
    for (int iteration = 0; iteration < world.settings.iterations; ++iteration) {
        if (bends && (iteration == 0 || !is_bent_at_once)) sweep(world.elements->bend, world.parallel, h, x);
        if (iteration < with_elements || !is_held_back) {
            sweep(world.elements->stretch, world.parallel, h, x);
        } else {
            sweep(world.lengths, world.parallel, x, iteration == with_elements ? Keep::both : Keep::longest);
            world.tightening.run(world.lengths, beside_elements, world.parallel, x);
        }
        report.self_contacts = keep_cloth_apart(world, iteration);
    }
}

void update_all_velocities(World& world, float h, const Vec3& drift, float slow) {
    State& state = world.state;
    world.parallel.for_pieces(state.count(), particle_grain, [&](std::size_t begin, std::size_t end) {
        const std::size_t count = end - begin;
        update_velocities(h, drift, std::span<const Vec4>(state.x).subspan(begin, count),
                          std::span<const Vec4>(state.x_prev).subspan(begin, count),
                          std::span(state.v).subspan(begin, count));
        if (slow > 0) calm(slow, std::span(state.v).subspan(begin, count));
    });
}

} // namespace

bool flies_freely(const World& world, const StepReport& report) {
    const bool is_held =
        std::any_of(world.hands.begin(), world.hands.end(), [](auto& hand) { return !hand.held.empty(); });
    const bool touches_mesh =
        (report.self_contacts > 0 || report.impacts > 0) &&
        std::any_of(world.colliders.begin(), world.colliders.end(), [](auto& c) { return !c.vertices.empty(); });
    return report.contacts == 0 && !touches_mesh && !is_held && !world.has_pins;
}

Substep nth_substep(const World& world, float dt, int k) {
    const int substeps = world.settings.substeps;
    const double begin = world.time, end = begin + static_cast<double>(dt), h = static_cast<double>(dt) / substeps;
    Substep substep = {.begin = begin + k * h, .end = k + 1 < substeps ? begin + (k + 1) * h : end};
    // The very quotient by which scripts go from key to key, so that what callers do can be recorded as a script.
    if (substep.end < end) substep.part = static_cast<float>((substep.end - begin) / (end - begin));
    return substep;
}

void begin_step(World& world) {
    const StageTimer timer(world.profile, Stage::move);
    world.parallel.for_pieces(world.state.count(), particle_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            world.checkpoint.x[p] = world.state.x[p].xyz();
            world.checkpoint.v[p] = world.state.v[p].xyz();
        }
    });
    remember_implicit(world);
    for (Collider& collider : world.colliders) collider.step_start = collider.body.pose;
    for (Hand& hand : world.hands) hand.step_start = hand.position;
}

void move_bodies_and_hands(World& world, const Substep& substep) {
    const StageTimer timer(world.profile, Stage::move);
    for (Collider& collider : world.colliders) {
        collider.body.pose_prev = collider.body.pose;
        collider.body.pose = collider.motion.empty() ? interpolate(collider.step_start, collider.target, substep.part)
                                                     : scripted_pose(collider.motion, substep.end);
        move_vertices(world, collider, substep);
    }
    move_pins(world, substep.end);
    for (Hand& hand : world.hands)
        hand.position = interpolate({hand.step_start, {}}, {hand.target, {}}, substep.part).position;
    follow_scripts(world, substep.begin, substep.end);
    record_scripts(world, substep.end);
}

void apply_forces(World& world, const Substep& substep, float h) {
    const StageTimer timer(world.profile, Stage::forces);
    const WindDesc& wind = world.settings.wind;
    if (!blows(wind)) return; // gravity is the same for all and comes with the prediction
    State& state = world.state;
    for (const Cloth& cloth : world.cloths) {
        world.parallel.for_pieces(cloth.face_count, face_grain, [&](std::size_t begin, std::size_t end) {
            const std::size_t from = cloth.first_face + begin, count = end - begin;
            find_wind_forces(wind, substep.begin, cloth.fabric.drag, cloth.fabric.lift,
                             std::span<const Triangle>(world.faces).subspan(from, count), state.x, state.v,
                             std::span(world.face_force).subspan(from, count));
        });
    }
    world.parallel.for_pieces(state.count(), particle_grain, [&](std::size_t begin, std::size_t end) {
        add_wind(h, world.faces_at, world.face_force, begin, end, state.x, state.v);
    });
}

void predict_positions(World& world, float h) {
    const StageTimer timer(world.profile, Stage::predict);
    State& state = world.state;
    const float keep = velocity_kept(world.settings, h);
    world.parallel.for_pieces(state.count(), particle_grain, [&](std::size_t begin, std::size_t end) {
        const std::size_t count = end - begin;
        predict(h, world.settings.gravity, keep, std::span(state.x).subspan(begin, count),
                std::span(state.x_prev).subspan(begin, count), std::span(state.v).subspan(begin, count));
    });
    place_held_particles(world);
}

void collect_contacts(World& world) {
    if (world.guard.empty()) return;
    const State& state = world.state;
    world.contacts.begin(state.x, state.sentinel());
    const std::span<const Contact> with_bodies = world.body_contacts;
    const std::size_t alone = part_alone(world);
    world.contacts.add(with_bodies.first(alone), state.x_prev, state.x); // what bears the layers pushes first
    world.contacts.add_alone(with_bodies.subspan(alone));
    for (const std::vector<Contact>& list : world.guard.contacts()) world.contacts.add(list, state.x_prev, state.x);
}

void find_candidates(World& world) {
    const StageTimer timer(world.profile, Stage::candidates);
    if (!world.guard.empty()) world.guard.find_contacts(world.state.x_prev, world.state.x, world.parallel);
    world.body_contacts.clear();
    if (has_body_contacts(world)) find_body_contacts(world);
    collect_contacts(world);
}

void solve_constraints(World& world, float h, StepReport& report) {
    const StageTimer timer(world.profile, Stage::constraints);
    if (world.settings.acceleration) {
        tie_cascade(world);
        find_supports(world);
    }
    if (world.settings.method == Method::xpbd)
        sweep_elements(world, h, report);
    else
        sweep_limits(world, report);
}

void solve_contacts(World& world, StepReport& report) {
    const StageTimer timer(world.profile, Stage::contacts);
    State& state = world.state;
    std::fill(world.touched.begin(), world.touched.end(), std::uint8_t{0});
    world.reflected.clear();
    report.contacts = 0;
    for (std::size_t k = 0; k < world.body_contacts.size(); ++k)
        if (world.contacts.push(k) > 0) world.touched[world.body_contacts[k].particle[0]] = 1;
    const int rounds = world.colliders.size() > 1 ? 3 : 1;
    for (int k = 0; k < rounds; ++k) {
        const Round round = k == 0 ? Round::first : Round::again;
        for (const Cloth& cloth : world.cloths) {
            for (const Collider& collider : world.colliders) {
                const Skin skin = skin_of(world, cloth, collider);
                if (collider.desc.reflection && round == Round::first) {
                    report.contacts +=
                        reflect(collider.body, skin, *collider.desc.reflection, cloth.first_particle,
                                cloth.particle_count, state.x_prev, state.x, world.touched, world.reflected);
                    continue;
                }
                std::atomic<int> contacts = 0; // a sum of whole numbers: the same in every order
                world.parallel.for_pieces(
                    cloth.particle_count, particle_grain, [&](std::size_t begin, std::size_t end) {
                        const std::size_t from = cloth.first_particle + begin, count = end - begin;
                        contacts += collide(collider.body, skin, round, std::span(state.x).subspan(from, count),
                                            std::span<const Vec4>(state.x_prev).subspan(from, count),
                                            std::span(world.touched).subspan(from, count));
                    });
                if (round == Round::first) report.contacts += contacts;
            }
        }
    }
    if (!world.body_contacts.empty()) // set back by these in the sweeps
        report.contacts = static_cast<int>(std::count(world.touched.begin(), world.touched.end(), std::uint8_t{1}));
}

void stop_impacts(World& world, StepReport& report) {
    if (world.guard.empty()) return;
    const StageTimer timer(world.profile, Stage::impacts);
    State& state = world.state;
    const GuardReport stopped = world.guard.stop_impacts(state.x_prev, state.w, state.x, world.parallel);
    report.impacts += stopped.impacts;
    report.zones += stopped.zones;
    report.unresolved += stopped.unresolved;
}

void update_velocities(World& world, float h, const StepReport& report) {
    const StageTimer timer(world.profile, Stage::velocities);
    State& state = world.state;
    // Rounding pushes cloth in free flight a little in every substep, and nothing would ever take it back: the centre
    // of mass of a wildly moving cloth of 1 m went 25 um astray in 10 s.
    const bool is_free = flies_freely(world, report);
    const float slow = 0.01f * h * length(world.settings.gravity); // far below what one substep's fall brings
    if (world.settings.method == Method::limits) {
        const Vec3 drift = is_free ? mean_correction(h, state.particles(), state.x_prev, state.v, world.mass) : Vec3{};
        update_all_velocities(world, h, drift, world.settings.acceleration ? slow : 0);
        return;
    }
    // Sweeps that have not converged turn the cloth, too. What its pieces had of momentum before them they have again,
    // unless they touch each other and exchange it.
    const bool is_kept = is_free && (world.pieces.size() == 1 || report.self_contacts == 0);
    if (is_kept)
        for (ConnectedPiece& piece : world.pieces)
            piece.momentum = momentum_of(piece.particles, state.x_prev, state.v, world.mass);
    update_all_velocities(world, h, {}, world.settings.acceleration && !is_free ? slow : 0);
    if (is_kept)
        for (const ConnectedPiece& piece : world.pieces)
            restore_momentum(piece.momentum, piece.particles, state.x, world.mass, state.v);
}

void throw_back(World& world, float h) {
    for (const auto& [particle, way] : world.reflected) world.state.v[particle].set_xyz(way * (1 / h));
}

void end_step(World& world, StepReport& report) {
    const StageTimer timer(world.profile, Stage::inspect);
    for (Collider& collider : world.colliders) collider.target = collider.body.pose;
    for (Hand& hand : world.hands) hand.target = hand.position;
    record_step(world);
    std::atomic<bool> is_finite = true;
    world.parallel.for_pieces(world.state.count(), particle_grain, [&](std::size_t begin, std::size_t end) {
        if (!all_finite(std::span(world.state.x).subspan(begin, end - begin),
                        std::span(world.state.v).subspan(begin, end - begin)))
            is_finite = false;
    });
    report.finite = is_finite;
    if (!report.finite) { // no value that is not a number leaves a step
        for (Index p = 0; p < world.state.count(); ++p) {
            world.state.x[p].set_xyz(world.checkpoint.x[p]);
            const Vec3 v = world.checkpoint.v[p];
            world.state.v[p] = {v.x, v.y, v.z, 0};
        }
        world.state.x[world.state.sentinel()] = {};
        for (const Collider& collider : world.colliders)
            for (std::size_t v = 0; v < collider.vertices.size(); ++v)
                world.state.x[collider.first_point + v].set_xyz(collider.vertices[v]);
        world.guard.forget();
        std::fill(world.touched.begin(), world.touched.end(), std::uint8_t{0});
        put_back_implicit(world);
        renew_holds(world); // hands may have closed or opened meanwhile
    }
}

} // namespace taffeta
