// FeatureMap: turns a round's context and action features into the vector phi(x, a) of a linear
// oracle. The option features= chooses one of four ways:
//
//   joint       phi = (context, features of a); one set of parameters for all actions
//   product     phi = (context, features of a, every product of the two); one set of parameters
//   per_action  phi = (context, features of a); parameters of their own for every action id
//   both        the same, around parameters that all actions share; vaw and ridge only (centre.h)
//
// bias=1 appends a constant 1. The default is joint with action features only, per_action with a
// context only, and product with both. The default bias is 0 for joint and 1 otherwise.
#pragma once

#include <span>

#include "base/spec_reader.h"
#include "rein/round.h"
#include "rein/shape.h"

namespace rein {

class FeatureMap {
 public:
  enum class Kind { kJoint, kProduct, kPerAction };

  // Reads `features`, `bias` and `norm`, and refuses values that do not fit the shape. `with_both`
  // is the default for a shape with context and features. Only an oracle that says so takes
  // features=both.
  enum class Both { kRefused, kTaken };
  FeatureMap(SpecReader& read, const Shape& shape, const char* with_both = "product",
             Both both = Both::kRefused);

  int size() const { return size_; }  // d
  // Whether the sets of parameters have a centre in common.
  bool both() const { return both_; }
  int parameter_sets() const { return kind_ == Kind::kPerAction ? actions_ : 1; }
  // The set of parameters that an action uses.
  int set_of(const Round& round, int action) const {
    return kind_ == Kind::kPerAction ? round.id(action) : 0;
  }
  // L^2: the square of the largest possible |phi|, given that |(context, features)| <= norm.
  double norm_squared() const;

  // The layout of phi: context at 0, features from context() on, products from products() on, then
  // the bias. Products are ordered by context number: the first times every feature, then the
  // second, ...
  Kind kind() const { return kind_; }
  int context() const { return context_; }
  int features() const { return features_; }
  int products() const { return context_ + features_; }
  bool bias() const { return bias_; }

  // True only if no number of any phi(x, a) of the round exceeds `limit` in absolute value.
  // REQUIRES a limit of at least 1.
  bool within(const Round& round, double limit) const;
  // Number j of phi(x, a), for callers that need only a few.
  double at(const Round& round, int action, int j) const;
  // Writes phi(x, a).
  void row(const Round& round, int action, std::span<double> phi) const;
  // Writes phi of the actions first, ..., first + count - 1, at most kLanes of them, in
  // feature-major order: block[kLanes j + lane]. Unused lanes hold finite numbers.
  void pack(const Round& round, int first, int count, double* block) const;
  // phi(x, a) if it equals the action's row of round.features; otherwise null.
  const double* plain_row(const Round& round, int action) const {
    if (!plain_ || round.features.empty()) return nullptr;
    return round.features.data() +
           static_cast<std::size_t>(action) * static_cast<std::size_t>(features_);
  }

 private:
  Kind kind_ = Kind::kJoint;
  int actions_;
  int context_;
  int features_;
  int size_ = 0;
  double norm_ = 1.0;
  bool bias_ = false;
  bool plain_ = false;
  bool both_ = false;
};

}  // namespace rein
