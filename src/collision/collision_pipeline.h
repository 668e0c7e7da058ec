// Keeps surfaces from passing through each other: cloth and itself, cloth and other cloth, cloth and bodies of
// triangles. For every method; a substep goes from x_prev to x:
//
//     find_contacts()   parts that are close at x_prev get a distance to keep and friction, which the solver's sweeps
//                       see to (collision/contacts/contact_constraints.h)
//     stop_impacts()    after all else: what would pass through on the way from x_prev to x     (geometry/ccd.h)
//                       is stopped, first by pushes, then by making all that meet move as one [BFA02, Pro97]
//
// Guarantee: if no two triangles cross at x_prev, none cross at x, as long as bodies leave cloth a way; where they do
// not, stop_impacts() says so. Vertices move straight within a substep. Results depend on the positions so far, not on
// the number of threads nor on the instruction set.
//
// Points are particles of cloth and, after these, vertices of bodies, which have no inverse mass.
#pragma once

#include "collision/broad_phase/proximity_query.h"
#include "collision/contacts/contact_constraints.h"
#include "collision/narrow_phase/feature_pairs.h"
#include "collision/response/impact_zones.h"
#include "core/parallel.h"
#include "core/state.h"
#include "geometry/ccd.h"
#include "geometry/closest_batch.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace taffeta {

// One cloth or body.
struct GuardedSurface {
    enum class Kind {
        body,    // is met by all cloth, by no body
        meets,   // cloth that meets cloth
        ignored, // cloth that other ways keep from each other: it meets bodies, and cloth that `meets`
        passes,  // cloth that meets bodies alone
    };
    Kind kind = Kind::meets;
    float thickness = 0;    // m, the distance to a body; to cloth, the mean of both
    float longest_edge = 0; // m, of cloth on the cutting table
    float radius = 0;       // m, of a body that is round or flat (infinite) and keeps particles away by itself; or 0
    std::optional<float> friction = {};   // Coulomb's coefficient; with a body: the body's, if it has one
    std::vector<Triangle> triangles = {}; // of points
};

// What it took to keep surfaces apart in a substep.
struct GuardReport {
    int impacts = 0;    // that pushes stopped
    int zones = 0;      // of points that had to move as one
    int unresolved = 0; // parts that went through each other: bodies left no way
};

class Guard {
public:
    Guard() = default;
    // Cloth first, then bodies. `rest` by point: places on the cutting table.
    Guard(std::span<const GuardedSurface> surfaces, std::span<const Vec3> rest);

    bool empty() const { return surface_count_ == 0; }
    // Takes over thickness and friction, and with them which round bodies are met by impacts alone.
    void change(std::span<const GuardedSurface> surfaces);
    // Points have been put where no way led: nothing of what was found holds any longer.
    void forget() { is_outdated_ = true; }

    // `x` is where the points would go.
    void find_contacts(std::span<const Vec4> x_prev, std::span<const Vec4> x, const Parallel& parallel);
    // `own_w`, by particle: the inverse mass whoever holds it.
    GuardReport stop_impacts(std::span<const Vec4> x_prev, std::span<const float> own_w, std::span<Vec4> x,
                             const Parallel& parallel);

    std::span<const std::vector<Contact>> contacts() const { return std::span(contacts_).first(contact_lists_); }
    float reach() const { return reach_; } // m, beyond the distance to keep: how far contacts of particles look
    // What the last stop_impacts() did, for views: the points of the parts that it stopped, and those that moved as
    // one.
    std::span<const ContactCandidate> impacts() const { return impacts_; }
    std::span<const Index> zone_points() const { return zone_points_; }
    const Tree& tree() const { return all_.search.tree(); }

private:
    // A vertex and the corners of a face, or the ends of two edges.
    struct MeetingParts {
        ContactCandidate points = {};
        bool are_edges = false;
    };

    // How two surfaces keep apart.
    struct Rule {
        bool holds = false; // if not, they pass through each other
        float distance = 0; // m
        float friction = 0;
        bool by_impacts = false; // alone, and not by contacts

        bool operator==(const Rule&) const = default;
    };
    static Rule rule_of(const GuardedSurface& a, const GuardedSurface& b);
    const Rule& rule_between(const MeetingParts& parts) const {
        return rules_[surface_of_[parts.points[0]] * surface_count_ + surface_of_[parts.points[2]]];
    }
    // Of one kind, that may meet while the last search holds. They are in bands by how near they come.
    struct PartsAhead {
        static constexpr std::size_t bands = 16;

        bool are_edges = false, by_impacts = false;
        std::vector<ContactCandidate> points = {};
        std::vector<float> nearest = {},
                           clearance = {};      // m, those of collision/narrow_phase/feature_pairs.h; beside `points`
        float band_width = 0;                   // m
        std::array<Index, bands> band_end = {}; // in `points`; of what comes no closer than band * band_width
        std::vector<ContactCandidate> chosen = {}; // longer than what is in use

        // Those that come closer than `distance` m on their ways, and some more, for which counts(place in `points`).
        template <class Counts>
        std::span<const ContactCandidate> choose(float distance, const Counts& counts);
        // How far its parts are off their ways together, by how far points are.
        float off_of(const ContactCandidate& parts, std::span<const float> off) const {
            const auto& [a, b, c, d] = parts;
            const float last = std::max(off[c], off[d]);
            return are_edges ? std::max(off[a], off[b]) + last : off[a] + std::max(off[b], last);
        }
    };
    struct Meeting {
        MeetingParts parts = {};
        double toi = 0;
    };
    // One list of the search.
    struct Ahead {
        std::array<PartsAhead, 4> kinds = {{{.are_edges = false, .by_impacts = false},
                                            {.are_edges = true, .by_impacts = false},
                                            {.are_edges = false, .by_impacts = true},
                                            {.are_edges = true, .by_impacts = true}}};
        std::vector<std::uint8_t> keys = {}; // of candidates that are collected
        std::vector<MeasuredPair> close = {};
        std::vector<Impact> impacts = {};
        std::vector<Meeting> meetings = {};
    };

    // What a search has found.
    struct Lookout {
        Proximity search = {};
        float within = 0;           // m: what comes closer was found
        std::size_t list_count = 0; // in use
        std::vector<Ahead> lists = {};
        // m, by point: how far off its way it is where the substep begins, and where it ends
        std::vector<float> off_prev = {}, off = {};
    };
    void collect(Lookout& lookout, const Parallel& parallel) const;
    void collect(const CloseParts& found, float within, Ahead& ahead) const;

    // Searches for all that comes close in the next substeps, if points go on as in this one.
    void look_ahead(std::span<const Vec4> x_prev, std::span<const Vec4> x, const Parallel& parallel);
    ClearanceAsked clearance_for_contacts(int substeps) const; // of a search for so many
    // The share of the ways that were searched which is over after some substeps.
    double share_of_ways(int substeps) const;
    enum class Round { first, again }; // of finding impacts
    // Points that are farther than `most` m off the ways they were searched on are strays until the substep ends: what
    // they meet is not among what was found for all, and a search of their own finds it. Notes how far the others are.
    void mark_strays(float most);
    void forget_strays();
    // `within` m: what comes closer is found.
    void look_for_strays(float within, std::span<const Vec4> x_prev, std::span<const Vec4> x, const Parallel& parallel);
    // Whether searches for strays, this one included, have come to cost as much as one for all.
    bool is_worth_all();
    // Searches again for what the ways from x_prev to x may lead to, where they are other than expected, if need be.
    // Returns whether it did.
    bool look_after_strays(Round round, std::span<const Vec4> x_prev, std::span<const Vec4> x,
                           const Parallel& parallel);
    bool has_stray(const ContactCandidate& points) const {
        const auto& [a, b, c, d] = points;
        return (is_stray_[a] | is_stray_[b] | is_stray_[c] | is_stray_[d]) != 0;
    }
    float room_between(const MeetingParts& parts, float distance) const;

    void append_contacts(bool are_edges, std::span<const ContactCandidate> points, std::span<const Vec4> x_prev,
                         std::span<const Vec4> x, std::vector<MeasuredPair>& close,
                         std::vector<Contact>& contacts) const;

    void begin_impacts(std::span<const Vec4> x_prev, std::span<const Vec4> x, const Parallel& parallel);
    // Fills meetings_ with what meets on the way from x_prev to x, and what ends so close that it would meet by
    // rounding; in further rounds only that which has moved since.
    void find_meetings(Round round, std::span<const Vec4> x_prev, std::span<const Vec4> x, const Parallel& parallel);
    void find_meetings(Lookout& lookout, float within, Round round, std::span<const Vec4> x_prev,
                       std::span<const Vec4> x, const Parallel& parallel);
    void append_meetings(bool are_edges, std::span<const ContactCandidate> points, std::span<const Vec4> x_prev,
                         std::span<const Vec4> x, Ahead& ahead) const;
    std::optional<Contact> stop_of(const MeetingParts& parts, double toi, std::span<const Vec4> x_prev,
                                   std::span<const Vec4> x) const;

    std::size_t surface_count_ = 0;
    std::vector<Rule> rules_ = {};       // by two surfaces
    bool some_by_impacts_ = false;       // of the rules
    std::vector<Index> surface_of_ = {}; // by point
    std::size_t cloth_points_ = 0;
    std::vector<Vec3> rest_ = {};
    float mean_edge_ = 0, longest_edge_ = 0; // m, of cloth on the cutting table
    float farthest_reach_ = 0;               // m, what reach_ may become for what moves fast
    float reach_ = 0;     // m, beyond the largest distance to keep: what comes so close has a contact
    float farthest_ = 0;  // m, the largest distance to keep
    float least_gap_ = 0; // m: parts that end a substep closer than this might pass by rounding in the next
    Lookout all_;
    bool is_outdated_ = true;                 // by other distances to keep
    std::vector<Vec4> ends_ = {};             // m, of the ways that are searched
    int substeps_ahead_ = 1;                  // that the search is for
    int substeps_gone_ = 0;                   // since then, this one included
    int searches_to_wait_ = 0;                // until one may look farther ahead
    Lookout strays_;                          // in this substep: of points that go other ways than was expected
    std::vector<std::uint8_t> is_stray_ = {}; // by point
    std::size_t stray_count_ = 0;
    bool has_strays_ = false; // whether there was a search for them
    float stray_reach_ = 0;   // m, how far searches for them look, beyond what contacts keep
    float spent_ = 0;         // on strays since the last search for all, of the time of that
    float off_ = 0;           // m: all others are at most so far off
    std::vector<std::vector<Contact>> contacts_ = {};
    std::size_t contact_lists_ = 0; // in use
    std::vector<Contact> stops_ = {};
    std::vector<ContactCandidate> impacts_ = {};
    std::vector<Index> zone_points_ = {};
    std::vector<Meeting> meetings_ = {};
    std::vector<Vec4> x_tested_ = {};          // m, the ends of the ways in the last round
    std::vector<std::uint8_t> has_moved_ = {}; // by point: since then
    bool is_moving_ = false;                   // whether any has
    Zones zones_ = {};
};

} // namespace taffeta
