// The same from a scene file, whose text stands here.
#include <taffeta/io.h>
#include <taffeta/taffeta.h>

#include <cmath>
#include <cstdio>

int main() {
    const char* text = "duration = 1\n"
                       "[[cloth]]\n"
                       "position = [0, 0.5, 0]\n"
                       "[[collider]]\n"
                       "shape = \"sphere\"\n";
    const auto scene = taffeta::io::read_scene_text(text, "text", ".");
    if (!scene) {
        for (const auto& error : scene.errors()) std::fprintf(stderr, "%s\n", error.to_string().c_str());
        return 2;
    }
    auto simulation = taffeta::Simulation::create(*scene);
    if (!simulation) return 2;
    simulation->step(scene->duration);
    std::printf("the longest edge is stretched to %.3f\n", simulation->measure().max_stretch);
    return std::isfinite(simulation->measure().max_stretch) ? 0 : 1;
}
