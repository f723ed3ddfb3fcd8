# Writes MADE, a C++ file with the bytes of SOURCE as the text NAME.
file(READ ${SOURCE} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${MADE} "#include <string_view>
namespace rein {
namespace {
constexpr unsigned char kBytes[] = {
${bytes} 0};
}  // namespace
extern const std::string_view ${NAME};
const std::string_view ${NAME}(reinterpret_cast<const char*>(kBytes), ${size});
}  // namespace rein
")
