// Budgets: the money of all budgets of an engine: what is spent, held and left, in whole coins
// (money/micros.h): micro-units, or finer.
//
//     take(keys, holds)          when a decision is made
//     pay(claim, cost, amount)   when the bill of one cost comes, in time or late
//     give_up / expire           when it will not
//     paces(keys, expected)      how fast each cost may be spent, before a decision
//
// A claim says where the money of a decision belongs: whose it is, and in which window each budget
// was when it was made. A bill corrects that window, whenever it comes.
//
// A hard budget holds the largest cost of the action, a steered one the expected cost. For every hard
// budget, after every call: spent + held <= limit, as long as no bill exceeds its hold. A bill that
// does is booked in full, and counted (over_holds): such a budget then has nothing left.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "money/account.h"
#include "money/arrivals.h"
#include "money/clock.h"
#include "money/keys.h"
#include "rein/budget.h"
#include "rein/shape.h"

namespace rein {

struct Holds {
  Micros largest{};   // at least 0
  Micros expected{};  // at least 0
};

struct Claim {
  ScopeKeys keys{};
  Holds holds;
  std::array<std::int64_t, kMaxBudgets> periods{};
  std::uint32_t waiting = 0;      // one bit per cost whose bill has not come
  std::uint32_t provisional = 0;  // one bit per cost whose hard hold counts as spent until it comes
};

struct BudgetOptions {
  int most_keys = 100'000;   // per dimension
  std::uint64_t secret = 0;  // digests of keys depend on it
  bool paced = false;        // count arrivals, so that paces() can be asked
  Coins coins;
};

// Coins in which amounts are at least 10^10, so that a decision's share of a window is counted
// exactly enough; micro-units where they do. `largest` is the most that must be countable.
double coins_for(double least_amount, double largest);

// How fast the tightest of the budgets that apply lets each cost be spent: the amount per decision,
// and what is left of it. In the units of the cost; at least 0; infinite where none applies. Only the
// first entries are set, one per cost of the shape.
struct Paces {
  std::array<double, kMaxCosts> pace;
  std::array<double, kMaxCosts> left;
};

class Budgets {
 public:
  static constexpr int kKeptWindows = 8;  // closed windows and the open one, of a budget for all
  static constexpr int kKeptPerKey = 2;   // ... of a budget per key
  static constexpr int kBuckets = 64;     // of a rolling window
  static constexpr int kBucketsPerKey = 8;

  Budgets() = default;
  static Result<Budgets> make(std::span<const Budget> budgets, const Shape& shape,
                              const BudgetOptions& options = {});

  int size() const { return static_cast<int>(lines_.size()); }
  bool empty() const { return lines_.empty(); }
  const Budget& budget(int i) const { return lines_[at(i)].budget; }
  int cost(int i) const { return lines_[at(i)].cost; }
  int find(std::string_view name) const;  // -1 if there is none
  const WindowClock& clock(int i) const { return lines_[at(i)].clock; }
  double coins(int cost) const { return options_.coins.of(cost); }
  bool counts(int cost) const { return (counted_ & bit(cost)) != 0; }  // whether any limits it
  bool any_hard() const { return any_hard_; }
  bool any_steered() const { return any_steered_; }
  // Bills that were above their hold, of a hard budget.
  std::int64_t over_holds(int i) const { return lines_[at(i)].over_holds; }

  // Time. A calendar window that has ended must be opened before advance().
  bool needs_window(int i, std::int64_t now) const { return clock(i).needs_window(now); }
  // The first such budget; -1: none.
  int needs_window(std::int64_t now) const { return any_calendar_ ? find_needing(now) : -1; }
  Result<> check_window(int i, const CalendarWindow& window, std::int64_t now) const {
    return clock(i).check_open(window, now);
  }
  void open_window(int i, const CalendarWindow& window) { lines_[at(i)].clock.open(window); }
  void advance(std::int64_t round, std::int64_t now);
  // The same when the clock is set for the first time, before any decision: the first windows are
  // those of this time. Without it, `carry` would add the windows since tick 0.
  void begin(std::int64_t now);
  // Before rules 2, the accounts for everybody opened in period 0. Takes back what `carry` granted for
  // the windows in ticks before `began`, of the amount that the budget was made with.
  void take_back_before(int i, std::int64_t began, double amount);
  // From rules 2 on: forecasts leave out the holes of outages.
  void see_holes();
  // The clock was set back to this time. A calendar window that begins later must be replaced by
  // open_window() before. Then put_back() for every claim: it now belongs to no later window than
  // the one of this time. No account has more left than before, nor than its amount.
  struct SetBack {
    std::array<std::int64_t, kMaxBudgets> period{};       // the open one of each budget
    std::array<std::vector<bool>, kMaxBudgets> counted;  // of each account, see Accounts::set_back()
  };
  SetBack set_back(std::int64_t round, std::int64_t now);
  void put_back(const SetBack& back, Claim& claim);
  Result<> begin_anew(int i, std::int64_t round, std::int64_t now);

  // Refuses a dimension that no budget has, and one that is named twice.
  Result<ScopeKeys> keys_of(std::span<const Scope> scopes) const;
  // Whether budget i applies to a decision with these keys.
  bool applies(int i, const ScopeKeys& keys) const;
  // Of the account that a decision with these keys would use; a fresh one if the key is new.
  Accounts::Balance balance(int i, const ScopeKeys& keys) const;
  // The tick from which on such an account has `amount` left, if nothing is booked meanwhile: when its
  // window ends, or when enough of what was spent has left a rolling one. -1: time alone brings it not.
  std::int64_t fits_at(int i, const ScopeKeys& keys, Micro amount) const;
  // Of one account, all windows that are remembered.
  std::vector<Period> windows(int i, const ScopeKeys& keys) const;
  bool any_calendar() const { return any_calendar_; }
  // What the hard budgets leave of every cost, at least 0; kNoLimit for a cost without one.
  Micros left(const ScopeKeys& keys) const;
  // REQUIRES the option paced. `expected` is what all open decisions are expected to cost: a hard
  // budget for everybody holds more than that.
  void paces(const ScopeKeys& keys, const Costs& expected, Paces& out) const;
  // Of one budget: the amount per decision, and the decisions that its window still brings.
  struct Pace {
    double pace = 0.0;
    double rounds = 0.0;
    double left = 0.0;
    bool past = false;  // the run is longer than was said
  };
  Pace pace(int i, const ScopeKeys& keys, const Costs& expected) const;
  // kFull if a key is new, and every place is taken by one that must stay (leaving.cc).
  Result<> has_room(const ScopeKeys& keys) const;

  // REQUIRES has_room(keys), claim.holds, and that claim.holds.largest fits left(keys). Writes the rest
  // of the claim: only what this number of costs and budgets needs, as every call of it does.
  void take(const ScopeKeys& keys, Claim& claim);
  Claim take(const ScopeKeys& keys, const Holds& holds) {
    Claim claim{.holds = holds};
    take(keys, claim);
    return claim;
  }
  // The bill of one cost: replaces the hold, or what expire() booked for it. Returns whether it was
  // above its hold. REQUIRES that the cost is waiting or provisional.
  bool pay(Claim& claim, int cost, MicroSum amount);
  // Nothing was bought: the hold is released, nothing is booked.
  void give_up(Claim& claim, int cost);
  // The bill did not come in time: a hard hold counts as spent until it does, a steered one is
  // released.
  void expire(Claim& claim, int cost);

  void top_up(int i, const ScopeKeys& keys, Micro amount);
  Result<> set_amount(int i, double amount);
  Result<> set_rounds(int i, double rounds);  // that a window is expected to bring

  // The keys of each dimension.
  struct Fill {
    std::string dimension;
    int keys = 0;
    int most = 0;
    int in_use = 0;           // those with open decisions
    std::int64_t sorted = 0;  // how often one was looked at, to know whether it may leave
  };
  std::vector<Fill> fill() const;
  // The tick at which a place for these keys may be free, if no bill comes before: when a window ends,
  // or at `expires`, when the oldest open decision does (-1: never). -1: nobody knows. Not before `now`.
  std::int64_t room_at(const ScopeKeys& keys, std::int64_t now, std::int64_t expires) const;
  // Whether records are folded by rules before 2, under which keys leave in the order of their use; to
  // be said before load(). And the change to the newest rules.
  void leave_by_use(bool by_use) { by_use_ = by_use; }
  void adopt_lists();

  void save(ByteWriter& out) const;  // without holds: claims are saved where decisions are
  Result<> load(ByteReader& in);
  // After load(), for every claim. Refuses one whose key is not there.
  Result<> restore_hold(const Claim& claim);
  // After that. Changes nothing, unless the state was saved before keys were on lists.
  void tidy();

 private:
  struct Line {
    Budget budget;
    int cost = 0;
    int dimension = -1;  // -1: everybody
    int list = 0;        // the first of the kLists lists of keys that wait for its window
    WindowClock clock;
    Accounts accounts;
    Arrivals arrivals;  // counted if paced
    std::int64_t over_holds = 0;
    double coins = kMicrosInOne;  // in one unit of its cost
    double tighter = 0.0;  // of a budget for everybody: the share of recent decisions whose key
    double tighter_spend = 0.0;  // has less, and what those may spend, as a share of all
    bool hard() const { return budget.kind == BudgetKind::kHard; }
  };
  struct Dimension {
    std::string name;
    Keys keys;
    std::vector<int> lines;   // its budgets, those with the longest window first
    std::int64_t sorted = 0;  // see Fill; not saved
  };
  static constexpr int kLists = kBucketsPerKey;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::uint32_t bit(int cost) { return std::uint32_t{1} << cost; }
  static Result<Line> line_of(const Budget& budget, const Shape& shape, const Coins& coins);
  int find_needing(std::int64_t now) const;
  // The slot of the account, or Keys::kNone if the key is not here.
  int slot(const Line& line, const ScopeKeys& keys) const;
  // Which key leaves (leaving.cc).
  void make_lists();
  // The list that a key without open decisions belongs to.
  int list_of(Dimension& dimension, int slot) const;
  void sort_in(Dimension& dimension, int slot);
  // Makes the first key of list 0 one that may leave.
  void tidy(Dimension& dimension);
  // Windows ended: those since accounts.mark() was `before`.
  void end_windows(const Line& line, std::int64_t before);
  // What keys wait for has changed.
  void look_again(Dimension& dimension);
  bool busy_by_use(const Dimension& dimension, int slot) const;
  bool has_room(const Dimension& dimension) const;
  bool has_room(const Dimension& dimension, const KeyDigest& key) const {
    return key.empty() || dimension.keys.find(key) != Keys::kNone || has_room(dimension);
  }
  int add_key(int d, const KeyDigest& key);
  // A decision of these keys begins. And one ends, or the money of one changed that had ended (by 0).
  void use_keys(const ScopeKeys& keys);
  void free_keys(const ScopeKeys& keys, int by);
  std::int64_t leaves_at(const Dimension& dimension) const;
  // Where the window is.
  WindowPlace place(const Line& line) const;
  Pace plain_pace(int i, const ScopeKeys& keys, const Costs& expected) const;
  // What a budget for everybody may give to a decision, because others are held back by their keys.
  static double share_of_others(const Line& line);
  void note_keys(const ScopeKeys& keys);
  Pace rolling_pace(const Line& line, int account, double left) const;
  Micro held(const Line& line, const Claim& claim) const {
    return (line.hard() ? claim.holds.largest : claim.holds.expected)[at(line.cost)];
  }
  // A claim whose last bill came no longer keeps its keys.
  void settle(Claim& claim, int cost);

  std::vector<Line> lines_;
  std::vector<Dimension> dimensions_;
  BudgetOptions options_;
  std::uint32_t counted_ = 0;  // one bit per cost that is limited
  bool by_use_ = false;
  bool any_hard_ = false, any_steered_ = false, any_calendar_ = false;
  std::size_t costs_ = 0;             // of the shape
  bool nested_ = false;               // some budgets are for everybody, and some per key
  std::int64_t round_ = 0, now_ = 0;  // of the last advance()
};

}  // namespace rein
