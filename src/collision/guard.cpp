#include "collision/guard.h"

#include "geometry/closest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace taffeta {

namespace {

using FourPoints = std::array<Vec3d, 4>;

// Of parts in contact: the weights w of their points, for which sum w x is the shortest way between them.
using Weights = std::array<double, 4>;

Vec3d sum_of(const Weights& weight, const FourPoints& x) {
    Vec3d sum;
    for (std::size_t k = 0; k < 4; ++k) sum += x[k] * weight[k];
    return sum;
}

FourPoints places(const ContactCandidate& points, std::span<const Vec4> x) {
    FourPoints at;
    for (std::size_t k = 0; k < 4; ++k) at[k] = vector_cast<double>(x[points[k]].xyz());
    return at;
}

Weights closest_weights(const FourPoints& x, bool are_edges) {
    if (are_edges) {
        const ClosestOfEdges closest = closest_of_edges(x[0], x[1], x[2], x[3]);
        return {1 - closest.s, closest.s, closest.t - 1, -closest.t};
    }
    const ClosestOnTriangle closest = closest_on_triangle(x[0], {x[1], x[2], x[3]});
    return {1, -closest.weight[0], -closest.weight[1], -closest.weight[2]};
}

// Across the face, or across both edges; not of unit length.
Vec3d across(const FourPoints& x, bool are_edges) {
    return are_edges ? cross(x[1] - x[0], x[3] - x[2]) : cross(x[2] - x[1], x[3] - x[1]);
}

Contact make_contact(const ContactCandidate& points, const Weights& weight, const Vec3d& normal) {
    Contact contact;
    contact.particle = points;
    for (std::size_t k = 0; k < 4; ++k) contact.weight[k] = static_cast<float>(weight[k]);
    contact.normal = vector_cast<float>(normal);
    return contact;
}

double farthest_way(std::span<const Vec4> from, std::span<const Vec4> to) {
    double squared = 0;
    for (std::size_t p = 0; p < from.size(); ++p) {
        const Vec3d way = vector_cast<double>(to[p].xyz()) - vector_cast<double>(from[p].xyz());
        squared = std::max(squared, dot(way, way));
    }
    return std::sqrt(squared);
}

// Whether parts that count as touching where the substep begins are certainly free of contact all the way.
bool are_free(const ContactCandidate& points, bool are_edges, std::span<const Vec4> x_prev, std::span<const Vec4> x) {
    constexpr ContinuousOptions strict = {.eta = 0, .rounds = 64};
    const FourPoints a = places(points, x_prev), b = places(points, x);
    if (are_edges) return !find_edge_edge_impact({a[0], a[1]}, {b[0], b[1]}, {a[2], a[3]}, {b[2], b[3]}, strict);
    return !find_vertex_face_impact(a[0], b[0], {a[1], a[2], a[3]}, {b[1], b[2], b[3]}, strict);
}

// Whether all points of parts go the same way: then they do not meet, whatever rounding says.
bool move_as_one(const ContactCandidate& points, std::span<const Vec4> x_prev, std::span<const Vec4> x) {
    constexpr double rounding = 3e-7; // m
    const FourPoints from = places(points, x_prev), to = places(points, x);
    for (std::size_t k = 1; k < 4; ++k)
        if (!(length((to[k] - from[k]) - (to[0] - from[0])) < rounding)) return false;
    return true;
}

// Whether boxes around two parts are farther apart than a distance, which is quickly said.
bool are_farther_along_an_axis(const ContactCandidate& points, bool are_edges, float distance,
                               std::span<const Vec4> x) {
    const Vec3 a = x[points[0]].xyz(), b = x[points[1]].xyz(), c = x[points[2]].xyz(), d = x[points[3]].xyz();
    for (int axis = 0; axis < 3; ++axis) {
        const auto [own_low, own_high] = std::minmax({a[axis], are_edges ? b[axis] : a[axis]});
        const auto [low, high] = std::minmax({are_edges ? c[axis] : b[axis], c[axis], d[axis]});
        if (own_low - high > distance || low - own_high > distance) return true;
    }
    return false;
}

// From the ways between two places.
double farthest_off_ways(std::span<const Vec4> from, std::span<const Vec4> to, std::span<const Vec4> x) {
    double squared = 0;
    for (std::size_t p = 0; p < x.size(); ++p) {
        if (x[p].x == to[p].x && x[p].y == to[p].y && x[p].z == to[p].z) continue;
        const Vec3d start = vector_cast<double>(from[p].xyz()), way = vector_cast<double>(to[p].xyz()) - start;
        const Vec3d gone = vector_cast<double>(x[p].xyz()) - start;
        const double whole = dot(way, way);
        const double part = whole > 0 ? std::clamp(dot(gone, way) / whole, 0.0, 1.0) : 0;
        const Vec3d off = gone - way * part;
        squared = std::max(squared, dot(off, off));
    }
    return std::sqrt(squared);
}

std::vector<Triangle> all_triangles(std::span<const GuardedSurface> surfaces) {
    std::vector<Triangle> triangles;
    for (const GuardedSurface& surface : surfaces)
        triangles.insert(triangles.end(), surface.triangles.begin(), surface.triangles.end());
    return triangles;
}

TreeGroups groups_of(std::span<const GuardedSurface> surfaces) {
    TreeGroups groups;
    Index begin = 0;
    for (const GuardedSurface& surface : surfaces) {
        groups.begin.push_back(begin);
        if (surface.kind == GuardedSurface::Kind::body) groups.first_passive = std::min(groups.first_passive, begin);
        begin += static_cast<Index>(surface.triangles.size());
    }
    return groups;
}

} // namespace

Guard::Guard(std::span<const GuardedSurface> surfaces, std::span<const Vec3> rest)
    : surface_of_(rest.size(), 0), rest_(rest.begin(), rest.end()) {
    const std::vector<Triangle> triangles = all_triangles(surfaces);
    double edges = 0;
    std::size_t count = 0;
    for (std::size_t s = 0; s < surfaces.size(); ++s) {
        for (const Triangle& t : surfaces[s].triangles) {
            for (std::size_t k = 0; k < 3; ++k) {
                surface_of_[t[k]] = static_cast<Index>(s);
                if (surfaces[s].kind == GuardedSurface::Kind::body) continue;
                edges += static_cast<double>(length(rest[t[(k + 1) % 3]] - rest[t[k]]));
                ++count;
            }
        }
    }
    if (count > 0) mean_edge_ = static_cast<float>(edges / static_cast<double>(count));
    near_ = Proximity(triangles, rest, groups_of(surfaces));
    swept_ = near_;
    change(surfaces);
}

void Guard::change(std::span<const GuardedSurface> surfaces) {
    surface_count_ = surfaces.size();
    rules_.clear();
    farthest_ = 0;
    float thinnest = 1;
    for (const GuardedSurface& a : surfaces)
        for (const GuardedSurface& b : surfaces) rules_.push_back(rule_of(a, b));
    for (const Rule& rule : rules_) {
        if (!rule.holds) continue;
        farthest_ = std::max(farthest_, rule.distance);
        thinnest = std::min(thinnest, rule.distance);
    }
    // Farther off, contacts would be many; nearer, cloth that comes together would find them only by impacts.
    constexpr float share = 0.15f, times = 2.5f;
    farthest_reach_ = std::max(share * mean_edge_, 1e-5f);
    reach_ = std::min(farthest_reach_, times * farthest_ + 1e-5f);
    least_gap_ = std::max(0.05f * thinnest, 2e-6f); // many times the rounding of positions in m
}

Guard::MeetingParts Guard::vertex_and_face(Index vertex, Index face) const {
    const Triangle& t = near_.triangles()[face];
    return {{vertex, t[0], t[1], t[2]}, false};
}
Guard::MeetingParts Guard::two_edges(Index a, Index b) const {
    const Pair &first = near_.edges()[a], &second = near_.edges()[b];
    return {{first.i, first.j, second.i, second.j}, true};
}

Guard::Rule Guard::rule_of(const GuardedSurface& a, const GuardedSurface& b) {
    using Kind = GuardedSurface::Kind;
    if (a.kind == Kind::body && b.kind == Kind::body) return {};
    if (b.kind == Kind::body) return {true, a.thickness, b.friction.value_or(a.friction.value_or(0))};
    if (a.kind == Kind::body) return rule_of(b, a);
    if (a.kind == Kind::passes || b.kind == Kind::passes) return {};
    if (a.kind == Kind::ignored && b.kind == Kind::ignored) return {};
    return {true, 0.5f * (a.thickness + b.thickness), 0.5f * (a.friction.value_or(0) + b.friction.value_or(0))};
}

// --- contacts

// Parts that are neighbours on the cutting table are closer there than cloth is thick: they keep half of that distance.
float Guard::room_between(const MeetingParts& parts, float distance) const {
    if (surface_of_[parts.points[0]] != surface_of_[parts.points[2]]) return distance;
    FourPoints rest;
    for (std::size_t k = 0; k < 4; ++k) rest[k] = vector_cast<double>(rest_[parts.points[k]]);
    const Vec3d between = sum_of(closest_weights(rest, parts.are_edges), rest);
    return std::min(distance, static_cast<float>(0.5 * length(between)));
}

std::optional<Contact> Guard::contact_of(const MeetingParts& parts, std::span<const Vec4> x_prev) const {
    // Parts one above the other, and whatever is very close: parts farther beside each other would hold back cloth that
    // slides, and what does meet there is stopped by its impact.
    constexpr double upright = 0.9999; // cosine: a degree
    constexpr double very_close = 0.5; // of the distance to keep
    const Rule& rule = rule_between(parts);
    const FourPoints x = places(parts.points, x_prev);
    const Weights weight = closest_weights(x, parts.are_edges);
    const Vec3d apart = sum_of(weight, x), upwards = across(x, parts.are_edges);
    const double gap = length(apart), height = std::abs(dot(apart, upwards));
    const float room = room_between(parts, rule.distance);
    const bool is_above = height >= upright * gap * length(upwards);
    if (!(gap > 0) || !(is_above || gap < very_close * static_cast<double>(room))) return {};
    Contact contact = make_contact(parts.points, weight, apart * (1 / gap));
    // Cloth that starts too close comes apart bit by bit, not with a jump.
    constexpr float recovery = 0.1f; // of the distance, in a substep
    contact.distance = std::min(room, static_cast<float>(gap) + recovery * room);
    contact.friction = rule.friction;
    return contact;
}

void Guard::find_contacts(std::span<const Vec4> x_prev, std::span<const Vec4> x, const Parallel& parallel) {
    // What moves fast comes from farther off. Half the margin is how far vertices may move before the search begins
    // anew; more would be more to measure.
    const float margin = reach_;
    const auto fastest = static_cast<float>(farthest_way(x_prev, x));
    near_.find_lazily(x_prev, farthest_ + std::clamp(fastest, reach_, farthest_reach_), margin, parallel);
    const std::span<const CloseParts> lists = near_.lists();
    contacts_.resize(lists.size());
    // Whether parts may come too close in this substep: as they move now, and some more, for the sweeps move them too.
    const auto may_meet = [&](const MeetingParts& parts, double gap) {
        const Rule& rule = rule_between(parts);
        const auto& [a, b, c, d] = parts.points;
        const Index other = parts.are_edges ? c : b;
        const Vec3 approach = (x[a].xyz() - x_prev[a].xyz()) - (x[other].xyz() - x_prev[other].xyz());
        return rule.holds && static_cast<float>(gap) < rule.distance + 0.2f * reach_ + 1.5f * length(approach);
    };
    parallel.for_uneven_pieces(lists.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            contacts_[k].clear();
            const auto add = [&](const MeetingParts& parts, double gap) {
                if (!may_meet(parts, gap)) return;
                if (const auto contact = contact_of(parts, x_prev)) contacts_[k].push_back(*contact);
            };
            for (const ClosePart& close : lists[k].vertex_faces) add(vertex_and_face(close.a, close.b), close.distance);
            for (const ClosePart& close : lists[k].edges) add(two_edges(close.a, close.b), close.distance);
        }
    });
}

int Guard::separate(std::span<const Vec4> x_prev, std::span<Vec4> x) {
    int count = 0;
    for (std::vector<Contact>& list : contacts_) count += taffeta::separate(list, x_prev, x);
    return count;
}

// --- impacts

bool Guard::are_candidates_enough(std::span<const Vec4> x_prev, std::span<const Vec4> x) const {
    if (candidates_are_kept_ones_)
        return 2 * std::max(farthest_way(near_.x_kept(), x_prev), farthest_way(near_.x_kept(), x)) <
               near_.kept_within();
    // Volumes around the ways that were searched are convex and have half the reach on all sides.
    return x_searched_.size() == x.size() && 2 * farthest_off_ways(x_prev, x_searched_, x) < slack_;
}

void Guard::collect_candidates(const Parallel& parallel) {
    const std::span<const CloseParts> lists = search().lists();
    if (candidates_.size() < lists.size()) candidates_.resize(lists.size());
    candidate_lists_ = lists.size();
    parallel.for_uneven_pieces(lists.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            Candidates& own = candidates_[k];
            own.vertex_faces.clear(), own.edges.clear();
            const bool kept = candidates_are_kept_ones_;
            const CandidateList& faces = kept ? lists[k].kept_vertex_faces : lists[k].vertex_face_candidates;
            for (std::size_t c = 0; c < faces.count; ++c) {
                const MeetingParts parts = vertex_and_face(faces.a[c], faces.b[c]);
                if (rule_between(parts).holds) own.vertex_faces.push_back(parts.points);
            }
            const CandidateList& edges = kept ? lists[k].kept_edges : lists[k].edge_candidates;
            for (std::size_t c = 0; c < edges.count; ++c) {
                const MeetingParts parts = two_edges(edges.a[c], edges.b[c]);
                if (rule_between(parts).holds) own.edges.push_back(parts.points);
            }
        }
    });
}

void Guard::find_meetings(Round round, std::span<const Vec4> x_prev, std::span<const Vec4> x,
                          const Parallel& parallel) {
    if (!are_candidates_enough(x_prev, x)) {
        // What pushes have moved farther than expected they may move again.
        constexpr double times_as_far = 4;
        const bool is_again = !candidates_are_kept_ones_ && x_searched_.size() == x.size();
        slack_ = static_cast<double>(reach_);
        if (is_again)
            slack_ = std::min(times_as_far * farthest_off_ways(x_prev, x_searched_, x),
                              static_cast<double>(farthest_reach_)); // or all cloth would be close to all
        round = Round::first;
        candidates_are_kept_ones_ = false;
        x_searched_.assign(x.begin(), x.end());
        swept_.refit(x_prev, x, static_cast<float>(slack_), parallel);
        swept_.find_candidates(parallel);
        collect_candidates(parallel);
    }
    if (round == Round::again) {
        for (std::size_t p = 0; p < x.size(); ++p) has_moved_[p] = x[p].xyz() == x_tested_[p].xyz() ? 0 : 1;
        for (const Meeting& meeting : meetings_) // may still meet, though pushes did not move it
            for (const Index p : meeting.parts.points) has_moved_[p] = 1;
    }
    x_tested_.assign(x.begin(), x.end());
    if (round == Round::first && candidates_are_kept_ones_) near_.measure_kept(x, least_gap_, parallel);
    if (round == Round::first && !candidates_are_kept_ones_) swept_.measure(x, least_gap_, parallel);
    parallel.for_uneven_pieces(candidate_lists_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) find_meetings(round, x_prev, x, k);
    });
    meetings_.clear();
    for (std::size_t k = 0; k < candidate_lists_; ++k)
        meetings_.insert(meetings_.end(), candidates_[k].meetings.begin(), candidates_[k].meetings.end());
}

void Guard::find_meetings(Round round, std::span<const Vec4> x_prev, std::span<const Vec4> x, std::size_t list) {
    Candidates& own = candidates_[list];
    own.meetings.clear();
    const auto find_impacts = [&](const std::vector<ContactCandidate>& candidates, bool are_edges) {
        own.impacts.clear();
        if (are_edges)
            find_edge_edge_impacts(x_prev, x, candidates, own.impacts);
        else
            find_vertex_face_impacts(x_prev, x, candidates, own.impacts);
        for (const Impact& impact : own.impacts) {
            const MeetingParts parts = {candidates[impact.candidate], are_edges};
            if (impact.toi > 0 || !are_free(parts.points, are_edges, x_prev, x))
                own.meetings.push_back({parts, impact.toi});
        }
    };
    const auto look_at_end = [&](const MeetingParts& parts, double gap) {
        constexpr double approaching = 0.99; // what was as close before has not come closer
        const FourPoints from = places(parts.points, x_prev);
        if (gap < approaching * length(sum_of(closest_weights(from, parts.are_edges), from)))
            own.meetings.push_back({parts, 1.0});
    };

    if (round == Round::first) {
        find_impacts(own.vertex_faces, false);
        find_impacts(own.edges, true);
        const CloseParts& ends = search().lists()[list];
        for (const ClosePart& close : ends.vertex_faces)
            if (const MeetingParts parts = vertex_and_face(close.a, close.b); rule_between(parts).holds)
                look_at_end(parts, close.distance);
        for (const ClosePart& close : ends.edges)
            if (const MeetingParts parts = two_edges(close.a, close.b); rule_between(parts).holds)
                look_at_end(parts, close.distance);
        return;
    }
    const auto look_again = [&](const std::vector<ContactCandidate>& all, std::vector<ContactCandidate>& moved,
                                bool are_edges) {
        moved.clear();
        std::copy_if(all.begin(), all.end(), std::back_inserter(moved), [&](const ContactCandidate& points) {
            return (has_moved_[points[0]] | has_moved_[points[1]] | has_moved_[points[2]] | has_moved_[points[3]]) != 0;
        });
        find_impacts(moved, are_edges);
        for (const ContactCandidate& points : moved) {
            if (are_farther_along_an_axis(points, are_edges, least_gap_, x)) continue;
            const FourPoints at = places(points, x);
            const double gap = length(sum_of(closest_weights(at, are_edges), at));
            if (gap < static_cast<double>(least_gap_)) look_at_end({points, are_edges}, gap);
        }
    };
    look_again(own.vertex_faces, own.moved_vertex_faces, false);
    look_again(own.edges, own.moved_edges, true);
}

// The contact at the time of an impact, on the side where the parts came from.
std::optional<Contact> Guard::stop_of(const MeetingParts& parts, double toi, std::span<const Vec4> x_prev,
                                      std::span<const Vec4> x) const {
    const Rule& rule = rule_between(parts);
    const FourPoints from = places(parts.points, x_prev), to = places(parts.points, x);
    FourPoints at;
    for (std::size_t k = 0; k < 4; ++k) at[k] = from[k] + (to[k] - from[k]) * toi;
    const Weights weight = closest_weights(at, parts.are_edges);
    Vec3d normal = across(at, parts.are_edges);
    // Parts that lie along each other have no way across: where they came from tells it.
    const Vec3d came = sum_of(weight, from);
    if (!(length(normal) > 1e-12) || std::abs(dot(came, normal)) < 1e-3 * length(came) * length(normal))
        normal = sum_of(closest_weights(from, parts.are_edges), from);
    if (!(length(normal) > 0)) return {};
    normal = normal * ((dot(came, normal) < 0 ? -1 : 1) / length(normal));
    Contact stop = make_contact(parts.points, weight, normal);
    // Enough for the next contact to find them on the right sides, but no more than they had: then all stops of a
    // substep can be kept together.
    constexpr float part = 0.25f;
    stop.distance = std::min(part * room_between(parts, rule.distance), static_cast<float>(dot(came, normal)));
    stop.friction = rule.friction;
    return stop;
}

// Points that have met and go on as one: all by the mean of their ways, or with the bodies among them.
class Guard::Zones {
public:
    explicit Zones(std::size_t points) : parent_(points), is_in_(points, 0) {
        std::iota(parent_.begin(), parent_.end(), Index{0});
    }

    void join(const ContactCandidate& points) {
        for (const Index p : points) {
            if (is_in_[p] == 0) {
                is_in_[p] = 1;
                members_.push_back(p);
            }
            unite(points[0], p);
        }
    }

    std::span<const Index> members() const { return members_; }

    // `leads`: whether a point's own way counts and the others follow.
    // `bends`: whether the others follow those nearby, or all of them alike.
    template <class Leads>
    int move(std::span<const Vec4> x_prev, const Leads& leads, bool bends, std::span<Vec4> x) {
        std::sort(members_.begin(), members_.end(),
                  [&](Index a, Index b) { return std::pair(root(a), a) < std::pair(root(b), b); });
        int count = 0;
        for (std::size_t begin = 0; begin < members_.size(); ++count) {
            std::size_t end = begin;
            while (end < members_.size() && root(members_[end]) == root(members_[begin])) ++end;
            move_as_one(std::span(members_).subspan(begin, end - begin), x_prev, leads, bends, x);
            begin = end;
        }
        return count;
    }

private:
    Index root(Index p) {
        while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
        return p;
    }
    void unite(Index a, Index b) {
        const Index ra = root(a), rb = root(b);
        parent_[std::max(ra, rb)] = std::min(ra, rb);
    }

    template <class Leads>
    static void move_as_one(std::span<const Index> zone, std::span<const Vec4> x_prev, const Leads& leads, bool bends,
                            std::span<Vec4> x) {
        const auto way = [&](Index p) {
            return vector_cast<double>(x[p].xyz()) - vector_cast<double>(x_prev[p].xyz());
        };
        std::vector<std::pair<Vec3d, Vec3d>> leaders; // places and ways
        Vec3d mean;
        double mass = 0;
        for (const Index p : zone) {
            if (leads(p)) leaders.emplace_back(vector_cast<double>(x_prev[p].xyz()), way(p));
            if (x[p].w == 0) continue;
            const double m = 1 / static_cast<double>(x[p].w);
            mean += way(p) * m;
            mass += m;
        }
        if (mass > 0) mean = mean * (1 / mass);
        for (const Index p : zone) {
            if (leads(p)) continue;
            const Vec3d from = vector_cast<double>(x_prev[p].xyz());
            Vec3d moved = mean;
            if (!leaders.empty()) { // those nearby count most, for bodies turn and bend
                Vec3d sum;
                double weights = 0;
                for (const auto& [place, led] : leaders) {
                    const double squared = dot(place - from, place - from) + 1e-12;
                    const double weight = bends ? 1 / (squared * squared) : 1;
                    sum += led * weight;
                    weights += weight;
                }
                moved = sum * (1 / weights);
            }
            x[p].set_xyz(vector_cast<float>(from + moved));
        }
    }

    std::vector<Index> parent_;
    std::vector<std::uint8_t> is_in_;
    std::vector<Index> members_ = {};
};

GuardReport Guard::stop_impacts(std::span<const Vec4> x_prev, std::span<const float> own_w, std::span<Vec4> x,
                                const Parallel& parallel) {
    GuardReport report;
    // Where nothing moved far, only what is close can meet, and that is known.
    candidates_are_kept_ones_ = true;
    if (are_candidates_enough(x_prev, x))
        collect_candidates(parallel);
    else
        candidates_are_kept_ones_ = false, x_searched_.clear();

    constexpr int rounds_of_pushes = 20, passes = 4;
    stops_.clear(), impacts_.clear(), zone_points_.clear();
    has_moved_.resize(x.size());
    for (int round = 0; round < rounds_of_pushes; ++round) {
        find_meetings(round == 0 ? Round::first : Round::again, x_prev, x, parallel);
        if (meetings_.empty()) return report;
        for (const auto& [parts, toi] : meetings_) {
            impacts_.push_back(parts.points);
            if (const auto stop = stop_of(parts, toi, x_prev, x)) stops_.push_back(*stop);
        }
        report.impacts += static_cast<int>(meetings_.size());
        for (int pass = 0; pass < passes; ++pass) taffeta::separate(stops_, x_prev, x);
    }

    // Pinned points and vertices of bodies stay what they are, and so do hands at first.
    // Bodies that turn and bend lead what they meet each a bit differently, until that is of no use.
    constexpr int rounds_of_zones = 40, rounds_with_hands = 20, rounds_of_bending = 10;
    Zones zones(x.size());
    for (int round = 0; round < rounds_of_zones; ++round) {
        find_meetings(round == 0 ? Round::first : Round::again, x_prev, x, parallel);
        const auto leads = [&](Index p) {
            const bool is_held = p < own_w.size() && own_w[p] > 0;
            return x[p].w == 0 && !(is_held && round >= rounds_with_hands);
        };
        report.unresolved = 0;
        for (const auto& [parts, toi] : meetings_) {
            if (move_as_one(parts.points, x_prev, x)) continue;
            zones.join(parts.points);
            ++report.unresolved;
        }
        if (report.unresolved == 0) return report;
        report.zones = zones.move(x_prev, leads, round < rounds_of_bending, x);
        zone_points_.assign(zones.members().begin(), zones.members().end());
    }
    return report;
}

} // namespace taffeta
