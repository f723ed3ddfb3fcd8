# Joins web/report and web/common into one page and writes it as a C++ string: cmake -DROOT= -DD3= -DOUT= -P this.
# The page needs no other file. Text that is not allowed inside a <script> is refused here.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/report_files.cmake)

web_joined(style ${REPORT_STYLES})
web_joined(library ${WEB_LIBRARY})
web_joined(script ${REPORT_SCRIPTS})
web_joined(licence ${WEB_LICENCE})
web_joined(page ${REPORT_TEMPLATE})
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
"// Made by cmake/report_page.cmake from web/report and web/common. Do not edit.
#include \"evaluate/report.h\"

namespace rein {

const std::string_view kReportTemplate = R\"rein_page(${page})rein_page\";

}  // namespace rein
")
