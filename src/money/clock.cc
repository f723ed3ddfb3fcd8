#include "money/clock.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::int64_t kWithoutEnd = std::int64_t{1} << 62;
// More ticks than the longest calendar window has. West of Greenwich the first window begins before
// 1970.
constexpr std::int64_t kLongestMonth = std::int64_t{32} * 86'400;

}  // namespace

WindowClock::WindowClock(const Window& window, int buckets)
    : kind_(window.kind), length_(window.length) {
  if (kind_ == Window::Kind::kRun) length_ = kWithoutEnd;
  if (window.calendar()) length_ = 0;
  if (kind_ == Window::Kind::kRolling) width_ = (length_ + buckets - 2) / (buckets - 1);
}

void WindowClock::advance_to(std::int64_t at) {
  if (at <= last()) return;
  const std::int64_t passed = (at - first_) / length_;
  number_ += passed;
  first_ += passed * length_;
}

void WindowClock::advance(std::int64_t round, std::int64_t now) {
  switch (kind_) {
    case Window::Kind::kRun:
      return;
    case Window::Kind::kRounds:
      return advance_to(round);
    case Window::Kind::kTicks:
      return advance_to(now);
    case Window::Kind::kRolling:
      // The window holds the ticks from now - length + 1 to now. A bucket counts while any of its
      // ticks is in the window.
      number_ = now / width_;
      oldest_ = std::max<std::int64_t>(0, now - length_ + 1) / width_;
      first_ = std::max<std::int64_t>(0, now - length_ + 1);
      return;
    default:
      return;  // opened by open()
  }
}

bool WindowClock::needs_window(std::int64_t now) const {
  return kind_ >= Window::Kind::kDay && (!opened_ || now > last());
}

Result<> WindowClock::check_open(const CalendarWindow& window, std::int64_t now) const {
  const bool next = opened_ ? window.number > number_ && window.first > last() : window.number == 0;
  if (!next || window.first > now || window.last < now) {
    return Error{
        fmt::format("window: found number {} from {} to {} at {}; accepted: the window "
                    "that contains this time, after number {}",
                    window.number, window.first, window.last, now, number_)};
  }
  return {};
}

void WindowClock::open(const CalendarWindow& window) {
  number_ = window.number;
  first_ = window.first;
  length_ = window.last - window.first + 1;
  opened_ = true;
}

void WindowClock::begin_anew(std::int64_t round, std::int64_t now) {
  check(kind_ <= Window::Kind::kTicks, "clock: this window begins by the calendar");
  ++number_;
  first_ = kind_ == Window::Kind::kTicks ? now : round;
}

std::int64_t WindowClock::reaches(std::int64_t mark) const {
  if (!timed()) return -1;
  if (kind_ == Window::Kind::kRolling) return mark * width_ + length_ - 1;
  const std::int64_t ticks_ahead =
      kind_ == Window::Kind::kTicks ? (mark - number_ - 1) * length_ : 0;
  return last() + 1 + ticks_ahead;
}

void WindowClock::save(ByteWriter& out) const {
  for (std::int64_t value : {length_, number_, oldest_, first_, std::int64_t{opened_}})
    out.i64(value);
}

Result<> WindowClock::load(ByteReader& in) {
  WindowClock read = *this;
  read.length_ = in.between("length of a window", 0, kWithoutEnd);
  read.number_ = in.count();
  read.oldest_ = in.count();
  read.first_ = in.between("first tick of a window", -kLongestMonth, kWithoutEnd);
  read.opened_ = in.between("whether a window is open", 0, 1) == 1;
  if (kind_ < Window::Kind::kDay && read.length_ != length_) in.fail("saved state: another window");
  if (read.oldest_ > read.number_) in.fail("saved state: a window that cannot be");
  if (auto ok = in.status(); !ok) return ok;
  *this = read;
  return {};
}

}  // namespace rein
