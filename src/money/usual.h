// The usual number of decisions in each part of a window, learned from windows of which some had
// holes.
//
// Every part is a mean over about the last windows. A hole is a run of parts that brought less than
// a quarter of what is usual, where at least eight decisions were due: by chance, one run in 10^4
// is such a hole. A hole is an outage or a change. An outage says nothing about other days, so the
// parts of a hole are left out the first time; if the same part is in a hole again in the next
// window, it counts. A part that is known from a single window may itself have been a hole, so a
// window with four times as much replaces it.
#pragma once

#include <span>

namespace rein {

inline constexpr double kHoleShare = 0.25;  // of what is usual, below which a part may be in a hole
inline constexpr double kHoleDue = 8.0;     // decisions that must have been due in a hole

// Per part: its usual number of decisions, the number of windows that this mean is from (at most
// `memory`), and 1 if the part was in a hole in the last window.
struct UsualParts {
  std::span<double> usual, windows, missed;
  double memory;
};

// Mixes a window into the parts. Returns the share of what is usual that its holes had not.
double mix_window(std::span<const double> arrived, const UsualParts& parts);

// Calls each(first, end) for every hole of these parts.
template <class Each>
void for_holes(std::span<const double> arrived, std::span<const double> usual, Each each) {
  for (std::size_t first = 0, end = 0; first < arrived.size(); first = end + 1) {
    double due = 0.0;
    for (end = first; end < arrived.size() && arrived[end] < kHoleShare * usual[end]; ++end) {
      due += usual[end];
    }
    if (due >= kHoleDue) each(first, end);
  }
}

}  // namespace rein
