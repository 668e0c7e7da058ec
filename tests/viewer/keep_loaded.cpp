// Loaded before all else where LeakSanitizer looks on: OpenGL drivers stay loaded until the end. What a driver keeps in
// its own variables would be taken for lost once it is unloaded (Mesa's swrast_dri.so, 240 bytes), and could not even
// be named in a suppression, because its addresses belong to nobody then.
extern "C" int dlclose(void*) { // NOLINT: the name is that of the C library
    return 0;
}
