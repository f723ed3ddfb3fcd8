#include "tuning/optimism.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/tuned.h"
#include "rein/bytes.h"

namespace rein {
// Oracles keep one set of parameters per action where actions have no features, else one for all.
Optimism::Optimism(const Shape& shape, const Terms& terms, const Oracle& oracle, double scale)
    : oracle_(oracle),
      scale_(scale),
      sets_(shape.features == 0 ? shape.actions : 1),
      rounds_(static_cast<double>(terms.rounds)),
      rates_(terms.rates) {
  alpha_ = reach_ = alpha_of(oracle.dimension());
  factor_ = most_ = tuned::kOptimismReward * alpha_;
}

double Optimism::alpha_of(int d) const {
  return d == 0 ? 0.0 : scale_ * std::min(1.0, tuned::kOptimismFeatures / std::sqrt(d));
}

// width = w / (1 + w)
double Optimism::of(double factor, double width) {
  const double w = width / std::max(1.0 - width, 0x1p-53);
  return factor * std::sqrt(std::min(w, tuned::kOptimismWidest));
}

double Optimism::scarcity(const Books& books, double parameters) const {
  double plays = tuned::kKnownRounds * parameters;
  const int budgets = std::min(rates_.size(), books.spent.size());
  for (int i = 0; i < budgets; ++i) {
    if (!(rates_[i] > 0.0 && books.spent[i] > 0.0)) continue;
    plays = std::min(plays, rounds_ * rates_[i] * (paid_ / books.spent[i]));
  }
  return 1.0 - plays / (tuned::kKnownRounds * parameters);
}

void Optimism::learn(const Books& books, double paid) {
  paid_ += paid;
  const int d = oracle_.dimension();
  const double parameters = this->parameters(d);
  double share = 1.0, chosen = 1.0;
  if (rounds_ > 0.0) {
    const auto seen = static_cast<double>(books.rounds + books.warm);
    share = std::min(1.0, teaching(seen) / (tuned::kKnownRounds * parameters));
    const double often = (1.0 + paid_) / (1.0 + seen);
    if (often < 1.0 && parameters > 0.0) {
      chosen = exp(scarcity(books, parameters) * log(often));
    }
  }
  reach_ = alpha_of(d) * std::sqrt(share) * chosen;
  factor_ = tuned::kOptimismReward * reach_ * books.noise;
  most_ = std::max(most_, factor_);
}

void Optimism::save(ByteWriter& out) const { out.state("optimism", paid_, reach_, factor_, most_); }

void Optimism::load(ByteReader& in) {
  in.tag("optimism");
  in.parts(paid_, reach_, factor_, most_);
}

}  // namespace rein
