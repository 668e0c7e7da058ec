// Points that have met and go on as one [Pro97]: the last means by which the guard keeps surfaces apart.
//
// A zone is what meetings join: all points of parts that meet are in one, and zones with a common point are one. A zone
// moves with the momentum and the angular momentum that its points have together, as a rigid body; or, if there are
// points among it that nothing moves, of bodies say, it follows these.
#pragma once

#include "core/state.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

class Zones {
public:
    struct Following {
        bool hands_lead = true; // held particles go their own way and others follow; else they follow, too
        bool bends = true;      // the others follow those nearby; else all of them alike
    };

    void clear(std::size_t points); // of `points` none is in a zone
    void join(const std::array<Index, 4>& points);
    std::span<const Index> members() const { return members_; } // of all zones

    // Sets all members where their zones take them from x_prev; returns how many zones there are. Points without
    // inverse mass lead; `own_w`, by particle, is that which they have when no one holds them.
    int move(std::span<const Vec4> x_prev, std::span<const float> own_w, const Following& following, std::span<Vec4> x);

private:
    Index root(Index p);
    void move_as_one(std::span<const Index> zone, std::span<const Vec4> x_prev, std::span<const float> own_w,
                     const Following& following, std::span<Vec4> x);

    // A place and the way from it.
    struct Way {
        Vec3d from = {}, way = {};
    };
    // A shift and a turn, by less than half a turn: on straight ways between its ends nothing that moves by it passes
    // through anything else that does.
    struct RigidMotion {
        Vec3d centre = {}, shift = {}, turn = {};
        Vec3d way(const Vec3d& from) const;
    };
    static RigidMotion rigid_motion(std::span<const Way> points, std::span<const double> masses);
    static Vec3d led_way(std::span<const Way> leaders, const Vec3d& from, bool bends);

    std::vector<Index> parent_ = {}; // by point
    std::vector<std::uint8_t> is_in_ = {};
    std::vector<Index> members_ = {};
    std::vector<Way> leaders_ = {}, others_ = {}; // of the zone that moves
    std::vector<double> masses_ = {};             // kg, of the others
};

} // namespace taffeta
