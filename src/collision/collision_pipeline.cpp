#include "collision/collision_pipeline.h"

#include "geometry/closest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

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
inline Vec3d across(const FourPoints& x, bool are_edges) {
    return are_edges ? cross(x[1] - x[0], x[3] - x[2]) : cross(x[2] - x[1], x[3] - x[1]);
}

Contact make_contact(const ContactCandidate& points, const Weights& weight, const Vec3d& normal) {
    Contact contact;
    contact.particle = points;
    for (std::size_t k = 0; k < 4; ++k) contact.weight[k] = static_cast<float>(weight[k]);
    contact.normal = vector_cast<float>(normal);
    return contact;
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

// Parts get a contact that are closer than their distance to keep and `sees_beyond` times the reach, and so many times
// what they approach in the substep: the sweeps move them, too.
constexpr float sees_beyond = 0.2f, sees_approach = 1.5f;

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
                const float edge = length(rest[t[(k + 1) % 3]] - rest[t[k]]);
                longest_edge_ = std::max(longest_edge_, edge);
                edges += static_cast<double>(edge);
                ++count;
            }
        }
    }
    if (count > 0) mean_edge_ = static_cast<float>(edges / static_cast<double>(count));
    all_.search = Proximity(triangles, rest, groups_of(surfaces));
    strays_.search = all_.search;
    for (const GuardedSurface& surface : surfaces)
        if (surface.kind != GuardedSurface::Kind::body)
            for (const Triangle& t : surface.triangles)
                cloth_points_ = std::max<std::size_t>(cloth_points_, std::max({t[0], t[1], t[2]}) + 1);
    change(surfaces);
}

void Guard::change(std::span<const GuardedSurface> surfaces) {
    surface_count_ = surfaces.size();
    const std::vector<Rule> rules_before = std::exchange(rules_, {});
    some_by_impacts_ = false;
    farthest_ = 0;
    float thinnest = 1;
    for (const GuardedSurface& a : surfaces)
        for (const GuardedSurface& b : surfaces) rules_.push_back(rule_of(a, b));
    for (const Rule& rule : rules_) {
        if (!rule.holds) continue;
        some_by_impacts_ = some_by_impacts_ || rule.by_impacts;
        farthest_ = std::max(farthest_, rule.distance);
        thinnest = std::min(thinnest, rule.distance);
    }
    // Farther off, contacts would be many; nearer, cloth that comes together would find them only by impacts.
    constexpr float share = 0.15f, times = 2.5f;
    farthest_reach_ = std::max(share * mean_edge_, 1e-5f);
    reach_ = std::min(farthest_reach_, times * farthest_ + 1e-5f);
    least_gap_ = std::max(0.05f * thinnest, 2e-6f); // many times the rounding of positions in m
    if (rules_ != rules_before) is_outdated_ = true;
}

Guard::Rule Guard::rule_of(const GuardedSurface& a, const GuardedSurface& b) {
    using Kind = GuardedSurface::Kind;
    if (a.kind == Kind::body && b.kind == Kind::body) return {};
    if (b.kind == Kind::body) {
        // A triangle with sides e and its corners a thickness above a ball dips towards it by e^2 / 6R in its middle.
        constexpr float stretched = 1.3f; // e^2, on the safe side
        const bool by_impacts = stretched * a.longest_edge * a.longest_edge < 6 * b.radius * a.thickness;
        return {true, a.thickness, b.friction.value_or(a.friction.value_or(0)), by_impacts};
    }
    if (a.kind == Kind::body) return rule_of(b, a);
    if (a.kind == Kind::passes || b.kind == Kind::passes) return {};
    if (a.kind == Kind::ignored && b.kind == Kind::ignored) return {};
    return {true, 0.5f * (a.thickness + b.thickness), 0.5f * (a.friction.value_or(0) + b.friction.value_or(0))};
}

// --- what comes close

// Parts that are neighbours on the cutting table are closer there than cloth is thick: they keep half of that distance.
float Guard::room_between(const MeetingParts& parts, float distance) const {
    const auto& [a, b, c, d] = parts.points;
    if (surface_of_[a] != surface_of_[c]) return distance;
    const float no_neighbours = 2 * (longest_edge_ + distance);
    if (const Vec3 way = rest_[a] - rest_[c]; dot(way, way) > no_neighbours * no_neighbours) return distance;
    FourPoints rest;
    for (std::size_t k = 0; k < 4; ++k) rest[k] = vector_cast<double>(rest_[parts.points[k]]);
    const Vec3d between = sum_of(closest_weights(rest, parts.are_edges), rest);
    return std::min(distance, static_cast<float>(0.5 * length(between)));
}

template <class Counts>
std::span<const ContactCandidate> Guard::PartsAhead::choose(float distance, const Counts& counts) {
    if (points.empty()) return {};
    const float band = std::clamp(distance / band_width, 0.0f, static_cast<float>(bands - 1));
    const std::size_t all = band_end[static_cast<std::size_t>(band)];
    if (chosen.size() < all) chosen.resize(points.size());
    std::size_t count = 0;
    for (std::size_t k = 0; k < all; ++k) { // without a branch that cannot be foretold
        chosen[count] = points[k];
        count += counts(k) ? 1 : 0;
    }
    return std::span(chosen).first(count);
}

// Parts get contacts where they are close at the beginning of a substep, the more so the faster they approach, but no
// farther apart than append_contacts() looks.
ClearanceAsked Guard::clearance_for_contacts(int substeps) const {
    const auto times = static_cast<float>(substeps);
    return {.until = (times - 1) / times, .approach = 1 / times, .most = farthest_reach_ - sees_beyond * reach_};
}

void Guard::look_ahead(std::span<const Vec4> x_prev, std::span<const Vec4> x, const Parallel& parallel) {
    // A search that was of use to its end may look farther ahead the next time, but not soon after one that was not;
    // for what soon goes other ways it is enough to look as far as it went.
    constexpr int farthest_ahead = 8, searches_to_wait = 8;
    if (substeps_gone_ <= substeps_ahead_)
        substeps_ahead_ = std::max(substeps_gone_ - 1, 1), searches_to_wait_ = searches_to_wait;
    else if (searches_to_wait_ > 0)
        --searches_to_wait_;
    else
        substeps_ahead_ = std::min(2 * substeps_ahead_, farthest_ahead);
    substeps_gone_ = 1;
    ends_.resize(x.size());
    const auto times = static_cast<float>(substeps_ahead_);
    for (std::size_t p = 0; p < x.size(); ++p)
        ends_[p].set_xyz(x_prev[p].xyz() + (x[p].xyz() - x_prev[p].xyz()) * times);
    // The most that pays: what is found is measured, too. What goes other ways in every substep is searched for then.
    all_.within = farthest_ + (substeps_ahead_ > 1 ? 3.0f : 2.0f) * reach_;
    all_.search.find_on_ways(x_prev, ends_, all_.within, {}, parallel, clearance_for_contacts(substeps_ahead_));
    collect(all_, parallel);
    is_outdated_ = false;
    all_.off_prev.assign(x.size(), 0), all_.off.resize(x.size());
    forget_strays();
    spent_ = 0;
}

double Guard::share_of_ways(int substeps) const {
    return static_cast<double>(std::min(substeps, substeps_ahead_)) / substeps_ahead_;
}

void Guard::collect(Lookout& lookout, const Parallel& parallel) const {
    const std::span<const CloseParts> found = lookout.search.lists();
    lookout.list_count = found.size();
    if (lookout.lists.size() < found.size()) lookout.lists.resize(found.size()); // never shrink
    parallel.for_uneven_pieces(found.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) collect(found[k], lookout.within, lookout.lists[k]);
    });
}

void Guard::collect(const CloseParts& found, float within, Ahead& ahead) const {
    constexpr std::size_t bands = PartsAhead::bands;
    constexpr std::uint8_t does_not_count = 2 * bands;
    const float band_width = within / static_cast<float>(bands);
    for (const bool are_edges : {false, true}) {
        const CandidateList& list = are_edges ? found.edge_candidates : found.vertex_face_candidates;
        // Kind and band of each, and how many these are; then each to its place.
        std::array<Index, 2 * bands + 1> next = {};
        if (ahead.keys.size() < list.count) ahead.keys.resize(list.a.size());
        for (Index c = 0; c < list.count; ++c) {
            const Rule& rule = rule_between({list.points[c], are_edges});
            const float band = std::clamp(list.nearest[c] / band_width, 0.0f, static_cast<float>(bands - 1));
            const auto key = static_cast<std::uint8_t>(static_cast<std::size_t>(band) + (rule.by_impacts ? bands : 0));
            ahead.keys[c] = rule.holds ? key : does_not_count;
            ++next[ahead.keys[c]];
        }
        std::array<PartsAhead*, 2> kinds = {};
        for (PartsAhead& kind : ahead.kinds) {
            if (kind.are_edges != are_edges) continue;
            kinds[kind.by_impacts ? 1 : 0] = &kind;
            const auto first = next.begin() + (kind.by_impacts ? bands : 0);
            kind.band_width = band_width;
            std::inclusive_scan(first, first + bands, kind.band_end.begin());
            std::exclusive_scan(first, first + bands, first, Index{0});
            kind.points.resize(kind.band_end.back());
            kind.nearest.resize(kind.points.size()), kind.clearance.resize(kind.points.size());
        }
        for (Index c = 0; c < list.count; ++c) {
            const std::uint8_t key = ahead.keys[c];
            if (key == does_not_count) continue;
            PartsAhead& kind = *kinds[key / bands];
            const Index place = next[key]++;
            kind.points[place] = list.points[c];
            kind.nearest[place] = list.nearest[c];
            kind.clearance[place] = list.clearance[c];
        }
    }
}

void Guard::forget_strays() {
    is_stray_.assign(all_.off_prev.size(), 0);
    stray_count_ = 0;
    has_strays_ = false;
    off_ = 0;
}

void Guard::mark_strays(float most) {
    off_ = 0;
    for (std::size_t p = 0; p < is_stray_.size(); ++p) {
        const float off = std::max(all_.off_prev[p], all_.off[p]);
        if (!(off > off_) || is_stray_[p] != 0) continue;
        if (off <= most)
            off_ = off;
        else
            is_stray_[p] = 1, ++stray_count_;
    }
}

bool Guard::is_worth_all() {
    // Of the time of a search for all: to begin with, and for each stray, which takes the clusters around it along.
    constexpr float fixed = 0.15f, clusters = 4;
    spent_ += fixed + clusters * static_cast<float>(stray_count_) / static_cast<float>(cloth_points_);
    return spent_ > 1;
}

void Guard::look_for_strays(float within, std::span<const Vec4> x_prev, std::span<const Vec4> x,
                            const Parallel& parallel) {
    strays_.within = within;
    strays_.search.find_on_ways(x_prev, x, strays_.within, is_stray_, parallel, clearance_for_contacts(1));
    collect(strays_, parallel);
    strays_.off_prev.assign(x.size(), 0), strays_.off.assign(x.size(), 0);
    has_strays_ = true;
}

bool Guard::look_after_strays(Round round, std::span<const Vec4> x_prev, std::span<const Vec4> x,
                              const Parallel& parallel) {
    const auto may_be_off = [&](const Lookout& lookout) { return 0.5f * (lookout.within - least_gap_); };
    all_.search.measure_off(x, share_of_ways(substeps_gone_), parallel, all_.off);
    const std::size_t strays_before = stray_count_;
    mark_strays(may_be_off(all_));
    if (stray_count_ == 0) return false;
    if (has_strays_) {
        strays_.search.measure_off(x, 1, parallel, strays_.off);
        const float most = may_be_off(strays_);
        const auto is_off = [&](float off) { return !(off <= most); };
        if (stray_count_ == strays_before && std::none_of(strays_.off.begin(), strays_.off.end(), is_off)) return false;
        // What pushes have moved farther than expected they may move again; but not all cloth is close to all.
        if (round == Round::again) stray_reach_ = std::min(2 * stray_reach_, 2 * farthest_reach_);
    }
    // Pushes move few of them much farther: so close a search is followed by no more others than one that looks three
    // times as far, and finds less than half as many pairs.
    constexpr float close_by = 0.35f;
    look_for_strays(least_gap_ + close_by * stray_reach_, x_prev, x, parallel);
    return true;
}

// --- contacts

void Guard::find_contacts(std::span<const Vec4> x_prev, std::span<const Vec4> x, const Parallel& parallel) {
    ++substeps_gone_;
    stray_reach_ = std::max(0.9f * stray_reach_, reach_); // nearly what the last substep needed
    const float touching = farthest_ + sees_beyond * reach_;
    if (!is_outdated_) {
        forget_strays();
        all_.search.measure_off(x_prev, share_of_ways(substeps_gone_ - 1), parallel, all_.off_prev);
        std::fill(all_.off.begin(), all_.off.end(), 0.0f);
        mark_strays(0.5f * (all_.within - touching));
    }
    const bool are_ways_over = substeps_gone_ > substeps_ahead_;
    if (is_outdated_ || (stray_count_ > 0 && (are_ways_over || is_worth_all())))
        look_ahead(x_prev, x, parallel);
    else if (stray_count_ > 0)
        look_for_strays(farthest_ + stray_reach_, x_prev, x, parallel);

    // What parts approach in this substep other than was expected counts, too.
    all_.search.measure_off(x, share_of_ways(substeps_gone_), parallel, all_.off);
    float off_end = 0;
    for (const float off : all_.off) off_end = std::max(off_end, off);
    const bool is_as_expected = stray_count_ == 0 && off_ == 0 && off_end == 0;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    contact_lists_ = all_.list_count + (has_strays_ ? strays_.list_count : 0);
    if (contacts_.size() < contact_lists_) contacts_.resize(contact_lists_); // never shrinks
    parallel.for_uneven_pieces(contact_lists_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const bool is_of_strays = k >= all_.list_count;
            Ahead& list = is_of_strays ? strays_.lists[k - all_.list_count] : all_.lists[k];
            contacts_[k].clear();
            for (PartsAhead& kind : list.kinds) {
                if (kind.by_impacts) continue;
                const auto counts = [&](std::size_t place) {
                    const float off = kind.off_of(kind.points[place], all_.off_prev);
                    const float unexpected = off + kind.off_of(kind.points[place], all_.off);
                    return kind.clearance[place] < touching + off + sees_approach * unexpected &&
                           !has_stray(kind.points[place]);
                };
                const auto touches = [&](std::size_t place) { return kind.clearance[place] < touching; };
                const auto chosen =
                    is_of_strays || is_as_expected ? kind.choose(infinity, touches) : kind.choose(infinity, counts);
                append_contacts(kind.are_edges, chosen, x_prev, x, list.close, contacts_[k]);
            }
        }
    });
}

void Guard::append_contacts(bool are_edges, std::span<const ContactCandidate> points, std::span<const Vec4> x_prev,
                            std::span<const Vec4> x, std::vector<MeasuredPair>& close,
                            std::vector<Contact>& contacts) const {
    // Parts one above the other, and whatever is very close: parts farther beside each other would hold back cloth that
    // slides, and what does meet there is stopped by its impact.
    constexpr double upright = 0.9999; // cosine: a degree
    constexpr double very_close = 0.5; // of the distance to keep
    // Cloth that starts too close comes apart bit by bit, not with a jump.
    constexpr float recovery = 0.1f;                                        // of the distance, in a substep
    const auto farthest = static_cast<double>(farthest_ + farthest_reach_); // beyond, it is for impacts
    close.clear();
    if (are_edges)
        find_close_edges(x_prev, points, farthest, close);
    else
        find_close_vertex_faces(x_prev, points, farthest, close);
    for (const auto& [candidate, gap, weight] : close) {
        const MeetingParts parts = {points[candidate], are_edges};
        const Rule& rule = rule_between(parts);
        // Whether they may come too close: as they move now, and some more, for the sweeps move them too.
        const Index a = parts.points[0], other = parts.points[are_edges ? 2 : 1];
        const Vec3 approach = (x[a].xyz() - x_prev[a].xyz()) - (x[other].xyz() - x_prev[other].xyz());
        if (!(static_cast<float>(gap) < rule.distance + sees_beyond * reach_ + sees_approach * length(approach)) ||
            !(gap > 0))
            continue;
        const FourPoints at = places(parts.points, x_prev);
        const Vec3d apart = sum_of(weight, at), upwards = across(at, are_edges);
        const double along = dot(apart, upwards);
        const bool is_above = along * along >= upright * upright * gap * gap * dot(upwards, upwards);
        if (!is_above && !(gap < very_close * static_cast<double>(rule.distance))) continue; // for most of them
        const float room = room_between(parts, rule.distance);
        if (!is_above && !(gap < very_close * static_cast<double>(room))) continue;
        Contact contact = make_contact(parts.points, weight, apart * (1 / gap));
        contact.distance = std::min(room, static_cast<float>(gap) + recovery * room);
        contact.friction = rule.friction;
        contacts.push_back(contact);
    }
}

// --- impacts

void Guard::find_meetings(Round round, std::span<const Vec4> x_prev, std::span<const Vec4> x,
                          const Parallel& parallel) {
    if (round == Round::again) {
        for (std::size_t p = 0; p < x.size(); ++p) has_moved_[p] = x[p].xyz() == x_tested_[p].xyz() ? 0 : 1;
        is_moving_ = std::find(has_moved_.begin(), has_moved_.end(), std::uint8_t{1}) != has_moved_.end();
        for (const Meeting& meeting : meetings_) // may still meet, though pushes did not move it
            for (const Index p : meeting.parts.points) has_moved_[p] = 1;
    }
    if (look_after_strays(round, x_prev, x, parallel)) round = Round::first;
    meetings_.clear();
    find_meetings(all_, least_gap_ + 2 * off_, round, x_prev, x, parallel);
    if (has_strays_) find_meetings(strays_, strays_.within, round, x_prev, x, parallel);
    if (!meetings_.empty()) x_tested_.assign(x.begin(), x.end());
}

void Guard::find_meetings(Lookout& lookout, float within, Round round, std::span<const Vec4> x_prev,
                          std::span<const Vec4> x, const Parallel& parallel) {
    // Both ends count: a vertex may come from beside its way through a face that it should have been far above.
    std::transform(lookout.off.begin(), lookout.off.end(), lookout.off_prev.begin(), lookout.off.begin(),
                   [](float end, float begin) { return std::max(begin, end); });
    const bool is_of_strays = &lookout == &strays_;
    parallel.for_uneven_pieces(lookout.list_count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            Ahead& list = lookout.lists[k];
            list.meetings.clear();
            for (PartsAhead& kind : list.kinds) {
                const auto may_meet = [&](std::size_t place) {
                    return kind.nearest[place] < least_gap_ + kind.off_of(kind.points[place], lookout.off) &&
                           (is_of_strays || !has_stray(kind.points[place])); // with strays: in the search for these
                };
                const auto may_meet_again = [&](std::size_t place) {
                    const auto& [a, b, c, d] = kind.points[place];
                    const bool has_moved = (has_moved_[a] | has_moved_[b] | has_moved_[c] | has_moved_[d]) != 0;
                    return has_moved && may_meet(place);
                };
                append_meetings(kind.are_edges,
                                round == Round::first ? kind.choose(within, may_meet)
                                                      : kind.choose(within, may_meet_again),
                                x_prev, x, list);
            }
        }
    });
    for (std::size_t k = 0; k < lookout.list_count; ++k)
        meetings_.insert(meetings_.end(), lookout.lists[k].meetings.begin(), lookout.lists[k].meetings.end());
}

void Guard::append_meetings(bool are_edges, std::span<const ContactCandidate> points, std::span<const Vec4> x_prev,
                            std::span<const Vec4> x, Ahead& ahead) const {
    ahead.impacts.clear(), ahead.close.clear();
    if (are_edges) {
        find_edge_edge_impacts(x_prev, x, points, ahead.impacts);
        find_close_edges(x, points, static_cast<double>(least_gap_), ahead.close);
    } else {
        find_vertex_face_impacts(x_prev, x, points, ahead.impacts);
        find_close_vertex_faces(x, points, static_cast<double>(least_gap_), ahead.close);
    }
    for (const Impact& impact : ahead.impacts) {
        const MeetingParts parts = {points[impact.candidate], are_edges};
        if (impact.toi > 0 || !are_free(parts.points, are_edges, x_prev, x))
            ahead.meetings.push_back({parts, impact.toi});
    }
    for (const MeasuredPair& end : ahead.close) {
        constexpr double approaching = 0.99; // what was as close before has not come closer
        const FourPoints from = places(points[end.candidate], x_prev);
        if (end.distance < approaching * length(sum_of(closest_weights(from, are_edges), from)))
            ahead.meetings.push_back({{points[end.candidate], are_edges}, 1.0});
    }
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
    // Where only points far from the meeting can yield, they would go far: a matter for zones.
    constexpr float longest_lever = 10;
    float yields = 0, most = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        const float share = std::abs(stop.weight[k]) * x[parts.points[k]].w;
        yields += std::abs(stop.weight[k]) * share;
        most = std::max(most, share);
    }
    if (!(most < longest_lever * yields)) return {};
    return stop;
}

void Guard::begin_impacts(std::span<const Vec4> x_prev, std::span<const Vec4> x, const Parallel& parallel) {
    if (is_outdated_) look_ahead(x_prev, x, parallel);
    all_.search.measure_off(x, share_of_ways(substeps_gone_), parallel, all_.off);
    const float most = 0.5f * (all_.within - least_gap_);
    const auto strays = std::count_if(all_.off.begin(), all_.off.end(), [&](float off) { return !(off <= most); });
    if (5 * static_cast<std::size_t>(strays) >= x.size()) look_ahead(x_prev, x, parallel); // a search for most
}

GuardReport Guard::stop_impacts(std::span<const Vec4> x_prev, std::span<const float> own_w, std::span<Vec4> x,
                                const Parallel& parallel) {
    GuardReport report;
    constexpr int rounds_of_pushes = 20, passes = 4;
    stops_.clear(), impacts_.clear(), zone_points_.clear();
    has_moved_.resize(x.size());
    begin_impacts(x_prev, x, parallel);
    for (int round = 0; round < rounds_of_pushes; ++round) {
        find_meetings(round == 0 ? Round::first : Round::again, x_prev, x, parallel);
        if (meetings_.empty()) return report;
        if (round > 0 && !is_moving_) break; // pushes do not help
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
    zones_.clear(x.size());
    for (int round = 0; round < rounds_of_zones; ++round) {
        find_meetings(round == 0 ? Round::first : Round::again, x_prev, x, parallel);
        if (round > 0 && !is_moving_) { // no use in going on like this
            if (round > rounds_with_hands) return report;
            round = round < rounds_of_bending ? rounds_of_bending : rounds_with_hands;
        }
        const Zones::Following following = {.hands_lead = round < rounds_with_hands,
                                            .bends = round < rounds_of_bending};
        report.unresolved = 0;
        for (const auto& [parts, toi] : meetings_) {
            if (move_as_one(parts.points, x_prev, x)) continue;
            zones_.join(parts.points);
            ++report.unresolved;
        }
        if (report.unresolved == 0) return report;
        report.zones = zones_.move(x_prev, own_w, following, x);
        zone_points_.assign(zones_.members().begin(), zones_.members().end());
    }
    return report;
}

} // namespace taffeta
