// The studio around the scene: lighter towards the top, with darker corners.
uniform vec3 background;

vec3 backdrop(vec2 place) {
    float corner = length((place - vec2(0.5, 0.55)) * vec2(1.0, 0.8));
    return background * (1.06 - 0.34 * corner * corner);
}
