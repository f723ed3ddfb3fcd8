# The library: rein, and for the tests its twin under the sanitizers.
include(cmake/report.cmake)

# One folder, one room; a folder includes only what stands above it in this list.
file(GLOB REIN_SOURCES CONFIGURE_DEPENDS
     src/base/*.cc src/solve/*.cc src/estimate/*.cc src/price/*.cc src/explore/*.cc
     src/policy/*.cc src/engine/*.cc src/world/*.cc src/evaluate/*.cc)
list(FILTER REIN_SOURCES EXCLUDE REGEX "kernels_level")
list(APPEND REIN_SOURCES ${REPORT_TEXT})
set_property(SOURCE src/base/version.cc PROPERTY COMPILE_DEFINITIONS REIN_VERSION="${PROJECT_VERSION}")
# Few files read JSON. They must be compiled with simdjson's own definitions, as the tests are: its
# inline classes depend on them.
set_property(SOURCE src/evaluate/result_line.cc src/evaluate/result_file.cc PROPERTY
             COMPILE_DEFINITIONS $<TARGET_PROPERTY:simdjson::simdjson,INTERFACE_COMPILE_DEFINITIONS>)
set(REIN_NEEDS fmt::fmt PkgConfig::CLP ZLIB::ZLIB $<LINK_ONLY:simdjson::simdjson>)

# rein_library(NAME KIND option...): the library, compiled with these options; those of the kernels
# are in the variable KERNEL_OPTIONS. Sets NAME_objects: all of its objects.
function(rein_library name kind)
  add_library(${name} ${kind} ${REIN_SOURCES})
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE src)
  target_compile_options(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PUBLIC Threads::Threads PRIVATE ${REIN_NEEDS}
                        $<BUILD_INTERFACE:rein_flags>)
  # The hot loops, once for each level of x86; kernels.cc chooses at run time.
  foreach(level v2 v3 v4)
    add_library(${name}_kernels_${level} OBJECT src/base/kernels_level.cc)
    target_include_directories(${name}_kernels_${level} PRIVATE src)
    target_compile_definitions(${name}_kernels_${level} PRIVATE REIN_LEVEL=${level})
    target_link_libraries(${name}_kernels_${level} PRIVATE $<BUILD_INTERFACE:rein_flags>)
    target_compile_options(${name}_kernels_${level} PRIVATE ${KERNEL_OPTIONS} -march=x86-64-${level}
                           -Wno-maybe-uninitialized)  # a false alarm inside gcc 12's own header
    list(APPEND kernels $<TARGET_OBJECTS:${name}_kernels_${level}>)
  endforeach()
  if(kind STREQUAL "STATIC")
    target_sources(${name} PRIVATE ${kernels})
  endif()
  set(${name}_objects $<TARGET_OBJECTS:${name}> ${kernels} PARENT_SCOPE)
  # Building from nothing takes a third less time with these; a compiler cache cannot hold them.
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${name} PRIVATE <algorithm> <cmath> <cstdint> <functional> <memory>
                              <span> <string> <vector> <fmt/format.h>)
  endif()
endfunction()

# Checks for undefined behaviour in every line of vector code would take minutes to compile.
if(REIN_SANITIZE)
  set(KERNEL_OPTIONS -fno-sanitize=undefined)
endif()
rein_library(rein STATIC)
add_library(rein::rein ALIAS rein)

# The twin: objects, not an archive, so that a test can link them before its own. Where both have a
# copy of the same inline function, the linker keeps the first: the one that is watched.
if(REIN_TWIN)
  set(KERNEL_OPTIONS -O1 -g1 ${REIN_WATCHED} -fsanitize=address)
  rein_library(rein_twin OBJECT -O1 -g1 ${REIN_WATCHED} -fsanitize=address,undefined)
endif()
