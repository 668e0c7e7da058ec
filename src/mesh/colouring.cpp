#include "mesh/colouring.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace taffeta {
namespace {

// Greedy: each group takes, of the colours all its vertices still have free, the one that fewest groups have yet, which
// keeps the colours about equally long; a new colour is opened only where none of the present ones is free.
template <class Groups>
std::vector<int> colour_all(const Groups& groups, Index vertex_count) {
    constexpr int word_bits = 64;
    std::size_t words = 1;                         // per vertex
    std::vector<std::uint64_t> used(vertex_count); // bit c of vertex v: a group with v has colour c
    std::vector<std::size_t> size;                 // of each colour
    std::vector<int> colours;
    colours.reserve(groups.size());

    for (std::size_t k = 0; k < groups.size(); ++k) {
        const auto& group = groups[k];
        int best = -1;
        for (std::size_t word = 0; word < words; ++word) {
            std::uint64_t free = ~std::uint64_t{0};
            for (const Index v : group)
                if (v < vertex_count) free &= ~used[v * words + word];
            for (; free != 0; free &= free - 1) {
                const int colour = static_cast<int>(word) * word_bits + std::countr_zero(free);
                if (colour >= static_cast<int>(size.size())) break;
                if (best < 0 || size[static_cast<std::size_t>(colour)] < size[static_cast<std::size_t>(best)])
                    best = colour;
            }
        }
        if (best < 0) {
            best = static_cast<int>(size.size());
            size.push_back(0);
            if (size.size() > words * word_bits) { // a vertex with very many neighbours: widen every vertex's row
                std::vector<std::uint64_t> wider(vertex_count * (words + 1));
                for (std::size_t v = 0; v < vertex_count; ++v)
                    std::copy_n(used.begin() + static_cast<std::ptrdiff_t>(v * words), words,
                                wider.begin() + static_cast<std::ptrdiff_t>(v * (words + 1)));
                used = std::move(wider);
                ++words;
            }
        }
        const auto colour = static_cast<std::size_t>(best);
        ++size[colour];
        for (const Index v : group)
            if (v < vertex_count) used[v * words + colour / word_bits] |= 1ULL << (colour % word_bits);
        colours.push_back(best);
    }
    return colours;
}

} // namespace

std::vector<int> colour_groups(std::span<const VertexGroup> groups, Index vertex_count) {
    return colour_all(groups, vertex_count);
}

std::vector<int> colour_sets(const VertexSets& sets, Index vertex_count) {
    return colour_all(sets, vertex_count);
}

} // namespace taffeta
