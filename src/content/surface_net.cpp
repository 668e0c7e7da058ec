#include "content/surface_net.h"

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

constexpr int evening_rounds = 6;

// The corners of all cubes, x fastest, and what the function is there.
class Lattice {
public:
    Lattice(const Implicit& body, const Block& block) : block_(block), values_(count()) {
        for (int k = 0; k <= block.cells[2]; k += brick)
            for (int j = 0; j <= block.cells[1]; j += brick)
                for (int i = 0; i <= block.cells[0]; i += brick) fill(body, {i, j, k});
    }
    using Corner = std::array<int, 3>;
    Vec3d place(const Corner& c) const {
        const double s = block_.cell;
        return block_.low + Vec3d{s * c[0], s * c[1], s * c[2]};
    }
    std::size_t number(const Corner& c) const {
        const auto width = static_cast<std::size_t>(block_.cells[0] + 1);
        const auto height = static_cast<std::size_t>(block_.cells[1] + 1);
        return static_cast<std::size_t>(c[0]) +
               width * (static_cast<std::size_t>(c[1]) + height * static_cast<std::size_t>(c[2]));
    }
    double value(const Corner& c) const { return values_[number(c)]; }
    bool is_inside(const Corner& c) const { return value(c) < 0; }
    std::size_t count() const { return number(block_.cells) + 1; }
    const Corner& cells() const { return block_.cells; }

private:
    static constexpr int brick = 5; // corners along a side of what is looked at together

    // Where the middle is far from the surface, all corners of the brick are on its side.
    void fill(const Implicit& body, const Corner& first) {
        constexpr double half = (brick - 1) / 2.0, far = 2.6 * half; // in cubes; 1.5 times the half diagonal
        const double s = block_.cell, middle = body(place(first) + Vec3d{s * half, s * half, s * half});
        const bool is_far = std::abs(middle) > far * s;
        for (int k = first[2]; k <= std::min(first[2] + brick - 1, block_.cells[2]); ++k)
            for (int j = first[1]; j <= std::min(first[1] + brick - 1, block_.cells[1]); ++j)
                for (int i = first[0]; i <= std::min(first[0] + brick - 1, block_.cells[0]); ++i)
                    values_[number({i, j, k})] = is_far ? middle : body(place({i, j, k}));
    }

    Block block_;
    std::vector<double> values_;
};

Lattice::Corner shifted(Lattice::Corner corner, int axis, int by) {
    corner[static_cast<std::size_t>(axis)] += by;
    return corner;
}

// The mean of the points where the surface cuts the edges of a cube; `cuts` says how many there are.
Vec3d mean_cut(const Lattice& lattice, const Lattice::Corner& cube, int& cuts) {
    Vec3d sum;
    cuts = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int edge = 0; edge < 4; ++edge) {
            const Lattice::Corner a = shifted(shifted(cube, (axis + 1) % 3, edge & 1), (axis + 2) % 3, (edge >> 1) & 1);
            const Lattice::Corner b = shifted(a, axis, 1);
            if (lattice.is_inside(a) == lattice.is_inside(b)) continue;
            const double part = lattice.value(a) / (lattice.value(a) - lattice.value(b));
            sum += lattice.place(a) + (lattice.place(b) - lattice.place(a)) * part;
            ++cuts;
        }
    }
    return cuts > 0 ? sum * (1.0 / cuts) : sum;
}

struct Net {
    std::vector<Vec3d> positions;
    std::vector<std::array<Index, 4>> quads; // counter-clockwise from outside
};

void add_vertices(const Lattice& lattice, Net& net, std::vector<Index>& vertex_of_cube) {
    vertex_of_cube.resize(lattice.count());
    for (int k = 0; k < lattice.cells()[2]; ++k)
        for (int j = 0; j < lattice.cells()[1]; ++j)
            for (int i = 0; i < lattice.cells()[0]; ++i) {
                int cuts = 0;
                const Vec3d mean = mean_cut(lattice, {i, j, k}, cuts);
                if (cuts == 0) continue;
                vertex_of_cube[lattice.number({i, j, k})] = static_cast<Index>(net.positions.size());
                net.positions.push_back(mean);
            }
}

// Around an edge along `axis` the cubes follow each other in the sense of its direction:
//     d | c       the edge comes towards us;
//     --+--       it leaves the body if its near end is outside
//     a | b
void add_quads(const Lattice& lattice, const std::vector<Index>& vertex_of_cube, Net& net) {
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        std::array<int, 3> first = {0, 0, 0};
        first[static_cast<std::size_t>(u)] = first[static_cast<std::size_t>(v)] = 1; // edges within the block
        for (int k = first[2]; k < lattice.cells()[2]; ++k)
            for (int j = first[1]; j < lattice.cells()[1]; ++j)
                for (int i = first[0]; i < lattice.cells()[0]; ++i) {
                    const Lattice::Corner c = {i, j, k};
                    const bool starts_inside = lattice.is_inside(c);
                    if (starts_inside == lattice.is_inside(shifted(c, axis, 1))) continue;
                    const auto at = [&](int du, int dv) {
                        return vertex_of_cube[lattice.number(shifted(shifted(c, u, du), v, dv))];
                    };
                    std::array<Index, 4> quad = {at(-1, -1), at(0, -1), at(0, 0), at(-1, 0)};
                    if (!starts_inside) std::reverse(quad.begin(), quad.end());
                    net.quads.push_back(quad);
                }
    }
}

// Every vertex to the mean of its neighbours, then back onto the surface.
void even_out(const Implicit& body, Net& net) {
    std::vector<Vec3d> sum(net.positions.size());
    std::vector<int> count(net.positions.size());
    for (int round = 0; round < evening_rounds; ++round) {
        std::fill(sum.begin(), sum.end(), Vec3d{});
        std::fill(count.begin(), count.end(), 0);
        for (const auto& quad : net.quads)
            for (std::size_t k = 0; k < 4; ++k) { // each edge comes twice, from either side
                sum[quad[k]] += net.positions[quad[(k + 1) % 4]];
                ++count[quad[k]];
            }
        for (std::size_t p = 0; p < net.positions.size(); ++p)
            net.positions[p] = onto_surface(body, (net.positions[p] + sum[p] * (1.0 / count[p])) * 0.5, 1);
    }
}

} // namespace

Vec3d onto_surface(const Implicit& body, Vec3d p, int steps) {
    constexpr double reach = 1e-4; // m, of the differences
    for (int step = 0; step < steps; ++step) {
        const double value = body(p);
        const Vec3d slope = Vec3d{body(p + Vec3d{reach, 0, 0}) - value, body(p + Vec3d{0, reach, 0}) - value,
                                  body(p + Vec3d{0, 0, reach}) - value} *
                            (1 / reach);
        const double steepness = dot(slope, slope);
        if (steepness > 0) p -= slope * (value / steepness);
    }
    return p;
}

Mesh make_surface_net(const Implicit& body, const Block& block) {
    const Lattice lattice(body, block);
    Net net;
    std::vector<Index> vertex_of_cube;
    add_vertices(lattice, net, vertex_of_cube);
    add_quads(lattice, vertex_of_cube, net);
    even_out(body, net);

    Mesh mesh;
    for (const Vec3d& p : net.positions) mesh.positions.push_back(vector_cast<float>(onto_surface(body, p, 2)));
    const auto distance = [&](Index a, Index b) { return length(mesh.positions[a] - mesh.positions[b]); };
    for (const auto& [a, b, c, d] : net.quads) { // cut along the shorter way
        if (distance(a, c) <= distance(b, d))
            mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
        else
            mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {b, c, d}});
    }
    return mesh;
}

} // namespace taffeta
