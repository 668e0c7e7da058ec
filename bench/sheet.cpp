#include "benchmarks.h"
#include "bullet_sheet.h"
#include "timing.h"

#include "sim/world.h"
#include "solvers/reference.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace taffeta::bench {
namespace {

constexpr float dt = 1.0f / 60; // s, one integration step per frame
constexpr int sweeps = 16;
// The sheet hangs still at the end, so that the longest edge does not depend on the phase of a swing.
constexpr float velocity_factor = 0.9f;
constexpr int frames_per_block = 5;
constexpr int blocks = 24; // 2 s

// One of those who simulate the same sheet.
struct Contestant {
    std::string name;
    int threads = 1;
    std::function<void()> step;
    std::function<Vec3(Index)> position;
    double seconds_per_frame = std::numeric_limits<double>::infinity(); // of the best block
};

// A sheet of n x n particles and 1 m x 1 m that hangs by two corners. Every pair is a distance to be kept, as far as
// the method allows: our bending limits push and never pull.
SceneDesc sheet_scene(int n, int threads) {
    SceneDesc scene;
    scene.frame_rate = 1 / dt;
    scene.solver = {.substeps = 1, .iterations = sweeps, .velocity_factor = velocity_factor, .threads = threads};
    scene.fabrics = {{.name = "cloth", .max_stretch = 1, .min_stretch = 1, .bend_limit = 1}};
    // Diagonals of one direction: no two edges have the same opposite pair, so that there are 6 n^2 different pairs.
    scene.cloths = {{.fabric = "cloth",
                     .shape = GridShape{{1, 1}, {n - 1, n - 1}, Diagonals::left},
                     .rotation = {90, 0, 0},
                     .pins = {CornerPin{"-x-z"}, CornerPin{"+x-z"}},
                     .self_collision = SelfCollision::none}};
    return scene;
}

ReferenceCloth make_reference(const World& world) {
    ReferenceCloth cloth;
    for (const Vec4& p : world.state.particles()) {
        cloth.x.push_back(vector_cast<double>(p.xyz()));
        cloth.inverse_mass.push_back(static_cast<double>(p.w));
    }
    cloth.x_prev = cloth.x;
    for (const Limit& limit : world.limits.in_order(world.state.sentinel()))
        cloth.limits.push_back(
            {limit.i, limit.j, static_cast<double>(limit.shortest), static_cast<double>(limit.longest)});
    cloth.gravity = vector_cast<double>(world.settings.gravity);
    cloth.velocity_factor = static_cast<double>(velocity_factor);
    cloth.iterations = sweeps;
    return cloth;
}

BulletSheet make_bullet(const World& world, bool reorder_links) {
    std::vector<Vec3> positions;
    std::vector<float> mass;
    for (const Vec4& p : world.state.particles()) {
        positions.push_back(p.xyz());
        mass.push_back(p.w > 0 ? 1 / p.w : 0);
    }
    // In the order in which a program appends them: the edges of the mesh, then the bending pairs.
    Topology topology = make_topology(world.triangles);
    std::vector<Pair> links = std::move(topology.edges);
    links.insert(links.end(), topology.opposite.begin(), topology.opposite.end());
    return BulletSheet({.positions = positions,
                        .mass = mass,
                        .links = links,
                        .gravity = world.settings.gravity,
                        .velocity_factor = velocity_factor,
                        .iterations = sweeps,
                        .reorder_links = reorder_links});
}

float longest_edge(const World& world, const Contestant& contestant) {
    float longest = 0;
    for (std::size_t e = 0; e < world.edges.size(); ++e) {
        const Vec3 d = contestant.position(world.edges[e].j) - contestant.position(world.edges[e].i);
        longest = std::max(longest, length(d) / world.rest_length[e]);
    }
    return longest;
}

// The contestants take turns, so that what else the machine does hits all of them.
void race(std::span<Contestant> contestants) {
    for (int block = 0; block < blocks; ++block) {
        for (Contestant& contestant : contestants) {
            const double seconds = seconds_of([&] {
                for (int frame = 0; frame < frames_per_block; ++frame) contestant.step();
            });
            contestant.seconds_per_frame = std::min(contestant.seconds_per_frame, seconds / frames_per_block);
        }
    }
}

Faults bench_sheet_of(int n, Report& report) {
    Result<Simulation> single = Simulation::create(sheet_scene(n, 1));
    Result<Simulation> all = Simulation::create(sheet_scene(n, 0));
    if (!single) return single.faults();
    if (!all) return all.faults();
    const World& world = single->world();
    ReferenceCloth reference = make_reference(world);
    BulletSheet bullet = make_bullet(world, false);
    BulletSheet reordered = make_bullet(world, true);

    std::array<Contestant, 5> contestants = {
        Contestant{.name = "taffeta",
                   .step = [&] { single->step(dt); },
                   .position = [&](Index p) { return single->position(p); }},
        {.name = "taffeta",
         .threads = all->threads(),
         .step = [&] { all->step(dt); },
         .position = [&](Index p) { return all->position(p); }},
        {.name = "reference",
         .step = [&] { reference.step(static_cast<double>(dt)); },
         .position = [&](Index p) { return vector_cast<float>(reference.x[p]); }},
        {.name = "Bullet", .step = [&] { bullet.step(dt); }, .position = [&](Index p) { return bullet.position(p); }},
        {.name = "Bullet reordered",
         .step = [&] { reordered.step(dt); },
         .position = [&](Index p) { return reordered.position(p); }},
    };
    race(contestants);

    const double projections = static_cast<double>(world.limits.count) * sweeps;
    const double ours = contestants[0].seconds_per_frame;
    const double bullets = contestants[3].seconds_per_frame, best_bullets = contestants[4].seconds_per_frame;
    for (const Contestant& contestant : contestants) {
        report.add({{"solver", contestant.name},
                    {"n", n},
                    {"threads", contestant.threads},
                    {"projections", projections},
                    {"ms_per_frame", 1e3 * contestant.seconds_per_frame},
                    {"ns_per_projection", 1e9 * contestant.seconds_per_frame / projections},
                    {"longest_edge", longest_edge(world, contestant)},
                    {"share_of_bullet", contestant.seconds_per_frame / bullets},
                    {"share_of_bullet_reordered", contestant.seconds_per_frame / best_bullets}});
    }
    if (n == 128)
        report.add(Bar{"sheet, n = 128, one thread, share of Bullet's time", ours / bullets, Bar::Kind::at_most, 0.25});
    return {};
}

} // namespace

Faults bench_sheet(Report& report) {
    report.begin_table(
        "sheet", "Hanging sheet of n x n particles, 16 sweeps per frame of 1/60 s, all stages; longest edge after 2 s",
        {{"solver", "solver", 16},
         {"n", "n", 5},
         {"threads", "threads", 9},
         {"projections", "projections", 13},
         {"ms_per_frame", "ms/frame", 10, 3},
         {"ns_per_projection", "ns/proj", 9, 2},
         {"longest_edge", "longest", 9, 3},
         {"share_of_bullet", "of Bullet", 11, 3},
         {"share_of_bullet_reordered", "of reordered", 14, 3}});
    for (const int n : {32, 64, 128, 256})
        if (Faults faults = bench_sheet_of(n, report); !faults.empty()) return faults;
    return {};
}

} // namespace taffeta::bench
