#include "messages.h"

#include <utility>

namespace taffeta::viewer {
namespace {

constexpr std::size_t most_messages = 12;
constexpr std::chrono::seconds news_last = std::chrono::seconds(8);

} // namespace

void Messages::warn(const Errors& errors) {
    for (const Error& error : errors) warn(error.to_string());
}

void Messages::dismiss_errors() {
    std::erase_if(all_, [](const Message& message) { return message.is_error; });
}

void Messages::forget_old() {
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(all_, [&](const Message& message) { return !message.is_error && now - message.since > news_last; });
}

std::vector<std::string> Messages::take_new() {
    return std::exchange(new_, {});
}

// The same words twice are said once, but anew.
void Messages::add(const std::string& text, bool is_error) {
    std::erase_if(all_, [&](const Message& message) { return message.text == text; });
    if (all_.size() == most_messages) all_.erase(all_.begin());
    all_.push_back({text, is_error, std::chrono::steady_clock::now()});
    new_.push_back(text);
}

} // namespace taffeta::viewer
