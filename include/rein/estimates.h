// Estimates: the means and the widths that an oracle gives to every action of one round.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rein {

// The estimates for every action of one round, in the units of the shape.
class Estimates {
 public:
  // Makes room for `heads` rows of `actions` numbers, contents unspecified. Allocates only to grow.
  void prepare(int heads, int actions);
  // Shortens the rows. REQUIRES at most as many actions as were prepared.
  void set_actions(int actions) { actions_ = actions; }
  // Uses fewer rows than were prepared; the widths follow the last row in use.
  void set_heads(int heads) { heads_ = heads; }

  int actions() const { return actions_; }
  int heads() const { return heads_; }
  // Estimated means of one head: one number per action, inside the head's range.
  std::span<double> mean(int head) { return {numbers_.data() + at(head), size()}; }
  std::span<const double> mean(int head) const { return {numbers_.data() + at(head), size()}; }
  // Uncertainty of each action, in [0, 1): phi' (A + phi phi')^-1 phi. All zeros from an oracle
  // without widths. All heads have this width, unless the heads are apart(): then it is the width
  // of the reward.
  std::span<double> width() { return {numbers_.data() + at(heads_), size()}; }
  std::span<const double> width() const { return {numbers_.data() + at(heads_), size()}; }
  // The width of one head.
  std::span<double> width(int head) { return {numbers_.data() + at(width_row(head)), size()}; }
  std::span<const double> width(int head) const {
    return {numbers_.data() + at(width_row(head)), size()};
  }
  // Whether each head has a width of its own: some were learned from other rounds than others.
  bool apart() const { return apart_; }
  // Sets whether every head has a width of its own. The widths of the costs are unspecified after
  // that. Allocates only to grow: spans that were taken before are not valid.
  void set_apart(bool apart);

 private:
  int width_row(int head) const { return heads_ + (apart_ ? head : 0); }
  std::size_t at(int head) const { return static_cast<std::size_t>(head) * stride_; }
  std::size_t size() const { return static_cast<std::size_t>(actions_); }
  std::vector<double> numbers_;  // one row per head, then the widths: one row, or one row per head
  std::size_t stride_ = 0;
  int heads_ = 0;
  int actions_ = 0;
  bool apart_ = false;
};

}  // namespace rein
