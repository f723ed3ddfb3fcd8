#include "price/queue.h"

#include <algorithm>
#include <cmath>

#include "base/spec_reader.h"
#include "price/scaled.h"
#include "rein/bytes.h"

namespace rein {

Result<std::unique_ptr<Pricer>> QueuePrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  auto form = Form::knapsack(terms);
  if (!form) return form.failure();
  const double usual =
      terms.v_scale * form.value().rate() * std::sqrt(static_cast<double>(terms.rounds));
  const double v = read.number("v", usual, {.low = kMinParameter, .high = kMaxParameter});
  if (auto done = read.finish(); !done) return done.failure();
  return std::unique_ptr<Pricer>(new QueuePrice(form.value(), v));
}

void QueuePrice::price(const Books& books, Prices& out) const {
  Costs plain = queues_;
  for (int i = 0; i < plain.size(); ++i) {
    const double reserved = form_.scale(i) * books.owed(i);
    plain[i] = form_.price(i, std::max(plain[i] + reserved, 0.0) / v_);
  }
  out = scaled_down(plain);
}

void QueuePrice::learn(const Books&, const Paid& paid) {
  for (int i = 0; i < queues_.size(); ++i) {
    queues_[i] = std::max(queues_[i] + form_.scale(i) * paid.queued[i], 0.0);
  }
}

void QueuePrice::save(ByteWriter& out) const { out.state("queue", queues_); }

Result<> QueuePrice::load(ByteReader& in) { return in.state("queue", queues_); }

}  // namespace rein
