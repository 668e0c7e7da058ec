#include "render/targets.h"

#include <algorithm>
#include <vector>

namespace taffeta::render {
namespace {

struct TextureFormat {
    GLenum internal, format, type, attachment;
    GLint filter;
};

Target make_target(Size size, const TextureFormat& format) {
    Target target = {make_framebuffer(), make_texture(), size};
    glBindTexture(GL_TEXTURE_2D, *target.texture);
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(format.internal), size.width, size.height, 0, format.format,
                 format.type, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, format.filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, format.filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindFramebuffer(GL_FRAMEBUFFER, *target.framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, format.attachment, GL_TEXTURE_2D, *target.texture, 0);
    if (format.attachment == GL_DEPTH_ATTACHMENT) {
        const GLenum none = GL_NONE;
        glDrawBuffers(1, &none);
        glReadBuffer(GL_NONE);
    }
    return target;
}

constexpr TextureFormat depth_format = {GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, GL_DEPTH_ATTACHMENT,
                                        GL_NEAREST};

} // namespace

void Target::begin() const {
    glBindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    glViewport(0, 0, size.width, size.height);
}

Target make_shadow_target(int side) {
    TextureFormat format = depth_format;
    format.filter = GL_LINEAR; // comparisons are blended
    Target target = make_target({side, side}, format);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    return target;
}

GlObject make_depth_sampler() {
    GLuint name = 0;
    glGenSamplers(1, &name);
    glSamplerParameteri(name, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glSamplerParameteri(name, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glSamplerParameteri(name, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(name, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(name, GL_TEXTURE_COMPARE_MODE, GL_NONE);
    return {name, [](GLuint n) { glDeleteSamplers(1, &n); }};
}

Target make_depth_target(Size size) {
    return make_target(size, depth_format);
}

Target make_grey_target(Size size) {
    return make_target(size, {GL_R8, GL_RED, GL_UNSIGNED_BYTE, GL_COLOR_ATTACHMENT0, GL_LINEAR});
}

PictureTarget::PictureTarget(Size size, int samples)
    : size_(size), asked_samples_(samples), framebuffer_(make_framebuffer()), colour_(make_renderbuffer()),
      depth_(make_renderbuffer()), joined_(make_framebuffer()), joined_colour_(make_renderbuffer()) {
    GLint most = 1;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    samples = std::min(samples, most);
    is_multisampled_ = samples > 1;
    const auto allocate = [&](const GlObject& buffer, GLenum format, int count) {
        glBindRenderbuffer(GL_RENDERBUFFER, *buffer);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, count, format, size.width, size.height);
    };
    allocate(colour_, GL_RGBA8, is_multisampled_ ? samples : 0);
    allocate(depth_, GL_DEPTH_COMPONENT24, is_multisampled_ ? samples : 0);
    glBindFramebuffer(GL_FRAMEBUFFER, *framebuffer_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, *colour_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, *depth_);
    if (!is_multisampled_) return;
    allocate(joined_colour_, GL_RGBA8, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, *joined_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, *joined_colour_);
}

void PictureTarget::begin() const {
    glBindFramebuffer(GL_FRAMEBUFFER, *framebuffer_);
    glViewport(0, 0, size_.width, size_.height);
}

// Leaves the joined picture bound for reading.
void PictureTarget::join() const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, *framebuffer_);
    if (!is_multisampled_) return;
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, *joined_);
    glBlitFramebuffer(0, 0, size_.width, size_.height, 0, 0, size_.width, size_.height, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, *joined_);
}

void PictureTarget::finish(GLuint framebuffer) const {
    join(); // first into a buffer of our own: a window's format may differ, and only joined pixels can be converted
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glBlitFramebuffer(0, 0, size_.width, size_.height, 0, 0, size_.width, size_.height, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

io::Image PictureTarget::read() const {
    join();
    const auto width = static_cast<std::size_t>(size_.width), height = static_cast<std::size_t>(size_.height);
    std::vector<std::uint8_t> rgba(4 * width * height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, size_.width, size_.height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
    io::Image image = {size_.width, size_.height, std::vector<std::uint8_t>(3 * width * height)};
    for (std::size_t y = 0; y < height; ++y) { // OpenGL begins at the bottom
        const std::uint8_t* from = &rgba[4 * width * (height - 1 - y)];
        std::uint8_t* to = &image.rgb[3 * width * y];
        for (std::size_t x = 0; x < width; ++x, from += 4, to += 3) std::copy_n(from, 3, to);
    }
    return image;
}

} // namespace taffeta::render
