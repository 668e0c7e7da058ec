#include "core/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <optional>

#ifdef TAFFETA_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace taffeta {

namespace {

// ThreadSanitizer cannot see how the thread library hands work over. Its builds leave this file uninstrumented
// (src/CMakeLists.txt) and learn here what comes before what.
#ifdef TAFFETA_TSAN
void pass_on(void* place) {
    __tsan_release(place);
}
void take_up(void* place) {
    __tsan_acquire(place);
}
#else
void pass_on(void*) {}
void take_up(void*) {}
#endif

// What came before a loop comes before its pieces, and they before what follows it.
class Handover {
public:
    Handover() { pass_on(&start_); }
    ~Handover() { take_up(&finish_); }
    Handover(const Handover&) = delete;
    Handover& operator=(const Handover&) = delete;

    void begin_piece() { take_up(&start_); }
    void end_piece() { pass_on(&finish_); }

private:
    char start_ = 0, finish_ = 0; // only their addresses matter
};

} // namespace

struct Parallel::Arena {
    explicit Arena(int threads) : arena(threads) {
        // More threads than cores (to test that results do not depend on them) must be asked for.
        if (threads > tbb::info::default_concurrency())
            more_than_cores.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    }
    std::optional<tbb::global_control> more_than_cores;
    tbb::task_arena arena;
};

Parallel::Parallel(int threads)
    : arena_(std::make_unique<Arena>(threads > 0 ? threads : tbb::info::default_concurrency())) {}
Parallel::Parallel(Parallel&&) noexcept = default;
Parallel& Parallel::operator=(Parallel&&) noexcept = default;
Parallel::~Parallel() = default;

int Parallel::threads() const {
    return arena_->arena.max_concurrency();
}

template <class Partitioner>
void Parallel::loop(std::size_t count, std::size_t grain, const Partitioner& partitioner,
                    FunctionRef<void(std::size_t, std::size_t)> body) const {
    if (count == 0) return;
    if (count <= grain || threads() == 1) return body(0, count);
    Handover handover;
    arena_->arena.execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, count, grain),
            [&](const tbb::blocked_range<std::size_t>& piece) {
                handover.begin_piece();
                body(piece.begin(), piece.end());
                handover.end_piece();
            },
            partitioner);
    });
}

void Parallel::for_ranges(std::size_t count, std::size_t grain,
                          FunctionRef<void(std::size_t, std::size_t)> body) const {
    loop(count, grain, tbb::static_partitioner{}, body);
}

void Parallel::for_uneven_ranges(std::size_t count, std::size_t grain,
                                 FunctionRef<void(std::size_t, std::size_t)> body) const {
    loop(count, grain, tbb::simple_partitioner{}, body);
}

void Parallel::enter(FunctionRef<void()> body) const {
    if (threads() == 1) return body();
    Handover handover;
    arena_->arena.execute([&] {
        handover.begin_piece();
        body();
        handover.end_piece();
    });
}

} // namespace taffeta
