// What the bindings of rein/offpolicy.h and rein/whatif.h share: views of a log's columns, questions.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind.h"
#include "rein/whatif.h"

namespace rein::bind {

inline OfflineRows offline_rows(int actions, const Array<1, const std::int32_t>& played,
                                const Array<1>& propensity, const Array<2>& outcomes,
                                const Array<2>& context,
                                const Array<2, const std::uint8_t>& offered,
                                const Array<1>& weights,
                                const Array<1, const std::int32_t>& unit) {
  return {.rows = static_cast<std::int64_t>(played.size()),
          .actions = actions,
          .heads = static_cast<int>(outcomes.shape(1)),
          .features = static_cast<int>(context.shape(1)),
          .played = span_of(played),
          .propensity = span_of(propensity),
          .outcomes = span_of(outcomes),
          .context = span_of(context),
          .offered = span_of(offered),
          .weights = span_of(weights),
          .unit = span_of(unit)};
}

using Budgets = std::vector<std::pair<int, std::vector<double>>>;  // head, amounts
using Limits = std::vector<std::tuple<int, double, bool>>;         // head, amount, at least

inline std::vector<HeadLimit> head_limits(const Limits& limits) {
  std::vector<HeadLimit> out;
  for (const auto& [head, amount, at_least] : limits)
    out.push_back({.head = head, .amount = amount, .at_least = at_least});
  return out;
}

// A question per budget. All keep the same limits.
inline std::vector<WhatifQuestion> questions_of(const Budgets& budgets, const Limits& limits) {
  std::vector<WhatifQuestion> out;
  for (const auto& [head, amounts] : budgets)
    out.push_back({.cost = head, .budgets = amounts, .limits = head_limits(limits)});
  return out;
}

inline Adaptive adaptive_of(const std::string& word) {
  if (word == "yes") return Adaptive::kYes;
  if (word == "no") return Adaptive::kNo;
  if (word == "auto") return Adaptive::kAuto;
  throw Failure("adaptive: found \"" + word + "\"; accepted: auto, yes or no");
}

}  // namespace rein::bind
