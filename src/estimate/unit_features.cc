#include "estimate/unit_features.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/size.h"

namespace rein {
namespace {

constexpr double kUsual = 4.0;   // scales up to so many times 1, above or below, are taken as 1
constexpr double kAlike = 16.0;  // and these as that of all numbers together

bool within(double x, double times) { return x >= 1.0 / times && x <= times; }

// 1 over a scale other than 0, as a power of two.
double factor_of(double scale) {
  if (within(scale, kUsual)) return 1.0;
  int exponent = 0;
  std::frexp(scale, &exponent);  // scale is in [1/2, 1) times 2^exponent
  return std::ldexp(1.0, -exponent);
}

// The root mean square of the numbers other than 0; 0 if there are none.
double scale_of(std::span<const double> numbers) {
  double largest = 0.0;
  for (double x : numbers) largest = std::max(largest, std::abs(x));
  if (largest == 0.0) return 0.0;
  double squares = 0.0, count = 0.0;  // relative to the largest: nothing overflows
  for (double x : numbers) {
    if (x == 0.0) continue;
    squares += (x / largest) * (x / largest);
    count += 1.0;
  }
  return largest * std::sqrt(squares / count);
}

// The factor of one number that was found, where `all` is the scale of all together.
double factor_in(double number, double all) {
  return factor_of(within(number / all, kAlike) ? all : number);
}

// The number in its scale, which is what learning it would set where no factor is known yet.
double times(double x, double factor, double all) {
  if (x == 0.0) return 0.0;
  return x * (factor != 0.0 ? factor : factor_in(std::abs(x), all));
}

}  // namespace

UnitFeatures::UnitFeatures(std::unique_ptr<Oracle> of, const Shape& shape)
    : of_(std::move(of)),
      room_(as_size(shape.context) + as_size(shape.actions) * as_size(shape.features)),
      context_(as_size(shape.context)),
      features_(as_size(shape.features)),
      work_(room_) {}

std::size_t UnitFeatures::scratch() const { return room_ + of_->scratch(); }

void UnitFeatures::find(const Round& round) {
  if (of_context_ == 0.0) of_context_ = scale_of(round.context);
  if (of_features_ == 0.0) {
    of_features_ = scale_of(round.features.empty() ? round.sparse.value : round.features);
  }
  for (std::size_t j = 0; j < context_.size(); ++j) {
    if (context_[j] != 0.0 || round.context[j] == 0.0) continue;
    context_[j] = factor_in(std::abs(round.context[j]), of_context_);
    usual_ = usual_ && context_[j] == 1.0;
  }
  // An unknown factor holds minus the largest number that was found, until the end.
  const auto see = [this](std::size_t j, double x) {
    if (features_[j] <= 0.0) features_[j] = std::min(features_[j], -std::abs(x));
  };
  for (std::size_t j = 0; j < round.features.size(); ++j)
    see(j % features_.size(), round.features[j]);
  for (std::size_t j = 0; j < round.sparse.value.size(); ++j) {
    see(as_size(round.sparse.index[j]), round.sparse.value[j]);
  }
  for (double& factor : features_) {
    if (factor >= 0.0) continue;
    factor = factor_in(-factor, of_features_);
    usual_ = usual_ && factor == 1.0;
  }
}

Round UnitFeatures::scaled(const Round& round, std::span<double> room) const {
  Round out = round;
  const bool known =
      (of_context_ != 0.0 || context_.empty()) && (of_features_ != 0.0 || features_.empty());
  if (known && usual_) return out;
  const double all = of_context_ != 0.0 ? of_context_ : scale_of(round.context);
  const std::span<double> context = room.first(context_.size());
  for (std::size_t j = 0; j < context.size(); ++j)
    context[j] = times(round.context[j], context_[j], all);
  out.context = context;
  const std::span<double> rest = room.subspan(context.size());
  const double of_rows =
      of_features_ != 0.0 ? of_features_
                          : scale_of(round.features.empty() ? round.sparse.value : round.features);
  const std::span<double> dense = rest.first(round.features.size());
  for (std::size_t j = 0; j < dense.size(); ++j) {
    dense[j] = times(round.features[j], features_[j % features_.size()], of_rows);
  }
  out.features = dense;
  const std::span<double> sparse = rest.first(round.sparse.value.size());
  if (!sparse.empty()) {
    for (std::size_t j = 0; j < sparse.size(); ++j) {
      sparse[j] = times(round.sparse.value[j], features_[as_size(round.sparse.index[j])], of_rows);
    }
    out.sparse.value = sparse;
  }
  return out;
}

void UnitFeatures::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const std::span<double> room = scratch.take(room_);
  of_->predict(scaled(round, room), scratch, estimates);
}

void UnitFeatures::learn(const Round& round, int action, std::span<const double> outcomes) {
  find(round);
  of_->learn(scaled(round, work_), action, outcomes);
}

void UnitFeatures::save(ByteWriter& out) const {
  out.state("unit features", of_context_, of_features_, context_, features_);
  of_->save(out);
}

Result<> UnitFeatures::load(ByteReader& in) {
  if (auto done = in.state("unit features", of_context_, of_features_, context_, features_); !done)
    return done;
  const auto is_usual = [](double factor) { return factor == 0.0 || factor == 1.0; };
  usual_ = std::ranges::all_of(context_, is_usual) && std::ranges::all_of(features_, is_usual);
  return of_->load(in);
}

}  // namespace rein
