#include "estimate/feature_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "base/size.h"
#include "base/within.h"

namespace rein {
namespace {

// Copies the features of one action, dense or sparse.
void copy_features(const Round& round, int action, int features, double* out) {
  if (!round.features.empty()) {
    const double* row = round.features.data() + as_size(action) * features;
    std::copy(row, row + features, out);
    return;
  }
  std::fill(out, out + features, 0.0);
  for (int j = round.sparse.begin[action]; j < round.sparse.begin[action + 1]; ++j) {
    out[round.sparse.index[j]] = round.sparse.value[j];
  }
}

// One feature of one action. The columns of a sparse row ascend.
double feature_at(const Round& round, int action, int features, int j) {
  if (!round.features.empty()) {
    return round.features[as_size(action) * as_size(features) + as_size(j)];
  }
  const auto begin = round.sparse.index.begin() + round.sparse.begin[action];
  const auto end = round.sparse.index.begin() + round.sparse.begin[action + 1];
  const auto found = std::lower_bound(begin, end, j);
  if (found == end || *found != j) return 0.0;
  return round.sparse.value[as_size(found - round.sparse.index.begin())];
}

}  // namespace

FeatureMap::FeatureMap(SpecReader& read, const Shape& shape, const char* with_both, Both both)
    : actions_(shape.actions), context_(shape.context), features_(shape.features) {
  const char* usual = features_ == 0 ? "per_action" : context_ == 0 ? "joint" : with_both;
  const std::string kind = read.word("features", usual, {"both", "joint", "per_action", "product"});
  both_ = kind == "both";
  if (both_ && both == Both::kRefused) {
    read.refuse("features=both is for vaw and ridge; accepted: joint, per_action or product");
  }
  if (both_ || kind == "per_action") kind_ = Kind::kPerAction;
  if (kind == "product") kind_ = Kind::kProduct;
  bias_ = read.flag("bias", kind_ != Kind::kJoint);
  norm_ = read.number("norm", 1.0, {.low = 1e-12, .high = 1e50});

  if (kind_ != Kind::kPerAction && features_ == 0) {
    read.refuse(
        fmt::format("features={} needs action features, and the shape has none; accepted: "
                    "features=per_action",
                    kind));
  }
  if (kind_ == Kind::kProduct && context_ == 0) {
    read.refuse(
        "features=product needs a context, and the shape has none; accepted: features=joint or "
        "features=per_action");
  }
  const std::int64_t products =
      kind_ == Kind::kProduct ? static_cast<std::int64_t>(context_) * features_ : 0;
  const std::int64_t size = context_ + features_ + products + (bias_ ? 1 : 0);
  if (size > kMaxFeatures) {
    read.refuse(
        fmt::format("{} features after combining; at most {} are accepted", size, kMaxFeatures));
  }
  if (size == 0) {
    read.refuse("no context, no features and no bias: nothing to learn from; accepted: bias=1");
  }
  size_ = static_cast<int>(std::min<std::int64_t>(size, kMaxFeatures));
  plain_ = kind_ == Kind::kJoint && context_ == 0 && !bias_;
}

double FeatureMap::norm_squared() const {
  const double n2 = norm_ * norm_;
  // |x|^2 + |a|^2 <= n^2 gives |x|^2 |a|^2 <= n^4 / 4.
  const double products = kind_ == Kind::kProduct ? n2 * n2 / 4.0 : 0.0;
  return n2 + products + (bias_ ? 1.0 : 0.0);
}

bool FeatureMap::within(const Round& round, double limit) const {
  const double most = kind_ == Kind::kProduct ? std::sqrt(limit) : limit;
  return all_within(round.context, most) && all_within(round.features, most) &&
         all_within(round.sparse.value, most);
}

double FeatureMap::at(const Round& round, int action, int j) const {
  if (j < context_) return round.context[j];
  if (j == size_ - 1 && bias_) return 1.0;
  if (j >= products()) {
    const int product = j - products();
    return round.context[product / features_] *
           feature_at(round, action, features_, product % features_);
  }
  return feature_at(round, action, features_, j - context_);
}

void FeatureMap::pack(const Round& round, int first, int count, double* block) const {
  double* out = block;
  const auto fill_lanes = [&](double value) { out = std::fill_n(out, kLanes, value); };
  for (double x : round.context) fill_lanes(x);
  const double* features = out;
  const std::size_t size = as_size(features_) * kLanes;
  if (!round.features.empty()) {
    const auto stride = as_size(features_);
    kernels().pack(round.features.data() + as_size(first) * stride, stride, count, features_, out);
  } else if (features_ > 0) {
    std::fill_n(out, size, 0.0);
    for (int lane = 0; lane < count; ++lane) {
      const int a = first + lane;
      for (int j = round.sparse.begin[a]; j < round.sparse.begin[a + 1]; ++j) {
        out[kLanes * as_size(round.sparse.index[j]) + lane] = round.sparse.value[j];
      }
    }
  }
  out += size;
  if (kind_ == Kind::kProduct) {
    for (double x : round.context) {
      for (std::size_t j = 0; j < size; ++j) out[j] = x * features[j];
      out += size;
    }
  }
  if (bias_) fill_lanes(1.0);
}

void FeatureMap::row(const Round& round, int action, std::span<double> phi) const {
  double* out = std::copy(round.context.begin(), round.context.end(), phi.data());
  const double* features = out;
  if (features_ > 0) copy_features(round, action, features_, out);
  out += features_;
  if (kind_ == Kind::kProduct) {
    kernels().products(round.context.data(), context_, features, features_, out);
    out += as_size(context_) * as_size(features_);
  }
  if (bias_) *out = 1.0;
}

}  // namespace rein
