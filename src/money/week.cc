#include "money/week.h"

#include <algorithm>
#include <cmath>

#include "money/usual.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kWeeksRemembered = 4.0;      // weeks
constexpr std::size_t kDayHours = 24;

}  // namespace

// Midnight in UTC, from 10:30 of the day before (New Zealand) to 10:30 (Hawaii): so a change to or
// from summer time moves it by an hour, and not by a day.
std::int64_t WeekProfile::local(std::int64_t second, std::int64_t window_first) {
  constexpr std::int64_t kDay = 24 * kHour, kLatest = 21 * kHour / 2;
  const std::int64_t midnight = window_first % kDay;
  return second - (midnight < kLatest ? midnight : midnight - kDay);
}

void WeekProfile::count(std::int64_t second, bool sees_holes) {
  if (!started_) first_ = second - (second % kHour + kHour) % kHour;
  started_ = true;
  const std::int64_t since = std::max<std::int64_t>(second - first_, 0);
  if (const std::int64_t week = since / kWeek; week > week_) {
    close(sees_holes);
    week_ = week;
  }
  hours_[at(since % kWeek / kHour)] += 1.0;
}

// In the first week an hour usually brings what it does on the other six days. A hole is at most half a
// day long, and decisions come right before and after it: a closed Sunday is none.
void WeekProfile::fill_holes() {
  std::array<double, kDayHours> every{};
  for (std::size_t h = 0; h < hours_.size(); ++h) every[h % kDayHours] += hours_[h];
  std::array<double, kHours> usual;
  for (std::size_t h = 0; h < hours_.size(); ++h) {
    usual[h] = (every[h % kDayHours] - hours_[h]) / (kHours / kDayHours - 1);
  }
  for_holes(hours_, usual, [&](std::size_t first, std::size_t end) {
    const bool inside = first > 0 && end < hours_.size() && end - first <= kDayHours / 2;
    if (!inside || !(usual[first - 1] > 0.0 && usual[end] > 0.0)) return;
    std::copy(usual.begin() + static_cast<std::ptrdiff_t>(first),
              usual.begin() + static_cast<std::ptrdiff_t>(end),
              hours_.begin() + static_cast<std::ptrdiff_t>(first));
  });
}

// A week without any decision is skipped: nothing was asked of the agent.
void WeekProfile::close(bool sees_holes) {
  if (sees_holes) {
    if (weeks_ == 0.0) fill_holes();
    mix_window(hours_, {profile_, known_, missed_, kWeeksRemembered});
  } else {
    for (std::size_t h = 0; h < hours_.size(); ++h) {
      profile_[h] += (hours_[h] - profile_[h]) / std::min(weeks_ + 1.0, kWeeksRemembered);
    }
  }
  hours_ = {};
  weeks_ += 1.0;
  add_up();
}

void WeekProfile::see_holes() {
  known_.fill(std::min(weeks_, kWeeksRemembered));
}

void WeekProfile::add_up() {
  for (std::size_t h = 0; h < profile_.size(); ++h) before_[h + 1] = before_[h] + profile_[h];
}

double WeekProfile::before(std::int64_t second) const {
  std::int64_t weeks = (second - first_) / kWeek, rest = (second - first_) % kWeek;
  if (rest < 0) {
    weeks -= 1;
    rest += kWeek;
  }
  const std::size_t hour = at(rest / kHour);
  const double part = static_cast<double>(rest % kHour) / static_cast<double>(kHour);
  return static_cast<double>(weeks) * before_[kHours] + before_[hour] + part * profile_[hour];
}

double WeekProfile::between(std::int64_t from, std::int64_t until) const {
  return std::max(before(until) - before(from), 0.0);
}

void WeekProfile::scale(double factor) {
  for (double& hour : profile_) hour *= factor;
  add_up();
}

void WeekProfile::save(ByteWriter& out) const {
  out.i64(started_ ? 1 : 0);
  if (!started_) return;
  out.i64(first_);
  out.i64(week_);
  out.f64(weeks_);
  out.f64s(hours_);
  out.f64s(profile_);
  if (out.version() < 8) return;
  out.f64s(known_);
  out.f64s(missed_);
}

void WeekProfile::load(ByteReader& in) {
  *this = {};
  started_ = in.between("whether a week began", 0, 1) == 1;
  if (!started_) return;
  first_ = in.between("a second", INT64_MIN / 2, INT64_MAX / 2);
  week_ = in.count();
  bool sound = true;
  const auto number = [&](double& to) {
    to = in.f64();
    sound = sound && to >= 0.0 && to < INFINITY;
  };
  number(weeks_);
  for (double& hour : hours_) number(hour);
  for (double& hour : profile_) number(hour);
  if (in.version() >= 8) {
    for (double& weeks : known_) number(weeks);
    for (double& missed : missed_) number(missed);
  }
  if (!sound) in.fail("saved state: a number of decisions that cannot be");
  add_up();
}

}  // namespace rein
