// LevelTest: notices that outcomes lie higher or lower than predicted since some time.
//
// A change of the level is one number, and its size is fixed here. So it is seen after fewer outcomes
// than a change of d weights, which must be learned first. Per head there is one series over all
// actions, and one per set of parameters. With z = (y - p) / s, clipped to +-4, and `usual` the mean
// of z so far, over about the last 2000 outcomes of the series,
//
//     up   = max(0, up + 0.4 (z - usual) - 0.08)
//     down = max(0, down + 0.4 (usual - z) - 0.08)
//
// A change is noticed when one of them exceeds 14 + ln(heads). If z were normal with mean `usual` and
// variance 1, the exponentials of the sums would be martingales (Page, 1954). docs/alarm.md has the
// measured rate of false alarms. A change belongs to one set of parameters if the sum of that set's own
// series is at most ln 20 below the sum of the series of all actions; else it belongs to all of them.
// Errors that are always there are part of `usual`, so they are no change: those of a class that does not
// fit, of skewed outcomes that are clipped, and of actions that were chosen by optimistic scores.
//
// State: 6 numbers per series.
#pragma once

#include <cstdint>
#include <vector>

namespace rein {

class ByteReader;
class ByteWriter;

class LevelTest {
 public:
  // With a single set of parameters its series would equal the series of all actions, and is left out.
  LevelTest(int sets, int heads);

  static constexpr int kAll = -1;
  struct Found {
    int set = kAll;
    std::int64_t since = 0;  // number of the last outcome before the change
  };
  // Adds an outcome, which lies z standard deviations above its prediction. `now` counts the
  // outcomes of the head. Returns true if a change is noticed, and says where in `found`.
  bool look(int set, int head, double z, std::int64_t now, Found& found);
  // The set whose own sum is at most ln 20 below `sum`; kAll if no set has such a sum.
  int owner(int head, double sum) const;
  // Starts again, for one set or for all.
  void restart(int set);

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Sum {
    double value = 0.0;
    std::int64_t since = 0;
  };
  struct Series {
    double looks = 0.0;
    double usual = 0.0;
    Sum up, down;
  };
  bool add(Series& series, double z, std::int64_t now, std::int64_t& since) const;
  Series& at(int set, int head);
  const Series& at(int set, int head) const;

  int sets_;
  int heads_;
  double threshold_;
  std::vector<Series> series_;  // by set and head, those of all sets first
};

}  // namespace rein
