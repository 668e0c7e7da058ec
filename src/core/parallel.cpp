#include "core/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <optional>

namespace taffeta {

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

void Parallel::for_pieces(std::size_t count, std::size_t grain,
                          FunctionRef<void(std::size_t, std::size_t)> body) const {
    if (count == 0) return;
    if (count <= grain || threads() == 1) return body(0, count);
    arena_->arena.execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, count, grain),
            [&](const tbb::blocked_range<std::size_t>& piece) { body(piece.begin(), piece.end()); },
            tbb::simple_partitioner{});
    });
}

void Parallel::enter(FunctionRef<void()> body) const {
    if (threads() == 1) return body();
    arena_->arena.execute([&] { body(); });
}

} // namespace taffeta
