// Loops over all cores. The only place that knows the thread library.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace taffeta {

// A borrowed callable: two words, no allocation.
template <class Signature>
class FunctionRef;
template <class... Args>
class FunctionRef<void(Args...)> {
public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
    FunctionRef(F&& f) // NOLINT(bugprone-forwarding-reference-overload): constrained above
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* object, Args... args) { (*static_cast<std::remove_reference_t<F>*>(object))(args...); }) {}
    void operator()(Args... args) const { call_(object_, args...); }

private:
    void* object_;
    void (*call_)(void*, Args...);
};

class Parallel {
public:
    explicit Parallel(int threads); // 0: all cores
    Parallel(Parallel&&) noexcept;
    Parallel& operator=(Parallel&&) noexcept;
    ~Parallel();

    int threads() const;

    // Calls body(begin, end) on pieces that together cover [0, count), at once and in any order; a piece is the whole
    // range where `count` is not above `grain`, so that small work pays nothing. The caller's results must not depend
    // on the pieces. Every thread has its own share, the same in all loops over as many: what it has worked on is still
    // in its cache. Fetching it from another core's can take longer than the work.
    void for_ranges(std::size_t count, std::size_t grain, FunctionRef<void(std::size_t, std::size_t)> body) const;

    // The same for work that is not spread evenly: pieces of about `grain`, each for the thread that comes first.
    void for_uneven_ranges(std::size_t count, std::size_t grain,
                           FunctionRef<void(std::size_t, std::size_t)> body) const;

    // Runs `body` among the worker threads: a series of loops inside starts faster than each from outside.
    void enter(FunctionRef<void()> body) const;

private:
    struct Arena;
    template <class Partitioner>
    void loop(std::size_t count, std::size_t grain, const Partitioner& partitioner,
              FunctionRef<void(std::size_t, std::size_t)> body) const;

    std::unique_ptr<Arena> arena_;
};

} // namespace taffeta
