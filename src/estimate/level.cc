#include "estimate/level.h"

#include <algorithm>
#include <span>

#include "base/math.h"
#include "base/size.h"
#include "base/tuned.h"
#include "rein/bytes.h"

namespace rein {
LevelTest::LevelTest(int sets, int heads)
    : sets_(sets > 1 ? sets : 0),
      heads_(heads),
      threshold_(tuned::kLevelThreshold + log(static_cast<double>(heads))),
      series_(as_size(sets_ + 1) * as_size(heads)) {}

LevelTest::Series& LevelTest::at(int set, int head) {
  return series_[as_size(set + 1) * as_size(heads_) + as_size(head)];
}

const LevelTest::Series& LevelTest::at(int set, int head) const {
  return series_[as_size(set + 1) * as_size(heads_) + as_size(head)];
}

bool LevelTest::add(Series& series, double z, std::int64_t now, std::int64_t& since) const {
  bool rings = false;
  const double apart = z - series.usual;
  const auto step = [&](Sum& sum, double up) {
    sum.value += tuned::kLevelShift * up - 0.5 * tuned::kLevelShift * tuned::kLevelShift;
    if (sum.value <= 0.0) sum = {.value = 0.0, .since = now};
    if (sum.value <= threshold_) return;
    rings = true;
    since = sum.since;
  };
  if (series.looks >= tuned::kShortMemory) {
    step(series.up, apart);
    step(series.down, -apart);
  }
  series.looks = std::min(series.looks + 1.0, tuned::kLongMemory);
  series.usual += (z - series.usual) / series.looks;
  return rings;
}

bool LevelTest::look(int set, int head, double z, std::int64_t now, Found& found) {
  z = std::clamp(z, -tuned::kLevelFarthest, tuned::kLevelFarthest);
  bool rings = false;
  if (sets_ > 0 && add(at(set, head), z, now, found.since)) {
    found.set = set;
    rings = true;
  }
  std::int64_t since = 0;
  if (!add(at(kAll, head), z, now, since) || rings) return rings;
  found = {.set = owner(head, threshold_), .since = since};
  return true;
}

int LevelTest::owner(int head, double sum) const {
  for (int set = 0; set < sets_; ++set) {
    const Series& series = at(set, head);
    if (std::max(series.up.value, series.down.value) >= sum - tuned::kOdds) return set;
  }
  return kAll;
}

void LevelTest::restart(int set) {
  if (set == kAll || sets_ == 0) {
    std::ranges::fill(series_, Series{});
    return;
  }
  for (int head = 0; head < heads_; ++head) at(set, head) = Series{};
  // What the others say about a change of all stays usual; its sums have seen this one.
  for (int head = 0; head < heads_; ++head) at(kAll, head).up = at(kAll, head).down = Sum{};
}

void LevelTest::save(ByteWriter& out) const {
  out.tag("level");
  for (const Series& s : series_) {
    out.parts(s.looks, s.usual, s.up.value, s.down.value);
    out.i64(s.up.since);
    out.i64(s.down.since);
  }
}

void LevelTest::load(ByteReader& in) {
  in.tag("level");
  const int saved = in.saved(sets_);  // one set has no series of its own
  const auto groups = static_cast<std::size_t>(saved > 1 ? 1 + saved : 1);
  for (Series& s : std::span(series_).first(groups * static_cast<std::size_t>(heads_))) {
    in.parts(s.looks, s.usual, s.up.value, s.down.value);
    s.up.since = in.count();
    s.down.since = in.count();
  }
  if (!in.renews(sets_) || sets_ == 1) return;
  for (int head = 0; head < heads_; ++head) at(in.renewed(), head) = Series{};
}

}  // namespace rein
