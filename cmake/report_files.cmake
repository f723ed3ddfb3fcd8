# The parts of the report page, in the order in which they are joined. Needs what web_files.cmake needs.
include(${CMAKE_CURRENT_LIST_DIR}/web_files.cmake)
set(REPORT_TEMPLATE ${ROOT}/web/report/page.html)
web_files(REPORT_STYLES css common/base report/parts report/tables common/charts report/charts report/whatif report/print)
web_files(REPORT_SCRIPTS js common/numbers common/elements common/series common/frame report/figures
          report/cells report/policies report/legend report/probe report/curves report/plane
          report/tables report/budgets report/pairs report/verify report/about
          report/whatif_points report/whatif_curves report/whatif_table report/whatif_contours
          report/whatif_grid report/whatif_segments report/whatif report/evaluate report/main)
