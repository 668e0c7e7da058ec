// What specimens are cut from.
#pragma once

#include <taffeta/lab.h>
#include <taffeta/mesh.h>

#include <array>
#include <cstddef>

namespace taffeta::lab {

// A rectangle in XZ with normal +Y, from x = 0 along +x, centred in z. Vertex j*(cells[0]+1)+i is the i-th along x in
// the j-th line along z; `irregular` moves it by up to a quarter of a cell if it is neither on the border nor in the
// second or last but one row along x, so that rows can be held and measured.
Mesh make_strip(std::array<double, 2> size, std::array<int, 2> cells, Triangulation triangulation);

// A ring in XZ with normal +Y, centred. Vertex j*cells[0]+i is the i-th round the j-th circle from the inside.
Mesh make_ring(double inner, double outer, std::array<int, 2> cells, Triangulation triangulation);

} // namespace taffeta::lab
