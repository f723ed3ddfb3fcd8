// Callers: who reports outcomes, and what of it may be learned. A caller who reports absurd numbers, or always
// the same one, must not steer a model for all others.
//
// For each caller the extremes of its recent reports are kept: rewards over all actions, costs per action. A
// report is compared with those of the other callers: the medians over them of the smallest and the largest
// value, and a margin. What is beyond is learned as that bound. A caller is suspect, and nothing of it is
// learned until its reports are plausible again and half of all of them came since, if
//
//     more than a quarter of its last reports were beyond the bounds, or
//     its rewards repeat one value so often that it would happen by chance once in a thousand million times,
//     by how often the others report that value.
//
// Money is counted as reported, always. Assumption: more than half of the callers are honest; with fewer than
// two others that are known nothing is compared. Everything is a fold over reports, of + - * / and
// comparisons: same reports, same bits.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "rein/round.h"
#include "serve/json_in.h"

namespace rein::serve {

struct CallersPlan {
  std::string by;          // "token", or the dimension of a scope; empty: nobody is compared
  double margin = 0.25;    // of the span of the others' reports: how far beyond it a report may be
  double most_share = 1.0; // of what is learned about an action: the most that one caller brings
  bool on() const { return !by.empty(); }
};

// One outcome, or parts of it, as the note of its entry has it.
struct Report {
  std::string caller;
  std::int32_t action = 0;
  Outcome outcome;  // missing parts are kMissing
  bool learned = true;
};
std::string report_text(const Report& report);
Report read_report(const Json& note);

class Callers {
 public:
  static constexpr std::size_t kMostCallers = 256;  // further ones count together, as "*"
  static constexpr std::size_t kMostCells = 1024;   // of one caller: actions times costs

  bool empty() const { return callers_.empty(); }
  // What may be learned of a report.
  Outcome lesson(const CallersPlan& plan, const Report& report) const;
  void report(const CallersPlan& plan, const Report& report);

  struct State {
    std::string name;
    std::int64_t reports = 0;
    double beyond = 0.0;   // share of the last reports that were beyond the bounds
    std::string suspect;   // why; empty: it is not
    bool told = false;     // people were told that it is suspect
  };
  std::vector<State> states() const;
  std::string suspect(const std::string& caller) const;  // why; empty: it is not
  // People were told that a caller is suspect, or no longer.
  void told(const std::string& caller, bool suspect);
  void forgive(const std::string& caller);  // its suspicion ends

  void write(JsonWriter& json) const;
  void read(const Json& saved);

 private:
  // The extremes of the last kBlock to 2 kBlock values.
  struct Cell {
    static constexpr std::int64_t kBlock = 64;
    double low = 0.0, high = 0.0, low_before = 0.0, high_before = 0.0;
    std::int64_t count = 0, count_before = 0;
    void add(double value);
    std::int64_t known() const { return count + count_before; }
    double least() const;
    double most() const;
  };
  static constexpr std::size_t kRing = 32;  // last rewards
  struct Caller {
    State state;
    std::map<std::int64_t, Cell> cells;  // by cell_of()
    std::vector<double> rewards;         // a ring
    std::int64_t rewarded = 0;
    double luck = 1.0;  // the probability of the run of equal rewards
    std::int64_t since = 0, changes = 0;  // reports, and other rewards than before, since it is suspect
  };
  struct Bounds {
    bool known = false;
    double low = 0.0, high = 0.0;
  };
  struct Share {
    double total = 0.0;
    std::map<std::string, double> by;
  };

  static std::int64_t cell_of(std::int32_t action, int cost);
  const std::string& place_of(const std::string& name) const;  // its own, or that of all further ones
  Bounds bounds(const CallersPlan& plan, const std::string& caller, std::int64_t cell) const;
  double share_with(const std::string& caller, double value) const;
  void count_reward(const CallersPlan& plan, Caller& caller, double reward);
  bool over_share(const CallersPlan& plan, const std::string& caller, std::int32_t action) const;
  static void judge(Caller& caller);

  std::map<std::string, Caller> callers_;
  std::map<std::int32_t, Share> shares_;  // of what was learned, by action
};

}  // namespace rein::serve
