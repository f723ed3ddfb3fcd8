# rein_in_groups(TARGET SIZE SOURCE...): compiles up to SIZE files of a folder as one (REIN_GROUPS),
# in a third of the time. SIZE is larger where all files include a large header that is not ours:
# gtest, CLI11, Boost, nanobind. Two files of a group may not give the same name to things of their
# own: a private name says what it is the name of. The files listed here are compiled alone until their
# names do. apps/rein/memory stays: it replaces operator new, which no other file should see defined.
# The presets dev, tsan and fuzz build file by file, so that each file includes what it uses.
set(alone
    src/estimate/change src/estimate/kernel_features src/estimate/level src/estimate/ons
    src/estimate/race src/estimate/ridge src/estimate/stack src/estimate/tree
    src/estimate/unit_features src/estimate/vaw src/explore/gains src/policy/floor src/policy/shares
    src/policy/stop src/policy/peers/squarecbwk src/tuning/optimism apps/rein/memory)
function(rein_in_groups target size)
  if(NOT REIN_GROUPS)
    return()
  endif()
  foreach(source ${ARGN})
    string(REGEX MATCH "^(.*/)?((src|apps|python|tests)/[a-z]+(/[a-z]+)?)/([a-z_0-9]+)[.]cc$" found ${source})
    set(name ${CMAKE_MATCH_2}/${CMAKE_MATCH_5})
    string(REPLACE "/" "_" folder "${CMAKE_MATCH_2}")
    if(found AND NOT name IN_LIST alone)
      math(EXPR group "0${count_${folder}} / ${size}")
      math(EXPR count_${folder} "0${count_${folder}} + 1")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
