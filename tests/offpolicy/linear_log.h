// Logs of a small problem whose truth is known, for tests and for bench/offpolicy_truth.cc: contexts
// are uniform in [-1, 1]^3, the means of the reward and the costs are linear in them (or bent, so that
// no linear model fits), and outcomes lie in [0, 1].
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/math.h"
#include "rein/offpolicy.h"
#include "rein/policy.h"
#include "rein/rng.h"

namespace rein {

inline constexpr int kLogFeatures = 3;

// The true means, and a score per action that policies are made from.
struct LinearTruth {
  int actions = 4;
  int heads = 2;
  bool bent = false;
  std::vector<double> theta;  // (heads + 1) x actions x (1 + features); the last is the score

  LinearTruth(int k, int h, bool bend, std::uint64_t seed) : actions(k), heads(h), bent(bend) {
    Rng rng(seed, 11);
    for (int head = 0; head <= heads; ++head) {
      for (int a = 0; a < actions; ++a) {
        theta.push_back(
            0.5 + 0.15 * (2.0 * rng.uniform() - 1.0) +
            (head < 2 ? 0.15 * (2.0 * a / (actions - 1.0) - 1.0) * (head == 0 ? 0.6 : 1.0) : 0.0));
        for (int j = 0; j < kLogFeatures; ++j) {
          theta.push_back((head == heads ? 1.0 : 0.06) * (2.0 * rng.uniform() - 1.0));
        }
      }
    }
  }
  double linear(int head, int a, const double* x) const {
    const double* line =
        theta.data() + (static_cast<std::size_t>(head) * actions + a) * (1 + kLogFeatures);
    double out = line[0];
    for (int j = 0; j < kLogFeatures; ++j) out += line[1 + j] * x[j];
    return out;
  }
  double mean(int head, int a, const double* x) const {
    double out = linear(head, a, x);
    if (bent) out += 0.12 * std::abs(x[(a + head) % kLogFeatures]) * (a % 2 == 0 ? 1.0 : -1.0);
    return std::clamp(out, 0.1, 0.9);
  }
};

// Policies of the truth's score: "uniform", "softmax" (temperature 1/2), "epsilon" (0.3, greedy by
// the score), "other" (softmax of the negative score), "greedy" (by the true reward).
inline void policy_at(const LinearTruth& truth, const std::string& name, const double* x,
                      double* p) {
  const int k = truth.actions;
  const auto greedy = [&](int head, double on) {
    int best = 0;
    for (int a = 1; a < k; ++a) {
      if (truth.linear(head, a, x) > truth.linear(head, best, x)) best = a;
    }
    for (int a = 0; a < k; ++a) p[a] = (1.0 - on) / k + (a == best ? on : 0.0);
  };
  if (name == "uniform") {
    for (int a = 0; a < k; ++a) p[a] = 1.0 / k;
  } else if (name == "softmax" || name == "other") {
    double sum = 0.0;
    for (int a = 0; a < k; ++a) {
      p[a] = rein::exp((name == "other" ? -1.0 : 2.0) * truth.linear(truth.heads, a, x));
      sum += p[a];
    }
    for (int a = 0; a < k; ++a) p[a] /= sum;
  } else if (name == "epsilon") {
    greedy(truth.heads, 0.7);
  } else {
    greedy(0, 1.0);
  }
}

struct OwnedLog {
  int actions = 0, heads = 0;
  std::vector<std::int32_t> played;
  std::vector<double> propensity, outcomes, context;

  OfflineRows rows() const {
    return {.rows = static_cast<std::int64_t>(played.size()),
            .actions = actions,
            .heads = heads,
            .features = kLogFeatures,
            .played = played,
            .propensity = propensity,
            .outcomes = outcomes,
            .context = context};
  }
};

// A log of n rows by a policy of policy_at(), or by "ccb", which learns while it plays.
inline OwnedLog draw_log(const LinearTruth& truth, const std::string& name, int n,
                         std::uint64_t seed) {
  Rng rng(seed, 21);
  OwnedLog log{.actions = truth.actions, .heads = truth.heads};
  std::unique_ptr<Policy> policy;
  Shape shape{.actions = truth.actions, .context = kLogFeatures, .reward = {0.0, 1.0}, .rounds = n};
  for (int h = 1; h < truth.heads; ++h) {
    shape.costs.push_back({.name = h == 1 ? "c1" : "c2", .range = {0.0, 1.0}});
    shape.budgets.push_back(0.5 * n);
  }
  if (name == "ccb") policy = make_policy("ccb(least=0.05)", shape).value();
  Scratch scratch;
  Decision decision;
  std::vector<double> p(static_cast<std::size_t>(truth.actions));
  for (int t = 0; t < n; ++t) {
    double x[kLogFeatures];
    for (double& value : x) value = 2.0 * rng.uniform() - 1.0;
    const Round round{.actions = truth.actions, .context = x};
    int action = 0;
    if (policy) {
      policy->decide(round, rng, scratch, decision).check();
      action = decision.action;
      p.assign(decision.probabilities().begin(), decision.probabilities().end());
    } else {
      policy_at(truth, name, x, p.data());
      double u = rng.uniform();
      while (action + 1 < truth.actions && u >= p[static_cast<std::size_t>(action)]) {
        u -= p[static_cast<std::size_t>(action++)];
      }
    }
    log.played.push_back(action);
    log.propensity.push_back(p[static_cast<std::size_t>(action)]);
    log.context.insert(log.context.end(), x, x + kLogFeatures);
    Outcome outcome{.costs = Costs(truth.heads - 1)};
    for (int h = 0; h < truth.heads; ++h) {
      const double y = truth.mean(h, action, x) + 0.1 * (2.0 * rng.uniform() - 1.0);
      log.outcomes.push_back(y);
      (h == 0 ? outcome.reward : outcome.costs[h - 1]) = y;
    }
    if (policy) policy->learn(round, decision, outcome).check();
  }
  return log;
}

// The i-th of evenly spread contexts (a Kronecker sequence of the plastic number's kin in 3
// dimensions): integrals over contexts converge much faster than with random ones.
inline void even_context(std::int64_t i, double* x) {
  constexpr double kRoot = 1.2207440846057596;  // of g^4 = g + 1
  double step = 1.0;
  for (int j = 0; j < kLogFeatures; ++j) {
    step /= kRoot;
    const double u = 0.5 + static_cast<double>(i) * step;
    x[j] = 2.0 * (u - std::floor(u)) - 1.0;
  }
}

// The true value of a policy, one per head.
inline std::vector<double> true_value(const LinearTruth& truth, const std::string& name,
                                      int points = 200'000) {
  std::vector<double> out(static_cast<std::size_t>(truth.heads), 0.0);
  std::vector<double> p(static_cast<std::size_t>(truth.actions));
  double x[kLogFeatures];
  for (int i = 0; i < points; ++i) {
    even_context(i, x);
    policy_at(truth, name, x, p.data());
    for (int h = 0; h < truth.heads; ++h) {
      for (int a = 0; a < truth.actions; ++a) {
        out[static_cast<std::size_t>(h)] +=
            p[static_cast<std::size_t>(a)] * truth.mean(h, a, x) / points;
      }
    }
  }
  return out;
}

inline std::vector<double> target_of(const LinearTruth& truth, const std::string& name,
                                     const OwnedLog& log) {
  const std::size_t k = static_cast<std::size_t>(truth.actions);
  std::vector<double> out(log.played.size() * k);
  for (std::size_t i = 0; i < log.played.size(); ++i) {
    policy_at(truth, name, log.context.data() + i * kLogFeatures, out.data() + i * k);
  }
  return out;
}

}  // namespace rein
