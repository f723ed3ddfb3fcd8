// Cells that are a list in JSON, of texts or of numbers. False if a cell is anything else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rein {

// Texts may also be whole numbers.
bool read_texts(std::string_view cell, std::vector<std::string>& out);
bool read_numbers(std::string_view cell, std::vector<double>& out);

}  // namespace rein
