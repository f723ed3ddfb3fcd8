// What a document says about oversight:
//
//     "notices": true                      50, 80, 95 and 100 % of every budget, and the usual statuses
//     "notices": {"at": [0.8, 1], "status": ["over"]}
//     "budgets": [{..., "notices": [0.9], "pause_at": 0.95}]
//     "callers": {"by": "tenant", "most_share": 0.5}
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "serve/oversight.h"

namespace rein::serve {
namespace {

constexpr std::array<std::string_view, 3> kUsualStatuses = {"over", "infeasible", "changed"};
constexpr std::array<std::string_view, 7> kStatusWords = {"over",    "infeasible", "unspent", "class",
                                                          "changed", "past",       "crowded"};
constexpr std::size_t kMostThresholds = 16;

double share_of(const Json& given, const std::string& field) {
  const double share = number_of(given, field);
  if (share > 0.0 && share <= 10.0) return share;
  throw invalid(field, fmt::format("found {}; accepted: a share of the amount, above 0: 0.8 is 80 %", share));
}

std::vector<double> read_thresholds(const Json& given, const std::string& field) {
  std::vector<double> at;
  for (const Json& each : list_of(given, field)) at.push_back(share_of(each, field));
  if (at.size() > kMostThresholds) {
    throw invalid(field, fmt::format("found {}; accepted: at most {}", at.size(), kMostThresholds));
  }
  std::ranges::sort(at);
  return at;
}

std::vector<std::string> read_statuses(const Json& given) {
  std::vector<std::string> words;
  for (const Json& each : list_of(given, "notices.status")) {
    const std::string& word = text_of(each, "notices.status");
    if (std::ranges::find(kStatusWords, word) == kStatusWords.end()) {
      throw invalid("notices.status",
                    fmt::format("found \"{}\"; accepted: {}", word, fmt::join(kStatusWords, ", ")));
    }
    words.push_back(word);
  }
  return words;
}

CallersPlan read_callers(const Json& given, std::span<const Budget> budgets) {
  Fields fields(given, "callers");
  CallersPlan plan;
  plan.by = fields.text("by", "token");
  plan.margin = fields.number("margin", plan.margin);
  plan.most_share = fields.number("most_share", plan.most_share);
  fields.done();
  const bool scope = std::ranges::find(budgets, plan.by, &Budget::scope) != budgets.end();
  if (plan.by.empty() || (plan.by != "token" && !scope)) {
    throw invalid("callers.by", fmt::format("found \"{}\"; accepted: token, or the scope of a budget", plan.by));
  }
  if (!(plan.margin >= 0.0 && plan.margin <= 1000.0)) {
    throw invalid("callers.margin", fmt::format("found {}; accepted: 0 to 1000", plan.margin));
  }
  if (!(plan.most_share > 0.0 && plan.most_share <= 1.0)) {
    throw invalid("callers.most_share", fmt::format("found {}; accepted: above 0 to 1", plan.most_share));
  }
  return plan;
}

void read_of_budget(const Json& given, const std::string& where, OversightPlan::OfBudget& plan) {
  const Json::Object* object = object_in(given);
  if (object == nullptr) return;  // the text form
  for (const auto& [key, value] : *object) {
    if (std::holds_alternative<std::monostate>(value.is)) continue;
    if (key == "notices") plan.at = read_thresholds(value, where + ".notices");
    if (key == "pause_at") plan.pause_at = share_of(value, where + ".pause_at");
  }
}

}  // namespace

OversightPlan read_oversight(const Json& document, std::span<const Budget> budgets) {
  Fields fields(document);
  OversightPlan plan;
  plan.budgets.resize(budgets.size());
  std::vector<double> usual;
  if (const Json* given = fields.find("notices")) {
    const auto* truth = std::get_if<bool>(&given->is);
    if (truth == nullptr || *truth) {
      usual.assign(std::begin(kUsualThresholds), std::end(kUsualThresholds));
      plan.status.assign(kUsualStatuses.begin(), kUsualStatuses.end());
    }
    if (truth == nullptr) {
      Fields parts(*given, "notices");
      if (const Json* at = parts.find("at")) usual = read_thresholds(*at, "notices.at");
      if (const Json* status = parts.find("status")) plan.status = read_statuses(*status);
      parts.done();
    }
  }
  for (OversightPlan::OfBudget& each : plan.budgets) each.at = usual;
  if (const Json* given = fields.find("budgets")) {
    const Json::List& list = list_of(*given, "budgets");
    for (std::size_t i = 0; i < std::min(list.size(), plan.budgets.size()); ++i) {
      read_of_budget(list[i], fmt::format("budgets[{}]", i), plan.budgets[i]);
    }
  }
  if (const Json* given = fields.find("callers")) plan.callers = read_callers(*given, budgets);
  plan.watches = !plan.status.empty() || plan.callers.on() ||
                 std::ranges::any_of(plan.budgets, &OversightPlan::OfBudget::watched);
  return plan;
}

}  // namespace rein::serve
