#include "engine/money_model.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

namespace rein {
namespace {

// The windows of a calendar, by the C library. REQUIRES a zone whose clock does not move at midnight.
struct Local {
  std::int64_t day, first, last;  // day: counts the windows of this kind
};

Local local_window(const Window& window, std::int64_t now) {
  setenv("TZ", window.zone.c_str(), 1);
  tzset();
  const auto seconds = static_cast<std::time_t>(now);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::tm from = local;
  from.tm_hour = from.tm_min = from.tm_sec = 0;
  from.tm_isdst = -1;
  if (window.kind == Window::Kind::kWeek) from.tm_mday -= (local.tm_wday + 6) % 7;
  if (window.kind == Window::Kind::kMonth) from.tm_mday = 1;
  std::tm to = from;
  to.tm_mday += window.kind == Window::Kind::kDay ? 1 : window.kind == Window::Kind::kWeek ? 7 : 0;
  to.tm_mon += window.kind == Window::Kind::kMonth ? 1 : 0;
  const std::int64_t first = std::mktime(&from), last = std::mktime(&to) - 1;
  std::int64_t number = std::int64_t{from.tm_year} * 12 + from.tm_mon;
  from.tm_isdst = 0;
  const std::int64_t day = timegm(&from) / 86400;
  if (window.kind == Window::Kind::kDay) number = day;
  if (window.kind == Window::Kind::kWeek) number = (day + 3) / 7;
  return {number, first, last};
}

}  // namespace

MoneyModel::MoneyModel(std::vector<Budget> budgets, const std::vector<std::string>& costs,
                       int most_keys)
    : budgets_(std::move(budgets)), most_keys_(most_keys) {
  for (const Budget& b : budgets_) {
    cost_of_.push_back(static_cast<int>(std::ranges::find(costs, b.cost) - costs.begin()));
    const auto found = std::ranges::find(dimensions_, b.scope);
    scope_of_.push_back(b.scope.empty() ? -1 : static_cast<int>(found - dimensions_.begin()));
    if (!b.scope.empty() && found == dimensions_.end()) dimensions_.push_back(b.scope);
    Clock clock;
    const bool keyed = !b.scope.empty();
    const int buckets = keyed ? 8 : 64;
    if (b.window.kind == Window::Kind::kRolling) {
      clock.width = (b.window.length + buckets - 2) / (buckets - 1);
    }
    clock.last =
        b.window.kind == Window::Kind::kRun ? (std::int64_t{1} << 62) - 1 : b.window.length - 1;
    clocks_.push_back(clock);
    amounts_.push_back({{0, static_cast<std::int64_t>(b.amount * 1e6 + 0.5)}});
    own_amounts_.emplace_back();
    accounts_.emplace_back();
    if (!keyed) accounts_.back()[kNobody] = {};
    tops_.emplace_back();
    first_seen_.emplace_back();
    if (!keyed) first_seen_.back()[kNobody] = 0;  // such an account is there from the beginning
  }
  keys_.resize(dimensions_.size());
  over_holds_.resize(budgets_.size());
  exempt_.resize(budgets_.size());
}

bool MoneyModel::any(BudgetKind kind) const {
  return std::ranges::any_of(budgets_, [&](const Budget& b) { return b.kind == kind; });
}

int MoneyModel::key(int b, const std::vector<int>& keys) const {
  if (dimension(b) < 0) return kNobody;
  const int found = keys[at(dimension(b))];
  return found < 0 ? kNone : found;
}

std::int64_t MoneyModel::hold(int b, const Deal& deal) const {
  return (hard(b) ? deal.largest : deal.expected)[at(cost_of_[at(b)])];
}

std::int64_t MoneyModel::amount(int b, int key, std::int64_t number) const {
  if (const auto own = own_amounts_[at(b)].find(key); own != own_amounts_[at(b)].end()) {
    auto next = own->second.upper_bound(number);
    if (next != own->second.begin() && std::prev(next)->second) return *std::prev(next)->second;
  }
  std::int64_t found = amounts_[at(b)].front().second;
  for (const auto& [first, amount] : amounts_[at(b)]) found = first <= number ? amount : found;
  return found;
}

std::int64_t MoneyModel::amounts(int b, int key, std::int64_t from, std::int64_t to) const {
  std::set<std::int64_t> changes = {from};
  for (const auto& each : amounts_[at(b)]) changes.insert(each.first);
  if (const auto own = own_amounts_[at(b)].find(key); own != own_amounts_[at(b)].end()) {
    for (const auto& each : own->second) changes.insert(each.first);
  }
  std::int64_t sum = 0;
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    const std::int64_t end = std::next(change) == changes.end() ? to : std::min(to, *std::next(change) - 1);
    const std::int64_t begin = std::max(from, *change);
    if (end >= begin) sum += (end - begin + 1) * amount(b, key, begin);
  }
  return sum;
}

MoneyModel::Balance MoneyModel::balance_of(int b, int key, const Account& account) const {
  const Clock& clock = clocks_[at(b)];
  const bool rolling = budget(b).window.kind == Window::Kind::kRolling, carry = budget(b).carry;
  Balance sum{.limit = amounts(b, key, carry ? account.first : clock.number, clock.number)};
  for (const auto& [number, window] : account.windows) {
    const bool open = rolling ? number >= clock.oldest : number == clock.number;
    if (open || carry) sum.limit += window.top;
    if (open) {
      sum.spent += window.spent;
      sum.held += window.held;
    } else if (carry) {
      sum.limit -= window.spent + window.held;
    }
  }
  return sum;
}

MoneyModel::Balance MoneyModel::balance(int b, const std::vector<int>& keys) const {
  const auto found = accounts_[at(b)].find(key(b, keys));
  if (found != accounts_[at(b)].end()) return balance_of(b, found->first, found->second);
  return {.limit = amount_now(b, key(b, keys))};
}

std::int64_t MoneyModel::left(int cost, const std::vector<int>& keys) const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int b = 0; b < size(); ++b) {
    if (!hard(b) || cost_of_[at(b)] != cost || !applies(b, keys)) continue;
    least = std::min(least, std::max<std::int64_t>(0, balance(b, keys).left()));
  }
  return least;
}

bool MoneyModel::has_room(const std::vector<int>& keys) const {
  for (std::size_t d = 0; d < keys_.size(); ++d) {
    if (keys[d] < 0 || keys_[d].keys.contains(keys[d])) continue;
    if (static_cast<int>(keys_[d].keys.size()) < most_keys_) continue;
    if (keys_[d].order.empty()) return false;
  }
  return true;
}

void MoneyModel::decide(Deal& deal) {
  for (std::size_t d = 0; d < keys_.size(); ++d) {
    if (deal.keys[d] < 0) continue;
    add(static_cast<int>(d), deal.keys[d]);
    take_off(static_cast<int>(d), deal.keys[d]);
    keys_[d].open[deal.keys[d]] += 1;
  }
  tidy();
  deal.window.assign(budgets_.size(), 0);
  for (int b = 0; b < size(); ++b) {
    if (!applies(b, deal.keys)) continue;
    const int whose = key(b, deal.keys);
    deal.window[at(b)] = clocks_[at(b)].number;
    accounts_[at(b)].at(whose).windows[clocks_[at(b)].number].held += hold(b, deal);
    first_seen_[at(b)].try_emplace(whose, clocks_[at(b)].number);
  }
  round_ += 1;
  advance();
}

// The account that a bill belongs to; null if its key has left since.
MoneyModel::Account* MoneyModel::account(int b, const Deal& deal) {
  const auto found = accounts_[at(b)].find(key(b, deal.keys));
  if (found == accounts_[at(b)].end() || deal.window[at(b)] < found->second.first) return nullptr;
  return &found->second;
}

void MoneyModel::pay(const Deal& deal, int cost, std::int64_t micros) {
  for (int b = 0; b < size(); ++b) {
    if (cost_of_[at(b)] != cost || !applies(b, deal.keys)) continue;
    if (hard(b) && micros > hold(b, deal)) {
      over_holds_[at(b)] += 1;
      exempt_[at(b)] = true;
    }
    Account* found = account(b, deal);
    if (found == nullptr) continue;
    Sums& sums = found->windows[deal.window[at(b)]];
    if (deal.status == Deal::kOpen) sums.held -= hold(b, deal);
    const std::int64_t booked = deal.status == Deal::kExpired && hard(b) ? hold(b, deal) : 0;
    sums.spent += micros - booked;
    found->topped -= micros - booked;
  }
  const bool open = deal.status == Deal::kOpen && waits(deal);
  if (std::ranges::find(cost_of_, cost) == cost_of_.end() || (open && waits(deal, cost))) return;
  free_keys(deal, open ? -1 : 0);
}

// Whether a bill that some budget counts has not come; `but` is coming.
bool MoneyModel::waits(const Deal& deal, int but) const {
  return std::ranges::any_of(cost_of_, [&](int i) { return i != but && !deal.cost(i); });
}

void MoneyModel::cancel(const Deal& deal) {
  for (int b = 0; b < size(); ++b) {
    if (!applies(b, deal.keys) || deal.cost(cost_of_[at(b)])) continue;
    account(b, deal)->windows[deal.window[at(b)]].held -= hold(b, deal);
  }
  if (waits(deal)) free_keys(deal, -1);
}

void MoneyModel::expire(const Deal& deal) {
  for (int b = 0; b < size(); ++b) {
    if (!hard(b) || !applies(b, deal.keys) || deal.cost(cost_of_[at(b)])) continue;
    Account& found = *account(b, deal);
    found.windows[deal.window[at(b)]].spent += hold(b, deal);
    found.topped -= hold(b, deal);
  }
  cancel(deal);
}

// The first tick says what time it is, if nothing was decided before: what is carried is numbered from
// that time on, and not from tick 0.
void MoneyModel::tick(std::int64_t now) {
  const bool sets = now_ == 0 && round_ == 0;
  const std::vector<Clock> before = clocks_;
  now_ = now;
  if (!sets) return advance();
  advance_clocks();
  for (int b = 0; b < size(); ++b) {
    if (budget(b).carry) shift(b, clock(b).number - before[at(b)].number);
  }
  for (std::size_t d = 0; d < keys_.size(); ++d) look_again(static_cast<int>(d));
}

void MoneyModel::shift(int b, std::int64_t by) {
  for (auto& [key, account] : accounts_[at(b)]) {
    account.first += by;
    std::map<std::int64_t, Sums> moved;
    for (const auto& [number, window] : account.windows) moved[number + by] = window;
    account.windows = std::move(moved);
  }
  for (auto& [first, amount] : amounts_[at(b)]) first += by;
  for (auto& [key, history] : own_amounts_[at(b)]) {
    std::map<std::int64_t, std::optional<std::int64_t>> moved;
    for (const auto& [first, amount] : history) moved[first + by] = amount;
    history = std::move(moved);
  }
  std::map<std::pair<int, std::int64_t>, std::int64_t> tops;
  for (const auto& [of, micros] : tops_[at(b)]) tops[{of.first, of.second + by}] = micros;
  tops_[at(b)] = std::move(tops);
  for (auto& [key, number] : first_seen_[at(b)]) number += by;
  if (dimension(b) < 0) first_seen_[at(b)][kNobody] = accounts_[at(b)].at(kNobody).first;
}

void MoneyModel::advance_calendar(int b) {
  Clock& clock = clocks_[at(b)];
  if (now_ == 0 || (clock.opened && now_ <= clock.last)) return;
  const Local found = local_window(budget(b).window, now_);
  if (!clock.opened) clock.first_day = found.day;
  clock.opened = true;
  clock.number = found.day - clock.first_day;
  clock.first = found.first;
  clock.last = found.last;
}

void MoneyModel::advance() {
  std::vector<std::int64_t> before;
  for (int b = 0; b < size(); ++b) before.push_back(mark(b));
  advance_clocks();
  for (int b = 0; b < size(); ++b) end_windows(b, before[at(b)]);
  tidy();
}

void MoneyModel::advance_clocks() {
  for (int b = 0; b < size(); ++b) {
    const Window& window = budget(b).window;
    Clock& clock = clocks_[at(b)];
    if (window.calendar()) {
      advance_calendar(b);
    } else if (window.kind == Window::Kind::kRolling) {
      clock.first = std::max<std::int64_t>(0, now_ - window.length + 1);
      clock.last = clock.first + window.length - 1;
      clock.number = now_ / clock.width;
      clock.oldest = clock.first / clock.width;
    } else if (window.kind != Window::Kind::kRun) {
      const std::int64_t here = window.kind == Window::Kind::kRounds ? round_ : now_;
      const std::int64_t passed = std::max<std::int64_t>(0, (here - clock.first) / window.length);
      clock.number += passed;
      clock.first += passed * window.length;
      clock.last = clock.first + window.length - 1;
    }
  }
}

bool MoneyModel::can_top_up(int b, const std::vector<int>& keys) const {
  return applies(b, keys) && has_room(keys);
}

void MoneyModel::top_up(int b, const std::vector<int>& keys, std::int64_t micros) {
  const int whose = key(b, keys);
  if (dimension(b) >= 0) add(dimension(b), whose);
  Account& account = accounts_[at(b)].at(whose);
  account.windows[clocks_[at(b)].number].top += micros;
  account.topped = std::max<std::int64_t>(0, account.topped) + micros;
  tops_[at(b)][{whose, clocks_[at(b)].number}] += micros;
  first_seen_[at(b)].try_emplace(whose, clocks_[at(b)].number);
  if (dimension(b) < 0) return;
  sort_in(dimension(b), whose);
  tidy();
}

void MoneyModel::set_amount(int b, std::int64_t micros) {
  if (micros < amounts_[at(b)].back().second) exempt_[at(b)] = true;
  const std::int64_t number = clocks_[at(b)].number;
  while (!amounts_[at(b)].empty() && amounts_[at(b)].back().first >= number) {
    amounts_[at(b)].pop_back();
  }
  amounts_[at(b)].emplace_back(number, micros);
  if (dimension(b) >= 0) look_again(dimension(b));
}

void MoneyModel::set_own_amount(int b, const std::vector<int>& keys,
                                std::optional<std::int64_t> micros) {
  const int whose = key(b, keys);
  const std::int64_t before = amount_now(b, whose);
  own_amounts_[at(b)][whose][clocks_[at(b)].number] = micros;
  if (amount_now(b, whose) < before) exempt_[at(b)] = true;
  if (keys_[at(dimension(b))].keys.contains(whose)) look_again(dimension(b));
}

bool MoneyModel::begin_window(int b) {
  Clock& clock = clocks_[at(b)];
  if (budget(b).window.kind > Window::Kind::kTicks) return false;
  const std::int64_t before = mark(b);
  clock.number += 1;
  clock.first = budget(b).window.kind == Window::Kind::kTicks ? now_ : round_;
  clock.last = clock.first +
               (budget(b).window.kind == Window::Kind::kRun ? std::int64_t{1} << 62
                                                            : budget(b).window.length) -
               1;
  end_windows(b, before);
  tidy();
  return true;
}

std::int64_t MoneyModel::counts(const Deal& deal, int cost) {
  if (deal.cost(cost)) return *deal.cost(cost);
  return deal.status == Deal::kCancelled ? 0 : deal.largest[at(cost)];
}

std::string MoneyModel::passed(const std::vector<Deal>& deals) const {
  for (int b = 0; b < size(); ++b) {
    if (!hard(b) || exempt_[at(b)]) continue;
    const Clock& clock = clocks_[at(b)];
    const bool rolling = budget(b).window.kind == Window::Kind::kRolling, carry = budget(b).carry;
    std::map<std::pair<int, std::int64_t>, std::int64_t> sums;  // by key and window
    for (const Deal& deal : deals) {
      if (!applies(b, deal.keys)) continue;
      if (rolling && deal.at <= now_ - budget(b).window.length) continue;
      const std::int64_t window = rolling || carry ? 0 : deal.window[at(b)];
      sums[{key(b, deal.keys), window}] += counts(deal, cost_of_[at(b)]);
    }
    for (const auto& [of, sum] : sums) {
      const auto& [whose, window] = of;
      const std::int64_t first = carry ? first_seen_[at(b)].at(whose) : rolling ? 0 : window;
      const std::int64_t last = carry || rolling ? clock.number : window;
      std::int64_t limit = amounts(b, whose, rolling ? last : first, last);
      for (const auto& [topped, micros] : tops_[at(b)]) {
        const bool in = rolling ? topped.second >= clock.oldest
                                : topped.second >= first && topped.second <= last;
        if (topped.first == whose && in) limit += micros;
      }
      if (sum > limit) return budget(b).name;
    }
  }
  return {};
}

}  // namespace rein
