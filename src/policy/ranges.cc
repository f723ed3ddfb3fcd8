#include "policy/ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rein {
namespace {

constexpr std::array<std::string_view, 7> kPolicies = {"ccb",  "greedy", "epsilon", "uniform",
                                                       "stop", "own",    "priced"};
// Oracles whose steps are as long as the range is wide.
constexpr std::array<std::string_view, 3> kSteps = {"ons", "adagrad", "mlp"};

template <std::size_t N>
bool has(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Error needs_range(std::string_view part, const Shape& shape, std::string_view otherwise) {
  const std::string name = shape.unknown();
  return {
      fmt::format("policy spec: {} works in units of the range, and the {} has none; accepted: "
                  "a range for the {}{}",
                  part, name, name, otherwise.empty() ? "" : fmt::format(", or {}", otherwise))};
}

Result<> check_known_ranges(const Spec& policy, const Shape& shape) {
  if (shape.unknown().empty()) return {};
  if (policy.name == "squarecb" && shape.reward.known()) return {};  // does not look at costs
  if (!has(kPolicies, policy.name)) {
    return needs_range(policy.name, shape, "ccb with tuning=auto");
  }
  if (policy.name == "ccb" || policy.name == "own" || policy.name == "stop") return {};
  const SpecValue* oracle = policy.find("oracle");
  const Spec* of = oracle == nullptr ? nullptr : std::get_if<Spec>(&oracle->is);
  return of == nullptr ? Result<>() : check_oracle_range(*of, shape);
}

Result<> check_oracle_range(const Spec& oracle, const Shape& shape) {
  if (shape.unknown().empty()) return {};
  if (has(kSteps, oracle.name)) {
    return needs_range(fmt::format("oracle {}", oracle.name), shape, "another oracle");
  }
  for (const auto& option : oracle.options) {
    const Spec* part = std::get_if<Spec>(&option.second.is);
    if (part == nullptr) continue;
    if (auto ok = check_oracle_range(*part, shape); !ok) return ok;
  }
  return {};
}

}  // namespace rein
