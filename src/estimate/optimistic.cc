#include "estimate/optimistic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/spec_reader.h"
#include "base/units.h"

namespace rein {
namespace {

constexpr double kMost = 4.0;  // the square of the widest range, in units

}  // namespace

Result<std::unique_ptr<Oracle>> Optimistic::make(const Spec& spec, const Shape& shape,
                                                 const Own& own) {
  SpecReader read(spec, "oracle spec");
  const Spec of = read.spec("of", "vaw");
  const double given = read.number("alpha", -1.0, {.low = 0.0, .high = 100.0});
  if (auto done = read.finish(); !done) return done.failure();
  auto made = make_oracle(of, shape, own);
  if (!made) return made.failure();
  const int d = made.value()->dimension();
  if (d == 0) {
    return Error{
        fmt::format("oracle spec: optimistic needs an oracle with widths, and {} has none; "
                    "accepted: vaw, kernel, forest, or a stack with one of them",
                    of.str())};
  }
  const double alpha = given >= 0.0 ? given : std::min(1.0, 3.0 / std::sqrt(d));
  return std::make_unique<Optimistic>(std::move(made).value(), alpha, shape.reward);
}

Optimistic::Optimistic(std::unique_ptr<Oracle> of, double alpha, const Range& reward)
    : of_(std::move(of)), alpha_(alpha), reward_(reward), unit_(unit_of(reward)) {}

void Optimistic::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  of_->predict(round, scratch, estimates);
  const std::span<double> mean = estimates.mean(0);
  const std::span<const double> width = estimates.width();
  for (std::size_t a = 0; a < mean.size(); ++a) {
    mean[a] = std::clamp(mean[a] + unit_ * bonus(width[a]), reward_.low, reward_.high);
  }
}

// width = w / (1 + w) with w = phi' A^-1 phi. It rounds to 1 if w is over 2^53.
double Optimistic::bonus(double width) const {
  return alpha_ * std::sqrt(width / std::max(1.0 - width, 0x1p-53));
}

double Optimistic::bound(std::int64_t rounds) const {
  const double u = of_->bound(rounds);
  if (alpha_ == 0.0) return u;
  const WidthSum widths = rein::width_sum(*of_, rounds);
  const double square = alpha_ * alpha_;
  const double lemma = (square + std::min(square * widths.largest, kMost)) * widths.sum;
  const double bonuses = std::min(lemma, kMost * static_cast<double>(rounds));
  const double root = std::sqrt(u) + std::sqrt(bonuses);
  return root * root;
}

double Optimistic::regret() const { return kNan; }

}  // namespace rein
