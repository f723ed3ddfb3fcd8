#include "rein/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "estimate/heads.h"
#include "evaluate/grid.h"
#include "evaluate/run_kept.h"
#include "rein/world.h"

namespace rein {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The largest sizes of the costs.
Result<std::vector<double>> cost_units(const Spec& world, const RunOptions& options) {
  auto made = make_world(world, options.first_seed, options.rounds);
  if (!made) return Error{made.error()};
  const Heads heads(made.value()->shape());
  std::vector<double> units;
  for (int h = 1; h < heads.size(); ++h) units.push_back(heads.unit(h));
  return units;
}

// Where every setting of every policy stands among the specs that are run; no spec runs twice.
struct Lineup {
  std::vector<Spec> specs;
  struct Policy {
    std::size_t given = 0;
    std::vector<std::size_t> tried;
  };
  std::vector<Policy> policies;

  std::size_t place(const Spec& spec) {
    const std::string name = spec.str();
    const auto same = std::find_if(specs.begin(), specs.end(),
                                   [&](const Spec& other) { return other.str() == name; });
    const auto at = static_cast<std::size_t>(same - specs.begin());
    if (same == specs.end()) specs.push_back(spec);
    return at;
  }
};

Lineup line_up(const std::vector<Spec>& policies, const std::vector<Grid>& grids) {
  Lineup lineup;
  // The given ones first, in their order.
  for (const Spec& policy : policies) lineup.policies.push_back({lineup.place(policy), {}});
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const Settings settings = settings_of(policies[p], grids);
    for (std::size_t tried : settings.tried) {
      lineup.policies[p].tried.push_back(lineup.place(settings.specs[tried]));
    }
  }
  return lineup;
}

// The policy as given, then the best of its grid; one row where they are the same.
std::vector<Row> rows_of(const RunResult& result, const std::vector<Spec>& policies,
                         const Lineup& lineup, const std::vector<double>& units, double slack) {
  std::vector<Row> rows;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const Lineup::Policy& at = lineup.policies[p];
    Row row{.run = at.given, .given = policies[p], .tried = static_cast<int>(at.tried.size())};
    if (at.tried.empty()) {
      rows.push_back(row);
      continue;
    }
    const std::size_t best = best_of(result, at.tried, units, slack);
    row.best = best == at.given;
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

Result<Comparison> compare(const Spec& world, const std::vector<Spec>& policies,
                           const CompareOptions& options) {
  if (!(options.slack >= 0.0 && options.slack <= 1.0)) {
    return Error{fmt::format("compare: slack is {}; accepted: 0 to 1", options.slack)};
  }
  if (auto fine = check_grids(policies, options.grids); !fine) return Error{fine.error()};
  auto settled = settle_rounds(world, options.run);
  if (!settled) return Error{settled.error()};
  const RunOptions& run = settled.value();
  auto units = cost_units(world, run);
  if (!units) return Error{units.error()};

  std::unique_ptr<ResultFile> kept;
  if (!options.resume.empty()) {
    auto header = result_header(world, run);
    if (!header) return Error{header.error()};
    auto opened = ResultFile::open(options.resume, header.value(), options.fresh);
    if (!opened) return Error{opened.error()};
    kept = std::move(opened).value();
  }
  const Lineup lineup = line_up(policies, options.grids);
  auto result = run_kept(world, lineup.specs, run, kept.get());
  if (!result) return Error{result.error()};

  Comparison comparison{.result = std::move(result).value(), .first_seed = run.first_seed};
  for (const Spec& spec : lineup.specs) {
    for (int s = 0; kept && s < run.seeds; ++s) {
      const std::uint64_t seed = run.first_seed + static_cast<std::uint64_t>(s);
      if (kept->find(spec.str(), seed) != nullptr) ++comparison.restored;
    }
  }
  comparison.rows = rows_of(comparison.result, policies, lineup, units.value(), options.slack);
  for (std::size_t a = 0; a < (options.all_pairs ? comparison.rows.size() : 1); ++a) {
    for (std::size_t b = a + 1; b < comparison.rows.size(); ++b) {
      comparison.pairs.push_back(pair_of(comparison, a, b));
    }
  }
  return comparison;
}

}  // namespace rein
