// WindowClock: which period of a budget's window it is now.
//
// Windows of rounds and ticks follow by arithmetic. A calendar window is opened by open(), with its
// first and last second (money/calendar.h computes them): the clock itself knows no time zones, so
// that a replay does not depend on the time zone database.
#pragma once

#include <cstdint>

#include "rein/budget.h"
#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

class WindowClock {
 public:
  WindowClock() = default;
  // `buckets`: most buckets of a rolling window.
  WindowClock(const Window& window, int buckets);

  // Moves to the round that will be decided next, and to this time.
  void advance(std::int64_t round, std::int64_t now);
  // Whether a calendar window must be opened before anything is booked at this time.
  bool needs_window(std::int64_t now) const;
  // Refuses a window that does not follow the open window, or does not contain `now`.
  Result<> check_open(const CalendarWindow& window, std::int64_t now) const;
  void open(const CalendarWindow& window);
  // To an earlier time. A calendar window is replaced by open().
  void set_back(std::int64_t now);
  // Closes the window now; the next one begins. REQUIRES no calendar and no rolling window.
  void begin_anew(std::int64_t round, std::int64_t now);

  bool opened() const { return opened_; }  // whether a calendar window was ever open
  std::int64_t period() const { return number_; }
  // The oldest period that still counts: of a rolling window, otherwise 0.
  std::int64_t oldest() const { return oldest_; }
  // The first and last round or tick of the open window.
  std::int64_t first() const { return first_; }
  std::int64_t last() const { return first_ + length_ - 1; }
  bool timed() const { return kind_ != Window::Kind::kRun && kind_ != Window::Kind::kRounds; }
  // The tick at which Accounts::mark() may first be as large as this; -1 if the window has no end in time.
  std::int64_t reaches(std::int64_t mark) const;
  std::int64_t bucket_ticks() const { return width_; }

  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);

 private:
  void advance_to(std::int64_t at);

  Window::Kind kind_ = Window::Kind::kRun;
  std::int64_t length_ = 0;  // of the open window; of a run: without end
  std::int64_t width_ = 0;   // ticks of a bucket
  std::int64_t number_ = 0, oldest_ = 0, first_ = 0;
  bool opened_ = false;  // whether a calendar window was opened
};

}  // namespace rein
