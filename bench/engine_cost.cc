// The time of a decision and its outcome in C++: by the policy alone, through the engine, and
// through the engine in batches. Prints CPU microseconds per round. bench/python_cost.py runs it
// many times, takes the smallest, and prints Python's time beside it.
//
//     engine_cost SPEC ACTIONS FEATURES ROUNDS
//     engine_cost budgets ACTIONS FEATURES ROUNDS
//
// The second prints the engine with a clock: with a rate of the policy, with a hard window budget
// besides, with a steered window budget in place of the rate, and with one per key besides. They
// take turns, so that a busy machine slows all of them alike. It prints their medians, and then the
// medians of what the last three take more than the first in the same turn.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "rein/batch.h"
#include "rein/policy.h"

namespace {

constexpr int kBatch = 500;
constexpr int kTurns = 11;

double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Problem {
  rein::Shape shape;
  std::vector<double> contexts;
  int rounds = 0;

  rein::Round round(int t) const {
    const auto d = static_cast<std::size_t>(shape.context);
    return {.actions = shape.actions,
            .context = {contexts.data() + static_cast<std::size_t>(t) * d, d}};
  }
};

// The same outcomes as in bench/python_cost.py.
rein::Outcome outcome_of(int action) { return {.reward = 0.05 * action, .costs = {0.01 * action}}; }

void play_policy(const char* spec, const Problem& problem) {
  const auto policy = rein::make_policy(spec, problem.shape).value();
  rein::Scratch scratch(*policy);
  rein::Decision decision(*policy);
  rein::Rng rng(7);
  for (int t = 0; t < problem.rounds; ++t) {
    const rein::Round round = problem.round(t);
    policy->decide(round, rng, scratch, decision).check();
    policy->learn(round, decision, outcome_of(decision.action)).check();
  }
}

void play_engine(const char* spec, const Problem& problem) {
  auto engine = rein::Engine::make(spec, problem.shape, {.seed = 7}).value();
  for (int t = 0; t < problem.rounds; ++t) {
    const rein::Engine::Decision ticket = engine.decide(problem.round(t)).value();
    engine.learn(ticket.id, outcome_of(ticket.action)).check();
  }
}

// Every round is one tick; a window has 1000.
void play_budgets(const char* spec, const Problem& problem, std::vector<rein::Budget> budgets) {
  rein::EngineOptions options;
  options.seed = 7;
  options.budgets = std::move(budgets);
  auto engine = rein::Engine::make(spec, problem.shape, options).value();
  const bool keyed = options.budgets.size() > 1;
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back(fmt::format("user {}", i));
  for (int t = 0; t < problem.rounds; ++t) {
    engine.tick(t).check();
    const rein::Scope scope{"user", keys[static_cast<std::size_t>(t % 1000)]};
    const rein::DecideOptions terms{.scopes = {&scope, keyed ? 1UL : 0UL}};
    const rein::Engine::Decision ticket = engine.decide(problem.round(t), terms).value();
    engine.learn(ticket.id, outcome_of(ticket.action)).check();
  }
}

void play_batches(const char* spec, const Problem& problem) {
  auto engine = rein::Engine::make(spec, problem.shape, {.seed = 7}).value();
  const auto k = static_cast<std::size_t>(problem.shape.actions);
  const auto d = static_cast<std::size_t>(problem.shape.context);
  const auto n = static_cast<std::size_t>(kBatch);
  std::vector<std::uint64_t> ids(n);
  std::vector<std::int32_t> actions(n);
  std::vector<double> probability(n), probabilities(n * k), prices(n), estimates(2 * n * k);
  std::vector<double> rewards(n), costs(n);
  for (int t = 0; t + kBatch <= problem.rounds; t += kBatch) {
    const std::span all(problem.contexts);
    rein::decide_many(engine,
                      {.rounds = kBatch,
                       .actions = problem.shape.actions,
                       .contexts = all.subspan(static_cast<std::size_t>(t) * d, n * d)},
                      {.ids = ids,
                       .actions = actions,
                       .probability = probability,
                       .probabilities = probabilities,
                       .prices = prices,
                       .estimates = estimates})
        .check();
    for (std::size_t i = 0; i < n; ++i) {
      const rein::Outcome outcome = outcome_of(actions[i]);
      rewards[i] = outcome.reward;
      costs[i] = outcome.costs[0];
    }
    rein::learn_many(engine, ids, rewards, costs).check();
  }
}

template <class Play>
double microseconds(const Problem& problem, Play play) {
  const double begin = cpu_seconds();
  play();
  return 1e6 * (cpu_seconds() - begin) / problem.rounds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: engine_cost SPEC ACTIONS FEATURES ROUNDS\n");
    return 2;
  }
  Problem problem;
  problem.shape.actions = std::atoi(argv[2]);
  problem.shape.context = std::atoi(argv[3]);
  problem.shape.costs = {{.name = "dollars", .range = {0.0, 1.0}}};
  problem.rounds = std::atoi(argv[4]);
  problem.contexts.resize(static_cast<std::size_t>(problem.rounds) *
                          static_cast<std::size_t>(problem.shape.context));
  rein::Rng rng(3);
  for (double& number : problem.contexts) number = rng.uniform();
  if (std::string_view(argv[1]) == "budgets") {
    const rein::Budget day{
        .name = "day", .cost = "dollars", .amount = 10, .window = rein::Window::ticks(1000)};
    rein::Budget hard = day, user = day;
    hard.kind = rein::BudgetKind::kHard;
    hard.amount = 1000;
    user.name = user.scope = "user";
    user.amount = 0.1;
    const auto play = [&](const char* spec, const std::vector<rein::Budget>& budgets) {
      return microseconds(problem, [&] { play_budgets(spec, problem, budgets); });
    };
    std::array<std::vector<double>, 4> all, more;
    for (int turn = 0; turn < kTurns; ++turn) {
      const std::array took = {play("ccb(rate=0.01)", {}), play("ccb(rate=0.01)", {hard}),
                               play("ccb", {day}), play("ccb", {day, user})};
      for (std::size_t i = 0; i < took.size(); ++i) {
        all[i].push_back(took[i]);
        more[i].push_back(took[i] - took[0]);
      }
    }
    fmt::print("{:.4f} {:.4f} {:.4f} {:.4f}   {:+.4f} {:+.4f} {:+.4f}\n", median(all[0]),
               median(all[1]), median(all[2]), median(all[3]), median(more[1]), median(more[2]),
               median(more[3]));
    return 0;
  }
  const double policy = microseconds(problem, [&] { play_policy(argv[1], problem); });
  const double engine = microseconds(problem, [&] { play_engine(argv[1], problem); });
  const double batches = microseconds(problem, [&] { play_batches(argv[1], problem); });
  fmt::print("{:.4f} {:.4f} {:.4f}\n", policy, engine, batches);
}
