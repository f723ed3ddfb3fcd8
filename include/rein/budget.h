// Budget: how much of one cost may be spent, in which window of time, and by whom.
//
//     rein::Budget{.name = "month", .cost = "dollars", .amount = 100,
//                  .window = rein::Window::month("Europe/Berlin")}
//     rein::Budget{.name = "all", .cost = "dollars", .amount = 1000, .rounds = 50'000}
//     rein::Budget{.name = "each tenant", .cost = "dollars", .amount = 10, .kind = rein::BudgetKind::kHard,
//                  .window = rein::Window::day(), .scope = "tenant"}
//
// Several budgets may limit the same cost. docs/budgets.md has the rules, each with an example.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rein/result.h"

namespace rein {

inline constexpr int kMaxBudgets = 16;  // budgets of one engine
inline constexpr int kMaxScopes = 4;    // dimensions, such as tenant and user
inline constexpr int kMaxKeyAmounts = 10'000;  // keys of one budget with an amount of their own
inline constexpr int kMaxKeptWindows = 400;    // windows that one account remembers: days of a year
inline constexpr int kMaxKeyName = 256;        // bytes of a key's name that can be kept

enum class BudgetKind {
  kSteer,  // paced by the price; may be exceeded a little
  kHard,   // spent + held never exceeds it
};

inline constexpr double kLeastQuantile = 0.9, kMostQuantile = 0.9999;

// The stretch of rounds or of time in which the amount may be spent.
struct Window {
  enum class Kind {
    kRun,      // the whole run
    kRounds,   // `length` decisions, then the next window begins
    kTicks,    // `length` ticks of the logical clock
    kRolling,  // at any time, the last `length` ticks
    kDay,   // calendar windows: a tick is a UTC second, and the window ends at midnight in `zone`
    kWeek,  // ... on Sunday
    kMonth,
  };
  Kind kind = Kind::kRun;
  std::int64_t length = 0;
  std::string zone = "UTC";  // a name of the time zone database, for calendar windows

  static Window run() { return {}; }
  static Window rounds(std::int64_t length) { return {Kind::kRounds, length, "UTC"}; }
  static Window ticks(std::int64_t length) { return {Kind::kTicks, length, "UTC"}; }
  static Window rolling(std::int64_t length) { return {Kind::kRolling, length, "UTC"}; }
  static Window day(std::string zone = "UTC") { return {Kind::kDay, 0, std::move(zone)}; }
  static Window week(std::string zone = "UTC") { return {Kind::kWeek, 0, std::move(zone)}; }
  static Window month(std::string zone = "UTC") { return {Kind::kMonth, 0, std::move(zone)}; }

  bool calendar() const { return kind >= Kind::kDay; }
  bool operator==(const Window&) const = default;
};

// The amount of one key of a scope.
struct KeyAmount {
  std::string key;
  double amount = 0.0;
  bool operator==(const KeyAmount&) const = default;
};

struct Budget {
  std::string name;
  std::string cost;     // the name of a cost of the shape
  double amount = 0.0;  // per window, in the units of the cost
  BudgetKind kind = BudgetKind::kSteer;
  Window window;
  // Whether the rest of a window, money or debt, is added to the next window.
  bool carry = false;
  // A dimension, such as "tenant": every key of the dimension has this budget. Empty: all decisions
  // share the budget.
  std::string scope;
  // The number of decisions that a window is expected to bring. 0: as many as earlier windows
  // brought. A steered budget over the whole run needs this number.
  std::int64_t rounds = 0;
  // Keys of the scope with an amount of their own; all others have `amount`.
  std::vector<KeyAmount> amounts = {};
  // How many windows an account remembers, the open one included. 0: 8, or 2 per key.
  int keep = 0;
  // Whether the names of the keys are kept, so that they can be listed. Otherwise only digests are
  // kept, and the names in `amounts`.
  bool named = false;
  // Of a hard budget, what is held for an open decision. 0: its largest cost. Otherwise the quantile of the
  // bill that was learned, from kLeastQuantile to kMostQuantile, and a reserve (docs/holds.md).
  double hold_quantile = 0.0;

  bool operator==(const Budget&) const = default;
};

// A budget as a text, with the words of Python's rein.Budget: the name, then its options.
//
//     day(amount=5,cost=dollars,hard=1,per="24 ticks")
//     tenants(amount=5,amounts=["acme=25","beta=15"],cost=dollars,per=day,scope=tenant)
//
// amount and cost are required. per is run (the default), day, week, month, "500 rounds",
// "3600 ticks" or "last 3600 ticks". Others: kind, hard, hold, zone, carry, scope, rounds, amounts,
// keep, named, and name for a name that is not a word.
Result<Budget> parse_budget(std::string_view text);
// Parses back to the same budget.
std::string to_text(const Budget& budget);
// The window in the words of per=.
std::string per_of(const Window& window);
// What a hard budget holds in the words of hold=: "largest" or "quantile(0.999)".
std::string hold_of(const Budget& budget);
// The quantile of these words, 0 for largest.
Result<double> parse_hold(std::string_view text);

// Who a decision is for: a dimension and a key of it.
struct Scope {
  std::string_view dimension;
  std::string_view key;
};

// A key as records and snapshots hold it: a digest of its name, by which it cannot be read.
struct KeyDigest {
  std::uint64_t low = 0, high = 0;
  bool empty() const { return low == 0 && high == 0; }
  bool operator==(const KeyDigest&) const = default;
};
// The name of a key of a decision, for those who list keys.
struct KeyName {
  int dimension = 0;  // its index among the scopes of the budgets
  std::string name;
  bool operator==(const KeyName&) const = default;
};
// The keys of a decision, one per dimension; an empty key where the decision names none.
using ScopeKeys = std::array<KeyDigest, kMaxScopes>;

// A calendar window: its number since the first one, and its first and last second.
struct CalendarWindow {
  std::int64_t number = 0;
  std::int64_t first = 0, last = 0;
  bool operator==(const CalendarWindow&) const = default;
};

}  // namespace rein
