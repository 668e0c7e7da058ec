#include "mesh/generators.h"
#include "render/picture_testing.h"
#include "support/random.h"

#include <cmath>
#include <optional>

namespace taffeta::render {
namespace {

// Möller and Trumbore in double, one triangle after the other.
std::optional<double> distance_to(const Ray& ray, const Vec3& p, const Vec3& q, const Vec3& r) {
    const Vec3d a = vector_cast<double>(p), d = vector_cast<double>(ray.direction);
    const Vec3d ab = vector_cast<double>(q) - a, ac = vector_cast<double>(r) - a;
    const Vec3d h = cross(d, ac);
    const double determinant = dot(ab, h);
    if (determinant == 0) return {};
    const Vec3d s = vector_cast<double>(ray.origin) - a;
    const double u = dot(s, h) / determinant, v = dot(d, cross(s, ab)) / determinant;
    const double t = dot(ac, cross(s, ab)) / determinant;
    if (u < 0 || v < 0 || u + v > 1 || t <= 0) return {};
    return t;
}

double nearest(const Ray& ray, std::span<const Triangle> triangles, std::span<const Vec3> positions) {
    double least = INFINITY;
    for (const Triangle& t : triangles)
        if (const auto distance = distance_to(ray, positions[t[0]], positions[t[1]], positions[t[2]]))
            least = std::min(least, *distance);
    return least;
}

TEST(Pick, AgreesWithBruteForceOnEveryBuiltinSceneFromFiftyCameras) {
    Studio studio;
    ASSERT_TRUE(studio.is_open());
    test::Random random(11);
    for (const io::BuiltinScene& builtin : io::builtin_scenes()) {
        studio.play(std::string(builtin.name), 0.2);
        take_snapshot(*studio.simulation, View::shaded, 0, studio.snapshot);
        const auto& positions = studio.snapshot.positions;
        std::vector<Mesh> bodies;
        for (std::size_t k = 0; k < studio.scene.colliders.size(); ++k) {
            Mesh& body = bodies.emplace_back(make_collider_mesh(studio.scene.colliders[k].shape));
            for (Vec3& p : body.positions) p = studio.snapshot.colliders[k].to_world(p);
            if (!studio.snapshot.deformed[k].empty()) body.positions = studio.snapshot.deformed[k];
        }
        int hits = 0;
        for (int k = 0; k < 50; ++k) {
            const Vec3 target = positions[static_cast<std::size_t>(random.uniform_float(0, 0.999f) *
                                                                   static_cast<float>(positions.size()))];
            const Vec3 from = target + normalized(Vec3{random.uniform_float(-1, 1), random.uniform_float(-0.6f, 1),
                                                       random.uniform_float(-1, 1)}) *
                                           random.uniform_float(0.5f, 4);
            const Camera camera = {from, target, random.uniform_float(20, 80)};
            const Size size = {640, 480};
            const float x = random.uniform_float(200, 440), y = random.uniform_float(150, 330);
            const Ray ray = ray_through(camera, size, x, y);
            const Renderer::Pick pick = studio.renderer->pick(studio.snapshot, ray);

            const double to_cloth = nearest(ray, studio.simulation->triangles(), positions);
            double to_body = INFINITY;
            for (const Mesh& body : bodies) to_body = std::min(to_body, nearest(ray, body.triangles, body.positions));
            const double least = std::min(to_cloth, to_body);
            if (std::isinf(least)) {
                EXPECT_EQ(pick.kind, Renderer::Pick::Kind::nothing) << builtin.name;
                continue;
            }
            ++hits;
            EXPECT_NEAR(pick.hit.distance, least, 1e-4) << builtin.name;
            if (std::abs(to_cloth - to_body) > 1e-4) {
                EXPECT_EQ(pick.kind == Renderer::Pick::Kind::cloth, to_cloth < to_body) << builtin.name;
            }
            const Projected back = project(camera, size, pick.point);
            EXPECT_NEAR(back.x, x, 0.05);
            EXPECT_NEAR(back.y, y, 0.05);
        }
        EXPECT_GT(hits, 5) << builtin.name; // or nothing was tested
    }
}

} // namespace
} // namespace taffeta::render
