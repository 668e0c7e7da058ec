in vec2 place;
out vec4 colour;

void main() {
    colour = vec4(to_srgb(clamp(backdrop(place), 0.0, 1.0)), 1.0);
}
