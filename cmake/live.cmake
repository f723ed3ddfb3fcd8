# The live page of the service, embedded in it as three strings (src/serve/page.h). Needs
# report.cmake, which finds D3.
include(cmake/live_files.cmake)
set(LIVE_TEXT ${CMAKE_CURRENT_BINARY_DIR}/generated/live_assets.cc)
add_custom_command(
  OUTPUT ${LIVE_TEXT}
  COMMAND ${CMAKE_COMMAND} -DROOT=${ROOT} -DD3=${REIN_D3} -DOUT=${LIVE_TEXT}
          -P ${ROOT}/cmake/live_page.cmake
  DEPENDS ${LIVE_TEMPLATE} ${LIVE_STYLES} ${LIVE_SCRIPTS} ${WEB_LICENCE} ${WEB_LIBRARY}
          cmake/live_page.cmake cmake/live_files.cmake cmake/web_files.cmake
  COMMENT "Joining the live page")
# clang warns of strings over 64 KiB, which every compiler here accepts.
set_property(SOURCE ${LIVE_TEXT} PROPERTY COMPILE_OPTIONS -Wno-overlength-strings)
