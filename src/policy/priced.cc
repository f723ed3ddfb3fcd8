#include "policy/priced.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "base/spec_reader.h"
#include "policy/base.h"

namespace rein {
namespace {

// Costs are counted, and priced by constants that no budget moves.
Rules rules_of_priced(const Shape& shape) {
  Terms terms;
  terms.actions = shape.actions;
  terms.costs = static_cast<int>(shape.costs.size());
  return Rules(terms);
}

class Priced final : public PolicyBase {
 public:
  struct Parts {
    std::vector<double> weights;      // (1 + context) numbers per head, heads per action
    std::vector<double> prices, next; // one per cost
    double share = 0.0;               // of `next`
  };
  Priced(const Spec& spec, const Shape& shape, Parts parts)
      : PolicyBase(spec, shape, nullptr, rules_of_priced(shape)), parts_(std::move(parts)) {}

 private:
  std::span<const double> choose(const Round& round, const Books&, Scratch&,
                                 Decision& decision) const override {
    estimate(round, decision.estimates);
    const std::span<double> chance = decision.probabilities();
    std::ranges::fill(chance, 0.0);
    const int first = best(decision.estimates, parts_.prices);
    chance[as_size(first)] += 1.0 - parts_.share;
    if (parts_.share > 0.0) chance[as_size(best(decision.estimates, parts_.next))] += parts_.share;
    decision.prices = Costs(costs());
    for (int i = 0; i < costs(); ++i) {
      const double low = parts_.prices[as_size(i)], high = parts_.next[as_size(i)];
      decision.prices[i] = low + parts_.share * (high - low);
    }
    for (int a = 0; a < round.actions; ++a) {
      decision.scores()[as_size(a)] =
          score(decision.estimates, decision.prices.span(), a) / unit(0);
    }
    decision.gamma = 1.0;
    return {};
  }

  void estimate(const Round& round, Estimates& out) const {
    std::ranges::fill(out.width(), 0.0);
    const std::size_t width = 1 + round.context.size();
    for (int h = 0; h < shape().heads(); ++h) {
      const Range& range = h == 0 ? shape().reward : shape().costs[as_size(h - 1)].range;
      for (int a = 0; a < round.actions; ++a) {
        double sum = 0.0;
        if (!parts_.weights.empty()) {
          const double* weight =
              parts_.weights.data() + as_size(round.id(a) * shape().heads() + h) * width;
          sum = weight[0];
          for (std::size_t j = 1; j < width; ++j) sum += weight[j] * round.context[j - 1];
        }
        out.mean(h)[as_size(a)] = std::clamp(sum, range.low, range.high);
      }
    }
  }

  static double paid(const Estimates& estimates, std::span<const double> prices, int action) {
    double sum = 0.0;
    for (std::size_t i = 0; i < prices.size(); ++i) {
      sum += prices[i] * estimates.mean(static_cast<int>(i) + 1)[as_size(action)];
    }
    return sum;
  }
  static double score(const Estimates& estimates, std::span<const double> prices, int action) {
    return estimates.mean(0)[as_size(action)] - paid(estimates, prices, action);
  }

  static int best(const Estimates& estimates, std::span<const double> prices) {
    int found = 0;
    for (int a = 1; a < estimates.actions(); ++a) {
      const double ahead = score(estimates, prices, a) - score(estimates, prices, found);
      if (ahead > 0.0 || (ahead == 0.0 && paid(estimates, prices, a) < paid(estimates, prices, found)))
        found = a;
    }
    return found;
  }

  bool learns_parts() const override { return true; }
  void commit(const Lesson&, Books&) override {}
  void tell(PolicyState& state) const override { state.setting.reset(); }
  void save_parts(ByteWriter&) const override {}
  Result<> load_parts(ByteReader&) override { return {}; }

  Parts parts_;
};

// One number per cost: as given, or `otherwise`.
std::vector<double> per_cost(SpecReader& read, const char* key, const Shape& shape,
                             const std::vector<double>& otherwise) {
  const SpecValue* given = read.value(key);
  std::vector<double> found = read.numbers(key);
  if (given == nullptr) return otherwise;
  if (found.size() != shape.costs.size()) {
    read.wrong(key, *given, fmt::format("one number per cost ({})", shape.costs.size()));
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<Policy>> make_priced(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "policy spec");
  Priced::Parts parts;
  parts.prices = per_cost(read, "prices", shape, std::vector<double>(shape.costs.size(), 0.0));
  parts.next = per_cost(read, "next", shape, parts.prices);
  parts.share = read.number("share", 0.0, {.low = 0.0, .high = 1.0});
  parts.weights = read.numbers("weights");
  const std::int64_t wanted =
      std::int64_t{shape.actions} * shape.heads() * (1 + std::int64_t{shape.context});
  if (!parts.weights.empty() && (shape.features > 0 || parts.weights.size() != as_size(wanted))) {
    read.refuse(fmt::format(
        "weights: found {} numbers for {} actions, {} outcomes and a context of {}{}; accepted: {}, "
        "(1 + context) per outcome of every action",
        parts.weights.size(), shape.actions, shape.heads(), shape.context,
        shape.features > 0 ? ", and actions with features" : "", wanted));
  }
  if (auto done = read.finish(); !done) return done.failure();
  return std::make_unique<Priced>(spec, shape, std::move(parts));
}

}  // namespace rein
