#include "serve/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "serve/json_in.h"

namespace rein::serve {
namespace {

using Found = std::map<std::string, Json>;

constexpr std::array<std::string_view, 10> kChangeable = {
    "actions",  "baseline", "callers", "expected_costs", "expire_after",
    "fallback", "keep",     "mode",    "most_open",      "notices"};

// What people are told about a budget can come and go; the budget itself cannot.
bool of_oversight(std::string_view field) { return field.ends_with(".notices") || field.ends_with(".pause_at"); }

bool changeable(std::string_view field) {
  if (std::ranges::find(kChangeable, field) != kChangeable.end() || of_oversight(field)) return true;
  const std::size_t last = field.rfind('.');
  return field.starts_with("budgets.") && last != std::string_view::npos &&
         (field.substr(last) == ".amount" || field.substr(last) == ".rounds");
}

bool nothing(const Json& value) { return std::holds_alternative<std::monostate>(value.is); }

// Members of a document by their fields. Budgets are taken apart, because each has a name.
Found fields_in(const Json& document) {
  Found found;
  const Json::Object* object = object_in(document);
  if (object == nullptr) throw invalid("", "found no object; accepted: the document of a model");
  for (const auto& [key, value] : *object) {
    const auto* list = std::get_if<Json::List>(&value.is);
    if (nothing(value)) continue;
    if (key != "budgets" || list == nullptr) {
      found[key] = value;
      continue;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Json::Object* budget = object_in((*list)[i]);
      std::string name = fmt::format("budgets[{}]", i);
      if (budget == nullptr) {  // the text form
        found[name] = (*list)[i];
        continue;
      }
      for (const auto& [word, of] : *budget) {
        const auto* text = std::get_if<std::string>(&of.is);
        if (word == "name" && text != nullptr) name = "budgets." + *text;
      }
      for (const auto& [word, of] : *budget) {
        if (!nothing(of)) found[name + "." + word] = of;
      }
    }
  }
  return found;
}

std::string shortened(const Json* value) {
  constexpr std::size_t kShown = 60;
  if (value == nullptr) return "nothing";
  std::string text = value->str();
  if (text.size() > kShown) text = text.substr(0, kShown - 3) + "...";
  return text;
}

// Sorted keys, so that their order does not matter.
Json in_order(Json value) {
  if (auto* list = std::get_if<Json::List>(&value.is)) {
    for (Json& each : *list) each = in_order(std::move(each));
  }
  if (auto* object = std::get_if<Json::Object>(&value.is)) {
    for (auto& member : *object) member.second = in_order(std::move(member.second));
    std::ranges::sort(*object, {}, [](const auto& member) { return member.first; });
  }
  return value;
}

}  // namespace

std::vector<Difference> differences(const Json& was, const Json& is) {
  const Found before = fields_in(was), after = fields_in(is);
  std::set<std::string> names;
  for (const auto& each : before) names.insert(each.first);
  for (const auto& each : after) names.insert(each.first);
  std::vector<Difference> all;
  for (const std::string& name : names) {
    const auto had = before.find(name), has = after.find(name);
    const Json* one = had == before.end() ? nullptr : &had->second;
    const Json* two = has == after.end() ? nullptr : &has->second;
    if (one != nullptr && two != nullptr && in_order(*one).str() == in_order(*two).str()) continue;
    // A budget's amount can change; a budget cannot come or go.
    const bool both = one != nullptr && two != nullptr;
    const bool part = name.ends_with(".rounds") ? two != nullptr && after.contains(name.substr(0, name.rfind('.')) + ".amount") &&
                                                      before.contains(name.substr(0, name.rfind('.')) + ".amount")
                                                : both || !name.starts_with("budgets") ||
                                                      (of_oversight(name) &&
                                                       after.contains(name.substr(0, name.rfind('.')) + ".amount"));
    all.push_back({name, shortened(one), shortened(two), part && changeable(name)});
  }
  return all;
}

std::string in_words(const std::vector<Difference>& all) {
  std::string text;
  for (const Difference& one : all) {
    text += fmt::format("{}{}: {} became {}", text.empty() ? "" : "; ", one.field, one.was, one.is);
  }
  return text;
}

std::string what_to_do(const std::vector<Difference>& all) {
  std::string fixed;
  bool policy = false;
  for (const Difference& one : all) {
    policy = policy || one.field == "policy";
    if (!one.can_change) fixed += (fixed.empty() ? "" : ", ") + one.field;
  }
  if (fixed.empty()) return "all of it can change while the model runs: `rein serve --apply`, or POST NAME/apply";
  return fmt::format("{} cannot change while the model runs{}; accepted: the same, another name, or DELETE, "
                     "which archives the model, and then PUT",
                     fixed, policy ? " (`rein migrate` lets another policy learn its journal)" : "");
}

}  // namespace rein::serve
