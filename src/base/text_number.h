// Numbers in the cells of files.
#pragma once

#include <string_view>

namespace rein {

// The cell without the spaces and tabs around it.
std::string_view trimmed(std::string_view cell);

// Reads a cell that is a finite number, perhaps with a sign. Returns false for any other cell.
bool to_number(std::string_view cell, double& out);

}  // namespace rein
