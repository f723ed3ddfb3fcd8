// Whether the intervals of off-policy evaluation, confidence sequences and the bands of what-if curves
// are true: many logs of problems whose truth is known. Writes one JSON object per condition;
// bench/offpolicy_tables.py makes the tables of docs/lab/offpolicy.md from them.
//
//     build/bench/offpolicy_truth batch|curve FILE [DATA|-] [LOGS=1000] [FIRST_SEED] [WORD...]
//
// Conditions that FILE has are not run again, so a stopped run goes on where it was. DATA is the
// folder of the tables; without it only linear problems run. A WORD keeps the conditions whose name
// contains it. The word letter_linear asks for one that does not run otherwise: letter with a cost
// that was made to be hard for the intervals (docs/evaluate.md, Regressions).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "../tests/offpolicy/true_curve.h"
#include "base/pool.h"
#include "offpolicy/propensity_model.h"
#include "offpolicy/scores.h"
#include "truth_problems.h"

namespace rein {
namespace {

struct Named {
  const char* name;
  double budget;  // mean cost per round
};
constexpr Named kTables[] = {
    {"llm_routing", 0.005},   {"ml_api_rafdb", 0.3},   {"ml_api_expw", 0.3}, {"warfarin", 0.08},
    {"bank_marketing", 0.02}, {"credit_default", 0.0}, {"letter", 0.35},     {"pendigits", 0.0}};
constexpr const char* kHard = "letter_linear";
constexpr const char* kLogs[] = {"uniform", "softmax", "epsilon", "ccb"};
constexpr std::uint64_t kWorld = 5;  // seed of the linear problems

struct Run {
  std::string path;  // of the results
  std::string data;
  int logs = 1000;
  std::uint64_t seed = 3'000'000;
  std::vector<std::string> words;
  std::set<std::string> done;

  bool wants(const std::string& name) const {
    bool all = !done.contains(name);
    for (const std::string& word : words) all = all && name.find(word) != std::string::npos;
    return all;
  }
  void write(const std::string& name, const std::string& fields) {
    std::ofstream(path, std::ios::app) << fmt::format(
        "{{\"condition\": \"{}\", \"logs\": {}, \"seed\": {}, {}}}\n", name, logs, seed, fields);
    done.insert(name);
  }
  template <class Each>
  void each(const Each& one) const {
    const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    run_jobs(logs, threads, [&](std::int64_t i) {
      one(static_cast<std::size_t>(i), seed + static_cast<std::uint64_t>(i));
      return true;
    });
  }
};

struct Tally {
  double intervals[2] = {0.0, 0.0};  // per head; without those of estimates that have no error
  double covered[2] = {0.0, 0.0};
  double square = 0.0;
};

struct Found {
  Evaluation evaluation;
  bool inside[2] = {true, true};  // the confidence sequence, per head
  double width[2] = {0.0, 0.0};
};

std::string summary(const std::vector<Found>& found, const std::vector<double>& value) {
  std::map<std::string, Tally> tallies;
  const double logs = static_cast<double>(found.size());
  double size = 0.0;
  double unwarned = 0.0;
  double noticed = 0.0;
  double inside[2] = {0.0, 0.0};
  double width[2] = {0.0, 0.0};
  for (const Found& one : found) {
    const Evaluation& evaluation = one.evaluation;
    size += evaluation.overlap.effective_size / logs;
    noticed += evaluation.adaptive ? 1.0 : 0.0;
    const bool none = !std::isfinite(evaluation.find("dr")->low[0]);
    unwarned += none && evaluation.warnings.empty() ? 1.0 : 0.0;
    for (std::size_t h = 0; h < 2; ++h) {
      inside[h] += one.inside[h] ? 100.0 / logs : 0.0;
      width[h] += one.width[h] / logs;
    }
    for (const PolicyValue& v : evaluation.values) {
      Tally& tally = tallies[v.estimator];
      tally.square += (v.value[0] - value[0]) * (v.value[0] - value[0]) / logs;
      for (std::size_t h = 0; h < 2; ++h) {
        const bool right = v.low[h] - 1e-9 <= value[h] && value[h] <= v.high[h] + 1e-9;
        // Without any error the interval is one point. It says nothing about the others.
        if (!std::isfinite(v.low[h]) || (right && v.high[h] - v.low[h] <= 2e-9)) continue;
        tally.intervals[h] += 1.0;
        tally.covered[h] += right ? 1.0 : 0.0;
      }
    }
  }
  std::string out = fmt::format(
      "\"size\": {:.1f}, \"unwarned\": {}, \"noticed\": {}, \"inside\": [{:.1f}, {:.1f}], "
      "\"width\": [{:.4f}, {:.4f}]",
      size, unwarned, noticed, inside[0], inside[1], width[0], width[1]);
  for (const auto& [name, tally] : tallies) {
    out += fmt::format(", \"{}\": [{}, {}, {}, {}, {:.6g}]", name, tally.intervals[0],
                       tally.covered[0], tally.intervals[1], tally.covered[1], tally.square);
  }
  return out;
}

// One problem and log: both policies, all estimators and the sequences.
void batch(Run& run, const TruthProblem& problem, const std::string& log, int rows) {
  const std::string name = fmt::format("{} {} {} {}", problem.name, problem.actions(), log, rows);
  if (!run.wants(fmt::format("batch {} greedy", name))) return;
  const bool learned = log == "ccb";
  const std::vector<double> logging = learned ? std::vector<double>{} : policy_of(problem, log);
  const std::string targets[] = {"other", "greedy"};
  std::vector<double> policies[2];
  std::vector<double> values[2];
  std::vector<Found> found[2];
  for (std::size_t t = 0; t < 2; ++t) {
    policies[t] = policy_of(problem, targets[t]);
    values[t] = true_value(problem, policies[t]);
    found[t].resize(static_cast<std::size_t>(run.logs));
  }
  run.each([&](std::size_t i, std::uint64_t seed) {
    const TruthLog drawn = draw_log(problem, logging, rows, seed);
    const bool adaptive = varies_with_time(drawn.rows());
    const auto predicted = cross_fit(drawn.rows(), {.forward = adaptive || learned}).value();
    const PropensityModel model(drawn.rows());
    for (std::size_t t = 0; t < 2; ++t) {
      const std::vector<double> target = drawn.target(policies[t]);
      Found& one = found[t][i];
      one.evaluation =
          evaluate_policy(drawn.rows(), target, predicted,
                          {.adaptive = adaptive ? Adaptive::kYes : Adaptive::kNo}, model)
              .value();
      for (int head = 0; head < 2; ++head) {
        Range range = head == 0 ? problem.shape.reward : problem.shape.costs[0].range;
        const auto sequence =
            confidence_sequence(drawn.rows(), target, head, {range.low, range.high}).value();
        const double v = values[t][static_cast<std::size_t>(head)];
        // The ends are the best so far, so the last ones tell about all times.
        one.inside[head] = sequence.low.back() <= v && v <= sequence.high.back();
        one.width[head] = (sequence.high.back() - sequence.low.back()) / (range.high - range.low);
      }
    }
  });
  for (std::size_t t = 0; t < 2; ++t)
    run.write(fmt::format("batch {} {}", name, targets[t]), summary(found[t], values[t]));
}

// Ten budgets between the cheapest and the dearest action, without the outer tenths.
std::vector<double> budgets_of(const TruthProblem& problem) {
  double low = 1e300;
  double high = -1e300;
  for (int a = 0; a < problem.actions(); ++a) {
    double mean = 0.0;
    for (std::int64_t i = 0; i < problem.size; ++i)
      mean += problem.mean(i, a, 1) / static_cast<double>(problem.size);
    low = std::min(low, mean);
    high = std::max(high, mean);
  }
  std::vector<double> out;
  for (int k = 0; k < 10; ++k) out.push_back(low + (high - low) * (0.1 + 0.8 * k / 9.0));
  return out;
}

// In a log of a learner a band needs 500 rows at its least propensity, 0.05.
int curve_rows(const std::string& log) { return log == "ccb" ? 12'000 : 2000; }

void curve(Run& run, const TruthProblem& problem, const std::string& log, int rows) {
  const bool limited = problem.heads() == 3;
  const std::string name = fmt::format("curve {} {} {} {} {}", problem.name, problem.actions(), log,
                                       rows, limited ? "limit" : "free");
  if (!run.wants(name)) return;
  WhatifOptions options{.cost = 1, .budgets = budgets_of(problem)};
  if (limited) options.limits = {{.head = 2, .amount = 0.5, .at_least = true}};
  const std::vector<double> logging =
      log == "ccb" ? std::vector<double>{} : policy_of(problem, log);
  std::vector<double> bands(static_cast<std::size_t>(run.logs), 0.0);  // points with a band
  std::vector<double> joint(bands);
  std::vector<double> one(bands);
  run.each([&](std::size_t i, std::uint64_t seed) {
    const TruthLog drawn = draw_log(problem, logging, rows, seed);
    const OfflineRows view = drawn.rows();
    const Whatif found = whatif(view, options).value();
    const TrueCurve real = true_curve_over(
        problem.size,
        [&](std::int64_t row) { return problem.context.data() + row * problem.features; },
        [&](std::int64_t row, int action, int head) { return problem.mean(row, action, head); },
        view, options, found);
    joint[i] = 1.0;
    for (std::size_t k = 0; k < found.points.size(); ++k) {
      if (!found.points[k].possible || !real.possible[k]) continue;
      const CurveValue& v = found.points[k].values[0];
      if (!std::isfinite(v.low)) continue;  // no band is promised
      bands[i] += 1.0;
      one[i] += v.low <= real.reward[k] && real.reward[k] <= v.high ? 1.0 : 0.0;
      if (v.band_low > real.reward[k] || real.reward[k] > v.band_high) joint[i] = 0.0;
    }
  });
  double points = 0.0;
  double logs = 0.0;
  double held = 0.0;
  double single = 0.0;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    if (bands[i] == 0.0) continue;
    logs += 1.0;
    points += bands[i];
    held += joint[i];
    single += one[i];
  }
  run.write(name, fmt::format("\"with_band\": {}, \"held\": {}, \"points\": {}, \"inside\": {}",
                              logs, held, points, single));
}

void linear_batches(Run& run) {
  for (const int rows : {1000, 4000}) {
    for (const char* log : kLogs) {
      for (const int actions : {3, 8}) {
        for (const bool bent : {false, true})
          batch(run, linear_problem(actions, 2, bent, kWorld), log, rows);
      }
    }
  }
}

Result<> hard_batches(Run& run) {
  auto letter = table_problem(run.data, "letter", 0.35);
  if (!letter) return letter.failure();
  const TruthProblem problem = with_linear_cost(std::move(letter).value(), kWorld);
  for (const char* log : kLogs) batch(run, problem, log, 2000);
  return {};
}

// Whether the words ask for another table than this one, which then need not be read.
bool not_wanted(const Run& run, const std::string& name) {
  for (const std::string& word : run.words) {
    for (const Named& table : kTables) {
      if (word == table.name && word != name) return true;
    }
  }
  return false;
}

int run_all(Run& run, const std::string& part) {
  const auto tables = [&](std::int64_t most, const auto& one, const auto& rows) {
    for (const Named& table : kTables) {
      if (run.data == "-") break;
      if (not_wanted(run, table.name)) continue;
      const auto problem = table_problem(run.data, table.name, table.budget, most);
      if (!problem) {
        fmt::print(stderr, "offpolicy_truth: {}\n", problem.error());
        return 1;
      }
      for (const char* log : kLogs) one(run, problem.value(), log, rows(log));
    }
    return 0;
  };
  if (part == "batch" && std::ranges::find(run.words, kHard) != run.words.end()) {
    const auto done = hard_batches(run);
    if (!done) fmt::print(stderr, "offpolicy_truth: {}\n", done.error());
    return done ? 0 : 1;
  }
  if (part == "batch") {
    if (const int failed = tables(1'000'000'000, batch, [](const std::string&) { return 2000; });
        failed != 0)
      return failed;
    linear_batches(run);
    return 0;
  }
  for (const bool bent : {false, true}) {
    for (const char* log : kLogs)
      curve(run, linear_problem(4, 2, bent, kWorld), log, curve_rows(log));
  }
  if (const int failed = tables(2048, curve, curve_rows); failed != 0) return failed;
  for (const bool bent : {false, true}) {
    for (const char* log : kLogs)
      curve(run, linear_problem(4, 3, bent, kWorld), log, curve_rows(log));
  }
  return 0;
}

}  // namespace
}  // namespace rein

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  rein::Run run{.path = argc > 2 ? argv[2] : "", .data = argc > 3 ? argv[3] : "-"};
  if (argc > 4) run.logs = std::atoi(argv[4]);
  if (argc > 5) run.seed = std::strtoull(argv[5], nullptr, 10);
  for (int i = 6; i < argc; ++i) run.words.emplace_back(argv[i]);
  if ((part != "batch" && part != "curve") || run.path.empty() || run.logs < 10 ||
      run.logs > 100'000) {
    fmt::print(
        stderr,
        "offpolicy_truth: found \"{}\", file \"{}\" and {} logs; accepted: batch or curve, a "
        "file for the results, and 10 to 100000 logs\n",
        part, run.path, run.logs);
    return 2;
  }
  std::ifstream known(run.path);
  for (std::string line; std::getline(known, line);) {
    const std::string key = "\"condition\": \"";
    const std::size_t from = line.find(key);
    if (from == std::string::npos) continue;
    const std::size_t start = from + key.size();
    run.done.insert(line.substr(start, line.find('"', start) - start));
  }
  return rein::run_all(run, part);
}
