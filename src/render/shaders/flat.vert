// Lines, dots and writing in plain colours.
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec4 a_colour;

uniform mat4 view_projection;
uniform float dot_size; // pixels
uniform float lift;     // towards the camera, so that lines on a surface are not half sunk

out vec4 tint;

void main() {
    tint = a_colour;
    gl_Position = view_projection * vec4(a_position, 1.0);
    gl_Position.z -= lift * gl_Position.w;
    gl_PointSize = dot_size;
}
