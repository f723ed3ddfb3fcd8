# Joins web/live into a page, a script and a style sheet, and writes them as C++ strings:
# cmake -DROOT= -DD3= -DOUT= -P this. They are files of their own because the content policy of the
# service allows nothing inline.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/live_files.cmake)

web_joined(page ${LIVE_TEMPLATE})
web_joined(style ${LIVE_STYLES})
web_joined(licence ${WEB_LICENCE})
web_joined(library ${WEB_LIBRARY})
web_joined(script ${LIVE_SCRIPTS})
foreach(part "<style" "style=" "<script>" "onclick=")
  string(FIND "${page}" "${part}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "live page: ${part} in page.html; the content policy allows nothing inline")
  endif()
endforeach()
set(script "/*\n${licence}*/\n${library}\n(() => {\n\"use strict\";\n${script}})();\n")
file(WRITE ${OUT}
"// Made by cmake/live_page.cmake from web/live and web/common. Do not edit.
#include \"serve/page.h\"

namespace rein::serve {

std::span<const Asset> live_assets() {
  static constexpr Asset kAssets[] = {
      {\"/\", \"text/html; charset=utf-8\", R\"rein_page(${page})rein_page\"},
      {\"/assets/live.js\", \"text/javascript; charset=utf-8\", R\"rein_page(${script})rein_page\"},
      {\"/assets/live.css\", \"text/css; charset=utf-8\", R\"rein_page(${style})rein_page\"},
  };
  return kAssets;
}

}  // namespace rein::serve
")
