// Pictures of cloth with OpenGL 3.3 core or OpenGL ES 3.0. The target taffeta::render.
//
//   auto context = render::HeadlessContext::create();     // or the context of a window, current on this thread
//   auto renderer = render::Renderer::create();
//   renderer->load(scene, simulation);                    // what does not change: triangles, colours, colliders
//   render::take_snapshot(simulation, View::shaded, snapshot);
//   io::Image picture = renderer->picture(snapshot, camera, {.width = 1280, .height = 720});
//
// A snapshot is plain data: drawing one needs no simulation, which may go on stepping on another thread.
// OpenGL objects belong to the thread and context they were made in.
#pragma once

#include <taffeta/io.h>
#include <taffeta/look.h>
#include <taffeta/scene.h>
#include <taffeta/simulation.h>
#include <taffeta/surface.h>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

namespace taffeta::render {

// --- what to show
enum class View { shaded, wireframe, strain, contacts, hierarchy, normals };
inline constexpr std::array<std::string_view, 6> view_names = {"shaded",   "wireframe", "strain",
                                                               "contacts", "hierarchy", "normals"}; // by View

// What of a simulation a picture shows, copied between two steps.
struct Snapshot {
    double time = 0; // s
    std::vector<Vec3> positions = {};
    std::vector<Pose> colliders = {};
    std::vector<std::vector<Vec3>> deformed = {};        // by collider, in the world; empty: its pose alone moves it
    std::vector<float> stretch = {};                     // by vertex, for View::strain
    std::vector<std::uint8_t> touch = {};                // by vertex, bits of Simulation::Touch, for View::contacts
    std::vector<Simulation::Box> boxes = {};             // for View::hierarchy
    std::vector<Simulation::ClosePair> close_pairs = {}; // these three for View::contacts
    std::vector<Vec3> impacts = {}, zones = {};
    std::vector<Vec3> hands = {}; // where hands are, drawn as small balls
};
// Reuses the memory of `out`. `level` of the hierarchy counts from the root, 0; beyond the deepest, that one.
void take_snapshot(const Simulation& simulation, View view, int level, Snapshot& out);

// --- the camera
struct Size {
    int width = 1280, height = 720; // pixels
    bool operator==(const Size&) const = default;
};
// The ray through a place of the picture, in pixels from the upper left corner (the centre of the first is 0.5, 0.5).
Ray ray_through(const Camera& camera, Size size, float x, float y);
// Where a point appears, in the same pixels, and its distance along the camera's axis (m; not in front if <= 0).
struct Projected {
    float x = 0, y = 0, depth = 0;
};
Projected project(const Camera& camera, Size size, const Vec3& point);
// The scene's camera, or one that shows all cloths and colliders.
Camera scene_camera(const SceneDesc& scene, const Simulation& simulation);
// The same direction and angle, at the distance where all positions are in the picture.
Camera framed(const Camera& camera, Size size, std::span<const Vec3> positions);

// --- drawing
// What View::contacts shows beside dots on the vertices that touch something: Simulation::copy_close_pairs() and the
// like.
struct ContactMarks {
    bool close_pairs = true, impacts = true, zones = true;
    bool operator==(const ContactMarks&) const = default;
};
struct DrawOptions {
    View view = View::shaded;
    int samples = 4;               // per pixel, 1 for none; as many as the machine offers
    int highlighted_collider = -1; // drawn lighter, e.g. under the pointer
    float strain_range = 0.05f;    // the stretch at the ends of the colour scale: 0.05 is 5 %
    ContactMarks marks = {};
};

class Renderer {
public:
    // Needs a current context. Fails with what the machine lacks.
    static Result<Renderer> create();
    Renderer(Renderer&&) noexcept;
    Renderer& operator=(Renderer&&) noexcept;
    ~Renderer();

    // What does not change while a scene runs. Colours of fabrics may be loaded again at any time.
    void load(const SceneDesc& scene, const Simulation& simulation);
    void set_looks(const SceneDesc& scene); // colours, light and background only

    // Into a framebuffer of this context (0: the window's), filling all of it.
    void draw(const Snapshot& snapshot, const Camera& camera, Size size, const DrawOptions& options,
              unsigned framebuffer = 0);
    // The same into memory.
    io::Image picture(const Snapshot& snapshot, const Camera& camera, Size size, const DrawOptions& options);

    // What the mouse points at: the first cloth or collider that the ray meets, as drawn.
    struct Pick {
        enum class Kind { nothing, cloth, collider } kind = Kind::nothing;
        RayHit hit = {};   // cloth: the triangle of Simulation::triangles()
        int collider = -1; // collider: which
        Vec3 point = {};   // m
    };
    Pick pick(const Snapshot& snapshot, const Ray& ray) const;

private:
    struct State;
    explicit Renderer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// An OpenGL context without a display, through EGL, current on this thread while it lives.
class HeadlessContext {
public:
    enum class Api { gl, gles };
    static Result<HeadlessContext> create(Api api = Api::gl);
    HeadlessContext(HeadlessContext&&) noexcept;
    HeadlessContext& operator=(HeadlessContext&&) noexcept;
    ~HeadlessContext();

private:
    struct State;
    explicit HeadlessContext(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Whether the current context draws without graphics hardware: everything works, but a picture takes a tenth of a
// second.
bool is_software();

// Collects what OpenGL complains about in the current context (KHR_debug); empty where the context cannot tell.
void watch_errors(std::vector<std::string>& messages);

// --- pictures and films of a run: for io::RunOptions::pictures
struct PictureOptions {
    Size size = {};
    std::optional<Camera> camera = {}; // absent: the scene's
    View view = View::shaded;
    int level = 4; // of the hierarchy, for its view
};
io::OutputFactory picture_outputs(const PictureOptions& options);

} // namespace taffeta::render
