#include "io/mesh/gltf.h"

#include "collision/colliders/body_mesh.h"
#include "io/mesh/gltf_document.h"
#include "io/mesh/gltf_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace taffeta::io {

namespace {

// Far above what can be simulated: a small file can name one mesh many times.
constexpr std::size_t max_vertices = std::size_t{1} << 24;
constexpr std::size_t max_triangles = 2 * max_vertices;

void add_misplaced(const std::string& where, std::size_t vertex, const Vec3& p, FaultList& faults) {
    faults.add(where + ": vertex " + std::to_string(vertex) + " is at " + to_text(p) + "; coordinates must be finite");
}

class ShapeReader {
public:
    explicit ShapeReader(GltfDocument& document) : document_(document) {}
    GltfShapes read();

private:
    using Size = GltfDocument::Size;

    struct VertexRange {
        Index first, count;
    };

    // All of these answer nothing after adding a fault.
    std::vector<Size> find_roots();
    void visit_nodes();
    void add_mesh(Size index, const GltfPart& place);
    void add_primitive(const Json& primitive, const GltfPart& place, const std::string& where,
                       std::map<Size, VertexRange>& ranges); // by the accessor of their positions
    std::optional<VertexRange> add_vertices(const Json& attributes, Size positions, const std::string& where);
    bool is_too_large() const {
        return mesh_.positions.size() > max_vertices || mesh_.triangles.size() > max_triangles;
    }

    GltfDocument& document_;
    Mesh mesh_;
    std::vector<GltfPart> parts_;
};

GltfShapes ShapeReader::read() {
    visit_nodes();
    if (document_.faults.empty() && mesh_.triangles.empty())
        document_.faults.add("has no triangles in its scene; is there a node with a mesh?");
    return {std::move(mesh_), std::move(parts_)};
}

// A file without a default scene shows all scenes; one without scenes, all nodes.
std::vector<ShapeReader::Size> ShapeReader::find_roots() {
    std::vector<Size> roots;
    if (!member(document_.root(), "scene").is_null()) {
        Size scene = 0;
        const Json* shown =
            document_.get(document_.root(), "scene", scene, "the file") ? document_.find("scenes", scene) : nullptr;
        return shown ? document_.get_indices(*shown, "nodes", name_of("scenes", scene)) : roots;
    }
    const Json& scenes = member(document_.root(), "scenes");
    for (Size i = 0; i < (scenes.is_array() ? scenes.size() : 0); ++i)
        for (const Size node : document_.get_indices(scenes[i], "nodes", name_of("scenes", i))) roots.push_back(node);
    if (!roots.empty()) return roots;

    const Json& nodes = member(document_.root(), "nodes");
    std::vector<bool> is_root(nodes.is_array() ? nodes.size() : 0, true);
    for (Size i = 0; i < is_root.size(); ++i)
        for (const Size child : document_.get_indices(nodes[i], "children", name_of("nodes", i)))
            if (child < is_root.size()) is_root[child] = false;
    for (Size i = 0; i < is_root.size(); ++i)
        if (is_root[i]) roots.push_back(i);
    return roots;
}

// Parents before children, children in their order. On a stack of our own: files nest as deep as they like.
void ShapeReader::visit_nodes() {
    struct Visit {
        Size node;
        Affine parent;
        bool is_root;
    };
    std::vector<Visit> stack;
    const auto push = [&](const std::vector<Size>& nodes, const Affine& parent, bool is_root) {
        std::for_each(nodes.rbegin(), nodes.rend(), [&](Size node) { stack.push_back({node, parent, is_root}); });
    };
    push(find_roots(), {}, true);
    std::vector<bool> is_seen(member(document_.root(), "nodes").size());
    while (!stack.empty()) {
        const Visit visit = stack.back();
        stack.pop_back();
        const std::string where = name_of("nodes", visit.node);
        const Json* node = document_.find("nodes", visit.node);
        if (!node) continue;
        if (is_seen[visit.node]) { // a root may well stand in several scenes
            if (!visit.is_root)
                document_.faults.add(where + " is a child of two nodes, or of itself; nodes must form a tree");
            continue;
        }
        is_seen[visit.node] = true;
        const auto placed = read_gltf_node(document_, *node, where);
        if (!placed) continue;
        const Affine to_world = visit.parent * local_transform(*placed);
        Size mesh = 0;
        if (!member(*node, "mesh").is_null() && document_.get(*node, "mesh", mesh, where))
            add_mesh(mesh, {.node = visit.node, .to_world = to_world});
        if (is_too_large())
            return document_.faults.add("has more than " + std::to_string(max_vertices) + " vertices or " +
                                        std::to_string(max_triangles) + " triangles; reduce it");
        push(document_.get_indices(*node, "children", where), to_world, false);
    }
    if (!mesh_.uv.empty()) mesh_.uv.resize(mesh_.positions.size());
}

void ShapeReader::add_mesh(Size index, const GltfPart& place) {
    const Json* mesh = document_.find("meshes", index);
    if (!mesh) return;
    const Json& primitives = member(*mesh, "primitives");
    std::map<Size, VertexRange> ranges;
    for (Size i = 0; i < (primitives.is_array() ? primitives.size() : 0) && !is_too_large(); ++i)
        add_primitive(primitives[i], place, name_of("meshes", index) + "." + name_of("primitives", i), ranges);
}

void ShapeReader::add_primitive(const Json& primitive, const GltfPart& place, const std::string& where,
                                std::map<Size, VertexRange>& ranges) {
    constexpr Size triangles = 4, strip = 5, fan = 6;
    const Json& attributes = member(primitive, "attributes");
    Size mode = triangles, positions = 0, indices = 0;
    if (!document_.get(primitive, "mode", mode, where) || mode < triangles || mode > fan) return; // points and lines
    if (member(attributes, "POSITION").is_null() || !document_.get(attributes, "POSITION", positions, where)) return;
    if (!ranges.contains(positions)) {
        const auto range = add_vertices(attributes, positions, where);
        if (!range) return;
        ranges[positions] = *range;
        parts_.push_back({place.node, place.to_world, &attributes, where, range->first, range->count});
    }
    const VertexRange range = ranges[positions];

    std::vector<double> corners(range.count);
    std::iota(corners.begin(), corners.end(), 0.0);
    if (!member(primitive, "indices").is_null() &&
        (!document_.get(primitive, "indices", indices, where) || !document_.read_accessor(indices, 1, corners)))
        return;
    std::vector<Index> vertices;
    for (const double corner : corners) {
        const auto vertex = as_index(corner, range.count);
        if (!vertex) {
            document_.faults.add(where + " names vertex " + to_text(corner) + ", which does not exist; there are " +
                                 std::to_string(range.count));
            return;
        }
        vertices.push_back(range.first + *vertex);
    }
    if (mode == triangles && vertices.size() % 3 != 0)
        return document_.faults.add(where + " has " + std::to_string(vertices.size()) +
                                    " corners; for triangles it must be a multiple of 3");

    const auto add = [&](Index a, Index b, Index c) { mesh_.triangles.push_back({a, b, c}); };
    const std::size_t n = vertices.size();
    if (mode == triangles)
        for (std::size_t i = 0; i + 2 < n; i += 3) add(vertices[i], vertices[i + 1], vertices[i + 2]);
    if (mode == fan)
        for (std::size_t i = 0; i + 2 < n; ++i) add(vertices[0], vertices[i + 1], vertices[i + 2]);
    if (mode == strip)
        for (std::size_t i = 0; i + 2 < n; ++i) {
            // Every second one is turned. Strips are joined by triangles without area, which are none.
            const Index a = vertices[i], b = vertices[i + 1 + i % 2], c = vertices[i + 2 - i % 2];
            if (a != b && b != c && c != a) add(a, b, c);
        }
}

std::optional<ShapeReader::VertexRange> ShapeReader::add_vertices(const Json& attributes, Size positions,
                                                                  const std::string& where) {
    std::vector<double> values;
    if (!document_.read_accessor(positions, 3, values)) return std::nullopt;
    const VertexRange range = {static_cast<Index>(mesh_.positions.size()), static_cast<Index>(values.size() / 3)};
    for (std::size_t i = 0; i < range.count; ++i) {
        const Vec3 p = vector_cast<float>(Vec3d{values[3 * i], values[3 * i + 1], values[3 * i + 2]});
        mesh_.positions.push_back(p);
        if (!is_finite(p)) add_misplaced(where, i, p, document_.faults);
    }
    Size accessor = 0;
    if (member(attributes, "TEXCOORD_0").is_null()) return range;
    if (!document_.get(attributes, "TEXCOORD_0", accessor, where) || !document_.read_accessor(accessor, 2, values))
        return std::nullopt;
    if (values.size() != 2 * std::size_t{range.count}) {
        document_.faults.add(where + " has " + std::to_string(values.size() / 2) + " texture coordinates for " +
                             std::to_string(range.count) + " vertices");
        return std::nullopt;
    }
    mesh_.uv.resize(range.first); // what came before had none
    for (std::size_t i = 0; i < range.count; ++i) {
        const std::array<float, 2> uv = {static_cast<float>(values[2 * i]), static_cast<float>(1 - values[2 * i + 1])};
        mesh_.uv.push_back(uv);
        if (!std::isfinite(uv[0]) || !std::isfinite(uv[1]))
            document_.faults.add(where + ": vertex " + std::to_string(i) +
                                 " has a texture coordinate that is not finite");
    }
    return range;
}

// As the nodes place them. What is mirrored is turned around, so that its front stays outside.
void place_parts(const std::vector<GltfPart>& parts, Mesh& mesh, FaultList& faults) {
    std::vector<bool> is_mirrored(mesh.positions.size());
    for (const GltfPart& part : parts) {
        for (Index i = 0; i < part.vertex_count; ++i) {
            Vec3& p = mesh.positions[part.first_vertex + i];
            p = vector_cast<float>(part.to_world * vector_cast<double>(p));
            is_mirrored[part.first_vertex + i] = part.to_world.mirrors();
            if (!is_finite(p)) add_misplaced(part.where, i, p, faults);
        }
    }
    for (Triangle& t : mesh.triangles)
        if (is_mirrored[t[0]]) std::swap(t[1], t[2]);
}

} // namespace

GltfShapes read_gltf_shapes(GltfDocument& document) {
    return ShapeReader(document).read();
}

std::optional<Skeleton::Node> read_gltf_node(GltfDocument& document, const Json& node, const std::string& where) {
    Skeleton::Node placed;
    if (!member(node, "matrix").is_null()) {
        std::array<double, 16> m{}; // by columns
        if (!document.get(node, "matrix", m, where)) return std::nullopt;
        placed.matrix =
            Affine{{Vec3d{m[0], m[4], m[8]}, Vec3d{m[1], m[5], m[9]}, Vec3d{m[2], m[6], m[10]}}, {m[12], m[13], m[14]}};
        return placed;
    }
    std::array<double, 3> translation{}, scale = {1, 1, 1};
    if (!document.get(node, "translation", translation, where) ||
        !document.get(node, "rotation", placed.rotation, where) || !document.get(node, "scale", scale, where))
        return std::nullopt;
    placed.translation = {translation[0], translation[1], translation[2]};
    placed.scale = {scale[0], scale[1], scale[2]};
    return placed;
}

Result<Mesh> read_gltf(std::string_view bytes, const std::string& name, const std::filesystem::path& folder) {
    GltfDocument document(name, folder);
    GltfShapes shapes;
    if (document.parse(bytes)) shapes = read_gltf_shapes(document);
    if (document.faults.empty()) place_parts(shapes.parts, shapes.mesh, document.faults);
    if (!document.faults.empty()) return document.faults.take();
    return std::move(shapes.mesh);
}

} // namespace taffeta::io
