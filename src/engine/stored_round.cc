#include <numeric>

#include "base/size.h"
#include "rein/record.h"

namespace rein {
namespace {

// Skips empty arrays: most rounds have only a context, and a call costs time.
template <class T>
void copy_into(std::vector<T>& to, std::span<const T> from) {
  if (from.empty()) {
    to.clear();
  } else {
    to.assign(from.begin(), from.end());
  }
}

}  // namespace

Round StoredRound::view() const {
  return {.actions = actions,
          .context = context,
          .features = features,
          .sparse = {.begin = sparse_begin, .index = sparse_index, .value = sparse_value},
          .ids = ids,
          .expected_costs = expected_costs,
          .baseline = baseline};
}

void StoredRound::copy(const Round& round) {
  actions = round.actions;
  copy_into(context, round.context);
  copy_into(features, round.features);
  copy_into(sparse_begin, round.sparse.begin);
  copy_into(sparse_index, round.sparse.index);
  copy_into(sparse_value, round.sparse.value);
  copy_into(ids, round.ids);
  copy_into(expected_costs, round.expected_costs);
  copy_into(baseline, round.baseline);
}

void StoredRound::copy(const Round& round, std::span<const std::int32_t> places) {
  actions = static_cast<int>(places.size());
  context.assign(round.context.begin(), round.context.end());
  features.clear();
  sparse_begin.clear();
  sparse_index.clear();
  sparse_value.clear();
  ids.clear();
  expected_costs.clear();
  baseline.clear();
  const std::size_t costs = round.expected_costs.size() / as_size(round.actions);
  const std::size_t width = round.features.size() / as_size(round.actions);
  if (!round.sparse.begin.empty()) sparse_begin.push_back(0);
  for (std::int32_t place : places) {
    ids.push_back(round.id(place));
    const auto row = round.features.subspan(as_size(place) * width, width);
    features.insert(features.end(), row.begin(), row.end());
    const auto expected = round.expected_costs.subspan(as_size(place) * costs, costs);
    expected_costs.insert(expected_costs.end(), expected.begin(), expected.end());
    if (!round.baseline.empty()) baseline.push_back(round.baseline[as_size(place)]);
    if (round.sparse.begin.empty()) continue;
    const auto begin = as_size(round.sparse.begin[place]);
    const auto size = as_size(round.sparse.begin[place + 1]) - begin;
    const auto index = round.sparse.index.subspan(begin, size);
    const auto value = round.sparse.value.subspan(begin, size);
    sparse_index.insert(sparse_index.end(), index.begin(), index.end());
    sparse_value.insert(sparse_value.end(), value.begin(), value.end());
    sparse_begin.push_back(static_cast<std::int32_t>(sparse_index.size()));
  }
  const double left = std::accumulate(baseline.begin(), baseline.end(), 0.0);
  for (double& p : baseline) p = left > 0.0 ? p / left : 0.0;
}

}  // namespace rein
