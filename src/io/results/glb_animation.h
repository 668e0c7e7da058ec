// A simulation as one animated glTF binary, for Blender, three.js and every other viewer of glTF.
//
// Frame 0 is the mesh of a cloth; every later frame is a morph target that holds only what moved since, and the
// animation shows one target after the other, linear in between. Bodies that deform are stored like cloth; all other
// colliders are nodes that move as a whole.
#pragma once

#include <taffeta/mesh.h>
#include <taffeta/result.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taffeta::io {

struct GlbScene {
    struct Cloth { // or a body that deforms
        std::string name;
        Mesh mesh;                  // its positions only tell how many there are
        std::optional<Vec3> colour; // linear RGB in 0..1; absent: one for each place in the list
    };
    struct Collider {
        std::string name;
        Mesh mesh; // in its own frame; without triangles it is not shown
    };
    std::vector<Cloth> cloths = {};
    std::vector<Collider> colliders = {};
    float frame_rate = 30; // 1/s
    // Smooth shading. Without it viewers shade every triangle flat, but the file has half the size.
    bool normals = true;
};

class GlbWriter {
public:
    explicit GlbWriter(GlbScene scene);
    GlbWriter(GlbWriter&&) noexcept;
    GlbWriter& operator=(GlbWriter&&) noexcept;
    ~GlbWriter();

    // Every frame, frame 0 too. Finite positions of all cloths, one after the other, and a pose for each collider.
    void append(std::span<const Vec3> positions, std::span<const Pose> collider_poses);
    // After one frame or more. The frames are held in memory until then, as they will stand in the file.
    Result<Done> commit(const std::filesystem::path& file);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace taffeta::io
