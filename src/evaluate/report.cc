// Results for programs: the JSON object of docs/json.md, and CSV. Both are made from one table.
#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "base/math.h"
#include "rein/evaluate.h"

namespace rein {
namespace {

constexpr int kVersion = 2;

// A key of the JSON contract, and the field of Totals with its number, or one number per cost.
struct Key {
  const char* name;
  double (*number)(const Totals&);
  const Costs& (*costs)(const Totals&);
};

constexpr Key number(const char* name, double (*get)(const Totals&)) {
  return {name, get, nullptr};
}
constexpr Key list(const char* name, const Costs& (*get)(const Totals&)) {
  return {name, nullptr, get};
}
#define REIN_COSTS(member) [](const Totals& t) -> const Costs& { return t.member; }

constexpr Key kKeys[] = {
    number("reward", [](const Totals& t) { return t.reward; }),
    number("regret", [](const Totals& t) { return t.regret; }),
    number("regret_long_term", [](const Totals& t) { return t.regret_long_term; }),
    number("regret_stationary", [](const Totals& t) { return t.regret_stationary; }),
    number("regret_average", [](const Totals& t) { return t.regret_average; }),
    list("ccv", REIN_COSTS(ccv)),
    list("ccv_max", REIN_COSTS(ccv_max)),
    list("ccv_average", REIN_COSTS(ccv_average)),
    list("ccv_positive", REIN_COSTS(ccv_positive)),
    list("ccv_share", REIN_COSTS(ccv_share)),
    list("spend", REIN_COSTS(spend)),
    list("excess", REIN_COSTS(excess)),
    number("reward_at_stop", [](const Totals& t) { return t.reward_at_stop; }),
    number("explored", [](const Totals& t) { return t.explored; }),
    number("oracle_error", [](const Totals& t) { return t.oracle_error; }),
    number("u", [](const Totals& t) { return t.u; }),
    number("u_bound", [](const Totals& t) { return t.u_bound; }),
    number("misspecified", [](const Totals& t) { return t.misspecified; }),
    number("over_norm", [](const Totals& t) { return t.over_norm; }),
    list("queue_rms", REIN_COSTS(queue_rms)),
    number("premise", [](const Totals& t) { return t.premise; }),
    number("bound_regret", [](const Totals& t) { return t.bounds.regret.value_or(kNan); }),
    list("bound_ccv", REIN_COSTS(bounds.ccv)),
    list("bound_ccv_average", REIN_COSTS(bounds.ccv_average)),
    list("bound_ccv_share", REIN_COSTS(bounds.ccv_share)),
    list("bound_queue_rms", REIN_COSTS(bounds_with_premise.queue_rms)),
    number("alarm", [](const Totals& t) { return t.alarm_round >= 0 ? 1.0 : 0.0; }),
    number("effective_size", [](const Totals& t) { return t.effective_size; }),
    number("infeasible_rounds",
           [](const Totals& t) { return static_cast<double>(t.infeasible_rounds); }),
};
#undef REIN_COSTS

void write_figure(JsonWriter& json, const std::vector<double>& values) {
  const Figure f = figure(values);
  if (!std::isfinite(f.mean)) {  // undefined: no bound, no oracle, no known means
    json.null();
    return;
  }
  json.begin_object();
  json.key("mean").value(f.mean);
  json.key("low").value(f.low);
  json.key("high").value(f.high);
  json.end_object();
}

void write_list(JsonWriter& json, const PolicyRun& run, const Key& key, int costs) {
  for (const Totals& totals : run.totals) {
    if (key.costs(totals).size() == costs) continue;
    json.null();
    return;
  }
  json.begin_array();
  for (int i = 0; i < costs; ++i) {
    std::vector<double> values;
    for (const Totals& totals : run.totals) values.push_back(key.costs(totals)[i]);
    write_figure(json, values);
  }
  json.end_array();
}

// The reason of the first seed without a bound.
std::string_view why_no_bound(const PolicyRun& run) {
  for (const Totals& totals : run.totals) {
    if (totals.no_bound != NoBound::kNone) return why(totals.no_bound);
  }
  return "";
}

void write_policy(JsonWriter& json, const RunResult& result, const PolicyRun& run) {
  json.begin_object();
  json.key("spec").value(run.spec.str());
  json.key("benchmark").value(name_of(run.benchmark));
  json.key("no_bound").value(why_no_bound(run));
  for (const Key& key : kKeys) {
    json.key(key.name);
    if (key.costs != nullptr) {
      write_list(json, run, key, static_cast<int>(result.costs.size()));
      continue;
    }
    std::vector<double> values;
    for (const Totals& totals : run.totals) values.push_back(key.number(totals));
    write_figure(json, values);
  }
  json.key("status").begin_object();
  for (int s = 0; s <= static_cast<int>(Status::kChanged); ++s) {
    const auto status = static_cast<Status>(s);
    const auto seeds = std::ranges::count(run.totals, status, &Totals::status);
    if (seeds > 0) json.key(name_of(status)).value(static_cast<std::int64_t>(seeds));
  }
  json.end_object();
  std::vector<double> speeds;
  for (const Totals& totals : run.totals) {
    speeds.push_back(static_cast<double>(result.rounds) / totals.cpu_seconds);
  }
  json.key("rounds_per_cpu_second");
  write_figure(json, speeds);
  json.end_object();
}

void write_reference(JsonWriter& json, const Reference& reference, std::size_t costs) {
  json.begin_object();
  json.key("name").value(reference.name);
  json.key("reward");
  write_figure(json, reference.reward);
  json.key("spend");
  if (reference.spend.empty()) {
    json.null();
  } else {
    json.begin_array();
    for (std::size_t i = 0; i < costs; ++i) {
      std::vector<double> values;
      for (const Costs& spend : reference.spend) values.push_back(spend[static_cast<int>(i)]);
      write_figure(json, values);
    }
    json.end_array();
  }
  json.end_object();
}

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

// A spec contains commas, so it is quoted and its own quotes are doubled.
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
  json.key("version").value(kVersion);
  json.key("world").value(result.world.str());
  json.key("rounds").value(result.rounds);
  json.key("seeds").value(
      result.policies.empty() ? 0 : static_cast<int>(result.policies[0].totals.size()));
  json.key("policies").begin_array();
  for (const PolicyRun& run : result.policies) write_policy(json, result, run);
  json.end_array();
  json.key("references").begin_array();
  for (const Reference& reference : result.references) {
    write_reference(json, reference, result.costs.size());
  }
  json.end_array();
  json.end_object();
  return json.str();
}

std::string to_csv(const RunResult& result) {
  std::string text = "policy,seed,rounds";
  for (const Key& key : kKeys) {
    if (key.number != nullptr) text += fmt::format(",{}", key.name);
    if (key.costs == nullptr) continue;
    for (const std::string& cost : result.costs) {
      text += ',' + quoted(fmt::format("{} {}", key.name, cost));
    }
  }
  text += ",status,cpu_seconds\n";
  for (const PolicyRun& run : result.policies) {
    for (const Totals& totals : run.totals) {
      text += fmt::format("{},{},{}", quoted(run.spec.str()), totals.seed, result.rounds);
      for (const Key& key : kKeys) {
        if (key.number != nullptr) text += ',' + cell(key.number(totals));
        if (key.costs == nullptr) continue;
        const Costs& values = key.costs(totals);
        for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
          text += ',' + cell(i < values.size() ? values[i] : kNan);
        }
      }
      text += fmt::format(",{},{}\n", name_of(totals.status), totals.cpu_seconds);
    }
  }
  return text;
}

}  // namespace rein
