// What a run writes, chosen by the ending of the name.
#pragma once

#include <taffeta/io.h>

#include <memory>

namespace taffeta::io {

// A name in which #### stands for the number of a frame, counted from 0; without it the name is every frame's.
class NumberedName {
public:
    explicit NumberedName(std::string name);
    bool is_numbered() const { return digits_ > 0; }
    std::filesystem::path of_frame(int frame) const;

private:
    std::string name_;
    std::size_t first_digit_ = 0, digits_ = 0;
};

// A fault where nothing could be written under this name.
Result<Done> probe(const std::filesystem::path& path);

// Fails at once where nothing could be written in the end.
// `pictures` makes .png and .mp4; it may be empty.
Result<std::unique_ptr<Output>> make_output(const std::string& name, const SceneDesc& scene,
                                            const Simulation& simulation, const OutputFactory& pictures);

} // namespace taffeta::io
