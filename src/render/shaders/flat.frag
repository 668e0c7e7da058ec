in vec4 tint;
out vec4 colour;

uniform int is_dot;

void main() {
    if (is_dot == 1 && length(gl_PointCoord - 0.5) > 0.5) discard;
    colour = tint;
}
