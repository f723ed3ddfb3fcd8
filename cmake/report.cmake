# The report page, embedded in the library as one string (src/evaluate/report.h).
set(REIN_D3 /usr/share/nodejs CACHE PATH "folder that holds d3-scale/dist and D3's other modules")
set(ROOT ${CMAKE_CURRENT_SOURCE_DIR})
set(D3 ${REIN_D3})
include(cmake/report_files.cmake)
foreach(path ${WEB_LIBRARY})
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "the report page needs D3: ${path} is missing; scripts/install.sh build "
                        "installs Debian's node-d3-* packages, or set REIN_D3")
  endif()
endforeach()

set(REPORT_TEXT ${CMAKE_CURRENT_BINARY_DIR}/generated/report_template.cc)
add_custom_command(
  OUTPUT ${REPORT_TEXT}
  COMMAND ${CMAKE_COMMAND} -DROOT=${ROOT} -DD3=${REIN_D3} -DOUT=${REPORT_TEXT}
          -P ${ROOT}/cmake/report_page.cmake
  DEPENDS ${REPORT_TEMPLATE} ${REPORT_STYLES} ${REPORT_SCRIPTS} ${WEB_LICENCE} ${WEB_LIBRARY}
          cmake/report_page.cmake cmake/report_files.cmake cmake/web_files.cmake
  COMMENT "Joining the report page")
# clang warns of strings over 64 KiB, which every compiler here accepts.
set_property(SOURCE ${REPORT_TEXT} PROPERTY COMPILE_OPTIONS -Wno-overlength-strings)
