#include "policy/status.h"

#include <algorithm>

#include "base/check.h"

namespace rein {
namespace {

constexpr std::int64_t kEarliest = 100;  // rounds before a pace is judged
constexpr double kDebt = 0.05;           // of the budget, or of what was paid where it is 0
constexpr double kPassed = 0.005;        // of the budget, once it is all spent
constexpr double kBeyond = 0.01;         // the least cost above the budget per round
constexpr double kLate = 0.9;            // of the horizon
constexpr double kLeft = 0.05;           // of the budget

bool is_infeasible(const StatusAccounts& a, int i) {
  if (a.least.empty()) return false;
  const double mean = a.sizes[i] / static_cast<double>(std::max<std::int64_t>(a.rounds, 1));
  const double more = kBeyond * (a.rates[i] > 0.0 ? a.rates[i] : mean);
  return a.least[i] > a.rates[i] + more;
}

bool is_over(const StatusAccounts& a, int i) {
  if (a.paced) return false;
  const double t = static_cast<double>(a.rounds), rate = a.rates[i];
  const double debt = a.spent[i] - rate * t;
  if (!(rate > 0.0)) return a.rounds >= kEarliest && debt > kDebt * a.sizes[i];
  const double horizon = static_cast<double>(a.horizon);
  if (a.horizon > 0 && a.spent[i] > (1.0 + kPassed) * rate * std::max(t, horizon)) return true;
  return a.rounds >= kEarliest && debt > kDebt * rate * std::max(t, horizon);
}

bool is_unspent(const StatusAccounts& a, int i) {
  const double t = static_cast<double>(a.rounds), horizon = static_cast<double>(a.horizon);
  if (a.horizon == 0 || !(a.rates[i] > 0.0) || t < kLate * horizon) return false;
  const double left = a.rates[i] * horizon - a.spent[i];
  return left > a.rates[i] * std::max(kLeft * horizon, 2.0 * (horizon - t));
}

}  // namespace

Judgement judge(const StatusAccounts& accounts, bool changed, bool misfit) {
  const auto find = [&](Status status, auto holds) {
    for (int i = 0; i < accounts.rates.size(); ++i) {
      if (holds(accounts, i)) return Judgement{status, i};
    }
    return Judgement{};
  };
  if (const auto found = find(Status::kInfeasible, is_infeasible); found.cost >= 0) return found;
  if (const auto found = find(Status::kOver, is_over); found.cost >= 0) return found;
  if (misfit) return {Status::kClass, -1};  // then what looks like a change may be the class
  if (changed) return {Status::kChanged, -1};
  const bool limited = std::ranges::any_of(accounts.rates, [](double rate) { return rate > 0.0; });
  if (limited && accounts.horizon > 0 && accounts.rounds > accounts.horizon) {
    return {Status::kPast, -1};
  }
  return find(Status::kUnspent, is_unspent);
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kOver:
      return "over";
    case Status::kInfeasible:
      return "infeasible";
    case Status::kUnspent:
      return "unspent";
    case Status::kClass:
      return "class";
    case Status::kChanged:
      return "changed";
    case Status::kPast:
      return "past";
    case Status::kCrowded:
      return "crowded";
  }
  check(false, "a status has a name");
  return {};
}

namespace {

// What to do where a limit is on a mean.
std::string_view advice_on_goal(Status status) {
  switch (status) {
    case Status::kOver:
      return "A mean is on the wrong side of its limit so far: check the outcomes and their "
             "ranges, "
             "or set a looser limit.";
    case Status::kInfeasible:
      return "No choice of actions meets this limit, by the estimates so far: set a looser limit, "
             "or offer a better action.";
    case Status::kUnspent:
      return "The run ends well within this limit: check that the number of rounds is right; if it "
             "is, a tighter limit would do.";
    case Status::kPast:
      return "The run is longer than was said and goes on with the same limits: say how long it "
             "lasts.";
    default:
      return {};
  }
}

}  // namespace

std::string_view advice(Status status, bool goal) {
  if (const std::string_view found = advice_on_goal(status); goal && !found.empty()) return found;
  switch (status) {
    case Status::kOk:
      return "Nothing to do.";
    case Status::kOver:
      return "More was spent than the budget allows so far: check the costs and their ranges, "
             "raise the budget, or use a hard budget.";
    case Status::kInfeasible:
      return "Even the cheapest actions cost more than the budget per round: raise the budget, or "
             "offer a cheaper action.";
    case Status::kUnspent:
      return "The run ends with part of the budget unspent: check that the number of rounds is "
             "right; if it is, a smaller budget would do.";
    case Status::kClass:
      return "The oracle's functions do not fit the outcomes: add features, or use a richer "
             "oracle, such as forest or kernel.";
    case Status::kChanged:
      return "Outcomes no longer follow what was learned: the policy has begun to learn again; "
             "look at what changed.";
    case Status::kPast:
      return "The run is longer than was said and goes on at the rate it had: say how long it "
             "lasts, or begin a new window.";
    case Status::kCrowded:
      return "Decisions without a whole outcome are near most_open, where the oldest give way: send "
             "outcomes sooner, cancel what was not used, set expire_after, or raise most_open.";
  }
  check(false, "a status has advice");
  return {};
}

}  // namespace rein
