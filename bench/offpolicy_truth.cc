// Whether the intervals of off-policy evaluation and the bands of what-if curves are true: many logs
// of problems whose truth is known. Prints the tables of docs/whatif.md.
//
//     build/bench/offpolicy_truth [LOGS=1000] [batch|sequence|curve|all] [LOG|all] [FIRST_SEED=1000]
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../tests/offpolicy/linear_log.h"
#include "../tests/offpolicy/true_curve.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

int threads() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

std::string only;                 // one kind of log
std::uint64_t first_seed = 1000;  // of the logs

struct Tally {
  double covered = 0.0, intervals = 0.0, square = 0.0;
};

// One condition: coverage and mean squared error of every estimator, over the reward and the cost.
void batch(int logs) {
  fmt::print(
      "| log | policy | K | truth | rows | effective size | ips | snips | dr | stabilized_dr | "
      "error of dr / best other |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  int conditions = 0;
  int good = 0;
  for (const char* log : {"uniform", "softmax", "epsilon", "ccb"}) {
    if (!only.empty() && only != log) continue;
    for (const char* target : {"other", "greedy"}) {
      for (const int actions : {3, 8}) {
        for (const bool bent : {false, true}) {
          for (const int rows : {1000, 4000}) {
            const LinearTruth truth(actions, 2, bent, 5);
            const std::vector<double> value = true_value(truth, target);
            std::map<std::string, Tally> tallies;
            double size = 0.0;
            std::vector<Evaluation> found(static_cast<std::size_t>(logs));
            run_shards(logs, threads(), [&](int i) {
              const OwnedLog drawn =
                  draw_log(truth, log, rows, first_seed + static_cast<std::uint64_t>(i));
              const bool learned = std::string(log) == "ccb";
              const auto predicted = cross_fit(drawn.rows(), {.forward = learned}).value();
              found[static_cast<std::size_t>(i)] =
                  evaluate_policy(drawn.rows(), target_of(truth, target, drawn), predicted).value();
              return true;
            });
            for (const Evaluation& one : found) {
              size += one.overlap.effective_size / logs;
              for (const PolicyValue& v : one.values) {
                Tally& tally = tallies[v.estimator];
                tally.square += (v.value[0] - value[0]) * (v.value[0] - value[0]);
                for (std::size_t h = 0; h < 2; ++h) {
                  if (!std::isfinite(v.low[h])) continue;
                  tally.intervals += 1.0;
                  tally.covered += v.low[h] <= value[h] && value[h] <= v.high[h] ? 1.0 : 0.0;
                }
              }
            }
            const auto coverage = [&](const char* name) {
              const Tally& tally = tallies[name];
              return tally.intervals < logs
                         ? std::string("")
                         : fmt::format("{:.1f}", 100.0 * tally.covered / tally.intervals);
            };
            double best = 1e300;
            for (const auto& [name, tally] : tallies) {
              if (name != "dr" && name != "stabilized_dr") best = std::min(best, tally.square);
            }
            const double ratio = tallies["dr"].square / best;
            if (size >= kSmallestEffectiveSize) {
              ++conditions;
              good += ratio <= 1.05 ? 1 : 0;
            }
            fmt::print("| {} | {} | {} | {} | {} | {:.0f} | {} | {} | {} | {} | {:.2f} |\n", log,
                       target, actions, bent ? "bent" : "linear", rows, size, coverage("ips"),
                       coverage("snips"), coverage("dr"), coverage("stabilized_dr"), ratio);
            std::fflush(stdout);
          }
        }
      }
    }
  }
  fmt::print(
      "\nMean squared error of dr at most 5 % above the best other: {} of {} conditions with an "
      "effective size of 200.\n\n",
      good, conditions);
}

// Confidence sequences: the share of logs in which the truth was inside at all 1 000 looks.
void sequence(int logs) {
  fmt::print(
      "| log | policy | head | inside at all times % | mean width at the end "
      "|\n|---|---|---|---|---|\n");
  const LinearTruth truth(3, 2, false, 5);
  for (const char* log : {"uniform", "softmax", "epsilon", "ccb"}) {
    if (!only.empty() && only != log) continue;
    for (const char* target : {"other", "greedy"}) {
      const std::vector<double> value = true_value(truth, target);
      for (int head = 0; head < 2; ++head) {
        std::vector<double> inside(static_cast<std::size_t>(logs));
        std::vector<double> width(static_cast<std::size_t>(logs));
        run_shards(logs, threads(), [&](int i) {
          const OwnedLog drawn =
              draw_log(truth, log, 5000, first_seed + static_cast<std::uint64_t>(i));
          const auto found = confidence_sequence(drawn.rows(), target_of(truth, target, drawn),
                                                 head, {0.0, 1.0}, 1000)
                                 .value();
          const double v = value[static_cast<std::size_t>(head)];
          // The ends are the best so far, so the last ones tell about all times.
          inside[static_cast<std::size_t>(i)] =
              found.low.back() <= v && v <= found.high.back() ? 1.0 : 0.0;
          width[static_cast<std::size_t>(i)] = found.high.back() - found.low.back();
          return true;
        });
        double all = 0.0;
        double mean = 0.0;
        for (std::size_t i = 0; i < inside.size(); ++i) {
          all += inside[i] / logs;
          mean += width[i] / logs;
        }
        fmt::print("| {} | {} | {} | {:.1f} | {:.3f} |\n", log, target,
                   head == 0 ? "reward" : "cost", 100.0 * all, mean);
        std::fflush(stdout);
      }
    }
  }
  fmt::print("\n");
}

void curve(int logs) {
  fmt::print(
      "| log | K | truth | limit | rows | band holds at all budgets % | interval at one budget % "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const char* log : {"uniform", "softmax", "epsilon", "ccb"}) {
    if (!only.empty() && only != log) continue;
    for (const bool bent : {false, true}) {
      for (const bool limited : {false, true}) {
        for (const int rows : {2000, 8000}) {
          const int heads = limited ? 3 : 2;
          const LinearTruth truth(4, heads, bent, 5);
          WhatifOptions options{.cost = 1};
          for (int k = 0; k < 10; ++k) options.budgets.push_back(0.38 + 0.02 * k);
          if (limited) options.limits = {{.head = 2, .amount = 0.5, .at_least = true}};
          std::vector<double> joint(static_cast<std::size_t>(logs));
          std::vector<double> one(static_cast<std::size_t>(logs));
          run_shards(logs, threads(), [&](int i) {
            const OwnedLog drawn =
                draw_log(truth, log, rows, first_seed + static_cast<std::uint64_t>(i));
            WhatifOptions mine = options;
            if (std::string(log) == "ccb") mine.adaptive = Adaptive::kYes;
            const Whatif found = whatif(drawn.rows(), mine).value();
            const TrueCurve real = true_curve(truth, drawn.rows(), mine, found);
            bool all = true;
            double inside = 0.0;
            double counted = 0.0;
            for (std::size_t k = 0; k < found.points.size(); ++k) {
              if (!found.points[k].possible || !real.possible[k]) continue;
              const CurveValue& v = found.points[k].values[0];
              if (!std::isfinite(v.low)) continue;  // no band is promised
              all = all && v.band_low <= real.reward[k] && real.reward[k] <= v.band_high;
              counted += 1.0;
              inside += v.low <= real.reward[k] && real.reward[k] <= v.high ? 1.0 : 0.0;
            }
            joint[static_cast<std::size_t>(i)] = all ? 1.0 : 0.0;
            one[static_cast<std::size_t>(i)] = counted > 0.0 ? inside / counted : 1.0;
            return true;
          });
          double both = 0.0;
          double single = 0.0;
          for (std::size_t i = 0; i < joint.size(); ++i) {
            both += joint[i] / logs;
            single += one[i] / logs;
          }
          fmt::print("| {} | 4 | {} | {} | {} | {:.1f} | {:.1f} |\n", log, bent ? "bent" : "linear",
                     limited ? "at least 0.5" : "none", rows, 100.0 * both, 100.0 * single);
          std::fflush(stdout);
        }
      }
    }
  }
}

}  // namespace
}  // namespace rein

int main(int argc, char** argv) {
  const int logs = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (argc > 3 && std::string(argv[3]) != "all") rein::only = argv[3];
  if (argc > 4) rein::first_seed = std::strtoull(argv[4], nullptr, 10);
  const std::string part = argc > 2 ? argv[2] : "all";
  if (logs < 10 || logs > 100'000) {
    fmt::print(stderr, "offpolicy_truth: found {} logs; accepted: 10 to 100000\n", logs);
    return 2;
  }
  if (part == "batch" || part == "all") rein::batch(logs);
  if (part == "sequence" || part == "all") rein::sequence(logs);
  if (part == "curve" || part == "all") rein::curve(logs);
  return 0;
}
