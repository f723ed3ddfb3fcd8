// Rules: what records mean, as a part of the state (rein/state_version.h).
#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "engine/heart.h"

namespace rein {

// Parts whose meaning changes with the rules are changed here, and may put right what older rules
// did. The change depends on the state alone: every replay does the same at this record.
Result<> Engine::Heart::fold(const RulesRecord& record) {
  change = Change::kNothing;
  if (record.rules <= rules || record.rules > kRules) {
    const std::string_view why = record.rules > kRules ? " (a newer program wrote it)" : "";
    return Error{fmt::format("record: found rules {}{}; accepted: newer than {}, up to {}",
                             record.rules, why, rules, kRules),
                 Reason::kSequence};
  }
  if (rules < 2) {
    const auto made_with = budgets_of(policy->shape(), config.options);
    for (int i = 0; i < budgets.size(); ++i) {
      budgets.take_back_before(i, record.began, made_with[as_size(i)].amount);
    }
    budgets.adopt_lists();
    budgets.see_holes();
    // Older states do not say what budgets have granted, nor how many rewards came: both begin here, so
    // that a state that was loaded and one that was folded from the beginning stay the same.
    budgets.begin(now);
    budgets.advance(static_cast<std::int64_t>(decided_count), now);
    rewarded = learned;
  }
  rules = record.rules;
  last_rules = record;
  change = Change::kAdopted;
  return {};
}

Result<> Engine::Heart::adopt_rules(std::int64_t began) {
  change = Change::kNothing;
  if (rules == kRules) return {};
  return fold(RulesRecord{.rules = kRules, .began = std::max<std::int64_t>(began, 0)});
}

}  // namespace rein
