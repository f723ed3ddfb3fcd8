// The object is specified by docs/json.md and docs/rein.schema.json.
#include "evaluate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/math.h"
#include "rein/version.h"

namespace rein {
namespace {

// A figure is null where the number does not exist: no bound, no oracle, no known means.
Json value_of(const Figure& f) {
  if (!std::isfinite(f.mean)) return {};
  return Json::Object{{"mean", f.mean}, {"low", f.low}, {"high", f.high}};
}

template <class T>
Json list_of(const std::vector<T>& values) {
  Json::List list;
  for (const T& each : values) {
    if constexpr (std::is_same_v<T, Figure>) {
      list.push_back(value_of(each));
    } else {
      list.push_back(each);
    }
  }
  return list;
}

// Every total of the policy: a figure, or one per cost. A list is null where some seed has none.
void add_totals(const RunResult& result, const PolicyRun& run, Json::Object& out) {
  std::vector<std::vector<TotalNumbers>> seeds;
  for (const Totals& totals : run.totals) seeds.push_back(numbers_of(totals));
  for (std::size_t k = 0; k < seeds[0].size(); ++k) {
    const TotalNumbers& total = seeds[0][k];
    const std::size_t size = total.per_cost ? result.costs.size() : 1;
    Json::List figures;
    bool missing = false;
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<double> values;
      for (const auto& seed : seeds) {
        missing = missing || seed[k].numbers.size() != size;
        values.push_back(missing ? kNan : seed[k].numbers[i]);
      }
      figures.push_back(value_of(figure(values)));
    }
    Json found = missing ? Json() : total.per_cost ? Json(std::move(figures)) : figures[0];
    out.emplace_back(total.total.name, std::move(found));
  }
}

// One line of a curve on every seed: mean and interval at every point.
Json band_of(const std::vector<const std::vector<double>*>& seeds) {
  Json::List mean, low, high;
  for (std::size_t i = 0; i < seeds[0]->size(); ++i) {
    std::vector<double> values;
    for (const std::vector<double>* line : seeds) values.push_back((*line)[i]);
    const Figure f = figure(values);
    mean.push_back(f.mean);
    low.push_back(f.low);
    high.push_back(f.high);
  }
  return Json::Object{
      {"mean", std::move(mean)}, {"low", std::move(low)}, {"high", std::move(high)}};
}

// Collects the lines of the curves of all seeds by name.
struct SeedLines {
  struct Line {
    bool per_cost = false;
    std::vector<std::vector<const std::vector<double>*>> seeds;  // [cost or 0][seed]
  };
  void operator()(std::string_view, const std::vector<std::int64_t>&) {}
  void operator()(std::string_view name, const std::vector<double>& line) {
    Line& all = of(name, 1);
    all.seeds[0].push_back(&line);
  }
  void operator()(std::string_view name, const std::vector<std::vector<double>>& lines) {
    Line& all = of(name, lines.size());
    all.per_cost = true;
    for (std::size_t i = 0; i < lines.size(); ++i) all.seeds[i].push_back(&lines[i]);
  }
  Line& of(std::string_view name, std::size_t size) {
    for (auto& [other, line] : found) {
      if (other == name) return line;
    }
    found.push_back({name, {false, {}}});
    found.back().second.seeds.resize(size);
    return found.back().second;
  }
  std::vector<std::pair<std::string_view, Line>> found;
};

Json curves_of(const PolicyRun& run) {
  if (run.curves.empty()) return {};
  SeedLines lines;
  for (const Curve& curve : run.curves) each_line(curve, lines);
  Json::Object out = {{"rounds", list_of(run.curves[0].rounds)}};
  for (const auto& [name, line] : lines.found) {
    Json::List bands;
    for (const auto& seeds : line.seeds) bands.push_back(band_of(seeds));
    out.emplace_back(name, line.per_cost ? Json(std::move(bands)) : bands[0]);
  }
  return out;
}

// The reason of the first seed without a bound.
std::string_view why_no_bound(const PolicyRun& run) {
  for (const Totals& totals : run.totals) {
    if (totals.no_bound != NoBound::kNone) return why(totals.no_bound);
  }
  return "";
}

// The same for the certificate.
std::string_view why_no_certificate(const PolicyRun& run) {
  for (const Totals& totals : run.totals) {
    if (totals.no_certificate != NoCertificate::kNone) return why(totals.no_certificate);
  }
  return "";
}

// How many seeds ended with each status, such as {"ok": 7, "over": 1}.
Json statuses_of(const PolicyRun& run) {
  Json::Object out;
  for (int s = 0; s <= static_cast<int>(Status::kCrowded); ++s) {
    const auto status = static_cast<Status>(s);
    const auto seeds = std::ranges::count(run.totals, status, &Totals::status);
    if (seeds > 0) out.emplace_back(name_of(status), static_cast<std::int64_t>(seeds));
  }
  return out;
}

// What the windows of every live budget spent.
Json budgets_of(const RunResult& result, const PolicyRun& run) {
  Json::List list;
  for (std::size_t i = 0; i < result.live_budgets.size(); ++i) {
    const Budget& budget = result.live_budgets[i];
    Json::Object out = {{"name", budget.name},          {"cost", budget.cost},
                        {"amount", budget.amount},      {"hard", budget.kind == BudgetKind::kHard},
                        {"per", per_of(budget.window)}, {"scope", budget.scope}};
    std::vector<std::pair<std::string_view, std::vector<double>>> fields;
    for (const Totals& totals : run.totals) {
      std::size_t k = 0;
      each_field(totals.budgets[i], [&](std::string_view name, double number) {
        if (k == fields.size()) fields.emplace_back(name, std::vector<double>());
        fields[k++].second.push_back(number);
      });
    }
    for (const auto& [name, values] : fields) out.emplace_back(name, value_of(figure(values)));
    list.push_back(std::move(out));
  }
  return list;
}

Json policy_of(const RunResult& result, const PolicyRun& run, Json grid, Json curves) {
  Json::Object out = {{"spec", run.spec.str()},
                      {"benchmark", name_of(run.benchmark)},
                      {"no_bound", why_no_bound(run)},
                      {"no_certificate", why_no_certificate(run)},
                      {"status", statuses_of(run)},
                      {"budgets", budgets_of(result, run)},
                      {"grid", std::move(grid)}};
  add_totals(result, run, out);
  out.emplace_back("curves", std::move(curves));
  return out;
}

Json row_of(const Comparison& comparison, const Row& row) {
  const PolicyRun& run = comparison.result.policies[row.run];
  Json grid;
  if (row.tried > 0) {
    grid = Json::Object{{"of", row.given.str()}, {"tried", row.tried}, {"best", row.best}};
  }
  return policy_of(comparison.result, run, std::move(grid), curves_of(run));
}

Json pair_to_json(const Pair& pair) {
  return Json::Object{{"a", static_cast<std::int64_t>(pair.a)},
                      {"b", static_cast<std::int64_t>(pair.b)},
                      {"reward", value_of(pair.reward)},
                      {"regret", value_of(pair.regret)},
                      {"ccv", list_of(pair.ccv)}};
}

Json reference_of(const Reference& reference, std::size_t costs) {
  Json spend;
  if (!reference.spend.empty()) {
    Json::List figures;
    for (std::size_t i = 0; i < costs; ++i) {
      std::vector<double> values;
      for (const Costs& each : reference.spend) values.push_back(each[static_cast<int>(i)]);
      figures.push_back(value_of(figure(values)));
    }
    spend = std::move(figures);
  }
  return Json::Object{{"name", reference.name},
                      {"reward", value_of(figure(reference.reward))},
                      {"spend", std::move(spend)}};
}

Json verify_row_of(const VerifyRow& row) {
  return Json::Object{{"part", row.part},
                      {"setting", row.setting},
                      {"world", row.world},
                      {"world_last", row.world_last},
                      {"policy", row.policy},
                      {"quantity", row.quantity},
                      {"horizons", list_of(row.horizons)},
                      {"measured", list_of(row.measured)},
                      {"exponent", value_of(row.exponent)},
                      {"rate", row.rate},
                      {"theorem", row.theorem},
                      {"bounds", list_of(row.bounds)},
                      {"pass", row.pass},
                      {"promised", row.promised},
                      {"note", row.note}};
}

// What the kinds of report differ in.
struct Parts {
  std::int64_t first_seed = 1, seeds = 0;
  Json::List policies, pairs;
  Json verify;
};

// A verification has many worlds and horizons; its rows name them.
Json report_of(const char* kind, const ReportWords& words, const RunResult& result, Parts parts) {
  Json::List references;
  for (const Reference& each : result.references) {
    references.push_back(reference_of(each, result.costs.size()));
  }
  return Json::Object{{"version", kReportVersion},
                      {"kind", kind},
                      {"rein", version()},
                      {"title", words.title},
                      {"command", words.command},
                      {"world", result.world.str()},
                      {"rounds", result.rounds},
                      {"seeds", Json::Object{{"first", parts.first_seed}, {"count", parts.seeds}}},
                      {"costs", list_of(result.costs)},
                      {"budgets", list_of(result.budgets)},
                      {"policies", std::move(parts.policies)},
                      {"pairs", std::move(parts.pairs)},
                      {"references", std::move(references)},
                      {"verify", std::move(parts.verify)}};
}

Parts parts_of(const RunResult& result) {
  const std::vector<Totals>& totals = result.policies[0].totals;
  return {.first_seed = static_cast<std::int64_t>(totals[0].seed),
          .seeds = static_cast<std::int64_t>(totals.size())};
}

// Text may contain commas, so it is quoted and its own quotes are doubled.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// In JSON, "<" and the separators U+2028 and U+2029 (E2 80 A8 and E2 80 A9 in UTF-8) occur only
// inside strings, where a \u escape means the same.
std::string inert(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view next = json.substr(i, 3);
    if (next == "\xE2\x80\xA8" || next == "\xE2\x80\xA9") {
      out += next.back() == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (json[i] == '<') {
      out += "\\u003c";
    } else {
      out += json[i];
    }
  }
  return out;
}

}  // namespace

Json to_value(const RunResult& result, const ReportWords& words) {
  Parts parts = parts_of(result);
  for (const PolicyRun& run : result.policies) {
    parts.policies.push_back(policy_of(result, run, {}, {}));
  }
  return report_of("run", words, result, std::move(parts));
}

Json to_value(const Comparison& comparison, const ReportWords& words) {
  Parts parts = parts_of(comparison.result);
  for (const Row& row : comparison.rows) parts.policies.push_back(row_of(comparison, row));
  for (const Pair& pair : comparison.pairs) parts.pairs.push_back(pair_to_json(pair));
  return report_of("compare", words, comparison.result, std::move(parts));
}

Json to_value(const Verification& verification, const ReportWords& words) {
  Json::List rows;
  for (const VerifyRow& row : verification.rows) rows.push_back(verify_row_of(row));
  Json verify = Json::Object{{"profile", verification.profile}, {"rows", std::move(rows)}, {"left_out", list_of(verification.left_out)}};
  return report_of("verify", words, {}, {.seeds = verification.seeds, .verify = std::move(verify)});
}

std::string to_csv(const RunResult& result) {
  std::string text = "policy,seed,rounds,status";
  for (const TotalNumbers& each : numbers_of({})) {
    if (!each.per_cost) text += fmt::format(",{}", each.total.name);
    for (std::size_t i = 0; each.per_cost && i < result.costs.size(); ++i) {
      text += ',' + quoted(fmt::format("{} {}", each.total.name, result.costs[i]));
    }
  }
  for (const Budget& budget : result.live_budgets) {
    const BudgetTotals none;
    each_field(none, [&](std::string_view field, double) {
      text += ',' + quoted(fmt::format("{} {}", field, budget.name));
    });
  }
  text += '\n';
  for (const PolicyRun& run : result.policies) {
    for (const Totals& totals : run.totals) {
      text += fmt::format("{},{},{},{}", quoted(run.spec.str()), totals.seed, result.rounds,
                          name_of(totals.status));
      for (const TotalNumbers& each : numbers_of(totals)) {
        for (std::size_t i = 0; i < (each.per_cost ? result.costs.size() : 1); ++i) {
          const double x = i < each.numbers.size() ? each.numbers[i] : kNan;
          text += std::isfinite(x) ? fmt::format(",{}", x) : ",";
        }
      }
      for (const BudgetTotals& budget : totals.budgets) {
        each_field(budget, [&](std::string_view, double x) { text += fmt::format(",{}", x); });
      }
      text += '\n';
    }
  }
  return text;
}

std::string report_page(std::string_view json) {
  constexpr std::string_view kSlot = "@DATA@";
  const std::size_t slot = kReportTemplate.find(kSlot);
  check(slot != std::string_view::npos, "the report page has a place for its data");
  std::string page(kReportTemplate.substr(0, slot));
  page += inert(json);
  page += kReportTemplate.substr(slot + kSlot.size());
  return page;
}

}  // namespace rein
