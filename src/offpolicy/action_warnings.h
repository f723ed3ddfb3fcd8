// Warnings about actions, of which there may be thousands: some are told, the others are counted.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace rein {

class ActionWarnings {
 public:
  explicit ActionWarnings(std::vector<std::string>& out) : out_(out) {}
  ~ActionWarnings() {
    if (count_ > kTold) out_.push_back(fmt::format("the same for {} more actions", count_ - kTold));
  }
  ActionWarnings(const ActionWarnings&) = delete;
  ActionWarnings& operator=(const ActionWarnings&) = delete;

  template <class Message>
  void add(const Message& message) {
    if (++count_ <= kTold) out_.push_back(message());
  }

 private:
  static constexpr int kTold = 3;
  std::vector<std::string>& out_;
  int count_ = 0;
};

}  // namespace rein
