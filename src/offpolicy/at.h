// at: as_size under a short name, because an expression here often indexes several arrays at once.
#pragma once

#include "base/size.h"

namespace rein {

constexpr std::size_t at(std::int64_t index) { return as_size(index); }

}  // namespace rein
