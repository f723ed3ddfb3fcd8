#include "serve/model_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "serve/answer.h"

namespace rein::serve {
namespace {

// Sums are doubles: sizes that nobody has memory for must not overflow.
struct SizeOf {
  double actions, context, features, heads;
};

const Spec* spec_at(const Spec& spec, std::string_view key) {
  const SpecValue* value = spec.find(key);
  return value == nullptr ? nullptr : std::get_if<Spec>(&value->is);
}

double number_at(const Spec& spec, std::string_view key, double otherwise) {
  const SpecValue* value = spec.find(key);
  const double* number = value == nullptr ? nullptr : std::get_if<double>(&value->is);
  return number == nullptr ? otherwise : *number;
}

bool has_word(const Spec& spec, std::string_view key, std::string_view word) {
  const Spec* found = spec_at(spec, key);
  return found != nullptr && found->name == word;
}

// The layout of the vectors phi of an oracle (estimate/feature_map.h): their length, the number of
// sets of parameters, and whether the sets have a centre.
struct Layout {
  double length = 1.0;
  double sets = 1.0;
  bool both = false;
};

Layout layout_of(const Spec& spec, const SizeOf& size, std::string_view with_both = "product") {
  const Spec* given = spec_at(spec, "features");
  const std::string_view usual = size.features == 0.0  ? "per_action"
                                 : size.context == 0.0 ? "joint"
                                                       : with_both;
  const std::string_view kind = given == nullptr ? usual : std::string_view(given->name);
  Layout layout{.length = size.context + size.features + 1.0, .both = kind == "both"};
  if (kind == "product") layout.length += size.context * size.features;
  if (kind == "both" || kind == "per_action") layout.sets = size.actions;
  return layout;
}

// A factor of each set, and what is kept per head.
double factors(double length, double sets, double heads) {
  return sets * (length * (length + 1.0) / 2.0 + 3.0 * heads * length + 8.0);
}

double oracle_numbers(const Spec& spec, const SizeOf& size);

double linear_numbers(const Spec& spec, const SizeOf& size) {
  const Layout of = layout_of(spec, size);
  const double own = factors(of.length, of.sets, size.heads);
  double numbers = own;
  // A second regression notices changes, unless it would be larger than this (estimate/change.cc).
  constexpr double kLargestChange = 0x1p21;
  if (has_word(spec, "memory", "auto") && own <= 1.3 * kLargestChange) numbers += own;
  if (of.both) {
    numbers += factors(of.length, 1.0, size.heads) + of.sets * size.heads * 2.0 * (of.length + 2.0);
  }
  return numbers;
}

double kernel_numbers(const Spec& spec, const SizeOf& size) {
  const Layout of = layout_of(spec, size);
  const double curves = number_at(spec, "size", 128.0);
  double numbers = factors(of.length + curves, of.sets, size.heads);
  if (has_word(spec, "kind", "dictionary")) {
    numbers += of.sets * curves * (curves / 2.0 + of.length);
  }
  return numbers + of.length * curves;
}

double network_numbers(const Spec& spec, const SizeOf& size) {
  const Layout of = layout_of(spec, size, "joint");
  std::vector<double> layers = {32.0, 32.0};
  if (const SpecValue* given = spec.find("hidden"); given != nullptr) {
    layers.clear();
    if (const double* one = std::get_if<double>(&given->is)) layers.push_back(*one);
    if (const auto* list = std::get_if<SpecValue::List>(&given->is)) {
      for (const SpecValue& each : *list) {
        if (const double* units = std::get_if<double>(&each.is)) layers.push_back(*units);
      }
    }
  }
  double weights = of.length;
  double before = of.length;
  for (const double units : layers) weights += (std::exchange(before, units) + 1.0) * units;
  weights += (before + 1.0) * size.heads;
  return 2.0 * of.sets * weights;
}

double forest_numbers(const Spec& spec, const SizeOf& size) {
  const Layout of = layout_of(spec, size, "joint");
  const double nodes = number_at(spec, "nodes", 255.0);
  const double tests = number_at(spec, "tests", 12.0);
  const double tree = nodes * (4.0 + 5.0 * size.heads) +
                      (nodes + 1.0) / 2.0 * (1.0 + tests * (4.0 + 2.0 * size.heads));
  const Spec* base = spec_at(spec, "base");
  return of.sets * number_at(spec, "trees", 16.0) * tree +
         oracle_numbers(base == nullptr ? Spec("vaw") : *base, size);
}

// The numbers of the oracles among the values of these options; of `usual` if there are none.
double members_numbers(const Spec& spec, std::string_view key, const SizeOf& size,
                       const std::vector<Spec>& usual) {
  double numbers = 0.0;
  const SpecValue* value = spec.find(key);
  if (value == nullptr) {
    for (const Spec& each : usual) numbers += oracle_numbers(each, size);
  } else if (const auto* one = std::get_if<Spec>(&value->is)) {
    numbers += oracle_numbers(*one, size);
  } else if (const auto* list = std::get_if<SpecValue::List>(&value->is)) {
    for (const SpecValue& each : *list) {
      if (const auto* member = std::get_if<Spec>(&each.is))
        numbers += oracle_numbers(*member, size);
    }
  }
  return numbers;
}

double oracle_numbers(const Spec& spec, const SizeOf& size) {
  if (spec.name == "vaw" || spec.name == "ridge") return linear_numbers(spec, size);
  if (spec.name == "ons") return size.heads * linear_numbers(spec, size);
  if (spec.name == "kernel") return kernel_numbers(spec, size);
  if (spec.name == "mlp") return network_numbers(spec, size);
  if (spec.name == "forest") return forest_numbers(spec, size);
  if (spec.name == "adagrad") {
    const Layout of = layout_of(spec, size);
    return of.sets * of.length * (2.0 * size.heads + 1.0);
  }
  const Spec linear = parse_spec("vaw(memory=auto)").value();
  if (spec.name == "auto") {
    Spec first = linear;
    if (size.features == 0.0) first.set("features", {.is = Spec("both")});
    return oracle_numbers(first, size) +
           members_numbers(spec, "of", size, {parse_spec("kernel(size=32)").value()});
  }
  if (spec.name == "stack") return members_numbers(spec, "of", size, {Spec("vaw"), Spec("kernel")});
  if (spec.name == "optimistic") return members_numbers(spec, "of", size, {Spec("vaw")});
  if (spec.name == "pair") {
    return members_numbers(spec, "reward", size, {Spec("vaw")}) +
           members_numbers(spec, "cost", size, {Spec("vaw")});
  }
  return 0.0;  // finite, truth, own: a document cannot bring what they need
}

// The numbers that policies keep of past rounds, by the limits of docs/limits.md.
double kept_numbers(const Spec& spec, const SizeOf& size) {
  const double row = size.context + size.actions * (size.features + 1.0);
  if (spec.name == "lincbwk") return std::min(0x1p24, 0x1p19 * row);
  if (spec.name == "optimistic3") return std::min(0x1p22, number_at(spec, "classes", 64.0) * row);
  if (spec.name == "squarecbwk" && number_at(spec, "stages", 1.0) > 1.0) return 2.0 * 0x1p22;
  if (spec.name == "ccb") return std::min(0x1p20, 512.0 * (size.actions * size.heads + 1.0));
  return 0.0;
}

double policy_numbers(const Spec& spec, const Shape& shape, const SizeOf& size) {
  if (spec.name == "uniform") return 0.0;
  double numbers = kept_numbers(spec, size);
  if (const Spec* inner = spec_at(spec, "policy")) numbers += policy_numbers(*inner, shape, size);
  if (const Spec* inner = spec_at(spec, "of")) numbers += policy_numbers(*inner, shape, size);
  double oracles = 0.0;
  for (const char* key : {"oracle", "reward_oracle", "cost_oracle"}) {
    oracles += members_numbers(spec, key, size, {});
  }
  if (spec.find("oracle") == nullptr && spec.name != "banditq") {
    const bool theory = has_word(spec, "tuning", "theory");
    oracles +=
        oracle_numbers(spec.name == "ccb" && !theory ? usual_class(shape) : Spec("vaw"), size);
  }
  return numbers + oracles;
}

}  // namespace

double model_bytes(const Spec& policy, const Shape& shape) {
  const SizeOf size{.actions = static_cast<double>(shape.actions),
                    .context = static_cast<double>(shape.context),
                    .features = static_cast<double>(shape.features),
                    .heads = 1.0 + static_cast<double>(shape.costs.size())};
  // Priors, pooled estimates, the history, and rows, scores and probabilities of one round.
  const double per_action = 40.0 + 20.0 * size.heads + 9.0 * size.features;
  const double numbers = policy_numbers(policy, shape, size) + size.actions * per_action +
                         16.0 * size.context * size.heads;
  constexpr double kBesides = 5 << 19;  // bytes that no document changes
  return 1.1 * 8.0 * numbers + kBesides;
}

double model_bytes(const ModelPlan& plan) {
  const auto spec = parse_spec(plan.policy);
  return spec ? model_bytes(spec.value(), plan.shape) : 0.0;  // refused before it takes memory
}

void check_model_size(const ModelPlan& plan) {
  if (const auto spec = parse_spec(plan.policy)) check_model_size(spec.value(), plan.shape);
}

void check_model_size(const Spec& policy, const Shape& shape) {
  const double bytes = model_bytes(policy, shape);
  if (bytes <= static_cast<double>(kMostModelBytes)) return;
  throw Refused(
      400, "invalid",
      fmt::format("actions: {} actions, a context of {} numbers and {} features per action "
                  "need up to {:.0f} MiB with this policy; accepted: at most {}: fewer "
                  "actions, or fewer numbers in context, action_features or hashed",
                  shape.actions, shape.context, shape.features, bytes / 0x1p20,
                  kMostModelBytes >> 20),
      "actions");
}

}  // namespace rein::serve
