#include "engine/check_decision.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/within.h"

namespace rein {
namespace {

Result<> refuse(std::string_view what) {
  return Error{fmt::format("record of a decision: {}", what)};
}

bool finite(std::span<const double> numbers) {
  return all_within(numbers, std::numeric_limits<double>::max());
}

Result<> check_places(const Shape& shape, const DecideRecord& record) {
  const int fitted = record.round.actions;
  if (record.places.empty()) {
    if (record.offered == fitted) return {};
    return refuse("more actions were offered than fit, and it does not say which");
  }
  if (record.places.size() != static_cast<std::size_t>(fitted) || record.offered <= fitted ||
      record.offered > shape.actions) {
    return refuse("places of actions that do not match those offered");
  }
  std::int32_t previous = -1;
  for (std::int32_t place : record.places) {
    if (place <= previous || place >= record.offered) {
      return refuse(
          fmt::format("place {} after {} among {} actions", place, previous, record.offered));
    }
    previous = place;
  }
  return {};
}

Result<> check_probabilities(const Decision& d) {
  double sum = 0.0;
  for (double p : d.probabilities()) {
    if (!(p >= 0.0 && p <= 1.0)) return refuse(fmt::format("a probability of {}", p));
    sum += p;
  }
  if (!(std::abs(sum - 1.0) <= 1e-9)) return refuse(fmt::format("probabilities sum to {}", sum));
  const double chosen = d.probabilities()[static_cast<std::size_t>(d.action)];
  if (d.probability != chosen || chosen <= 0.0) {
    return refuse(fmt::format("probability {} of an action that has {}", d.probability, chosen));
  }
  return {};
}

}  // namespace

Result<> check_decision(const Shape& shape, const DecideRecord& record) {
  const Decision& d = record.decision;
  const int actions = record.round.actions;
  if (auto ok = check_places(shape, record); !ok) return ok;
  if (d.action < 0 || d.action >= actions || d.best < -1 || d.best >= actions) {
    return refuse(fmt::format("action {} and best {} among {} actions", d.action, d.best, actions));
  }
  if (d.probabilities().size() != static_cast<std::size_t>(actions) ||
      d.estimates.actions() != actions || d.estimates.heads() < 1 ||
      d.estimates.heads() > shape.heads() ||
      d.prices.size() > static_cast<int>(shape.costs.size()) ||
      d.predicted.size() > static_cast<int>(shape.costs.size()) ||
      d.paces.size() != (shape.paced ? static_cast<int>(shape.costs.size()) : 0)) {
    return refuse("sizes that differ from the round");
  }
  if (auto ok = check_probabilities(d); !ok) return ok;
  bool sound = finite(d.paces.span()) && finite(d.predicted.span()) && finite(d.scores());
  for (int h = 0; h < d.estimates.heads(); ++h) sound = sound && finite(d.estimates.width(h));
  for (int h = 0; h < d.estimates.heads(); ++h) sound = sound && finite(d.estimates.mean(h));
  return sound ? check_own(d) : refuse("a number that is not finite");
}

Result<> check_own(const Decision& d) {
  if (d.gamma >= 0.0 && d.gamma < INFINITY && d.log_scale >= 0.0 && d.log_scale < INFINITY &&
      d.probability > 0.0 && finite(d.prices.span())) {
    return {};
  }
  return Error{
      fmt::format("decision: a price, the exploration rate {} or the scale exp({}) is not a "
                  "finite number, or the probability {} not above 0",
                  d.gamma, d.log_scale, d.probability)};
}

}  // namespace rein
