#include "world/means.h"

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "base/kernels.h"
#include "base/size.h"

namespace rein {
namespace {

// Clamped, because a dot product of unit vectors may round to just outside of [-1, 1].
void linear_means(const double* theta, const double* x, int d, const std::vector<Range>& ranges,
                  std::span<double> out) {
  for (std::size_t h = 0; h < ranges.size(); ++h) {
    const double mean = kernels().dot(theta + h * as_size(d), x, d);
    out[h] = std::clamp(mean, ranges[h].low, ranges[h].high);
  }
}

int hot(std::span<const double> context) {
  for (std::size_t i = 0; i < context.size(); ++i) {
    if (context[i] != 0.0) return static_cast<int>(i);
  }
  return 0;
}

}  // namespace

LinearMeans::LinearMeans(std::vector<double> theta, std::vector<Range> ranges)
    : theta_(std::move(theta)),
      ranges_(std::move(ranges)),
      d_(static_cast<int>(theta_.size() / ranges_.size())) {}

void LinearMeans::evaluate(int, const Round& round, int action, std::span<double> out) const {
  const double* phi = round.features.data() + as_size(action) * as_size(d_);
  linear_means(theta_.data(), phi, d_, ranges_, out);
}

PerActionMeans::PerActionMeans(std::vector<double> theta, std::vector<Range> ranges, int d)
    : theta_(std::move(theta)), ranges_(std::move(ranges)), d_(d) {}

void PerActionMeans::evaluate(int, const Round& round, int action, std::span<double> out) const {
  const std::size_t set = as_size(round.id(action)) * ranges_.size() * as_size(d_);
  linear_means(theta_.data() + set, round.context.data(), d_, ranges_, out);
}

TableMeans::TableMeans(std::vector<double> values, int contexts, int actions, int heads)
    : values_(std::move(values)), contexts_(contexts), actions_(actions), heads_(heads) {
  const std::size_t table = as_size(contexts) * as_size(actions) * as_size(heads);
  check(table > 0 && values_.size() % table == 0, "a list of tables is made of whole tables");
  functions_ = static_cast<int>(values_.size() / table);
}

void TableMeans::evaluate(int function, const Round& round, int action,
                          std::span<double> out) const {
  const std::size_t context = as_size(function) * as_size(contexts_) + as_size(hot(round.context));
  const std::size_t row = context * as_size(actions_) + as_size(round.id(action));
  std::copy_n(values_.data() + row * as_size(heads_), heads_, out.data());
}

std::shared_ptr<const TableMeans> TableMeans::only(int function) const {
  const std::size_t table = values_.size() / as_size(functions_);
  const double* first = values_.data() + table * as_size(function);
  return std::make_shared<TableMeans>(std::vector<double>(first, first + table), contexts_,
                                      actions_, heads_);
}

}  // namespace rein
