#include "evaluate/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/size.h"
#include "base/spec_reader.h"

namespace rein {
namespace {

constexpr std::int64_t kMostLate = 1'000'000;
constexpr std::int64_t kMostTicks = 1'000'000;  // per round; times 2^40 rounds is below kMaxClock

// The place of a part: 0 for the reward, i + 1 for cost i; -1 if there is none of this name.
int part_named(const Shape& world, const std::string& name) {
  if (name == "reward") return 0;
  for (std::size_t i = 0; i < world.costs.size(); ++i) {
    if (world.costs[i].name == name) return static_cast<int>(i) + 1;
  }
  return -1;
}

std::string cost_names(const Shape& world) {
  std::vector<std::string_view> names;
  for (const CostShape& cost : world.costs) names.push_back(cost.name);
  return join_names(names);
}

template <class T>
Result<> check_parts(const char* what, const Live::Named<T>& given, const Shape& world,
                     T number_most) {
  for (const auto& [name, number] : given) {
    if (part_named(world, name) < 0) {
      return Error{
          fmt::format("run: {} has \"{}\"; accepted: reward, {}", what, name, cost_names(world))};
    }
    if (number >= T{} && number <= number_most) continue;  // false for NaN
    return Error{
        fmt::format("run: {} of \"{}\" is {}; accepted: 0 to {}", what, name, number, number_most)};
  }
  return {};
}

std::int64_t keys_of(const Live& live, const std::string& scope) {
  for (const auto& [name, count] : live.keys) {
    if (name == scope) return count;
  }
  return 0;
}

Result<> check_scopes(const Live& live) {
  for (const auto& [scope, count] : live.keys) {
    const bool used = std::ranges::any_of(
        live.budgets, [&name = scope](const Budget& budget) { return budget.scope == name; });
    if (!used) {
      return Error{
          fmt::format("run: keys has \"{}\", and no budget has this scope; accepted: the "
                      "scopes of the budgets",
                      scope)};
    }
    if (count >= 1 && count <= kMaxKeys) continue;
    return Error{
        fmt::format("run: keys of \"{}\" is {}; accepted: 1 to {}", scope, count, kMaxKeys)};
  }
  for (const Budget& budget : live.budgets) {
    if (budget.scope.empty() || keys_of(live, budget.scope) > 0) continue;
    return Error{
        fmt::format("run: budget \"{}\" is per {}, and no decision has a {}; accepted: the "
                    "number of keys, {}=N",
                    budget.name, budget.scope, budget.scope, budget.scope)};
  }
  return {};
}

// The length of a window in rounds, on average.
double rounds_of(const Window& window, const RunOptions& options) {
  constexpr double kDay = 86400.0;
  const double ticks = static_cast<double>(options.live.ticks);
  switch (window.kind) {
    case Window::Kind::kRun:
      return static_cast<double>(options.rounds);
    case Window::Kind::kRounds:
      return static_cast<double>(window.length);
    case Window::Kind::kTicks:
    case Window::Kind::kRolling:
      return static_cast<double>(window.length) / ticks;
    case Window::Kind::kDay:
      return kDay / ticks;
    case Window::Kind::kWeek:
      return 7.0 * kDay / ticks;
    case Window::Kind::kMonth:
      return 365.2425 / 12.0 * kDay / ticks;
  }
  return 0.0;
}

class Budgeted final : public World {
 public:
  Budgeted(std::unique_ptr<World> of, std::vector<double> budgets)
      : of_(std::move(of)), shape_(of_->shape()) {
    shape_.budgets = std::move(budgets);
  }
  const Shape& shape() const override { return shape_; }
  const Round& next() override { return of_->next(); }
  void outcome(int action, Outcome& out) const override { of_->outcome(action, out); }
  void means(std::span<double> out) const override { of_->means(out); }
  bool highest(std::span<double> out) const override { return of_->highest(out); }
  void observe(int action, const Outcome& outcome) override { of_->observe(action, outcome); }
  bool adapts() const override { return of_->adapts(); }
  bool iid() const override { return of_->iid(); }

 private:
  std::unique_ptr<World> of_;
  Shape shape_;
};

}  // namespace

Result<> check_live(const RunOptions& options, const Shape& world) {
  const Live& live = options.live;
  if (auto ok = check_parts("missing", live.missing, world, 1.0); !ok) return ok;
  if (auto ok = check_parts("late", live.late, world, kMostLate); !ok) return ok;
  if (auto ok = check_scopes(live); !ok) return ok;
  if (live.ticks < 1 || live.ticks > kMostTicks) {
    return Error{fmt::format("run: ticks is {}; accepted: 1 to {}", live.ticks, kMostTicks)};
  }
  if (live.expire < 0 || live.expire > kMostLate) {
    return Error{fmt::format("run: expire is {}; accepted: 0 to {}", live.expire, kMostLate)};
  }
  if (live.budgets.empty()) return {};
  if (!world.budgets.empty()) {
    return Error{
        "run: the world has a budget of its own, and others are given; accepted: one of the two"};
  }
  for (const Budget& budget : live.budgets) {
    if (part_named(world, budget.cost) > 0) continue;
    return Error{fmt::format("budget \"{}\": found cost \"{}\"; accepted: {}", budget.name,
                             budget.cost, cost_names(world))};
  }
  for (const CostShape& cost : world.costs) {
    const bool has = std::ranges::any_of(
        live.budgets, [&](const Budget& budget) { return budget.cost == cost.name; });
    if (!has) {
      return Error{
          fmt::format("run: cost \"{}\" has no budget, and others have; accepted: a budget "
                      "for every cost",
                      cost.name)};
    }
  }
  return {};
}

std::vector<PartRule> part_rules(const RunOptions& options, const Shape& world) {
  std::vector<PartRule> rules(world.costs.size() + 1);
  for (PartRule& rule : rules) rule.late = options.delay;
  for (const auto& [name, share] : options.live.missing) {
    rules[as_size(part_named(world, name))].missing = share;
  }
  for (const auto& [name, rounds] : options.live.late) {
    rules[as_size(part_named(world, name))].late = rounds;
  }
  return rules;
}

std::vector<double> allowed_in_all(const RunOptions& options, const Shape& world) {
  const Live& live = options.live;
  if (live.budgets.empty()) return {};
  std::vector<double> totals(world.costs.size(), std::numeric_limits<double>::infinity());
  for (const Budget& budget : live.budgets) {
    const int part = part_named(world, budget.cost);
    const double windows =
        std::max(1.0, static_cast<double>(options.rounds) / rounds_of(budget.window, options));
    const auto keys = budget.scope.empty() ? 1 : keys_of(live, budget.scope);
    double& total = totals[as_size(part - 1)];
    total = std::min(total, budget.amount * windows * static_cast<double>(keys));
  }
  return totals;
}

std::unique_ptr<World> with_budgets(std::unique_ptr<World> world, std::vector<double> budgets) {
  return std::make_unique<Budgeted>(std::move(world), std::move(budgets));
}

Result<Engine> make_engine(const Spec& policy, const Shape& world, std::uint64_t seed,
                           const RunOptions& options) {
  const Live& live = options.live;
  std::int64_t latest = 1;
  for (const PartRule& rule : part_rules(options, world)) latest = std::max(latest, rule.late);
  latest = std::min(latest, options.rounds);
  const std::int64_t expire = live.expire > 0 ? live.expire : latest;
  EngineOptions made{.seed = seed,
                     .most_open = 2 * (std::min(expire, options.rounds) + 2),  // never near the limit
                     .remember = latest + 1,
                     .expire_after = expire * live.ticks,
                     .budgets = live.budgets};
  for (const auto& [scope, count] : live.keys) {
    made.most_keys = std::max(made.most_keys, static_cast<int>(count));
  }
  Shape shape = world;
  if (!live.budgets.empty()) shape.budgets.clear();  // the engine keeps them
  auto engine = Engine::make(policy, shape, made, own_of(policy, options));
  if (!engine) return engine.failure().in(fmt::format("policy {}: ", policy.str()));
  bool parts = false;
  const std::vector<PartRule> rules = part_rules(options, world);
  for (const PartRule& rule : rules) {
    parts = parts || rule.missing > 0.0 || rule.late != rules[0].late;
  }
  if (parts && !engine.value().policy().state().learns_parts) {
    return Error{
        fmt::format("policy {}: it learns whole outcomes; accepted: no --missing, and the "
                    "same --late for every part",
                    policy.str())};
  }
  return engine;
}

std::string text_of(const Live& live) {
  if (!live.used()) return {};
  std::string text = fmt::format("ticks={} expire={}", live.ticks, live.expire);
  for (const Budget& budget : live.budgets) text += fmt::format(" {}", to_text(budget));
  for (const auto& [name, share] : live.missing) text += fmt::format(" missing {}={}", name, share);
  for (const auto& [name, rounds] : live.late) text += fmt::format(" late {}={}", name, rounds);
  for (const auto& [name, count] : live.keys) text += fmt::format(" keys {}={}", name, count);
  return text;
}

}  // namespace rein
