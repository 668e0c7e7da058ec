#include "interface.h"

#include "theme.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

namespace taffeta::viewer {

Interface::Interface(Window& window) : window_(window) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr; // nothing here is worth a file in the user's folder
    io.LogFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange; // the tools choose it
    ImGui_ImplGlfw_InitForOpenGL(window.handle(), true);
    ImGui_ImplOpenGL3_Init("#version 330 core");
}

Interface::~Interface() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

void Interface::begin_frame() {
    follow_screen();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
}

void Interface::draw() {
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

bool Interface::wants_mouse() const {
    return ImGui::GetIO().WantCaptureMouse;
}

bool Interface::wants_keys() const {
    return ImGui::GetIO().WantTextInput;
}

// A window may move to a screen of another density.
void Interface::follow_screen() {
    const float density = window_.content_scale(), ratio = window_.pixel_ratio();
    if (density == density_ && ratio == pixel_ratio_) return;
    if (density_ > 0) ImGui_ImplOpenGL3_DestroyFontsTexture();
    apply_theme(density, ratio);
    if (density_ > 0) ImGui_ImplOpenGL3_CreateFontsTexture();
    density_ = density;
    pixel_ratio_ = ratio;
}

} // namespace taffeta::viewer
