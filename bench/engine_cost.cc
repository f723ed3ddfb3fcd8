// The time of a decision and its outcome in C++: by the policy alone, through the engine, and
// through the engine in batches. Prints CPU microseconds per round. bench/python_cost.py runs it
// many times, takes the smallest, and prints Python's time beside it.
//
//     engine_cost SPEC ACTIONS FEATURES ROUNDS
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <vector>

#include "rein/batch.h"
#include "rein/policy.h"

namespace {

constexpr int kBatch = 500;

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
  const double policy = microseconds(problem, [&] { play_policy(argv[1], problem); });
  const double engine = microseconds(problem, [&] { play_engine(argv[1], problem); });
  const double batches = microseconds(problem, [&] { play_batches(argv[1], problem); });
  fmt::print("{:.4f} {:.4f} {:.4f}\n", policy, engine, batches);
}
