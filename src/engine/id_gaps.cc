#include "engine/id_gaps.h"

#include <fmt/format.h>

#include <algorithm>

#include "rein/record.h"

namespace rein {
namespace {

// Numbers stay below this limit, so that no sum of two overflows.
constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 62U;

}  // namespace

bool IdGaps::lost(std::uint64_t number) const {
  return std::ranges::any_of(
      gaps_, [&](const Gap& gap) { return number >= gap.first && number - gap.first < gap.size; });
}

Result<> IdGaps::skip(std::uint64_t numbers, std::uint64_t decided) {
  const std::uint64_t first = next(decided);
  if (numbers < 1 || numbers > kMostSkippedIds || first > kMostNumber - numbers) {
    return Error{fmt::format("skip_ids: found {} after {}; accepted: 1 to {}, and {} in all", numbers,
                             first, kMostSkippedIds, kMostNumber)};
  }
  const bool longer = !gaps_.empty() && gaps_.back().first + gaps_.back().size == first;
  if (longer) {
    gaps_.back().size += numbers;
  } else {
    gaps_.push_back({first, numbers});
  }
  skipped_ += numbers;
  return {};
}

void IdGaps::save(ByteWriter& out) const {
  out.u64(gaps_.size());
  for (const Gap& gap : gaps_) {
    out.u64(gap.first);
    out.u64(gap.size);
  }
}

void IdGaps::load(ByteReader& in, std::uint64_t decided) {
  *this = {};
  const std::uint64_t count = in.u64();
  if (count > in.left() / (2 * sizeof(std::uint64_t))) in.fail("gaps of ids: too many");
  std::uint64_t end = 0;  // of the gap before
  for (std::uint64_t n = 0; n < count && in.ok(); ++n) {
    const Gap gap{in.u64(), in.u64()};
    const bool apart = n == 0 || gap.first > end;
    if (!apart || gap.size < 1 || gap.first > kMostNumber || gap.size > kMostNumber - gap.first ||
        gap.first - skipped_ > decided) {
      return in.fail(fmt::format("gaps of ids: {} numbers from {}", gap.size, gap.first));
    }
    end = gap.first + gap.size;
    skipped_ += gap.size;
    gaps_.push_back(gap);
  }
}

}  // namespace rein
