# What the report page and the live page share. Needs ROOT, and D3: the folder with Debian's
# node-d3-* packages (D3's modules, each a file that adds to the global d3).
set(WEB_LICENCE ${ROOT}/web/common/licence.txt)
set(WEB_LIBRARY "")
foreach(name array collection color format interpolate path time time-format scale shape selection axis)
  list(APPEND WEB_LIBRARY ${D3}/d3-${name}/dist/d3-${name}.min.js)
endforeach()

# web_files(VARIABLE EXTENSION FOLDER/NAME...): the paths of parts in web.
function(web_files variable extension)
  list(TRANSFORM ARGN PREPEND ${ROOT}/web/)
  list(TRANSFORM ARGN APPEND .${extension})
  set(${variable} ${ARGN} PARENT_SCOPE)
endfunction()

# web_joined(VARIABLE PATH...): the text of these files, one after the other.
function(web_joined variable)
  set(text "")
  foreach(path ${ARGN})
    file(READ ${path} part)
    string(APPEND text "${part}\n")
  endforeach()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
