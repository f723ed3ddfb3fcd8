// Numbers in the cells of files.
#pragma once

#include <string_view>

namespace rein {

// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view cell);

// Reads a cell that is one finite number, with a plus or a minus. False for anything else.
bool to_number(std::string_view cell, double& out);

}  // namespace rein
