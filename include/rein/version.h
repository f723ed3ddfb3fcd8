// The version of the library, as `rein --version` prints it.
#pragma once

#include <string_view>

namespace rein {

std::string_view version();  // "0.2.0"

}  // namespace rein
