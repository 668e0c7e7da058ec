// What the mouse does in the picture: takes cloth, moves colliders, turns the camera. Knows neither window nor OpenGL.
#pragma once

#include "orbit_camera.h"
#include "simulation_thread.h"

#include <functional>
#include <span>
#include <vector>

namespace taffeta::viewer {

struct Pointer { // framebuffer pixels from the upper left corner
    float x = 0, y = 0;
};

// What there is to act on, in this frame.
struct Sight {
    const render::Snapshot& snapshot;
    std::span<const Triangle> triangles;
    std::span<const ColliderDesc> colliders;
    render::Size size;
    float scale; // pixels of the framebuffer per pixel of an ordinary screen
    std::function<render::Renderer::Pick(const Ray&)> pick;
};

// What a click would take.
struct Hover {
    enum class Kind { nothing, cloth, collider, hand } kind = Kind::nothing;
    int collider = -1;
    HandId hand = 0;
};

struct Hand {
    HandId id = 0;
    Index vertex = 0;
    Vec3 target = {}; // m; where the vertex is to be
    bool pinned = false;
};

class Tools {
public:
    enum class Button { left, middle, right };
    explicit Tools(std::function<void(Command)> send) : send_(std::move(send)) {}

    OrbitCamera camera;
    float brush_radius = 0.03f; // m, about what fingers take; 0: one particle

    void press(Button button, bool shift, const Sight& sight);
    void release(Button button);
    void move(Pointer pointer, const Sight& sight);
    // Notches of a wheel: zooms, or while something is held moves it away from the viewer.
    void scroll(float notches, bool fine, const Sight& sight);

    // The hand that drags stays when the button is released; without a drag, the pinned hand under the pointer opens.
    void toggle_pin(const Sight& sight);
    void release_all();
    void forget_hands(); // the simulation has none any more

    Hover hover(const Sight& sight) const;
    const std::vector<Hand>& hands() const { return hands_; }
    Pointer pointer() const { return pointer_; }
    bool is_dragging() const { return drag_ != Drag::none; }
    bool has_grabbed() const { return next_hand_ > 1; }

private:
    enum class Drag { none, orbit, pan, hand, collider };

    void follow_pointer(const Sight& sight);
    void open(HandId hand);
    Hand* dragged_hand();
    const Hand* pinned_hand_below(Pointer pointer, const Sight& sight) const;
    Vec3 below_pointer(const Sight& sight) const; // at depth_

    std::function<void(Command)> send_;
    std::vector<Hand> hands_;
    HandId next_hand_ = 1;
    Pointer pointer_ = {};

    Drag drag_ = Drag::none;
    Button button_ = Button::left;
    Pointer pressed_at_ = {};
    bool was_pinned_ = false;   // the hand, when the drag began
    HandId dragged_ = 0;        // Drag::hand
    int collider_ = -1;         // Drag::collider
    Pose collider_pose_ = {};   // its pose as told last
    Vec3 collider_offset_ = {}; // from the point that was picked to its position
    float depth_ = 1;           // m along the camera's axis, of what is held
};

// The lag between mouse and cloth, a step and a frame, is taken out of the picture: what hands hold is drawn where they
// are by now, and what is around it a part of the way.
void draw_in_hands(const std::vector<Hand>& hands, const Frame& frame, render::Snapshot& drawn);

} // namespace taffeta::viewer
