// All of the simulation library. Files (scenes, meshes, results) are in <taffeta/io.h> and the target taffeta::io.
#pragma once

#include <taffeta/body.h>
#include <taffeta/fabric.h>
#include <taffeta/look.h>
#include <taffeta/math.h>
#include <taffeta/mesh.h>
#include <taffeta/parameters.h>
#include <taffeta/result.h>
#include <taffeta/scene.h>
#include <taffeta/simulation.h>
#include <taffeta/surface.h>
