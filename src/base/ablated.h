// ablated(): the value of a constant of the default policy, multiplied as the environment says. Only
// programs that are built with -DREIN_ABLATION=ON have it (make ablation). The library as it is used
// has constants, and nothing can change them.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace rein {

// REIN_CONSTANTS="kLevelShift*2,kTriesUnspent*0.5" multiplies these two. A count stays whole, and at least 1.
template <class Number>
Number ablated(std::string_view name, Number value) {
  double factor = 1.0;
  const char* given = std::getenv("REIN_CONSTANTS");
  std::string_view rest = given == nullptr ? "" : given;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t star = item.find('*');
    if (star == std::string_view::npos || item.substr(0, star) != name) continue;
    factor *= std::strtod(item.data() + star + 1, nullptr);
  }
  const double product = factor * static_cast<double>(value);
  if constexpr (std::is_integral_v<Number>) return static_cast<Number>(std::max(product, 1.0));
  return static_cast<Number>(product);
}

}  // namespace rein
