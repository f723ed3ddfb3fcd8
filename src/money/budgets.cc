#include "money/budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/check.h"
#include "money/calendar.h"

namespace rein {
namespace {

Result<> check_rules(const Budget& b) {
  const bool counted = b.window.kind == Window::Kind::kRounds ||
                       b.window.kind == Window::Kind::kTicks ||
                       b.window.kind == Window::Kind::kRolling;
  constexpr std::int64_t kLongest = std::int64_t{1} << 53;
  if (counted && (b.window.length < 1 || b.window.length > kLongest)) {
    return Error{
        fmt::format("budget \"{}\": found a window of {}; accepted: 1 to 2^53 rounds or ticks",
                    b.name, b.window.length)};
  }
  if (b.rounds < 0 || b.rounds > kLongest) {
    return Error{
        fmt::format("budget \"{}\": found rounds = {}; accepted: 1 to 2^53, or 0: not known",
                    b.name, b.rounds)};
  }
  if (b.keep != 0 && (b.keep < 2 || b.keep > kMaxKeptWindows ||
                      b.window.kind == Window::Kind::kRolling)) {
    return Error{fmt::format("budget \"{}\": found keep = {}; accepted: 2 to {} windows, for windows "
                             "that end (no rolling one), or 0: the usual number",
                             b.name, b.keep, kMaxKeptWindows)};
  }
  if (b.scope.empty() && (b.named || !b.amounts.empty())) {
    return Error{fmt::format("budget \"{}\": found {} without a scope; accepted: a scope, such as "
                             "tenant, whose keys they are about",
                             b.name, b.named ? "named" : "amounts of keys")};
  }
  if (b.amounts.size() > static_cast<std::size_t>(kMaxKeyAmounts)) {
    return Error{fmt::format("budget \"{}\": found {} amounts of keys; accepted: at most {}", b.name,
                             b.amounts.size(), kMaxKeyAmounts)};
  }
  if (b.hold_quantile != 0.0 &&
      (b.kind != BudgetKind::kHard ||
       !(b.hold_quantile >= kLeastQuantile && b.hold_quantile <= kMostQuantile))) {
    return Error{fmt::format("budget \"{}\": found hold={}{}; accepted: largest, or for hard budgets "
                             "quantile(q) with q from {} to {}",
                             b.name, hold_of(b), b.kind == BudgetKind::kHard ? "" : " of a budget that steers",
                             kLeastQuantile, kMostQuantile)};
  }
  if (b.window.kind == Window::Kind::kRolling && b.carry) {
    return Error{
        fmt::format("budget \"{}\": a rolling window never closes, so it cannot carry "
                    "anything over; accepted: carry = false",
                    b.name)};
  }
  if (b.window.kind == Window::Kind::kRun && b.kind == BudgetKind::kHard && !b.scope.empty()) {
    return Error{
        fmt::format("budget \"{}\": a hard budget per {} over the whole run would keep every "
                    "key for ever; accepted: a window, or kind steer",
                    b.name, b.scope)};
  }
  if (b.window.calendar()) return check_zone(b.window.zone);
  return {};
}

int cost_named(const Shape& shape, const std::string& name) {
  for (std::size_t i = 0; i < shape.costs.size(); ++i) {
    if (shape.costs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

double coins_for(double least_amount, double largest) {
  constexpr double kEnough = 1e10, kMost = 1e18;
  double coins = kMicrosInOne;
  while (least_amount * coins < kEnough && largest * coins * 10.0 <= kMost && coins < 1e18) {
    coins *= 10.0;
  }
  return coins;
}

Result<Budgets::Line> Budgets::line_of(const Budget& budget, const Shape& shape,
                                       const Coins& coins) {
  if (auto ok = check_rules(budget); !ok) return ok.failure();
  Line line{.budget = budget, .cost = cost_named(shape, budget.cost)};
  if (line.cost < 0) {
    std::vector<std::string> names;
    for (const auto& cost : shape.costs) names.push_back(cost.name);
    return Error{fmt::format("budget \"{}\": found cost \"{}\"; accepted: {}", budget.name,
                             budget.cost, fmt::join(names, ", "))};
  }
  line.coins = coins.of(line.cost);
  const auto amount = amount_in_coins(line, budget.amount);
  if (!amount) return amount.failure();
  const bool keyed = !budget.scope.empty();
  const int buckets = keyed ? kBucketsPerKey : kBuckets;
  const bool rolling = budget.window.kind == Window::Kind::kRolling;
  line.clock = WindowClock(budget.window, buckets);
  line.accounts = Accounts({.amount = amount.value(),
                            .carry = budget.carry,
                            .rolling = rolling,
                            .kept = rolling           ? buckets
                                    : budget.keep > 0 ? budget.keep
                                    : keyed           ? kKeptPerKey
                                                      : kKeptWindows});
  line.arrivals = Arrivals(budget.rounds);
  if (!keyed) line.accounts.add();
  if (!keyed && line.learns()) line.reserves.add();
  if (!keyed) line.granted = amount.value();
  if (!keyed) line.arrivals.add();
  return line;
}

Result<Budgets> Budgets::make(std::span<const Budget> budgets, const Shape& shape,
                              const BudgetOptions& options) {
  if (budgets.size() > kMaxBudgets) {
    return Error::of("budgets", fmt::format("budgets: found {}; accepted: at most {}",
                                            budgets.size(), kMaxBudgets));
  }
  Budgets made;
  made.options_ = options;
  made.costs_ = shape.costs.size();
  std::set<std::string_view> names;
  for (const Budget& budget : budgets) {
    if (budget.name.empty() || !names.insert(budget.name).second) {
      return Error::of(
          "budgets",
          fmt::format("budgets: found the name \"{}\"; accepted: every budget has a name of "
                      "its own",
                      budget.name));
    }
    auto line = line_of(budget, shape, options.coins);
    if (!line) return line.failure();
    if (!budget.scope.empty()) {
      const auto found = std::find_if(made.dimensions_.begin(), made.dimensions_.end(),
                                      [&](const Dimension& d) { return d.name == budget.scope; });
      line.value().dimension = static_cast<int>(found - made.dimensions_.begin());
      if (found == made.dimensions_.end()) {
        made.dimensions_.push_back({.name = budget.scope});
      }
      made.dimensions_[at(line.value().dimension)].named |= budget.named;
      made.any_named_ |= budget.named;
      if (auto ok = made.give_amounts(line.value()); !ok) return ok.failure();
    }
    (line.value().hard() ? made.any_hard_ : made.any_steered_) = true;
    if (line.value().learns()) {
      made.any_learned_ = true;
      double& quantile = made.quantiles_[at(line.value().cost)];
      if (quantile != 0.0 && quantile != budget.hold_quantile) {
        return Error::of("budgets", fmt::format("budget \"{}\": found hold={}, and another budget on \"{}\" has "
                                                "quantile({}); accepted: one quantile per cost",
                                                budget.name, hold_of(budget), budget.cost, quantile));
      }
      quantile = budget.hold_quantile;
    }
    made.counted_ |= bit(line.value().cost);
    made.any_calendar_ |= budget.window.calendar();
    made.lines_.push_back(std::move(line).value());
  }
  const auto keyed =
      std::ranges::count_if(made.lines_, [](const Line& l) { return l.dimension >= 0; });
  made.nested_ = keyed > 0 && keyed < made.size();
  if (made.dimensions_.size() > kMaxScopes) {
    return Error::of("budgets", fmt::format("budgets: found {} scopes; accepted: at most {}",
                                            made.dimensions_.size(), kMaxScopes));
  }
  made.make_lists();
  return made;
}

int Budgets::find(std::string_view name) const {
  for (int i = 0; i < size(); ++i) {
    if (budget(i).name == name) return i;
  }
  return -1;
}

int Budgets::find_needing(std::int64_t now) const {
  for (int i = 0; i < size(); ++i) {
    if (lines_[at(i)].clock.needs_window(now)) return i;
  }
  return -1;
}

void Budgets::advance(std::int64_t round, std::int64_t now) {
  round_ = round;
  now_ = now;
  bool ended = false;
  for (Line& line : lines_) {
    line.clock.advance(round, now);
    if (line.clock.period() != line.accounts.period()) {
      grant(line, line.clock.period() - line.accounts.period());
    }
    if (line.clock.period() != line.accounts.period() || line.clock.oldest() != 0) {
      const std::int64_t before = line.accounts.mark();
      line.accounts.advance(line.clock.period(), line.clock.oldest());
      if (line.dimension >= 0 && line.accounts.mark() != before) {
        end_windows(line, before);
        ended = true;
      }
    }
    if (!options_.paced) continue;
    const bool rolling =
        line.budget.window.kind == Window::Kind::kRolling;  // in stretches of its own
    if (rolling || line.clock.period() != line.arrivals.period()) {
      line.arrivals.advance(place(line));
    }
  }
  if (ended) tidy();
}

void Budgets::begin(std::int64_t now) {
  began_ = now;
  for (Line& line : lines_) {
    line.clock.advance(0, now);
    line.accounts.begin(line.clock.period(), line.clock.oldest());
    line.granted = 0;
    grant(line, 1);
  }
  advance(0, now);
  for (Dimension& dimension : dimensions_) look_again(dimension);
}

void Budgets::take_back_before(int i, std::int64_t began, double amount) {
  Line& line = lines_[at(i)];
  const bool granted =
      line.budget.window.kind == Window::Kind::kTicks && line.budget.carry && line.dimension < 0;
  if (!granted) return;
  const MicroSum windows = began / line.budget.window.length;
  line.accounts.lower(0, windows * micros_down(amount, line.coins).value());
}

Result<> Budgets::begin_anew(int i, std::int64_t round, std::int64_t now) {
  Line& line = lines_[at(i)];
  if (line.budget.window.kind > Window::Kind::kTicks) {
    return Error::of(
        "budget",
        fmt::format("budget \"{}\": its windows begin by the clock; accepted: a window of the "
                    "run, of rounds or of ticks",
                    line.budget.name));
  }
  line.clock.begin_anew(round, now);
  grant(line, 1);
  const std::int64_t before = line.accounts.mark();
  line.accounts.advance(line.clock.period(), line.clock.oldest());
  if (line.dimension >= 0) {
    end_windows(line, before);
    tidy(dimensions_[at(line.dimension)]);
  }
  if (options_.paced) line.arrivals.advance(place(line));
  return {};
}

Result<ScopeKeys> Budgets::keys_of(std::span<const Scope> scopes) const {
  ScopeKeys keys{};
  for (const Scope& scope : scopes) {
    std::size_t d = 0;
    while (d < dimensions_.size() && dimensions_[d].name != scope.dimension) ++d;
    if (d == dimensions_.size()) {
      std::vector<std::string_view> names;
      for (const Dimension& known : dimensions_) names.push_back(known.name);
      return Error::of("scopes",
                       fmt::format("scopes: found \"{}\"; accepted: {}", scope.dimension,
                                   names.empty() ? "none, because no budget has a scope"
                                                 : fmt::format("{}", fmt::join(names, ", "))));
    }
    if (!keys[d].empty()) {
      return Error::of("scopes", fmt::format("scopes: \"{}\" is given twice", scope.dimension));
    }
    keys[d] = digest_of(scope.key, options_.secret);
  }
  return keys;
}

bool Budgets::applies(int i, const ScopeKeys& keys) const {
  const int dimension = lines_[at(i)].dimension;
  return dimension < 0 || !keys[at(dimension)].empty();
}

int Budgets::slot(const Line& line, const ScopeKeys& keys) const {
  return line.dimension < 0 ? 0
                            : dimensions_[at(line.dimension)].keys.find(keys[at(line.dimension)]);
}

Accounts::Balance Budgets::balance(int i, const ScopeKeys& keys) const {
  const Line& line = lines_[at(i)];
  const int found = slot(line, keys);
  return found == Keys::kNone ? Accounts::Balance{amount_of(line, keys), 0, 0}
                              : line.accounts.balance(found);
}

std::vector<Period> Budgets::windows(int i, const ScopeKeys& keys) const {
  const Line& line = lines_[at(i)];
  std::vector<Period> found(at(line.accounts.rule().kept));
  const int account = slot(line, keys);
  found.resize(account == Keys::kNone ? 0 : at(line.accounts.periods(account, found.data())));
  return found;
}

std::int64_t Budgets::fits_at(int i, const ScopeKeys& keys, Micro amount) const {
  const Line& line = lines_[at(i)];
  if (!line.clock.timed()) return -1;
  const Accounts::Rule& rule = line.accounts.rule();
  const Micro whole = amount_of(line, keys);
  if (!rule.rolling) return rule.carry || amount <= whole ? line.clock.last() + 1 : -1;
  const int account = slot(line, keys);
  if (account == Keys::kNone) return -1;
  MicroSum left = line.accounts.balance(account).left();
  std::array<Period, kBuckets> buckets;
  const auto kept = at(line.accounts.periods(account, buckets.data()));
  for (const Period& bucket : std::span(buckets).first(kept)) {
    left += bucket.spent + bucket.held - (bucket.limit - whole);  // top-ups leave with theirs
    if (left >= amount) return line.clock.reaches(bucket.number + 1);
  }
  return -1;
}

// A hold of kMaxMicro may stand for more than can be held, so it never fits.
Micro Budgets::left(int i, const ScopeKeys& keys) const {
  return as_micro(std::clamp<MicroSum>(balance(i, keys).left(), 0, kMaxMicro - 1));
}

Micros Budgets::left(const ScopeKeys& keys) const {
  Micros left;
  left.fill(kNoLimit);
  for (int i = 0; i < size(); ++i) {
    if (!limits(i, keys)) continue;
    Micro& least = left[at(cost(i))];
    least = std::min(least, this->left(i, keys));
  }
  return left;
}

void Budgets::top_up(int i, const ScopeKeys& keys, Micro amount) {
  Line& line = lines_[at(i)];
  int account = slot(line, keys);
  if (account == Keys::kNone) account = add_key(line.dimension, keys[at(line.dimension)]);
  line.accounts.top_up(account, amount);
  if (line.dimension < 0) line.granted += amount;
  if (line.dimension < 0) return;
  sort_in(dimensions_[at(line.dimension)], account);
  tidy(dimensions_[at(line.dimension)]);
}

Result<> Budgets::set_amount(int i, double amount) {
  const auto micros = amount_in_coins(lines_[at(i)], amount);
  if (!micros) return micros.failure();
  lines_[at(i)].budget.amount = amount;
  grant(lines_[at(i)], -1);
  lines_[at(i)].accounts.set_amount(micros.value());
  grant(lines_[at(i)], 1);
  // With another amount, `carry` pays debts at another time.
  if (lines_[at(i)].dimension >= 0) look_again(dimensions_[at(lines_[at(i)].dimension)]);
  return {};
}

}  // namespace rein
