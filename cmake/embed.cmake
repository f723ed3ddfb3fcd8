# Writes a text file as a C++ function: cmake -DIN= -DOUT= -DHEADER= -DFUNCTION= -P this.
file(READ ${IN} text)
file(WRITE ${OUT}
"// Made by cmake/embed.cmake from ${IN}. Do not edit.
#include \"${HEADER}\"

namespace rein::serve {

std::string_view ${FUNCTION}() {
  return R\"rein_text(${text})rein_text\";
}

}  // namespace rein::serve
")
