// A world of a few rounds that are written out, for tests.
#pragma once

#include <algorithm>
#include <vector>

#include "rein/world.h"

namespace rein {

class SmallWorld final : public World {
 public:
  // rounds[t]: the means of round t as World::means gives them; highest[t] likewise, or empty.
  SmallWorld(const Shape& shape, std::vector<std::vector<double>> rounds,
             std::vector<std::vector<double>> highest = {})
      : shape_(shape), rounds_(std::move(rounds)), highest_(std::move(highest)) {}

  const Shape& shape() const override { return shape_; }
  const Round& next() override {
    ++t_;
    round_.actions = static_cast<int>(means().size()) / shape_.heads();
    return round_;
  }
  void outcome(int action, Outcome& out) const override {
    const auto at = [&](int head) {
      return means()[static_cast<std::size_t>(head * round_.actions + action)];
    };
    out.reward = at(0);
    out.costs = Costs(shape_.heads() - 1);
    for (int i = 0; i < out.costs.size(); ++i) out.costs[i] = at(i + 1);
  }
  void means(std::span<double> out) const override {
    std::copy(means().begin(), means().end(), out.begin());
  }
  bool highest(std::span<double> out) const override {
    if (highest_.empty()) return false;
    const auto& now = highest_[static_cast<std::size_t>(t_)];
    std::copy(now.begin(), now.end(), out.begin());
    return true;
  }
  void observe(int, const Outcome&) override {}

  const std::vector<double>& means() const { return rounds_[static_cast<std::size_t>(t_)]; }
  int actions() const { return round_.actions; }

 private:
  Shape shape_;
  std::vector<std::vector<double>> rounds_, highest_;
  Round round_;
  int t_ = -1;
};

}  // namespace rein
