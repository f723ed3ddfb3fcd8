# Joins web/report into one page and writes it as a C++ string: cmake -DROOT= -DD3= -DOUT= -P this.
# The page needs no other file. Text that is not allowed inside a <script> is refused here.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/report_files.cmake)

function(joined variable)
  set(text "")
  foreach(path ${ARGN})
    file(READ ${path} part)
    string(APPEND text "${part}\n")
  endforeach()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

joined(style ${REPORT_STYLES})
joined(library ${REPORT_LIBRARY})
joined(script ${REPORT_SCRIPTS})
joined(licence ${REPORT_LICENCE})
joined(page ${REPORT_TEMPLATE})
foreach(part style library script licence)
  string(FIND "${${part}}" "</s" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "report page: \"</s\" in the ${part} would end its element early")
  endif()
endforeach()
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@LIBRARY@" "${library}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")
string(REPLACE "@LICENCE@" "${licence}" page "${page}")
file(WRITE ${OUT}
"// Made by cmake/report_page.cmake from web/report. Do not edit.
#include \"evaluate/report.h\"

namespace rein {

const std::string_view kReportTemplate = R\"rein_page(${page})rein_page\";

}  // namespace rein
")
