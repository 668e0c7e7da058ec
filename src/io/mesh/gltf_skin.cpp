#include "io/mesh/gltf_skin.h"

#include "collision/colliders/body_mesh.h"
#include "io/mesh/gltf_parts.h"
#include "io/results/glb_document.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace taffeta::io {
namespace {

using Size = GltfDocument::Size;

constexpr std::size_t max_keys = std::size_t{1} << 24; // of all channels: a small file can name one accessor many times

// The front of a triangle stays outside where the joint of its first corner mirrors.
void turn_mirrored(const Skeleton& skeleton, std::vector<Triangle>& triangles) {
    const std::vector<Affine> transforms = joint_transforms(skeleton, 0);
    for (Triangle& t : triangles) {
        const Skeleton::Influence& first = skeleton.influences[skeleton.first_influence[t[0]]];
        if (transforms[first.joint].mirrors()) std::swap(t[1], t[2]);
    }
}

bool all_finite(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// --- reading

class SkeletonReader {
public:
    SkeletonReader(GltfDocument& document, const GltfShapes& shapes) : document_(document), shapes_(shapes) {}

    // Parts of the answer are missing after a fault.
    Skeleton read(const Json* animation, const Affine& to_scene);

private:
    struct JointRange {
        Index first = 0, count = 0;
    };
    // The joints and weights of a part, as many of each to a vertex.
    struct Bindings {
        std::size_t per_vertex = 0;
        std::vector<double> joints = {}, weights = {};
    };

    // All of these answer nothing after adding a fault.
    void read_nodes(const Affine& to_scene);
    void add_tree(Size root, int parent, const std::vector<std::vector<Size>>& children);
    std::optional<Index> find_node(Size node, const std::string& where);
    std::optional<JointRange> find_skin(Size skin);
    void add_inverse_binds(const Json& skin, const std::string& where, const JointRange& range);
    std::optional<Index> joint_of_node(Size node, const std::string& where);
    void add_part(const GltfPart& part);
    std::optional<Bindings> read_bindings(const GltfPart& part);
    void add_influences(const GltfPart& part, const Bindings& bindings, const JointRange& range);
    void read_animation(const Json& animation);
    void read_channel(const Json& channel, const Json& samplers, const std::string& where);
    bool read_target(const Json& target, const std::string& where, Skeleton::Channel& channel);
    bool read_keys(const Json& sampler, const std::string& where, Skeleton::Channel& channel);

    GltfDocument& document_;
    const GltfShapes& shapes_;
    Skeleton skeleton_;
    std::vector<std::optional<Index>> number_of_node_; // by their place in the file
    std::map<Size, std::optional<JointRange>> skins_;
    std::map<Size, Index> joint_of_node_; // for meshes without skin
    std::size_t key_count_ = 0;
};

Skeleton SkeletonReader::read(const Json* animation, const Affine& to_scene) {
    skeleton_.bind_positions = shapes_.mesh.positions;
    read_nodes(to_scene);
    for (const GltfPart& part : shapes_.parts)
        if (document_.faults.empty()) add_part(part);
    skeleton_.first_influence.push_back(static_cast<Index>(skeleton_.influences.size()));
    if (animation != nullptr && document_.faults.empty()) read_animation(*animation);
    return std::move(skeleton_);
}

// Parents before children, below one node that takes all of them to the scene's units and axes if there is need.
void SkeletonReader::read_nodes(const Affine& to_scene) {
    const Json& nodes = member(document_.root(), "nodes");
    const Size count = nodes.is_array() ? nodes.size() : 0;
    std::vector<std::vector<Size>> children(count);
    std::vector<bool> is_child(count);
    for (Size n = 0; n < count; ++n) {
        children[n] = document_.get_indices(nodes[n], "children", name_of("nodes", n));
        for (const Size child : children[n]) {
            if (!document_.find("nodes", child)) return;
            if (is_child[child])
                return document_.faults.add(name_of("nodes", child) +
                                            " is a child of two nodes; nodes must form a tree");
            is_child[child] = true;
        }
    }
    number_of_node_.resize(count);
    const bool is_converted = !(to_scene == Affine{});
    if (is_converted) skeleton_.nodes.push_back({.matrix = to_scene});
    for (Size n = 0; n < count; ++n)
        if (!is_child[n]) add_tree(n, is_converted ? 0 : -1, children);
}

// On a stack of our own: files nest as deep as they like.
void SkeletonReader::add_tree(Size root, int root_parent, const std::vector<std::vector<Size>>& children) {
    std::vector<std::pair<Size, int>> stack = {{root, root_parent}};
    while (!stack.empty()) {
        const auto [place, parent] = stack.back();
        stack.pop_back();
        auto node = read_gltf_node(document_, member(document_.root(), "nodes")[place], name_of("nodes", place));
        if (!node) return;
        const auto number = static_cast<int>(skeleton_.nodes.size());
        node->parent = parent;
        number_of_node_[place] = static_cast<Index>(number);
        skeleton_.nodes.push_back(*node);
        std::for_each(children[place].rbegin(), children[place].rend(),
                      [&](Size child) { stack.emplace_back(child, number); });
    }
}

std::optional<Index> SkeletonReader::find_node(Size node, const std::string& where) {
    if (node < number_of_node_.size() && number_of_node_[node]) return number_of_node_[node];
    document_.faults.add(where + " names " + name_of("nodes", node) +
                         (node < number_of_node_.size() ? ", which is its own ancestor; nodes must form a tree"
                                                        : ", which does not exist"));
    return std::nullopt;
}

// --- what vertices hang on

std::optional<SkeletonReader::JointRange> SkeletonReader::find_skin(Size number) {
    const auto [entry, is_new] = skins_.try_emplace(number);
    if (!is_new) return entry->second;
    const std::string where = name_of("skins", number);
    const Json* skin = document_.find("skins", number);
    if (!skin) return std::nullopt;
    JointRange range = {.first = static_cast<Index>(skeleton_.joints.size())};
    for (const Size joint : document_.get_indices(*skin, "joints", where)) {
        const auto node = find_node(joint, where + ".joints");
        if (!node) return std::nullopt;
        skeleton_.joints.push_back({*node, {}});
        ++range.count;
    }
    if (!member(*skin, "inverseBindMatrices").is_null()) add_inverse_binds(*skin, where, range);
    entry->second = range;
    return range;
}

void SkeletonReader::add_inverse_binds(const Json& skin, const std::string& where, const JointRange& range) {
    Size accessor = 0;
    std::vector<double> m; // by columns
    if (!document_.get(skin, "inverseBindMatrices", accessor, where) || !document_.read_accessor(accessor, 16, m))
        return;
    if (m.size() / 16 < range.count)
        return document_.faults.add(where + " has " + std::to_string(m.size() / 16) + " inverse bind matrices for " +
                                    std::to_string(range.count) + " joints");
    if (!all_finite(m)) return document_.faults.add(where + " has an inverse bind matrix that is not finite");
    for (Index j = 0; j < range.count; ++j) {
        const double* c = &m[std::size_t{16} * j];
        skeleton_.joints[range.first + j].inverse_bind = {
            {Vec3d{c[0], c[4], c[8]}, Vec3d{c[1], c[5], c[9]}, Vec3d{c[2], c[6], c[10]}}, {c[12], c[13], c[14]}};
    }
}

std::optional<Index> SkeletonReader::joint_of_node(Size place, const std::string& where) {
    if (const auto known = joint_of_node_.find(place); known != joint_of_node_.end()) return known->second;
    const auto node = find_node(place, where);
    if (!node) return std::nullopt;
    const auto joint = static_cast<Index>(skeleton_.joints.size());
    skeleton_.joints.push_back({*node, {}});
    joint_of_node_[place] = joint;
    return joint;
}

// The transform of a node with a skin is not used, as the specification says.
void SkeletonReader::add_part(const GltfPart& part) {
    const Json& node = *document_.find("nodes", part.node);
    Size skin = 0;
    const bool is_skinned = !member(node, "skin").is_null() && !member(*part.attributes, "JOINTS_0").is_null();
    if (!is_skinned) {
        const auto joint = joint_of_node(part.node, part.where);
        for (Index v = 0; joint && v < part.vertex_count; ++v) {
            skeleton_.first_influence.push_back(static_cast<Index>(skeleton_.influences.size()));
            skeleton_.influences.push_back({*joint, 1});
        }
        return;
    }
    if (!document_.get(node, "skin", skin, name_of("nodes", part.node))) return;
    const auto range = find_skin(skin);
    if (!range) return;
    if (const auto bindings = read_bindings(part)) add_influences(part, *bindings, *range);
}

std::optional<SkeletonReader::Bindings> SkeletonReader::read_bindings(const GltfPart& part) {
    Bindings bindings;
    std::vector<std::vector<double>> joint_sets, weight_sets; // of four
    for (int set = 0; part.attributes->contains("JOINTS_" + std::to_string(set)); ++set) {
        const std::string joints = "JOINTS_" + std::to_string(set), weights = "WEIGHTS_" + std::to_string(set);
        Size joint_accessor = 0, weight_accessor = 0;
        if (!document_.require(*part.attributes, joints.c_str(), joint_accessor, part.where) ||
            !document_.require(*part.attributes, weights.c_str(), weight_accessor, part.where) ||
            !document_.read_accessor(joint_accessor, 4, joint_sets.emplace_back()) ||
            !document_.read_accessor(weight_accessor, 4, weight_sets.emplace_back()))
            return std::nullopt;
        const std::size_t expected = std::size_t{4} * part.vertex_count;
        if (joint_sets.back().size() != expected || weight_sets.back().size() != expected) {
            document_.faults.add(part.where + " does not have " + joints + " and " + weights + " for each of its " +
                                 std::to_string(part.vertex_count) + " vertices");
            return std::nullopt;
        }
    }
    bindings.per_vertex = 4 * joint_sets.size();
    for (std::size_t v = 0; v < part.vertex_count; ++v)
        for (std::size_t set = 0; set < joint_sets.size(); ++set)
            for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
                bindings.joints.push_back(joint_sets[set][k]);
                bindings.weights.push_back(weight_sets[set][k]);
            }
    return bindings;
}

// Weights that do not sum to 1 are scaled; vertices without any weight hang on the node.
void SkeletonReader::add_influences(const GltfPart& part, const Bindings& bindings, const JointRange& range) {
    constexpr double rounding = 1e-6; // sums of weights in single precision are left as they are
    for (std::size_t v = 0; v < part.vertex_count; ++v) {
        const double* weights = &bindings.weights[v * bindings.per_vertex];
        const double* joints = &bindings.joints[v * bindings.per_vertex];
        double sum = 0;
        for (std::size_t k = 0; k < bindings.per_vertex; ++k) sum += weights[k];
        const double scale = std::abs(sum - 1) > rounding && sum > 0 ? 1 / sum : 1;
        skeleton_.first_influence.push_back(static_cast<Index>(skeleton_.influences.size()));
        const std::string vertex = part.where + ": vertex " + std::to_string(v);
        for (std::size_t k = 0; k < bindings.per_vertex; ++k) {
            if (!(weights[k] >= 0) || !std::isfinite(sum))
                return document_.faults.add(vertex + " has the weight " + to_text(weights[k]) +
                                            "; weights must be finite and not below 0");
            if (weights[k] == 0) continue;
            const auto joint = as_index(joints[k], range.count);
            if (!joint)
                return document_.faults.add(vertex + " hangs on joint " + to_text(joints[k]) +
                                            ", which does not exist; the skin has " + std::to_string(range.count));
            skeleton_.influences.push_back({range.first + *joint, static_cast<float>(weights[k] * scale)});
        }
        if (sum > 0) continue;
        const auto joint = joint_of_node(part.node, part.where);
        if (!joint) return;
        skeleton_.influences.push_back({*joint, 1});
    }
}

// --- what moves them

void SkeletonReader::read_animation(const Json& animation) {
    const Json& channels = member(animation, "channels");
    for (std::size_t c = 0; c < (channels.is_array() ? channels.size() : 0) && document_.faults.empty(); ++c)
        read_channel(channels[c], member(animation, "samplers"), "the clip's " + name_of("channels", c));
    if (document_.faults.empty() && skeleton_.channels.empty())
        document_.faults.add("has a clip that moves nothing; choose another, or leave clip out");
}

void SkeletonReader::read_channel(const Json& channel, const Json& samplers, const std::string& where) {
    Skeleton::Channel made;
    Size sampler = 0;
    if (!read_target(member(channel, "target"), where, made) || !document_.require(channel, "sampler", sampler, where))
        return;
    if (!samplers.is_array() || sampler >= samplers.size())
        return document_.faults.add(where + " names " + name_of("samplers", sampler) + ", which does not exist");
    if (read_keys(samplers[sampler], where, made)) skeleton_.channels.push_back(std::move(made));
}

// False also for channels without a node, which move nothing.
bool SkeletonReader::read_target(const Json& target, const std::string& where, Skeleton::Channel& channel) {
    Size place = 0;
    if (member(target, "node").is_null() || !document_.get(target, "node", place, where)) return false;
    const Json& path = member(target, "path");
    if (path == "weights") {
        document_.faults.add(where + " moves morph targets, which are not read; export the frames as files instead");
        return false;
    }
    constexpr const char* paths[] = {"translation", "rotation", "scale"};
    const auto* known = std::ranges::find_if(paths, [&](const char* name) { return path == name; });
    if (known == std::end(paths)) {
        document_.faults.add(where + ".target.path must be translation, rotation or scale");
        return false;
    }
    channel.path = static_cast<Skeleton::Path>(known - paths);
    const auto node = find_node(place, where);
    if (!node) return false;
    channel.node = *node;
    if (skeleton_.nodes[*node].matrix)
        document_.faults.add(where + " moves " + name_of("nodes", place) +
                             ", which has a matrix; it needs translation, rotation and scale to be moved");
    return !skeleton_.nodes[*node].matrix;
}

bool SkeletonReader::read_keys(const Json& sampler, const std::string& where, Skeleton::Channel& channel) {
    constexpr const char* kinds[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    const Json& kind = member(sampler, "interpolation");
    const auto* known = std::ranges::find_if(kinds, [&](const char* name) { return kind == name; });
    if (!kind.is_null() && known == std::end(kinds)) {
        document_.faults.add(where + " must be interpolated by STEP, LINEAR or CUBICSPLINE");
        return false;
    }
    if (!kind.is_null()) channel.interpolation = static_cast<Skeleton::Interpolation>(known - kinds);
    const std::size_t components = channel.path == Skeleton::Path::rotation ? 4 : 3;
    const std::size_t per_key = channel.interpolation == Skeleton::Interpolation::cubic_spline ? 3 : 1;
    Size input = 0, output = 0;
    std::vector<double> times, values;
    if (!document_.require(sampler, "input", input, where) || !document_.require(sampler, "output", output, where) ||
        !document_.read_accessor(input, 1, times) || !document_.read_accessor(output, components, values))
        return false;
    channel.times.assign(times.begin(), times.end());
    key_count_ += times.size();
    const bool rises = std::ranges::is_sorted(channel.times, std::less_equal<>());
    if (times.empty() || values.size() != times.size() * per_key * components || key_count_ > max_keys)
        document_.faults.add(where + " has " + std::to_string(times.size()) + " times for " +
                             std::to_string(values.size() / components) + " values");
    else if (!all_finite(times) || !all_finite(values))
        document_.faults.add(where + " has a time or value that is not finite");
    else if (!rises)
        document_.faults.add(where + " has times that do not rise");
    for (std::size_t k = 0; document_.faults.empty() && k < values.size(); k += components) {
        std::array<float, 4>& value = channel.values.emplace_back();
        for (std::size_t i = 0; i < components; ++i) value[i] = static_cast<float>(values[k + i]);
    }
    return document_.faults.empty();
}

// Unnamed clips have their number for a name.
std::string clip_name(const Json& animation, std::size_t number) {
    const Json& name = member(animation, "name");
    return name.is_string() ? name.get<std::string>() : std::to_string(number);
}

Result<const Json*> find_clip(const GltfDocument& document, const std::string& clip) {
    const Json& animations = member(document.root(), "animations");
    std::string names;
    for (std::size_t k = 0; k < (animations.is_array() ? animations.size() : 0); ++k) {
        const std::string name = clip_name(animations[k], k);
        if (name == clip) return &animations[k];
        (names += names.empty() ? "" : ", ") += quote(name);
    }
    return Fault{.message = "must be the name of an animation in the file; " +
                            (names.empty() ? "it has none" : "it has " + names),
                 .key = "clip"};
}

} // namespace

Result<BodyMesh> read_gltf_body(std::string_view bytes, const std::string& name, const std::filesystem::path& folder,
                                const std::optional<std::string>& clip, const Affine& to_scene) {
    GltfDocument document(name, folder);
    if (!document.parse(bytes)) return document.faults.take();
    GltfShapes shapes = read_gltf_shapes(document);
    if (!document.faults.empty()) return document.faults.take();
    const Json* animation = nullptr;
    if (clip) {
        const Result<const Json*> found = find_clip(document, *clip);
        if (!found) return found.faults();
        animation = *found;
    }
    Skeleton skeleton = SkeletonReader(document, shapes).read(animation, to_scene);
    if (!document.faults.empty()) return document.faults.take();

    Mesh& mesh = shapes.mesh;
    mesh.uv.clear(); // bodies have no threads
    turn_mirrored(skeleton, mesh.triangles);
    BodyMesh body = {.mesh = mesh, .deformation = BodySkin{clip.value_or(""), std::move(skeleton)}};
    place_body_mesh(body, {}, 0, mesh.positions);
    for (std::size_t v = 0; v < mesh.positions.size(); ++v)
        if (!is_finite(mesh.positions[v]))
            document.faults.add("vertex " + std::to_string(v) + " is at " + to_text(mesh.positions[v]) +
                                " at time 0; coordinates must be finite");
    if (!document.faults.empty()) return document.faults.take();
    body.mesh = std::move(mesh);
    if (!clip) body.deformation = std::monostate{};
    return body;
}

// --- writing

namespace {

void write_nodes(const Skeleton& skeleton, GlbDocument& document) {
    for (const Skeleton::Node& node : skeleton.nodes) {
        Json made = Json::object();
        if (node.matrix) {
            const auto& [r, t] = *node.matrix;
            made["matrix"] = {r[0].x, r[1].x, r[2].x, 0, r[0].y, r[1].y, r[2].y, 0,
                              r[0].z, r[1].z, r[2].z, 0, t.x,    t.y,    t.z,    1};
        } else {
            made["translation"] = {node.translation.x, node.translation.y, node.translation.z};
            made["rotation"] = node.rotation;
            made["scale"] = {node.scale.x, node.scale.y, node.scale.z};
        }
        const std::size_t place = document.add("nodes", std::move(made));
        Json& list = node.parent < 0 ? document.root["scenes"][0]["nodes"]
                                     : document.root["nodes"][static_cast<std::size_t>(node.parent)]["children"];
        list.push_back(place);
    }
}

std::size_t write_skin(const Skeleton& skeleton, GlbDocument& document) {
    std::vector<float> matrices; // by columns
    Json joints = Json::array();
    for (const Skeleton::Joint& joint : skeleton.joints) {
        const auto& [r, t] = joint.inverse_bind;
        for (const Vec3d& column :
             {Vec3d{r[0].x, r[1].x, r[2].x}, Vec3d{r[0].y, r[1].y, r[2].y}, Vec3d{r[0].z, r[1].z, r[2].z}, t}) {
            const Vec3 c = vector_cast<float>(column);
            const bool is_last = matrices.size() % 16 == 12;
            matrices.insert(matrices.end(), {c.x, c.y, c.z, is_last ? 1.0f : 0.0f});
        }
        joints.push_back(joint.node);
    }
    const std::size_t accessor =
        document.add_accessor(std::span<const float>(matrices), "MAT4", GlbDocument::f32, skeleton.joints.size());
    return document.add("skins", {{"joints", std::move(joints)}, {"inverseBindMatrices", accessor}});
}

// Four influences to a set; those that a vertex does not have weigh nothing.
void write_influences(const Skeleton& skeleton, GlbDocument& document, Json& attributes) {
    const std::size_t vertices = skeleton.bind_positions.size();
    std::size_t most = 0;
    for (std::size_t v = 0; v < vertices; ++v)
        most = std::max<std::size_t>(most, skeleton.first_influence[v + 1] - skeleton.first_influence[v]);
    for (std::size_t set = 0; 4 * set < most; ++set) {
        std::vector<std::uint16_t> joints(4 * vertices);
        std::vector<float> weights(4 * vertices);
        for (std::size_t v = 0; v < vertices; ++v) {
            const std::size_t first = skeleton.first_influence[v] + 4 * set, end = skeleton.first_influence[v + 1];
            for (std::size_t k = first; k < std::min(first + 4, end); ++k) {
                joints[4 * v + k - first] = static_cast<std::uint16_t>(skeleton.influences[k].joint);
                weights[4 * v + k - first] = skeleton.influences[k].weight;
            }
        }
        attributes["JOINTS_" + std::to_string(set)] = document.add_accessor(
            std::span<const std::uint16_t>(joints), "VEC4", GlbDocument::u16, vertices, GlbDocument::Use::vertices);
        attributes["WEIGHTS_" + std::to_string(set)] = document.add_accessor(
            std::span<const float>(weights), "VEC4", GlbDocument::f32, vertices, GlbDocument::Use::vertices);
    }
}

void write_animation(const BodySkin& skin, GlbDocument& document) {
    Json animation = {{"name", skin.clip}, {"channels", Json::array()}, {"samplers", Json::array()}};
    for (const Skeleton::Channel& channel : skin.skeleton->channels) {
        constexpr const char* paths[] = {"translation", "rotation", "scale"};
        constexpr const char* kinds[] = {"STEP", "LINEAR", "CUBICSPLINE"};
        const bool turns = channel.path == Skeleton::Path::rotation;
        std::vector<float> values;
        for (const auto& value : channel.values)
            values.insert(values.end(), value.begin(), value.end() - (turns ? 0 : 1));
        const std::size_t input = document.add_accessor(std::span<const float>(channel.times), "SCALAR",
                                                        GlbDocument::f32, channel.times.size());
        document.root["accessors"][input]["min"] = {channel.times.front()};
        document.root["accessors"][input]["max"] = {channel.times.back()};
        const std::size_t output = document.add_accessor(std::span<const float>(values), turns ? "VEC4" : "VEC3",
                                                         GlbDocument::f32, channel.values.size());
        animation["channels"].push_back(
            {{"sampler", animation["samplers"].size()},
             {"target", {{"node", channel.node}, {"path", paths[static_cast<std::size_t>(channel.path)]}}}});
        animation["samplers"].push_back({{"input", input},
                                         {"output", output},
                                         {"interpolation", kinds[static_cast<std::size_t>(channel.interpolation)]}});
    }
    document.root["animations"] = Json::array({std::move(animation)});
}

} // namespace

Result<Done> write_gltf_body(const std::filesystem::path& file, const BodyMesh& body) {
    const auto& skin = std::get<BodySkin>(body.deformation);
    const Skeleton& skeleton = *skin.skeleton;
    if (skeleton.joints.size() > 0x10000)
        return Fault{.message = "cannot hold a body with more than 65536 joints", .file = file.string()};
    GlbDocument document;
    write_nodes(skeleton, document);
    std::vector<Triangle> triangles = body.mesh->triangles;
    turn_mirrored(skeleton, triangles); // back to how they are before the joints
    Json attributes = {{"POSITION", document.add_positions(skeleton.bind_positions)}};
    write_influences(skeleton, document, attributes);
    const Json primitive = {{"attributes", std::move(attributes)},
                            {"indices", document.add_triangles(triangles, skeleton.bind_positions.size())}};
    // Where a mesh with a skin hangs makes no difference; the first node is always there.
    document.root["nodes"][0]["mesh"] = document.add("meshes", {{"primitives", Json::array({primitive})}});
    document.root["nodes"][0]["skin"] = write_skin(skeleton, document);
    write_animation(skin, document);
    return document.write(file);
}

} // namespace taffeta::io
