#include "price/weights.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/math.h"
#include "base/spec_reader.h"
#include "price/scaled.h"

namespace rein {

Result<std::unique_ptr<Pricer>> WeightsPrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  auto form = Form::knapsack(terms);
  if (!form) return Error{form.error()};
  const double usual = std::sqrt(log(terms.costs + 1.0) / static_cast<double>(terms.rounds));
  const double step = read.number("step", usual, {.low = 0.0, .high = kMaxParameter});
  const auto z = read.number("z", {.low = 0.0, .high = kMaxParameter});
  if (auto done = read.finish(); !done) return Error{done.error()};
  return std::unique_ptr<Pricer>(new WeightsPrice(form.value(), step, z.value_or(-1.0)));
}

void WeightsPrice::price(const Books& books, Prices& out) const {
  Costs plain = queues_;
  double top = 0.0;  // log weight of spending nothing
  for (int i = 0; i < plain.size(); ++i) {
    const double reserved = books.reserved.empty() ? 0.0 : form_.scale(i) * books.reserved[i];
    plain[i] = step_ * (plain[i] + reserved);
    top = std::max(top, plain[i]);
  }
  double sum = exp(-top);
  for (double& weight : plain) {
    weight = exp(weight - top);
    sum += weight;
  }
  const double z = z_ >= 0.0 ? z_ : books.opt / form_.rate();
  for (int i = 0; i < plain.size(); ++i) plain[i] = form_.price(i, z * (plain[i] / sum));
  out = scaled_down(plain);
}

void WeightsPrice::learn(const Books&, std::span<const double> costs) {
  for (int i = 0; i < queues_.size(); ++i) queues_[i] += form_.scale(i) * costs[i];
}

void WeightsPrice::save(ByteWriter& out) const {
  out.tag("weights");
  out.f64s(queues_.span());
}

Result<> WeightsPrice::load(ByteReader& in) {
  in.tag("weights");
  in.f64s({queues_.begin(), queues_.end()});
  return in.status();
}

}  // namespace rein
