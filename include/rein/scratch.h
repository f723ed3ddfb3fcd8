// Scratch: working memory that the caller owns, so that decide() is const and does not allocate.
// Use one Scratch per thread. A Scratch keeps nothing from one call to the next.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rein {

class Policy;

class Scratch {
 public:
  Scratch() = default;                     // grows on first use
  explicit Scratch(const Policy& policy);  // large enough for every round of this policy

  // Makes room for this many doubles and takes back all that were handed out.
  void reset(std::size_t doubles) {
    if (buffer_.size() < doubles) buffer_.resize(doubles);
    taken_ = 0;
  }
  // The next `count` doubles, contents unspecified. Throws Bug if reset() made too little room.
  std::span<double> take(std::size_t count);

 private:
  std::vector<double> buffer_;
  std::size_t taken_ = 0;
};

}  // namespace rein
