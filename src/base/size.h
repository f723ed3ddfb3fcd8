// as_size: converts int to std::size_t. Counts are int everywhere, because arithmetic on them may
// go below 0; memory sizes are std::size_t.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rein {

constexpr std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace rein
