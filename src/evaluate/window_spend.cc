#include "evaluate/window_spend.h"

#include <algorithm>

namespace rein {
namespace {

constexpr double kSpendRounding = 1e-9;  // of the limit: sums of doubles in another order

}  // namespace

void WindowSpend::Sums::exceed(const Track& track) {
  const double excess = track.spent - track.limit;
  if (excess > kSpendRounding * std::max(1.0, track.limit)) over = std::max(over, excess);
}

void WindowSpend::Sums::close(const Track& track) {
  windows += 1.0;
  spent += track.spent;
  under = std::max(under, track.limit - track.spent);
  exceed(track);
}

void WindowSpend::add_rolling(Track& track, std::int64_t now, double cost) {
  const std::int64_t length = budget_.window.length;
  if (track.recent.empty() && track.window < 0) track.first = now;
  track.window = 0;
  track.limit = budget_.amount;
  while (!track.recent.empty() && track.recent.front().first <= now - length) {
    track.spent -= track.recent.front().second;
    track.recent.pop_front();
  }
  if (track.recent.empty()) track.spent = 0.0;
  track.recent.emplace_back(now, cost);
  track.spent += cost;
  sums_.exceed(track);
  if (now - track.first + 1 >= length) sums_.close(track);
}

void WindowSpend::add(std::int64_t key, std::int64_t now, std::int64_t window, double cost) {
  Track& track = tracks_[key];
  if (budget_.window.kind == Window::Kind::kRolling) return add_rolling(track, now, cost);
  if (track.window != window) {
    double carried = 0.0;
    if (track.window >= 0) {
      sums_.close(track);
      // Windows without decisions leave all of their amount.
      const auto skipped = static_cast<double>(window - track.window - 1);
      if (budget_.carry) carried = track.limit - track.spent + skipped * budget_.amount;
    }
    track.window = window;
    track.limit = budget_.amount + carried;
    track.spent = 0.0;
  }
  track.spent += cost;
}

BudgetTotals WindowSpend::totals(std::int64_t open) const {
  Sums sums = sums_;
  const bool rolling = budget_.window.kind == Window::Kind::kRolling;
  for (const auto& [key, track] : tracks_) {
    const bool ended = budget_.window.kind == Window::Kind::kRun || track.window < open;
    ended && !rolling ? sums.close(track) : sums.exceed(track);
  }
  if (sums.windows == 0.0) {
    for (const auto& [key, track] : tracks_) sums.close(track);
  }
  return {.windows = sums.windows,
          .mean = sums.windows > 0.0 ? sums.spent / sums.windows : 0.0,
          .over = sums.over,
          .under = sums.under};
}

}  // namespace rein
