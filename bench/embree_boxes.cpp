#include "embree_boxes.h"

#include <algorithm>

#ifdef TAFFETA_BENCH_EMBREE

#include <embree3/rtcore.h>

namespace taffeta::bench {

namespace {

// What the callbacks see.
struct Boxes {
    std::span<const Triangle> triangles;
    std::span<const Vec4> x, x_end;
    float reach = 0; // m
};

struct Box {
    Vec3 low = {1e30f, 1e30f, 1e30f}, high = {-1e30f, -1e30f, -1e30f};

    void insert(const Vec4& p) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
};

Box box_of(const Boxes& boxes, std::size_t triangle) {
    Box box;
    for (const Index v : boxes.triangles[triangle]) {
        box.insert(boxes.x[v]);
        if (!boxes.x_end.empty()) box.insert(boxes.x_end[v]);
    }
    const Vec3 reach = {boxes.reach, boxes.reach, boxes.reach};
    return {box.low - reach, box.high + reach};
}

// Of one scene: some of the triangles.
struct Part {
    const Boxes* boxes = nullptr;
    std::size_t first = 0;
    RTCScene scene = nullptr;
    RTCGeometry geometry = nullptr;
    std::vector<Box> fitted = {}; // as Embree has them; it reports pairs of leaves without comparing their boxes
};

void bounds_of(const RTCBoundsFunctionArguments* arguments) {
    auto& part = *static_cast<Part*>(arguments->geometryUserPtr);
    const Box box = box_of(*part.boxes, part.first + arguments->primID);
    part.fitted[arguments->primID] = box;
    *arguments->bounds_o = {box.low.x, box.low.y, box.low.z, 0, box.high.x, box.high.y, box.high.z, 0};
}

bool overlap(const Box& a, const Box& b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

bool share_a_vertex(const Triangle& a, const Triangle& b) {
    return std::any_of(a.begin(), a.end(), [&](Index v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

} // namespace

struct EmbreeBoxes::Scenes {
    RTCDevice device = nullptr;
    Boxes boxes = {};
    Part first = {}, second = {};
    bool is_self = false;
    BoxPairs found = {};

    void make(Part& part, std::size_t begin, std::size_t count) {
        part.boxes = &boxes;
        part.first = begin;
        part.fitted.resize(count);
        part.geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(part.geometry, static_cast<unsigned>(count));
        rtcSetGeometryUserData(part.geometry, &part);
        rtcSetGeometryBoundsFunction(part.geometry, bounds_of, nullptr);
        rtcSetGeometryBuildQuality(part.geometry, RTC_BUILD_QUALITY_REFIT);
        part.scene = rtcNewScene(device);
        rtcSetSceneFlags(part.scene, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetSceneBuildQuality(part.scene, RTC_BUILD_QUALITY_LOW);
        rtcAttachGeometry(part.scene, part.geometry);
    }
    static void commit(Part& part) {
        rtcCommitGeometry(part.geometry);
        rtcCommitScene(part.scene);
    }
    static void release(Part& part) {
        if (part.scene == nullptr) return;
        rtcReleaseScene(part.scene);
        rtcReleaseGeometry(part.geometry);
    }

    void add(std::span<const RTCCollision> collisions) {
        const Part& other = is_self ? first : second;
        for (const RTCCollision& c : collisions) {
            if (is_self && c.primID0 >= c.primID1) continue; // both ways round are reported
            if (!overlap(first.fitted[c.primID0], other.fitted[c.primID1])) continue;
            if (is_self && share_a_vertex(boxes.triangles[c.primID0], boxes.triangles[c.primID1])) continue;
            found.push_back({c.primID0, static_cast<Index>(other.first) + c.primID1});
        }
    }
};

bool EmbreeBoxes::is_available() {
    return true;
}

EmbreeBoxes::EmbreeBoxes(std::span<const Triangle> triangles, std::size_t split) : scenes_(std::make_unique<Scenes>()) {
    scenes_->device = rtcNewDevice("threads=1,set_affinity=0");
    scenes_->boxes.triangles = triangles;
    scenes_->is_self = split == 0;
    scenes_->make(scenes_->first, 0, split == 0 ? triangles.size() : split);
    if (split > 0) scenes_->make(scenes_->second, split, triangles.size() - split);
}

EmbreeBoxes::~EmbreeBoxes() {
    Scenes::release(scenes_->first);
    Scenes::release(scenes_->second);
    rtcReleaseDevice(scenes_->device);
}

void EmbreeBoxes::refit(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon) {
    scenes_->boxes.x = x;
    scenes_->boxes.x_end = x_end;
    scenes_->boxes.reach = 0.5f * epsilon;
    Scenes::commit(scenes_->first);
    if (!scenes_->is_self) Scenes::commit(scenes_->second);
}

const BoxPairs& EmbreeBoxes::collide() {
    scenes_->found.clear();
    const Part& other = scenes_->is_self ? scenes_->first : scenes_->second;
    rtcCollide(
        scenes_->first.scene, other.scene,
        [](void* scenes, RTCCollision* collisions, unsigned count) {
            static_cast<Scenes*>(scenes)->add({collisions, count});
        },
        scenes_.get());
    return scenes_->found;
}

} // namespace taffeta::bench

#else

namespace taffeta::bench {

struct EmbreeBoxes::Scenes {
    BoxPairs found = {};
};
bool EmbreeBoxes::is_available() {
    return false;
}
EmbreeBoxes::EmbreeBoxes(std::span<const Triangle>, std::size_t) : scenes_(std::make_unique<Scenes>()) {}
EmbreeBoxes::~EmbreeBoxes() = default;
void EmbreeBoxes::refit(std::span<const Vec4>, std::span<const Vec4>, float) {}
const BoxPairs& EmbreeBoxes::collide() {
    return scenes_->found;
}

} // namespace taffeta::bench

#endif
