#include "engine/history.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"

namespace rein {
namespace {

// A list of costs that is not there is written as NaN.
void put(std::vector<double>& rows, const Costs& costs, int count) {
  for (int i = 0; i < count; ++i) rows.push_back(i < costs.size() ? costs[i] : kNan);
}

Costs take(std::span<const double>& row, int count) {
  const std::span<const double> found = row.first(as_size(count));
  row = row.subspan(as_size(count));
  const bool none = std::ranges::all_of(found, [](double cost) { return std::isnan(cost); });
  return none ? Costs() : Costs(found);
}

}  // namespace

History::History(int actions, int costs)
    : actions_(actions), costs_(costs), plays_(actions <= kHistoryActions ? as_size(actions) : 0) {
  rows_.reserve(width() * kHistoryPoints);
}

bool History::count(std::int32_t action, const Costs& prices) {
  decided_ += 1;
  prices_ = prices;
  if (!plays_.empty()) plays_[as_size(action)] += 1.0;
  return decided_ % every_ == 0;
}

HistoryPoint History::complete(HistoryPoint point) const {
  point.decided = decided_;
  point.prices = prices_;
  for (double plays : plays_) point.plays.push_back(static_cast<std::int64_t>(plays));
  return point;
}

void History::add(HistoryPoint point) {
  rows_.push_back(static_cast<double>(decided_));
  rows_.push_back(static_cast<double>(point.learned));
  rows_.push_back(static_cast<double>(point.now));
  rows_.push_back(static_cast<double>(point.rewarded));
  rows_.push_back(point.reward);
  put(rows_, point.spent, costs_);
  put(rows_, point.allowed, costs_);
  put(rows_, prices_, costs_);
  rows_.insert(rows_.end(), plays_.begin(), plays_.end());
  if (rows_.size() == width() * kHistoryPoints) thin();
}

// Keeps the points whose number of decisions the doubled distance divides: every second one.
void History::thin() {
  every_ *= 2;
  std::size_t kept = 0;
  for (std::size_t n = 1; n < kHistoryPoints; n += 2, ++kept) {
    std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(n * width()), width(),
                rows_.begin() + static_cast<std::ptrdiff_t>(kept * width()));
  }
  rows_.resize(kept * width());
}

HistoryPoint History::read(std::span<const double> row) const {
  HistoryPoint point{.decided = static_cast<std::int64_t>(row[0]),
                     .learned = static_cast<std::int64_t>(row[1]),
                     .rewarded = static_cast<std::int64_t>(row[3]),
                     .now = static_cast<std::int64_t>(row[2]),
                     .reward = row[4]};
  row = row.subspan(5);
  point.spent = take(row, costs_);
  point.allowed = take(row, costs_);
  point.prices = take(row, costs_);
  for (double plays : row) point.plays.push_back(static_cast<std::int64_t>(plays));
  return point;
}

std::vector<HistoryPoint> History::points() const {
  std::vector<HistoryPoint> found;
  for (std::size_t at = 0; at < rows_.size(); at += width()) {
    found.push_back(read(std::span(rows_).subspan(at, width())));
  }
  return found;
}

void History::grow() {
  const std::size_t before = width(), count = rows_.size() / before;
  actions_ += 1;
  if (plays_.empty()) return;
  const std::vector<double> old = rows_;
  const bool keep = actions_ <= kHistoryActions;
  plays_.resize(keep ? as_size(actions_) : 0);
  rows_.clear();
  rows_.reserve(width() * kHistoryPoints);
  for (std::size_t n = 0; n < count; ++n) {
    const auto row = old.begin() + static_cast<std::ptrdiff_t>(n * before);
    rows_.insert(rows_.end(), row, row + static_cast<std::ptrdiff_t>(std::min(before, width())));
    if (keep) rows_.push_back(0.0);
  }
}

void History::save(ByteWriter& out) const {
  out.tag("history");
  out.i64(decided_);
  out.i64(every_);
  out.i64(prices_.size());
  out.f64s(prices_.span());
  out.f64s(plays_);
  out.u64(rows_.size() / width());
  out.f64s(rows_);
}

void History::load(ByteReader& in) {
  in.tag("history");
  decided_ = in.count();
  every_ = in.between("decisions between two points", 1, std::int64_t{1} << 53);
  prices_ = Costs(static_cast<int>(in.between("prices", 0, costs_)));
  in.f64s(prices_);
  in.f64s(plays_);
  const std::int64_t count = in.between("points of the history", 0, kHistoryPoints - 1);
  rows_.resize(as_size(count) * width());
  if (in.version() >= 8) return in.f64s(rows_);
  // Before, rows had no number of rewards: that of the rounds learned stands for it.
  std::vector<double> row(width() - 1);
  for (std::size_t at = 0; at < rows_.size() && in.ok(); at += width()) {
    in.f64s(row);
    auto end = std::copy_n(row.begin(), 3, rows_.begin() + static_cast<std::ptrdiff_t>(at));
    *end++ = row[1];
    std::copy(row.begin() + 3, row.end(), end);
  }
}

}  // namespace rein
