// The picture frame: all four borders of a square are led to where a simple shear has them, and the inside must follow.
// How much force that takes is read of a strip cut on the bias, which gives mostly by shear.
#include "lab/meshes.h"
#include "lab/rig.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::lab {
namespace {

constexpr double side = 0.2; // m

// A frame of four bars of fixed length: the threads keep their length, and the right angle between them closes by
// gamma. Half of it is turned by each.
Vec3d in_frame(const Vec3d& rest, double gamma) {
    const double s = std::sin(gamma / 2), c = std::cos(gamma / 2);
    return {c * rest.x + s * rest.z, rest.y, s * rest.x + c * rest.z};
}

} // namespace

Result<Report> shear(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Shear: the picture frame");
    report.plot = {
        .title = report.title, .x_label = "shear of the frame, degrees", .y_label = "shear of the cloth, degrees"};
    Curve theory = {.label = "homogeneous shear", .points = {{0, 0}, {32, 32}}};
    Curve mean = {.label = options.method + ", mean", .style = Curve::Style::marks};

    // Sheared cloth is pressed along a diagonal and would wrinkle; here it is kept in its plane by its stiffness.
    Fabric cloth = options.fabric;
    cloth.bend.fill(static_cast<float>(0.02 * side * side) * cloth.shear);

    const int cells = std::min(options.cells, 16), columns = cells + 1;
    for (const double degrees : {10.0, 20.0, 30.0}) {
        const std::string name = "frame at " + number_text(degrees) + " degrees";
        if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
        Mounting mounting;
        mounting.mesh = make_strip({side, side}, {cells, cells}, options.triangulation);
        mounting.gravity = {};
        Result<Rig> rig = Rig::mount(options, cloth, mounting);
        if (!rig) return rig.faults();
        std::vector<Index> border;
        std::vector<Vec3d> targets;
        const double gamma = degrees * std::numbers::pi / 180;
        for (int j = 0; j <= cells; ++j) {
            for (int i = 0; i <= cells; ++i) {
                if (i > 0 && i < cells && j > 0 && j < cells) continue;
                border.push_back(static_cast<Index>(j * columns + i));
                targets.push_back(in_frame(rig->at(border.back()), gamma));
            }
        }
        rig->hold(border);
        rig->move_held(targets, 10);
        rig->come_to_rest(name, report.notes);

        // The angle that the two threads have closed by, and how far vertices are from the homogeneous deformation.
        double sum = 0, farthest = 0;
        int count = 0;
        for (int j = 1; j < cells; ++j) {
            for (int i = 1; i < cells; ++i) {
                const auto at = [&](int a, int b) { return rig->at(static_cast<Index>(b * columns + a)); };
                const auto rest = [&](int a, int b) {
                    return vector_cast<double>(mounting.mesh.positions[static_cast<std::size_t>(b * columns + a)]);
                };
                farthest = std::max(farthest, length(at(i, j) - in_frame(rest(i, j), gamma)));
                if (i >= cells - 1 || j >= cells - 1) continue;
                // By the two directions through the neighbours, which `irregular` has moved: solve for the gradient.
                const Vec3d p = at(i + 1, j) - at(i, j), q = at(i, j + 1) - at(i, j);
                const Vec3d a = rest(i + 1, j) - rest(i, j), b = rest(i, j + 1) - rest(i, j);
                const double determinant = a.x * b.z - a.z * b.x;
                const Vec3d u = (p * b.z - q * a.z) * (1 / determinant), v = (q * a.x - p * b.x) * (1 / determinant);
                sum += std::asin(std::clamp(dot(u, v) / (length(u) * length(v)), -1.0, 1.0));
                ++count;
            }
        }
        const double found = sum / std::max(count, 1) * 180 / std::numbers::pi;
        report.rows.push_back({name + ": mean shear", found, degrees, "deg", 0.01});
        report.rows.push_back({name + ": farthest from homogeneous", 100 * farthest / side, 0, "% of the side", 0.1});
        mean.points.push_back({degrees, found});
    }
    report.plot.curves = {theory, mean};
    report.notes.emplace_back("the cloth is made stiff against bending for this test, or it would wrinkle");
    report.notes.emplace_back("the force of shear is tested by the bias strips of the tensile test");
    return report;
}

} // namespace taffeta::lab
