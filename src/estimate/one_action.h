// OneAction: a round with only one action of another round, as a view, to ask an oracle about that
// action only.
#pragma once

#include <cstdint>

#include "rein/round.h"

namespace rein {

class OneAction {
 public:
  // Borrows from the round. REQUIRES an action of that round; `features` is the length of a row.
  OneAction(const Round& round, int action, int features) : id_(round.id(action)) {
    const auto at = static_cast<std::size_t>(action);
    view_ = {.actions = 1, .context = round.context, .ids = {&id_, 1}};
    if (!round.expected_costs.empty()) {
      const std::size_t costs =
          round.expected_costs.size() / static_cast<std::size_t>(round.actions);
      view_.expected_costs = round.expected_costs.subspan(at * costs, costs);
    }
    if (!round.features.empty()) {
      const auto size = static_cast<std::size_t>(features);
      view_.features = round.features.subspan(at * size, size);
    } else if (!round.sparse.begin.empty()) {
      view_.sparse = round.sparse;  // two row bounds are enough, since bounds are absolute
      view_.sparse.begin = round.sparse.begin.subspan(at, 2);
    }
  }
  OneAction(const OneAction&) = delete;
  OneAction& operator=(const OneAction&) = delete;

  const Round& round() const { return view_; }

 private:
  std::int32_t id_;
  Round view_;
};

}  // namespace rein
