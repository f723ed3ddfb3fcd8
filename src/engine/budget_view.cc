// What can be seen of keys and of windows. Nothing here is asked for by a decision.
#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "engine/heart.h"
#include "money/calendar.h"

namespace rein {
namespace {

std::int64_t micros(MicroSum sum, double coins) { return as_micro(whole_micros_up(sum, coins)); }

// Held is what makes spent + held whole, so that spent + held <= limit stays true.
template <class Money>
void fill_money(const Money& from, double coins, auto& into) {
  into.limit = micros(from.limit, coins);
  into.spent = micros(from.spent, coins);
  into.held = micros(from.spent + from.held, coins) - into.spent;
}

}  // namespace

Result<int> Engine::Heart::budget_named(std::string_view name) const {
  const int i = budgets.find(name);
  if (i >= 0) return i;
  std::vector<std::string_view> names;
  for (int each = 0; each < budgets.size(); ++each) names.push_back(budgets.budget(each).name);
  return Error::of("budget", fmt::format("budget: found \"{}\"; accepted: {}", name,
                                         names.empty() ? "none, because there are no budgets"
                                                       : fmt::format("{}", fmt::join(names, ", "))));
}

Result<KeyPage> Engine::Heart::keys_of_budget(std::string_view name, const KeyQuery& query) const {
  const auto found = budget_named(name);
  if (!found) return found.failure();
  const int i = found.value();
  const Budget& budget = budgets.budget(i);
  if (budget.scope.empty()) {
    return Error::of("budget", fmt::format("budget \"{}\": it is for everybody and has no keys; "
                                           "accepted: a budget with a scope",
                                           name));
  }
  const bool rolls = budget.window.kind == Window::Kind::kRolling;
  if (query.first < 0 || query.most < 0 || query.most > kMaxListedKeys || query.ago < 0 ||
      (rolls && query.ago > 0)) {
    return Error::of("query", fmt::format("keys: found first={}, most={}, ago={}; accepted: at most "
                                          "{} keys, and windows that are remembered",
                                          query.first, query.most, query.ago, kMaxListedKeys));
  }
  const double coins = budgets.coins(budgets.cost(i));
  const std::int64_t number = budgets.clock(i).period() - query.ago;
  // Names are copied for the keys of the page alone.
  struct Row {
    int slot = 0;
    std::string_view name;
    KeyDigest key;
    std::int64_t limit = 0, spent = 0, held = 0;
  };
  std::vector<Row> rows;
  KeyPage page;
  for (int slot = 0; slot < budgets.keys(i); ++slot) {
    const std::string_view known = budgets.name_of_key(i, slot);
    if (!query.search.empty() && known.find(query.search) == std::string_view::npos) continue;
    Row state{.slot = slot, .name = known, .key = budgets.key(i, slot)};
    if (query.ago == 0) {
      fill_money(budgets.balance_of(i, slot), coins, state);
    } else {
      const auto windows = budgets.windows_of(i, slot);
      const auto window = std::ranges::find(windows, number, &Period::number);
      if (window == windows.end()) continue;
      fill_money(*window, coins, state);
    }
    page.count += 1;
    page.spent += state.spent;
    page.held += state.held;
    rows.push_back(state);
  }
  const auto before = [](const Row& a, const Row& b) {
    if (a.spent != b.spent) return a.spent > b.spent;
    if (a.name != b.name) return a.name < b.name;
    return a.key.high != b.key.high ? a.key.high < b.key.high : a.key.low < b.key.low;
  };
  const auto end = as_size(std::min(query.first, page.count) < page.count - query.most
                               ? query.first + query.most
                               : page.count);
  std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(end), before);
  for (std::size_t n = as_size(query.first); n < end; ++n) {
    const Row& row = rows[n];
    page.keys.push_back({.name = std::string(row.name),
                         .key = row.key,
                         .own = budgets.has_own_amount(i, row.key),
                         .limit = row.limit,
                         .spent = row.spent,
                         .held = row.held});
  }
  return page;
}

std::optional<AccountState> Engine::Heart::account(int i, const ScopeKeys& keys) const {
  if (!budgets.applies(i, keys)) return std::nullopt;
  const BudgetState balance = balance_of(i, keys);
  AccountState state{.dimension = budgets.dimension_of(i),
                     .window = balance.window,
                     .first = balance.first,
                     .last = balance.last};
  state.key = {.limit = balance.limit, .spent = balance.spent, .held = balance.held};
  if (state.dimension < 0) return state;
  state.key.key = keys[as_size(state.dimension)];
  state.key.name = std::string(budgets.name_of_keys(i, keys));
  state.key.own = budgets.has_own_amount(i, state.key.key);
  return state;
}

// The dates of a closed calendar window follow from the time zone database, as those of the open one
// did. Windows of rounds and ticks follow by arithmetic, where none was begun by hand meanwhile.
Result<std::vector<WindowState>> Engine::Heart::windows_of_budget(
    std::string_view name, std::span<const Scope> scopes) const {
  const auto found = budget_named(name);
  if (!found) return found.failure();
  const int i = found.value();
  const auto keys = budgets.keys_of(scopes);
  if (!keys) return keys.failure();
  const Budget& budget = budgets.budget(i);
  if (!budgets.applies(i, keys.value()) || budget.window.kind == Window::Kind::kRolling) {
    return Error::of("budget", fmt::format("budget \"{}\": it is per {}; accepted: {}", name,
                                           budget.scope.empty() ? "rolling window" : budget.scope,
                                           budget.scope.empty() ? "a budget whose windows end"
                                                                : "a key of it in scopes"));
  }
  const WindowClock& clock = budgets.clock(i);
  const double coins = budgets.coins(budgets.cost(i));
  std::vector<WindowState> windows;
  for (const Period& period : budgets.windows(i, keys.value())) {
    WindowState state{.number = period.number, .open = period.number == clock.period()};
    fill_money(period, coins, state);
    windows.push_back(state);
  }
  std::int64_t number = clock.period(), first = clock.first(), last = clock.last();
  const std::int64_t length = last - first + 1;
  for (auto state = windows.rbegin(); state != windows.rend(); ++state) {
    for (; number > state->number; --number) {
      last = first - 1;
      first -= length;
      if (!budget.window.calendar()) continue;
      const auto before = calendar_window(budget.window, last, nullptr);
      if (!before) return before.failure();
      first = before.value().first;
    }
    const bool known = budget.window.calendar() || state->open ||
                       (budget.window.kind != Window::Kind::kRun && first == state->number * length);
    if (known) state->first = first;
    if (known) state->last = last;
  }
  return windows;
}

}  // namespace rein
