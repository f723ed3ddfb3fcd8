#include "price/quadratic.h"

#include <algorithm>
#include <cmath>

#include "base/spec_reader.h"
#include "price/scaled.h"
#include "rein/bytes.h"

namespace rein {
namespace {

double theorem_v(const Terms& terms) {
  double v = terms.root();
  if (terms.setting == Setting::kLinearConstraints) {
    double squares = 0.0;
    for (double b : terms.budgets) squares += b * b;
    v += std::sqrt(squares);
  }
  return terms.v_scale * v;
}

}  // namespace

Result<std::unique_ptr<Pricer>> QuadraticPrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  const std::string word = read.word("queue", "positive", {"positive", "reflect", "literal"});
  const double v =
      read.number("v", theorem_v(terms), {.low = kMinParameter, .high = kMaxParameter});
  const bool grows = terms.anytime && !read.has("v");
  if (terms.rounds == 0 && !read.has("v") && !grows) {
    read.refuse(
        "quadratic needs the number of rounds, or V; accepted: rounds=N, or quadratic(v=V)");
  }
  if (auto done = read.finish(); !done) return done.failure();
  const Queue queue = word == "reflect"   ? Queue::kReflect
                      : word == "literal" ? Queue::kLiteral
                                          : Queue::kPositive;
  std::unique_ptr<QuadraticPrice> made(new QuadraticPrice(terms.costs, v, queue));
  if (grows) made->grows_ = terms;
  return made;
}

double QuadraticPrice::v() const {
  if (!grows_) return v_;
  const double t = static_cast<double>(rounds_ + 1);
  return grows_->v_scale * std::sqrt(grows_->actions * t * grows_->u_at(rounds_ + 1));
}

void QuadraticPrice::price(const Books& books, Prices& out) const {
  Costs plain = queues_;
  const double v = this->v();
  for (int i = 0; i < plain.size(); ++i) {
    const double q = queues_[i] + books.owed(i);
    plain[i] = 2.0 * (queue_ == Queue::kLiteral ? q : std::max(q, 0.0)) / v;
  }
  out = scaled_down(plain);
}

void QuadraticPrice::learn(const Books&, const Paid& paid) {
  if (paid.first) ++rounds_;
  for (int i = 0; i < queues_.size(); ++i) {
    queues_[i] += paid.queued[i];
    if (queue_ == Queue::kReflect) queues_[i] = std::max(queues_[i], 0.0);
  }
}

void QuadraticPrice::save(ByteWriter& out) const {
  out.state("quadratic", queues_);
  if (grows_) out.i64(rounds_);
}

Result<> QuadraticPrice::load(ByteReader& in) {
  if (auto read = in.state("quadratic", queues_); !read) return read;
  if (grows_) rounds_ = in.count();
  return in.status();
}

}  // namespace rein
