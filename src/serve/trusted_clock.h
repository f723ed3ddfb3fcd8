// TrustedClock: the time of the wall clock, checked against the monotonic clock.
//
// A wall clock may jump: a battery that is empty, a wrong time server, a typing error. Windows that
// open in 2036 do not close again when the clock is mended. So a reading is compared with the
// expected time: the last believed time, moved on by the monotonic clock. A reading is believed
//
//     within `jump_seconds` of the expected time                at once
//     further away, ahead or behind                             after it has lasted `jump_seconds`
//     at the start, up to kDowntimeSeconds after the journal    at once: the service was down
//
// Jumps do not add up: all that are believed at once within `jump_seconds` stay within the limit
// together, because a reading is compared with the time that was expected that long ago, too.
// A jump has lasted when the wall clock has agreed with itself for that time. Until then the time goes
// on by the monotonic clock. That is CLOCK_BOOTTIME, which also counts while a machine sleeps: waking
// up is no jump. believe() ends any doubt: somebody who knows has said so.
//
// One thread uses it. Nothing here is in the journal: what is believed reaches it as ticks.
#pragma once

#include <cstdint>
#include <optional>

namespace rein::serve {

class TrustedClock {
 public:
  // A month. After a longer pause, the first hour of service has the time at which the journal ended.
  static constexpr std::int64_t kDowntimeSeconds = std::int64_t{31} * 86'400;
  static constexpr std::int64_t kJumpSeconds = 3600;

  explicit TrustedClock(std::int64_t jump_seconds = kJumpSeconds) : jump_(jump_seconds) {}

  // Sets the time of the last entry, before the first reading. Without it the first reading is
  // believed.
  void begin_after(std::int64_t last) { last_ = last; }
  // Takes a reading of both clocks, in seconds, and returns the believed time.
  std::int64_t read(std::int64_t wall, std::int64_t steady);
  void believe(std::int64_t wall, std::int64_t steady);
  // Whether the last reading of the wall clock was not believed.
  bool doubts() const { return doubted_.has_value(); }

 private:
  // A reading of both clocks at one moment.
  struct Reading {
    std::int64_t wall = 0, steady = 0;
    std::int64_t at(std::int64_t now) const { return wall + now - steady; }
  };
  bool close(std::int64_t a, std::int64_t b) const {
    return a - b <= jump_ && b - a <= jump_;
  }

  std::int64_t jump_;
  std::optional<std::int64_t> last_;
  // before_: a reading that was believed up to `jump_` ago, with which later ones are compared;
  // doubted_: the first reading of the jump.
  std::optional<Reading> believed_, before_, doubted_;
};

// Seconds of CLOCK_BOOTTIME.
std::int64_t steady_seconds();

}  // namespace rein::serve
