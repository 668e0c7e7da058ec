// The shapes that a glTF file shows, before anything has moved them.
#pragma once

#include "io/mesh/gltf_document.h"

#include <taffeta/body.h>

namespace taffeta::io {

// Vertices of a mesh that belong together, as one node shows them.
struct GltfPart {
    GltfDocument::Size node = 0;
    Affine to_world = {};             // of the node
    const Json* attributes = nullptr; // in the document
    std::string where = {};           // for messages
    Index first_vertex = 0, vertex_count = 0;
};

struct GltfShapes {
    Mesh mesh = {}; // in the coordinates of its parts
    std::vector<GltfPart> parts = {};
};

// Node after node; primitives of a node that share their positions are one part. What is wrong is added to the faults
// of the document; so it is if there are no triangles.
GltfShapes read_gltf_shapes(GltfDocument& document);

// How a node stands to its parent; nothing after a fault.
std::optional<Skeleton::Node> read_gltf_node(GltfDocument& document, const Json& node, const std::string& where);

} // namespace taffeta::io
