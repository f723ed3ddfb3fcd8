#include "evaluate/compare.h"

#include <functional>

#include "base/math.h"
#include "evaluate/grid.h"
#include "rein/sweep.h"

namespace rein {
namespace {

// The policy as given, then the best of its grid; a single row if they are the same.
std::vector<Row> rows_of(const RunResult& result, const Lineup& lineup,
                         const std::vector<double>& units, double slack) {
  std::vector<Row> rows;
  for (const Lineup::Policy& policy : lineup.policies) {
    Row row{
        .run = policy.at, .given = policy.given, .tried = static_cast<int>(policy.tried.size())};
    if (policy.tried.empty()) {
      rows.push_back(row);
      continue;
    }
    const std::size_t best = best_of(result, policy.tried, units, slack);
    row.best = best == policy.at;
    rows.push_back(row);
    if (row.best) continue;
    row.run = best;
    row.best = true;
    rows.push_back(row);
  }
  return rows;
}

Figure difference(const PolicyRun& a, const PolicyRun& b,
                  const std::function<double(const Totals&)>& get) {
  std::vector<double> values;
  for (std::size_t s = 0; s < a.totals.size(); ++s) {
    values.push_back(get(a.totals[s]) - get(b.totals[s]));
  }
  return figure(values);
}

Pair pair_of(const Comparison& comparison, std::size_t a, std::size_t b) {
  const PolicyRun& first = comparison.result.policies[comparison.rows[a].run];
  const PolicyRun& second = comparison.result.policies[comparison.rows[b].run];
  Pair pair{.a = a, .b = b, .regret = {kNan, kNan, kNan}};
  pair.reward = difference(first, second, [](const Totals& t) { return t.reward; });
  if (first.benchmark == second.benchmark) {
    pair.regret = difference(first, second, [](const Totals& t) { return t.regret; });
  }
  for (int i = 0; i < static_cast<int>(comparison.result.costs.size()); ++i) {
    pair.ccv.push_back(difference(first, second, [i](const Totals& t) { return t.ccv[i]; }));
  }
  return pair;
}

}  // namespace

Comparison compared(RunResult result, const Lineup& lineup, const std::vector<double>& units,
                    const CompareOptions& options) {
  Comparison comparison{.result = std::move(result)};
  comparison.rows = rows_of(comparison.result, lineup, units, options.slack);
  for (std::size_t a = 0; a < (options.all_pairs ? comparison.rows.size() : 1); ++a) {
    for (std::size_t b = a + 1; b < comparison.rows.size(); ++b) {
      comparison.pairs.push_back(pair_of(comparison, a, b));
    }
  }
  return comparison;
}

Result<Comparison> compare(const Spec& world, const std::vector<Spec>& policies,
                           const CompareOptions& options) {
  auto sweep = Sweep::open(world, policies, options);
  if (!sweep) return sweep.failure();
  return sweep.value().compare();
}

}  // namespace rein
