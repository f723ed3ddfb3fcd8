#include "price/fixed_share.h"

#include <algorithm>

#include "base/math.h"
#include "base/spec_reader.h"
#include "rein/bytes.h"

namespace rein {

Result<std::unique_ptr<Pricer>> FixedSharePrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  const double share = read.number("share", 1.0 / static_cast<double>(terms.rounds),
                                   {.low = kMinScale, .high = 1.0});
  auto keys = DualKeys::read(read, terms);
  if (!keys) return keys.failure();
  return std::unique_ptr<Pricer>(new FixedSharePrice(keys.value(), share));
}

FixedSharePrice::FixedSharePrice(const DualKeys& keys, double share)
    : keys_(keys), share_(share), queues_(keys.form.size()) {
  weights_.fill(0.0);
  const std::span<double> weights = used(weights_);
  std::fill(weights.begin(), weights.end(), 1.0 / static_cast<double>(weights.size()));
}

std::span<double> FixedSharePrice::used(Weights& weights) const {
  return {weights.data(), static_cast<std::size_t>(queues_.size()) + 1};
}

// REQUIRES mixed weights: all of them, and so their sum, are above 0.
void FixedSharePrice::pay(std::span<const double> costs, Weights& weights) const {
  double top = 0.0;
  for (int i = 0; i < queues_.size(); ++i) {
    top = std::max(top, keys_.step * keys_.form.scale(i) * costs[i]);
  }
  const std::span<double> all = used(weights);
  double sum = all[0] *= exp(-top);
  for (int i = 0; i < queues_.size(); ++i) {
    sum += all[i + 1] *= exp(keys_.step * keys_.form.scale(i) * costs[i] - top);
  }
  for (double& weight : all) weight /= sum;
}

// Written so that equal weights stay exactly equal.
void FixedSharePrice::mix(Weights& weights) const {
  const std::span<double> all = used(weights);
  const double even = 1.0 / static_cast<double>(all.size());
  for (double& weight : all) weight += share_ * (even - weight);
}

void FixedSharePrice::price(const Books& books, Prices& out) const {
  Weights weights = weights_;
  Costs owed(queues_.size());
  for (int i = 0; i < owed.size(); ++i) owed[i] = books.owed(i);
  if (std::any_of(owed.begin(), owed.end(), [](double cost) { return cost != 0.0; })) {
    mix(weights);  // the amount counts as paid in one round
    pay(owed.span(), weights);
  }
  mix(weights);
  Costs shares(queues_.size());
  for (int i = 0; i < shares.size(); ++i) shares[i] = weights[static_cast<std::size_t>(i) + 1];
  price_shares(keys_, shares, out);
}

void FixedSharePrice::learn(const Books&, const Paid& paid) {
  if (paid.first) mix(weights_);
  pay(paid.queued, weights_);
  for (int i = 0; i < queues_.size(); ++i) queues_[i] += paid.queued[i];
}

void FixedSharePrice::save(ByteWriter& out) const { out.state("fixed_share", queues_, weights_); }

Result<> FixedSharePrice::load(ByteReader& in) {
  return in.state("fixed_share", queues_, weights_);
}

}  // namespace rein
