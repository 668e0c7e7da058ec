// Pictures and films as outputs of a run.
#include "io/results/outputs.h"

#include <taffeta/render.h>

namespace taffeta::render {
namespace {

// A renderer that looks at the simulation; all outputs of a run share one.
class Photographer {
public:
    static Result<std::shared_ptr<Photographer>> create(const SceneDesc& scene, const Simulation& simulation,
                                                        const PictureOptions& options) {
        Result<HeadlessContext> context = HeadlessContext::create();
        if (!context) return context.faults();
        Result<Renderer> renderer = Renderer::create();
        if (!renderer) return renderer.faults();
        renderer->load(scene, simulation);
        return std::make_shared<Photographer>(std::move(*context), std::move(*renderer),
                                              options.camera.value_or(scene_camera(scene, simulation)), options);
    }
    Photographer(HeadlessContext context, Renderer renderer, const Camera& camera, const PictureOptions& options)
        : context_(std::move(context)), renderer_(std::move(renderer)), camera_(camera), options_(options) {}

    void look(const Simulation& simulation, Snapshot& out) const {
        take_snapshot(simulation, options_.view, options_.level, out);
    }
    io::Image develop(const Snapshot& snapshot) {
        return renderer_.picture(snapshot, camera_, options_.size, {.view = options_.view});
    }

private:
    HeadlessContext context_; // before the renderer, which must go first
    Renderer renderer_;
    Camera camera_;
    PictureOptions options_;
};

// The last frame, or with #### in the name every frame.
class PictureOutput : public io::Output {
public:
    PictureOutput(io::NumberedName name, std::shared_ptr<Photographer> photographer)
        : name_(std::move(name)), photographer_(std::move(photographer)) {}

    Result<Done> add_frame(const Simulation& simulation, std::span<const Vec3>) override {
        photographer_->look(simulation, last_);
        return name_.is_numbered() ? io::write_png(name_.of_frame(frame_++), photographer_->develop(last_)) : Done{};
    }
    Result<Done> finish(const io::RunReport&) override {
        return name_.is_numbered() ? Done{} : io::write_png(name_.of_frame(0), photographer_->develop(last_));
    }

private:
    io::NumberedName name_;
    std::shared_ptr<Photographer> photographer_;
    Snapshot last_;
    int frame_ = 0;
};

class FilmOutput : public io::Output {
public:
    FilmOutput(io::FilmWriter film, std::shared_ptr<Photographer> photographer)
        : film_(std::move(film)), photographer_(std::move(photographer)) {}

    Result<Done> add_frame(const Simulation& simulation, std::span<const Vec3>) override {
        photographer_->look(simulation, snapshot_);
        return film_.append(photographer_->develop(snapshot_));
    }
    Result<Done> finish(const io::RunReport&) override { return film_.commit(); }

private:
    io::FilmWriter film_;
    std::shared_ptr<Photographer> photographer_;
    Snapshot snapshot_;
};

} // namespace

io::OutputFactory picture_outputs(const PictureOptions& options) {
    return [options, shared = std::shared_ptr<Photographer>()](
               const std::string& name, const SceneDesc& scene,
               const Simulation& simulation) mutable -> Result<std::unique_ptr<io::Output>> {
        if (!shared) {
            Result<std::shared_ptr<Photographer>> made = Photographer::create(scene, simulation, options);
            if (!made) return made.faults();
            shared = *made;
        }
        if (name.ends_with(".mp4")) {
            Result<io::FilmWriter> film =
                io::FilmWriter::create(name, options.size.width, options.size.height, scene.frame_rate);
            if (!film) return film.faults();
            return std::unique_ptr<io::Output>(std::make_unique<FilmOutput>(std::move(*film), shared));
        }
        const io::NumberedName numbered(name);
        if (const Result<Done> writable = io::probe(numbered.of_frame(0)); !writable) return writable.faults();
        return std::unique_ptr<io::Output>(std::make_unique<PictureOutput>(numbered, shared));
    };
}

} // namespace taffeta::render
