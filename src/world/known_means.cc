#include "world/known_means.h"

#include "base/check.h"
#include "base/size.h"
#include "base/units.h"
#include "world/means.h"

namespace rein {

KnownMeans::KnownMeans(Shape shape, const Noise& noise, std::int64_t rounds)
    : shape_(std::move(shape)),
      noise_(noise),
      ranges_(ranges_of(shape_)),
      means_(ranges_.size() * as_size(shape_.actions)) {
  check(shape_.truth != nullptr, "a world with known means has a truth");
  shape_.rounds = rounds;
}

const Round& KnownMeans::next() {
  arrange(++t_);
  const std::span<double> all(means_);
  for (int a = 0; a < round_.actions; ++a) {
    shape_.truth->evaluate(0, round_, a, all.subspan(as_size(a) * ranges_.size(), ranges_.size()));
  }
  return round_;
}

void KnownMeans::outcome(int action, Outcome& out) const {
  check(t_ >= 0, "an outcome is asked for after next()");
  check(action >= 0 && action < round_.actions, "an outcome is asked of an action of the round");
  const double* mean = means_.data() + as_size(action) * ranges_.size();
  const int id = round_.id(action);
  out.reward = noise_.draw(t_, id, 0, mean[0], ranges_[0]);
  out.costs = Costs(static_cast<int>(ranges_.size()) - 1);
  for (int i = 0; i < out.costs.size(); ++i) {
    out.costs[i] = noise_.draw(t_, id, i + 1, mean[i + 1], ranges_[i + 1]);
  }
}

void KnownMeans::means(std::span<double> out) const {
  check(t_ >= 0, "means are asked for after next()");
  const std::size_t actions = as_size(round_.actions);
  check(out.size() >= ranges_.size() * actions, "there is room for the means of every head");
  for (std::size_t a = 0; a < actions; ++a) {
    for (std::size_t h = 0; h < ranges_.size(); ++h) {
      out[h * actions + a] = means_[a * ranges_.size() + h];
    }
  }
}

bool KnownMeans::highest(std::span<double> out) const {
  check(t_ >= 0, "costs are asked for after next()");
  const std::size_t actions = as_size(round_.actions);
  check(out.size() >= (ranges_.size() - 1) * actions, "there is room for every cost");
  for (std::size_t a = 0; a < actions; ++a) {
    for (std::size_t h = 1; h < ranges_.size(); ++h) {
      out[(h - 1) * actions + a] = noise_.highest(means_[a * ranges_.size() + h], ranges_[h]);
    }
  }
  return true;
}

}  // namespace rein
