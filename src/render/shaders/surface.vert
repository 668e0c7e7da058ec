// Everything that is lit: cloth, colliders, hands, the floor.
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec2 a_weave; // m, along the threads
layout(location = 3) in float a_value; // what a view paints

uniform mat4 model; // rigid
uniform mat4 view_projection;

out vec3 position;
out vec3 normal;
out vec2 weave;
out float value;

void main() {
    vec4 world = model * vec4(a_position, 1.0);
    position = world.xyz;
    normal = mat3(model) * a_normal;
    weave = a_weave;
    value = a_value;
    gl_Position = view_projection * world;
}
