// What the window has to say: news that fade, and errors that stay until they are dismissed.
#pragma once

#include <taffeta/result.h>

#include <chrono>
#include <string>
#include <vector>

namespace taffeta::viewer {

struct Notice { // what a thread has to say
    std::string text = {};
    bool is_error = false;
};

class Messages {
public:
    struct Message {
        std::string text = {};
        bool is_error = false;
        std::chrono::steady_clock::time_point since = {};
    };

    void inform(const std::string& text) { add(text, false); }
    void warn(const std::string& text) { add(text, true); }
    void warn(const Errors& errors);
    void add(const Notice& notice) { add(notice.text, notice.is_error); }
    void dismiss_errors();
    void forget_old();

    const std::vector<Message>& all() const { return all_; }
    std::vector<std::string> take_new(); // said since the last call

private:
    void add(const std::string& text, bool is_error);

    std::vector<Message> all_;
    std::vector<std::string> new_;
};

} // namespace taffeta::viewer
