#include "solvers/implicit/conjugate_gradients.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace taffeta {
namespace {

// Sums by pieces of rows, so that their order is the same for every number of threads.
class Sum {
public:
    explicit Sum(std::size_t rows) : parts_((rows + rows_at_once - 1) / rows_at_once) {}
    double& operator[](std::size_t piece) { return parts_[piece]; }
    void clear() { std::fill(parts_.begin(), parts_.end(), 0.0); }
    double total() const { return std::accumulate(parts_.begin(), parts_.end(), 0.0); }

private:
    std::vector<double> parts_;
};

} // namespace

Eigen::Matrix3d freedom_without(std::span<const Eigen::Vector3d> directions) {
    Eigen::Matrix3d free = Eigen::Matrix3d::Identity();
    for (const Eigen::Vector3d& direction : directions) {
        const Eigen::Vector3d left = free * direction;
        const double length = left.norm();
        if (length < 1e-6 * direction.norm()) continue; // those before have it already
        const Eigen::Vector3d p = left / length;
        free -= p * p.transpose();
    }
    return directions.size() >= 3 && free.trace() < 0.5 ? Eigen::Matrix3d(Eigen::Matrix3d::Zero()) : free;
}

LinearSolution ConjugateGradients::solve(const Stiffness& a, const Eigen::Matrix3Xd& b,
                                         std::span<const Eigen::Matrix3d> freedom, const Parallel& parallel,
                                         Eigen::Matrix3Xd& dx, FunctionRef<void(const Eigen::Matrix3Xd&)> seen) const {
    const auto rows = static_cast<std::size_t>(b.cols());
    const auto count = b.cols();
    const auto for_rows = [&](auto&& body) { // body(piece, row)
        for_row_pieces(parallel, rows, [&](std::size_t piece, std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) body(piece, static_cast<Index>(row));
        });
    };
    std::vector<Eigen::Matrix3d> own(rows); // the inverse of each particle's own resistance
    for_rows([&](std::size_t, Index row) { own[row] = a.diagonal(row).inverse(); });
    Eigen::Matrix3Xd r(3, count), c(3, count), q(3, count), s(3, count);
    Sum sum(rows);
    // out = S P^-1 r and r . out
    const auto precondition = [&](Eigen::Matrix3Xd& out) {
        sum.clear();
        for_rows([&](std::size_t piece, Index row) {
            out.col(row) = freedom[row] * (own[row] * r.col(row));
            sum[piece] += r.col(row).dot(out.col(row));
        });
        return sum.total();
    };

    // The scale: the right-hand side, and what is prescribed counts there too: A z is there, whatever b is.
    for_rows([&](std::size_t, Index row) { r.col(row) = freedom[row] * b.col(row); });
    double scale = precondition(c);
    for_rows([&](std::size_t, Index row) { r.col(row) = freedom[row] * (b.col(row) - a.times(dx, row)); });
    double delta = precondition(c);
    scale += delta;
    LinearSolution solution;
    while (delta > tolerance * tolerance * scale && solution.iterations < most_iterations) {
        ++solution.iterations;
        sum.clear();
        for_rows([&](std::size_t piece, Index row) {
            q.col(row) = freedom[row] * a.times(c, row);
            sum[piece] += c.col(row).dot(q.col(row));
        });
        const double curvature = sum.total();
        if (!(curvature > 0)) break; // rounding is all that is left, or the matrix is not positive
        const double alpha = delta / curvature;
        sum.clear();
        for_rows([&](std::size_t piece, Index row) {
            dx.col(row) += alpha * c.col(row);
            r.col(row) -= alpha * q.col(row);
            s.col(row) = freedom[row] * (own[row] * r.col(row));
            sum[piece] += r.col(row).dot(s.col(row));
        });
        seen(dx);
        const double before = delta;
        delta = sum.total();
        const double beta = delta / before;
        for_rows([&](std::size_t, Index row) { c.col(row) = s.col(row) + beta * c.col(row); });
    }
    solution.residual = scale > 0 ? std::sqrt(std::max(delta, 0.0) / scale) : 0;
    return solution;
}

} // namespace taffeta
