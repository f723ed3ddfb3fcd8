// Results for programs: the JSON object of docs/json.md, and CSV.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/json.h"
#include "rein/evaluate.h"

namespace rein {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Get = std::function<double(const Totals&)>;
using GetCosts = std::function<const Costs&(const Totals&)>;

void write_figure(JsonWriter& json, const PolicyRun& run, const Get& get) {
  std::vector<double> values;
  for (const Totals& totals : run.totals) values.push_back(get(totals));
  const Figure f = figure(values);
  if (std::isnan(f.mean)) {  // does not exist: no bound, no oracle, no known means
    json.null();
    return;
  }
  json.begin_object();
  json.key("mean").value(f.mean);
  json.key("low").value(f.low);
  json.key("high").value(f.high);
  json.end_object();
}

void write_costs(JsonWriter& json, const PolicyRun& run, int costs, const GetCosts& get) {
  json.begin_array();
  for (int i = 0; i < costs; ++i) {
    write_figure(json, run, [&](const Totals& t) { return get(t).empty() ? kNan : get(t)[i]; });
  }
  json.end_array();
}

void write_policy(JsonWriter& json, const RunResult& result, const PolicyRun& run) {
  const int m = static_cast<int>(result.costs.size());
  const auto number = [&](const char* key, const Get& get) {
    json.key(key);
    write_figure(json, run, get);
  };
  const auto list = [&](const char* key, const GetCosts& get) {
    json.key(key);
    write_costs(json, run, m, get);
  };
  json.begin_object();
  json.key("spec").value(run.spec.str());
  number("reward", [](const Totals& t) { return t.reward; });
  number("regret", [](const Totals& t) { return t.regret; });
  number("regret_long_term", [](const Totals& t) { return t.regret_long_term; });
  list("ccv", [](const Totals& t) -> const Costs& { return t.ccv; });
  list("ccv_max", [](const Totals& t) -> const Costs& { return t.ccv_max; });
  list("ccv_average", [](const Totals& t) -> const Costs& { return t.ccv_average; });
  list("ccv_positive", [](const Totals& t) -> const Costs& { return t.ccv_positive; });
  list("spend", [](const Totals& t) -> const Costs& { return t.spend; });
  list("excess", [](const Totals& t) -> const Costs& { return t.excess; });
  number("reward_at_stop", [](const Totals& t) { return t.reward_at_stop; });
  number("explored", [](const Totals& t) { return t.explored; });
  number("oracle_error", [](const Totals& t) { return t.oracle_error; });
  number("u", [](const Totals& t) { return t.u; });
  number("bound_regret", [](const Totals& t) { return t.bounds.regret.value_or(kNan); });
  if (run.totals.empty() || run.totals[0].bounds.ccv.empty()) {
    json.key("bound_ccv").null();
  } else {
    list("bound_ccv", [](const Totals& t) -> const Costs& { return t.bounds.ccv; });
  }
  number("infeasible_rounds",
         [](const Totals& t) { return static_cast<double>(t.infeasible_rounds); });
  number("rounds_per_cpu_second", [&](const Totals& t) {
    return t.cpu_seconds > 0.0 ? static_cast<double>(result.rounds) / t.cpu_seconds : kNan;
  });
  json.end_object();
}

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

// A spec has commas, so it stands in quotes, and its own quotes are doubled.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string to_json(const RunResult& result) {
  JsonWriter json;
  json.begin_object();
  json.key("version").value(1);
  json.key("world").value(result.world.str());
  json.key("rounds").value(result.rounds);
  json.key("seeds").value(
      result.policies.empty() ? 0 : static_cast<int>(result.policies[0].totals.size()));
  json.key("policies").begin_array();
  for (const PolicyRun& run : result.policies) write_policy(json, result, run);
  json.end_array();
  json.end_object();
  return json.str();
}

std::string to_csv(const RunResult& result) {
  struct Column {
    const char* name;
    Get get;
  };
  struct CostColumn {
    const char* name;
    GetCosts get;
  };
  const std::vector<Column> columns = {
      {"reward", [](const Totals& t) { return t.reward; }},
      {"regret", [](const Totals& t) { return t.regret; }},
      {"regret_long_term", [](const Totals& t) { return t.regret_long_term; }},
      {"reward_at_stop", [](const Totals& t) { return t.reward_at_stop; }},
      {"explored", [](const Totals& t) { return t.explored; }},
      {"oracle_error", [](const Totals& t) { return t.oracle_error; }},
      {"u", [](const Totals& t) { return t.u; }},
      {"bound_regret", [](const Totals& t) { return t.bounds.regret.value_or(kNan); }},
      {"infeasible_rounds",
       [](const Totals& t) { return static_cast<double>(t.infeasible_rounds); }},
      {"cpu_seconds", [](const Totals& t) { return t.cpu_seconds; }},
  };
  const std::vector<CostColumn> cost_columns = {
      {"ccv", [](const Totals& t) -> const Costs& { return t.ccv; }},
      {"ccv_max", [](const Totals& t) -> const Costs& { return t.ccv_max; }},
      {"ccv_average", [](const Totals& t) -> const Costs& { return t.ccv_average; }},
      {"ccv_positive", [](const Totals& t) -> const Costs& { return t.ccv_positive; }},
      {"spend", [](const Totals& t) -> const Costs& { return t.spend; }},
      {"excess", [](const Totals& t) -> const Costs& { return t.excess; }},
      {"bound_ccv", [](const Totals& t) -> const Costs& { return t.bounds.ccv; }},
  };
  std::string text = "policy,seed";
  for (const Column& column : columns) text += fmt::format(",{}", column.name);
  for (const CostColumn& column : cost_columns) {
    for (const std::string& cost : result.costs) {
      text += ',' + quoted(fmt::format("{} {}", column.name, cost));
    }
  }
  text += '\n';
  for (const PolicyRun& run : result.policies) {
    for (const Totals& totals : run.totals) {
      text += fmt::format("{},{}", quoted(run.spec.str()), totals.seed);
      for (const Column& column : columns) text += ',' + cell(column.get(totals));
      for (const CostColumn& column : cost_columns) {
        const Costs& values = column.get(totals);
        for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
          text += ',' + cell(values.empty() ? kNan : values[i]);
        }
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace rein
