#include "sim/build/build.h"

#include "collision/colliders/body_mesh.h"
#include "collision/contacts/particle_separation.h"
#include "mesh/generators.h"
#include "mesh/partition.h"
#include "sim/build/collision_surfaces.h"
#include "sim/build/depenetration.h"
#include "sim/build/elements.h"
#include "sim/step/implicit_step.h"
#include "sim/step/motion.h"
#include "sim/step/pins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace taffeta {
namespace {

// Beyond the distance to be kept, so that pairs which the sweeps bring together afterwards are known beforehand;
// docs/decisions/0009-self-collision-at-scale.md counts those that are not. Neighbours are those at an edge.
constexpr Reach search_reach = {.near = 1.05f, .neighbours = 1.25f};
constexpr Reach implicit_reach = {.near = 1.25f, .neighbours = 1.25f}; // its search comes where a step begins

// A cloth on its way into the world: its particles are the vertices with coincident ones joined.
struct Piece {
    Mesh mesh;                             // unplaced
    std::vector<Index> particle_of_vertex; // within the piece
    std::vector<Vec3> rest;                // m, by particle
    std::vector<Triangle> triangles;       // of particles
    Topology topology;
    std::vector<double> mass; // kg, by particle; 0: belongs to no triangle
};

// Gives the particles of large cloth, or of cloth whose vertices come in no order, new numbers: mesh/partition.h.
void number_by_parts(Piece& piece) {
    const auto count = static_cast<Index>(piece.rest.size());
    const std::vector<Index> order = order_by_parts(piece.topology.edges, count, part_particles);
    if (std::is_sorted(order.begin(), order.end())) return;
    std::vector<Index> number(count);
    std::vector<Vec3> rest;
    std::vector<double> mass;
    for (const Index p : order) {
        number[p] = static_cast<Index>(rest.size());
        rest.push_back(piece.rest[p]);
        mass.push_back(piece.mass[p]);
    }
    piece.rest = std::move(rest);
    piece.mass = std::move(mass);
    for (Index& p : piece.particle_of_vertex) p = number[p];
    for (Triangle& t : piece.triangles)
        for (Index& p : t) p = number[p];
    piece.topology = make_topology(piece.triangles);
}

Piece cut(const ClothDesc& desc, const Fabric& fabric) {
    Piece piece;
    piece.mesh = make_mesh(desc);
    const auto vertices = static_cast<Index>(piece.mesh.positions.size());
    const std::vector<Index> first = find_coincident(piece.mesh.positions);
    piece.particle_of_vertex.resize(vertices);
    for (Index v = 0; v < vertices; ++v) {
        const bool joined = desc.weld && first[v] != v;
        piece.particle_of_vertex[v] =
            joined ? piece.particle_of_vertex[first[v]] : static_cast<Index>(piece.rest.size());
        if (!joined) piece.rest.push_back(piece.mesh.positions[v]);
    }
    for (const Triangle& t : piece.mesh.triangles)
        piece.triangles.push_back(
            {piece.particle_of_vertex[t[0]], piece.particle_of_vertex[t[1]], piece.particle_of_vertex[t[2]]});
    piece.topology = make_topology(piece.triangles);
    piece.mass = particle_masses(piece.rest, piece.triangles, fabric.density);
    return piece;
}

// Says what is odd about a piece.
void inspect_piece(const std::string& name, const Piece& piece, std::vector<std::string>& warnings) {
    const auto warn = [&](std::size_t count, const std::string& what) {
        if (count > 0) warnings.push_back("cloth \"" + name + "\": " + std::to_string(count) + " " + what);
    };
    const auto first_vertex = [&](std::size_t particle) {
        const auto& vertices = piece.particle_of_vertex;
        return std::find(vertices.begin(), vertices.end(), static_cast<Index>(particle)) - vertices.begin();
    };
    std::vector<bool> referenced(piece.rest.size(), false);
    std::set<Triangle> seen;
    std::size_t flat = 0, twice = 0, first_flat = 0, first_twice = 0;
    for (std::size_t t = 0; t < piece.triangles.size(); ++t) {
        Triangle sorted = piece.triangles[t];
        for (const Index p : sorted) referenced[p] = true;
        if (triangle_area(piece.rest[sorted[0]], piece.rest[sorted[1]], piece.rest[sorted[2]]) == 0 && flat++ == 0)
            first_flat = t;
        std::sort(sorted.begin(), sorted.end());
        if (!seen.insert(sorted).second && twice++ == 0) first_twice = t;
    }
    std::size_t unreferenced = 0;
    std::ptrdiff_t first_unreferenced = 0;
    for (std::size_t p = 0; p < piece.rest.size(); ++p) {
        if (!referenced[p] && unreferenced++ == 0) first_unreferenced = first_vertex(p);
    }
    warn(unreferenced, "vertices belong to no triangle and stay where they are, the first is vertex " +
                           std::to_string(first_unreferenced));
    warn(flat, "triangles have no area and no mass, the first is triangle " + std::to_string(first_flat));
    warn(twice, "triangles are there twice and weigh twice, the first is triangle " + std::to_string(first_twice));
    if (!piece.topology.non_manifold_edges.empty()) {
        const Pair edge = piece.topology.non_manifold_edges.front();
        warn(piece.topology.non_manifold_edges.size(), "edges have more than two triangles, the first joins vertices " +
                                                           std::to_string(first_vertex(edge.i)) + " and " +
                                                           std::to_string(first_vertex(edge.j)));
    }
}

// The same of a body, whose triangles have no mass.
void inspect_body(const std::string& name, const Mesh& mesh, std::vector<std::string>& warnings) {
    std::set<Triangle> seen;
    std::size_t flat = 0, twice = 0, first_flat = 0, first_twice = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        Triangle sorted = mesh.triangles[t];
        if (triangle_area(mesh.positions[sorted[0]], mesh.positions[sorted[1]], mesh.positions[sorted[2]]) == 0 &&
            flat++ == 0)
            first_flat = t;
        std::sort(sorted.begin(), sorted.end());
        if (!seen.insert(sorted).second && twice++ == 0) first_twice = t;
    }
    const auto warn = [&](std::size_t count, const std::string& what, std::size_t first) {
        if (count > 0)
            warnings.push_back(name + ": " + std::to_string(count) + " " + what + ", the first is triangle " +
                               std::to_string(first));
    };
    warn(flat, "triangles have no area", first_flat);
    warn(twice, "triangles are there twice", first_twice);
}

// Says which values of a fabric the method makes no use of.
void inspect_fabric(const Fabric& fabric, const SolverDesc& solver, std::vector<std::string>& warnings) {
    if (solver.method != "limits") return;
    const Fabric standard;
    std::string ignored;
    const auto ignore = [&](const char* key, const auto& value, const auto& default_value) {
        if (value != default_value) (ignored += ignored.empty() ? "" : ", ") += key;
    };
    ignore("stretch", fabric.stretch, standard.stretch);
    ignore("poisson", fabric.poisson, standard.poisson);
    ignore("shear", fabric.shear, standard.shear);
    ignore("bend", fabric.bend, standard.bend);
    ignore("bend_hysteresis", fabric.bend_hysteresis, standard.bend_hysteresis);
    ignore("strain_limit", fabric.strain_limit, standard.strain_limit);
    ignore("stretch_damping", fabric.stretch_damping, standard.stretch_damping);
    ignore("bend_damping", fabric.bend_damping, standard.bend_damping);
    if (ignored.empty()) return;
    std::string warning = "fabric \"" + fabric.name +
                          "\": method \"limits\" takes density, thickness, friction, max_stretch, min_stretch, "
                          "bend_limit, drag and lift; ignored: " +
                          ignored;
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(std::move(warning));
}

// The vertex farthest in the direction of signed axes such as "+x-z"; the first of several.
Index corner_vertex(const std::string& corner, std::span<const Vec3> positions) {
    Vec3 direction;
    for (std::size_t k = 0; k < corner.size(); k += 2) direction[corner[k + 1] - 'x'] = corner[k] == '+' ? 1.0f : -1.0f;
    const auto farthest = std::max_element(positions.begin(), positions.end(), [&](const Vec3& a, const Vec3& b) {
        return dot(a, direction) < dot(b, direction);
    });
    return static_cast<Index>(farthest - positions.begin());
}

std::vector<Index> pinned_vertices(const Pin& pin, std::span<const Vec3> unplaced, std::span<const Vec3> placed) {
    if (const auto* named = std::get_if<VertexPin>(&pin.which)) return named->vertices;
    if (const auto* corner = std::get_if<CornerPin>(&pin.which)) return {corner_vertex(corner->corner, unplaced)};
    const auto& box = std::get<BoxPin>(pin.which);
    const auto within = [](float value, float low, float high) {
        const float rounding = 1e-6f * std::max(1.0f, std::abs(value)); // of the placement: borders are included
        return value >= low - rounding && value <= high + rounding;
    };
    std::vector<Index> vertices;
    for (std::size_t v = 0; v < placed.size(); ++v)
        if (within(placed[v].x, box.low.x, box.high.x) && within(placed[v].y, box.low.y, box.high.y) &&
            within(placed[v].z, box.low.z, box.high.z))
            vertices.push_back(static_cast<Index>(v));
    return vertices;
}

// Gathers the pieces into one world.
class Builder {
public:
    explicit Builder(const SceneDesc& scene) : scene_(scene), world_(std::make_unique<World>(scene.solver.threads)) {}

    std::unique_ptr<World> build() {
        world_->settings = settings_of(scene_);
        for (std::size_t k = 0; k < scene_.cloths.size(); ++k) add_cloth(k);
        finish_state();
        for (const ColliderDesc& collider : scene_.colliders) add_collider(collider);
        tie_pins(*world_);
        for (const GrabDesc& grab : scene_.grabs) add_scripted_hand(grab);
        world_->guard = make_guard(*world_);
        if (!world_->guard.empty()) bring_out(*world_);
        return std::move(world_);
    }

private:
    void add_cloth(std::size_t number) {
        const ClothDesc& desc = scene_.cloths[number];
        const Fabric fabric = cloth_fabric(scene_, number);
        World& world = *world_;
        if (desc.fabric.empty() && scene_.fabrics.size() > 1)
            world.warnings.push_back("cloth \"" + cloth_name(scene_, number) +
                                     "\": names none of the scene's fabrics and has the default one");
        inspect_fabric(fabric, scene_.solver, world.warnings);
        Piece piece = cut(desc, fabric);
        inspect_piece(cloth_name(scene_, number), piece, world.warnings);
        number_by_parts(piece);

        Cloth cloth = {.name = cloth_name(scene_, number),
                       .first_vertex = static_cast<Index>(world.particle_of_vertex.size()),
                       .vertex_count = static_cast<Index>(piece.mesh.positions.size()),
                       .first_particle = static_cast<Index>(rest_.size()),
                       .particle_count = static_cast<Index>(piece.rest.size()),
                       .first_face = static_cast<Index>(world.triangles.size()),
                       .face_count = static_cast<Index>(piece.triangles.size()),
                       .desc = desc,
                       .fabric = fabric,
                       .self_collision = cloth_self_collision(scene_, number)};
        cloth.desc.self_collision = cloth.self_collision;
        world.cloths.push_back(cloth);
        world.rest_vertices.insert(world.rest_vertices.end(), piece.mesh.positions.begin(), piece.mesh.positions.end());
        for (const Index p : piece.particle_of_vertex) world.particle_of_vertex.push_back(cloth.first_particle + p);
        for (const Triangle& t : piece.mesh.triangles)
            world.triangles.push_back(
                {cloth.first_vertex + t[0], cloth.first_vertex + t[1], cloth.first_vertex + t[2]});

        place_particles(desc, piece);
        pin_particles(desc, piece, cloth);
        for (const Pair& edge : piece.topology.edges)
            world.edges.push_back({cloth.first_particle + edge.i, cloth.first_particle + edge.j});
        prepare_self_collision(cloth, piece, static_cast<Index>(number));
    }

    void place_particles(const ClothDesc& desc, const Piece& piece) {
        State& state = world_->state;
        const Pose pose = {desc.position, rotation_from_degrees(desc.rotation)};
        for (std::size_t p = 0; p < piece.rest.size(); ++p) {
            const Vec3 at = pose.to_world(piece.rest[p]);
            const auto w = piece.mass[p] > 0 ? static_cast<float>(1 / piece.mass[p]) : 0.0f;
            state.x.push_back({at.x, at.y, at.z, w});
            state.v.push_back({desc.velocity.x, desc.velocity.y, desc.velocity.z, 0});
            state.w.push_back(w);
            world_->mass.push_back(piece.mass[p]);
        }
    }

    void pin_particles(const ClothDesc& desc, const Piece& piece, const Cloth& cloth) {
        State& state = world_->state;
        std::vector<Vec3> placed;
        for (const Index p : piece.particle_of_vertex) placed.push_back(state.x[cloth.first_particle + p].xyz());
        for (std::size_t k = 0; k < desc.pins.size(); ++k) {
            const std::vector<Index> vertices = pinned_vertices(desc.pins[k], piece.mesh.positions, placed);
            if (vertices.empty())
                world_->warnings.push_back("cloth \"" + cloth.name + "\": pins." + std::to_string(k) +
                                           " holds no vertex");
            world_->has_pins = world_->has_pins || !vertices.empty();
            std::vector<Index> particles;
            for (const Index v : vertices) {
                const Index particle = cloth.first_particle + piece.particle_of_vertex[v];
                state.x[particle].w = state.w[particle] = 0;
                state.v[particle] = {};
                particles.push_back(particle);
            }
            if (desc.pins[k].follow || !desc.pins[k].motion.empty())
                world_->moving_pins.push_back({desc.pins[k], std::move(particles)});
        }
    }

    void prepare_self_collision(const Cloth& cloth, const Piece& piece, Index number) {
        std::vector<float> radius(piece.rest.size(), cloth.desc.self_distance / 2);
        if (cloth.desc.self_distance == 0) radius = radii_from_edges(piece.topology.edges, piece.rest);
        for (std::size_t p = 0; p < piece.rest.size(); ++p) {
            rest_.push_back(piece.rest[p]);
            radius_.push_back(radius[p]);
            piece_of_.push_back(number);
            if (cloth.self_collision == SelfCollision::none || !(piece.mass[p] > 0)) continue;
            colliding_.push_back(cloth.first_particle + static_cast<Index>(p));
            if (cloth.self_collision == SelfCollision::particles) keeping_distance_.push_back(colliding_.back());
        }
    }

    void finish_state() {
        World& world = *world_;
        world.vertex_of_particle.resize(world.state.count());
        for (std::size_t v = world.particle_of_vertex.size(); v-- > 0;)
            world.vertex_of_particle[world.particle_of_vertex[v]] = static_cast<Index>(v);
        world.state.x.push_back({}); // the sentinel
        world.state.v.push_back({});
        world.state.x_prev = world.state.x;
        world.checkpoint.x.resize(world.state.count());
        world.checkpoint.v.resize(world.state.count());
        std::vector<Index> counts;
        for (const Cloth& cloth : world.cloths) counts.push_back(cloth.particle_count);
        world.part_begin = part_cloths(counts, part_particles);
        make_constraints(world);
        world.grid = Grid(keeping_distance_, rest_, radius_, piece_of_,
                          world.settings.method == Method::implicit ? implicit_reach : search_reach);
        world.hierarchy = Hierarchy(colliding_, rest_, radius_, piece_of_);
        world.touched.resize(world.state.count());
        make_wind_faces(world);
        // What has grown bit by bit has room for up to as much again.
        world.state.x.shrink_to_fit(), world.state.v.shrink_to_fit(), world.state.w.shrink_to_fit();
        world.edges.shrink_to_fit(), world.mass.shrink_to_fit();
        world.triangles.shrink_to_fit();
        world.particle_of_vertex.shrink_to_fit(), world.rest_vertices.shrink_to_fit();
    }

    void add_collider(const ColliderDesc& desc) {
        Collider collider;
        collider.desc = desc;
        collider.motion = filled_in(desc.motion, desc.position, desc.rotation);
        const Pose pose = collider.motion.empty() ? Pose{desc.position, rotation_from_degrees(desc.rotation)}
                                                  : scripted_pose(collider.motion, 0);
        collider.body = {desc.shape, pose, pose};
        collider.step_start = collider.target = pose;
        if (const auto* body = std::get_if<BodyMesh>(&desc.shape)) {
            inspect_body("collider \"" + (body->path.empty() ? "mesh" : body->path) + "\"", *body->mesh,
                         world_->warnings);
        }
        add_points(collider);
        world_->colliders.push_back(std::move(collider));
    }

    void add_points(Collider& collider) {
        const auto* body = std::get_if<BodyMesh>(&collider.body.shape);
        const bool is_met = std::any_of(world_->cloths.begin(), world_->cloths.end(), [](const Cloth& cloth) {
            return cloth.self_collision == SelfCollision::triangles;
        });
        if (body != nullptr) {
            const std::span<const Triangle> faces = body_triangles(*body);
            collider.faces.assign(faces.begin(), faces.end());
            collider.vertices.resize(body_vertex_count(*body));
        } else if (is_met && !collider.desc.reflection) {
            const auto* plane = std::get_if<Plane>(&collider.body.shape);
            Mesh mesh = plane != nullptr ? make_wide_triangle(*plane) : make_collider_mesh(collider.body.shape);
            collider.shape = std::move(mesh.positions);
            collider.faces = std::move(mesh.triangles);
            collider.vertices.resize(collider.shape.size());
        }
        collider.first_point = static_cast<Index>(world_->state.x.size());
        place_vertices(collider, 0);
        for (const Vec3& at : collider.vertices) {
            world_->state.x.push_back({at.x, at.y, at.z, 0});
            world_->state.x_prev.push_back(world_->state.x.back());
        }
    }

    void add_scripted_hand(const GrabDesc& desc) {
        ScriptedHand hand = {.desc = desc, .cloth = 0, .particle = {}};
        for (std::size_t k = 0; k < scene_.cloths.size(); ++k)
            if (cloth_name(scene_, k) == desc.cloth) hand.cloth = static_cast<int>(k);
        const Cloth& cloth = world_->cloths[static_cast<std::size_t>(hand.cloth)];
        if (desc.vertex) hand.particle = world_->particle_of_vertex[cloth.first_vertex + *desc.vertex];
        world_->scripted_hands.push_back(std::move(hand));
    }

    const SceneDesc& scene_;
    std::unique_ptr<World> world_;
    // By particle, for self-collision.
    std::vector<Vec3> rest_;
    std::vector<float> radius_;
    std::vector<Index> piece_of_;
    std::vector<Index> colliding_;        // with cloth
    std::vector<Index> keeping_distance_; // those of them that do so as particles
};

} // namespace

Mesh make_mesh(const ClothDesc& desc) {
    struct Maker {
        Mesh operator()(const GridShape& grid) const { return make_grid(grid.size, grid.cells, grid.diagonals); }
        Mesh operator()(const DiskShape& disk) const { return make_disk(disk.radius, disk.particles); }
        Mesh operator()(const MeshShape& shape) const { return shape.mesh; }
        Mesh operator()(const TrousersShape& trousers) const { return make_trousers(trousers.particles); }
    };
    Mesh mesh = std::visit(Maker{}, desc.shape);
    for (Vec3& p : mesh.positions) p *= desc.scale;
    return mesh;
}

Settings settings_of(const SceneDesc& scene) {
    const SolverDesc& solver = scene.solver;
    const Method method = solver.method == "implicit" ? Method::implicit
                          : solver.method == "xpbd"   ? Method::xpbd
                                                      : Method::limits;
    return {.method = method,
            .substeps = solver.substeps,
            .iterations = solver.iterations,
            .frame_rate = scene.frame_rate,
            .gravity = scene.gravity,
            .damping = solver.damping,
            .velocity_factor = solver.velocity_factor,
            .acceleration = solver.acceleration,
            .wind = scene.wind};
}

std::vector<double> particle_masses(std::span<const Vec3> rest, std::span<const Triangle> triangles, float density) {
    std::vector<double> mass = lump_masses(rest, triangles, static_cast<double>(density));
    double total = 0;
    for (const double m : mass) total += m;
    const double small = 0.01 * total / static_cast<double>(mass.size());
    for (const Triangle& t : triangles)
        for (const Index p : t)
            if (mass[p] == 0) mass[p] = small;
    return mass;
}

Limit edge_limit(const Fabric& fabric, const Pair& edge, float rest_length) {
    return {edge.i, edge.j, fabric.min_stretch * rest_length, fabric.max_stretch * rest_length};
}

Limit bend_limit(const Fabric& fabric, const Pair& opposite, float rest_distance) {
    return {opposite.i, opposite.j, fabric.bend_limit * rest_distance, std::numeric_limits<float>::infinity()};
}

Result<std::unique_ptr<World>> build_world(const SceneDesc& scene) {
    if (Faults faults = check(scene); !faults.empty()) return faults;
    return Builder(scene).build();
}

namespace {

std::vector<Limit> limits_of(const World& world) {
    std::vector<Limit> limits;
    const std::vector<Index> cloth_of = world.cloth_of_particles();
    for (const Pair& edge : world.edges)
        limits.push_back(edge_limit(world.cloths[cloth_of[edge.i]].fabric, edge, world.rest_length(edge)));
    for (const Cloth& cloth : world.cloths) {
        std::vector<Triangle> triangles(world.triangles_of(cloth).begin(), world.triangles_of(cloth).end());
        for (Triangle& t : triangles)
            for (Index& v : t) v = world.particle_of_vertex[v];
        for (const Pair& pair : make_topology(triangles).opposite)
            limits.push_back(bend_limit(cloth.fabric, pair, world.rest_length(pair)));
    }
    return limits;
}

} // namespace

void make_constraints(World& world) {
    world.limits = world.lengths = {};
    world.cascade_is_tied = false;
    if (world.settings.method == Method::limits) arrange_limits(limits_of(world), world);
    weave(world);
    world.cascade = make_cascade(world);
    make_implicit(world);
}

void arrange_limits(std::vector<Limit> limits, World& world) {
    const Index sentinel = world.state.sentinel();
    const auto is_edge = [](const Limit& limit) { return !std::isinf(limit.longest); };
    std::sort(limits.begin(), limits.end(), [&](const Limit& a, const Limit& b) {
        return std::tuple(!is_edge(a), std::minmax(a.i, a.j)) < std::tuple(!is_edge(b), std::minmax(b.i, b.j));
    });
    if (!world.settings.acceleration) {
        world.limits = make_limits(limits, sentinel, {.part_begin = world.part_begin});
        world.lengths = {};
        return;
    }
    const auto first_of_bending = std::partition_point(limits.begin(), limits.end(), is_edge);
    world.limits = make_limits({first_of_bending, limits.end()}, sentinel,
                               {.keep = Keep::shortest, .part_begin = world.part_begin});
    world.lengths = make_limits({limits.begin(), first_of_bending}, sentinel,
                                {.arrangement = Arrangement::strands, .part_begin = world.part_begin});
}

void make_wind_faces(World& world) {
    if (!blows(world.settings.wind) || !world.faces.empty()) return;
    const auto particle = [&](Index vertex) { return world.particle_of_vertex[vertex]; };
    world.faces.reserve(world.triangles.size());
    for (const Triangle& t : world.triangles) world.faces.push_back({particle(t[0]), particle(t[1]), particle(t[2])});
    world.faces_at = find_faces_at(world.faces, world.state.count());
    world.face_force.resize(world.faces.size());
}

Cascade make_cascade(const World& world) {
    if (!world.settings.acceleration || world.settings.method == Method::implicit) return {};
    std::vector<Vec3> rest;
    std::vector<float> stretch;
    for (const Cloth& cloth : world.cloths)
        for (Index p = 0; p < cloth.particle_count; ++p) {
            rest.push_back(world.rest_of(cloth.first_particle + p));
            stretch.push_back(cloth.fabric.max_stretch);
        }
    return {make_levels(rest, world.edges, world.mass),
            world.settings.method == Method::limits
                ? Cascade::Give([stretch](Index p, const Vec3&) { return stretch[p]; })
                : give_of_fabrics(world)};
}

} // namespace taffeta
