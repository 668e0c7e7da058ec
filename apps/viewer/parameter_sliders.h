// A slider for every parameter of a table (<taffeta/parameters.h>).
#pragma once

#include <taffeta/parameters.h>

namespace taffeta::viewer {

// True if something was changed. `original`: what a right click goes back to; what differs from it is marked.
bool parameter_sliders(SceneDesc& scene, const SceneDesc& original);
bool parameter_sliders(SolverDesc& solver, const SolverDesc& original);
bool parameter_sliders(Fabric& fabric, const Fabric& original);
bool parameter_sliders(WindDesc& wind, const WindDesc& original);

// All of another fabric but its name, the look too.
void put_on(const Fabric& from, Fabric& to);

// Takes over the parameters of another scene with the same cloths.
void copy_parameters(const SceneDesc& from, SceneDesc& to);

} // namespace taffeta::viewer
