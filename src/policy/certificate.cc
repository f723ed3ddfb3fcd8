#include "policy/certificate.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "estimate/free_regret.h"
#include "estimate/one_action.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kDelta = 0.05;  // with which it may fail
constexpr double kWidest = 2.0;  // the widest range, in units, and
constexpr double kMost = 4.0;    // its square

double square(double x) { return x * x; }

}  // namespace

Certificate::Certificate(const Shape& shape, const Oracle& oracle, std::vector<double> units)
    : plain_(rein::plain(oracle)),
      optimistic_(oracle.abilities().optimistic()),
      knows_regret_(!std::isnan(plain_.regret())),
      features_(shape.features),
      units_(std::move(units)),
      apart_(units_.size()),
      next_(units_.size()) {
  scratch_.reset(plain_.scratch());
  one_.prepare(static_cast<int>(units_.size()), 1);
}

void Certificate::look(const Round& round, const Decision& decision, const Played& with,
                       bool fresh) {
  if (!knows_regret_) return;
  const Estimates& played = decision.estimates;
  const std::size_t heads = units_.size();
  if (played.actions() != round.actions || as_size(played.heads()) != heads ||
      as_size(decision.predicted.size()) + 1 != heads) {
    std::ranges::fill(next_, kMost);
    next_[0] = square(kWidest + with.bonus + with.lift);
    return;
  }
  if (fresh) {
    const double width = played.width()[decision.action];
    const double bonus = optimistic_ == nullptr ? with.bonus : optimistic_->bonus(width);
    next_[0] = optimistic_ == nullptr ? square(bonus + with.lift)
                                      : std::min(square(bonus + with.lift), kMost);
  } else {
    const OneAction alone(round, decision.action, features_);
    scratch_.reset(plain_.scratch());
    plain_.predict(alone.round(), scratch_, one_);
    const double apart = (played.mean(0)[decision.action] - one_.mean(0)[0]) / units_[0];
    next_[0] = square(std::abs(apart) + with.bonus + with.lift);
  }
  for (std::size_t h = 1; h < heads; ++h) {
    const int head = static_cast<int>(h);
    const double said = fresh ? decision.predicted[head - 1] : one_.mean(head)[0] / units_[h];
    const double relief = with.relief.empty() ? 0.0 : with.relief[head - 1];
    const double apart = with.costs[head - 1] - said;
    next_[h] = square(fresh ? apart - relief : std::abs(apart) + relief);
  }
}

void Certificate::leave_out(std::uint32_t heads) {
  for (std::size_t h = 0; h < next_.size(); ++h) {
    if ((heads >> h & 1U) != 0) next_[h] = 0.0;
  }
}

void Certificate::learn() {
  for (std::size_t h = 0; h < apart_.size(); ++h) apart_[h] += next_[h];
}

double Certificate::plain(std::int64_t rounds) const {
  const double regret = plain_.regret();
  if (std::isnan(regret)) return plain_.bound(rounds);  // also once something was forgotten
  return 2.0 * regret + 8.0 * log(static_cast<double>(units_.size()) / kDelta);
}

double Certificate::free(std::int64_t rounds) const {
  if (std::isnan(plain_.regret())) return plain(rounds);
  const double regret = free_regret(plain_);
  return 2.0 * regret + 8.0 * log(static_cast<double>(units_.size()) / kDelta);
}

double Certificate::played(double x) const {
  const double most = *std::ranges::max_element(apart_);
  return square(std::sqrt(x) + std::sqrt(most));
}

void Certificate::save(ByteWriter& out) const {
  out.tag("certificate");
  out.f64s(apart_);
}

void Certificate::load(ByteReader& in) {
  in.tag("certificate");
  in.f64s(apart_);
  for (double sum : apart_) {
    if (!(sum >= 0.0)) in.fail("certificate: a sum of squares below 0");
  }
}

}  // namespace rein
