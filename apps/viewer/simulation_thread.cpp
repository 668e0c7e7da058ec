#include "simulation_thread.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace taffeta::viewer {
namespace {

// More than this many steps behind, and time is let go.
constexpr double most_owed_steps = 2;
// A speed over less time than this is chance.
constexpr double shortest_measurement = 0.25; // s

float distance(const Vec3& a, const Vec3& b) {
    return length(a - b);
}

} // namespace

SimulationThread::SimulationThread(Options options)
    : options_(std::move(options)), paused_(options_.paused), thread_([this] { work(); }) {}

SimulationThread::~SimulationThread() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void SimulationThread::send(Command command) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(command));
    }
    wake_.notify_one();
}

std::vector<Event> SimulationThread::take_events() {
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
}

void SimulationThread::tell(Event event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
}

void SimulationThread::tell(const Errors& errors) {
    for (const Error& error : errors) tell(Notice{error.to_string(), true});
}

void SimulationThread::work() {
    last_ = Clock::now();
    while (take_commands()) {
        advance();
        wait();
    }
}

bool SimulationThread::take_commands() {
    {
        const std::lock_guard lock(mutex_);
        if (ends_) return false;
        commands_.swap(queue_);
    }
    for (Command& command : commands_) std::visit([this](auto& c) { apply(c); }, command);
    if (!commands_.empty() && !is_running()) publish(); // else the next step does
    commands_.clear();
    return true;
}

// Until the next step is due, or a command comes.
void SimulationThread::wait() {
    std::unique_lock lock(mutex_);
    const auto called = [this] { return ends_ || !queue_.empty(); };
    if (!is_running())
        wake_.wait(lock, called);
    else if (const double early = 1 / static_cast<double>(scene_.frame_rate) - owed_; early > 0)
        wake_.wait_until(
            lock, last_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(early)), called);
}

// At most one step, so that commands are never more than a step away.
void SimulationThread::advance() {
    const Clock::time_point now = Clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    if (!is_running()) {
        owed_ = 0;
        return;
    }
    const double dt = 1 / static_cast<double>(scene_.frame_rate);
    owed_ = single_steps_ > 0 ? dt : std::min(owed_ + passed, most_owed_steps * dt);
    if (owed_ < dt) return;
    owed_ -= dt;
    single_steps_ = std::max(0, single_steps_ - 1);
    step();
    publish();
}

void SimulationThread::step() {
    for (Held& held : hands_) { // what was released has been let go when it was told, before any of these closes
        if (!held.id) held.id = simulation_->grab_vertex(held.grab.vertex, held.grab.radius);
        simulation_->move_grab(*held.id, held.grab.target);
    }
    report_ = simulation_->step(1 / scene_.frame_rate);
    ++steps_;
    for (Held& held : hands_) {
        const Vec3 at = simulation_->position(held.grab.vertex);
        held.follows = distance(at, held.grab.target) <= 1e-4f * (1 + length(at));
    }
    if (!report_.finite) {
        paused_ = true;
        tell(Notice{"The cloth could not be followed any further and was paused. R starts again; more substeps, or "
                    "slower hands and colliders, help",
                    true});
    }

    const Clock::time_point now = Clock::now();
    progress_.emplace_back(now, simulation_->time());
    while (progress_.size() > 2 && now - progress_.front().first > std::chrono::seconds(1)) progress_.pop_front();

    const auto seconds = simulation_->seconds_by_stage();
    stage_seconds_.resize(seconds.size());
    std::vector<float> ms;
    for (std::size_t k = 0; const auto& stage : seconds) {
        ms.push_back(static_cast<float>(1000 * (stage.second - stage_seconds_[k])));
        stage_seconds_[k++] = stage.second;
    }
    history_.push_back(std::move(ms));
    if (history_.size() > history_length) history_.pop_front();
}

void SimulationThread::publish() {
    if (!simulation_) return;
    Frame& frame = frames_.back();
    frame.generation = generation_;
    frame.view = view_;
    render::take_snapshot(*simulation_, view_, level_, frame.snapshot);

    Statistics& s = frame.statistics;
    s.steps = steps_;
    s.paused = paused_;
    s.recording = recording_;
    s.step_length = 1 / static_cast<double>(scene_.frame_rate);
    s.speed = 1;
    if (progress_.size() > 1) {
        const double real = std::chrono::duration<double>(progress_.back().first - progress_.front().first).count();
        if (real > shortest_measurement) s.speed = (progress_.back().second - progress_.front().second) / real;
    }
    s.keeps_up = s.speed > 0.95;
    s.report = report_;
    s.max_stretch = simulation_->measure().max_stretch;
    s.hierarchy_levels = simulation_->hierarchy_levels();
    s.threads = simulation_->threads();
    s.hash = options_.hash ? simulation_->hash() : 0;
    s.stages.clear();
    for (const auto& stage : simulation_->seconds_by_stage()) s.stages.push_back(stage.first);
    s.stage_ms.assign(history_.begin(), history_.end());

    frame.hands.clear();
    for (const Held& held : hands_) frame.hands.push_back({held.grab.hand, held.follows});
    frames_.publish();
    if (options_.on_publish) options_.on_publish();
}

// --- commands
void SimulationThread::apply(Load& load) {
    if (recording_) tell(Notice{"The recording of hands was given up: another scene was loaded"});
    scene_ = std::move(load.scene);
    simulation_ = std::move(load.simulation);
    generation_ = load.generation;
    forget_state();
}

void SimulationThread::apply(const TogglePause&) {
    paused_ = !paused_;
    single_steps_ = 0;
    progress_.clear();
}

void SimulationThread::apply(const StepOnce&) {
    paused_ = true;
    ++single_steps_;
    progress_.clear();
}

void SimulationThread::apply(const Reset&) {
    const bool was_recording = recording_;
    if (restart() && was_recording) tell(Notice{"The recording of hands was given up: the scene was reset"});
}

void SimulationThread::apply(Change& change) {
    if (!simulation_) return;
    if (const Result<void> changed = simulation_->change(change.scene); changed)
        scene_ = std::move(change.scene);
    else
        tell(changed.errors());
}

void SimulationThread::apply(const Show& show) {
    view_ = show.view;
    level_ = show.level;
}

// A hand closes when the next step begins: until then others may let go of what it wants.
void SimulationThread::apply(const Grab& grab) {
    if (simulation_ && grab.vertex < simulation_->vertex_count()) hands_.push_back({grab, {}, true});
}

void SimulationThread::apply(const MoveHand& move) {
    for (Held& held : hands_)
        if (held.grab.hand == move.hand) held.grab.target = move.target;
}

void SimulationThread::apply(const Release& release) {
    for (const Held& held : hands_)
        if (held.grab.hand == release.hand && held.id) simulation_->release(*held.id);
    std::erase_if(hands_, [&](const Held& held) { return held.grab.hand == release.hand; });
}

void SimulationThread::apply(const MoveCollider& move) {
    if (simulation_ && move.collider >= 0 && move.collider < simulation_->collider_count())
        simulation_->move_collider(move.collider, move.target);
}

void SimulationThread::apply(const StartRecording&) {
    if (!restart()) return;
    simulation_->start_recording();
    recording_ = true;
}

void SimulationThread::apply(const StopRecording&) {
    if (!recording_) return;
    recording_ = false;
    RecordedScene recorded = {simulation_->recorded(scene_)};
    recorded.scene.duration = static_cast<float>(static_cast<double>(steps_) / static_cast<double>(scene_.frame_rate));
    tell(std::move(recorded));
}

bool SimulationThread::restart() {
    if (!simulation_) return false;
    Result<Simulation> again = Simulation::create(scene_);
    if (!again) {
        tell(again.errors());
        return false;
    }
    *simulation_ = std::move(*again);
    forget_state();
    return true;
}

void SimulationThread::forget_state() {
    hands_.clear();
    history_.clear();
    progress_.clear();
    stage_seconds_.clear();
    recording_ = false;
    single_steps_ = 0;
    report_ = {};
    steps_ = 0;
    owed_ = 0;
}

} // namespace taffeta::viewer
