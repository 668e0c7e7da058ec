// The command line: `taffeta run SCENE -o OUT` and its neighbours.
#include "commands.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace {

using namespace taffeta;

void add_set_option(CLI::App* command, cli::SceneOptions& options) {
    command
        ->add_option("--set", options.set,
                     "Set any key of the scene, e.g. --set solver.iterations=8 or --set cloth.0.fabric=silk; "
                     "repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_common_options(CLI::App* command, cli::SceneOptions& options) {
    add_set_option(command, options);
    command->add_option("--duration", options.duration, "Seconds to simulate")->type_name("S");
    command
        ->add_option("--threads", options.threads, "Threads to use, 0 for all cores; the result does not depend on it")
        ->type_name("N");
    command->add_flag("--quiet", options.quiet, "Say nothing but errors");
    command->add_flag("--json", options.json, "Print the result as JSON");
}

void add_play_options(CLI::App* command, cli::PlayArguments& arguments) {
    command->add_option(
        "SCENE", arguments.scene.scene,
        "A scene file (.toml), the name of a built-in scene or a mesh (.obj .ply .glb .gltf); none: the "
        "tablecloth");
    add_set_option(command, arguments.scene);
    command->add_option("--size", arguments.picture.size, "Of the window")->type_name("WxH");
    command
        ->add_option("--view", arguments.picture.view,
                     "shaded, wireframe, strain, contacts, hierarchy or normals; keys 1 to 6")
        ->type_name("V");
    command
        ->add_option("--samples", arguments.samples, "Per pixel, 1 is fastest; not given: 4, or 1 with software OpenGL")
        ->check(CLI::Range(1, 16));
    command->add_flag("--paused", arguments.paused, "Do not start yet; Space does");
    command->add_option("--out", arguments.out, "Where pictures, films and scenes are written")->type_name("DIR");
    command->add_option("--log", arguments.log, "Write a line of JSON for each frame drawn")->type_name("FILE");
    command->add_option("--frames", arguments.frames, "End after so many frames drawn; 0: when you close the window")
        ->check(CLI::NonNegativeNumber);
}

CLI::App* add_lab(CLI::App& app, cli::LabArguments& arguments) {
    CLI::App* lab = app.add_subcommand(
        "lab", "Test cloth as textile engineers do, and compare with what theory expects: cantilever, drape, tensile, "
               "shear, incline, swing, catenary, buckling, invariance, or all but the last; or fit a fabric to "
               "measurements.\n"
               "Example: taffeta lab cantilever -o out/lab\n"
               "         taffeta lab fit --weight 0.15 --overhang 0.06 --angle 41.5");
    lab->add_option("TEST", arguments.test, "Which test, or all");
    lab->add_option("--fabric", arguments.fabric,
                    "A built-in fabric (taffeta fabrics) or a fabric file (.toml); none: the default one");
    lab->add_option("--method", arguments.method, "implicit, xpbd or limits")->capture_default_str();
    lab->add_option("--cells", arguments.cells, "Along a specimen")->capture_default_str();
    lab->add_option("--threads", arguments.threads, "Threads to use, 0 for all cores")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    lab->add_option("-o,--output", arguments.output, "A folder for TEST.json and TEST.png; none: only the table")
        ->type_name("DIR");
    lab->add_flag("--json", arguments.json, "Print the result as JSON");
    lab->add_flag("--quiet", arguments.quiet, "Say nothing but errors");
    return lab;
}

CLI::App* add_fit(CLI::App* lab, cli::FitArguments& arguments) {
    CLI::App* fit = lab->add_subcommand(
        "fit", "Turn measurements into the parameters of a fabric.\n"
               "Push a strip over an edge until its tip hangs by the angle, and read how far it hangs over.\n"
               "Example: taffeta lab fit --weight 0.15 --overhang 0.06 --angle 41.5 --tensile 0.01:5,0.02:11");
    fit->add_option("--name", arguments.name, "Of the fabric")->capture_default_str();
    fit->add_option("--weight", arguments.weight, "kg/m^2")->required();
    fit->add_option("--overhang", arguments.overhang, "Of a strip along the warp, m")->required();
    fit->add_option("--weft-overhang", arguments.weft_overhang, "Of a strip along the weft, m; none: as the warp");
    fit->add_option("--angle", arguments.angle, "Of the line from the edge to the tip below the horizontal, degrees")
        ->capture_default_str();
    fit->add_option("--tensile", arguments.tensile, "Strains of the warp and their loads in N per m of width")
        ->type_name("STRAIN:LOAD,...");
    fit->add_option("--weft-tensile", arguments.weft_tensile, "The same of the weft; none: as the warp")
        ->type_name("STRAIN:LOAD,...");
    fit->add_option("-o,--output", arguments.output, "A file to write; none: standard output")->type_name("FILE");
    return fit;
}

} // namespace

int main(int argc, char** argv) try {
    CLI::App app("Taffeta: interactive cloth.\nExample: taffeta run tablecloth -o tablecloth.glb");
    app.set_version_flag("--version", "taffeta " TAFFETA_VERSION);
    app.require_subcommand(1);
    int exit_code = cli::exit_done;

    cli::SceneOptions run_options;
    std::vector<std::string> outputs;
    CLI::App* run = app.add_subcommand("run", "Simulate a scene and write what comes of it.\n"
                                              "Example: taffeta run tablecloth -o out/tablecloth.glb --duration 2");
    run->add_option("SCENE", run_options.scene, "A scene file (.toml) or the name of a built-in scene")->required();
    run->add_option("-o,--output", outputs,
                    "Where to write, by ending: a folder (name/), .glb, .pc2, .obj, .ply, .png, .mp4 (#### in the "
                    "name: every frame); repeatable")
        ->type_name("OUT")
        ->allow_extra_args(false);
    cli::PictureOptions pictures;
    run->add_option("--size", pictures.size, "Of pictures and films, in pixels")
        ->type_name("WxH")
        ->capture_default_str();
    run->add_option("--camera", pictures.camera,
                    "Where pictures are taken from, in metres: FROM or FROM:AT or FROM:AT:FOV, e.g. "
                    "--camera 2,1.5,3:0,0.5,0:35")
        ->type_name("X,Y,Z[:X,Y,Z[:DEGREES]]");
    run->add_option("--view", pictures.view,
                    "What pictures show: shaded, wireframe, strain, contacts, hierarchy, normals")
        ->capture_default_str();
    add_common_options(run, run_options);
    run->callback([&] { exit_code = cli::run(run_options, outputs, pictures); });

    bool scenes_json = false;
    CLI::App* scenes = app.add_subcommand("scenes", "List the built-in scenes.\nExample: taffeta scenes");
    scenes->add_flag("--json", scenes_json, "Print the list as JSON");
    scenes->callback([&] { exit_code = cli::list_scenes(scenes_json); });

    std::string fabric;
    bool fabrics_json = false, fabrics_markdown = false;
    CLI::App* fabrics = app.add_subcommand("fabrics", "List the built-in fabrics, or print one with all its values.\n"
                                                      "Example: taffeta fabrics denim");
    fabrics->add_option("NAME", fabric, "A built-in fabric or a fabric file (.toml); none: all built-in ones");
    CLI::Option* as_json = fabrics->add_flag("--json", fabrics_json, "Print the values as JSON");
    fabrics->add_flag("--markdown", fabrics_markdown, "Print the tables of the manual, docs/fabrics.md")
        ->excludes(as_json);
    fabrics->callback([&] {
        exit_code = cli::list_fabrics(fabric, fabrics_json       ? cli::Format::json
                                              : fabrics_markdown ? cli::Format::markdown
                                                                 : cli::Format::text);
    });

    bool keys_markdown = false;
    CLI::App* keys =
        app.add_subcommand("keys", "List the parameters of scenes: unit, default, what is allowed, meaning.\n"
                                   "Example: taffeta keys");
    keys->add_flag("--markdown", keys_markdown, "Print the tables of the manual, docs/scene-format.md");
    keys->callback([&] { exit_code = cli::list_keys(keys_markdown); });

    std::vector<std::string> targets;
    bool check_json = false, check_frames = false;
    CLI::App* check = app.add_subcommand("check", "Count self-intersections, non-manifold edges and triangles without "
                                                  "area, of meshes or of all frames of a result folder; of a folder "
                                                  "also where cloth passes through colliders.\n"
                                                  "Exits with 1 if any triangles cross.\n"
                                                  "Example: taffeta check shirt.obj out/shirt/");
    check->add_option("MESH", targets, "Mesh files (.obj .ply .glb .gltf) or result folders")->required();
    check->add_flag("--json", check_json, "Print the counts as JSON");
    check->add_flag("--frames", check_frames, "Also tell each frame in which triangles cross; as JSON, every frame");
    check->callback([&] { exit_code = cli::check(targets, check_json, check_frames); });

    cli::SceneOptions bench_options;
    CLI::App* bench =
        app.add_subcommand("bench", "Time scenes stage by stage.\nExample: taffeta bench tabletop_dragged");
    bench->add_option("NAME", bench_options.scene, "A scene; none: all built-in ones");
    add_common_options(bench, bench_options);
    bench->callback([&] { exit_code = cli::bench(bench_options); });

    cli::LabArguments lab_arguments;
    cli::FitArguments fit_arguments;
    CLI::App* lab = add_lab(app, lab_arguments);
    CLI::App* fit = add_fit(lab, fit_arguments);
    lab->callback([&] { exit_code = fit->parsed() ? cli::fit(fit_arguments) : cli::lab(lab_arguments); });

    cli::PlayArguments play_arguments;
    CLI::App* play = app.add_subcommand("play", "Open the interactive viewer.\nExample: taffeta play tablecloth");
    add_play_options(play, play_arguments);
    play->callback([&] { exit_code = cli::play(play_arguments); });

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? cli::exit_done : cli::exit_usage;
    }
    return exit_code;
} catch (const std::exception& error) { // memory is the one thing that may still run out
    std::fprintf(stderr, "taffeta: %s\n", error.what());
    return taffeta::cli::exit_failed;
}
