// Status: how a run goes, in one word, with advice. PolicyState has it.
#pragma once

#include <string_view>

namespace rein {

// How a run goes, in one word; docs/status.md defines each word. If several apply, the status is
// the first of infeasible, over, changed, class, past, crowded, unspent.
enum class Status {
  kOk,
  kOver,        // more was spent than the budget allows so far
  kInfeasible,  // even the cheapest actions cost more than the budget per round
  kUnspent,     // the run ends with part of the budget left
  kClass,       // the realizability alarm rings
  kChanged,     // an alarm for change rings
  kPast,        // the run is longer than its horizon; it goes on at the same rate
  kCrowded,     // of an engine: about as many decisions are open as may be
};
// "ok", "over", ...; and one sentence on what to do.
std::string_view name_of(Status status);
// `goal`: it is about a limit of a goal (minimize, at_least, ...), not about a budget.
std::string_view advice(Status status, bool goal = false);

}  // namespace rein
