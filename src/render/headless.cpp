// OpenGL without a display: EGL on a surfaceless platform, so that a server without a screen draws too.
#include <taffeta/render.h>

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <array>

namespace taffeta::render {

struct HeadlessContext::State {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;

    ~State() {
        if (display == EGL_NO_DISPLAY) return;
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
        // The display is one for the whole process and stays: ending it would end it for all others too.
    }
};

namespace {

Error no_opengl(const std::string& why) {
    return {.message =
                "pictures and films need OpenGL through EGL, but " + why +
                "; install Mesa (Debian: apt install libegl1 libgl1-mesa-dri) or write other outputs: .glb, .obj"};
}

EGLDisplay open_display() {
    // Without a display server if EGL can, else whatever it offers.
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        return eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    return eglGetDisplay(EGL_DEFAULT_DISPLAY);
}

} // namespace

Result<HeadlessContext> HeadlessContext::create(Api api) {
    if (!epoxy_has_egl()) return no_opengl("libEGL was not found");
    auto state = std::make_unique<State>();
    const EGLDisplay display = open_display();
    EGLint major = 0, minor = 0;
    if (display == EGL_NO_DISPLAY || eglInitialize(display, &major, &minor) == EGL_FALSE)
        return no_opengl("no EGL display could be opened");
    state->display = display;

    const bool is_desktop = api == Api::gl;
    eglBindAPI(is_desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
    const std::array<EGLint, 5> wanted = {EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RENDERABLE_TYPE,
                                          is_desktop ? EGL_OPENGL_BIT : EGL_OPENGL_ES3_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    eglChooseConfig(display, wanted.data(), &config, 1, &count);
    const std::array<EGLint, 9> desktop = {EGL_CONTEXT_MAJOR_VERSION,
                                           3,
                                           EGL_CONTEXT_MINOR_VERSION,
                                           3,
                                           EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                           EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                           EGL_CONTEXT_OPENGL_DEBUG,
                                           EGL_TRUE,
                                           EGL_NONE};
    const std::array<EGLint, 7> embedded = {
        EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_CONTEXT_OPENGL_DEBUG, EGL_TRUE, EGL_NONE};
    state->context = eglCreateContext(display, count > 0 ? config : nullptr, EGL_NO_CONTEXT,
                                      is_desktop ? desktop.data() : embedded.data());
    if (state->context == EGL_NO_CONTEXT) return no_opengl("this machine has no OpenGL 3.3");
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, state->context) == EGL_FALSE)
        return no_opengl("a context without a surface is not possible here");
    return HeadlessContext(std::move(state));
}

HeadlessContext::HeadlessContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
HeadlessContext::HeadlessContext(HeadlessContext&&) noexcept = default;
HeadlessContext& HeadlessContext::operator=(HeadlessContext&&) noexcept = default;
HeadlessContext::~HeadlessContext() = default;

bool is_software() {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER)); // NOLINT: bytes that are characters
    if (name == nullptr) return false;
    const std::string_view renderer = name;
    return renderer.find("llvmpipe") != std::string_view::npos || renderer.find("softpipe") != std::string_view::npos ||
           renderer.find("SwiftShader") != std::string_view::npos;
}

void watch_errors(std::vector<std::string>& messages) {
    if (!epoxy_has_gl_extension("GL_KHR_debug")) return;
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS); // on the thread and within the call that is wrong
    const auto collect = [](GLenum, GLenum type, GLuint, GLenum, GLsizei, const GLchar* text, const void* list) {
        if (type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR)
            const_cast<std::vector<std::string>*>(static_cast<const std::vector<std::string>*>(list)) // NOLINT: C API
                ->emplace_back(text);
    };
    glDebugMessageCallback(collect, &messages);
}

} // namespace taffeta::render
