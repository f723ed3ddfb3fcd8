#include "truth_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../tests/offpolicy/linear_log.h"
#include "offpolicy/action_models.h"
#include "rein/world.h"

namespace rein {
namespace {

constexpr std::int64_t kContexts = 8192;  // of a linear problem
constexpr int kScoreRows = 300;           // that the score of a table is fitted on
constexpr double kScoreSpread = 0.58;     // over actions; that of the linear problems

// Rewards of all actions by a linear model, fitted on these rows of the table.
std::vector<double> rewards_by_model(const TruthProblem& problem,
                                     const std::vector<std::int64_t>& fitted) {
  // Every row twice, so that each of the two folds holds all of them.
  std::vector<double> context;
  std::vector<double> rewards;
  for (const std::int64_t i : fitted) {
    for (int twice = 0; twice < 2; ++twice) {
      for (int j = 0; j < problem.features; ++j)
        context.push_back(problem.context[at(i * problem.features + j)]);
      for (int a = 0; a < problem.actions(); ++a) rewards.push_back(problem.mean(i, a, 0));
    }
  }
  const std::vector<std::int32_t> played(2 * fitted.size(), 0);
  const OfflineRows rows{.rows = static_cast<std::int64_t>(played.size()),
                         .actions = 1,
                         .heads = problem.actions(),
                         .features = problem.features,
                         .played = played,
                         .outcomes = rewards,
                         .context = context};
  const ActionModels model = ActionModels::fit(rows, {.folds = 2}).value();
  std::vector<double> out(at(problem.size) * at(problem.actions()));
  for (std::int64_t i = 0; i < problem.size; ++i) {
    model.predict(0, problem.context.data() + i * problem.features,
                  out.data() + i * problem.actions());
  }
  return out;
}

void spread_score(TruthProblem& problem) {
  const std::size_t k = at(problem.actions());
  double square = 0.0;
  for (std::size_t i = 0; i < problem.score.size(); i += k) {
    double mean = 0.0;
    for (std::size_t a = 0; a < k; ++a) mean += problem.score[i + a] / static_cast<double>(k);
    for (std::size_t a = 0; a < k; ++a) {
      problem.score[i + a] -= mean;
      square += problem.score[i + a] * problem.score[i + a];
    }
  }
  const double deviation = std::sqrt(square / static_cast<double>(problem.score.size()));
  for (double& s : problem.score) s *= kScoreSpread / deviation;
}

std::size_t best_of(const double* values, std::size_t k) {
  return static_cast<std::size_t>(std::max_element(values, values + k) - values);
}

}  // namespace

TruthProblem linear_problem(int actions, int heads, bool bent, std::uint64_t seed) {
  const LinearTruth truth(actions, heads, bent, seed);
  TruthProblem out{.name = bent ? "bent" : "linear", .features = kLogFeatures, .noise = 0.1};
  out.shape = {.actions = actions, .context = kLogFeatures, .reward = {0.0, 1.0}};
  for (int h = 1; h < heads; ++h) {
    out.shape.costs.push_back({.name = h == 1 ? "c1" : "c2", .range = {0.0, 1.0}});
    out.shape.budgets.push_back(0.5);
  }
  out.size = kContexts;
  double x[kLogFeatures];
  for (std::int64_t i = 0; i < out.size; ++i) {
    even_context(i, x);
    out.context.insert(out.context.end(), x, x + kLogFeatures);
    for (int a = 0; a < actions; ++a) {
      for (int h = 0; h < heads; ++h) out.means.push_back(truth.mean(h, a, x));
      out.score.push_back(truth.linear(heads, a, x));
      out.expected.push_back(truth.linear(0, a, x));
    }
  }
  return out;
}

Result<TruthProblem> table_problem(const std::string& folder, const std::string& name,
                                   double budget, std::int64_t most) {
  auto world = make_world(
      fmt::format("table(file=\"{}/{}.csv.gz\",order=file,rate={})", folder, name, budget), 1, 0);
  if (!world) return world.failure();
  World& table = *world.value();
  TruthProblem out{.name = name, .shape = table.shape()};
  out.features = out.shape.context;
  const std::int64_t rounds = out.shape.rounds;
  out.size = std::min(rounds, most);
  out.shape.budgets = {budget};
  const int k = out.actions();
  std::vector<double> means(at(k) * at(out.heads()));
  for (std::int64_t i = 0; i < rounds; ++i) {
    const Round& round = table.next();
    if (i * out.size / rounds == (i + 1) * out.size / rounds) continue;
    out.context.insert(out.context.end(), round.context.begin(), round.context.end());
    table.means(means);
    for (int a = 0; a < k; ++a) {
      for (int h = 0; h < out.heads(); ++h) {
        const double y = means[at(h * k + a)];
        out.means.push_back(y);
        if (h > 0) out.signed_by = std::max(out.signed_by, -y);
      }
    }
  }
  Rng rng(7, 31);
  std::vector<std::int64_t> some;
  for (int i = 0; i < kScoreRows; ++i)
    some.push_back(static_cast<std::int64_t>(rng.uniform() * static_cast<double>(out.size)));
  std::vector<std::int64_t> all(at(out.size));
  for (std::int64_t i = 0; i < out.size; ++i) all[at(i)] = i;
  out.score = rewards_by_model(out, some);
  spread_score(out);
  out.expected = rewards_by_model(out, all);
  return out;
}

TruthProblem with_linear_cost(TruthProblem problem, std::uint64_t seed) {
  problem.name += "_linear";
  Rng rng(seed, 41);
  std::vector<double> slopes(at(problem.actions()) * at(problem.features));
  for (double& slope : slopes) slope = 2.0 * rng.uniform() - 1.0;
  const auto cost = [&](std::int64_t i, int a) -> double& {
    return problem.means[at((i * problem.actions() + a) * problem.heads() + 1)];
  };
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::int64_t i = 0; i < problem.size; ++i) {
    for (int a = 0; a < problem.actions(); ++a) {
      double sum = 0.0;
      for (int j = 0; j < problem.features; ++j) {
        sum += slopes[at(a * problem.features + j)] * problem.context[at(i * problem.features + j)];
      }
      cost(i, a) = sum;
      low = std::min(low, sum);
      high = std::max(high, sum);
    }
  }
  for (std::int64_t i = 0; i < problem.size; ++i) {
    for (int a = 0; a < problem.actions(); ++a) cost(i, a) = (cost(i, a) - low) / (high - low);
  }
  problem.shape.costs[0].range = {0.0, 1.0};
  problem.signed_by = 0.0;
  return problem;
}

std::vector<double> policy_of(const TruthProblem& problem, const std::string& name) {
  const std::size_t k = at(problem.actions());
  const double even = 1.0 / static_cast<double>(k);
  std::vector<double> out(problem.score.size(), even);
  for (std::size_t i = 0; i < out.size() && name != "uniform"; i += k) {
    double* p = out.data() + i;
    const double* score = problem.score.data() + i;
    if (name == "softmax" || name == "other") {
      double sum = 0.0;
      for (std::size_t a = 0; a < k; ++a)
        sum += p[a] = exp((name == "other" ? -1.0 : 2.0) * score[a]);
      for (std::size_t a = 0; a < k; ++a) p[a] /= sum;
      continue;
    }
    const bool mixed = name == "epsilon";
    const std::size_t best = best_of(mixed ? score : problem.expected.data() + i, k);
    const double on = mixed ? 0.7 : 1.0;
    for (std::size_t a = 0; a < k; ++a) p[a] = (1.0 - on) * even + (a == best ? on : 0.0);
  }
  return out;
}

std::vector<double> true_value(const TruthProblem& problem, const std::vector<double>& policy) {
  std::vector<double> out(at(problem.heads()), 0.0);
  for (std::size_t i = 0; i < policy.size(); ++i) {
    for (std::size_t h = 0; h < out.size(); ++h)
      out[h] += policy[i] * problem.means[i * out.size() + h];
  }
  for (double& value : out) value /= static_cast<double>(problem.size);
  return out;
}

OfflineRows TruthLog::rows() const {
  return {.rows = static_cast<std::int64_t>(played.size()),
          .actions = problem->actions(),
          .heads = problem->heads(),
          .features = problem->features,
          .played = played,
          .propensity = propensity,
          .outcomes = outcomes,
          .context = context};
}

std::vector<double> TruthLog::target(const std::vector<double>& policy) const {
  std::vector<double> out;
  const std::int64_t k = problem->actions();
  out.reserve(place.size() * at(k));
  for (const std::int64_t i : place)
    out.insert(out.end(), policy.data() + i * k, policy.data() + (i + 1) * k);
  return out;
}

TruthLog draw_log(const TruthProblem& problem, const std::vector<double>& probabilities, int n,
                  std::uint64_t seed) {
  Rng rng(seed, 21);
  TruthLog log{.problem = &problem};
  const int k = problem.actions();
  std::unique_ptr<Policy> learner;
  if (probabilities.empty()) {
    Shape shape = problem.shape;
    shape.rounds = n;
    for (double& budget : shape.budgets) budget = n * (budget + problem.signed_by);
    if (problem.signed_by > 0.0) shape.costs[0].range = {0.0, 1.0};
    learner = make_policy(k <= 10 ? "ccb(least=0.05)" : "ccb(least=0.01)", shape).value();
  }
  Scratch scratch;
  Decision decision;
  for (int t = 0; t < n; ++t) {
    const std::int64_t place =
        static_cast<std::int64_t>(rng.uniform() * static_cast<double>(problem.size));
    const double* x = problem.context.data() + place * problem.features;
    const Round round{.actions = k, .context = {x, at(problem.features)}};
    int action = 0;
    const double* p = probabilities.data() + (learner ? 0 : place * k);
    if (learner) {
      learner->decide(round, rng, scratch, decision).check();
      action = decision.action;
      p = decision.probabilities().data();
    } else {
      double u = rng.uniform();
      while (action + 1 < k && u >= p[action]) u -= p[action++];
    }
    log.place.push_back(place);
    log.played.push_back(action);
    log.propensity.push_back(p[action]);
    log.context.insert(log.context.end(), x, x + problem.features);
    Outcome outcome{.costs = Costs(problem.heads() - 1)};
    for (int h = 0; h < problem.heads(); ++h) {
      double y = problem.mean(place, action, h);
      if (problem.noise > 0.0) y += problem.noise * (2.0 * rng.uniform() - 1.0);
      log.outcomes.push_back(y);
      (h == 0 ? outcome.reward : outcome.costs[h - 1]) = h == 0 ? y : y + problem.signed_by;
    }
    if (learner) learner->learn(round, decision, outcome).check();
  }
  return log;
}

}  // namespace rein
