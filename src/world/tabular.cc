#include "world/tabular.h"

#include <algorithm>

namespace rein {
namespace {

Shape with_truth(Shape shape, const std::shared_ptr<const TableMeans>& truth) {
  shape.truth = truth;
  return shape;
}

}  // namespace

std::shared_ptr<const TableMeans> equal_costs(const std::vector<double>& table, int contexts,
                                              int actions, int costs) {
  std::vector<double> values;
  for (std::size_t i = 0; i < table.size(); i += 2) {
    values.push_back(table[i]);
    values.insert(values.end(), static_cast<std::size_t>(costs), table[i + 1]);
  }
  return std::make_shared<TableMeans>(values, contexts, actions, 1 + costs);
}

TabularWorld::TabularWorld(Shape shape, const std::shared_ptr<const TableMeans>& truth,
                           const Noise& noise, std::int64_t rounds)
    : KnownMeans(with_truth(std::move(shape), truth), noise, rounds),
      one_hot_(static_cast<std::size_t>(KnownMeans::shape().context)) {}

void TabularWorld::arrange(std::int64_t t) {
  std::fill(one_hot_.begin(), one_hot_.end(), 0.0);
  if (!one_hot_.empty()) one_hot_[static_cast<std::size_t>(context_of(t))] = 1.0;
  round_ = {.actions = shape().actions, .context = one_hot_};
}

}  // namespace rein
