#include "price/hedge.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/math.h"
#include "base/spec_reader.h"

namespace rein {

Result<DualKeys> DualKeys::read(SpecReader& read, const Terms& terms) {
  const Limits limits{.low = kMinParameter, .high = kMaxParameter};
  const std::optional<double> reach = read.number("reach", limits);
  const std::optional<double> step = read.number("step", limits);
  if (auto done = read.finish(); !done) return Error{done.error()};
  auto form = Form::knapsack(terms);
  if (!form) return Error{form.error()};
  DualKeys keys;
  keys.form = form.value();
  const auto t = static_cast<double>(terms.rounds);
  const double b = keys.form.rate();
  keys.reach = reach ? *reach : 1.0 / b;
  keys.step = step ? *step : std::sqrt(log(terms.costs + 1.0) / t) / (1.0 + b);
  return keys;
}

void price_shares(const DualKeys& keys, const Costs& shares, Prices& out) {
  out.scaled = shares;
  double largest = 1.0;
  for (int i = 0; i < shares.size(); ++i) {
    out.scaled[i] = keys.form.price(i, keys.reach * shares[i]);
    largest = std::max(largest, out.scaled[i]);
  }
  out.log_scale = largest > 1.0 ? log(largest) : 0.0;
  if (largest > 1.0) {
    for (double& price : out.scaled) price /= largest;
  }
}

Result<std::unique_ptr<Pricer>> HedgePrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  auto keys = DualKeys::read(read, terms);
  if (!keys) return Error{keys.error()};
  return std::unique_ptr<Pricer>(new HedgePrice(keys.value()));
}

void HedgePrice::price(const Books& books, Prices& out) const {
  Costs shares = queues_;
  double top = 0.0;  // log of w_0
  for (int i = 0; i < shares.size(); ++i) {
    const double reserved = books.reserved.empty() ? 0.0 : books.reserved[i];
    shares[i] = keys_.step * keys_.form.scale(i) * (queues_[i] + reserved);
    top = std::max(top, shares[i]);
  }
  double sum = exp(-top);
  for (double& share : shares) sum += share = exp(share - top);
  for (double& share : shares) share = share / sum * books.opt;
  price_shares(keys_, shares, out);
}

void HedgePrice::learn(const Books&, std::span<const double> costs) {
  for (int i = 0; i < queues_.size(); ++i) queues_[i] += costs[i];
}

Costs HedgePrice::parameters() const {
  Costs most(queues_.size());
  for (int i = 0; i < most.size(); ++i) most[i] = keys_.form.price(i, keys_.reach);
  return most;
}

void HedgePrice::restart(double reach) {
  keys_.reach = reach;
  queues_ = Costs(queues_.size());
}

void HedgePrice::save(ByteWriter& out) const {
  out.tag("hedge");
  out.f64(keys_.reach);
  out.f64s(queues_.span());
}

Result<> HedgePrice::load(ByteReader& in) {
  in.tag("hedge");
  keys_.reach = in.f64();
  in.f64s({queues_.begin(), queues_.end()});
  return in.status();
}

}  // namespace rein
