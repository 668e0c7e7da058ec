// Every error of a scene is found, and its message names the key, the value and what is allowed.
#include "support/meshes.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace taffeta {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// A good scene with one of everything.
SceneDesc full_scene() {
    SceneDesc scene;
    scene.solver.method = "limits";
    scene.fabrics = {Fabric{.name = "silk"}};
    scene.cloths.push_back({.name = "sheet", .fabric = "silk", .shape = GridShape{.cells = {4, 4}}});
    scene.cloths.push_back({.shape = DiskShape{.radius = 0.5f, .particles = 40}, .position = {0, 2, 0}});
    scene.colliders.push_back(
        {.shape = Sphere{}, .friction = 0.5f, .motion = {{.t = 0}, {.t = 1, .position = Vec3{}}}});
    scene.grabs.push_back({.cloth = "sheet", .vertex = Index{3}, .path = {{0, {}}, {1, {0, 1, 0}}}});
    scene.view.camera = Camera{};
    return scene;
}

struct Case {
    const char* key;
    const char* value;   // as it stands in the message
    const char* allowed; // part of the message
    std::function<void(SceneDesc&)> spoil;
};

ClothDesc& sheet(SceneDesc& scene) {
    return scene.cloths[0];
}
Fabric& silk(SceneDesc& scene) {
    return scene.fabrics[0];
}
GridShape& grid(SceneDesc& scene) {
    return std::get<GridShape>(sheet(scene).shape);
}
void follow(SceneDesc& scene, int collider) {
    scene.cloths[0].pins = {VertexPin{{0}}};
    scene.cloths[0].pins[0].follow = collider;
}
DiskShape& disk(SceneDesc& scene) {
    return std::get<DiskShape>(scene.cloths[1].shape);
}
ColliderDesc& collider(SceneDesc& scene) {
    return scene.colliders[0];
}
GrabDesc& hand(SceneDesc& scene) {
    return scene.grabs[0];
}
void set_mesh(SceneDesc& scene, const std::function<void(Mesh&)>& spoil) {
    Mesh mesh = make_grid({1, 1}, {2, 2}, Diagonals::left);
    spoil(mesh);
    sheet(scene).shape = MeshShape{.mesh = std::move(mesh)};
}

const std::vector<Case>& all_cases() {
    static const std::vector<Case> cases = {
        {"duration", "-1", "from 0 to 1e6", [](SceneDesc& s) { s.duration = -1; }},
        {"duration", "nan", "from 0 to", [](SceneDesc& s) { s.duration = nan; }},
        {"frame_rate", "0", "from 0.001 to 100000", [](SceneDesc& s) { s.frame_rate = 0; }},
        {"frame_rate", "inf", "from 0.001", [](SceneDesc& s) { s.frame_rate = infinity; }},
        {"gravity", "[0, nan, 0]", "each number must be from -1e6 to 1e6 m/s^2",
         [](SceneDesc& s) { s.gravity.y = nan; }},

        {"solver.method", "\"springs\"", "use \"xpbd\", \"implicit\" or \"limits\"",
         [](SceneDesc& s) { s.solver.method = "springs"; }},
        {"solver.substeps", "0", "from 1 to 10000", [](SceneDesc& s) { s.solver.substeps = 0; }},
        {"solver.iterations", "-3", "from 1 to 100000", [](SceneDesc& s) { s.solver.iterations = -3; }},
        {"solver.damping", "-0.5", "from 0 to", [](SceneDesc& s) { s.solver.damping = -0.5f; }},
        {"solver.velocity_factor", "1.5", "from 0 to 1", [](SceneDesc& s) { s.solver.velocity_factor = 1.5f; }},
        {"solver.velocity_factor", "0.99", "excludes solver.damping",
         [](SceneDesc& s) { s.solver.velocity_factor = 0.99f, s.solver.damping = 1; }},
        {"solver.velocity_factor", "0.99", "use solver.damping",
         [](SceneDesc& s) { s.solver.velocity_factor = 0.99f, s.solver.method = "xpbd"; }},
        {"solver.threads", "-1", "from 0 to 1024", [](SceneDesc& s) { s.solver.threads = -1; }},
        {"solver.threads", "5000", "from 0 to 1024", [](SceneDesc& s) { s.solver.threads = 5000; }},

        {"fabric.silk.density", "0", "from 1e-6 to 10000 kg/m^2, mass of a square metre",
         [](SceneDesc& s) { silk(s).density = 0; }},
        {"fabric.silk.density", "nan", "from 1e-6 to 10000", [](SceneDesc& s) { silk(s).density = nan; }},
        {"fabric.silk.thickness", "-0.1", "from 0 to 1", [](SceneDesc& s) { silk(s).thickness = -0.1f; }},
        {"fabric.silk.friction", "1.5", "from 0 to 1 with method \"limits\"",
         [](SceneDesc& s) { silk(s).friction = 1.5f; }},
        {"fabric.silk.friction", "11", "from 0 to 10", [](SceneDesc& s) { silk(s).friction = 11; }},
        {"fabric.silk.stretch", "[500, 0]", "above 0 or nothing holds it together",
         [](SceneDesc& s) { silk(s).stretch[1] = 0; }},
        {"fabric.silk.stretch", "[-1, 500]", "each number must be from 0.001 to 1e7 N/m",
         [](SceneDesc& s) { silk(s).stretch[0] = -1; }},
        {"fabric.silk.shear", "0", "from 0.001 to 1e7 N/m", [](SceneDesc& s) { silk(s).shear = 0; }},
        {"fabric.silk.poisson", "1", "K12 = poisson sqrt(K1 K2), which must stay below sqrt(K1 K2)",
         [](SceneDesc& s) { silk(s).poisson = 1; }},
        {"fabric.silk.poisson", "-1.5", "from -0.99 to 0.99", [](SceneDesc& s) { silk(s).poisson = -1.5f; }},
        {"fabric.silk.bend", "[1e-05, -1e-05]", "from 0 to 100 N m", [](SceneDesc& s) { silk(s).bend[1] = -1e-5f; }},
        {"fabric.silk.bend", "[nan, 1e-05]", "from 0 to 100 N m", [](SceneDesc& s) { silk(s).bend[0] = nan; }},
        {"fabric.silk.bend_hysteresis", "-1", "from 0 to 10 N", [](SceneDesc& s) { silk(s).bend_hysteresis = -1; }},
        {"fabric.silk.strain_limit", "-0.1", "from 0 to 10", [](SceneDesc& s) { silk(s).strain_limit = -0.1f; }},
        {"fabric.silk.stretch_damping", "-1", "from 0 to 10 s", [](SceneDesc& s) { silk(s).stretch_damping = -1; }},
        {"fabric.silk.bend_damping", "inf", "from 0 to 10 s", [](SceneDesc& s) { silk(s).bend_damping = infinity; }},
        {"fabric.silk.max_stretch", "0.9", "from 1 to 10", [](SceneDesc& s) { silk(s).max_stretch = 0.9f; }},
        {"fabric.silk.min_stretch", "1.1", "from 0 to 1", [](SceneDesc& s) { silk(s).min_stretch = 1.1f; }},
        {"fabric.silk.bend_limit", "1.2", "from 0 to 1", [](SceneDesc& s) { silk(s).bend_limit = 1.2f; }},
        {"fabric.silk", "\"silk\"", "two fabrics", [](SceneDesc& s) { s.fabrics.push_back(s.fabrics[0]); }},

        {"cloth.0.grid.size", "-2", "above 0", [](SceneDesc& s) { grid(s).size[1] = -2; }},
        {"cloth.0.grid.cells", "0", "from 1 to", [](SceneDesc& s) { grid(s).cells[0] = 0; }},
        {"cloth.0.grid.cells", "9.006e+06", "at most 4000000",
         [](SceneDesc& s) {
             grid(s).cells = {3000, 3000};
         }},
        {"cloth.1.disk.radius", "0", "above 0", [](SceneDesc& s) { disk(s).radius = 0; }},
        {"cloth.1.disk.particles", "3", "from 4 to", [](SceneDesc& s) { disk(s).particles = 3; }},
        {"cloth.0.mesh", "0", "at least one", [](SceneDesc& s) { sheet(s).shape = MeshShape{}; }},
        {"cloth.0.mesh", "nan", "vertex 4 is not a finite place",
         [](SceneDesc& s) { set_mesh(s, [](Mesh& m) { m.positions[4].z = nan; }); }},
        {"cloth.0.mesh", "inf", "vertex 2 is not a finite place",
         [](SceneDesc& s) { set_mesh(s, [](Mesh& m) { m.positions[2].x = infinity; }); }},
        {"cloth.0.mesh", "77", "triangle 1 names this vertex, but there are only 9",
         [](SceneDesc& s) { set_mesh(s, [](Mesh& m) { m.triangles[1][2] = 77; }); }},
        {"cloth.0.fabric", "\"tweed\"", "no such fabric", [](SceneDesc& s) { sheet(s).fabric = "tweed"; }},
        {"cloth.0.position", "[1e+07, 0, 0]", "from -1e6 to 1e6 m", [](SceneDesc& s) { sheet(s).position.x = 1e7f; }},
        {"cloth.0.rotation", "[0, nan, 0]", "degrees", [](SceneDesc& s) { sheet(s).rotation.y = nan; }},
        {"cloth.0.velocity", "[0, 0, -1e+07]", "m/s", [](SceneDesc& s) { sheet(s).velocity.z = -1e7f; }},
        {"cloth.0.scale", "0", "above 0", [](SceneDesc& s) { sheet(s).scale = 0; }},
        {"cloth.0.self_distance", "-1", "from 0 to", [](SceneDesc& s) { sheet(s).self_distance = -1; }},
        {"cloth.0.warp", "[0, 0, 0]", "must not be zero", [](SceneDesc& s) { sheet(s).warp = Vec3{}; }},
        {"cloth.0.warp", "[nan, 0, 0]", "from -1e6 to 1e6",
         [](SceneDesc& s) {
             sheet(s).warp = Vec3{nan, 0, 0};
         }},
        {"cloth.0.warp", "[0, 2, 0]", "cloth \"sheet\": the warp is perpendicular",
         [](SceneDesc& s) {
             s.solver.method = "xpbd", sheet(s).warp = Vec3{0, 2, 0};
         }},
        {"cloth.0.warp", "[0, 1, 0]", "cloth \"sheet\", triangle 0 and 7 more: the warp is perpendicular",
         [](SceneDesc& s) {
             s.solver.method = "implicit", sheet(s).warp = Vec3{0, 1, 0};
             set_mesh(s, [](Mesh&) {});
         }},
        {"cloth.0.mesh", "\"\"", "cloth \"sheet\", triangle 3: its texture coordinates have no area",
         [](SceneDesc& s) {
             s.solver.method = "implicit";
             set_mesh(s, [](Mesh& m) {
                 m.triangles.resize(4);
                 const Triangle t = m.triangles[3]; // gets vertices of its own, along a line of the texture
                 for (std::size_t k = 0; k < 3; ++k) {
                     m.triangles[3][k] = static_cast<Index>(m.positions.size());
                     m.positions.push_back(m.positions[t[k]]);
                     m.uv.push_back({static_cast<float>(k), 2});
                 }
             });
         }},
        {"cloth.1.name", "\"sheet\"", "another cloth has this name", [](SceneDesc& s) { s.cloths[1].name = "sheet"; }},
        {"cloth.0.pins.0.vertices", "25", "vertices 0 to 24",
         [](SceneDesc& s) {
             sheet(s).pins = {VertexPin{{3, 25}}};
         }},
        {"cloth.0.pins.1.box", "[1, 0, 0]", "not be above the other corner [0, 1, 1]",
         [](SceneDesc& s) {
             sheet(s).pins = {VertexPin{}, BoxPin{{1, 0, 0}, {0, 1, 1}}};
         }},
        {"cloth.0.pins.0.box", "[nan, 0, 0]", "from -1e6 to 1e6",
         [](SceneDesc& s) {
             sheet(s).pins = {BoxPin{{nan, 0, 0}, {1, 1, 1}}};
         }},
        {"cloth.0.pins.0.corner", "\"left\"", "signed axes", [](SceneDesc& s) { sheet(s).pins = {CornerPin{"left"}}; }},
        {"cloth.0.pins.0.corner", "\"\"", "signed axes", [](SceneDesc& s) { sheet(s).pins = {CornerPin{""}}; }},
        {"cloth.0.pins.0.corner", "\"+x-x\"", "signed axes", [](SceneDesc& s) { sheet(s).pins = {CornerPin{"+x-x"}}; }},
        {"cloth.0.pins.0.corner", "\"+x-\"", "signed axes", [](SceneDesc& s) { sheet(s).pins = {CornerPin{"+x-"}}; }},

        {"cloth.0.pins.0.follow", "1", "colliders 0 to 0", [](SceneDesc& s) { follow(s, 1); }},
        {"cloth.0.pins.0.follow", "-1", "colliders 0 to 0", [](SceneDesc& s) { follow(s, -1); }},
        {"cloth.0.pins.0.follow", "0", "no colliders",
         [](SceneDesc& s) {
             follow(s, 0);
             s.colliders.clear();
         }},
        {"cloth.0.pins.0.follow", "0", "follow or motion",
         [](SceneDesc& s) {
             follow(s, 0);
             sheet(s).pins[0].motion = {{}};
         }},
        {"cloth.0.pins.0.motion", "0", "must rise",
         [](SceneDesc& s) {
             sheet(s).pins = {VertexPin{{0}}};
             sheet(s).pins[0].motion = {{.t = 1}, {.t = 0}};
         }},
        {"cloth.0.pins.0.motion", "[0, nan, 0]", "from -1e6 to 1e6",
         [](SceneDesc& s) {
             sheet(s).pins = {VertexPin{{0}}};
             sheet(s).pins[0].motion = {{.t = 1, .position = {}, .rotation = Vec3{0, nan, 0}}};
         }},
        {"cloth.0.pins.0.centre", "[0, 0, 0]", "belongs to motion",
         [](SceneDesc& s) {
             sheet(s).pins = {VertexPin{{0}}};
             sheet(s).pins[0].centre = Vec3{};
         }},
        {"cloth.0.trousers.particles", "599", "from 600 to 200000",
         [](SceneDesc& s) { sheet(s).shape = TrousersShape{599}; }},

        {"collider.0.radius", "-1", "above 0", [](SceneDesc& s) { collider(s).shape = Sphere{-1}; }},
        {"collider.0.size", "[1, 0, 1]", "each side must be above 0",
         [](SceneDesc& s) {
             collider(s).shape = Box{{1, 0, 1}};
         }},
        {"collider.0.normal", "[0, 0, 0]", "must not be zero", [](SceneDesc& s) { collider(s).shape = Plane{{}}; }},
        {"collider.0.normal", "[nan, 0, 0]", "from -1e6",
         [](SceneDesc& s) {
             collider(s).shape = Plane{{nan, 0, 0}};
         }},
        {"collider.0.radius", "0", "above 0",
         [](SceneDesc& s) {
             collider(s).shape = Capsule{0, 1};
         }},
        {"collider.0.height", "-1", "from 0 to",
         [](SceneDesc& s) {
             collider(s).shape = Capsule{1, -1};
         }},
        {"collider.0.radius", "inf", "at most",
         [](SceneDesc& s) {
             collider(s).shape = Cylinder{infinity, 1};
         }},
        {"collider.0.height", "0", "above 0",
         [](SceneDesc& s) {
             collider(s).shape = Cylinder{1, 0};
         }},
        {"collider.0.position", "[0, inf, 0]", "m", [](SceneDesc& s) { collider(s).position.y = infinity; }},
        {"collider.0.rotation", "[nan, 0, 0]", "degrees", [](SceneDesc& s) { collider(s).rotation.x = nan; }},
        {"collider.0.friction", "2", "with method \"limits\"", [](SceneDesc& s) { collider(s).friction = 2; }},
        {"collider.0.motion", "0", "times must rise", [](SceneDesc& s) { collider(s).motion[1].t = 0; }},
        {"collider.0.motion", "nan", "seconds", [](SceneDesc& s) { collider(s).motion[0].t = nan; }},
        {"collider.0.motion", "[0, 0, nan]", "m",
         [](SceneDesc& s) {
             collider(s).motion[1].position = Vec3{0, 0, nan};
         }},
        {"collider.0.motion", "[0, 1e+08, 0]", "degrees",
         [](SceneDesc& s) {
             collider(s).motion[1].rotation = Vec3{0, 1e8f, 0};
         }},

        {"grab.0.cloth", "\"other\"", "no cloth of this name", [](SceneDesc& s) { hand(s).cloth = "other"; }},
        {"grab.0.vertex", "25", "vertices 0 to 24", [](SceneDesc& s) { hand(s).vertex = 25; }},
        {"grab.0.vertex", "3", "either near or vertex", [](SceneDesc& s) { hand(s).near = Vec3{}; }},
        {"grab.0.near", "[nan, 0, 0]", "m",
         [](SceneDesc& s) {
             hand(s).vertex.reset(), hand(s).near = Vec3{nan, 0, 0};
         }},
        {"grab.0.radius", "-0.1", "from 0 to", [](SceneDesc& s) { hand(s).radius = -0.1f; }},
        {"grab.0.path", "1", "at least two", [](SceneDesc& s) { hand(s).path.pop_back(); }},
        {"grab.0.path", "0", "times must rise", [](SceneDesc& s) { hand(s).path[1].t = 0; }},
        {"grab.0.path", "[0, nan, 0]", "m", [](SceneDesc& s) { hand(s).path[1].position.y = nan; }},

        {"view.camera.from", "[nan, 0, 0]", "m", [](SceneDesc& s) { s.view.camera->from = {nan, 0, 0}; }},
        {"view.camera.at", "[0, 1e+09, 0]", "m", [](SceneDesc& s) { s.view.camera->at = {0, 1e9f, 0}; }},
        {"view.background", "[0, 1.5, 0]", "from 0 to 1", [](SceneDesc& s) { s.view.background = {0, 1.5f, 0}; }},
        {"view.light.from", "[0, 0, 0]", "must not be zero", [](SceneDesc& s) { s.view.light.from = {}; }},
        {"view.light.from", "[nan, 1.5, 0.55]", "from -1e6 to 1e6", [](SceneDesc& s) { s.view.light.from.x = nan; }},
        {"view.light.strength", "-1", "from 0 to 10", [](SceneDesc& s) { s.view.light.strength = -1; }},
        {"view.light.colour", "[-1, 1, 1]", "from 0 to 1", [](SceneDesc& s) { s.view.light.colour.r = -1; }},
        {"view.light.ambient", "11", "from 0 to 10", [](SceneDesc& s) { s.view.light.ambient = 11; }},
        {"view.floor", "-inf", "from -1e6 to 1e6", [](SceneDesc& s) { s.view.floor = -infinity; }},
        {"wind.velocity", "[inf, 0, 0]", "from -1e6 to 1e6 m/s", [](SceneDesc& s) { s.wind.velocity.x = infinity; }},
        {"wind.turbulence", "1.1", "from 0 to 1", [](SceneDesc& s) { s.wind.turbulence = 1.1f; }},
        {"wind.seed", "-1", "from 0 to", [](SceneDesc& s) { s.wind.seed = -1; }},
        {"fabric.silk.drag", "-1", "from 0 to 10", [](SceneDesc& s) { silk(s).drag = -1; }},
        {"fabric.silk.lift", "10.5", "from 0 to 10", [](SceneDesc& s) { silk(s).lift = 10.5f; }},
        {"fabric.silk.sheen", "2", "from 0 to 1", [](SceneDesc& s) { silk(s).sheen = 2; }},
        {"fabric.silk.colour", "[1, nan, 1]", "from 0 to 1", [](SceneDesc& s) { silk(s).colour = {1, nan, 1}; }},
        {"fabric.silk.second_colour", "[1, 1, 2]", "from 0 to 1",
         [](SceneDesc& s) { silk(s).second_colour = {1, 1, 2}; }},
        {"collider.0.colour", "[2, 1, 1]", "from 0 to 1", [](SceneDesc& s) { collider(s).colour = {2, 1, 1}; }},
        {"view.camera.fov", "0", "from 1 to 170", [](SceneDesc& s) { s.view.camera->fov = 0; }},
    };
    return cases;
}

TEST(Check, AGoodSceneHasNoErrors) {
    EXPECT_TRUE(check(full_scene()).empty());
    SceneDesc shortest;
    shortest.cloths.push_back({});
    EXPECT_TRUE(check(shortest).empty());
}

TEST(Check, EveryErrorNamesKeyValueAndWhatIsAllowed) {
    for (const Case& one : all_cases()) {
        SCOPED_TRACE(std::string(one.key) + " = " + one.value);
        SceneDesc scene = full_scene();
        one.spoil(scene);
        const Errors errors = check(scene);
        ASSERT_FALSE(errors.empty());
        const bool found = std::any_of(errors.begin(), errors.end(), [&](const Error& error) {
            return error.key == one.key && error.message.find(one.key) == 0 &&
                   error.message.find(one.value) != std::string::npos &&
                   error.message.find(one.allowed) != std::string::npos;
        });
        EXPECT_TRUE(found) << errors[0].key << " | " << errors[0].message;
        const Result<Simulation> simulation = Simulation::create(scene);
        ASSERT_FALSE(simulation);
        EXPECT_EQ(simulation.errors().size(), errors.size());
    }
}

TEST(Check, FrictionAboveOneIsForMethodsWithCoulombsLaw) {
    for (const char* method : {"xpbd", "implicit"}) {
        SceneDesc scene = full_scene();
        scene.solver.method = method;
        silk(scene).friction = 1.5f;
        collider(scene).friction = 10;
        EXPECT_TRUE(check(scene).empty()) << method;
        collider(scene).friction = 10.5f;
        EXPECT_EQ(check(scene).size(), 1u) << method;
    }
}

TEST(Check, LimitsDoNotAskWhereTheThreadsRun) {
    SceneDesc scene = full_scene();
    sheet(scene).warp = Vec3{0, 1, 0};
    EXPECT_TRUE(check(scene).empty());
    scene.solver.method = "implicit";
    EXPECT_EQ(check(scene).size(), 1u);
    sheet(scene).warp = Vec3{1, 1, 0};
    EXPECT_TRUE(check(scene).empty());
}

TEST(Check, TrianglesWithoutAreaNeedNoWarp) {
    SceneDesc scene = full_scene();
    scene.solver.method = "implicit";
    set_mesh(scene, [](Mesh& mesh) {
        mesh.triangles.push_back({0, 1, 2}); // along the border
    });
    EXPECT_TRUE(check(scene).empty());
}

TEST(Check, AFabricAloneHasKeysWithoutItsName) {
    EXPECT_TRUE(check_fabric(Fabric{}).empty());
    const Errors errors = check_fabric(Fabric{.density = 0, .poisson = 2});
    ASSERT_EQ(errors.size(), 2u);
    EXPECT_EQ(errors[0].key, "density");
    EXPECT_EQ(errors[1].key, "poisson");
}

TEST(Check, LimitsSayOnceWhichValuesOfAFabricTheyIgnore) {
    SceneDesc scene = full_scene();
    scene.cloths[1].fabric = "silk";
    EXPECT_TRUE(Simulation::create(scene)->warnings().empty());
    silk(scene).stretch = {800, 600};
    silk(scene).bend_hysteresis = 1e-4f;
    const Result<Simulation> simulation = Simulation::create(scene);
    ASSERT_EQ(simulation->warnings().size(), 1u);
    const std::string& warning = simulation->warnings()[0];
    EXPECT_EQ(warning.find("fabric \"silk\": method \"limits\" takes density"), 0u) << warning;
    EXPECT_TRUE(warning.ends_with("ignored: stretch, bend_hysteresis")) << warning;
}

TEST(Check, ASceneWithoutClothSaysHowToAddOne) {
    const Errors errors = check({});
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].key, "cloth");
    EXPECT_NE(errors[0].message.find("[[cloth]]"), std::string::npos);
}

TEST(Check, TooManyVerticesInAllAreRefused) {
    SceneDesc scene;
    for (int k = 0; k < 3; ++k) scene.cloths.push_back({.shape = DiskShape{.particles = 2'000'000}});
    const Errors errors = check(scene);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].key, "cloth");
    EXPECT_NE(errors[0].message.find("6000000"), std::string::npos) << errors[0].message;
}

TEST(Check, AllErrorsAreFoundAtOnce) {
    SceneDesc scene = full_scene();
    scene.duration = -1;
    scene.solver.substeps = 0;
    scene.solver.method = "magic";
    scene.fabrics[0].density = -1;
    scene.cloths[0].fabric = "tweed";
    scene.cloths[0].pins = {CornerPin{"up"}, VertexPin{{99}}};
    scene.cloths[1].scale = 0;
    scene.colliders[0].shape = Sphere{0};
    scene.grabs[0].path.clear();
    scene.view.camera->fov = 500;
    EXPECT_EQ(check(scene).size(), 11u);
}

TEST(Check, ABrokenMeshDoesNotFillTheScreen) {
    Mesh mesh = make_grid({1, 1}, {30, 30}, Diagonals::left);
    for (Vec3& p : mesh.positions) p.y = nan;
    const Errors errors = check(test::scene_with(mesh));
    EXPECT_GE(errors.size(), 1u);
    EXPECT_LE(errors.size(), 10u);
}

TEST(Check, ClothsWithoutNamesAreCounted) {
    SceneDesc scene;
    scene.cloths.resize(3);
    scene.cloths[1].name = "skirt";
    EXPECT_EQ(cloth_name(scene, 0), "cloth");
    EXPECT_EQ(cloth_name(scene, 1), "skirt");
    EXPECT_EQ(cloth_name(scene, 2), "cloth3");
}

} // namespace
} // namespace taffeta
