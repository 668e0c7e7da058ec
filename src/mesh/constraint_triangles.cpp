#include "mesh/constraint_triangles.h"

#include <algorithm>
#include <numeric>

namespace taffeta {
namespace {

class Grouping {
public:
    Grouping(std::span<const Pair> pairs, const std::vector<bool>& kind, Index vertex_count)
        : pairs_(pairs), kind_(kind), begin_(vertex_count + 1), is_taken_(pairs.size(), false) {
        for (const Pair& pair : pairs) ++begin_[pair.i], ++begin_[pair.j];
        std::inclusive_scan(begin_.begin(), begin_.end(), begin_.begin());
        at_.resize(begin_.back());
        for (std::size_t k = pairs.size(); k-- > 0;) // backwards, so that those at a vertex keep their order
            for (const Index v : {pairs[k].i, pairs[k].j}) at_[--begin_[v]] = static_cast<Index>(k);
    }

    std::vector<Triple> groups() {
        std::vector<Triple> triples;
        const auto add_all = [&](auto&& find) {
            for (Index k = 0; k < static_cast<Index>(pairs_.size()); ++k) {
                if (is_taken_[k]) continue;
                const Triple triple = find(k);
                if (triple.pair[0] == Triple::none) continue;
                for (const Index pair : triple.pair)
                    if (pair != Triple::none) is_taken_[pair] = true;
                triples.push_back(triple);
            }
        };
        add_all([&](Index k) { return triangle_with(k, true); });
        add_all([&](Index k) { return triangle_with(k, false); });
        add_all([&](Index k) { return wedge_with(k); });
        std::sort(triples.begin(), triples.end(),
                  [](const Triple& a, const Triple& b) { return a.pair[0] < b.pair[0]; });
        return triples;
    }

private:
    Index other_end(Index pair, Index v) const { return pairs_[pair].i == v ? pairs_[pair].j : pairs_[pair].i; }

    // The free pairs at a vertex, in order.
    template <class Visit>
    void for_free_pairs(Index v, Visit&& visit) const {
        for (Index n = begin_[v]; n < begin_[v + 1]; ++n)
            if (!is_taken_[at_[n]]) visit(at_[n], other_end(at_[n], v));
    }

    Triple triangle_with(Index k, bool of_one_kind) const {
        const Index i = pairs_[k].i, j = pairs_[k].j;
        const auto fits = [&](Index pair) { return !of_one_kind || kind_[pair] == kind_[k]; };
        Triple found;
        for_free_pairs(j, [&](Index onward, Index v) {
            if (v == i || !fits(onward)) return;
            for_free_pairs(v, [&](Index back, Index end) {
                if (end == i && fits(back) && found.pair[0] == Triple::none) found = {{i, j, v}, {k, onward, back}};
            });
        });
        return found;
    }

    // With another free pair at one of its ends, or alone.
    Triple wedge_with(Index k) const {
        Triple wedge = {{pairs_[k].i, pairs_[k].j, Triple::none}, {k, Triple::none, Triple::none}};
        for (int end = 0; end < 2 && wedge.pair[1] == Triple::none; ++end) {
            std::swap(wedge.vertex[0], wedge.vertex[1]);
            for_free_pairs(wedge.vertex[1], [&](Index pair, Index v) {
                if (pair == k || v == wedge.vertex[0] || wedge.pair[1] != Triple::none) return;
                wedge.pair[1] = pair;
                wedge.vertex[2] = v;
            });
        }
        return wedge;
    }

    std::span<const Pair> pairs_;
    const std::vector<bool>& kind_;
    std::vector<Index> begin_, at_; // of vertex v: the pairs at_[begin_[v]] .. at_[begin_[v + 1]]
    std::vector<bool> is_taken_;
};

} // namespace

std::vector<Triple> group_pairs(std::span<const Pair> pairs, const std::vector<bool>& kind, Index vertex_count) {
    return Grouping(pairs, kind, vertex_count).groups();
}

} // namespace taffeta
