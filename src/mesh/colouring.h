// Colours for constraints: two of one colour share no particle, so that a colour may be projected in any order, or all
// at once, with the same result.
#pragma once

#include <taffeta/mesh.h>

#include <array>
#include <span>
#include <vector>

namespace taffeta {

// The colour of each group of up to three vertices, from 0 without gaps; places without a vertex name one that does not
// exist. Depends on the groups and their order alone.
using VertexGroup = std::array<Index, 3>;
std::vector<int> colour_groups(std::span<const VertexGroup> groups, Index vertex_count);

// Sets of vertices of any size, one after the other.
class VertexSets {
public:
    void add(std::span<const Index> vertices) {
        members_.insert(members_.end(), vertices.begin(), vertices.end());
        begin_.push_back(members_.size());
    }
    std::size_t size() const { return begin_.size() - 1; }
    std::span<const Index> operator[](std::size_t k) const {
        return std::span(members_).subspan(begin_[k], begin_[k + 1] - begin_[k]);
    }

private:
    std::vector<Index> members_ = {};
    std::vector<std::size_t> begin_ = {0};
};

// The same of sets.
std::vector<int> colour_sets(const VertexSets& sets, Index vertex_count);

} // namespace taffeta
