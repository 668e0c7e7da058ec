#include "solvers/position/multilevel.h"

#include "solvers/position/sweep.h"

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

// What is worth a thread: some 10 us. A mean has a dozen children.
constexpr std::size_t particle_grain = 2048, mean_grain = 512;
constexpr Index part_means = 2048; // the finest level of 16,000 particles is two parts

constexpr float slack = 1.00001f;    // more than means lose to rounding, or cloth at rest would be corrected for ever
constexpr int tied_rings = 2;        // of spans around a held particle; with one a sheet on two pins stretches visibly
constexpr float tied_spacings = 3;   // and not farther away than this
constexpr std::size_t most_ties = 4; // of one mean: more held particles, such as a seam's, tell nothing new

// Each particle goes along with its parents, by weight.
void prolong(const Level& level, std::span<const Vec4> moved, const Parallel& parallel, std::span<Vec4> finer) {
    parallel.for_pieces(finer.size(), particle_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            if (finer[v].w == 0) continue;
            const auto& parent = level.parents[v].parent;
            const auto weight = level.parents[v].weights();
            finer[v] =
                vec4(lanes(finer[v]) + (lanes(moved[parent[0]]) * weight[0] + lanes(moved[parent[1]]) * weight[1] +
                                        lanes(moved[parent[2]]) * weight[2]));
        }
    });
}

// The share of a pull towards `x` that a support withstands: the part along the normal and what friction adds to it.
//
//        n            a pull of 1 at the angle a to -n presses with cos a, friction withstands up to mu cos a across n;
//     ___|___ p       along the pull: cos a (cos a + mu sin a), and all of it where tan a <= mu
//   body  a\ x
float bearing(const Support& support, const Vec3& x) {
    const Vec3 pull = x - support.place;
    const float distance = length(pull), along = -dot(pull, support.normal);
    if (!(along > 0)) return 0;
    const float cosine = along / distance, sine = std::sqrt(std::max(1 - cosine * cosine, 0.0f));
    if (sine <= support.friction * cosine) return 1;
    return std::min(cosine * (cosine + support.friction * sine), 1.0f);
}

} // namespace

void Cascade::Bearers::add(const Bearers& others, std::span<const Support> supports, const Vec3& x) {
    for (Index candidate : others.support) {
        if (candidate == none) continue;
        float candidate_share = bearing(supports[candidate], x);
        for (std::size_t k = 0; k < most && support[k] != candidate; ++k) {
            if (candidate_share <= share[k]) continue;
            std::swap(support[k], candidate);
            std::swap(share[k], candidate_share);
        }
    }
}

Cascade::Cascade(std::vector<Level> levels, Give give) : give_(std::move(give)) {
    std::vector<Index> finer;
    for (Level& level : levels) {
        Stage& stage = stages_.emplace_back();
        const Index count = level.count();
        for (Index c = 0; c < count; ++c) {
            const Index child = level.children_of(c).front().child;
            stage.some_child.push_back(finer.empty() ? child : finer[child]);
        }
        finer = stage.some_child;

        // One-sided: means of folded patches come closer than they lay on the cutting table.
        std::vector<Limit> spans;
        for (std::size_t s = 0; s < level.spans.size(); ++s) {
            const Pair span = level.spans[s];
            const float most = give_(stage.some_child[span.i], level.rest[span.j] - level.rest[span.i]);
            spans.push_back({span.i, span.j, 0, level.span_length[s] * most * slack});
        }
        stage.spans = make_limits(spans, count, {.keep = Keep::longest, .part_begin = halve_range(count, part_means)});
        stage.x.resize(count + 1);
        for (Index c = 0; c < count; ++c) stage.x[c].w = static_cast<float>(1 / level.mass[c]);
        stage.moved.resize(count);
        level.edges = {}, level.spans = {}, level.span_length = {}, level.mass = {};
        level.children.shrink_to_fit(), level.child_begin.shrink_to_fit(), level.rest.shrink_to_fit();
        level.spread.shrink_to_fit();
        stage.some_child.shrink_to_fit();
        stage.level = std::move(level);
    }
    if (!stages_.empty()) {
        std::vector<Pair> spans;
        for (const Limit& span : stages_.back().spans.in_order()) spans.push_back({span.i, span.j});
        coarsest_ = Neighbours(spans, stages_.back().level.count());
    }
    if (stages_.size() > 1) stages_.front().level.spread = {}; // made the others, and is not asked for
    hold({}, {});
}

namespace {

Index nearest_parent(const Parents& parents) {
    const auto weight = parents.weights();
    return parents.parent[static_cast<std::size_t>(std::max_element(weight.begin(), weight.end()) - weight.begin())];
}

} // namespace

void Cascade::hold(std::span<const Index> held, std::span<const Vec3> rest_of_held) {
    held_.assign(held.begin(), held.end());
    std::vector<Index> patch = held_; // in which each held particle lies, from level to level
    for (Stage& stage : stages_) {
        for (Index& p : patch) p = nearest_parent(stage.level.parents[p]);
        tie(patch, rest_of_held, stage);
    }
}

void Cascade::tie(std::span<const Index> patch_of_held, std::span<const Vec3> rest_of_held, Stage& stage) const {
    const Level& level = stage.level;
    const Index count = level.count(), sentinel = count, first_held = sentinel + 1;
    stage.x.resize(first_held + held_.size());
    stage.x[sentinel] = {}; // a step that failed may have left anything there

    std::vector<Pair> spans;
    if (!held_.empty())
        for (const Limit& span : stage.spans.in_order()) spans.push_back({span.i, span.j});
    const Neighbours neighbours(spans, count);
    std::vector<std::vector<Limit>> ties(count); // by mean
    std::vector<Index> ring, seen(count, ~Index{0});
    for (Index h = 0; h < patch_of_held.size(); ++h) {
        ring.assign(1, patch_of_held[h]);
        seen[ring[0]] = h;
        std::size_t begin = 0;
        for (int r = 0; r < tied_rings; ++r)
            for (const std::size_t end = ring.size(); begin < end; ++begin)
                for (const Index c : neighbours.of(ring[begin]))
                    if (seen[c] != h) {
                        seen[c] = h;
                        ring.push_back(c);
                    }
        for (const Index c : ring) {
            const Vec3 along = level.rest[c] - rest_of_held[h];
            const float distance = length(along);
            if (distance <= tied_spacings * level.spacing)
                ties[c].push_back({c, first_held + h, 0, distance * give_(stage.some_child[c], along) * slack});
        }
    }
    // The k-th ties of all means have no mean in common, and nothing moves a held particle: a colour.
    std::vector<std::vector<Limit>> by_colour(most_ties);
    for (std::vector<Limit>& of_mean : ties) {
        std::stable_sort(of_mean.begin(), of_mean.end(),
                         [](const Limit& a, const Limit& b) { return a.longest < b.longest; });
        for (std::size_t k = 0; k < std::min(of_mean.size(), most_ties); ++k) by_colour[k].push_back(of_mean[k]);
    }
    stage.ties = pack_limits(by_colour, sentinel, Keep::longest);
}

void Cascade::restrict_to(Stage& stage, std::span<const Vec4> finer, std::span<const Vec4> x,
                          const Parallel& parallel) const {
    const Level& level = stage.level;
    parallel.for_pieces(level.count(), mean_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            const std::span<const Child> children = level.children_of(static_cast<Index>(c));
            const auto part = [&](std::size_t k) { return lanes(finer[children[k].child]) * children[k].share; };
            Lanes4 mean = {}, other = {}; // two sums, so that one addition need not wait for the one before
            std::size_t k = 0;
            for (; k + 2 <= children.size(); k += 2) mean += part(k), other += part(k + 1);
            if (k < children.size()) mean += part(k);
            mean += other;
            stage.x[c].set_xyz(vec4(mean).xyz());
            stage.moved[c].set_xyz(vec4(mean).xyz());
        }
    });
    for (std::size_t h = 0; h < held_.size(); ++h) stage.x[level.count() + 1 + h].set_xyz(x[held_[h]].xyz());
}

void Cascade::bear(const Support& support) {
    bearer_[patch_[support.particle]] = static_cast<Index>(supports_.size());
    supports_.push_back(support);
}

void Cascade::let_go() {
    supports_.clear();
    bearer_.assign(stages_.front().level.count(), none);
    if (patch_.empty())
        for (const Parents& parents : stages_.front().level.parents) patch_.push_back(nearest_parent(parents));
}

void Cascade::find_bearers(const Parallel& parallel) {
    stages_.front().bearers.assign(bearer_.size(), {});
    for (std::size_t c = 0; c < bearer_.size(); ++c) stages_.front().bearers[c].support[0] = bearer_[c];
    for (std::size_t s = 1; s < stages_.size(); ++s) {
        Stage& stage = stages_[s];
        stage.bearers.assign(stage.level.count(), {});
        const std::span<const Bearers> finer = stages_[s - 1].bearers;
        parallel.for_pieces(stage.level.count(), mean_grain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) {
                const std::span<const Child> children = stage.level.children_of(static_cast<Index>(c));
                Bearers& bearers = stage.bearers[c];
                const auto is_borne = [&](const Child& child) { return finer[child.child].support[0] != none; };
                if (std::all_of(children.begin(), children.end(), is_borne)) { // for those beside it, any will do
                    bearers = finer[children.front().child];
                    bearers.lies = true;
                    continue;
                }
                for (const Child& child : children)
                    if (is_borne(child)) bearers.add(finer[child.child], supports_, stage.x[c].xyz());
            }
        });
    }
}

// Of a mean without a support of its own: those of the larger patches it is in, or next to.
Cascade::Bearers Cascade::bearers_around(std::size_t stage, Index mean) const {
    Bearers bearers = stages_[stage].bearers[mean];
    if (bearers.support[0] != none) return bearers;
    const Vec3 x = stages_[stage].x[mean].xyz();
    if (stage + 1 == stages_.size()) {
        for (const Index n : coarsest_.of(mean)) bearers.add(stages_[stage].bearers[n], supports_, x);
        return bearers;
    }
    const Stage& coarser = stages_[stage + 1];
    const Parents& parents = coarser.level.parents[mean];
    for (std::size_t k = 0; k < parents.parent.size(); ++k)
        if (parents.weights()[k] > 0) bearers.add(coarser.bearers[parents.parent[k]], supports_, x);
    return bearers;
}

// A mean goes no farther from a support than its patch reaches: the root of the mean square of the distances of the
// patch at rest, which is no less than their mean, and that is no less than the distance of the mean.
void Cascade::hang(std::size_t s, const Parallel& parallel) {
    constexpr float gentle = 0.05f; // of the distance at most, as Keep::longest_gently
    Stage& stage = stages_[s];
    const Level& level = stage.level;
    parallel.for_pieces(level.count(), mean_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            Vec3 x = stage.x[c].xyz();
            const Bearers bearers = bearers_around(s, static_cast<Index>(c));
            if (bearers.lies) continue;
            for (const Index k : bearers.support) {
                if (k == none) continue;
                const Support& support = supports_[k];
                const Vec3 along = level.rest[c] - support.rest, pull = x - support.place;
                const float reach = std::sqrt(dot(along, along) + level.spread[c]), distance = length(pull);
                if (!(distance > reach)) continue;
                const float too_far = distance - reach * give_(stage.some_child[c], along) * slack;
                if (!(too_far > 0)) continue;
                x -= pull * (std::min(too_far / distance, gentle) * bearing(support, x));
            }
            stage.x[c].set_xyz(x);
        }
    });
}

void Cascade::run(const Parallel& parallel, std::span<Vec4> x) {
    std::span<const Vec4> finer = x;
    for (Stage& stage : stages_) {
        restrict_to(stage, finer, x, parallel);
        finer = stage.x;
    }
    if (!supports_.empty()) find_bearers(parallel);
    for (std::size_t s = stages_.size(); s-- > 0;) {
        Stage& stage = stages_[s];
        sweep(stage.spans, parallel, stage.x, Keep::longest_gently);
        sweep(stage.ties, parallel, stage.x, Keep::longest_gently);
        // What lies on a body everywhere is held by the sweeps. The finest level would cost as much as all the others.
        if (!supports_.empty() && (s > 0 || stages_.size() == 1)) hang(s, parallel);
        parallel.for_pieces(stage.level.count(), particle_grain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) stage.moved[c].set_xyz(stage.x[c].xyz() - stage.moved[c].xyz());
        });
        const std::span<Vec4> below = s > 0 ? std::span(stages_[s - 1].x) : x;
        prolong(stage.level, stage.moved, parallel, below.first(stage.level.parents.size()));
    }
}

std::size_t Cascade::projections() const {
    std::size_t count = 0;
    for (const Stage& stage : stages_) count += stage.spans.count + stage.ties.count;
    return count;
}

} // namespace taffeta
