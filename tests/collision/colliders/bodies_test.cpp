// Distances, set-back and friction of the collider shapes [FGL03] Eq. 18-21.
#include "collision/colliders/bodies.h"

#include "support/instruction_sets.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

namespace taffeta {
namespace {

int set_back(const Body& body, const Skin& skin, std::vector<Vec4>& x, const std::vector<Vec4>& x_prev) {
    std::vector<std::uint8_t> touched(x.size(), 0);
    const int contacts = collide(body, skin, Round::first, x, x_prev, touched);
    EXPECT_EQ(contacts, std::count(touched.begin(), touched.end(), 1));
    return contacts;
}

SurfacePoint nearest(const ColliderShape& shape, const Vec3& local) {
    return std::visit([&](const auto& s) { return nearest_surface(s, local); }, shape);
}

// How far a point is outside (positive) or inside a shape, from inequalities alone: zero on the surface.
double excess(const ColliderShape& shape, const Vec3d& p) {
    struct Excess {
        Vec3d p;
        double operator()(const Sphere& s) const { return length(p) - s.radius; }
        double operator()(const Box& b) const {
            return std::max(
                {std::abs(p.x) - 0.5 * b.size.x, std::abs(p.y) - 0.5 * b.size.y, std::abs(p.z) - 0.5 * b.size.z});
        }
        double operator()(const Plane& s) const { return dot(p, normalized(vector_cast<double>(s.normal))); }
        double operator()(const Capsule& c) const {
            const double beyond = std::max(0.0, std::abs(p.y) - 0.5 * c.height);
            return std::hypot(p.x, beyond, p.z) - c.radius;
        }
        double operator()(const Cylinder& c) const {
            return std::max(std::hypot(p.x, p.z) - c.radius, std::abs(p.y) - 0.5 * c.height);
        }
        double operator()(const BodyMesh&) const { return HUGE_VAL; }
    };
    return std::visit(Excess{p}, shape);
}

// Points of the surface: from random points, bisected towards the inside.
std::vector<Vec3d> sample_surface(const ColliderShape& shape, int count, test::Random& random) {
    std::vector<Vec3d> samples;
    while (static_cast<int>(samples.size()) < count) {
        Vec3d out = random.in_cube(1.2), in = random.in_cube(1.2);
        if (excess(shape, out) < 0) std::swap(out, in);
        if (excess(shape, out) < 0 || excess(shape, in) >= 0) continue;
        for (int k = 0; k < 60; ++k) {
            const Vec3d middle = (out + in) * 0.5;
            (excess(shape, middle) >= 0 ? out : in) = middle;
        }
        samples.push_back(out);
    }
    return samples;
}

const std::vector<ColliderShape>& all_shapes() {
    static const std::vector<ColliderShape> shapes = {Sphere{0.35f},        Box{{0.6f, 0.3f, 0.9f}}, Plane{{0, 1, 0}},
                                                      Plane{{1, 2, -0.5f}}, Capsule{0.15f, 0.5f},    Capsule{0.2f, 0},
                                                      Cylinder{0.3f, 0.4f}, Cylinder{0.1f, 1.0f}};
    return shapes;
}

TEST(NearestSurface, PointsToTheSurfaceAndNothingIsNearer) {
    test::Random random(1);
    for (const ColliderShape& shape : all_shapes()) {
        SCOPED_TRACE(shape.index());
        const std::vector<Vec3d> surface = sample_surface(shape, 1000, random);
        for (int trial = 0; trial < 500; ++trial) {
            const Vec3 p = random.in_cube_float(1);
            const SurfacePoint point = nearest(shape, p);
            EXPECT_NEAR(length(point.normal), 1, 1e-6);
            EXPECT_EQ(point.distance < 0, excess(shape, vector_cast<double>(p)) < 0) << point.distance;
            const Vec3d foot = vector_cast<double>(p) - vector_cast<double>(point.normal) * point.distance;
            EXPECT_NEAR(excess(shape, foot), 0, 1e-6);
            double least = 1e9;
            for (const Vec3d& s : surface) least = std::min(least, length(s - vector_cast<double>(p)));
            EXPECT_LE(std::abs(point.distance), least + 1e-6);
        }
    }
}

TEST(NearestSurface, NormalIsTheGradientOfTheDistance) {
    test::Random random(2);
    for (const ColliderShape& shape : all_shapes()) {
        SCOPED_TRACE(shape.index());
        int smooth = 0;
        for (int trial = 0; trial < 500; ++trial) {
            const Vec3 p = random.in_cube_float(1);
            const SurfacePoint point = nearest(shape, p);
            constexpr float step = 1e-2f;
            Vec3 gradient;
            bool kink = false; // next to an edge or the middle axis the normal jumps
            for (int axis = 0; axis < 3; ++axis) {
                Vec3 more = p, less = p;
                more[axis] += step;
                less[axis] -= step;
                const SurfacePoint a = nearest(shape, more), b = nearest(shape, less);
                gradient[axis] = (a.distance - b.distance) / (2 * step);
                kink = kink || dot(a.normal, point.normal) < 0.98f || dot(b.normal, point.normal) < 0.98f;
            }
            if (kink) continue;
            ++smooth;
            EXPECT_NEAR(length(gradient - point.normal), 0, 0.03);
        }
        EXPECT_GT(smooth, 250);
    }
}

TEST(NearestSurface, HasAnAnswerInTheMiddle) {
    for (const ColliderShape& shape : all_shapes()) {
        SCOPED_TRACE(shape.index());
        for (const Vec3 p : {Vec3{}, Vec3{0, 0.01f, 0}, Vec3{0, -0.01f, 0}, Vec3{0, 5, 0}, Vec3{0, -5, 0}}) {
            const SurfacePoint point = nearest(shape, p);
            EXPECT_TRUE(std::isfinite(point.distance));
            EXPECT_NEAR(length(point.normal), 1, 1e-6);
        }
    }
}

TEST(NearestSurface, AThinBoxSendsClothUp) {
    EXPECT_EQ(nearest_surface(Box{{1, 1, 1}}, {}).normal, (Vec3{0, 1, 0}));
}

struct Placement {
    Vec3 position, degrees;
};
const std::vector<Placement> placements = {{{}, {}}, {{0.3f, -0.2f, 0.5f}, {30, 40, -70}}, {{-2, 1, 3}, {0, 90, 45}}};

TEST(Collide, SetsBackToTheThicknessForEveryShapeAndPose) { // F18
    test::Random random(3);
    for (const ColliderShape& shape : all_shapes()) {
        for (const auto& [position, degrees] : placements) {
            for (const float thickness : {0.0f, 0.0005f, 0.01f}) {
                SCOPED_TRACE(shape.index());
                const Pose pose = {position, rotation_from_degrees(degrees)};
                std::vector<Vec4> x;
                for (int k = 0; k < 2000; ++k) {
                    const Vec3 p = pose.to_world(random.in_cube_float(0.7));
                    x.push_back({p.x, p.y, p.z, 1});
                }
                const auto start = x;
                const int contacts = set_back({shape, pose, pose}, {thickness, 0}, x, start);
                int close = 0;
                for (std::size_t k = 0; k < x.size(); ++k) {
                    const double before = nearest(shape, pose.to_local(start[k].xyz())).distance;
                    const double after = nearest(shape, pose.to_local(x[k].xyz())).distance;
                    if (before < thickness) {
                        ++close;
                        EXPECT_NEAR(after, thickness, 2e-6);
                    } else {
                        EXPECT_EQ(x[k].xyz(), start[k].xyz());
                    }
                }
                EXPECT_EQ(contacts, close);
                EXPECT_GT(contacts, 5);
            }
        }
    }
}

TEST(Collide, ClearanceHoldsWithFrictionAndMotionToo) { // F18: all shapes are convex, sliding along leaves them clear
    test::Random random(4);
    for (const ColliderShape& shape : all_shapes()) {
        SCOPED_TRACE(shape.index());
        const Pose before = {{0.1f, 0.2f, -0.1f}, rotation_from_degrees({10, 20, 30})};
        const Pose now = {{0.12f, 0.23f, -0.1f}, rotation_from_degrees({14, 20, 25})};
        std::vector<Vec4> x, x_prev;
        for (int k = 0; k < 1000; ++k) {
            const Vec3 p = random.in_cube_float(0.7), q = p + random.in_cube_float(0.03);
            x_prev.push_back({p.x, p.y, p.z, 1});
            x.push_back({q.x, q.y, q.z, 1});
        }
        constexpr float thickness = 0.01f;
        EXPECT_GT(set_back({shape, now, before}, {thickness, 0.6f}, x, x_prev), 5);
        for (const Vec4& p : x) EXPECT_GE(nearest(shape, now.to_local(p.xyz())).distance, thickness - 1e-5f);
    }
}

TEST(Collide, WhoComesInGoesBackToTheSideItCameFrom) {
    constexpr float thickness = 0.001f;
    const Box plate = {{1, 0.02f, 1}};
    for (const float side : {1.0f, -1.0f}) {
        // Past the middle of a thin plate within one step, as fast cloth is.
        const std::vector<Vec4> x_prev = {{0.1f, side * 0.02f, 0.2f, 1}};
        std::vector<Vec4> x = {{0.1f, side * -0.008f, 0.2f, 1}};
        EXPECT_EQ(set_back({plate, {}, {}}, {thickness, 0}, x, x_prev), 1);
        EXPECT_NEAR(x[0].y, side * (0.01 + thickness), 1e-5);
    }
    // The same with the plate moving and the particle at rest.
    const Pose below = {{0, -0.02f, 0}, rotation_from_degrees({0, 0, 180})}, now = {{0, 0.008f, 0}, below.rotation};
    std::vector<Vec4> x = {{0.1f, 0, 0.2f, 1}};
    EXPECT_EQ(set_back({plate, now, below}, {thickness, 0}, x, x), 1);
    EXPECT_NEAR(x[0].y, 0.008 + 0.01 + thickness, 1e-5);
}

TEST(Collide, WhoComesIntoAnyShapeEndsClearOnTheSameSide) {
    test::Random random(6);
    constexpr float thickness = 0.002f;
    for (const ColliderShape& shape : all_shapes()) {
        SCOPED_TRACE(shape.index());
        int came_in = 0;
        for (int trial = 0; trial < 12'000; ++trial) {
            const Vec3 p = random.in_cube_float(0.8), q = random.in_cube_float(0.8);
            if (nearest(shape, p).distance < 0 || nearest(shape, q).distance >= 0) continue;
            ++came_in;
            const std::vector<Vec4> x_prev = {{p.x, p.y, p.z, 1}};
            std::vector<Vec4> x = {{q.x, q.y, q.z, 1}};
            EXPECT_EQ(set_back({shape, {}, {}}, {thickness, 0}, x, x_prev), 1);
            EXPECT_GE(nearest(shape, x[0].xyz()).distance, thickness - 1e-5f);
            EXPECT_GT(dot(x[0].xyz() - q, p - q), 0); // back, against its motion
        }
        EXPECT_GT(came_in, 50);
    }
}

TEST(Collide, FurtherRoundsTouchOnlyWhatTheFirstDidAndRubNoMore) {
    const std::vector<Vec4> x_prev = {{0, 0.5f, 0, 1}, {0, 0.5f, 0, 1}};
    std::vector<Vec4> x = {{0.25f, -0.5f, 0, 1}, {0.25f, -0.5f, 0, 1}};
    std::vector<std::uint8_t> touched = {0, 1};
    EXPECT_EQ(collide({Plane{}, {}, {}}, {0.125f, 1}, Round::again, x, x_prev, touched), 1);
    EXPECT_EQ(x[0].xyz(), (Vec3{0.25f, -0.5f, 0}));
    EXPECT_EQ(x[1].xyz(), (Vec3{0.25f, 0.125f, 0}));
}

TEST(Collide, HeldParticlesAreNotSetBack) {
    std::vector<Vec4> x = {{0, 0, 0, 0}};
    EXPECT_EQ(set_back({Sphere{1}, {}, {}}, {0.01f, 0.5f}, x, x), 0);
    EXPECT_EQ(x[0].xyz(), Vec3{});
}

// Particles in, on and about a body, some of them held and some touched before.
struct Crowd {
    std::vector<Vec4> x, x_prev;
    std::vector<std::uint8_t> touched;
};

Crowd make_crowd(const Body& body, const Skin& skin, int count, test::Random& random) {
    Crowd crowd;
    for (int k = 0; k < count; ++k) {
        Vec3 local = random.in_cube_float(0.7);
        if (k % 4 == 1) // on faces, edges, axes and centres, where the choice of a normal hangs on the sign of a zero
            for (int axis = 0; axis < 3; ++axis) local[axis] = std::round(local[axis] * 20) / 20;
        if (k % 4 == 2) { // within the thickness, or there to the last bit
            const SurfacePoint point = nearest(body.shape, local);
            local += point.normal * (skin.thickness * random.uniform_float(0, 1) - point.distance);
        }
        const Vec3 end = body.pose.to_world(local);
        const Vec3 start = body.pose_prev.to_world(local + random.in_cube_float(k % 3 == 0 ? 0.5 : 0.005));
        const float w = random.below(8) == 0 ? 0 : random.uniform_float(1, 9);
        crowd.x.push_back({end.x, end.y, end.z, w});
        crowd.x_prev.push_back({start.x, start.y, start.z, w});
        crowd.touched.push_back(static_cast<std::uint8_t>(random.below(2)));
    }
    return crowd;
}

TEST(Collide, ManyAtATimeAndOneByOneGiveTheSameBitsOnEveryInstructionSet) {
    const auto bits = [](const std::vector<Vec4>& x) {
        std::vector<std::array<std::uint32_t, 4>> result;
        for (const Vec4& p : x) result.push_back(std::bit_cast<std::array<std::uint32_t, 4>>(p));
        return result;
    };
    const auto expect_same = [&](const Body& body, const Skin& skin, Round round, const Crowd& crowd) {
        Crowd expected = crowd;
        const int contacts = collide_singly(body, skin, round, expected.x, crowd.x_prev, expected.touched);
        EXPECT_GT(contacts, 0);
        test::for_each_instruction_set([&](const std::string& instruction_set) {
            Crowd found = crowd;
            EXPECT_EQ(collide(body, skin, round, found.x, crowd.x_prev, found.touched), contacts) << instruction_set;
            EXPECT_EQ(bits(found.x), bits(expected.x)) << instruction_set;
            EXPECT_EQ(found.touched, expected.touched) << instruction_set;
        });
    };
    test::Random random(7);
    for (const ColliderShape& shape : all_shapes()) {
        SCOPED_TRACE(shape.index());
        for (const auto& [position, degrees] : placements) {
            const Pose still = {position, rotation_from_degrees(degrees)};
            const Pose moved = {position + Vec3{0.02f, -0.03f, 0.01f}, rotation_from_degrees(degrees + Vec3{3, 5, -4})};
            for (const Body& body : {Body{shape, still, still}, Body{shape, moved, still}}) {
                for (const Skin& skin :
                     {Skin{0, 0.3f}, Skin{0.0005f, 0}, Skin{0.02f, 0.7f}, Skin{0.02f, 0.4f, Friction::coulomb}}) {
                    const Crowd crowd = make_crowd(body, skin, 203, random); // the last few are no whole vector
                    expect_same(body, skin, Round::first, crowd);
                    expect_same(body, skin, Round::again, crowd);
                }
            }
        }
    }
}

TEST(Collide, FewerParticlesThanAVectorHoldsAreSetBackToo) {
    for (std::size_t count = 0; count < 20; ++count) {
        std::vector<Vec4> x(count, {0, -0.5f, 0, 1});
        EXPECT_EQ(set_back({Plane{}, {}, {}}, {0.125f, 0}, x, std::vector(x)), static_cast<int>(count));
        for (const Vec4& p : x) EXPECT_EQ(p.y, 0.125f);
    }
}

TEST(Friction, ScalesTheTangentialStepByExactlyOneMinusC) { // F19
    for (const float c_f : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
        const std::vector<Vec4> x_prev = {{0, 0.125f, 0, 1}};
        std::vector<Vec4> x = {{0.5f, 0.0625f, -0.25f, 1}}; // binary fractions: nothing is rounded
        EXPECT_EQ(set_back({Plane{}, {}, {}}, {0.125f, c_f}, x, x_prev), 1);
        EXPECT_EQ(x[0].x, 0.5f * (1 - c_f));
        EXPECT_EQ(x[0].y, 0.125f);
        EXPECT_EQ(x[0].z, -0.25f * (1 - c_f));
    }
}

TEST(Friction, OfOneCancelsAllTangentialMotionOnEveryShape) {
    test::Random random(5);
    for (const ColliderShape& shape : all_shapes()) {
        SCOPED_TRACE(shape.index());
        std::vector<Vec4> x, x_prev;
        for (int k = 0; k < 200; ++k) {
            const Vec3 p = random.in_cube_float(0.5), q = p + random.in_cube_float(0.01);
            x_prev.push_back({p.x, p.y, p.z, 1});
            x.push_back({q.x, q.y, q.z, 1});
        }
        const auto moved = x;
        constexpr float thickness = 0.01f;
        set_back({shape, {}, {}}, {thickness, 1}, x, x_prev);
        for (std::size_t k = 0; k < x.size(); ++k) {
            const SurfacePoint point = nearest(shape, moved[k].xyz());
            const bool came_in = point.distance < 0 && nearest(shape, x_prev[k].xyz()).distance >= 0;
            if (point.distance >= thickness || came_in) continue; // who comes in meets the surface elsewhere
            const Vec3 d = x[k].xyz() - x_prev[k].xyz();
            EXPECT_NEAR(length(d - point.normal * dot(d, point.normal)), 0, 1e-6);
        }
    }
}

TEST(Friction, OfCoulombTakesAsMuchAsThePressureAllowsAndNoMore) {
    const Body ground = {Plane{}, {}, {}};
    const Skin skin = {0.01f, 0.5f, Friction::coulomb};
    const auto slid = [&](float depth, float way) {
        std::vector<Vec4> x = {{way, skin.thickness - depth, 0, 1}};
        const std::vector<Vec4> x_prev = {{0, skin.thickness, 0, 1}};
        std::vector<std::uint8_t> touched = {0};
        collide(ground, skin, Round::first, x, x_prev, touched);
        EXPECT_NEAR(x[0].y, skin.thickness, 1e-8);
        return x[0].x;
    };
    EXPECT_EQ(slid(0.002f, 0.0009f), 0); // sticks: 0.9 mm are less than half of 2 mm
    EXPECT_NEAR(slid(0.002f, 0.0031f), 0.0021f, 1e-8);
    EXPECT_NEAR(slid(0.002f, -0.0031f), -0.0021f, 1e-8);
    EXPECT_NEAR(slid(0.0002f, 0.0031f), 0.0030f, 1e-8);
}

TEST(Friction, IsMeasuredAgainstTheBodysOwnMotion) { // F19
    // A plate slides under a particle at rest: c_f of one carries it along, of one half takes it half the way.
    const Pose before = {}, now = {{0.25f, 0, 0.5f}, {}};
    for (const float c_f : {0.0f, 0.5f, 1.0f}) {
        const std::vector<Vec4> x_prev = {{0, 0.125f, 0, 1}};
        std::vector<Vec4> x = {{0, 0.0625f, 0, 1}};
        set_back({Plane{}, now, before}, {0.125f, c_f}, x, x_prev);
        EXPECT_EQ(x[0].x, 0.25f * c_f);
        EXPECT_EQ(x[0].y, 0.125f);
        EXPECT_EQ(x[0].z, 0.5f * c_f);
    }
}

TEST(Friction, ATurningBodyCarriesItsContactsAround) {
    const Pose before = {}, now = {{}, rotation_from_degrees({0, 0.5f, 0})};
    const std::vector<Vec4> x_prev = {{0.3f, 0.1f, 0, 1}};
    std::vector<Vec4> x = {{0.3f, 0.09f, 0, 1}};
    set_back({Box{{1, 0.2f, 1}}, now, before}, {0, 1}, x, x_prev);
    const double angle = 0.5 * std::numbers::pi / 180;
    EXPECT_NEAR(x[0].x, 0.3 * std::cos(angle), 0.4 * angle * angle); // along the tangent, on its circle up to that
    EXPECT_NEAR(x[0].z, -0.3 * std::sin(angle), 1e-6);
    EXPECT_NEAR(x[0].y, 0.1, 1e-6);
}

TEST(Friction, AParticleAtRestOnARisingPlateRisesWithIt) {
    const Pose before = {}, now = {{0, 0.01f, 0}, {}};
    const std::vector<Vec4> x_prev = {{0, 0.001f, 0, 1}};
    std::vector<Vec4> x = x_prev;
    set_back({Plane{}, now, before}, {0.001f, 0.5f}, x, x_prev);
    EXPECT_NEAR(x[0].y, 0.011, 1e-7);
}

} // namespace
} // namespace taffeta
