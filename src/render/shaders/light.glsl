// What all lit surfaces share. Colours are linear until tone_mapped().
uniform vec3 eye;
uniform vec3 to_light;       // unit
uniform vec3 light_colour;
uniform vec3 sky_colour;     // ambient light from above
uniform vec3 ground_colour;  // and from below
uniform sampler2DShadow shadow_map;
uniform mat4 shadow_matrix;  // world to the map, 0..1
uniform float shadow_texel;  // m
uniform sampler2D shadow_depth; // the same map, to be read
uniform float light_size;    // its diameter over its distance
uniform sampler2D occlusion_map;
uniform vec2 picture_size;

uniform vec2 disk[16]; // evenly over the unit disk

mat2 turn_of_pixel() { // noise without clumps, so that neighbours share the work
    float angle = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    return mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
}

// The share of the light that arrives, 0..1. Shadows are sharp where they touch what casts them and softer away from it
// [Fer05]: the mean distance of what is in between gives the width of the half-shadow. `stride`
// 1 looks at all places of the disk, 2 at every other.
float lit(vec3 p, vec3 n, int stride) {
    float facing = dot(n, to_light);
    // Off the surface by what the map's resolution could see of the surface itself.
    float slant = sqrt(max(0.0, 1.0 - facing * facing));
    vec3 off = n * sign(facing) * shadow_texel * (1.5 + 3.0 * slant);
    vec3 at = (shadow_matrix * vec4(p + off, 1.0)).xyz;
    float to_map = 1.0 / (shadow_texel * float(textureSize(shadow_map, 0).x)); // from metres, in all three directions
    mat2 turn = turn_of_pixel() * to_map;

    // Loops that need not run cost nothing, where branches would: most of a picture is not in shadow.
    bool is_on_map = all(greaterThan(at.xy, vec2(0.0))) && all(lessThan(at.xy, vec2(1.0)));
    float blockers = 0.0, depth = 0.0;
    for (int k = is_on_map ? 0 : 16; k < 16; k += 3) {
        vec2 place = k == 0 ? vec2(0.0) : 0.025 * (turn * disk[k]); // straight ahead, or narrow shadows get holes
        float other = texture(shadow_depth, at.xy + place).r;
        float blocks = step(other, min(at.z, 0.9999)); // beyond the map the floor still lies in shadow
        blockers += blocks;
        depth += blocks * other;
    }
    float gap = (at.z - depth / max(blockers, 1.0)) / to_map; // m
    float radius = clamp(light_size * gap, max(1.5 * shadow_texel, 0.006), 0.05);
    // Within a slanted surface the disk sees the surface itself: look from farther off.
    float bias = radius * min(slant / max(abs(facing), 0.1), 4.0) * 0.6;
    float sum = 0.0;
    for (int k = blockers > 0.0 ? 0 : 16; k < 16; k += stride)
        sum += texture(shadow_map, vec3(at.xy + radius * (turn * disk[k]), min(at.z, 0.9999) - bias * to_map));
    return blockers > 0.0 ? sum * float(stride) / 16.0 : 1.0;
}

// How much of the sky folds and corners see, 0..1.
float open_sky() {
    return texture(occlusion_map, gl_FragCoord.xy / picture_size).r;
}

vec3 ambient(vec3 n) {
    return mix(ground_colour, sky_colour, 0.5 + 0.5 * n.y);
}

vec3 to_srgb(vec3 c) {
    return mix(12.92 * c, 1.055 * pow(max(c, vec3(1e-5)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

// Highlights roll off instead of burning out: Reinhard's curve with a white point [RSSF02] Eq. 4, by channel, so that
// bright colours pale as they do on film.
vec3 tone_mapped(vec3 c) {
    const float white = 3.2;
    return to_srgb(clamp(c * (1.0 + c / (white * white)) / (1.0 + c), 0.0, 1.0));
}
