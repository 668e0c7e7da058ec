// Dear ImGui on a window.
#pragma once

#include "window.h"

namespace taffeta::viewer {

class Interface {
public:
    explicit Interface(Window& window); // after the window's callbacks have been installed
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;
    ~Interface();

    void begin_frame(); // from here on the two below are up to date
    void draw();
    bool wants_mouse() const;
    bool wants_keys() const;

private:
    void follow_screen();

    Window& window_;
    float density_ = 0, pixel_ratio_ = 0; // what the theme was made for
};

} // namespace taffeta::viewer
