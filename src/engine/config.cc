#include "engine/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "engine/encoding_parts.h"
#include "engine/roster.h"
#include "policy/toward.h"
#include "rein/bytes.h"

namespace rein {
namespace {

int cost_count(const Shape& shape) { return static_cast<int>(shape.costs.size()); }

Result<> check_number(std::string_view name, std::int64_t found, std::int64_t low,
                      std::int64_t high) {
  if (found >= low && found <= high) return {};
  return Error::of(name,
                   fmt::format("engine: {} is {}; accepted: {} to {}", name, found, low, high));
}

Result<> check_costs(const Shape& shape, std::string_view name, const Costs& costs) {
  if (costs.size() != cost_count(shape)) {
    return Error::of(name, fmt::format("engine: {} has {} numbers; accepted: one per cost ({})",
                                       name, costs.size(), cost_count(shape)));
  }
  for (int i = 0; i < costs.size(); ++i) {
    const Range& range = shape.costs[as_size(i)].range;
    if (costs[i] >= range.low && costs[i] <= range.high) continue;  // false for NaN
    return Error::of(
        name, fmt::format("engine: {}[{}] is {}; accepted: {} to {}, the range in the shape", name,
                          i, costs[i], range.low, range.high));
  }
  return {};
}

// Refuses a budget whose costs cannot be counted. A cost without a known range is counted as it
// comes.
Result<> check_countable(const Shape& shape, const Budget& budget) {
  for (const CostShape& cost : shape.costs) {
    if (cost.name != budget.cost) continue;
    const auto countable = [](double end) {
      return std::abs(end) == kUnknownEnd || micros_up(end);
    };
    if (countable(cost.range.high) && countable(cost.range.low)) continue;
    return Error::of(
        "costs", fmt::format("engine: cost \"{}\" has range [{}, {}], more than can be counted in "
                             "millionths; accepted: smaller ranges under a budget of the engine",
                             cost.name, cost.range.low, cost.range.high));
  }
  return {};
}

Result<> check_budgets(const Shape& shape, const EngineOptions& options) {
  if (!options.hard_budget.empty() && options.hard_budget.size() != shape.costs.size()) {
    return Error::of("hard_budget",
                     fmt::format("engine: hard_budget has {} numbers; accepted: one per cost ({})",
                                 options.hard_budget.size(), shape.costs.size()));
  }
  for (double budget : options.hard_budget) {
    if (budget == INFINITY || (micros_down(budget) && budget >= 0.0)) continue;
    return Error::of("hard_budget",
                     fmt::format("engine: hard_budget has {}; accepted: 0 to {}, or infinity",
                                 budget, static_cast<double>(kMaxMicro) / kMicrosInOne));
  }
  const std::vector<Budget> all = budgets_of(shape, options);
  const BudgetOptions counted{.coins = coins_of(shape, options)};
  if (auto made = Budgets::make(all, shape, counted); !made) return made.failure().about("budgets");
  for (const Budget& budget : all) {
    if (auto ok = check_countable(shape, budget); !ok) return ok;
  }
  return {};
}

Result<> check_largest(const Shape& shape, const EngineOptions& options) {
  if (!options.largest_costs.empty() && options.largest_costs.size() != as_size(shape.actions)) {
    return Error::of(
        "largest_costs",
        fmt::format("engine: the size of largest_costs is {}; accepted: {}, one per action",
                    options.largest_costs.size(), shape.actions));
  }
  for (const Costs& largest : options.largest_costs) {
    if (auto ok = check_costs(shape, "largest_costs", largest); !ok) return ok;
  }
  if (!options.safe_cost.empty() && !options.safe_action) {
    return Error::of("safe_action",
                     "engine: safe_cost without a safe_action; accepted: both, or none");
  }
  if (!options.safe_action) return {};
  if (auto ok = check_number("safe_action", *options.safe_action, 0, shape.actions - 1); !ok) {
    return ok;
  }
  return check_costs(shape, "safe_cost", safe_cost_of(shape, options));
}

void write(ByteWriter& out, const Range& range) {
  out.f64(range.low);
  out.f64(range.high);
}

Range read_range(ByteReader& in) {
  const double low = in.f64();
  return {low, in.f64()};
}

std::size_t read_count(ByteReader& in, std::size_t most) {
  const std::uint64_t count = in.u64();
  if (count <= std::min(most, in.left())) return count;
  in.fail(fmt::format("engine config: a list of {} entries", count));
  return 0;
}

std::vector<double> read_numbers(ByteReader& in) {
  std::vector<double> numbers(read_count(in, in.left() / 8));
  in.f64s(numbers);
  return numbers;
}

int read_int(ByteReader& in) {
  const std::int64_t value = in.i64();
  if (value >= INT32_MIN && value <= INT32_MAX) return static_cast<int>(value);
  in.fail(fmt::format("engine config: a size of {}", value));
  return 0;
}

void write(ByteWriter& out, const Shape& shape) {
  out.i64(shape.actions);
  out.i64(shape.context);
  out.i64(shape.features);
  write(out, shape.reward);
  out.u64(shape.costs.size());
  for (const CostShape& cost : shape.costs) {
    out.text(cost.name);
    write(out, cost.range);
  }
  out.i64(shape.rounds);
  write(out, shape.budgets);
}

Shape read_shape(ByteReader& in) {
  Shape shape;
  shape.actions = read_int(in);
  shape.context = read_int(in);
  shape.features = read_int(in);
  shape.reward = read_range(in);
  shape.costs.resize(read_count(in, kMaxCosts));
  for (CostShape& cost : shape.costs) {
    cost.name = in.text();
    cost.range = read_range(in);
  }
  shape.rounds = in.i64();
  shape.budgets = read_numbers(in);
  return shape;
}

// Costs of an action have the form of an outcome.
void write_costs(ByteWriter& out, const Costs& costs) { write(out, Outcome{.costs = costs}); }
Costs costs_read(ByteReader& in) { return read_outcome(in).costs; }

void write(ByteWriter& out, const Budget& budget) {
  out.text(budget.name);
  out.text(budget.cost);
  out.f64(budget.amount);
  out.i64(static_cast<std::int64_t>(budget.kind));
  out.i64(static_cast<std::int64_t>(budget.window.kind));
  out.i64(budget.window.length);
  out.text(budget.window.zone);
  out.u64(budget.carry ? 1 : 0);
  out.text(budget.scope);
  out.i64(budget.rounds);
}

Budget read_budget(ByteReader& in) {
  Budget budget;
  budget.name = in.text();
  budget.cost = in.text();
  budget.amount = in.f64();
  budget.kind = static_cast<BudgetKind>(in.between("kind of a budget", 0, 1));
  budget.window.kind = static_cast<Window::Kind>(in.between("kind of a window", 0, 6));
  budget.window.length = in.i64();
  budget.window.zone = in.text();
  budget.carry = in.u64() == 1;
  budget.scope = in.text();
  budget.rounds = in.between("rounds of a window", 0, std::int64_t{1} << 53);
  return budget;
}

void write(ByteWriter& out, const EngineOptions& options) {
  out.u64(options.seed);
  for (std::uint64_t half : options.secret) out.u64(half);
  out.i64(options.most_open);
  out.i64(options.remember);
  out.i64(options.expire_after);
  out.u64(options.default_outcome ? 1 : 0);
  if (options.default_outcome) write(out, *options.default_outcome);
  out.u64(options.budgets.size());
  for (const Budget& budget : options.budgets) write(out, budget);
  write(out, options.hard_budget);
  out.i64(options.most_keys);
  out.u64(options.largest_costs.size());
  for (const Costs& largest : options.largest_costs) write_costs(out, largest);
  out.i64(options.safe_action ? *options.safe_action : -1);
  write_costs(out, options.safe_cost);
  out.u64(options.actions.size());
  for (const std::string& name : options.actions) out.text(name);
  out.u64(options.numbered ? 1 : 0);
  out.text(options.schema ? options.schema->snapshot() : "");
}

EngineOptions read_options(ByteReader& in) {
  EngineOptions options;
  options.seed = in.u64();
  for (std::uint64_t& half : options.secret) half = in.u64();
  options.most_open = in.i64();
  options.remember = in.i64();
  options.expire_after = in.i64();
  if (in.u64() == 1) options.default_outcome = read_outcome(in);
  options.budgets.resize(read_count(in, kMaxBudgets));
  for (Budget& budget : options.budgets) budget = read_budget(in);
  options.hard_budget = read_numbers(in);
  options.most_keys = read_int(in);
  options.largest_costs.resize(read_count(in, kMaxActions));
  for (Costs& largest : options.largest_costs) largest = costs_read(in);
  if (const int safe = read_int(in); safe >= 0) options.safe_action = safe;
  options.safe_cost = costs_read(in);
  options.actions.resize(read_count(in, kMaxActions));
  for (std::string& name : options.actions) name = in.text();
  options.numbered = in.between("whether names are numbers", 0, 1) == 1;
  if (const std::string schema = in.text(); !schema.empty() && in.ok()) {
    auto restored = Schema::restore(schema);
    if (!restored) in.fail(restored.error());
    if (restored) options.schema = std::make_shared<const Schema>(std::move(restored).value());
  }
  return options;
}

}  // namespace

std::string encode(const Config& config, int version) {
  ByteWriter out(version);
  out.text(config.policy.str());
  if (version >= 7) {
    out.i64(config.meaning);
    out.text(config.resolved);
    out.i64(is_paced(config) ? 1 : 0);
  }
  write(out, config.shape);
  write(out, config.options);
  return out.take();
}

Result<Config> decode_config(std::string_view bytes, int version) {
  ByteReader in(bytes, version);
  auto policy = parse_spec(in.text(), "policy spec");
  if (!policy) return policy.failure();
  Config config{.policy = std::move(policy).value()};
  if (version >= 7) {
    config.meaning = static_cast<int>(in.between("meaning of the policy", 0, INT32_MAX));
    config.resolved = in.text();
    config.paced = in.between("whether it follows budgets", 0, 1) == 1;
  }
  config.shape = read_shape(in);
  config.options = read_options(in);
  if (auto done = in.finish(); !done) return done.failure();
  return config;
}

Result<> check_limits(const EngineOptions& options) {
  if (auto ok = check_number("most_open", options.most_open, 1, kMaxOpen); !ok) return ok;
  if (auto ok = check_number("remember", options.remember, 0, kMaxRemember); !ok) return ok;
  return check_number("expire_after", options.expire_after, 0, kMaxClock);
}

Result<> validate(const Shape& shape, const EngineOptions& options) {
  if (auto ok = Roster::check_names(options.actions, shape.actions); !ok) return ok;
  if (options.schema && options.schema->size() != shape.context) {
    return Error::of(
        "schema",
        fmt::format("engine: the schema makes {} numbers, and the shape has a context of {}; "
                    "accepted: the same",
                    options.schema->size(), shape.context));
  }
  if (auto ok = check_limits(options); !ok) return ok;
  if (options.default_outcome) {
    if (auto ok = validate_parts(shape, *options.default_outcome); !ok) {
      return Error::of("default_outcome", "engine: default_outcome: " + ok.error());
    }
  }
  if (auto ok = check_number("most_keys", options.most_keys, 1, kMaxKeys); !ok) return ok;
  if (auto ok = check_budgets(shape, options); !ok) return ok;
  const bool hard = std::ranges::any_of(budgets_of(shape, options), [](const Budget& budget) {
    return budget.kind == BudgetKind::kHard;
  });
  if (hard) return check_largest(shape, options);
  if (options.safe_action || !options.safe_cost.empty() || !options.largest_costs.empty()) {
    return Error::of(
        "safe_action",
        "engine: safe_action, safe_cost and largest_costs are for a hard budget, and there is "
        "none; accepted: a budget of kind hard");
  }
  return {};
}

bool is_paced(const Config& config) {
  if (config.paced) return *config.paced;
  const bool steers = std::ranges::any_of(config.options.budgets, [](const Budget& budget) {
    return budget.kind == BudgetKind::kSteer;
  });
  if (steers) return true;
  const bool hard = !config.options.budgets.empty() || !config.options.hard_budget.empty();
  const auto has = [&](const char* key) { return config.policy.find(key) != nullptr; };
  const bool adaptive = !has("tuning") || config.policy.find("tuning")->str() == "auto";
  return hard && config.policy.name == "ccb" && adaptive && !has_goal(config.policy) &&
         config.shape.budgets.empty() && !has("budget") && !has("rate") && !has("setting") &&
         !config.shape.costs.empty();
}

Result<> check_has_budget(const Policy& policy) {
  const std::optional<Setting> setting = policy.state().setting;
  const Shape& shape = policy.shape();
  const bool unpriced = !setting || policy.spec().find("setting") != nullptr;
  if (unpriced || has_goal(policy.spec()) || has_budget(*setting) || !shape.budgets.empty())
    return {};
  for (const CostShape& cost : shape.costs) {
    if (!cost.range.known()) {
      return Error::of(
          "costs", fmt::format("engine: cost \"{}\" has no range and no budget, so nothing says "
                               "what is wanted of it; "
                               "accepted: budget=TOTAL or rate=PER_ROUND in the policy's spec, a "
                               "budget that steers, or "
                               "setting=expectation, in which the cost must not exceed 0 in all",
                               cost.name));
    }
    if (cost.range.low < 0.0 || cost.range.high <= 0.0) continue;
    return Error::of(
        "costs",
        fmt::format(
            "engine: cost \"{}\" has range [{}, {}] and no budget that the policy follows; "
            "accepted: budget=TOTAL or rate=PER_ROUND in its spec, a budget that steers, or "
            "setting=expectation, in which the cost must not exceed 0 in all",
            cost.name, cost.range.low, cost.range.high));
  }
  return {};
}

Result<> check_given_once(const Config& config, const Policy& policy) {
  const std::vector<double>& given = config.shape.budgets;
  const bool twice =
      config.policy.find("budget") != nullptr || config.policy.find("rate") != nullptr;
  const std::vector<double>& used = policy.shape().budgets;
  bool same = given.size() == used.size();
  for (std::size_t i = 0; same && i < given.size(); ++i) {
    same = std::abs(given[i] - used[i]) <= 1e-9 * std::abs(given[i]);
  }
  if (!twice || given.empty() || same) return {};
  return Error::of(
      "policy",
      fmt::format("engine: the budget is given twice: [{}], and {} in the spec; accepted: once, or "
                  "the same total",
                  fmt::join(given, ", "), config.policy.str()));
}

Result<> check_paced(const Shape& shape, const EngineOptions& options) {
  const std::vector<Budget> all = budgets_of(shape, options);
  for (const Budget& budget : all) {
    if (budget.window.kind != Window::Kind::kRun || budget.rounds > 0) continue;
    return Error::of(
        "budgets",
        fmt::format("budget \"{}\": how fast it may be spent depends on how long it must last; "
                    "accepted: rounds=N, a window, or a rate or budget of the policy",
                    budget.name));
  }
  for (const CostShape& cost : shape.costs) {
    if (std::ranges::any_of(all, [&](const Budget& b) { return b.cost == cost.name; })) continue;
    return Error::of(
        "costs",
        fmt::format("engine: cost \"{}\" has no budget, and others have; accepted: a budget for "
                    "every cost",
                    cost.name));
  }
  return {};
}

std::vector<Budget> budgets_of(const Shape& shape, const EngineOptions& options) {
  std::vector<Budget> all = options.budgets;
  for (Budget& budget : all) {
    if (budget.window.kind == Window::Kind::kRun && budget.rounds == 0)
      budget.rounds = shape.rounds;
  }
  for (std::size_t i = 0; i < options.hard_budget.size(); ++i) {
    if (options.hard_budget[i] == INFINITY) continue;
    const std::string& name = shape.costs[i].name;
    all.push_back({.name = name,
                   .cost = name,
                   .amount = options.hard_budget[i],
                   .kind = BudgetKind::kHard,
                   .rounds = shape.rounds});
  }
  return all;
}

}  // namespace rein
