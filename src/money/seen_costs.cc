#include "money/seen_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rein/bytes.h"

namespace rein {

SeenCosts::SeenCosts(int actions, int costs) : costs_(static_cast<std::size_t>(costs)) {
  cells_.resize(static_cast<std::size_t>(std::min(actions, kMostActions)) * costs_);
  bounds_.assign(cells_.size(), std::numeric_limits<double>::quiet_NaN());
}

void SeenCosts::add(std::int32_t id, int cost, double paid) {
  const std::size_t place = at(id, cost);
  if (place >= cells_.size()) return;
  Cell& cell = cells_[place];
  cell.last[static_cast<std::size_t>(cell.count % kKept)] = paid;
  cell.count += 1;
  update(place);
}

void SeenCosts::grow() {
  if (empty() || cells_.size() >= static_cast<std::size_t>(kMostActions) * costs_) return;
  cells_.resize(cells_.size() + costs_);
  bounds_.resize(cells_.size(), std::numeric_limits<double>::quiet_NaN());
}

void SeenCosts::forget(std::int32_t id) {
  for (std::size_t place = at(id, 0); place < std::min(at(id + 1, 0), cells_.size()); ++place) {
    cells_[place] = {};
    bounds_[place] = std::numeric_limits<double>::quiet_NaN();
  }
}

void SeenCosts::update(std::size_t place) {
  const Cell& cell = cells_[place];
  const auto n = static_cast<std::size_t>(std::min<std::int64_t>(cell.count, kKept));
  if (n == 0) return;
  double largest = -std::numeric_limits<double>::infinity(), second = largest;
  for (std::size_t j = 0; j < n; ++j) {
    second = std::max(second, std::min(largest, cell.last[j]));
    largest = std::max(largest, cell.last[j]);
  }
  bounds_[place] = n < kEnough ? largest : second;
}

double SeenCosts::bound(std::int32_t id, int cost) const {
  const std::size_t place = at(id, cost);
  return place < bounds_.size() ? bounds_[place] : std::numeric_limits<double>::quiet_NaN();
}

void SeenCosts::save(ByteWriter& out) const {
  out.tag("seen costs");
  for (const Cell& cell : cells_) {
    out.i64(cell.count);
    const auto n = static_cast<std::size_t>(std::min<std::int64_t>(cell.count, kKept));
    out.f64s(std::span(cell.last).first(n));
  }
}

Result<> SeenCosts::load(ByteReader& in) {
  in.tag("seen costs");
  for (std::size_t place = 0; place < cells_.size() && in.ok(); ++place) {
    Cell& cell = cells_[place];
    cell = {.count = in.count()};
    const auto n = static_cast<std::size_t>(std::min<std::int64_t>(cell.count, kKept));
    in.f64s(std::span(cell.last).first(n));
    for (double paid : std::span(cell.last).first(n)) {
      if (!std::isfinite(paid)) in.fail("saved state: a cost that cannot be");
    }
    update(place);
  }
  return in.status();
}

}  // namespace rein
