#include "mesh/partition.h"

#include "mesh/aggregation.h"

#include <algorithm>
#include <cmath>
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

    std::vector<Index> order(Index most, bool keeps_order) {
        halve(0, order_.size(), most, keeps_order);
        return std::move(order_);
    }

private:
    void halve(std::size_t begin, std::size_t end, Index most, bool keeps_order) {
        if (end - begin <= most && keeps_order) {
            std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                      order_.begin() + static_cast<std::ptrdiff_t>(end));
            return;
        }
        walk(begin, end, order_[begin]);
        walk(begin, end, order_[end - 1]); // what the first walk met last lies at the rim
        if (end - begin <= most) return;
        const std::size_t middle = begin + (end - begin) / 2;
        halve(begin, middle, most, keeps_order);
        halve(middle, end, most, keeps_order);
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
};

// Whether neighbours have numbers that are not much farther apart than if the vertices were numbered row by row.
bool is_numbered_in_rows(std::span<const Pair> pairs, Index vertex_count) {
    double sum = 0;
    for (const Pair& pair : pairs) sum += std::abs(static_cast<double>(pair.i) - static_cast<double>(pair.j));
    // A round cloth numbered ring by ring comes to 3, and one numbered at random to a third of all its vertices.
    constexpr double most_rows_apart = 8;
    return sum <= most_rows_apart * std::sqrt(static_cast<double>(vertex_count)) * static_cast<double>(pairs.size());
}

} // namespace

std::vector<Index> halve_range(Index count, Index most) {
    std::vector<Index> begins;
    const auto halve = [&](const auto& self, Index begin, Index end) -> void {
        if (end - begin <= most) return begins.push_back(begin);
        const Index middle = begin + (end - begin) / 2;
        self(self, begin, middle);
        self(self, middle, end);
    };
    halve(halve, 0, count);
    begins.push_back(count);
    return begins;
}

std::vector<Index> part_cloths(std::span<const Index> counts, Index most) {
    std::vector<Index> begins = {0};
    Index end = 0;
    for (const Index count : counts) {
        if (end > begins.back() && end - begins.back() + count > most) begins.push_back(end);
        const std::vector<Index> own = halve_range(count, most);
        for (std::size_t k = 1; k + 1 < own.size(); ++k) begins.push_back(end + own[k]);
        end += count;
        if (own.size() > 2) begins.push_back(end);
    }
    if (begins.back() != end || begins.size() == 1) begins.push_back(end);
    return begins;
}

std::vector<Index> order_by_parts(std::span<const Pair> pairs, Index vertex_count, Index most) {
    if (vertex_count == 0) return {};
    return Halving(pairs, vertex_count).order(most, is_numbered_in_rows(pairs, vertex_count));
}

} // namespace taffeta
