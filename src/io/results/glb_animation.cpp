#include "io/results/glb_animation.h"

#include "io/results/glb_document.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

namespace taffeta::io {

namespace {

using Json = GlbDocument::Json;

constexpr float position_tolerance = 1e-6f; // m; a vertex that moved less did not move
constexpr float normal_tolerance = 2e-3f;   // a tenth of a degree

using enum GlbDocument::ComponentType;

bool differ(const Vec3& a, const Vec3& b, float tolerance) {
    const Vec3 d = a - b;
    return std::abs(d.x) > tolerance || std::abs(d.y) > tolerance || std::abs(d.z) > tolerance;
}

bool differ(std::span<const Vec3> a, std::span<const Vec3> b) {
    return !std::ranges::equal(a, b, [](const Vec3& p, const Vec3& q) { return !differ(p, q, position_tolerance); });
}

Vec3 face_normal(std::span<const Vec3> x, const Triangle& t) { // as long as twice the area
    return cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
}

// glTF wants unit length also where there is no surface.
Vec3 unit_or_up(const Vec3& n) {
    const Vec3 unit = normalized(n);
    return std::abs(dot(unit, unit) - 1) < 0.01f ? unit : Vec3{0, 1, 0};
}

std::vector<Vec3> vertex_normals(std::span<const Vec3> x, std::span<const Triangle> triangles) {
    std::vector<Vec3> normals(x.size());
    for (const Triangle& t : triangles)
        for (const Index v : t) normals[v] += face_normal(x, t);
    std::ranges::transform(normals, normals.begin(), unit_or_up);
    return normals;
}

// A collider with vertices split along its sharp edges, so that spheres look round and boxes do not.
struct Creased {
    std::vector<Vec3> positions, normals;
    std::vector<Triangle> triangles;
};

Creased split_creases(const Mesh& mesh) {
    constexpr float same_surface = 0.7f; // cosine of the largest angle shaded round: 45 degrees
    std::vector<std::vector<Index>> faces_at(mesh.positions.size()), copies_of(mesh.positions.size());
    for (Index f = 0; f < mesh.triangles.size(); ++f)
        for (const Index v : mesh.triangles[f]) faces_at[v].push_back(f);

    Creased creased;
    for (const Triangle& t : mesh.triangles) {
        const Vec3 own = unit_or_up(face_normal(mesh.positions, t));
        Triangle split{};
        for (std::size_t corner = 0; corner < 3; ++corner) {
            Vec3 sum;
            for (const Index f : faces_at[t[corner]]) {
                const Vec3 normal = face_normal(mesh.positions, mesh.triangles[f]);
                if (dot(own, normalized(normal)) > same_surface) sum += normal;
            }
            const Vec3 normal = unit_or_up(sum);
            std::vector<Index>& copies = copies_of[t[corner]];
            const auto copy = std::ranges::find_if(
                copies, [&](Index i) { return !differ(creased.normals[i], normal, normal_tolerance); });
            split[corner] = copy != copies.end() ? *copy : static_cast<Index>(creased.positions.size());
            if (copy != copies.end()) continue;
            copies.push_back(split[corner]);
            creased.positions.push_back(mesh.positions[t[corner]]);
            creased.normals.push_back(normal);
        }
        creased.triangles.push_back(split);
    }
    return creased;
}

// What is kept of a cloth between frames.
struct ClothTrack {
    std::vector<Vec3> start, start_normals;
    std::vector<Vec3> shown;                           // by the last target
    Json targets = Json::array();                      // of the mesh
    std::vector<std::optional<std::size_t>> target_at; // frame; none: as frame 0
};

} // namespace

struct GlbWriter::State {
    GlbScene scene;
    std::size_t frames = 0;
    std::vector<ClothTrack> tracks;
    std::vector<std::vector<Pose>> poses; // of each collider, by frame
    GlbDocument document;

    void add_target(ClothTrack& track, const GlbScene::Cloth& cloth, std::span<const Vec3> x);
    void add_cloth(std::size_t i, Json& animation, std::size_t times);
    void add_collider(std::size_t i, std::size_t material, Json& animation, std::size_t times);
    void add_node(Json node) { document.root["scenes"][0]["nodes"].push_back(document.add("nodes", std::move(node))); }
    std::size_t add_material(const char* name, const Vec3& colour);
    void add_channel(Json& animation, const char* path, std::size_t times, std::size_t output);
};

GlbWriter::GlbWriter(GlbScene scene) : state_(std::make_unique<State>()) {
    state_->tracks.resize(scene.cloths.size());
    state_->poses.resize(scene.colliders.size());
    state_->scene = std::move(scene);
}
GlbWriter::GlbWriter(GlbWriter&&) noexcept = default;
GlbWriter& GlbWriter::operator=(GlbWriter&&) noexcept = default;
GlbWriter::~GlbWriter() = default;

void GlbWriter::append(std::span<const Vec3> positions, std::span<const Pose> collider_poses) {
    State& state = *state_;
    assert(collider_poses.size() == state.poses.size());
    for (std::size_t i = 0; i < collider_poses.size(); ++i) state.poses[i].push_back(collider_poses[i]);
    std::size_t first = 0;
    for (std::size_t i = 0; i < state.tracks.size(); ++i) {
        const GlbScene::Cloth& cloth = state.scene.cloths[i];
        ClothTrack& track = state.tracks[i];
        assert(first + cloth.mesh.positions.size() <= positions.size());
        const std::span<const Vec3> x = positions.subspan(first, cloth.mesh.positions.size());
        first += x.size();
        if (state.frames == 0) {
            track.start.assign(x.begin(), x.end());
            track.start_normals = vertex_normals(x, cloth.mesh.triangles);
        }
        if (!differ(x, track.start)) {
            track.target_at.emplace_back();
            continue;
        }
        // Cloth that has come to rest needs no further targets.
        if (track.targets.empty() || differ(x, track.shown)) state.add_target(track, cloth, x);
        track.target_at.emplace_back(track.targets.size() - 1);
    }
    assert(first == positions.size());
    ++state.frames;
}

void GlbWriter::State::add_target(ClothTrack& track, const GlbScene::Cloth& cloth, std::span<const Vec3> x) {
    const auto deltas_to = [](std::span<const Vec3> values, std::span<const Vec3> base, float tolerance) {
        std::vector<Vec3> deltas(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            if (differ(values[i], base[i], tolerance)) deltas[i] = values[i] - base[i];
        return deltas;
    };
    const std::vector<Vec3> moves = deltas_to(x, track.start, position_tolerance);
    const std::size_t positions = document.add_deltas(moves);
    document.add_bounds(positions, moves);
    Json target = {{"POSITION", positions}};
    if (scene.normals)
        target["NORMAL"] = document.add_deltas(
            deltas_to(vertex_normals(x, cloth.mesh.triangles), track.start_normals, normal_tolerance));
    track.targets.push_back(std::move(target));
    track.shown.assign(x.begin(), x.end());
}

std::size_t GlbWriter::State::add_material(const char* name, const Vec3& colour) {
    return document.add(
        "materials",
        {{"name", name},
         {"doubleSided", true},
         {"pbrMetallicRoughness",
          {{"baseColorFactor", {colour.x, colour.y, colour.z, 1}}, {"metallicFactor", 0}, {"roughnessFactor", 0.9}}}});
}

void GlbWriter::State::add_cloth(std::size_t i, Json& animation, std::size_t times) {
    const GlbScene::Cloth& cloth = scene.cloths[i];
    const ClothTrack& track = tracks[i];
    constexpr Vec3 colours[] = {
        {0.07f, 0.21f, 0.38f}, {0.58f, 0.09f, 0.05f}, {0.20f, 0.36f, 0.23f}, {0.74f, 0.40f, 0.06f}};
    Json attributes = {{"POSITION", document.add_positions(track.start)}};
    if (scene.normals) attributes["NORMAL"] = document.add_vectors(track.start_normals);
    if (!cloth.mesh.uv.empty()) {
        std::vector<std::array<float, 2>> uv = cloth.mesh.uv;
        for (auto& [u, v] : uv) v = 1 - v; // pictures of glTF begin at the top
        attributes["TEXCOORD_0"] = document.add_accessor(std::span<const std::array<float, 2>>(uv), "VEC2", f32,
                                                         uv.size(), GlbDocument::Use::vertices);
    }
    Json primitive = {{"attributes", std::move(attributes)},
                      {"indices", document.add_triangles(cloth.mesh.triangles, track.start.size())},
                      {"material", add_material("cloth", cloth.colour.value_or(colours[i % std::size(colours)]))}};
    if (!track.targets.empty()) primitive["targets"] = track.targets;
    const std::size_t mesh =
        document.add("meshes", {{"name", cloth.name}, {"primitives", Json::array({std::move(primitive)})}});
    add_node({{"name", cloth.name}, {"mesh", mesh}});
    if (track.targets.empty()) return;

    // At each frame one target has the weight 1, as the byte 255; the number of weights grows with the square of
    // the frames, so that bytes matter.
    std::vector<std::uint8_t> weights(frames * track.targets.size());
    for (std::size_t frame = 0; frame < frames; ++frame)
        if (track.target_at[frame]) weights[frame * track.targets.size() + *track.target_at[frame]] = 255;
    const std::size_t output =
        document.add_accessor(std::span<const std::uint8_t>(weights), "SCALAR", u8, weights.size());
    document.root["accessors"][output]["normalized"] = true;
    add_channel(animation, "weights", times, output);
}

void GlbWriter::State::add_collider(std::size_t i, std::size_t material, Json& animation, std::size_t times) {
    const GlbScene::Collider& collider = scene.colliders[i];
    if (collider.mesh.triangles.empty()) return;
    const Creased creased = split_creases(collider.mesh);
    Json attributes = {{"POSITION", document.add_positions(creased.positions)},
                       {"NORMAL", document.add_vectors(creased.normals)}};
    Json primitive = {{"attributes", std::move(attributes)},
                      {"indices", document.add_triangles(creased.triangles, creased.positions.size())},
                      {"material", material}};
    const std::size_t mesh =
        document.add("meshes", {{"name", collider.name}, {"primitives", Json::array({std::move(primitive)})}});

    std::vector<Vec3> positions;
    std::vector<Quaternion> rotations;
    for (const Pose& pose : poses[i]) {
        positions.push_back(pose.position);
        Quaternion q = to_quaternion(pose.rotation);
        // q and -q are the same rotation, but not the same way from the one before.
        const Quaternion& before = rotations.empty() ? q : rotations.back();
        if (q.x * before.x + q.y * before.y + q.z * before.z + q.w * before.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
        rotations.push_back(q);
    }
    add_node({{"name", collider.name},
              {"mesh", mesh},
              {"translation", {positions[0].x, positions[0].y, positions[0].z}},
              {"rotation", {rotations[0].x, rotations[0].y, rotations[0].z, rotations[0].w}}});
    const auto moves = [&](const auto member) {
        return std::ranges::adjacent_find(poses[i], std::ranges::not_equal_to{}, member) != poses[i].end();
    };
    if (moves(&Pose::position))
        add_channel(animation, "translation", times,
                    document.add_accessor(std::span<const Vec3>(positions), "VEC3", f32, frames));
    if (moves(&Pose::rotation))
        add_channel(animation, "rotation", times,
                    document.add_accessor(std::span<const Quaternion>(rotations), "VEC4", f32, frames));
}

// Of the node that was added last.
void GlbWriter::State::add_channel(Json& animation, const char* path, std::size_t times, std::size_t output) {
    const std::size_t node = document.root["nodes"].size() - 1;
    animation["channels"].push_back(
        {{"sampler", animation["samplers"].size()}, {"target", {{"node", node}, {"path", path}}}});
    animation["samplers"].push_back({{"input", times}, {"output", output}, {"interpolation", "LINEAR"}});
}

Result<Done> GlbWriter::commit(const std::filesystem::path& file) {
    State& state = *state_;
    assert(state.frames > 0);
    std::vector<float> times(state.frames);
    for (std::size_t frame = 0; frame < times.size(); ++frame)
        times[frame] = static_cast<float>(frame) / state.scene.frame_rate;
    const std::size_t input = state.document.add_accessor(std::span<const float>(times), "SCALAR", f32, times.size());
    state.document.root["accessors"][input]["min"] = {times.front()};
    state.document.root["accessors"][input]["max"] = {times.back()};

    Json animation = {{"name", "simulation"}, {"channels", Json::array()}, {"samplers", Json::array()}};
    for (std::size_t i = 0; i < state.tracks.size(); ++i) state.add_cloth(i, animation, input);
    const std::size_t grey = state.add_material("collider", {0.3f, 0.3f, 0.3f});
    for (std::size_t i = 0; i < state.poses.size(); ++i) state.add_collider(i, grey, animation, input);
    if (!animation["channels"].empty()) state.document.root["animations"] = Json::array({std::move(animation)});
    return state.document.write(file);
}

} // namespace taffeta::io
