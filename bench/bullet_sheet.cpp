#include "bullet_sheet.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>

#include <vector>

namespace taffeta::bench {

struct BulletSheet::Engine {
    Engine(std::span<const btVector3> positions, std::span<const float> mass)
        : body(&world.getWorldInfo(), static_cast<int>(positions.size()), positions.data(), mass.data()) {
        world.addSoftBody(&body);
    }
    ~Engine() { world.removeSoftBody(&body); }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSoftBody body;
};

BulletSheet::BulletSheet(const SheetParts& parts) {
    std::vector<btVector3> positions;
    for (const Vec3& p : parts.positions) positions.emplace_back(p.x, p.y, p.z);
    engine_ = std::make_unique<Engine>(positions, parts.mass);
    engine_->world.getWorldInfo().m_gravity = {parts.gravity.x, parts.gravity.y, parts.gravity.z};

    btSoftBody& body = engine_->body; // without drag, by default
    for (const Pair& link : parts.links) body.appendLink(static_cast<int>(link.i), static_cast<int>(link.j));
    if (parts.reorder_links) btSoftBodyHelpers::ReoptimizeLinkOrder(&body);
    body.m_materials[0]->m_kLST = 1; // stiffness of all links
    body.m_cfg.kDP = 1 - parts.velocity_factor;
    body.m_cfg.piterations = parts.iterations;
    body.m_cfg.collisions = 0;
    body.setActivationState(DISABLE_DEACTIVATION);
}

BulletSheet::BulletSheet(BulletSheet&&) noexcept = default;
BulletSheet& BulletSheet::operator=(BulletSheet&&) noexcept = default;
BulletSheet::~BulletSheet() = default;

void BulletSheet::step(float dt) {
    engine_->world.stepSimulation(dt, 0); // 0: exactly one step, of this length
}

Vec3 BulletSheet::position(Index particle) const {
    const btVector3& x = engine_->body.m_nodes[static_cast<int>(particle)].m_x;
    return {x.x(), x.y(), x.z()};
}

} // namespace taffeta::bench
