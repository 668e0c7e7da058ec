// Runs a piece of code once on each instruction set that this machine and this build have.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

namespace taffeta::test {

template <class Body>
void for_each_instruction_set(Body body) {
    const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
    for (const std::int64_t target : targets) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(target);
        body(std::string(hwy::TargetName(target)));
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// And before that with 1, 2 and 8 threads: body(threads).
template <class Body>
void for_any_threads_and_instruction_set(Body body) {
    for (const int threads : {1, 2, 8}) body(threads);
    for_each_instruction_set([&](const std::string& set) {
        SCOPED_TRACE(set);
        body(1);
    });
}

} // namespace taffeta::test
