// Budgets: the money of all budgets of an engine: what is spent, held and left, in whole coins
// (money/micros.h): micro-units, or finer.
//
//     take(keys, holds)          when a decision is made
//     pay(claim, cost, amount)   when the bill of one cost comes, in time or late
//     give_up / expire           when it will not
//     paces(keys, expected)      how fast each cost may be spent, before a decision
//
// A claim says where the money of a decision belongs: to which keys, and to which window of each
// budget. A bill corrects that window, whenever it comes.
//
// A hard budget holds the largest cost of the action, a steered one the expected cost. For every
// hard budget, after every call: spent + held <= limit, as long as no bill exceeds its hold. A bill
// above its hold is booked in full and counted (over_holds); the budget may then have nothing left.
//
// A hard budget with a hold_quantile holds less: a quantile of the bill, and once per account a reserve
// (money/reserves.h). So spent + held + reserve <= limit after take(). A bill above its hold is counted in
// passed_holds, and in over_holds only if it is above the largest cost too. docs/holds.md has what follows.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "money/account.h"
#include "money/arrivals.h"
#include "money/clock.h"
#include "money/keys.h"
#include "money/reserves.h"
#include "rein/budget.h"
#include "rein/shape.h"

namespace rein {

struct Holds {
  Micros largest{};   // at least 0
  Micros learned{};   // at most the largest; used by budgets that hold a quantile of the bill
  Micros expected{};  // at least 0
};

struct Claim {
  ScopeKeys keys{};
  Holds holds;
  std::array<std::int64_t, kMaxBudgets> periods{};
  std::uint32_t waiting = 0;      // one bit per cost whose bill has not come
  // one bit per cost whose hard hold counts as spent until its bill comes
  std::uint32_t provisional = 0;
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

// How fast each cost may be spent under the tightest budget that applies: the amount per decision,
// and what is left of that budget. In the units of the cost; at least 0; infinite where no budget
// applies. Only the first entries are set, one per cost of the shape.
struct Paces {
  std::array<double, kMaxCosts> pace;
  std::array<double, kMaxCosts> left;
};

class Budgets {
 public:
  // windows that a budget without scope remembers, the open window included
  static constexpr int kKeptWindows = 8;
  static constexpr int kKeptPerKey = 2;   // the same number per key of a budget with scope
  static constexpr int kBuckets = 64;     // buckets of a rolling window
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

  // Budgets that hold quantiles of bills. passed_holds(): bills that were above the quantile held. reserve():
  // of an account, in coins. quantile(): that of the budgets on this cost; 0: none of them has one.
  bool any_learned() const { return any_learned_; }
  double quantile(int cost) const { return quantiles_[at(cost)]; }
  std::int64_t passed_holds(int i) const { return lines_[at(i)].passed_holds; }
  Micro reserve(int i, const ScopeKeys& keys) const;
  // How much of every cost these budgets leave for learned holds: less than left() by the reserves. kNoLimit
  // for a cost without such a budget.
  Micros left_for_learned(const ScopeKeys& keys) const;

  // Time. A calendar window that has ended must be opened before advance().
  bool needs_window(int i, std::int64_t now) const { return clock(i).needs_window(now); }
  // The first budget that needs a window; -1: none.
  int needs_window(std::int64_t now) const { return any_calendar_ ? find_needing(now) : -1; }
  Result<> check_window(int i, const CalendarWindow& window, std::int64_t now) const {
    return clock(i).check_open(window, now);
  }
  void open_window(int i, const CalendarWindow& window) { lines_[at(i)].clock.open(window); }
  void advance(std::int64_t round, std::int64_t now);
  // Like advance(), when the clock is set for the first time, before any decision: the first
  // windows begin at this time. Otherwise `carry` would add the windows since tick 0.
  void begin(std::int64_t now);
  // Before rules 2, the accounts for everybody opened in period 0. Takes back what `carry` granted for
  // the windows in ticks before `began`, of the amount that the budget was made with.
  void take_back_before(int i, std::int64_t began, double amount);
  // From rules 2 on: forecasts leave out the holes of outages.
  void see_holes();
  // The clock was set back to this time. A calendar window that begins later must be replaced by
  // open_window() before. Call put_back() for every claim afterwards: it then belongs to the window
  // of this time or to an earlier one. No account has more left than before, nor more than its
  // amount.
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
  // The balance of the account that a decision with these keys would use; of a fresh account if the
  // key is new.
  Accounts::Balance balance(int i, const ScopeKeys& keys) const;
  // The first tick at which this account has `amount` left, if nothing is booked meanwhile: the end
  // of its window, or the tick at which enough spend has left a rolling window. -1: there is no
  // such tick.
  std::int64_t fits_at(int i, const ScopeKeys& keys, Micro amount) const;
  // What a budget for everybody has allowed so far, in coins: the amounts of the windows that have ended,
  // top-ups included, and of the open window the part that has passed. -1 for budgets per key and rolling
  // windows, which have no such plan (plan.cc).
  MicroSum allowed(int i) const;
  // All windows of an account that are remembered.
  std::vector<Period> windows(int i, const ScopeKeys& keys) const;
  bool any_calendar() const { return any_calendar_; }
  // Whether budget i is hard and applies to a decision with these keys.
  bool limits(int i, const ScopeKeys& keys) const {
    return lines_[at(i)].hard() && applies(i, keys);
  }
  // What budget i has left, at least 0. And how much of every cost all hard budgets leave; kNoLimit for a
  // cost without a hard budget.
  Micro left(int i, const ScopeKeys& keys) const;
  Micros left(const ScopeKeys& keys) const;
  // REQUIRES the option paced. `expected` is what all open decisions are expected to cost: a hard
  // budget for everybody holds more than that.
  void paces(const ScopeKeys& keys, const Costs& expected, Paces& out) const;
  // The pace of a single budget: the amount per decision, and how many decisions its window still
  // brings.
  struct Pace {
    double pace = 0.0;
    double rounds = 0.0;
    double left = 0.0;
    bool past = false;  // the run is longer than its number of rounds
  };
  Pace pace(int i, const ScopeKeys& keys, const Costs& expected) const;
  // Answers kFull if a key is new and every place is taken by a key that must stay (leaving.cc).
  Result<> has_room(const ScopeKeys& keys) const;

  // REQUIRES has_room(keys), claim.holds, that claim.holds.largest fits left(keys), and that the learned
  // holds fit left_for_learned(keys). Writes the rest
  // of the claim: only what this number of costs and budgets needs, as every call of it does.
  void take(const ScopeKeys& keys, Claim& claim);
  Claim take(const ScopeKeys& keys, const Holds& holds) {
    Claim claim{.holds = holds};
    take(keys, claim);
    return claim;
  }
  // Books the bill of a cost, which replaces its hold, or what expire() booked in its place.
  // Returns whether the bill was above its hold. REQUIRES that the cost is waiting or provisional.
  bool pay(Claim& claim, int cost, MicroSum amount);
  // Nothing was bought: the hold is released, nothing is booked.
  void give_up(Claim& claim, int cost);
  // The bill did not come in time: a hard hold counts as spent until the bill comes, a steered hold
  // is released.
  void expire(Claim& claim, int cost);

  void top_up(int i, const ScopeKeys& keys, Micro amount);
  Result<> set_amount(int i, double amount);  // of all keys without an amount of their own
  // Amounts per key (key_amounts.cc). set_key_amount() gives a key an amount of its own; NaN: it has
  // the amount of the others again. `name` is shown for the key; it may be empty.
  Result<> set_key_amount(int i, const ScopeKeys& keys, double amount, std::string_view name);
  Budget present(int i) const;  // with the amounts of now; keys are named where their names are known
  bool has_own_amount(int i, const KeyDigest& key) const;

  // Names of keys (key_amounts.cc), where a budget of the scope keeps them. new_names(): those of a
  // decision that are not known yet.
  bool any_named() const { return any_named_; }
  void new_names(std::span<const Scope> scopes, const ScopeKeys& keys,
                 std::vector<KeyName>& out) const;
  // Refuses a name that is not the name of its key, or that is not kept.
  Result<> check_names(const ScopeKeys& keys, std::span<const KeyName> names) const;
  // Keeps the names of keys that have money of their own.
  void keep_names(const ScopeKeys& keys, std::span<const KeyName> names);

  // The keys of a budget with a scope, by the slots of their accounts.
  int keys(int i) const { return dimensions_[at(lines_[at(i)].dimension)].keys.size(); }
  KeyDigest key(int i, int slot) const {
    return dimensions_[at(lines_[at(i)].dimension)].keys.key(slot);
  }
  std::string_view name_of_key(int i, int slot) const;  // "" if it is not known
  // The same by the keys of a decision, and the dimension of a budget; -1: it is for everybody.
  std::string_view name_of_keys(int i, const ScopeKeys& keys) const;
  int dimension_of(int i) const { return lines_[at(i)].dimension; }
  int dimension_named(std::string_view name) const;  // -1: no budget has it
  Accounts::Balance balance_of(int i, int slot) const { return lines_[at(i)].accounts.balance(slot); }
  std::vector<Period> windows_of(int i, int slot) const;
  Result<> set_rounds(int i, double rounds);  // that a window is expected to bring

  // The keys of each dimension.
  struct Fill {
    std::string dimension;
    int keys = 0;
    int most = 0;
    int in_use = 0;           // those with open decisions
    std::int64_t sorted = 0;  // how often a key was tested for whether it may leave
  };
  std::vector<Fill> fill() const;
  // The tick at which a place for these keys may become free, if no bill comes before: the end of a
  // window, or `expires`, the tick at which the oldest open decision expires (-1: never). The
  // result is at least `now`; -1: unknown.
  std::int64_t room_at(const ScopeKeys& keys, std::int64_t now, std::int64_t expires) const;
  // Sets whether records are folded by rules before 2, under which keys leave in the order of their
  // use. Call it before load(), and when the rules change to the newest.
  void leave_by_use(bool by_use) { by_use_ = by_use; }
  void adopt_lists();

  void save(ByteWriter& out) const;  // without holds: claims are saved where decisions are
  Result<> load(ByteReader& in);
  // Restores the holds of a claim; call it after load() for every claim. Refuses a claim whose key
  // is not there.
  Result<> restore_hold(const Claim& claim);
  // Call it after the last restore_hold(). It changes a state only if that was saved before keys
  // were on lists.
  void tidy();

 private:
  struct OwnAmount {
    Micro micros = 0;
    double amount = 0.0;
    std::string name;
  };
  struct DigestOrder {
    bool operator()(const KeyDigest& a, const KeyDigest& b) const {
      return a.high != b.high ? a.high < b.high : a.low < b.low;
    }
  };
  struct Line {
    Budget budget;
    int cost = 0;
    int dimension = -1;  // -1: everybody
    int list = 0;        // the first of the kLists lists of keys that wait for its window
    WindowClock clock;
    Accounts accounts;
    Arrivals arrivals;  // counted if paced
    std::int64_t over_holds = 0;
    std::int64_t passed_holds = 0;
    Reserves reserves;  // of a budget that learns its holds
    double coins = kMicrosInOne;  // coins in a unit of its cost
    std::map<KeyDigest, OwnAmount, DigestOrder> own;  // keys with an amount of their own
    MicroSum granted = 0;  // of a budget for everybody: by all windows so far, the open one included
    double tighter = 0.0;  // of a budget for everybody: the share of recent decisions whose key
    double tighter_spend = 0.0;  // has less, and what those may spend, as a share of all
    bool hard() const { return budget.kind == BudgetKind::kHard; }
    bool learns() const { return budget.hold_quantile != 0.0; }
  };
  struct Dimension {
    std::string name;
    Keys keys;
    bool named = false;              // whether names of keys are kept
    std::vector<std::string> names;  // by slot, if they are
    std::vector<int> lines;   // its budgets, those with the longest window first
    std::int64_t sorted = 0;  // see Fill; not saved
  };
  static constexpr int kLists = kBucketsPerKey;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::uint32_t bit(int cost) { return std::uint32_t{1} << cost; }
  static Result<Line> line_of(const Budget& budget, const Shape& shape, const Coins& coins);
  int find_needing(std::int64_t now) const;
  static Result<Micro> amount_in_coins(const Line& line, double amount);
  Result<> give_amounts(Line& line) const;  // those of its budget
  // The amount of a key: its own, or Accounts::kCommon.
  static Micro own_amount(const Line& line, const KeyDigest& key);
  // What an account of this key would have that is not here.
  Micro amount_of(const Line& line, const ScopeKeys& keys) const;
  void grant(Line& line, std::int64_t windows);
  void save_own(const Line& line, ByteWriter& out) const;
  void load_own(Line& line, ByteReader& in) const;
  // The slot of the account, or Keys::kNone if the key is not here.
  int slot(const Line& line, const ScopeKeys& keys) const;
  // Which key leaves (leaving.cc).
  void make_lists();
  // The list that a key without open decisions belongs to.
  int list_of(Dimension& dimension, int slot) const;
  void sort_in(Dimension& dimension, int slot);
  // Sorts keys until the first key of list 0 is one that may leave.
  void tidy(Dimension& dimension);
  // Windows ended: those since accounts.mark() was `before`.
  void end_windows(const Line& line, std::int64_t before);
  // Tests the waiting keys again, after the events that they wait for have changed.
  void look_again(Dimension& dimension);
  bool busy_by_use(const Dimension& dimension, int slot) const;
  bool has_room(const Dimension& dimension) const;
  bool has_room(const Dimension& dimension, const KeyDigest& key) const {
    return key.empty() || dimension.keys.find(key) != Keys::kNone || has_room(dimension);
  }
  int add_key(int d, const KeyDigest& key);
  // use_keys(): a decision of these keys begins. free_keys(): a decision ends (by -1), or the money
  // of an ended decision changed (by 0).
  void use_keys(const ScopeKeys& keys);
  void free_keys(const ScopeKeys& keys, int by);
  std::int64_t leaves_at(const Dimension& dimension) const;
  // Where the window is.
  WindowPlace place(const Line& line) const;
  Pace plain_pace(int i, const ScopeKeys& keys, const Costs& expected) const;
  // The factor by which a budget without scope may give more to a decision, because other decisions
  // are held back by the budgets of their keys.
  static double share_of_others(const Line& line);
  void note_keys(const ScopeKeys& keys);
  Pace rolling_pace(const Line& line, int account, Micro amount, double left) const;
  Micro held(const Line& line, const Claim& claim) const {
    return (!line.hard()    ? claim.holds.expected
            : line.learns() ? claim.holds.learned
                            : claim.holds.largest)[at(line.cost)];
  }
  static Micro excess(const Line& line, const Claim& claim) {
    return claim.holds.largest[at(line.cost)] - claim.holds.learned[at(line.cost)];
  }
  // Ends the hold of a claim that waits for this bill.
  void release(Line& line, int account, const Claim& claim, std::int64_t period);
  // A claim whose last bill came no longer keeps its keys.
  void settle(Claim& claim, int cost);

  std::vector<Line> lines_;
  std::vector<Dimension> dimensions_;
  BudgetOptions options_;
  std::uint32_t counted_ = 0;  // one bit per cost that a budget limits
  bool by_use_ = false;
  bool any_named_ = false;
  bool any_hard_ = false, any_steered_ = false, any_calendar_ = false;
  bool any_learned_ = false;
  std::array<double, kMaxCosts> quantiles_{};
  std::size_t costs_ = 0;             // of the shape
  bool nested_ = false;               // some budgets are for everybody, and some per key
  std::int64_t round_ = 0, now_ = 0;  // of the last advance()
  std::int64_t began_ = 0;            // the time of begin()
};

}  // namespace rein
