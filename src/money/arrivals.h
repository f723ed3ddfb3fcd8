// Arrivals: how many more decisions the open window of a budget will bring.
//
// Where the window counts decisions, this is known. Where it is in time, it is forecast:
//
//     left = (1 - F) (n + k E) / (F + k)
//
// n is the number of decisions that came in this window, E the number that a window usually brings,
// and F the share of E that has usually come by now. k = 1/16 sets how soon n outweighs E. F
// follows the profile of earlier windows, in 32 parts of a window; in the first window arrivals are
// taken to be uniform. Calendar windows follow the profile of a week (money/week.h) as soon as a
// week was seen: then E and F are computed from the hours of this window. A key has its own n and
// E, and shares F with all keys of its budget.
//
// An outage leaves a hole (money/usual.h). In the window that has one, n and F are those outside the
// hole once decisions come again at half their usual rate or more: what did not come then says nothing
// about the rest of the window. And holes are not mixed into the profiles. Before rules 2 both were
// taken for fewer decisions.
//
// Only + - * / of doubles: a replay gives the same bits. Part of the state.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "money/week.h"
#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

// Where in its window a budget is. For a rolling window: in stretches of its length.
struct WindowPlace {
  bool timed = false;
  std::int64_t period = 0;
  std::int64_t first = 0;   // its first round or tick
  std::int64_t length = 1;  // rounds or ticks
  std::int64_t at = 0;      // the round that is decided next, or the time
  bool calendar = false;    // ticks are UTC seconds
};

class Arrivals {
 public:
  static constexpr int kParts = 32;
  static constexpr int kBytesPerKey = 24;

  Arrivals() = default;
  // `usual`: decisions that a window is expected to bring; 0: unknown.
  explicit Arrivals(std::int64_t usual) : expected_(static_cast<double>(usual)) {}

  // From rules 2 on.
  void see_holes();

  double expected() const { return expected_; }
  void expect(std::int64_t usual);  // from now on

  int size() const { return static_cast<int>(counts_.size()); }
  void add() { counts_.push_back({}); }
  void restart(int slot) { counts_[at(slot)] = {}; }

  std::int64_t period() const { return period_; }
  // Moves to the open window. Closes the window before it, if that is over.
  void advance(const WindowPlace& place);
  // To an earlier place: what came in the window that was open is forgotten.
  void set_back(const WindowPlace& place);
  // A decision of this account. REQUIRES advance() to this place before.
  void count(int slot, const WindowPlace& place);

  // Decisions that are still to come in this window, the next one included: of all decisions that
  // share the budget (without keys), or of a key (kNone: a new key). At least 1.
  static constexpr int kNone = -1;
  double left(const WindowPlace& place) const;
  double left_of(int slot, const WindowPlace& place) const;
  // Decisions that the next `ticks` bring, at most the length of the window. At least 1.
  double soon(const WindowPlace& place, std::int64_t ticks) const;
  double soon_of(int slot, const WindowPlace& place, std::int64_t ticks) const;

  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);

 private:
  // The decisions of an account in its newest window, and the usual number; below 0: not known.
  struct Count {
    std::int64_t period = -1;
    double now = 0.0;
    double usual = -1.0;
  };
  struct Past {
    double share = 0.0;  // of the decisions of this window, that usually came by now
    double usual = 0.0;  // decisions of this window
  };
  // The holes of the open window: how many decisions came in the holes and how many were due there,
  // and how many came and were due from the start of the window to the end of the last hole.
  struct Holes {
    double seen = 0.0, due = 0.0;
    double came = 0.0, until = 0.0;
  };
  // The parts of the window that the forecast uses: their share of the usual decisions, and the
  // decisions that came in them.
  struct Level {
    double share = 0.0;
    double counted = 1.0;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  double elapsed(const WindowPlace& place) const;
  double bring(double now, double usual, const WindowPlace& place, std::int64_t ticks) const;
  double before(double over) const;  // sum of the profile up to this share of the window
  Past past(const WindowPlace& place) const;
  double due(int part, const WindowPlace& place) const;
  void find_holes(int part, const WindowPlace& place);
  Level level(const Past& past) const;
  static double forecast(double share, const Level& level, double now, double usual);
  Count current(int slot) const;
  void close();
  void add_up();

  double expected_ = 0.0;
  std::int64_t period_ = 0;
  bool started_ = false;    // whether any decision came
  double begin_ = 0.0;      // share of this window that was over before the first decision
  std::int64_t tick_ = -1;  // newest tick with decisions
  double in_tick_ = 0.0;    // decisions in that tick
  double now_ = 0.0;        // decisions in this window
  double keys_ = 0.0;       // accounts that had decisions in this window
  std::array<double, kParts> parts_{};    // decisions in every part of this window
  std::array<double, kParts> profile_{};  // decisions in every part of a usual window
  std::array<double, kParts> before_{};   // sums of profile_ up to every part
  double per_window_ = 0.0;               // sum of profile_ over all parts
  double windows_ = 0.0;                  // windows that the profile is made of
  double per_key_ = 0.0;                  // decisions of an account in a usual window
  // whether holes are found, as of rules 2; the next members are for holes
  bool sees_holes_ = true;
  std::array<double, kParts> known_{};          // windows that each part of the profile is made of
  // per part, whether it was in a hole in the last window
  std::array<double, kParts> missed_{};
  std::int64_t part_ = 0;                       // newest part with decisions
  Holes holes_;                                 // holes up to part_
  std::int64_t closed_ = -1;                    // last window with decisions
  double whole_ = 1.0;                          // share of that window outside its holes
  WeekProfile week_;                      // of calendar windows
  std::vector<Count> counts_;
};

}  // namespace rein
