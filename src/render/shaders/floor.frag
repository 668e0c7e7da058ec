// A floor that fades into the background, with lines for scale: thin ones every 10 cm, stronger ones every metre.
in vec3 position;
out vec4 colour;

uniform vec3 centre;   // m
uniform float extent;  // m, where it has faded

// 1 on the lines of a grid with this spacing, filtered.
float lines(vec2 p, float spacing, float width) {
    vec2 g = p / spacing, pixel = fwidth(g);
    vec2 from_line = abs(fract(g - 0.5) - 0.5);
    vec2 half_width = vec2(0.5 * width / spacing);
    vec2 line = 1.0 - smoothstep(half_width, half_width + 1.3 * pixel, from_line);
    line *= clamp((2.0 * half_width + pixel) / (2.6 * pixel), 0.0, 1.0) * (1.0 - smoothstep(0.25, 0.7, pixel));
    return max(line.x, line.y);
}

void main() {
    float light = lit(position, vec3(0.0, 1.0, 0.0), 1);
    float sky = open_sky();
    // An unshadowed floor has the colour of the background, so that only shadow, folds' dimness and lines are seen.
    float full = max(0.0, to_light.y) * dot(light_colour, vec3(0.333)) + dot(sky_colour, vec3(0.333));
    float arriving = max(0.0, to_light.y) * light * dot(light_colour, vec3(0.333)) + sky * dot(sky_colour, vec3(0.333));
    vec3 behind = backdrop(gl_FragCoord.xy / picture_size);
    vec3 c = behind * 0.94 * mix(0.35, 1.0, arriving / full);
    float grid = max(0.10 * lines(position.xz, 0.1, 0.0012), 0.28 * lines(position.xz, 1.0, 0.003));
    c *= 1.0 - grid;
    float fade = 1.0 - smoothstep(0.35, 1.0, length(position - centre) / extent);
    colour = vec4(to_srgb(clamp(mix(behind, c, fade), 0.0, 1.0)), 1.0);
}
