# rein_in_groups(TARGET SOURCE...): compiles up to eight files of a folder as one (REIN_GROUPS), in
# a third of the time. Two files of a group may not give the same name to things of their own. Those
# that do stand here and are compiled alone. The presets dev, tsan and fuzz build file by file, so
# that each file includes what it uses.
set(alone
    src/engine/encoding src/engine/largest_costs
    src/estimate/change src/estimate/kernel_features src/estimate/level src/estimate/ons
    src/estimate/ridge src/estimate/stack src/estimate/tree src/estimate/unit_features
    src/estimate/vaw
    src/evaluate/report src/evaluate/window_spend
    src/explore/gains
    src/money/week
    src/offpolicy/support src/offpolicy/varies_with_time src/offpolicy/whatif_json
    src/policy/floor src/policy/lagrange src/policy/optimism src/policy/shares
    src/policy/squarecbwk src/policy/stop
    src/serve/http_connection src/serve/http_mailbox src/serve/model_state src/serve/routes
    src/solve/mixture
    src/world/finite src/world/heavy src/world/linear src/world/linear_problem
    apps/rein/bound apps/rein/compare apps/rein/convert apps/rein/evaluate apps/rein/export
    apps/rein/load apps/rein/memory apps/rein/replay apps/rein/run apps/rein/serve
    apps/rein/train apps/rein/whatif
    python/bind/engine python/bind/explain python/bind/log python/bind/shape
    python/bind/whatif_passes
    tests/base/validate_test
    tests/engine/budgets_property_test tests/engine/parts_test tests/engine/replay_test
    tests/engine/rows_test tests/engine/steer_test
    tests/estimate/forgetting_test tests/estimate/linear_test tests/estimate/own_test
    tests/estimate/stack_test tests/estimate/vaw_test
    tests/evaluate/compare_test tests/evaluate/sweep_test
    tests/journal/sqlite_journal_test
    tests/log/name_actions_test
    tests/money/clock_test
    tests/offpolicy/support_test
    tests/policy/auto_test tests/policy/baseline_policy_test tests/policy/baseline_test
    tests/policy/certificate_test tests/policy/floor_test tests/policy/horizon_test
    tests/policy/lagrange_test tests/policy/loe2d_test tests/policy/own_policy_test
    tests/policy/own_potential_test tests/policy/range_test tests/policy/settings_test
    tests/policy/shares_test tests/policy/throwing_test tests/policy/toward_parts_test
    tests/policy/toward_test tests/policy/trace_test tests/policy/two_classes_test
    tests/price/own_test
    tests/serve/clock_test tests/serve/faults_test tests/serve/http_events_test
    tests/serve/http_limits_test tests/serve/http_lines_test tests/serve/model_state_test
    tests/serve/offline_test tests/serve/requests_test
    tests/solve/mixture_test
    tests/world/table_schema_test)
function(rein_in_groups target)
  if(NOT REIN_GROUPS)
    return()
  endif()
  foreach(source ${ARGN})
    string(REGEX MATCH "(src|apps|python|tests)/([a-z]+)/([a-z_0-9]+)[.]cc$" found ${source})
    set(folder ${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
    string(REGEX REPLACE "[.]cc$" "" name "${found}")
    if(found AND NOT name IN_LIST alone)
      math(EXPR group "0${count_${folder}} / 8")
      math(EXPR count_${folder} "0${count_${folder}} + 1")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
