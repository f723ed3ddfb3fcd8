// What budgets have allowed so far: the plan that spending is drawn against.
#include <algorithm>

#include "money/budgets.h"

namespace rein {

// Windows begin: so many, or below 0 so many are taken back, because the clock was wrong.
void Budgets::grant(Line& line, std::int64_t windows) {
  if (line.dimension < 0) line.granted += MicroSum{windows} * line.accounts.rule().amount;
}

MicroSum Budgets::allowed(int i) const {
  const Line& line = lines_[at(i)];
  const Window::Kind kind = line.budget.window.kind;
  if (line.dimension >= 0 || kind == Window::Kind::kRolling) return -1;
  const bool run = kind == Window::Kind::kRun;
  if (run && line.budget.rounds == 0) return line.granted;
  const bool in_rounds = run || kind == Window::Kind::kRounds;
  const std::int64_t here = in_rounds ? round_ : now_;
  // Nothing of the first window could be spent before the clock was set.
  const std::int64_t first = std::max(line.clock.first(), in_rounds ? 0 : began_);
  const std::int64_t last = run ? first + line.budget.rounds - 1 : line.clock.last();
  const std::int64_t length = std::max<std::int64_t>(last - first + 1, 1);
  const std::int64_t passed = std::clamp<std::int64_t>(here - first, 0, length);
  const MicroSum amount = line.accounts.rule().amount;
  return line.granted - amount + amount * passed / length;
}

}  // namespace rein
