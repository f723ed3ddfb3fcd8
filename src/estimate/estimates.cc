#include "rein/oracle.h"

namespace rein {

void Estimates::prepare(int heads, int most_actions) {
  const auto stride = static_cast<std::size_t>(most_actions);
  if (heads_ == heads && stride_ == stride) return;
  heads_ = heads;
  stride_ = stride;
  means_.assign(stride * static_cast<std::size_t>(heads), 0.0);
  widths_.assign(stride, 0.0);
}

}  // namespace rein
