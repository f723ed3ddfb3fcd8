// as_size: counts are int everywhere, because arithmetic on them may go below 0; memory wants
// std::size_t. One short word for the step between.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rein {

constexpr std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace rein
