#include "solvers/implicit/stiffness_matrix.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace taffeta {

Index Sparsity::place(Index row, Index of_column) const {
    const auto first = column.begin() + begin[row], last = column.begin() + begin[row + 1];
    const auto found = std::lower_bound(first, last, of_column);
    assert(found != last && *found == of_column);
    return static_cast<Index>(found - column.begin());
}

Sparsity make_sparsity(Index particles, std::span<const std::vector<Index>> groups) {
    std::vector<std::vector<Index>> columns(particles);
    for (Index p = 0; p < particles; ++p) columns[p].push_back(p);
    for (const std::vector<Index>& group : groups)
        for (const Index row : group) columns[row].insert(columns[row].end(), group.begin(), group.end());
    Sparsity sparsity;
    for (std::vector<Index>& row : columns) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        sparsity.column.insert(sparsity.column.end(), row.begin(), row.end());
        sparsity.begin.push_back(static_cast<Index>(sparsity.column.size()));
    }
    return sparsity;
}

void for_row_pieces(const Parallel& parallel, std::size_t rows,
                    FunctionRef<void(std::size_t, std::size_t, std::size_t)> body) {
    const std::size_t pieces = (rows + rows_at_once - 1) / rows_at_once;
    parallel.for_pieces(pieces, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t piece = begin; piece < end; ++piece)
            body(piece, piece * rows_at_once, std::min(rows, (piece + 1) * rows_at_once));
    });
}

void Stiffness::set_pairs(std::span<const Pair> pairs) {
    touching.begin.assign(far.begin.size(), 0);
    touching.column.resize(2 * pairs.size());
    touching_blocks.resize(2 * pairs.size());
    for (const Pair& pair : pairs) ++touching.begin[pair.i + 1], ++touching.begin[pair.j + 1];
    std::partial_sum(touching.begin.begin(), touching.begin.end(), touching.begin.begin());
    std::vector<Index> next(touching.begin.begin(), touching.begin.end() - 1);
    for (const Pair& pair : pairs) {
        for (const auto& [row, column] : {std::pair(pair.i, pair.j), std::pair(pair.j, pair.i)}) {
            const Index place = next[row]++;
            touching.column[place] = column;
            touching_blocks[place] = -pair.block;
            blocks[near.place(row, row)] += pair.block;
        }
    }
}

Eigen::Vector3d Stiffness::times(const Eigen::Matrix3Xd& x, Index row) const {
    Eigen::Vector3d sum = inertia[row] * x.col(row);
    for (Index k = far.begin[row]; k < far.begin[row + 1]; ++k) sum += numbers[k] * x.col(far.column[k]);
    for (Index k = near.begin[row]; k < near.begin[row + 1]; ++k) sum += blocks[k] * x.col(near.column[k]);
    for (Index k = touching.begin[row]; k < touching.begin[row + 1]; ++k)
        sum += touching_blocks[k] * x.col(touching.column[k]);
    return sum;
}

Eigen::Matrix3d Stiffness::diagonal(Index row) const {
    return blocks[near.place(row, row)] + (inertia[row] + numbers[far.place(row, row)]) * Eigen::Matrix3d::Identity();
}

Eigen::SparseMatrix<double> Stiffness::kept_to(std::span<const Eigen::Matrix3d> freedom) const {
    std::vector<Eigen::Triplet<double, int>> entries;
    entries.reserve(9 * (far.column.size() + near.column.size()) / 2);
    const auto add = [&](Index row, Index column, const Eigen::Matrix3d& block) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < (row == column ? i + 1 : 3); ++j)
                entries.emplace_back(static_cast<int>(3 * row) + i, static_cast<int>(3 * column) + j, block(i, j));
    };
    for (Index row = 0; row < far.rows(); ++row) {
        const Eigen::Matrix3d& free = freedom[row];
        for (Index k = far.begin[row]; k < far.begin[row + 1] && far.column[k] < row; ++k)
            add(row, far.column[k], free * numbers[k] * freedom[far.column[k]]);
        for (Index k = near.begin[row]; k < near.begin[row + 1] && near.column[k] < row; ++k)
            add(row, near.column[k], free * blocks[k] * freedom[near.column[k]]);
        for (Index k = touching.begin[row]; k < touching.begin[row + 1]; ++k)
            if (touching.column[k] < row)
                add(row, touching.column[k], free * touching_blocks[k] * freedom[touching.column[k]]);
        const Eigen::Matrix3d own = diagonal(row);
        const double like_own = std::max(own.trace() / 3, 1e-12);
        add(row, row, free * own * free + like_own * (Eigen::Matrix3d::Identity() - free));
    }
    const auto size = static_cast<Eigen::Index>(3 * far.rows());
    Eigen::SparseMatrix<double> matrix(size, size);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

} // namespace taffeta
