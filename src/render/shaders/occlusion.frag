// How much of the sky each pixel sees, from the depth of the pixels around it: scalable ambient obscurance [MML12].
in vec2 place;
out vec4 colour;

uniform sampler2D depth_map;
uniform vec4 lens; // tangents of half the angles, near, far
uniform float radius; // m

const int samples = 11;
uniform vec2 spiral[samples]; // within the unit disk, denser towards the middle

float distance_at(ivec2 pixel) {
    float z = 2.0 * texelFetch(depth_map, clamp(pixel, ivec2(0), textureSize(depth_map, 0) - 1), 0).r - 1.0;
    return 2.0 * lens.z * lens.w / (lens.w + lens.z - z * (lens.w - lens.z));
}

vec3 point_at(ivec2 pixel) { // m, in the camera's frame, looking along +z
    float z = distance_at(pixel);
    vec2 ray = (2.0 * (vec2(pixel) + 0.5) / vec2(textureSize(depth_map, 0)) - 1.0) * lens.xy;
    return vec3(ray * z, z);
}

// The difference to the neighbour on the side where the surface goes on.
vec3 slope(ivec2 pixel, vec3 p, ivec2 step) {
    vec3 ahead = point_at(pixel + step) - p, behind = p - point_at(pixel - step);
    return abs(ahead.z) < abs(behind.z) ? ahead : behind;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec3 p = point_at(pixel);
    if (p.z > 0.98 * lens.w) { // nothing there
        colour = vec4(1.0);
        return;
    }
    vec3 n = normalize(cross(slope(pixel, p, ivec2(0, 1)), slope(pixel, p, ivec2(1, 0)))); // towards the camera
    if (n.z > 0.0) n = -n;
    float height = float(textureSize(depth_map, 0).y);
    float reach = min(0.5 * radius * height / (p.z * lens.y), 0.2 * height); // in pixels
    float angle = float((pixel.x & 3) * 4 + (pixel.y & 3)) * 0.39269908; // sixteen turns, which the blur joins
    mat2 turn = reach * mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
    float sum = 0.0;
    for (int k = 0; k < samples; ++k) {
        vec3 v = point_at(pixel + ivec2(turn * spiral[k])) - p;
        float vv = dot(v, v);
        float f = max(radius * radius - vv, 0.0); // [MML12] Eq. 1 with its falloff
        sum += f * f * f * max((dot(v, n) - 0.002 * p.z) / (vv + 1e-5), 0.0);
    }
    float r2 = radius * radius;
    float open = max(0.2, 1.0 - sum * 5.0 * 1.1 * radius / (r2 * r2 * r2 * float(samples)));
    colour = vec4(open);
}
