// What lies over the picture: messages, the list of keys, the first hint, how fast it goes.
#pragma once

#include "actions.h"
#include "messages.h"
#include "simulation_thread.h"

#include <vector>

namespace taffeta::viewer {

class Overlay {
public:
    bool shows_keys = false;

    struct Shown {
        const Messages& messages;
        const Statistics& statistics;
        bool is_filming;
        bool has_grabbed;  // then the hint has done its work
        float panel_width; // units of the window
    };
    std::vector<Action> draw(const Shown& shown);
    bool is_moving() const { return hint_strength_ > 0 && hint_strength_ < 1; }

private:
    void draw_hint(const Shown& shown);

    float hint_strength_ = 1;
};

} // namespace taffeta::viewer
