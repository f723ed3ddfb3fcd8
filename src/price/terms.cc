#include "rein/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/math.h"

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

bool has_budget(Setting setting) {
  return setting == Setting::kKnapsack || setting == Setting::kLinearConstraints ||
         setting == Setting::kPacing;
}
bool is_nonnegative(Setting setting) {
  return setting == Setting::kKnapsack || setting == Setting::kAlmostSure;
}
bool counts_positive_part(Setting setting) { return setting == Setting::kAlmostSure; }

std::string_view setting_names() {
  return "expectation, slater, almost_sure, knapsack, linear_constraints, pacing";
}

Result<Setting> parse_setting(std::string_view name) {
  for (const Name& row : kNames) {
    if (row.name == name) return row.setting;
  }
  return Error{fmt::format("setting: found \"{}\"; accepted: {}", name, setting_names())};
}

Terms Terms::after(std::int64_t t) const {
  if (!anytime) return *this;
  Terms out = *this;
  out.rounds = t;
  if (!growth.empty()) {
    out.u = u_at(t);
    out.errors = out.errors_of_regret();
  }
  if (setting == Setting::kPacing) {
    out.budgets = rates;
    for (double& budget : out.budgets) budget *= static_cast<double>(t);
  }
  return out;
}

Terms Terms::of_block(int j) const {
  const std::int64_t length = std::int64_t{1} << j;
  Terms out = after(2 * length - 1);
  out.rounds = length;
  if (!growth.empty()) out.errors = out.errors_of_regret();
  out.anytime = false;
  out.growth.clear();
  return out;
}

double Terms::root() const {
  return std::sqrt(static_cast<double>(actions) * static_cast<double>(rounds) * u);
}

double Terms::error_ratio() const { return std::max(1.0, errors / u); }

double Terms::errors_of_regret() const {
  const double likely = 2.0 * u + 11.0 * log(4.0 * (costs + 1.0) / kBoundDelta);
  return std::min(likely, 4.0 * static_cast<double>(rounds));  // no error exceeds 2
}

}  // namespace rein
