// From the description to the world: particles, limits, masses, pins, warnings.
#include "support/meshes.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace taffeta {
namespace {

using test::make_simulation;
using test::scene_with;

TEST(Build, ConstraintsAreTheEdgesAndTheInteriorEdgesOfEveryMesh) { // F01, F02
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        // Counted on the mesh itself, vertices at one place being one.
        std::set<std::array<std::array<float, 3>, 2>> edges;
        std::set<std::array<float, 3>> corners;
        for (const Triangle& t : mesh.triangles) {
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec3 &a = mesh.positions[t[k]], &b = mesh.positions[t[(k + 1) % 3]];
                const std::array<float, 3> p = {a.x, a.y, a.z}, q = {b.x, b.y, b.z};
                edges.insert({std::min(p, q), std::max(p, q)});
                corners.insert(p);
            }
        }
        const Simulation simulation = make_simulation(scene_with(mesh));
        const World& world = simulation.world();
        EXPECT_EQ(world.edges.size(), edges.size());
        EXPECT_EQ(static_cast<int>(edges.size()),
                  static_cast<int>(corners.size()) + static_cast<int>(mesh.triangles.size()) - euler);
        if (manifold) {
            EXPECT_EQ(world.lengths.count, edges.size());
            EXPECT_EQ(world.limits.count, 3 * mesh.triangles.size() - edges.size()); // bending
        }
    }
}

TEST(Build, LimitsAreMultiplesOfTheRestLengths) { // F08, F10
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {2, 2}, .diagonals = Diagonals::left});
    scene.fabrics[0].max_stretch = 1.1f;
    scene.fabrics[0].min_stretch = 0.8f;
    scene.fabrics[0].bend_limit = 0.5f;
    scene.solver.acceleration = false; // all limits together
    const Simulation simulation = make_simulation(scene);
    int bending = 0;
    for (const Limit& limit : simulation.world().limits.in_order()) {
        const float rest = length(simulation.rest_positions()[limit.j] - simulation.rest_positions()[limit.i]);
        if (std::isinf(limit.longest)) {
            ++bending;
            EXPECT_NEAR(limit.shortest, 0.5 * rest, 1e-6);
        } else {
            EXPECT_NEAR(limit.shortest, 0.8 * rest, 1e-6);
            EXPECT_NEAR(limit.longest, 1.1 * rest, 1e-6);
        }
    }
    EXPECT_EQ(bending, 8);
}

TEST(Build, MassesSumToDensityTimesArea) { // F03
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        double area = 0;
        for (const Triangle& t : mesh.triangles) {
            const Vec3d a = vector_cast<double>(mesh.positions[t[0]]);
            area += 0.5 * length(cross(vector_cast<double>(mesh.positions[t[1]]) - a,
                                       vector_cast<double>(mesh.positions[t[2]]) - a));
        }
        SceneDesc scene = scene_with(mesh);
        scene.fabrics[0].density = 0.25f;
        const Simulation simulation = make_simulation(scene);
        double sum = 0;
        for (const double m : simulation.world().mass) sum += m;
        EXPECT_NEAR(sum / (0.25 * area), 1, 1e-12);
        for (Index p = 0; p < simulation.world().state.count(); ++p) {
            const double m = simulation.world().mass[p];
            EXPECT_NEAR(simulation.world().state.w[p] * m, m > 0 ? 1 : 0, 1e-6);
        }
    }
}

TEST(Build, SeamsAreSewnUnlessTheClothSaysNo) { // F01
    std::vector<std::array<Index, 2>> seam;
    const Mesh mesh = test::make_seamed(&seam);
    SceneDesc scene = scene_with(mesh);
    const Simulation sewn = make_simulation(scene);
    EXPECT_EQ(sewn.vertex_count(), mesh.positions.size());
    EXPECT_EQ(sewn.world().state.count(), mesh.positions.size() - seam.size());
    for (const auto& [a, b] : seam) EXPECT_EQ(sewn.world().particle_of_vertex[a], sewn.world().particle_of_vertex[b]);
    scene.cloths[0].weld = false;
    const Simulation open = make_simulation(scene);
    EXPECT_EQ(open.world().state.count(), mesh.positions.size());
}

TEST(Build, ClothsKeepTheirVertexOrderOneAfterTheOther) {
    SceneDesc scene = scene_with(test::make_seamed());
    scene.cloths.push_back({.shape = DiskShape{.radius = 0.2f, .particles = 50}, .position = {0, 3, 0}});
    scene.cloths.push_back({.shape = GridShape{.cells = {2, 3}}, .position = {0, 5, 0}});
    const Simulation simulation = make_simulation(scene);
    const auto first = static_cast<Index>(test::make_seamed().positions.size());
    EXPECT_EQ(simulation.vertex_count(), first + 50 + 12);
    EXPECT_EQ(simulation.first_vertex(0), 0u);
    EXPECT_EQ(simulation.first_vertex(1), first);
    EXPECT_EQ(simulation.first_vertex(2), first + 50);
    const std::vector<Vec3> positions = test::positions_of(simulation);
    for (Index v = 0; v < simulation.vertex_count(); ++v) {
        const float height = v < first ? 0.0f : v < first + 50 ? 3.0f : 5.0f;
        EXPECT_EQ(positions[v], simulation.rest_positions()[v] + (Vec3{0, height, 0})) << v;
        EXPECT_EQ(positions[v], simulation.position(v));
    }
    const auto disk_triangles = make_disk(0.2f, 50).triangles;
    const std::size_t of_first = test::make_seamed().triangles.size();
    for (std::size_t t = 0; t < disk_triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_EQ(simulation.triangles()[of_first + t][k], first + disk_triangles[t][k]);
}

TEST(Build, PlacesByScaleThenRotationThenPosition) {
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {1, 1}});
    scene.cloths[0].scale = 2;
    scene.cloths[0].rotation = {90, 0, 0};
    scene.cloths[0].position = {0, 5, 0};
    const Simulation simulation = make_simulation(scene);
    // Vertex 0 at (-0.5, 0, -0.5): scaled to (-1, 0, -1), turned to (-1, 1, 0), moved.
    EXPECT_NEAR(length(simulation.position(0) - (Vec3{-1, 6, 0})), 0, 1e-6);
    EXPECT_NEAR(simulation.world().rest_length({0, 1}), 2, 1e-6);
}

TEST(Build, WarningsNameVerticesWhateverTheParticlesAreNumbered) {
    Mesh mesh = test::make_shuffled(make_grid({1, 1}, {40, 40}, Diagonals::left), 4);
    mesh.uv.clear();
    mesh.positions.insert(mesh.positions.begin() + 700, Vec3{3, 3, 3}); // in no triangle
    for (Triangle& t : mesh.triangles)
        for (Index& v : t) v += v >= 700 ? 1U : 0U;
    mesh.positions.push_back({4, 4, 4});
    const Simulation simulation = make_simulation(scene_with(mesh));
    ASSERT_EQ(simulation.warnings().size(), 1u);
    EXPECT_NE(simulation.warnings()[0].find("the first is vertex 700"), std::string::npos) << simulation.warnings()[0];
}

TEST(Pins, HoldByVertexBoxAndCorner) {
    const auto pinned_of = [](const Pin& pin) {
        SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {4, 4}});
        scene.cloths[0].position = {0, 1, 0};
        scene.cloths[0].pins = {pin};
        const Simulation simulation = make_simulation(scene);
        std::set<Index> pinned;
        for (Index v = 0; v < simulation.vertex_count(); ++v)
            if (simulation.world().state.x[simulation.world().particle_of_vertex[v]].w == 0) pinned.insert(v);
        return pinned;
    };
    EXPECT_EQ(pinned_of(VertexPin{{0, 7}}), (std::set<Index>{0, 7}));
    EXPECT_EQ(pinned_of(CornerPin{"-x-z"}), (std::set<Index>{0}));
    EXPECT_EQ(pinned_of(CornerPin{"+x-z"}), (std::set<Index>{4}));
    EXPECT_EQ(pinned_of(CornerPin{"-x+z"}), (std::set<Index>{20}));
    EXPECT_EQ(pinned_of(CornerPin{"+x+z"}), (std::set<Index>{24}));
    EXPECT_EQ(pinned_of(BoxPin{{-0.5f, 1, -0.5f}, {0.5f, 1, -0.5f}}), (std::set<Index>{0, 1, 2, 3, 4})); // borders too
    EXPECT_EQ(pinned_of(BoxPin{{-9, 0, -9}, {9, 0.9f, 9}}), std::set<Index>{}); // in the world, not in the shape
}

TEST(Pins, OfASeamVertexHoldsBothSides) {
    std::vector<std::array<Index, 2>> seam;
    SceneDesc scene = scene_with(test::make_seamed(&seam));
    scene.cloths[0].pins = {VertexPin{{seam[0][1]}}};
    Simulation simulation = make_simulation(scene);
    const Vec3 before = simulation.position(seam[0][0]);
    ASSERT_TRUE(test::run(simulation, 0.5));
    EXPECT_EQ(simulation.position(seam[0][0]), before);
    EXPECT_EQ(simulation.position(seam[0][1]), before);
}

// --- warnings name the cloth, how many and the first

std::string warnings_of(const SceneDesc& scene) {
    const Simulation simulation = make_simulation(scene);
    std::string all;
    for (const std::string& warning : simulation.warnings()) all += warning + "\n";
    return all;
}

void expect_contains(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in: " << text;
}

TEST(Warnings, AreSilentForGoodCloth) {
    EXPECT_EQ(warnings_of(scene_with(make_disk(0.5f, 100))), "");
    EXPECT_EQ(warnings_of(scene_with(test::make_seamed())), "");
}

TEST(Warnings, NameWhatIsOddAboutAMesh) {
    expect_contains(warnings_of(scene_with(test::make_with_unreferenced_vertex())), {"\"cloth\"", "1 ", "vertex 5"});
    expect_contains(warnings_of(scene_with(test::make_with_zero_area())), {"\"cloth\"", "no area", "triangle 3"});
    expect_contains(warnings_of(scene_with(test::make_non_manifold_fan())), {"\"cloth\"", "more than two", "0 and 1"});
    Mesh twice = make_grid({1, 1}, {2, 2}, Diagonals::left);
    twice.triangles.push_back({twice.triangles[3][1], twice.triangles[3][2], twice.triangles[3][0]});
    expect_contains(warnings_of(scene_with(twice)), {"\"cloth\"", "twice", "triangle 8"});
}

TEST(Warnings, NameAPinThatHoldsNothing) {
    SceneDesc scene = scene_with(GridShape{});
    scene.cloths[0].name = "sheet";
    scene.cloths[0].pins = {VertexPin{{0}}, BoxPin{{5, 5, 5}, {6, 6, 6}}};
    expect_contains(warnings_of(scene), {"\"sheet\"", "pins.1", "no vertex"});
}

} // namespace
} // namespace taffeta
