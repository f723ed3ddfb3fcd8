// What a decision holds, and how that ends: its bill comes, or never will.
#include "money/budgets.h"

namespace rein {

void Budgets::take(const ScopeKeys& keys, Claim& claim) {
  if (options_.paced && nested_) note_keys(keys);
  claim.keys = keys;
  claim.waiting = claim.provisional = 0;
  use_keys(keys);
  for (int i = 0; i < size(); ++i) {
    Line& line = lines_[at(i)];
    claim.waiting |= bit(line.cost);
    claim.periods[at(i)] = 0;
    if (!applies(i, keys)) continue;
    const int account = slot(line, keys);
    claim.periods[at(i)] = line.accounts.hold(account, held(line, claim));
    if (line.learns()) line.reserves.hold(account, excess(line, claim));
    if (options_.paced) line.arrivals.count(account, place(line));
  }
}

void Budgets::settle(Claim& claim, int cost) {
  if (!counts(cost)) return;
  const bool was_open = claim.waiting != 0;
  claim.waiting &= ~bit(cost);
  if (claim.waiting == 0) free_keys(claim.keys, was_open ? -1 : 0);
}

bool Budgets::pay(Claim& claim, int cost, MicroSum amount) {
  const bool waits = (claim.waiting & bit(cost)) != 0;
  const bool booked = (claim.provisional & bit(cost)) != 0;
  bool over = false;
  for (int i = 0; i < size(); ++i) {
    Line& line = lines_[at(i)];
    if (line.cost != cost || !applies(i, claim.keys)) continue;
    line.passed_holds += line.learns() && amount > held(line, claim);
    const Micro most = line.learns() ? claim.holds.largest[at(cost)] : held(line, claim);
    over = over || (line.hard() && amount > most);
    line.over_holds += line.hard() && amount > most;
    const int account = slot(line, claim.keys);
    if (account == Keys::kNone) continue;  // the key has left; its money is no longer counted
    const std::int64_t period = claim.periods[at(i)];
    if (waits) release(line, account, claim, period);
    if (booked && line.hard()) line.accounts.book(account, period, -held(line, claim));
    line.accounts.book(account, period, amount);
  }
  claim.provisional &= ~bit(cost);
  settle(claim, cost);
  return over;
}

void Budgets::give_up(Claim& claim, int cost) {
  for (int i = 0; i < size(); ++i) {
    Line& line = lines_[at(i)];
    if (line.cost != cost || !applies(i, claim.keys)) continue;
    release(line, slot(line, claim.keys), claim, claim.periods[at(i)]);
  }
  settle(claim, cost);
}

void Budgets::expire(Claim& claim, int cost) {
  for (int i = 0; i < size(); ++i) {
    Line& line = lines_[at(i)];
    if (line.cost != cost || !applies(i, claim.keys)) continue;
    const int account = slot(line, claim.keys);
    release(line, account, claim, claim.periods[at(i)]);
    if (line.hard()) line.accounts.book(account, claim.periods[at(i)], held(line, claim));
  }
  claim.provisional |= bit(cost);
  settle(claim, cost);
}

}  // namespace rein
