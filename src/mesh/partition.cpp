#include "mesh/partition.h"

#include "mesh/levels.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace taffeta {
namespace {

// Halves a set of vertices again and again, across its longest extent: a walk in breadth from a vertex at the rim meets
// the others in order of their distance from it, and its first half is one half of the set.
class Halving {
public:
    Halving(std::span<const Pair> pairs, Index vertex_count)
        : graph_(pairs, vertex_count), set_(vertex_count), order_(vertex_count), walk_(vertex_count) {
        std::iota(order_.begin(), order_.end(), Index{0});
    }

    std::vector<Index> parts(Index most) {
        halve(0, order_.size(), most);
        return std::move(part_of_);
    }

private:
    void halve(std::size_t begin, std::size_t end, Index most) {
        if (end - begin <= most) {
            part_of_.resize(order_.size());
            for (std::size_t k = begin; k < end; ++k) part_of_[order_[k]] = parts_;
            ++parts_;
            return;
        }
        walk(begin, end, order_[begin]);
        walk(begin, end, order_[end - 1]); // what the first walk met last lies at the rim
        const std::size_t middle = begin + (end - begin) / 2;
        halve(begin, middle, most);
        halve(middle, end, most);
    }

    // Puts the vertices of order_[begin, end) in the order of a walk from `start`.
    void walk(std::size_t begin, std::size_t end, Index start) {
        const std::uint32_t unmet = ++sets_, met = ++sets_;
        for (std::size_t k = begin; k < end; ++k) set_[order_[k]] = unmet;
        std::size_t count = 0;
        const auto meet = [&](Index v) {
            if (set_[v] != unmet) return;
            set_[v] = met;
            walk_[count++] = v;
        };
        meet(start);
        for (std::size_t next = 0, k = 0; k < end - begin; ++k) {
            while (k == count) meet(order_[begin + next++]); // on to a piece that hangs together with none so far
            for (const Index n : graph_.of(walk_[k])) meet(n);
        }
        std::copy_n(walk_.begin(), count, order_.begin() + static_cast<std::ptrdiff_t>(begin));
    }

    Neighbours graph_;
    std::vector<std::uint32_t> set_; // by vertex: the set it was last put into
    std::uint32_t sets_ = 0;
    std::vector<Index> order_, walk_;
    std::vector<Index> part_of_ = {};
    Index parts_ = 0;
};

} // namespace

std::vector<Index> part_vertices(std::span<const Pair> pairs, Index vertex_count, Index most) {
    return Halving(pairs, vertex_count).parts(most);
}

} // namespace taffeta
