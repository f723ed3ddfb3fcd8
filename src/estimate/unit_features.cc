#include "estimate/unit_features.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/kernels.h"
#include "base/size.h"
#include "base/tuned.h"
#include "estimate/one_action.h"
#include "rein/bytes.h"

namespace rein {
namespace {

bool within(double x, double times) { return x >= 1.0 / times && x <= times; }

// 1 over a scale other than 0, as a power of two.
double factor_of(double scale) {
  if (within(scale, tuned::kScaleUsual)) return 1.0;
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

// The factor of one number that was found, where `all` is the scale of all together. A number whose size is near
// that of all gets their scale: sizes differ by chance.
double factor_in(double number, double all) {
  return factor_of(within(number / all, tuned::kScaleUsual * tuned::kScaleUsual) ? all : number);
}

// The number in its scale, which is what learning it would set where no factor is known yet.
double times(double x, double factor, double all) {
  if (x == 0.0) return 0.0;
  return x * (factor != 0.0 ? factor : factor_in(std::abs(x), all));
}

// Rows of numbers; `known`: every factor is.
void multiply(std::span<const double> rows, std::span<const double> factors, double all, bool known,
              std::span<double> out) {
  const std::size_t n = factors.size();
  if (known && n > 0) {
    kernels().rescale(rows.data(), static_cast<int>(rows.size() / n), static_cast<int>(n),
                      factors.data(), out.data());
    return;
  }
  for (std::size_t row = 0; row < rows.size(); row += n) {
    for (std::size_t j = 0; j < n; ++j) {
      const double x = rows[row + j];
      out[row + j] = factors[j] != 0.0 ? x * factors[j] : times(x, 0.0, all);
    }
  }
}

// Of an even number of values: the mean of the two in the middle.
double median_of(std::span<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return 0.5 * (values[half - 1] + values[half]);
}

std::span<const double> rows_of(const Round& round) {
  return round.features.empty() ? round.sparse.value : round.features;
}

}  // namespace

UnitFeatures::UnitFeatures(std::unique_ptr<Oracle> of, const Shape& shape, Scales scales)
    : of_(std::move(of)),
      room_(as_size(shape.context) + as_size(shape.actions) * as_size(shape.features)),
      context_(as_size(shape.context)),
      features_(as_size(shape.features)),
      scales_(scales),
      centres_(context_.size()),
      first_(context_.size() * kFirstValues),
      unknown_(context_.size() + features_.size()),
      largest_(features_.size()),
      work_(room_) {}

std::size_t UnitFeatures::scratch() const { return room_ + of_->scratch(); }

void UnitFeatures::find(const Round& round) {
  if (unknown_ == 0) return;
  if (of_context_ == 0.0) of_context_ = scale_of(round.context);
  if (of_features_ == 0.0) of_features_ = scale_of(rows_of(round));
  for (std::size_t j = 0; j < context_.size(); ++j) {
    if (context_[j] == 0.0) set(context_[j], std::abs(round.context[j]), of_context_);
  }
  std::ranges::fill(largest_, 0.0);
  const std::size_t d = features_.size();
  for (std::size_t row = 0; row < round.features.size(); row += d) {
    for (std::size_t j = 0; j < d; ++j) {
      largest_[j] = std::max(largest_[j], std::abs(round.features[row + j]));
    }
  }
  for (std::size_t j = 0; j < round.sparse.value.size(); ++j) {
    double& largest = largest_[as_size(round.sparse.index[j])];
    largest = std::max(largest, std::abs(round.sparse.value[j]));
  }
  for (std::size_t j = 0; j < d; ++j) {
    if (features_[j] == 0.0) set(features_[j], largest_[j], of_features_);
  }
}

void UnitFeatures::set(double& factor, double number, double all) {
  if (number == 0.0) return;
  factor = factor_in(number, all);
  unknown_ -= 1;
  usual_ = usual_ && factor == 1.0;
}

void UnitFeatures::keep_first(std::span<const double> context) {
  if (scales_ == Scales::kFirst || is_settled()) return;
  const auto place = static_cast<std::size_t>(kept_);
  for (std::size_t j = 0; j < context_.size(); ++j) first_[j * kFirstValues + place] = context[j];
  kept_ += 1.0;
  if (!is_settled()) return;
  for (std::size_t j = 0; j < context_.size(); ++j) settle(j);
}

void UnitFeatures::settle(std::size_t number) {
  if (context_[number] == 0.0) return;  // it was always 0
  std::array<double, kFirstValues> values;
  std::copy_n(first_.begin() + static_cast<std::ptrdiff_t>(number * kFirstValues), kFirstValues,
              values.begin());
  const double middle = median_of(values);  // sorts them
  const double spread = 0.5 * (values[kFirstValues - 2] - values[1]);
  for (double& x : values) x = std::abs(x);
  const double size = median_of(values);
  const bool far = spread > 0.0 && std::abs(middle) > tuned::kScaleFar * spread;
  if (scales_ == Scales::kCentred && far) {
    centres_[number] = middle;
    context_[number] = factor_of(spread);
  } else if (size > 0.0 && factor_of(size) > tuned::kScaleFar * context_[number]) {
    context_[number] = factor_of(size);
  }
  usual_ = usual_ && context_[number] == 1.0 && centres_[number] == 0.0;
}

Round UnitFeatures::scaled(const Round& round, std::span<double> room) const {
  Round out = round;
  const bool known =
      (of_context_ != 0.0 || context_.empty()) && (of_features_ != 0.0 || features_.empty());
  const auto is_near = [](double x) { return std::abs(x) <= tuned::kScaleFar; };
  if (known && usual_ && (!is_settled() || std::ranges::all_of(round.context, is_near))) return out;
  double all = of_context_ != 0.0 ? of_context_ : scale_of(round.context);
  const std::span<double> context = room.first(context_.size());
  multiply(round.context, context_, all, unknown_ == 0, context);
  if (is_settled()) {
    for (std::size_t j = 0; j < context.size(); ++j) {
      const double x = (round.context[j] - centres_[j]) * context_[j];
      if (context_[j] == 0.0) continue;
      context[j] = std::clamp(x, -tuned::kScaleFar, tuned::kScaleFar);
    }
  }
  out.context = context;
  all = of_features_ != 0.0 ? of_features_ : scale_of(rows_of(round));
  const std::span<double> rest = room.subspan(context.size());
  const std::span<double> dense = rest.first(round.features.size());
  multiply(round.features, features_, all, unknown_ == 0, dense);
  out.features = dense;
  const std::span<double> sparse = rest.first(round.sparse.value.size());
  for (std::size_t j = 0; j < sparse.size(); ++j) {
    sparse[j] = times(round.sparse.value[j], features_[as_size(round.sparse.index[j])], all);
  }
  out.sparse.value = sparse;
  return out;
}

void UnitFeatures::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const std::span<double> room = scratch.take(room_);
  of_->predict(scaled(round, room), scratch, estimates);
}

// The numbers of the other actions say something about scales, and nothing about outcomes.
void UnitFeatures::learn(const Round& round, int action, std::span<const double> outcomes) {
  find(round);
  keep_first(round.context);
  const OneAction alone(round, action, static_cast<int>(features_.size()));
  of_->learn(scaled(alone.round(), work_), 0, outcomes);
}

// A factor is a power of two, so nothing is rounded. Where none is known yet, the weight is 0. What a
// centre takes from a number belongs to the constant.
bool UnitFeatures::weights(const Round& round, int action, int head, std::vector<Term>& out) const {
  std::vector<double> room(room_);
  if (!weights_of(*of_, scaled(round, room), action, head, out)) return false;
  double shift = 0.0;
  for (Term& term : out) {
    double factor = 1.0;
    if (term.context >= 0) factor *= context_[as_size(term.context)];
    if (term.feature >= 0) factor *= features_[as_size(term.feature)];
    if (factor == 0.0) continue;
    term.value /= factor;
    term.weight *= factor;
    if (term.context < 0 || centres_[as_size(term.context)] == 0.0) continue;
    term.value += centres_[as_size(term.context)];
    shift -= term.weight * centres_[as_size(term.context)];
  }
  if (shift == 0.0) return true;
  const auto constant = std::ranges::find_if(out, [](const Term& term) {
    return term.context < 0 && term.feature < 0;
  });
  if (constant != out.end()) constant->weight += shift;
  return true;
}

void UnitFeatures::save(ByteWriter& out) const {
  out.state("unit features", of_context_, of_features_, context_, features_);
  if (scales_ != Scales::kFirst) out.parts(centres_, first_, kept_);
  of_->save(out);
}

Result<> UnitFeatures::load(ByteReader& in) {
  if (auto done = in.state("unit features", of_context_, of_features_, context_, features_); !done)
    return done;
  if (scales_ != Scales::kFirst) in.parts(centres_, first_, kept_);
  const auto is_usual = [](double factor) { return factor == 0.0 || factor == 1.0; };
  usual_ = std::ranges::all_of(context_, is_usual) && std::ranges::all_of(features_, is_usual) &&
           std::ranges::all_of(centres_, [](double centre) { return centre == 0.0; });
  unknown_ =
      as_size(std::ranges::count(context_, 0.0)) + as_size(std::ranges::count(features_, 0.0));
  return of_->load(in);
}

}  // namespace rein
