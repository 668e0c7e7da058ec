#include "constraints/schedule.h"

#include <algorithm>
#include <numeric>

namespace taffeta {
namespace {

class Maker {
    static constexpr std::size_t lanes = Schedule::lanes;

public:
    Maker(const VertexSets& particles, Index sentinel)
        : particles_(particles), sentinel_(sentinel), taken_(sentinel, 0) {}

    void append_colours(std::vector<Index> elements, Index first, Index end) {
        VertexSets sets;
        for (const Index element : elements) sets.add(particles_[element]);
        const std::vector<int> colour = colour_sets(sets, sentinel_);
        std::vector<std::size_t> order(elements.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        // Within a colour elements with as many particles come together, so that blocks have few empty places.
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(colour[a], sets[a].size()) < std::pair(colour[b], sets[b].size());
        });
        for (std::size_t k = 0; k < order.size();) {
            std::array<Index, lanes> block = empty;
            const int same = colour[order[k]];
            for (std::size_t lane = 0; lane < lanes && k < order.size() && colour[order[k]] == same; ++lane)
                block[lane] = elements[order[k++]];
            append(block, first, end);
        }
    }

    // Each lane goes along its own part of the list and waits for a row where it would meet a particle of another lane.
    void append_strands(const std::vector<Index>& elements, Index first, Index end) {
        constexpr std::size_t lane_sequential = 2 * lanes;
        const std::size_t length = (elements.size() + lane_sequential - 1) / lane_sequential;
        std::array<std::size_t, lane_sequential> next = {}, last = {};
        for (std::size_t s = 0; s < lane_sequential; ++s) {
            next[s] = std::min(s * length, elements.size());
            last[s] = std::min((s + 1) * length, elements.size());
        }
        for (std::size_t left = elements.size(); left > 0;) {
            std::array<std::array<Index, lanes>, 2> row = {empty, empty};
            ++now_;
            for (std::size_t s = 0; s < lane_sequential; ++s) {
                if (next[s] == last[s]) continue;
                const std::span<const Index> mine = particles_[elements[next[s]]];
                if (std::any_of(mine.begin(), mine.end(), [&](Index p) { return taken_[p] == now_; })) continue;
                for (const Index p : mine) taken_[p] = now_;
                row[s / lanes][s % lanes] = elements[next[s]];
                ++next[s], --left;
            }
            for (const auto& block : row)
                if (block != empty) append(block, first, end);
        }
    }

    void end_part() { schedule_.partition_begin.push_back(schedule_.blocks.size()); }
    Schedule take() { return std::move(schedule_); }

private:
    static constexpr std::array<Index, lanes> empty = {Schedule::none, Schedule::none, Schedule::none, Schedule::none,
                                                       Schedule::none, Schedule::none, Schedule::none, Schedule::none};

    // The filling comes from the range of the part; without one it is the sentinel.
    void append(const std::array<Index, lanes>& elements, Index first, Index end) {
        Schedule::Block block = {elements, sentinel_};
        ++now_;
        for (const Index element : elements)
            if (element != Schedule::none)
                for (const Index p : particles_[element]) taken_[p] = now_;
        for (Index p = first; p < end; ++p)
            if (taken_[p] != now_) {
                block.filling = p;
                break;
            }
        schedule_.blocks.push_back(block);
    }

    const VertexSets& particles_;
    Index sentinel_;
    std::vector<std::size_t> taken_; // by particle: in which round last
    std::size_t now_ = 0;
    Schedule schedule_;
};

} // namespace

Schedule make_schedule(const VertexSets& particles, std::span<const Index> partition_begin, Index sentinel,
                       SweepOrder arrangement) {
    const std::size_t parts = partition_begin.size() - 1;
    const auto part_of = [&](Index p) {
        return static_cast<std::size_t>(std::upper_bound(partition_begin.begin(), partition_begin.end() - 1, p) -
                                        partition_begin.begin() - 1);
    };
    std::vector<std::vector<Index>> by_part(parts);
    std::vector<Index> joints;
    std::size_t most = 0;
    for (Index k = 0; k < particles.size(); ++k) {
        const std::span<const Index> mine = particles[k];
        most = std::max(most, mine.size());
        const std::size_t part = part_of(mine[0]);
        const bool is_within = std::all_of(mine.begin(), mine.end(), [&](Index p) { return part_of(p) == part; });
        (is_within ? by_part[part] : joints).push_back(k);
    }
    Maker maker(particles, sentinel);
    for (std::size_t part = 0; part < parts; ++part) {
        const Index first = partition_begin[part], end = partition_begin[part + 1];
        if (parts > 1 && end - first <= most * Schedule::lanes) { // too few to fill blocks from: done with the joints
            joints.insert(joints.end(), by_part[part].begin(), by_part[part].end());
        } else if (parts == 1) {
            if (arrangement == SweepOrder::colours)
                maker.append_colours(std::move(by_part[part]), sentinel, sentinel);
            else
                maker.append_strands(by_part[part], sentinel, sentinel);
        } else {
            if (arrangement == SweepOrder::colours)
                maker.append_colours(std::move(by_part[part]), first, end);
            else
                maker.append_strands(by_part[part], first, end);
        }
        maker.end_part();
    }
    maker.append_colours(std::move(joints), sentinel, sentinel);
    return maker.take();
}

} // namespace taffeta
