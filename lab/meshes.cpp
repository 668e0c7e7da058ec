#include "lab/meshes.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace taffeta::lab {
namespace {

// Numbers by lot that are the same on every machine.
class Lot {
public:
    bool coin() { return (engine_() & 1u) != 0; }
    double between(double low, double high) {
        return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
    }

private:
    std::mt19937 engine_{1};
};

// Cells of a lattice with `columns` vertices in a line; `wrap` joins the last with the first.
//   c---d
//   |   |   seen from above (+Y), x to the right, z downwards: a is the first of the cell
//   a---b   in the picture c, d lie at larger z
std::vector<Triangle> cut_cells(std::array<int, 2> cells, bool wrap, Triangulation triangulation) {
    const int columns = wrap ? cells[0] : cells[0] + 1;
    const auto vertex = [&](int i, int j) { return static_cast<Index>(j * columns + i % columns); };
    std::vector<Triangle> triangles;
    Lot lot;
    for (int j = 0; j < cells[1]; ++j) {
        for (int i = 0; i < cells[0]; ++i) {
            const Index a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i, j + 1), d = vertex(i + 1, j + 1);
            bool rising = false; // the diagonal from a to d
            switch (triangulation) {
            case Triangulation::left: break;
            case Triangulation::right: rising = true; break;
            case Triangulation::alternating: rising = (i + j) % 2 != 0; break;
            case Triangulation::random:
            case Triangulation::irregular: rising = lot.coin(); break;
            }
            if (rising) {
                triangles.push_back({a, c, d});
                triangles.push_back({a, d, b});
            } else {
                triangles.push_back({a, c, b});
                triangles.push_back({b, c, d});
            }
        }
    }
    return triangles;
}

Vec3 in_plane(double x, double z) {
    return {static_cast<float>(x), 0, static_cast<float>(z)};
}

constexpr double jitter = 0.25; // of a cell

} // namespace

Mesh make_strip(std::array<double, 2> size, std::array<int, 2> cells, Triangulation triangulation) {
    Mesh mesh;
    Lot lot;
    for (int j = 0; j <= cells[1]; ++j) {
        for (int i = 0; i <= cells[0]; ++i) {
            double u = i, v = j;
            const bool inside = i > 1 && i < cells[0] - 1 && j > 0 && j < cells[1];
            if (triangulation == Triangulation::irregular && inside) {
                u += lot.between(-jitter, jitter);
                v += lot.between(-jitter, jitter);
            }
            mesh.positions.push_back(in_plane(u * size[0] / cells[0], (v / cells[1] - 0.5) * size[1]));
        }
    }
    mesh.triangles = cut_cells(cells, /*wrap=*/false, triangulation);
    return mesh;
}

Mesh make_ring(double inner, double outer, std::array<int, 2> cells, Triangulation triangulation) {
    Mesh mesh;
    Lot lot;
    for (int j = 0; j <= cells[1]; ++j) {
        for (int i = 0; i < cells[0]; ++i) {
            double u = i, v = j;
            if (triangulation == Triangulation::irregular && j > 1 && j < cells[1]) {
                u += lot.between(-jitter, jitter);
                v += lot.between(-jitter, jitter);
            }
            // Clockwise seen from above, so that the front is up as in a strip.
            const double angle = -2 * std::numbers::pi * u / cells[0];
            const double radius = inner + (outer - inner) * v / cells[1];
            mesh.positions.push_back(in_plane(radius * std::cos(angle), radius * std::sin(angle)));
        }
    }
    mesh.triangles = cut_cells(cells, /*wrap=*/true, triangulation);
    return mesh;
}

} // namespace taffeta::lab
