// What a run writes, chosen by the ending of the name.
#pragma once

#include <taffeta/io.h>

#include <memory>

namespace taffeta::io {

// Fails at once where nothing could be written in the end.
Result<std::unique_ptr<Output>> make_output(const std::string& name, const SceneDesc& scene,
                                            const Simulation& simulation);

} // namespace taffeta::io
