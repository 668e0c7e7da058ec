#include "mesh/generators.h"
#include "render/picture_testing.h"
#include "support/pictures.h"

#include <algorithm>
#include <cstdlib>

namespace taffeta::render {
namespace {

using taffeta::test::difference;
using taffeta::test::Difference;

const Size small = {240, 180};

Vec3 mean_colour(const io::Image& image, int x0, int y0, int x1, int y1) {
    Vec3 sum;
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) {
            const std::uint8_t* p = &image.rgb[3 * static_cast<std::size_t>(y * image.width + x)];
            sum += {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
        }
    return sum * (1 / static_cast<float>((x1 - x0) * (y1 - y0)));
}

// A white square above a floor, seen at an angle.
SceneDesc square_above_floor() {
    SceneDesc scene;
    scene.cloths.push_back({.shape = GridShape{.size = {0.5f, 0.5f}, .cells = {4, 4}}, .position = {0, 0.6f, 0}});
    scene.fabrics.push_back({.name = "white", .colour = Colour{0.9f, 0.9f, 0.9f}, .sheen = 0});
    scene.view.camera = Camera{{0, 1.5f, 3}, {0, 0.3f, 0}, 35};
    scene.view.light.from = {0, 1, 0};
    return scene;
}

TEST(Picture, IsTheSameTwice) {
    Studio first;
    ASSERT_TRUE(first.is_open());
    first.play("tablecloth", 0.7);
    const io::Image a = first.picture(small), again = first.picture(small);
    EXPECT_EQ(a.rgb, again.rgb);
    Studio second;
    second.play("tablecloth", 0.7);
    EXPECT_EQ(a.rgb, second.picture(small).rgb);
}

// TAFFETA_UPDATE_PICTURES=1 writes the pictures anew; look at them before they are committed.
TEST(Picture, LooksAsItDid) {
    Studio studio;
    ASSERT_TRUE(studio.is_open());
    const auto compare = [&](const std::string& name, const DrawOptions& options) {
        const std::filesystem::path file =
            std::filesystem::path(TAFFETA_SOURCE_DIR) / "tests/render/pictures" / (name + ".png");
        const io::Image image = studio.picture(small, options);
        if (std::getenv("TAFFETA_UPDATE_PICTURES") != nullptr) {
            ASSERT_TRUE(io::write_png(file, image));
            return;
        }
        const auto expected = taffeta::test::read_png(file);
        ASSERT_TRUE(expected) << file;
        const Difference d = difference(image, *expected);
        EXPECT_TRUE(d.mean < 1.0 && d.far < 0.01) << name << ": mean " << d.mean << ", far " << d.far;
    };
    studio.play("tablecloth", 1.0);
    compare("tablecloth", {});
    studio.play("tabletop_held", 1.0);
    compare("held", {});
    compare("held_strain", {.view = View::strain});
    compare("held_wireframe", {.view = View::wireframe});
    compare("held_hierarchy", {.view = View::hierarchy});
    compare("held_normals", {.view = View::normals});
    studio.play("sphere_soft", 1.0);
    compare("sphere_contacts", {.view = View::contacts});
}

TEST(Picture, MarksContactsInTheirColours) {
    Studio studio;
    ASSERT_TRUE(studio.is_open());
    studio.show(square_above_floor(), 0);
    take_snapshot(*studio.simulation, View::contacts, 0, studio.snapshot);
    const Vec3 pair = {-0.15f, 0.6f, 0}, impact = {0, 0.6f, 0}, zone = {0.15f, 0.6f, 0};
    studio.snapshot.close_pairs = {{pair, pair + Vec3{0, 0.05f, 0}, true}};
    studio.snapshot.impacts = {impact};
    studio.snapshot.zones = {zone};
    const Size size = {480, 360};
    // By how much the channels of the most colourful pixel around a place are above the least of them.
    const auto colour_at = [&](const Vec3& place, const ContactMarks& marks) {
        const Projected at = project(*studio.scene.view.camera, size, place);
        const io::Image image = studio.renderer->picture(studio.snapshot, *studio.scene.view.camera, size,
                                                         {.view = View::contacts, .marks = marks});
        const int left = static_cast<int>(at.x) - 3, top = static_cast<int>(at.y) - 3;
        Vec3 best;
        for (int y = top; y < top + 7; ++y) {
            for (int x = left; x < left + 7; ++x) {
                const Vec3 c = mean_colour(image, x, y, x + 1, y + 1);
                const float least = std::min({c.x, c.y, c.z});
                if (std::max({c.x, c.y, c.z}) - least > std::max({best.x, best.y, best.z}))
                    best = c - Vec3{least, least, least};
            }
        }
        return best;
    };
    const Vec3 blue = colour_at(pair, {}), orange = colour_at(impact, {}), pink = colour_at(zone, {});
    EXPECT_TRUE(blue.z > 60 && blue.z > blue.y && blue.x < 20) << blue.x << ' ' << blue.y << ' ' << blue.z;
    EXPECT_TRUE(orange.x > 60 && orange.x > orange.y && orange.y > 20 && orange.z == 0) << orange.y << ' ' << orange.z;
    EXPECT_TRUE(pink.x > 60 && pink.z > 40 && pink.y == 0) << pink.x << ' ' << pink.y << ' ' << pink.z;
    for (const Vec3& place : {pair, impact, zone}) {
        const Vec3 plain = colour_at(place, {false, false, false});
        EXPECT_LT(std::max({plain.x, plain.y, plain.z}), 30);
    }
}

TEST(Picture, IsTheSameWithOpenGlEs) {
    Studio desktop;
    ASSERT_TRUE(desktop.is_open());
    desktop.play("sphere_soft", 0.6);
    const io::Image expected = desktop.picture(small);
    Studio embedded(HeadlessContext::Api::gles);
    ASSERT_TRUE(embedded.is_open());
    embedded.play("sphere_soft", 0.6);
    for (const View view : {View::strain, View::contacts, View::hierarchy, View::wireframe, View::normals})
        embedded.picture(small, {.view = view}); // no errors
    const Difference d = difference(embedded.picture(small), expected);
    EXPECT_TRUE(d.mean < 0.5 && d.far < 0.005) << "mean " << d.mean << ", far " << d.far;
}

TEST(Picture, ClothCastsAShadowOnTheFloor) {
    Studio studio;
    ASSERT_TRUE(studio.is_open());
    SceneDesc scene = square_above_floor();
    studio.show(scene, 0);
    take_snapshot(*studio.simulation, View::shaded, 0, studio.snapshot);
    const Projected under = project(*scene.view.camera, small, {0, 0, 0});
    const Projected beside = project(*scene.view.camera, small, {0.5f, 0, 0});
    const auto brightness = [&](const io::Image& image, const Projected& p) {
        const int x = static_cast<int>(p.x), y = static_cast<int>(p.y);
        return mean_colour(image, x - 2, y - 2, x + 3, y + 3).y;
    };
    const io::Image lit = studio.picture(small);
    EXPECT_LT(brightness(lit, under), 0.85f * brightness(lit, beside));
}

TEST(Picture, HasNoAcneOnAFlatSheet) {
    Studio studio;
    ASSERT_TRUE(studio.is_open());
    SceneDesc scene = square_above_floor();
    scene.view.light.from = {0.8f, 1, 0.4f};
    studio.show(scene, 0);
    const io::Image image = studio.picture({480, 360}, {.view = View::wireframe, .samples = 1});
    // Within a cell of the grid the pale sheet has one colour.
    const Projected p = project(*scene.view.camera, {480, 360}, {0.031f, 0.6f, 0.085f});
    const int x = static_cast<int>(p.x), y = static_cast<int>(p.y);
    const Vec3 mean = mean_colour(image, x - 3, y - 1, x + 4, y + 2);
    for (int dx = -3; dx <= 3; ++dx) EXPECT_NEAR(mean_colour(image, x + dx, y, x + dx + 1, y + 1).y, mean.y, 6);
}

TEST(Picture, FollowsColoursAndLightOfTheScene) {
    Studio studio;
    ASSERT_TRUE(studio.is_open());
    SceneDesc scene = square_above_floor();
    scene.fabrics[0].colour = Colour{0.1f, 0.2f, 0.8f};
    scene.view.background = {0.3f, 0.1f, 0.1f};
    studio.show(scene, 0);
    const Projected p = project(*scene.view.camera, small, {0, 0.6f, 0});
    const auto cloth = [&](const io::Image& image) {
        const int x = static_cast<int>(p.x), y = static_cast<int>(p.y);
        return mean_colour(image, x - 2, y - 2, x + 3, y + 3);
    };
    const io::Image image = studio.picture(small);
    EXPECT_GT(cloth(image).z, 1.5f * cloth(image).x);
    const Vec3 corner = mean_colour(image, 0, 0, 8, 8);
    EXPECT_GT(corner.x, 1.5f * corner.y);

    scene.view.light.strength = 0.2f;
    studio.renderer->set_looks(scene);
    EXPECT_LT(cloth(studio.picture(small)).z, 0.85f * cloth(image).z);
}

TEST(Picture, BodiesThatFramesCarryLookLikeThoseThatTheirPoseCarries) {
    Studio studio;
    ASSERT_TRUE(studio.is_open());
    const Mesh ball = make_collider_mesh(Sphere{0.3f});
    std::vector<Vec3> moved = ball.positions;
    for (Vec3& p : moved) p += Vec3{0.5f, 0.25f, 0};
    SceneDesc scene;
    scene.cloths = {{.shape = GridShape{.cells = {2, 2}}, .position = {0, 1, 0}}};
    scene.view.camera = Camera{{0, 1, 4}, {0, 0.5f, 0}, 40};
    scene.view.floor = -1;
    const auto shown = [&](const BodyMesh& body, const Vec3& position) {
        scene.colliders = {{.shape = body, .position = position}};
        studio.show(scene, 1.0 / 30);
        return studio.picture(small);
    };
    const BodyMesh rigid = {.mesh = ball};
    const BodyMesh carried = {.mesh = ball, .deformation = BodyFrames{30, std::vector{ball.positions, moved}}};
    const io::Image at_start = shown(rigid, {}), at_end = shown(rigid, {0.5f, 0.25f, 0});
    EXPECT_GT(difference(at_start, at_end).far, 0.05);
    const Difference apart = difference(shown(carried, {}), at_end);
    EXPECT_LT(apart.mean, 0.05);
    EXPECT_LT(apart.far, 0.001);

    // And that is where it can be taken hold of.
    const Ray through_middle = {{0.5f, 0.25f, 4}, {0, 0, -1}};
    const Renderer::Pick pick = studio.renderer->pick(studio.snapshot, through_middle);
    EXPECT_EQ(pick.kind, Renderer::Pick::Kind::collider);
    EXPECT_NEAR(pick.hit.distance, 3.7, 0.01);
}

TEST(Picture, StrainColoursTellStretchFromCompression) {
    Studio studio;
    ASSERT_TRUE(studio.is_open());
    const SceneDesc scene = square_above_floor();
    studio.show(scene, 0);
    take_snapshot(*studio.simulation, View::strain, 0, studio.snapshot);
    const auto colour_at = [&](float stretch) {
        studio.snapshot.stretch.assign(studio.snapshot.positions.size(), stretch);
        const io::Image image =
            studio.renderer->picture(studio.snapshot, *scene.view.camera, small, {.view = View::strain});
        const Projected p = project(*scene.view.camera, small, {0, 0.6f, 0});
        const int x = static_cast<int>(p.x), y = static_cast<int>(p.y);
        return mean_colour(image, x - 2, y - 2, x + 3, y + 3);
    };
    const Vec3 stretched = colour_at(1.05f), resting = colour_at(1), compressed = colour_at(0.95f);
    EXPECT_GT(stretched.x, 1.5f * stretched.z);
    EXPECT_NEAR(resting.x, resting.z, 30);
    EXPECT_GT(compressed.z, 1.5f * compressed.x);
}

} // namespace
} // namespace taffeta::render
