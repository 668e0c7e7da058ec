// The scene format, key by key: one description that both the reader and the writer follow, so that they cannot
// drift apart (docs/scene-format.md is its manual).
//
// describe(keys, thing) names every key of one table. `keys` is the TableReader of scene_toml.cpp or the TableWriter
// of scene_write.cpp; both offer
//   value(name, field, note)            a key and its field; an absent key leaves the default, an empty optional no key
//   choice(name, field, choices, ...)   a key with named values; `planned` ones are known but not yet available
//   either(names, field, how_many)      a key for each alternative of a variant, in its order
//   exclusive(name, other)              keys of which a table has at most one
//   belongs(names, selector)            keys of other alternatives of the choice `selector` are faults
//   section(name, describe)             a table          [name]
//   sections(name, list)                a list of tables [[name]]
//   named_sections(name, list)          tables           [name.NAME]
//   body(mesh)                          the files that a body is read from, or what it is made by
//   preset(name, fabric)                a key that names a fabric whose values hold where the table gives none
#pragma once

#include <taffeta/io.h>
#include <taffeta/parameters.h>
#include <taffeta/scene.h>

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace taffeta::io {

// T, const when writing.
template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

using Names = std::initializer_list<std::string_view>;

// What a file says besides the scene: how it and the meshes it names are to be read.
enum class Units { m, cm, mm };
enum class UpAxis { y, z };
struct FileHeader {
    int version = 1;
    Units units = Units::m;
    UpAxis up_axis = UpAxis::y;
};

// The words "true" and "false" stand for the booleans; of several words for a value the first is written.
template <class T>
struct Choice {
    std::string_view word;
    T value;
};
inline bool is_boolean(std::string_view word) {
    return word == "true" || word == "false";
}

inline constexpr Choice<Units> unit_choices[] = {{"m", Units::m}, {"cm", Units::cm}, {"mm", Units::mm}};
inline constexpr Choice<UpAxis> up_axis_choices[] = {{"y", UpAxis::y}, {"z", UpAxis::z}};
inline constexpr Choice<std::string_view> method_choices[] = {
    {"xpbd", "xpbd"}, {"implicit", "implicit"}, {"limits", "limits"}};
inline constexpr Choice<Diagonals> diagonals_choices[] = {{"left", Diagonals::left},
                                                          {"right", Diagonals::right},
                                                          {"alternate", Diagonals::alternate},
                                                          {"cross", Diagonals::cross}};
inline constexpr Choice<SelfCollision> self_collision_choices[] = {{"particles", SelfCollision::particles},
                                                                   {"triangles", SelfCollision::triangles},
                                                                   {"true", SelfCollision::usual},
                                                                   {"false", SelfCollision::none}};
inline const Choice<ColliderShape> collider_choices[] = {
    {"sphere", Sphere{}},     {"box", Box{}},       {"plane", Plane{}},     {"capsule", Capsule{}},
    {"cylinder", Cylinder{}}, {"mesh", BodyMesh{}}, {"figure", BodyMesh{}}, {"ring", BodyMesh{}}};

inline constexpr Choice<Weave> weave_choices[] = {
    {"plain", Weave::plain}, {"twill", Weave::twill}, {"satin", Weave::satin}};
inline constexpr Choice<Pattern> pattern_choices[] = {
    {"none", Pattern::none}, {"stripes", Pattern::stripes}, {"check", Pattern::check}};

enum class HowMany { at_most_one, exactly_one };

// A key that <taffeta/parameters.h> knows.
template <class Owner>
void describe_parameter(auto& keys, Is<Owner> auto& owner, const Parameter<Owner>& parameter) {
    std::string note(parameter.unit);
    (note += note.empty() ? "" : ", ") += parameter.definition();
    std::visit([&](auto field) { keys.value(parameter.key, owner.*field, note); }, parameter.field);
}

void describe(auto& keys, Is<SolverDesc> auto& solver) {
    keys.choice("method", solver.method, method_choices, "", {"springs", "woven"});
    for (const auto& parameter : solver_parameters()) {
        // A file has one of the two. When reading, the factor is still unset at its turn.
        if (parameter.key == "damping" && solver.velocity_factor && solver.damping == 0) continue;
        describe_parameter(keys, solver, parameter);
    }
    keys.exclusive("velocity_factor", "damping");
    keys.value("acceleration", solver.acceleration, "correct whole patches before the sweeps");
    keys.value("threads", solver.threads, "0: all cores");
}

void describe_values(auto& keys, Is<Fabric> auto& fabric) {
    for (const auto& parameter : fabric_parameters()) describe_parameter(keys, fabric, parameter);
    keys.value("colour", fabric.colour);
    keys.value("second_colour", fabric.second_colour, "of the pattern");
    keys.choice("weave", fabric.weave, weave_choices);
    keys.choice("pattern", fabric.pattern, pattern_choices);
}

void describe(auto& keys, Is<Fabric> auto& fabric) {
    keys.preset("preset", fabric);
    describe_values(keys, fabric);
}

void describe(auto& keys, Is<FabricFile> auto& file) {
    keys.value("description", file.description);
    keys.value("source", file.source);
    describe_values(keys, file.fabric);
}

void describe(auto& keys, Is<GridShape> auto& grid) {
    keys.value("size", grid.size, "m");
    keys.value("cells", grid.cells, "along X and Z");
    keys.choice("diagonals", grid.diagonals, diagonals_choices);
}

void describe(auto& keys, Is<DiskShape> auto& disk) {
    keys.value("radius", disk.radius, "m");
    keys.value("particles", disk.particles);
}

void describe(auto& keys, Is<TrousersShape> auto& trousers) {
    keys.value("particles", trousers.particles);
}

void describe(auto& keys, Is<MotionKey> auto& key) {
    keys.value("t", key.t, "s");
    keys.value("position", key.position, "m");
    keys.value("rotation", key.rotation, "degrees");
}

void describe(auto& keys, Is<Pin> auto& pin) {
    keys.either({"vertices", "box", "corner"}, pin.which, HowMany::exactly_one);
    keys.value("follow", pin.follow);
    keys.value("motion", pin.motion);
    keys.value("centre", pin.centre);
}

void describe(auto& keys, Is<ClothDesc> auto& cloth) {
    keys.value("name", cloth.name, "empty: cloth, cloth2, ... by place");
    keys.value("fabric", cloth.fabric, "empty: the default fabric");
    keys.either({"grid", "disk", "mesh", "trousers"}, cloth.shape, HowMany::at_most_one);
    keys.value("position", cloth.position, "m");
    keys.value("rotation", cloth.rotation, "degrees, about X, then Y, then Z");
    keys.value("scale", cloth.scale);
    keys.value("velocity", cloth.velocity, "m/s");
    keys.value("pins", cloth.pins);
    keys.choice("self_collision", cloth.self_collision, self_collision_choices);
    keys.value("self_distance", cloth.self_distance, "m; 0: from the size of the triangles");
    keys.value("warp", cloth.warp, "its way in the unplaced shape");
    keys.value("weld", cloth.weld, "join vertices that coincide");
}

void describe(auto& keys, Is<Sphere> auto& sphere) {
    keys.value("radius", sphere.radius, "m");
}
void describe(auto& keys, Is<Box> auto& box) {
    keys.value("size", box.size, "m");
}
void describe(auto& keys, Is<Plane> auto& plane) {
    keys.value("normal", plane.normal, "out of the solid side");
}
void describe(auto& keys, Is<Capsule> auto& capsule) {
    keys.value("radius", capsule.radius, "m");
    keys.value("height", capsule.height, "m, between the centres of the caps");
}
void describe(auto& keys, Is<Cylinder> auto& cylinder) {
    keys.value("radius", cylinder.radius, "m");
    keys.value("height", cylinder.height, "m");
}

// The files that a body is read from.
struct BodyFiles {
    std::optional<std::string> mesh = {}, clip = {}, frames = {};
    std::optional<float> frame_rate = {};
};
void describe(auto& keys, Is<BodyFiles> auto& files) {
    keys.value("mesh", files.mesh);
    keys.value("clip", files.clip, "the animation of the mesh that moves it");
    keys.value("frames", files.frames, "one file for each, #### is its number");
    keys.value("frame_rate", files.frame_rate, "1/s, of the frames");
    keys.exclusive("frames", "mesh");
    keys.exclusive("clip", "frames");
}
// What a body is made by without files; written, it is a mesh like others.
void describe(auto& keys, Is<Figure> auto& figure) {
    keys.value("steps", figure.steps, "0: it stands");
    keys.value("pace", figure.pace, "steps per second");
}
void describe(auto& keys, Is<Ring> auto& ring) {
    keys.value("radius", ring.radius, "m, of the circle in the middle of the tube");
    keys.value("tube", ring.tube, "m, radius of the tube");
}
void describe(auto& keys, Is<BodyMesh> auto& body) {
    keys.body(body);
}

void describe(auto& keys, Is<ColliderDesc> auto& collider) {
    keys.choice("shape", collider.shape, collider_choices);
    std::visit([&](auto& shape) { describe(keys, shape); }, collider.shape);
    keys.belongs(
        {"radius", "size", "normal", "height", "mesh", "clip", "frames", "frame_rate", "steps", "pace", "tube"},
        "shape");
    keys.value("position", collider.position, "m");
    keys.value("rotation", collider.rotation, "degrees, about X, then Y, then Z");
    keys.value("friction", collider.friction);
    keys.value("reflection", collider.reflection, "throws particles back: the simple response");
    keys.value("motion", collider.motion);
    keys.value("colour", collider.colour);
}

void describe(auto& keys, Is<GrabDesc> auto& grab) {
    keys.value("cloth", grab.cloth, "by name; empty: the first");
    keys.value("near", grab.near, "m");
    keys.value("vertex", grab.vertex);
    keys.exclusive("vertex", "near");
    keys.value("radius", grab.radius, "m; 0: one particle");
    keys.value("path", grab.path, "t in s; x, y, z in m");
}

void describe(auto& keys, Is<Camera> auto& camera) {
    keys.value("from", camera.from, "m");
    keys.value("at", camera.at, "m");
    keys.value("fov", camera.fov, "degrees, vertical");
}

void describe(auto& keys, Is<Light> auto& light) {
    keys.value("from", light.from, "the direction it shines from");
    keys.value("strength", light.strength);
    keys.value("colour", light.colour);
    keys.value("ambient", light.ambient, "the light from all around");
}

void describe(auto& keys, Is<ViewDesc> auto& view) {
    keys.value("camera", view.camera, "m; fov in degrees");
    keys.value("background", view.background);
    keys.value("light", view.light);
    keys.value("floor", view.floor, "m, its height");
}

void describe(auto& keys, Is<WindDesc> auto& wind) {
    for (const auto& parameter : wind_parameters()) describe_parameter(keys, wind, parameter);
}

void describe(auto& keys, Is<SceneDesc> auto& scene, Is<FileHeader> auto& file) {
    keys.value("version", file.version, "of the scene format");
    keys.value("name", scene.name);
    keys.value("description", scene.description);
    keys.value("duration", scene.duration, "s");
    keys.value("frame_rate", scene.frame_rate, "frames written per simulated second");
    for (const auto& parameter : scene_parameters()) describe_parameter(keys, scene, parameter);
    keys.choice("units", file.units, unit_choices, "of imported meshes");
    keys.choice("up_axis", file.up_axis, up_axis_choices, "of imported meshes");
    keys.section("solver", [&](auto& solver_keys) { describe(solver_keys, scene.solver); });
    keys.named_sections("fabric", scene.fabrics);
    keys.sections("cloth", scene.cloths);
    keys.sections("collider", scene.colliders);
    keys.sections("grab", scene.grabs);
    keys.section("view", [&](auto& view_keys) { describe(view_keys, scene.view); });
    keys.section("wind", [&](auto& wind_keys) { describe(wind_keys, scene.wind); });
}

// --- how TOML spells values
std::string toml_text(float value); // shortest form that reads back as the same float
std::string toml_text(double value);
std::string toml_text(const Colour& colour);  // "#rrggbb", in quotes
std::string toml_text(std::string_view text); // in quotes, on one line
std::string toml_key(std::string_view name);  // in quotes if it needs them
// Without line breaks and other control characters, which would tear a message apart.
std::string printable(std::string_view text);

// The name closest in spelling, or nothing if none is close enough to be a slip of the fingers.
std::string_view closest(std::string_view name, const std::vector<std::string_view>& names);

} // namespace taffeta::io
