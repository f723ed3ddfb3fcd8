#include "log/row_buffer.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace rein {

void FeatureList::grow() {
  const std::size_t size = index_.empty() ? 64 : 2 * index_.size();
  index_.resize(size);
  value_.resize(size);
}

bool FeatureList::sort() {
  const std::size_t count = count_ - begin_;
  std::vector<std::pair<std::int32_t, double>> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = {index_[begin_ + i], value_[begin_ + i]};
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  begin_list(begin_);
  count_ = begin_;
  for (const auto& [index, value] : all) {
    if (index == last_) {
      value_[count_ - 1] += value;
    } else {
      add(index, value);
    }
  }
  return count_ < begin_ + count;
}

std::string wrong_propensity(double p, double least) {
  if (p > 0.0 && p <= 1.0 && p >= least) return {};
  if (p > 0.0 && p <= 1.0) {
    return fmt::format("found probability {}; accepted: at least {}, as asked", p, least);
  }
  return fmt::format("found probability {}; accepted: above 0 and at most 1", p);
}

std::string wrong_probabilities(std::span<const double> p) {
  constexpr double kSlack = 1e-4;  // programs print six digits
  double sum = 0.0;
  for (const double each : p) {
    if (!(each >= 0.0 && each <= 1.0)) {
      return fmt::format("found {} among the probabilities; accepted: 0 to 1", each);
    }
    sum += each;
  }
  if (std::abs(sum - 1.0) <= kSlack) return {};
  return fmt::format("found probabilities that add up to {}; accepted: 1, within {}", sum, kSlack);
}

}  // namespace rein
