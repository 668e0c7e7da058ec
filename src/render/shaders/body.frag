// Colliders and hands: smooth matt solids.
in vec3 position;
in vec3 normal;
out vec4 colour;

uniform vec3 albedo;
uniform float glow; // 0..1, what the pointer is over

void main() {
    vec3 to_eye = normalize(eye - position);
    vec3 n = normalize(normal);
    if (!gl_FrontFacing) n = -n;
    float light = lit(position, n, 1);
    vec3 h = normalize(to_light + to_eye);
    float highlight = 0.12 * pow(max(0.0, dot(n, h)), 40.0);
    vec3 c = light * light_colour * (albedo * max(0.0, dot(n, to_light)) + highlight) + albedo * ambient(n) * open_sky();
    colour = vec4(tone_mapped(c + glow * 0.15), 1.0);
}
