// WindowSpend: what the decisions of every window of a budget cost. It adds up what the world
// charged for each decision, whether and whenever a bill came, and reads no account of the engine.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "rein/budget.h"
#include "rein/totals.h"

namespace rein {

class WindowSpend {
 public:
  explicit WindowSpend(Budget budget) : budget_(std::move(budget)) {}

  // A decision for this key, at this time, in this window of the budget, and what it cost.
  void add(std::int64_t key, std::int64_t now, std::int64_t window, double cost);
  // At the end of the run, when this window is open: it has ended only if it is the whole run.
  BudgetTotals totals(std::int64_t open) const;

 private:
  struct Track {  // of one key
    std::int64_t window = -1;
    double spent = 0.0;
    double limit = 0.0;
    std::int64_t first = 0;  // rolling: when its first decision was made
    std::deque<std::pair<std::int64_t, double>> recent;  // rolling: the costs in the window
  };
  struct Sums {
    double windows = 0.0, spent = 0.0, over = 0.0, under = 0.0;
    void close(const Track& track);
    void exceed(const Track& track);
  };
  void add_rolling(Track& track, std::int64_t now, double cost);

  Budget budget_;
  std::map<std::int64_t, Track> tracks_;  // by key
  Sums sums_;
};

}  // namespace rein
