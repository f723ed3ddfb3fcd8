#include "evaluate/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/spec_reader.h"
#include "rein/catalog.h"

namespace rein {
namespace {

std::optional<double> number_of(std::string_view text) {
  double x = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return x;
}

// The option of a policy that a grid would set, or null.
const Option* option_of(const Spec& policy, std::string_view key) {
  for (const Entry& entry : policies()) {
    if (entry.name == policy.name) return find_option(entry, key);
  }
  return nullptr;
}

double mean_of(const PolicyRun& run, double (*get)(const Totals&)) {
  double sum = 0.0;
  for (const Totals& totals : run.totals) sum += get(totals);
  return sum / static_cast<double>(run.totals.size());
}

// The largest excess of the mean spend of a cost over its budget, divided by the allowed slack: at
// most 1 is within the slack. It uses means, because noise alone takes single seeds over the
// budget.
double over(const RunResult& result, const PolicyRun& run, const std::vector<double>& units,
            double slack) {
  double largest_excess = 0.0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    double spend = 0.0;
    for (const Totals& totals : run.totals) spend += totals.spend[static_cast<int>(i)];
    spend /= static_cast<double>(run.totals.size());
    const double budget = result.budgets.empty() ? 0.0 : result.budgets[i];
    const double scale = budget > 0.0 ? budget : static_cast<double>(result.rounds) * units[i];
    const double excess = spend - budget;
    // infinite at slack 0
    if (excess > 0.0) largest_excess = std::max(largest_excess, excess / (slack * scale));
  }
  return largest_excess;
}

}  // namespace

Result<Grid> parse_grid(std::string_view text) {
  const std::size_t equals = text.find('=');
  Grid grid{.key = std::string(text.substr(0, equals))};
  bool fine = equals != std::string_view::npos && equals > 0;
  std::string_view rest = fine ? text.substr(equals + 1) : std::string_view();
  while (fine) {
    const std::size_t comma = rest.find(',');
    const auto x = number_of(rest.substr(0, comma));
    fine = x.has_value() && std::isfinite(*x);
    if (fine) grid.values.push_back(*x);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (fine) return grid;
  return Error{fmt::format("grid: found \"{}\"; accepted: KEY=NUMBER,NUMBER,...", text)};
}

Settings settings_of(const Spec& policy, const std::vector<Grid>& grids) {
  struct Trial {
    Spec spec;
    bool asked = false;  // whether a grid asks for it
  };
  std::vector<Trial> found = {{policy, false}};
  for (const Grid& grid : grids) {
    const Option* option = option_of(policy, grid.key);
    if (option == nullptr || policy.find(grid.key) != nullptr) continue;
    const std::optional<double> usual = number_of(option->default_value);
    std::vector<Trial> next;
    for (const Trial& trial : found) {
      for (double value : grid.values) {
        next.push_back({trial.spec, true});
        if (usual != value) next.back().spec.set(grid.key, {.is = value});
      }
    }
    found = std::move(next);
  }
  Settings settings{.specs = {policy}};
  for (const Trial& trial : found) {
    if (!trial.asked) continue;
    const std::string name = trial.spec.str();
    const auto same = std::find_if(settings.specs.begin(), settings.specs.end(),
                                   [&](const Spec& spec) { return spec.str() == name; });
    const auto at = static_cast<std::size_t>(same - settings.specs.begin());
    if (same == settings.specs.end()) settings.specs.push_back(trial.spec);
    if (std::count(settings.tried.begin(), settings.tried.end(), at) == 0) {
      settings.tried.push_back(at);
    }
  }
  return settings;
}

Result<> check_grids(const std::vector<Spec>& asked, const std::vector<Grid>& grids) {
  std::size_t settings = 1;
  for (const Grid& grid : grids) {
    settings *= std::max<std::size_t>(grid.values.size(), 1);
    if (grid.values.empty() || settings > static_cast<std::size_t>(kMaxGrid)) {
      return Error{
          fmt::format("grid: {} settings of a policy; accepted: 1 to {}, all grids together",
                      grid.values.empty() ? 0 : settings, kMaxGrid)};
    }
    const bool taken = std::any_of(asked.begin(), asked.end(), [&](const Spec& policy) {
      return option_of(policy, grid.key) != nullptr && policy.find(grid.key) == nullptr;
    });
    if (taken) continue;
    std::vector<std::string_view> names;
    for (const Entry& entry : policies()) {
      if (find_option(entry, grid.key) != nullptr) names.push_back(entry.name);
    }
    return Error{fmt::format(
        "grid: no policy here takes the key \"{}\" without setting it; policies that take it: {}",
        grid.key, names.empty() ? "none" : join_names(names))};
  }
  return {};
}

std::size_t best_of(const RunResult& result, const std::vector<std::size_t>& candidates,
                    const std::vector<double>& units, double slack) {
  std::size_t best = candidates[0];
  double least_over = std::numeric_limits<double>::infinity();
  double least_regret = least_over;
  for (std::size_t c : candidates) {
    const PolicyRun& run = result.policies[c];
    const double now = std::max(over(result, run, units, slack), 1.0);  // all within are equal
    double regret = mean_of(run, [](const Totals& t) { return t.regret; });
    if (std::isnan(regret)) regret = -mean_of(run, [](const Totals& t) { return t.reward; });
    if (now < least_over || (now == least_over && regret < least_regret)) {
      best = c;
      least_over = now;
      least_regret = regret;
    }
  }
  return best;
}

}  // namespace rein
