// A glTF binary that grows: arrays are added one by one, the JSON refers to them by number.
#pragma once

#include <taffeta/mesh.h>
#include <taffeta/result.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace taffeta::io {

class GlbDocument {
public:
    using Json = nlohmann::json;
    enum ComponentType { u8 = 5121, u16 = 5123, u32 = 5125, f32 = 5126 };
    enum class Use { vertices = 34962, indices = 34963, other };

    Json root = {{"asset", {{"version", "2.0"}, {"generator", "Taffeta"}}},
                 {"scene", 0},
                 {"scenes", {{{"nodes", Json::array()}}}},
                 {"nodes", Json::array()},
                 {"meshes", Json::array()},
                 {"materials", Json::array()},
                 {"accessors", Json::array()},
                 {"bufferViews", Json::array()}};

    // Adds to one of the lists; answers the place.
    std::size_t add(const char* list, Json entry) {
        root[list].push_back(std::move(entry));
        return root[list].size() - 1;
    }

    template <class T>
    std::size_t add_view(std::span<const T> values, Use use = Use::other) {
        const auto bytes = std::as_bytes(values);
        Json view = {{"buffer", 0}, {"byteOffset", size_}, {"byteLength", bytes.size()}};
        if (use != Use::other) view["target"] = static_cast<int>(use);
        std::string& block = blocks_.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        block.resize((block.size() + 3) / 4 * 4); // every array starts at a multiple of 4
        size_ += block.size();
        return add("bufferViews", std::move(view));
    }

    template <class T>
    std::size_t add_accessor(std::span<const T> values, const char* type, ComponentType component, std::size_t count,
                             Use use = Use::other) {
        return add(
            "accessors",
            {{"bufferView", add_view(values, use)}, {"componentType", component}, {"type", type}, {"count", count}});
    }
    std::size_t add_vectors(std::span<const Vec3> values) {
        return add_accessor(values, "VEC3", f32, values.size(), Use::vertices);
    }
    std::size_t add_positions(std::span<const Vec3> values) {
        const std::size_t accessor = add_vectors(values);
        add_bounds(accessor, values);
        return accessor;
    }
    std::size_t add_triangles(std::span<const Triangle> triangles, std::size_t vertices);
    // Vectors that may be zero for the most part.
    std::size_t add_deltas(std::span<const Vec3> deltas);
    void add_bounds(std::size_t accessor, std::span<const Vec3> values);

    Result<Done> write(const std::filesystem::path& file);

private:
    std::vector<std::string> blocks_; // of the buffer; never one piece, it can be large
    std::uint64_t size_ = 0;          // of all blocks
};

} // namespace taffeta::io
