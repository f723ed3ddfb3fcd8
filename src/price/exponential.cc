#include "price/exponential.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/math.h"
#include "base/size.h"
#include "base/spec_reader.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr int kBlocks = 54;  // of rounds without a horizon: more than 2^53 are never counted

}  // namespace

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
  const Terms first = terms.anytime ? terms.of_block(0) : terms;
  const double cap =
      read.number("cap", exponential_cap(first), {.low = 1.0, .high = kMaxParameter});
  if (given.size() > 1 && static_cast<int>(given.size()) != terms.costs) {
    read.refuse(fmt::format("key \"lambda\" has {} numbers; accepted: one, or one per cost ({})",
                            given.size(), terms.costs));
  }
  if (!terms.anytime && terms.rounds == 0 && (given.empty() || !read.has("cap"))) {
    read.refuse(
        "exponential needs the number of rounds, or lambda and cap; accepted: rounds=N, or "
        "exponential(cap=C,lambda=L)");
  }
  if (auto done = read.finish(); !done) return done.failure();
  std::unique_ptr<ExponentialPrice> made(new ExponentialPrice(terms.costs));
  made->restarts_ = terms.anytime && given.empty() && !read.has("cap");
  const int blocks = made->restarts_ ? kBlocks : 1;
  for (int j = 0; j < blocks; ++j) {
    const Terms of = terms.anytime ? terms.of_block(j) : terms;
    Curve curve{.lambdas = Costs(terms.costs)};
    for (int i = 0; i < terms.costs; ++i) {
      curve.lambdas[i] = given.empty() ? exponential_lambda(of, i) : given[given.size() > 1 ? i : 0];
    }
    curve.logs = curve.lambdas;
    for (double& x : curve.logs) x = log(x);
    curve.log_cap = log(made->restarts_ ? exponential_cap(of) : cap);
    made->curves_.push_back(curve);
  }
  return made;
}

const ExponentialPrice::Curve& ExponentialPrice::curve() const {
  return curves_[restarts_ ? as_size(Terms::blocks(rounds_ + 1)) - 1 : 0];
}

void ExponentialPrice::price(const Books& books, Prices& out) const {
  const Curve& now = curve();
  out.scaled = now.logs;
  out.log_scale = 0.0;
  for (int i = 0; i < queues_.size(); ++i) {
    out.scaled[i] += std::min(now.lambdas[i] * (queues_[i] + books.owed(i)), now.log_cap);
    out.log_scale = std::max(out.log_scale, out.scaled[i]);
  }
  for (double& price : out.scaled) price = exp(price - out.log_scale);
}

void ExponentialPrice::learn(const Books&, const Paid& paid) {
  for (int i = 0; i < queues_.size(); ++i) queues_[i] += paid.queued[i];
  if (!paid.first) return;
  ++rounds_;
  if (restarts_ && Terms::blocks(rounds_ + 1) > Terms::blocks(rounds_)) {
    queues_ = Costs(queues_.size());
  }
}

void ExponentialPrice::save(ByteWriter& out) const {
  out.state("exponential", queues_);
  if (restarts_) out.i64(rounds_);
}

Result<> ExponentialPrice::load(ByteReader& in) {
  if (auto read = in.state("exponential", queues_); !read) return read;
  if (restarts_) rounds_ = in.count();
  return in.status();
}

}  // namespace rein
