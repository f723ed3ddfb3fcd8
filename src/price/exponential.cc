#include "price/exponential.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/math.h"
#include "base/spec_reader.h"
#include "rein/bytes.h"

namespace rein {

double exponential_cap(const Terms& terms) {
  const double m = terms.costs;
  const double c = (m + 1.0) * (1.0 + terms.error_ratio());
  return 3.0 * (m + 2.0 * static_cast<double>(terms.rounds) + c * terms.root());
}

double exponential_lambda(const Terms& terms, int cost) {
  const double budget = terms.budgets.empty() ? 0.0 : std::max(terms.budgets[cost], 0.0);
  const double c = (terms.costs + 1.0) * (1.0 + terms.error_ratio());
  return terms.lambda_scale / (2.0 * c * terms.root() + 2.0 * budget);
}

Result<std::unique_ptr<Pricer>> ExponentialPrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  const std::vector<double> given =
      read.numbers("lambda", {.low = kMinParameter, .high = kMaxParameter});
  const double cap =
      read.number("cap", exponential_cap(terms), {.low = 1.0, .high = kMaxParameter});
  if (given.size() > 1 && static_cast<int>(given.size()) != terms.costs) {
    read.refuse(fmt::format("key \"lambda\" has {} numbers; accepted: one, or one per cost ({})",
                            given.size(), terms.costs));
  }
  if (terms.rounds == 0 && (given.empty() || !read.has("cap"))) {
    read.refuse(
        "exponential needs the number of rounds, or lambda and cap; accepted: rounds=N, or "
        "exponential(cap=C,lambda=L)");
  }
  if (auto done = read.finish(); !done) return done.failure();
  Costs lambdas(terms.costs);
  for (int i = 0; i < terms.costs; ++i) {
    lambdas[i] = given.empty() ? exponential_lambda(terms, i) : given[given.size() > 1 ? i : 0];
  }
  return std::unique_ptr<Pricer>(new ExponentialPrice(lambdas, cap));
}

ExponentialPrice::ExponentialPrice(const Costs& lambdas, double cap)
    : lambdas_(lambdas), log_lambdas_(lambdas), log_cap_(log(cap)), queues_(lambdas.size()) {
  for (double& x : log_lambdas_) x = log(x);
}

void ExponentialPrice::price(const Books& books, Prices& out) const {
  out.scaled = log_lambdas_;
  out.log_scale = 0.0;
  for (int i = 0; i < queues_.size(); ++i) {
    out.scaled[i] += std::min(lambdas_[i] * (queues_[i] + books.held(i)), log_cap_);
    out.log_scale = std::max(out.log_scale, out.scaled[i]);
  }
  for (double& price : out.scaled) price = exp(price - out.log_scale);
}

void ExponentialPrice::learn(const Books&, const Paid& paid) {
  for (int i = 0; i < queues_.size(); ++i) queues_[i] += paid.queued[i];
}

void ExponentialPrice::save(ByteWriter& out) const { out.state("exponential", queues_); }

Result<> ExponentialPrice::load(ByteReader& in) { return in.state("exponential", queues_); }

}  // namespace rein
