#include "price/hedge.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/spec_reader.h"
#include "price/scaled.h"
#include "rein/bytes.h"

namespace rein {

Result<DualKeys> DualKeys::read(SpecReader& read, const Terms& terms) {
  const Limits limits{.low = kMinParameter, .high = kMaxParameter};
  const std::optional<double> reach = read.number("reach", limits);
  const std::optional<double> step = read.number("step", limits);
  if (auto done = read.finish(); !done) return done.failure();
  auto form = Form::knapsack(terms);
  if (!form) return form.failure();
  DualKeys keys;
  keys.form = form.value();
  const auto t = static_cast<double>(terms.rounds);
  const double b = keys.form.rate();
  keys.reach = reach ? *reach : 1.0 / b;
  keys.step = step ? *step : std::sqrt(log(terms.costs + 1.0) / t) / (1.0 + b);
  return keys;
}

Costs DualKeys::most() const {
  Costs most(form.size());
  for (int i = 0; i < most.size(); ++i) most[i] = form.price(i, reach);
  return most;
}

void price_shares(const DualKeys& keys, const Costs& shares, Prices& out) {
  Costs plain = shares;
  for (int i = 0; i < plain.size(); ++i) plain[i] = keys.form.price(i, keys.reach * shares[i]);
  out = scaled_down(plain);
}

Result<std::unique_ptr<Pricer>> HedgePrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  auto keys = DualKeys::read(read, terms);
  if (!keys) return keys.failure();
  return std::unique_ptr<Pricer>(new HedgePrice(keys.value()));
}

void HedgePrice::price(const Books& books, Prices& out) const {
  Costs shares = queues_;
  double top = 0.0;  // log of w_0
  for (int i = 0; i < shares.size(); ++i) {
    shares[i] = keys_.step * keys_.form.scale(i) * (queues_[i] + books.owed(i));
    top = std::max(top, shares[i]);
  }
  double sum = exp(-top);
  for (double& share : shares) sum += share = exp(share - top);
  for (double& share : shares) share = share / sum * books.opt;
  price_shares(keys_, shares, out);
}

void HedgePrice::learn(const Books& books, const Paid& paid) {
  if (books.opt == 0.0) return;
  for (int i = 0; i < queues_.size(); ++i) queues_[i] += paid.queued[i];
}

void HedgePrice::restart(double reach) {
  keys_.reach = reach;
  queues_ = Costs(queues_.size());
}

void HedgePrice::save(ByteWriter& out) const { out.state("hedge", keys_.reach, queues_); }

Result<> HedgePrice::load(ByteReader& in) { return in.state("hedge", keys_.reach, queues_); }

}  // namespace rein
