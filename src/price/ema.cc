#include "price/ema.h"

#include <algorithm>
#include <cmath>

#include "base/spec_reader.h"
#include "price/scaled.h"
#include "rein/bytes.h"

namespace rein {

Result<std::unique_ptr<Pricer>> EmaPrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  auto form = Form::knapsack(terms);
  if (!form) return form.failure();
  const Options options{
      .weight = read.number("weight", 0.05, {.above = 0.0, .high = 1.0}),
      .lr = read.number("lr", 0.05, {.low = 0.0, .high = kMaxScale}),
      .cap = read.number("cap", 5.0, {.low = 0.0, .high = kMaxParameter}),
      .scale = read.number("scale", 1.0, {.low = kMinScale, .high = kMaxScale}),
  };
  if (auto done = read.finish(); !done) return done.failure();
  return std::unique_ptr<Pricer>(new EmaPrice(form.value(), options));
}

void EmaPrice::price(const Books& books, Prices& out) const {
  Costs plain = lam_;
  for (int i = 0; i < plain.size(); ++i) {
    if (!books.reserved.empty()) {
      const double over = form_.scale(i) * books.owed(i) / form_.rate();
      plain[i] = std::clamp(plain[i] + options_.lr * options_.weight * over, 0.0, options_.cap);
    }
    plain[i] = form_.price(i, options_.scale * plain[i]);
  }
  out = scaled_down(plain);
}

// The mean is taken over the costs that came; the price steps once per round.
void EmaPrice::learn(const Books&, const Paid& paid) {
  for (int i = 0; i < lam_.size(); ++i) {
    if (paid.has(i)) {
      // Where the round counted before, its rate was taken from the queue then.
      const double cost = paid.first ? paid.queued[i] : paid.queued[i] - form_.rates()[i];
      const double over = form_.scale(i) * cost / form_.rate();  // c / b - 1
      over_[i] = std::fma(options_.weight, over - over_[i], over_[i]);
    }
    if (!paid.first) continue;
    lam_[i] = std::clamp(std::fma(options_.lr, over_[i], lam_[i]), 0.0, options_.cap);
  }
}

void EmaPrice::save(ByteWriter& out) const { out.state("ema", over_, lam_); }

Result<> EmaPrice::load(ByteReader& in) { return in.state("ema", over_, lam_); }

}  // namespace rein
