#include "console.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace taffeta::cli {

void print_errors(const Errors& errors) {
    for (const Error& error : errors) std::fprintf(stderr, "%s\n", error.to_string().c_str());
}

void print_warning(const std::string& message) {
    std::fprintf(stderr, "warning: %s\n", message.c_str());
}

ProgressLine::ProgressLine(bool quiet) : visible_(!quiet && isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
    if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(const std::string& line) {
    if (!visible_) return;
    shown_ = true;
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
    std::fflush(stderr);
}

std::string duration_text(double seconds) {
    const long whole = std::lround(std::max(seconds, 0.0));
    return whole < 60 ? std::to_string(whole) + " s"
                      : std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

} // namespace taffeta::cli
