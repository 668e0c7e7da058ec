// The matrix of an implicit step: who resists how much when somebody moves.
//
// It has two parts over the same rows. What bending and inertia say is one number per pair of particles, the same in
// all three directions, and changes only with the step's length; what stretch says is a 3 x 3 block per pair, between
// neighbours only, and changes with the state. Apart they take half the memory, and so half the time, of one matrix of
// blocks.
#pragma once

#include "core/parallel.h"

#include <taffeta/math.h>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <span>
#include <vector>

namespace taffeta {

// Which particles have to do with each other: the columns of each row, in ascending order, with the row itself.
struct Sparsity {
    std::vector<Index> begin = {0}; // by row, and the end of the last
    std::vector<Index> column = {};

    Index rows() const { return static_cast<Index>(begin.size() - 1); }
    Index place(Index row, Index of_column) const; // in `column`; it must be there
};
// Each with all of its group, and with itself.
Sparsity make_sparsity(Index particles, std::span<const std::vector<Index>> groups);

// Rows per piece of a loop or of a sum: fixed, so that sums have one order whatever the threads are.
inline constexpr std::size_t rows_at_once = 256;
// Calls body(piece, begin, end) for pieces of `rows_at_once` rows.
void for_row_pieces(const Parallel& parallel, std::size_t rows,
                    FunctionRef<void(std::size_t, std::size_t, std::size_t)> body);

struct Stiffness {
    Sparsity far = {};                                 // of bending
    std::vector<double> numbers = {};                  // N/m, by place in `far`
    Sparsity near = {};                                // of stretch
    std::vector<Eigen::Matrix3d> blocks = {};          // N/m, by place in `near`
    Sparsity touching = {};                            // those that come and go; without the rows themselves
    std::vector<Eigen::Matrix3d> touching_blocks = {}; // N/m, by place in `touching`
    std::vector<double> inertia = {};                  // N/m, by row: mass over the step's length squared

    // A pair of particles that resist each other's approach, in place of those before.
    struct Pair {
        Index i = 0, j = 0;
        Eigen::Matrix3d block; // N/m
    };
    void set_pairs(std::span<const Pair> pairs); // after the blocks of `near`, to which it adds

    Eigen::Vector3d times(const Eigen::Matrix3Xd& x, Index row) const;
    Eigen::Matrix3d diagonal(Index row) const;
    // The lower triangle of all of it, 3 x 3 numbers per pair, with each particle kept to what its `freedom` lets it do
    // and resisting in all other directions like its own.
    Eigen::SparseMatrix<double> kept_to(std::span<const Eigen::Matrix3d> freedom) const;
};

} // namespace taffeta
