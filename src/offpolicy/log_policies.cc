#include "offpolicy/log_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text_number.h"
#include "offpolicy/rows.h"
#include "rein/terms.h"

namespace rein {
namespace {

std::string_view unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

// What stands between `name(` and `)`; no value if the text has another form.
std::optional<std::string_view> inside(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || text.size() < name.size() + 2) return {};
  if (text[name.size()] != '(' || text.back() != ')') return {};
  return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

// Cuts at commas that are not inside quotes.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '"') quoted = !quoted;
    if (i < text.size() && (text[i] != ',' || quoted)) continue;
    out.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return out;
}

Result<int> action_of(const std::string& text, std::string_view name, int actions,
                      const std::vector<std::string>& names) {
  std::string accepted;
  for (int a = 0; a < actions; ++a) {
    const std::string known = names.empty() ? fmt::format("{}", a) : names[at(a)];
    if (known == name) return a;
    if (a < 20) accepted += (a == 0 ? "" : ", ") + known;
    if (a == 20) accepted += ", ...";
  }
  return Error{
      fmt::format("policy {}: the log has no action \"{}\"; accepted: {}", text, name, accepted)};
}

// One share per action of the log.
Result<std::vector<double>> shares_of(const std::string& text, std::string_view list, int actions,
                                      const std::vector<std::string>& names) {
  std::vector<double> out(at(actions), 0.0);
  double sum = 0.0;
  for (const std::string_view part : parts_of(list)) {
    const std::size_t split = part.rfind('=');
    double share = -1.0;
    const bool read =
        split != std::string_view::npos && to_number(trimmed(part.substr(split + 1)), share);
    if (!read || !(share >= 0.0 && share <= 1.0)) {
      return Error{fmt::format(
          "policy {}: found \"{}\"; accepted: NAME=SHARE with a share from 0 to 1", text, part)};
    }
    auto action = action_of(text, unquoted(trimmed(part.substr(0, split))), actions, names);
    if (!action) return action.failure();
    out[at(action.value())] += share;
    sum += share;
  }
  if (!(std::abs(sum - 1.0) <= 1e-9)) {
    return Error{fmt::format("policy {}: the shares sum to {}; accepted: 1", text, sum)};
  }
  return out;
}

std::vector<double> uniform_rows(const OfflineRows& rows) {
  std::vector<double> out(at(rows.rows) * at(rows.actions), 1.0 / rows.actions);
  for (std::int64_t row = 0; !rows.offered.empty() && row < rows.rows; ++row) {
    const std::uint8_t* offered = rows.offered.data() + row * rows.actions;
    const auto count =
        std::count_if(offered, offered + rows.actions, [](auto o) { return o != 0; });
    for (int a = 0; a < rows.actions; ++a) {
      out[at(row * rows.actions + a)] = offered[a] != 0 ? 1.0 / static_cast<double>(count) : 0.0;
    }
  }
  return out;
}

}  // namespace

Result<std::optional<std::vector<double>>> fixed_policy(const OfflineRows& rows,
                                                        const std::string& text,
                                                        const std::vector<std::string>& names) {
  using Found = std::optional<std::vector<double>>;
  if (text == "uniform") return Found(uniform_rows(rows));
  std::vector<double> shares(at(rows.actions), 0.0);
  if (const auto name = inside(text, "action")) {
    auto action = action_of(text, unquoted(*name), rows.actions, names);
    if (!action) return action.failure();
    shares[at(action.value())] = 1.0;
  } else if (const auto list = inside(text, "mix")) {
    auto found = shares_of(text, *list, rows.actions, names);
    if (!found) return found.failure();
    shares = std::move(found).value();
  } else {
    return Found();
  }
  std::vector<double> out;
  out.reserve(at(rows.rows) * at(rows.actions));
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    for (int a = 0; a < rows.actions; ++a) {
      if (shares[at(a)] > 0.0 && !offers(rows, row, a)) {
        return Error{fmt::format(
            "policy {}: row {} did not offer action {}; accepted: actions that every row offers",
            text, row, names.empty() ? fmt::format("{}", a) : names[at(a)])};
      }
    }
    out.insert(out.end(), shares.begin(), shares.end());
  }
  return Found(std::move(out));
}

// Policies of the catalog.
namespace {

// Streams of a seed: 31 for the learner's draws, 32 for the coins of the replay (replay.cc).
constexpr std::uint64_t kLearnerStream = 31;

Range range_of(const OfflineRows& log, const LearnerOptions& options, int head) {
  if (!options.ranges.empty() && !std::isnan(options.ranges[at(head)].low)) {
    return {options.ranges[at(head)].low, options.ranges[at(head)].high};
  }
  Range out{0.0, 0.0};
  for (std::int64_t row = 0; row < log.rows; ++row) {
    const double y = log.outcomes[at(row * log.heads + head)];
    if (std::isnan(y)) continue;
    out.low = std::min(out.low, y);
    out.high = std::max(out.high, y);
  }
  if (out.low == out.high) out.high = 1.0;
  return out;
}

bool has_budgets(const LearnerOptions& options) {
  return std::ranges::any_of(options.budgets, [](double budget) { return !std::isnan(budget); });
}

Result<> check_learner_options(const OfflineRows& log, const LearnerOptions& options, bool goal) {
  const std::size_t costs = at(log.heads - 1);
  if (!options.budgets.empty() && options.budgets.size() != costs) {
    return Error{fmt::format("found {} budgets; accepted: none, or one per cost ({})",
                             options.budgets.size(), costs)};
  }
  if (!options.ranges.empty() && options.ranges.size() != costs + 1) {
    return Error{fmt::format("found {} ranges; accepted: none, or one per head ({})",
                             options.ranges.size(), costs + 1)};
  }
  if (goal && has_budgets(options)) {
    return Error{
        "the spec has a goal with limits of its own, and a budget was given too; accepted: one of "
        "the two"};
  }
  return {};
}

// A policy that prices costs and has no budget would keep them at most 0 in all, which costs that are
// never negative do not allow.
Result<> check_follows_budget(const Policy& policy) {
  const std::optional<Setting> setting = policy.state().setting;
  const Shape& shape = policy.shape();
  if (!setting || policy.spec().find("setting") != nullptr || has_goal(policy.spec())) return {};
  if (has_budget(*setting) || !shape.budgets.empty()) return {};
  for (const CostShape& cost : shape.costs) {
    if (cost.range.low < 0.0 || cost.range.high <= 0.0) continue;
    return Error{fmt::format(
        "policy {}: cost \"{}\" is never negative, and no budget says how much of it may be spent; "
        "accepted: a budget per round, or rate=PER_ROUND in the spec",
        policy.spec().str(), cost.name)};
  }
  return {};
}

}  // namespace

std::string head_name(const LearnerOptions& options, int head) {
  if (at(head) < options.heads.size()) return options.heads[at(head)];
  return head == 0 ? "reward" : fmt::format("cost{}", head);
}

LogLearner::LogLearner(std::unique_ptr<Policy> policy, std::vector<int> heads, std::uint64_t seed)
    : policy_(std::move(policy)),
      heads_(std::move(heads)),
      rng_(seed, kLearnerStream),
      scratch_(*policy_),
      decision_(*policy_) {}

Result<LogLearner> LogLearner::make(std::string_view text, const OfflineRows& log,
                                    const LearnerOptions& options, std::int64_t rounds) {
  auto spec = parse_spec(text, "policy spec");
  if (!spec) return spec.failure();
  const std::string where = fmt::format("policy {}: ", spec.value().str());
  if (auto good = check_learner_options(log, options, has_goal(spec.value())); !good) {
    return good.failure().in(where);
  }
  Shape shape{.actions = log.actions, .context = log.features, .rounds = rounds};
  shape.reward = range_of(log, options, 0);
  std::vector<int> heads;
  const bool budgeted = has_budgets(options);
  for (int head = 1; head < log.heads; ++head) {
    const double budget = budgeted ? options.budgets[at(head - 1)] : 0.0;
    if (std::isnan(budget)) continue;
    heads.push_back(head);
    shape.costs.push_back({head_name(options, head), range_of(log, options, head)});
    if (budgeted) shape.budgets.push_back(budget * static_cast<double>(rounds));
  }
  auto policy = make_policy(spec.value(), shape);
  if (!policy) {
    const bool hint = !budgeted && !heads.empty() &&
                      policy.error().find("budget") != std::string::npos;
    return Error{policy.error() + (hint ? "; or a budget per round for the replay" : ""),
                 policy.reason()};
  }
  if (auto good = check_follows_budget(*policy.value()); !good) return good.failure();
  return LogLearner(std::move(policy).value(), std::move(heads), options.seed);
}

Round LogLearner::round_of(const OfflineRows& rows, std::int64_t row) {
  Round round{.actions = rows.actions,
              .context = rows.context.subspan(at(row) * at(rows.features), at(rows.features))};
  if (rows.offered.empty()) return round;
  ids_.clear();
  for (int a = 0; a < rows.actions; ++a) {
    if (offers(rows, row, a)) ids_.push_back(a);
  }
  round.actions = static_cast<int>(ids_.size());
  round.ids = ids_;
  return round;
}

Outcome LogLearner::outcome_of(const OfflineRows& rows, std::int64_t row) const {
  const double* y = rows.outcomes.data() + row * rows.heads;
  Outcome outcome{.reward = y[0], .costs = Costs(static_cast<int>(heads_.size()))};
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    outcome.costs[static_cast<int>(i)] = y[heads_[i]];
  }
  return outcome;
}

Result<int> LogLearner::decide(const OfflineRows& rows, std::int64_t row, double* probabilities) {
  const Round round = round_of(rows, row);
  if (auto done = policy_->decide(round, rng_, scratch_, decision_); !done) {
    return done.failure().in(fmt::format("policy {}, row {}: ", policy_->spec().str(), row));
  }
  std::fill(probabilities, probabilities + rows.actions, 0.0);
  const std::span<const double> p = std::as_const(decision_).probabilities();
  for (int a = 0; a < round.actions; ++a) probabilities[round.id(a)] = p[at(a)];
  return round.id(decision_.action);
}

Result<> LogLearner::learn(const OfflineRows& rows, std::int64_t row) {
  auto done = policy_->learn(round_of(rows, row), decision_, outcome_of(rows, row));
  if (done) return done;
  return done.failure().in(fmt::format("policy {}, row {}: ", policy_->spec().str(), row));
}

Result<> LogLearner::warm(const OfflineRows& rows, std::int64_t row, bool outcome) {
  const Round round = round_of(rows, row);
  const std::int32_t played = rows.played[at(row)];
  decision_.action = played;
  for (int a = 0; !round.ids.empty() && a < round.actions; ++a) {
    if (round.ids[at(a)] == played) decision_.action = a;
  }
  auto done =
      policy_->learn(round, decision_, outcome ? outcome_of(rows, row) : Outcome{}, Part::kWarm);
  if (done) return done;
  return done.failure().in(fmt::format("policy {}, row {}: ", policy_->spec().str(), row));
}

}  // namespace rein
