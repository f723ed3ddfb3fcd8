#include "money/usual.h"

#include <algorithm>

namespace rein {
namespace {

// Replaces parts that are known from a single window and brought so much more in this window that
// they must have been in a hole before.
void replace_holes(std::span<const double> arrived, const UsualParts& parts) {
  for_holes(parts.usual, arrived, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (parts.windows[i] == 1.0) parts.usual[i] = arrived[i];
    }
  });
}

}  // namespace

double mix_window(std::span<const double> arrived, const UsualParts& parts) {
  double all = 0.0, missing = 0.0;
  for (double usual : parts.usual) all += usual;
  const auto mix = [&](std::size_t i) {
    parts.windows[i] = std::min(parts.windows[i] + 1.0, parts.memory);
    parts.usual[i] += (arrived[i] - parts.usual[i]) / parts.windows[i];
  };
  replace_holes(arrived, parts);
  std::size_t next = 0;
  const auto mix_up_to = [&](std::size_t end) {
    for (; next < end; ++next) {
      mix(next);
      parts.missed[next] = 0.0;
    }
  };
  for_holes(arrived, parts.usual, [&](std::size_t first, std::size_t end) {
    mix_up_to(first);
    for (; next < end; ++next) {
      missing += parts.usual[next];
      if (parts.missed[next] == 1.0) mix(next);
      parts.missed[next] = 1.0;
    }
  });
  mix_up_to(arrived.size());
  return all > 0.0 ? std::clamp(1.0 - missing / all, kHoleShare, 1.0) : 1.0;
}

}  // namespace rein
