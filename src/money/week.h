// WeekProfile: how many decisions each hour of a week usually brings.
//
// For calendar windows, whose ticks are UTC seconds. From the profile the forecast knows that a
// month ends on a quiet Sunday, or that a Saturday differs from the days before. Hours are those of
// the local clock, as it was when the window began. They count from the hour of the first decision;
// every whole week is averaged into the profile, which remembers about four weeks. Holes that
// outages left are not averaged in (money/usual.h). In the first week, holes are found by
// comparison with the same hours of the other days.
//
// Only + - * / of doubles: a replay gives the same bits. Part of the state.
#pragma once

#include <array>
#include <cstdint>

namespace rein {

class ByteReader;
class ByteWriter;

class WeekProfile {
 public:
  static constexpr int kHours = 168;

  // The second of the local clock: windows begin at midnight.
  static std::int64_t local(std::int64_t second, std::int64_t window_first);

  // A decision at this local second. Local clocks may go back by an hour or two. `sees_holes`: what an
  // outage left out is not mixed into the profile (money/usual.h).
  void count(std::int64_t second, bool sees_holes);
  // The clock was set back to this second.
  void set_back(std::int64_t second);
  // Whether a whole week has been seen.
  bool known() const { return weeks_ > 0.0; }
  // Before the first call with see_holes: the weeks so far count for every hour.
  void see_holes();
  // Decisions that usually come from one local second up to another. REQUIRES from <= until.
  double between(std::int64_t from, std::int64_t until) const;
  void scale(double factor);

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static constexpr std::int64_t kHour = 3600, kWeek = kHours * kHour;
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  void close(bool sees_holes);
  void fill_holes();
  void add_up();
  double before(std::int64_t second) const;  // from the first hour on

  bool started_ = false;
  std::int64_t first_ = 0;                   // the hour of the first decision
  std::int64_t week_ = 0;                    // the week that is counted, from there
  double weeks_ = 0.0;                       // that the profile is made of
  std::array<double, kHours> hours_{};       // of this week,
  std::array<double, kHours> profile_{};     // of a usual one,
  std::array<double, kHours + 1> before_{};  // and its sums
  // Per hour: the number of weeks that its mean is from, and whether it was in a hole in the last
  // week.
  std::array<double, kHours> known_{}, missed_{};
};

}  // namespace rein
