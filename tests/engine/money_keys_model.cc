// Which key leaves, by the plain model: a list of those that may, and a list of those that must stay.
#include <algorithm>
#include <tuple>

#include "engine/money_model.h"

namespace rein {
namespace {

constexpr std::int64_t kAhead = 8;  // windows that a key waits for at most, until it is looked at again

// A key waits for the longest window that needs it.
std::int64_t model_length(const Window& window) {
  constexpr std::int64_t kModelDay = 24 * 60 * 60;
  if (window.kind == Window::Kind::kMonth) return 31 * kModelDay;
  if (window.kind == Window::Kind::kWeek) return 7 * kModelDay;
  if (window.kind == Window::Kind::kDay) return kModelDay;
  if (window.kind == Window::Kind::kRun) return std::int64_t{1} << 62;
  return window.kind == Window::Kind::kRounds ? 0 : window.length;
}

}  // namespace

std::int64_t MoneyModel::mark(int b) const {
  const bool rolling = budget(b).window.kind == Window::Kind::kRolling;
  return rolling ? clock(b).oldest : clock(b).number;
}

std::optional<MoneyModel::Stays> MoneyModel::stays_by(int b, int key) const {
  const Account& account = accounts_[at(b)].at(key);
  const Balance balance = balance_of(b, key, account);
  const std::int64_t amount = amount_now(b, key);
  const bool more = balance.left() > amount;  // than a new key would have
  if (budget(b).carry) {
    if (more && account.topped > 0) return Stays{.key = key};
    if (!hard(b) || (balance.spent == 0 && balance.limit >= amount)) return {};
    std::int64_t windows = 1;
    for (std::int64_t left = balance.left(); left < 0 && windows < kAhead; left += amount) ++windows;
    if (balance.left() < 0 && amount == 0) return Stays{.key = key};
    return Stays{key, b, mark(b) + windows};
  }
  // The windows or buckets that are open, oldest first.
  std::int64_t top = 0, last = -1, first_topped = -1;
  for (const auto& [number, sums] : account.windows) {
    if (number < (budget(b).window.kind == Window::Kind::kRolling ? mark(b) : clock(b).number)) continue;
    top += sums.top;
    if (sums.spent != 0 || sums.top != 0) last = number;
    if (sums.top > 0 && first_topped < 0) first_topped = number;
  }
  if (hard(b) && last >= 0) return Stays{key, b, last + 1};
  if (!hard(b) && top > 0 && more) return Stays{key, b, first_topped + 1};
  return {};
}

std::optional<MoneyModel::Stays> MoneyModel::stays(int d, int key) const {
  std::vector<int> order;
  for (int b = 0; b < size(); ++b) {
    if (dimension(b) == d) order.push_back(b);
  }
  std::ranges::stable_sort(order, [&](int a, int b) {
    return model_length(budget(a).window) > model_length(budget(b).window);
  });
  for (int b : order) {
    if (auto found = stays_by(b, key)) return found;
  }
  return {};
}

void MoneyModel::take_off(int d, int key) {
  std::erase(keys_[at(d)].order, key);
  std::erase_if(keys_[at(d)].stays, [&](const Stays& one) { return one.key == key; });
}

void MoneyModel::sort_in(int d, int key) {
  Dimension& all = keys_[at(d)];
  if (all.open[key] > 0) return;
  take_off(d, key);
  if (const auto found = stays(d, key)) {
    all.stays.push_back(*found);
  } else {
    all.order.push_back(key);
  }
}

// Where no place is free, the first key of the list is one that may leave.
void MoneyModel::tidy() {
  for (std::size_t d = 0; d < keys_.size(); ++d) {
    Dimension& all = keys_[d];
    const int dimension = static_cast<int>(d);
    if (static_cast<int>(all.keys.size()) < most_keys_) continue;
    while (!all.order.empty() && stays(dimension, all.order.front())) {
      sort_in(dimension, all.order.front());
    }
  }
}

void MoneyModel::end_windows(int b, std::int64_t before) {
  if (dimension(b) < 0) return;
  Dimension& all = keys_[at(dimension(b))];
  for (std::int64_t until = before + 1; until <= std::min(mark(b), before + kAhead); ++until) {
    for (const Stays& one : all.stays) {
      if (one.budget == b && one.until == until) all.order.push_back(one.key);
    }
  }
  std::erase_if(all.stays, [&](const Stays& one) { return one.budget == b && one.until <= mark(b); });
}

void MoneyModel::look_again(int d) {
  std::vector<Stays>& all = keys_[at(d)].stays;
  const auto place = [&](const Stays& one) {
    const std::int64_t length = one.budget < 0 ? 0 : -model_length(budget(one.budget).window);
    return std::tuple(one.budget >= 0, length, one.budget, one.until % kAhead);
  };
  std::ranges::stable_sort(all, [&](const Stays& a, const Stays& b) { return place(a) < place(b); });
  for (const Stays& one : all) keys_[at(d)].order.push_back(one.key);
  all.clear();
  tidy();
}

void MoneyModel::add(int d, int key) {
  Dimension& all = keys_[at(d)];
  if (all.keys.contains(key)) return;
  if (static_cast<int>(all.keys.size()) == most_keys_) {
    const int leaves = all.order.front();
    take_off(d, leaves);
    all.keys.erase(leaves);
    for (int b = 0; b < size(); ++b) {
      if (dimension(b) == d) accounts_[at(b)].erase(leaves);
    }
  }
  all.keys.insert(key);
  for (int b = 0; b < size(); ++b) {
    if (dimension(b) != d) continue;
    accounts_[at(b)][key] = {.first = clocks_[at(b)].number, .topped = 0, .windows = {}};
  }
}

void MoneyModel::free_keys(const Deal& deal, int by) {
  for (std::size_t d = 0; d < keys_.size(); ++d) {
    if (deal.keys[d] < 0 || !keys_[d].keys.contains(deal.keys[d])) continue;
    keys_[d].open[deal.keys[d]] += by;
    sort_in(static_cast<int>(d), deal.keys[d]);
  }
  tidy();
}

}  // namespace rein
