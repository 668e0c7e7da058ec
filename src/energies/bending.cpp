#include "energies/bending.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace taffeta {
namespace {

constexpr Index nobody = ~Index{0};

using Weights = std::map<Index, double>; // by particle, in ascending order

// The triangles at each edge, and so those beside each triangle.
class Sides {
public:
    explicit Sides(std::span<const Triangle> triangles) : triangles_(triangles) {
        for (Index t = 0; t < triangles.size(); ++t)
            for (std::size_t k = 0; k < 3; ++k) at_[edge(t, k)].push_back(t);
    }
    std::pair<Index, Index> edge(Index t, std::size_t k) const {
        return std::minmax(triangles_[t][k], triangles_[t][(k + 1) % 3]);
    }
    // The other triangle at side k; none at a border, where more than two meet, or if it is the same once more.
    Index beside(Index t, std::size_t k) const {
        const std::vector<Index>& both = at_.at(edge(t, k));
        if (both.size() != 2) return nobody;
        const Index other = both[0] == t ? both[1] : both[0];
        const Triangle &own = triangles_[t], &its = triangles_[other];
        return std::is_permutation(own.begin(), own.end(), its.begin()) ? nobody : other;
    }

private:
    std::span<const Triangle> triangles_;
    std::map<std::pair<Index, Index>, std::vector<Index>> at_;
};

// The surroundings of a triangle, unfolded into its plane: warp along x. Where the surface is not developable, whom two
// ways lead to lies where the first one leads.
class Chart {
public:
    Chart(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> rest, Index t,
          const Eigen::Vector3d& warp)
        : triangles_(triangles), rest_(rest) {
        const Triangle& corners = triangles[t];
        const Eigen::Vector3d a = rest[corners[1]] - rest[corners[0]], b = rest[corners[2]] - rest[corners[0]];
        const Eigen::Vector3d weft = a.cross(b).normalized().cross(warp);
        at_[corners[0]] = Eigen::Vector2d::Zero();
        at_[corners[1]] = {a.dot(warp), a.dot(weft)};
        at_[corners[2]] = {b.dot(warp), b.dot(weft)};
    }
    const Eigen::Vector2d& operator[](Index particle) const { return at_.at(particle); }

    // Lays `other` down beside `t`, which lies there.
    void unfold(Index t, Index other) {
        const auto has = [](const Triangle& triangle, Index particle) {
            return std::find(triangle.begin(), triangle.end(), particle) != triangle.end();
        };
        const Triangle &from = triangles_[t], &to = triangles_[other];
        std::size_t own = 0, far = 0; // the corner that the other triangle has not
        while (has(from, to[own])) ++own;
        while (has(to, from[far])) ++far;
        if (at_.contains(to[own])) return;
        const Index a = to[(own + 1) % 3], b = to[(own + 2) % 3];
        const Eigen::Vector3d edge = (rest_[b] - rest_[a]).normalized(), way = rest_[to[own]] - rest_[a];
        const double along = way.dot(edge), across = (way - along * edge).norm();
        const Eigen::Vector2d origin = at_.at(a), direction = (at_.at(b) - origin).normalized();
        Eigen::Vector2d outwards(direction.y(), -direction.x());
        if (outwards.dot(at_.at(from[far]) - origin) > 0) outwards = -outwards;
        at_[to[own]] = origin + along * direction + across * outwards;
    }

private:
    std::span<const Triangle> triangles_;
    std::span<const Eigen::Vector3d> rest_;
    std::map<Index, Eigen::Vector2d> at_;
};

class Builder {
public:
    Builder(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> rest, const Sides& sides, Index t,
            const Eigen::Vector3d& warp, bool is_clamped)
        : triangles_(triangles), rest_(rest), sides_(sides), chart_(triangles, rest, t, warp), t_(t),
          is_clamped_(is_clamped) {}

    BendingElement element() {
        const Triangle& triangle = triangles_[t_];
        const double area = std::abs(twice_area(triangle)) / 2;
        std::map<Index, Eigen::Vector3d> sum; // of k1, k2, k3 by particle
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = triangle[k], b = triangle[(k + 1) % 3], opposite = triangle[(k + 2) % 3];
            const Eigen::Vector2d along = chart_[b] - chart_[a];
            const double length = along.norm();
            const Eigen::Vector2d tangent = along / length;
            Eigen::Vector2d out(tangent.y(), -tangent.x());
            if (out.dot(chart_[opposite] - chart_[a]) > 0) out = -out;
            // L n_out (grad w)^T / A, its symmetric part
            const auto add = [&](Index particle, const Eigen::Vector2d& gradient) {
                const Eigen::Matrix2d h = length / area * out * gradient.transpose();
                sum.try_emplace(particle, Eigen::Vector3d::Zero()).first->second +=
                    Eigen::Vector3d(h(0, 0), h(1, 1), (h(0, 1) + h(1, 0)) / 2);
            };
            for (const auto& [particle, weight] : slope(k, out)) add(particle, out * weight);
            add(b, tangent / length);
            add(a, -tangent / length);
        }
        BendingElement element = {.particle = {triangle.begin(), triangle.end()}, .weights = {}, .area = area};
        for (const auto& [particle, weights] : sum)
            if (std::find(triangle.begin(), triangle.end(), particle) == triangle.end())
                element.particle.push_back(particle);
        element.weights.resize(3, static_cast<Eigen::Index>(sum.size()));
        for (std::size_t p = 0; p < element.particle.size(); ++p)
            element.weights.col(static_cast<Eigen::Index>(p)) = sum.at(element.particle[p]);
        take_rest_shape(element);
        return element;
    }

private:
    double twice_area(const Triangle& t) const {
        const Eigen::Vector2d a = chart_[t[1]] - chart_[t[0]], b = chart_[t[2]] - chart_[t[0]];
        return a.x() * b.y() - a.y() * b.x();
    }

    // Adds `factor` times the slope along n of the plane through the corners of a triangle.
    void add_plane_slope(const Triangle& t, const Eigen::Vector2d& n, double factor, Weights& weights) const {
        const double area = twice_area(t);
        for (std::size_t k = 0; k < 3; ++k) {
            const Eigen::Vector2d opposite = chart_[t[(k + 2) % 3]] - chart_[t[(k + 1) % 3]];
            weights[t[k]] += factor * Eigen::Vector2d(-opposite.y(), opposite.x()).dot(n) / area;
        }
    }

    // Weights of dw/dn in the middle of side k of the triangle.
    Weights slope(std::size_t k, const Eigen::Vector2d& n) {
        const Triangle& here = triangles_[t_];
        const Index other = sides_.beside(t_, k);
        Weights weights;
        std::vector<Index> around = {t_};
        if (other == nobody) {
            add_plane_slope(here, n, 1, weights);
            // What is clamped goes on as it lies: the slope at its far side is its own, not what the free cloth does.
            if (is_clamped_) return weights;
        } else {
            chart_.unfold(t_, other);
            const double a1 = std::abs(twice_area(here)), a2 = std::abs(twice_area(triangles_[other]));
            add_plane_slope(here, n, a2 / (a1 + a2), weights);
            add_plane_slope(triangles_[other], n, a1 / (a1 + a2), weights);
            around.push_back(other);
        }

        // Changed as little as possible so that every quadratic surface has its slope. At borders and corners of the
        // cloth it takes more triangles around until they tell all quadratics apart; a strip of one row never does.
        const Eigen::Vector2d middle = (chart_[here[k]] + chart_[here[(k + 1) % 3]]) / 2;
        const double length = (chart_[here[(k + 1) % 3]] - chart_[here[k]]).norm();
        // Corners that are nearly on one conic would tell them apart by large weights, and those are stiff.
        constexpr int most_rings = 3;
        constexpr double well_told_apart = 0.02; // least over largest pivot; on regular grids it is 0.06 to 0.1
        for (int ring = 1; ring <= most_rings; ++ring) {
            widen(around);
            for (const Index triangle : around)
                for (const Index particle : triangles_[triangle]) weights.try_emplace(particle, 0.0);
            const auto count = static_cast<Eigen::Index>(weights.size());
            Eigen::MatrixXd monomials(6, count);
            Eigen::VectorXd before(count);
            Eigen::Index column = 0;
            for (const auto& [particle, weight] : weights) {
                const Eigen::Vector2d p = (chart_[particle] - middle) / length;
                monomials.col(column) << 1, p.x(), p.y(), p.x() * p.x(), p.x() * p.y(), p.y() * p.y();
                before[column++] = weight;
            }
            Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
            solver.setThreshold(well_told_apart);
            solver.compute(monomials);
            if (solver.rank() < 6 && ring < most_rings) continue;
            Eigen::VectorXd slopes = Eigen::VectorXd::Zero(6);
            slopes.segment<2>(1) = n / length;
            const Eigen::VectorXd change = solver.solve(slopes - monomials * before);
            column = 0;
            for (auto& [particle, weight] : weights) weight += change[column++];
            break;
        }
        return weights;
    }

    // Adds all that lie beside those given.
    void widen(std::vector<Index>& some) {
        const std::size_t count = some.size();
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < 3; ++k)
                if (const Index other = sides_.beside(some[i], k);
                    other != nobody && std::find(some.begin(), some.end(), other) == some.end()) {
                    chart_.unfold(some[i], other);
                    some.push_back(other);
                }
    }

    // Weights that give nothing along the rest shape's own plane, and what they give along its normal.
    void take_rest_shape(BendingElement& element) const {
        constexpr double flat =
            1e-4; // of the triangle's size over the radius: single precision rounds by a tenth of it
        Eigen::Matrix3Xd x(3, element.weights.cols());
        for (std::size_t p = 0; p < element.particle.size(); ++p)
            x.col(static_cast<Eigen::Index>(p)) = rest_[element.particle[p]];
        const Eigen::Matrix3d k = curvatures(element, x);
        if (k.norm() * std::sqrt(element.area) < flat) return;
        Eigen::Matrix3d frame;
        frame.col(0) = x.col(1) - x.col(0);
        frame.col(1) = x.col(2) - x.col(0);
        frame.col(2) = frame.col(0).cross(frame.col(1)).normalized();
        const Eigen::Matrix3d parts = frame.inverse() * k; // of each curvature along two edges and the normal
        for (int i = 0; i < 3; ++i) {
            element.weights(i, 1) -= parts(0, i);
            element.weights(i, 2) -= parts(1, i);
            element.weights(i, 0) += parts(0, i) + parts(1, i);
        }
        element.rest = parts.row(2).transpose();
    }

    std::span<const Triangle> triangles_;
    std::span<const Eigen::Vector3d> rest_;
    const Sides& sides_;
    Chart chart_;
    Index t_;
    bool is_clamped_; // all corners are pinned
};

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) { // times b is a x b
    Eigen::Matrix3d matrix;
    matrix << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return matrix;
}

// The unit normal, and how it changes with each corner.
struct Normal {
    explicit Normal(const Eigen::Matrix3Xd& x) {
        const Eigen::Vector3d a = x.col(1) - x.col(0), b = x.col(2) - x.col(0), both = a.cross(b);
        constexpr double least = 1e-30; // m^2: a triangle without area has no normal, and no changes of it
        const double length = std::max(both.norm(), least);
        n = both / length;
        const Eigen::Matrix3d across = (Eigen::Matrix3d::Identity() - n * n.transpose()) / length;
        slopes[1] = -across * cross_matrix(b);
        slopes[2] = across * cross_matrix(a);
        slopes[0] = -slopes[1] - slopes[2];
    }
    Eigen::Vector3d n;
    std::array<Eigen::Matrix3d, 3> slopes;
};

} // namespace

Eigen::Matrix3d BendingStiffness::matrix() const {
    Eigen::Matrix3d s;
    s << warp, across, 0, across, weft, 0, 0, 0, 4 * twist;
    return s;
}

std::vector<BendingElement> make_bending(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> rest,
                                         std::span<const Eigen::Vector3d> warp,
                                         std::span<const std::uint8_t> is_pinned) {
    const Sides sides(triangles);
    std::vector<BendingElement> elements;
    elements.reserve(triangles.size());
    for (Index t = 0; t < triangles.size(); ++t) {
        const bool is_clamped = !is_pinned.empty() && std::all_of(triangles[t].begin(), triangles[t].end(),
                                                                  [&](Index p) { return is_pinned[p] != 0; });
        elements.push_back(Builder(triangles, rest, sides, t, warp[t], is_clamped).element());
    }
    return elements;
}

Eigen::Matrix3d curvatures(const BendingElement& element, const Eigen::Matrix3Xd& x) {
    return x * element.weights.transpose();
}

double bending_energy(const BendingElement& element, const BendingStiffness& law, const Eigen::Matrix3Xd& x) {
    const Eigen::Matrix3d k = curvatures(element, x);
    return element.area / 2 * (k * law.matrix() * k.transpose()).trace();
}

Eigen::Matrix3Xd bending_gradient(const BendingElement& element, const BendingStiffness& law,
                                  const Eigen::Matrix3Xd& x) {
    return element.area * curvatures(element, x) * law.matrix() * element.weights;
}

Eigen::MatrixXd bending_stiffness(const BendingElement& element, const BendingStiffness& law) {
    return element.area * element.weights.transpose() * law.matrix() * element.weights;
}

NormalCurvatures normal_curvatures(const BendingElement& element, const Eigen::Matrix3Xd& x) {
    const Eigen::Matrix3d k = curvatures(element, x);
    const Normal normal(x);
    NormalCurvatures result;
    result.value = k.transpose() * normal.n;
    for (int i = 0; i < 3; ++i) {
        Eigen::Matrix3Xd& gradient = result.gradient[static_cast<std::size_t>(i)];
        gradient = normal.n * element.weights.row(i);
        for (int p = 0; p < 3; ++p)
            gradient.col(p) += normal.slopes[static_cast<std::size_t>(p)].transpose() * k.col(i);
    }
    return result;
}

} // namespace taffeta
