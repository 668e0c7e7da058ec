// Joins the sixteen turns of the occlusion pattern, but not across the edges of things.
out vec4 colour;

uniform sampler2D occlusion_map;
uniform sampler2D depth_map;
uniform vec4 lens;

float distance_at(ivec2 pixel) {
    float z = 2.0 * texelFetch(depth_map, pixel, 0).r - 1.0;
    return 2.0 * lens.z * lens.w / (lens.w + lens.z - z * (lens.w - lens.z));
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy), last = textureSize(depth_map, 0) - 1;
    float here = distance_at(pixel), sum = 0.0, weights = 0.0;
    for (int y = -2; y < 2; ++y)
        for (int x = -2; x < 2; ++x) {
            ivec2 other = clamp(pixel + ivec2(x, y), ivec2(0), last);
            float weight = abs(distance_at(other) - here) < 0.01 * here + 0.005 ? 1.0 : 1e-4;
            sum += weight * texelFetch(occlusion_map, other, 0).r;
            weights += weight;
        }
    colour = vec4(sum / weights);
}
