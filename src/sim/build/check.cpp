// What a scene may contain: the ranges of every value and the references between its parts.
#include "mesh/warp.h"

#include <taffeta/parameters.h>
#include <taffeta/scene.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <set>
#include <sstream>
#include <string_view>

namespace taffeta {
namespace {

constexpr float far_away = 1e6f; // m and m/s: beyond, single precision has nothing left for cloth
constexpr int most_particles = 4'000'000;
constexpr int least_trousers = 600, most_trousers = 200'000; // fewer triangles would cut into the figure
constexpr int enough = 10; // a mesh that is broken throughout should not fill the screen
constexpr std::array<std::string_view, 3> methods = {"limits", "xpbd", "implicit"};

std::string text(const Vec3& v) {
    std::ostringstream out;
    out << '[' << v.x << ", " << v.y << ", " << v.z << ']';
    return out.str();
}

std::string text(const std::array<float, 2>& pair) {
    std::ostringstream out;
    out << '[' << pair[0] << ", " << pair[1] << ']';
    return out.str();
}

template <class T>
std::string text(const T& value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

// A bound, as short as people write it: 1e6, not 1e+06.
template <class T>
std::string bound(const T& value) {
    std::string shown = text(value);
    if (const std::size_t exponent = shown.find("e+0"); exponent != std::string::npos) shown.erase(exponent + 1, 2);
    if (const std::size_t exponent = shown.find("e-0"); exponent != std::string::npos) shown.erase(exponent + 2, 1);
    return shown;
}

class Checker {
public:
    Faults faults;

    template <class T>
    void fault(const std::string& key, const T& value, const std::string& allowed) {
        faults.push_back({.message = key + " = " + text(value) + ": " + allowed, .key = key});
    }
    template <class T>
    void in_range(const std::string& key, T value, T low, T high, const std::string& what = "") {
        if (!(value >= low && value <= high)) // also not a number
            fault(key, value, "must be from " + bound(low) + " to " + bound(high) + (what.empty() ? "" : ", " + what));
    }
    // Above zero by so much that squares and inverse masses are still numbers.
    void positive(const std::string& key, float value, float high = far_away) {
        if (!(value >= 1e-6f && value <= high))
            fault(key, value, "must be above 0, at least 1e-6 and at most " + bound(high));
    }
    void vector(const std::string& key, const Vec3& value, const std::string& unit) {
        for (int axis = 0; axis < 3; ++axis)
            if (!(std::abs(value[axis]) <= far_away))
                return fault(key, value, "each number must be from -1e6 to 1e6" + (unit.empty() ? "" : " " + unit));
    }

    // Every parameter of a table, within its range.
    template <class Owner>
    void parameters(const std::string& at, const Owner& owner, std::span<const Parameter<Owner>> table) {
        for (const Parameter<Owner>& parameter : table) {
            const auto check_field = [&](auto field) {
                check_value(at + std::string(parameter.key), owner.*field, parameter);
            };
            std::visit(check_field, parameter.field);
        }
    }

private:
    template <class Owner>
    void check_value(const std::string& key, const std::optional<float>& value, const Parameter<Owner>& parameter) {
        if (value) check_value(key, *value, parameter);
    }
    template <class Owner>
    void check_value(const std::string& key, const Vec3& value, const Parameter<Owner>& parameter) {
        for (int axis = 0; axis < 3; ++axis)
            if (!is_within(value[axis], parameter))
                return fault(key, value, "each number must be " + range_of<float>(parameter));
    }
    template <class Owner>
    void check_value(const std::string& key, const std::array<float, 2>& value, const Parameter<Owner>& parameter) {
        if (!is_within(value[0], parameter) || !is_within(value[1], parameter))
            fault(key, value,
                  "each number must be " + range_of<float>(parameter) + ", " + std::string(parameter.definition()));
    }
    template <class T, class Owner>
    void check_value(const std::string& key, const T& value, const Parameter<Owner>& parameter) {
        if (!is_within(value, parameter))
            fault(key, value, "must be " + range_of<T>(parameter) + ", " + std::string(parameter.definition()));
    }
    template <class T, class Owner>
    static bool is_within(T value, const Parameter<Owner>& parameter) { // a value that is no number is not
        return value >= static_cast<T>(parameter.low) && value <= static_cast<T>(parameter.high);
    }
    template <class T, class Owner>
    static std::string range_of(const Parameter<Owner>& parameter) {
        return "from " + bound(static_cast<T>(parameter.low)) + " to " + bound(static_cast<T>(parameter.high)) +
               (parameter.unit.empty() ? "" : " " + std::string(parameter.unit));
    }
};

void check_colour(const std::string& key, const Colour& colour, Checker& checker) {
    for (const float part : {colour.r, colour.g, colour.b})
        if (!(part >= 0 && part <= 1))
            return checker.fault(key, Vec3{colour.r, colour.g, colour.b}, "red, green and blue must be from 0 to 1");
}

bool is_corner(const std::string& corner) {
    if (corner.empty() || corner.size() % 2 != 0) return false;
    std::set<char> axes;
    for (std::size_t k = 0; k < corner.size(); k += 2) {
        if (corner[k] != '+' && corner[k] != '-') return false;
        if (corner[k + 1] < 'x' || corner[k + 1] > 'z' || !axes.insert(corner[k + 1]).second) return false;
    }
    return true;
}

void check_fabric_values(const Fabric& fabric, const std::string& at, Checker& checker) {
    checker.parameters(at, fabric, fabric_parameters());
    if (fabric.colour) check_colour(at + "colour", *fabric.colour, checker);
    if (fabric.second_colour) check_colour(at + "second_colour", *fabric.second_colour, checker);
}

// Of the methods, one takes friction as a share.
void check_friction(const std::string& key, float friction, const SolverDesc& solver, Checker& checker) {
    if (solver.method == "limits" && friction > 1)
        checker.fault(key, friction,
                      "must be from 0 to 1 with method \"limits\", which takes it as the share of the sliding that a "
                      "contact removes; a Coulomb coefficient above 1 needs method \"xpbd\" or \"implicit\"");
}

// `owner` is what the mesh is for.
void check_mesh(const std::string& key, const Mesh& mesh, const std::string& owner, Checker& checker) {
    if (mesh.positions.empty() || mesh.triangles.empty())
        return checker.fault(key, mesh.triangles.size(), "triangles in the mesh; " + owner + " needs at least one");
    int shown = 0;
    for (std::size_t v = 0; v < mesh.positions.size() && shown < enough; ++v) {
        if (!is_finite(mesh.positions[v]) || length(mesh.positions[v]) > far_away) {
            checker.fault(key, mesh.positions[v],
                          "vertex " + std::to_string(v) + " is not a finite place; repair the mesh");
            ++shown;
        }
    }
    for (std::size_t t = 0; t < mesh.triangles.size() && shown < enough; ++t) {
        for (const Index v : mesh.triangles[t]) {
            if (v >= mesh.positions.size()) {
                checker.fault(key, v,
                              "triangle " + std::to_string(t) + " names this vertex, but there are only " +
                                  std::to_string(mesh.positions.size()));
                ++shown;
            }
        }
    }
}

struct ShapeChecker {
    const std::string& at;
    Checker& checker;

    // Each answers how many vertices the shape has, 0 if that cannot be said.
    std::size_t operator()(const GridShape& grid) const {
        for (const float side : grid.size) checker.positive(at + "grid.size", side);
        for (const int cells : grid.cells) checker.in_range(at + "grid.cells", cells, 1, most_particles);
        const bool cross = grid.diagonals == Diagonals::cross;
        const double count = (grid.cells[0] + 1.0) * (grid.cells[1] + 1.0) +
                             (cross ? static_cast<double>(grid.cells[0]) * grid.cells[1] : 0.0);
        if (count > most_particles) {
            checker.fault(at + "grid.cells", count, "particles; at most " + text(most_particles));
            return 0;
        }
        return count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    std::size_t operator()(const DiskShape& disk) const {
        checker.positive(at + "disk.radius", disk.radius);
        checker.in_range(at + "disk.particles", disk.particles, 4, most_particles);
        return disk.particles > 0 ? static_cast<std::size_t>(disk.particles) : 0;
    }
    // Its seams have more vertices than particles, and only cutting them tells how many.
    std::size_t operator()(const TrousersShape& trousers) const {
        checker.in_range(at + "trousers.particles", trousers.particles, least_trousers, most_trousers);
        const bool is_made = trousers.particles >= least_trousers && trousers.particles <= most_trousers;
        return is_made ? make_trousers(trousers.particles).positions.size() : 0;
    }
    std::size_t operator()(const MeshShape& shape) const {
        check_mesh(at + "mesh", shape.mesh, "cloth", checker);
        return shape.mesh.positions.size();
    }
};

struct PinChecker {
    const std::string& at;
    std::size_t vertices;
    Checker& checker;

    void operator()(const VertexPin& pin) const {
        for (const Index v : pin.vertices)
            if (v >= vertices && vertices > 0)
                checker.fault(at + ".vertices", v, "the cloth has the vertices 0 to " + std::to_string(vertices - 1));
    }
    void operator()(const BoxPin& pin) const {
        checker.vector(at + ".box", pin.low, "m");
        checker.vector(at + ".box", pin.high, "m");
        for (int axis = 0; axis < 3; ++axis)
            if (pin.low[axis] > pin.high[axis])
                return checker.fault(at + ".box", pin.low, "must not be above the other corner " + text(pin.high));
    }
    void operator()(const CornerPin& pin) const {
        if (!is_corner(pin.corner))
            checker.fault(at + ".corner", '"' + pin.corner + '"', "must be signed axes such as \"+x+z\" or \"-x\"");
    }
};

template <class Keys>
void check_times(const std::string& key, const Keys& keys, Checker& checker) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
        if (!(std::abs(keys[k].t) <= far_away)) checker.fault(key, keys[k].t, "times are in seconds, at most 1e6");
        if (k > 0 && !(keys[k].t > keys[k - 1].t))
            checker.fault(key, keys[k].t,
                          "times must rise from key to key, but the one before is " + text(keys[k - 1].t));
    }
}

void check_motion(const std::string& key, const std::vector<MotionKey>& motion, Checker& checker) {
    check_times(key, motion, checker);
    for (const MotionKey& at : motion) {
        if (at.position) checker.vector(key, *at.position, "m");
        if (at.rotation) checker.vector(key, *at.rotation, "degrees");
    }
}

void check_pin(const Pin& pin, std::size_t vertices, std::size_t colliders, const std::string& at, Checker& checker) {
    std::visit(PinChecker{at, vertices, checker}, pin.which);
    if (pin.follow && (*pin.follow < 0 || static_cast<std::size_t>(*pin.follow) >= colliders))
        checker.fault(at + ".follow", *pin.follow,
                      colliders == 0 ? "the scene has no colliders"
                                     : "the scene has the colliders 0 to " + std::to_string(colliders - 1));
    if (pin.follow && !pin.motion.empty())
        checker.fault(at + ".follow", *pin.follow, "give either follow or motion, not both");
    check_motion(at + ".motion", pin.motion, checker);
    if (!pin.centre) return;
    checker.vector(at + ".centre", *pin.centre, "m");
    if (pin.motion.empty())
        checker.fault(at + ".centre", *pin.centre, "belongs to motion, which is not given; remove it");
}

// Where the threads of a cloth run, for the methods that tell warp from weft.
void check_warp(const ClothDesc& cloth, const SceneDesc& scene, const std::string& at, Checker& checker) {
    const std::size_t faults_before = checker.faults.size();
    if (cloth.warp) checker.vector(at + "warp", *cloth.warp, "");
    if (checker.faults.size() > faults_before) return;
    if (cloth.warp && !(length(*cloth.warp) > 1e-6f))
        return checker.fault(at + "warp", *cloth.warp,
                             "must not be zero, it is the direction of the warp in the unplaced shape, e.g. [1, 0, 0]");
    if (scene.solver.method == "limits") return;

    if (std::holds_alternative<TrousersShape>(cloth.shape) && !cloth.warp) return; // along the legs
    // Grids and disks lie in XZ as this one triangle does.
    const Mesh flat = {.positions = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}}, .triangles = {{0, 1, 2}}};
    const auto* shape = std::get_if<MeshShape>(&cloth.shape);
    const Mesh& mesh = shape ? shape->mesh : flat;
    const bool is_sound = std::all_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const Triangle& t) {
        return *std::max_element(t.begin(), t.end()) < mesh.positions.size();
    });
    if (!is_sound) return; // which is a fault of its own
    const std::vector<Index> lost = triangles_without_warp(mesh, cloth.warp);
    if (lost.empty()) return;
    const std::size_t number = static_cast<std::size_t>(&cloth - scene.cloths.data());
    std::string where = "cloth \"" + cloth_name(scene, number) + "\"";
    if (shape) where += ", triangle " + std::to_string(lost.front());
    if (lost.size() > 1) where += " and " + std::to_string(lost.size() - 1) + " more";
    const std::string needs = "; method \"" + scene.solver.method + "\" needs to know where the threads run: ";
    if (cloth.warp)
        checker.fault(at + "warp", *cloth.warp,
                      where + ": the warp is perpendicular to the cloth there, and no thread runs along it" + needs +
                          "give a direction that lies in the cloth");
    else
        checker.fault(at + "mesh", '"' + shape->path + '"',
                      where + ": its texture coordinates have no area and give the warp no direction" + needs +
                          "unfold it in the texture, or give " + at + "warp, e.g. [1, 0, 0]");
}

// Answers the number of vertices.
std::size_t check_cloth(const ClothDesc& cloth, const SceneDesc& scene, const std::string& at, Checker& checker) {
    const std::size_t vertices = std::visit(ShapeChecker{at, checker}, cloth.shape);
    const bool known = cloth.fabric.empty() || std::any_of(scene.fabrics.begin(), scene.fabrics.end(),
                                                           [&](const Fabric& f) { return f.name == cloth.fabric; });
    if (!known)
        checker.fault(at + "fabric", '"' + cloth.fabric + '"',
                      "there is no such fabric; add [fabric." + cloth.fabric + "] or name another");
    checker.vector(at + "position", cloth.position, "m");
    checker.vector(at + "rotation", cloth.rotation, "degrees");
    checker.vector(at + "velocity", cloth.velocity, "m/s");
    checker.positive(at + "scale", cloth.scale, 1e4f);
    checker.in_range(at + "self_distance", cloth.self_distance, 0.0f, far_away, "in metres");
    check_warp(cloth, scene, at, checker);
    for (std::size_t k = 0; k < cloth.pins.size(); ++k)
        check_pin(cloth.pins[k], vertices, scene.colliders.size(), at + "pins." + std::to_string(k), checker);
    return vertices;
}

void check_frames(const std::string& at, const BodyMesh& body, const BodyFrames& frames, Checker& checker) {
    checker.in_range(at + "frame_rate", frames.frame_rate, 1e-3f, 1e5f, "frames per second");
    const std::string key = at + "frames";
    const std::size_t vertices = body.mesh->positions.size();
    if (frames.positions->empty()) checker.fault(key, 0, "frames; a body that deforms needs at least one");
    int shown = 0;
    for (std::size_t k = 0; k < frames.positions->size() && shown < enough; ++k) {
        const std::vector<Vec3>& positions = (*frames.positions)[k];
        const std::string frame = "frame " + std::to_string(k) + ": ";
        if (positions.size() != vertices) {
            checker.fault(key, positions.size(), frame + "vertices, but the mesh has " + std::to_string(vertices));
            ++shown;
        }
        for (std::size_t v = 0; v < positions.size() && shown < enough; ++v) {
            if (is_finite(positions[v]) && length(positions[v]) <= far_away) continue;
            checker.fault(key, positions[v],
                          frame + "vertex " + std::to_string(v) + " is not a finite place; repair the mesh");
            ++shown;
        }
    }
}

// What readers of files have made sure of; programs may put together anything.
const char* fault_of(const Skeleton& skeleton, std::size_t vertices) {
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n)
        if (skeleton.nodes[n].parent >= static_cast<int>(n)) return "a node stands before its parent";
    for (const Skeleton::Joint& joint : skeleton.joints)
        if (joint.node >= skeleton.nodes.size()) return "a joint names a node that does not exist";
    for (const Skeleton::Channel& channel : skeleton.channels) {
        const std::size_t per_key = channel.interpolation == Skeleton::Interpolation::cubic_spline ? 3 : 1;
        const bool is_whole = !channel.times.empty() && channel.values.size() == per_key * channel.times.size();
        if (channel.node >= skeleton.nodes.size()) return "a channel names a node that does not exist";
        if (!is_whole) return "a channel has no keys, or not one value for each";
        for (const auto& value : channel.values)
            if (!std::all_of(value.begin(), value.end(), [](float x) { return std::abs(x) <= far_away; }))
                return "a channel has a value that is not finite, or beyond 1e6";
        if (!std::is_sorted(channel.times.begin(), channel.times.end(), std::less_equal<>()))
            return "the times of a channel do not rise";
    }
    const std::vector<Index>& first = skeleton.first_influence;
    const bool is_counted = skeleton.bind_positions.size() == vertices && first.size() == vertices + 1 &&
                            first.front() == 0 && first.back() == skeleton.influences.size() &&
                            std::is_sorted(first.begin(), first.end());
    if (!is_counted) return "it does not have bind positions and influences for each vertex of the mesh";
    for (const Skeleton::Influence& influence : skeleton.influences)
        if (influence.joint >= skeleton.joints.size()) return "an influence names a joint that does not exist";
    return nullptr;
}

void check_body(const std::string& at, const BodyMesh& body, Checker& checker) {
    const auto* frames = std::get_if<BodyFrames>(&body.deformation);
    check_mesh(at + (frames ? "frames" : "mesh"), *body.mesh, "a body", checker);
    if (frames) check_frames(at, body, *frames, checker);
    const auto* skin = std::get_if<BodySkin>(&body.deformation);
    if (!skin) return;
    if (const char* problem = fault_of(*skin->skeleton, body.mesh->positions.size()))
        checker.fault(at + "clip", '"' + skin->clip + '"', std::string("the skeleton is not usable: ") + problem);
}

struct ColliderChecker {
    const std::string& at;
    Checker& checker;

    void operator()(const Sphere& sphere) const { checker.positive(at + "radius", sphere.radius); }
    void operator()(const Box& box) const {
        for (int axis = 0; axis < 3; ++axis)
            if (!(box.size[axis] > 0 && box.size[axis] <= far_away))
                return checker.fault(at + "size", box.size, "each side must be above 0 and at most 1e6");
    }
    void operator()(const Plane& plane) const {
        checker.vector(at + "normal", plane.normal, "");
        if (!(length(plane.normal) > 1e-6f)) checker.fault(at + "normal", plane.normal, "must not be zero");
    }
    void operator()(const Capsule& capsule) const {
        checker.positive(at + "radius", capsule.radius);
        checker.in_range(at + "height", capsule.height, 0.0f, far_away);
    }
    void operator()(const Cylinder& cylinder) const {
        checker.positive(at + "radius", cylinder.radius);
        checker.positive(at + "height", cylinder.height);
    }
    void operator()(const BodyMesh& body) const { check_body(at, body, checker); }
};

void check_collider(const ColliderDesc& collider, const SolverDesc& solver, const std::string& at, Checker& checker) {
    std::visit(ColliderChecker{at, checker}, collider.shape);
    checker.vector(at + "position", collider.position, "m");
    checker.vector(at + "rotation", collider.rotation, "degrees");
    if (collider.friction) {
        checker.in_range(at + "friction", *collider.friction, 0.0f, 10.0f);
        if (*collider.friction <= 10) check_friction(at + "friction", *collider.friction, solver, checker);
    }
    if (collider.reflection) {
        checker.in_range(at + "reflection", *collider.reflection, 0.0f, 1.0f);
        if (solver.method == "implicit")
            checker.fault(at + "reflection", *collider.reflection,
                          "method \"implicit\" keeps contacts within its equations; use \"xpbd\" or \"limits\"");
        if (std::holds_alternative<BodyMesh>(collider.shape))
            checker.fault(at + "reflection", *collider.reflection,
                          "is for simple shapes; meshes are met by triangles, which it knows nothing of");
    }
    if (collider.colour) check_colour(at + "colour", *collider.colour, checker);
    check_motion(at + "motion", collider.motion, checker);
}

void check_grab(const GrabDesc& grab, const SceneDesc& scene, const std::vector<std::size_t>& vertices,
                const std::string& at, Checker& checker) {
    std::size_t cloth = 0;
    while (cloth < scene.cloths.size() && !grab.cloth.empty() && cloth_name(scene, cloth) != grab.cloth) ++cloth;
    if (cloth >= scene.cloths.size()) {
        if (!grab.cloth.empty()) checker.fault(at + "cloth", '"' + grab.cloth + '"', "there is no cloth of this name");
    } else if (grab.vertex && vertices[cloth] > 0 && *grab.vertex >= vertices[cloth]) {
        checker.fault(at + "vertex", *grab.vertex,
                      "the cloth has the vertices 0 to " + std::to_string(vertices[cloth] - 1));
    }
    if (grab.near && grab.vertex) checker.fault(at + "vertex", *grab.vertex, "give either near or vertex, not both");
    if (grab.near) checker.vector(at + "near", *grab.near, "m");
    checker.in_range(at + "radius", grab.radius, 0.0f, far_away, "in metres");
    if (grab.path.size() < 2)
        checker.fault(at + "path", grab.path.size(), "keys; a hand needs at least two, [t, x, y, z] each");
    check_times(at + "path", grab.path, checker);
    for (const GrabDesc::Key& key : grab.path) checker.vector(at + "path", key.position, "m");
}

void check_view(const ViewDesc& view, Checker& checker) {
    if (view.camera) {
        checker.vector("view.camera.from", view.camera->from, "m");
        checker.vector("view.camera.at", view.camera->at, "m");
        checker.in_range("view.camera.fov", view.camera->fov, 1.0f, 170.0f, "degrees");
    }
    check_colour("view.background", view.background, checker);
    checker.vector("view.light.from", view.light.from, "");
    if (!(length(view.light.from) > 1e-6f))
        checker.fault("view.light.from", view.light.from, "must not be zero, it is a direction");
    checker.in_range("view.light.strength", view.light.strength, 0.0f, 10.0f);
    check_colour("view.light.colour", view.light.colour, checker);
    checker.in_range("view.light.ambient", view.light.ambient, 0.0f, 10.0f);
    if (view.floor) checker.in_range("view.floor", *view.floor, -far_away, far_away, "in metres");
}

void check_solver(const SolverDesc& solver, Checker& checker) {
    if (std::find(methods.begin(), methods.end(), solver.method) == methods.end())
        checker.fault("solver.method", '"' + solver.method + '"',
                      "is not available in this version; use \"xpbd\", \"implicit\" or \"limits\"");
    checker.parameters("solver.", solver, solver_parameters());
    if (solver.velocity_factor && solver.damping != 0)
        checker.fault("solver.velocity_factor", *solver.velocity_factor,
                      "excludes solver.damping; give one of the two");
    else if (solver.velocity_factor && solver.method != "limits")
        checker.fault("solver.velocity_factor", *solver.velocity_factor,
                      "is the factor per step of method \"limits\"; with method \"" + solver.method +
                          "\" use solver.damping, which does not depend on the step");
    checker.in_range("solver.threads", solver.threads, 0, 1024, "0 is all cores");
}

} // namespace

Faults check_fabric(const Fabric& fabric) {
    Checker checker;
    check_fabric_values(fabric, "", checker);
    return std::move(checker.faults);
}

Faults check_figure(const Figure& figure) {
    Checker checker;
    checker.in_range("steps", figure.steps, 0, 10'000);
    checker.in_range("pace", figure.pace, 0.01f, 10.0f, "steps per second");
    return std::move(checker.faults);
}

Faults check_ring(const Ring& ring) {
    Checker checker;
    checker.positive("radius", ring.radius);
    checker.positive("tube", ring.tube);
    if (checker.faults.empty() && !(ring.tube < ring.radius))
        checker.fault("tube", ring.tube, "must be less than the radius, " + text(ring.radius));
    return std::move(checker.faults);
}

Faults check(const SceneDesc& scene) {
    Checker checker;
    checker.in_range("duration", scene.duration, 0.0f, far_away, "in seconds");
    checker.in_range("frame_rate", scene.frame_rate, 1e-3f, 1e5f, "frames per second");
    checker.parameters("", scene, scene_parameters());
    check_solver(scene.solver, checker);

    std::set<std::string> names;
    for (const Fabric& fabric : scene.fabrics) {
        const std::string at = "fabric." + fabric.name + ".";
        check_fabric_values(fabric, at, checker);
        if (fabric.friction <= 10) check_friction(at + "friction", fabric.friction, scene.solver, checker);
        if (!names.insert(fabric.name).second)
            checker.fault("fabric." + fabric.name, '"' + fabric.name + '"', "two fabrics have this name");
    }
    if (scene.cloths.empty())
        checker.faults.push_back({.message = "a scene needs at least one [[cloth]], e.g. grid = { size = [1, 1], "
                                             "cells = [31, 31] }",
                                  .key = "cloth"});
    names.clear();
    std::vector<std::size_t> vertices;
    std::size_t all_vertices = 0;
    for (std::size_t k = 0; k < scene.cloths.size(); ++k) {
        const std::string at = "cloth." + std::to_string(k) + ".";
        vertices.push_back(check_cloth(scene.cloths[k], scene, at, checker));
        all_vertices += vertices.back();
        if (!names.insert(cloth_name(scene, k)).second)
            checker.fault(at + "name", '"' + cloth_name(scene, k) + '"', "another cloth has this name");
    }
    if (all_vertices > static_cast<std::size_t>(most_particles))
        checker.fault("cloth", all_vertices, "vertices in all; at most " + text(most_particles));
    for (std::size_t k = 0; k < scene.colliders.size(); ++k)
        check_collider(scene.colliders[k], scene.solver, "collider." + std::to_string(k) + ".", checker);
    for (std::size_t k = 0; k < scene.grabs.size(); ++k)
        check_grab(scene.grabs[k], scene, vertices, "grab." + std::to_string(k) + ".", checker);
    check_view(scene.view, checker);
    checker.parameters("wind.", scene.wind, wind_parameters());
    return std::move(checker.faults);
}

} // namespace taffeta
