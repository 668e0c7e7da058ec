#include "solvers/implicit/implicit_solver.h"

#include "solvers/implicit/conjugate_gradients.h"

#include <Eigen/LU>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

// How far cloth gives before it slides, in m: below what anybody sees.
constexpr double stick = 1e-5;

Vec3 to_float(const Eigen::Vector3d& p) {
    return {static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())};
}
Eigen::Vector3d to_double(const Vec3& p) {
    return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

// Where a point goes that sticks to a body.
Eigen::Vector3d carried(const Body& body, const Eigen::Vector3d& point) {
    if (body.pose == body.pose_prev) return point;
    const Vec3 before = to_float(point);
    return point + to_double(body.pose.to_world(body.pose_prev.to_local(before)) - before);
}

} // namespace

// One minimisation: from where the step began to where it ends.
struct ImplicitSolver::Problem {
    ImplicitSolver& solver;
    const ImplicitStep& step;
    const Eigen::Matrix3Xd& target;
    const Parallel& parallel;
    Eigen::Matrix3Xd y = {}; // m, where inertia leads
    double per_h2 = 0;       // 1/s^2; 0: no inertia
    std::vector<Eigen::Matrix3d> freedom = {};
    Eigen::Matrix3Xd gradient = {}; // N

    Index count() const { return static_cast<Index>(solver.mass_.size()); }
    bool is_fixed(Index p) const { return step.is_held[p] != 0 || !(solver.mass_[p] > 0); }

    double energy(const Eigen::Matrix3Xd& at) const {
        double sum = solver.elasticity_.energy(at, parallel);
        for (Index p = 0; p < count(); ++p) {
            const double mass = solver.mass_[p];
            if (is_fixed(p)) continue;
            if (per_h2 > 0)
                sum += mass * per_h2 / 2 * (at.col(p) - y.col(p)).squaredNorm();
            else
                sum -= mass * step.gravity.dot(at.col(p));
        }
        for (const Contact& contact : solver.contacts_) sum += friction_of(contact).energy(slide(contact, at).norm());
        for (const NearPair& pair : step.near) sum += repulsion_of(pair) / 2 * std::pow(overlap(pair, at).length, 2);
        return sum;
    }

    // Of all forces, also those that constraints will take up. Fills what the stiffness is made of.
    void find_gradient(const Eigen::Matrix3Xd& at) {
        gradient.setZero(3, count());
        for (Index p = 0; p < count(); ++p) {
            if (per_h2 > 0)
                gradient.col(p) = solver.mass_[p] * per_h2 * (at.col(p) - y.col(p));
            else
                gradient.col(p) = -solver.mass_[p] * step.gravity;
        }
        solver.elasticity_.add_gradient(at, parallel, gradient);
        for (const Contact& contact : solver.contacts_)
            gradient.col(contact.particle) += friction_of(contact).gradient(slide(contact, at));
        for (const NearPair& pair : step.near) {
            const Overlap over = overlap(pair, at);
            if (!(over.length > 0)) continue;
            const Eigen::Vector3d push = repulsion_of(pair) * over.length * over.direction;
            gradient.col(pair.i) += push;
            gradient.col(pair.j) -= push;
        }
    }

    void find_stiffness(const Eigen::Matrix3Xd& at) {
        Stiffness& stiffness = solver.stiffness_;
        solver.elasticity_.fill(parallel, stiffness);
        for (Index p = 0; p < count(); ++p) stiffness.inertia[p] = solver.mass_[p] * per_h2;
        for (const Contact& contact : solver.contacts_) {
            const Eigen::Matrix3d tangent = across(contact.normal);
            stiffness.blocks[stiffness.near.place(contact.particle, contact.particle)] +=
                tangent * friction_of(contact).hessian(slide(contact, at)) * tangent;
        }
        std::vector<Stiffness::Pair> pairs;
        for (const NearPair& pair : step.near) {
            const Overlap over = overlap(pair, at);
            if (over.length > 0)
                pairs.push_back({pair.i, pair.j, repulsion_of(pair) * over.direction * over.direction.transpose()});
        }
        stiffness.set_pairs(pairs);
    }

    // Who may move how, and where those go who must.
    Eigen::Matrix3Xd find_freedom(const Eigen::Matrix3Xd& at) {
        freedom.assign(count(), Eigen::Matrix3d::Identity());
        Eigen::Matrix3Xd prescribed = Eigen::Matrix3Xd::Zero(3, count());
        for (Index p = 0; p < count(); ++p) {
            if (!is_fixed(p)) continue;
            freedom[p].setZero();
            if (step.is_held[p] != 0) prescribed.col(p) = target.col(p) - at.col(p);
        }
        const std::vector<Contact>& contacts = solver.contacts_;
        for (std::size_t k = 0; k < contacts.size();) {
            std::vector<Eigen::Vector3d> normals;
            const Index p = contacts[k].particle;
            Eigen::Vector3d way = Eigen::Vector3d::Zero();
            for (; k < contacts.size() && contacts[k].particle == p; ++k) {
                const Eigen::Vector3d& n = contacts[k].normal;
                normals.push_back(n);
                // Out of this body without going back into those before.
                const Eigen::Matrix3d left = freedom_without(std::span(normals).first(normals.size() - 1));
                const double across_those = n.dot(left * n);
                if (across_those > 1e-6) way += left * n * ((-contacts[k].gap - n.dot(way)) / across_those);
            }
            freedom[p] = freedom_without(normals);
            prescribed.col(p) = way;
        }
        return prescribed;
    }

    // The forces that contacts have come to: what the gradient leaves along their normals.
    void find_contact_forces() {
        std::vector<Contact>& contacts = solver.contacts_;
        for (std::size_t k = 0; k < contacts.size();) {
            const std::size_t first = k;
            while (k < contacts.size() && contacts[k].particle == contacts[first].particle) ++k;
            const auto number = static_cast<Eigen::Index>(k - first);
            Eigen::Matrix3Xd normals(3, number);
            for (Eigen::Index i = 0; i < number; ++i)
                normals.col(i) = contacts[first + static_cast<std::size_t>(i)].normal;
            const Eigen::VectorXd forces =
                (normals.transpose() * normals + 1e-9 * Eigen::MatrixXd::Identity(number, number)).inverse() *
                (normals.transpose() * gradient.col(contacts[first].particle));
            for (Eigen::Index i = 0; i < number; ++i) contacts[first + static_cast<std::size_t>(i)].force = forces[i];
        }
    }

    static Eigen::Matrix3d across(const Eigen::Vector3d& n) { return Eigen::Matrix3d::Identity() - n * n.transpose(); }
    static DryFriction friction_of(const Contact& contact) {
        return {contact.friction * std::max(contact.force, 0.0), stick};
    }
    static Eigen::Vector3d slide(const Contact& contact, const Eigen::Matrix3Xd& at) {
        return across(contact.normal) * (at.col(contact.particle) - contact.anchor);
    }

    // How much two particles are too close, and the way from the first to the second.
    struct Overlap {
        double length = 0; // m; 0: they are not
        Eigen::Vector3d direction = Eigen::Vector3d::Zero();
    };
    static Overlap overlap(const NearPair& pair, const Eigen::Matrix3Xd& at) {
        const Eigen::Vector3d way = at.col(pair.j) - at.col(pair.i);
        const double distance = way.norm();
        if (!(distance < pair.distance) || !(distance > 0)) return {};
        return {pair.distance - distance, way / distance};
    }
    // N/m: a fifth of what the cloth itself resists with.
    double repulsion_of(const NearPair& pair) const {
        return 0.2 * std::min(solver.firmness_[pair.i], solver.firmness_[pair.j]);
    }

    // The step that minimises the quadratic around x, what is prescribed included.
    Eigen::Matrix3Xd solve(const Eigen::Matrix3Xd& prescribed, double tolerance) const {
        Eigen::Matrix3Xd dx = prescribed;
        const ConjugateGradients gradients = {.tolerance = tolerance};
        solver.linear_iterations_ += gradients.solve(solver.stiffness_, -gradient, freedom, parallel, dx).iterations;
        return dx;
    }

    // Goes along dx, what is prescribed first and in full, as far as the energy falls. Returns how far.
    double search_line(const Eigen::Matrix3Xd& prescribed, const Eigen::Matrix3Xd& dx) {
        const Eigen::Matrix3Xd start = solver.x + prescribed, way = dx - prescribed;
        const double before = energy(start);
        // What rounding may take from the energy: its terms are sums over all cloth.
        const double rounding = 1e-13 * (std::abs(before) + 1e-12);
        double part = 1;
        for (int halvings = 0; halvings < 20; ++halvings, part /= 2) {
            const Eigen::Matrix3Xd next = start + part * way;
            if (energy(next) <= before + rounding) {
                solver.x = next;
                return part;
            }
        }
        solver.x = start;
        return 0;
    }
};

ImplicitSolver::ImplicitSolver(Sheet sheet, std::span<const double> mass)
    : elasticity_(std::move(sheet)), mass_(mass.begin(), mass.end()), stiffness_(elasticity_.make_stiffness()) {
    find_firmness();
    remember();
    x.setZero(3, static_cast<Eigen::Index>(mass_.size()));
    v = x;
}

void ImplicitSolver::change(std::vector<SheetLaw> laws, std::span<const double> mass) {
    elasticity_.change_laws(std::move(laws));
    mass_.assign(mass.begin(), mass.end());
    stiffness_ = elasticity_.make_stiffness();
    find_firmness();
}

void ImplicitSolver::find_firmness() {
    firmness_.assign(mass_.size(), 0);
    const Sheet& sheet = elasticity_.sheet();
    for (std::size_t e = 0; e < sheet.membrane.size(); ++e) {
        const MembraneLaw& law = sheet.laws[sheet.cloth[e]].membrane;
        for (const Index p : sheet.membrane[e].particle) firmness_[p] = std::min(law.warp, law.weft);
    }
}

void ImplicitSolver::remember() {
    remembered_ = {contacts_, elasticity_.friction_anchors()};
}

void ImplicitSolver::forget_since() {
    contacts_ = remembered_.contacts;
    elasticity_.anchor_friction(remembered_.bends);
}

void ImplicitSolver::find_contacts(const Obstacles& obstacles, const Parallel& parallel) {
    const std::size_t bodies = obstacles.bodies.size();
    if (bodies == 0) return;
    const auto count = static_cast<std::size_t>(x.cols());
    std::vector<std::vector<Contact>> found((count + rows_at_once - 1) / rows_at_once);
    for_row_pieces(parallel, count, [&](std::size_t piece, std::size_t begin, std::size_t end) {
        auto known = std::lower_bound(contacts_.begin(), contacts_.end(), static_cast<Index>(begin),
                                      [](const Contact& contact, Index p) { return contact.particle < p; });
        for (std::size_t k = begin; k < end; ++k) {
            const auto p = static_cast<Index>(k);
            const auto first_known = known;
            while (known != contacts_.end() && known->particle == p) ++known;
            if (!(mass_[p] > 0)) continue;
            for (std::size_t body = 0; body < bodies; ++body) {
                const Skin& skin = obstacles.skins[obstacles.cloth_of[p] * bodies + body];
                const SurfacePoint surface = nearest_surface(obstacles.bodies[body], to_float(x.col(p)));
                const double gap = static_cast<double>(surface.distance) - static_cast<double>(skin.thickness);
                const auto before =
                    std::find_if(first_known, known, [&](const Contact& contact) { return contact.body == body; });
                const bool is_known = before != known;
                if (!(gap < 0 || (is_known && before->force > 0))) continue;
                Contact contact = {.particle = p,
                                   .body = body,
                                   .normal = to_double(surface.normal),
                                   .gap = gap,
                                   .force = is_known ? before->force : 0,
                                   .friction = static_cast<double>(skin.friction),
                                   .anchor =
                                       is_known ? before->anchor : carried(obstacles.bodies[body], x_start_.col(p))};
                found[piece].push_back(contact);
            }
        }
    });
    contacts_.clear();
    for (const std::vector<Contact>& some : found) contacts_.insert(contacts_.end(), some.begin(), some.end());
}

void ImplicitSolver::carry_anchors(const Obstacles& obstacles) {
    for (Contact& contact : contacts_) contact.anchor = carried(obstacles.bodies[contact.body], contact.anchor);
}

void ImplicitSolver::drag_anchors() {
    std::erase_if(contacts_, [](const Contact& contact) { return !(contact.force > 0); });
    for (Contact& contact : contacts_) {
        const Eigen::Vector3d way = x.col(contact.particle) - contact.anchor;
        const Eigen::Vector3d along_normal = contact.normal * contact.normal.dot(way);
        contact.anchor += along_normal + Problem::friction_of(contact).drag(way - along_normal);
    }
}

void ImplicitSolver::step(const ImplicitStep& step, const Eigen::Matrix3Xd& target, const Obstacles& obstacles,
                          const Parallel& parallel) {
    x_start_ = x;
    Problem problem = {.solver = *this, .step = step, .target = target, .parallel = parallel};
    problem.per_h2 = 1 / (step.h * step.h);
    problem.y = x + step.h * step.keep * v;
    problem.y.colwise() += step.h * step.h * step.gravity;
    elasticity_.prefer(Curvature::positive);
    elasticity_.begin_step(x, step.h, parallel);
    carry_anchors(obstacles);

    const bool is_linearised = step.iterations == 1;
    for (int iteration = 0; iteration < step.iterations; ++iteration) {
        find_contacts(obstacles, parallel);
        const Eigen::Matrix3Xd prescribed = problem.find_freedom(x);
        problem.find_gradient(x);
        problem.find_stiffness(x);
        const Eigen::Matrix3Xd dx = problem.solve(prescribed, is_linearised ? 1e-4 : 1e-3);
        if (is_linearised)
            x += dx;
        else
            problem.search_line(prescribed, dx);
        if (!contacts_.empty() || iteration + 1 == step.iterations) {
            problem.find_gradient(x);
            problem.find_contact_forces();
        }
        constexpr double still = 1e-5; // m/s: a change of velocity below which Newton's method has come to its end
        if (dx.cwiseAbs().maxCoeff() < still * step.h) break;
    }
    v = (x - x_start_) / step.h;
    drag_anchors();
    elasticity_.end_step(x, parallel);
}

Equilibrium ImplicitSolver::settle(const ImplicitStep& settings, const Eigen::Matrix3Xd& target,
                                   const Obstacles& obstacles, const Parallel& parallel) {
    // Steps from rest to rest, ever longer: where the way down is not clear, inertia keeps them short. The last ones
    // are so long that inertia no longer counts, and Newton's method alone finds the equilibrium.
    constexpr int most_steps = 400, most_newton = 30;
    constexpr double accuracy = 1e-6, longest = 1e5;
    Equilibrium result;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors;
    double h = 1.0 / 30;
    bool is_exact = true;
    for (int k = 0; k < most_steps && !result.found; ++k) {
        Problem problem = {.solver = *this, .step = settings, .target = target, .parallel = parallel};
        problem.per_h2 = 1 / (h * h);
        x_start_ = problem.y = x;
        problem.y.colwise() += h * h * settings.gravity;
        elasticity_.begin_step(x, 0, parallel);
        int newton = 0;
        bool is_stuck = false;
        for (; newton < most_newton; ++newton) {
            find_contacts(obstacles, parallel);
            const Eigen::Matrix3Xd prescribed = problem.find_freedom(x);
            elasticity_.prefer(is_exact ? Curvature::exact : Curvature::positive);
            problem.find_gradient(x);
            problem.find_stiffness(x);
            factors.compute(stiffness_.kept_to(problem.freedom));
            ++result.iterations;
            if (is_exact && (factors.info() != Eigen::Success || !(factors.vectorD().minCoeff() > 0))) {
                // Not at the bottom of a valley: there the exact stiffness would lead uphill.
                is_exact = false;
                continue;
            }
            Eigen::Matrix3Xd right(3, x.cols());
            for (Index p = 0; p < problem.count(); ++p)
                right.col(p) = problem.freedom[p] * (-problem.gradient.col(p) - stiffness_.times(prescribed, p));
            const Eigen::VectorXd solved = factors.solve(Eigen::VectorXd(right.reshaped()));
            Eigen::Matrix3Xd dx = prescribed;
            for (Index p = 0; p < problem.count(); ++p)
                dx.col(p) += problem.freedom[p] * solved.segment<3>(3 * static_cast<Eigen::Index>(p));
            const double part = problem.search_line(prescribed, dx);
            problem.find_gradient(x);
            problem.find_contact_forces();
            const double moved = dx.cwiseAbs().maxCoeff();
            if (part == 0) is_stuck = true;
            if (part == 0 || moved < 1e-10) break;
            is_exact = part == 1;
        }
        drag_anchors();
        elasticity_.end_step(x, parallel);

        problem.per_h2 = 0; // what is left without inertia
        problem.find_gradient(x);
        problem.find_freedom(x);
        double left = 0, taken = 0;
        for (Index p = 0; p < problem.count(); ++p) {
            const Eigen::Vector3d free = problem.freedom[p] * problem.gradient.col(p);
            left += free.squaredNorm();
            taken += (problem.gradient.col(p) - free).squaredNorm();
            taken += (mass_[p] * settings.gravity).squaredNorm();
        }
        result.residual = taken > 0 ? std::sqrt(left / taken) : std::sqrt(left);
        result.found = result.residual < accuracy;
        h = is_stuck || newton == most_newton ? h / 2 : std::min(h * (newton < 8 ? 2.5 : 1.2), longest);
    }
    v.setZero();
    linear_iterations_ += result.iterations;
    return result;
}

} // namespace taffeta
