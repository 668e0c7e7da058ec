#include "energies/bending.h"

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <map>

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
    // The other triangle at side k; none at a border, nor where more than two meet.
    Index beside(Index t, std::size_t k) const {
        const std::vector<Index>& both = at_.at(edge(t, k));
        if (both.size() != 2) return nobody;
        return both[0] == t ? both[1] : both[0];
    }
    // Those given and all beside them.
    std::vector<Index> widen(std::vector<Index> some) const {
        const std::size_t count = some.size();
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < 3; ++k)
                if (const Index other = beside(some[i], k);
                    other != nobody && std::find(some.begin(), some.end(), other) == some.end())
                    some.push_back(other);
        return some;
    }

private:
    std::span<const Triangle> triangles_;
    std::map<std::pair<Index, Index>, std::vector<Index>> at_;
};

class Builder {
public:
    Builder(std::span<const Triangle> triangles, std::span<const Eigen::Vector2d> material)
        : triangles_(triangles), material_(material), sides_(triangles) {}

    BendingElement element(Index t) {
        const Triangle& triangle = triangles_[t];
        const double area = std::abs(twice_area(triangle)) / 2;
        std::map<Index, Eigen::Vector3d> sum; // of k1, k2, k3 by particle
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = triangle[k], b = triangle[(k + 1) % 3], opposite = triangle[(k + 2) % 3];
            const Eigen::Vector2d along = material_[b] - material_[a];
            const double length = along.norm();
            const Eigen::Vector2d tangent = along / length;
            Eigen::Vector2d out(tangent.y(), -tangent.x());
            if (out.dot(material_[opposite] - material_[a]) > 0) out = -out;
            // L n_out (grad w)^T / A, its symmetric part
            const auto add = [&](Index particle, const Eigen::Vector2d& gradient) {
                const Eigen::Matrix2d h = length / area * out * gradient.transpose();
                sum.try_emplace(particle, Eigen::Vector3d::Zero()).first->second +=
                    Eigen::Vector3d(h(0, 0), h(1, 1), (h(0, 1) + h(1, 0)) / 2);
            };
            for (const auto& [particle, weight] : slope(t, k, out)) add(particle, out * weight);
            add(b, tangent / length);
            add(a, -tangent / length);
        }
        BendingElement element;
        element.area = area;
        element.weights.resize(3, static_cast<Eigen::Index>(sum.size()));
        for (const auto& [particle, weights] : sum) {
            element.weights.col(static_cast<Eigen::Index>(element.particle.size())) = weights;
            element.particle.push_back(particle);
        }
        return element;
    }

private:
    double twice_area(const Triangle& t) const {
        const Eigen::Vector2d a = material_[t[1]] - material_[t[0]], b = material_[t[2]] - material_[t[0]];
        return a.x() * b.y() - a.y() * b.x();
    }

    // Adds `factor` times the slope along n of the plane through the corners of a triangle.
    void add_plane_slope(const Triangle& t, const Eigen::Vector2d& n, double factor, Weights& weights) const {
        const double area = twice_area(t);
        for (std::size_t k = 0; k < 3; ++k) {
            const Eigen::Vector2d opposite = material_[t[(k + 2) % 3]] - material_[t[(k + 1) % 3]];
            weights[t[k]] += factor * Eigen::Vector2d(-opposite.y(), opposite.x()).dot(n) / area;
        }
    }

    // Weights of dw/dn in the middle of side k of a triangle.
    Weights slope(Index t, std::size_t k, const Eigen::Vector2d& n) const {
        const Triangle& here = triangles_[t];
        const Index other = sides_.beside(t, k);
        Weights weights;
        std::vector<Index> around = {t};
        if (other == nobody) {
            add_plane_slope(here, n, 1, weights);
        } else {
            const double a1 = std::abs(twice_area(here)), a2 = std::abs(twice_area(triangles_[other]));
            add_plane_slope(here, n, a2 / (a1 + a2), weights);
            add_plane_slope(triangles_[other], n, a1 / (a1 + a2), weights);
            around.push_back(other);
        }

        // Changed as little as possible so that every quadratic surface has its slope. At borders and corners of the
        // cloth it takes more triangles around until they tell all quadratics apart; a strip of one row never does.
        const Eigen::Vector2d middle = (material_[here[k]] + material_[here[(k + 1) % 3]]) / 2;
        const double length = (material_[here[(k + 1) % 3]] - material_[here[k]]).norm();
        constexpr int most_rings = 3;
        for (int ring = 1; ring <= most_rings; ++ring) {
            around = sides_.widen(std::move(around));
            for (const Index triangle : around)
                for (const Index particle : triangles_[triangle]) weights.try_emplace(particle, 0.0);
            const auto count = static_cast<Eigen::Index>(weights.size());
            Eigen::MatrixXd monomials(6, count);
            Eigen::VectorXd before(count);
            Eigen::Index column = 0;
            for (const auto& [particle, weight] : weights) {
                const Eigen::Vector2d p = (material_[particle] - middle) / length;
                monomials.col(column) << 1, p.x(), p.y(), p.x() * p.x(), p.x() * p.y(), p.y() * p.y();
                before[column++] = weight;
            }
            Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
            solver.setThreshold(1e-6);
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

    std::span<const Triangle> triangles_;
    std::span<const Eigen::Vector2d> material_;
    Sides sides_;
};

} // namespace

Eigen::Matrix3d BendingLaw::matrix() const {
    Eigen::Matrix3d s;
    s << warp, across, 0, across, weft, 0, 0, 0, 4 * twist;
    return s;
}

std::vector<BendingElement> make_bending(std::span<const Triangle> triangles,
                                         std::span<const Eigen::Vector2d> material) {
    Builder builder(triangles, material);
    std::vector<BendingElement> elements;
    elements.reserve(triangles.size());
    for (Index t = 0; t < triangles.size(); ++t) elements.push_back(builder.element(t));
    return elements;
}

Eigen::Matrix3d curvatures(const BendingElement& element, const Eigen::Matrix3Xd& x) {
    return x * element.weights.transpose();
}

double bending_energy(const BendingElement& element, const BendingLaw& law, const Eigen::Matrix3Xd& x) {
    const Eigen::Matrix3d k = curvatures(element, x);
    return element.area / 2 * (k * law.matrix() * k.transpose()).trace();
}

Eigen::Matrix3Xd bending_gradient(const BendingElement& element, const BendingLaw& law, const Eigen::Matrix3Xd& x) {
    return element.area * curvatures(element, x) * law.matrix() * element.weights;
}

Eigen::MatrixXd bending_stiffness(const BendingElement& element, const BendingLaw& law) {
    return element.area * element.weights.transpose() * law.matrix() * element.weights;
}

} // namespace taffeta
