// The cloth moves on a thread of its own, in steps of one length, as fast as the clock.
//
// Commands go in through a queue, frames come out through a triple buffer: drawing never makes the cloth wait. Where
// the machine cannot keep up, the cloth slows down; the time that was missed is not caught up with.
#pragma once

#include "messages.h"
#include "triple_buffer.h"

#include <taffeta/render.h>
#include <taffeta/simulation.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace taffeta::viewer {

using HandId = std::uint32_t; // given by the sender; never used twice

// --- what the thread is told
struct Load { // a simulation that was made of this scene
    SceneDesc scene = {};
    std::unique_ptr<Simulation> simulation = {};
    std::uint64_t generation = 0; // comes back in every frame, so that frames of the scene before are known
};
struct TogglePause {};
struct StepOnce {}; // and pause
struct Reset {};    // to the start, with the parameters as they are now
struct Change {     // of parameters
    SceneDesc scene = {};
};
struct Show { // what frames have to contain
    render::View view = render::View::shaded;
    int level = 0;
};
struct Grab {
    HandId hand = 0;
    Index vertex = 0;
    float radius = 0; // m
    Vec3 target = {}; // where the hand is when the next step ends
};
struct MoveHand {
    HandId hand = 0;
    Vec3 target = {};
};
struct Release {
    HandId hand = 0;
};
struct MoveCollider {
    int collider = 0;
    Pose target = {};
};
struct StartRecording {}; // resets; from then on hands and colliders are remembered
struct StopRecording {};  // answers with a RecordedScene
using Command = std::variant<Load, TogglePause, StepOnce, Reset, Change, Show, Grab, MoveHand, Release, MoveCollider,
                             StartRecording, StopRecording>;

// --- what it tells
struct RecordedScene {
    SceneDesc scene = {};
};
using Event = std::variant<Notice, RecordedScene>;

struct HandState {
    HandId hand = 0;
    bool follows = true; // false: another hand has the vertex
};

struct Statistics {
    long steps = 0; // since the start or the last reset
    bool paused = false;
    bool recording = false;
    double speed = 1;       // simulated over real time, of the last second
    bool keeps_up = true;   // false: steps take longer than they last
    double step_length = 0; // s
    StepReport report = {}; // of the last step
    float max_stretch = 1;  // longest edge over its rest length
    int hierarchy_levels = 0;
    int threads = 0;
    std::uint64_t hash = 0;
    std::vector<std::string> stages = {};
    std::vector<std::vector<float>> stage_ms = {}; // of the last steps, oldest first; each by stage
};

struct Frame {
    std::uint64_t generation = 0;
    render::Snapshot snapshot = {};
    render::View view = render::View::shaded; // what the snapshot was taken for
    Statistics statistics = {};
    std::vector<HandState> hands = {};
};

class SimulationThread {
public:
    struct Options {
        bool paused = false;
        bool hash = false;                     // of every frame
        std::function<void()> on_publish = {}; // called on the thread, e.g. to wake who waits
    };
    explicit SimulationThread(Options options);
    SimulationThread(const SimulationThread&) = delete;
    SimulationThread& operator=(const SimulationThread&) = delete;
    ~SimulationThread(); // ends after the step it is in

    void send(Command command);
    std::vector<Event> take_events();

    // The newest frame. For one reader.
    bool update() { return frames_.update(); }
    const Frame& frame() const { return frames_.front(); }

private:
    using Clock = std::chrono::steady_clock;
    struct Held { // a hand, or one that closes when the next step begins
        Grab grab = {};
        std::optional<GrabId> id = {};
        bool follows = true;
    };
    static constexpr std::size_t history_length = 120; // steps

    void work();
    bool take_commands(); // false: the end
    void wait();
    void advance();
    void step();
    void publish();
    void tell(Event event);
    void tell(const Errors& errors);

    void apply(Load& load);
    void apply(const TogglePause& toggle);
    void apply(const StepOnce& once);
    void apply(const Reset& reset);
    void apply(Change& change);
    void apply(const Show& show);
    void apply(const Grab& grab);
    void apply(const MoveHand& move);
    void apply(const Release& release);
    void apply(const MoveCollider& move);
    void apply(const StartRecording& start);
    void apply(const StopRecording& stop);
    bool restart();
    void forget_state();
    bool is_running() const { return simulation_ && (!paused_ || single_steps_ > 0); }

    const Options options_;

    // --- shared; the mutex is held to swap or append only
    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<Command> queue_;
    std::vector<Event> events_;
    bool ends_ = false;
    TripleBuffer<Frame> frames_;

    // --- the thread's own
    SceneDesc scene_;
    std::unique_ptr<Simulation> simulation_;
    std::uint64_t generation_ = 0;
    bool paused_ = false, recording_ = false;
    int single_steps_ = 0; // still to be done
    render::View view_ = render::View::shaded;
    int level_ = 0;
    std::vector<Held> hands_;
    std::vector<Command> commands_;

    Clock::time_point last_ = {}; // when owed_ was brought up to date
    double owed_ = 0;             // s of simulated time that the clock is ahead
    long steps_ = 0;
    StepReport report_ = {};
    std::deque<std::pair<Clock::time_point, double>> progress_; // simulated time of the last second
    std::deque<std::vector<float>> history_;                    // ms by stage
    std::vector<double> stage_seconds_;

    std::thread thread_; // last: it uses all of the above
};

} // namespace taffeta::viewer
