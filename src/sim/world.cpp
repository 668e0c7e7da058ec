#include "sim/world.h"

#include "sim/weave.h"
#include "solvers/implicit.h"

namespace taffeta {

World::World(int threads) : parallel(threads) {}
World::~World() = default;

} // namespace taffeta
