#include "tools.h"

#include <algorithm>
#include <cmath>

namespace taffeta::viewer {
namespace {

constexpr float ball_radius = 12; // pixels around a pinned hand that belong to it
constexpr float click_radius = 4; // pixels; a drag that stays within is a click
constexpr float depth_per_notch = 1.03f;
constexpr float fine = 0.1f;

float pixels_between(Pointer a, Pointer b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

Index nearest_vertex(const Triangle& triangle, const std::vector<Vec3>& positions, const Vec3& point) {
    return *std::min_element(triangle.begin(), triangle.end(), [&](Index a, Index b) {
        return length(positions[a] - point) < length(positions[b] - point);
    });
}

} // namespace

void Tools::press(Button button, bool shift, const Sight& sight) {
    if (is_dragging()) return; // the button that began a drag ends it
    button_ = button;
    pressed_at_ = pointer_;
    if (shift || button == Button::right) {
        drag_ = Drag::pan;
        return;
    }
    drag_ = Drag::orbit;
    if (button != Button::left) return;

    const Camera now = camera.camera();
    if (const Hand* pinned = pinned_hand_below(pointer_, sight)) {
        drag_ = Drag::hand;
        was_pinned_ = true;
        dragged_ = pinned->id;
        depth_ = render::project(now, sight.size, pinned->target).depth;
        return; // it stays where it is until the pointer moves
    }
    const auto pick = sight.pick(render::ray_through(now, sight.size, pointer_.x, pointer_.y));
    using Kind = render::Renderer::Pick::Kind;
    if (pick.kind == Kind::cloth) {
        const Index vertex = nearest_vertex(sight.triangles[pick.hit.triangle], sight.snapshot.positions, pick.point);
        drag_ = Drag::hand;
        was_pinned_ = false;
        dragged_ = next_hand_++;
        depth_ = render::project(now, sight.size, sight.snapshot.positions[vertex]).depth;
        hands_.push_back({dragged_, vertex, below_pointer(sight), false});
        send_(Grab{dragged_, vertex, brush_radius, hands_.back().target});
    } else if (pick.kind == Kind::collider && hover(sight).kind == Hover::Kind::collider) {
        drag_ = Drag::collider;
        collider_ = pick.collider;
        collider_pose_ = sight.snapshot.colliders[static_cast<std::size_t>(collider_)];
        collider_offset_ = collider_pose_.position - pick.point;
        depth_ = render::project(now, sight.size, pick.point).depth;
    }
}

void Tools::release(Button button) {
    if (!is_dragging() || button != button_) return;
    if (drag_ == Drag::hand) {
        const Hand* hand = dragged_hand();
        const bool was_click = was_pinned_ && pixels_between(pointer_, pressed_at_) <= click_radius;
        if (hand != nullptr && (!hand->pinned || was_click)) open(hand->id);
    }
    drag_ = Drag::none;
}

void Tools::move(Pointer pointer, const Sight& sight) {
    const float dx = pointer.x - pointer_.x, dy = pointer.y - pointer_.y;
    pointer_ = pointer;
    if (drag_ == Drag::orbit) camera.orbit(dx, dy, sight.size);
    if (drag_ == Drag::pan) camera.pan(dx, dy, sight.size);
    follow_pointer(sight);
}

void Tools::scroll(float notches, bool is_fine, const Sight& sight) {
    if (is_fine) notches *= fine;
    if (drag_ == Drag::hand || drag_ == Drag::collider)
        depth_ = std::clamp(depth_ * std::pow(depth_per_notch, notches), 0.02f, 500.0f);
    else
        camera.zoom(notches);
    follow_pointer(sight);
}

void Tools::follow_pointer(const Sight& sight) {
    if (drag_ == Drag::hand) {
        Hand* hand = dragged_hand();
        if (hand == nullptr || (was_pinned_ && pixels_between(pointer_, pressed_at_) <= click_radius)) return;
        hand->target = below_pointer(sight);
        send_(MoveHand{hand->id, hand->target});
    } else if (drag_ == Drag::collider) {
        collider_pose_.position = below_pointer(sight) + collider_offset_;
        send_(MoveCollider{collider_, collider_pose_});
    }
}

void Tools::toggle_pin(const Sight& sight) {
    if (Hand* hand = drag_ == Drag::hand ? dragged_hand() : nullptr)
        hand->pinned = !hand->pinned;
    else if (const Hand* pinned = pinned_hand_below(pointer_, sight))
        open(pinned->id);
}

void Tools::release_all() {
    for (const Hand& hand : hands_) send_(Release{hand.id});
    forget_hands();
}

void Tools::forget_hands() {
    hands_.clear();
    if (drag_ == Drag::hand || drag_ == Drag::collider) drag_ = Drag::none;
}

Hover Tools::hover(const Sight& sight) const {
    if (const Hand* pinned = pinned_hand_below(pointer_, sight))
        return {.kind = Hover::Kind::hand, .collider = -1, .hand = pinned->id};
    const auto pick = sight.pick(render::ray_through(camera.camera(), sight.size, pointer_.x, pointer_.y));
    using Kind = render::Renderer::Pick::Kind;
    if (pick.kind == Kind::cloth) return {.kind = Hover::Kind::cloth};
    const bool is_movable =
        pick.kind == Kind::collider &&
        !std::holds_alternative<Plane>(sight.colliders[static_cast<std::size_t>(pick.collider)].shape);
    if (is_movable) return {.kind = Hover::Kind::collider, .collider = pick.collider};
    return {};
}

void Tools::open(HandId hand) {
    send_(Release{hand});
    std::erase_if(hands_, [&](const Hand& h) { return h.id == hand; });
}

Hand* Tools::dragged_hand() {
    const auto hand = std::find_if(hands_.begin(), hands_.end(), [&](const Hand& h) { return h.id == dragged_; });
    return hand == hands_.end() ? nullptr : &*hand;
}

const Hand* Tools::pinned_hand_below(Pointer pointer, const Sight& sight) const {
    const Hand* nearest = nullptr;
    float least = ball_radius * sight.scale;
    for (const Hand& hand : hands_) {
        const auto seen = render::project(camera.camera(), sight.size, hand.target);
        const float pixels = pixels_between(pointer, {seen.x, seen.y});
        if (!hand.pinned || seen.depth <= 0 || pixels > least) continue;
        nearest = &hand;
        least = pixels;
    }
    return nearest;
}

Vec3 Tools::below_pointer(const Sight& sight) const {
    const Camera now = camera.camera();
    const Ray ray = render::ray_through(now, sight.size, pointer_.x, pointer_.y);
    const Vec3 axis = normalized(now.at - now.from);
    const float distance = (depth_ - dot(ray.origin - now.from, axis)) / dot(ray.direction, axis);
    return ray.origin + ray.direction * distance;
}

void draw_in_hands(const std::vector<Hand>& hands, const Frame& frame, render::Snapshot& drawn) {
    for (const Hand& hand : hands) {
        const auto state =
            std::find_if(frame.hands.begin(), frame.hands.end(), [&](const HandState& s) { return s.hand == hand.id; });
        if ((state != frame.hands.end() && !state->follows) || hand.vertex >= drawn.positions.size()) continue;
        const Vec3 held_at = drawn.positions[hand.vertex];
        const Vec3 lag = hand.target - held_at;
        // The farther it is, the wider the part that goes along: a hump instead of a spike.
        const float reach = 4 * length(lag);
        if (reach <= 0) continue;
        for (Vec3& p : drawn.positions) {
            const float near = 1 - length(p - held_at) / reach;
            if (near > 0) p += lag * (near * near * (3 - 2 * near));
        }
        for (Vec3& ball : drawn.hands)
            if (length(ball - held_at) < 0.01f * reach) ball = hand.target;
    }
}

} // namespace taffeta::viewer
