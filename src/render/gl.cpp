#include "render/gl.h"

#include <array>
#include <string>
#include <vector>

namespace taffeta::render {

GlObject make_buffer() {
    GLuint name = 0;
    glGenBuffers(1, &name);
    return {name, [](GLuint n) { glDeleteBuffers(1, &n); }};
}
GlObject make_vertex_array() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    return {name, [](GLuint n) { glDeleteVertexArrays(1, &n); }};
}
GlObject make_texture() {
    GLuint name = 0;
    glGenTextures(1, &name);
    return {name, [](GLuint n) { glDeleteTextures(1, &n); }};
}
GlObject make_framebuffer() {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    return {name, [](GLuint n) { glDeleteFramebuffers(1, &n); }};
}
GlObject make_renderbuffer() {
    GLuint name = 0;
    glGenRenderbuffers(1, &name);
    return {name, [](GLuint n) { glDeleteRenderbuffers(1, &n); }};
}

Mat4 operator*(const Mat4& a, const Mat4& b) {
    Mat4 product;
    for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t r = 0; r < 4; ++r) {
            float sum = 0;
            for (std::size_t k = 0; k < 4; ++k) sum += a.m[4 * k + r] * b.m[4 * c + k];
            product.m[4 * c + r] = sum;
        }
    return product;
}

namespace {

Result<GlObject> compile(GLenum stage, std::string_view name, std::initializer_list<std::string_view> parts) {
    GlObject shader(glCreateShader(stage), [](GLuint n) { glDeleteShader(n); });
    std::vector<const char*> texts;
    std::vector<GLint> lengths;
    for (const std::string_view part : parts) {
        texts.push_back(part.data());
        lengths.push_back(static_cast<GLint>(part.size()));
    }
    glShaderSource(*shader, static_cast<GLsizei>(texts.size()), texts.data(), lengths.data());
    glCompileShader(*shader);
    GLint compiled = 0;
    glGetShaderiv(*shader, GL_COMPILE_STATUS, &compiled);
    if (compiled != 0) return shader;
    std::array<char, 1024> log = {};
    glGetShaderInfoLog(*shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
    return Error{.message = "the shader \"" + std::string(name) + "\" does not compile here: " + log.data()};
}

} // namespace

Result<Program> Program::create(std::string_view name, std::string_view vertex, std::string_view common,
                                std::string_view fragment) {
    const std::string_view version = epoxy_is_desktop_gl() ? "#version 330 core\n"
                                                           : "#version 300 es\n"
                                                             "precision highp float;\n"
                                                             "precision highp sampler2DShadow;\n";
    Result<GlObject> vertex_shader = compile(GL_VERTEX_SHADER, name, {version, vertex});
    if (!vertex_shader) return vertex_shader.errors();
    Result<GlObject> fragment_shader = compile(GL_FRAGMENT_SHADER, name, {version, common, fragment});
    if (!fragment_shader) return fragment_shader.errors();
    GlObject program(glCreateProgram(), [](GLuint n) { glDeleteProgram(n); });
    glAttachShader(*program, **vertex_shader);
    glAttachShader(*program, **fragment_shader);
    glLinkProgram(*program);
    GLint linked = 0;
    glGetProgramiv(*program, GL_LINK_STATUS, &linked);
    if (linked != 0) return Program(std::move(program));
    std::array<char, 1024> log = {};
    glGetProgramInfoLog(*program, static_cast<GLsizei>(log.size()), nullptr, log.data());
    return Error{.message = "the shader \"" + std::string(name) + "\" does not link here: " + log.data()};
}

VertexArray::VertexArray(std::initializer_list<int> sizes, GLenum usage)
    : array_(make_vertex_array()), vertices_(make_buffer()), indices_(make_buffer()), usage_(usage) {
    for (const int size : sizes) floats_per_vertex_ += size;
    glBindVertexArray(*array_);
    glBindBuffer(GL_ARRAY_BUFFER, *vertices_);
    GLuint location = 0;
    std::uintptr_t offset = 0;
    for (const int size : sizes) {
        glEnableVertexAttribArray(location);
        glVertexAttribPointer(location, size, GL_FLOAT, GL_FALSE, floats_per_vertex_ * static_cast<int>(sizeof(float)),
                              reinterpret_cast<const void*>(offset)); // NOLINT: OpenGL's way to pass an offset
        ++location;
        offset += static_cast<std::uintptr_t>(size) * sizeof(float);
    }
    glBindVertexArray(0);
}

void VertexArray::set_vertices(std::span<const float> data) {
    glBindBuffer(GL_ARRAY_BUFFER, *vertices_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(data.size_bytes()), data.data(), usage_);
    if (!is_indexed_) count_ = data.size() / static_cast<std::size_t>(floats_per_vertex_);
}

void VertexArray::set_indices(std::span<const Index> indices) {
    glBindVertexArray(*array_);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, *indices_);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices.size_bytes()), indices.data(),
                 GL_STATIC_DRAW);
    glBindVertexArray(0);
    is_indexed_ = true;
    count_ = indices.size();
}

void VertexArray::draw(GLenum mode) const {
    draw(mode, 0, count_);
}

void VertexArray::draw(GLenum mode, std::size_t first, std::size_t count) const {
    if (count == 0) return;
    glBindVertexArray(*array_);
    if (is_indexed_)
        glDrawElements(mode, static_cast<GLsizei>(count), GL_UNSIGNED_INT,
                       reinterpret_cast<const void*>(first * sizeof(Index))); // NOLINT: OpenGL's way to pass an offset
    else
        glDrawArrays(mode, static_cast<GLint>(first), static_cast<GLsizei>(count));
    glBindVertexArray(0);
}

} // namespace taffeta::render
