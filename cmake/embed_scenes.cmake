# Writes scenes/*.toml as C++ text into OUTPUT, so that the programs carry their scenes with them.
# cmake -DOUTPUT=builtin_scenes_text.h -DSCENES=a.toml;b.toml -P embed_scenes.cmake
set(text "#pragma once\n\n#include <taffeta/io.h>\n\nnamespace taffeta::io {\n\n")
string(APPEND text "inline constexpr BuiltinScene builtin_scene_texts[] = {\n")
foreach(scene IN LISTS SCENES)
  get_filename_component(name ${scene} NAME_WE)
  file(READ ${scene} content)
  string(APPEND text "    {\"${name}\", R\"scene(${content})scene\"},\n")
endforeach()
string(APPEND text "};\n\n} // namespace taffeta::io\n")
file(WRITE ${OUTPUT} "${text}")
