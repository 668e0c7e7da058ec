// The framebuffers a picture passes through.
#pragma once

#include "render/gl.h"

#include <taffeta/render.h>

namespace taffeta::render {

// A framebuffer with one texture.
struct Target {
    GlObject framebuffer, texture;
    Size size = {};

    void begin() const; // draws into it from now on, all of it
};

// Depth that shaders can compare with; the light's view.
Target make_shadow_target(int side);
// Reads such a map as plain depth.
GlObject make_depth_sampler();
// Depth that shaders can read.
Target make_depth_target(Size size);
// One channel of 8 bits.
Target make_grey_target(Size size);

// What the picture itself is drawn into: several samples per pixel, joined at the end.
class PictureTarget {
public:
    PictureTarget() = default;
    PictureTarget(Size size, int samples);
    bool fits(Size size, int samples) const { return size_ == size && asked_samples_ == samples; }
    void begin() const;
    void finish(GLuint framebuffer) const; // joins the samples into another framebuffer
    io::Image read() const;                // the same into memory

private:
    void join() const;
    Size size_ = {0, 0};
    int asked_samples_ = 0;
    bool is_multisampled_ = false;
    GlObject framebuffer_, colour_, depth_; // with samples
    GlObject joined_, joined_colour_;
};

} // namespace taffeta::render
