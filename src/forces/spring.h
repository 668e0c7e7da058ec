// The linear spring the length limits replace: the model [FGL03] starts from, kept for comparison.
#pragma once

#include <taffeta/math.h>

namespace taffeta {

// The force on i of a spring from i to j with stiffness k (N/m) and rest length l (m); N.  [FGL03] Eq. 4
template <class T>
Vector3<T> spring_force(const Vector3<T>& x_i, const Vector3<T>& x_j, T k, T l) {
    const Vector3<T> d = x_j - x_i;
    const T distance = length(d);
    return distance > 0 ? d * (k * (distance - l) / distance) : Vector3<T>{};
}

} // namespace taffeta
