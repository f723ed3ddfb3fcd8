#include "evaluate/live_play.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "evaluate/cpu_share.h"
#include "evaluate/feed.h"
#include "evaluate/live.h"
#include "evaluate/run.h"
#include "evaluate/shared_benchmark.h"
#include "evaluate/window_spend.h"

namespace rein {
namespace {

constexpr std::uint64_t kKeyStream = 3;  // see kPolicyStream in play.cc

// The engine of a play with all that it is told round by round.
class Service {
 public:
  Service(Engine engine, const Shape& shape, const RunOptions& options, std::uint64_t seed)
      : engine_(std::move(engine)),
        live_(options.live),
        feed_(part_rules(options, shape), options.rounds, seed),
        rng_(seed, kKeyStream),
        decision_(engine_.policy()) {
    for (const Budget& budget : live_.budgets) {
      spends_.emplace_back(budget);
      const auto is = [&](const CostShape& cost) { return cost.name == budget.cost; };
      costs_.push_back(
          static_cast<int>(std::ranges::find_if(shape.costs, is) - shape.costs.begin()));
      hard_ = hard_ || budget.kind == BudgetKind::kHard;
    }
    const std::size_t numbers = as_size(shape.actions) * shape.costs.size();
    highest_.resize(hard_ ? numbers : 0);
    largest_.resize(highest_.size());
  }

  Engine& engine() { return engine_; }
  const Decision& decision() const { return decision_; }

  // Round t = 1, 2, ... is at t - 1 ticks. Answers kBudget if no action fits.
  Result<> decide(std::int64_t t, const World& world, const Round& round) {
    now_ = (t - 1) * live_.ticks;
    if (auto ticked = engine_.tick(now_); !ticked) return ticked.failure();
    name_keys(t);
    windows_ =
        live_.budgets.empty() ? std::vector<BudgetState>() : engine_.budgets(scopes_).value();
    auto made = engine_.decide(round, {.scopes = scopes_,
                                       .largest_costs = largest_costs(world, round.actions),
                                       .most_costs = {}});
    if (!made) return made.failure();
    id_ = made.value().id;
    decision_.action = made.value().place;
    decision_.best = made.value().best;
    decision_.prices = made.value().prices;
    decision_.estimates = *made.value().estimates;
    return {};
  }
  void take(std::int64_t t, const Outcome& outcome) {
    feed_.add(t, id_, outcome);
    for (std::size_t i = 0; i < spends_.size(); ++i) {
      const auto found = std::ranges::find(windows_, live_.budgets[i].name, &BudgetState::name);
      if (found == windows_.end()) continue;
      spends_[i].add(key_of(live_.budgets[i]), now_, found->window, outcome.costs[costs_[i]]);
    }
  }
  Result<> learn(std::int64_t t) { return feed_.deliver(t, engine_); }

  // After the last round: the clock moves on, so that a window that ended is closed.
  Result<std::vector<BudgetTotals>> finish(std::int64_t rounds) {
    if (auto ticked = engine_.tick(rounds * live_.ticks); !ticked) return ticked.failure();
    std::vector<BudgetTotals> totals;
    if (spends_.empty()) return totals;
    const std::vector<BudgetState> open = engine_.budgets(scopes_).value();
    for (std::size_t i = 0; i < spends_.size(); ++i) {
      totals.push_back(spends_[i].totals(open[i].window));
    }
    return totals;
  }

 private:
  void name_keys(std::int64_t t) {
    if (live_.keys.empty()) return;
    rng_.set_counter(static_cast<std::uint64_t>(t) * live_.keys.size());
    keys_.clear();
    names_.clear();
    scopes_.clear();
    for (const auto& [scope, count] : live_.keys) {
      keys_.push_back(rng_.below(count));
      names_.push_back(std::to_string(keys_.back()));
    }
    for (std::size_t k = 0; k < keys_.size(); ++k)
      scopes_.push_back({live_.keys[k].first, names_[k]});
  }
  std::int64_t key_of(const Budget& budget) const {
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      if (live_.keys[k].first == budget.scope) return keys_[k];
    }
    return 0;
  }
  // What the world says that each action can cost now, for hard budgets; else what is declared.
  std::span<const double> largest_costs(const World& world, int actions) {
    if (!hard_ || !world.highest(highest_)) return {};
    const std::size_t m = highest_.size() / as_size(world.shape().actions), n = as_size(actions);
    for (std::size_t j = 0; j < m * n; ++j) {
      largest_[j % n * m + j / n] = std::max(highest_[j], 0.0);
    }
    return std::span(largest_).first(m * n);
  }

  Engine engine_;
  const Live& live_;
  Feed feed_;
  Rng rng_;
  Decision decision_;
  std::uint64_t id_ = 0;
  std::int64_t now_ = 0;
  bool hard_ = false;
  std::vector<WindowSpend> spends_;  // one per budget, as costs_: the cost that it limits
  std::vector<int> costs_;
  std::vector<BudgetState> windows_;  // those that apply to this decision
  std::vector<std::int64_t> keys_;    // one per scope
  std::vector<std::string> names_;
  std::vector<Scope> scopes_;
  std::vector<double> highest_, largest_;
};

}  // namespace

Result<PlayResult> play_live(const Run& run, const Play& play, SharedBenchmarks& shared,
                             const std::function<void(std::int64_t)>& tick) {
  const RunOptions& options = run.options;
  auto made_world = run.make_world(play.seed);
  if (!made_world) return made_world.failure();
  World& world = *made_world.value();
  const Shape& shape = world.shape();
  auto engine = make_engine(play.policy, shape, play.seed, options);
  if (!engine) return engine.failure();
  Service service(std::move(engine).value(), shape, options, play.seed);
  const Policy& policy = service.engine().policy();
  const auto refused = [&](std::int64_t round, const Error& why) {
    return why.in(
        fmt::format("policy {}, seed {}, round {}: ", play.policy.str(), play.seed, round));
  };
  auto benchmark = shared.of(play.seed, world, benchmark_options(policy, shape, options));
  if (!benchmark) return benchmark.failure();
  Meter meter(shape, meter_options(policy, shape, options));
  Outcome outcome;
  std::vector<double> means(as_size(shape.heads()) * as_size(shape.actions));
  CpuShare cpu(options.rounds);
  for (std::int64_t t = 1; t <= options.rounds; ++t) {
    cpu.begin_round();
    const Round& round = world.next();
    world.means(means);
    const double best = benchmark.value().best(t, world, means, round.actions);
    cpu.begin();
    const Result<> decided = service.decide(t, world, round);
    cpu.end();
    if (!decided && decided.reason() != Reason::kBudget) return refused(t, decided.failure());
    if (decided) {
      world.outcome(service.decision().action, outcome);
      meter.add({service.decision(), outcome, means, round.actions, best});
      service.take(t, outcome);
      world.observe(service.decision().action, outcome);
    } else {
      meter.add_refused(best);
    }
    cpu.begin();
    const Result<> learned = service.learn(t);
    cpu.end();
    if (!learned) return refused(t, learned.failure());
    cpu.end_round();
    if (t % kProgressChunk == 0) tick(kProgressChunk);
  }
  tick(options.rounds % kProgressChunk);
  auto budgets = service.finish(options.rounds);
  if (!budgets) return refused(options.rounds, budgets.failure());
  const PolicyState state = service.engine().policy_state();
  PlayResult result = result_of(meter, benchmark.value().totals(), state);
  result.totals.cpu_seconds = cpu.seconds();
  result.totals.seed = play.seed;
  result.totals.u = state.u;
  result.totals.budgets = std::move(budgets).value();
  if (state.theorem) result.totals.no_bound = NoBound::kLive;
  if (options.certify) result.totals.no_certificate = NoCertificate::kLive;
  return result;
}

}  // namespace rein
