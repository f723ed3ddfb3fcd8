// What budgets with hold=quantile(q) keep besides their holds.
#include "money/reserves.h"

#include "money/budgets.h"

namespace rein {

Micro Budgets::reserve(int i, const ScopeKeys& keys) const {
  const Line& line = lines_[at(i)];
  if (!line.learns()) return 0;
  const int account = slot(line, keys);
  return account == Keys::kNone ? 0 : line.reserves.of(account);
}

Micros Budgets::left_for_learned(const ScopeKeys& keys) const {
  Micros left;
  left.fill(kNoLimit);
  for (int i = 0; i < size(); ++i) {
    if (!lines_[at(i)].learns() || !applies(i, keys)) continue;
    Micro& least = left[at(cost(i))];
    const MicroSum free = balance(i, keys).left() - reserve(i, keys);
    least = std::min(least, as_micro(std::clamp<MicroSum>(free, 0, kMaxMicro - 1)));
  }
  return left;
}

void Budgets::release(Line& line, int account, const Claim& claim, std::int64_t period) {
  line.accounts.release(account, period, held(line, claim));
  if (line.learns()) line.reserves.release(account, excess(line, claim));
}

}  // namespace rein
