# The options every target of the project is compiled with; consumers see none of them.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  find_program(CCACHE ccache)
  if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()

function(taffeta_configure target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # Same bits on every machine: no contraction into FMA (docs/decisions/0002-determinism.md).
  # Nobody reads errno of sqrt, and without it loops vectorise.
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno)
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
      $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>) # g++ 12 sees overlaps in std::string that are none (GCC bug 105651)
  endif()
  if(TAFFETA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TAFFETA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(TAFFETA_SANITIZE MATCHES "undefined")
      # AddressSanitizer stops at null pointers as well; checks before each access take a sixth of the compilation.
      target_compile_options(${target} PRIVATE -fno-sanitize=null,vptr)
    endif()
    # One instruction set is enough here: the kernels of all take minutes more.
    target_compile_definitions(${target} PRIVATE HWY_COMPILE_ONLY_STATIC)
    target_link_options(${target} PUBLIC -fsanitize=${TAFFETA_SANITIZE})
  endif()
endfunction()
