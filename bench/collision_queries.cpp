#include "collision.h"

#include "timing.h"

#include "collision/broad_phase/proximity_query.h"
#include "geometry/ccd.h"
#include "sim/world.h"

#include <algorithm>
#include <limits>

namespace taffeta::bench {
namespace {

constexpr int particles = 5000;
constexpr float frame_rate = 30;
constexpr int substeps = 8;
constexpr int first_frame = 12, last_frame = 48, every = 6; // it reaches the floor at once and folds
constexpr int repeats = 9;
constexpr ContinuousOptions strict = {.eta = 0, .rounds = 64};

// A round cloth that falls edge first and is kept apart by its triangles.
SceneDesc falling_scene() {
    SceneDesc scene;
    scene.frame_rate = frame_rate;
    scene.solver = {.method = "limits", .substeps = substeps, .iterations = 4, .acceleration = true, .threads = 1};
    scene.cloths = {{.shape = DiskShape{.radius = 0.5f, .particles = particles},
                     .position = {0, 0.55f, 0},
                     .rotation = {88, 0, 0},
                     .self_collision = SelfCollision::triangles}};
    scene.colliders = {{.shape = Plane{}}};
    return scene;
}

// A moment of it: where all would go in a substep if nothing stopped them, and what may meet on the way.
struct Moment {
    std::vector<Vec4> x, x_end;
    std::vector<ContactCandidate> vertex_faces = {}, edges = {};
};

Moment moment_of(const World& world, Proximity& proximity) {
    const float h = 1 / (frame_rate * substeps);
    Moment moment = {world.state.x, world.state.x};
    for (Index p = 0; p < world.state.count(); ++p) {
        const Vec3 v = world.state.v[p].xyz() + world.settings.gravity * h;
        moment.x_end[p].set_xyz(moment.x[p].xyz() + v * h);
    }
    proximity.refit(moment.x, moment.x_end, 1e-4f, world.parallel);
    proximity.find_candidates(world.parallel);
    for (const CloseParts& list : proximity.lists()) {
        const CandidateList &vertex_faces = list.vertex_face_candidates, &edges = list.edge_candidates;
        for (std::size_t k = 0; k < vertex_faces.count; ++k) {
            const Triangle& t = proximity.triangles()[vertex_faces.b[k]];
            moment.vertex_faces.push_back({vertex_faces.a[k], t[0], t[1], t[2]});
        }
        for (std::size_t k = 0; k < edges.count; ++k) {
            const Pair &a = proximity.edges()[edges.a[k]], &b = proximity.edges()[edges.b[k]];
            moment.edges.push_back({a.i, a.j, b.i, b.j});
        }
    }
    return moment;
}

Result<std::vector<Moment>> moments_of_fall() {
    Result<Simulation> created = Simulation::create(falling_scene());
    if (!created) return created.faults();
    Simulation& simulation = *created;
    const World& world = simulation.world();
    std::vector<Vec3> rest;
    for (const Vec4& p : world.state.x) rest.push_back(p.xyz());
    std::vector<Triangle> faces;
    for (const auto& [a, b, c] : world.triangles)
        faces.push_back({world.particle_of_vertex[a], world.particle_of_vertex[b], world.particle_of_vertex[c]});
    Proximity proximity(faces, rest);
    std::vector<Moment> moments;
    for (int frame = 1; frame <= last_frame; ++frame) {
        simulation.step(1 / frame_rate);
        if (frame >= first_frame && frame % every == 0) moments.push_back(moment_of(world, proximity));
    }
    return moments;
}

// Of one kind of pair.
struct QueryTime {
    std::size_t count = 0, hits = 0, false_alarms = 0;
    double seconds = 0, worst = 0; // s: of all at once; of one alone

    double ns_each() const { return 1e9 * seconds / static_cast<double>(std::max<std::size_t>(count, 1)); }
};

template <class FindAll, class FindOne>
void time_queries(const Moment& moment, std::span<const ContactCandidate> candidates, const FindAll& find_all,
                  const FindOne& find_one, QueryTime& time) {
    std::vector<Impact> impacts;
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        impacts.clear();
        best = std::min(best, seconds_of([&] { find_all(moment.x, moment.x_end, candidates, impacts); }));
    }
    time.count += candidates.size();
    time.seconds += best;
    time.hits += impacts.size();
    for (const Impact& impact : impacts)
        if (!find_one(moment, candidates[impact.candidate], strict)) ++time.false_alarms;
    // Alone, and the least of several, for a worst case that is the query's and not an interrupt's.
    for (const ContactCandidate& candidate : candidates) {
        double alone = std::numeric_limits<double>::infinity();
        for (int repeat = 0; repeat < 3; ++repeat)
            alone = std::min(alone, seconds_of([&] {
                                 const std::optional<double> toi = find_one(moment, candidate, ContinuousOptions{});
                                 asm volatile("" : : "r"(&toi) : "memory");
                             }));
        time.worst = std::max(time.worst, alone);
    }
}

void add_row(Report& report, const char* kind, const QueryTime& time) {
    report.add({{"kind", kind},
                {"count", time.count},
                {"ns_mean", time.ns_each()},
                {"millions", 1e-6 * static_cast<double>(time.count) / time.seconds},
                {"us_worst", 1e6 * time.worst},
                {"hits", time.hits},
                {"false_alarms", time.false_alarms},
                {"per_million", 1e6 * static_cast<double>(time.false_alarms) / static_cast<double>(time.count)}});
}

} // namespace

Faults bench_queries(Report& report) {
    const Result<std::vector<Moment>> moments = moments_of_fall();
    if (!moments) return moments.faults();
    report.begin_table("collision_queries",
                       "Continuous tests on a falling, folding cloth of 5,000 particles, one thread",
                       {{"kind", "pairs", 18},
                        {"count", "queries", 10},
                        {"ns_mean", "ns, mean", 10, 1},
                        {"millions", "millions/s", 12, 1},
                        {"us_worst", "us, worst", 11, 2},
                        {"hits", "hits", 9},
                        {"false_alarms", "false alarms", 14},
                        {"per_million", "per million", 13}});
    const auto at = [](const std::vector<Vec4>& x, Index v) { return vector_cast<double>(x[v].xyz()); };
    QueryTime vertex_faces, edges;
    for (const Moment& moment : *moments) {
        time_queries(
            moment, moment.vertex_faces,
            [](const auto& x, const auto& x_end, auto candidates, auto& impacts) {
                find_vertex_face_impacts(x, x_end, candidates, impacts);
            },
            [&](const Moment& m, const ContactCandidate& c, const ContinuousOptions& options) {
                return find_vertex_face_impact(at(m.x, c[0]), at(m.x_end, c[0]),
                                               {at(m.x, c[1]), at(m.x, c[2]), at(m.x, c[3])},
                                               {at(m.x_end, c[1]), at(m.x_end, c[2]), at(m.x_end, c[3])}, options);
            },
            vertex_faces);
        time_queries(
            moment, moment.edges,
            [](const auto& x, const auto& x_end, auto candidates, auto& impacts) {
                find_edge_edge_impacts(x, x_end, candidates, impacts);
            },
            [&](const Moment& m, const ContactCandidate& c, const ContinuousOptions& options) {
                return find_edge_edge_impact({at(m.x, c[0]), at(m.x, c[1])}, {at(m.x_end, c[0]), at(m.x_end, c[1])},
                                             {at(m.x, c[2]), at(m.x, c[3])}, {at(m.x_end, c[2]), at(m.x_end, c[3])},
                                             options);
            },
            edges);
    }
    add_row(report, "vertex and face", vertex_faces);
    add_row(report, "edge and edge", edges);
    report.add(Bar{"continuous query, ns, mean of the slower kind", std::max(vertex_faces.ns_each(), edges.ns_each()),
                   Bar::Kind::at_most, 100});
    report.add(
        Bar{"continuous query, us, the worst", 1e6 * std::max(vertex_faces.worst, edges.worst), Bar::Kind::below, 5});
    return {};
}

} // namespace taffeta::bench
