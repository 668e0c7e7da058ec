#include <taffeta/lab.h>

#include <cstdio>

int main() {
    const auto fit = taffeta::lab::fit_fabric({.weight = 0.15, .overhang = 0.06});
    if (!fit) return 1;
    std::printf("%s", fit->toml.c_str());
    return taffeta::lab::draw_plot({}, 100, 100) ? 0 : 1;
}
