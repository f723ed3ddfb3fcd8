// The saved form of a Config: the policy, the shape and the options of an engine.
#include <fmt/format.h>

#include <algorithm>

#include "engine/config.h"
#include "engine/encoding_parts.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::int64_t kLearnsHolds = 2;  // as the kind of a budget: hard, and its holds are quantiles

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
  // Budgets that hold quantiles have a number of their own, so that the others keep their form.
  const bool learns = budget.hold_quantile != 0.0;
  out.i64(learns ? kLearnsHolds : static_cast<std::int64_t>(budget.kind));
  if (learns) out.f64(budget.hold_quantile);
  out.i64(static_cast<std::int64_t>(budget.window.kind));
  out.i64(budget.window.length);
  out.text(budget.window.zone);
  out.u64(budget.carry ? 1 : 0);
  out.text(budget.scope);
  out.i64(budget.rounds);
  if (out.version() < 8) return;
  out.u64(budget.amounts.size());
  for (const KeyAmount& own : budget.amounts) {
    out.text(own.key);
    out.f64(own.amount);
  }
  out.i64(budget.keep);
  out.i64(budget.named ? 1 : 0);
}

Budget read_budget(ByteReader& in) {
  Budget budget;
  budget.name = in.text();
  budget.cost = in.text();
  budget.amount = in.f64();
  const std::int64_t kind = in.between("kind of a budget", 0, kLearnsHolds);
  budget.kind = kind == 0 ? BudgetKind::kSteer : BudgetKind::kHard;
  if (kind == kLearnsHolds) budget.hold_quantile = in.f64();
  budget.window.kind = static_cast<Window::Kind>(in.between("kind of a window", 0, 6));
  budget.window.length = in.i64();
  budget.window.zone = in.text();
  budget.carry = in.u64() == 1;
  budget.scope = in.text();
  budget.rounds = in.between("rounds of a window", 0, std::int64_t{1} << 53);
  if (in.version() < 8) return budget;
  budget.amounts.resize(read_count(in, kMaxKeyAmounts));
  for (KeyAmount& own : budget.amounts) {
    own.key = in.text();
    own.amount = in.f64();
  }
  budget.keep = static_cast<int>(in.between("windows that are kept", 0, kMaxKeptWindows));
  budget.named = in.between("whether names are kept", 0, 1) == 1;
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

}  // namespace rein
