// What the tool says to people, and the codes it exits with.
#pragma once

#include <taffeta/result.h>

#include <string>

namespace taffeta::cli {

enum ExitCode : int {
    exit_done = 0,
    exit_failed = 1, // the run failed; what was computed is kept
    exit_usage = 2,  // bad usage or bad input
};

void print_errors(const Errors& errors); // stderr, one line each
void print_warning(const std::string& message);

// A line that is written over while something goes on; silent where stderr is not a terminal.
class ProgressLine {
public:
    explicit ProgressLine(bool quiet);
    ~ProgressLine(); // clears the line
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    bool is_visible() const { return visible_; }
    void show(const std::string& line);

private:
    bool visible_;
    bool shown_ = false;
};

// "12 s", "3 min 20 s"
std::string duration_text(double seconds);

} // namespace taffeta::cli
