// Corrections that move whole patches of cloth, from coarse to fine, before the sweeps settle the rest.
//
// A sweep hands a correction on from particle to particle, so a pinned edge learns of the weight below it only after as
// many sweeps as there are rows. Here the means of ever larger patches are pulled within the distance that the cloth
// between them allows, the largest first, and each particle follows its patches. Means hang from what is held and from
// what bodies bear (docs/decisions/0008-acceleration.md).
#pragma once

#include "constraints/limits.h"
#include "core/parallel.h"
#include "mesh/aggregation.h"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace taffeta {

// A particle that a body bears in this substep.
struct Support {
    Index particle = 0;
    Vec3 rest = {};     // m, in the rest shape
    Vec3 place = {};    // m, where the body lets it be
    Vec3 normal = {};   // unit, of the body
    float friction = 0; // Coulomb's coefficient
};

class Cascade {
public:
    Cascade() = default;
    // How far the fabric gives, as a multiple of the rest length, around a particle and in a direction of the rest
    // shape (not a unit vector).
    using Give = std::function<float(Index particle, const Vec3& along)>;
    Cascade(std::vector<Level> levels, Give give);

    // Held particles, with their places in the rest shape in m, tie the means around them. To be told whenever others
    // are held than before.
    void hold(std::span<const Index> held, std::span<const Vec3> rest_of_held);

    // What bodies bear keeps the means around it from going farther than cloth reaches, until let_go(), which also has
    // to come first. One particle speaks for its patch of the finest level: whether one does already.
    bool is_borne(Index particle) const { return bearer_[patch_[particle]] != none; }
    void bear(const Support& support);
    void let_go();

    // Moves the particles that are not held. The same bits for every number of threads.
    void run(const Parallel& parallel, std::span<Vec4> x);

    bool empty() const { return stages_.empty(); }
    std::size_t projections() const; // of limits, in one run

private:
    static constexpr Index none = ~Index{0};
    // The supports that bear a mean best.
    struct Bearers {
        static constexpr std::size_t most = 2;
        std::array<Index, most> support = {none, none};
        std::array<float, most> share = {}; // of the mean's pull, falling
        bool lies = false;                  // on a body, with all of its patch

        void add(const Bearers& others, std::span<const Support> supports, const Vec3& x); // `x` of the mean, m
    };
    struct Stage {
        Level level;                   // without its pairs and masses
        std::vector<Index> some_child; // by mean: a particle of its patch
        Limits spans, ties;  // between means; of means to held particles, one-sided, at most one per mean and colour
        std::vector<Vec4> x; // means, then the sentinel, then held particles
        std::vector<Vec4> moved;      // by mean: where it was, and in the end how far it went; w is 0
        std::vector<Bearers> bearers; // by mean; while there are supports
    };
    void tie(std::span<const Index> patch_of_held, std::span<const Vec3> rest_of_held, Stage& stage) const;
    void restrict_to(Stage& stage, std::span<const Vec4> finer, std::span<const Vec4> x,
                     const Parallel& parallel) const;

    void find_bearers(const Parallel& parallel);
    Bearers bearers_around(std::size_t stage, Index mean) const;
    void hang(std::size_t stage, const Parallel& parallel);

    Give give_;
    std::vector<Stage> stages_; // from fine to coarse
    Neighbours coarsest_;       // by spans
    std::vector<Index> held_;
    std::vector<Support> supports_;
    std::vector<Index> patch_;  // by particle: its mean on the finest level; empty until a body is near
    std::vector<Index> bearer_; // by mean of the finest level: its support
};

} // namespace taffeta
