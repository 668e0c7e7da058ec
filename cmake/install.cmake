# `cmake --install`: libraries, headers, the command line tool, the licence, and the package that find_package(taffeta)
# reads. Within another project the library is a part of that project's build and installs nothing of its own.
option(TAFFETA_INSTALL "Install the library and the tool" ${PROJECT_IS_TOP_LEVEL})
if(NOT TAFFETA_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/taffeta)

# The targets of io, lab and render come in files of their own, so that who does not ask for them needs none of their
# libraries.
install(TARGETS taffeta EXPORT taffetaTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT taffetaTargets NAMESPACE taffeta:: DESTINATION ${package_dir})
if(TAFFETA_IO)
  install(TARGETS taffeta_io EXPORT taffetaIoTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT taffetaIoTargets NAMESPACE taffeta:: DESTINATION ${package_dir})
else()
  set(left_out PATTERN "io.h" EXCLUDE)
endif()
if(TAFFETA_RENDER)
  install(TARGETS taffeta_render EXPORT taffetaRenderTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT taffetaRenderTargets NAMESPACE taffeta:: DESTINATION ${package_dir})
else()
  list(APPEND left_out PATTERN "render.h" EXCLUDE)
endif()
if(TAFFETA_LAB)
  install(TARGETS taffeta_lab EXPORT taffetaLabTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT taffetaLabTargets NAMESPACE taffeta:: DESTINATION ${package_dir})
else()
  list(APPEND left_out PATTERN "lab.h" EXCLUDE)
endif()
if(TAFFETA_APPS)
  install(TARGETS taffeta_cli)
endif()

install(DIRECTORY include/taffeta TYPE INCLUDE FILES_MATCHING PATTERN "*.h" ${left_out})
install(FILES LICENSE TYPE DOC)

configure_package_config_file(cmake/taffetaConfig.cmake.in taffetaConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(taffetaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/taffetaConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/taffetaConfigVersion.cmake
  DESTINATION ${package_dir})
