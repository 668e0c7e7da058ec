// Trousers around the standing figure: two panels, one for each leg, sewn together along the middle and each to itself
// along the inside of the leg.
//
//        columns 0 .. 3m             row 0 is the waist, column 0 the middle in front, column 3m the middle behind
//       +----------------+
//       |      hip       |           its last row ends above the crotch
//       +----------------+------+    the bridge, columns 3m .. 4m: under the crotch from behind to the front
//       |          leg          |
//       +-----------------------+    the last row is the hem; column 4m lies on column 0
#include "content/figure_shape.h"

#include <taffeta/mesh.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta {
namespace {

constexpr double right_angle = std::numbers::pi / 2;
constexpr double waist = 1.04, fork = 0.865, hem = 0.115; // m, heights; at the fork legs and hip part
constexpr double clearance = 0.01;                        // m, from the skin
constexpr double hip_length = waist - fork, leg_length = fork - hem;

struct Cut {
    int m = 4; // columns: 3m around half the hip, 4m around a leg
    int hip_rows = 6, leg_rows = 21;

    int columns(int row) const { return row + 1 < hip_rows ? 3 * m : 4 * m; }
    int rows() const { return hip_rows + leg_rows; }
};

// Cells about as long as wide, and as near to the number of particles as whole rows allow.
Cut choose_cut(int particles) {
    Cut cut;
    cut.m = std::max(2, static_cast<int>(std::lround(4 * std::sqrt(particles / 833.0))));
    const int m = cut.m;
    const double spacing = (6 * m * hip_length + 8 * m * leg_length) / std::max(particles - 7 * m, 1);
    cut.hip_rows = std::max(2, 1 + static_cast<int>(std::lround(hip_length / spacing)));
    const int in_hip = 6 * m * cut.hip_rows + m - 1;
    cut.leg_rows = std::max(3, static_cast<int>(std::lround((particles - in_hip) / (8.0 * m))));
    return cut;
}

// From a point inside the figure straight on until the skin is so far behind.
Vec3d leave_figure(const Vec3d& from, const Vec3d& direction) {
    constexpr int most_steps = 60;
    constexpr double enough = 1e-7; // m
    double way = 0;
    for (int step = 0; step < most_steps; ++step) {
        const double rest = clearance - trunk_and_legs_distance(from + direction * way);
        way += rest;
        if (std::abs(rest) < enough) break;
    }
    return from + direction * way;
}

Vec3d leg_axis(double y) {
    const FigureJoints& at = figure_joints;
    const Vec3d& a = y > at.knee.y ? at.hip : at.knee;
    const Vec3d& b = y > at.knee.y ? at.knee : at.ankle;
    return a + (b - a) * std::clamp((y - a.y) / (b.y - a.y), 0.0, 1.0);
}

// Around the leg from +Z over +X.
Vec3d around(double angle) {
    return {std::sin(angle), 0, std::cos(angle)};
}

// The left panel, row by row.
class Panel {
public:
    explicit Panel(const Cut& cut) : cut_(cut) {
        for (int row = 0; row < cut.hip_rows; ++row) add_hip_row(row);
        add_bridge();
        find_angles();
        for (int row = 1; row <= cut.leg_rows; ++row) add_leg_row(row);
    }
    std::vector<Vec3> positions;

private:
    void add(Vec3d p, bool is_middle) {
        if (is_middle) p.x = 0; // exactly, where the panels are sewn together
        positions.push_back(vector_cast<float>(p));
    }

    void add_hip_row(int row) {
        const double y = waist - hip_length * row / (cut_.hip_rows - 1);
        for (int k = 0; k <= 3 * cut_.m; ++k)
            add(leave_figure({0, y, 0}, around(2 * right_angle * k / (3 * cut_.m))), k == 0 || k == 3 * cut_.m);
    }

    // In the middle plane, from the end of the last row down and forward to its beginning.
    void add_bridge() {
        const std::size_t first = positions.size() - static_cast<std::size_t>(3 * cut_.m) - 1;
        for (int k = 1; k < cut_.m; ++k) {
            const double angle = 2 * right_angle * k / cut_.m; // from -Z over -Y
            add(leave_figure({0, fork, 0}, {0, -std::sin(angle), -std::cos(angle)}), true);
        }
        positions.push_back(positions[first]);
    }

    // How the columns of the first row of a leg lie around it.
    void find_angles() {
        const auto columns = static_cast<std::size_t>(4 * cut_.m) + 1;
        for (std::size_t k = 0; k < columns; ++k) {
            const Vec3d p = vector_cast<double>(positions[positions.size() - columns + k]);
            const Vec3d out = p - leg_axis(p.y);
            double angle = std::atan2(out.x, out.z);
            if (!angles_.empty())
                while (angle < angles_.back()) angle += 4 * right_angle;
            angles_.push_back(angle);
            heights_.push_back(p.y);
        }
        angles_.back() = angles_.front() + 4 * right_angle;
    }

    void add_leg_row(int row) {
        const double part = static_cast<double>(row) / cut_.leg_rows;
        const double evened = std::min(1.0, 3 * part); // the columns, over the upper third
        const std::size_t begin = positions.size();
        for (std::size_t k = 0; k + 1 < angles_.size(); ++k) {
            const double even = angles_.front() + right_angle * static_cast<double>(k) / cut_.m;
            const double angle = angles_[k] + (even - angles_[k]) * evened;
            add(on_leg(heights_[k] + (hem - heights_[k]) * part, around(angle)), false);
        }
        positions.push_back(positions[begin]);
    }

    // Clear of the skin, and below the thigh wide and straight.
    static Vec3d on_leg(double y, const Vec3d& direction) {
        const Vec3d axis = {leg_axis(y).x, y, leg_axis(y).z};
        const double straight = 0.07 + 0.018 * std::clamp((0.8 - y) / 0.7, 0.0, 1.0); // m
        const Vec3d clear = leave_figure(axis, direction);
        Vec3d p = length(clear - axis) < straight ? axis + direction * straight : clear;
        p.x = std::max(p.x, 0.006 + 0.02 * std::clamp((0.84 - y) / 0.3, 0.0, 1.0)); // and of the other leg
        return p;
    }

    Cut cut_;
    std::vector<double> angles_, heights_; // by column
};

// Half of the mesh from the left panel; mirrored, it is the right half.
void add_half(const Cut& cut, const std::vector<Vec3>& panel, bool is_mirrored, Mesh& mesh) {
    const auto first = static_cast<Index>(mesh.positions.size());
    for (const Vec3& p : panel) mesh.positions.push_back(is_mirrored && p.x != 0 ? Vec3{-p.x, p.y, p.z} : p);
    const double row_length = (hip_length + leg_length) / cut.rows(), column_width = 0.5 / (4 * cut.m);
    Index row_begin = first;
    for (int row = 0; row < cut.rows(); ++row) {
        const Index above = row_begin;
        for (int k = 0; k <= cut.columns(row); ++k)
            mesh.uv.push_back(
                {static_cast<float>(-row * row_length), static_cast<float>((is_mirrored ? -k : k) * column_width)});
        row_begin += static_cast<Index>(cut.columns(row)) + 1;
        if (row + 1 == cut.rows()) break;
        for (Index k = 0; k < static_cast<Index>(cut.columns(row)); ++k) {
            const Index a = above + k, b = a + 1, c = row_begin + k, d = c + 1;
            const bool falls = (static_cast<Index>(row) + k) % 2 == 0;
            std::array<Triangle, 2> pair = {Triangle{a, c, b}, Triangle{b, c, d}};
            if (falls) pair = {Triangle{a, d, b}, Triangle{a, c, d}};
            for (Triangle& t : pair) {
                if (is_mirrored) std::swap(t[1], t[2]);
                mesh.triangles.push_back(t);
            }
        }
    }
}

} // namespace

Mesh make_trousers(int particles) {
    const Cut cut = choose_cut(particles);
    const Panel panel(cut);
    Mesh mesh;
    add_half(cut, panel.positions, false, mesh);
    add_half(cut, panel.positions, true, mesh);
    return mesh;
}

} // namespace taffeta
