// Text of the caller's own in a message: at most 40 bytes, all printable.
#pragma once

#include <string>
#include <string_view>

namespace rein {

std::string shown(std::string_view text);

}  // namespace rein
