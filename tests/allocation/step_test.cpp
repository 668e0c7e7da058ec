// step() does not allocate. This program replaces operator new, so it holds nothing else.
#include "collision/colliders/body_mesh.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations = 0;

void* allocate(std::size_t size, std::size_t alignment) {
    ++allocations;
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    if (void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return memory;
    throw std::bad_alloc();
}

// Out of line: else g++ sees a free() without its malloc().
[[gnu::noinline]] void release(void* memory) {
    std::free(memory);
}

} // namespace

void* operator new(std::size_t size) {
    return allocate(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
    return allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete[](void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}

namespace taffeta {
namespace {

long allocations_after_warm_up(const SceneDesc& scene, int warm_up, int frames) {
    Simulation simulation = test::make_simulation(scene);
    for (int k = 0; k < warm_up; ++k) simulation.step(test::frame);
    const long before = allocations;
    for (int k = 0; k < frames; ++k) simulation.step(test::frame);
    return allocations - before;
}

TEST(Allocation, TheCounterCounts) {
    const long before = allocations;
    const std::vector<int> memory(1000, 1);
    EXPECT_GT(allocations, before);
    EXPECT_EQ(memory[999], 1);
}

TEST(Allocation, NoneInAStepOfClothAtRest) {
    SceneDesc scene = test::scene_with(GridShape{.size = {1, 1}, .cells = {30, 30}});
    scene.cloths[0].position = {0, 0.001f, 0};
    scene.colliders = {{.shape = Plane{}}, {.shape = Box{}, .position = {3, 0, 0}}};
    EXPECT_EQ(allocations_after_warm_up(scene, 10, 30), 0);
}

TEST(Allocation, NoneInAStepWithHandsMovingBodiesAndWind) {
    SceneDesc scene = test::scene_with(GridShape{.size = {0.5f, 0.5f}, .cells = {20, 20}});
    scene.cloths[0].pins = {VertexPin{{0}}};
    scene.cloths[0].self_collision = SelfCollision::none;
    scene.colliders = {{.shape = Sphere{0.3f},
                        .position = {0, -0.5f, 0},
                        .motion = {{.t = 0}, {.t = 9, .position = Vec3{0.1f, -0.4f, 0}, .rotation = Vec3{90, 0, 0}}}},
                       {.shape = Capsule{}, .position = {0.2f, -0.3f, 0}}};
    scene.grabs = {
        {.near = Vec3{0.25f, 0, 0.25f}, .radius = 0.1f, .path = {{0, {0.25f, 0, 0.25f}}, {9, {0, 0.5f, 0}}}}};
    EXPECT_EQ(allocations_after_warm_up(scene, 10, 60), 0);
    scene.wind.velocity = {2, 0, 3};
    EXPECT_EQ(allocations_after_warm_up(scene, 10, 60), 0);
    scene.solver.method = "xpbd";
    EXPECT_EQ(allocations_after_warm_up(scene, 40, 60), 0); // contacts come and go for a second
}

TEST(Allocation, NoneInWhatViewsCopyEveryFrame) {
    SceneDesc scene = test::scene_with(GridShape{.size = {1, 1}, .cells = {30, 30}});
    Simulation simulation = test::make_simulation(scene);
    simulation.step(test::frame);
    std::vector<float> stretch(simulation.vertex_count());
    std::vector<std::uint8_t> touch(simulation.vertex_count());
    std::vector<Simulation::Box> boxes(1000);
    const long before = allocations;
    simulation.copy_stretch(stretch);
    simulation.copy_touch(touch);
    simulation.copy_hierarchy(simulation.hierarchy_levels() - 1, boxes);
    EXPECT_EQ(allocations - before, 0);
}

TEST(Allocation, RareWhileTheListsOfClosePairsStillGrow) {
    SceneDesc scene = test::scene_with(DiskShape{.radius = 0.5f, .particles = 1000});
    scene.solver.velocity_factor = 0.99f;
    scene.cloths[0].position = {0, 0.4f, 0};
    scene.colliders = {
        {.shape = Sphere{0.3f}, .motion = {{.t = 0, .position = Vec3{}}, {.t = 9, .position = Vec3{0.1f, 0, 0}}}},
        {.shape = Plane{}, .position = {0, -0.3f, 0}}};
    scene.grabs = {{.near = Vec3{0, 0.4f, 0.5f}, .radius = 0.1f, .path = {{0, {0, 0.4f, 0.5f}}, {9, {0, 0.5f, 0.5f}}}}};
    EXPECT_LE(allocations_after_warm_up(scene, 60, 60), 60); // 240 substeps
}

TEST(Allocation, ABodyIsPlacedInMemoryThatIsThere) {
    Skeleton skeleton = {.nodes = {{}, {.parent = 0}}, .joints = {{1, {}}}};
    skeleton.channels = {{.node = 1, .times = {0, 1}, .values = {{0, 0, 0}, {1, 0, 0}}}};
    skeleton.bind_positions.resize(3);
    skeleton.influences.resize(3);
    skeleton.first_influence = {0, 1, 2, 3};
    const BodyMesh body = {.mesh = Mesh{skeleton.bind_positions, {{0, 1, 2}}, {}},
                           .deformation = BodySkin{"clip", skeleton}};
    std::vector<Vec3> out(3);
    place_body_mesh(body, {}, 0, out); // makes room
    const long before = allocations;
    place_body_mesh(body, {}, 0.5, out);
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(out[2].x, 0.5f);
}

} // namespace
} // namespace taffeta
