// Keys of a scope with an amount of their own, and the names of keys.
//
// An own amount belongs to the key, not to its account: it stays when the key leaves, and counts again
// when the key comes back. Nothing of this is asked for where no key has an amount of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "money/budgets.h"
#include "rein/bytes.h"

namespace rein {

Result<Micro> Budgets::amount_in_coins(const Line& line, double amount) {
  auto micros = micros_down(amount, line.coins);
  if (micros && micros.value() >= 0) return micros;
  return Error::of("budget", fmt::format("budget \"{}\": found amount {}; accepted: 0 to {}",
                                         line.budget.name, amount,
                                         static_cast<double>(kMaxMicro) / line.coins));
}

Result<> Budgets::give_amounts(Line& line) const {
  for (const KeyAmount& given : line.budget.amounts) {
    auto micros = amount_in_coins(line, given.amount);
    if (!micros) return micros.failure().in(fmt::format("key \"{}\": ", given.key));
    const KeyDigest key = digest_of(given.key, options_.secret);
    const auto [place, fresh] =
        line.own.emplace(key, OwnAmount{micros.value(), given.amount, given.key});
    if (fresh) continue;
    return Error::of("budget", fmt::format("budget \"{}\": found two amounts of \"{}\"; accepted: "
                                           "one amount per key",
                                           line.budget.name, given.key));
  }
  return {};
}

Micro Budgets::own_amount(const Line& line, const KeyDigest& key) {
  if (line.own.empty()) return Accounts::kCommon;
  const auto found = line.own.find(key);
  return found == line.own.end() ? Accounts::kCommon : found->second.micros;
}

Micro Budgets::amount_of(const Line& line, const ScopeKeys& keys) const {
  const Micro common = line.accounts.rule().amount;
  if (line.own.empty()) return common;
  const Micro own = own_amount(line, keys[at(line.dimension)]);
  return own == Accounts::kCommon ? common : own;
}

Budget Budgets::present(int i) const {
  const Line& line = lines_[at(i)];
  Budget budget = line.budget;
  budget.amounts.clear();
  for (const auto& each : line.own) budget.amounts.push_back({each.second.name, each.second.amount});
  std::ranges::sort(budget.amounts, {}, &KeyAmount::key);
  return budget;
}

bool Budgets::has_own_amount(int i, const KeyDigest& key) const {
  return own_amount(lines_[at(i)], key) != Accounts::kCommon;
}

Result<> Budgets::set_key_amount(int i, const ScopeKeys& keys, double amount,
                                 std::string_view name) {
  Line& line = lines_[at(i)];
  const KeyDigest& key = keys[at(line.dimension)];
  Micro own = Accounts::kCommon;
  if (std::isnan(amount)) {
    line.own.erase(key);
  } else {
    const auto micros = amount_in_coins(line, amount);
    if (!micros) return micros.failure();
    if (line.own.size() >= static_cast<std::size_t>(kMaxKeyAmounts) && !line.own.contains(key)) {
      return Error{fmt::format("budget \"{}\": {} keys have an amount of their own; accepted: at "
                               "most that many",
                               line.budget.name, line.own.size()),
                   Reason::kFull, "budget"};
    }
    own = micros.value();
    line.own[key] = {own, amount, std::string(name)};
  }
  Dimension& dimension = dimensions_[at(line.dimension)];
  const int account = dimension.keys.find(key);
  if (account == Keys::kNone) return {};
  line.accounts.set_own(account, own);
  look_again(dimension);  // with another amount the key may leave at another time
  return {};
}

void Budgets::new_names(std::span<const Scope> scopes, const ScopeKeys& keys,
                        std::vector<KeyName>& out) const {
  out.clear();
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const Dimension& dimension = dimensions_[d];
    if (!dimension.named || keys[d].empty()) continue;
    const int account = dimension.keys.find(keys[d]);
    if (account != Keys::kNone && !dimension.names[at(account)].empty()) continue;
    for (const Scope& scope : scopes) {
      if (scope.dimension != dimension.name || scope.key.empty() ||
          scope.key.size() > static_cast<std::size_t>(kMaxKeyName)) {
        continue;
      }
      out.push_back({static_cast<int>(d), std::string(scope.key)});
    }
  }
}

Result<> Budgets::check_names(const ScopeKeys& keys, std::span<const KeyName> names) const {
  for (const KeyName& each : names) {
    const bool known = each.dimension >= 0 && at(each.dimension) < dimensions_.size();
    if (known && dimensions_[at(each.dimension)].named &&
        each.name.size() <= static_cast<std::size_t>(kMaxKeyName) &&
        digest_of(each.name, options_.secret) == keys[at(each.dimension)]) {
      continue;
    }
    return Error::of("scopes", "scopes: found a name that is not the name of the decision's key");
  }
  return {};
}

void Budgets::keep_names(const ScopeKeys& keys, std::span<const KeyName> names) {
  for (const KeyName& each : names) {
    Dimension& dimension = dimensions_[at(each.dimension)];
    const int account = dimension.keys.find(keys[at(each.dimension)]);
    if (account != Keys::kNone) dimension.names[at(account)] = each.name;
  }
}

std::string_view Budgets::name_of_key(int i, int slot) const {
  const Line& line = lines_[at(i)];
  const Dimension& dimension = dimensions_[at(line.dimension)];
  if (dimension.named && !dimension.names[at(slot)].empty()) return dimension.names[at(slot)];
  if (line.own.empty()) return {};
  const auto own = line.own.find(dimension.keys.key(slot));
  return own == line.own.end() ? std::string_view() : std::string_view(own->second.name);
}

int Budgets::dimension_named(std::string_view name) const {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (dimensions_[d].name == name) return static_cast<int>(d);
  }
  return -1;
}

std::string_view Budgets::name_of_keys(int i, const ScopeKeys& keys) const {
  const int account = slot(lines_[at(i)], keys);
  return account == Keys::kNone ? std::string_view() : name_of_key(i, account);
}

std::vector<Period> Budgets::windows_of(int i, int slot) const {
  const Accounts& accounts = lines_[at(i)].accounts;
  std::vector<Period> found(at(accounts.rule().kept));
  found.resize(at(accounts.periods(slot, found.data())));
  return found;
}

void Budgets::save_own(const Line& line, ByteWriter& out) const {
  out.u64(line.own.size());
  for (const auto& [key, own] : line.own) {
    out.u64(key.low);
    out.u64(key.high);
    out.f64(own.amount);
    out.text(own.name);
  }
}

void Budgets::load_own(Line& line, ByteReader& in) const {
  line.own.clear();
  const std::int64_t count = in.between("amounts of keys", 0, kMaxKeyAmounts);
  for (std::int64_t n = 0; n < count && in.ok(); ++n) {
    const KeyDigest key{in.u64(), in.u64()};
    const double amount = in.f64();
    const auto micros = amount_in_coins(line, amount);
    std::string name = in.text();
    if (!micros || key.empty()) {
      in.fail("saved state: an amount of a key that cannot be");
      return;
    }
    line.own[key] = {micros.value(), amount, std::move(name)};
    const int account = dimensions_[at(line.dimension)].keys.find(key);
    if (account != Keys::kNone) line.accounts.load_own(account, micros.value());
  }
}

}  // namespace rein
