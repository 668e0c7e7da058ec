#include "sim/world.h"

#include "sim/build/elements.h"
#include "solvers/implicit/implicit_solver.h"

namespace taffeta {

World::World(int threads) : parallel(threads) {}
World::~World() = default;

} // namespace taffeta
