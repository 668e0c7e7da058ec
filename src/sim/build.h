// From the description of a scene to a world ready to step: the only place where scenes are validated.
#pragma once

#include "sim/world.h"

#include <memory>

namespace taffeta {

Result<std::unique_ptr<World>> build_world(const SceneDesc& scene);

} // namespace taffeta
