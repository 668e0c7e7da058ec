// Runs a piece of code once on each instruction set that this machine and this build have.
#pragma once

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

} // namespace taffeta::test
