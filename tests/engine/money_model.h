// MoneyModel: budgets as docs/budgets.md states them, in a plain and slow form: a map of windows per
// budget and key, and the list of all decisions. It shares no code with src/money, not even the time
// zones, which the C library gives.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rein/budget.h"

namespace rein {

inline constexpr int kModelCosts = 2;
inline constexpr int kNobody = -1;  // the key of a budget for everybody, or of no scope

// A decision, with what each budget knows of it.
struct Deal {
  enum Status { kOpen, kLearned, kExpired, kCancelled };
  Status status = kOpen;
  std::int64_t at = 0;
  std::vector<int> keys;  // one per dimension
  std::array<std::int64_t, kModelCosts> largest{}, expected{};
  std::vector<std::int64_t> window;                               // one per budget
  std::array<std::optional<std::int64_t>, 1 + kModelCosts> came;  // the reward, then every cost
  std::optional<std::int64_t> cost(int i) const { return came[static_cast<std::size_t>(i) + 1]; }
};

class MoneyModel {
 public:
  struct Balance {
    std::int64_t limit = 0, spent = 0, held = 0;
    std::int64_t left() const { return limit - spent - held; }
  };
  struct Clock {
    std::int64_t number = 0, oldest = 0, first = 0, last = 0;
    std::int64_t width = 0;      // of the buckets of a rolling window
    std::int64_t first_day = 0;  // of the calendar window number 0
    bool opened = false;
  };

  // `costs` are the names of the costs.
  MoneyModel(std::vector<Budget> budgets, const std::vector<std::string>& costs, int most_keys);

  int size() const { return static_cast<int>(budgets_.size()); }
  const Budget& budget(int b) const { return budgets_[at(b)]; }
  const std::vector<std::string>& dimensions() const { return dimensions_; }
  const Clock& clock(int b) const { return clocks_[at(b)]; }
  bool hard(int b) const { return budget(b).kind == BudgetKind::kHard; }
  bool any(BudgetKind kind) const;
  bool applies(int b, const std::vector<int>& keys) const { return key(b, keys) != kNone; }
  std::int64_t over_holds(int b) const { return over_holds_[at(b)]; }
  Balance balance(int b, const std::vector<int>& keys) const;
  // The most that the hard budgets leave of a cost.
  std::int64_t left(int cost, const std::vector<int>& keys) const;
  bool has_room(const std::vector<int>& keys) const;

  void tick(std::int64_t now);
  void decide(Deal& deal);                                    // fills in deal.window
  void pay(const Deal& deal, int cost, std::int64_t micros);  // before deal.came says so
  void cancel(const Deal& deal);
  void expire(const Deal& deal);
  bool can_top_up(int b, const std::vector<int>& keys) const;
  void top_up(int b, const std::vector<int>& keys, std::int64_t micros);
  void set_amount(int b, std::int64_t micros);
  void set_own_amount(int b, const std::vector<int>& keys, std::optional<std::int64_t> micros);
  bool begin_window(int b);

  // By the definition of the windows alone: what all decisions of a window cost, and may still cost,
  // is at most its limit. Returns the name of a hard budget for which that does not hold, or nothing.
  // A budget that had a bill above its hold, or whose amount was lowered, is left out.
  std::string passed(const std::vector<Deal>& deals) const;

 private:
  static constexpr int kNone = -2;
  struct Sums {
    std::int64_t top = 0, spent = 0, held = 0;
  };
  struct Account {
    std::int64_t first = 0;
    std::int64_t topped = 0;  // by hand, less what was spent since
    std::map<std::int64_t, Sums> windows;
  };
  // A key that must stay: until a window of a budget ends, or (budget -1) until its money changes.
  struct Stays {
    int key = 0, budget = -1;
    std::int64_t until = 0;
  };
  struct Dimension {
    std::set<int> keys;
    std::map<int, int> open;   // their open decisions
    std::vector<int> order;    // those that leave, the next one first
    std::vector<Stays> stays;  // in the order in which that was found
  };
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  static std::int64_t counts(const Deal& deal, int cost);
  int dimension(int b) const { return scope_of_[at(b)]; }
  int key(int b, const std::vector<int>& keys) const;
  std::int64_t hold(int b, const Deal& deal) const;
  // Of the windows from `from` to `to`.
  std::int64_t amounts(int b, int key, std::int64_t from, std::int64_t to) const;
  std::int64_t amount(int b, int key, std::int64_t number) const;
  std::int64_t amount_now(int b, int key) const { return amount(b, key, clocks_[at(b)].number); }
  Balance balance_of(int b, int key, const Account& account) const;
  Account* account(int b, const Deal& deal);
  std::optional<Stays> stays(int dimension, int key) const;
  std::optional<Stays> stays_by(int b, int key) const;
  std::int64_t mark(int b) const;
  void take_off(int dimension, int key);
  void sort_in(int dimension, int key);
  void tidy();
  void look_again(int dimension);
  void end_windows(int b, std::int64_t before);
  bool waits(const Deal& deal, int but = -1) const;
  void free_keys(const Deal& deal, int by);
  void add(int dimension, int key);
  void advance();
  void advance_clocks();
  void shift(int b, std::int64_t by);  // numbers the windows of a budget so much higher
  void advance_calendar(int b);

  std::vector<Budget> budgets_;
  std::vector<int> cost_of_, scope_of_;  // per budget; scope_of_: its dimension, or -1
  std::vector<std::string> dimensions_;
  std::vector<Dimension> keys_;
  std::vector<Clock> clocks_;
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> amounts_;  // from a window on
  // The same of single keys; none: as the others from there on.
  std::vector<std::map<int, std::map<std::int64_t, std::optional<std::int64_t>>>> own_amounts_;
  std::vector<std::map<int, Account>> accounts_;                             // by key
  std::vector<std::map<std::pair<int, std::int64_t>, std::int64_t>> tops_;   // ever, by key, window
  std::vector<std::map<int, std::int64_t>> first_seen_;                      // the window, by key
  std::vector<std::int64_t> over_holds_;
  std::vector<bool> exempt_;  // from passed()
  int most_keys_;
  std::int64_t now_ = 0, round_ = 0;
};

}  // namespace rein
