// OpenGL objects with owners. Only what OpenGL 3.3 core and OpenGL ES 3.0 (WebGL 2) both have.
#pragma once

#include <taffeta/math.h>
#include <taffeta/result.h>

#include <epoxy/gl.h>

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

namespace taffeta::render {

// The name of an OpenGL object, deleted with its owner.
class GlObject {
public:
    using Delete = void (*)(GLuint);
    GlObject() = default;
    GlObject(GLuint name, Delete remove) : name_(name), delete_(remove) {}
    GlObject(GlObject&& other) noexcept
        : name_(std::exchange(other.name_, 0)), delete_(std::exchange(other.delete_, nullptr)) {}
    GlObject& operator=(GlObject&& other) noexcept {
        std::swap(name_, other.name_);
        std::swap(delete_, other.delete_);
        return *this;
    }
    ~GlObject() {
        if (delete_ != nullptr) delete_(name_);
    }
    GLuint operator*() const { return name_; }

private:
    GLuint name_ = 0;
    Delete delete_ = nullptr;
};

GlObject make_buffer();
GlObject make_vertex_array();
GlObject make_texture();
GlObject make_framebuffer();
GlObject make_renderbuffer();

// By columns, as OpenGL has it: element (row r, column c) is m[4 * c + r].
struct Mat4 {
    std::array<float, 16> m = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
};
Mat4 operator*(const Mat4& a, const Mat4& b);

// A vertex and a fragment shader, linked. Setting a uniform uses the program; unknown uniforms are ignored, because
// shaders that do not need one lose it.
class Program {
public:
    // The sources without #version: it is put in front, as the context wants it. `common` goes before the fragment
    // part.
    static Result<Program> create(std::string_view name, std::string_view vertex, std::string_view common,
                                  std::string_view fragment);
    void use() const { glUseProgram(*program_); }
    void set(const char* uniform, int value) const { glUniform1i(at(uniform), value); }
    void set(const char* uniform, float value) const { glUniform1f(at(uniform), value); }
    void set(const char* uniform, float x, float y) const { glUniform2f(at(uniform), x, y); }
    void set(const char* uniform, float x, float y, float z, float w) const { glUniform4f(at(uniform), x, y, z, w); }
    void set(const char* uniform, const Vec3& v) const { glUniform3f(at(uniform), v.x, v.y, v.z); }
    void set(const char* uniform, std::span<const std::array<float, 2>> v) const {
        glUniform2fv(at(uniform), static_cast<GLsizei>(v.size()), v.front().data());
    }
    void set(const char* uniform, const Mat4& matrix) const {
        glUniformMatrix4fv(at(uniform), 1, GL_FALSE, matrix.m.data());
    }

private:
    explicit Program(GlObject program) : program_(std::move(program)) {}
    GLint at(const char* uniform) const { return glGetUniformLocation(*program_, uniform); }
    GlObject program_;
};

// For shaders that make their vertices up.
inline constexpr std::initializer_list<int> no_attributes = {};

// Vertices of one kind, interleaved floats, with or without indices.
class VertexArray {
public:
    // `sizes`: how many floats each attribute has, in the order of their locations.
    explicit VertexArray(std::initializer_list<int> sizes, GLenum usage = GL_STATIC_DRAW);
    void set_vertices(std::span<const float> data);
    void set_indices(std::span<const Index> indices);
    void draw(GLenum mode) const;                                       // everything
    void draw(GLenum mode, std::size_t first, std::size_t count) const; // a part of it, in indices or vertices

private:
    GlObject array_, vertices_, indices_;
    int floats_per_vertex_ = 0;
    GLenum usage_;
    std::size_t count_ = 0;
    bool is_indexed_ = false;
};

} // namespace taffeta::render
