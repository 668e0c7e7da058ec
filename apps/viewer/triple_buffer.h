// One thread writes, another reads the newest; neither ever waits for the other.
#pragma once

#include <array>
#include <atomic>

namespace taffeta::viewer {

template <class T>
class TripleBuffer {
public:
    // --- the writer's side
    T& back() { return slots_[back_]; }
    void publish() { back_ = middle_.exchange(back_ | fresh, std::memory_order_acq_rel) & ~fresh; }

    // --- the reader's side
    // True if something newer than front() was there; front() is that now.
    bool update() {
        if ((middle_.load(std::memory_order_relaxed) & fresh) == 0) return false;
        front_ = middle_.exchange(front_, std::memory_order_acq_rel) & ~fresh;
        return true;
    }
    T& front() { return slots_[front_]; }
    const T& front() const { return slots_[front_]; }

private:
    static constexpr unsigned fresh = 4; // set while the slot in the middle has not been read
    std::array<T, 3> slots_ = {};
    unsigned back_ = 0, front_ = 2;
    std::atomic<unsigned> middle_ = 1;
};

} // namespace taffeta::viewer
