#include "serve/callers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/came.h"
#include "base/size.h"

namespace rein::serve {
namespace {

constexpr std::int64_t kKnownReports = 8;   // reports of a caller about a cell, before it counts for others
constexpr std::size_t kOtherCallers = 2;   // other callers with so many, before anything is compared
// Reports of a caller of which nothing is learned while others are not known. Then it is alone, and is learned.
constexpr std::int64_t kAloneReports = 64;
constexpr double kRecentWeight = 1.0 / 32.0;  // weight of a report in the share of those beyond the bounds
constexpr double kAbsurd = 0.25, kPlausible = 0.05;  // that share: suspect, and no longer
constexpr double kLeastLuck = 1e-9;         // the probability of a run of equal rewards that is too small
constexpr std::int64_t kVaried = 32;   // reports before a run of equal rewards counts
constexpr std::int64_t kTrusted = 64;  // reports before a suspect caller may be trusted again
constexpr double kShareMemory = 256.0; // learned outcomes of an action that the shares remember
constexpr double kShareKnown = 32.0;   // so many before a share is limited

double median_of(std::vector<double>& values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double number_or_missing(Fields& fields, std::string_view name) { return fields.number(name, kMissing); }

}  // namespace

std::string report_text(const Report& report) {
  JsonWriter json;
  json.begin_object().key("caller").value(report.caller).key("action").value(report.action);
  json.key("reward").value(report.outcome.reward).key("costs").begin_array();
  for (const double cost : report.outcome.costs) json.value(cost);  // missing ones are null
  json.end_array().key("learned").value(report.learned).end_object();
  return json.str();
}

Report read_report(const Json& note) {
  Fields fields(note);
  Report report;
  report.caller = text_of(fields.get("caller"), "caller");
  report.action = static_cast<std::int32_t>(whole_of(fields.get("action"), "action"));
  report.outcome.reward = number_or_missing(fields, "reward");
  const Json::List& costs = list_of(fields.get("costs"), "costs");
  if (costs.size() > as_size(kMaxCosts)) throw invalid("costs", "accepted: one number per cost");
  report.outcome.costs = Costs(static_cast<int>(costs.size()), kMissing);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (std::holds_alternative<std::monostate>(costs[i].is)) continue;
    report.outcome.costs[static_cast<int>(i)] = number_of(costs[i], "costs");
  }
  report.learned = fields.truth("learned", true);
  fields.done();
  return report;
}

void Callers::Cell::add(double value) {
  if (count == kBlock) {
    low_before = low;
    high_before = high;
    count_before = count;
    count = 0;
  }
  low = count == 0 ? value : std::min(low, value);
  high = count == 0 ? value : std::max(high, value);
  ++count;
}

double Callers::Cell::least() const {
  return count_before == 0 ? low : count == 0 ? low_before : std::min(low, low_before);
}

double Callers::Cell::most() const {
  return count_before == 0 ? high : count == 0 ? high_before : std::max(high, high_before);
}

// Rewards of all actions are one cell: with few rewards above 0, a cell per action would know none.
std::int64_t Callers::cell_of(std::int32_t action, int cost) {
  return cost < 0 ? -1 : std::int64_t{action} * kMaxCosts + cost;
}

const std::string& Callers::place_of(const std::string& name) const {
  static const std::string kFurther = "*";
  return callers_.contains(name) || callers_.size() < kMostCallers ? name : kFurther;
}

Callers::Bounds Callers::bounds(const CallersPlan& plan, const std::string& caller, std::int64_t cell) const {
  std::vector<double> lows, highs;
  for (const auto& [name, other] : callers_) {
    if (name == caller || !other.state.suspect.empty()) continue;
    const auto found = other.cells.find(cell);
    if (found == other.cells.end() || found->second.known() < kKnownReports) continue;
    lows.push_back(found->second.least());
    highs.push_back(found->second.most());
  }
  if (lows.size() < kOtherCallers) return {};
  const double low = median_of(lows), high = median_of(highs);
  const double margin = plan.margin * std::max({high - low, std::abs(low), std::abs(high)});
  return {.known = true, .low = low - margin, .high = high + margin};
}

bool Callers::over_share(const CallersPlan& plan, const std::string& caller, std::int32_t action) const {
  if (plan.most_share >= 1.0 || callers_.size() < 2) return false;
  const auto found = shares_.find(action);
  if (found == shares_.end() || found->second.total < kShareKnown) return false;
  const auto own = found->second.by.find(caller);
  return own != found->second.by.end() && own->second + 1.0 > plan.most_share * (found->second.total + 1.0);
}

Outcome Callers::lesson(const CallersPlan& plan, const Report& report) const {
  const int m = report.outcome.costs.size();
  const Outcome nothing{.costs = Costs(m, kMissing)};
  const std::string& name = place_of(report.caller);
  const auto own = callers_.find(name);
  if (own != callers_.end() && !own->second.state.suspect.empty()) return nothing;
  if (over_share(plan, name, report.action)) return nothing;
  const std::int64_t reports = own == callers_.end() ? 0 : own->second.state.reports;
  Outcome lesson = report.outcome;
  for (int part = -1; part < m; ++part) {
    double& value = part < 0 ? lesson.reward : lesson.costs[part];
    if (is_missing(value)) continue;
    const Bounds found = bounds(plan, name, cell_of(report.action, part));
    if (found.known) {
      // Where all others report 0, nothing says what is large.
      if (found.low < found.high) value = std::clamp(value, found.low, found.high);
    } else if (reports < kAloneReports) {
      value = kMissing;
    }
  }
  return lesson;
}

// How often the others report this value, as a share of their last rewards; 1: too few to say.
double Callers::share_with(const std::string& caller, double value) const {
  std::int64_t all = 0, equal = 0;
  std::size_t others = 0;
  for (const auto& [name, other] : callers_) {
    if (name == caller || !other.state.suspect.empty() || other.rewards.empty()) continue;
    others += static_cast<std::int64_t>(other.rewards.size()) >= kKnownReports ? 1 : 0;
    for (const double each : other.rewards) {
      ++all;
      equal += each == value ? 1 : 0;
    }
  }
  if (others < kOtherCallers) return 1.0;
  return static_cast<double>(equal + 1) / static_cast<double>(all + 2);
}

void Callers::count_reward(const CallersPlan& /*plan*/, Caller& caller, double reward) {
  const bool first = caller.rewarded == 0;
  const double last = first ? 0.0 : caller.rewards[as_size((caller.rewarded - 1) % kRing)];
  if (!first && reward == last) {
    caller.luck *= share_with(caller.state.name, reward);
  } else {
    caller.luck = 1.0;
    caller.changes += 1;
  }
  if (caller.rewards.size() < kRing) {
    caller.rewards.push_back(reward);
  } else {
    caller.rewards[as_size(caller.rewarded % static_cast<std::int64_t>(kRing))] = reward;
  }
  ++caller.rewarded;
}

void Callers::judge(Caller& caller) {
  State& state = caller.state;
  if (state.suspect.empty()) {
    if (state.reports >= kKnownReports && state.beyond > kAbsurd) {
      state.suspect = "absurd";
    } else if (state.reports >= kVaried && caller.luck < kLeastLuck) {
      state.suspect = "constant";
    }
    if (!state.suspect.empty()) caller.since = caller.changes = 0;
    return;
  }
  // Half of all that it ever reported must have come since, so that trust takes longer each time.
  const bool long_ago = caller.since >= kTrusted && 2 * caller.since >= state.reports;
  const bool varied = 8 * caller.changes >= caller.since && caller.luck >= kLeastLuck;
  const bool plausible = state.beyond < kPlausible;
  if (!long_ago || !plausible || (state.suspect == "constant" && !varied)) return;
  state.suspect.clear();
  caller.luck = 1.0;
}

void Callers::report(const CallersPlan& plan, const Report& report) {
  const std::string name = place_of(report.caller);
  Caller& caller = callers_[name];
  caller.state.name = name;
  ++caller.state.reports;
  ++caller.since;
  const Outcome& outcome = report.outcome;
  bool any = false, beyond = false;
  for (int part = -1; part < outcome.costs.size(); ++part) {
    const double value = part < 0 ? outcome.reward : outcome.costs[part];
    if (is_missing(value)) continue;
    const Bounds found = bounds(plan, name, cell_of(report.action, part));
    if (found.known && found.low < found.high) {
      any = true;
      beyond = beyond || value < found.low || value > found.high;
    }
    const std::int64_t cell = cell_of(report.action, part);
    if (caller.cells.contains(cell) || caller.cells.size() < kMostCells) caller.cells[cell].add(value);
  }
  if (any) caller.state.beyond += kRecentWeight * ((beyond ? 1.0 : 0.0) - caller.state.beyond);
  if (!is_missing(outcome.reward)) count_reward(plan, caller, outcome.reward);
  judge(caller);
  if (!report.learned || plan.most_share >= 1.0) return;
  Share& share = shares_[report.action];
  share.total += 1.0;
  share.by[name] += 1.0;
  if (share.total < kShareMemory) return;
  share.total *= 0.5;
  for (auto& each : share.by) each.second *= 0.5;
}

std::vector<Callers::State> Callers::states() const {
  std::vector<State> all;
  for (const auto& each : callers_) all.push_back(each.second.state);
  return all;
}

std::string Callers::suspect(const std::string& caller) const {
  const auto found = callers_.find(place_of(caller));
  return found == callers_.end() ? std::string() : found->second.state.suspect;
}

void Callers::told(const std::string& caller, bool suspect) {
  const auto found = callers_.find(caller);
  if (found != callers_.end()) found->second.state.told = suspect;
}

void Callers::forgive(const std::string& caller) {
  const auto found = callers_.find(caller);
  if (found == callers_.end()) return;
  found->second.state.suspect.clear();
  found->second.state.beyond = 0.0;
  found->second.luck = 1.0;
}

namespace {

void write_row(JsonWriter& json, std::initializer_list<double> numbers) {
  for (const double number : numbers) json.value(number);
}

}  // namespace

void Callers::write(JsonWriter& json) const {
  json.begin_object().key("callers").begin_array();
  for (const auto& [name, caller] : callers_) {
    json.begin_object().key("name").value(name).key("reports").value(caller.state.reports);
    json.key("beyond").value(caller.state.beyond).key("suspect").value(caller.state.suspect);
    json.key("told").value(caller.state.told).key("luck").value(caller.luck);
    json.key("since").value(caller.since).key("changes").value(caller.changes);
    json.key("rewarded").value(caller.rewarded).key("rewards").begin_array();
    for (const double reward : caller.rewards) json.value(reward);
    json.end_array().key("cells").begin_array();
    for (const auto& [place, cell] : caller.cells) {
      json.begin_array().value(place).value(cell.count).value(cell.count_before);
      write_row(json, {cell.low, cell.high, cell.low_before, cell.high_before});
      json.end_array();
    }
    json.end_array().end_object();
  }
  json.end_array().key("shares").begin_array();
  for (const auto& [action, share] : shares_) {
    json.begin_object().key("action").value(action).key("total").value(share.total).key("by").begin_object();
    for (const auto& [name, part] : share.by) json.key(name).value(part);
    json.end_object().end_object();
  }
  json.end_array().end_object();
}

void Callers::read(const Json& saved) {
  Fields fields(saved, "callers");
  for (const Json& each : list_of(fields.get("callers"), "callers")) {
    Fields one(each, "callers");
    Caller caller;
    caller.state.name = text_of(one.get("name"), "name");
    caller.state.reports = whole_of(one.get("reports"), "reports");
    caller.state.beyond = number_of(one.get("beyond"), "beyond");
    caller.state.suspect = text_of(one.get("suspect"), "suspect");
    caller.state.told = one.truth("told", false);
    caller.luck = number_of(one.get("luck"), "luck");
    caller.since = whole_of(one.get("since"), "since");
    caller.changes = whole_of(one.get("changes"), "changes");
    caller.rewarded = whole_of(one.get("rewarded"), "rewarded");
    for (const Json& reward : list_of(one.get("rewards"), "rewards")) {
      caller.rewards.push_back(number_of(reward, "rewards"));
    }
    const auto ring = static_cast<std::size_t>(std::min<std::int64_t>(caller.rewarded, kRing));
    if (caller.rewarded < 0 || caller.rewards.size() != ring) {
      throw invalid("rewards", "accepted: the last rewards of a caller");
    }
    for (const Json& saved_cell : list_of(one.get("cells"), "cells")) {
      const Json::List& words = list_of(saved_cell, "cells");
      if (words.size() != 7) throw invalid("cells", "accepted: seven numbers each");
      Cell& cell = caller.cells[whole_of(words[0], "cells")];
      cell.count = whole_of(words[1], "cells");
      cell.count_before = whole_of(words[2], "cells");
      double* const numbers[] = {&cell.low, &cell.high, &cell.low_before, &cell.high_before};
      for (std::size_t i = 0; i < 4; ++i) *numbers[i] = number_of(words[3 + i], "cells");
    }
    std::string name = caller.state.name;
    callers_[std::move(name)] = std::move(caller);
  }
  for (const Json& each : list_of(fields.get("shares"), "shares")) {
    Fields one(each, "shares");
    Share& share = shares_[static_cast<std::int32_t>(whole_of(one.get("action"), "action"))];
    share.total = number_of(one.get("total"), "total");
    const Json::Object* by = object_in(one.get("by"));
    if (by == nullptr) throw invalid("by", "accepted: an object");
    for (const auto& [name, part] : *by) share.by[name] = number_of(part, "by");
  }
}

}  // namespace rein::serve
