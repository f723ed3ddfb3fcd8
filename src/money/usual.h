// What parts of a window usually bring, learned from windows of which some had holes.
//
// Every part is a mean over about the last windows. A hole is a run of parts that brought less than a
// quarter of what is usual, where at least eight decisions were due: chance does that to one run in
// 10^4. It is an outage or a change. An outage says nothing about other days, so the parts of a hole are
// left out the first time; a second time in a row they count. A part that is known from one window
// alone may be what a hole left of it: four times as much takes its place.
#pragma once

#include <span>

namespace rein {

inline constexpr double kHoleShare = 0.25;  // of what is usual, below which a part may be in a hole
inline constexpr double kHoleDue = 8.0;     // decisions that must have been due in a hole

// Of every part: what it usually brings, how many windows that is known from (up to `memory`, what a
// mean is taken over), and 1 if it was in a hole the last time.
struct UsualParts {
  std::span<double> usual, windows, missed;
  double memory;
};

// Mixes a window into the parts. Returns the share of what is usual that its holes had not.
double mix_window(std::span<const double> seen, const UsualParts& parts);

// Calls each(first, end) for every hole of these parts.
template <class Each>
void for_holes(std::span<const double> seen, std::span<const double> usual, Each each) {
  for (std::size_t first = 0, end = 0; first < seen.size(); first = end + 1) {
    double due = 0.0;
    for (end = first; end < seen.size() && seen[end] < kHoleShare * usual[end]; ++end) {
      due += usual[end];
    }
    if (due >= kHoleDue) each(first, end);
  }
}

}  // namespace rein
