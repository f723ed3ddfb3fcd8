#include "rein/scratch.h"

#include "base/check.h"

namespace rein {

std::span<double> Scratch::take(std::size_t count) {
  check(taken_ + count <= buffer_.size(), "scratch: more taken than reset() made room for");
  std::span<double> taken(buffer_.data() + taken_, count);
  taken_ += count;
  return taken;
}

}  // namespace rein
