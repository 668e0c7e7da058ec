#include "io/results/glb_animation.h"

#include "io/mesh/mesh_files.h"
#include "io/mesh_testing.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <map>
#include <numeric>

namespace taffeta::io {
namespace {

using taffeta::tests::expect_same;
using taffeta::tests::faults_of;
using taffeta::tests::make_square;
using taffeta::tests::TemporaryFolder;
using Json = nlohmann::json;

// A .glb as a viewer sees it.
class Viewer {
public:
    explicit Viewer(const std::filesystem::path& file) : bytes_(*read_file(file)) {
        std::uint32_t size = 0;
        std::memcpy(&size, bytes_.data() + 12, 4);
        root = Json::parse(bytes_.substr(20, size));
        buffer_ = 28 + size;
        EXPECT_EQ(bytes_.size(), buffer_ + root["buffers"][0]["byteLength"].get<std::size_t>());
    }

    Json root;

    const Json& accessor(const Json& index) const { return root["accessors"][index.get<std::size_t>()]; }

    // The values of an accessor, sparse or not.
    std::vector<float> values(const Json& index) const {
        const Json& a = accessor(index);
        const std::map<std::string, std::size_t> sizes = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}};
        const std::size_t n = sizes.at(a["type"]), count = a["count"].get<std::size_t>();
        std::vector<float> found(n * count);
        if (a.contains("bufferView"))
            for (std::size_t i = 0; i < found.size(); ++i) found[i] = value(a["bufferView"], a["componentType"], i);
        if (a.contains("sparse")) {
            const Json &indices = a["sparse"]["indices"], &view = a["sparse"]["values"]["bufferView"];
            EXPECT_GE(a["sparse"]["count"], 1) << "glTF asks for one at least";
            for (std::size_t i = 0; i < a["sparse"]["count"]; ++i) {
                const auto place = static_cast<std::size_t>(value(indices["bufferView"], indices["componentType"], i));
                for (std::size_t c = 0; c < n; ++c) found[place * n + c] = value(view, 5126, i * n + c);
            }
        }
        return found;
    }

    // The positions of a mesh when the key of this frame is shown.
    std::vector<Vec3> positions(std::size_t mesh, std::size_t frame) const { return morphed(mesh, frame, "POSITION"); }
    std::vector<Vec3> normals(std::size_t mesh, std::size_t frame) const { return morphed(mesh, frame, "NORMAL"); }

    const Json* output(std::size_t node, const std::string& path) const {
        if (!root.contains("animations")) return nullptr;
        const Json& animation = root["animations"][0];
        for (const Json& channel : animation["channels"])
            if (channel["target"]["node"] == node && channel["target"]["path"] == path)
                return &animation["samplers"][channel["sampler"].get<std::size_t>()]["output"];
        return nullptr;
    }

private:
    float value(const Json& view, int component, std::size_t i) const {
        const std::size_t start =
            buffer_ + root["bufferViews"][view.get<std::size_t>()]["byteOffset"].get<std::size_t>();
        const auto read = [&](auto number) {
            std::memcpy(&number, bytes_.data() + start + i * sizeof number, sizeof number);
            return static_cast<float>(number);
        };
        return component == 5126   ? read(float{})
               : component == 5123 ? read(std::uint16_t{})
               : component == 5121 ? read(std::uint8_t{}) / 255
                                   : read(std::uint32_t{});
    }

    std::vector<Vec3> morphed(std::size_t mesh, std::size_t frame, const char* attribute) const {
        const Json& primitive = root["meshes"][mesh]["primitives"][0];
        std::vector<float> x = values(primitive["attributes"][attribute]);
        if (const Json* weights = output(mesh, "weights")) {
            const std::vector<float> all = values(*weights);
            const std::size_t targets = primitive["targets"].size();
            for (std::size_t t = 0; t < targets; ++t) {
                const std::vector<float> deltas = values(primitive["targets"][t][attribute]);
                for (std::size_t i = 0; i < x.size(); ++i) x[i] += all[frame * targets + t] * deltas[i];
            }
        }
        std::vector<Vec3> points(x.size() / 3);
        for (std::size_t i = 0; i < points.size(); ++i) points[i] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        return points;
    }

    std::string bytes_;
    std::size_t buffer_ = 0;
};

float largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    EXPECT_EQ(a.size(), b.size());
    float largest = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, length(a[i] - b[i]));
    return largest;
}

// Frame k of a square of which the half x > 0.5 swings.
std::vector<Vec3> swing(const Mesh& square, int k) {
    std::vector<Vec3> x = square.positions;
    for (Vec3& p : x)
        if (p.x > 0.5f) p.y = std::sin(static_cast<float>(k)) * (p.x - 0.5f);
    return x;
}

TEST(GlbAnimation, EveryFrameIsShownAsItWasGiven) {
    const TemporaryFolder folder;
    const Mesh square = make_square(6);
    for (const bool normals : {true, false}) {
        GlbWriter writer({.cloths = {{"cloth", square, {}}}, .colliders = {}, .frame_rate = 24, .normals = normals});
        for (int k = 0; k < 10; ++k) writer.append(swing(square, k), {});
        ASSERT_TRUE(writer.commit(folder / "a.glb"));
        const Viewer viewer(folder / "a.glb");
        for (int k = 0; k < 10; ++k)
            EXPECT_LT(largest_difference(viewer.positions(0, static_cast<std::size_t>(k)), swing(square, k)), 1e-6f)
                << k;
        const Json& sampler = viewer.root["animations"][0]["samplers"][0];
        EXPECT_EQ(sampler["interpolation"], "LINEAR");
        const std::vector<float> times = viewer.values(sampler["input"]);
        for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(times[k], static_cast<float>(k) / 24);
        EXPECT_EQ(viewer.root["meshes"][0]["primitives"][0]["attributes"].contains("NORMAL"), normals);
        EXPECT_EQ(viewer.root["meshes"][0]["primitives"][0]["targets"][0].contains("NORMAL"), normals);
    }
}

TEST(GlbAnimation, FrameZeroIsTheMeshThatReadersSee) {
    const TemporaryFolder folder;
    const Mesh first = make_square(3);
    Mesh second = make_square(2);
    second.uv.clear();
    GlbWriter writer({.cloths = {{"a", first, {}}, {"b", second, {}}}, .colliders = {{"c", make_square(1)}}});
    for (int k = 0; k < 3; ++k) {
        std::vector<Vec3> x = swing(first, k);
        for (const Vec3& p : swing(second, 2 * k)) x.push_back(p + Vec3{3, 0, 0});
        writer.append(x, std::vector<Pose>{{{0, -1, 0}, {}}});
    }
    ASSERT_TRUE(writer.commit(folder / "a.glb"));

    const Result<Mesh> read = read_mesh(folder / "a.glb");
    ASSERT_TRUE(read) << faults_of(read);
    Mesh expected = first;
    for (const Vec3& p : second.positions) expected.positions.push_back(p + Vec3{3, 0, 0});
    ASSERT_EQ(read->positions.size(), expected.positions.size() + 4) << "and the collider";
    EXPECT_TRUE(std::equal(expected.positions.begin(), expected.positions.end(), read->positions.begin()));
    EXPECT_TRUE(std::equal(first.triangles.begin(), first.triangles.end(), read->triangles.begin()));
    EXPECT_LT(std::abs(read->uv[5][1] - first.uv[5][1]), 1e-6f);
    EXPECT_LT(largest_difference(Viewer(folder / "a.glb").positions(0, 2), swing(first, 2)), 1e-6f);
}

TEST(GlbAnimation, OnlyWhatMovedIsStored) {
    const TemporaryFolder folder;
    const Mesh square = make_square(20);
    std::vector<Vec3> x = square.positions;
    GlbWriter writer({.cloths = {{"cloth", square, {}}}});
    writer.append(x, {});
    x[7].y = 0.5f;
    x[8].y = 0.5e-6f; // less than anybody sees
    writer.append(x, {});
    for (Vec3& p : x) p.z += 1;
    writer.append(x, {});
    ASSERT_TRUE(writer.commit(folder / "a.glb"));

    const Viewer viewer(folder / "a.glb");
    const Json& targets = viewer.root["meshes"][0]["primitives"][0]["targets"];
    ASSERT_EQ(targets.size(), 2u);
    EXPECT_EQ(viewer.accessor(targets[0]["POSITION"])["sparse"]["count"], 1);
    EXPECT_FALSE(viewer.accessor(targets[1]["POSITION"]).contains("sparse")) << "all moved: a plain array is smaller";
}

TEST(GlbAnimation, RestNeedsNoTargets) {
    const TemporaryFolder folder;
    const Mesh square = make_square(2);
    GlbWriter writer({.cloths = {{"falls", square, {}}, {"lies", square, {}}}});
    for (const int k : {0, 1, 2, 2, 2, 0}) {
        std::vector<Vec3> x = swing(square, k);
        x.insert(x.end(), square.positions.begin(), square.positions.end());
        writer.append(x, {});
    }
    ASSERT_TRUE(writer.commit(folder / "a.glb"));
    const Viewer viewer(folder / "a.glb");
    EXPECT_EQ(viewer.root["meshes"][0]["primitives"][0]["targets"].size(), 2u);
    EXPECT_FALSE(viewer.root["meshes"][1]["primitives"][0].contains("targets"));
    EXPECT_EQ(viewer.output(1, "weights"), nullptr);
    for (const auto& [frame, k] : {std::pair<std::size_t, int>{3, 2}, {4, 2}, {5, 0}})
        EXPECT_LT(largest_difference(viewer.positions(0, frame), swing(square, k)), 1e-6f);
}

TEST(GlbAnimation, BoundsHoldThePositions) { // as glTF demands of positions and their targets
    const TemporaryFolder folder;
    const Mesh square = make_square(5);
    GlbWriter writer({.cloths = {{"cloth", square, {}}}});
    for (int k = 0; k < 4; ++k) writer.append(swing(square, k), {});
    ASSERT_TRUE(writer.commit(folder / "a.glb"));
    const Viewer viewer(folder / "a.glb");
    const Json& primitive = viewer.root["meshes"][0]["primitives"][0];
    std::vector<Json> accessors = {primitive["attributes"]["POSITION"]};
    for (const Json& target : primitive["targets"]) accessors.push_back(target["POSITION"]);
    for (const Json& index : accessors) {
        const std::vector<float> values = viewer.values(index);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            float low = values[axis], high = low;
            for (std::size_t i = axis; i < values.size(); i += 3)
                low = std::min(low, values[i]), high = std::max(high, values[i]);
            EXPECT_EQ(viewer.accessor(index)["min"][axis].get<float>(), low);
            EXPECT_EQ(viewer.accessor(index)["max"][axis].get<float>(), high);
        }
    }
}

TEST(GlbAnimation, NormalsFollowTheCloth) {
    const TemporaryFolder folder;
    const Mesh square = make_square(4);
    GlbWriter writer({.cloths = {{"cloth", square, {}}}});
    writer.append(square.positions, {});
    std::vector<Vec3> upright;
    for (const Vec3& p : square.positions) upright.push_back({p.x, p.z, 0}); // turned about X: +Y looks to -Z
    writer.append(upright, {});
    ASSERT_TRUE(writer.commit(folder / "a.glb"));
    const Viewer viewer(folder / "a.glb");
    for (const Vec3& n : viewer.normals(0, 0)) EXPECT_LT(length(n - Vec3{0, 1, 0}), 1e-6f);
    for (const Vec3& n : viewer.normals(0, 1)) EXPECT_LT(length(n - Vec3{0, 0, -1}), 1e-6f);
}

TEST(GlbAnimation, CollidersMoveAsAWhole) {
    const TemporaryFolder folder;
    const Mesh square = make_square(1);
    GlbWriter writer(
        {.cloths = {{"cloth", square, {}}}, .colliders = {{"moves", square}, {"stays", square}, {"unseen", {}}}});
    std::vector<Pose> moves;
    for (int k = 0; k < 40; ++k) {
        const auto angle = static_cast<float>(20 * k);
        moves.push_back({{static_cast<float>(k), 0, 1}, rotation_from_degrees({angle, -2 * angle, 3 * angle})});
        writer.append(square.positions, std::vector<Pose>{moves.back(), moves.front(), {}});
    }
    ASSERT_TRUE(writer.commit(folder / "a.glb"));

    const Viewer viewer(folder / "a.glb");
    ASSERT_EQ(viewer.root["nodes"].size(), 3u);
    EXPECT_EQ(viewer.root["nodes"][2]["name"], "stays");
    EXPECT_EQ(viewer.output(2, "translation"), nullptr);
    EXPECT_EQ(viewer.output(2, "rotation"), nullptr);
    const std::vector<float> positions = viewer.values(*viewer.output(1, "translation"));
    const std::vector<float> rotations = viewer.values(*viewer.output(1, "rotation"));
    for (std::size_t k = 0; k < 40; ++k) {
        EXPECT_EQ(positions[3 * k], static_cast<float>(k));
        const float* q = &rotations[4 * k];
        EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-5);
        // Rotating (1, 2, 3) by q, with u = (x, y, z): p + 2 u x (u x p + w p).
        const Vec3 p = {1, 2, 3}, u = {q[0], q[1], q[2]};
        EXPECT_LT(length(p + cross(u, cross(u, p) + p * q[3]) * 2 - moves[k].rotation * p), 1e-5f);
        const float* before = &rotations[k == 0 ? 0 : 4 * k - 4];
        EXPECT_GT(std::inner_product(q, q + 4, before, 0.0f), 0) << "the short way round";
    }
}

TEST(GlbAnimation, SharpEdgesOfCollidersStaySharp) {
    const TemporaryFolder folder;
    // A roof: two squares that meet at a right angle along the vertices 2 and 3.
    const Mesh roof = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {1, 1, 1}, {0, 0, 2}, {1, 0, 2}},
                       {{0, 2, 1}, {1, 2, 3}, {2, 4, 3}, {3, 4, 5}},
                       {}};
    GlbWriter writer({.cloths = {}, .colliders = {{"roof", roof}}});
    writer.append({}, std::vector<Pose>(1));
    ASSERT_TRUE(writer.commit(folder / "a.glb"));
    const Viewer viewer(folder / "a.glb");
    EXPECT_EQ(viewer.positions(0, 0).size(), 8u) << "the edge is there twice";
    for (const Vec3& n : viewer.normals(0, 0)) EXPECT_NEAR(std::abs(n.z), std::sqrt(0.5f), 1e-6f);
    EXPECT_EQ(read_mesh(folder / "a.glb")->triangles.size(), 4u);
}

TEST(GlbAnimation, OneFrameIsAStillPicture) {
    const TemporaryFolder folder;
    const Mesh square = make_square(1);
    GlbWriter writer({.cloths = {{"cloth", square, Vec3{0.25f, 0.5f, 0.75f}}}});
    writer.append(square.positions, {});
    ASSERT_TRUE(writer.commit(folder / "a.glb"));
    const Viewer viewer(folder / "a.glb");
    EXPECT_FALSE(viewer.root.contains("animations"));
    EXPECT_EQ(viewer.root["asset"]["generator"], "Taffeta");
    EXPECT_EQ(viewer.root["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"], Json({0.25, 0.5, 0.75, 1}));
    EXPECT_EQ(viewer.root["materials"][0]["doubleSided"], true);
}

TEST(GlbAnimation, MoreVerticesThanShortIndicesHold) {
    const TemporaryFolder folder;
    const Mesh square = make_square(260);
    GlbWriter writer({.cloths = {{"cloth", square, {}}}});
    for (int k = 0; k < 2; ++k) writer.append(swing(square, k), {});
    ASSERT_TRUE(writer.commit(folder / "a.glb"));
    const Result<Mesh> read = read_mesh(folder / "a.glb");
    ASSERT_TRUE(read) << faults_of(read);
    EXPECT_EQ(read->triangles, square.triangles);
    EXPECT_LT(largest_difference(Viewer(folder / "a.glb").positions(0, 1), swing(square, 1)), 1e-6f);
}

TEST(GlbAnimation, AFolderIsNoTarget) {
    const TemporaryFolder folder;
    GlbWriter writer({});
    writer.append({}, {});
    EXPECT_FALSE(writer.commit(folder / ""));
}

} // namespace
} // namespace taffeta::io
