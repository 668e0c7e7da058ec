// Woven cloth, seen from both sides.
in vec3 position;
in vec3 normal;
in vec2 weave;
in float value;
out vec4 colour;

uniform vec3 warp_colour;
uniform vec3 weft_colour; // of the pattern's other threads
uniform int weave_kind;   // 0 plain, 1 twill, 2 satin
uniform int pattern;      // 0 none, 1 stripes, 2 check
uniform float sheen;
uniform int view;         // 0 as it is, 1 strain, 2 normals, 3 pale
uniform float strain_range;

const float thread = 0.0016;  // m, from one thread to the next: coarser than life, to be seen
const float stripe = 0.035;   // m, width of a stripe of the patterns

float hash(float n) {
    return fract(sin(n * 12.9898) * 43758.5453);
}

// 1 inside every other stripe, 0 outside, with edges as sharp as the pixels allow.
float stripes(float x) {
    float p = x / (2.0 * stripe), width = fwidth(p);
    float wave = abs(fract(p) - 0.5); // 0 in the middle of a stripe, 0.5 between
    return mix(1.0 - smoothstep(0.25 - width, 0.25 + width, wave), 0.5, smoothstep(0.3, 0.6, width));
}

// Whether the warp thread passes over the weft thread at a crossing.
bool warp_is_above(vec2 crossing) {
    if (weave_kind == 0) return mod(crossing.x + crossing.y, 2.0) < 0.5;
    if (weave_kind == 1) return mod(crossing.x + crossing.y, 4.0) < 1.5;
    return mod(crossing.x + 2.0 * crossing.y, 5.0) > 0.5;
}

struct Fibre {
    vec3 albedo;
    vec2 tilt; // of the normal, along warp and weft
};

Fibre fibre() {
    vec2 p = weave / thread, crossing = floor(p), f = fract(p) - 0.5;
    bool warp = warp_is_above(crossing);
    float clear = 1.0 - smoothstep(0.15, 0.6, max(fwidth(p.x), fwidth(p.y))); // threads smaller than pixels blur

    // The dye of the thread on top; from afar, of both.
    float warp_dye = pattern == 0 ? 1.0 : stripes(weave.x), weft_dye = pattern == 2 ? stripes(weave.y) : warp_dye;
    float dye = mix(0.5 * (warp_dye + weft_dye), warp ? warp_dye : weft_dye, clear);
    vec3 albedo = mix(weft_colour, warp_colour, dye);

    // No two threads are alike; groups of them are still seen from afar.
    float number = warp ? crossing.x : crossing.y + 57.0;
    vec2 groups = floor(p / 6.0);
    float grouped = 1.0 - smoothstep(0.25, 0.9, max(fwidth(p.x), fwidth(p.y)) / 6.0);
    albedo *= 1.0 + clear * 0.16 * (hash(number) - 0.5) +
              grouped * 0.07 * (hash(groups.x) + hash(groups.y + 31.0) - 1.0);

    // Round threads: dark where they dive, tilted towards their sides.
    float across = warp ? f.x : f.y, along = warp ? f.y : f.x;
    albedo *= 1.0 - clear * (0.9 * across * across + 0.7 * along * along);
    vec2 tilt = clear * (warp ? vec2(across, 0.5 * along) : vec2(0.5 * along, across));
    return Fibre(albedo, tilt);
}

// Light that grazes the fuzz of a surface [EK17]: a distribution of fibres that stand out sideways.
float fuzz(vec3 n, vec3 l, vec3 v) {
    vec3 h = normalize(l + v);
    float sine = sqrt(max(0.0, 1.0 - dot(n, h) * dot(n, h)));
    float nl = max(dot(n, l), 0.0), nv = max(dot(n, v), 0.05);
    const float roughness = 0.45;
    float d = (2.0 + 1.0 / roughness) * pow(sine, 1.0 / roughness) / 6.2831853;
    return nl * d / (4.0 * (nl + nv - nl * nv));
}

// Blue is compressed, red is stretched, grey is at rest.
vec3 strain_colour(float stretch) {
    float s = clamp((stretch - 1.0) / strain_range, -1.0, 1.0);
    vec3 end = s < 0.0 ? vec3(0.05, 0.20, 0.75) : vec3(0.75, 0.05, 0.03);
    return mix(vec3(0.62), end, pow(abs(s), 0.8));
}

void main() {
    vec3 to_eye = normalize(eye - position);
    vec3 face = normalize(normal);
    if (!gl_FrontFacing) face = -face;
    vec3 n = face;

    vec3 albedo;
    if (view == 0) {
        Fibre f = fibre();
        albedo = f.albedo;
        // The frame of the threads, from how position and weave change over the picture.
        vec3 px = dFdx(position), py = dFdy(position);
        vec2 wx = dFdx(weave), wy = dFdy(weave);
        float area = wx.x * wy.y - wx.y * wy.x;
        vec3 warp_way = px * wy.y - py * wx.y, weft_way = py * wx.x - px * wy.x;
        if (dot(warp_way, warp_way) > 0.0 && dot(weft_way, weft_way) > 0.0)
            n = normalize(n + 0.9 * sign(area) * (f.tilt.x * normalize(warp_way) + f.tilt.y * normalize(weft_way)));
        if (!gl_FrontFacing) albedo = mix(albedo, vec3(dot(albedo, vec3(0.333))), 0.15) * 0.85;
    } else if (view == 1) {
        albedo = strain_colour(value);
    } else if (view == 2) {
        colour = vec4(to_srgb(0.5 + 0.5 * face), 1.0);
        return;
    } else {
        albedo = vec3(0.72);
    }

    float sky = open_sky();
    float nl = dot(n, to_light);
    float light = lit(position, face, 2);
    // A little shines through from behind. Both end where the light grazes, so that nothing jumps from side to side.
    float arriving = light * (nl > 0.0 ? nl : -0.3 * nl);
    vec3 c = albedo * (light_colour * arriving + ambient(n) * sky);
    vec3 gloss = mix(vec3(1.0), albedo, 0.4) * sheen;
    c += gloss * (2.2 * light_colour * light * fuzz(n, to_light, to_eye) +
                  ambient(n) * sky * 0.35 * pow(1.0 - max(0.0, dot(n, to_eye)), 4.0));
    colour = vec4(tone_mapped(c), 1.0);
}
