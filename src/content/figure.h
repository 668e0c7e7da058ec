// A human figure without files: a skin over bones, and a walk. make_figure is public, <taffeta/body.h>.
#pragma once

#include <taffeta/body.h>

#include <vector>

namespace taffeta {

// In the order of the skeleton's nodes; parents stand before their children.
enum class FigureBone {
    pelvis,
    spine,
    head,
    left_thigh,
    left_shin,
    left_foot,
    right_thigh,
    right_shin,
    right_foot,
    left_upper_arm,
    left_forearm,
    right_upper_arm,
    right_forearm
};
inline constexpr int figure_bone_count = 13;

// The bones of the figure, each a node with a joint, and how a walk moves them; no skin yet.
Skeleton make_figure_bones(const Figure& figure);

// How much each bone carries a point on the skin of the standing figure; the weights sum to 1.
std::vector<Skeleton::Influence> figure_influences(const Vec3d& p);

} // namespace taffeta
