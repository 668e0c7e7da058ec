#include "folded_sheet.h"

#include <cmath>
#include <numbers>

namespace taffeta::bench {
namespace {

constexpr double layers = 10;

// To and fro, with half circles at the turns: where one is after going so far.
Vec3d along_folds(double way, double layer, double gap) {
    const double turn = std::numbers::pi * gap / 2, period = layer + turn;
    const double number = std::floor(way / period), rest = way - number * period;
    const bool goes_back = static_cast<int>(number) % 2 == 1;
    double x = rest, y = number * gap;
    if (rest > layer) {
        const double angle = (rest - layer) / (gap / 2);
        x = layer + gap / 2 * std::sin(angle);
        y += gap / 2 * (1 - std::cos(angle));
    }
    return {goes_back ? layer - x : x, y, 0};
}

template <class Deform>
FoldedSheet make_element_mesh(int cells, const Deform& deform) {
    FoldedSheet sheet;
    const Mesh mesh = make_grid({1, 1}, {cells, cells}, Diagonals::alternate);
    sheet.triangles = mesh.triangles;
    sheet.rest = mesh.positions;
    sheet.epsilon = static_cast<float>(0.4 / cells);
    const Rotation turned = rotation_from_degrees({20, 30, 10});
    for (const Vec3& p : mesh.positions) {
        const Vec3 at = turned * vector_cast<float>(deform(vector_cast<double>(p)));
        sheet.x.push_back({at.x, at.y, at.z, 1});
    }
    return sheet;
}

} // namespace

FoldedSheet make_flat_sheet(int cells) {
    return make_element_mesh(cells, [](const Vec3d& p) { return p; });
}

FoldedSheet make_folded_sheet(int cells) {
    const double gap = 0.3 / cells;
    return make_element_mesh(cells, [gap](const Vec3d& p) {
        Vec3d q = along_folds(p.x + 0.5, 1 / layers - std::numbers::pi * gap / 2, gap) + Vec3d{0, 0, p.z};
        q.y += 0.1 * gap * std::sin(40 * q.x) * std::sin(50 * q.z); // uneven, all layers alike
        q.y += 0.02 * std::sin(9 * q.z + 5 * q.x);
        return q;
    });
}

} // namespace taffeta::bench
