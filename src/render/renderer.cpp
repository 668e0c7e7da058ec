#include "mesh/generators.h"
#include "mesh/topology.h"
#include "render/camera.h"
#include "render/gl.h"
#include "render/models.h"
#include "render/overlay.h"
#include "render/shaders.h"
#include "render/targets.h"

#include <taffeta/render.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace taffeta::render {
namespace {

constexpr int shadow_side = 2048;         // pixels: millimetres on a table
constexpr float occlusion_radius = 0.10f; // m: folds and corners, not whole rooms

Mat4 matrix(const Pose& pose, float scale = 1) {
    const auto& r = pose.rotation.row;
    const Vec3& p = pose.position;
    return {{r[0].x * scale, r[1].x * scale, r[2].x * scale, 0, r[0].y * scale, r[1].y * scale, r[2].y * scale, 0,
             r[0].z * scale, r[1].z * scale, r[2].z * scale, 0, p.x, p.y, p.z, 1}};
}

// Places on the unit disk, the k-th of n at radius r(k/n) and turned by the same angle from one to the next.
template <std::size_t n>
std::array<std::array<float, 2>, n> spiral(float turn, float (*radius)(float)) {
    std::array<std::array<float, 2>, n> places;
    for (std::size_t k = 0; k < n; ++k) {
        const auto number = static_cast<float>(k);
        const float r = radius((number + 0.5f) / static_cast<float>(n));
        places[k] = {r * std::cos(turn * number), r * std::sin(turn * number)};
    }
    return places;
}

void add_corner(const Vec3& position, const Vec3& normal, std::vector<float>& out) {
    out.insert(out.end(), {position.x, position.y, position.z, normal.x, normal.y, normal.z, 0, 0, 0});
}

std::vector<Index> corners_of(std::span<const Triangle> triangles) {
    std::vector<Index> indices;
    for (const Triangle& t : triangles) indices.insert(indices.end(), t.begin(), t.end());
    return indices;
}

// A floor is drawn for a plane that faces straight up.
bool is_floor(const ColliderDesc& collider) {
    const auto* plane = std::get_if<Plane>(&collider.shape);
    return plane != nullptr && collider.motion.empty() &&
           (rotation_from_degrees(collider.rotation) * normalized(plane->normal)).y > 0.9999f;
}

struct Body {
    VertexArray surface{3, 3, 2, 1};
    Mesh mesh = {};                 // in its own frame, at the start
    std::vector<Index> joined = {}; // of meshes: by vertex, the first at the same place, so that seams are smooth
    Vec3 colour = {};
    bool is_floor = false;

    // Simple shapes have edges, meshes are smooth everywhere.
    void show_shape();
    void show_mesh(std::span<const Vec3> positions);
};

void Body::show_shape() {
    std::vector<float> corners;
    for (const Corner& corner : creased(mesh)) add_corner(corner.position, corner.normal, corners);
    surface.set_vertices(corners);
}

void Body::show_mesh(std::span<const Vec3> positions) {
    std::vector<Vec3> normals(positions.size());
    vertex_normals(mesh.triangles, positions, joined, normals);
    std::vector<float> vertices;
    vertices.reserve(9 * positions.size());
    for (std::size_t v = 0; v < positions.size(); ++v) add_corner(positions[v], normals[v], vertices);
    surface.set_vertices(vertices);
}

bool is_deformed(const Snapshot& snapshot, std::size_t collider) {
    return collider < snapshot.deformed.size() && !snapshot.deformed[collider].empty();
}

// What is deformed stands in the world already.
Pose pose_of(const Snapshot& snapshot, std::size_t collider) {
    return is_deformed(snapshot, collider) ? Pose{} : snapshot.colliders[collider];
}

std::span<const Vec3> vertices_of(const Snapshot& snapshot, std::size_t collider, const Body& body) {
    return is_deformed(snapshot, collider) ? snapshot.deformed[collider] : body.mesh.positions;
}

// The matrices and distances of one picture.
struct Frame {
    Camera camera = {};
    Size size = {};
    DepthRange range = {};
    Mat4 view_projection = {};
    float tan_x = 1, tan_y = 1;
    Mat4 light_matrix = {};      // world to the shadow map's clip space
    float shadow_half_width = 1; // m
    bool floor_is_visible = false;
};

} // namespace

struct Renderer::State {
    explicit State(Shaders made) : shaders(std::move(made)) {}

    Shaders shaders;
    Target shadow = make_shadow_target(shadow_side);
    GlObject depth_reader = make_depth_sampler();    // for the shadow map as plain depth
    Target depth = {}, occlusion = {}, blurred = {}; // of half the picture's size
    PictureTarget picture = {};

    // The scene.
    std::vector<Triangle> triangles = {};
    std::vector<Index> joined = {};
    std::vector<std::array<float, 2>> weave = {};
    struct ClothPart {
        std::size_t first_index = 0, index_count = 0;
        ClothLook look = {};
    };
    std::vector<ClothPart> cloths = {};
    std::vector<Body> bodies = {};
    ViewDesc view = {};
    float floor_height = 0; // m
    float floor_extent = 1; // m from its middle, where it has faded
    Ball start = {};        // around everything when the scene began

    // What is uploaded for each picture.
    VertexArray cloth{{3, 3, 2, 1}, GL_STREAM_DRAW};
    VertexArray wires{{3, 4}, GL_STREAM_DRAW};
    VertexArray flats{{3, 4}, GL_STREAM_DRAW};
    VertexArray floor{{3, 3, 2, 1}, GL_STATIC_DRAW};
    VertexArray ball{3, 3, 2, 1};
    VertexArray screen{no_attributes};
    std::vector<Vec3> normals = {};
    std::vector<float> vertices = {};
    std::vector<Vec3> shadow_casters = {};

    void lay_floor(float height);
    void fit(Size size, int samples);
    void upload(const Snapshot& snapshot);
    Frame prepare(const Snapshot& snapshot, const Camera& camera, Size size);
    void place_light(const Snapshot& snapshot, Frame& frame);

    void draw_shadow_map(const Snapshot& snapshot, const Frame& frame);
    void draw_occlusion(const Snapshot& snapshot, const Frame& frame);
    void draw_background(const Frame& frame);
    void draw_bodies(const Snapshot& snapshot, const Frame& frame, int highlighted);
    void draw_cloth(const Frame& frame, const DrawOptions& options);
    void draw_hands(const Snapshot& snapshot, const Frame& frame);
    void draw_floor(const Frame& frame);
    void draw_overlay(const Snapshot& snapshot, const Frame& frame, const DrawOptions& options);
    void draw_contacts(const Snapshot& snapshot, const Frame& frame, const ContactMarks& marks);
    void draw_flat(const Mat4& view_projection, GLenum mode, const FlatVertices& data, float dot_size);

    void draw_solids(const Program& program, const Snapshot& snapshot);
    void light(const Program& program, const Frame& frame) const;
    void draw_everything(const Snapshot& snapshot, const Camera& camera, Size size, const DrawOptions& options);
};

Result<Renderer> Renderer::create() {
    const int version = epoxy_gl_version();
    if (version < (epoxy_is_desktop_gl() ? 33 : 30))
        return Error{.message = "pictures need OpenGL 3.3 or OpenGL ES 3.0, this machine offers " +
                                std::to_string(version / 10) + "." + std::to_string(version % 10) +
                                "; update its graphics driver"};
    Result<Shaders> shaders = make_shaders();
    if (!shaders) return shaders.errors();
    auto state = std::make_unique<State>(std::move(*shaders));
    std::vector<float> corners;
    for (const Corner& corner : creased(make_collider_mesh(Sphere{1.0f})))
        add_corner(corner.position, corner.normal, corners);
    state->ball.set_vertices(corners);
    return Renderer(std::move(state));
}

Renderer::Renderer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;
Renderer::~Renderer() = default;

void Renderer::load(const SceneDesc& scene, const Simulation& simulation) {
    State& s = *state_;
    s.triangles.assign(simulation.triangles().begin(), simulation.triangles().end());
    s.joined.assign(simulation.particle_of_vertex().begin(), simulation.particle_of_vertex().end());
    s.weave.clear();
    s.cloths.clear();
    std::size_t first = 0;
    for (std::size_t k = 0; k < scene.cloths.size(); ++k) {
        const Mesh mesh = simulation.cloth_mesh(static_cast<int>(k));
        const auto places = weave_places(mesh);
        s.weave.insert(s.weave.end(), places.begin(), places.end());
        s.cloths.push_back({first, 3 * mesh.triangles.size(), {}});
        first += 3 * mesh.triangles.size();
    }
    s.cloth.set_indices(corners_of(s.triangles));
    s.wires.set_indices(edge_indices(s.triangles));

    // Everything with an end, and the floor below it.
    std::vector<Vec3> points(simulation.vertex_count());
    simulation.copy_positions(points);
    std::optional<float> floor = scene.view.floor;
    std::optional<float> highest_plane;
    s.bodies.clear();
    for (std::size_t k = 0; k < scene.colliders.size(); ++k) {
        const ColliderDesc& collider = scene.colliders[k];
        Body& body = s.bodies.emplace_back();
        body.mesh = make_collider_mesh(collider.shape);
        body.is_floor = is_floor(collider);
        if (std::holds_alternative<BodyMesh>(collider.shape)) {
            body.joined = find_coincident(body.mesh.positions);
            body.surface.set_indices(corners_of(body.mesh.triangles));
            body.show_mesh(body.mesh.positions);
        } else {
            body.show_shape();
        }
        const Pose pose = simulation.collider_pose(static_cast<int>(k));
        if (body.is_floor) highest_plane = std::max(highest_plane.value_or(pose.position.y), pose.position.y);
        if (std::holds_alternative<Plane>(collider.shape)) continue;
        add_collider_points(collider.shape, simulation, static_cast<int>(k), points);
    }
    s.start = ball_around(points);
    if (!floor) floor = highest_plane;
    if (!floor) {
        float lowest = s.start.centre.y;
        for (const Vec3& p : points) lowest = std::min(lowest, p.y);
        floor = lowest >= 0 ? 0 : lowest - s.start.radius; // room to hang down
    }
    s.lay_floor(*floor);
    set_looks(scene);
}

void Renderer::set_looks(const SceneDesc& scene) {
    State& s = *state_;
    s.view = scene.view;
    for (std::size_t k = 0; k < s.cloths.size(); ++k) s.cloths[k].look = cloth_look(scene, k);
    for (std::size_t k = 0; k < s.bodies.size(); ++k) s.bodies[k].colour = collider_colour(scene, k);
}

void Renderer::draw(const Snapshot& snapshot, const Camera& camera, Size size, const DrawOptions& options,
                    unsigned framebuffer) {
    state_->draw_everything(snapshot, camera, size, options);
    state_->picture.finish(framebuffer);
}

io::Image Renderer::picture(const Snapshot& snapshot, const Camera& camera, Size size, const DrawOptions& options) {
    state_->draw_everything(snapshot, camera, size, options);
    return state_->picture.read();
}

void Renderer::State::draw_everything(const Snapshot& snapshot, const Camera& camera, Size size,
                                      const DrawOptions& options) {
    fit(size, options.samples);
    upload(snapshot);
    const Frame frame = prepare(snapshot, camera, size);

    glDisable(GL_CULL_FACE); // cloth has two sides
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
    draw_shadow_map(snapshot, frame);
    draw_occlusion(snapshot, frame);

    picture.begin();
    glClear(GL_DEPTH_BUFFER_BIT);
    // From front to back, as far as one can tell: what is hidden is not shaded.
    draw_cloth(frame, options);
    draw_hands(snapshot, frame);
    draw_bodies(snapshot, frame, options.highlighted_collider);
    draw_floor(frame);
    draw_background(frame);
    draw_overlay(snapshot, frame, options);
    glBindSampler(2, 0); // samplers outlast programs, and others draw in this context too
}

void Renderer::State::lay_floor(float height) {
    floor_height = height;
    floor_extent = 8 * std::max(1.0f, start.radius);
    const float e = floor_extent, x = start.centre.x, z = start.centre.z;
    std::vector<float> corners;
    for (const Vec3& p : {Vec3{x - e, height, z - e}, Vec3{x - e, height, z + e}, Vec3{x + e, height, z + e},
                          Vec3{x - e, height, z - e}, Vec3{x + e, height, z + e}, Vec3{x + e, height, z - e}})
        add_corner(p, {0, 1, 0}, corners);
    floor.set_vertices(corners);
}

void Renderer::State::fit(Size size, int samples) {
    if (picture.fits(size, samples)) return;
    picture = PictureTarget(size, samples);
    const Size half = {std::max(1, size.width / 2), std::max(1, size.height / 2)};
    depth = make_depth_target(half);
    occlusion = make_grey_target(half);
    blurred = make_grey_target(half);
}

void Renderer::State::upload(const Snapshot& snapshot) {
    const std::size_t count = snapshot.positions.size();
    normals.resize(count);
    vertex_normals(triangles, snapshot.positions, joined, normals);
    vertices.clear();
    vertices.reserve(9 * count);
    const bool has_values = snapshot.stretch.size() == count;
    for (std::size_t v = 0; v < count; ++v) {
        const Vec3 &p = snapshot.positions[v], &n = normals[v];
        vertices.insert(vertices.end(),
                        {p.x, p.y, p.z, n.x, n.y, n.z, weave[v][0], weave[v][1], has_values ? snapshot.stretch[v] : 1});
    }
    cloth.set_vertices(vertices);
    for (std::size_t k = 0; k < bodies.size(); ++k)
        if (is_deformed(snapshot, k)) bodies[k].show_mesh(snapshot.deformed[k]);
}

Frame Renderer::State::prepare(const Snapshot& snapshot, const Camera& camera, Size size) {
    Frame frame;
    frame.camera = camera;
    frame.size = size;
    const float to_scene = length(camera.from - start.centre) - start.radius;
    frame.range = {std::clamp(0.2f * to_scene, 0.01f, 1.0f), std::max(60.0f, 4 * (to_scene + 2 * start.radius))};
    const float aspect = static_cast<float>(size.width) / static_cast<float>(size.height);
    const Mat4 projection = perspective(camera.fov, aspect, frame.range);
    frame.tan_x = 1 / projection.m[0];
    frame.tan_y = 1 / projection.m[5];
    frame.view_projection = projection * view_matrix(camera.from, camera_axes(camera));
    frame.floor_is_visible = camera.from.y > floor_height;
    place_light(snapshot, frame);
    return frame;
}

// The light's view holds everything that casts a shadow. It moves in whole pixels of the map and grows in steps, so
// that shadows do not crawl while the cloth moves.
void Renderer::State::place_light(const Snapshot& snapshot, Frame& frame) {
    shadow_casters.assign(snapshot.positions.begin(), snapshot.positions.end());
    for (std::size_t k = 0; k < bodies.size(); ++k)
        if (!bodies[k].is_floor)
            for (const Vec3& p : vertices_of(snapshot, k, bodies[k]))
                shadow_casters.push_back(pose_of(snapshot, k).to_world(p));
    const Ball bounds = ball_around(shadow_casters);
    const float radius = std::pow(1.25f, std::ceil(std::log(1.05f * bounds.radius) / std::log(1.25f)));
    const Vec3 towards = normalized(view.light.from);
    const CameraAxes axes = camera_axes({bounds.centre + towards, bounds.centre, 35});
    const float texel = 2 * radius / static_cast<float>(shadow_side);
    const auto snapped = [&](const Vec3& axis) { return std::round(dot(bounds.centre, axis) / texel) * texel; };
    const Vec3 centre =
        axes.right * snapped(axes.right) + axes.up * snapped(axes.up) + axes.forward * dot(bounds.centre, axes.forward);
    frame.shadow_half_width = radius;
    frame.light_matrix = orthographic(radius, {0, 2 * radius}) * view_matrix(centre - axes.forward * radius, axes);
}

// Cloth and colliders with a program that has taken everything but `model`.
void Renderer::State::draw_solids(const Program& program, const Snapshot& snapshot) {
    program.set("model", Mat4{});
    cloth.draw(GL_TRIANGLES);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (bodies[k].is_floor) continue;
        program.set("model", matrix(pose_of(snapshot, k)));
        bodies[k].surface.draw(GL_TRIANGLES);
    }
}

void Renderer::State::draw_shadow_map(const Snapshot& snapshot, const Frame& frame) {
    shadow.begin();
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 2.0f);
    shaders.depth.use();
    shaders.depth.set("view_projection", frame.light_matrix);
    draw_solids(shaders.depth, snapshot);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

void Renderer::State::draw_occlusion(const Snapshot& snapshot, const Frame& frame) {
    depth.begin();
    glClear(GL_DEPTH_BUFFER_BIT);
    shaders.depth.use();
    shaders.depth.set("view_projection", frame.view_projection);
    draw_solids(shaders.depth, snapshot);
    if (frame.floor_is_visible) {
        shaders.depth.set("model", Mat4{});
        floor.draw(GL_TRIANGLES);
    }

    glDisable(GL_DEPTH_TEST);
    const auto filter = [&](const Program& program, const Target& target, const Target& source) {
        target.begin();
        program.use();
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, *depth.texture);
        program.set("depth_map", 0);
        glActiveTexture(GL_TEXTURE1);
        glBindTexture(GL_TEXTURE_2D, *source.texture);
        program.set("occlusion_map", 1);
        program.set("lens", frame.tan_x, frame.tan_y, frame.range.near, frame.range.far);
        static const auto places = spiral<11>(7 * 6.2831853f / 11, [](float part) { return part; }); // as [MML12]
        program.set("spiral", places);
        program.set("radius", occlusion_radius);
        screen.draw(GL_TRIANGLES, 0, 3);
    };
    filter(shaders.occlusion, occlusion, depth);
    filter(shaders.blur, blurred, occlusion);
    glEnable(GL_DEPTH_TEST);
}

// Tells a program all about light and shadow.
void Renderer::State::light(const Program& program, const Frame& frame) const {
    const Light& light = view.light;
    program.use();
    program.set("view_projection", frame.view_projection);
    program.set("model", Mat4{});
    program.set("eye", frame.camera.from);
    program.set("to_light", normalized(light.from));
    program.set("light_colour", linear(light.colour) * (2.5f * light.strength));
    program.set("sky_colour", Vec3{0.74f, 0.79f, 0.88f} * (0.50f * light.ambient));
    program.set("ground_colour", Vec3{0.50f, 0.46f, 0.42f} * (0.34f * light.ambient));
    program.set("background", linear(view.background));
    // From clip space to the places of a texture.
    const Mat4 to_texture = {{0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, 0.5f, 0.5f, 0.5f, 1}};
    program.set("shadow_matrix", to_texture * frame.light_matrix);
    program.set("shadow_texel", 2 * frame.shadow_half_width / static_cast<float>(shadow_side));
    // A sunflower's seeds: evenly spread.
    static const auto disk = spiral<16>(2.3999632f, [](float part) { return std::sqrt(part); });
    program.set("disk", disk);
    program.set("light_size", 0.08f); // a window rather than the sun
    program.set("picture_size", static_cast<float>(frame.size.width), static_cast<float>(frame.size.height));
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, *shadow.texture);
    program.set("shadow_map", 0);
    glActiveTexture(GL_TEXTURE2);
    glBindTexture(GL_TEXTURE_2D, *shadow.texture);
    program.set("shadow_depth", 2);
    glBindSampler(2, *depth_reader);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, *blurred.texture);
    program.set("occlusion_map", 1);
}

void Renderer::State::draw_background(const Frame& frame) {
    glDepthFunc(GL_LEQUAL); // it lies exactly at the end of the depth
    light(shaders.background, frame);
    screen.draw(GL_TRIANGLES, 0, 3);
    glDepthFunc(GL_LESS);
}

void Renderer::State::draw_bodies(const Snapshot& snapshot, const Frame& frame, int highlighted) {
    light(shaders.body, frame);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (bodies[k].is_floor) continue;
        shaders.body.set("model", matrix(pose_of(snapshot, k)));
        shaders.body.set("albedo", bodies[k].colour);
        shaders.body.set("glow", static_cast<int>(k) == highlighted ? 1.0f : 0.0f);
        bodies[k].surface.draw(GL_TRIANGLES);
    }
}

void Renderer::State::draw_cloth(const Frame& frame, const DrawOptions& options) {
    // What cloth.frag calls the views.
    constexpr int as_it_is = 0, strain = 1, normal = 2, pale = 3;
    const int paint = options.view == View::shaded    ? as_it_is
                      : options.view == View::strain  ? strain
                      : options.view == View::normals ? normal
                                                      : pale;
    light(shaders.cloth, frame);
    shaders.cloth.set("view", paint);
    shaders.cloth.set("strain_range", options.strain_range);
    for (const ClothPart& part : cloths) {
        shaders.cloth.set("warp_colour", part.look.colour);
        shaders.cloth.set("weft_colour", part.look.second_colour);
        shaders.cloth.set("weave_kind", part.look.weave);
        shaders.cloth.set("pattern", part.look.pattern);
        shaders.cloth.set("sheen", part.look.sheen);
        cloth.draw(GL_TRIANGLES, part.first_index, part.index_count);
    }
}

void Renderer::State::draw_hands(const Snapshot& snapshot, const Frame& frame) {
    light(shaders.body, frame);
    shaders.body.set("albedo", Vec3{0.90f, 0.45f, 0.05f});
    shaders.body.set("glow", 0.3f);
    for (const Vec3& hand : snapshot.hands) {
        const float size = 0.006f * length(hand - frame.camera.from) * frame.tan_y / 0.3f; // the same on every screen
        shaders.body.set("model", matrix({hand, {}}, size));
        ball.draw(GL_TRIANGLES);
    }
}

void Renderer::State::draw_floor(const Frame& frame) {
    if (!frame.floor_is_visible) return;
    light(shaders.floor, frame);
    shaders.floor.set("centre", Vec3{start.centre.x, floor_height, start.centre.z});
    shaders.floor.set("extent", floor_extent);
    floor.draw(GL_TRIANGLES);
}

void Renderer::State::draw_flat(const Mat4& view_projection, GLenum mode, const FlatVertices& data, float dot_size) {
    shaders.flat.use();
    shaders.flat.set("view_projection", view_projection);
    shaders.flat.set("dot_size", dot_size);
    shaders.flat.set("is_dot", mode == GL_POINTS ? 1 : 0);
    shaders.flat.set("lift", mode == GL_TRIANGLES ? 0.0f : 4e-4f);
    flats.set_vertices(data);
    flats.draw(mode);
}

void Renderer::State::draw_contacts(const Snapshot& snapshot, const Frame& frame, const ContactMarks& marks) {
    const float dot_size = std::max(3.0f, static_cast<float>(frame.size.height) / 100);
    FlatVertices data;
    add_touches(snapshot.touch, snapshot.positions, data);
    draw_flat(frame.view_projection, GL_POINTS, data, dot_size);
    data.clear();
    if (marks.close_pairs) add_close_pairs(snapshot.close_pairs, data);
    draw_flat(frame.view_projection, GL_LINES, data, 1);
    draw_flat(frame.view_projection, GL_POINTS, data, 0.4f * dot_size);
    data.clear();
    if (marks.zones) add_zones(snapshot.zones, data);
    if (marks.impacts) add_impacts(snapshot.impacts, data);
    draw_flat(frame.view_projection, GL_POINTS, data, dot_size);
}

void Renderer::State::draw_overlay(const Snapshot& snapshot, const Frame& frame, const DrawOptions& options) {
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    FlatVertices data;
    if (options.view == View::wireframe) {
        for (const Vec3& p : snapshot.positions) add_vertex(p, {0.10f, 0.13f, 0.18f, 0.75f}, data);
        shaders.flat.use();
        shaders.flat.set("view_projection", frame.view_projection);
        shaders.flat.set("is_dot", 0);
        shaders.flat.set("lift", 4e-4f);
        wires.set_vertices(data);
        wires.draw(GL_LINES);
    } else if (options.view == View::contacts) {
        if (epoxy_is_desktop_gl()) glEnable(GL_PROGRAM_POINT_SIZE); // ES has no other way
        draw_contacts(snapshot, frame, options.marks);
    } else if (options.view == View::hierarchy) {
        add_boxes(snapshot.boxes, data);
        draw_flat(frame.view_projection, GL_LINES, data, 1);
    } else if (options.view == View::strain) {
        add_strain_legend(options.strain_range, frame.size, data);
        const float w = 2 / static_cast<float>(frame.size.width), h = 2 / static_cast<float>(frame.size.height);
        glDisable(GL_DEPTH_TEST);
        draw_flat({{w, 0, 0, 0, 0, h, 0, 0, 0, 0, 1, 0, -1, -1, 0, 1}}, GL_TRIANGLES, data, 1);
        glEnable(GL_DEPTH_TEST);
    }
    glDisable(GL_BLEND);
}

Renderer::Pick Renderer::pick(const Snapshot& snapshot, const Ray& ray) const {
    Pick pick;
    if (const auto hit = first_hit(ray, state_->triangles, snapshot.positions))
        pick = {Pick::Kind::cloth, *hit, -1, ray.origin + ray.direction * hit->distance};
    for (std::size_t k = 0; k < state_->bodies.size(); ++k) {
        const Pose pose = pose_of(snapshot, k);
        const Ray local = {pose.to_local(ray.origin), pose.rotation.transposed() * ray.direction};
        const Body& body = state_->bodies[k];
        const auto hit = first_hit(local, body.mesh.triangles, vertices_of(snapshot, k, body));
        const bool is_first = hit && (pick.kind == Pick::Kind::nothing || hit->distance < pick.hit.distance);
        if (is_first)
            pick = {Pick::Kind::collider, *hit, static_cast<int>(k), ray.origin + ray.direction * hit->distance};
    }
    return pick;
}

} // namespace taffeta::render
