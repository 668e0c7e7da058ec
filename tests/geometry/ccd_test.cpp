// Continuous collision: no contact is missed, no time is late, hardly a false alarm.
#include "geometry/ccd.h"

#include "mesh/topology.h"
#include "support/exact.h"
#include "support/exact_small.h"
#include "support/instruction_sets.h"
#include "support/random.h"

#include <taffeta/mesh.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace taffeta {
namespace {

enum class Meeting { vertex_face, edge_edge };
constexpr Meeting meetings[] = {Meeting::vertex_face, Meeting::edge_edge};

// Vertex p and face f0 f1 f2, or edges a0 a1 and b0 b1.
struct Motion {
    std::array<Vec3d, 4> start, end;
};

std::optional<double> impact_of(Meeting meeting, const Motion& m, const ContinuousOptions& options = {}) {
    const auto &s = m.start, &e = m.end;
    if (meeting == Meeting::vertex_face)
        return find_vertex_face_impact(s[0], e[0], {s[1], s[2], s[3]}, {e[1], e[2], e[3]}, options);
    return find_edge_edge_impact({s[0], s[1]}, {e[0], e[1]}, {s[2], s[3]}, {e[2], e[3]}, options);
}

// Many of them, as the vectors take them.
struct Crowd {
    std::vector<Vec4> x_prev, x;
    std::vector<ContactCandidate> candidates;

    void add(const Motion& m) {
        const auto first = static_cast<Index>(x.size());
        for (std::size_t k = 0; k < 4; ++k) {
            const Vec3 s = vector_cast<float>(m.start[k]), e = vector_cast<float>(m.end[k]);
            x_prev.push_back({s.x, s.y, s.z, 1});
            x.push_back({e.x, e.y, e.z, std::numeric_limits<float>::quiet_NaN()}); // w does not matter
        }
        candidates.push_back({first, first + 1, first + 2, first + 3});
    }
    Motion motion(std::size_t candidate) const {
        Motion m;
        for (std::size_t k = 0; k < 4; ++k) {
            m.start[k] = vector_cast<double>(x_prev[candidates[candidate][k]].xyz());
            m.end[k] = vector_cast<double>(x[candidates[candidate][k]].xyz());
        }
        return m;
    }
    std::vector<Impact> impacts(Meeting meeting, const ContinuousOptions& options = {}) const {
        std::vector<Impact> found;
        if (meeting == Meeting::vertex_face)
            find_vertex_face_impacts(x_prev, x, candidates, found, options);
        else
            find_edge_edge_impacts(x_prev, x, candidates, found, options);
        return found;
    }
    std::vector<Impact> impacts_one_by_one(Meeting meeting, const ContinuousOptions& options = {}) const {
        std::vector<Impact> found;
        for (std::size_t k = 0; k < candidates.size(); ++k)
            if (const auto toi = impact_of(meeting, motion(k), options)) found.push_back({static_cast<Index>(k), *toi});
        return found;
    }
};

// A contact that is there by construction, in whole numbers below 2^bits and so without any rounding: at the time
// m/2^q the primitives meet in a point with weights i/2^r, and before and after it all points move straight.
struct Planted {
    Motion motion;
    double toi = 0; // there is contact at this time, and perhaps before
};

class Planter {
public:
    Planter(std::uint32_t seed, int bits) : random_(seed), bits_(bits) {}

    Planted plant(Meeting meeting) {
        q_ = below(5), r_ = below(5);
        size_ = 1 + below(bits_ - 4 - r_), speed_ = 1 + below(bits_ - 4 - q_);
        const bool is_flat = below(3) == 0; // all in a plane, at least when they meet
        std::array<Point, 4> at = meeting == Meeting::vertex_face ? vertex_on_face() : crossing_edges();
        std::array<Point, 4> v = velocities();
        const Point offset = below(2) == 0 ? Point{} : point(bits_ - 2);
        const std::int64_t whole = std::int64_t{1} << q_, part = below(static_cast<int>(whole) + 1);
        // In double also so small that products of three underflow.
        const bool underflows = bits_ > 24 && below(10) == 0;
        const double scale = std::ldexp(1.0, underflows ? -300 - below(250) : below(80) - 60);
        const bool stays_flat = is_flat && below(2) == 0;

        Planted planted;
        planted.toi = static_cast<double>(part) / static_cast<double>(whole);
        for (std::size_t k = 0; k < 4; ++k) {
            if (is_flat) at[k][2] = 0;
            if (stays_flat) v[k][2] = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const auto a = static_cast<std::size_t>(axis);
                const std::int64_t here = at[k][a] + offset[a];
                planted.motion.start[k][axis] = scale * static_cast<double>(here - part * v[k][a]);
                planted.motion.end[k][axis] = scale * static_cast<double>(here + (whole - part) * v[k][a]);
            }
        }
        return planted;
    }

private:
    using Point = std::array<std::int64_t, 3>;

    int below(int count) { return static_cast<int>(random_.below(static_cast<std::uint32_t>(std::max(count, 1)))); }
    std::int64_t number(int bits) {
        if (bits > 30) return number(bits - 26) * (1 << 26) + below(1 << 26);
        return static_cast<std::int64_t>(random_.uniform(-1, 1) * std::ldexp(1.0, bits));
    }
    Point point(int bits) {
        const std::int64_t x = number(bits), y = number(bits), z = number(bits);
        return {x, y, z};
    }
    static Point sum(const Point& a, const Point& b, std::int64_t s) {
        return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
    }

    // The point of weights i_k/2^r of a face that may be a line or a point; often on an edge or a corner.
    std::array<Point, 4> vertex_on_face() {
        const int kind = below(6), one = 1 << r_;
        Point f[3] = {point(size_ - 1), point(size_ - 1), point(size_ - 1)};
        if (kind == 0) f[2] = f[1];
        if (kind == 1) f[1] = f[2] = f[0];
        if (kind == 2) {
            const Point along = point(std::max(0, size_ - 4));
            f[1] = sum(f[0], along, below(4)), f[2] = sum(f[0], along, below(4) - 3);
        }
        const int i = below(one + 1), j = below(one - i + 1);
        const Point p = sum(sum(sum({}, f[0], i), f[1], j), f[2], one - i - j);
        return {p, sum({}, f[0], one), sum({}, f[1], one), sum({}, f[2], one)};
    }

    // Edges through a common point; some parallel, some without length.
    std::array<Point, 4> crossing_edges() {
        const int kind = below(6), one = 1 << r_;
        const Point p = point(size_ - 1);
        Point a = point(size_ - 1), b = point(size_ - 1);
        if (kind == 0) b = a;
        if (kind == 1) b = {};
        if (kind == 2) {
            const Point along = point(std::max(0, size_ - 4));
            a = sum({}, along, below(4)), b = sum({}, along, below(4) - 3);
        }
        const int i = below(one + 1), j = below(one + 1);
        return {sum(p, a, -i), sum(p, a, one - i), sum(p, b, -j), sum(p, b, one - j)};
    }

    std::array<Point, 4> velocities() {
        std::array<Point, 4> v = {point(speed_), point(speed_), point(speed_), point(speed_)};
        const int kind = below(6);
        if (kind == 0) v = {};                              // at rest
        if (kind == 1) v[1] = v[2] = v[3] = v[0];           // together
        if (kind == 2) v[1] = v[2] = v[3] = {};             // one point alone
        if (kind == 3) v[0] = v[1], v[2] = v[3] = point(3); // nearly rigid
        return v;
    }

    test::Random random_;
    int bits_;
    int q_ = 0, r_ = 0, size_ = 1, speed_ = 1;
};

// Contacts that are not found, or later than they are.
std::size_t count_misses(Meeting meeting, const ContinuousOptions& options, int bits, int count) {
    Planter planter(5, bits);
    std::size_t misses = 0;
    for (int k = 0; k < count; ++k) {
        const Planted planted = planter.plant(meeting);
        const auto toi = impact_of(meeting, planted.motion, options);
        if (!toi || *toi > planted.toi) ++misses;
    }
    return misses;
}

TEST(Continuous, NoPlantedContactIsMissedOrLate) {
    for (const Meeting meeting : meetings) {
        EXPECT_EQ(count_misses(meeting, {.eta = 0}, 52, 200'000), 0u);
        EXPECT_EQ(count_misses(meeting, {.eta = 0}, 23, 20'000), 0u);
        EXPECT_EQ(count_misses(meeting, {}, 52, 20'000), 0u);
        EXPECT_EQ(count_misses(meeting, {.eta = 0, .rounds = 64}, 30, 20'000), 0u);
        EXPECT_EQ(count_misses(meeting, {.eta = 0, .rounds = 0}, 30, 1'000), 0u);
    }
}

TEST(Continuous, OfAMillionPlantedContactsNoneIsMissedOrLateInVectors) {
    std::size_t planted_in_all = 0, misses = 0;
    for (const Meeting meeting : meetings) {
        Planter planter(11, 23);
        for (int batch = 0; batch < 10; ++batch) {
            Crowd crowd;
            std::vector<double> toi;
            for (int k = 0; k < 50'000; ++k) {
                const Planted planted = planter.plant(meeting);
                crowd.add(planted.motion);
                toi.push_back(planted.toi);
            }
            const std::vector<Impact> impacts = crowd.impacts(meeting, {.eta = 0});
            const auto in_time = std::count_if(impacts.begin(), impacts.end(),
                                               [&](const Impact& i) { return i.toi <= toi[i.candidate]; });
            planted_in_all += toi.size();
            misses += toi.size() - static_cast<std::size_t>(in_time);
        }
    }
    EXPECT_EQ(planted_in_all, 1'000'000u);
    EXPECT_EQ(misses, 0u);
}

TEST(Continuous, WithoutErrorBoundsTheSameContactsAreMissed) {
    for (const Meeting meeting : meetings)
        for (const int bits : {52, 23})
            EXPECT_GT(count_misses(meeting, {.eta = 0, .error_bounds = 0}, bits, 20'000), 50u);
}

// Crumpled cloth that goes on crumpling while it falls: two sheets in waves and within each other's reach. Whole
// multiples of 2^-20 m, so that there is an exact truth.
struct Sheets {
    Mesh mesh;
    std::vector<Vec4> x_prev, x;
};

Sheets make_falling_sheets(int cells) {
    constexpr double unit = 0x1p-20;
    Sheets sheets;
    sheets.mesh = make_grid({0.5f, 0.5f}, {cells, cells}, Diagonals::alternate);
    const auto first = static_cast<Index>(sheets.mesh.positions.size());
    for (Index v = 0; v < first; ++v) sheets.mesh.positions.push_back(sheets.mesh.positions[v]);
    const std::size_t faces = sheets.mesh.triangles.size();
    for (std::size_t f = 0; f < faces; ++f) {
        const Triangle t = sheets.mesh.triangles[f];
        sheets.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    test::Random random(3);
    for (Index v = 0; v < sheets.mesh.positions.size(); ++v) {
        const Vec3d p = vector_cast<double>(sheets.mesh.positions[v]);
        const double layer = v < first ? 0 : 1, phase = random.uniform(-0.002, 0.002);
        for (const double time : {0.0, 0.01}) {
            const double bend = 40 * p.x + 3 * layer + 60 * time, fold = 0.02 + 0.4 * time;
            Vec3d q = {p.x - 0.6 * fold * std::sin(2 * bend) + phase, fold * std::sin(bend) - 2 * time,
                       p.z + 0.01 * std::sin(30 * p.x + 20 * p.z + 100 * time)};
            q.y += 0.004 * layer + 0.01 * std::sin(35 * p.z + layer + 50 * time) + phase;
            for (int axis = 0; axis < 3; ++axis) q[axis] = unit * std::round(q[axis] / unit);
            const Vec3 at = vector_cast<float>(q);
            (time == 0 ? sheets.x_prev : sheets.x).push_back({at.x, at.y, at.z, 1});
        }
    }
    return sheets;
}

struct Box {
    Vec3 low = {1e30f, 1e30f, 1e30f}, high = {-1e30f, -1e30f, -1e30f};

    void add(const Vec4& p) {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p.xyz()[axis]);
            high[axis] = std::max(high[axis], p.xyz()[axis]);
        }
    }
    bool overlaps(const Box& o) const {
        return low.x <= o.high.x && o.low.x <= high.x && low.y <= o.high.y && o.low.y <= high.y && low.z <= o.high.z &&
               o.low.z <= high.z;
    }
};

// Pairs without a common vertex whose boxes over the step overlap.
Crowd find_candidates(const Sheets& sheets, Meeting meeting) {
    std::vector<std::vector<Index>> one, other;
    if (meeting == Meeting::vertex_face) {
        for (Index v = 0; v < sheets.x.size(); ++v) one.push_back({v});
        for (const Triangle& t : sheets.mesh.triangles) other.emplace_back(t.begin(), t.end());
    } else {
        for (const Pair& edge : make_topology(sheets.mesh.triangles).edges) one.push_back({edge.i, edge.j});
        other = one;
    }
    const auto boxes_of = [&](const std::vector<std::vector<Index>>& all) {
        std::vector<Box> boxes(all.size());
        for (std::size_t k = 0; k < all.size(); ++k)
            for (const Index v : all[k]) boxes[k].add(sheets.x_prev[v]), boxes[k].add(sheets.x[v]);
        return boxes;
    };
    const std::vector<Box> one_box = boxes_of(one), other_box = boxes_of(other);
    Crowd crowd = {sheets.x_prev, sheets.x, {}};
    for (std::size_t i = 0; i < one.size(); ++i) {
        for (std::size_t j = meeting == Meeting::edge_edge ? i + 1 : 0; j < other.size(); ++j) {
            if (!one_box[i].overlaps(other_box[j])) continue;
            std::vector<Index> all = one[i];
            all.insert(all.end(), other[j].begin(), other[j].end());
            const ContactCandidate candidate = {all[0], all[1], all[2], all[3]};
            std::sort(all.begin(), all.end());
            if (std::adjacent_find(all.begin(), all.end()) == all.end()) crowd.candidates.push_back(candidate);
        }
    }
    return crowd;
}

using test::ExactMotion;
using Contact = ExactMotion::Contact;

ExactMotion truth_of(Meeting meeting, const Motion& m, double unit) {
    std::array<test::Whole3, 4> start, end;
    for (std::size_t k = 0; k < 4; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            start[k][static_cast<std::size_t>(axis)] = std::llround(m.start[k][axis] / unit);
            end[k][static_cast<std::size_t>(axis)] = std::llround(m.end[k][axis] / unit);
        }
    }
    return {meeting == Meeting::edge_edge, start, end};
}

TEST(Continuous, FallingClothIsJudgedAsExactArithmeticDoes) {
    const Sheets sheets = make_falling_sheets(32);
    for (const Meeting meeting : meetings) {
        const Crowd crowd = find_candidates(sheets, meeting);
        ASSERT_GT(crowd.candidates.size(), 10'000u);
        const std::vector<Impact> impacts = crowd.impacts(meeting, {.rounds = 64});
        std::size_t next = 0, certain = 0, unknown = 0, false_alarms = 0, early = 0;
        for (Index k = 0; k < crowd.candidates.size(); ++k) {
            const bool is_found = next < impacts.size() && impacts[next].candidate == k;
            const ExactMotion truth = truth_of(meeting, crowd.motion(k), 0x1p-20);
            if (truth.contact() == Contact::certain) {
                ++certain;
                ASSERT_TRUE(is_found) << k;
                EXPECT_LE(impacts[next].toi, truth.latest());
                if (impacts[next].toi < truth.latest() - 1e-3) ++early;
            }
            if (truth.contact() == Contact::none && is_found) ++false_alarms;
            if (truth.contact() == Contact::unknown) ++unknown;
            if (is_found) ++next;
        }
        EXPECT_EQ(next, impacts.size());
        EXPECT_GT(certain, 300u);
        EXPECT_LT(unknown, 5u);
        EXPECT_LT(false_alarms, crowd.candidates.size() / 100); // 1 %
        EXPECT_LT(early, certain / 20);
    }
}

TEST(Continuous, ExactArithmeticFindsNoMissAmongCoarseAndRandomMotions) {
    test::Random random(8);
    for (const Meeting meeting : meetings) {
        for (const double size : {2.0, 5.0, 1e6}) { // the coarse ones are coplanar, parallel, touching, at rest
            std::size_t certain = 0, misses = 0;
            for (int k = 0; k < 2500; ++k) {
                Motion m;
                for (std::size_t i = 0; i < 4; ++i) {
                    for (int axis = 0; axis < 3; ++axis) {
                        m.start[i][axis] = std::round(random.uniform(-size, size));
                        m.end[i][axis] = std::round(random.uniform(-size, size));
                    }
                }
                const ExactMotion truth = truth_of(meeting, m, 1);
                if (truth.contact() != Contact::certain) continue;
                ++certain;
                const auto toi = impact_of(meeting, m, {.eta = 0});
                if (!toi || *toi > truth.latest()) ++misses;
            }
            EXPECT_EQ(misses, 0u);
            EXPECT_GT(certain, 100u);
        }
    }
}

// Four points with whole coordinates of at most 4: of every kind that one meets at random only rarely.
Motion make_small_motion(test::Random& random) {
    const std::uint32_t kind = random.below(10);
    const int size = kind < 2 ? 4 : 1 + static_cast<int>(random.below(3));
    const auto point = [&](int most) {
        const auto number = [&] { return static_cast<double>(random.below(2 * static_cast<std::uint32_t>(most) + 1)); };
        const double x = number() - most, y = number() - most, z = number() - most;
        return Vec3d{x, y, z};
    };
    Motion m;
    for (std::array<Vec3d, 4>* x : {&m.start, &m.end})
        for (Vec3d& p : *x) p = point(size);
    if (kind == 3) m.end = m.start; // at rest
    if (kind == 4)                  // one point moves
        for (std::size_t k = 1; k < 4; ++k) m.end[k] = m.start[k];
    if (kind == 5) { // together
        const Vec3d way = point(1);
        for (std::size_t k = 0; k < 4; ++k) m.end[k] = m.start[k] + way;
    }
    if (kind == 6 || kind == 7) // in a plane
        for (std::size_t k = 0; k < 4; ++k) m.start[k].z = m.end[k].z = kind == 6 ? 0 : m.start[k].x;
    if (kind == 8) // on a line, at the beginning and at the end
        for (std::array<Vec3d, 4>* x : {&m.start, &m.end}) {
            const Vec3d from = point(1), along = point(1);
            for (Vec3d& p : *x) p = from + along * point(3).x;
        }
    if (kind == 9) { // two points in one
        const std::size_t i = random.below(4), j = random.below(4);
        m.start[i] = m.start[j];
        if (size > 1) m.end[i] = m.end[j];
    }
    return m;
}

test::ExactSmallMotion small_truth_of(Meeting meeting, const Motion& m) {
    std::array<test::Whole3, 4> start, end;
    for (std::size_t k = 0; k < 4; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            start[k][static_cast<std::size_t>(axis)] = std::llround(m.start[k][axis]);
            end[k][static_cast<std::size_t>(axis)] = std::llround(m.end[k][axis]);
        }
    }
    return {meeting == Meeting::edge_edge, start, end};
}

TEST(Continuous, WhatTouchesLiesInAPlaneOrRestsIsNeverMissed) { // all decided exactly, by the signs of polynomials
    for (const Meeting meeting : meetings) {
        test::Random random(21);
        Crowd crowd;
        for (int k = 0; k < 60'000; ++k) crowd.add(make_small_motion(random));
        const std::vector<Impact> impacts = crowd.impacts(meeting, {.eta = 0});
        std::size_t next = 0, undecided = 0, contacts = 0, always_flat = 0, misses = 0, late = 0, false_alarms = 0;
        for (Index k = 0; k < crowd.candidates.size(); ++k) {
            const bool is_found = next < impacts.size() && impacts[next].candidate == k;
            const test::ExactSmallMotion truth = small_truth_of(meeting, crowd.motion(k));
            undecided += truth.is_decided() ? 0 : 1;
            contacts += truth.has_contact() ? 1 : 0;
            always_flat += truth.is_always_flat() ? 1 : 0;
            misses += truth.has_contact() && !is_found ? 1 : 0;
            late += truth.has_contact() && is_found && impacts[next].toi > truth.latest() ? 1 : 0;
            false_alarms += !truth.has_contact() && is_found ? 1 : 0;
            next += is_found ? 1 : 0;
        }
        EXPECT_EQ(undecided, 0u);
        EXPECT_EQ(misses, 0u);
        EXPECT_EQ(late, 0u);
        EXPECT_GT(contacts, 15'000u);
        EXPECT_GT(always_flat, 15'000u);
        EXPECT_LT(false_alarms, crowd.candidates.size() / 200); // 0.5 %
    }
}

TEST(Continuous, BothWaysOfExactArithmeticAgree) { // where the simpler one knows
    test::Random random(22);
    for (const Meeting meeting : meetings) {
        std::size_t known = 0, only_one_knows = 0;
        for (int k = 0; k < 400; ++k) {
            const Motion m = make_small_motion(random);
            const ExactMotion simple = truth_of(meeting, m, 1);
            const test::ExactSmallMotion whole = small_truth_of(meeting, m);
            const Motion back = {m.end, m.start};
            ASSERT_EQ(small_truth_of(meeting, back).has_contact(), whole.has_contact()) << k;
            if (simple.contact() == Contact::unknown) {
                ++only_one_knows;
                continue;
            }
            ++known;
            ASSERT_EQ(simple.contact() == Contact::certain, whole.has_contact()) << k;
            EXPECT_LE(whole.latest(), simple.latest() + 1e-9) << k; // 0 both without contact
        }
        EXPECT_GT(known, 200u);
        EXPECT_GT(only_one_knows, 100u);
    }
}

TEST(Continuous, VectorsGiveTheBitsOfTheReference) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const Sheets sheets = make_falling_sheets(24);
    for (const Meeting meeting : meetings) {
        const Crowd cloth = find_candidates(sheets, meeting);
        Crowd planted;
        Planter planter(6, 23);
        for (int k = 0; k < 10'001; ++k) planted.add(planter.plant(meeting).motion);
        for (std::size_t k = 0; k < 24; ++k) {
            planted.x[37 * k].y = static_cast<float>(k % 2 == 0 ? nan : inf);
            planted.x_prev[41 * k].z = static_cast<float>(k % 2 == 0 ? -inf : nan);
        }
        for (const Crowd* crowd : {&cloth, static_cast<const Crowd*>(&planted)}) {
            for (const ContinuousOptions& options :
                 {ContinuousOptions{}, {.eta = 0}, {.eta = 1e-3, .rounds = 3}, {.eta = 0, .error_bounds = 0}}) {
                const std::vector<Impact> expected = crowd->impacts_one_by_one(meeting, options);
                ASSERT_GT(expected.size(), 100u);
                test::for_each_instruction_set(
                    [&](const std::string& name) { EXPECT_EQ(crowd->impacts(meeting, options), expected) << name; });
            }
        }
    }
}

TEST(Continuous, NothingAndFewCandidatesAreFine) {
    Planter planter(7, 23);
    for (const Meeting meeting : meetings) {
        Crowd crowd;
        for (int count = 0; count < 20; ++count) {
            EXPECT_EQ(crowd.impacts(meeting, {.eta = 0}).size(), static_cast<std::size_t>(count));
            crowd.add(planter.plant(meeting).motion);
        }
    }
}

// A vertex one unit above a large face that passes it at `toi`; or edges that cross likewise.
Motion make_fall(Meeting meeting, double scale, double toi, const Vec3d& offset) {
    Motion m;
    if (meeting == Meeting::vertex_face)
        m.start = {{{0, 1, 0}, {-2, 0, -1}, {2, 0, -1}, {0, 0, 3}}};
    else
        m.start = {{{-1, 1, 0}, {1, 1, 0}, {0, 0, -1}, {0, 0, 2}}};
    m.end = m.start;
    m.end[0].y -= 1 / toi;
    if (meeting == Meeting::edge_edge) m.end[1].y -= 1 / toi;
    for (std::size_t k = 0; k < 4; ++k) {
        m.start[k] = offset + m.start[k] * scale;
        m.end[k] = offset + m.end[k] * scale;
    }
    return m;
}

TEST(Continuous, AFallOntoAFaceOrEdgeHasItsTime) {
    for (const Meeting meeting : meetings) {
        for (const double toi : {0.125, 0.5, 1.0}) {
            for (const double scale : {0x1p-10, 1.0, 0x1p10}) {
                for (const Vec3d& offset : {Vec3d{}, Vec3d{0x1p20, -0x1p21, 0x1p22}}) {
                    const auto found = impact_of(meeting, make_fall(meeting, scale, toi, offset));
                    ASSERT_TRUE(found);
                    EXPECT_LE(*found, toi);
                    EXPECT_GT(*found, toi - 1e-12);
                }
            }
            for (const double scale : {0x1p-90, 0x1p-500, 0x1p90, 0x1p190}) // no power of it leaves the range
                EXPECT_LE(impact_of(meeting, make_fall(meeting, scale, toi, {}), {.eta = 0}).value_or(2), toi);
        }
        EXPECT_FALSE(impact_of(meeting, make_fall(meeting, 1, 1.000001, {})));
        EXPECT_FALSE(impact_of(meeting, make_fall(meeting, 0x1p90, 1.000001, {})));
        EXPECT_FALSE(impact_of(meeting, make_fall(meeting, 0x1p-90, 1.000001, {}), {.eta = 0}));
    }
}

TEST(Continuous, WithinEtaAtTheStartIsAnImpactAtOnce) {
    for (const Meeting meeting : meetings) {
        for (const double end : {1.0, -1.0, 0.0}) { // apart, through, at rest
            Motion m = make_fall(meeting, 1, 1, {});
            const std::size_t moving = meeting == Meeting::vertex_face ? 1 : 2;
            for (std::size_t k = 0; k < moving; ++k) {
                m.start[k].y = 0.99e-7;
                m.end[k].y = end == 0 ? m.start[k].y : end;
            }
            EXPECT_EQ(impact_of(meeting, m), 0.0);
            for (std::size_t k = 0; k < moving; ++k) m.start[k].y = m.end[k].y = 2.01e-7;
            EXPECT_FALSE(impact_of(meeting, m)) << "at rest and apart";
        }
        // Beside it, not above: no axis and no normal sees how near they are.
        test::Random random(9);
        for (int k = 0; k < 3000; ++k) {
            Motion m;
            for (std::size_t i = 0; i < 4; ++i) m.start[i] = random.in_cube(1), m.end[i] = random.in_cube(1);
            const Vec3d apart = random.direction() * random.uniform(0, 0.99e-7);
            const double s = random.uniform(0, 1), t = k % 2 == 0 ? 0 : random.uniform(0, 1 - s);
            if (meeting == Meeting::vertex_face)
                m.start[0] = m.start[1] * (1 - s - t) + m.start[2] * s + m.start[3] * t + apart;
            else
                m.start[0] = m.start[1] + (m.start[2] * (1 - s) + m.start[3] * s + apart - m.start[1]) * (t + 1);
            EXPECT_EQ(impact_of(meeting, m), 0.0);
        }
    }
}

TEST(Continuous, OfWhatIsNotFiniteNothingIsKnown) {
    for (const Meeting meeting : meetings) {
        for (const double value : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN(), 1e300}) {
            for (std::size_t k = 0; k < 4; ++k) {
                for (int axis = 0; axis < 3; ++axis) {
                    Motion m = make_fall(meeting, 1, 4, {});
                    EXPECT_FALSE(impact_of(meeting, m));
                    m.start[k][axis] = value;
                    EXPECT_EQ(impact_of(meeting, m), 0.0);
                    m = make_fall(meeting, 1, 4, {});
                    m.end[k][axis] = value;
                    EXPECT_EQ(impact_of(meeting, m), 0.0);
                }
            }
        }
    }
}

} // namespace
} // namespace taffeta
