#include "money/arrivals.h"

#include <algorithm>
#include <cmath>

#include "money/usual.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kWeight = 1.0 / 16.0;  // of what is usual, in windows
constexpr double kWindowsRemembered = 4.0;         // windows that a profile is made of
// Decisions after a hole, and their share of those that were due, from which on it has ended.
constexpr double kBack = 4.0, kBackShare = 0.5;

double mixed(double before, double now, double windows) {
  return before + (now - before) / std::min(windows + 1.0, kWindowsRemembered);
}

}  // namespace

// How much of the window is over, from 0 to 1. The decisions of a tick are spread over the tick, so
// that a clock with few ticks does not stand still.
double Arrivals::elapsed(const WindowPlace& place) const {
  const auto length = static_cast<double>(place.length);
  auto over = static_cast<double>(place.at - place.first);
  if (place.timed && tick_ == place.at && started_) {
    const double known = windows_ > 0.0 ? per_window_ : expected_;
    const double usual =
        known > 0.0 ? known / length : (now_ - in_tick_) / std::max(over - begin_ * length, 1.0);
    over += in_tick_ / std::max(usual, in_tick_ + 1.0);
  }
  return std::clamp(over / length, 0.0, 1.0);
}

void Arrivals::expect(std::int64_t usual) {
  expected_ = static_cast<double>(usual);
  if (per_window_ == 0.0) return;  // no window has closed, or windows are not in time
  const double factor = expected_ / per_window_;  // the profiles keep their form
  week_.scale(factor);
  for (double& part : profile_) part *= factor;
  per_key_ *= factor;
  add_up();
}

double Arrivals::before(double over) const {
  const double parts = over * kParts;
  const int whole = std::min(static_cast<int>(parts), kParts - 1);
  return before_[at(whole)] + profile_[at(whole)] * (parts - whole);
}

void Arrivals::add_up() {
  per_window_ = 0.0;
  for (int i = 0; i < kParts; ++i) {
    before_[at(i)] = per_window_;
    per_window_ += profile_[at(i)];
  }
}

Arrivals::Past Arrivals::past(const WindowPlace& place) const {
  const double over = elapsed(place);
  if (!place.timed) {
    return {over, static_cast<double>(place.length)};
  }
  if (place.calendar && week_.known()) {
    const auto skipped = static_cast<std::int64_t>(begin_ * static_cast<double>(place.length));
    const std::int64_t from = WeekProfile::local(place.first, place.first) + skipped;
    const std::int64_t end = from - skipped + place.length;
    const std::int64_t now = WeekProfile::local(place.at, place.first);
    const double usual = week_.between(from, end);
    if (usual > 0.0) {
      return {std::min(week_.between(from, std::clamp(now, from, end)) / usual, 1.0), usual};
    }
  }
  if (windows_ > 0.0) {
    return {std::min(before(over) / per_window_, 1.0), per_window_};
  }
  const double begin = started_ ? begin_ : over;
  const double rest = std::max(1.0 - begin, 1e-300);
  const double share = std::clamp((over - begin) / rest, 0.0, 1.0);
  if (expected_ > 0.0) return {share, expected_ * rest};
  // While nothing is known, one decision per tick is expected.
  const double ticks = rest * static_cast<double>(place.length);
  return {share, (now_ + 1.0) / (share * ticks + 1.0) * ticks};
}

void Arrivals::close() {
  if (now_ == 0.0) return;
  double unseen = begin_ * kParts;  // parts from before the first decision
  const double mean = now_ / std::max(kParts - unseen, 1.0);
  for (int i = 0; i < kParts; ++i, unseen -= 1.0) {
    parts_[at(i)] += mean * std::clamp(unseen, 0.0, 1.0);
    if (!sees_holes_) profile_[at(i)] = mixed(profile_[at(i)], parts_[at(i)], windows_);
  }
  if (sees_holes_) {
    whole_ = mix_window(parts_, {profile_, known_, missed_, kWindowsRemembered});
    closed_ = period_;
  }
  add_up();
  per_key_ = mixed(per_key_, now_ / std::max(keys_, 1.0) / whole_, windows_);
  windows_ += 1.0;
}

void Arrivals::see_holes() {
  sees_holes_ = true;
  known_.fill(std::min(windows_, kWindowsRemembered));
  week_.see_holes();
}

// Usual decisions of a part of this window.
double Arrivals::due(int part, const WindowPlace& place) const {
  if (!(place.calendar && week_.known())) return profile_[at(part)];
  const std::int64_t from = WeekProfile::local(place.first, place.first);
  return week_.between(from + place.length * part / kParts, from + place.length * (part + 1) / kParts);
}

// Finds holes in the parts before `part`, which are complete.
void Arrivals::find_holes(int part, const WindowPlace& place) {
  part_ = part;
  holes_ = {};
  if (windows_ == 0.0) return;
  std::array<double, kParts> usual;
  for (int i = 0; i < part; ++i) usual[at(i)] = due(i, place);
  const std::span<const double> all(usual.data(), at(part)), arrived(parts_.data(), at(part));
  std::size_t until = 0;
  for_holes(arrived, all, [&](std::size_t first, std::size_t end) {
    for (; until < end; ++until) {
      holes_.came += arrived[until];
      holes_.until += all[until];
      if (until < first) continue;
      holes_.seen += arrived[until];
      holes_.due += all[until];
    }
  });
}

Arrivals::Level Arrivals::level(const Past& past) const {
  const double back = now_ - holes_.came;
  const double due = past.share * past.usual - holes_.until;
  if (!(holes_.due > 0.0) || back < std::max(kBack, kBackShare * due)) return {past.share, 1.0};
  return {std::max(past.share - holes_.due / past.usual, 0.0), 1.0 - holes_.seen / now_};
}

// The number of decisions in this share of a window like the open one, for an account that had
// `now` decisions in it so far and usually has `usual`.
double Arrivals::forecast(double share, const Level& level, double now, double usual) {
  return std::max(1.0, share * (level.counted * now + kWeight * usual) / (level.share + kWeight));
}

void Arrivals::advance(const WindowPlace& place) {
  if (place.period == period_) return;
  close();
  period_ = place.period;
  parts_ = {};
  now_ = keys_ = begin_ = 0.0;
  part_ = 0;
  holes_ = {};
}

Arrivals::Count Arrivals::current(int slot) const {
  if (slot == kNone) return {.period = period_};
  Count count = counts_[at(slot)];
  if (count.period == period_ || count.period < 0) return count;
  const double now = count.period == closed_ ? count.now / whole_ : count.now;
  const double usual = count.usual < 0.0 ? now : 0.5 * (count.usual + now);
  return {.period = period_, .now = 0.0, .usual = usual};
}

void Arrivals::count(int slot, const WindowPlace& place) {
  if (!started_) {
    begin_ = place.timed ? elapsed(place) : 0.0;
    started_ = true;
  }
  if (place.timed) {
    const int part = std::clamp(static_cast<int>(elapsed(place) * kParts), 0, kParts - 1);
    if (sees_holes_ && part > part_) find_holes(part, place);
    parts_[at(part)] += 1.0;
    in_tick_ = (tick_ == place.at ? in_tick_ : 0.0) + 1.0;
    tick_ = place.at;
    if (place.calendar) week_.count(WeekProfile::local(place.at, place.first), sees_holes_);
  }
  Count& own = counts_[at(slot)];
  const bool first = own.period != period_;
  own = current(slot);
  own.period = period_;
  own.now += 1.0;
  now_ += 1.0;
  keys_ += first ? 1.0 : 0.0;
}

double Arrivals::left(const WindowPlace& place) const {
  const Past past = this->past(place);
  const double now = place.timed ? now_ : past.share * past.usual;
  return forecast(1.0 - past.share, level(past), now, past.usual);
}

double Arrivals::left_of(int slot, const WindowPlace& place) const {
  const Past past = this->past(place);
  const Count own = current(slot);
  double usual = own.usual;
  if (usual < 0.0) usual = windows_ > 0.0 ? per_key_ : past.usual / std::max(keys_, 1.0);
  return forecast(1.0 - past.share, level(past), own.now, usual);
}

double Arrivals::soon(const WindowPlace& place, std::int64_t ticks) const {
  return bring(now_, past(place).usual, place, ticks);
}

double Arrivals::soon_of(int slot, const WindowPlace& place, std::int64_t ticks) const {
  const Count own = current(slot);
  double usual = own.usual;
  if (usual < 0.0) {
    usual = windows_ > 0.0 ? per_key_ : past(place).usual / std::max(keys_, 1.0);
  }
  return bring(own.now, usual, place, ticks);
}

// The share of a window that usually comes in these ticks, which may reach into the next window,
// times the number of decisions that this window seems to bring.
double Arrivals::bring(double now, double usual, const WindowPlace& place,
                       std::int64_t ticks) const {
  const Past past = this->past(place);
  const double over = elapsed(place);
  const double span = static_cast<double>(ticks) / static_cast<double>(place.length);
  const double until = over + span;
  double share = span / std::max(1.0 - begin_, 1e-300);
  if (windows_ > 0.0) {
    share = until <= 1.0 ? before(until) - before(over)
                         : per_window_ - before(over) + before(until - 1.0);
    share /= per_window_;
  }
  return forecast(share, level(past), now, usual);
}

void Arrivals::save(ByteWriter& out) const {
  out.tag("arrivals");
  out.i64(period_);
  out.i64(started_ ? 1 : 0);
  out.i64(tick_);
  out.f64s(std::array{expected_, begin_, in_tick_, now_, keys_, windows_, per_key_});
  out.f64s(parts_);
  out.f64s(profile_);
  if (out.version() >= 8) {
    out.i64(sees_holes_ ? 1 : 0);
    out.i64(part_);
    out.i64(closed_);
    out.f64s(std::array{holes_.seen, holes_.due, holes_.came, holes_.until, whole_});
    out.f64s(known_);
    out.f64s(missed_);
  }
  week_.save(out);
  out.i64(size());
  for (const Count& count : counts_) {
    out.i64(count.period);
    out.f64(count.now);
    out.f64(count.usual);
  }
}

Result<> Arrivals::load(ByteReader& in) {
  Arrivals read;
  in.tag("arrivals");
  read.period_ = in.count();
  read.started_ = in.between("whether decisions came", 0, 1) == 1;
  read.tick_ = in.between("a tick", -1, INT64_MAX);
  bool sound = true;
  const auto number = [&](double& to) {
    to = in.f64();
    sound = sound && to >= 0.0 && to < INFINITY;
  };
  for (double* to : {&read.expected_, &read.begin_, &read.in_tick_, &read.now_, &read.keys_,
                     &read.windows_, &read.per_key_}) {
    number(*to);
  }
  for (double& part : read.parts_) number(part);
  for (double& part : read.profile_) number(part);
  read.sees_holes_ = in.version() >= 8 && in.between("whether holes are seen", 0, 1) == 1;
  if (in.version() >= 8) {
    read.part_ = in.between("a part of a window", 0, kParts - 1);
    read.closed_ = in.between("a window", -1, INT64_MAX);
    Holes& holes = read.holes_;
    for (double* to : {&holes.seen, &holes.due, &holes.came, &holes.until, &read.whole_}) number(*to);
    for (double& windows : read.known_) number(windows);
    for (double& missed : read.missed_) number(missed);
    sound = sound && read.whole_ > 0.0;
  }
  read.week_.load(in);
  const std::int64_t slots = in.count();
  for (std::int64_t slot = 0; slot < slots && in.ok(); ++slot) {
    Count count{.period = in.between("a window", -1, INT64_MAX)};
    number(count.now);
    count.usual = in.f64();
    sound = sound && count.usual >= -1.0 && count.usual < INFINITY;
    read.counts_.push_back(count);
  }
  read.add_up();
  if (!sound) in.fail("saved state: a number of decisions that cannot be");
  if (auto ok = in.status(); !ok) return ok;
  *this = std::move(read);
  return {};
}

}  // namespace rein
