#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "rein/pricer.h"

namespace rein {
namespace {

struct Name {
  Setting setting;
  std::string_view name;
};

constexpr Name kNames[] = {
    {Setting::kExpectation, "expectation"},
    {Setting::kSlater, "slater"},
    {Setting::kAlmostSure, "almost_sure"},
    {Setting::kKnapsack, "knapsack"},
    {Setting::kLinearConstraints, "linear_constraints"},
    {Setting::kPacing, "pacing"},
};

}  // namespace

std::string_view name_of(Setting setting) {
  for (const Name& row : kNames) {
    if (row.setting == setting) return row.name;
  }
  throw Bug("a setting without a name");
}

std::string_view setting_names() {
  return "expectation, slater, almost_sure, knapsack, linear_constraints, pacing";
}

Result<Setting> parse_setting(std::string_view name) {
  for (const Name& row : kNames) {
    if (row.name == name) return row.setting;
  }
  return Error{fmt::format("setting: found \"{}\"; accepted: {}", name, setting_names())};
}

double Terms::root() const {
  return std::sqrt(static_cast<double>(actions) * static_cast<double>(rounds) * u);
}

void Pricer::foresee(const Books&, Rehearsal&) {}

}  // namespace rein
