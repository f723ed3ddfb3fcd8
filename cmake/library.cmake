# The library: rein, and for the tests its twin under the sanitizers.
include(cmake/report.cmake)
include(cmake/groups.cmake)

# One folder per layer. A folder includes only headers of the folders above it in this list.
file(GLOB REIN_SOURCES CONFIGURE_DEPENDS
     src/base/*.cc src/money/*.cc src/solve/*.cc src/estimate/*.cc src/price/*.cc src/explore/*.cc
     src/tuning/*.cc src/policy/*.cc src/policy/peers/*.cc src/schema/*.cc src/log/*.cc src/engine/*.cc
     src/offpolicy/*.cc src/world/*.cc src/evaluate/*.cc)
list(FILTER REIN_SOURCES EXCLUDE REGEX "kernels_(level|wide)")
list(FILTER REIN_SOURCES EXCLUDE REGEX "solve/lp_none|solve/lp\\.cc")
list(APPEND REIN_SOURCES ${REPORT_TEXT} $<IF:$<BOOL:${REIN_CLP}>,src/solve/lp.cc,src/solve/lp_none.cc>)
set_property(SOURCE src/base/version.cc PROPERTY COMPILE_DEFINITIONS REIN_VERSION="${PROJECT_VERSION}")
# Few files read JSON. They must be compiled with simdjson's own definitions, as the tests are,
# because its inline classes depend on them. Checks for undefined behaviour in simdjson take a
# minute per file.
set_property(SOURCE src/evaluate/play_line.cc src/evaluate/play_file.cc PROPERTY
             COMPILE_DEFINITIONS $<TARGET_PROPERTY:simdjson::simdjson,INTERFACE_COMPILE_DEFINITIONS>)
set_property(SOURCE src/evaluate/play_line.cc src/evaluate/play_file.cc PROPERTY
             COMPILE_OPTIONS -fno-sanitize=undefined)
set(REIN_NEEDS fmt::fmt $<$<BOOL:${REIN_CLP}>:PkgConfig::CLP> ZLIB::ZLIB $<LINK_ONLY:simdjson::simdjson>
    date::date-tz)

# The hot loops, compiled once per x86 level (only one of them for v4). kernels.cc chooses at run
# time. Other machines have one level.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(REIN_LEVELS v2 v3 v4)
else()
  set(REIN_LEVELS plain)
endif()
function(rein_kernels name level)
  set(source src/base/kernels_level.cc)
  if(level STREQUAL v4)
    set(source src/base/kernels_wide.cc)
  endif()
  add_library(${name}_${level} OBJECT ${source})
  target_include_directories(${name}_${level} PRIVATE src)
  target_compile_definitions(${name}_${level} PRIVATE REIN_LEVEL=${level})
  target_link_libraries(${name}_${level} PRIVATE $<BUILD_INTERFACE:rein_flags>)
  target_compile_options(${name}_${level} PRIVATE ${ARGN})
  if(NOT level STREQUAL plain)
    target_compile_options(${name}_${level} PRIVATE -march=x86-64-${level}
                           # a false warning inside gcc 12's own header
                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  endif()
endfunction()

# rein_library(NAME KIND option...): everything except the hot loops, compiled with these options.
function(rein_library name kind)
  add_library(${name} ${kind} ${REIN_SOURCES})
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE src)
  target_compile_options(${name} PRIVATE ${ARGN})
  # No symbol can be replaced from outside, so calls within the library are direct and may be
  # inlined.
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${name} PUBLIC Threads::Threads PRIVATE ${REIN_NEEDS}
                        $<BUILD_INTERFACE:rein_flags>)
  # A full build takes a third less time with precompiled headers; a compiler cache cannot use them.
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${name} PRIVATE <algorithm> <cmath> <cstdint> <functional> <memory>
                              <span> <string> <vector> <fmt/format.h>)
  endif()
endfunction()

# Checks for undefined behaviour in every line of vector code take minutes to compile.
if(REIN_SANITIZE)
  set(unchecked -fno-sanitize=undefined)
endif()
rein_library(rein STATIC)
rein_in_groups(rein 8 ${REIN_SOURCES})
add_library(rein::rein ALIAS rein)
foreach(level ${REIN_LEVELS})
  rein_kernels(rein_kernels ${level} ${unchecked})
  target_sources(rein PRIVATE $<TARGET_OBJECTS:rein_kernels_${level}>)
endforeach()

# The twin: a copy of the library under the sanitizers. It consists of objects, not an archive, so
# that a test can link them before its own. If both have a copy of an inline function, the linker
# keeps the first: the instrumented one. All levels of the hot loops access memory in the same way,
# so only one level is instrumented, and the twin's tests use it.
if(REIN_TWIN)
  file(STRINGS /proc/cpuinfo wide REGEX avx2 LIMIT_COUNT 1)
  list(GET REIN_LEVELS 0 REIN_TWIN_LEVEL)
  if(wide)
    set(REIN_TWIN_LEVEL v3)
  endif()
  # Without warnings, which the library itself has shown. ASan sees what is read through a null pointer,
  # past the end of an object, or from one that is gone. Without its warnings and these checks the twin
  # compiles in three fifths of the time. The presets dev and fuzz have them all.
  set(watched -w -O1 -g1 ${REIN_WATCHED} -fsanitize=address)
  rein_library(rein_twin OBJECT ${watched} -fsanitize=undefined
               -fno-sanitize=null,alignment,vptr,object-size)
  rein_in_groups(rein_twin 8 ${REIN_SOURCES})
  rein_kernels(rein_twin_kernels ${REIN_TWIN_LEVEL} ${watched})
  set(REIN_TWIN_OBJECTS $<TARGET_OBJECTS:rein_twin> $<TARGET_OBJECTS:rein_twin_kernels_${REIN_TWIN_LEVEL}>)
  foreach(level ${REIN_LEVELS})
    if(NOT level STREQUAL REIN_TWIN_LEVEL)
      list(APPEND REIN_TWIN_OBJECTS $<TARGET_OBJECTS:rein_kernels_${level}>)
    endif()
  endforeach()
endif()
