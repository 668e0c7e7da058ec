#include <taffeta/surface.h>

#include <cassert>

namespace taffeta {

void vertex_normals(std::span<const Triangle> triangles, std::span<const Vec3> positions, std::span<const Index> joined,
                    std::span<Vec3> out) {
    assert(out.size() == positions.size() && (joined.empty() || joined.size() == positions.size()));
    const auto particle = [&](Index vertex) { return joined.empty() ? vertex : joined[vertex]; };

    // There are no more particles than vertices, so the sums of the particles fit into `out` and are spread from there:
    // backwards, because a particle's number is at most that of its first vertex.
    for (Vec3& normal : out) normal = {};
    for (const Triangle& t : triangles) {
        const Vec3& a = positions[t[0]];
        const Vec3 twice_area = cross(positions[t[1]] - a, positions[t[2]] - a); // its length weighs by area
        for (const Index vertex : t) out[particle(vertex)] += twice_area;
    }
    for (std::size_t v = out.size(); v-- > 0;) {
        const Vec3 sum = out[particle(static_cast<Index>(v))];
        // A square that underflows still has a direction.
        const Vec3 normal = vector_cast<float>(normalized(vector_cast<double>(sum)));
        out[v] = normal == Vec3{} ? Vec3{0, 1, 0} : normal;
    }
}

} // namespace taffeta
