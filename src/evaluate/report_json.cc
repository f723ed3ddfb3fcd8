// The JSON object of a report, as specified in docs/json.md.
#include <functional>

#include "base/json.h"
#include "rein/report.h"
#include "rein/version.h"

namespace rein {
namespace {

void write(JsonWriter& json, const Figure& f) {
  json.begin_object();
  json.key("mean").value(f.mean);
  json.key("low").value(f.low);
  json.key("high").value(f.high);
  json.end_object();
}

using Get = std::function<double(const Totals&)>;

void write_figure(JsonWriter& json, const char* key, const PolicyRun& run, const Get& get) {
  std::vector<double> values;
  for (const Totals& totals : run.totals) values.push_back(get(totals));
  write(json.key(key), figure(values));
}

void write_costs(JsonWriter& json, const char* key, const PolicyRun& run, int costs,
                 const Costs Totals::*member) {
  json.key(key).begin_array();
  for (int i = 0; i < costs; ++i) {
    std::vector<double> values;
    for (const Totals& totals : run.totals) values.push_back((totals.*member)[i]);
    write(json, figure(values));
  }
  json.end_array();
}

void write_figures(JsonWriter& json, const PolicyRun& run, int costs) {
  json.key("figures").begin_object();
  write_figure(json, "reward", run, [](const Totals& t) { return t.reward; });
  write_figure(json, "regret", run, [](const Totals& t) { return t.regret; });
  write_figure(json, "regret_long_term", run, [](const Totals& t) { return t.regret_long_term; });
  write_figure(json, "regret_stationary", run, [](const Totals& t) { return t.regret_stationary; });
  write_figure(json, "explored", run, [](const Totals& t) { return t.explored; });
  write_figure(json, "cpu_seconds", run, [](const Totals& t) { return t.cpu_seconds; });
  write_figure(json, "reward_at_stop", run, [](const Totals& t) { return t.reward_at_stop; });
  write_costs(json, "spend", run, costs, &Totals::spend);
  write_costs(json, "ccv", run, costs, &Totals::ccv);
  write_costs(json, "ccv_max", run, costs, &Totals::ccv_max);
  write_costs(json, "excess", run, costs, &Totals::excess);
  json.end_object();
}

// One curve over all seeds: mean and interval at every point.
void write_band(JsonWriter& json, const PolicyRun& run,
                const std::function<const std::vector<double>&(const Curve&)>& line) {
  const std::size_t points = run.curves.empty() ? 0 : run.curves[0].rounds.size();
  std::vector<Figure> band;
  for (std::size_t i = 0; i < points; ++i) {
    std::vector<double> values;
    for (const Curve& curve : run.curves) values.push_back(line(curve)[i]);
    band.push_back(figure(values));
  }
  const auto write_part = [&](const char* key, double Figure::*part) {
    json.key(key).begin_array();
    for (const Figure& f : band) json.value(f.*part);
    json.end_array();
  };
  json.begin_object();
  write_part("mean", &Figure::mean);
  write_part("low", &Figure::low);
  write_part("high", &Figure::high);
  json.end_object();
}

void write_bands(JsonWriter& json, const char* key, const PolicyRun& run, std::size_t costs,
                 std::vector<std::vector<double>> Curve::*member) {
  json.key(key).begin_array();
  for (std::size_t i = 0; i < costs; ++i) {
    write_band(json, run,
               [&](const Curve& c) -> const std::vector<double>& { return (c.*member)[i]; });
  }
  json.end_array();
}

void write_curves(JsonWriter& json, const PolicyRun& run, std::size_t costs) {
  json.key("curves").begin_object();
  json.key("rounds").begin_array();
  if (!run.curves.empty()) {
    for (std::int64_t t : run.curves[0].rounds) json.value(t);
  }
  json.end_array();
  const auto line = [&](const char* key, std::vector<double> Curve::*member) {
    json.key(key);
    write_band(json, run, [&](const Curve& c) -> const std::vector<double>& { return c.*member; });
  };
  line("reward", &Curve::reward);
  line("regret", &Curve::regret);
  line("explored", &Curve::explored);
  write_bands(json, "ccv", run, costs, &Curve::ccv);
  write_bands(json, "price", run, costs, &Curve::price);
  json.end_object();
}

void write_row(JsonWriter& json, const Comparison& comparison, const Row& row) {
  const PolicyRun& run = comparison.result.policies[row.run];
  const std::size_t costs = comparison.result.costs.size();
  json.begin_object();
  json.key("spec").value(run.spec.str());
  json.key("benchmark").value(name_of(run.benchmark));
  json.key("grid");
  if (row.tried == 0) {
    json.null();
  } else {
    json.begin_object();
    json.key("of").value(row.given.str());
    json.key("tried").value(row.tried);
    json.key("best").value(row.best);
    json.end_object();
  }
  write_figures(json, run, static_cast<int>(costs));
  write_curves(json, run, costs);
  json.end_object();
}

void write_pairs(JsonWriter& json, const std::vector<Pair>& pairs) {
  json.key("pairs").begin_array();
  for (const Pair& pair : pairs) {
    json.begin_object();
    json.key("a").value(static_cast<std::int64_t>(pair.a));
    json.key("b").value(static_cast<std::int64_t>(pair.b));
    write(json.key("reward"), pair.reward);
    write(json.key("regret"), pair.regret);
    json.key("ccv").begin_array();
    for (const Figure& f : pair.ccv) write(json, f);
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_references(JsonWriter& json, const RunResult& result) {
  json.key("references").begin_array();
  for (const Reference& reference : result.references) {
    json.begin_object();
    json.key("name").value(reference.name);
    write(json.key("reward"), figure(reference.reward));
    json.key("costs").begin_array();
    for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
      std::vector<double> values;
      for (const Costs& spend : reference.spend) values.push_back(spend[i]);
      write(json, figure(values));
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_verify_row(JsonWriter& json, const VerifyRow& row) {
  json.begin_object();
  json.key("part").value(row.part);
  json.key("setting").value(row.setting);
  json.key("world").value(row.world);
  json.key("policy").value(row.policy);
  json.key("quantity").value(row.quantity);
  json.key("horizons").begin_array();
  for (std::int64_t t : row.horizons) json.value(t);
  json.end_array();
  json.key("measured").begin_array();
  for (const Figure& f : row.measured) write(json, f);
  json.end_array();
  write(json.key("exponent"), row.exponent);
  json.key("rate").value(row.rate);
  json.key("theorem").value(row.theorem);
  json.key("bounds").begin_array();
  for (double bound : row.bounds) json.value(bound);
  json.end_array();
  json.key("pass").value(row.pass);
  json.key("note").value(row.note);
  json.end_object();
}

// The start of every report. A verification has many worlds and horizons; its rows name them.
struct Head {
  const char* kind;
  std::string world;
  std::int64_t rounds = 0;
  std::int64_t first_seed = 1;
  std::int64_t seeds = 0;
  std::vector<std::string> costs;
  std::vector<double> budgets;
};

void write_head(JsonWriter& json, const ReportWords& words, const Head& head) {
  json.key("kind").value(head.kind);
  json.key("title").value(words.title);
  json.key("command").value(words.command);
  json.key("version").value(version());
  json.key("world").value(head.world);
  json.key("rounds").value(head.rounds);
  json.key("seeds").begin_object();
  json.key("first").value(head.first_seed);
  json.key("count").value(head.seeds);
  json.end_object();
  json.key("costs").begin_array();
  for (const std::string& cost : head.costs) json.value(cost);
  json.end_array();
  json.key("budgets").begin_array();
  for (double budget : head.budgets) json.value(budget);
  json.end_array();
}

}  // namespace

std::string to_json(const Comparison& comparison, const ReportWords& words) {
  const RunResult& result = comparison.result;
  JsonWriter json;
  json.begin_object();
  write_head(json, words,
             {.kind = "compare",
              .world = result.world.str(),
              .rounds = result.rounds,
              .first_seed = static_cast<std::int64_t>(comparison.first_seed),
              .seeds = static_cast<std::int64_t>(
                  result.policies.empty() ? 0 : result.policies[0].totals.size()),
              .costs = result.costs,
              .budgets = result.budgets});
  json.key("policies").begin_array();
  for (const Row& row : comparison.rows) write_row(json, comparison, row);
  json.end_array();
  write_pairs(json, comparison.pairs);
  write_references(json, result);
  json.key("verify").null();
  json.end_object();
  return json.str();
}

std::string to_json(const Verification& verification, const ReportWords& words) {
  JsonWriter json;
  json.begin_object();
  write_head(json, words, {.kind = "verify", .seeds = verification.seeds});
  json.key("policies").begin_array().end_array();
  json.key("pairs").begin_array().end_array();
  json.key("references").begin_array().end_array();
  json.key("verify").begin_object();
  json.key("profile").value(verification.profile);
  json.key("rows").begin_array();
  for (const VerifyRow& row : verification.rows) write_verify_row(json, row);
  json.end_array();
  json.end_object();
  json.end_object();
  return json.str();
}

}  // namespace rein
